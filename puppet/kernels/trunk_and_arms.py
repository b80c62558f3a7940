"""Trunk and arms solved together: damped least squares (Levenberg-Marquardt) over trunk, swivels, twists and elbows.

The variables q are the trunk's angles and, for each arm, its swivel, the twist of the forearm and the bend of the
elbow. The solution minimises |r(q)|^2, where the residuals r are

    soft                the trunk's angles less their estimate, divided by their range; COMFORT times the shoulder's
                        angles less their estimate, the wrist's angles, and the twist
    stiff               the distance from shoulder to goal less the arm's length as it is bent ("gap")
    stiff, one-sided    max(0, .) of: angles beyond their limits, parts of the arm in the table, elbow above wrist,
                        the distance from shoulder to goal less the length of the stretched arm

and stiff means times STIFF, distances also times DISTANCE_WEIGHT. Each step linearises r(q + dq) = r + J dq and solves
(J^T J + mu D) dq = -J^T r, see puppet.kernels.least_squares_step; mu falls when a step gains and rises when it does
not. The minimum moves smoothly with the goal as long as it stays the minimum: a goal that moves a little moves the
posture a little.

The arm's end stays on the line from the shoulder to the goal. When the trunk moves or the elbow bends, the upper arm
turns by the least angle that keeps it there; the swivel turns it about that line. So with n the line's direction, L the
arm's length, d the distance, m the velocity of the shoulder and b that of the end against the upper arm, the upper arm
turns by

    omega = swivel n - n x (b + m L / d) / L,

and all rows of J are cross products of that.
"""

from __future__ import annotations

import math

from puppet.kernels.closed_form_arm import (
    CLEAR,
    DISTANCE_WEIGHT,
    FOUND,
    LIMITS,
    MATRICES,
    ORIENTED,
    TABLE,
    ball_joint_angles,
    dot,
    put_angle_elements,
    put_swivel_rotation,
)
from puppet.kernels.forward_kinematics import axis_from_joint, bounds, copy, place_joint
from puppet.kernels.jit import inner
from puppet.kernels.least_squares_step import (
    ARM_POINTS,
    ARM_ROWS,
    ARM_VARIABLES,
    AXIS_ROWS,
    CLEARANCES,
    COMFORTS,
    GAP,
    HANGING,
    REACH_ROW,
    RESIDUAL_ROW,
    RESIDUALS,
    STATE_ROW,
    STIFF,
    SWIVELLED,
    TRIAL_ROW,
    TWIST_ROW,
    add_residual,
    damped_step,
)
from puppet.kernels.model import LOWER, OFFSET, ORDER, PARENT, PER_RANGE, TIP, UPPER
from puppet.kernels.rotation import to_world, triple, turn_vector
from puppet.kernels.table_clearance import point_excess, segment_excess

_ROUNDS, _TRIES = 24, 6  # steps that gain, at most; dampings that are tried for each
ANGLE_MARGIN, LENGTH_MARGIN, ELBOW_ROOM = 0.01, 0.0005, 0.003  # by which it is stricter than need be
COMFORT = 0.15  # of an arm as estimated and a straight wrist
_ENOUGH = 0.002  # a gain by less than this share is none, and by less than five times that where the sum is small
NATURAL = 0.2
SLOPE_STEP = 1e-7


def workspace_shape(arms: int, trunk: int) -> tuple[int, int]:
    """The shape of the workspace for so many arms and joints of the trunk."""
    count = 3 * trunk + ARM_VARIABLES * arms
    return ARM_ROWS * arms + 3 * trunk + 2 * count + 3, max(count, RESIDUALS)


@inner
def put_relative_rotation(transforms, p, j, state, which):
    """The rotation of transform j seen from transform p, put where the shoulder's (which = 0) or the wrist's (1) is
    kept."""
    at = MATRICES + int(27 * which)
    for a in range(3):
        for b in range(3):
            value = 0.0
            for n in range(3, 12, 3):
                value += transforms[p, n + a] * transforms[j, n + b]
            state[at + 3 * a + b] = value


@inner
def upper_dot(work, r, row, x, y, z, k):
    """k times the product of one row of the kept rotation of the upper arm with (x, y, z)."""
    n = int(row)
    return k * (work[r, n] * x + work[r, n + 1] * y + work[r, n + 2] * z)


@inner
def place_arm(joints, limb, goal, work, at, transforms, state, angles):
    """Transforms and angles of an arm whose end is on the line to its goal, swivelled on from the kept upper arm.

    Returns the distance from shoulder to goal, less the arm's length as it is bent, and less its length when stretched.
    """
    shoulder, hinge, hand = limb[0], limb[1], limb[2]
    p = int(joints[shoulder, PARENT])
    x, y, z = triple(joints, shoulder, OFFSET)
    x, y, z = to_world(transforms, p, x, y, z)
    px, py, pz = triple(transforms, p, 0)
    transforms[shoulder, 0], transforms[shoulder, 1], transforms[shoulder, 2] = px + x, py + y, pz + z
    px, py, pz = goal[0] - px - x, goal[1] - py - y, goal[2] - pz - z
    lx, ly, lz = triple(joints, hand, OFFSET)
    tx, ty, tz = triple(joints, hand, TIP)
    if state[ORIENTED] == 1.0:
        px, py, pz = px - dot(goal, 3, tx, ty, tz), py - dot(goal, 6, tx, ty, tz), pz - dot(goal, 9, tx, ty, tz)
    else:
        for place in range(2, -1, -1):
            tx, ty, tz = turn_vector(int(joints[hand, ORDER + place]), angles[3 * hand + place], tx, ty, tz)
        lx, ly, lz = lx + tx, ly + ty, lz + tz
    ux, uy, uz = triple(joints, hinge, OFFSET)
    axis = int(joints[hinge, ORDER])
    tx, ty, tz = turn_vector(int(joints[hinge, ORDER + 2]), angles[3 * hinge + 2], lx, ly, lz)
    tx, ty, tz = turn_vector(axis, angles[3 * hinge], tx, ty, tz)
    tx, ty, tz = tx + ux, ty + uy, tz + uz
    distance, length = math.sqrt(px * px + py * py + pz * pz), math.sqrt(tx * tx + ty * ty + tz * tz)
    most = math.sqrt(ux * ux + uy * uy + uz * uz) + math.sqrt(lx * lx + ly * ly + lz * lz)
    k = 1.0 / max(length, 1e-12)
    r = at + STATE_ROW
    vx, vy = upper_dot(work, r, 0.0, tx, ty, tz, k), upper_dot(work, r, 3.0, tx, ty, tz, k)
    vz = upper_dot(work, r, 6.0, tx, ty, tz, k)
    k = 1.0 / max(distance, 1e-12)
    put_swivel_rotation(vx, vy, vz, k * px, k * py, k * pz, state)
    c, s = math.cos(work[r, SWIVELLED]), math.sin(work[r, SWIVELLED])
    for a in range(9):
        value = 0.0
        for n in range(3):
            m = MATRICES + 3 * (a // 3) + n
            value += (state[m] + state[m + 9] * c + state[m + 18] * s) * work[r, 3 * n + a % 3]
        transforms[shoulder, 3 + a] = value
    place_joint(joints, angles, hinge, transforms)
    place_joint(joints, angles, hand, transforms)
    for n in range(27, 54):
        state[MATRICES + n] = 0.0
    put_relative_rotation(transforms, p, shoulder, state, 0.0)
    put_angle_elements(joints, shoulder, 0.0, state)
    ball_joint_angles(state, 0.0, 0.0, 0.0)
    if state[ORIENTED] == 1.0:
        for n in range(3, 12):
            transforms[hand, n] = goal[n]
        put_relative_rotation(transforms, hinge, hand, state, 1.0)
        put_angle_elements(joints, hand, 1.0, state)
        ball_joint_angles(state, 1.0, 0.0, 0.0)
    for place in range(3):
        angles[3 * shoulder + place] = state[FOUND + place]
        if state[ORIENTED] == 1.0:
            angles[3 * hand + place] = state[FOUND + 3 + place]
    return distance - length, distance - most


@inner
def put_arm_points(joints, limb, transforms, work, r):
    """Heights y and depths z of shoulder, elbow, wrist and tip, into row r."""
    for n in range(3):
        work[r, ARM_POINTS + 2 * n], work[r, ARM_POINTS + 2 * n + 1] = transforms[limb[n], 1], transforms[limb[n], 2]
    x, y, z = triple(joints, limb[2], TIP)
    x, y, z = to_world(transforms, limb[2], x, y, z)
    work[r, ARM_POINTS + 6], work[r, ARM_POINTS + 7] = work[r, ARM_POINTS + 4] + y, work[r, ARM_POINTS + 5] + z


@inner
def table_residual(state, work, r, n):
    """How deep part n of an arm is in the table: upper arm, elbow, forearm, wrist, hand, tip."""
    height, front = state[TABLE] + LENGTH_MARGIN, state[TABLE + 1] - LENGTH_MARGIN
    p = ARM_POINTS + 2 * (n // 2)
    y, z = work[r, p + 2], work[r, p + 3]
    if n % 2 == 1:
        return point_excess(height, front, y, z, state[CLEAR + n])
    return segment_excess(height, front, work[r, p], work[r, p + 1], y, z, state[CLEAR + n])


@inner
def outside(value, lower, upper):
    """By how much a value is outside its limits, negative below them."""
    return min(0.0, value - lower) + max(0.0, value - upper)


@inner
def evaluate_residuals(joints, dofs, limbs, trunk, goals, estimate, elbow, transforms, states, angles, work):
    """Places trunk and arms, puts the residuals of each arm into its TRIAL_ROW; returns the sum of all squares.

    One-sided residuals are put down with their sign; they count where they are positive.
    """
    k = STIFF * DISTANCE_WEIGHT
    merit = 0.0
    for j in trunk:
        place_joint(joints, angles, j, transforms)
        for d in range(3 * j, 3 * j + 3):
            lower, upper = bounds(dofs, angles, d)
            merit += (3.0 * STIFF * outside(angles[d], lower, upper)) ** 2
            merit += (dofs[d, PER_RANGE] * (angles[d] - estimate[d])) ** 2
    for h in range(limbs.shape[0]):
        state, limb, d = states[h], limbs[h], 3 * limbs[h, 1]
        r = ARM_ROWS * h + TRIAL_ROW
        gap, far = place_arm(joints, limb, goals[h], work, ARM_ROWS * h, transforms, state, angles)
        for n in range(6):
            at, angle = LIMITS + 3 * n, state[FOUND + n]
            work[r, n], work[r, COMFORTS + n] = -1.0, 0.0
            if n < 3 or state[ORIENTED] == 1.0:
                work[r, n] = STIFF * (max(state[at] - angle, angle - state[at + 1]) + ANGLE_MARGIN)
                if n >= 3:
                    work[r, COMFORTS + n] = COMFORT * angle
                elif not math.isnan(state[at + 2]):
                    work[r, COMFORTS + n] = COMFORT * (angle - state[at + 2])
        put_arm_points(joints, limb, transforms, work, ARM_ROWS * h + STATE_ROW)
        for n in range(6):
            work[r, CLEARANCES + n] = k * table_residual(state, work, ARM_ROWS * h + STATE_ROW, n)
        raised = work[ARM_ROWS * h + STATE_ROW, ARM_POINTS + 2] - work[ARM_ROWS * h + STATE_ROW, ARM_POINTS + 4]
        work[r, HANGING] = k * (raised + ELBOW_ROOM) if elbow == 1.0 else -1.0
        work[r, REACH_ROW] = k * (far + LENGTH_MARGIN)
        work[r, TWIST_ROW] = 0.7 * COMFORT * angles[d + 2]
        work[r, GAP] = k * gap
        for m in range(RESIDUALS):
            if m >= COMFORTS or work[r, m] > 0.0:
                merit += work[r, m] ** 2
        merit += (STIFF * outside(angles[d], dofs[d, LOWER], dofs[d, UPPER])) ** 2
        merit += (STIFF * outside(angles[d + 2], dofs[d + 2, LOWER], dofs[d + 2, UPPER])) ** 2
    return merit


@inner
def cross_product(a, b):
    """a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inner
def inner_product(a, b):
    """a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def add_scaled(a, b, k):
    """a + k b."""
    return a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]


@inner
def offset_between(transforms, i, j):
    """From the origin of transform i to that of j."""
    return add_scaled(triple(transforms, j, 0), triple(transforms, i, 0), -1.0)


@inner
def put_angle_rates(work, at, turn, weight, column, which):
    """How fast the three angles of a ball joint change when it turns by `turn`, into one column of its comfort rows.

    With unit axes a, b, c, of which b is at a right angle to both others, turn = p a + q b + r c is solved for p, q and
    r.
    """
    n = at + AXIS_ROWS + int(6 * which)
    first, middle, last = triple(work, n, 0), triple(work, n + 1, 0), triple(work, n + 2, 0)
    at += COMFORTS + int(3 * which)
    slant = inner_product(first, last)
    k = 1.0 / max(1.0 - slant * slant, 1e-3)
    a, b, c = inner_product(turn, first), inner_product(turn, middle), inner_product(turn, last)
    work[at, column] = weight * k * (a - slant * c)
    work[at + 1, column] = weight * b
    work[at + 2, column] = weight * k * (c - slant * a)


@inner
def put_arm_jacobian(joints, limb, trunk, transforms, state, angles, work, at, axis_rows):
    """The rows of J for one arm's residuals, (RESIDUALS, trunk's axes + ARM_VARIABLES)."""
    axes = 3 * trunk.shape[0]
    shoulder, hinge, hand = limb[0], limb[1], limb[2]
    oriented = state[ORIENTED] == 1.0
    k = STIFF * DISTANCE_WEIGHT
    bending, twisting = triple(work, at + AXIS_ROWS + 3, 0), triple(work, at + AXIS_ROWS + 5, 0)
    tip = triple(joints, hand, TIP)
    tip = to_world(transforms, hand, tip[0], tip[1], tip[2])
    to_elbow, to_wrist = offset_between(transforms, shoulder, hinge), offset_between(transforms, shoulder, hand)
    forearm = offset_between(transforms, hinge, hand)
    to_end, beyond = to_wrist, forearm
    if not oriented:
        to_end, beyond = add_scaled(to_wrist, tip, 1.0), add_scaled(forearm, tip, 1.0)
    length = max(1e-9, math.sqrt(inner_product(to_end, to_end)))
    distance = max(1e-9, length + work[at + RESIDUAL_ROW, GAP] / k)
    line = (to_end[0] / length, to_end[1] / length, to_end[2] / length)
    none = (0.0, 0.0, 0.0)
    for column in range(axes + ARM_VARIABLES):
        carried, moved, local, own = none, none, none, 0.0  # turn of chest, shoulder's path, turn of forearm
        if column < axes:
            j = trunk[column // 3]
            carried = triple(work, axis_rows + column, 0)
            moved = cross_product(carried, offset_between(transforms, j, shoulder))
        elif column == axes:
            own = 1.0
        else:
            local = twisting if column == axes + 1 else bending
        bent = cross_product(local, beyond)
        stretch = inner_product(moved, line) + inner_product(bent, line)
        # The upper arm's turn that keeps the end on its line.
        upper = cross_product(line, add_scaled(bent, moved, length / distance))
        upper = add_scaled((own * line[0], own * line[1], own * line[2]), upper, -1.0 / length)
        lower = add_scaled(upper, local, 1.0)
        put_angle_rates(work, at, add_scaled(upper, carried, -1.0), 1.0, column, 0.0)
        if oriented:
            put_angle_rates(work, at, lower, -1.0, column, 1.0)
        else:
            for n in range(3):
                work[at + COMFORTS + 3 + n, column] = 0.0
        a = add_scaled(moved, cross_product(upper, to_elbow), 1.0)
        b = add_scaled(moved, cross_product(upper, to_wrist), 1.0)
        b = add_scaled(b, cross_product(local, forearm), 1.0)
        c = b if oriented else add_scaled(b, cross_product(lower, tip), 1.0)
        work[at + HANGING, column] = k * (a[1] - b[1])
        work[at + REACH_ROW, column] = -k * inner_product(moved, line)
        work[at + GAP, column] = -k * stretch
        work[at + TWIST_ROW, column] = 0.7 * COMFORT if column == axes + 1 else 0.0
        # Kept for the table, where something is in it: how shoulder, elbow, wrist and tip move.
        work[at + RESIDUALS, column], work[at + RESIDUALS + 1, column] = moved[1], moved[2]
        work[at + RESIDUALS + 2, column], work[at + RESIDUALS + 3, column] = a[1], a[2]
        work[at + RESIDUALS + 4, column], work[at + RESIDUALS + 5, column] = b[1], b[2]
        work[at + RESIDUALS + 6, column], work[at + RESIDUALS + 7, column] = c[1], c[2]
    for n in range(6):
        m, angle = LIMITS + 3 * n, state[FOUND + n]
        limit = STIFF if 2.0 * angle > state[m] + state[m + 1] else -STIFF
        scored = COMFORT if n >= 3 or not math.isnan(state[m + 2]) else 0.0
        for column in range(axes + ARM_VARIABLES):
            slope = work[at + COMFORTS + n, column]
            work[at + n, column], work[at + COMFORTS + n, column] = limit * slope, scored * slope
            work[at + CLEARANCES + n, column] = 0.0
        if work[at + RESIDUAL_ROW, CLEARANCES + n] > 0.0:
            for m in range(4):
                coordinate = 2 * (n // 2) + m
                before = work[at + STATE_ROW, ARM_POINTS + coordinate]
                work[at + STATE_ROW, ARM_POINTS + coordinate] += SLOPE_STEP
                slope = (
                    k * table_residual(state, work, at + STATE_ROW, n) - work[at + RESIDUAL_ROW, CLEARANCES + n]
                ) / SLOPE_STEP
                work[at + STATE_ROW, ARM_POINTS + coordinate] = before
                for column in range(axes + ARM_VARIABLES):
                    work[at + CLEARANCES + n, column] += slope * work[at + RESIDUALS + coordinate, column]


@inner
def linearize(joints, dofs, limbs, trunk, estimate, transforms, states, angles, work, axis_rows, base):
    """Takes the posture just evaluated as the point to go on from: its residuals, Jacobian and normal equations."""
    arms, axes = limbs.shape[0], 3 * trunk.shape[0]
    count = axes + ARM_VARIABLES * arms
    for i in range(count + 1):
        for j in range(count):
            work[base + i, j] = 0.0
    for n in range(axes):
        j, d = trunk[n // 3], 3 * trunk[n // 3] + n % 3
        weight = dofs[d, PER_RANGE] ** 2
        work[base + n, n] = weight if weight > 0.0 else 1.0
        work[base + count, n] = -weight * (angles[d] - estimate[d])
    for n in range(axes + 9 * arms):
        j, row = trunk[min(n, axes - 1) // 3], axis_rows + n
        if n >= axes:
            h, m = (n - axes) // 9, (n - axes) % 9
            j, row = limbs[h, m // 3], ARM_ROWS * h + AXIS_ROWS + m
        work[row, 0], work[row, 1], work[row, 2] = axis_from_joint(joints, transforms, angles, j, n % 3)
        if n < axes and dofs[3 * j + n % 3, PER_RANGE] == 0.0:  # turns about nothing: its columns of J are zero
            work[row, 0] = work[row, 1] = work[row, 2] = 0.0
    for h in range(arms):
        at = ARM_ROWS * h
        for m in range(RESIDUALS):
            work[at + RESIDUAL_ROW, m] = work[at + TRIAL_ROW, m]
        for n in range(9):
            work[at + STATE_ROW, n] = transforms[limbs[h, 0], 3 + n]
        put_arm_jacobian(joints, limbs[h], trunk, transforms, states[h], angles, work, at, axis_rows)
        for m in range(COMFORTS, RESIDUALS):
            add_residual(work, at + m, work[at + RESIDUAL_ROW, m], axes, ARM_VARIABLES * h, base, count)


@inner
def solve_trunk_and_arms(joints, dofs, limbs, trunk, goals, estimate, elbow, transforms, states, work, old, angles):
    """Moves trunk, swivels, twists and elbows to the nearest minimum of |r(q)|^2; returns that minimum.

    elbow: 1 where a raised elbow is a flaw, 0 where it is not. work: see workspace_shape. old: (dofs,), overwritten.
    """
    arms, axes = limbs.shape[0], 3 * trunk.shape[0]
    axis_rows = ARM_ROWS * arms
    base = axis_rows + axes
    step = base + 2 * (axes + ARM_VARIABLES * arms + 1)
    for j in trunk:
        place_joint(joints, angles, j, transforms)
    for h in range(arms):
        place_joint(joints, angles, limbs[h, 0], transforms)
        for n in range(9):
            work[ARM_ROWS * h + STATE_ROW, n] = transforms[limbs[h, 0], 3 + n]
        work[ARM_ROWS * h + STATE_ROW, SWIVELLED] = 0.0
    copy(angles, old)
    merit, damping, tries, rounds = math.inf, 1e-2, 0, 0
    while True:
        after = evaluate_residuals(joints, dofs, limbs, trunk, goals, estimate, elbow, transforms, states, angles, work)
        if rounds == 0 and not after < math.inf:  # nothing to go on from
            copy(old, angles)
            break
        if tries > _TRIES:
            break
        if after < merit:
            gain = merit - after
            merit = after
            rounds += 1
            if rounds > _ROUNDS or gain < (_ENOUGH if merit > NATURAL else 5.0 * _ENOUGH) * merit:
                break
            if tries == 0:
                damping = max(1e-5, 0.1 * damping)
            tries = 0
            copy(angles, old)
            linearize(joints, dofs, limbs, trunk, estimate, transforms, states, angles, work, axis_rows, base)
        else:
            damping *= 8.0
            tries += 1
        share = 0.0  # the last time: back
        if tries < _TRIES:
            damped_step(dofs, limbs, trunk, old, damping, work, base)
            share = 1.0
        else:
            tries += 1
        for n in range(axes):
            d = 3 * trunk[n // 3] + n % 3
            angles[d] = old[d] + share * work[step, n]
        for h in range(arms):
            d, own = 3 * limbs[h, 1], axes + ARM_VARIABLES * h
            work[ARM_ROWS * h + STATE_ROW, SWIVELLED] = share * work[step, own]
            angles[d + 2] = old[d + 2] + share * work[step, own + 1]
            angles[d] = old[d] + share * work[step, own + 2]
    return merit
