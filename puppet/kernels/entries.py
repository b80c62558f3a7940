"""The kernels that Python calls. Goals are rows of 12: position, rotation row by row; a table is (height, front)."""

from __future__ import annotations

import numpy as np

from puppet.kernels import ccd, idle
from puppet.kernels.estimate import estimate
from puppet.kernels.forward import copy
from puppet.kernels.forward import forward as place_all
from puppet.kernels.gaze import look_at
from puppet.kernels.jit import entry, inner
from puppet.kernels.limb import TOLERANCE
from puppet.kernels.score import POSITION_TOLERANCE, score_posture
from puppet.kernels.thesis import solve_as_printed
from puppet.kernels.trunk import solve_exactly

CLEAR, BLOCKED = 0.0, 1.0  # what is said of an answer: all of it clear of the table, or no way was found


@entry
def forward(joints, angles, frames):
    """Frames (n, joints, 12) of n postures (n, dofs)."""
    for n in range(angles.shape[0]):
        place_all(joints, angles[n], frames[n])


@entry
def score(joints, dofs, gaze, limbs, trunk, goals, oriented, height, angles):
    """The score of any posture for these goals."""
    frames = np.empty((joints.shape[0], 12))
    guess = angles.copy()
    estimate(joints, dofs, gaze, limbs, trunk, goals, height, frames, guess)
    place_all(joints, angles, frames)
    return score_posture(joints, dofs, limbs, trunk, goals, oriented, height, guess, frames, angles)


@inner
def begin(joints, dofs, gaze, limbs, trunk, chain, goals, height, frames, guess, angles):
    """The estimate, into guess and, for the joints that may move, into angles."""
    copy(angles, guess)
    estimate(joints, dofs, gaze, limbs, trunk, goals, height, frames, guess)
    for j in chain:
        for d in range(3 * j, 3 * j + 3):
            angles[d] = guess[d]


@inner
def finish(
    joints, dofs, gaze, below, limbs, hands, trunk, idle_roots, goals, oriented, table, height, target, state, guess,
    frames, angles, results,
):  # fmt: skip
    """Idle limbs out of the table, the head's gaze, then what the posture is worth."""
    place_all(joints, angles, frames)
    for root in idle_roots:
        if not idle.clear_idle(joints, dofs, below, root, table, frames, angles):
            state = BLOCKED
    if target[0] == target[0]:
        look_at(joints, dofs, gaze, target[0], target[1], target[2], frames, angles)
    arms = limbs.shape[0]
    for h in range(arms):
        results[2 * h], results[2 * h + 1] = ccd.errors(
            joints, frames, hands[h : h + 1], goals[h : h + 1], oriented[h : h + 1]
        )
    results[2 * arms] = score_posture(joints, dofs, limbs, trunk, goals, oriented, height, guess, frames, angles)
    results[2 * arms + 1] = state


@entry
def solve_arms(
    joints, dofs, gaze, below, limbs, hands, trunk, chain, chain_below, idle_roots, goals, oriented, table, height, target,
    rest, frames, angles, results,
):  # fmt: skip
    """The posture generator for arms: estimate, exact solution, else the nearest; idle limbs; gaze; score.

    angles holds the start and takes the answer; target: (3,) what to look at, nan for nothing; rest: the rest posture.
    results: for each limb position and orientation error; then score, and CLEAR or BLOCKED.
    """
    guess = np.empty(angles.shape[0])
    begin(joints, dofs, gaze, limbs, trunk, chain, goals, height, frames, guess, angles)
    violation, _, _ = solve_exactly(joints, dofs, limbs, trunk, goals, oriented, table, guess, frames, angles)
    state = CLEAR
    if violation > TOLERANCE:
        starts = np.empty((4, angles.shape[0]))  # what came nearest; the estimate; at rest; arms stretched out
        for n in range(4):
            copy(angles if n == 0 else guess, starts[n])
            if n >= 2:
                for j in chain:
                    for d in range(3 * j, 3 * j + 3):
                        starts[n, d] = rest[d] if n == 2 else 0.0
        if not ccd.nearest(
            joints, dofs, chain_below, chain, limbs[:, 0].copy(), hands, goals, oriented, table,
            POSITION_TOLERANCE * height, starts, frames, angles,
        ):  # fmt: skip
            state = BLOCKED
    finish(
        joints, dofs, gaze, below, limbs, hands, trunk, idle_roots, goals, oriented, table, height, target, state, guess,
        frames, angles, results,
    )  # fmt: skip


@entry
def solve_thesis(
    joints, dofs, gaze, below, limbs, hands, trunk, chain, chain_below, idle_roots, goals, oriented, table, height, target,
    rest, frames, angles, results,
):  # fmt: skip
    """The same by Figure 5.17 as printed."""
    guess = np.empty(angles.shape[0])
    begin(joints, dofs, gaze, limbs, trunk, chain, goals, height, frames, guess, angles)
    solve_as_printed(
        joints, dofs, chain_below, limbs, hands, trunk, goals, oriented, table, height, guess, frames, angles
    )
    finish(
        joints, dofs, gaze, below, limbs, hands, trunk, idle_roots, goals, oriented, table, height, target, CLEAR, guess,
        frames, angles, results,
    )  # fmt: skip


@entry
def guess_arms(
    joints, dofs, gaze, below, limbs, hands, trunk, chain, chain_below, idle_roots, goals, oriented, table, height, target,
    rest, frames, angles, results,
):  # fmt: skip
    """The same by the estimate of Section 5.7 alone."""
    guess = np.empty(angles.shape[0])
    begin(joints, dofs, gaze, limbs, trunk, chain, goals, height, frames, guess, angles)
    finish(
        joints, dofs, gaze, below, limbs, hands, trunk, idle_roots, goals, oriented, table, height, target, CLEAR, guess,
        frames, angles, results,
    )  # fmt: skip


@entry
def solve_chain(
    joints, dofs, chain, chain_below, roots, hands, goals, oriented, table, height, starts, frames, angles, results
):  # fmt: skip
    """Any limbs, by coordinate descent on all their axes from several starts (n, dofs); no score."""
    tolerance = POSITION_TOLERANCE * height
    clear = ccd.nearest(
        joints, dofs, chain_below, chain, roots, hands, goals, oriented, table, tolerance, starts, frames, angles
    )
    for h in range(hands.shape[0]):
        results[2 * h], results[2 * h + 1] = ccd.errors(
            joints, frames, hands[h : h + 1], goals[h : h + 1], oriented[h : h + 1]
        )
    results[2 * hands.shape[0] + 1] = CLEAR if clear else BLOCKED
