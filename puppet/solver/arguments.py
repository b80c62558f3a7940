"""Checks of what a figure is given: gains, points, rotations and postures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from puppet.arguments import short
from puppet.body import Body
from puppet.errors import PuppetError
from puppet.types import Floats

_UNIT = np.eye(3)
_LEAST_GAIN = 1e-9  # what has less is not held at all


def checked_gain(value: object) -> float:
    number = isinstance(value, (int, float, np.floating)) and not isinstance(value, bool)
    if not number or not 0.0 <= float(value) <= 1.0:  # type: ignore[arg-type]
        raise PuppetError(f"a gain is a number from 0 to 1, not {short(value)}")
    gain = float(value)  # type: ignore[arg-type]
    return gain if gain > _LEAST_GAIN else 0.0


def checked_still(value: object) -> float:
    number = isinstance(value, (int, float, np.floating)) and not isinstance(value, bool)
    if not number or not 0.0 <= value < math.inf:  # type: ignore[operator]
        raise PuppetError(f"how still a figure shall be is a number from 0 on, not {short(value)}")
    return float(value)  # type: ignore[arg-type]


def checked_point(value: Any, what: str) -> Floats:
    try:
        found = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise PuppetError(f"{what} is three numbers, not {short(value)}") from None
    if found.shape == (3,):
        x, y, z = found.tolist()
        if math.isfinite(x) and math.isfinite(y) and math.isfinite(z):
            return found
    raise PuppetError(f"{what} is three finite numbers, not {short(value)}")


def checked_rotation(value: Any, what: str) -> Floats:
    try:
        found = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise PuppetError(f"{what} is a rotation, (3, 3), not {short(value)}") from None
    if found.shape != (3, 3) or not _is_unit(found @ found.T) or np.linalg.det(found) < 0.0:
        raise PuppetError(f"{what} is a rotation, (3, 3), not {short(value)}")
    return found


def _is_unit(matrix: Floats) -> bool:
    """Whether a matrix (3, 3) is the identity, nearly."""
    return bool((np.abs(matrix - _UNIT) <= 1e-6 + 1e-5 * _UNIT).all())


def checked_posture(body: Body, angles: ArrayLike) -> Floats:
    try:
        found = np.array(angles, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise PuppetError(f"a posture of '{body.name}' is {body.dofs} numbers, not {short(angles)}") from None
    if found.shape != (body.dofs,):
        raise PuppetError(f"a posture of '{body.name}' has {body.dofs} numbers, not the shape {found.shape}")
    if not np.all(np.isfinite(found)):
        raise PuppetError("a posture must be finite; there is a nan or an infinity in it")
    return found
