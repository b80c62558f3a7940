"""What can be asked of a figure's posture besides the place of a part: sums over all its segments, and functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from puppet.arguments import listed, public_class, short
from puppet.errors import PuppetError
from puppet.types import Floats

AXIS_NAMES = "xyz"


@public_class
@dataclass(frozen=True)
class CentreOfMass:
    """The centre of mass at a place; axes that are None are left free."""

    x: float | None = None
    y: float | None = None
    z: float | None = None

    def __post_init__(self) -> None:
        _axes(self, "a centre of mass")

    @property
    def values(self) -> tuple[float | None, float | None, float | None]:
        return self.x, self.y, self.z


@public_class
@dataclass(frozen=True)
class AngularMomentum:
    """Angular momentum about the centre of mass, for body mass 1 and height 1, in radians a frame; None is left
    free."""

    x: float | None = 0.0
    y: float | None = 0.0
    z: float | None = 0.0

    def __post_init__(self) -> None:
        _axes(self, "an angular momentum")

    @property
    def values(self) -> tuple[float | None, float | None, float | None]:
        return self.x, self.y, self.z


@public_class
@dataclass(frozen=True)
class Inertia:
    """The moment of inertia about an axis through the centre of mass, for body mass 1 and height 1."""

    value: float
    axis: str = "x"

    def __post_init__(self) -> None:
        if self.axis not in ("x", "y", "z"):
            raise PuppetError(f"the axis of an inertia is x, y or z, not {short(self.axis)}")
        if not _is_number(self.value) or self.value <= 0.0:
            raise PuppetError(f"an inertia is a number above 0, not {short(self.value)}")


@public_class
@dataclass(frozen=True)
class Function:
    """Any function of the places of some parts and of the angles of some joints, `of`: it is given a position (3,) for
    the name of a part and a number of radians for that of a degree of freedom, as elbow.x, and gives a number or an
    array that shall be `target`."""

    function: Callable[..., Any]
    target: Any
    of: Sequence[str]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise PuppetError(f"a function task needs a function, not {short(self.function)}")
        names = (self.of,) if isinstance(self.of, str) else listed(self.of, str)
        if not names:
            raise PuppetError("a function task needs at least one part that it is a function of")
        object.__setattr__(self, "of", names)
        object.__setattr__(self, "target", _values(self.target, "the target of a function task"))

    def value(self, inputs: Iterable[Floats]) -> Floats:
        """The values at some inputs: positions (3,), and angles (1,)."""
        given = [float(entry[0]) if len(entry) == 1 else entry for entry in _inputs(inputs)]
        found = _values(self.function(*given), "a function task gives")
        if found.shape != self.target.shape:
            raise PuppetError(f"a function task gives {found.size} values, and its target has {self.target.size}")
        return found

    def jacobian(self, inputs: list[Floats]) -> Floats:
        """d value / d inputs, (values, 3 * parts + angles), by central differences."""
        inputs = _inputs(inputs)
        flat, sizes = np.concatenate(inputs), [len(entry) for entry in inputs]
        found = np.empty((self.target.size, flat.size))
        for n in range(flat.size):
            sides = []
            for sign in (1.0, -1.0):
                moved = flat.copy()
                moved[n] += sign * _STEP
                sides.append(self.value(_cut(moved, sizes)))
            found[:, n] = (sides[0] - sides[1]) / (2.0 * _STEP)
        return found

    def bend(self, inputs: list[Floats], speeds: Floats) -> Floats:
        """v^T H v: how the values accelerate while the inputs keep their velocities v = speeds, (values,)."""
        inputs = _inputs(inputs)
        flat, sizes = np.concatenate(inputs), [len(entry) for entry in inputs]
        if np.shape(speeds) != flat.shape:
            raise PuppetError(f"there are as many speeds as inputs, {flat.size}, not {short(speeds)}")
        length = float(np.linalg.norm(speeds))
        if length < 1e-12:
            return np.zeros(self.target.size)
        way = speeds * (_FAR / length)
        one, middle, other = (self.value(_cut(flat + sign * way, sizes)) for sign in (1.0, 0.0, -1.0))
        return np.asarray((one - 2.0 * middle + other) * (length / _FAR) ** 2)


_FAR = 1e-4  # for second differences
_STEP = 1e-6
Feature = CentreOfMass | AngularMomentum | Inertia | Function


def _inputs(inputs: Iterable[Floats]) -> list[Floats]:
    """What a function is given: a position (3,) of each part, an angle (1,) of each degree of freedom."""
    found = [np.array(entry, dtype=np.float64) for entry in inputs]
    if not found or not all(entry.shape in ((1,), (3,)) for entry in found):
        raise PuppetError(f"the inputs of a function are positions (3,) and angles (1,), not {short(found)}")
    return found


def _cut(flat: Floats, sizes: Sequence[int]) -> list[Floats]:
    """One array after the other of these sizes."""
    found, first = [], 0
    for size in sizes:
        found.append(flat[first : first + size])
        first += size
    return found


def _axes(feature: CentreOfMass | AngularMomentum, what: str) -> None:
    for name, value in zip(AXIS_NAMES, feature.values, strict=True):
        if value is not None and not _is_number(value):
            raise PuppetError(f"{what} has a number for {name}, or None, not {short(value)}")
    if all(value is None for value in feature.values):
        raise PuppetError(f"{what} needs at least one of x, y and z")


def _is_number(value: object) -> bool:
    number = isinstance(value, (int, float, np.floating, np.integer)) and not isinstance(value, bool)
    return number and math.isfinite(float(value))  # type: ignore[arg-type]


def _values(value: Any, what: str) -> Floats:
    try:
        found = np.atleast_1d(np.asarray(value, dtype=np.float64)).ravel()
    except (TypeError, ValueError, OverflowError, MemoryError):
        raise PuppetError(f"{what}: expected a number or an array of numbers, found {short(value)}") from None
    if not np.all(np.isfinite(found)):
        raise PuppetError(f"{what}: expected finite numbers, found {short(value)}")
    return found
