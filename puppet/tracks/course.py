"""The course of the centre of mass: a template between each two keys, with what the keys leave open solved for.

Velocities at the keys: what a key gives; else that of the flight or swing beside it; else, between two Hermite curves,
that of the chord of its neighbours; at rest where the course begins and ends. So the course is smooth wherever its
templates have a velocity to be chosen (PHYSIK, Table 1.1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from puppet.body import Body, centres_of_mass, joint_transforms
from puppet.errors import PuppetError
from puppet.tracks.templates import PENDULUM_STEP, Hermite, Pendulum, Projectile, Template, time_of_flight
from puppet.tracks.tracks import Hint, MassKey, Tracks
from puppet.types import Floats

SAME_VELOCITY = 0.05  # body heights a second: a course with smaller corners looks smooth
MOST_STEPS = 300_000  # of all swings: hours of hanging
NEAR_PLACE = 0.02  # body heights by which a place is off the circle of a pendulum that is meant to come there
SAME_PLACE = 1e-3  # body heights: a place that was given and is found anew


@dataclass(frozen=True, eq=False)
class Leg:
    """A template between two keys, from frame to frame."""

    first: int
    last: int
    by: str
    curve: Template
    key: MassKey


@dataclass(frozen=True, eq=False)
class Course:
    legs: tuple[Leg, ...]
    single: Floats | None  # (3,): where there is one key only
    axes: tuple[bool, bool, bool]  # which of them count
    span: tuple[int, int]  # first and last frame
    hints: tuple[Hint, ...]

    def positions(self, frames: int, fps: float) -> Floats:
        """(frames, 3), body heights: at rest before the first key and after the last."""
        found = np.zeros((frames, 3))
        if self.single is not None:
            found[:] = self.single
        for n, leg in enumerate(self.legs):
            begin, end = (0 if n == 0 else leg.first), (frames if leg is self.legs[-1] else leg.last + 1)
            times = (np.clip(np.arange(begin, end), leg.first, leg.last) - leg.first) / fps
            found[begin:end] = leg.curve.position(times)
        return found


def course_of(tracks: Tracks) -> Course | None:
    """The course of a file's centre of mass; None where it has no such track."""
    keys = tracks.mass
    if not keys:
        return None
    assert keys[0].place is not None
    axes = tuple(value is not None for value in keys[0].place)
    span = (keys[0].at, keys[-1].at)
    if len(keys) == 1:
        return Course((), _place(keys[0]), axes, span, ())  # type: ignore[arg-type]
    legs, hints = _Solver(tracks).solve()
    return Course(legs, None, axes, span, tuple(hints))  # type: ignore[arg-type]


def _place(key: MassKey) -> Floats:
    assert key.place is not None
    return np.array([0.0 if value is None else value for value in key.place])


class _Solver:
    """Goes from key to key: flights and swings first, then the Hermite curves between them."""

    def __init__(self, tracks: Tracks) -> None:
        self.tracks, self.keys = tracks, tracks.mass
        self.hints: list[Hint] = []
        self.steps = 0  # of all swings
        self.places = [_place(self.keys[0])]  # of each key, as found
        self.arriving: list[Floats | None] = [None] * len(self.keys)  # velocity at the end of a leg, where it is known
        self.leaving: list[Floats | None] = [None] * len(self.keys)

    def solve(self) -> tuple[tuple[Leg, ...], list[Hint]]:
        curves: list[Template | None] = []
        for n, (before, key) in enumerate(pairwise(self.keys)):
            curve = self._free_curve(n, before, key)
            curves.append(curve)
            if curve is None:
                self.places.append(_place(key))
                continue
            self.places.append(np.asarray(curve.position(curve.duration)))
            self.leaving[n] = np.asarray(curve.velocity(0.0))
            self.arriving[n + 1] = np.asarray(curve.velocity(curve.duration))
            self._compare_place(key, self.places[-1])
        legs = []
        for n, (before, key) in enumerate(pairwise(self.keys)):
            curve = curves[n] or Hermite(
                self.places[n], self.places[n + 1], self._velocity(n, leaving=True),
                self._velocity(n + 1, leaving=False), self._duration(before, key),
            )  # fmt: skip
            legs.append(Leg(before.at, key.at, key.by or "hermite", curve, key))
        for before_leg, leg in pairwise(legs):
            self._compare_velocities(before_leg, leg)
        return tuple(legs), self.hints

    def _compare_velocities(self, before: Leg, leg: Leg) -> None:
        """A hint where the course has a corner: flights and swings have velocities of their own."""
        arrives = np.asarray(before.curve.velocity(before.curve.duration))
        leaves = np.asarray(leg.curve.velocity(0.0))
        if np.linalg.norm(leaves - arrives) > SAME_VELOCITY:
            words = ["[" + ", ".join(f"{round(float(v), 2) + 0.0:g}" for v in own) + "]" for own in (arrives, leaves)]
            message = (
                f"the velocity jumps here: the {before.by} arrives with {words[0]}, and the {leg.by} leaves with "
                f"{words[1]}; another time or place of a key, or a hermite between them, makes it smooth"
            )
            self.hints.append(Hint(before.last, before.key.mark, message))

    def _duration(self, before: MassKey, key: MassKey) -> float:
        return (key.at - before.at) / self.tracks.fps

    def _free_curve(self, n: int, before: MassKey, key: MassKey) -> Template | None:
        """The flight or swing that ends at a key; None for a Hermite curve."""
        gravity, duration, start = self.tracks.gravity, self._duration(before, key), self.places[n]
        if key.by == "pendulum":
            assert key.pivot is not None
            pivot = np.array(key.pivot)
            _check_length(self.tracks.body, start, pivot, key)
            swing = Pendulum(start, self._given(n, before), pivot, gravity, duration)
            self.steps += swing.steps
            if self.steps > MOST_STEPS:
                rounds = swing.steps * PENDULUM_STEP / math.tau
                raise key.mark.error(
                    f"this pendulum would swing some {rounds:.0f} times in {duration:g} s, too often to follow: less "
                    "velocity, or a key sooner, would work"
                )
            return swing
        if key.by != "projectile":
            return None
        if before.velocity is not None:
            return Projectile(start, np.array(before.velocity), gravity, duration)
        end = _place(key)
        if key.height is not None:
            self._check_time(before, key, start, end)
        return Projectile.between(start, end, gravity, duration)

    def _given(self, n: int, key: MassKey) -> Floats:
        """The velocity that a swing starts with: that of its key, else of what comes before, else none."""
        if key.velocity is not None:
            return np.array(key.velocity)
        arriving = self.arriving[n]
        return np.zeros(3) if arriving is None else arriving

    def _velocity(self, n: int, leaving: bool) -> Floats:
        """The velocity of a Hermite curve that leaves a key, or arrives at it."""
        key = self.keys[n]
        other = self.arriving[n] if leaving else self.leaving[n]
        if not leaving and other is not None:
            return other  # a swing leaves along its circle, whatever velocity its key gives
        if key.velocity is not None:
            return np.array(key.velocity)
        if other is not None:
            return other
        if n in (0, len(self.keys) - 1):
            return np.zeros(3)
        time = (self.keys[n + 1].at - self.keys[n - 1].at) / self.tracks.fps
        return np.asarray((self.places[n + 1] - self.places[n - 1]) / time)

    def _check_time(self, before: MassKey, key: MassKey, start: Floats, end: Floats) -> None:
        assert key.height is not None
        fps = self.tracks.fps
        try:
            exact = time_of_flight(float(start[1]), float(end[1]), key.height, self.tracks.gravity)
        except PuppetError as error:
            raise key.mark.error(f"this projectile cannot reach: {error}") from None
        fitting = max(1, math.floor(fps * exact + 0.5))
        if fitting != key.at - before.at:
            fix = before.at + fitting
            message = (
                f"this flight lasts {key.at - before.at} frames, and an apex at {key.height:g} takes "
                f"{fps * exact:.1f}: frame {fix} would fit"
            )
            self.hints.append(Hint(key.at, key.mark, message, fix))

    def _compare_place(self, key: MassKey, found: Floats) -> None:
        if key.place is None or key.height is not None:
            return
        if np.linalg.norm(found - _place(key)) > SAME_PLACE:
            x, y, z = (round(float(value), 4) + 0.0 for value in found)
            message = f"this {key.by} arrives at [{x:g}, {y:g}, {z:g}], not at its 'place'"
            self.hints.append(Hint(key.at, key.mark, message))


def _check_length(body: Body, start: Floats, pivot: Floats, key: MassKey) -> None:
    """Refuses a pendulum that the body cannot be: shorter than anything, or longer than it reaches; and one that never
    comes to its place, nearer to the pivot or farther away."""
    length, most, least = float(np.linalg.norm(start - pivot)), reach(body), 0.05
    if not least <= length <= most:
        what = "shorter" if length < least else "longer"
        raise key.mark.error(
            f"this pendulum is {length:.3g} long, {what} than the body '{body.name}' can hang from a pivot: "
            f"from {least:g} to {most:.2f} away from its centre of mass would work"
        )
    if key.place is None:
        return
    way = _place(key) - pivot
    away = float(np.linalg.norm(way))
    if abs(away - length) > NEAR_PLACE:
        x, y, z = (round(float(value), 3) + 0.0 for value in pivot + length / max(away, 1e-9) * way)
        raise key.mark.error(
            f"this pendulum is {length:.3g} long, {'shorter' if away > length else 'longer'} than its 'place' is away "
            f"from the pivot, which is {away:.3g}: it never gets there; [{x:g}, {y:g}, {z:g}] would work, or no 'place'"
        )


def reach(body: Body) -> float:
    """How far from its centre of mass a body reaches at most, in body heights: its longest chain from the root, and as
    far as the mass is from there."""
    lengths = np.zeros(len(body.joints))
    for j, joint in enumerate(body.joints):
        if joint.parent >= 0:
            lengths[j] = lengths[joint.parent] + np.linalg.norm(body.arrays.offsets[j])
    tips = np.linalg.norm(body.arrays.tips, axis=1)
    world = joint_transforms(body, body.rest)
    (mass,) = centres_of_mass(body, world[None])
    return float(((lengths + tips).max() + np.linalg.norm(mass - world[0, :3])) / body.height)
