"""The frames of a whole body whose hands have somewhere to go, or something to hold, with nothing in their way.

The wrist of each hand that goes somewhere has a path in space, and its arm follows it, with the swivel going evenly
from one posture to the other. Where an arm, or what it carries, would come too near to something, the two bends of its
path and the swing of its elbow are changed by damped least squares,

    cost = sum over frames and parts of (missing clearance / LACK)^2 + (bends / BEND)^2 + (swing / SWING)^2
           + (broken limits / OVER)^2 + (too far / SHORT)^2,

from the plain path, and from a sketch of one around the boxes that stand in the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from puppet.motion.arm_frames import ArmFrames, has_arms
from puppet.motion.limb_frames import LimbFrames
from puppet.motion.problem import Found, HandCourse, Problem
from puppet.motion.sketch import HAND_POINTS, sketch_bends, wrist_points
from puppet.motion.surroundings import Surroundings
from puppet.types import Floats, Ints

SAMPLES = 13  # frames in which a path is tried
LACK, BEND, SWING, OVER, SHORT = 0.004, 0.1, 0.6, 0.01, 0.002
ROUNDS = 6  # of least squares
STEP_BEND, STEP_SWING = 2e-3, 0.02  # by which slopes are measured
FARTHEST, WIDEST = 0.08, 0.5  # of one step
DEEP = 8e-4  # solids this deep in each other: nothing to speak of
SHORTFALL = 0.5  # share of the clearance that may be missing
BENDS = 6  # numbers for the bends of a path; one more for the swing of the elbow
SWINGS = (0.7, -0.7)  # with which a search begins anew
LIFTS = ((0.0, 0.12, 0.0), (0.0, 0.07, -0.1))


def plan(problem: Problem) -> tuple[Found, tuple[HandCourse, ...]]:
    """The frames, and the hands with the paths that they take."""
    around = Surroundings(problem)
    frames = ArmFrames(problem, around) if has_arms(problem.body, problem.hands) else LimbFrames(problem, around)
    everything = np.arange(problem.frames)
    found = frames.at(problem.hands, everything)
    if not problem.hands or _good(found, problem.clearance):
        return found, problem.hands
    best, hands, tried = found, problem.hands, 1
    for search in _searches(problem, around, frames):
        again = frames.at(search.hands, everything)
        tried += search.tried + 1
        if badness(again) < badness(best):
            best, hands = again, search.hands
        if _good(best, problem.clearance) or badness(best) < 1e-6:
            break
    return replace(best, tried=tried), hands


def badness(found: Found) -> float:
    """What cannot be seen to be right, as a length: depth, broken limits, hands off their courses."""
    worst = max(0.0, found.depth - DEEP)
    if found.off.shape[1]:
        worst += float(0.05 * found.overs.max() + max(0.0, found.off.max() - 1e-5) + 0.1 * found.turned.max())
    return worst


def _good(found: Found, clearance: float) -> bool:
    lacking = float(found.missing[:, :-1].max(initial=0.0))
    return badness(found) < 1e-6 and lacking <= SHORTFALL * clearance


@dataclass
class _Search:
    hands: tuple[HandCourse, ...]
    tried: int
    cost: float


def _searches(problem: Problem, around: Surroundings, frames: ArmFrames | LimbFrames) -> Iterator[_Search]:
    """Hands on other paths, the most promising first."""
    rows = np.unique(np.round(np.linspace(0, problem.frames - 1, SAMPLES)).astype(int))
    free = [n for n, hand in enumerate(problem.hands) if hand.path is not None or isinstance(frames, ArmFrames)]
    bends = {n: _sketch(problem, around, problem.hands[n]) for n in free}
    count = len(free) * (BENDS + 1)
    plain, sketched = np.zeros(count), np.zeros(count)
    for k, n in enumerate(free):
        sketched[k * (BENDS + 1) : k * (BENDS + 1) + BENDS] = bends[n].ravel()
    starts = [sketched] if sketched.any() else [plain]
    descent = _Descent(problem, frames, rows, free)
    first = descent.down(starts[0])
    yield first
    for swing in SWINGS:
        other = starts[0].copy()
        other[BENDS :: BENDS + 1] = swing
        yield descent.down(other)
    for lift in LIFTS:
        other = plain.copy()
        for k, n in enumerate(free):
            if problem.hands[n].bendable:
                other[k * (BENDS + 1) : k * (BENDS + 1) + BENDS] = (*lift, *lift)
        yield descent.down(other)


class _Descent:
    """Damped least squares over the bends of paths and the swings of elbows."""

    def __init__(
        self, problem: Problem, frames: ArmFrames | LimbFrames, rows: Ints, free: Sequence[int]
    ) -> None:
        self.problem, self.frames, self.rows, self.free = problem, frames, rows, free
        self.moves = np.concatenate([
            [1.0 if problem.hands[n].bendable else 0.0] * BENDS + [1.0] for n in free
        ]) > 0.0  # fmt: skip
        self.scale = np.tile([BEND] * BENDS + [SWING], len(free))
        self.step = np.tile([STEP_BEND] * BENDS + [STEP_SWING], len(free))
        self.largest = np.tile([FARTHEST] * BENDS + [WIDEST], len(free))
        self.tried = 0

    def hands(self, x: Floats) -> tuple[HandCourse, ...]:
        hands = list(self.problem.hands)
        for k, n in enumerate(self.free):
            own = x[k * (BENDS + 1) : (k + 1) * (BENDS + 1)]
            path = hands[n].path
            bent = path.bent(own[:BENDS].reshape(2, 3)) if path is not None and hands[n].bendable else path
            hands[n] = replace(hands[n], path=bent, swing=float(own[BENDS]))
        return tuple(hands)

    def residuals(self, x: Floats) -> tuple[Floats, Found]:
        self.tried += 1
        found = self.frames.at(self.hands(x), self.rows)
        share = 1.0 / np.sqrt(len(self.rows))
        parts = [
            share / LACK * found.missing[:, :-1].ravel(), share / OVER * found.overs.ravel(),
            share / SHORT * np.maximum(found.off - 1e-5, 0.0).ravel(), (x / self.scale)[self.moves],
        ]  # fmt: skip
        return np.concatenate(parts), found

    def down(self, x: Floats) -> _Search:
        """The least cost that is found from here on."""
        self.tried = 0
        x = np.where(self.moves, x, 0.0)
        r, found = self.residuals(x)
        cost, damping = float(r @ r), 0.03
        moves = np.flatnonzero(self.moves)
        for _ in range(ROUNDS):
            if _good(found, self.problem.clearance) and cost < 1.0:
                break
            jacobian = np.empty((len(r), len(moves)))
            for column, k in enumerate(moves):
                other = x.copy()
                other[k] += self.step[k]
                jacobian[:, column] = (self.residuals(other)[0] - r) / self.step[k]
            scaled = jacobian * self.scale[moves]
            normal, slope = scaled.T @ scaled, scaled.T @ r
            better = False
            for _ in range(3):
                by = -np.linalg.solve(normal + damping * np.eye(len(moves)), slope) * self.scale[moves]
                by *= min(1.0, float((self.largest[moves] / np.maximum(np.abs(by), 1e-12)).min()))
                other = x.copy()
                other[moves] += by
                s, there = self.residuals(other)
                if float(s @ s) < cost:
                    better = float(s @ s) < 0.98 * cost
                    x, r, found, cost, damping = other, s, there, float(s @ s), 0.3 * damping
                    break
                damping *= 8.0
            if not better:
                break
        return _Search(self.hands(x), self.tried, cost)


def _sketch(problem: Problem, around: Surroundings, hand: HandCourse) -> Floats:
    """Bends (2, 3) that lead a hand's path around boxes, as far as that is seen without its arm."""
    if hand.path is None or not hand.bendable:
        return np.zeros((2, 3))
    body = problem.body
    joint = body.limb(hand.hand).joints[-1]
    points, radii = wrist_points(body.arrays.tips[joint])
    others = [k for k in range(len(around.carriers)) if around.carriers[k] < 0]
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    for name in around.in_hand.get(hand.hand, []):
        box = problem.boxes.box(name)
        row = around.boxes[-1, box]
        inside = row[:3] + problem.boxes.halves[box] * corners @ row[3:].reshape(3, 3).T
        points, radii = np.concatenate([points, inside]), np.concatenate([radii, np.zeros(len(inside))])
    touched = np.zeros((len(points), len(others)), dtype=bool)
    mine = [problem.boxes.box(name) for name in hand.touches if name in problem.boxes.names]
    touched[:HAND_POINTS] = np.isin(others, mine)
    touched[HAND_POINTS:] = True  # what is carried is put onto something
    return sketch_bends(
        hand.path, points, radii, problem.boxes.halves[others], around.boxes[-1][others], touched, problem.clearance,
        hand.outwards,
    )  # fmt: skip
