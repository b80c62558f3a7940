"""A step of several angles inside their limits, by the active-set method: what Newton and Gauss-Newton steps have in
common.

    (N + mu I) dq = b    for the free axes,    dq = 0    for the held ones,

an axis being held where it is at a limit and b or dq would take it beyond.
"""

from __future__ import annotations

import math

from puppet.kernels.jit import inner

AT_LIMIT = 1e-9  # radians


@inner
def hold_axes(q, low, high, step, held):
    """Holds the axes that are at a limit and would leave it; returns whether there are new ones."""
    more = False
    for d in range(q.shape[0]):
        down, up = q[d] <= low[d] + AT_LIMIT and step[d] <= 0.0, q[d] >= high[d] - AT_LIMIT and step[d] >= 0.0
        if held[d] == 0.0 and (down or up):
            held[d] = 1.0
            more = True
    return more


@inner
def bounded_step(q, low, high, normal, damping, matrix, held, step):
    """dq, into step, for the equations in normal (n, n + 1): the lower half of N, and b in the last column.

    Axes are held first where b pushes them beyond their limits, then where dq would take them there. Returns the
    greatest part of dq, or -1 where N + mu I is not positive definite, and mu (damping) has to be greater.
    """
    count = q.shape[0]
    for d in range(count):
        step[d], held[d] = normal[d, count], 0.0
    hold_axes(q, low, high, step, held)
    for _ in range(count):
        for a in range(count):
            step[a] = (1.0 - held[a]) * normal[a, count]
            for b in range(a + 1):
                matrix[a, b] = normal[a, b] if held[a] + held[b] == 0.0 else 0.0
            matrix[a, a] += damping if held[a] == 0.0 else 1.0
        if not solve_cholesky(matrix, step):
            return -1.0
        if not hold_axes(q, low, high, step, held):
            break
    largest = 0.0
    for d in range(count):
        largest = max(largest, abs(step[d]))
    return largest


@inner
def solve_cholesky(matrix, x):
    """x = matrix^-1 x in place, for a matrix of which the lower half is given; returns whether it is positive definite.

    By Cholesky's method; the diagonal of the factor is kept inverted.
    """
    count = x.shape[0]
    for a in range(count):
        for b in range(a + 1):
            value = matrix[a, b]
            for k in range(b):
                value -= matrix[a, k] * matrix[b, k]
            if b == a and value <= 1e-18:
                return False
            matrix[a, b] = value * matrix[b, b] if b < a else 1.0 / math.sqrt(value)
    for a in range(count):
        for k in range(a):
            x[a] -= matrix[a, k] * x[k]
        x[a] *= matrix[a, a]
    for back in range(count):
        a = count - 1 - back
        for k in range(a + 1, count):
            x[a] -= matrix[k, a] * x[k]
        x[a] *= matrix[a, a]
    return True
