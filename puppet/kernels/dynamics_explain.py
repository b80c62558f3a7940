"""Which contact forces and joint torques a motion takes, frame by frame, compiled: inverse dynamics with contacts.

The forces are those inside the cones of all points that may bear which leave least of the whole body's wrench w,

    min |W f - w|^2 + EXPLAINING_EASE |f|^2,  f >= 0 along the edges of the cones;

then joint torques follow by recursive Newton-Euler, and what is left over stands at the root.
"""

from __future__ import annotations

import numpy as np

from puppet.kernels.dynamics_forces import ROWS, balance_room
from puppet.kernels.dynamics_frame import put_forces
from puppet.kernels.dynamics_model import (
    BEARS,
    FORCE,
    GRAVITY,
    MOST_EDGES,
    MOTION_COLUMNS,
    PLACE,
    POINT_JOINT,
    STATE_COLUMNS,
)
from puppet.kernels.dynamics_motion import put_efforts, put_loads
from puppet.kernels.figure_features import SUM_COLUMNS, cross, link_centre, put_sums
from puppet.kernels.figure_kinematics import place_figure
from puppet.kernels.jit import inner
from puppet.kernels.rotation import triple


@inner
def explain_frames(
    joints, links, velocities, free, points, plan, ref_postures, ref_locals, ref_speeds, ref_rates, pushes, bearing,
    settings, contact_forces, torques,
):  # fmt: skip
    """contact_forces (frames, points, 3) and torques (frames, velocities) of frames with velocities and their
    derivatives; bearing (frames, points): which points may bear."""
    size, count = velocities.shape[0], joints.shape[0]
    room = balance_room(size, 1, MOST_EDGES * points.shape[0] + 1)
    world, axes, sums = np.empty((count, 12)), np.zeros((size, 6)), np.empty((count, SUM_COLUMNS))
    motion, loads, local = np.empty((count, MOTION_COLUMNS)), np.empty((count, 6)), np.empty((count, 9))
    state, centre, left = np.zeros((points.shape[0], STATE_COLUMNS)), np.empty(3), np.empty(ROWS)
    for n in range(ref_postures.shape[0]):
        local[:, :] = ref_locals[n]
        place_figure(joints, links, velocities, free, ref_postures[n], local, world, axes)
        put_sums(joints, links, world, sums)
        for i in range(points.shape[0]):
            state[i, BEARS] = bearing[n, i]
        put_forces(
            joints, links, free, points, plan, pushes, n, settings, world, axes, sums, ref_speeds[n], ref_rates[n],
            motion, loads, centre, room, state, left,
        )  # fmt: skip
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
