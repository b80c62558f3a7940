"""The frames of a whole body whose hands have somewhere to go, or something to hold, with nothing in their way.

The wrist of each hand that goes somewhere has a path in space. The whole-body solver follows all paths at once, frame
by frame, around everything solid, with the interpolated posture as its reference (see puppet.motion.following). Where a
hand or what it carries would still come too near to something, its path is bent away from there, and followed again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.geometry import Transform
from puppet.kernels.loader import kernels
from puppet.kernels.solids import DISTANCE, MOVES, PAIR_COLUMNS
from puppet.motion.following import FAR, HAND_TASKS, STEPS, Follower
from puppet.motion.hand_path import HandPath, bases
from puppet.motion.problem import Found, HandCourse, Problem
from puppet.motion.solids import MOST_PAIRS, SceneBoxes, body_solids
from puppet.types import Floats, Ints

SAMPLES = 11  # frames in which a path is followed while it is bent
SAMPLE_STEPS = 6  # of the solver, in each of them
SMOOTHING = (3, 5)  # frames to both sides over which the angles of an arm are smoothed,
ROUGH, ROUGH_END = 0.035, 0.012  # where its velocity changes by more from frame to frame, and at the ends, radians
BENDINGS = 4  # times that a path is followed and bent
OVERSHOOT = 1.25  # how much more than what is missing
STIFFNESS = 0.15  # against being bent where nothing pushes
SHORTFALL = 0.5  # share of the clearance that may be missing
DEEP = 8e-4  # solids this deep in each other: nothing to speak of
DEPTH_COST, LACK_COST = 60.0, 6.0  # beside the length of a path
PLAIN = (0.0, 0.5, 1.0)  # how much of its way a hand goes as its joints would by themselves, in the order of trials
ON_PATH, GOOD = 3e-3, 2e-3  # a hand this near is on its path; frames that are no worse than this are good
CLEARING = 25  # steps in which a posture is brought out of things


def plan(problem: Problem) -> tuple[Found, tuple[HandCourse, ...]]:
    """The frames, and the hands with the paths that they take.

    A hand whose arm cannot follow its path goes as its joints would by themselves, as far as that is needed.
    """
    follower = Follower(problem)
    problem = follower.problem = replace(problem, hands=tuple(follower.sketched(hand) for hand in problem.hands))
    everything = np.arange(problem.frames)
    best: tuple[float, Found, tuple[HandCourse, ...]] | None = None
    tried = 0
    lost: frozenset[str] = frozenset()  # hands that do not keep to their paths
    for plain in PLAIN:
        plainer = tuple(
            replace(hand, plain=plain) if hand.path is not None and (hand.bendable or hand.hand in lost) else hand
            for hand in problem.hands
        )
        hands = plainer
        found = follower.follow(hands, everything, STEPS)
        tried += 1
        if not _clear(found, problem.clearance):
            rows = np.unique(np.round(np.linspace(0, problem.frames - 1, SAMPLES)).astype(int))
            hands, more = _bend(problem, follower, rows, hands)
            again = follower.follow(hands, everything, STEPS)
            tried += more + 1
            if _badness(again, hands) < _badness(found, hands):
                found = again
            else:
                hands = plainer
        badness = _badness(found, hands)
        if best is None or badness < best[0]:
            best = badness, found, hands
        lost |= _lost(found, hands)
        if badness <= GOOD or not lost:
            break
    assert best is not None
    _, found, hands = best
    for width in SMOOTHING:
        if _roughness(problem, found) <= ROUGH:
            break
        again = follower.smoothed(hands, found, width)
        tried += 1
        if _badness(again, hands) > max(1.5 * _badness(found, hands), GOOD):
            break
        found = again
    return replace(found, tried=tried), hands


def _roughness(problem: Problem, found: Found) -> float:
    """The largest change of a joint's velocity from frame to frame, beyond what the reference has, in radians; a body
    at rest before and after that does not move there."""
    dofs = problem.body.dofs_of(sorted(problem.joints))
    before = problem.references[:1, dofs]
    angles = np.concatenate([before, found.postures[:, dofs]])
    plain = problem.references[:, dofs]
    rough = [np.abs(np.diff(a, 2, axis=0)).max(initial=0.0) for a in (angles, plain)]
    ends = 0.0
    if not any(hand.course is not None for hand in problem.hands):
        ends = float(np.abs(angles[1] - angles[0]).max(initial=0.0))
    ends = max(ends, float(np.abs(angles[-1] - angles[-2]).max(initial=0.0)))
    return max(float(rough[0] - rough[1]), ROUGH / ROUGH_END * ends)


def posture_depth(
    body: Body, boxes: SceneBoxes, things: Mapping[str, Transform], posture: Floats, hand: str, touched: frozenset[str]
) -> float:
    """How deep an arm is in anything in a posture, apart from its hand in things that it may touch."""
    solids = body_solids(body)
    table = np.array(solids.table)
    table[:, MOVES] = np.isin(solids.joints, body.limb(hand).joints)
    size, total = len(table), len(table) + len(boxes.halves)
    apart = np.zeros((total, total), dtype=np.int64)
    apart[:size, :size] = solids.apart_from
    own = np.flatnonzero(solids.joints == body.limb(hand).joints[-1])
    for name in touched:
        apart[own, size + boxes.box(name)] = 1
    pairs = np.empty((MOST_PAIRS, PAIR_COLUMNS))
    carriers = np.full(len(boxes.halves), -1, dtype=np.int64)
    count = kernels().clearances(
        joint_transforms(body, posture), table, boxes.halves, boxes.cubes(things), carriers, apart, 0.0, pairs
    )
    return float(max(0.0, -pairs[:count, DISTANCE].min(initial=0.0)))


def cleared_posture(
    body: Body, boxes: SceneBoxes, things: Mapping[str, Transform], posture: Floats,
    hands: Mapping[str, frozenset[str]], clearance: float = 2e-3,
) -> Floats:  # fmt: skip
    """A posture with its arms moved out of everything solid while its hands stay where they are, as far as that goes.

    hands: those that stay, each with the things that it may touch.
    """
    if not hands:
        return posture
    world = joint_transforms(body, posture)
    courses = []
    for hand, touched in hands.items():
        row = world[body.limb(hand).joints[-1]]
        here = Transform.of(row[:3], row[3:])
        path = HandPath.straight(here, here)
        courses.append(HandCourse(hand, path, np.ones(1), level=True, plain=1.0, touches=touched))
    joints = frozenset(j for hand in hands for j in body.limb(hand).joints)
    problem = Problem(
        body, boxes, things, np.stack([posture, posture]), joints, tuple(courses), (), (), 0, clearance
    )  # fmt: skip
    follower = Follower(problem)
    if follower.reached_depth() <= 0.0:
        return posture
    follower.left_behind[:] = FAR
    found = follower.follow(problem.hands, np.arange(1), CLEARING)
    return found.postures[0] if found.misses[0, ::HAND_TASKS].max() < 1e-5 else posture


def _lost(found: Found, hands: Sequence[HandCourse]) -> frozenset[str]:
    """Hands that do not keep to their paths."""
    ordered = sorted(hands, key=lambda hand: hand.path is None)
    off, end = found.misses.max(axis=0), found.misses[-1]
    return frozenset(
        hand.hand for n, hand in enumerate(ordered)
        if off[HAND_TASKS * n] > ON_PATH or end[HAND_TASKS * n] > 2e-4 or end[HAND_TASKS * n + 1] > 5e-3
    )  # fmt: skip


def _badness(found: Found, hands: Sequence[HandCourse]) -> float:
    """What cannot be seen to be right: hands off their paths, turned wrongly at the end, in something; as a length."""
    end, way = found.misses[-1], found.misses.max(axis=0)
    worst = max(0.0, found.depth - DEEP)
    for n, hand in enumerate(sorted(hands, key=lambda hand: hand.path is None)):
        at = HAND_TASKS * n
        held = hand.path is None
        worst += max(0.0, (way if held else end)[at] - 2e-4) + max(0.0, (way if held else end)[at + 1] - 5e-3)
        worst += 0.3 * max(0.0, way[at] - ON_PATH)
    return float(worst)


def _bend(
    problem: Problem, follower: Follower, rows: Ints, hands: tuple[HandCourse, ...]
) -> tuple[tuple[HandCourse, ...], int]:
    """The hands with their paths bent out of the way of everything, and how many paths were tried."""
    best, least, n = hands, np.inf, 0
    for n in range(BENDINGS if any(hand.bendable for hand in hands) else 0):
        found = follower.follow(hands, rows, SAMPLE_STEPS)
        cost = _cost(found, hands, problem.clearance)
        if cost < least:
            best, least = hands, cost
        enough = n >= 1 and found.depth <= DEEP  # what is missing of the clearance is worth one attempt
        if _clear(found, problem.clearance) or enough or n == BENDINGS - 1:
            break
        hands = tuple(_pushed(hand, found.pushes[:, k], rows) for k, hand in enumerate(hands))
    return best, n + 1


def _clear(found: Found, clearance: float) -> bool:
    return found.depth <= DEEP and float(found.pushes[..., 3].max(initial=0.0)) <= SHORTFALL * clearance


def _cost(found: Found, hands: Sequence[HandCourse], clearance: float) -> float:
    """How bad a way is, as a length."""
    lack = np.maximum(found.pushes[..., 3] - SHORTFALL * clearance, 0.0)
    longer = sum(hand.path.length - hand.path.distance for hand in hands if hand.path is not None)
    return float(DEPTH_COST * max(found.depth - DEEP, 0.0) + LACK_COST * lack.mean() + longer)


def _pushed(hand: HandCourse, pushes: Floats, rows: Ints) -> HandCourse:
    """The hand with its path moved by what pushes it, (rows, 4), by least squares over both bends."""
    if hand.path is None or not hand.bendable or not np.any(pushes[:, 3] > 0.0):
        return hand
    one, two = bases(hand.path.parameters(hand.shares[np.minimum(rows, len(hand.shares) - 1)]))
    weights = np.stack([one, two], axis=1)
    counts = pushes[:, 3] > 0.0
    counts &= weights.sum(axis=1) > 0.02
    if not counts.any():
        return hand
    a = weights[counts]
    normal = a.T @ a + STIFFNESS * np.eye(2) * max(1.0, 0.3 * counts.sum())
    by = OVERSHOOT * np.linalg.solve(normal, a.T @ pushes[counts, :3])
    size = np.linalg.norm(by, axis=1).max()
    return replace(hand, path=hand.path.bent(by * min(1.0, 0.12 / max(size, 1e-9))))
