"""The whole-body solver's kernel for recorded frames (puppet.kernels.figure_clip), with tasks put into its tables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.clip.deviation import DeviationSpline, Reference
from puppet.clip.planted import FootPath
from puppet.geometry import rotation_vectors, rotations_about
from puppet.kernels.figure_model import (
    AT,
    COUNTS,
    GIVING,
    LARGEST,
    LINK,
    MASS_CENTRE,
    MOBILITY,
    ORIENTATION,
    POSITION,
    PRIORITY,
    SOFT,
    TARGET,
    TARGET_TURN,
    TASK_COLUMNS,
    TASK_KIND,
)
from puppet.kernels.loader import kernels
from puppet.solver import figure_tables
from puppet.solver.task import FIRM, LARGEST_ANGLE, LARGEST_ERROR
from puppet.types import Flags, Floats, Ints

# Of the solver, at most: at a knot, first and when it is met anew, in a frame, and where a foot is off.
_STEPS, _STEPS_ANEW, LIMB_STEPS, _FOOT_STEPS = 6, 3, 3, 12
# Rounds in which what is found at the knots is smoothed, and tasks are met anew from there: first, and when shortened.
_SMOOTHINGS, _SMOOTHINGS_AGAIN = 2, 1
_SHORTENINGS, SHORTER = 2, 2e-3  # times that what is out of reach by more, in body heights, is asked for less, at most
_GIVING_WAY = 0.4  # how softly, at least, all is asked for where something is out of reach
_GIVING_BY_REACH = 100.0  # how softly, times the square of how far out of reach it is, in body heights or radians
SOFTEST = 100.0
_ROUNDS, MOST_ROUNDS = 3, 8  # in which the control points of a course are found: at least, and while they come nearer
NO_NEARER = 0.9  # what is missed of what was missed a round before, where it is of no use to go on
# Relative to their rows: how much drags give in the frames between knots, the turn of a root, and that of a look.
DRAG_GIVES, ROOT_TURN_GIVES, LOOK_GIVES = 0.005, 1.0, 10.0
_REST_SHARE = 0.05  # of their mobility that joints have which should not make up for small errors
_TOWARDS_REFERENCE = 0.1  # which part of the way to the recorded posture a step goes; all of it would overshoot
_CONTACT, DRAGGED, PINNED, _BESIDE = 1, 2, 3, 4  # priorities
ORIGIN = np.zeros(3)  # of a part: the middle of its joint
# By priority, 1 to 4: how much a task gives with gain 1, and by how much more for its error.
GIVING_BY_PRIORITY = (0.00002, 0.02, 0.1, 0.1)
USUAL_TURN, ROOT_TURN, ROOT_WAY = 0.7, 0.2, 0.05  # radians and body heights that joints without range, and roots, go
TURNING_GAIN = 0.2  # of the orientation of a foot that does not lie flat
NEAR_ENOUGH, TURNED_ENOUGH = 2e-4, 2e-3  # body heights and radians: what a task misses by no more can be had
_COMPLIANCE = 0.5  # how much a task with gain 1/2 gives, relative to its row, since many steps are taken
LOOSENING = 10.0  # gain 1 / 11 brings a part about half of the way
LEAST_GAIN = 1e-4  # below it a task is not asked for
NEARLY = 0.99  # of an edit's way: all of it
# Parts that are drawn beside what is asked for, and how much they give.
_DRAWN = (
    "hips", "chest", "head", "leftLowerArm", "rightLowerArm", "leftHand", "rightHand", "leftLowerLeg", "rightLowerLeg",
)  # fmt: skip
_BESIDE_GIVES, _BESIDE_BETWEEN = 0.05, 3.0
LEAST_SHARE = 0.2  # of an edit's way, at which it can be told how far it gets


def gain_of(share: Floats) -> Floats:
    """The gain with which a task brings a part about that share of the way from where it would be, 0 to 1: it has to be
    small to give way at all, since several steps are taken."""
    return np.asarray(share / (share + LOOSENING * (1.0 - share)))


@dataclass(frozen=True, eq=False)
class _Series:
    """One kind of task of one link, in some frames."""

    kind: int
    link: int
    rows: Floats  # (frames, columns) of the kernel's table
    at: Ints  # (frames,), ascending
    shares: Floats | None = None  # (frames,): how much of an edit's way these are, where it can be shortened
    foot: bool = False  # of a foot on its path, which comes before all else
    beside: bool = False  # of a part that nothing is asked of: what it misses is of no account
    gives: float = 0.0  # how much it gives in the frames between knots

    def within(self, frames: Ints) -> tuple[Ints, _Series]:
        """In which of some frames, ascending, it is asked for, and what there is of it there."""
        place = np.searchsorted(self.at, frames)
        inside = np.flatnonzero(self.at[np.minimum(place, len(self.at) - 1)] == frames)
        return inside, self._of(place[inside])

    def asked(self) -> _Series:
        """What there is of it where it is asked for at all."""
        return self._of(np.flatnonzero(self.rows[:, TASK_KIND] >= 0.0))

    def _of(self, own: Ints) -> _Series:
        shares = None if self.shares is None else self.shares[own]
        return replace(self, rows=self.rows[own], at=self.at[own], shares=shares)

    def missed(self, transforms: Floats) -> Floats:
        """By how much joints (frames, joints, 12) in its frames miss it, (frames, 3): ways or rotation vectors, beyond
        what counts as met."""
        rows = self.rows
        if self.kind == POSITION:
            return _beyond(self.away(transforms) * rows[:, COUNTS : COUNTS + 3], NEAR_ENOUGH)
        turned = transforms[:, self.link, 3:].reshape(-1, 3, 3)
        wanted = rows[:, TARGET_TURN:COUNTS].reshape(-1, 3, 3)
        return _beyond(rotation_vectors(turned @ wanted.transpose(0, 2, 1)), TURNED_ENOUGH)

    def away(self, transforms: Floats) -> Floats:
        """How far its point is from where it is asked to be, with joints (frames, joints, 12), (frames, 3)."""
        placed, rows = transforms[:, self.link], self.rows
        turned = placed[:, 3:].reshape(-1, 3, 3)
        places = placed[:, :3] + np.einsum("nab,nb->na", turned, rows[:, AT:TARGET])
        return np.asarray(places - rows[:, TARGET:TARGET_TURN])


class FrameTasks:
    """Tasks frame by frame."""

    def __init__(self, series: Iterable[_Series] = ()) -> None:
        self.series = list(series)
        self._inside: tuple[Ints, list[tuple[Ints, _Series]]] = np.empty(0, dtype=np.int64), []

    def position(
        self, frames: Ints, joint: int, point: Floats, targets: Floats, gains: Floats | float = 1.0, priority: int = 2,
        axes: tuple[float, float, float] = (1.0, 1.0, 1.0), shares: Floats | None = None, foot: bool = False,
    ) -> None:  # fmt: skip
        """A point of a joint's segment at targets (frames, 3); axes: which of them count. shares (frames,): how much of
        an edit's way these are, where it can be shortened. foot: it is one of a foot on its path."""
        rows = self._new(frames, POSITION, joint, gains, priority)
        rows[:, AT:TARGET], rows[:, TARGET:TARGET_TURN], rows[:, LARGEST] = point, targets, LARGEST_ERROR
        rows[:, COUNTS : COUNTS + 3] = axes
        self._add(_Series(POSITION, joint, rows, np.asarray(frames), shares, foot))

    def orientation(
        self, frames: Ints, joint: int, turns: Floats, gains: Floats | float = 1.0, priority: int = 2,
        foot: bool = False, gives: float = 0.0,
    ) -> None:  # fmt: skip
        """A joint's segment turned as in (frames, 3, 3). gives: how much it does so in the frames between knots; a root
        always does."""
        rows = self._new(frames, ORIENTATION, joint, gains, priority)
        rows[:, TARGET_TURN:COUNTS], rows[:, LARGEST] = turns.reshape(-1, 9), LARGEST_ANGLE
        gives = max(gives, ROOT_TURN_GIVES) if joint == 0 else gives
        self._add(_Series(ORIENTATION, joint, rows, np.asarray(frames), foot=foot, gives=gives))

    def mass_centre(self, frames: Ints, targets: Floats, priority: int = 1) -> None:
        """The centre of mass at targets (frames, 3)."""
        rows = self._new(frames, MASS_CENTRE, 0, 1.0, priority)
        rows[:, TARGET:TARGET_TURN], rows[:, LARGEST] = targets, LARGEST_ERROR
        self._add(_Series(MASS_CENTRE, 0, rows, np.asarray(frames)))

    def foot(self, frames: Ints, joint: int, path: FootPath, gains: Floats) -> None:
        """A foot on its path, with gains (all frames,): the point that it stands on above all, and turned as it is
        there as far as its joints can; while it lies flat, without fail."""
        places = path.pivot_places[frames]
        self.position(frames, joint, path.pivots[frames], places, gains[frames], _CONTACT, foot=True)
        turned, flat = path.transforms.rotations, path.flat[frames] >= 1.0
        shares = TURNING_GAIN / (TURNING_GAIN + (1.0 - TURNING_GAIN) * (1.0 - path.flat))
        for own, priority in ((frames[flat], _CONTACT), (frames[~flat], PINNED)):
            self.orientation(own, joint, turned[own], shares[own] * gains[own], priority, foot=True)
        nearly = frames[~flat & (path.flat[frames] > 0.0)]  # else it would be turned in one frame
        self.orientation(nearly, joint, turned[nearly], gain_of(path.flat[nearly]) * gains[nearly], _CONTACT, foot=True)

    def _new(self, frames: Ints, kind: int, joint: int, gains: Floats | float, priority: int) -> Floats:
        rows = np.zeros((len(frames), TASK_COLUMNS))
        share = np.clip(np.broadcast_to(np.asarray(gains, dtype=np.float64), len(frames)), LEAST_GAIN, 1.0)
        rows[:, TASK_KIND], rows[:, LINK], rows[:, PRIORITY] = kind, joint, priority
        rows[:, SOFT] = FIRM + _COMPLIANCE * (1.0 - share) / share
        rows[:, GIVING] = GIVING_BY_PRIORITY[priority - 1]
        rows[:, COUNTS : COUNTS + 3] = 1.0
        rows[:, TARGET_TURN:COUNTS] = np.eye(3).ravel()
        rows[np.broadcast_to(np.asarray(gains), len(frames)) < LEAST_GAIN, TASK_KIND] = -1.0
        return rows

    def _add(self, series: _Series) -> None:
        asked = series.asked()
        if len(asked.at):
            self.series.append(asked)

    def _within(self, frames: Ints) -> list[tuple[Ints, _Series]]:
        """Of each series, in which of some frames it is asked for, and what there is of it: once for the same ones."""
        if self._inside[0] is not frames or len(self._inside[1]) != len(self.series):
            self._inside = frames, [series.within(frames) for series in self.series]
        return self._inside[1]

    def packed(self, frames: Ints) -> tuple[Floats, Ints]:
        """The kernel's table for some frames, and where those of each frame begin."""
        inside = [here for _, here in self._within(frames)]
        at = np.concatenate([np.empty(0, dtype=np.int64), *(here.at for here in inside)]).astype(np.int64)
        rows = np.concatenate([np.empty((0, TASK_COLUMNS)), *(here.rows for here in inside)])
        order = np.argsort(at, kind="stable")
        at, rows = at[order], rows[order]
        return np.ascontiguousarray(rows), np.append(np.searchsorted(at, frames), len(at)).astype(np.int64)

    def missed(
        self, body: Body, knots: Ints, found: Floats, softness: float = math.inf
    ) -> tuple[list[Floats | None], float]:
        """By how much postures (knots, dofs) miss what is asked for there, for each series of tasks: (knots, 3), ways
        or rotation vectors; None for feet, which are to be on their paths whatever else is. What is asked for more
        softly than that may be missed. And the most that is missed."""
        result: list[Floats | None] = []
        transforms = joint_transforms(body, found)
        for asked, here in self._within(knots):
            if here.foot or here.kind == MASS_CENTRE:
                result.append(None)
                continue
            away = np.zeros((len(knots), 3))
            firm = (here.rows[:, SOFT] <= max(softness, FIRM)) & (not here.beside or math.isinf(softness))
            away[asked] = here.missed(transforms[asked]) * firm[:, None]
            result.append(away)
        return result, max((float(np.abs(away).max(initial=0.0)) for away in result if away is not None), default=0.0)

    def feet_off(self, body: Body, frames: Ints, found: Floats) -> Flags:
        """In which frames a foot is not where it stands, with postures (frames, dofs)."""
        result = np.zeros(len(frames), dtype=bool)
        transforms = joint_transforms(body, found)
        for asked, here in self._within(frames):
            if here.foot and here.kind == POSITION:
                result[asked] |= here.missed(transforms[asked]).any(axis=1) & (here.rows[:, SOFT] <= FIRM)
        return result

    def shortened(self, knots: Ints, missed: list[Floats | None]) -> FrameTasks | None:
        """The tasks with ways that end where their parts get in the knot where they miss most: what cannot be had is
        asked for less from the beginning, instead of coming to a stop at the edge of what can. None: nothing misses, or
        something else, which comes after it and may be in its way."""
        result, changed = [], False
        for series, away in zip(self.series, missed, strict=True):
            if series.shares is None and away is not None and np.abs(away).max(initial=0.0) > SHORTER:
                return None
        for series, away, (inside, _) in zip(self.series, missed, self._within(knots), strict=True):
            own = series
            if series.shares is not None and away is not None:
                there = series.shares[np.searchsorted(series.at, knots[inside])]
                lengths = np.linalg.norm(away[inside], axis=1) * (there > LEAST_SHARE)
                if len(inside) and lengths.max() > SHORTER:
                    worst = int(lengths.argmax())
                    rows, changed = np.array(series.rows), True
                    rows[:, TARGET:TARGET_TURN] += np.outer(series.shares / there[worst], away[inside[worst]])
                    own = replace(series, rows=rows)
            result.append(own)
        return FrameTasks(result) if changed else None

    def beside(self, joint: int, frames: Ints, places: Floats) -> None:
        """A joint that nothing is asked of, drawn softly to places (frames, 3)."""
        rows = self._new(frames, POSITION, joint, 1.0, _BESIDE)
        rows[:, TARGET:TARGET_TURN], rows[:, LARGEST], rows[:, SOFT] = places, LARGEST_ERROR, _BESIDE_GIVES
        self._add(_Series(POSITION, joint, rows, np.asarray(frames), gives=_BESIDE_BETWEEN, beside=True))

    def on_arcs(self, body: Body, course: DeviationSpline, postures: Floats) -> FrameTasks:
        """The tasks with drags on the ways that their parts go in postures (knots, dofs), turned and stretched to where
        they begin and where all of them is asked for, which stay as they are."""
        result, transforms = [], joint_transforms(body, postures)
        for series, (inside, here) in zip(self.series, self._within(course.knots), strict=True):
            own = series
            if here.shares is not None and here.shares.max(initial=0.0) > LEAST_SHARE:
                away = here.away(transforms[inside])
                full = np.flatnonzero(here.shares > NEARLY * here.shares.max())
                number = np.arange(len(inside))
                nearest = np.where(number <= full[0], full[0], full[-1])
                away -= (here.shares / here.shares[nearest])[:, None] * away[nearest]
                away[full[0] : full[-1] + 1] = 0.0
                whole = np.zeros((len(course.knots), 3))
                whole[inside] = away
                own = replace(series, rows=np.array(series.rows))
                own.rows[:, TARGET:TARGET_TURN] += course.at(series.at, course.through(whole))
            result.append(own)
        return FrameTasks(result)

    def in_part(self, part: float, frames: Ints, recorded: Floats) -> FrameTasks:
        """The tasks with that part of the ways of drags, and of what goes beside them, from where joints are recorded
        in frames: transforms (frames, joints, 12)."""
        result = []
        for series in self.series:
            own = series
            if series.shares is not None or series.beside:
                own = replace(series, rows=np.array(series.rows))
                away = series.away(recorded[np.searchsorted(frames, series.at)])
                own.rows[:, TARGET:TARGET_TURN] += (1.0 - part) * away
            result.append(own)
        return FrameTasks(result)

    def softened(self, softness: float) -> FrameTasks:
        """The tasks with all but those of feet asked for so softly at least: they give where a body would have to be
        bent to its limits, or in a hurry, to meet them."""
        result = []
        for series in self.series:
            rows = series.rows
            if not series.foot and softness > FIRM:
                rows = np.array(rows)
                rows[:, SOFT] = np.maximum(rows[:, SOFT], softness)
            result.append(replace(series, rows=rows))
        return FrameTasks(result)

    def relaxed(self, course: DeviationSpline, missed: list[Floats | None]) -> FrameTasks:
        """The tasks with what is missed at a course's knots taken from their targets, as a smooth course: what cannot
        be had is not asked for in the frames between, where it would come and go with the noise. Drags give a little
        there: the noise of a part, which comes out otherwise where it is dragged to, is not for the whole body to make
        up for. So does the turn of a root, since a recorded pelvis quivers, and what hangs on it does so the other way;
        and that of a look, which goes quickly with where the head is."""
        result = []
        for series, away in zip(self.series, missed, strict=True):
            rows = np.array(series.rows)
            dragged = rows[:, PRIORITY] == DRAGGED
            rows[dragged, SOFT] = np.maximum(rows[dragged, SOFT], DRAG_GIVES)
            rows[:, SOFT] = np.maximum(rows[:, SOFT], series.gives)
            if away is not None and series.kind == POSITION:
                rows[:, TARGET:TARGET_TURN] += course.at(series.at, away)
            elif away is not None:
                before = rows[:, TARGET_TURN:COUNTS].reshape(-1, 3, 3)
                turned = rotations_about(course.at(series.at, away)) @ before
                rows[:, TARGET_TURN:COUNTS] = turned.reshape(-1, 9)
            result.append(replace(series, rows=rows))
        return FrameTasks(result)

    @property
    def links(self) -> set[int]:
        """The joints that are asked for something."""
        return {series.link for series in self.series if series.kind != MASS_CENTRE}


def follow_in_frames(
    body: Body,
    references: Floats,
    packed: tuple[Floats, Ints],
    mobility: Floats,
    steps: int = _STEPS,
    anew: bool = False,
) -> Floats:
    """Postures (frames, dofs) of some frames of a clip, nearest to their references (frames, dofs) with their tasks,
    packed, met; mobility (velocities,): how readily each departs from its reference, 0: not at all. Each sets out from
    the one before, moved on as the references are; or anew from its reference, as the first one does."""
    model = figure_tables(body)
    velocities = model.velocities.copy()
    velocities[:, MOBILITY] = mobility_of(body)
    table, starts = packed
    angles, local = np.zeros(body.dofs), np.zeros((len(body.joints), 9))
    found = np.empty((len(references), body.dofs))
    compiled = kernels()
    compiled.figure_clip(
        compiled.stepper, model.joints, model.links, model.corners, velocities, model.chains, int(body.free_root),
        table, starts, np.ascontiguousarray(references), np.full(body.dofs, _TOWARDS_REFERENCE), mobility, int(anew),
        steps, angles, local, found,
    )  # fmt: skip
    return found


class SmoothFollowing:
    """Postures that meet their tasks, near the recorded ones of all frames of a course (all, dofs), with a smooth
    deviation from them: it is found at the course's knots, where it becomes the control points of a spline. Then the
    limbs alone make up for what is missing in each frame. cautious: the body with narrower ranges, for the knots: what
    is found there leaves room for what the frames need. steps, rest_share: of the solver in each frame, and of the
    mobility that joints outside the limbs have there.

    A recording's noise would come back amplified from the tasks of each frame: the feet's noise in the hands.
    """

    def __init__(
        self, body: Body, recorded: Floats, tasks: FrameTasks, course: DeviationSpline, serving: Iterable[int],
        cautious: Body | None = None, steps: int = LIMB_STEPS, rest_share: float = _REST_SHARE, yields: bool = True,
        curves: Floats | None = None, begun: Floats | None = None,
    ) -> None:  # fmt: skip
        self._body, self._recorded, self._tasks, self.course = body, recorded, tasks, course
        self._serving = tuple(sorted(serving))
        self._mobility = serving_mobility(body, self._serving)
        self._cautious, self._steps, self._rest_share = cautious or body, steps, rest_share
        self._yields = yields  # whether what is out of reach is asked for softly, the more so the farther it is
        self._there = Reference(body, recorded[course.knots - course.first], self._serving)
        self._curves = np.zeros((len(course.knots), 0)) if curves is None else curves[course.knots - course.first]
        self._ends = np.linalg.pinv(self._curves)
        self.softness = 0.0  # with which all but feet was asked for the last time
        self._given = begun  # postures at the knots to set out from, where there are any
        self._courses: dict[float, tuple[Floats, FrameTasks, float]] = {}  # by softness

    def postures(
        self, softness: float = 0.0, frames: Ints | None = None, arc: float = 0.0, part: float = 1.0
    ) -> Floats:
        """Of all frames, or of some, (frames, dofs). softness: how much all tasks but those of feet give. arc: by which
        part what is dragged goes as the joints lead it there by the edits' curves alone, in an arc, instead of straight
        on. part: how much of the ways of drags is asked for at all."""
        controls, tasks, self.softness = self._course(softness)
        frames, knots = self._all if frames is None else frames, self.course.knots
        if part < 1.0:
            controls = part * controls
            tasks = tasks.in_part(part, self._all, joint_transforms(self._body, self._recorded))
        if arc > 0.0:
            along = self.course.through(self._along(self.course.at(knots, controls)))
            controls = controls + arc * (along - controls)
            tasks = tasks.on_arcs(self._body, self.course, self._there.displaced(self.course.at(knots, controls)))
        if arc > 0.0 or part < 1.0:  # pins are met anew
            by = self.course.at(knots, controls)
            found = self._met(self._there.displaced(by), tasks.packed(knots))
            controls = controls + self._there.deviations(found) - by
        recorded = Reference(self._body, self._recorded[frames - self.course.first], self._serving)
        references = recorded.displaced(self.course.at(frames, controls))
        limbs = self._mobility * limb_shares(self._body, tasks, self._serving, self._rest_share)
        found = follow_in_frames(self._body, references, tasks.packed(frames), limbs, self._steps)
        slips = tasks.feet_off(self._body, frames, found)
        if slips.any():  # they come before all else
            packed = tasks.softened(_GIVING_WAY).packed(frames[slips])
            found[slips] = follow_in_frames(self._body, found[slips], packed, limbs, _FOOT_STEPS, anew=True)
        return found

    def drawn(self, curves: Floats, ways: Floats) -> SmoothFollowing:
        """The same with parts that nothing is asked of drawn softly to where the edits' curves lead them: curves and
        ways of all joints from their recorded places (frames, joints, 3), in all frames."""
        tasks = FrameTasks(self._tasks.series)
        recorded = joint_transforms(self._body, self._recorded)[:, :, :3]
        ends = np.linalg.pinv(curves)
        pins = {series.link for series in self._tasks.series if series.shares is None and not series.foot}
        held = self._tasks.links | _limbs_of(self._body, pins, self._serving)
        named = {part: self._body.joint(name) for name, part in self._body.humanoid.items()}
        for j in [named[part] for part in _DRAWN if part in named] or self._serving:
            if j not in held:
                tasks.beside(j, self._all[1:], (recorded[:, j] + curves @ (ends @ ways[:, j]))[1:])
        begun = self._there.displaced(self.course.at(self.course.knots, self._course(0.0)[0]))
        return SmoothFollowing(
            self._body, self._recorded, tasks, self.course, self._serving, self._cautious, self._steps,
            self._rest_share, self._yields, curves, begun,
        )  # fmt: skip

    @cached_property
    def _all(self) -> Ints:
        return np.arange(self.course.first, self.course.last + 1)

    def estimate(self) -> Floats:
        """About what is found in all frames, (frames, dofs): tasks are met at the knots, and once."""
        by = self._there.deviations(self._begun)
        frames = self._all
        return Reference(self._body, self._recorded, self._serving).displaced(self.course.at(frames, by))

    def _met(self, references: Floats, packed: tuple[Floats, Ints], anew: bool = True) -> Floats:
        steps = _STEPS_ANEW if anew else _STEPS
        return follow_in_frames(self._cautious, references, packed, self._mobility, steps, anew)

    @cached_property
    def _begun(self) -> Floats:
        """Postures at the knots (knots, dofs) that meet the tasks, one after the other."""
        packed = self._tasks.packed(self.course.knots)
        return self._met(self._there.postures, packed, anew=False) if self._given is None else self._given

    def _course(self, softness: float) -> tuple[Floats, FrameTasks, float]:
        """The control points of the deviation, the tasks in the frames, and how soft they are: found once."""
        if softness not in self._courses:
            found, tasks, given = self._smooth(softness)
            controls, missed = self._controls(found, tasks, given)
            self._courses[softness] = controls, tasks.relaxed(self.course, missed), given
        return self._courses[softness]

    def _smooth(self, softness: float) -> tuple[Floats, FrameTasks, float]:
        """Postures at the knots (knots, dofs) with smooth deviations; the tasks, shorter and softer where they are out
        of reach, and how soft they are."""
        knots, there = self.course.knots, self._there
        tasks = self._tasks.softened(softness)
        packed = tasks.packed(knots)
        rounds = _SMOOTHINGS
        found = self._begun if softness == 0.0 else self._met(there.postures, packed, anew=False)
        if softness == 0.0 and self._yields:
            _, worst = tasks.missed(self._body, knots, found, softness)
            giving = min(_GIVING_BY_REACH * worst**2, SOFTEST)
            if giving > _GIVING_WAY:
                softness, tasks = giving, tasks.softened(giving)
                packed = tasks.packed(knots)
                found = self._met(there.postures, packed, anew=False)
        for turn in range(1 + _SHORTENINGS):
            for _ in range(rounds):
                found = self._met(there.displaced(self._smoothed(there.deviations(found))), packed)
            missed, _ = tasks.missed(self._body, knots, found, softness)
            shorter = tasks.shortened(knots, missed) if turn < _SHORTENINGS else None
            if shorter is None:
                break
            softness = max(softness, _GIVING_WAY)
            tasks, rounds = shorter.softened(softness), _SMOOTHINGS_AGAIN
            packed = tasks.packed(knots)
        return found, tasks, softness

    def _smoothed(self, deviations: Floats) -> Floats:
        """Deviations (knots, dofs) with all smoothed that is not along the edits' curves."""
        along = self._along(deviations)
        return np.asarray(along + self.course.smoothed(deviations - along))

    def _along(self, deviations: Floats) -> Floats:
        """Deviations (knots, dofs) with each joint led by the edits' curves alone."""
        return np.asarray(self._curves @ (self._ends @ deviations))

    def _controls(self, found: Floats, tasks: FrameTasks, softness: float) -> tuple[Floats, list[Floats | None]]:
        """The control points of the deviation (knots, dofs) of postures near those found, and what they miss."""
        knots, there = self.course.knots, self._there
        packed = tasks.packed(knots)
        controls, worst = there.deviations(found), math.inf
        for turn in range(MOST_ROUNDS):
            by = self.course.at(knots, controls)
            found = self._met(there.displaced(by), packed)
            controls += there.deviations(found) - by
            before = worst
            _, worst = tasks.missed(self._body, knots, found, softness)
            if turn + 1 >= _ROUNDS and (worst == 0.0 or worst > NO_NEARER * before):
                break
        return controls, tasks.missed(self._body, knots, found)[0]


def _beyond(vectors: Floats, length: float) -> Floats:
    """Vectors (n, 3), shorter by a length, or none."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors * np.maximum(0.0, 1.0 - length / np.maximum(lengths, 1e-12)))


def limb_shares(body: Body, tasks: FrameTasks, serving: Iterable[int], rest_share: float) -> Floats:
    """Which velocities may make up for small errors, (velocities,): those of the limbs that tasks are asked of, up to
    where they branch off; all others by a share."""
    near = _limbs_of(body, tasks.links, serving)
    found = np.full(body.dofs, rest_share)
    found[body.dofs_of(sorted(near))] = 1.0
    if body.free_root:  # it would turn all that hangs on it
        found[list(body.rotation_dofs[0])] = rest_share
    return found


def _limbs_of(body: Body, links: Iterable[int], serving: Iterable[int]) -> set[int]:
    """Links, and the joints that they hang on up to where limbs branch off."""
    joints = with_joints_above(body, serving)
    children = [sum(1 for other in joints if body.joints[other].parent == j) for j in range(len(body.joints))]
    near: set[int] = set()
    for j in links:
        while j >= 0:
            near.add(j)
            j = body.joints[j].parent
            if j >= 0 and children[j] > 1:
                break
    return near


def with_joints_above(body: Body, joints: Iterable[int]) -> set[int]:
    """Joints, and all those that they hang on."""
    found: set[int] = set()
    for j in joints:
        while j >= 0:
            found.add(j)
            j = body.joints[j].parent
    return found


def serving_mobility(body: Body, serving: Iterable[int]) -> Floats:
    """As mobility_of, 0 for joints that do not serve."""
    own = np.zeros(body.dofs)
    own[body.dofs_of(sorted(serving))] = 1.0
    return np.asarray(mobility_of(body) * own)


@lru_cache(maxsize=8)
def mobility_of(body: Body) -> Floats:
    """How readily each velocity departs from a recorded posture, (velocities,): as the square of how far its joint can
    be turned. So a bow is shared by hips, knees and spine as they can, and no joint is bent to its limits alone."""
    found = np.full(body.dofs, USUAL_TURN**2)
    found[body.translation_dofs] = ROOT_WAY**2
    for j, joint in enumerate(body.joints):
        dofs = list(body.rotation_dofs[j])
        if j == 0 and body.free_root:
            found[dofs] = ROOT_TURN**2
        elif joint.range is not None:
            swings = np.array([entry.swing for entry in joint.range.edge])
            low, high = np.array([entry.twist for entry in joint.range.edge]).mean(axis=0)
            across = float(np.ptp(swings, axis=0).mean()) / 2.0
            found[dofs] = ((2.0 * across + 0.5 * float(high - low)) / 3.0) ** 2
        elif not joint.is_ball:
            for dof, rotation in zip(dofs, joint.rotations, strict=True):
                found[dof] = min(0.5 * (rotation.upper - rotation.lower), math.pi / 2.0) ** 2
    found.flags.writeable = False
    return found
