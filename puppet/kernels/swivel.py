"""The search for an arm's swivel and forearm twist, compiled: the cheapest by the score wins."""

from __future__ import annotations

import math

from puppet.kernels.jit import inner
from puppet.kernels.limb import (
    DISTANCE_WEIGHT,
    FOUND,
    GRID,
    KEPT,
    LIMITS,
    MATRICES,
    ORIENTED,
    SCORE,
    SIGN,
    WRIST_WEIGHT,
    angles_of,
    keep_parts,
    prepare,
    swivel_cost,
    total,
)
from puppet.kernels.model import LOWER, ORDER, UPPER
from puppet.kernels.rotation import TURN, turn_left

QUICK, NORMAL, THOROUGH = 0.0, 1.0, 2.0  # how hard to look
COARSE, FINE, TWISTS = 24, 120, 7  # how many swivels and twists are tried
REACH_TOLERANCE = 2e-4  # a miss of this length counts as a hit
HAND_TWIST_WEIGHT = 0.30  # per squared radian: a wrist twists less willingly
FOREARM_TWIST_WEIGHT = 0.15  # than a forearm


@inner
def scan_swivels(state):
    """Cosine and sine of the best of a ring of swivels."""
    dc, ds = math.cos(TURN / COARSE), state[SIGN] * math.sin(TURN / COARSE)
    c, s = 1.0, 0.0
    best_c, best_s, best = 1.0, 0.0, math.inf
    for _ in range(COARSE):
        cost = total(swivel_cost(state, c, s, best), state[SCORE])
        if cost < best:
            best_c, best_s, best = c, s, cost
        c, s = c * dc - s * ds, s * dc + c * ds
    return best_c, best_s


@inner
def refine_swivel(state, c, s):
    """Narrows the swivel down around (c, s), halving the step each time; leaves the state at the best."""
    best = math.inf
    step = TURN / COARSE
    c0, s0 = c, s
    dc, ds = 1.0, 0.0
    for n in range(14):  # the middle, six times both sides, the best once more
        if n == 13:
            tc, ts = c, s
        else:
            tc, ts = c0 * dc - s0 * ds, s0 * dc + c0 * ds
        violation = swivel_cost(state, tc, ts, best if n < 13 else math.inf)
        cost = total(violation, state[SCORE])
        if cost < best:
            c, s, best = tc, ts, cost
        ds = -ds
        if n % 2 == 0:
            step *= 0.5
            dc, ds = math.cos(step), state[SIGN] * math.sin(step)
            c0, s0 = c, s
    return violation


@inner
def best_twist(joints, dofs, limb, state, c, s, twist):
    """The forearm twist that shares the turn of the hand between forearm and wrist most comfortably."""
    hinge, hand = limb[1], limb[2]
    low, high = dofs[3 * hinge + 2, LOWER], dofs[3 * hinge + 2, UPPER]
    if high - low < 1e-12:
        return twist
    axis = int(joints[hinge, ORDER + 2])
    trial_wrist = MATRICES + 54  # the wrist's rotation at this swivel alone: no cosine and sine parts
    for n in range(9, 27):
        state[trial_wrist + n] = 0.0
    best, best_cost = twist, math.inf
    step, centre = (high - low) / 6.0, 0.5 * (low + high)
    for n in range(15):  # seven from end to end, then four times both sides of the best at half the step
        trial = low + step * n if n < 7 else (centre + step if n % 2 == 1 else centre - step)
        if low - 1e-12 <= trial <= high + 1e-12:
            for m in range(9):
                w = MATRICES + 27 + m
                state[trial_wrist + m] = state[w] + state[w + 9] * c + state[w + 18] * s
            turn_left(axis, twist - trial, state, trial_wrist)
            keep_parts(joints, hand, 2.0, state)
            over = angles_of(state, 2.0, 0.0, 0.0)
            a1, a2, a3 = state[FOUND + 3], state[FOUND + 4], state[FOUND + 5]
            cost = WRIST_WEIGHT * (a1 * a1 + a2 * a2) + HAND_TWIST_WEIGHT * a3 * a3
            cost = total(over, cost + FOREARM_TWIST_WEIGHT * trial * trial)
            if cost < best_cost:
                best, best_cost = trial, cost
        if n >= 6 and n % 2 == 0:
            centre = best
            step *= 0.5
    return min(max(best, low), high)


@inner
def keep_minima(state, twist, way, extra):
    """Puts the best local minima over the swivel, for one twist and way of the elbow, among those kept so far."""
    dc, ds = math.cos(TURN / FINE), state[SIGN] * math.sin(TURN / FINE)
    c, s = 1.0, 0.0
    before = now = math.inf
    for n in range(FINE + 2):
        cost = total(swivel_cost(state, c, s, math.inf), state[SCORE]) + extra
        if n >= 2 and now <= before and now <= cost:
            worst = GRID
            for slot in range(GRID, GRID + 5 * KEPT, 5):
                if state[slot + 4] > state[worst + 4]:
                    worst = slot
            if now < state[worst + 4]:
                state[worst], state[worst + 1] = twist, way
                state[worst + 2], state[worst + 3] = c * dc + s * ds, s * dc - c * ds  # one step back
                state[worst + 4] = now
        before, now = now, cost
        c, s = c * dc - s * ds, s * dc + c * ds


@inner
def search_twists(joints, dofs, limb, goal, frames, state, angles):
    """Twist, way of the elbow and swivel of least cost: a fine grid, then a search around its best points."""
    d = 3 * limb[1] + 2
    low, high = dofs[d, LOWER], dofs[d, UPPER]
    for slot in range(GRID, GRID + 5 * KEPT, 5):
        state[slot + 4] = math.inf
    for n in range(2 * TWISTS):
        trial = low + (high - low) * (n // 2) / (TWISTS - 1.0)
        _, short = prepare(joints, dofs, limb, goal, angles, frames, trial, float(n % 2), state)
        keep_minima(state, trial, float(n % 2), 1e3 * DISTANCE_WEIGHT * short)
    twist, best_way, c, s, best = 0.0, 0.0, 1.0, 0.0, math.inf
    for _ in range(KEPT):
        slot = GRID
        for other in range(GRID, GRID + 5 * KEPT, 5):
            if state[other + 4] < state[slot + 4]:
                slot = other
        t1, way, c1, s1, cost1 = state[slot], state[slot + 1], state[slot + 2], state[slot + 3], state[slot + 4]
        if cost1 == math.inf:
            break
        state[slot + 4] = math.inf
        step, turn = (high - low) / TWISTS, TURN / FINE
        for _ in range(9):
            step *= 0.6
            turn *= 0.6
            t0, c0, s0 = t1, c1, s1
            for n in range(9):
                trial = min(max(t0 + (n // 3 - 1) * step, low), high)
                _, short = prepare(joints, dofs, limb, goal, angles, frames, trial, way, state)
                dc, ds = math.cos((n % 3 - 1) * turn), math.sin((n % 3 - 1) * turn)
                tc, ts = c0 * dc - s0 * ds, s0 * dc + c0 * ds
                cost = total(swivel_cost(state, tc, ts, math.inf), state[SCORE]) + 1e3 * DISTANCE_WEIGHT * short
                if cost < cost1:
                    t1, c1, s1, cost1 = trial, tc, ts, cost
        if cost1 < best:
            twist, best_way, c, s, best = t1, way, c1, s1, cost1
        if best < 1e3:
            break
    return twist, best_way, c, s


@inner
def solve_limb(joints, dofs, limb, goal, frames, effort, state, angles):
    """The best arm for this trunk, into angles; returns its violation; score and raised elbow are in the state.

    QUICK tells what an arm could do there, without its angles; THOROUGH tries many more swivels for each of several
    twists, for arms that only just reach.
    """
    shoulder, hinge, hand = limb[0], limb[1], limb[2]
    d, last = 3 * hinge + 2, LIMITS + 9 + 6
    low, high = dofs[d, LOWER], dofs[d, UPPER]
    twist, way, c, s = min(max(0.0, low), high), 0.0, 1.0, 0.0
    oriented = state[ORIENTED] == 1.0
    if effort == THOROUGH and oriented:
        twist, way, c, s = search_twists(joints, dofs, limb, goal, frames, state, angles)
    for stage in range(2):
        flex, short = prepare(joints, dofs, limb, goal, angles, frames, twist, way, state)
        violation = DISTANCE_WEIGHT * short if short > REACH_TOLERANCE else 0.0
        if stage == 0 and (effort != THOROUGH or not oriented):
            if oriented:  # the forearm's twist, still to be chosen, will help the hand's
                state[last] += low
                state[last + 1] += high
            c, s = scan_swivels(state)
            if effort == QUICK:
                violation += swivel_cost(state, c, s, math.inf)
            if oriented:
                state[last] -= low
                state[last + 1] -= high
        if effort == QUICK:
            return violation
        if not oriented:
            break
        if stage == 0:  # set up once more for the new twist: a bone beside its twist axis moves the wrist a little
            twist = best_twist(joints, dofs, limb, state, c, s, twist)
    violation += refine_swivel(state, c, s)
    for place in range(3):
        angles[3 * shoulder + place] = state[FOUND + place]
        if oriented:
            angles[3 * hand + place] = state[FOUND + 3 + place]
    angles[3 * hinge], angles[3 * hinge + 1], angles[d] = flex, 0.0, twist
    return violation
