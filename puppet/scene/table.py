"""The table: solid below its top and behind its front edge, unbounded to both sides and to the back unless it has a
size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from puppet.arguments import public_class, short
from puppet.errors import PuppetError


@public_class
@dataclass(frozen=True)
class Table:
    """The table fills all space below `height` and behind `front` along +z (Figure 3.7).

    `skew` is the x of its middle, from which an environment file measures its spaces. With a `size`, along x and z, it
    ends at its other three edges. `before` is the x of the body before it, where its hands lie: None is its middle.
    """

    height: float
    front: float
    skew: float = 0.0
    size: tuple[float, float] | None = None
    before: float | None = None

    def __post_init__(self) -> None:
        for name in ("height", "front", "skew"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
                raise PuppetError(f"the table's {name} must be a number, not {short(value)}")
            object.__setattr__(self, name, float(value))

    @cached_property
    def row(self) -> NDArray[np.float64]:
        """Height and front, as the kernels read a table."""
        return np.array([self.height, self.front])


def no_table(floor: float) -> Table:
    """What a room without a table has instead: a place in the middle of its floor, from which spaces are measured."""
    return Table(floor, 0.0, size=(0.0, 0.0))
