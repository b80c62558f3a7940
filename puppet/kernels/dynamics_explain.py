"""Which contact forces and joint torques a motion takes, frame by frame, compiled: inverse dynamics with contacts.

The forces are those inside the cones of all points that may bear which leave least of the whole body's wrench w,

    min |W f - w|^2 + EXPLAINING_EASE |f|^2,  f >= 0 along the edges of the cones;

then joint torques follow by recursive Newton-Euler, and what is left over stands at the root.
"""

from __future__ import annotations

import numpy as np

from puppet.kernels.dynamics_contact import put_edges, take_forces
from puppet.kernels.dynamics_filter import balance_room, put_outside
from puppet.kernels.dynamics_forces import ROWS, nonnegative_least_squares
from puppet.kernels.dynamics_model import (
    BEARS,
    EXPLAINING_EASE,
    FORCE,
    FRICTION,
    GRAVITY,
    MOST_EDGES,
    MOTION_COLUMNS,
    PLACE,
    POINT_AT,
    POINT_JOINT,
    POINT_RADIUS,
    STATE_COLUMNS,
)
from puppet.kernels.dynamics_motion import put_efforts, put_loads, put_motion
from puppet.kernels.figure_features import SUM_CENTRE, SUM_COLUMNS, SUM_MASS, cross, link_centre, put_sums
from puppet.kernels.figure_kinematics import place_figure
from puppet.kernels.jit import inner
from puppet.kernels.rotation import to_world, triple


@inner
def explain_frames(
    joints, links, velocities, free, points, plan, ref_postures, ref_locals, ref_speeds, ref_rates, pushes, bearing,
    settings, contact_forces, torques,
):  # fmt: skip
    """contact_forces (frames, points, 3) and torques (frames, velocities) of frames with velocities and their
    derivatives; bearing (frames, points): which points may bear."""
    size, count = velocities.shape[0], joints.shape[0]
    room = balance_room(size, 1, MOST_EDGES * points.shape[0] + 1)
    columns, x, z, slope, square, step = room[3], room[4], room[5], room[6], room[7], room[8]
    world, axes, sums = np.empty((count, 12)), np.zeros((size, 6)), np.empty((count, SUM_COLUMNS))
    motion, loads, local = np.empty((count, MOTION_COLUMNS)), np.empty((count, 6)), np.empty((count, 9))
    state, centre, outside = np.zeros((points.shape[0], STATE_COLUMNS)), np.empty(3), np.empty(ROWS)
    for n in range(ref_postures.shape[0]):
        local[:, :] = ref_locals[n]
        place_figure(joints, links, velocities, free, ref_postures[n], local, world, axes)
        put_sums(joints, links, world, sums)
        put_motion(joints, free, world, axes, ref_speeds[n], ref_rates[n], motion)
        loads[:, :] = 0.0
        put_loads(joints, links, world, motion, 0.0, loads)
        for c in range(3):
            centre[c] = sums[0, SUM_CENTRE + c] / sums[0, SUM_MASS]
        put_outside(links, world, sums, loads, pushes, n, settings, centre, outside)
        for i in range(points.shape[0]):
            j = int(points[i, POINT_JOINT])
            state[i, BEARS] = bearing[n, i]
            rx, ry, rz = to_world(world, j, points[i, POINT_AT], points[i, POINT_AT + 1], points[i, POINT_AT + 2])
            state[i, PLACE], state[i, PLACE + 1] = world[j, 0] + rx, world[j, 1] + ry - points[i, POINT_RADIUS]
            state[i, PLACE + 2] = world[j, 2] + rz
        edges = put_edges(plan, n, settings[FRICTION], state, centre, columns)
        if edges > 0:
            for r in range(ROWS):
                z[r] = outside[r]
            nonnegative_least_squares(columns, edges, outside, EXPLAINING_EASE, z, x, slope, square, step)
        take_forces(plan, n, settings[FRICTION], x, state)
        loads[:, :] = 0.0
        for i in range(points.shape[0]):
            j = int(points[i, POINT_JOINT])
            px, py, pz = triple(state, i, PLACE)
            fx, fy, fz = triple(state, i, FORCE)
            add_wrench(world, loads, j, px, py, pz, fx, fy, fz)
            contact_forces[n, i, 0], contact_forces[n, i, 1], contact_forces[n, i, 2] = fx, fy, fz
        for j in range(count):
            add_wrench(
                world, loads, j, link_centre(links, world, j, 0), link_centre(links, world, j, 1),
                link_centre(links, world, j, 2), pushes[n, j, 0], pushes[n, j, 1], pushes[n, j, 2],
            )  # fmt: skip
        put_loads(joints, links, world, motion, settings[GRAVITY], loads)
        put_efforts(velocities, free, axes, loads, torques[n])


@inner
def add_wrench(world, loads, j, px, py, pz, fx, fy, fz):
    """Takes a force at a point off a link's loads."""
    mx, my, mz = cross(px - world[j, 0], py - world[j, 1], pz - world[j, 2], fx, fy, fz)
    loads[j, 0] -= fx
    loads[j, 1] -= fy
    loads[j, 2] -= fz
    loads[j, 3] -= mx
    loads[j, 4] -= my
    loads[j, 5] -= mz
