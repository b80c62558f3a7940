"""Ways of hands: past the table and the things on it, straight where a hand slides, carries or stays.

Joint by joint (Section 4.5) a hand goes wherever the angles take it. That is kept where nothing is in its way.
Otherwise its way is raised: the hand leaves upwards, goes across and comes down, and the arm is bent to follow. Hands
that carry, slide or stay where they are go along a straight line, so that a full cup stays level. The first and the
last frame never change, nor does any joint that is not the arm's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from puppet.body import Body, Floats, Ints
from puppet.compiled import kernels
from puppet.obstacles import (
    Things,
    hand_and_forearm,
    points_to_table,
    points_to_things,
    things_to_table,
    things_to_things,
)
from puppet.pose import Pose, Poses, blends
from puppet.posing import tip_way
from puppet.staging import Carrying, Staged, Tracking
from puppet.table import Table
from puppet.trajectory import Trajectory

TOUCH = 1e-3  # things this deep in each other touch
BARELY = 5e-4  # no other direction is tried for less than this
SAMPLES = 21  # frames in which a way is looked at
LIFTS = (0.02, 0.05, 0.09, 0.15)
SQUARES = (0.0, 0.25, 0.38)  # share of the time in which a hand only leaves or only arrives
UP = (0.0, 1.0, 0.0)
ASIDE = ((0.0, 0.6, -0.8), (0.8, 0.6, 0.0), (0.0, -0.8, -0.6))  # back, outwards (written for the left hand), down
ARC = 0.02  # how high a thing that changes its place is lifted on its way
RAMP = 0.25  # share of the time in which a way comes to its full clearance
# How well a way is kept, from the first that does: place, orientation and posture (see puppet.kernels.follow).
# The last word: whether each frame is found from the plain posture, or on from the frame before.
EXACT = (
    (np.array([1e-5, 1e-2, 3.0]), False),
    (np.array([1e-5, 0.1, 1.0]), False),
    (np.array([1e-5, 0.1, 1.0]), True),
    (np.array([1e-5, 0.3, 1.0]), True),
    (np.array([1e-5, 1.0, 1.0]), False),
    (np.array([1e-5, 1.0, 1.0]), True),
)
LOOSE = EXACT[4:]  # where only the place of a hand matters
HOPELESS = 10.0  # a way that is this far off is not made better by smoothing
SMOOTHING = (3, 5, 8, 12, 12, 8, 5, 3)  # frames
ON_WAY = 2e-3  # a hand this near is on its way
ENOUGH = 0.3  # share of the clearance that a way may lack
TILT, LEVEL = 0.02, 3.0  # a degree by which what is carried is tilted more than this is as bad as this distance
FOREARM = 0.2  # how much a forearm in a thing matters beside a hand in it


@dataclass(frozen=True, eq=False)
class Errand:
    """An arm that begins to move, and how it shall."""

    hand: str
    straight: bool
    clearance: float
    seek: Callable[[Floats, str, Pose], None]  # a posture for one hand and pose, put into the angles
    carrying: Carrying | None = None
    tracking: Tracking | None = None  # it stays on what another hand carries
    arc: float = 0.0
    moving: bool = False  # it has not come to rest before
    outwards: float = 1.0  # the side it is on


@dataclass(frozen=True, eq=False)
class Outlook:
    """What will be seen in the next frames, the present one included."""

    body: Body
    table: Table
    start: int
    steps: Ints  # (frames,), from the start
    angles: Floats  # (frames, dofs)
    staged: Staged
    carrying: tuple[Carrying, ...]

    def at(self, rows: Ints) -> Outlook:
        """Some of the frames."""
        return replace(self, steps=self.steps[rows], angles=self.angles[rows])

    def frames_of(self, angles: Floats) -> Floats:
        frames = np.empty((len(angles), len(self.body.joints), 12))
        kernels().forward(self.body.model.joints, angles, frames)
        return frames

    def things(self, frames: Floats) -> Things:
        """All things, those that hands carry where their hands will have them."""
        scene, poses = self.staged.scene, self.staged.poses
        names = tuple(entry.name for entry in scene.objects)
        halves = np.array([entry.width for entry in scene.objects])
        centres = np.tile(np.array([poses[n].position for n in names]).reshape(-1, 3), (len(frames), 1, 1))
        rotations = np.tile(np.array([poses[n].rotation for n in names]).reshape(-1, 3, 3), (len(frames), 1, 1, 1))
        place = {name: n for n, name in enumerate(names)}
        for carrying in self.carrying:
            way = tip_way(self.body, carrying.hand, frames)
            for name, carried in carrying.all_poses(way, self.start + self.steps).items():
                centres[:, place[name]], rotations[:, place[name]] = carried.positions, carried.rotations
        return Things(names, halves, centres, rotations)


@dataclass(frozen=True, eq=False)
class Shape:
    """How a way differs from the plain one: by how much it is moved aside, which way, and how square it is."""

    size: float = 0.0
    direction: tuple[float, float, float] = (0.0, 1.0, 0.0)
    leaves: float = 0.0  # share of the time in which the hand only leaves
    arrives: float = 0.0
    last: bool = False  # of those that go upwards


def clear_ways(
    body: Body,
    table: Table,
    staged: Staged,
    now: Floats,
    frame: int,
    trajectories: tuple[Trajectory, ...],
    carrying: tuple[Carrying, ...],
    errands: Iterable[Errand],
) -> tuple[tuple[Trajectory, ...], int]:
    """The trajectories with the ways of these arms cleared, and how many ways were tried for it."""
    tried = 0
    for errand in errands:
        dofs = np.array([3 * j + place for j in body.limb(errand.hand).joints for place in range(3)])
        place = next((n for n, t in enumerate(trajectories) if np.isin(dofs, t.dofs).all()), None)
        if place is None:
            continue
        own = trajectories[place]
        count = own.end - frame
        if count < 2:
            continue
        angles = np.tile(now, (count + 1, 1))
        for t in trajectories:
            last = min(t.end, frame + count) - t.start
            first = frame - t.start
            angles[1 : last - first + 1, t.dofs] = t.angles[first:last]
            angles[last - first + 1 :, t.dofs] = t.angles[-1]
        outlook = Outlook(body, table, frame, np.arange(count + 1), angles, staged, carrying)
        share = np.concatenate([[0.0], own.share[frame - own.start :]])
        found, tries = _best(outlook, errand, dofs, share)
        tried += tries
        if found is not None:
            changed = own.angles.copy()
            places = [int(np.flatnonzero(own.dofs == dof)[0]) for dof in dofs]
            changed[frame - own.start :, places] = found[1:]
            changed.flags.writeable = False
            trajectories = (*trajectories[:place], replace(own, angles=changed), *trajectories[place + 1 :])
    return trajectories, tried


def _best(outlook: Outlook, errand: Errand, dofs: Ints, share: Floats) -> tuple[Floats | None, int]:
    """The arm's angles, (frames, dofs of the arm), on the least way round, None where the plain way is good; and how
    many ways were tried.

    Ways are tried on some of the frames; the one that is taken is then made for all of them.
    """
    if errand.tracking:
        return _Search(outlook, errand, dofs, share, final=True).tracked(errand.tracking), 1
    few = np.unique(np.linspace(0, len(share) - 1, SAMPLES).astype(int)) if len(share) > SAMPLES else outlook.steps
    shape, straight, tried = _best_shape(outlook.at(few), errand, dofs, share[few])
    if shape is None:
        return None, tried
    return _Search(outlook, replace(errand, straight=straight), dofs, share, final=True).bent(shape), tried


def _best_shape(outlook: Outlook, errand: Errand, dofs: Ints, share: Floats) -> tuple[Shape | None, bool, int]:
    """The shape of the least way round, None where it is the plain one, whether it is to be straight, and how many were
    tried."""
    tried = 1
    search = _Search(outlook, errand, dofs, share)
    best_shape: Shape | None = None
    best = search.judge(outlook.angles[:, dofs])
    if errand.straight:
        shape, tried = Shape(errand.arc), 2
        judged = search.judge(search.bent(shape))
        if judged.good or judged.cost < best.cost:
            best_shape, best = shape, judged
        else:  # the arm cannot go straight without a jerk
            errand = replace(errand, straight=False)
            search = _Search(outlook, errand, dofs, share)
            best = search.judge(outlook.angles[:, dofs])
    if not best.good:
        for shape in _shapes(errand, best):
            tried += 1
            judged = search.judge(search.bent(shape))
            if judged.cost < best.cost - 1e-6:
                best_shape, best = shape, judged
            if judged.good or (best.hard <= BARELY and shape.last):
                break
    return best_shape, errand.straight, tried


def _shapes(errand: Errand, plain: _Judged) -> Iterator[Shape]:
    """Ways to be tried: first upwards, by more and more, rounder ones first; then to other sides."""
    leaves = plain.early and not errand.moving  # a hand that moves cannot wait first
    needed = plain.deepest if not errand.straight else 0.0
    for square in SQUARES[:1] if plain.hard <= 0.0 else SQUARES:
        for size in LIFTS:
            if square > 0.0 or size >= max(errand.arc, needed):  # moved by less than it is too deep no way is clear
                last = size == LIFTS[-1] and square == SQUARES[-1]
                yield Shape(size, UP, square if leaves else 0.0, square if plain.late else 0.0, last)
    if plain.hard > 0.0:
        for across, up, forwards in ASIDE:
            for size in LIFTS[1::2]:
                direction = (errand.outwards * across, up, forwards)
                yield Shape(size, direction, SQUARES[1] if leaves else 0.0, SQUARES[1] if plain.late else 0.0)


@dataclass(frozen=True)
class _Judged:
    """How bad a way is: how deep it goes into things, and how far it stays below its clearance."""

    hard: float
    soft: float
    enough: float  # what of the clearance may be missing
    deepest: float  # what is missing at most
    early: bool  # in its first half
    late: bool

    @property
    def good(self) -> bool:
        return self.hard <= 0.0 and self.soft <= self.enough

    @property
    def cost(self) -> float:
        return 100.0 * self.hard + self.soft


class _Search:
    """One arm's possible ways."""

    def __init__(self, outlook: Outlook, errand: Errand, dofs: Ints, share: Floats, final: bool = False) -> None:
        self.outlook, self.errand, self.dofs = outlook, errand, dofs
        body = outlook.body
        self.count = len(outlook.angles)
        self.time = outlook.steps / outlook.steps[-1]
        self.limb = np.array(body.limb(errand.hand).joints)
        self.frames = outlook.frames_of(outlook.angles)
        parent = body.joints[self.limb[0]].parent
        root = np.tile(np.concatenate([np.zeros(3), np.eye(3).ravel()]), (self.count, 1))
        self.bases = root if parent < 0 else np.ascontiguousarray(self.frames[:, parent])
        self.tips = tip_way(body, errand.hand, self.frames)
        self.share = share
        fixed = replace(outlook, carrying=tuple(c for c in outlook.carrying if c.hand != errand.hand))
        carried = frozenset(errand.carrying.objects) if errand.carrying else frozenset()
        self.others = fixed.things(self.frames).without(carried)
        self.smoothing = SMOOTHING if final else SMOOTHING[1:3]
        self.step = float(np.max(np.abs(np.diff(outlook.angles[:, dofs], axis=0)), initial=0.0))

    def bent(self, shape: Shape) -> Floats:
        """The arm's angles on a way of a shape."""
        plain = self.outlook.angles[:, self.dofs]
        when = self._warped(shape)
        bump = _bump(self.time, self.share, shape, self.errand.moving)
        low = np.minimum(when.astype(int), self.count - 2)
        part = (when - low)[:, None]
        references = plain[low] + part * (plain[low + 1] - plain[low])
        targets = self._way(when).rows
        targets[:, :3] += shape.size * bump[:, None] * np.array(shape.direction)
        return self._followed(targets, references, EXACT if self.errand.straight else LOOSE)[0]

    def tracked(self, tracking: Tracking) -> Floats:
        """The arm's angles with its hand on a thing that another one carries."""
        things = self.outlook.things(self.frames)
        place = things.names.index(tracking.object)
        way = Poses(things.centres[:, place], things.rotations[:, place])
        targets = tracking.all_poses(way, self.outlook.start + self.outlook.steps).rows
        best, least = self._followed(targets, self.outlook.angles[:, self.dofs], EXACT)
        if least > 0.0:  # the arm is in its own way: begin anew from postures for each frame on its own
            sought = self.outlook.angles.copy()
            for n in range(1, self.count - 1):
                self.errand.seek(sought[n], self.errand.hand, Pose(targets[n, :3], targets[n, 3:].reshape(3, 3)))
            angles, cost = self._followed(targets, sought[:, self.dofs], EXACT[-1:])
            best = angles if cost < least else best
        return best

    def _followed(
        self, targets: Floats, references: Floats, ways: Sequence[tuple[Floats, bool]]
    ) -> tuple[Floats, float]:
        """The angles that keep to the targets, in the first way that can be had without a jerk.

        Where there is none, the best one is smoothed over more and more frames and brought back onto the way.
        """
        best, least = self.outlook.angles[:, self.dofs], math.inf
        for sizes, anew in ways:
            angles, cost = self._follow(targets, references, sizes, anew)
            if cost < least:
                best, least = angles, cost
            if cost <= 0.0:
                return angles, cost
        for reach in self.smoothing if least < HOPELESS else ():
            angles, cost = self._follow(targets, _smoothed(angles, reach), *ways[-1])
            if cost < least:
                best, least = angles, cost
        return best, least

    def _follow(self, targets: Floats, references: Floats, sizes: Floats, anew: bool) -> tuple[Floats, float]:
        plain = self.outlook.angles[:, self.dofs]
        model = self.outlook.body.model
        angles, errors = np.empty_like(plain), np.empty((self.count, 2))
        kernels().follow(
            model.joints, model.dofs, self.limb, self.bases, targets, references, sizes, anew, angles, errors
        )
        angles[0], angles[-1] = plain[0], plain[-1]
        off = max(0.0, float(errors[1:-1, 0].max(initial=0.0)) - ON_WAY)
        return angles, 1000.0 * off + self._jerk(angles) + 4.0 * self._into_tracked(angles)

    def _into_tracked(self, arm: Floats) -> float:
        """How deep a hand is in the thing that it stays on."""
        if self.errand.tracking is None:
            return 0.0
        angles = self.outlook.angles.copy()
        angles[:, self.dofs] = arm
        frames = self.outlook.frames_of(angles)
        thing = self.outlook.things(frames).only(frozenset([self.errand.tracking.object]))
        gaps = points_to_things(hand_and_forearm(self.outlook.body, self.errand.hand, frames)[:, :1], thing)
        return max(0.0, -ON_WAY - float(gaps.min()))

    def _jerk(self, arm: Floats) -> float:
        """By how much the largest step of an angle is larger than the way asks for."""
        return max(0.0, float(np.max(np.abs(np.diff(arm, axis=0)), initial=0.0)) - 3.0 * self.step - 0.1)

    def judge(self, arm: Floats) -> _Judged:
        outlook, errand = self.outlook, self.errand
        angles = outlook.angles.copy()
        angles[:, self.dofs] = arm
        frames = outlook.frames_of(angles)
        points = hand_and_forearm(outlook.body, errand.hand, frames)
        gaps = points_to_things(points, self.others).transpose(0, 2, 1)
        table = points_to_table(points, outlook.table)
        gaps = np.concatenate([table, gaps.reshape(len(gaps), -1)], axis=1)  # hand and forearm by turns
        weights = np.where(np.arange(gaps.shape[1]) % 2 == 0, 1.0, FOREARM)
        tilted = 0.0
        if errand.carrying:
            only = replace(outlook, carrying=(errand.carrying,))
            carried = only.things(frames).only(frozenset(errand.carrying.objects))
            low, apart = things_to_table(carried, outlook.table), things_to_things(carried, self.others)
            gaps = np.concatenate([gaps, low[:, None], apart], axis=1)
            weights = np.concatenate([weights, np.ones(gaps.shape[1] - len(weights))])
            if errand.carrying.settles:
                level = np.degrees(np.arccos(np.clip(carried.rotations[:, 0, 1, 1], -1.0, 1.0)))
                tilted = TILT * max(0.0, float(level.max()) - LEVEL)
        allowed = np.minimum(-TOUCH, np.minimum(gaps[0], gaps[-1]) - 1e-4)
        into = np.maximum(allowed - gaps, 0.0)
        near = into
        if not errand.straight:
            ramp = np.clip(np.minimum(self.time, 1.0 - self.time) / RAMP, 0.0, 1.0)
            near = np.maximum(errand.clearance * ramp[:, None] - gaps, 0.0)
        worst = np.maximum(into, near).max(axis=1)
        middle = self.count // 2
        hard, soft = float((into.max(axis=0) * weights).max()), float((near.max(axis=0) * weights).max())
        deepest = float(np.maximum(into, near)[:, weights == 1.0].max())
        early, late = bool((worst[:middle] > 0.0).any()), bool((worst[middle:] > 0.0).any())
        return _Judged(hard, soft + self._jerk(arm) + tilted, ENOUGH * errand.clearance, deepest, early, late)

    def _warped(self, shape: Shape) -> Floats:
        """At which row of the plain way the hand is in each row."""
        span = 1.0 - shape.leaves - shape.arrives
        time = np.clip((self.time - shape.leaves) / span, 0.0, 1.0)
        return np.asarray(np.interp(time, self.time, np.arange(self.count)))

    def _way(self, when: Floats) -> Poses:
        """The hand's way that is to be bent, plain or straight, at rows that may lie between two."""
        if not self.errand.straight:
            return self.tips.at(when)
        share = np.interp(when, np.arange(self.count), self.share)
        carrying, numbers = self.errand.carrying, self.outlook.start + self.outlook.steps
        ends = self.tips.taken(np.array([0, self.count - 1]))
        if carrying:  # what is carried goes straight, and the hand with it
            ends = carrying.all_poses(self.tips, numbers)[carrying.objects[0]].taken(np.array([0, -1]))
        line = blends(Poses.same(ends[0], self.count), Poses.same(ends[1], self.count), share)
        if carrying:
            line = carrying.hands(line, numbers)
        if not self.errand.moving:
            return line
        time = np.minimum(2.0 * self.time, 1.0)  # it first goes on as it did
        return blends(self.tips.at(when), line, _smooth(time))


def _bump(time: Floats, share: Floats, shape: Shape, moving: bool) -> Floats:
    """How much of the full detour is made, frame by frame: nothing at both ends."""
    if shape.leaves == shape.arrives == 0.0 and not moving:
        return np.asarray(4.0 * share * (1.0 - share))
    rise = np.clip(time / (shape.leaves + 0.1 if shape.leaves else 0.5), 0.0, 1.0)
    fall = np.clip((1.0 - time) / (shape.arrives + 0.1 if shape.arrives else 0.5), 0.0, 1.0)
    return np.asarray(_smooth(rise) * _smooth(fall))


def _smoothed(angles: Floats, reach: int) -> Floats:
    """Each frame the mean of those up to `reach` before and after it; fewer near the ends, which stay."""
    found = angles.copy()
    sums = np.concatenate([np.zeros((1, angles.shape[1])), np.cumsum(angles, axis=0)])
    for n in range(len(angles)):
        wide = min(reach, n, len(angles) - 1 - n)
        found[n] = (sums[n + wide + 1] - sums[n - wide]) / (2 * wide + 1)
    return found


def _smooth(u: Floats) -> Floats:
    """Minimum jerk from 0 to 1."""
    return np.asarray(u * u * u * (10.0 - u * (15.0 - 6.0 * u)))

