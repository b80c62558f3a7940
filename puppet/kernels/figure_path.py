"""A figure whose parts follow paths, frame by frame, around solid things.

Each frame begins where the last one ended, moved on as the reference posture moves on:

    q = q + (reference now - reference before),

and takes steps of the whole-body solver (puppet.kernels.figure_step) towards its tasks: the paths of hands, what stays
where it is, and a part of the way to the reference posture. Joints that may not serve have the reference's angles.
Pairs of solids that are near keep their clearance inside each step. What is asked for is the margin; less near the two
ends of a path, where solids may be as near as they are there, or touch:

    clearance = min(margin, at the start + SLOPE * way gone, at the end + SLOPE * way to go).
"""

from __future__ import annotations

import numpy as np

from puppet.kernels.figure_kinematics import limits_now, place_figure, put_ball_angles, turn_columns
from puppet.kernels.figure_model import (
    ANGLE,
    BALL,
    COUNT,
    JOINT_AXES,
    JOINT_FIRST,
    LARGEST_STEP,
    SOFT,
    TARGET,
    TARGET_TURN,
)
from puppet.kernels.figure_range import project_into_range
from puppet.kernels.figure_step import figure_room, put_towards, step_at
from puppet.kernels.jit import inner
from puppet.kernels.solid_model import (
    DISTANCE,
    FIRST_JOINT,
    PAIR_COLUMNS,
    PAIR_NORMAL,
    PAIR_POINT,
    PLACE_COLUMNS,
    SLOPE,
)
from puppet.kernels.solid_model import PAIR_FIRST as FIRST_SOLID
from puppet.kernels.solid_model import SECOND as SECOND_SOLID
from puppet.kernels.solid_pairs import find_pairs, measure_again, most_candidates

_PAIRS = 32  # that are looked after at once
_LOOK = 0.03  # solids this much farther apart than they have to be are near
RECOVERY = 0.02  # by how much a step makes up for a clearance that is missing
_STILL = 2e-6  # a step this small is the last one of its frame


@inner
def put_local(joints, velocities, j, angles, local):
    """The rotation of a ball joint from its parent, by its angles."""
    for n in range(9):
        local[j, n] = 1.0 if n % 4 == 0 else 0.0
    first = joints[j, JOINT_FIRST]
    for k in range(joints[j, COUNT]):
        turn_columns(local, j, joints[j, JOINT_AXES + k], angles[int(velocities[first + k, ANGLE])])


@inner
def move_on(joints, links, corners, velocities, free, mobility, before, now, angles, local, room):
    """Moves a posture on as the reference goes from `before` to `now`; what may not serve is put where that is.

    room (2 joints, 9): for the reference's rotations.
    """
    count = joints.shape[0]
    if free == 1:
        for v in range(3):
            angles[v] = now[v] if mobility[v] == 0.0 else angles[v] + now[v] - before[v]
    for j in range(count):
        first, size = joints[j, JOINT_FIRST], joints[j, COUNT]
        if size == 0:
            continue
        if joints[j, BALL] == 0:
            for v in range(first, first + size):
                at = int(velocities[v, ANGLE])
                angles[at] = now[at] if mobility[v] == 0.0 else angles[at] + now[at] - before[at]
            if mobility[first] > 0.0:
                for _ in range(2):
                    for v in range(first, first + size):
                        lower, upper = limits_now(velocities, angles, v)
                        at = int(velocities[v, ANGLE])
                        angles[at] = min(max(angles[at], lower), upper)
            continue
        put_local(joints, velocities, j, now, room)
        if mobility[first] == 0.0:
            for n in range(9):
                local[j, n] = room[j, n]
            for v in range(first, first + size):
                at = int(velocities[v, ANGLE])
                angles[at] = now[at]
            continue
        for n in range(9):
            room[count + j, n] = room[j, n]
        put_local(joints, velocities, j, before, room)
        multiply_after_inverse(room, j, count + j, local)
        project_into_range(joints, links, corners, local, j)


@inner
def multiply_after_inverse(room, j, other, local):
    """L = L A^T B, with A in row j of room and B in row `other`."""
    a0 = a1 = a2 = 0.0
    for n in range(0, 9, 3):
        x, y, z = local[j, n], local[j, n + 1], local[j, n + 2]
        # (L A^T): row n times the rows of A
        a0 = x * room[j, 0] + y * room[j, 1] + z * room[j, 2]
        a1 = x * room[j, 3] + y * room[j, 4] + z * room[j, 5]
        a2 = x * room[j, 6] + y * room[j, 7] + z * room[j, 8]
        for k in range(3):
            local[j, n + k] = a0 * room[other, k] + a1 * room[other, 3 + k] + a2 * room[other, 6 + k]


@inner
def required(a, b, margin, gone, to_go, left_behind, reached):
    """The clearance that two solids keep, see above."""
    return min(margin, left_behind[a, b] + SLOPE * gone, reached[a, b] + SLOPE * to_go)


@inner
def put_approach(joints, chains, free, mobility, axes, pairs, n, approach):
    """Column n: how much nearer the solids of a pair come with each velocity, - n . (J_a - J_b)."""
    for v in range(mobility.shape[0]):
        approach[v, n] = 0.0
    for side in range(2):
        j = int(pairs[n, FIRST_JOINT + side])
        if j < 0:
            continue
        sign = -1.0 if side == 0 else 1.0
        nx, ny, nz = pairs[n, PAIR_NORMAL], pairs[n, PAIR_NORMAL + 1], pairs[n, PAIR_NORMAL + 2]
        for c in range(1, 1 + chains[j, 0]):
            v = chains[j, c]
            if mobility[v] == 0.0:
                continue
            wx, wy, wz = axes[v, 0], axes[v, 1], axes[v, 2]
            if free == 1 and v < 3:
                approach[v, n] += sign * (nx * wx + ny * wy + nz * wz)
                continue
            x, y, z = (
                pairs[n, PAIR_POINT] - axes[v, 3],
                pairs[n, PAIR_POINT + 1] - axes[v, 4],
                pairs[n, PAIR_POINT + 2] - axes[v, 5],
            )
            approach[v, n] += sign * (nx * (wy * z - wz * y) + ny * (wz * x - wx * z) + nz * (wx * y - wy * x))


@inner
def follow_frames(
    stepper, joints, links, corners, velocities, chains, free, tasks, goals, firmness, references, gains, mobility,
    solids, halves, boxes, carriers, apart_from, owners, leaving, arriving, left_behind, reached, margin, steps, angles,
    local, postures, misses, depths, pushes,
):  # fmt: skip
    """Postures (frames, dofs), see above.

    goals (frames, tasks, 12): transforms that the tasks aim at; firmness (frames, tasks): how much they give.
    references (frames + 1, dofs): the first is that of the posture given in angles and local. owners (solids + boxes,):
    the path that each solid belongs to; leaving, arriving (frames, paths): the way that each has gone and still has to
    go. left_behind, reached (solids + boxes, solids + boxes): clearances at both ends. boxes (frames, boxes, 12).
    Also found: misses (frames, tasks); depths (frames,): how deep solids are in each other at most; pushes (frames,
    paths, 4): by which vector a path would have to be moved to have its clearance, and how much that is.
    """
    count, size = velocities.shape[0], solids.shape[0]
    world, axes, sums = np.empty((joints.shape[0], 12)), np.zeros((count, 6)), np.empty((joints.shape[0], 13))
    places, cubes = np.empty((size, PLACE_COLUMNS)), np.empty((halves.shape[0], 12))
    candidates = np.empty((most_candidates(solids, halves), 2), dtype=np.int64)
    pairs, approach = np.empty((_PAIRS, PAIR_COLUMNS)), np.empty((count, _PAIRS))
    known, count_known = np.empty((_PAIRS, PAIR_COLUMNS)), 0
    room_left, towards, lengths = np.empty(_PAIRS), np.empty(count), np.empty(tasks.shape[0])
    given, given_errors = np.empty((count, 0)), np.empty(0)
    rotations, reference_local = np.empty((2 * joints.shape[0], 9)), np.zeros((joints.shape[0], 9))
    room = figure_room(joints, velocities, tasks, given, _PAIRS)
    for f in range(postures.shape[0]):
        before, now = references[f], references[f + 1]
        move_on(joints, links, corners, velocities, free, mobility, before, now, angles, local, rotations)
        for j in range(joints.shape[0]):
            if joints[j, BALL] == 1:
                put_local(joints, velocities, j, now, reference_local)
        for t in range(tasks.shape[0]):
            tasks[t, SOFT] = firmness[f, t]
            for n in range(3):
                tasks[t, TARGET + n] = goals[f, t, n]
            for n in range(9):
                tasks[t, TARGET_TURN + n] = goals[f, t, 3 + n]
        place_figure(joints, links, velocities, free, angles, local, world, axes)
        for step in range(steps):
            put_towards(joints, velocities, now, reference_local, gains, mobility, angles, local, towards)
            if step == 0:
                near = find_pairs(
                    world, solids, halves, boxes[f], carriers, apart_from, margin + _LOOK, places, cubes, candidates,
                    pairs,
                )  # fmt: skip
                for n in range(near):
                    for k in range(PAIR_COLUMNS):
                        known[n, k] = pairs[n, k]
                count_known = near
            else:
                near = measure_again(
                    world, solids, halves, boxes[f], carriers, margin + _LOOK, known[:count_known], places, cubes, pairs
                )
            for n in range(near):
                a, b = int(pairs[n, FIRST_SOLID]), int(pairs[n, SECOND_SOLID])
                own = owners[a]
                wanted = required(a, b, margin, leaving[f, own], arriving[f, own], left_behind, reached)
                room_left[n] = max(pairs[n, DISTANCE] - wanted, -RECOVERY)
                put_approach(joints, chains, free, mobility, axes, pairs, n, approach)
            most = step_at(
                stepper, joints, links, corners, velocities, chains, free, tasks, given, given_errors, given_errors,
                towards, mobility, approach, room_left[:near], LARGEST_STEP, angles, local, world, axes, sums, lengths,
                room,
            )  # fmt: skip
            if most < _STILL:
                break
        put_ball_angles(joints, velocities, local, angles)
        for v in range(angles.shape[0]):
            postures[f, v] = angles[v]
        for t in range(tasks.shape[0]):
            misses[f, t] = lengths[t]
        depths[f] = 0.0
        for p in range(pushes.shape[1]):
            for n in range(4):
                pushes[f, p, n] = 0.0
        near = measure_again(
            world, solids, halves, boxes[f], carriers, margin, known[:count_known], places, cubes, pairs
        )
        for n in range(near):
            a, b = int(pairs[n, FIRST_SOLID]), int(pairs[n, SECOND_SOLID])
            own, other = owners[a], owners[b]
            wanted = required(a, b, margin, leaving[f, own], arriving[f, own], left_behind, reached)
            lacking = wanted - pairs[n, DISTANCE]
            if lacking <= 0.0:
                continue
            depths[f] = max(depths[f], min(wanted, 0.0) - pairs[n, DISTANCE])
            for side in range(2):
                path = own if side == 0 else other
                if path == pushes.shape[1] or (side == 1 and own == other) or lacking <= pushes[f, path, 3]:
                    continue
                sign = lacking if side == 0 else -lacking
                for k in range(3):
                    pushes[f, path, k] = sign * pairs[n, PAIR_NORMAL + k]
                pushes[f, path, 3] = lacking
