"""One step of a figure in an animation space, compiled: accelerations that coordinates ask for and forces can cause.

Coordinates are functions u of the posture: J a + (J-dot v) = u'', with rows J that are given. Loops are closed at
points that are held, touch, slide or hang (see puppet.kernels.dynamics_contact). The redundant rest goes back to a
reference posture and comes to rest. All of it is solved as in puppet.kernels.dynamics_step, so that what comes out
obeys the equations of motion.
"""

from __future__ import annotations

import numpy as np

from puppet.kernels.dynamics_contact import is_taut, put_contact_rows, put_kept_out_rows
from puppet.kernels.dynamics_forces import ROWS, balance_room
from puppet.kernels.dynamics_frame import put_outside
from puppet.kernels.dynamics_model import (
    BEARS,
    DOES,
    DRAWN,
    FRICTION,
    HANGS,
    IN_THE_AIR,
    MOST_EDGES,
    PLACE,
    POINT_AT,
    POINT_FIXED,
    POINT_JOINT,
    SETTING_STEP,
    SLIDES,
    SPACE_CALM,
    SPACE_EASE,
    VELOCITY,
)
from puppet.kernels.dynamics_motion import put_loads, put_motion, speed_of
from puppet.kernels.dynamics_rows import put_momentum_rows
from puppet.kernels.dynamics_step import (
    CENTRE_COLUMNS,
    EXACT,
    LIMIT_PASSES,
    MOST_LIMITS,
    RANGE_ROOM,
    advance,
    balance,
    expect_momentum,
    keep_momentum,
    put_centre,
    put_limit_rows,
    put_push,
    put_wanted,
)
from puppet.kernels.figure_features import put_sums
from puppet.kernels.figure_kinematics import place_figure, put_ball_angles
from puppet.kernels.figure_limits import put_range_jacobians
from puppet.kernels.jit import inner
from puppet.kernels.rotation import to_world

_FREE_ROOT = 1000.0  # how much more easily the root moves: only forces hold it


@inner
def measure_space(joints, links, velocities, free, angles, local, speeds, world, axes, sums, motion, centre):
    """Where all links are, how they move, (joints, MOTION_COLUMNS), and the centre of mass with velocity and
    acceleration, (CENTRE_COLUMNS,), as long as no joint accelerates."""
    size, count = velocities.shape[0], joints.shape[0]
    loads, rows = np.zeros((count, 6)), np.empty((ROWS, size))
    place_figure(joints, links, velocities, free, angles, local, world, axes)
    put_sums(joints, links, world, sums)
    put_motion(joints, free, world, axes, speeds, np.zeros(size), motion)
    put_loads(joints, links, world, motion, 0.0, loads)
    put_momentum_rows(velocities, free, axes, sums, rows, 0)
    put_centre(velocities, sums, loads, rows, 0, speeds, centre)


@inner
def step_space(
    joints, links, corners, velocities, chains, free, mobility, points, plan, given, given_targets, given_soft,
    ref_angles, ref_local, pushes, settings, angles, local, speeds, state, world, axes, sums, motion,
):  # fmt: skip
    """Goes on by one step from where `measure` has found the figure; given (rows, velocities): J of the coordinates."""
    size, count, h = velocities.shape[0], joints.shape[0], settings[SETTING_STEP]
    most = 4 * points.shape[0] + given.shape[0] + ROWS + LIMIT_PASSES * MOST_LIMITS
    room = balance_room(size, most, MOST_EDGES * points.shape[0] + 1)
    rows, targets, softness = np.empty((most, size)), np.empty(most), np.empty(most)
    loads, centre, outside = np.zeros((count, 6)), np.empty(CENTRE_COLUMNS), np.empty(ROWS)
    wanted, rates, pushed, nothing = np.zeros(size), np.empty(size), np.zeros(size), np.zeros(size)
    ease, expected, single = np.empty(size), np.empty(ROWS), np.empty((1, size))
    slots, errors, ranges = np.empty((size, MOST_LIMITS + 1)), np.empty(MOST_LIMITS), np.zeros((count, RANGE_ROOM))
    put_loads(joints, links, world, motion, 0.0, loads)
    find_points(points, plan, world, motion, state)
    put_wanted(
        joints, velocities, free, ref_angles, ref_local, nothing, nothing, nothing, 1.0, 2.0, angles, local, speeds,
        wanted,
    )  # fmt: skip
    calm = settings[SPACE_CALM]
    for v in range(size):
        back = wanted[v] + 2.0 * speeds[v]  # the way to the reference
        rooted = free == 1 and v < 6
        wanted[v] = 0.0 if rooted else settings[DRAWN] * calm * calm * back - 2.0 * calm * speeds[v]
        ease[v] = mobility[v] * (_FREE_ROOT if rooted else 1.0)
    row = put_contact_rows(
        chains, free, axes, world, motion, points, plan, 0, 0.0, settings, state, rows, targets, softness
    )
    for r in range(given.shape[0]):
        for v in range(size):
            rows[row, v] = given[r, v]
        targets[row], softness[row] = given_targets[r], given_soft[r]
        row += 1
    put_momentum_rows(velocities, free, axes, sums, rows, row)
    put_centre(velocities, sums, loads, rows, row, speeds, centre)
    for r in range(ROWS):
        softness[row + r] = EXACT
    put_outside(links, world, sums, loads, pushes, 0, settings, centre, outside)
    put_push(links, chains, free, world, axes, pushes, 0, mobility, single, pushed)
    for v in range(size):
        wanted[v] += pushed[v]
    # forces act as they do in the middle of the step: ropes turn on the way
    middle = centre.copy()
    for c in range(3):
        middle[c] += 0.5 * h * centre[3 + c]
        for i in range(points.shape[0]):
            if plan[0, i, DOES] == HANGS:
                state[i, PLACE + c] += 0.5 * h * state[i, VELOCITY + c]
    put_range_jacobians(joints, links, corners, mobility, local, ranges)
    size_now = row + ROWS
    for _ in range(LIMIT_PASSES):
        balance(
            rows, targets, softness, size_now, ease, wanted, outside, plan, 0, settings[FRICTION], SPACE_EASE, state,
            middle, room, rates,
        )  # fmt: skip
        before = size_now
        size_now = put_kept_out_rows(
            chains, free, axes, world, motion, points, plan, 0, 0.0, False, settings, rates, state, rows, targets,
            softness, size_now,
        )  # fmt: skip
        size_now = put_limit_rows(
            joints, corners, velocities, mobility, angles, ranges, h, speeds, rates, slots, errors, rows, targets,
            softness, size_now,
        )  # fmt: skip
        if size_now == before:
            break
    expect_momentum(centre, sums, outside, state, h, expected)
    advance(joints, velocities, free, h, rates, angles, local, speeds)
    place_figure(joints, links, velocities, free, angles, local, world, axes)
    put_sums(joints, links, world, sums)
    keep_momentum(joints, velocities, free, world, axes, sums, expected, rows, angles, speeds)
    put_ball_angles(joints, velocities, local, angles)


@inner
def find_points(points, plan, world, motion, state):
    """Places and velocities of all points; those that close a loop are fixed, and may bear."""
    for i in range(points.shape[0]):
        j = int(points[i, POINT_JOINT])
        rx, ry, rz = to_world(world, j, points[i, POINT_AT], points[i, POINT_AT + 1], points[i, POINT_AT + 2])
        vx, vy, vz = speed_of(motion, j, rx, ry, rz)
        state[i, PLACE], state[i, PLACE + 1], state[i, PLACE + 2] = world[j, 0] + rx, world[j, 1] + ry, world[j, 2] + rz
        state[i, VELOCITY], state[i, VELOCITY + 1], state[i, VELOCITY + 2] = vx, vy, vz
        does = plan[0, i, DOES]
        if does == IN_THE_AIR:
            state[i, POINT_FIXED] = 0.0
        elif does == HANGS:
            state[i, POINT_FIXED] = 2.0 if is_taut(plan, 0, i, state) else 0.0
        else:
            state[i, POINT_FIXED] = 2.0 if does == SLIDES else 1.0
        state[i, BEARS] = 1.0 if state[i, POINT_FIXED] > 0.0 else 0.0
