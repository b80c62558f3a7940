"""A grid search for arms that only just fail: _FINE swivels for each of TWISTS twists and both branches of the elbow,
then a pattern search around the best local minima of the grid. The cost is that of puppet.kernels.closed_form_arm.
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.closed_form_arm import (
    CANDIDATES,
    DISTANCE_WEIGHT,
    GRID,
    ORIENTED,
    PRICE,
    SCORE,
    SIGN,
    STATE_SIZE,
    load_arm,
    prepare_swivel,
    swivel_cost,
    total_cost,
)
from puppet.kernels.forward_kinematics import forward
from puppet.kernels.jit import inner
from puppet.kernels.model import HARD_PRICE, LOWER, UPPER, VIOLATION_TOLERANCE
from puppet.kernels.rotation import TURN
from puppet.kernels.swivel_search import AROUND, REACH_TOLERANCE, best_forearm_twist, put_arm_angles, refine_swivel

_FINE, TWISTS = 120, 7  # how many swivels and twists are tried


@inner
def keep_swivel_minima(state, twist, branch, extra):
    """Puts the local minima over the swivel, for one twist and branch, among the CANDIDATES best so far."""
    dc, ds = math.cos(TURN / _FINE), state[SIGN] * math.sin(TURN / _FINE)
    c, s = 1.0, 0.0
    before = now = math.inf
    for n in range(_FINE + 2):
        cost = total_cost(swivel_cost(state, c, s, math.inf), state[SCORE], state[PRICE]) + extra
        if n >= 2 and now <= before and now <= cost:
            worst = GRID
            for slot in range(GRID, GRID + 5 * CANDIDATES, 5):
                if state[slot + 4] > state[worst + 4]:
                    worst = slot
            if now < state[worst + 4]:
                state[worst], state[worst + 1] = twist, branch
                state[worst + 2], state[worst + 3] = c * dc + s * ds, s * dc - c * ds  # one step back
                state[worst + 4] = now
        before, now = now, cost
        c, s = c * dc - s * ds, s * dc + c * ds


@inner
def search_twists_and_swivels(joints, dofs, limb, goal, transforms, state, angles):
    """Twist, branch, and cosine and sine of the swivel, of least cost."""
    d = 3 * limb[1] + 2
    low, high = dofs[d, LOWER], dofs[d, UPPER]
    for slot in range(GRID, GRID + 5 * CANDIDATES, 5):
        state[slot + 4] = math.inf
    for n in range(2 * TWISTS):
        trial = low + (high - low) * (n // 2) / (TWISTS - 1.0)
        _, short = prepare_swivel(joints, dofs, limb, goal, angles, transforms, trial, float(n % 2), state)
        keep_swivel_minima(state, trial, float(n % 2), HARD_PRICE * DISTANCE_WEIGHT * short)
    twist, best_branch, c, s, best = 0.0, 0.0, 1.0, 0.0, math.inf
    for _ in range(CANDIDATES):
        slot = GRID
        for other in range(GRID, GRID + 5 * CANDIDATES, 5):
            if state[other + 4] < state[slot + 4]:
                slot = other
        t1, branch, c1, s1, cost1 = state[slot], state[slot + 1], state[slot + 2], state[slot + 3], state[slot + 4]
        if cost1 == math.inf:
            break
        state[slot + 4] = math.inf
        step, turn = (high - low) / TWISTS, TURN / _FINE
        for _ in range(9):
            step *= 0.6
            turn *= 0.6
            t0, c0, s0 = t1, c1, s1
            for n in range(9):
                trial = min(max(t0 + (n // 3 - 1) * step, low), high)
                _, short = prepare_swivel(joints, dofs, limb, goal, angles, transforms, trial, branch, state)
                dc, ds = math.cos((n % 3 - 1) * turn), math.sin((n % 3 - 1) * turn)
                tc, ts = c0 * dc - s0 * ds, s0 * dc + c0 * ds
                cost = total_cost(swivel_cost(state, tc, ts, math.inf), state[SCORE], state[PRICE])
                cost += HARD_PRICE * DISTANCE_WEIGHT * short
                if cost < cost1:
                    t1, c1, s1, cost1 = trial, tc, ts, cost
        if cost1 < best:
            twist, best_branch, c, s, best = t1, branch, c1, s1, cost1
        if best < HARD_PRICE:
            break
    return twist, best_branch, c, s


@inner
def grid_search_arms(joints, dofs, limbs, goals, oriented, table, estimate, transforms, angles):
    """The arms for the trunk as it is; returns their violation."""
    state = np.empty(STATE_SIZE)
    forward(joints, angles, transforms)
    violation = 0.0
    for h in range(limbs.shape[0]):
        limb = limbs[h]
        load_arm(joints, dofs, limb, oriented[h], table, estimate, state)
        twist, branch, c, s = search_twists_and_swivels(joints, dofs, limb, goals[h], transforms, state, angles)
        for stage in range(2):
            flex, short = prepare_swivel(joints, dofs, limb, goals[h], angles, transforms, twist, branch, state)
            if stage == 0 and state[ORIENTED] == 1.0:
                twist = best_forearm_twist(joints, dofs, limb, state, c, s, twist)
        violation += refine_swivel(state, c, s, AROUND) + (DISTANCE_WEIGHT * short if short > REACH_TOLERANCE else 0.0)
        put_arm_angles(limb, state, flex, twist, angles)
    return violation if violation > VIOLATION_TOLERANCE else 0.0
