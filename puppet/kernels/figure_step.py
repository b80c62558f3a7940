"""One step of the whole-body solver, compiled.

Wanted are the velocities dq that minimise

    1/2 (dq - r)^T D (dq - r) + 1/2 sum_i (J_i dq - e_i)^2 / c_i     inside the ranges of all joints,

with D the metric (what it costs to move a joint: the inertia that it carries), r the way towards the reference posture,
J_i and e_i the rows of the tasks, and c_i how much each of them gives. c = 0 is a hard row, and a larger c is softer: a
task of a higher priority gives less by orders of magnitude. With the multipliers l of the rows

    (J D^-1 J^T + C) l = e - J r,     dq = r + D^-1 J^T l                    (dual form of damped least squares)

A row gives more the larger the errors are (Levenberg-Marquardt): c = s (c0 + d), s being the largest element of the
diagonal among the rows of its task, so that the damping does not vanish in the one direction that a stretched limb
cannot go. With E the sum of the squared errors, each in units of what counts in one step, over the tasks of its
priority and above: d = k sqrt(E) for the first priority, whose own misses must not make it shake, and d = k E for the
others, which are all but hard as long as they can be had. In E no error counts for more than a few steps can make good.
Damping lets r pass where a task should stop it, so r is slowed down by EASE / (EASE + d): in the end the tasks win
against the reference posture, whatever the damping.

Ranges: a limit that dq would pass becomes a hard row with what is left up to it; where its multiplier would pull the
joint away from the limit, it is dropped again. In the end the posture is put into the ranges to the last bit.
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.figure_features import put_sums, put_task, rows_of
from puppet.kernels.figure_kinematics import limits_now, place_figure
from puppet.kernels.figure_model import (
    ANGLE,
    BALL,
    BONE,
    CORNER,
    CORNERS,
    COUNT,
    COUNTED,
    FIRST,
    GIVING,
    KIND,
    LARGEST,
    LINK,
    MOBILITY,
    ORIENTATION,
    PLANE,
    PRIORITY,
    SIGN,
    SOFT,
)
from puppet.kernels.figure_range import project_into_range, quaternion_of, swing_and_twist, twist_bounds
from puppet.kernels.jit import inner

LIMITS = 48  # that may hold at once
PASSES = 6  # solutions of one step while limits come and go
SAME = 1e-10
EASE = 0.01  # damping up to which the reference posture is followed at its full pace
DIFFERENCE = 1e-6  # of a rotation, for the slopes of its coordinates


@inner
def figure_step(
    joints, links, corners, velocities, chains, free, tasks, given, given_errors, given_soft, towards, mobility,
    largest, angles, local, world, axes, sums, lengths,
):  # fmt: skip
    """Moves the figure by one step; returns the largest velocity.

    given (rows, velocities): rows of further tasks with their errors and how much they give. towards (velocities,): r.
    mobility (velocities,): D^-1, 0 for what may not move. largest: no velocity is larger. lengths (tasks,): takes the
    errors before the step. world, axes, sums: as they are for the posture, and brought up to date.
    """
    count, extra = velocities.shape[0], given.shape[0]
    rows = extra
    for t in range(tasks.shape[0]):
        rows += rows_of(tasks, t)
    room = rows + LIMITS
    jacobian = np.zeros((room, count))
    errors, soft = np.empty(room), np.empty(room)
    supports = np.empty(room, dtype=np.int64)  # the joint whose chain a row is in; -1: all velocities; -2: one joint
    row = 0
    for t in range(tasks.shape[0]):
        lengths[t] = put_task(
            joints, links, velocities, chains, free, world, axes, sums, tasks, t, jacobian, errors, row
        )
        kind = int(tasks[t, KIND])
        for _ in range(rows_of(tasks, t)):
            supports[row] = int(tasks[t, LINK]) if kind <= ORIENTATION else -1
            row += 1
    row, most = 0, 0.0
    for t in range(tasks.shape[0]):
        total = 0.0  # of the squared errors of this priority and of those above it, as far as they count
        for other in range(tasks.shape[0]):
            if tasks[other, PRIORITY] <= tasks[t, PRIORITY]:
                share = min(lengths[other] / tasks[other, LARGEST], COUNTED)
                total += share * share
        damping = tasks[t, GIVING] * (math.sqrt(total) if tasks[t, PRIORITY] == 1.0 else total)
        most = max(most, damping)
        end, scale = row + rows_of(tasks, t), 0.0
        for i in range(row, end):
            scale = max(scale, scale_of(velocities, chains, jacobian, supports, i))
        for i in range(row, end):
            soft[i] = scale * (tasks[t, SOFT] + damping)
        row = end
    for v in range(count):
        towards[v] *= EASE / (EASE + most)
    for n in range(extra):
        for v in range(count):
            jacobian[row, v] = given[n, v]
        errors[row], supports[row] = given_errors[n], -1
        soft[row] = given_soft[n] * scale_of(velocities, chains, jacobian, supports, row)
        row += 1
    dq = np.empty(count)
    solve_with_ranges(
        joints, links, corners, velocities, chains, mobility, towards, jacobian, errors, soft, supports, rows, angles,
        local, dq,
    )  # fmt: skip
    most = largest_turn(joints, axes, dq)
    if most > largest:
        for v in range(count):
            dq[v] *= largest / most
        most = largest
    if free == 1:
        for v in range(3):
            most = max(most, abs(dq[v]))
    integrate(joints, links, corners, velocities, free, dq, angles, local)
    place_figure(joints, links, velocities, free, angles, local, world, axes)
    put_sums(joints, links, world, sums)
    return most


@inner
def largest_turn(joints, axes, dq):
    """How far the joint turns that turns farthest, or the angle that changes most."""
    most = 0.0
    for j in range(joints.shape[0]):
        x = y = z = 0.0
        for v in range(joints[j, FIRST], joints[j, FIRST] + joints[j, COUNT]):
            x, y, z = x + axes[v, 0] * dq[v], y + axes[v, 1] * dq[v], z + axes[v, 2] * dq[v]
            most = max(most, abs(dq[v]))
        most = max(most, math.sqrt(x * x + y * y + z * z))
    return most


@inner
def solve_with_ranges(
    joints, links, corners, velocities, chains, mobility, towards, jacobian, errors, soft, supports, rows, angles,
    local, dq,
):  # fmt: skip
    """dq inside the linearised ranges. Rows of limits are put behind those of the tasks."""
    count, room = velocities.shape[0], jacobian.shape[0]
    matrix = np.empty((room, room))
    factor = np.empty((room, room))
    right, multipliers = np.empty(room), np.empty(room)
    for i in range(rows):
        fill_row(velocities, chains, mobility, towards, jacobian, errors, supports, i, matrix, right)
        matrix[i, i] += soft[i] + 1e-300
    active, ready = rows, 0  # rows of the factor that are up to date
    for turn in range(PASSES):
        factorise(matrix, factor, ready, active)
        ready = active
        substitute(factor, right, multipliers, active)
        if turn > 0 and turn < PASSES - 1:  # limits that hold something back that would not pass them
            kept = rows
            for i in range(rows, active):
                if multipliers[i] <= 0.0:
                    if kept != i:
                        for v in range(count):
                            jacobian[kept, v] = jacobian[i, v]
                        errors[kept], supports[kept] = errors[i], supports[i]
                    kept += 1
            if kept < active:
                for i in range(kept, active):
                    for v in range(count):
                        jacobian[i, v] = 0.0
                active = kept
                for i in range(rows, active):
                    fill_row(velocities, chains, mobility, towards, jacobian, errors, supports, i, matrix, right)
                    matrix[i, i] += 1e-12 * matrix[i, i] + 1e-300
                factorise(matrix, factor, rows, active)
                ready = active
                substitute(factor, right, multipliers, active)
        for v in range(count):
            dq[v] = towards[v]
        for i in range(active):
            own, value = supports[i], multipliers[i]
            if own >= 0:
                for n in range(1, chains[own, 0] + 1):
                    v = chains[own, n]
                    dq[v] += mobility[v] * jacobian[i, v] * value
            else:
                for v in range(0 if own == -1 else -2 - own, count if own == -1 else min(count, 1 - own)):
                    dq[v] += mobility[v] * jacobian[i, v] * value
        before = active
        active = add_limits(
            joints, links, corners, velocities, mobility, angles, local, dq, jacobian, errors, supports, active
        )
        if active == before:
            return
        for i in range(before, active):
            fill_row(velocities, chains, mobility, towards, jacobian, errors, supports, i, matrix, right)
            matrix[i, i] += 1e-12 * matrix[i, i] + 1e-300


@inner
def fill_row(velocities, chains, mobility, towards, jacobian, errors, supports, i, matrix, right):
    """Row i of J D^-1 J^T, up to its diagonal, and of e - J r."""
    count = velocities.shape[0]
    own = supports[i]
    right[i] = errors[i]
    if own >= 0:
        for n in range(1, chains[own, 0] + 1):
            v = chains[own, n]
            right[i] -= jacobian[i, v] * towards[v]
    else:
        for v in range(0 if own == -1 else -2 - own, count if own == -1 else min(count, 1 - own)):
            right[i] -= jacobian[i, v] * towards[v]
    for k in range(i + 1):
        other = supports[k]
        found = 0.0
        if own >= 0 and other >= 0:  # two chains have their beginnings in common
            most = min(chains[own, 0], chains[other, 0])
            for n in range(1, most + 1):
                v = chains[own, n]
                if v != chains[other, n]:
                    break
                found += jacobian[i, v] * mobility[v] * jacobian[k, v]
        elif own < -1:  # of one joint: -2 - joint
            first = own
            found = one_joint(velocities, mobility, jacobian, i, k, -2 - first)
        elif other < -1:
            found = one_joint(velocities, mobility, jacobian, i, k, -2 - other)
        else:
            chain = own if own >= 0 else other
            if chain >= 0:
                for n in range(1, chains[chain, 0] + 1):
                    v = chains[chain, n]
                    found += jacobian[i, v] * mobility[v] * jacobian[k, v]
            else:
                for v in range(count):
                    found += jacobian[i, v] * mobility[v] * jacobian[k, v]
        matrix[i, k] = found


@inner
def scale_of(velocities, chains, jacobian, supports, i):
    """s: the diagonal element of row i as it is when all joints serve."""
    own, found = supports[i], 0.0
    count = chains[own, 0] if own >= 0 else velocities.shape[0]
    for n in range(count):
        v = chains[own, 1 + n] if own >= 0 else n
        found += jacobian[i, v] * jacobian[i, v] * velocities[v, MOBILITY]
    return found


@inner
def one_joint(velocities, mobility, jacobian, i, k, first):
    """The product of two rows where one of them has its entries in three velocities from `first` on."""
    found = 0.0
    for v in range(first, min(first + 3, velocities.shape[0])):
        found += jacobian[i, v] * mobility[v] * jacobian[k, v]
    return found


@inner
def factorise(matrix, factor, first, size):
    """Cholesky from row `first` on: the lower triangle of `matrix` = F F^T.

    Rows that hang on others up to rounding have no say.
    """
    for i in range(first, size):
        for k in range(i + 1):
            found = matrix[i, k]
            for n in range(k):
                found -= factor[i, n] * factor[k, n]
            if k < i:
                factor[i, k] = found / factor[k, k]
            else:
                factor[i, i] = math.sqrt(found) if found > 1e-14 * matrix[i, i] else 1e15 * (1.0 + matrix[i, i])


@inner
def substitute(factor, right, found, size):
    for i in range(size):
        value = right[i]
        for n in range(i):
            value -= factor[i, n] * found[n]
        found[i] = value / factor[i, i]
    for i in range(size - 1, -1, -1):
        value = found[i]
        for n in range(i + 1, size):
            value -= factor[n, i] * found[n]
        found[i] = value / factor[i, i]


@inner
def add_limits(joints, links, corners, velocities, mobility, angles, local, dq, jacobian, errors, supports, active):
    """Puts a row for each limit that dq passes behind the others; returns how many rows there are then.

    The multiplier of such a row is negative where it holds back.
    """
    room = jacobian.shape[0]
    for j in range(joints.shape[0]):
        first, count = joints[j, FIRST], joints[j, COUNT]
        if count == 0:
            continue
        if joints[j, BALL] == 1:
            if joints[j, CORNERS] > 0 and mobility[first] > 0.0:
                active = add_range(joints, links, corners, local, j, first, dq, jacobian, errors, supports, active)
            continue
        for v in range(first, first + count):
            lower, upper = limits_now(velocities, angles, v)
            now = angles[int(velocities[v, ANGLE])]
            side = 0.0
            if now + dq[v] > upper + SAME:
                side = 1.0
            elif now + dq[v] < lower - SAME:
                side = -1.0
            if side != 0.0 and active < room and mobility[v] > 0.0:
                jacobian[active, v] = side
                errors[active] = side * ((upper if side > 0.0 else lower) - now)
                supports[active] = -2 - v
                active += 1
    return active


@inner
def add_range(joints, links, corners, local, j, first, dq, jacobian, errors, supports, active):
    """The same for a ball joint: sides of its region and bounds of its twist, linearised."""
    room = jacobian.shape[0]
    bone, sign = int(links[j, BONE]), links[j, SIGN]
    w, x, y, z = quaternion_of(local, j, 0)
    a1, a2, twist = swing_and_twist(bone, sign, w, x, y, z)
    s = np.empty(9)  # slopes of the coordinates by the three angular velocities
    for k in range(3):
        h = 0.5 * DIFFERENCE
        bw = w - h * (x if k == 0 else (y if k == 1 else z))
        bx = x + h * (w if k == 0 else (-z if k == 1 else y))
        by = y + h * (z if k == 0 else (w if k == 1 else -x))
        bz = z + h * (-y if k == 0 else (x if k == 1 else w))
        b1, b2, b3 = swing_and_twist(bone, sign, bw, bx, by, bz)
        scale = 1.0 / math.sqrt(1.0 + h * h)
        turned = b3 - twist
        if turned > math.pi:
            turned -= 2.0 * math.pi
        elif turned < -math.pi:
            turned += 2.0 * math.pi
        s[k] = (b1 * scale - a1) / DIFFERENCE
        s[3 + k] = (b2 * scale - a2) / DIFFERENCE
        s[6 + k] = turned / DIFFERENCE
    for n in range(joints[j, CORNERS]):
        side = joints[j, CORNER] + n
        n1, n2 = corners[side, PLANE], corners[side, PLANE + 1]
        left = corners[side, PLANE + 2] - n1 * a1 - n2 * a2
        change = 0.0
        for k in range(3):
            change += (n1 * s[k] + n2 * s[3 + k]) * dq[first + k]
        if change > left + SAME and active < room:
            for k in range(3):
                jacobian[active, first + k] = n1 * s[k] + n2 * s[3 + k]
            errors[active], supports[active] = left, -2 - first
            active += 1
    lower, l1, l2, upper, u1, u2 = twist_bounds(joints, links, corners, j, a1, a2)
    change_up = change_down = 0.0
    for k in range(3):
        change_up += (s[6 + k] - u1 * s[k] - u2 * s[3 + k]) * dq[first + k]
        change_down += (l1 * s[k] + l2 * s[3 + k] - s[6 + k]) * dq[first + k]
    if change_up > upper - twist + SAME and active < room:
        for k in range(3):
            jacobian[active, first + k] = s[6 + k] - u1 * s[k] - u2 * s[3 + k]
        errors[active], supports[active] = upper - twist, -2 - first
        active += 1
    if change_down > twist - lower + SAME and active < room:
        for k in range(3):
            jacobian[active, first + k] = l1 * s[k] + l2 * s[3 + k] - s[6 + k]
        errors[active], supports[active] = twist - lower, -2 - first
        active += 1
    return active


@inner
def integrate(joints, links, corners, velocities, free, dq, angles, local):
    """Moves the posture by dq, and puts it into the ranges to the last bit."""
    if free == 1:
        for v in range(3):
            angles[v] += dq[v]
    for j in range(joints.shape[0]):
        first, count = joints[j, FIRST], joints[j, COUNT]
        if joints[j, BALL] == 1:
            turn_ball(local, j, dq[first], dq[first + 1], dq[first + 2])
            project_into_range(joints, links, corners, local, j)
            continue
        for v in range(first, first + count):
            angles[int(velocities[v, ANGLE])] += dq[v]
        for _ in range(2):  # a limit that widens with a bend follows the bend
            for v in range(first, first + count):
                lower, upper = limits_now(velocities, angles, v)
                at = int(velocities[v, ANGLE])
                angles[at] = min(max(angles[at], lower), upper)


@inner
def turn_ball(local, j, x, y, z):
    """L = L exp(w) for a rotation vector w in the joint's own frame; the result is a rotation to the last bit."""
    angle = math.sqrt(x * x + y * y + z * z)
    s = 0.5 if angle < 1e-12 else math.sin(0.5 * angle) / angle
    c = math.cos(0.5 * angle)
    a, b, d, e = quaternion_of(local, j, 0)
    x, y, z = s * x, s * y, s * z
    put_normal(
        a * c - b * x - d * y - e * z, a * x + b * c + d * z - e * y, a * y + d * c + e * x - b * z,
        a * z + e * c + b * y - d * x, local, j,
    )  # fmt: skip


@inner
def put_normal(w, x, y, z, local, j):
    s = 2.0 / (w * w + x * x + y * y + z * z)
    local[j, 0] = 1.0 - s * (y * y + z * z)
    local[j, 1] = s * (x * y - w * z)
    local[j, 2] = s * (x * z + w * y)
    local[j, 3] = s * (x * y + w * z)
    local[j, 4] = 1.0 - s * (x * x + z * z)
    local[j, 5] = s * (y * z - w * x)
    local[j, 6] = s * (x * z - w * y)
    local[j, 7] = s * (y * z + w * x)
    local[j, 8] = 1.0 - s * (x * x + y * y)


@inner
def put_towards(joints, velocities, reference_angles, reference_local, gains, mobility, angles, local, towards):
    """r: the way to the reference posture, each joint's part of it."""
    for v in range(velocities.shape[0]):
        towards[v] = 0.0
    for j in range(joints.shape[0]):
        first, count = joints[j, FIRST], joints[j, COUNT]
        if count == 0 or gains[first] == 0.0 or mobility[first] == 0.0:
            continue
        if joints[j, BALL] == 0:
            for v in range(first, first + count):
                at = int(velocities[v, ANGLE])
                towards[v] = gains[v] * (reference_angles[at] - angles[at])
            continue
        a, b, c, d = quaternion_of(local, j, 0)
        w, x, y, z = quaternion_of(reference_local, j, 0)
        # conjugate of the present one * the reference
        qw = a * w + b * x + c * y + d * z
        qx = a * x - b * w - c * z + d * y
        qy = a * y - c * w - d * x + b * z
        qz = a * z - d * w - b * y + c * x
        if qw < 0.0:
            qw, qx, qy, qz = -qw, -qx, -qy, -qz
        s = math.sqrt(qx * qx + qy * qy + qz * qz)
        k = gains[first] * (2.0 if s < 1e-12 else 2.0 * math.atan2(s, qw) / s)
        towards[first], towards[first + 1], towards[first + 2] = k * qx, k * qy, k * qz
