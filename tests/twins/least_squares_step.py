"""One damped step of least squares with one-sided residuals and limits of variables, by dense linear algebra.

    (J^T J + mu D) dq = -J^T r,    D = diag(J^T J),

where J and r have the rows of all two-sided residuals, of those one-sided ones for which r + J dq > 0, and a row
k (q_i - limit) for each variable whose q_i + dq_i is beyond a limit. Which these are depends on dq: it is found anew a
few times, from dq = 0.
"""

from __future__ import annotations

import numpy as np

from puppet.types import Floats


def step(
    two_sided: tuple[Floats, Floats],
    one_sided: tuple[Floats, Floats],
    q: Floats,
    limits: tuple[Floats, Floats],
    stiffness: Floats,
    damping: float,
    guesses: int,
    longest: float,
) -> Floats:
    """dq (n,), no part of it longer than `longest`. two_sided, one_sided: r (rows,) and J (rows, n)."""
    dq = np.zeros_like(q)
    for _ in range(guesses):
        active = one_sided[0] + one_sided[1] @ dq > 0.0
        beyond = np.where(q + dq < limits[0], limits[0], np.where(q + dq > limits[1], limits[1], np.nan))
        out = ~np.isnan(beyond)
        r = np.concatenate([two_sided[0], one_sided[0][active], (stiffness * (q - beyond))[out]])
        J = np.concatenate([two_sided[1], one_sided[1][active], np.diag(stiffness)[out]])
        normal = J.T @ J
        before, dq = dq, -np.linalg.solve(normal + damping * np.diag(np.diag(normal)), J.T @ r)
        if np.abs(dq - before).max() < 1e-4:
            break
    return dq * min(1.0, longest / max(np.abs(dq).max(), 1e-300))
