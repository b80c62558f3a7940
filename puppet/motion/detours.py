"""Paths of hands: around the table and the things on it, straight where a hand slides, carries or stays.

When each joint is interpolated by itself (Section 4.5), the hand goes wherever the angles take it. Where that plain
path is clear it is kept. Otherwise the hand makes a detour: it leaves upwards, goes across and comes down, and the arm
is bent to follow. Hands that carry, slide or stay where they are follow a straight line, so that a full cup stays
level. The first and the last frame never change, nor does any joint outside the arm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from puppet.body import Body, joint_transforms, tip_path
from puppet.geometry import Transform, Transforms, interpolate_rows
from puppet.motion.carrying import Carrying, StagedScene, Tracking
from puppet.motion.curves import minimum_jerk
from puppet.motion.obstacles import Obstacles, Things, Verdict
from puppet.motion.path_following import follow
from puppet.motion.trajectory import Trajectory
from puppet.scene import Table
from puppet.types import Floats, Ints

BARELY = 5e-4  # a path that penetrates things by less than this is not improved by other directions
BETTER = 1e-6  # a path must cost less by more than this to replace another
SAMPLES = 21  # frames in which a path is checked while detours are tried
DETOUR_SIZES = (0.02, 0.05, 0.09, 0.15)
SQUARES = (0.0, 0.3)  # share of the time in which a hand only leaves or only arrives
UP = (0.0, 1.0, 0.0)
ASIDE = ((0.0, 0.6, -0.8), (0.8, 0.6, 0.0), (0.0, -0.8, -0.6))  # back, outwards (written for the left hand), down
CARRY_ARC = 0.02  # how high a thing is lifted on its path to another place
RAMP = 0.25  # share of the time in which a path comes to its full clearance
# How closely an arm follows a path; the first row that works is taken (see puppet.motion.path_following). Columns:
# tolerances of position, orientation and posture; 1 if each frame is solved from the plain posture, 0 if from the frame
# before.
EXACT_TOLERANCES = np.array([
    [1e-5, 1e-2, 3.0, 0.0],
    [1e-5, 0.1, 1.0, 0.0],
    [1e-5, 0.1, 1.0, 1.0],
    [1e-5, 0.3, 1.0, 1.0],
    [1e-5, 1.0, 1.0, 0.0],
    [1e-5, 1.0, 1.0, 1.0],
])  # fmt: skip
PLACE_TOLERANCES = EXACT_TOLERANCES[4:]  # where only the position of a hand matters
SKETCH_TOLERANCES = EXACT_TOLERANCES[[0, 4, 5]]  # where the straight path of an empty hand is only tried
SMOOTHING = np.array([3, 5, 8, 12, 12, 8, 5, 3])  # frames
JERK_FACTOR, JERK_STEP = 3.0, 0.1  # an angle jerks if it steps by more than this many plain steps plus this, radians
SHORTFALL = 0.3  # share of the clearance that may be missing
TILT_COST, LEVEL = 0.02, 3.0  # cost, as a distance, of each degree by which a carried thing tilts more than this


@dataclass(frozen=True, eq=False)
class ArmMove:
    """An arm that begins to move, and what is asked of its path."""

    hand: str
    straight: bool
    clearance: float
    seek: Callable[[Floats, str, Transform], None]  # solves for one hand and writes the arm into the angles
    carrying: Carrying | None = None
    tracking: Tracking | None = None  # it stays on what another hand carries
    arc: float = 0.0
    moving: bool = False  # it is still in motion from the task before
    outwards: float = 1.0  # the side of the body that it is on: 1 for +x, -1 for -x


@dataclass(frozen=True, eq=False)
class Forecast:
    """Postures and things in the next frames, beginning with the present one."""

    body: Body
    table: Table
    start: int
    steps: Ints  # (frames,), from the start
    angles: Floats  # (frames, dofs)
    staged: StagedScene
    carrying: tuple[Carrying, ...]

    def at(self, rows: Ints) -> Forecast:
        """Some of the frames."""
        return replace(self, steps=self.steps[rows], angles=self.angles[rows])

    def transforms_of(self, angles: Floats) -> Floats:
        return joint_transforms(self.body, angles)

    def things(self, transforms: Floats) -> Things:
        """All things in every frame; carried ones go with their hands."""
        objects, placed = self.staged.scene.objects, self.staged.transforms
        names = tuple(entry.name for entry in objects)
        rows = np.empty((len(transforms), len(names), 12))
        for n, name in enumerate(names):
            rows[:, n, :3], rows[:, n, 3:] = placed[name].position, placed[name].rotation.ravel()
        for carrying in self.carrying:
            path = tip_path(self.body, carrying.hand, transforms)
            for name, carried in carrying.all_transforms(path, self.start + self.steps).items():
                rows[:, names.index(name)] = carried.rows
        return Things(names, np.array([entry.width for entry in objects]), rows)

    def carried(self, carrying: Carrying | None) -> Things:
        """What a hand carries, in the hand's coordinates."""
        numbers = self.start + self.steps
        if carrying is None:
            return Things((), np.empty(0), np.empty((len(numbers), 0, 12)))
        paths = carrying.all_transforms(Transforms.repeated(Transform.of((0.0, 0.0, 0.0)), len(numbers)), numbers)
        half_widths = np.array([self.staged.scene.object(name).width for name in paths])
        return Things(tuple(paths), half_widths, np.stack([path.rows for path in paths.values()], axis=1))


@dataclass(frozen=True, eq=False)
class Detour:
    """How a path differs from the plain one: how far and in which direction it is displaced, and how square it is."""

    size: float = 0.0
    direction: tuple[float, float, float] = (0.0, 1.0, 0.0)
    leaves: float = 0.0  # share of the time in which the hand only leaves
    arrives: float = 0.0
    last: bool = False  # whether it is the last of the upward ones


def clear_paths(
    body: Body,
    table: Table,
    staged: StagedScene,
    now: Floats,
    frame: int,
    trajectories: tuple[Trajectory, ...],
    carrying: tuple[Carrying, ...],
    moves: Iterable[ArmMove],
) -> tuple[tuple[Trajectory, ...], int]:
    """The trajectories with these arms led around obstacles, and how many paths were tried."""
    tried = 0
    for move in moves:
        dofs = body.dofs_of(body.limb(move.hand).joints)
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
        forecast = Forecast(body, table, frame, np.arange(count + 1), angles, staged, carrying)
        share = np.concatenate([[0.0], own.share[frame - own.start :]])
        found, tries = _best_path(forecast, move, dofs, share)
        tried += tries
        if found is not None:
            changed = own.angles.copy()
            places = [int(np.flatnonzero(own.dofs == dof)[0]) for dof in dofs]
            changed[frame - own.start :, places] = found[1:]
            changed.flags.writeable = False
            trajectories = (*trajectories[:place], replace(own, angles=changed), *trajectories[place + 1 :])
    return trajectories, tried


def _best_path(forecast: Forecast, move: ArmMove, dofs: Ints, share: Floats) -> tuple[Floats | None, int]:
    """The arm's angles, (frames, dofs of the arm), on the smallest detour, None where the plain path is good; and how
    many paths were tried.

    Detours are tried on a sample of the frames. The chosen one is then checked in all frames; if that shows a collision
    between the samples, the search goes on with all frames.
    """
    if move.tracking:
        return _Search(forecast, move, dofs, share, final=True).tracked(move.tracking), 1
    sampled = np.unique(np.linspace(0, len(share) - 1, SAMPLES).astype(int)) if len(share) > SAMPLES else forecast.steps
    sketch = _sketch_path(forecast.at(sampled), move, dofs, share[sampled])
    full = _Search(forecast, replace(move, straight=sketch.straight), dofs, share, final=True)
    angles = None if sketch.detour is None else full.bent(sketch.detour)
    best = full.judge(full.plain if angles is None else angles)
    tried = sketch.tried
    if best.penetration > sketch.rating.penetration + BARELY:
        for detour in sketch.others or _candidates(full.move, best):
            tried += 1
            other = full.bent(detour)
            rating = full.judge(other)
            if rating.cost < best.cost - BETTER:
                angles, best = other, rating
            if best.penetration <= BARELY:
                break
    return angles, tried


@dataclass(frozen=True, eq=False)
class _Sketch:
    """The result of a search on a sample of the frames."""

    detour: Detour | None  # None where it is the plain path
    rating: _Rating
    straight: bool
    others: Iterator[Detour] | None  # not tried yet; None where none was needed
    tried: int


def _sketch_path(forecast: Forecast, move: ArmMove, dofs: Ints, share: Floats) -> _Sketch:
    """The smallest detour that is clear in the sampled frames."""
    tried = 1
    search = _Search(forecast, move, dofs, share)
    best_detour: Detour | None = None
    best = search.judge(search.plain)
    if move.straight:
        detour, tried = Detour(move.arc), 2
        rating = search.judge(search.bent(detour))
        if rating.good or rating.cost < best.cost:
            best_detour, best = detour, rating
        else:  # the arm cannot go straight without a jerk
            move = replace(move, straight=False)
            search = _Search(forecast, move, dofs, share)
            best = search.judge(search.plain)
    if best.good:
        return _Sketch(best_detour, best, move.straight, None, tried)
    others = _candidates(move, best)
    for detour in others:
        tried += 1
        rating = search.judge(search.bent(detour))
        if rating.cost < best.cost - BETTER:
            best_detour, best = detour, rating
        if rating.good or (best.penetration <= BARELY and detour.last):
            break
    return _Sketch(best_detour, best, move.straight, others, tried)


def _candidates(move: ArmMove, plain: _Rating) -> Iterator[Detour]:
    """Detours in the order in which they are tried: upwards, higher and higher, round before square; then sideways."""
    leaves = plain.verdict.early and not move.moving  # a hand that moves cannot wait first
    arrives = plain.verdict.late
    needed = plain.verdict.hand_shortfall if not move.straight else 0.0
    for square in SQUARES[:1] if plain.penetration <= 0.0 else SQUARES:
        for size in DETOUR_SIZES:
            if square > 0.0 or size >= max(move.arc, needed):  # a smaller one cannot be clear
                last = size == DETOUR_SIZES[-1] and square == SQUARES[-1]
                yield Detour(size, UP, square if leaves else 0.0, square if arrives else 0.0, last)
    if plain.penetration > 0.0:
        for across, up, forwards in ASIDE:
            for size in DETOUR_SIZES[1::2]:
                direction = (move.outwards * across, up, forwards)
                yield Detour(size, direction, SQUARES[1] if leaves else 0.0, SQUARES[1] if arrives else 0.0)


@dataclass(frozen=True)
class _Rating:
    """How bad a path is."""

    verdict: Verdict
    soft: float  # what is wrong apart from penetration
    tolerance: float  # of `soft`

    @property
    def penetration(self) -> float:
        return self.verdict.penetration

    @property
    def good(self) -> bool:
        return self.penetration <= 0.0 and self.soft <= self.tolerance

    @property
    def cost(self) -> float:
        return 100.0 * self.penetration + self.soft


class _Search:
    """Tries and rates paths of one arm."""

    def __init__(self, forecast: Forecast, move: ArmMove, dofs: Ints, share: Floats, final: bool = False) -> None:
        self.forecast, self.move = forecast, move
        body = forecast.body
        self.count = len(forecast.angles)
        self.time = forecast.steps / forecast.steps[-1]
        self.plain = np.ascontiguousarray(forecast.angles[:, dofs])
        self.dofs = dofs
        transforms = forecast.transforms_of(forecast.angles)
        parent = body.joints[body.limb(move.hand).joints[0]].parent
        root = np.tile(np.concatenate([np.zeros(3), np.eye(3).ravel()]), (self.count, 1))
        self.bases = root if parent < 0 else np.ascontiguousarray(transforms[:, parent])
        self.hand_path = tip_path(body, move.hand, transforms)
        self.share = share
        fixed = replace(forecast, carrying=tuple(c for c in forecast.carrying if c.hand != move.hand))
        self.things, carried = fixed.things(transforms), forecast.carried(move.carrying)
        others = self.things.without(frozenset(carried.names))
        self.obstacles = Obstacles(body, move.hand, self.bases, forecast.table, others, carried)
        touched = frozenset([move.tracking.object]) if move.tracking else frozenset()
        self.touched = self.things.only(touched)  # what the hand stays on
        ramp = np.clip(np.minimum(self.time, 1.0 - self.time) / RAMP, 0.0, 1.0)
        self.wanted = np.full(self.count, -math.inf) if move.straight else move.clearance * ramp
        self.smoothing = SMOOTHING if final else SMOOTHING[1:3]
        straight = EXACT_TOLERANCES if final or move.carrying else SKETCH_TOLERANCES
        self.tolerances = straight if move.straight else PLACE_TOLERANCES
        plain_step = float(np.abs(self.plain[1:] - self.plain[:-1]).max(initial=0.0))
        self.largest_step = JERK_FACTOR * plain_step + JERK_STEP
        self._cache: dict[tuple[float, float], tuple[Floats, Floats, Floats]] = {}

    def bent(self, detour: Detour) -> Floats:
        """The arm's angles on a detour."""
        targets, references, displaced = self._undisplaced(detour)
        targets = targets.copy()
        targets[:, :3] += detour.size * displaced[:, None] * np.array(detour.direction)
        return self._followed(targets, references, self.tolerances)[0]

    def _undisplaced(self, detour: Detour) -> tuple[Floats, Floats, Floats]:
        """What equally square detours have in common: the hand's path before it is displaced, the arm's plain angles
        there, and the share of the displacement in each frame."""
        key = detour.leaves, detour.arrives
        if key not in self._cache:
            when = self._warped(detour)
            low = np.minimum(when.astype(int), self.count - 2)
            part = (when - low)[:, None]
            references = self.plain[low] + part * (self.plain[low + 1] - self.plain[low])
            references[-1] = self.plain[-1]  # to the bit
            displaced = _detour_share(self.time, self.share, detour, self.move.moving)
            self._cache[key] = self._base_path(when).rows, references, displaced
        return self._cache[key]

    def tracked(self, tracking: Tracking) -> Floats:
        """The arm's angles while its hand stays on a thing that another hand carries."""
        path = self.things.path_of(tracking.object)
        targets = tracking.all_transforms(path, self.forecast.start + self.forecast.steps).rows
        best, least = self._followed(targets, self.plain, EXACT_TOLERANCES)
        if least > 0.0:  # the arm blocks itself: start again from a posture found for each frame separately
            sought = self.forecast.angles.copy()
            for n in range(1, self.count - 1):
                self.move.seek(sought[n], self.move.hand, Transform(targets[n, :3], targets[n, 3:].reshape(3, 3)))
            angles, cost = self._followed(targets, np.ascontiguousarray(sought[:, self.dofs]), EXACT_TOLERANCES[-1:])
            best = angles if cost < least else best
        return best

    def _followed(self, targets: Floats, references: Floats, tolerances: Floats) -> tuple[Floats, float]:
        """The angles that follow the targets without a jerk, and by how much they fail."""
        return follow(
            self.forecast.body, self.move.hand, self.bases, targets, references, tolerances, self.smoothing,
            self.largest_step, ends=True, touched=self.touched,
        )  # fmt: skip

    def judge(self, arm: Floats) -> _Rating:
        verdict = self.obstacles.judge(arm, self.wanted)
        soft = verdict.shortfall + max(0.0, verdict.step - self.largest_step)
        if self.move.carrying and self.move.carrying.settles:
            soft += TILT_COST * max(0.0, verdict.tilt - LEVEL)
        return _Rating(verdict, soft, SHORTFALL * self.move.clearance)

    def _warped(self, detour: Detour) -> Floats:
        """For each frame, the row of the plain path at which the hand is."""
        span = 1.0 - detour.leaves - detour.arrives
        time = np.clip((self.time - detour.leaves) / span, 0.0, 1.0)
        return np.asarray(np.interp(time, self.time, np.arange(self.count)))

    def _base_path(self, when: Floats) -> Transforms:
        """The hand's path before it is displaced, plain or straight, at rows that may lie between two."""
        if not self.move.straight:
            return self.hand_path.at(when) if np.any(when % 1.0) else self.hand_path.taken(when.astype(int))
        share = np.interp(when, np.arange(self.count), self.share)
        carrying, numbers = self.move.carrying, self.forecast.start + self.forecast.steps
        ends = self.hand_path.taken(np.array([0, self.count - 1]))
        if carrying:  # what is carried goes straight, and the hand with it
            ends = carrying.all_transforms(self.hand_path, numbers)[carrying.objects[0]].taken(np.array([0, -1]))
        first, last = (Transforms.repeated(end, self.count) for end in (ends[0], ends[1]))
        line = interpolate_rows(first, last, share)
        if carrying:
            line = carrying.hand_transforms(line, numbers)
        if not self.move.moving:
            return line
        time = np.minimum(2.0 * self.time, 1.0)  # it leaves its present course gradually
        return interpolate_rows(self.hand_path.at(when), line, minimum_jerk(time))


def _detour_share(time: Floats, share: Floats, detour: Detour, moving: bool) -> Floats:
    """The share of the full displacement in each frame, 0 at both ends."""
    if detour.leaves == detour.arrives == 0.0 and not moving:
        return np.asarray(4.0 * share * (1.0 - share))
    rise = np.clip(time / (detour.leaves + 0.1 if detour.leaves else 0.5), 0.0, 1.0)
    fall = np.clip((1.0 - time) / (detour.arrives + 0.1 if detour.arrives else 0.5), 0.0, 1.0)
    return np.asarray(minimum_jerk(rise) * minimum_jerk(fall))

