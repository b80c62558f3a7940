"""The search for the swivel and the forearm twist of least cost, for one arm and one trunk.

    cost = score + price (1 + violation) where there is a violation,

the score being strain of the shoulder, raised elbow and bent wrist. COARSE swivels around the circle are tried, then
the best ones are refined by bisection.
"""

from __future__ import annotations

import math

from puppet.kernels.closed_form_arm import (
    A_LITTLE,
    DISTANCE_WEIGHT,
    FOUND,
    LIMITS,
    MATRICES,
    ORIENTED,
    PRICE,
    RAISED,
    SCORE,
    SIGN,
    WRIST_WEIGHT,
    ball_joint_angles,
    prepare_swivel,
    put_angle_elements,
    swivel_cost,
    total_cost,
)
from puppet.kernels.forward_kinematics import place_joint
from puppet.kernels.jit import inner
from puppet.kernels.model import HARD_PRICE, LOWER, ORDER, PARENT, REFINE, UPPER
from puppet.kernels.rotation import TURN, to_local, turn_left

COARSE = 48  # how many swivels are tried
AROUND, REFINE_AROUND = TURN / 24, 0.1  # how far around the best of them to look, and around one that is settled
A_LITTLE_COST = 2.0  # price per radian of a violation that is looked into
SIDEWAYS_WEIGHT = 0.9  # of the wrist's middle axis: it bends less willingly, and the others leap near 90 degrees
REACH_TOLERANCE = 2e-4  # a miss of this length counts as a hit
HAND_TWIST_WEIGHT = 0.30  # per squared radian: a wrist twists less willingly
FOREARM_TWIST_WEIGHT = 0.15  # than a forearm


@inner
def scan_swivels(state):
    """The best of a ring of swivels, and the best of those that are violated a little.

    Between two samples there may be a free interval that neither shows. Returns cosine and sine of both, and whether
    the second is worth a try.
    """
    dc, ds = math.cos(TURN / COARSE), state[SIGN] * math.sin(TURN / COARSE)
    c, s = 1.0, 0.0
    best_c, best_s, best = 1.0, 0.0, math.inf
    near_c, near_s, near = 1.0, 0.0, math.inf
    for _ in range(COARSE):
        violation = swivel_cost(state, c, s, best)
        cost = total_cost(violation, state[SCORE], state[PRICE])
        if cost < best:
            best_c, best_s, best = c, s, cost
        if violation < A_LITTLE and state[SCORE] + A_LITTLE_COST * violation < near:
            near_c, near_s, near = c, s, state[SCORE] + A_LITTLE_COST * violation
        c, s = c * dc - s * ds, s * dc + c * ds
    return best_c, best_s, near_c, near_s, near < best - 0.1


@inner
def refine_swivel(state, c, s, step):
    """Bisects around the swivel (c, s), from steps of `step` on; leaves the state at the best; gives its violation."""
    best = math.inf
    c0, s0 = c, s
    dc, ds = 1.0, 0.0
    for n in range(14):  # the middle, six times both sides, the best once more
        if n == 13:
            tc, ts = c, s
        else:
            tc, ts = c0 * dc - s0 * ds, s0 * dc + c0 * ds
        violation = swivel_cost(state, tc, ts, best if n < 13 else math.inf)
        cost = total_cost(violation, state[SCORE], state[PRICE])
        if cost < best:
            c, s, best = tc, ts, cost
        ds = -ds
        if n % 2 == 0:
            step *= 0.5
            dc, ds = math.cos(step), state[SIGN] * math.sin(step)
            c0, s0 = c, s
    return violation


@inner
def best_forearm_twist(joints, dofs, limb, state, c, s, twist):
    """The twist that divides the turn of the hand most comfortably between forearm and wrist."""
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
            put_angle_elements(joints, hand, 2.0, state)
            over = ball_joint_angles(state, 2.0, 0.0, 0.0)
            a1, a2, a3 = state[FOUND + 3], state[FOUND + 4], state[FOUND + 5]
            cost = WRIST_WEIGHT * a1 * a1 + SIDEWAYS_WEIGHT * a2 * a2 + HAND_TWIST_WEIGHT * a3 * a3
            cost = total_cost(over, cost + FOREARM_TWIST_WEIGHT * trial * trial, HARD_PRICE)
            if cost < best_cost:
                best, best_cost = trial, cost
        if n >= 6 and n % 2 == 0:
            centre = best
            step *= 0.5
    return min(max(best, low), high)


@inner
def put_arm_angles(limb, state, flex, twist, angles):
    """The arm that is in the state, into angles."""
    for place in range(3):
        angles[3 * limb[0] + place] = state[FOUND + place]
        angles[3 * limb[1] + place] = flex if place == 0 else (0.0 if place == 1 else twist)
        if state[ORIENTED] == 1.0:
            angles[3 * limb[2] + place] = state[FOUND + 3 + place]


@inner
def nearest_swivel(joints, limb, transforms, state):
    """Cosine and sine of the swivel at which R(swivel) is nearest to the shoulder's rotation in transforms."""
    shoulder = limb[0]
    p = int(joints[shoulder, PARENT])
    c = s = 0.0
    for b in range(3):
        x, y, z = to_local(
            transforms, p, transforms[shoulder, 3 + b], transforms[shoulder, 6 + b], transforms[shoulder, 9 + b]
        )
        for n in range(3):
            at, value = MATRICES + 3 * n + b, x if n == 0 else (y if n == 1 else z)
            c += state[at + 9] * (value - state[at])
            s += state[at + 18] * (value - state[at])
    size = max(1e-12, math.sqrt(c * c + s * s))
    return c / size, s / size


@inner
def solve_arm(joints, dofs, limb, goal, transforms, effort, state, angles):
    """The best arm for this trunk, into angles; returns its violation, and leaves score and raised elbow in the state.

    effort REFINE searches only around the arm that angles hold.
    """
    if effort == REFINE:
        d = 3 * limb[1] + 2
        twist = min(max(angles[d], dofs[d, LOWER]), dofs[d, UPPER])
        place_joint(joints, angles, limb[0], transforms)
        flex, short = prepare_swivel(joints, dofs, limb, goal, angles, transforms, twist, 0.0, state)
        violation = DISTANCE_WEIGHT * short if short > REACH_TOLERANCE else 0.0
        c, s = nearest_swivel(joints, limb, transforms, state)
        violation += refine_swivel(state, c, s, REFINE_AROUND)
        put_arm_angles(limb, state, flex, twist, angles)
        return violation
    d, last = 3 * limb[1] + 2, LIMITS + 9 + 6
    low, high = dofs[d, LOWER], dofs[d, UPPER]
    oriented = state[ORIENTED] == 1.0
    neutral = min(max(0.0, low), high)
    flex, short = prepare_swivel(joints, dofs, limb, goal, angles, transforms, neutral, 0.0, state)
    missed = DISTANCE_WEIGHT * short if short > REACH_TOLERANCE else 0.0
    if oriented:  # the forearm's twist, still to be chosen, will help the hand's
        state[last] += low
        state[last + 1] += high
    c, s, near_c, near_s, second = scan_swivels(state)
    if oriented:
        state[last] -= low
        state[last + 1] -= high
    best, violation, score, raised = math.inf, math.inf, math.inf, 0.0
    for candidate in range(2 if second else 1):
        if candidate == 1:
            c, s = near_c, near_s
        twist = neutral
        if oriented:
            if candidate == 1:
                prepare_swivel(joints, dofs, limb, goal, angles, transforms, neutral, 0.0, state)
            twist = best_forearm_twist(joints, dofs, limb, state, c, s, neutral)
            # Set up once more for the new twist: a bone beside its twist axis moves the wrist a little.
            flex, short = prepare_swivel(joints, dofs, limb, goal, angles, transforms, twist, 0.0, state)
            missed = DISTANCE_WEIGHT * short if short > REACH_TOLERANCE else 0.0
        v = missed + refine_swivel(state, c, s, AROUND)
        if total_cost(v, state[SCORE], state[PRICE]) < best:
            best, violation, score, raised = total_cost(v, state[SCORE], state[PRICE]), v, state[SCORE], state[RAISED]
            put_arm_angles(limb, state, flex, twist, angles)
    state[SCORE], state[RAISED] = score, raised
    return violation
