"""What a hand is asked to do: where its tip shall be and how it is turned."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from puppet.arguments import public_class, short
from puppet.errors import GoalError
from puppet.types import Floats

FARTHEST_GOAL = 1e3  # a goal farther away than this is a mistake, not a stretch


@public_class
class HandGoal:
    """The tip of a hand at `position`, (3,) in the world, the hand turned as `orientation`, (3, 3), or as it likes.

    Both are copied and read-only.
    """

    __slots__ = ("orientation", "position", "row")

    position: Floats  # (3,)
    orientation: Floats | None  # (3, 3)
    row: Floats  # (12,), position and rotation as the kernels read them; no rotation: the identity

    def __init__(self, position: ArrayLike, orientation: ArrayLike | None = None) -> None:
        row = np.empty(12)
        row[:3] = point(position, "a goal's position")
        row[3:] = np.eye(3).ravel() if orientation is None else _rotation(orientation).ravel()
        row.setflags(write=False)
        object.__setattr__(self, "row", row)
        object.__setattr__(self, "position", row[:3])
        object.__setattr__(self, "orientation", None if orientation is None else row[3:].reshape(3, 3))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a HandGoal does not change; make a new one")

    def __reduce__(self) -> tuple[type[HandGoal], tuple[Floats, Floats | None]]:
        return HandGoal, (self.position, self.orientation)

    def __repr__(self) -> str:
        orientation = None if self.orientation is None else self.orientation.tolist()
        return f"HandGoal({self.position.tolist()}, {orientation})"


def point(value: ArrayLike, what: str) -> Floats:
    """Three finite numbers within reason, or a GoalError that says what is wrong with them."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise GoalError(f"{what} must be three numbers, not {short(value)}") from None
    if array.shape != (3,):
        raise GoalError(f"{what} must be three numbers, not an array of shape {array.shape}")
    if not np.all(np.isfinite(array)):
        raise GoalError(f"{what} must be finite, not {short(array.tolist())}")
    if np.max(np.abs(array)) > FARTHEST_GOAL:
        raise GoalError(f"{what} is absurdly far away: {short(array.tolist())}; units are body heights or the like")
    return array


def _rotation(value: ArrayLike) -> Floats:
    try:
        matrix = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise GoalError(f"an orientation must be a rotation matrix of 3 x 3 numbers, not {short(value)}") from None
    if matrix.shape != (3, 3):
        raise GoalError(f"an orientation must be a rotation matrix of 3 x 3 numbers, not of shape {matrix.shape}")
    if not np.all(np.isfinite(matrix)):
        raise GoalError("an orientation must be finite; there is a nan or an infinity in it")
    skew = float(np.max(np.abs(matrix @ matrix.T - np.eye(3))))
    if skew > 1e-4:
        raise GoalError("an orientation must be a rotation matrix; its rows are not unit vectors at right angles")
    if np.linalg.det(matrix) < 0.0:
        raise GoalError("an orientation must be a rotation; this matrix mirrors")
    if skew > 1e-12:  # written with few digits: take the nearest exact rotation
        u, _, vt = np.linalg.svd(matrix)
        matrix = u @ vt
    return matrix
