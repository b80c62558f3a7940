"""The trunk, by cyclic coordinate descent around exact arms, compiled.

The trunk starts at its estimate and moves one axis at a time, from the chest down, only while that makes the whole
posture better: first by undoing violations of reach, limits and table, then by bringing the elbows below the wrists. Each
trial trunk is judged by the best arms that it allows, so that every posture on the way meets its goals exactly where
they can be met. Two hands that share a trunk are judged together.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from puppet.kernels.forward import bound, clamp_joint, place_joint
from puppet.kernels.limb import (
    NORMAL,
    QUICK,
    RAISED,
    SCORE,
    STATE_SIZE,
    THOROUGH,
    TOLERANCE,
    axis_strain,
    load_limb,
    solve_limb,
    total,
)
from puppet.kernels.model import LOWER, SCORED, UPPER

STARTS = 5
HOPELESS = 2.0  # so violated after the first descent that other starts are not worth their time
SPREAD = 0.7548776662466927  # powers of it fill a box evenly


@njit(cache=True)
def trunk_strain(dofs, trunk, angles, estimate):
    """Sum of the strains of the trunk's scored axes: the last terms of (5.37) and (5.38)."""
    strain = 0.0
    for j in trunk:
        for d in range(3 * j, 3 * j + 3):
            if dofs[d, SCORED] == 1.0:
                lower, upper = bound(dofs, angles, d, LOWER), bound(dofs, angles, d, UPPER)
                strain += axis_strain(angles[d], lower, upper, estimate[d])
    return strain


@njit(cache=True)
def judge(joints, dofs, limbs, trunk, goals, estimate, effort, frames, states, angles):
    """Solves the arms for the trunk in `angles`; returns violation, score and the height of elbows above wrists."""
    for j in trunk:
        place_joint(joints, angles, j, frames)
    violation = score = raised = 0.0
    arms = limbs.shape[0]
    for h in range(arms):
        violation += solve_limb(joints, dofs, limbs[h], goals[h], frames, effort, states[h], angles)
        score += states[h, SCORE] / arms
        raised += states[h, RAISED]
    return violation, score + trunk_strain(dofs, trunk, angles, estimate), raised


@njit(cache=True)
def descend(joints, dofs, limbs, trunk, goals, estimate, effort, step, trials, frames, states, angles):
    """Cyclic coordinate descent on the trunk, until nothing is violated and the elbows hang, or no step helps.

    With the effort QUICK the arms in `angles` are not solved yet; returns the least cost.
    """
    trial, before = angles.copy(), angles.copy()
    violation, score, raised = judge(joints, dofs, limbs, trunk, goals, estimate, effort, frames, states, angles)
    best = total(violation, score)
    smallest = 0.08 * step
    while step > smallest and trials > 0 and (violation > TOLERANCE or raised > 0.0):
        improved = False
        for n in range(3 * trunk.shape[0] - 1, -1, -1):
            j = trunk[n // 3]
            d = 3 * j + n % 3
            before[:] = angles
            stride = 0.0
            tries = 0
            while tries < 2 or stride != 0.0:  # both ways, then on in the better one, faster, while it helps
                way = step if tries == 0 else (-step if tries == 1 else 1.5 * stride)
                trial[:] = before if tries < 2 else angles
                trial[d] += way
                clamp_joint(dofs, trial, j)
                v, s, r = judge(joints, dofs, limbs, trunk, goals, estimate, effort, frames, states, trial)
                trials -= 1
                tries += 1
                if total(v, s) < best - 1e-9:
                    best, violation, raised = total(v, s), v, r
                    angles[:] = trial
                    stride = way
                    improved = True
                elif tries > 2:
                    break
                if tries >= 2 and violation <= TOLERANCE and raised <= 0.0:
                    return best
        if not improved:
            step *= 0.5
    return best


@njit(cache=True)
def start_trunk(dofs, trunk, estimate, which, angles):
    """Other trunks to start from where the estimate leads nowhere: upright, far over, then spread over all there are."""
    side = 1.0  # mirrored problems start from mirrored trunks
    for n, j in enumerate(trunk):
        for place in range(3):
            d = 3 * j + place
            mirrored = dofs[d, LOWER] == -dofs[d, UPPER]
            if n == 0 and mirrored and estimate[d] < 0.0:
                side = -1.0
    index = 0
    for j in trunk:
        for place in range(3):
            d = 3 * j + place
            if which == 0:
                angles[d] = 0.0
            elif which == 1:
                angles[d] = 3.0 * estimate[d]
            else:
                index += 1
                share = (which - 1) * SPREAD**index % 1.0
                angles[d] = dofs[d, LOWER] + share * (dofs[d, UPPER] - dofs[d, LOWER])
                if dofs[d, LOWER] == -dofs[d, UPPER]:
                    angles[d] *= side
        clamp_joint(dofs, angles, j)


@njit(cache=True)
def polish(joints, dofs, limbs, trunk, goals, estimate, frames, states, angles):
    """Small careful steps, then a thorough look at the arms, for a posture that only just fails."""
    if trunk.shape[0] > 0:
        descend(joints, dofs, limbs, trunk, goals, estimate, NORMAL, 0.04, 60, frames, states, angles)
    v, s, r = judge(joints, dofs, limbs, trunk, goals, estimate, NORMAL, frames, states, angles)
    if v > TOLERANCE:
        v, s, r = judge(joints, dofs, limbs, trunk, goals, estimate, THOROUGH, frames, states, angles)
    return v, s, r


@njit(cache=True)
def solve_exactly(joints, dofs, limbs, trunk, goals, oriented, table, estimate, frames, angles):
    """The best posture with exact arms; returns violation (0: goals met, nothing violated), score and raised elbows."""
    states = np.empty((limbs.shape[0], STATE_SIZE))
    for h in range(limbs.shape[0]):
        load_limb(joints, dofs, limbs[h], oriented[h], table, estimate, states[h])
    violation, score, raised = judge(joints, dofs, limbs, trunk, goals, estimate, NORMAL, frames, states, angles)
    if violation <= TOLERANCE and (raised <= 0.0 or trunk.shape[0] == 0):
        return violation, score, raised
    kept, best = angles.copy(), total(violation, score)
    for start in range(-1, STARTS + 1):
        v, s, r = math.inf, math.inf, math.inf
        if start < STARTS and trunk.shape[0] > 0:
            if start >= 0:
                start_trunk(dofs, trunk, estimate, start, angles)
            descend(joints, dofs, limbs, trunk, goals, estimate, QUICK, 0.15, 120, frames, states, angles)
            v, s, r = judge(joints, dofs, limbs, trunk, goals, estimate, NORMAL, frames, states, angles)
        if v > TOLERANCE and (start == -1 or start == STARTS) and min(v, violation) < 0.5:
            if violation < v:
                angles[:] = kept
            v, s, r = polish(joints, dofs, limbs, trunk, goals, estimate, frames, states, angles)
        if total(v, s) < best:
            violation, score, raised, best = v, s, r, total(v, s)
            kept[:] = angles
        if violation <= TOLERANCE or violation > HOPELESS or trunk.shape[0] == 0:
            break
    angles[:] = kept
    return violation, score, raised
