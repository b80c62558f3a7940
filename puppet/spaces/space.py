"""A figure in an animation space: its coordinates are driven, and the figure moves as forces can move it.

After Park and Park's animation space: any function of the posture is a coordinate. What its velocity and acceleration
shall be gives the joints' accelerations, inverse dynamics gives torques, and these move the figure. A loop that is
closed is one more condition: a part that is held, touches, slides, or hangs from a rope.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from puppet.arguments import public_class, short
from puppet.body import Body
from puppet.command import MAX_FRAMES
from puppet.dynamics import FilteredPerformance, found_performance
from puppet.dynamics.contacts import contact_table
from puppet.dynamics.filter import STIFFNESS, SUBSTEP, Filtered, check_body, explain, gravity_of, newtons
from puppet.errors import PuppetError, did_you_mean
from puppet.kernels.dynamics_model import (
    ANCHOR,
    BEARS,
    DOES,
    DRAWN,
    FORCE,
    GRIPPING,
    HANGS,
    IN_THE_AIR,
    MOTION_COLUMNS,
    PLAN_COLUMNS,
    SLIDES,
    SPEED_RATE,
    STATE_COLUMNS,
    TOUCHES,
)
from puppet.kernels.figure_model import MASS_CENTRE
from puppet.kernels.loader import kernels
from puppet.performance import Performance
from puppet.scene import Scene, Table
from puppet.solver import CentreOfMass, Figure, Function, task_row
from puppet.solver.arguments import checked_point
from puppet.spaces.coordinates import Coordinate, Course, SpaceFeature
from puppet.types import Floats

RATE = 10.0  # a second: how fast a coordinate goes back to its course
CALM = 4.0  # and joints to their reference
_SOFT, GIVES = 1e-5, 1e-3  # how much a coordinate gives, of its row; and where its error is as large as counts
LATER, GIVES_WAY = 1e-3, 100.0  # the same for later priorities, and where one that comes before misses as much
_LARGEST, _LARGEST_TURN = 0.05, 0.2  # the error that counts, in heights and in radians
WAYS = {"grip": GRIPPING, "touch": TOUCHES, "slide": SLIDES}


@public_class
class AnimationSpace:
    """A body that moves by driven coordinates and closed loops, frame by frame."""

    body: Body
    fps: float
    friction: float
    figure: Figure  # where it is

    def __init__(
        self, body: Body, angles: ArrayLike | None = None, fps: float = 30.0, friction: float = 0.8, calm: float = CALM,
        even: bool = False,
    ) -> None:  # fmt: skip
        """At rest in its rest posture, standing on the floor, or in that of the angles (dofs,) given.

        calm: how fast joints that nothing is asked of go back to the reference posture, a second.
        even: all joints move as easily; else those do that carry less, from the root on.
        """
        if not isinstance(body, Body):
            raise PuppetError(f"an animation space needs a Body, not {short(body)}")
        check_body(body)
        fps, friction = _number(fps, 1.0, 1000.0, "fps"), _number(friction, 1e-3, 1e3, "friction")
        calm = _number(calm, 0.0, 100.0, "calm")
        self.body, self.fps, self.friction = body, fps, friction
        self.figure = Figure(body, angles)
        self._substeps = max(1, math.ceil(2.0 / (self.fps * SUBSTEP) - 1e-9))
        self._h = 1.0 / (self.fps * self._substeps)
        self._settings = np.array([self._h, gravity_of(body), friction, body.height, calm, 1.0])
        self._speeds = np.zeros(body.dofs)
        self._mobility = self.figure._mobility / (1.0 + STIFFNESS * self.figure._mobility)
        if even:
            self._mobility[6:] = np.median(self._mobility[6:])
        self._points = contact_table(body)
        self._names = [(joint.name, point) for joint in body.joints for point in joint.contacts]
        self._plan = np.zeros((1, len(self._points), PLAN_COLUMNS))
        self._state = np.zeros((len(self._points), STATE_COLUMNS))
        self._motion, self._centre = np.zeros((len(body.joints), MOTION_COLUMNS)), np.zeros(9)
        self._pushes = np.zeros((1, len(body.joints), 3))
        self._coordinates: dict[str, Coordinate] = {}
        self._inputs: tuple[str, ...] = ()
        self._time = 0.0
        self._frames, self._plans, self._bearing, self._pushed = [self.figure.angles], [], [], []  # type: ignore[var-annotated]
        self.reference(self.figure.angles)
        self._measure()

    # ---- what is asked for

    def drive(
        self, name: str, feature: SpaceFeature, to: ArrayLike | None = None, course: Course | None = None,
        rate: float = RATE, priority: int = 1,
    ) -> None:  # fmt: skip
        """Drives a coordinate to a value, along a course, a function of the time in seconds, or, without either, keeps
        it as it is; a Function and a CentreOfMass have a target of their own.

        rate: how fast it goes back to it, a second; priority: of what cannot be had together, 1 comes first. A name
        that is driven already is driven anew.
        """
        if not isinstance(feature, SpaceFeature):
            kinds = "a PartPlace, Angles, a Function or a CentreOfMass"
            raise PuppetError(f"a coordinate is {kinds}, not {short(feature)}")
        rate = _number(rate, 0.0, 1000.0, "a rate")
        if not isinstance(priority, int) or isinstance(priority, bool) or priority < 1:
            raise PuppetError(f"a priority is a whole number from 1 on, not {short(priority)}")
        if isinstance(feature, CentreOfMass):
            target: ArrayLike = [value for value in feature.values if value is not None]
        elif isinstance(feature, Function):
            feature.value(self.figure.inputs(feature.of))
            target = feature.target
        else:
            target = feature.slopes @ np.concatenate(self.figure.inputs(feature.of))
        fixed = np.array(target if to is None else to, dtype=np.float64).ravel()
        if fixed.shape != np.ravel(target).shape or not np.all(np.isfinite(fixed)):
            raise PuppetError(f"'{name}' has {np.size(target)} values, and is to be {short(to)}")
        if course is not None and not callable(course):
            raise PuppetError(f"a course is a function of the time in seconds, not {short(course)}")
        self._coordinates[name] = Coordinate(feature, course or (lambda _: fixed), fixed.size, rate, priority)
        self._inputs = tuple(dict.fromkeys(part for _, of in self._each() for part in of))

    def stop(self, name: str) -> None:
        """Drives a coordinate no longer."""
        if name not in self._coordinates:
            raise PuppetError(f"nothing is driven as '{name}'; {did_you_mean(name, self._coordinates)}")
        del self._coordinates[name]
        self._inputs = tuple(dict.fromkeys(part for _, of in self._each() for part in of))

    @property
    def time(self) -> float:
        """Seconds since the beginning."""
        return self._time

    @property
    def driven(self) -> tuple[str, ...]:
        """The names of all coordinates that are driven."""
        return tuple(self._coordinates)

    def value(self, name: str) -> Floats:
        """Where a coordinate is now."""
        if name not in self._coordinates:
            raise PuppetError(f"nothing is driven as '{name}'; {did_you_mean(name, self._coordinates)}")
        feature = self._coordinates[name].feature
        if isinstance(feature, CentreOfMass):
            return self._centre[[n for n, value in enumerate(feature.values) if value is not None]]
        inputs = self.figure.inputs(feature.of)
        return feature.value(inputs) if isinstance(feature, Function) else feature.slopes @ np.concatenate(inputs)

    def reference(self, angles: ArrayLike) -> None:
        """The posture that joints go back to where nothing is asked of them."""
        figure = Figure(self.body, angles)
        self._reference = figure._angles.copy(), figure._local.copy()

    def close(self, part: str, by: str = "grip", point: str | None = None) -> None:
        """Closes a loop at a part's points of contact, or one of them, where they are: "grip" holds them, "touch"
        bears and rubs, "slide" bears alone."""
        if by not in WAYS:
            raise PuppetError(f"a loop is closed by {', '.join(WAYS)}, not by '{by}'; {did_you_mean(by, WAYS)}")
        for i in self._of(part, point):
            place = self._place(i)
            self._plan[0, i] = WAYS[by], *(place if by == "grip" else (0.0, 1.0, 0.0)), place[1]
            self._state[i, ANCHOR : ANCHOR + 3] = place

    def hang(self, part: str, anchor: ArrayLike, length: float | None = None, point: str | None = None) -> float:
        """Hangs a part's first point of contact, or the one named, from a rope, as long as it is far unless told;
        returns its length."""
        i, at = self._of(part, point)[0], checked_point(anchor, "the anchor of a rope")
        far = float(np.linalg.norm(at - self._place(i))) if length is None else _number(length, 0.0, 1e6, "a length")
        self._plan[0, i] = HANGS, *at, far
        return far

    def open(self, part: str) -> None:
        """Opens the loops at a part."""
        self._plan[0, self._of(part, None), DOES] = IN_THE_AIR

    def push(self, part: str, by: ArrayLike) -> None:
        """A force on a part's mass centre in the next frame, in newtons."""
        j = self.body.joint(part)
        self._pushes[0, j] += checked_point(by, "a push") / newtons(self.body)

    # ---- motion

    def step(self) -> Floats:
        """One frame; its angles."""
        model, figure = self.figure._model, self.figure
        bears = np.zeros(len(self._points))
        for _ in range(self._substeps):
            rows, targets, soft = self._rows()
            kernels().space_step(
                model.joints, model.links, model.corners, model.velocities, model.chains, 1, self._mobility,
                self._points, self._plan, rows, targets, soft, *self._reference, self._pushes, self._settings,
                figure._angles, figure._local, self._speeds, self._state, figure._world, figure._axes, figure._sums,
                self._motion,
            )  # fmt: skip
            bears = np.maximum(bears, self._state[:, BEARS])
            self._time += self._h
            self._measure()
        self._frames.append(figure.angles)
        self._plans.append(self._plan[0].copy())
        self._bearing.append(bears)
        self._pushed.append(self._pushes[0].copy())
        self._pushes[:] = 0.0
        return figure.angles

    def run(self, frames: int) -> None:
        if not isinstance(frames, int) or isinstance(frames, bool) or not 0 <= frames <= MAX_FRAMES:
            raise PuppetError(f"frames are a whole number from 0 to {MAX_FRAMES}, not {short(frames)}")
        for _ in range(frames):
            self.step()

    @property
    def substep(self) -> float:
        """Seconds of one step of inverse dynamics and integration; a frame has several."""
        return self._h

    @property
    def forces(self) -> dict[str, Floats]:
        """The force on each closed point in newtons, (3,), in the last substep."""
        unit = newtons(self.body)
        return {
            f"{part}.{point}": unit * self._state[i, FORCE : FORCE + 3]
            for i, (part, point) in enumerate(self._names)
            if self._plan[0, i, DOES] != IN_THE_AIR
        }

    @property
    def energy(self) -> float:
        """Kinetic and potential, of a body of mass 1."""
        mass = np.empty((self.body.dofs, self.body.dofs))
        model, figure = self.figure._model, self.figure
        kernels().dynamics_mass(model.velocities, model.chains, 1, figure._axes, figure._sums, mass)
        height = float(figure.centre_of_mass[1])
        return float(0.5 * self._speeds @ mass @ self._speeds + gravity_of(self.body) * height)

    def performance(self, body: Body | None = None) -> FilteredPerformance:
        """All frames so far, with contact forces and torques by inverse dynamics; `body`: as it is drawn."""
        if not self._plans:
            raise PuppetError("a performance needs a motion: call step() or run(frames) first")
        if not isinstance(body, Body | None):
            raise PuppetError(f"a performance is drawn as a Body, not as {short(body)}")
        angles = np.array(self._frames)
        pushes = np.array([*self._pushed, np.zeros((len(self.body.joints), 3))])
        forces, torques = explain(
            self.body, angles, self.fps, self.friction, self._points, np.array(self._plans), np.array(self._bearing),
            pushes,
        )  # fmt: skip
        scene = Scene(Table(0.0, 0.0), (), (), floor=0.0, body=self.body.name)
        report = {"fps": self.fps, "frames": len(angles), "tasks": [], "objects": {}, "locks": {}, "notes": []}
        given = Performance(body or self.body, scene, self.fps, angles, report, ((0, {}),))
        found = Filtered(angles, self._points, forces, torques, None)
        return found_performance(given, angles, found, self.friction, 0.0)

    # ---- inside

    def _of(self, part: str, point: str | None) -> list[int]:
        found = [i for i, names in enumerate(self._names) if names[0] == part and point in (None, names[1])]
        if not found:
            parts = dict.fromkeys(name for name, _ in self._names)
            known = [name for owner, name in self._names if owner == part] if part in parts else parts
            name = str(point) if part in parts else part
            raise PuppetError(f"'{name}' is no point of contact; {did_you_mean(name, known)}")
        return found

    def _place(self, i: int) -> Floats:
        part, point = self._names[i]
        return self.figure.position(part, self.body.joints[self.body.joint(part)].contacts[point])

    def _measure(self) -> None:
        model, figure = self.figure._model, self.figure
        kernels().space_measure(
            model.joints, model.links, model.velocities, 1, figure._angles, figure._local, self._speeds, figure._world,
            figure._axes, figure._sums, self._motion, self._centre,
        )  # fmt: skip

    def _each(self) -> list[tuple[Coordinate, Sequence[str]]]:
        """All coordinates, with what they are functions of."""
        found = self._coordinates.values()
        return [(entry, () if isinstance(entry.feature, CentreOfMass) else entry.feature.of) for entry in found]

    def _rows(self) -> tuple[Floats, Floats, Floats]:
        """J of all coordinates, what J a shall be, and how much each gives."""
        if not self._coordinates:
            self._settings[DRAWN] = 1.0
            return np.empty((0, self.body.dofs)), np.empty(0), np.empty(0)
        rows, targets, soft, misses = [], [], [], []
        inputs = dict(zip(self._inputs, self.figure.inputs(self._inputs), strict=True))
        jacobian = self.figure.input_jacobian(self._inputs) if inputs else np.empty((0, self.body.dofs))
        speeds, rates, at, first = jacobian @ self._speeds, np.zeros(len(jacobian)), {}, 0
        for name, entry in inputs.items():
            at[name] = range(first, first + len(entry))
            if len(entry) == 3:
                rates[first : first + 3] = self._motion[self.body.joint(name), SPEED_RATE : SPEED_RATE + 3]
            first += len(entry)
        for coordinate, of in self._each():
            if isinstance(coordinate.feature, CentreOfMass):
                axes = [n for n, value in enumerate(coordinate.feature.values) if value is not None]
                own, where, bias = self._mass_jacobian()[axes], self._centre[axes], self._centre[[6 + n for n in axes]]
            else:
                here = [n for name in of for n in at[name]]
                where, slopes, bias = coordinate.measured([inputs[name] for name in of], speeds[here], rates[here])
                own = slopes @ jacobian[here]
            goal, speed, acceleration = coordinate.target(self._time, self._h)
            turns = bool(of) and all(len(inputs[name]) == 1 for name in of)
            far = _LARGEST_TURN if turns else _LARGEST * self.body.height
            error = goal - where
            length = float(np.sqrt(error @ error))
            if length > far:
                error *= far / length
            rate = coordinate.rate
            rows.append(own)
            targets.append(acceleration + rate * rate * error + 2.0 * rate * (speed - own @ self._speeds) - bias)
            misses.append((coordinate.priority, min(1.0, length / far), len(where)))
        first_missed = max((missed for priority, missed, _ in misses if priority == 1), default=0.0)
        self._settings[DRAWN] = (1.0 - first_missed) ** 2  # what draws back must not win against what cannot be had
        for priority, missed, count in misses:
            before = max((other for one, other, _ in misses if one < priority), default=0.0)
            softness = (_SOFT if priority == 1 else LATER) + GIVES * missed**2 + GIVES_WAY * before**2
            soft += [softness] * count
        return np.concatenate(rows), np.concatenate(targets), np.array(soft)

    def _mass_jacobian(self) -> Floats:
        model, figure = self.figure._model, self.figure
        found, errors = np.zeros((self.body.dofs, 3)), np.empty(3)
        kernels().figure_rows(
            model.joints, model.links, model.velocities, model.chains, 1, figure._world, figure._axes, figure._sums,
            np.array([task_row(MASS_CENTRE, 0)]), found, errors, np.empty(1),
        )  # fmt: skip
        return found.T


def _number(value: object, low: float, high: float, what: str) -> float:
    number = isinstance(value, (int, float, np.floating, np.integer)) and not isinstance(value, bool)
    if not number or not low <= value <= high:  # type: ignore[operator]
        raise PuppetError(f"{what} is a number from {low:g} to {high:g}, not {short(value)}")
    return float(value)  # type: ignore[arg-type]
