"""Polynomials from one value to another."""

from __future__ import annotations

import numpy as np

from puppet.types import Floats


def minimum_jerk(u: Floats) -> Floats:
    """The polynomial from 0 to 1 of least squared third derivative that starts and ends at rest."""
    return np.asarray(u * u * u * (10.0 + u * (6.0 * u - 15.0)))


def hermite(
    start: Floats | float, end: Floats | float, leaves: Floats | float, arrives: Floats | float, u: float
) -> Floats:
    """The cubic from a start (u = 0) to an end (u = 1) with these derivatives by u there."""
    v = 1.0 - u
    return np.asarray(
        v * v * (1.0 + 2.0 * u) * np.asarray(start) + u * v * v * np.asarray(leaves)
        + u * u * (3.0 - 2.0 * u) * np.asarray(end) - u * u * v * np.asarray(arrives)
    )  # fmt: skip
