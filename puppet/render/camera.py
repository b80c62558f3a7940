"""An orbit camera: pure arithmetic, no window, no graphics library."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from puppet.errors import PuppetError, did_you_mean
from puppet.types import Floats, Vector

FIELD_OF_VIEW = math.radians(26.0)  # of the picture's height; a long lens, so that near hands do not look huge
MIN_ELEVATION, MAX_ELEVATION = math.radians(-15.0), math.radians(90.0)
MIN_DISTANCE, MAX_DISTANCE = 0.1, 50.0  # how far one can zoom
_NEAR = 0.1  # plane, of the distance: nothing nearer to the eye is seen


@dataclass(frozen=True)
class Camera:
    """Azimuth 0 stands before the puppet (+z) and grows towards the puppet's left (+x); angles in radians."""

    target: Vector
    distance: float
    azimuth: float = 0.0
    elevation: float = 0.0
    field_of_view: float = FIELD_OF_VIEW
    shift: tuple[float, float] = (0.0, 0.0)  # where the target is seen, in half pictures to the right and up

    @cached_property
    def axes(self) -> Floats:
        """Right, up and backward in the world, one a row, (3, 3). Defined when looking straight down, too."""
        sa, ca = math.sin(self.azimuth), math.cos(self.azimuth)
        se, ce = math.sin(self.elevation), math.cos(self.elevation)
        rows: Floats = np.array([[ca, 0.0, -sa], [-sa * se, ce, -ca * se], [sa * ce, se, ca * ce]])
        rows.flags.writeable = False
        return rows

    @property
    def eye(self) -> Floats:
        return np.asarray(self.target + self.distance * self.axes[2], dtype=np.float64)

    @property
    def view(self) -> Floats:
        """World to camera, (4, 4)."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.axes
        matrix[:3, 3] = -self.axes @ self.eye
        return matrix

    def projection(self, aspect: float) -> Floats:
        """Camera to OpenGL's clip space, (4, 4); `aspect` is width by height."""
        near, far = self._range
        scale = 1.0 / math.tan(0.5 * self.field_of_view)
        matrix = np.zeros((4, 4))
        matrix[0, 0], matrix[1, 1] = scale / aspect, scale
        matrix[0, 2], matrix[1, 2] = -self.shift[0], -self.shift[1]
        matrix[2, 2], matrix[2, 3] = (far + near) / (near - far), 2.0 * far * near / (near - far)
        matrix[3, 2] = -1.0
        return matrix

    def depth(self, distance: ArrayLike) -> Floats:
        """OpenGL's depth, -1 to 1, at a distance in front of the eye."""
        near, far = self._range
        return np.asarray((far + near - 2.0 * far * near / np.asarray(distance, dtype=np.float64)) / (far - near))

    @property
    def _range(self) -> tuple[float, float]:
        return _NEAR * self.distance, self.distance + 12.0

    def project(self, points: ArrayLike, size: tuple[int, int]) -> Floats:
        """Pixels (x to the right, y down, from the upper left corner) and distance in front of the eye, (..., 3)."""
        width, height = size
        local = (np.asarray(points, dtype=np.float64) - self.eye) @ self.axes.T
        depth = -local[..., 2]
        scale = 0.5 * height / (math.tan(0.5 * self.field_of_view) * depth)
        x, y = 0.5 * width * (1.0 + self.shift[0]), 0.5 * height * (1.0 - self.shift[1])
        return np.stack([x + scale * local[..., 0], y - scale * local[..., 1], depth], axis=-1)

    def ray(self, pixel: tuple[float, float], size: tuple[int, int]) -> tuple[Floats, Floats]:
        """The eye, and the direction (of length 1) in which a pixel is seen."""
        width, height = size
        scale = math.tan(0.5 * self.field_of_view) / (0.5 * height)
        x, y = 0.5 * width * (1.0 + self.shift[0]), 0.5 * height * (1.0 - self.shift[1])
        local = np.array([(pixel[0] - x) * scale, (y - pixel[1]) * scale, -1.0])
        direction = local @ self.axes
        return self.eye, direction / np.linalg.norm(direction)

    def orbit(self, azimuth: float, elevation: float) -> Camera:
        """Turned about its target, by radians."""
        return replace(
            self,
            azimuth=math.remainder(self.azimuth + azimuth, 2.0 * math.pi),
            elevation=min(max(self.elevation + elevation, MIN_ELEVATION), MAX_ELEVATION),
        )

    def pan(self, pixels: tuple[float, float], size: tuple[int, int]) -> Camera:
        """Moved so that the target follows a mouse that is dragged by some pixels."""
        scale = 2.0 * self.distance * math.tan(0.5 * self.field_of_view) / size[1]
        moved = np.asarray(self.target) - scale * pixels[0] * self.axes[0] + scale * pixels[1] * self.axes[1]
        return replace(self, target=_vector(moved))

    def zoom(self, factor: float) -> Camera:
        """Nearer by a factor above 1, farther by one below."""
        return replace(self, distance=min(max(self.distance / factor, MIN_DISTANCE), MAX_DISTANCE))

    def framing(self, points: ArrayLike, aspect: float, margin: float = 0.06) -> Camera:
        """As near as possible with all points (n, 3) in view; `margin` is a share of the picture."""
        local = np.asarray(points, dtype=np.float64).reshape(-1, 3) @ self.axes.T
        half = math.tan(0.5 * self.field_of_view) * (1.0 - 2.0 * margin)
        eye, needed = np.zeros(3), []
        for axis, slope in ((0, half * aspect), (1, half)):
            most = np.max(local[:, axis] + slope * local[:, 2])  # the two sides of the wedge that contains the points
            least = np.max(-local[:, axis] + slope * local[:, 2])
            eye[axis] = 0.5 * (most - least)
            needed.append(0.5 * (most + least) / slope)
        middle, deep = 0.5 * (local[:, 2].min() + local[:, 2].max()), 0.5 * float(np.ptp(local[:, 2]))
        distance = max(float(max(needed)) - middle, deep / (1.0 - 2.0 * _NEAR), MIN_DISTANCE)
        eye[2] = middle
        return replace(self, target=_vector(eye @ self.axes), distance=distance)


_ORIGIN = (0.0, 0.0, 0.0)
PRESETS: Mapping[str, Camera] = {
    "front": Camera(_ORIGIN, 1.0, 0.0, math.radians(14.0)),
    "side": Camera(_ORIGIN, 1.0, math.radians(90.0), math.radians(8.0)),
    "top": Camera(_ORIGIN, 1.0, 0.0, math.radians(90.0)),
    "three-quarter": Camera(_ORIGIN, 1.0, math.radians(36.0), math.radians(19.0)),
}


def preset(name: str, points: ArrayLike, aspect: float) -> Camera:
    """A camera by its name, as near as possible with all points in view."""
    if name not in PRESETS:
        raise PuppetError(f"unknown camera '{name}'; {did_you_mean(name, PRESETS)}")
    return PRESETS[name].framing(points, aspect)


def _vector(values: Floats) -> Vector:
    x, y, z = (float(v) for v in values)
    return x, y, z
