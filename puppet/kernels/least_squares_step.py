"""One step of least squares with one-sided rows, compiled, and where everything stands in its workspace."""

from __future__ import annotations

import math

from puppet.kernels.forward_kinematics import bounds
from puppet.kernels.jit import inner
from puppet.kernels.model import LOWER, UPPER

MODELS = 4  # guesses at which one-sided rows count
STIFF = 20.0  # of what must hold, against a trunk that wants to stay
LONGEST = 0.2  # step, radians: longer ones leap over the nearest minimum
# Rows of an arm: six limits, six pieces against the table, elbow below wrist, goal within reach; then two-sided: six
# angles, twist, the goal's distance.
CLEARANCES, HANGING, REACH, COMFORTS, TWIST, GAP, RESIDUALS = 6, 12, 13, 14, 20, 21, 22
# The workspace holds for each arm: slopes of its rows; how shoulder, elbow, wrist and tip move; the rows now and on
# trial; what is kept of the arm, namely its upper arm's rotation, turn, path; the axes of its joints.
RESIDUAL_ROW, TRIAL_ROW, STATE_ROW, AXES, ARM_ROWS = (
    RESIDUALS + 8,
    RESIDUALS + 9,
    RESIDUALS + 10,
    RESIDUALS + 11,
    RESIDUALS + 20,
)
SWIVELLED, POINTS = 9, 10
ARM_VARIABLES = 3  # variables of an arm: swivel, twist, bend of the elbow


@inner
def solve_cholesky_in_rows(work, a, x, count):
    """Solves A X = X by Cholesky's method; A stands in the rows from a on and is used up, X in row x."""
    for i in range(count + 1):  # the last row is X: this is forward substitution at the same time
        for j in range(min(i + 1, count)):
            value = work[a + i, j]
            for k in range(j):
                value -= work[a + i, k] * work[a + j, k]
            # The diagonal is kept inverted.
            work[a + i, j] = value * work[a + j, j] if i != j else 1.0 / math.sqrt(max(value, 1e-12))
    for i in range(count - 1, -1, -1):
        value = work[x, i]
        for k in range(i + 1, count):
            value -= work[a + k, i] * work[x, k]
        work[x, i] = value * work[a + i, i]


@inner
def add_limit_spring(work, a, count, i, weight, value, lower, upper):
    """A limit of variable i, which is at `value` and would go on by its step, as a spring."""
    ahead = value + work[a + count + 1, i]
    if ahead < lower or ahead > upper:
        work[a + i, i] += weight
        work[a + count, i] -= weight * (value - (lower if ahead < lower else upper))


@inner
def add_residual(work, m, value, axes, first, a, count):
    """One row's part of the normal equations, which stand in the rows from a on."""
    for i in range(axes + ARM_VARIABLES):
        slope = work[m, i]
        row = i if i < axes else i + first
        work[a + count, row] -= slope * value
        for j in range(min(i + 1, axes)):
            work[a + row, j] += slope * work[m, j]
        for j in range(axes, i + 1):
            work[a + row, j + first] += slope * work[m, j]


@inner
def damped_step(dofs, limbs, trunk, angles, damping, work, base):
    """The step to the least of the squares as their slopes have it, one-sided ones where the step violates them.

    In the rows of work: the normal equations of the two-sided rows from `base` on, those to solve, then the step.
    """
    arms, axes = limbs.shape[0], 3 * trunk.shape[0]
    count = axes + ARM_VARIABLES * arms
    a = base + count + 1
    x, step = a + count, a + count + 1
    for i in range(count):
        work[step, i] = 0.0
    for _ in range(MODELS):
        for i in range(count + 1):
            for j in range(count):
                work[a + i, j] = work[base + i, j]
        for n in range(axes):
            d = 3 * trunk[n // 3] + n % 3
            lower, upper = bounds(dofs, angles, d)
            add_limit_spring(work, a, count, n, 9.0 * STIFF * STIFF, angles[d], lower, upper)
        for h in range(arms):
            first, at = (
                ARM_VARIABLES * h,
                ARM_ROWS * h,
            )  # where this arm's own columns are, less where they are in its slopes
            for m in range(COMFORTS):
                ahead = work[at + RESIDUAL_ROW, m]
                for i in range(axes):
                    ahead += work[at + m, i] * work[step, i]
                for i in range(axes, axes + ARM_VARIABLES):
                    ahead += work[at + m, i] * work[step, i + first]
                if ahead > 0.0:
                    add_residual(work, at + m, work[at + RESIDUAL_ROW, m], axes, first, a, count)
            for n in range(1, 3):
                d = 3 * limbs[h, 1] + (2 if n == 1 else 0)
                add_limit_spring(
                    work, a, count, axes + first + n, STIFF * STIFF, angles[d], dofs[d, LOWER], dofs[d, UPPER]
                )
        for i in range(count):
            work[a + i, i] *= 1.0 + damping
        solve_cholesky_in_rows(work, a, x, count)
        change = 0.0
        for i in range(count):
            change = max(change, abs(work[x, i] - work[step, i]))
            work[step, i] = work[x, i]
        if change < 1e-4:
            break
    change = 0.0
    for i in range(count):
        change = max(change, abs(work[step, i]))
    if change > LONGEST:
        for i in range(count):
            work[step, i] *= LONGEST / change
