"""Coordinates of an animation space: functions of the posture, their slopes, and what drives them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from puppet.arguments import listed, public_class, short
from puppet.body import AXES
from puppet.errors import PuppetError
from puppet.solver import CentreOfMass, Function
from puppet.types import Floats

Course = Callable[[float], ArrayLike]


def check_axes(axes: str) -> None:
    if not axes or any(axis not in AXES for axis in axes) or len(set(axes)) < len(axes):
        raise PuppetError(f"the axes of a place are some of x, y and z, as in 'xz', not {short(axes)}")


@public_class
@dataclass(frozen=True)
class PartPlace:
    """Where a part is, or where it is seen from another one, along some of the world's axes."""

    part: str
    seen_from: str | None = None
    axes: str = AXES

    def __post_init__(self) -> None:
        check_axes(self.axes)

    @property
    def of(self) -> tuple[str, ...]:
        return (self.part,) if self.seen_from is None else (self.part, self.seen_from)

    @property
    def slopes(self) -> Floats:
        rows = np.eye(3)[[AXES.index(axis) for axis in self.axes]]
        return rows if self.seen_from is None else np.hstack([rows, -rows])


@public_class
@dataclass(frozen=True)
class Angles:
    """Angles of joints in radians, by the names of degrees of freedom, as elbow.x."""

    of: Sequence[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "of", (self.of,) if isinstance(self.of, str) else listed(self.of, str))

    @property
    def slopes(self) -> Floats:
        return np.eye(len(self.of))


SpaceFeature = PartPlace | Angles | Function | CentreOfMass


class Coordinate:
    """A feature that is driven to a target, or along a course of the time in seconds."""

    def __init__(self, feature: SpaceFeature, course: Course, size: int, rate: float, priority: int) -> None:
        self.feature, self.course, self.size, self.rate, self.priority = feature, course, size, rate, priority
        self.slopes = feature.slopes if isinstance(feature, (PartPlace, Angles)) else None  # those that never change

    def target(self, time: float, h: float) -> tuple[Floats, Floats, Floats]:
        """Where it shall be, with velocity and acceleration: the paper's u, u' and u''."""
        one, now, other = (self._at(time + s * h) for s in (-1.0, 0.0, 1.0))
        return now, (other - one) / (2.0 * h), (other - 2.0 * now + one) / (h * h)

    def _at(self, time: float) -> Floats:
        """The course at a time."""
        told = self.course(time)
        try:
            found = np.asarray(told, dtype=np.float64).ravel()
        except (TypeError, ValueError):
            found = np.zeros(0)
        if found.shape != (self.size,) or not np.isfinite(found).all():
            raise PuppetError(f"a course gives {self.size} finite numbers, not {short(told)} at {time:g} s")
        return found

    def measured(self, inputs: list[Floats], speeds: Floats, rates: Floats) -> tuple[Floats, Floats, Floats]:
        """Value, d value / d inputs, and how the value accelerates by itself, for the inputs' velocities and
        accelerations."""
        if self.slopes is not None:
            flat = np.concatenate(inputs)
            return self.slopes @ flat, self.slopes, self.slopes @ rates
        assert isinstance(self.feature, Function)
        slopes = self.feature.jacobian(inputs)
        return self.feature.value(inputs), slopes, slopes @ rates + self.feature.bend(inputs, speeds)
