"""The trunk, by estimate and correction around exact arms, compiled.

The trunk stays at its estimate where the arms can do the rest. Where they cannot, it moves as little as makes every arm
reach, keep its limits, clear the table and hang its elbow. Each trial trunk is judged by the best arms that it allows,
so that every posture on the way meets its goals exactly where they can be met. Two hands that share a trunk are judged
together.
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.forward import bounds, clamp_joint, copy, place_joint
from puppet.kernels.jit import inner, once
from puppet.kernels.limb import (
    COSINE,
    DISTANCE_WEIGHT,
    HARD_PRICE,
    PRICE,
    RAISED,
    SCORE,
    SINE,
    STATE_SIZE,
    TOLERANCE,
    TWIST,
    dot,
    load_limb,
    prepare,
    strain,
    swivel_cost,
    total,
)
from puppet.kernels.model import LOWER, OFFSET, PARENT, TIP, UPPER
from puppet.kernels.rotation import triple
from puppet.kernels.swivel import LOCAL, NORMAL, solve_limb

STARTS = 8  # corrections: from the estimate, with hanging elbows and with any, then from other trunks
SPREAD = 0.7548776662466927  # powers of it fill a box evenly
RETURNS = 4  # halvings of the way back to the estimate
SOFT_PRICE = 40.0  # of violations where the swivel is chosen that a correction starts with: rather natural than near
CORRECTIONS, PROJECTIONS = 12, 8  # steps of a correction, and rounds to find each
SLOPE_STEP, LONGEST_STEP, CORRECTION_MARGIN = 1e-5, 0.35, 0.01  # radians


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
    for j in trunk:  # the last terms of (5.37) and (5.38)
        score += strain(dofs, angles, estimate, j)
    return violation, score, raised


@inner
def flaw(joints, dofs, limb, goal, frames, elbow, state, angles):
    """How wrong an arm is at the swivel and twist chosen for it: violation, miss of its reach, raised elbow."""
    _, short = prepare(joints, dofs, limb, goal, angles, frames, state[TWIST], 0.0, state)
    violation = swivel_cost(state, state[COSINE], state[SINE], math.inf)
    return violation + DISTANCE_WEIGHT * (short + elbow * state[RAISED])


@inner
def correct(joints, dofs, limbs, trunk, goals, estimate, elbow, frames, states, angles, kept, best):
    """Moves the trunk as little as makes the arms flawless; returns the least cost met, with its posture in `kept`.

    Each arm's flaw is a function of the trunk's angles; its slope is taken at the arm's best swivel, and the least step
    that undoes all flaws, inside the limits, is found by projecting on the worst arm's condition again and again. The
    answer depends on the goal alone and not on a path to it: a goal that moves a little moves the trunk a little.
    elbow: 1 where a raised elbow is a flaw, 0 where it is not.
    """
    arms, axes = limbs.shape[0], 3 * trunk.shape[0]
    flaws, slopes, step = np.zeros(arms), np.zeros((arms, axes)), np.zeros(axes)
    for h in range(arms):
        states[h, PRICE] = SOFT_PRICE
    effort = NORMAL
    for _ in range(CORRECTIONS):
        v, s, raised = judge(joints, dofs, limbs, trunk, goals, estimate, effort, frames, states, angles)
        if effort == LOCAL and (v > TOLERANCE or elbow * raised > 0.0):
            effort = NORMAL
            v, s, raised = judge(joints, dofs, limbs, trunk, goals, estimate, effort, frames, states, angles)
        if total(v, s, HARD_PRICE) < best:
            best = total(v, s, HARD_PRICE)
            copy(angles, kept)
        if v <= TOLERANCE and elbow * raised <= 0.0:
            break
        effort = LOCAL
        for h in range(arms):
            states[h, PRICE] = HARD_PRICE
            for n in range(axes):
                slopes[h, n] = 0.0
            for n in range(-1, 2 * axes):  # first as it is, then each axis moved a little both ways
                d = 3 * trunk[max(n, 0) // 6] + (n // 2) % 3
                before = angles[d]
                way = 0.0 if n < 0 else (SLOPE_STEP if n % 2 == 0 else -SLOPE_STEP)
                angles[d] += way
                for j in trunk:
                    place_joint(joints, angles, j, frames)
                value = flaw(joints, dofs, limbs[h], goals[h], frames, elbow, states[h], angles)
                angles[d] = before
                if n < 0:
                    flaws[h] = value
                    if value <= TOLERANCE:  # nothing to undo
                        break
                else:
                    slopes[h, n // 2] += 0.5 * value / way
        for n in range(axes):
            step[n] = 0.0
        for _ in range(PROJECTIONS * arms):
            h, worst = 0, 0.0  # the arm whose flaw this step leaves largest
            for other in range(arms):
                ahead = flaws[other] + CORRECTION_MARGIN
                for n in range(axes):
                    ahead += slopes[other, n] * step[n]
                if flaws[other] > TOLERANCE and ahead > worst:
                    h, worst = other, ahead
            if worst == 0.0:
                break
            size = 1e-9
            for n in range(axes):
                d = 3 * trunk[n // 3] + n % 3
                size += slopes[h, n] ** 2 * (dofs[d, UPPER] - dofs[d, LOWER]) ** 2
            for n in range(axes):  # an axis gives way in proportion to its range
                d = 3 * trunk[n // 3] + n % 3
                step[n] -= worst * slopes[h, n] * (dofs[d, UPPER] - dofs[d, LOWER]) ** 2 / size
                lower, upper = bounds(dofs, angles, d)
                step[n] = min(max(step[n], lower - angles[d]), upper - angles[d])
                step[n] = min(max(step[n], -LONGEST_STEP), LONGEST_STEP)
        for n in range(axes):
            angles[3 * trunk[n // 3] + n % 3] += step[n]
        for j in trunk:
            clamp_joint(dofs, angles, j)
    return best


@inner
def return_to_estimate(joints, dofs, limbs, trunk, goals, estimate, elbow, frames, states, angles):
    """As far back towards the estimated trunk as the posture stays flawless: steps are longer than they need to be.

    Then the arms are chosen once more, by their score.
    """
    flawless, trial = angles.copy(), angles.copy()
    share, size, kept = 0.5, 0.25, 1.0  # of the way from the estimate
    for n in range(RETURNS + 1):
        if n == RETURNS:
            share = kept
        for j in trunk:
            for d in range(3 * j, 3 * j + 3):
                trial[d] = estimate[d] + share * (flawless[d] - estimate[d])
            clamp_joint(dofs, trial, j)
        effort = LOCAL if n < RETURNS else NORMAL
        v, _, raised = judge(joints, dofs, limbs, trunk, goals, estimate, effort, frames, states, trial)
        if v <= TOLERANCE and elbow * raised <= 0.0:
            copy(trial, angles)
            kept = share
            share -= size
        else:
            share += size
        size *= 0.5


@inner
def start_trunk(dofs, trunk, estimate, which, angles):
    """Other trunks to start from where the estimate leads nowhere: upright, far over, then spread over all of them."""
    side = 1.0  # mirrored problems start from mirrored trunks
    for d in range(3 * trunk[0], 3 * trunk[0] + 3):
        if dofs[d, LOWER] == -dofs[d, UPPER] and estimate[d] != 0.0:
            side = -1.0 if estimate[d] < 0.0 else 1.0
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


@inner
def beyond_reach(joints, limb, trunk, goal, oriented, frames):
    """Whether even trunk and arm stretched out in one line would not reach: then there is nothing to search for."""
    if trunk.shape[0] == 0:
        return False
    ox, oy, oz = triple(frames, trunk[0], 0)
    x, y, z = triple(joints, limb[2], TIP)
    length = 1e-9 + (0.0 if oriented else math.sqrt(x * x + y * y + z * z))
    if not oriented:
        x = y = z = 0.0
    x, y, z = (  # from the trunk's root to where the wrist, or else the tip, has to be
        goal[0] - ox - dot(goal, 3, x, y, z),
        goal[1] - oy - dot(goal, 6, x, y, z),
        goal[2] - oz - dot(goal, 9, x, y, z),
    )
    j = limb[2]
    while j != trunk[0]:
        ox, oy, oz = triple(joints, j, OFFSET)
        length += math.sqrt(ox * ox + oy * oy + oz * oz)
        j = int(joints[j, PARENT])
    return x * x + y * y + z * z > length * length


@once
def solve_exactly(joints, dofs, limbs, trunk, goals, oriented, table, estimate, frames, angles):
    """The best posture with exact arms; returns its violation (0: goals met, nothing violated).

    In turn: the estimated trunk; its least correction with hanging elbows; the same however the elbows are; corrections
    from other trunks.
    """
    states = np.empty((limbs.shape[0], STATE_SIZE))
    starts = STARTS if trunk.shape[0] > 0 else 0
    for h in range(limbs.shape[0]):
        load_limb(joints, dofs, limbs[h], oriented[h], table, estimate, states[h])
        if beyond_reach(joints, limbs[h], trunk, goals[h], oriented[h], frames):
            starts = 0
    v, s, raised = judge(joints, dofs, limbs, trunk, goals, estimate, NORMAL, frames, states, angles)
    kept, best = angles.copy(), total(v, s, HARD_PRICE)
    if v <= TOLERANCE and raised <= 0.0:
        starts = 0
    for start in range(starts):
        elbow = 1.0 if start == 0 or best < HARD_PRICE else 0.0
        if start == 1 and elbow == 1.0:
            continue
        if start < 2:
            for j in trunk:
                for d in range(3 * j, 3 * j + 3):
                    angles[d] = estimate[d]
        else:
            start_trunk(dofs, trunk, estimate, start - 2.0, angles)
        best = correct(joints, dofs, limbs, trunk, goals, estimate, elbow, frames, states, angles, kept, best)
        raised = 0.0
        for h in range(limbs.shape[0]):
            raised += states[h, RAISED]
        if best < HARD_PRICE and (start == 2 or elbow * raised <= 0.0):
            copy(kept, angles)
            return_to_estimate(joints, dofs, limbs, trunk, goals, estimate, elbow, frames, states, angles)
            return 0.0
    copy(kept, angles)
    return 0.0 if best < HARD_PRICE else (best - HARD_PRICE) / HARD_PRICE
