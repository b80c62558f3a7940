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

from puppet.kernels.figure_dual import (
    factorise,
    fill_row,
    fill_tasks,
    put_scales,
    put_velocities,
    spread_tasks,
    substitute,
)
from puppet.kernels.figure_features import (
    first_row,
    needs_sums,
    put_error,
    put_first_rows,
    put_sums,
    put_task_jacobian,
)
from puppet.kernels.figure_kinematics import limits_now, place_figure
from puppet.kernels.figure_limits import (
    LIMIT_SOFT,
    RANGE_COLUMNS,
    add_angle_limits,
    add_clearances,
    add_ranges,
    put_margins,
)
from puppet.kernels.figure_model import (
    ANGLE,
    BALL,
    COUNT,
    COUNTS,
    GIVING,
    JOINT_FIRST,
    LARGEST,
    MOBILITY,
    POSITION,
    PRIORITY,
    PULL,
    SOFT,
    STUCK,
    TASK_KIND,
)
from puppet.kernels.figure_range import (
    inside_range,
    put_quaternion,
    turn_between,
    turned_quaternion,
)
from puppet.kernels.jit import by_address, inner

MAX_LIMITS = 48  # that may hold at once
PASSES = 6  # solutions of one step while limits come and go
_STIFFNESS = 1.5  # of the geometric stiffness: its diagonal stands for all of it
_EASE = 0.01  # damping up to which the reference posture is followed at its full pace


@inner
def take_step(
    tree, links, corners, velocities, chains, free, tasks, given, given_errors, given_soft, towards, mobility,
    approach, room_left, largest, angles, local, world, axes, sums, lengths, room,
):  # fmt: skip
    """Moves the figure by one step; returns the largest velocity.

    given (velocities, rows): the Jacobian of further tasks, with their errors and how much they give. towards
    (velocities,): r. mobility (velocities,): D^-1, 0 for what may not move. approach (velocities, any), room_left
    (pairs,): how fast pairs of solids come nearer, and how far they may. largest: no velocity is larger. lengths
    (tasks,): takes the errors before the step. world, axes: as they are for the posture, and brought up to date; so are
    sums, where a task needs them. room: of figure_room.
    """
    starts, packed, jacobian, _, _, by_row, by_velocity, _, margins, _ = room
    errors, soft, right, multipliers = by_row[0], by_row[1], by_row[2], by_row[3]
    dq, eased, stiffness = by_velocity[0], by_velocity[1], by_velocity[2]
    count, extra = velocities.shape[0], given.shape[1]
    row = put_first_rows(tasks, starts)
    rows = row + extra
    for t in range(tasks.shape[0]):
        lengths[t] = put_error(world, sums, tasks, t, errors, starts[t])
    for v in range(count):
        stiffness[v] = 0.0
    for t in range(tasks.shape[0]):
        put_task_jacobian(velocities, chains, free, world, axes, sums, tasks, t, packed, stiffness)
    put_scales(velocities, chains, tasks, starts, packed, right)
    for n in range(extra):
        right[row + n] = 0.0
        for v in range(count):
            jacobian[v, row + n] = given[v, n]
            right[row + n] += velocities[v, MOBILITY] * given[v, n] * given[v, n]
        errors[row + n] = given_errors[n]
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
        begin, end, scale = starts[t], starts[t + 1], 0.0
        for i in range(begin, end):
            scale = max(scale, right[i])
        for i in range(begin, end):
            soft[i] = scale * (tasks[t, SOFT] + damping)
    for n in range(extra):
        soft[row + n] = given_soft[n] * right[row + n]
    put_margins(tree, links, corners, local, margins)
    for v in range(count):
        eased[v] = mobility[v] / (1.0 + mobility[v] * max(0.0, _STIFFNESS * stiffness[v]))
        towards[v] *= _EASE / (_EASE + most)
        if mobility[v] > 0.0:
            towards[v] *= eased[v] / mobility[v]
    most = solve_with_ranges(
        tree, links, corners, velocities, chains, free, eased, towards, approach, room_left, tasks, rows, angles,
        local, axes, largest, room,
    )  # fmt: skip
    put_pulls(tasks, starts, multipliers)
    if most > largest:
        for v in range(count):
            dq[v] *= largest / most
        most = largest
    if free == 1:
        for v in range(3):
            most = max(most, abs(dq[v]))
    integrate(tree, links, corners, velocities, free, dq, margins, angles, local)
    place_figure(tree, links, velocities, free, angles, local, world, axes)
    if needs_sums(tasks):
        put_sums(tree, links, world, sums)
    return most


step_at = by_address(take_step)  # with the address of the entry figure_step


@inner
def largest_error(world, sums, tasks, lengths, room):
    """By how much the task is missed that is missed most; lengths (tasks,) takes it of each."""
    most, by_row = 0.0, room[5]
    for t in range(tasks.shape[0]):
        lengths[t] = put_error(world, sums, tasks, t, by_row[0], 0)
        most = max(most, lengths[t])
    return most


@inner
def put_pulls(tasks, starts, multipliers):
    """The multipliers of all tasks at points, as vectors, for the next step."""
    for t in range(tasks.shape[0]):
        if tasks[t, TASK_KIND] == POSITION:
            row = starts[t]
            for n in range(3):
                tasks[t, PULL + n] = 0.0
                if tasks[t, COUNTS + n] > 0.0:
                    tasks[t, PULL + n] = multipliers[row]
                    row += 1


@inner
def figure_room(joints, velocities, tasks, given, pairs):
    """Arrays for steps with no more than these tasks and so many pairs of solids: where the tasks' rows begin, their
    packed Jacobians (see puppet.kernels.figure_dual); J, the matrix and its factor; errors, softness, right side and
    multipliers; dq, eased mobility, geometric stiffness, and dq as far as it is gone; ranges and margins of joints; and
    which pairs have a row."""
    count = velocities.shape[0]
    rows = first_row(tasks, tasks.shape[0]) + given.shape[1] + MAX_LIMITS + pairs
    return (
        np.empty(tasks.shape[0] + 1, np.int64),
        np.empty((2 * tasks.shape[0], count, 3)),
        np.empty((count, rows)),
        np.empty((rows, rows)),
        np.empty((rows, rows)),
        np.empty((4, rows)),
        np.empty((4, count)),
        np.empty((joints.shape[0], RANGE_COLUMNS)),
        np.empty(joints.shape[0]),
        np.empty(pairs),
    )


@inner
def largest_turn(joints, axes, dq):
    """How far the joint turns that turns farthest, or the angle that changes most."""
    most = 0.0
    for j in range(joints.shape[0]):
        first, count = joints[j, JOINT_FIRST], joints[j, COUNT]
        if joints[j, BALL] == 1:  # its axes stand across each other
            x, y, z = dq[first], dq[first + 1], dq[first + 2]
        else:
            x = y = z = 0.0
            for v in range(first, first + count):
                x, y, z = x + axes[v, 0] * dq[v], y + axes[v, 1] * dq[v], z + axes[v, 2] * dq[v]
                most = max(most, dq[v] * dq[v])
        most = max(most, x * x + y * y + z * z)
    return math.sqrt(most)


@inner
def solve_with_ranges(
    joints, links, corners, velocities, chains, free, mobility, towards, approach, room_left, tasks, rows, angles,
    local, axes, largest, room,
):  # fmt: skip
    """dq inside the linearised ranges, as far as it is gone: no joint turns by more than `largest`. Rows of limits are
    put behind those of the tasks. Returns the largest turn of dq, which may be larger."""
    starts, packed, jacobian, matrix, factor, by_row, by_velocity, ranges, margins, taken = room
    errors, soft, right, multipliers = by_row[0], by_row[1], by_row[2], by_row[3]
    dq, gone = by_velocity[0], by_velocity[3]
    most = 0.0
    fill_tasks(chains, free, mobility, towards, tasks, starts, packed, errors, matrix, right)
    spread = rows > starts[tasks.shape[0]]
    if spread:
        spread_tasks(chains, tasks, starts, packed, jacobian)
    for i in range(starts[tasks.shape[0]], rows):
        fill_row(mobility, towards, jacobian, errors, i, matrix, right)
    for i in range(rows):
        matrix[i, i] += soft[i] + 1e-300
    for n in range(room_left.shape[0]):
        taken[n] = 0.0
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
                        for v in range(mobility.shape[0]):
                            jacobian[v, kept] = jacobian[v, i]
                        errors[kept], soft[kept] = errors[i], soft[i]
                    kept += 1
            if kept < active:
                active = kept
                fill_further_rows(mobility, towards, jacobian, errors, soft, rows, active, matrix, right)
                factorise(matrix, factor, rows, active)
                ready = active
                substitute(factor, right, multipliers, active)
        put_velocities(chains, mobility, towards, tasks, starts, packed, jacobian, multipliers, active, dq)
        most = largest_turn(joints, axes, dq)
        share = min(1.0, largest / max(most, 1e-300))
        for v in range(mobility.shape[0]):
            gone[v] = share * dq[v]
        before = active
        active = add_angle_limits(joints, velocities, mobility, angles, gone, jacobian, errors, active)
        active = add_ranges(joints, links, corners, mobility, local, margins, ranges, gone, jacobian, errors, active)
        for i in range(before, active):
            soft[i] = LIMIT_SOFT
        active = add_clearances(approach, room_left, taken, gone, jacobian, errors, soft, active)
        if active == before:
            break
        if not spread:
            spread_tasks(chains, tasks, starts, packed, jacobian)
            spread = True
        fill_further_rows(mobility, towards, jacobian, errors, soft, before, active, matrix, right)
    return most


@inner
def fill_further_rows(mobility, towards, jacobian, errors, soft, first, end, matrix, right):
    """Rows of limits and clearances, which give a share of their diagonal."""
    for i in range(first, end):
        fill_row(mobility, towards, jacobian, errors, i, matrix, right)
        matrix[i, i] += soft[i] * matrix[i, i] + 1e-300


@inner
def integrate(joints, links, corners, velocities, free, dq, margins, angles, local):
    """Moves the posture by dq, and puts it into the ranges to the last bit."""
    if free == 1:
        for v in range(3):
            angles[v] += dq[v]
    for j in range(joints.shape[0]):
        first, count = joints[j, JOINT_FIRST], joints[j, COUNT]
        if joints[j, BALL] == 1:
            x, y, z = dq[first], dq[first + 1], dq[first + 2]
            far = x * x + y * y + z * z > margins[j] * abs(margins[j])
            w, x, y, z = turned_quaternion(local, j, x, y, z)
            if far:
                w, x, y, z, _ = inside_range(joints, links, corners, j, w, x, y, z)
            put_quaternion(w, x, y, z, local, j)
            continue
        for v in range(first, first + count):
            angles[int(velocities[v, ANGLE])] += dq[v]
        for _ in range(2):  # a limit that widens with a bend follows the bend
            for v in range(first, first + count):
                lower, upper = limits_now(velocities, angles, v)
                at = int(velocities[v, ANGLE])
                angles[at] = min(max(angles[at], lower), upper)


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
        x, y, z = turn_between(local, j, 0.0, reference_local, j, 0.0)
        for n in range(3):  # L^T (x, y, z)
            towards[first + n] = gains[first] * (local[j, n] * x + local[j, 3 + n] * y + local[j, 6 + n] * z)
