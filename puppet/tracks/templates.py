"""Templates: the curves on which a centre of mass goes from one key to the next (PHYSIK 1.4, Table 1.1).

Lengths are in body heights, times in seconds from the start of the curve, gravity in heights a second squared. Each
template is a pure curve: `position` and `velocity` at any times (n,) give (n, 3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from puppet.errors import PuppetError
from puppet.types import Floats, Vector

PENDULUM_STEP = 0.01  # radians, at the speed of the start: energy is kept to about 1e-9 of itself in a second
SHORTEST_PENDULUM = 1e-3


class Template(Protocol):
    """A curve that lasts `duration` seconds."""

    @property
    def duration(self) -> float: ...

    def position(self, times: ArrayLike) -> Floats: ...

    def velocity(self, times: ArrayLike) -> Floats: ...


@dataclass(frozen=True, eq=False)
class Hermite:
    """The cubic with given places and velocities at both ends."""

    start: Floats  # (3,)
    end: Floats
    start_velocity: Floats
    end_velocity: Floats
    duration: float

    def position(self, times: ArrayLike) -> Floats:
        u = np.asarray(times, dtype=np.float64)[..., None] / self.duration
        v0, v1 = self.duration * self.start_velocity, self.duration * self.end_velocity
        way = self.end - self.start
        return np.asarray(self.start + u * (v0 + u * (3.0 * way - 2.0 * v0 - v1 + u * (v0 + v1 - 2.0 * way))))

    def velocity(self, times: ArrayLike) -> Floats:
        u = np.asarray(times, dtype=np.float64)[..., None] / self.duration
        v0, v1 = self.duration * self.start_velocity, self.duration * self.end_velocity
        way = self.end - self.start
        slope = v0 + u * (2.0 * (3.0 * way - 2.0 * v0 - v1) + 3.0 * u * (v0 + v1 - 2.0 * way))
        return np.asarray(slope / self.duration)


@dataclass(frozen=True, eq=False)
class Projectile:
    """A free flight: the horizontal velocity stays, the vertical one falls by gravity."""

    start: Floats  # (3,)
    start_velocity: Floats
    gravity: float
    duration: float

    @staticmethod
    def between(start: Floats, end: Floats, gravity: float, duration: float) -> Projectile:
        """I: both places and the time are given, the velocity is found."""
        velocity = (end - start) / duration + np.array([0.0, 0.5 * gravity * duration, 0.0])
        return Projectile(start, velocity, gravity, duration)

    @property
    def apex(self) -> float:
        """The greatest height in the course of it."""
        rise = min(max(float(self.start_velocity[1]) / self.gravity, 0.0), self.duration)
        return float(self.position(rise)[1])

    def position(self, times: ArrayLike) -> Floats:
        t = np.asarray(times, dtype=np.float64)[..., None]
        return np.asarray(self.start + t * self.start_velocity - 0.5 * self.gravity * t * t * np.array([0.0, 1.0, 0.0]))

    def velocity(self, times: ArrayLike) -> Floats:
        t = np.asarray(times, dtype=np.float64)[..., None]
        return np.asarray(self.start_velocity - self.gravity * t * np.array([0.0, 1.0, 0.0]))


def time_of_flight(start: float, end: float, height: float, gravity: float) -> float:
    """III: how long a flight from one height to another takes that has its apex at `height`."""
    if height < max(start, end):
        raise PuppetError(
            f"a flight from height {start:g} to {end:g} cannot have its apex at {height:g}: give at least "
            f"{max(start, end):g}"
        )
    return math.sqrt(2.0 * (height - start) / gravity) + math.sqrt(2.0 * (height - end) / gravity)


@dataclass(frozen=True, eq=False)
class Pendulum:
    """A mass on a rod without friction, in space: r'' = g - r (r . g + v . v) / l^2, with r from the pivot.

    Of the velocity at the start, the part along the rod does not count. With a pivot below it is an inverted pendulum.
    """

    start: Floats  # (3,)
    given_velocity: Floats
    pivot: Floats
    gravity: float
    duration: float

    def __post_init__(self) -> None:
        if self.length < SHORTEST_PENDULUM:
            raise PuppetError("a pendulum needs a pivot away from where it starts")

    @property
    def length(self) -> float:
        return float(np.linalg.norm(self.start - self.pivot))

    @property
    def start_velocity(self) -> Floats:
        rod = (self.start - self.pivot) / self.length
        return np.asarray(self.given_velocity - (self.given_velocity @ rod) * rod)

    @property
    def steps(self) -> int:
        """In how many steps it is followed."""
        speed = float(np.linalg.norm(self.start_velocity)) / self.length + math.sqrt(self.gravity / self.length)
        return max(1, math.ceil(self.duration * speed / PENDULUM_STEP))

    @cached_property
    def _course(self) -> tuple[Floats, Floats, float]:
        """Places from the pivot and velocities at equal times, (n, 3) each, and the time between two."""
        count = self.steps
        step = self.duration / count
        found = np.empty((count + 1, 2, 3))
        place, velocity = _triple(self.start - self.pivot), _triple(self.start_velocity)
        found[0] = place, velocity
        for n in range(count):  # Runge and Kutta's fourth order, put back onto the sphere
            k1 = self._acceleration(place, velocity)
            v2 = _plus(velocity, 0.5 * step, k1)
            k2 = self._acceleration(_plus(place, 0.5 * step, velocity), v2)
            v3 = _plus(velocity, 0.5 * step, k2)
            k3 = self._acceleration(_plus(place, 0.5 * step, v2), v3)
            v4 = _plus(velocity, step, k3)
            k4 = self._acceleration(_plus(place, step, v3), v4)
            place = _plus(place, step / 6.0, _sum(velocity, v2, v3, v4))
            velocity = _plus(velocity, step / 6.0, _sum(k1, k2, k3, k4))
            place = _plus((0.0, 0.0, 0.0), self.length / math.hypot(*place), place)
            velocity = _plus(velocity, -_dot(place, velocity) / self.length**2, place)
            found[n + 1] = place, velocity
        return found[:, 0], found[:, 1], step

    def _acceleration(self, place: Vector, velocity: Vector) -> Vector:
        pull = (_dot(velocity, velocity) - self.gravity * place[1]) / self.length**2
        return _plus((0.0, -self.gravity, 0.0), -pull, place)

    def _at(self, times: ArrayLike) -> tuple[Floats, Floats]:
        places, velocities, step = self._course
        t = np.clip(np.asarray(times, dtype=np.float64), 0.0, self.duration)
        n = np.minimum((t / step).astype(np.int64), len(places) - 2)
        u = (t / step - n)[..., None]
        p0, p1, v0, v1 = places[n], places[n + 1], step * velocities[n], step * velocities[n + 1]
        a, b = 3.0 * (p1 - p0) - 2.0 * v0 - v1, v0 + v1 - 2.0 * (p1 - p0)
        return p0 + u * (v0 + u * (a + u * b)), (v0 + u * (2.0 * a + 3.0 * u * b)) / step

    def position(self, times: ArrayLike) -> Floats:
        return np.asarray(self.pivot + self._at(times)[0])

    def velocity(self, times: ArrayLike) -> Floats:
        return np.asarray(self._at(times)[1])


# Three numbers without numpy, whose calls would take most of the time of so small a sum.


def _triple(values: Floats) -> Vector:
    x, y, z = values.tolist()
    return x, y, z


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _plus(a: Vector, share: float, b: Vector) -> Vector:
    return a[0] + share * b[0], a[1] + share * b[1], a[2] + share * b[2]


def _sum(a: Vector, b: Vector, c: Vector, d: Vector) -> Vector:
    """a + 2 b + 2 c + d."""
    return (
        a[0] + 2.0 * (b[0] + c[0]) + d[0],
        a[1] + 2.0 * (b[1] + c[1]) + d[1],
        a[2] + 2.0 * (b[2] + c[2]) + d[2],
    )
