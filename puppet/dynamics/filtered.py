"""A motion in, the same as contact forces can cause it out, with these forces and a report of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol, overload, runtime_checkable

import numpy as np

from puppet.arguments import check_fields, public, public_class, short
from puppet.body import Body, joint_transforms, local_rotations
from puppet.command import MAX_PUSH
from puppet.dynamics.contacts import GROUND, GripBar, Hold, Surface, contact_names, point_places
from puppet.dynamics.filter import (
    Filtered,
    check_body,
    filter_pieces,
    gravity_of,
    newtons,
    unborne_spans,
    without_lone_start,
)
from puppet.dynamics.reference import matrix_angles
from puppet.errors import PuppetError, did_you_mean
from puppet.performance import Performance
from puppet.scene import Scene
from puppet.types import Floats, Vector

SEAT = 0.14  # half of a seat's width and depth, in heights
ENDLESS = 100.0  # half the width of a table without an end
LOWEST_PROP = 0.02  # heights: what is lower lies on the ground
FALL = "fall"  # the kind of an event
TOO_LITTLE = 1e-3  # of the weight: forces that are no larger say nothing about where they act


@dataclass(frozen=True)
class PushAt:
    """A force on the mass centre of a part, in newtons, from a frame on for some frames."""

    part: str
    by: Vector
    frame: int
    frames: int


@dataclass(frozen=True)
class HoldAt:
    """A part, as a hand, that holds on to what is there, from a frame on for some frames; a rope, if it hangs from a
    place of the world: it only pulls, and is as long as it is then."""

    part: str
    frame: int
    frames: int
    rope: Vector | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Forces:
    """What comes out of the filter beside the motion. All arrays are read-only."""

    contact_points: tuple[str, ...]
    contact_forces: Floats  # (frames, points, 3), newtons on the body
    contact_places: Floats  # (frames, points, 3), world
    joint_torques: Floats  # (frames, dofs), newton metres; what is left over at the root first
    reference: Floats  # (frames, dofs), the angles that were filtered

    def acting(self, frame: int) -> tuple[Floats, Floats]:
        """Where forces act in a frame, (points, 3), and how strongly, (points, 3), as parts of the weight."""
        body: Body = self.body  # type: ignore[attr-defined]
        return self.contact_places[frame], self.contact_forces[frame] / (newtons(body) * gravity_of(body))


@public_class
@dataclass(frozen=True, eq=False, kw_only=True)
class FilteredPerformance(Forces, Performance):
    """A performance that went through the dynamics filter."""


@runtime_checkable
class Filterable(Protocol):
    """What knows itself how it goes through the filter, as a clip does."""

    def filtered(self, friction: float, pushes: Iterable[PushAt], holds: Iterable[HoldAt]) -> Any: ...


@overload
def filter_motion(
    motion: Performance, friction: float = 0.8, pushes: Iterable[PushAt] = (), holds: Iterable[HoldAt] = (),
    spans: Iterable[tuple[int, int]] | None = None,
) -> FilteredPerformance: ...  # fmt: skip
@overload
def filter_motion(
    motion: Filterable, friction: float = 0.8, pushes: Iterable[PushAt] = (), holds: Iterable[HoldAt] = ()
) -> Any: ...
@public
def filter_motion(
    motion: Performance | Filterable, friction: float = 0.8, pushes: Iterable[PushAt] = (),
    holds: Iterable[HoldAt] = (), spans: Iterable[tuple[int, int]] | None = None,
) -> Any:  # fmt: skip
    """The motion nearest to a performance or a clip that contact forces can cause, frame by frame.

    friction: of all that is touched, its cone's slope; holds: parts that hold on to something, beside hands on the bars
    of the scene, which do so by themselves; spans: the frames of a performance with physics, from one up to before
    another, where it is not all of them. The report's entry `physics` says what was changed, which forces act, and
    whether the figure fell.
    """
    if not isinstance(motion, Performance):
        if isinstance(motion, Filterable):
            return motion.filtered(friction, pushes, holds)
        raise PuppetError(f"filter_motion needs a performance, as run gives one, or a clip, not {short(motion)}")
    _check_friction(friction)
    body, floor = motion.body, motion.scene.floor or 0.0
    check_body(body)
    angles = np.array(motion.angles)
    angles[:, 1] -= floor
    forces = push_table(body, len(angles), pushes)
    found = filter_pieces(
        body, angles, float(motion.fps), float(friction), forces, surfaces_of(body, motion.scene, floor), False,
        hold_rows(body, holds, floor), None if spans is None else _checked_spans(spans, len(angles)),
    )  # fmt: skip
    return found_performance(motion, angles, found, float(friction), floor)


def _check_friction(friction: float) -> None:
    if isinstance(friction, bool) or not isinstance(friction, (int, float)) or not 0.0 < friction < math.inf:
        raise PuppetError(f"friction is a number above 0, such as 0.8, not {short(friction)}")


def _check_times(told: PushAt | HoldAt, kind: type) -> None:
    """Refuses what is no push, or no hold, or has no time."""
    if not isinstance(told, kind):
        raise PuppetError(f"expected a {kind.__name__}, not {short(told)}")
    check_fields(told)
    if told.frame < 0 or told.frames < 0:
        raise PuppetError(f"a {kind.__name__} begins at a frame from 0 on and lasts some frames, not {short(told)}")


def _checked_spans(spans: Iterable[tuple[int, int]], frames: int) -> list[tuple[int, int]]:
    """Spans one after the other, in a motion of so many frames."""
    found = [(int(first), int(last)) for first, last in spans]
    edges = [edge for span in found for edge in span]
    if edges != sorted(edges) or (edges and not 0 <= edges[0] <= edges[-1] <= frames):
        raise PuppetError(f"spans are pairs of frames from 0 to {frames}, one after the other, not {short(found)}")
    return found


def filter_recording(
    body: Body, reference: Floats, fps: float, friction: float, pushes: Iterable[PushAt], holds: Iterable[HoldAt],
    floor: float,
) -> tuple[Floats, dict[str, Any], dict[str, Any]]:  # fmt: skip
    """Recorded frames (frames, dofs) on a floor as contact forces can cause them, the report of it, and what Forces
    has."""
    check_body(body)
    _check_friction(friction)
    angles = np.array(without_lone_start(body, reference, fps))
    angles[:, 1] -= floor
    rows = hold_rows(body, holds, floor)
    found = filter_pieces(body, angles, fps, friction, push_table(body, len(angles), pushes), (GROUND,), True, rows)
    moved, told, beside = _told(body, angles, found, fps, friction, floor, range(len(angles)))
    unborne = unborne_spans(body, angles, fps, rows) if len(angles) > 1 else []
    return moved, {**told, "unborne": [list(span) for span in unborne]}, beside


def found_performance(
    performance: Performance, reference: Floats, found: Filtered, friction: float, floor: float
) -> FilteredPerformance:
    """A performance with the motion that was found instead of its own, told of. reference: that of `found`, on a floor
    of height 0; floor: its height."""
    moved, told, beside = _told(
        performance.body, reference, found, float(performance.fps), friction, floor, performance.numbers
    )
    report = {**performance.report, "physics": told}
    if found.fell is not None:
        place = joint_transforms(performance.body, moved[found.fell : found.fell + 1])[0, 0, :3]
        report["events"] = _with_fall(performance, place, found.fell)
    given = {field.name: getattr(performance, field.name) for field in fields(Performance)}
    return FilteredPerformance(**{**given, "angles": moved, "report": report}, **beside)


def _told(
    body: Body, reference: Floats, found: Filtered, fps: float, friction: float, floor: float, numbers: Sequence[int]
) -> tuple[Floats, dict[str, Any], dict[str, Any]]:
    """What was found on a floor of a height: its angles, the report of it, and what Forces has."""
    moved, given = found.angles.copy(), reference.copy()
    moved[:, 1] += floor
    given[:, 1] += floor
    places = point_places(found.points, joint_transforms(body, found.angles))
    unit, metres = newtons(body), body.metres_a_unit
    told = physics_report(body, reference, found, places, fps, friction, numbers)
    places[:, :, 1] += floor
    names = contact_names(body)
    names += tuple(f"{body.joint_names[int(j)]}.fall_{n}" for n, j in enumerate(found.points[len(names) :, 0]))
    arrays = (moved, found.forces * unit, places, found.torques * unit * metres, given)
    for array in arrays:
        array.flags.writeable = False
    return moved, told, dict(zip((field.name for field in fields(Forces)), (names, *arrays[1:]), strict=True))


def _with_fall(performance: Performance, place: Floats, fell: int) -> list[dict[str, Any]]:
    """The events of a performance and, at its place among them, the fall; its line is that of the task under way."""
    number = int(performance.numbers[fell])
    told = performance.report.get("tasks", ())
    tasks = [task for task in told if task["start"] is not None and task["start"] <= number]
    last = max(tasks, key=lambda task: task["start"], default={"line": 0, "file": ""})
    fall = {
        "frame": number,
        "kind": FALL,
        "part": performance.body.joint_names[0],
        "thing": None,
        "place": [float(value) for value in place],
        "line": last["line"],
        "file": last["file"],
    }
    return sorted([*performance.report.get("events", ()), fall], key=lambda event: int(event["frame"]))


def surfaces_of(body: Body, scene: Scene, floor: float) -> tuple[Surface | GripBar, ...]:
    """What there is to touch in a scene, seen from its floor: the ground, seats, tables, and bars."""
    found: list[Surface | GripBar] = [GROUND]
    if scene.seat is not None:
        x, y, z = scene.seat
        found.append(Surface(y - floor, (x, z), (SEAT * body.height, SEAT * body.height)))
    found += [Surface(seat.height - floor, *seat.rectangle) for seat in scene.seats]
    found += [Surface(table.height - floor, *table.rectangle) for table in scene.tables]
    table = scene.table
    if table.size is None and table.height > floor:
        found.append(Surface(table.height - floor, (table.skew, table.front + ENDLESS), (ENDLESS, ENDLESS)))
    for bar in scene.bars:
        x, z = 0.5 * bar.length * math.cos(bar.turn), -0.5 * bar.length * math.sin(bar.turn)
        ends = ((bar.place[0] + s * x, bar.height - floor, bar.place[1] + s * z) for s in (-1.0, 1.0))
        found.append(GripBar(*ends))
    return (*found, *_props_of(body, floor))


def _props_of(body: Body, floor: float) -> Iterator[Surface | GripBar]:
    """The same of what a body is drawn among, as the props of tracks are: the tops of boxes, and level capsules."""
    for shape in body.fixed_shapes:
        if shape.kind == "box":
            (x, y, z), (wide, high, deep) = shape.points[0], shape.sizes
            if y + 0.5 * high - floor > LOWEST_PROP * body.height:
                yield Surface(y + 0.5 * high - floor, (x, z), (0.5 * wide, 0.5 * deep))
        elif shape.kind == "capsule" and shape.points[0][1] == shape.points[1][1]:
            yield GripBar(*((x, y - floor, z) for x, y, z in shape.points))


def hold_rows(body: Body, holds: Iterable[HoldAt], floor: float) -> list[Hold]:
    """The same seen from the floor, with the numbers of their joints."""
    found = []
    for hold in holds:
        _check_times(hold, HoldAt)
        if hold.part not in body.joint_names:
            near = did_you_mean(hold.part, body.joint_names)
            raise PuppetError(f"unknown part '{hold.part}' of '{body.name}'; {near}")
        part = body.joint_names.index(hold.part)
        if not body.joints[part].contacts:
            near = did_you_mean(hold.part, [joint.name for joint in body.joints if joint.contacts])
            raise PuppetError(f"'{hold.part}' has no points of contact to hold on with; {near}")
        rope = None if hold.rope is None else (hold.rope[0], hold.rope[1] - floor, hold.rope[2])
        found.append(Hold(part, hold.frame, hold.frame + hold.frames, rope))
    return found


def push_table(body: Body, frames: int, pushes: Iterable[PushAt]) -> Floats:
    """(frames, joints, 3), in the body's units: the forces from each frame to the next."""
    table = np.zeros((frames, len(body.joints), 3))
    for push in pushes:
        _check_times(push, PushAt)
        if not np.abs(push.by).max() <= MAX_PUSH:
            raise PuppetError(f"the force of a push has at most {MAX_PUSH:g} newtons along each axis, not {push.by}")
        if push.part not in body.joint_names:
            near = did_you_mean(push.part, body.joint_names)
            raise PuppetError(f"unknown part '{push.part}' of '{body.name}'; {near}")
        table[push.frame : push.frame + push.frames, body.joint_names.index(push.part)] += np.array(push.by)
    return table / newtons(body)


def physics_report(
    body: Body, reference: Floats, found: Filtered, places: Floats, fps: float, friction: float, numbers: Sequence[int]
) -> dict[str, Any]:
    """What was changed, which forces act, whether it fell: newtons, newton metres, radians, metres."""
    turns = joint_deviations(body, reference, found.angles)
    unit, metres, weight = newtons(body), body.metres_a_unit, gravity_of(body)
    ground = found.forces.sum(axis=1)
    worst = np.unravel_index(int(turns.argmax()), turns.shape) if turns.size else (0, 0)
    root = len(body.dofs_of([0]))
    torques = np.abs(found.torques[:, root:])
    strongest = int(torques.max(axis=0).argmax()) if torques.size else 0
    upright = found.torques[: found.fell]
    left = [float(np.linalg.norm(part, axis=1).max(initial=0.0)) for part in (upright[:, :3], upright[:, 3:root])]
    return {
        "friction": friction,
        "fell": None if found.fell is None else int(numbers[found.fell]),
        # what the motion took in the half second before it fell that no contact gives, in parts of the weight and of
        # weight times height
        "asked_force": None if found.asked is None else found.asked[0],
        "asked_moment": None if found.asked is None else found.asked[1],
        "largest_deviation": float(turns.max(initial=0.0)),
        "largest_deviation_joint": body.joint_names[int(worst[1]) + 1],
        "largest_deviation_frame": int(numbers[int(worst[0])]) if len(numbers) else 0,
        "mean_deviation": float(turns.mean()) if turns.size else 0.0,
        "largest_torque": float(torques.max(initial=0.0)) * unit * metres,
        "largest_torque_joint": body.dof_names[root + strongest].split(".")[0],
        # what the contact forces leave over, of the weight and of weight x height, as long as it stands
        "unexplained_force": left[0] / weight,
        "unexplained_moment": left[1] / (weight * body.height),
        "ground_force": [[round(float(v), 3) for v in row] for row in ground * unit],
        "centre_of_pressure": _pressure(found.forces, places, weight),
    }


def joint_deviations(body: Body, reference: Floats, angles: Floats) -> Floats:
    """By how many radians each joint but the root is turned from its reference, (frames, joints - 1)."""
    found = np.empty((len(angles), len(body.joints) - 1))
    for j in range(1, len(body.joints)):
        one, other = local_rotations(body, j, reference), local_rotations(body, j, angles)
        found[:, j - 1] = matrix_angles(one.transpose(0, 2, 1) @ other)
    return found


def _pressure(forces: Floats, places: Floats, weight: float) -> list[list[float] | None]:
    """Where the ground bears, x and z in the body's lengths in each frame; None where it does not."""
    found: list[list[float] | None] = []
    for force, place in zip(forces[:, :, 1], places, strict=True):
        total = float(force.sum())
        if total < TOO_LITTLE * weight:
            found.append(None)
        else:
            found.append([round(float(force @ place[:, axis]) / total, 6) for axis in (0, 2)])
    return found
