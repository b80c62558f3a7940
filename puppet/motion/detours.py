"""Ways of hands: past the table and the things on it, straight where a hand slides, carries or stays.

Joint by joint (Section 4.5) a hand goes wherever the angles take it. That is kept where nothing is in its way.
Otherwise its way is raised: the hand leaves upwards, goes across and comes down, and the arm is bent to follow. Hands
that carry, slide or stay where they are go along a straight line, so that a full cup stays level. The first and the
last frame never change, nor does any joint that is not the arm's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from puppet.body import Body, joint_transforms, tip_path
from puppet.geometry import Transform, Transforms, interpolate_all
from puppet.motion.carrying import Carrying, Staged, Tracking
from puppet.motion.obstacles import Obstacles, Things, Verdict
from puppet.motion.path_following import follow
from puppet.motion.trajectory import Trajectory
from puppet.scene import Table
from puppet.types import Floats, Ints

BARELY = 5e-4  # no other direction is tried for less than this
SAMPLES = 21  # frames in which a way is looked at
LIFTS = (0.02, 0.05, 0.09, 0.15)
SQUARES = (0.0, 0.3)  # share of the time in which a hand only leaves or only arrives
UP = (0.0, 1.0, 0.0)
ASIDE = ((0.0, 0.6, -0.8), (0.8, 0.6, 0.0), (0.0, -0.8, -0.6))  # back, outwards (written for the left hand), down
ARC = 0.02  # how high a thing that changes its place is lifted on its way
RAMP = 0.25  # share of the time in which a way comes to its full clearance
# How well a way is kept, from the first that does: place, orientation and posture; then 1 where each frame is found
# from the plain posture, 0 where it goes on from the frame before (see puppet.motion.path_following).
EXACT = np.array([
    [1e-5, 1e-2, 3.0, 0.0],
    [1e-5, 0.1, 1.0, 0.0],
    [1e-5, 0.1, 1.0, 1.0],
    [1e-5, 0.3, 1.0, 1.0],
    [1e-5, 1.0, 1.0, 0.0],
    [1e-5, 1.0, 1.0, 1.0],
])  # fmt: skip
LOOSE = EXACT[4:]  # where only the place of a hand matters
SKETCHED = EXACT[[0, 4, 5]]  # where the straight way of an empty hand is only tried
SMOOTHING = np.array([3, 5, 8, 12, 12, 8, 5, 3])  # frames
CALM = (3.0, 0.1)  # an angle's step that is larger than so many of the plain way's, and this, is a jerk
ENOUGH = 0.3  # share of the clearance that a way may lack
TILT, LEVEL = 0.02, 3.0  # a degree by which what is carried is tilted more than this is as bad as this distance


@dataclass(frozen=True, eq=False)
class ArmMove:
    """An arm that begins to move, and how it shall."""

    hand: str
    straight: bool
    clearance: float
    seek: Callable[[Floats, str, Transform], None]  # a posture for one hand and pose, put into the angles
    carrying: Carrying | None = None
    tracking: Tracking | None = None  # it stays on what another hand carries
    arc: float = 0.0
    moving: bool = False  # it has not come to rest before
    outwards: float = 1.0  # the side it is on


@dataclass(frozen=True, eq=False)
class Forecast:
    """What will be seen in the next frames, the present one included."""

    body: Body
    table: Table
    start: int
    steps: Ints  # (frames,), from the start
    angles: Floats  # (frames, dofs)
    staged: Staged
    carrying: tuple[Carrying, ...]

    def at(self, rows: Ints) -> Forecast:
        """Some of the frames."""
        return replace(self, steps=self.steps[rows], angles=self.angles[rows])

    def frames_of(self, angles: Floats) -> Floats:
        return joint_transforms(self.body, angles)

    def things(self, frames: Floats) -> Things:
        """All things, those that hands carry where their hands will have them."""
        objects, poses = self.staged.scene.objects, self.staged.poses
        names = tuple(entry.name for entry in objects)
        rows = np.empty((len(frames), len(names), 12))
        for n, name in enumerate(names):
            rows[:, n, :3], rows[:, n, 3:] = poses[name].position, poses[name].rotation.ravel()
        for carrying in self.carrying:
            way = tip_path(self.body, carrying.hand, frames)
            for name, carried in carrying.all_poses(way, self.start + self.steps).items():
                rows[:, names.index(name)] = carried.rows
        return Things(names, np.array([entry.width for entry in objects]), rows)

    def carried(self, carrying: Carrying | None) -> Things:
        """What a hand carries, in its own frame."""
        numbers = self.start + self.steps
        if carrying is None:
            return Things((), np.empty(0), np.empty((len(numbers), 0, 12)))
        ways = carrying.all_poses(Transforms.same(Transform.of((0.0, 0.0, 0.0)), len(numbers)), numbers)
        halves = np.array([self.staged.scene.object(name).width for name in ways])
        return Things(tuple(ways), halves, np.stack([way.rows for way in ways.values()], axis=1))


@dataclass(frozen=True, eq=False)
class Detour:
    """How a way differs from the plain one: by how much it is moved aside, which way, and how square it is."""

    size: float = 0.0
    direction: tuple[float, float, float] = (0.0, 1.0, 0.0)
    leaves: float = 0.0  # share of the time in which the hand only leaves
    arrives: float = 0.0
    last: bool = False  # of those that go upwards


def clear_paths(
    body: Body,
    table: Table,
    staged: Staged,
    now: Floats,
    frame: int,
    trajectories: tuple[Trajectory, ...],
    carrying: tuple[Carrying, ...],
    errands: Iterable[ArmMove],
) -> tuple[tuple[Trajectory, ...], int]:
    """The trajectories with the ways of these arms cleared, and how many ways were tried for it."""
    tried = 0
    for errand in errands:
        dofs = body.dofs_of(body.limb(errand.hand).joints)
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
        outlook = Forecast(body, table, frame, np.arange(count + 1), angles, staged, carrying)
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


def _best(outlook: Forecast, errand: ArmMove, dofs: Ints, share: Floats) -> tuple[Floats | None, int]:
    """The arm's angles, (frames, dofs of the arm), on the least way round, None where the plain way is good; and how
    many ways were tried.

    Ways are tried on some of the frames; the one that is taken is then made for all of them. Where something shows that
    was between those frames, the search goes on with all of them.
    """
    if errand.tracking:
        return _Search(outlook, errand, dofs, share, final=True).tracked(errand.tracking), 1
    few = np.unique(np.linspace(0, len(share) - 1, SAMPLES).astype(int)) if len(share) > SAMPLES else outlook.steps
    sketch = _sketched(outlook.at(few), errand, dofs, share[few])
    whole = _Search(outlook, replace(errand, straight=sketch.straight), dofs, share, final=True)
    angles = None if sketch.shape is None else whole.bent(sketch.shape)
    best = whole.judge(whole.plain if angles is None else angles)
    tried = sketch.tried
    if best.hard > sketch.judged.hard + BARELY:
        for shape in sketch.others or _detours(whole.errand, best):
            tried += 1
            other = whole.bent(shape)
            judged = whole.judge(other)
            if judged.cost < best.cost - 1e-6:
                angles, best = other, judged
            if best.hard <= BARELY:
                break
    return angles, tried


@dataclass(frozen=True, eq=False)
class _Sketch:
    """What a search on some of the frames has found."""

    shape: Detour | None  # None where it is the plain way
    judged: _Judged
    straight: bool
    others: Iterator[Detour] | None  # not tried yet; None where none was needed
    tried: int


def _sketched(outlook: Forecast, errand: ArmMove, dofs: Ints, share: Floats) -> _Sketch:
    """The least way round."""
    tried = 1
    search = _Search(outlook, errand, dofs, share)
    best_shape: Detour | None = None
    best = search.judge(search.plain)
    if errand.straight:
        shape, tried = Detour(errand.arc), 2
        judged = search.judge(search.bent(shape))
        if judged.good or judged.cost < best.cost:
            best_shape, best = shape, judged
        else:  # the arm cannot go straight without a jerk
            errand = replace(errand, straight=False)
            search = _Search(outlook, errand, dofs, share)
            best = search.judge(search.plain)
    if best.good:
        return _Sketch(best_shape, best, errand.straight, None, tried)
    others = _detours(errand, best)
    for shape in others:
        tried += 1
        judged = search.judge(search.bent(shape))
        if judged.cost < best.cost - 1e-6:
            best_shape, best = shape, judged
        if judged.good or (best.hard <= BARELY and shape.last):
            break
    return _Sketch(best_shape, best, errand.straight, others, tried)


def _detours(errand: ArmMove, plain: _Judged) -> Iterator[Detour]:
    """Ways to be tried: first upwards, by more and more, rounder ones first; then to other sides."""
    leaves = plain.verdict.early and not errand.moving  # a hand that moves cannot wait first
    arrives = plain.verdict.late
    needed = plain.verdict.shortest if not errand.straight else 0.0
    for square in SQUARES[:1] if plain.hard <= 0.0 else SQUARES:
        for size in LIFTS:
            if square > 0.0 or size >= max(errand.arc, needed):  # moved by less than it is too deep no way is clear
                last = size == LIFTS[-1] and square == SQUARES[-1]
                yield Detour(size, UP, square if leaves else 0.0, square if arrives else 0.0, last)
    if plain.hard > 0.0:
        for across, up, forwards in ASIDE:
            for size in LIFTS[1::2]:
                direction = (errand.outwards * across, up, forwards)
                yield Detour(size, direction, SQUARES[1] if leaves else 0.0, SQUARES[1] if arrives else 0.0)


@dataclass(frozen=True)
class _Judged:
    """How bad a way is."""

    verdict: Verdict
    soft: float  # what is wrong beside going into things
    enough: float  # what of the clearance may be missing

    @property
    def hard(self) -> float:
        return self.verdict.deep

    @property
    def good(self) -> bool:
        return self.hard <= 0.0 and self.soft <= self.enough

    @property
    def cost(self) -> float:
        return 100.0 * self.hard + self.soft


class _Search:
    """One arm's possible ways."""

    def __init__(self, outlook: Forecast, errand: ArmMove, dofs: Ints, share: Floats, final: bool = False) -> None:
        self.outlook, self.errand = outlook, errand
        body = outlook.body
        self.count = len(outlook.angles)
        self.time = outlook.steps / outlook.steps[-1]
        self.plain = np.ascontiguousarray(outlook.angles[:, dofs])
        self.dofs = dofs
        frames = outlook.frames_of(outlook.angles)
        parent = body.joints[body.limb(errand.hand).joints[0]].parent
        root = np.tile(np.concatenate([np.zeros(3), np.eye(3).ravel()]), (self.count, 1))
        self.bases = root if parent < 0 else np.ascontiguousarray(frames[:, parent])
        self.tips = tip_path(body, errand.hand, frames)
        self.share = share
        fixed = replace(outlook, carrying=tuple(c for c in outlook.carrying if c.hand != errand.hand))
        self.things, carried = fixed.things(frames), outlook.carried(errand.carrying)
        others = self.things.without(frozenset(carried.names))
        self.obstacles = Obstacles(body, errand.hand, self.bases, outlook.table, others, carried)
        kept = frozenset([errand.tracking.object]) if errand.tracking else frozenset()
        self.kept = self.things.only(kept)  # what the hand stays on
        ramp = np.clip(np.minimum(self.time, 1.0 - self.time) / RAMP, 0.0, 1.0)
        self.wanted = np.full(self.count, -math.inf) if errand.straight else errand.clearance * ramp
        self.smoothing = SMOOTHING if final else SMOOTHING[1:3]
        self.ways = LOOSE if not errand.straight else EXACT if final or errand.carrying else SKETCHED
        self.calm = CALM[0] * float(np.abs(self.plain[1:] - self.plain[:-1]).max(initial=0.0)) + CALM[1]
        self._courses: dict[tuple[float, float], tuple[Floats, Floats, Floats]] = {}

    def bent(self, shape: Detour) -> Floats:
        """The arm's angles on a way of a shape."""
        targets, references, bump = self._course(shape)
        targets = targets.copy()
        targets[:, :3] += shape.size * bump[:, None] * np.array(shape.direction)
        return self._followed(targets, references, self.ways)[0]

    def _course(self, shape: Detour) -> tuple[Floats, Floats, Floats]:
        """What ways of a shape have in common, whatever their size: where the hand would be without a detour, the arm's
        plain angles there, and how much of the detour is made."""
        key = shape.leaves, shape.arrives
        if key not in self._courses:
            when = self._warped(shape)
            low = np.minimum(when.astype(int), self.count - 2)
            part = (when - low)[:, None]
            references = self.plain[low] + part * (self.plain[low + 1] - self.plain[low])
            references[-1] = self.plain[-1]  # to the bit
            bump = _bump(self.time, self.share, shape, self.errand.moving)
            self._courses[key] = self._way(when).rows, references, bump
        return self._courses[key]

    def tracked(self, tracking: Tracking) -> Floats:
        """The arm's angles with its hand on a thing that another one carries."""
        way = self.things.way_of(tracking.object)
        targets = tracking.all_poses(way, self.outlook.start + self.outlook.steps).rows
        best, least = self._followed(targets, self.plain, EXACT)
        if least > 0.0:  # the arm is in its own way: begin anew from postures for each frame on its own
            sought = self.outlook.angles.copy()
            for n in range(1, self.count - 1):
                self.errand.seek(sought[n], self.errand.hand, Transform(targets[n, :3], targets[n, 3:].reshape(3, 3)))
            angles, cost = self._followed(targets, np.ascontiguousarray(sought[:, self.dofs]), EXACT[-1:])
            best = angles if cost < least else best
        return best

    def _followed(self, targets: Floats, references: Floats, ways: Floats) -> tuple[Floats, float]:
        """The angles that keep to the targets without a jerk, and how far they fail."""
        return follow(
            self.outlook.body, self.errand.hand, self.bases, targets, references, ways, self.smoothing, self.calm,
            ends=True, kept=self.kept,
        )  # fmt: skip

    def judge(self, arm: Floats) -> _Judged:
        verdict = self.obstacles.judge(arm, self.wanted)
        soft = verdict.short + max(0.0, verdict.step - self.calm)
        if self.errand.carrying and self.errand.carrying.settles:
            soft += TILT * max(0.0, verdict.tilt - LEVEL)
        return _Judged(verdict, soft, ENOUGH * self.errand.clearance)

    def _warped(self, shape: Detour) -> Floats:
        """At which row of the plain way the hand is in each row."""
        span = 1.0 - shape.leaves - shape.arrives
        time = np.clip((self.time - shape.leaves) / span, 0.0, 1.0)
        return np.asarray(np.interp(time, self.time, np.arange(self.count)))

    def _way(self, when: Floats) -> Transforms:
        """The hand's way that is to be bent, plain or straight, at rows that may lie between two."""
        if not self.errand.straight:
            return self.tips.at(when) if np.any(when % 1.0) else self.tips.taken(when.astype(int))
        share = np.interp(when, np.arange(self.count), self.share)
        carrying, numbers = self.errand.carrying, self.outlook.start + self.outlook.steps
        ends = self.tips.taken(np.array([0, self.count - 1]))
        if carrying:  # what is carried goes straight, and the hand with it
            ends = carrying.all_poses(self.tips, numbers)[carrying.objects[0]].taken(np.array([0, -1]))
        line = interpolate_all(Transforms.same(ends[0], self.count), Transforms.same(ends[1], self.count), share)
        if carrying:
            line = carrying.hands(line, numbers)
        if not self.errand.moving:
            return line
        time = np.minimum(2.0 * self.time, 1.0)  # it first goes on as it did
        return interpolate_all(self.tips.at(when), line, _smooth(time))


def _bump(time: Floats, share: Floats, shape: Detour, moving: bool) -> Floats:
    """How much of the full detour is made, frame by frame: nothing at both ends."""
    if shape.leaves == shape.arrives == 0.0 and not moving:
        return np.asarray(4.0 * share * (1.0 - share))
    rise = np.clip(time / (shape.leaves + 0.1 if shape.leaves else 0.5), 0.0, 1.0)
    fall = np.clip((1.0 - time) / (shape.arrives + 0.1 if shape.arrives else 0.5), 0.0, 1.0)
    return np.asarray(_smooth(rise) * _smooth(fall))


def _smooth(u: Floats) -> Floats:
    """Minimum jerk from 0 to 1."""
    return np.asarray(u * u * u * (10.0 - u * (15.0 - 6.0 * u)))

