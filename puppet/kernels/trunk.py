"""The trunk, by cyclic coordinate descent around exact arms, compiled.

The trunk starts at its estimate and moves one axis at a time, from the chest down, only while that makes the whole
posture better: first by undoing violations of reach, limits and table, then by bringing the elbows below the wrists. Each
trial trunk is judged by the best arms that it allows, so that every posture on the way meets its goals exactly where
they can be met. Two hands that share a trunk are judged together.
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.forward import bounds, clamp_joint, copy, place_joint
from puppet.kernels.jit import inner, once
from puppet.kernels.limb import RAISED, SCORE, STATE_SIZE, TOLERANCE, axis_strain, load_limb, total
from puppet.kernels.model import LOWER, SCORED, UPPER
from puppet.kernels.swivel import NORMAL, QUICK, solve_limb

STARTS = 5  # other trunks to start from
SPREAD = 0.7548776662466927  # powers of it fill a box evenly
NEARLY = 0.5  # violations up to this may be polished away
HOPELESS = 2.0  # so violated after the first descent that other starts are not worth their time


@inner
def trunk_strain(dofs, trunk, angles, estimate):
    """Sum of the strains of the trunk's scored axes: the last terms of (5.37) and (5.38)."""
    strain = 0.0
    for j in trunk:
        for d in range(3 * j, 3 * j + 3):
            if dofs[d, SCORED] == 1.0:
                lower, upper = bounds(dofs, angles, d)
                strain += axis_strain(angles[d], lower, upper, estimate[d])
    return strain


@inner
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


@inner
def descend(joints, dofs, limbs, trunk, goals, estimate, effort, step, trials, frames, states, angles):
    """Cyclic coordinate descent on the trunk, until nothing is violated and the elbows hang, or no step helps.

    With the effort QUICK the arms in `angles` are not solved yet.
    """
    trial, before = angles.copy(), angles.copy()
    violation, score, raised = judge(joints, dofs, limbs, trunk, goals, estimate, effort, frames, states, trial)
    best = total(violation, score)
    smallest = 0.08 * step
    while step > smallest and trials > 0 and (violation > TOLERANCE or raised > 0.0):
        improved = False
        for n in range(3 * trunk.shape[0] - 1, -1, -1):
            j = trunk[n // 3]
            copy(angles, before)
            stride = 0.0
            for tries in range(8):  # both ways, then on in the better one, faster, while it helps
                way = step if tries == 0 else (-step if tries == 1 else 1.5 * stride)
                copy(before if tries < 2 else angles, trial)
                trial[3 * j + n % 3] += way
                clamp_joint(dofs, trial, j)
                v, s, r = judge(joints, dofs, limbs, trunk, goals, estimate, effort, frames, states, trial)
                trials -= 1
                if total(v, s) < best - 1e-9:
                    best, violation, raised, stride = total(v, s), v, r, way
                    copy(trial, angles)
                    improved = True
                elif tries >= 2:
                    break
                if tries >= 1 and (stride == 0.0 or violation <= TOLERANCE and raised <= 0.0):
                    break
            if violation <= TOLERANCE and raised <= 0.0:
                return
        if not improved:
            step *= 0.5


@inner
def start_trunk(dofs, trunk, estimate, which, angles):
    """Other trunks to start from where the estimate leads nowhere: upright, far over, then spread over all there are."""
    side = 1.0  # mirrored problems start from mirrored trunks
    for d in range(3 * trunk[0], 3 * trunk[0] + 3):
        if dofs[d, LOWER] == -dofs[d, UPPER] and estimate[d] < 0.0:
            side = -1.0
    power = which - 1.0
    for j in trunk:
        for d in range(3 * j, 3 * j + 3):
            power *= SPREAD
            if which == 0.0:
                angles[d] = 0.0
            elif which == 1.0:
                angles[d] = 3.0 * estimate[d]
            else:
                angles[d] = dofs[d, LOWER] + (power % 1.0) * (dofs[d, UPPER] - dofs[d, LOWER])
                if dofs[d, LOWER] == -dofs[d, UPPER]:
                    angles[d] *= side
        clamp_joint(dofs, angles, j)


@once
def solve_exactly(joints, dofs, limbs, trunk, goals, oriented, table, estimate, frames, angles):
    """The best posture with exact arms; returns its violation (0: goals met, nothing violated).

    In turn: the estimated trunk; a descent from it; small careful steps where that only just failed; descents from other
    trunks; and the same careful steps for the best of them.
    """
    states = np.empty((limbs.shape[0], STATE_SIZE))
    for h in range(limbs.shape[0]):
        load_limb(joints, dofs, limbs[h], oriented[h], table, estimate, states[h])
    kept, best, violation = angles.copy(), math.inf, math.inf
    for stage in range(STARTS + 4 if trunk.shape[0] > 0 else 1):
        careful = stage == 2 or stage == STARTS + 3
        if careful and violation > NEARLY:
            continue
        if 3 <= stage < STARTS + 3:
            start_trunk(dofs, trunk, estimate, stage - 3.0, angles)
        else:
            copy(kept, angles)
        if stage > 0:
            effort, step, trials = (NORMAL, 0.04, 60) if careful else (QUICK, 0.15, 120)
            descend(joints, dofs, limbs, trunk, goals, estimate, effort, step, trials, frames, states, angles)
        v, s, raised = judge(joints, dofs, limbs, trunk, goals, estimate, NORMAL, frames, states, angles)
        if total(v, s) < best:
            violation, best = v, total(v, s)
            copy(angles, kept)
        if violation <= TOLERANCE and (raised <= 0.0 or stage > 0) or violation > HOPELESS and stage > 0:
            break
    copy(kept, angles)
    return violation if violation > TOLERANCE else 0.0
