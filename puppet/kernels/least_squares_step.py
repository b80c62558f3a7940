"""One damped step of least squares with one-sided residuals, and the layout of its workspace.

    (J^T J + mu D) dq = -J^T r,    D = diag(J^T J).

J and r hold the two-sided residuals and those one-sided ones that the step leaves positive: r + J dq > 0. Because that
depends on dq it is decided anew up to MODELS times, from dq = 0. A limit of a variable is one more one-sided residual.
The solution is by Cholesky's method; a step with a part longer than _LONGEST is shortened.
"""

from __future__ import annotations

import math

from puppet.kernels.forward_kinematics import bounds
from puppet.kernels.jit import inner
from puppet.kernels.model import LOWER, UPPER

MODELS = 4  # times that it is decided which one-sided residuals count
STIFF = 20.0  # weight of what must hold, against a trunk off its estimate by its whole range
_LONGEST = 0.2  # step, radians: longer ones leap over the nearest minimum
# Residuals of an arm. One-sided: six limits, six parts against the table, elbow below wrist, goal within reach.
# Two-sided: six angles, twist, the gap between the arm's length and the goal's distance.
CLEARANCES, HANGING, REACH_ROW, COMFORTS, TWIST_ROW, GAP, RESIDUALS = 6, 12, 13, 14, 20, 21, 22
# Rows of the workspace for each arm: its rows of J, (RESIDUALS, variables); y and z of the Jacobian of shoulder, elbow,
# wrist and tip, (8, variables); its residuals where J is taken; those of a trial; its state; its nine axes, (9, 3).
RESIDUAL_ROW = RESIDUALS + 8
TRIAL_ROW, STATE_ROW, AXIS_ROWS, ARM_ROWS = RESIDUAL_ROW + 1, RESIDUAL_ROW + 2, RESIDUAL_ROW + 3, RESIDUAL_ROW + 12
# In an arm's state: rotation of the upper arm where J is taken, (9,); swivel since; y and z of its points, (8,).
SWIVELLED, ARM_POINTS = 9, 10
ARM_VARIABLES = 3  # variables of an arm: swivel, twist, bend of the elbow


@inner
def solve_cholesky_in_rows(work, a, x, count):
    """Solves A x = b by Cholesky's method. A stands in the rows from a on, its lower half, and is overwritten; row x
    holds b, the row after A's last, and takes x. Pivots below 1e-12 are raised to it."""
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
    """Adds the residual sqrt(weight) (q_i - limit) where q_i, now `value`, is beyond a limit after the step."""
    ahead = value + work[a + count + 1, i]
    if ahead < lower or ahead > upper:
        work[a + i, i] += weight
        work[a + count, i] -= weight * (value - (lower if ahead < lower else upper))


@inner
def add_residual(work, m, value, axes, first, a, count):
    """Adds one residual of an arm, with its row m of J, to the normal equations in the rows from a on."""
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
    """The step dq, into the last row of work; see above.

    Rows of work from `base` on: normal equations of the two-sided residuals (lower half of J^T J, then -J^T r), the
    same with all others added, the step.
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
    if change > _LONGEST:
        for i in range(count):
            work[step, i] *= _LONGEST / change
