"""Units and axes of a file, and ours: lengths in body heights, y up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puppet.errors import PuppetError
from puppet.types import Floats, Vector

# By the file's vertical axis: for each of our axes, the axis in the file and its sign. All are rotations, so a
# rotation about one of our axes is one about the file's, and angles need not be computed anew.
UP_AXES: dict[str, tuple[tuple[int, float], ...]] = {
    "y": ((0, 1.0), (1, 1.0), (2, 1.0)),
    "z": ((0, 1.0), (2, 1.0), (1, -1.0)),  # the puppet faces -y, its left is +x
}


@dataclass(frozen=True)
class FileAxes:
    """The file's units and axes."""

    scale: float  # length of one of our units in the file
    up: str

    def __post_init__(self) -> None:
        number = isinstance(self.scale, (int, float)) and not isinstance(self.scale, bool)
        if not (number and 1e-6 <= self.scale <= 1e6):
            raise PuppetError(f"the scale must be a number from 0.000001 to 1000000, not {self.scale!r}")
        if self.up not in UP_AXES:
            raise PuppetError(f"the up axis must be y or z, not {self.up!r}")

    def points(self, points: Floats) -> Floats:
        """Points or vectors (..., 3) in the file's units and axes."""
        found = np.empty_like(points)
        for ours, (theirs, sign) in enumerate(UP_AXES[self.up]):
            found[..., theirs] = self.scale * sign * points[..., ours]
        return found

    def vector(self, point: Floats | Vector) -> Vector:
        x, y, z = self.points(np.asarray(point, dtype=np.float64)).tolist()
        return x, y, z

    def rotation(self, axis: int) -> tuple[str, float]:
        """The file's channel for a rotation about one of our axes, and the sign of its angle."""
        theirs, sign = UP_AXES[self.up][axis]
        return f"{'XYZ'[theirs]}rotation", sign

    # ---- and back

    def our_points(self, points: Floats) -> Floats:
        """Points or vectors (..., 3) of the file in our units and axes."""
        found = np.empty_like(points)
        for ours, (theirs, sign) in enumerate(UP_AXES[self.up]):
            found[..., ours] = sign * points[..., theirs] / self.scale
        return found

    def our_rotation(self, channel: str) -> tuple[int, float]:
        """The axis of ours that a channel of the file turns about, and the sign of its angle."""
        axis = "XYZ".index(channel[0])
        return next((ours, sign) for ours, (theirs, sign) in enumerate(UP_AXES[self.up]) if theirs == axis)
