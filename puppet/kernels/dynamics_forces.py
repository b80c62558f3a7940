"""Contact forces inside their cones, compiled: non-negative least squares with few rows and many columns.

The forces x >= 0 along the edges of all cones minimise 1/2 |P x + y|^2 + e/2 |x|^2. With z = P x + y the conditions
are x = max(0, -P^T z) / e, so that what is left is to find the z where z - y - P max(0, -P^T z) / e = 0: the slope of a
convex function of six unknowns, quadratic in pieces. Newton's method with a search along each step finds it.
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.jit import inner

ROWS = 6  # of P: the whole body's momentum
_MOST_STEPS = 40
CLOSE = 1e-11
_ENOUGH = 0.1  # of the slope, along a step


@inner
def nonnegative_least_squares(columns, count, offset, ease, z, x, slope, square, step):
    """x (count,) for the columns of P, in rows of `columns` (count, ROWS), and y = offset (ROWS,); returns the steps.

    ease: e. z (ROWS,) is where the search begins and ends. slope, step (ROWS,) and square (ROWS, ROWS): room to work.
    """
    scale = 1.0
    for r in range(ROWS):
        scale += abs(offset[r])
    for n in range(_MOST_STEPS):
        for r in range(ROWS):
            slope[r] = z[r] - offset[r]
            for s in range(ROWS):
                square[r, s] = 1.0 if r == s else 0.0
        for k in range(count):
            along = 0.0
            for r in range(ROWS):
                along -= columns[k, r] * z[r]
            x[k] = max(0.0, along) / ease
            if along > 0.0:
                for r in range(ROWS):
                    slope[r] -= columns[k, r] * x[k]
                    share = columns[k, r] / ease
                    for s in range(r + 1):
                        square[r, s] += share * columns[k, s]
        most = 0.0
        for r in range(ROWS):
            most = max(most, abs(slope[r]))
            step[r] = -slope[r]
        if most <= CLOSE * scale:
            return n
        factor(square, ROWS)
        solve_factored(square, ROWS, step)
        fall = 0.0
        for r in range(ROWS):
            fall += slope[r] * step[r]
        length = search(columns, count, offset, ease, z, step, -fall)
        for r in range(ROWS):
            z[r] += length * step[r]
    return _MOST_STEPS


@inner
def search(columns, count, offset, ease, z, step, fall):
    """How far to go along a step: where the slope along it, which only grows, from -fall, is about zero."""
    low, high, length = 0.0, 0.0, 1.0
    for _ in range(_MOST_STEPS):
        rise, bend = 0.0, 0.0  # the slope along the step, and its own slope
        for r in range(ROWS):
            rise += (z[r] + length * step[r] - offset[r]) * step[r]
            bend += step[r] * step[r]
        for k in range(count):
            along, towards = 0.0, 0.0
            for r in range(ROWS):
                along -= columns[k, r] * (z[r] + length * step[r])
                towards -= columns[k, r] * step[r]
            if along > 0.0:
                rise += along * towards / ease
                bend += towards * towards / ease
        if abs(rise) <= _ENOUGH * fall:
            break
        if rise > 0.0:
            high = length
        else:
            low = length
        length -= rise / bend
        if length <= low or (high > 0.0 and length >= high):
            length = 0.5 * (low + high) if high > 0.0 else 2.0 * low
    return length


@inner
def factor(square, size):
    """Cholesky, in the lower half."""
    for i in range(size):
        for j in range(i + 1):
            found = square[i, j]
            for k in range(j):
                found -= square[i, k] * square[j, k]
            if i == j:
                square[i, i] = math.sqrt(max(found, 1e-300))
            else:
                square[i, j] = found / square[j, j]


@inner
def solve_lower(square, size, right):
    """L y = right, in place."""
    for i in range(size):
        found = right[i]
        for k in range(i):
            found -= square[i, k] * right[k]
        right[i] = found / square[i, i]


@inner
def solve_factored(square, size, right):
    """L L^T y = right, in place."""
    solve_lower(square, size, right)
    for i in range(size - 1, -1, -1):
        found = right[i]
        for k in range(i + 1, size):
            found -= square[k, i] * right[k]
        right[i] = found / square[i, i]


@inner
def balance_room(size, most, edges):
    """Room for balance: as many rows as there may be, and edges of cones."""
    return (
        np.empty((most, size)),
        np.empty((most, most)),
        np.empty(most),
        np.empty((edges, 2 * ROWS)),
        np.empty(edges),
        np.empty(ROWS),
        np.empty(ROWS),
        np.empty((ROWS, ROWS)),
        np.empty(ROWS),
        np.empty(most),
    )
