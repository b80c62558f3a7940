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
priority and above: d = k (sqrt(E) + STUCK E^2) for the first priority, and d = k E for the others, which are all but
hard as long as they can be had. A stretched limb is drawn on in a direction in which its Jacobian all but vanishes,
and with less damping than e times its curvature it would shake: STUCK E^2 is that much where a target stays out of
reach, and nothing where it is followed. In E, as in e, an error counts no more than in one step.
Damping lets r pass where a task should stop it, so r is slowed down by _EASE / (_EASE + d): in the end the tasks win
against the reference posture, whatever the damping.

Second order: the point of a task that turns about an axis w through o comes nearer to o, by (p - o) across w times half
the square of the turn. Where a task pulls with the force l along that, as at a limb that is stretched out, each such
turn costs l . (p - o) more: the geometric stiffness, whose diagonal is added to D, with l of the step before. Without
it steps would be as long as if the limb had no end, and it would shake.

Ranges: a limit that dq would pass becomes a hard row with what is left up to it; where its multiplier would pull the
joint away from the limit, it is dropped again. In the end the posture is put into the ranges to the last bit.

Clearances are kept in the same way: n . (J_a - J_b) dq >= c - d for two solids a and b that are d apart and shall be c
apart, n being the direction from b to a. Such a row gives a little, so that a hard task wins against it.
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.figure_features import first_row, point_of, put_sums, put_task
from puppet.kernels.figure_kinematics import limits_now, place_figure, widening_now
from puppet.kernels.figure_model import (
    ANGLE,
    AT,
    BALL,
    BONE,
    BONE_SIGN,
    CORNER,
    CORNERS,
    COUNT,
    COUNTS,
    GIVING,
    JOINT_FIRST,
    LARGEST,
    LINK,
    MOBILITY,
    ORIENTATION,
    PLANE,
    POSITION,
    PRIORITY,
    PULL,
    SOFT,
    STUCK,
    TASK_KIND,
)
from puppet.kernels.figure_range import (
    project_into_range,
    put_quaternion,
    quaternion_of,
    quaternion_vector,
    relative_quaternion,
    seen_from_frames,
    swing_and_twist,
    twist_bounds,
)
from puppet.kernels.jit import inner
from puppet.kernels.rotation import triple

MAX_LIMITS = 48  # that may hold at once
PASSES = 6  # solutions of one step while limits come and go
_SAME = 1e-10
_STIFFNESS = 1.5  # of the geometric stiffness: its diagonal stands for all of it
_EASE = 0.01  # damping up to which the reference posture is followed at its full pace
RANGE_COLUMNS = 17
_LIMIT_SOFT, CLEARANCE_SOFT = 1e-12, 0.02  # how much the rows of limits and clearances give


@inner
def figure_step(
    joints, links, corners, velocities, chains, free, tasks, given, given_errors, given_soft, towards, mobility,
    approach, room_left, largest, enough, angles, local, world, axes, sums, lengths, work,
):  # fmt: skip
    """Moves the figure by one step; returns the largest velocity, or -1 where no error is larger than `enough`.

    given (velocities, rows): the Jacobian of further tasks, with their errors and how much they give. towards
    (velocities,): r. mobility (velocities,): D^-1, 0 for what may not move. approach (velocities, pairs), room_left
    (pairs,): how fast pairs of solids come nearer, and how far they may. largest: no velocity is larger. lengths
    (tasks,): takes the errors before the step. world, axes: as they are for the posture, and brought up to date; so are
    sums, where a task needs them. work: room of figure_room rows.
    """
    count, extra = velocities.shape[0], given.shape[1]
    room = work.shape[1]
    jacobian, matrix, factor = work[:count], work[count : count + room], work[count + room : count + 2 * room]
    rest = work[count + 2 * room :]
    errors, soft, right, multipliers = rest[0], rest[1], rest[2], rest[3]
    row = first_row(tasks, tasks.shape[0])
    rows = row + extra
    for v in range(count):
        for i in range(row):
            jacobian[v, i] = 0.0
    most = 0.0
    for t in range(tasks.shape[0]):
        lengths[t] = put_task(
            joints, links, velocities, chains, free, world, axes, sums, tasks, t, jacobian, errors, first_row(tasks, t)
        )
        most = max(most, lengths[t])
    if most <= enough:
        return -1.0
    for n in range(extra):
        for v in range(count):
            jacobian[v, row + n] = given[v, n]
        errors[row + n] = given_errors[n]
    put_scales(velocities, jacobian, rows, right)
    most = 0.0
    for t in range(tasks.shape[0]):
        total = 0.0  # of the squared errors of this priority and of those above it, as far as they count
        for other in range(tasks.shape[0]):
            if tasks[other, PRIORITY] <= tasks[t, PRIORITY]:
                share = min(lengths[other] / tasks[other, LARGEST], 1.0)
                total += share * share
        first = tasks[t, PRIORITY] == 1.0
        damping = tasks[t, GIVING] * (math.sqrt(total) + STUCK * total * total if first else total)
        most = max(most, damping)
        begin, end, scale = first_row(tasks, t), first_row(tasks, t + 1), 0.0
        for i in range(begin, end):
            scale = max(scale, right[i])
        for i in range(begin, end):
            soft[i] = scale * (tasks[t, SOFT] + damping)
    for n in range(extra):
        soft[row + n] = given_soft[n] * right[row + n]
    dq, eased = np.empty(count), np.empty(count)
    put_stiffness(chains, free, world, axes, tasks, eased)
    for v in range(count):
        eased[v] = mobility[v] / (1.0 + mobility[v] * eased[v])
        towards[v] *= _EASE / (_EASE + most)
        if mobility[v] > 0.0:
            towards[v] *= eased[v] / mobility[v]
    solve_with_ranges(
        joints, links, corners, velocities, eased, towards, approach, room_left, jacobian, errors, soft, rows,
        angles, local, matrix, factor, right, multipliers, dq,
    )  # fmt: skip
    put_pulls(tasks, multipliers)
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
    for t in range(tasks.shape[0]):
        if tasks[t, TASK_KIND] > ORIENTATION:
            put_sums(joints, links, world, sums)
            break
    return most


@inner
def put_stiffness(chains, free, world, axes, tasks, stiffness):
    """What each velocity costs more, because of the pulls of the step before; never less."""
    for v in range(stiffness.shape[0]):
        stiffness[v] = 0.0
    for t in range(tasks.shape[0]):
        if tasks[t, TASK_KIND] != POSITION:
            continue
        j = int(tasks[t, LINK])
        x, y, z = triple(tasks, t, PULL)
        px, py, pz = point_of(world, j, tasks[t, AT], tasks[t, AT + 1], tasks[t, AT + 2])
        for n in range(chains[j, 0]):
            v = chains[j, 1 + n]
            if free == 0 or v >= 3:
                wx, wy, wz = triple(axes, v, 0)
                ox, oy, oz = triple(axes, v, 3)
                ox, oy, oz = px - ox, py - oy, pz - oz
                along = wx * ox + wy * oy + wz * oz
                stiffness[v] += x * (ox - along * wx) + y * (oy - along * wy) + z * (oz - along * wz)
    for v in range(stiffness.shape[0]):
        stiffness[v] = max(0.0, _STIFFNESS * stiffness[v])


@inner
def put_pulls(tasks, multipliers):
    """The multipliers of all tasks at points, as vectors, for the next step."""
    for t in range(tasks.shape[0]):
        if tasks[t, TASK_KIND] == POSITION:
            row = first_row(tasks, t)
            for n in range(3):
                tasks[t, PULL + n] = 0.0
                if tasks[t, COUNTS + n] > 0.0:
                    tasks[t, PULL + n] = multipliers[row]
                    row += 1


@inner
def figure_room(velocities, tasks, given, pairs):
    """Arrays for the steps with these tasks and pairs of solids: the Jacobian, the matrix, its factor and four rows."""
    room = first_row(tasks, tasks.shape[0]) + given.shape[1] + MAX_LIMITS + pairs
    return np.empty((velocities.shape[0] + 2 * room + 4, room))


@inner
def put_scales(velocities, jacobian, rows, scales):
    """s of each row: its element of the diagonal as it is when all joints serve."""
    for i in range(rows):
        scales[i] = 0.0
    for v in range(velocities.shape[0]):
        share = velocities[v, MOBILITY]
        for i in range(rows):
            scales[i] += share * jacobian[v, i] * jacobian[v, i]


@inner
def largest_turn(joints, axes, dq):
    """How far the joint turns that turns farthest, or the angle that changes most."""
    most = 0.0
    for j in range(joints.shape[0]):
        x = y = z = 0.0
        for v in range(joints[j, JOINT_FIRST], joints[j, JOINT_FIRST] + joints[j, COUNT]):
            x, y, z = x + axes[v, 0] * dq[v], y + axes[v, 1] * dq[v], z + axes[v, 2] * dq[v]
            most = max(most, abs(dq[v]))
        most = max(most, math.sqrt(x * x + y * y + z * z))
    return most


@inner
def solve_with_ranges(
    joints, links, corners, velocities, mobility, towards, approach, room_left, jacobian, errors, soft, rows, angles,
    local, matrix, factor, right, multipliers, dq,
):  # fmt: skip
    """dq inside the linearised ranges. Rows of limits are put behind those of the tasks."""
    count = velocities.shape[0]
    ranges = np.empty((joints.shape[0], RANGE_COLUMNS))
    put_range_jacobians(joints, links, corners, mobility, local, ranges)
    fill_rows(mobility, towards, jacobian, errors, rows, matrix, right)
    for i in range(rows):
        matrix[i, i] += soft[i] + 1e-300
    taken = np.zeros(room_left.shape[0])  # pairs that have a row
    active, ready = rows, min(rows, 0)  # rows of the factor that are up to date; no constant: see puppet.kernels.jit
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
                            jacobian[v, kept] = jacobian[v, i]
                        errors[kept], soft[kept] = errors[i], soft[i]
                    kept += 1
            if kept < active:
                active = kept
                for i in range(rows, active):
                    fill_row(mobility, towards, jacobian, errors, i, matrix, right)
                    matrix[i, i] += soft[i] * matrix[i, i] + 1e-300
                factorise(matrix, factor, rows, active)
                ready = active
                substitute(factor, right, multipliers, active)
        for v in range(count):
            pull = 0.0
            for i in range(active):
                pull += jacobian[v, i] * multipliers[i]
            dq[v] = towards[v] + mobility[v] * pull
        before = active
        active = add_limits(joints, corners, velocities, mobility, angles, ranges, dq, jacobian, errors, active)
        for i in range(before, active):
            soft[i] = _LIMIT_SOFT
        active = add_clearances(approach, room_left, taken, dq, jacobian, errors, soft, active)
        if active == before:
            return
        for i in range(before, active):
            fill_row(mobility, towards, jacobian, errors, i, matrix, right)
            matrix[i, i] += soft[i] * matrix[i, i] + 1e-300


@inner
def fill_rows(mobility, towards, jacobian, errors, rows, matrix, right):
    """The first rows of J D^-1 J^T, up to its diagonal, and of e - J r. Loops begin at 0, as LLVM likes them."""
    for i in range(rows):
        right[i] = errors[i]
        for k in range(i + 1):
            matrix[i, k] = 0.0
    for v in range(mobility.shape[0]):
        for i in range(rows):
            own = jacobian[v, i]
            if own != 0.0:
                right[i] -= own * towards[v]
                own *= mobility[v]
                for k in range(i + 1):
                    matrix[i, k] += own * jacobian[v, k]


@inner
def fill_row(mobility, towards, jacobian, errors, i, matrix, right):
    """Row i of J D^-1 J^T, up to its diagonal, and of e - J r."""
    for k in range(i + 1):
        matrix[i, k] = 0.0
    right[i] = errors[i]
    for v in range(mobility.shape[0]):
        own = jacobian[v, i]
        if own != 0.0:
            right[i] -= own * towards[v]
            own *= mobility[v]
            for k in range(i + 1):
                matrix[i, k] += own * jacobian[v, k]


@inner
def factorise(matrix, factor, first, size):
    """Cholesky from row `first` on: the lower triangle of `matrix` = F F^T, F in that of `factor`, with the inverse of
    its diagonal. Rows that hang on others up to rounding have no say."""
    for i in range(first, size):
        left = matrix[i, i]
        for k in range(i):
            value = matrix[i, k]
            for n in range(k):
                value -= factor[i, n] * factor[k, n]
            value *= factor[k, k]
            factor[i, k] = value
            left -= value * value
        least = 1e-14 * matrix[i, i]
        factor[i, i] = 1.0 / math.sqrt(left) if left > least else 1e-15 / (1.0 + matrix[i, i])


@inner
def substitute(factor, right, found, size):
    """found = (F F^T)^-1 right."""
    for i in range(size):
        value = right[i]
        for n in range(i):
            value -= factor[i, n] * found[n]
        found[i] = value * factor[i, i]
    for i in range(size - 1, -1, -1):
        found[i] *= factor[i, i]
        for n in range(i):
            found[n] -= factor[i, n] * found[i]


@inner
def add_limits(joints, corners, velocities, mobility, angles, ranges, dq, jacobian, errors, active):
    """Puts a row for each limit that dq passes behind the others; returns how many rows there are then.

    The multiplier of such a row is negative where it holds back.
    """
    room = jacobian.shape[1]
    for j in range(joints.shape[0]):
        first, count = joints[j, JOINT_FIRST], joints[j, COUNT]
        if joints[j, BALL] == 1:
            if joints[j, CORNERS] > 0 and mobility[first] > 0.0:
                active = add_range(joints, corners, ranges, j, dq, jacobian, errors, active)
            continue
        for v in range(first, first + count):
            lower, upper = limits_now(velocities, angles, v)
            other, lower_slope, upper_slope = widening_now(velocities, angles, v)
            now = angles[int(velocities[v, ANGLE])]
            side, slope = 0.0, 0.0
            if now + dq[v] > upper + upper_slope * dq[other] + _SAME:
                side, slope = 1.0, upper_slope
            elif now + dq[v] < lower + lower_slope * dq[other] - _SAME:
                side, slope = -1.0, lower_slope
            if side != 0.0 and active < room and mobility[v] > 0.0:
                clear_row(jacobian, active)
                jacobian[other, active] = -side * slope
                jacobian[v, active] = side
                errors[active] = side * ((upper if side > 0.0 else lower) - now)
                active += 1
    return active


@inner
def clear_row(jacobian, row):
    """J[row] = 0; the Jacobian is kept column by column."""
    for v in range(jacobian.shape[0]):
        jacobian[v, row] = 0.0


@inner
def add_clearances(approach, room_left, taken, dq, jacobian, errors, soft, active):
    """Puts a row for each pair of solids that dq brings too near behind the others; returns how many rows there are."""
    room = jacobian.shape[1]
    for n in range(room_left.shape[0]):
        if taken[n] == 1.0 or active == room:
            continue
        nearer = 0.0
        for v in range(dq.shape[0]):
            nearer += approach[v, n] * dq[v]
        if nearer > room_left[n] + _SAME:
            for v in range(dq.shape[0]):
                jacobian[v, active] = approach[v, n]
            errors[active], soft[active], taken[n] = room_left[n], CLEARANCE_SOFT, 1.0
            active += 1
    return active


@inner
def add_range(joints, corners, ranges, j, dq, jacobian, errors, active):
    """The same for a ball joint: sides of its region and bounds of its twist, linearised."""
    first, count = joints[j, JOINT_FIRST], joints[j, CORNERS]
    a1, a2, room = ranges[j, 9], ranges[j, 10], jacobian.shape[1]
    x, y, z = dq[first], dq[first + 1], dq[first + 2]
    d1 = ranges[j, 0] * x + ranges[j, 1] * y + ranges[j, 2] * z
    d2 = ranges[j, 3] * x + ranges[j, 4] * y + ranges[j, 5] * z
    d3 = ranges[j, 6] * x + ranges[j, 7] * y + ranges[j, 8] * z
    for n in range(count + 2):  # sides, then the upper and the lower bound: n . (a1, a2, twist) <= what is left
        if n < count:
            side = joints[j, CORNER] + n
            n1, n2, n3 = corners[side, PLANE], corners[side, PLANE + 1], 0.0
            left = corners[side, PLANE + 2] - n1 * a1 - n2 * a2
        else:
            at = 11 + 3 * (n - count)
            n3 = 1.0 if n == count else -1.0
            left, n1, n2 = ranges[j, at], ranges[j, at + 1], ranges[j, at + 2]
        if n1 * d1 + n2 * d2 + n3 * d3 > left + _SAME and active < room:
            clear_row(jacobian, active)
            for k in range(3):
                jacobian[first + k, active] = n1 * ranges[j, k] + n2 * ranges[j, 3 + k] + n3 * ranges[j, 6 + k]
            errors[active] = left
            active += 1
    return active


@inner
def put_range_jacobians(joints, links, corners, mobility, local, ranges):
    """For each joint with a range, in a row: the Jacobian of its coordinates a1, a2 and twist by its three angular
    velocities, row by row; a1 and a2; then upper - twist with its gradient by a1 and a2, and the same of twist - lower.

    The joint's quaternion q moves with 1/2 q w, and so does q as its range sees it. With f = twist / 2, f = atan2(s, c)
    of its parts along the bone and w, and the swing is the rest of it, turned back by f.
    """
    for j in range(joints.shape[0]):
        if joints[j, CORNERS] == 0 or mobility[joints[j, JOINT_FIRST]] == 0.0:
            continue
        bone, sign = int(links[j, BONE]), links[j, BONE_SIGN]
        w, x, y, z = quaternion_of(local, j, 0.0)
        d, a, b, c = seen_from_frames(links, j, w, x, y, z)
        side = -1.0 if d < 0.0 else 1.0
        d, a, b, c = side * d, side * a, side * b, side * c
        a1, a2, twist = swing_and_twist(bone, sign, d, a, b, c)
        along = a if bone == 0 else (b if bone == 1 else c)
        length = d * d + along * along
        scale = 1.0 / math.sqrt(length) if length > 1e-24 else 0.0
        cosine, sine = (d * scale, along * scale) if scale > 0.0 else (1.0, 0.0)
        turned = -1.0 if bone == 1 else 1.0  # z, x is the plane across y
        h = 0.5 * side
        for k in range(3):
            ew, ex, ey, ez = seen_from_frames(
                links,
                j,
                -h * (x if k == 0 else (y if k == 1 else z)),
                h * (w if k == 0 else (-z if k == 1 else y)),
                h * (z if k == 0 else (w if k == 1 else -x)),
                h * (-y if k == 0 else (x if k == 1 else w)),
            )
            if bone == 0:
                e, e1, e2 = ex, ey, ez
            elif bone == 1:
                e, e1, e2 = ey, ex, ez
            else:
                e, e1, e2 = ez, ex, ey
            half = scale * (cosine * e - sine * ew)  # of the twist, about the axis itself
            ranges[j, k] = cosine * e1 - turned * (sine * e2 + a2 * half)
            ranges[j, 3 + k] = cosine * e2 + turned * (sine * e1 + a1 * half)
            ranges[j, 6 + k] = 2.0 * sign * half
        lower, l1, l2, upper, u1, u2 = twist_bounds(joints, links, corners, j, a1, a2)
        ranges[j, 9], ranges[j, 10] = a1, a2
        ranges[j, 11], ranges[j, 12], ranges[j, 13] = upper - twist, -u1, -u2
        ranges[j, 14], ranges[j, 15], ranges[j, 16] = twist - lower, l1, l2


@inner
def integrate(joints, links, corners, velocities, free, dq, angles, local):
    """Moves the posture by dq, and puts it into the ranges to the last bit."""
    if free == 1:
        for v in range(3):
            angles[v] += dq[v]
    for j in range(joints.shape[0]):
        first, count = joints[j, JOINT_FIRST], joints[j, COUNT]
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
    """L = L exp(w) for a rotation vector w in the joint's own coordinates; the result is a rotation to the last bit."""
    angle = math.sqrt(x * x + y * y + z * z)
    s = 0.5 if angle < 1e-12 else math.sin(0.5 * angle) / angle
    c = math.cos(0.5 * angle)
    a, b, d, e = quaternion_of(local, j, 0.0)
    x, y, z = s * x, s * y, s * z
    put_quaternion(
        a * c - b * x - d * y - e * z, a * x + b * c + d * z - e * y, a * y + d * c + e * x - b * z,
        a * z + e * c + b * y - d * x, local, j,
    )  # fmt: skip


@inner
def put_towards(joints, velocities, reference_angles, reference_local, gains, mobility, angles, local, towards):
    """r: the way to the reference posture, each joint's part of it."""
    for v in range(velocities.shape[0]):
        towards[v] = 0.0
    for j in range(joints.shape[0]):
        first, count = joints[j, JOINT_FIRST], joints[j, COUNT]
        if count == 0 or gains[first] == 0.0 or mobility[first] == 0.0:
            continue
        if joints[j, BALL] == 0:
            for v in range(first, first + count):
                at = int(velocities[v, ANGLE])
                towards[v] = gains[v] * (reference_angles[at] - angles[at])
            continue
        qw, qx, qy, qz = relative_quaternion(local, reference_local, j, 0.0)
        towards[first], towards[first + 1], towards[first + 2] = quaternion_vector(qw, qx, qy, qz, gains[first])
