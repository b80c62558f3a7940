"""The kernels that Python calls."""

from __future__ import annotations

from puppet.kernels.estimate import estimate
from puppet.kernels.jit import entry
from puppet.kernels.trunk import solve_exactly


@entry
def try_solve(joints, dofs, gaze, limbs, trunk, goals, oriented, table, height, guess, frames, angles):
    estimate(joints, dofs, gaze, limbs, trunk, goals, height, frames, angles)
    for n in range(angles.shape[0]):
        guess[n] = angles[n]
    return solve_exactly(joints, dofs, limbs, trunk, goals, oriented, table, guess, frames, angles)
