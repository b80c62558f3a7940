"""A figure that follows tracks: what each frame asks of it as tables, and the postures that the kernel finds.

Physics comes first and is kept exactly: centre of mass, inertia, angular momentum. Pins come next, by their gains; the
poses last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from puppet.body import AXES, Body, forward, local_rotations
from puppet.geometry import axis_rotation
from puppet.kernels.figure_model import LINK, MASS_CENTRE, MOMENT, MOMENTUM, ORIENTATION, POSITION, TASK_COLUMNS
from puppet.kernels.loader import kernels
from puppet.solver import Figure, figure_model, task_row
from puppet.solver.task import FIRM
from puppet.tracks import schedule
from puppet.tracks.course import Course
from puppet.tracks.tracks import MomentumSpan, PinKey, PinTrack, Tracks
from puppet.types import Floats

SOLE_TURN, TOES_TURN = 0.02, 0.1  # the same of a sole's orientation, so that a heel is lifted when it must; of its toes
GIVING_INERTIA, GIVING_PIN = 0.002, 0.002  # how much more by what they miss: nothing can be had at any price
RETURN_SECONDS = 0.06  # time constant of joints that come back to their pose
POSE_GAIN = 1.0
OPENING, _STEPS = 600, 24  # steps of the first frame and of others, at most
OFF = -1.0
# Of what a pin misses, in body heights, and of angular momentum itself, beside radians of joints.
_MISS_WEIGHT, MOMENTUM_WEIGHT = 20.0, 5.0
# Of the search for an angular momentum: its differences, how many of them it goes at most, rounds, damping.
MOMENTUM_STEP, MOMENTUM_REACH, MOMENTUM_ROUNDS, MOMENTUM_DAMPING = 0.005, 8.0, 4, 1e-4
_ASIDE = (8.0, 3.2)  # and how many of them aside of where it begins it looks for a better valley
SOLE_CONTACTS = 3  # a part with as many points of contact stands on them


@dataclass(frozen=True, eq=False)
class Followed:
    """What came of it."""

    angles: Floats  # (frames, dofs)
    misses: dict[str, Floats]  # by part: how far its pin is away, (frames,), body heights
    gains: dict[str, Floats]  # by part: the gain of its pin, (frames,)
    places: dict[str, Floats]  # by part: where its pin is, (frames, 3), in the body's units


@dataclass(eq=False)
class _Table:
    """Rows of tasks with their goals and firmness over time."""

    frames: int
    rows: list[Floats] = field(default_factory=list)
    goals: list[Floats] = field(default_factory=list)  # (frames, 12) each
    soft: list[Floats] = field(default_factory=list)  # (frames,) each
    giving: list[Floats] = field(default_factory=list)

    def add(self, row: Floats, gains: Floats, giving: float, least: float = FIRM) -> int:
        """A task with its gain in each frame, and how much it gives at least; returns its number. Alone against the
        pose, it goes the share `gain` of its way."""
        with np.errstate(divide="ignore"):
            soft = np.where(gains > 0.0, least + (1.0 - gains) / gains, OFF)
        self.rows.append(row)
        self.goals.append(np.zeros((self.frames, 12)))
        self.soft.append(soft)
        self.giving.append(giving * np.clip(2.0 * gains - 1.0, 0.0, 1.0))
        return len(self.rows) - 1


@dataclass(eq=False)
class _Pinned:
    """A pin's rows, and where its goals come from."""

    pin: PinTrack
    joint: int
    sole: Floats | None  # the point under the joint, where it stands on a sole
    point: Floats
    rows: list[int]
    captures: list[int]  # frames at which it is pinned where it is
    rest: tuple[Floats, Floats]  # place of its point and turn, as the body stands at rest
    found: dict[int, tuple[Floats, Floats]] = field(default_factory=dict)  # the same at frames where it was captured

    @property
    def anchor(self) -> Floats:
        """The point whose place is given, in the part's own coordinates."""
        return self.point if self.sole is None else self.sole


def follow_tracks(tracks: Tracks, course: Course | None) -> Followed:
    """Carries out tracks."""
    body, frames = tracks.body, tracks.frames
    table = _Table(frames)
    spans = _add_physics(table, tracks, course)
    figure = Figure(body)  # standing at rest on the floor
    master = schedule.master_gains(tracks)
    legs = course.legs if course is not None else ()
    flights = [(leg.first, leg.last) for leg in legs if leg.by == "projectile"]
    gains = {pin.part: master * schedule.pin_gains(pin, frames, flights) for pin in tracks.pins}
    pinned = [_add_pin(table, figure, pin, gains[pin.part]) for pin in tracks.pins]
    for entry in pinned:
        _fill(table, body, entry)
    references = schedule.sampled_poses(tracks)
    start = np.array(references[0])
    start[:3] = figure.angles[:3] if body.free_root else start[:3]
    angles, misses = _solve(tracks, table, references, start, pinned, spans)
    places = {entry.pin.part: table.goals[entry.rows[0]][:, :3].copy() for entry in pinned}
    missed = {entry.pin.part: misses[:, entry.rows[0]] / body.height for entry in pinned}
    return Followed(angles, missed, gains, places)


def _add_physics(table: _Table, tracks: Tracks, course: Course | None) -> dict[int, int]:
    """Rows for all handles; returns those of angular momentum by the frames at which they begin."""
    spans: dict[int, int] = {}
    body, frames, height = tracks.body, tracks.frames, tracks.body.height
    hard = 0.0 if body.free_root else GIVING_INERTIA  # a free root can bring its mass anywhere
    if course is not None:
        gains = schedule.handle_gains(*course.span, frames, tracks.fps)
        n = table.add(task_row(MASS_CENTRE, 0, counts=course.axes), gains, hard)
        table.goals[n][:, :3] = height * course.positions(frames, tracks.fps)
    for axis, (keys, values) in schedule.inertia_axes(tracks.inertia).items():
        gains = schedule.handle_gains(keys[0].at, keys[-1].at, frames, tracks.fps)
        n = table.add(task_row(MOMENT, 0, np.eye(3)[AXES.index(axis)]), gains, GIVING_INERTIA)
        table.goals[n][:, 0] = height**2 * schedule.sampled_numbers(keys, values, frames)
    for span in tracks.momentum:
        gains = np.zeros(frames)
        gains[max(1, span.first + int(span.conserved)) : span.last + 1] = 1.0
        counts = [span.conserved or axis in span.values for axis in AXES]
        n = table.add(task_row(MOMENTUM, 0, counts=counts), gains, hard)
        values = [np.nan if span.conserved else span.values.get(axis, 0.0) for axis in AXES]
        table.goals[n][:, :3] = np.array(values) * height**2 / tracks.fps
        spans[span.first] = n
    return spans


def _add_pin(table: _Table, figure: Figure, pin: PinTrack, gains: Floats) -> _Pinned:
    body = figure.body
    j = body.joint(pin.part)
    sole = _sole(body, j) if pin.point is None else None
    turned = sole is not None or any(key.turn is not None for key in pin.keys)
    point = pin.point
    if point is None:
        contacts = list(body.joints[j].contacts.values())
        point = _ball(body, j) if sole is not None else np.array(contacts[0] if contacts else (0.0, 0.0, 0.0))
    rows = [table.add(task_row(POSITION, j, point, priority=2), gains, GIVING_PIN)]
    if turned:
        rows.append(table.add(task_row(ORIENTATION, j, priority=3), gains, 0.0, FIRM if sole is None else SOLE_TURN))
    for child, joint in enumerate(body.joints):
        if sole is not None and joint.parent == j and joint.contacts:
            rows.append(table.add(task_row(ORIENTATION, child, priority=3), gains, 0.0, TOES_TURN))
    captures = [
        key.at for n, key in enumerate(pin.keys)
        if not key.off and key.place is None and (n == 0 or pin.keys[n - 1].off) and key.at > 0
    ]  # fmt: skip
    rest = figure.position(pin.part, point if sole is None else sole), figure.rotation(pin.part)
    return _Pinned(pin, j, sole, point, rows, captures, rest)


def _sole(body: Body, j: int) -> Floats | None:
    """The point of a sole under its joint; None for a part that does not stand on one."""
    contacts = np.array(list(body.joints[j].contacts.values()))
    return np.array([0.0, contacts[:, 1].min(), 0.0]) if len(contacts) >= SOLE_CONTACTS else None


def _ball(body: Body, j: int) -> Floats:
    """Where a sole turns when its heel is lifted: where its toes begin, else the middle of its points of contact at the
    front."""
    for toes, joint in enumerate(body.joints):
        if joint.parent == j and joint.contacts:
            return np.array(body.arrays.offsets[toes])
    contacts = np.array(list(body.joints[j].contacts.values()))
    ahead = contacts[:, 2]
    return np.asarray(contacts[ahead >= ahead.mean()].mean(axis=0))


def _fill(table: _Table, body: Body, entry: _Pinned) -> None:
    """The goals of a pin in all frames, as far as they are known."""
    places, turns, toes = _places(table.frames, body, entry)
    table.goals[entry.rows[0]][:, :3] = places
    for row in entry.rows[1:]:
        own = turns if int(table.rows[row][LINK]) == entry.joint else toes
        table.goals[row][:, 3:] = own.reshape(-1, 9)
    if entry.sole is not None:
        table.goals[entry.rows[1]][:, :3] = SOLE_TURN * toes[:, :, 1]  # the heel may be lifted, and not sink


def _places(frames: int, body: Body, entry: _Pinned) -> tuple[Floats, Floats, Floats]:
    """Place of a pin's point, turn of its part and of what hangs on that, as toes do, in all frames: (frames, 3),
    (frames, 3, 3) and (frames, 3, 3). A sole that is turned without being given a place turns over its ball: the heel
    is lifted, and the toes stay."""
    arm = entry.point - entry.anchor
    rest = entry.rest[0] + entry.rest[1] @ arm, entry.rest[1]
    place, turn, toe = rest[0], rest[1], rest[1]
    places, turns, toes = np.tile(place, (frames, 1)), np.tile(turn, (frames, 1, 1)), np.tile(toe, (frames, 1, 1))
    last: PinKey | None = None  # while it is pinned
    for key in entry.pin.keys:
        if key.off:
            last = None
            continue
        before = place, turn, toe
        if last is None:
            found = entry.found.get(key.at) if key.place is None else None
            place, turn = rest if found is None else (found[0] + found[1] @ arm, found[1])
            toe = turn
        if key.turn is not None:
            turn = turn_matrix(key.turn)
            toe = toe if key.place is None and entry.sole is not None else turn
        if key.place is not None:
            place = body.height * np.array(key.place) + toe @ arm
        if last is not None:
            way, between = schedule.share(key.curve, last.at, key.at), slice(last.at + 1, key.at + 1)
            places[between] = before[0] + way[:, None] * (place - before[0])
            turns[between] = schedule.rotations_between(before[1], turn, way)
            toes[between] = schedule.rotations_between(before[2], toe, way)
        places[key.at :], turns[key.at :], toes[key.at :] = place, turn, toe
        last = key
    return places, turns, toes


def turn_matrix(degrees: Sequence[float]) -> Floats:
    """R = Rz Ry Rx, (3, 3)."""
    x, y, z = np.radians(degrees)
    return np.asarray(axis_rotation(2, z) @ axis_rotation(1, y) @ axis_rotation(0, x))


class _Run:
    """Runs the kernel over pieces of the frames; what it goes on from can be kept and taken up again."""

    def __init__(self, tracks: Tracks, table: _Table, references: Floats, start: Floats) -> None:
        self.tracks, self.table, self.body, self.references = tracks, table, tracks.body, references
        body, frames = tracks.body, tracks.frames
        self.rows = np.array(table.rows).reshape(-1, TASK_COLUMNS)
        self.angles = start
        self.local = np.array([local_rotations(body, j, start[None])[0].ravel() for j in range(len(body.joints))])
        self.memory = np.zeros((3, body.dofs))
        self.postures, self.misses = np.empty((frames, body.dofs)), np.zeros((frames, len(self.rows)))
        self.soft = np.ascontiguousarray(np.array(table.soft).reshape(-1, frames).T)
        self.giving = np.ascontiguousarray(np.array(table.giving).reshape(-1, frames).T)
        self.root_gains = np.full(frames, POSE_GAIN if tracks.drawn_root or not body.free_root else 0.0)
        for span in tracks.momentum:
            self.root_gains[span.first : span.last + 1] = 0.0

    @property
    def state(self) -> tuple[Floats, Floats, Floats]:
        return self.angles.copy(), self.local.copy(), self.memory.copy()

    def take_up(self, state: tuple[Floats, Floats, Floats]) -> None:
        self.angles[:], self.local[:], self.memory[:] = state

    def frames(self, begin: int, until: int) -> None:
        body = self.body
        model, mobility = figure_model(body)
        goals = np.array(self.table.goals).reshape(len(self.rows), self.table.frames, 12).swapaxes(0, 1)
        gains = np.full(body.dofs, POSE_GAIN)
        gains[list(body.translation_dofs)] = 0.0
        ease = float(np.exp(-1.0 / (RETURN_SECONDS * self.tracks.fps)))
        compiled = kernels()
        compiled.figure_track(
            compiled.stepper, model.joints, model.links, model.corners, model.velocities, model.chains,
            int(body.free_root), self.rows, np.ascontiguousarray(goals), self.soft, self.giving, self.references,
            self.root_gains, gains, np.array(mobility), ease, OPENING, _STEPS, begin, until, self.memory, self.angles,
            self.local, self.postures, self.misses,
        )  # fmt: skip


def _solve(
    tracks: Tracks, table: _Table, references: Floats, start: Floats, pinned: list[_Pinned], spans: Mapping[int, int]
) -> tuple[Floats, Floats]:
    """Postures (frames, dofs) and misses (frames, tasks), in pieces that end where something is pinned as it is, or
    where an angular momentum is to be found that is conserved from there on."""
    frames = tracks.frames
    run = _Run(tracks, table, references, start)
    captures = {at for entry in pinned for at in entry.captures}
    found = [
        span for span in tracks.momentum
        if span.conserved and span.first > 0 and captures.isdisjoint(range(span.first, span.last + 1))
        and any(run.soft[span.last, row] >= 0.0 for entry in pinned for row in entry.rows)
    ]  # fmt: skip
    begins = {span.first: span for span in found}
    stops = {at + 1 for at in captures} | set(begins) | {frames}
    begin = 0
    for until in sorted(stop for stop in stops if stop <= frames):
        for entry in pinned:
            if until - 1 in entry.captures:
                run.soft[until - 1, entry.rows] = OFF
        run.frames(begin, until)
        positions, rotations = forward(tracks.body, run.angles)
        for entry in pinned:
            if until - 1 in entry.captures:
                rotation = rotations[entry.joint]
                entry.found[until - 1] = positions[entry.joint] + rotation @ entry.anchor, rotation
                _fill(table, tracks.body, entry)
        if until in begins:
            _find_momentum(run, begins[until], spans[until], [row for entry in pinned for row in entry.rows])
        begin = until
    return run.postures, run.misses


def _find_momentum(run: _Run, span: MomentumSpan, row: int, pins: list[int]) -> None:
    """The angular momentum of a flight that leaves least to pins and poses where it ends, by Gauss and Newton: that
    with which somebody takes off who wants to land so."""
    state, frames = run.state, slice(span.first, span.last + 1)
    run.soft[frames, row] = FIRM
    joints = np.arange(run.body.dofs)[6 if run.body.free_root and not run.tracks.drawn_root else 3 :]

    def left(value: Floats) -> Floats:
        run.table.goals[row][frames, :3] = value
        run.take_up(state)
        run.frames(span.first, span.last + 1)
        held = [n for n in pins if run.soft[span.last, n] >= 0.0]
        deviations = run.postures[span.last, joints] - run.references[span.last, joints]
        return np.concatenate([_MISS_WEIGHT * run.misses[span.last, held], deviations, MOMENTUM_WEIGHT / scale * value])

    scale = run.body.height**2 / run.tracks.fps
    def best_of(values: list[Floats]) -> tuple[Floats, Floats]:
        return min(((value, left(value)) for value in values), key=lambda found: float(found[1] @ found[1]))

    value, best = best_of([np.zeros(3), np.array(state[2][2, :3])])
    asides = [far * MOMENTUM_STEP * scale * axis for far in _ASIDE for axis in (*np.eye(3), *-np.eye(3))]
    aside, tried = best_of([value + way for way in asides])  # there may be a better valley, and it may be narrow
    if tried @ tried < best @ best:
        value, best = aside, tried
    for _ in range(MOMENTUM_ROUNDS):
        slopes = np.stack([left(value + MOMENTUM_STEP * scale * axis) - best for axis in np.eye(3)], axis=1)
        step = np.linalg.solve(slopes.T @ slopes + MOMENTUM_DAMPING * np.eye(3), -slopes.T @ best)
        step *= min(1.0, MOMENTUM_REACH / max(float(np.abs(step).max()), 1e-12))
        for shorter in (1.0, 0.3, 0.1):
            tried = left(value + shorter * MOMENTUM_STEP * scale * step)
            if tried @ tried < best @ best:
                break
        else:
            break
        value, best = value + shorter * MOMENTUM_STEP * scale * step, tried
    run.table.goals[row][frames, :3] = value
    run.take_up(state)
