"""What is solid around hands that go somewhere: the tables by which kernels judge clearances in each frame.

How near two solids may come is asked for by

    clearance = min(margin, at the start + SLOPE * way gone, at the end + SLOPE * way to go),

so that a hand may leave, and take hold of, what it touches. The margin is the task's clearance for things, less for the
table, over which hands glide, for the body itself, and for a hand and what it leaves or takes hold of.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from puppet.body import Body, joint_transforms
from puppet.geometry import Transform, Transforms
from puppet.kernels.loader import kernels
from puppet.kernels.solid_model import (
    CANDIDATE_COLUMNS,
    CONE,
    DISTANCE,
    GROUPS_APART,
    MOVES,
    PAIR_FIRST,
    PAIR_SLACK,
    PARTS,
    SECOND,
    SOLID_KIND,
    P,
    Q,
)
from puppet.motion.problem import HandCourse, Problem
from puppet.motion.solids import body_solids, group_starts, near_pairs, part_groups
from puppet.types import Flags, Floats, Ints

OUT_OF_SIGHT = 1e3
REACHABLE = 0.1  # how far beyond the reach of an arm, and the tower that it carries, solids may matter
CONTACT_DEPTH = 5e-4  # how much deeper a hand may be in what it takes hold of on its way there
# Of the clearance: the margins for the table, for the body's other parts, and for what a hand leaves or takes hold of.
TABLE_SHARE, BODY_SHARE, TOUCH_SHARE = 0.4, 0.3, 0.3
_KNOWN = 512  # pairs that are kept for a frame
HOLDS_WAY = 0.1  # that counts for an arm whose hand stays on a thing: a clearance that it misses is not made up at once


class Near:
    """Which pairs are near in each frame, as far as that is known, of all hands, and then of each alone, where what the
    others do is of no interest: see puppet.kernels.path_clearance."""

    def __init__(self, body: Body, solids: Floats, hands: Sequence[str], frames: int, joints: int) -> None:
        own, count = body_solids(body), 1 + len(hands)
        self.solids = np.repeat(solids[None], count, axis=0)
        for n, hand in enumerate(hands if len(hands) > 1 else (), 1):
            self.solids[n, own.hand_of != own.hands.index(hand), MOVES] = 0.0
        self.counts, self.known = np.full((count, frames), -1), np.empty((count, frames, _KNOWN, CANDIDATE_COLUMNS))
        self.world = np.empty((count, frames, joints, 12))


class Surroundings:
    """The solids of a problem. `apart_from` and clearances are (solids + boxes, solids + boxes)."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._last: tuple[Ints, tuple[HandCourse, ...], Floats, Floats, Floats] | None = None
        self.world = joint_transforms(problem.body, problem.references)  # (frames + 1, joints, 12)
        body = self.body = problem.body
        own = body_solids(body)
        self.solids = np.array(own.table)
        self.solids[:, MOVES] = _moving(body, problem.joints)
        self.joints = own.joints
        self.out = self._out_of_reach()
        self.places = {hand.hand: n for n, hand in enumerate(problem.hands)}
        self._boxes()
        self._touching()

    def _out_of_reach(self) -> NDArray[np.bool_]:
        """Solids that no moving arm can reach: they count for nothing."""
        body, joints, world = self.body, self.joints, self.world[[0, len(self.world) // 2, -1]]
        where, middles = _middles(body)
        rotations = world[:, where, 3:].reshape(len(world), -1, 3, 3)
        places = world[:, where, :3] + np.einsum("fnab,nb->fna", rotations, middles)
        places[:, joints < 0] = middles[joints < 0]
        near = np.zeros(len(joints), dtype=bool)
        for course in self.problem.hands:
            first, reach = _reach(body, course.hand)
            away = places - world[:, first : first + 1, :3]
            near |= (np.sqrt((away * away).sum(axis=2)) < reach).any(axis=0)
        return np.asarray(~near & (self.solids[:, MOVES] == 0.0))

    def _boxes(self) -> None:
        problem, body = self.problem, self.body
        rows = problem.boxes.cubes(problem.things)
        self.boxes = np.tile(rows, (problem.frames, 1, 1))  # (frames, boxes, 12); carried ones as the hand sees them
        self.carriers = np.full(len(rows), -1, dtype=np.int64)
        numbers = problem.frame + 1 + np.arange(problem.frames)
        self.in_hand: dict[str, list[str]] = {}
        for carrying in problem.carrying:
            joint = body.limb(carrying.hand).joints[-1]
            tip = Transforms.repeated(Transform.of(body.arrays.tips[joint]), problem.frames)
            for name, transforms in carrying.all_transforms(tip, numbers).items():
                box = problem.boxes.box(name)
                self.boxes[:, box], self.carriers[box] = transforms.rows, joint
                self.in_hand.setdefault(carrying.hand, []).append(name)

    def _touching(self) -> None:
        """Which solids may touch, and to which path and part of an arm each belongs."""
        problem, size = self.problem, len(self.joints)
        total, count = size + len(self.carriers), len(problem.hands)
        still = [n for n, carrier in enumerate(self.carriers.tolist(), size) if carrier < 0]
        apart, owners, parts = _belonging(self.body, tuple(self.places), total, tuple(still))
        self.apart_from, self.owners, self.parts = apart.copy(), owners.copy(), parts.copy()
        self.apart_from[:, np.flatnonzero(self.out)] = 1
        starts = _groups(self.body)
        self.apart_from[np.ix_(starts, starts[np.logical_and.reduceat(self.out, starts)])] = GROUPS_APART
        for course in problem.hands:
            own = self._own(course.hand)
            for name in (*self.in_hand.get(course.hand, ()), *((course.holds,) if course.holds else ())):
                box = size + problem.boxes.box(name)
                self.apart_from[own, box] = self.apart_from[box, own] = 1
        for hand, names in self.in_hand.items():
            held = np.array([size + problem.boxes.box(name) for name in names])
            self.apart_from[np.ix_(held, held)] = 1
            self.owners[held] = self.places.get(hand, count)
            self.parts[held] = PARTS * self.places[hand] + PARTS - 1 if hand in self.places else PARTS * count
            own = self._own(hand)
            self.apart_from[np.ix_(held, own)] = self.apart_from[np.ix_(own, held)] = 1
        self.may_touch = np.zeros((total, total), dtype=bool)
        for course in problem.hands:
            own = self._own(course.hand)
            for name in course.touches:
                if name in problem.boxes.names:
                    box = size + problem.boxes.box(name)
                    self.may_touch[own, box] = self.may_touch[box, own] = True

    def _own(self, hand: str) -> Ints:
        """The solids of a hand itself."""
        return _solids_of(self.body, hand)

    @cached_property
    def margins(self) -> Floats:
        found = _margins(len(self.joints), len(self.owners), self.problem.clearance).copy()
        found[self.may_touch] *= TOUCH_SHARE
        return found

    @cached_property
    def left_behind(self) -> Floats:
        """Clearances in the first posture."""
        found = np.full((len(self.owners), len(self.owners)), OUT_OF_SIGHT)
        a, b, distances = self._clearances(self.world[0], self.boxes[0])
        found[a, b] = found[b, a] = distances
        return found

    @cached_property
    def reached(self) -> Floats:
        """Clearances in the last posture; deeper than touching only where a hand may touch."""
        found = np.full((len(self.owners), len(self.owners)), OUT_OF_SIGHT)
        a, b, distances = self._last_pairs
        distances = np.where(self.may_touch[a, b], distances - CONTACT_DEPTH, np.maximum(distances, 0.0))
        found[a, b] = found[b, a] = distances
        return found

    @cached_property
    def _last_pairs(self) -> tuple[Ints, Ints, Floats]:
        return self._clearances(self.world[-1], self.boxes[-1])

    def _clearances(self, world: Floats, boxes: Floats) -> tuple[Ints, Ints, Floats]:
        """Pairs of solids and boxes that are near each other, and their distances."""
        pairs, _ = near_pairs(
            world[None], self.solids, self.problem.boxes.halves, boxes[None], self.carriers, self.apart_from,
            self.problem.clearance,
        )  # fmt: skip
        return pairs[:, PAIR_FIRST].astype(int), pairs[:, SECOND].astype(int), pairs[:, DISTANCE]

    def judge(
        self, world: Floats, frames: Ints, hands: tuple[HandCourse, ...], rows: Ints, looked_at: Flags | None = None,
        only: int | None = None, again: bool = True,
    ) -> tuple[Floats, Floats]:  # fmt: skip
        """For the transforms (n, joints, 12) of bodies in some frames: how much clearance each part of an arm misses,
        (n, PARTS * hands + 1), and how deep anything is, (n,). rows (n,): places among the frames. looked_at (n,):
        whether that is measured at all; elsewhere it is nothing. only: the hand whose arm is looked after, where what
        the others do is of no interest. again: whether others that are nearly there may be looked at later."""
        if looked_at is None:
            looked_at = np.ones(len(rows), dtype=bool)
        problem = self.problem
        if self._last is None or self._last[0] is not frames or self._last[1] is not hands:
            self._last = frames, hands, *self.ways(frames, hands), np.ascontiguousarray(self.boxes[frames])
        _, _, leaving, arriving, boxes = self._last  # the same for all tries of the same hands
        near, own = self.near, 0 if only is None or len(hands) == 1 else only + 1
        missing, depths = np.empty((len(rows), PARTS * len(hands) + 1)), np.empty(len(rows))
        kernels().frame_clearances(
            world, near.solids[own], problem.boxes.halves, boxes, self.carriers,
            self.apart_from, self.parts, self.owners, leaving, arriving, self.left_behind, self.reached, self.margins,
            problem.clearance, PAIR_SLACK if again else 0.0, looked_at, rows, frames, near.counts[own], near.known[own],
            near.world[own], missing, depths,
        )  # fmt: skip
        return missing, depths

    @cached_property
    def near(self) -> Near:
        hands = [hand.hand for hand in self.problem.hands]
        return Near(self.body, self.solids, hands, self.problem.frames, self.world.shape[1])

    def ways(self, rows: Ints, hands: tuple[HandCourse, ...]) -> tuple[Floats, Floats]:
        """The way that each hand has gone and still has to go in some frames, (rows, hands + 1) each."""
        leaving = np.full((len(rows), len(hands) + 1), OUT_OF_SIGHT)
        arriving = leaving.copy()
        for n, hand in enumerate(hands):
            shares, whole = hand.shares[np.minimum(rows, len(hand.shares) - 1)], HOLDS_WAY
            if hand.path is not None:
                whole = hand.path.length + 0.1 * hand.path.start.angle(hand.path.goal)
            leaving[:, n], arriving[:, n] = shares * whole, (1.0 - shares) * whole
        leaving[:, -1] = arriving[:, -1] = 0.0
        return leaving, arriving


# ---- what is the same for all problems of a body: not to be changed


@lru_cache(maxsize=64)
def _moving(body: Body, joints: frozenset[int]) -> NDArray[np.bool_]:
    """Which solids of arms move with joints that serve, or hang on such."""
    own, below = body_solids(body), body.model.below.astype(bool)
    moved = np.zeros(len(below), dtype=bool)
    for joint in joints:
        moved |= below[joint]
    return np.asarray((own.hand_of >= 0) & np.where(own.joints >= 0, moved[own.joints], False))


@lru_cache(maxsize=16)
def _middles(body: Body) -> tuple[Ints, Floats]:
    """The joint of each solid, the root for what stands still, and its middle in the coordinates of that."""
    solids, joints = body_solids(body).table, body_solids(body).joints
    first, other = solids[:, P : P + 3], solids[:, Q : Q + 3]
    middles = np.where(solids[:, SOLID_KIND : SOLID_KIND + 1] == CONE, 0.5 * (first + other), first)
    return np.where(joints >= 0, joints, 0), middles


@lru_cache(maxsize=16)
def _groups(body: Body) -> Ints:
    """The first solid of each group."""
    return group_starts(body_solids(body).table)


@lru_cache(maxsize=64)
def _reach(body: Body, hand: str) -> tuple[int, float]:
    """The first joint of an arm, and how far from it solids may matter."""
    limb = body.limb(hand).joints
    parts = [*body.arrays.offsets[list(limb[1:])], body.arrays.tips[limb[-1]]]
    return limb[0], float(sum(np.linalg.norm(part) for part in parts)) + REACHABLE


@lru_cache(maxsize=64)
def _solids_of(body: Body, hand: str) -> Ints:
    """The solids of a hand itself."""
    return np.flatnonzero(body_solids(body).joints == body.limb(hand).joints[-1])


@lru_cache(maxsize=64)
def _margins(size: int, total: int, clearance: float) -> Floats:
    """What clearances solids and boxes should have from each other where no hand takes hold of them."""
    margins = np.full((total, total), clearance)
    margins[:size, :size] = BODY_SHARE * clearance
    margins[size] = margins[:, size] = TABLE_SHARE * clearance  # the first box is the table
    return margins


@lru_cache(maxsize=64)
def _belonging(body: Body, hands: tuple[str, ...], total: int, still: tuple[int, ...]) -> tuple[Ints, Ints, Ints]:
    """Which of so many solids and boxes have nothing to do with each other, and to which of some hands, and part of its
    arm, each belongs. still: the boxes that nobody carries."""
    own = body_solids(body)
    size, count = len(own.joints), len(hands)
    apart = np.zeros((total, total), dtype=np.int64)
    apart[:size, :size] = own.apart_from
    apart[np.ix_(still, still)] = 1
    part_groups(own.table, apart)
    owners, parts = np.full(total, count, dtype=np.int64), np.full(total, PARTS * count, dtype=np.int64)
    for place, hand in enumerate(hands):
        if hand not in own.hands:
            continue
        limb = body.limb(hand).joints
        owners[:size][own.hand_of == own.hands.index(hand)] = place
        for k, joint in enumerate(limb):
            parts[:size][own.joints == joint] = PARTS * place + max(0, k - len(limb) + PARTS)
    return apart, owners, parts
