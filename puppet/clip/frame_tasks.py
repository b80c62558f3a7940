"""What is asked of a figure frame by frame, put into the tables of the whole-body solver's kernel."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.clip.deviation import DeviationSpline
from puppet.clip.planted import FootPath
from puppet.clip.task_rows import PackedTasks, TaskSeries
from puppet.geometry import rotation_vectors, rotations_about
from puppet.kernels.figure_model import (
    AT,
    COUNTS,
    GIVING,
    LARGEST,
    LINK,
    MASS_CENTRE,
    ORIENTATION,
    POSITION,
    PRIORITY,
    SOFT,
    TARGET,
    TARGET_TURN,
    TASK_COLUMNS,
    TASK_KIND,
)
from puppet.solver.task import FIRM, LARGEST_ANGLE, LARGEST_ERROR
from puppet.types import Flags, Floats, Ints

SHORTER = 2e-3  # body heights: what is out of reach by more is asked for less
# Relative to their rows: how much drags give in the frames between knots, the turn of a root, and that of a look.
DRAG_GIVES, ROOT_TURN_GIVES, LOOK_GIVES = 0.005, 1.0, 10.0
_CONTACT, DRAGGED, PINNED, _BESIDE = 1, 2, 3, 4  # priorities
ORIGIN = np.zeros(3)  # of a part: the middle of its joint
# By priority, 1 to 4: how much a task gives with gain 1, and by how much more for its error.
_GIVING_BY_PRIORITY = np.array([0.0, 0.00002, 0.02, 0.1, 0.1])
_UNTURNED = np.eye(3).ravel()
TURNING_GAIN = 0.2  # of the orientation of a foot that does not lie flat
_COMPLIANCE = 0.5  # how much a task with gain 1/2 gives, relative to its row, since many steps are taken
LOOSENING = 10.0  # gain 1 / 11 brings a part about half of the way
LEAST_GAIN = 1e-4  # below it a task is not asked for
NEARLY = 0.99  # of an edit's way: all of it
LEAST_SHARE = 0.2  # of an edit's way, at which it can be told how far it gets
_BESIDE_GIVES, _BESIDE_BETWEEN = 0.05, 3.0  # how much what is drawn beside gives: at knots, and in the frames between


def gain_of(share: Floats) -> Floats:
    """The gain with which a task brings a part about that share of the way from where it would be, 0 to 1: it has to be
    small to give way at all, since several steps are taken."""
    return np.asarray(share / (share + LOOSENING * (1.0 - share)))


_NO_TASKS = PackedTasks(np.empty((0, TASK_COLUMNS)), *(np.empty(0, dtype=np.int64) for _ in range(4)))


class FrameTasks:
    """Tasks frame by frame."""

    def __init__(self, series: Iterable[TaskSeries] = ()) -> None:
        self.series = list(series)
        self._inside: tuple[Ints, list[tuple[Ints, TaskSeries]]] = np.empty(0, dtype=np.int64), []
        self._packed: tuple[object, PackedTasks] = None, _NO_TASKS

    def position(
        self, frames: Ints, joint: int, point: Floats, targets: Floats, gains: Floats | float = 1.0, priority: int = 2,
        axes: tuple[float, float, float] = (1.0, 1.0, 1.0), shares: Floats | None = None, foot: bool = False,
        whole: bool = False,
    ) -> None:  # fmt: skip
        """A point of a joint's segment at targets (frames, 3); axes: which of them count. shares (frames,): how much of
        an edit's way these are, where it can be shortened. foot: it is one of a foot on its path."""
        if not len(frames):
            return
        rows = self._new(frames, POSITION, joint, gains, priority)
        rows[:, AT:TARGET], rows[:, TARGET:TARGET_TURN], rows[:, LARGEST] = point, targets, LARGEST_ERROR
        rows[:, COUNTS : COUNTS + 3] = axes
        self._add(TaskSeries(POSITION, joint, rows, np.asarray(frames), shares, foot, whole=whole))

    def orientation(
        self, frames: Ints, joint: int, turns: Floats, gains: Floats | float = 1.0, priority: Ints | int = 2,
        foot: bool = False, gives: float = 0.0, between: bool = True, whole: bool = False,
    ) -> None:  # fmt: skip
        """A joint's segment turned as in (frames, 3, 3). gives: how much it does so in the frames between knots; a root
        always does. between: whether it is asked for there at all."""
        if not len(frames):
            return
        rows = self._new(frames, ORIENTATION, joint, gains, priority)
        rows[:, TARGET_TURN:COUNTS], rows[:, LARGEST] = turns.reshape(-1, 9), LARGEST_ANGLE
        gives = max(gives, ROOT_TURN_GIVES) if joint == 0 else gives
        self._add(TaskSeries(ORIENTATION, joint, rows, np.asarray(frames), foot=foot, gives=gives, between=between,
                          whole=whole))  # fmt: skip

    def mass_centre(self, frames: Ints, targets: Floats, priority: int = 1) -> None:
        """The centre of mass at targets (frames, 3)."""
        rows = self._new(frames, MASS_CENTRE, 0, 1.0, priority)
        rows[:, TARGET:TARGET_TURN], rows[:, LARGEST] = targets, LARGEST_ERROR
        self._add(TaskSeries(MASS_CENTRE, 0, rows, np.asarray(frames)))

    def foot(self, frames: Ints, joint: int, path: FootPath, gains: Floats, knots_apart: int = 0) -> None:
        """A foot on its path, with gains (all frames,): the point that it stands on above all, and turned as it is
        there as far as its joints can; while it lies flat, without fail, and so at the knots that are no farther apart
        from that: else what is between two knots would leap where it begins to be."""
        places = path.pivot_places[frames]
        self.position(frames, joint, path.pivots[frames], places, gains[frames], _CONTACT, foot=True)
        turned, flat = path.transforms.rotations, path.flat[frames] >= 1.0
        shares = TURNING_GAIN / (TURNING_GAIN + (1.0 - TURNING_GAIN) * (1.0 - path.flat))
        priorities = np.where(flat, _CONTACT, PINNED)
        self.orientation(frames, joint, turned[frames], shares[frames] * gains[frames], priorities, foot=True)
        nearly = frames[~flat & (path.flat[frames] > 0.0)]  # else it would be turned in one frame
        self.orientation(nearly, joint, turned[nearly], gain_of(path.flat[nearly]) * gains[nearly], _CONTACT, foot=True)
        lying = np.flatnonzero(path.flat >= 1.0)
        if knots_apart and len(lying):
            place = np.searchsorted(lying, nearly)
            after, before = lying[np.minimum(place, len(lying) - 1)], lying[np.maximum(place - 1, 0)]
            beside = nearly[np.minimum(np.abs(after - nearly), np.abs(nearly - before)) <= knots_apart]
            self.orientation(beside, joint, turned[beside], gains[beside], _CONTACT, foot=True, between=False)

    def _new(self, frames: Ints, kind: int, joint: int, gains: Floats | float, priority: Ints | int) -> Floats:
        rows, gain = np.zeros((len(frames), TASK_COLUMNS)), np.asarray(gains, dtype=np.float64)
        share = np.minimum(np.maximum(gain, LEAST_GAIN), 1.0)
        rows[:, TASK_KIND] = np.where(gain < LEAST_GAIN, -1.0, kind)
        rows[:, LINK], rows[:, PRIORITY] = joint, priority
        rows[:, SOFT] = FIRM + _COMPLIANCE * (1.0 - share) / share
        rows[:, GIVING] = _GIVING_BY_PRIORITY[priority]
        rows[:, COUNTS : COUNTS + 3] = 1.0
        rows[:, TARGET_TURN:COUNTS] = _UNTURNED
        return rows

    def _add(self, series: TaskSeries) -> None:
        asked = series.asked()
        if len(asked.at):
            self.series.append(asked)

    def _within(self, frames: Ints) -> list[tuple[Ints, TaskSeries]]:
        """Of each series, in which of some frames it is asked for, and what there is of it: once for the same ones."""
        if self._inside[0] is not frames or len(self._inside[1]) != len(self.series):
            self._inside = frames, [series.within(frames) for series in self.series]
        return self._inside[1]

    def packed(self, frames: Ints) -> PackedTasks:
        """The kernel's table for some frames: once for the same ones."""
        inside = self._within(frames)
        if self._packed[0] is not inside:
            self._packed = inside, self._table([here for _, here in inside], frames)
        return self._packed[1]

    def _table(self, inside: list[TaskSeries], frames: Ints) -> PackedTasks:
        at = np.concatenate([np.empty(0, dtype=np.int64), *(here.at for here in inside)])
        rows = np.concatenate([np.empty((0, TASK_COLUMNS)), *(here.rows for here in inside)])
        counts = np.repeat([not (here.foot or here.beside) for here in inside], [len(here.at) for here in inside])
        order = np.argsort(at, kind="stable")
        at, rows, counts = at[order], np.ascontiguousarray(rows[order]), counts[order].astype(bool)
        starts = np.append(np.searchsorted(at, frames), len(at)).astype(np.int64)
        places, turns = (np.flatnonzero(counts & (rows[:, TASK_KIND] == kind)) for kind in (POSITION, ORIENTATION))
        return PackedTasks(rows, starts, np.searchsorted(frames, at), places, turns)

    def missed(self, body: Body, knots: Ints, found: Floats, softness: float = math.inf) -> list[Floats | None]:
        """By how much postures (knots, dofs) miss what is asked for there, for each series of tasks: (knots, 3), ways
        or rotation vectors; None for feet, which are to be on their paths whatever else is. What is asked for more
        softly than that may be missed."""
        result: list[Floats | None] = []
        transforms = joint_transforms(body, found)
        for asked, here in self._within(knots):
            if here.foot or here.kind == MASS_CENTRE or (here.beside and math.isfinite(softness)):
                result.append(None)
                continue
            away = np.zeros((len(knots), 3))
            firm = here.rows[:, SOFT] <= max(softness, FIRM)
            away[asked] = here.missed(transforms[asked]) * firm[:, None]
            result.append(away)
        return result

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
        self._add(TaskSeries(POSITION, joint, rows, np.asarray(frames), gives=_BESIDE_BETWEEN, beside=True))

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
        """The tasks with that part of all ways and turns from where joints are recorded in frames, transforms (frames,
        joints, 12), but those of feet and of what stays on its path."""
        result = []
        for series in self.series:
            own = series
            if not (series.foot or series.whole):
                own = replace(series, rows=np.array(series.rows))
                there = recorded[np.searchsorted(frames, series.at)]
                if series.kind == POSITION:
                    own.rows[:, TARGET:TARGET_TURN] += (1.0 - part) * series.away(there)
                else:
                    wanted = series.rows[:, TARGET_TURN:COUNTS].reshape(-1, 3, 3)
                    back = rotation_vectors(there[:, series.link, 3:].reshape(-1, 3, 3) @ wanted.transpose(0, 2, 1))
                    own.rows[:, TARGET_TURN:COUNTS] = (rotations_about((1.0 - part) * back) @ wanted).reshape(-1, 9)
            result.append(own)
        return FrameTasks(result)

    def softened(self, softness: float) -> FrameTasks:
        """The tasks with all but those of feet asked for so softly at least: they give where a body would have to be
        bent to its limits, or in a hurry, to meet them."""
        if softness <= FIRM:
            return self
        result = []
        for series in self.series:
            own = series
            if not series.foot:
                own = replace(series, rows=np.array(series.rows))
                own.rows[:, SOFT] = np.maximum(own.rows[:, SOFT], softness)
            result.append(own)
        return FrameTasks(result)

    def relaxed(self, course: DeviationSpline, missed: list[Floats | None]) -> FrameTasks:
        """The tasks with what is missed at a course's knots taken from their targets, as a smooth course: what cannot
        be had is not asked for in the frames between, where it would come and go with the noise. Drags give a little
        there: the noise of a part, which comes out otherwise where it is dragged to, is not for the whole body to make
        up for. So does the turn of a root, since a recorded pelvis quivers, and what hangs on it does so the other way;
        and that of a look, which goes quickly with where the head is."""
        result = []
        for series, away in zip(self.series, missed, strict=True):
            if not series.between:
                continue
            rows = np.array(series.rows)
            dragged = rows[:, PRIORITY] == DRAGGED
            rows[dragged, SOFT] = np.maximum(rows[dragged, SOFT], DRAG_GIVES)
            rows[:, SOFT] = np.maximum(rows[:, SOFT], series.gives)
            if away is None or series.whole:
                pass
            elif series.kind == POSITION:
                rows[:, TARGET:TARGET_TURN] += course.at(series.at, away)
            else:
                before = rows[:, TARGET_TURN:COUNTS].reshape(-1, 3, 3)
                turned = rotations_about(course.at(series.at, away)) @ before
                rows[:, TARGET_TURN:COUNTS] = turned.reshape(-1, 9)
            result.append(replace(series, rows=rows))
        return FrameTasks(result)

    @property
    def links(self) -> set[int]:
        """The joints that are asked for something."""
        return {series.link for series in self.series if series.kind != MASS_CENTRE}
