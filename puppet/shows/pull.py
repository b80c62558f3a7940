"""A part of the body that is held and pulled, as the pointer does it: one drag a frame, for as long as it is held."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from puppet.command import Drag
from puppet.scene import as_position
from puppet.types import Floats, Vector

_DIGITS = 5  # of places in the take
_STILL = 1e-5  # radians a frame: a body that moves no faster has come to rest


@dataclass
class Pull:
    """A point of a part, in its own coordinates, and the place that it is pulled to."""

    part: str
    point: Vector
    place: Vector
    task: int | None = None  # the last drag's number in the stage's entries
    _asked: Vector | None = None
    _before: Floats | None = None

    @staticmethod
    def of(part: str, point: ArrayLike, place: ArrayLike) -> Pull:
        return Pull(part, rounded(point), rounded(place))

    def next(self, angles: Floats) -> Drag | None:
        """What to ask for in the frame after a posture; None where the body has come to rest at the place."""
        before = self._before
        if before is not None and self._asked == self.place and float(np.abs(angles - before).max()) < _STILL:
            return None
        self._asked, self._before = self.place, angles
        return Drag(part=self.part, to=self.place, point=self.point, speed=1)


def rounded(values: ArrayLike, digits: int = _DIGITS) -> Vector:
    """Three numbers as the take has them."""
    x, y, z = (round(value, digits) + 0.0 for value in as_position(np.asarray(values, dtype=np.float64)))
    return x, y, z
