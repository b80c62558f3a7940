"""The course of the centre of mass over feet that come and go: the linear inverted pendulum.

A mass at the height h over a point of support p is driven away from it: c'' = (g / h) (c - p). Where the point of
support goes in time is known from the footsteps; the course that stays above it is the solution of

    c[i-1] - (2 + k) c[i] + c[i+1] = -k p[i],     k = (g / h) dt^2,

with both ends where the body stands (Kajita et al. 2003 have the same by preview).
"""

from __future__ import annotations

import numpy as np

from puppet.types import Floats


def pendulum_course(support: Floats, stiffness: float) -> Floats:
    """The mass (frames, 2) over points of support (frames, 2), of which the first and the last are its own places;
    stiffness: k above."""
    count = len(support)
    found = np.array(support, dtype=np.float64)
    if count < 3:
        return found
    # elimination of the three diagonals (Thomas); they are all the same, and dominant
    above, right = np.empty(count - 2), np.empty((count - 2, 2))
    for i in range(count - 2):
        before = above[i - 1] if i else 0.0
        pivot = -(2.0 + stiffness) - before
        side = -stiffness * support[i + 1]
        if i == 0:
            side = side - support[0]
        if i == count - 3:
            side = side - support[-1]
        above[i] = 1.0 / pivot
        right[i] = (side - (right[i - 1] if i else 0.0)) / pivot
    for i in range(count - 3, -1, -1):
        found[i + 1] = right[i] - (above[i] * found[i + 2] if i < count - 3 else 0.0)
    return found
