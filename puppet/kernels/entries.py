"""The kernels that Python calls. Goals are rows of 12: position, rotation row by row; a table is (height, front)."""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels import ccd, idle
from puppet.kernels.clearance import table_excess_below
from puppet.kernels.closely import solve_closely
from puppet.kernels.estimate import estimate
from puppet.kernels.follow import follow_best
from puppet.kernels.forward import copy
from puppet.kernels.forward import forward as place_all
from puppet.kernels.gaps import judge_way
from puppet.kernels.gaze import look_at, turn_nearly
from puppet.kernels.jit import entry
from puppet.kernels.limb import STATE_SIZE
from puppet.kernels.nearest import nearest
from puppet.kernels.rotation import triple
from puppet.kernels.score import POSITION_TOLERANCE, score_posture
from puppet.kernels.settle import settle, settling_room
from puppet.kernels.thesis import solve_as_printed
from puppet.kernels.trunk import pose

__all__ = ["STATE_SIZE", "settling_room"]  # what Python has to make room for


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


@entry
def guess_arms(joints, dofs, gaze, limbs, trunk, chain, goals, height, frames, guess, angles):
    """The estimate of Section 5.7, into guess and, for the joints that may move, into angles, which hold the start."""
    copy(angles, guess)
    estimate(joints, dofs, gaze, limbs, trunk, goals, height, frames, guess)
    for j in chain:
        for d in range(3 * j, 3 * j + 3):
            angles[d] = guess[d]


@entry
def pose_arms(joints, dofs, limbs, trunk, goals, oriented, table, guess, effort, price, frames, states, angles):
    """The best arms for a trunk: see puppet.kernels.trunk."""
    return pose(joints, dofs, limbs, trunk, goals, oriented, table, guess, effort, price, frames, states, angles)


@entry
def settle_arms(joints, dofs, limbs, trunk, goals, guess, elbow, frames, states, work, old, angles):
    """Trunk and arms settled together: see puppet.kernels.settle."""
    return settle(joints, dofs, limbs, trunk, goals, guess, elbow, frames, states, work, old, angles)


@entry
def solve_thesis(joints, dofs, limbs, hands, trunk, chain_below, goals, oriented, table, height, frames, guess, angles):
    """Trunk and arms by Figure 5.17 as printed, from the estimate, which angles hold."""
    solve_as_printed(
        joints, dofs, chain_below, limbs, hands, trunk, goals, oriented, table, height, guess, frames, angles
    )


@entry
def look_closely(joints, dofs, limbs, goals, oriented, table, guess, frames, angles):
    """A thorough search for the arms of a posture that only just failed; returns by how much it is still violated."""
    return solve_closely(joints, dofs, limbs, goals, oriented, table, guess, frames, angles)


@entry
def follow(joints, dofs, limb, bases, targets, references, ways, reaches, calm, ends, halves, things, angles):
    """A limb along a way: see puppet.kernels.follow."""
    return follow_best(
        joints, dofs, limb, bases, targets, references, ways, reaches, calm, ends, halves, things, angles
    )


@entry
def judge(joints, limb, bases, angles, table, halves, things, own, in_hand, wanted, verdict):
    """What is wrong with a limb's way: see puppet.kernels.gaps."""
    judge_way(joints, limb, bases, angles, table, halves, things, own, in_hand, wanted, verdict)


@entry
def approach(
    joints, dofs, chain, chain_below, roots, hands, goals, oriented, table, height, starts, effort, frames, angles,
):  # fmt: skip
    """Nearest posture by coordinate descent on all axes of any limbs, from several starts (n, dofs).

    Returns whether any of the starts was clear of the table.
    """
    return nearest(
        joints, dofs, chain_below, chain, roots, hands, goals, oriented, table, POSITION_TOLERANCE * height, starts,
        effort, frames, angles,
    )  # fmt: skip


@entry
def clear_idle(joints, dofs, below, idle_roots, table, frames, angles):
    """Moves idle limbs out of the table; returns whether they are."""
    place_all(joints, angles, frames)
    clear = True
    for root in idle_roots:
        clear = idle.clear_idle(joints, dofs, below, root, table, frames, angles) and clear
    return clear


@entry
def turn_head(joints, dofs, gaze, aim, frames, angles):
    """The head as near to its aim as its limits let it, where they are in the way: see puppet.kernels.gaze."""
    turn_nearly(joints, dofs, gaze, aim, frames, angles)


@entry
def finish(
    joints, dofs, gaze, below, limbs, hands, trunk, idle_roots, goals, oriented, table, height, target, guess, frames,
    angles, results, aim,
):  # fmt: skip
    """The head's gaze, and what the posture is worth; returns whether idle limbs are clear, and whether the head is.

    Where it is not, aim takes what turn_head needs: that is compiled by itself, because it is seldom wanted. target:
    (3,) what to look at, nan for nothing, inf for the goals' middle. results: for each limb position and orientation
    error; then the score, nan where the limbs are no arms.
    """
    place_all(joints, angles, frames)
    clear = True
    for root in idle_roots:
        clear = clear and table_excess_below(joints, table, frames, below, root) <= 0.0
    x, y, z = target[0], target[1], target[2]
    if math.isinf(x):
        x = y = z = 0.0
        for h in range(hands.shape[0]):
            gx, gy, gz = triple(goals, h, 0)
            x, y, z = x + gx / hands.shape[0], y + gy / hands.shape[0], z + gz / hands.shape[0]
    seen = True
    if not math.isnan(x):
        seen = look_at(joints, dofs, gaze, x, y, z, frames, angles, aim)
    for h in range(hands.shape[0]):
        results[2 * h], results[2 * h + 1] = ccd.errors(
            joints, frames, hands[h : h + 1], goals[h : h + 1], oriented[h : h + 1]
        )
    results[2 * hands.shape[0]] = math.nan
    if limbs.shape[1] > 0:
        results[2 * hands.shape[0]] = score_posture(
            joints, dofs, limbs, trunk, goals, oriented, height, guess, frames, angles
        )
    return clear, seen
