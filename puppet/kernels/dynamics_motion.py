"""Dynamics of a figure in the whole-body solver's velocities, compiled: recursive Newton-Euler and composite bodies.

All vectors are in the world. Each link has a motion: angular velocity w and velocity of its joint's centre, and their
derivatives. From parent to child, with r the way from centre to centre: v = v_p + w_p x r, a = a_p + u_p x r +
w_p x (w_p x r), u being the angular acceleration. A hinge's axis turns with all that comes before it, those of a ball
joint with the joint itself, so that both add (w before the joint) x (w of the joint).
"""

from __future__ import annotations

from puppet.kernels.dynamics_model import LINK_TURN, SPEED, SPEED_RATE, TURN_RATE
from puppet.kernels.figure_features import (
    SUM_ARM,
    SUM_CENTRE,
    SUM_MASS,
    cross,
    inertia_times,
    link_centre,
)
from puppet.kernels.figure_model import BALL, COUNT, INERTIA, JOINT_FIRST, JOINT_PARENT, MASS, VELOCITY_JOINT
from puppet.kernels.jit import inner
from puppet.kernels.rotation import to_local, to_world, triple


@inner
def put_motion(joints, free, world, axes, speeds, accelerations, motion):
    """motion (joints, MOTION_COLUMNS) for the velocities `speeds` and their derivatives."""
    for j in range(joints.shape[0]):
        parent, first, count = joints[j, JOINT_PARENT], joints[j, JOINT_FIRST], joints[j, COUNT]
        wx = wy = wz = vx = vy = vz = ux = uy = uz = ax = ay = az = 0.0
        if parent >= 0:
            rx, ry, rz = world[j, 0] - world[parent, 0], world[j, 1] - world[parent, 1], world[j, 2] - world[parent, 2]
            wx, wy, wz = triple(motion, parent, LINK_TURN)
            vx, vy, vz = triple(motion, parent, SPEED)
            ux, uy, uz = triple(motion, parent, TURN_RATE)
            ax, ay, az = triple(motion, parent, SPEED_RATE)
            sx, sy, sz = cross(wx, wy, wz, rx, ry, rz)
            vx, vy, vz = vx + sx, vy + sy, vz + sz
            sx, sy, sz = cross(wx, wy, wz, sx, sy, sz)
            tx, ty, tz = cross(ux, uy, uz, rx, ry, rz)
            ax, ay, az = ax + sx + tx, ay + sy + ty, az + sz + tz
        elif free == 1:
            vx, vy, vz = speeds[0], speeds[1], speeds[2]
            ax, ay, az = accelerations[0], accelerations[1], accelerations[2]
        bx, by, bz = wx, wy, wz  # the turn that carries the next axis along
        for v in range(first, first + count):
            x, y, z = triple(axes, v, 0)
            cx, cy, cz = cross(bx, by, bz, x, y, z)
            s, a = speeds[v], accelerations[v]
            ux, uy, uz = ux + a * x + s * cx, uy + a * y + s * cy, uz + a * z + s * cz
            wx, wy, wz = wx + s * x, wy + s * y, wz + s * z
            if joints[j, BALL] == 0:
                bx, by, bz = wx, wy, wz
        motion[j, LINK_TURN], motion[j, LINK_TURN + 1], motion[j, LINK_TURN + 2] = wx, wy, wz
        motion[j, SPEED], motion[j, SPEED + 1], motion[j, SPEED + 2] = vx, vy, vz
        motion[j, TURN_RATE], motion[j, TURN_RATE + 1], motion[j, TURN_RATE + 2] = ux, uy, uz
        motion[j, SPEED_RATE], motion[j, SPEED_RATE + 1], motion[j, SPEED_RATE + 2] = ax, ay, az


@inner
def speed_of(motion, j, rx, ry, rz):
    """The velocity of a point of a link, r from its joint's centre."""
    wx, wy, wz = triple(motion, j, LINK_TURN)
    x, y, z = cross(wx, wy, wz, rx, ry, rz)
    return motion[j, SPEED] + x, motion[j, SPEED + 1] + y, motion[j, SPEED + 2] + z


@inner
def acceleration_of(motion, j, rx, ry, rz):
    """The acceleration of a point of a link, r from its joint's centre."""
    wx, wy, wz = triple(motion, j, LINK_TURN)
    ux, uy, uz = triple(motion, j, TURN_RATE)
    x, y, z = cross(wx, wy, wz, rx, ry, rz)
    x, y, z = cross(wx, wy, wz, x, y, z)
    tx, ty, tz = cross(ux, uy, uz, rx, ry, rz)
    return (
        motion[j, SPEED_RATE] + x + tx,
        motion[j, SPEED_RATE + 1] + y + ty,
        motion[j, SPEED_RATE + 2] + z + tz,
    )


@inner
def link_inertia_times(links, world, j, x, y, z):
    """R I R^T times a world vector."""
    a, b, c = to_local(world, j, x, y, z)
    at = INERTIA
    return to_world(
        world,
        j,
        links[j, at] * a + links[j, at + 1] * b + links[j, at + 2] * c,
        links[j, at + 3] * a + links[j, at + 4] * b + links[j, at + 5] * c,
        links[j, at + 6] * a + links[j, at + 7] * b + links[j, at + 8] * c,
    )


@inner
def kinetic_energy(links, world, motion):
    """That of all links together."""
    found = 0.0
    for j in range(links.shape[0]):
        rx = link_centre(links, world, j, 0) - world[j, 0]
        ry = link_centre(links, world, j, 1) - world[j, 1]
        rz = link_centre(links, world, j, 2) - world[j, 2]
        vx, vy, vz = speed_of(motion, j, rx, ry, rz)
        wx, wy, wz = triple(motion, j, LINK_TURN)
        hx, hy, hz = link_inertia_times(links, world, j, wx, wy, wz)
        found += 0.5 * (links[j, MASS] * (vx * vx + vy * vy + vz * vz) + wx * hx + wy * hy + wz * hz)
    return found


@inner
def put_loads(joints, links, world, motion, gravity, loads):
    """What each joint passes on to its link and all below it: force and moment about the joint's centre, (joints, 6).

    loads hold minus the wrenches from outside when this is called. gravity: along -y.
    """
    for j in range(joints.shape[0] - 1, -1, -1):
        rx = link_centre(links, world, j, 0) - world[j, 0]
        ry = link_centre(links, world, j, 1) - world[j, 1]
        rz = link_centre(links, world, j, 2) - world[j, 2]
        ax, ay, az = acceleration_of(motion, j, rx, ry, rz)
        m = links[j, MASS]
        fx, fy, fz = m * ax, m * (ay + gravity), m * az
        wx, wy, wz = triple(motion, j, LINK_TURN)
        hx, hy, hz = link_inertia_times(links, world, j, wx, wy, wz)
        hx, hy, hz = cross(wx, wy, wz, hx, hy, hz)
        ux, uy, uz = triple(motion, j, TURN_RATE)
        ux, uy, uz = link_inertia_times(links, world, j, ux, uy, uz)
        nx, ny, nz = cross(rx, ry, rz, fx, fy, fz)
        loads[j, 0] += fx
        loads[j, 1] += fy
        loads[j, 2] += fz
        loads[j, 3] += nx + hx + ux
        loads[j, 4] += ny + hy + uy
        loads[j, 5] += nz + hz + uz
        parent = joints[j, JOINT_PARENT]
        if parent >= 0:
            fx, fy, fz = triple(loads, j, 0)
            rx, ry, rz = world[j, 0] - world[parent, 0], world[j, 1] - world[parent, 1], world[j, 2] - world[parent, 2]
            nx, ny, nz = cross(rx, ry, rz, fx, fy, fz)
            loads[parent, 0] += fx
            loads[parent, 1] += fy
            loads[parent, 2] += fz
            loads[parent, 3] += loads[j, 3] + nx
            loads[parent, 4] += loads[j, 4] + ny
            loads[parent, 5] += loads[j, 5] + nz


@inner
def put_efforts(velocities, free, axes, loads, efforts):
    """The generalised force of each velocity: a torque about its axis, for a free root's first three a force."""
    for v in range(velocities.shape[0]):
        if free == 1 and v < 3:
            efforts[v] = loads[0, v]
        else:
            j = int(velocities[v, VELOCITY_JOINT])
            efforts[v] = axes[v, 0] * loads[j, 3] + axes[v, 1] * loads[j, 4] + axes[v, 2] * loads[j, 5]


@inner
def momentum_of(velocities, free, axes, sums, v):
    """Linear and angular momentum about the whole body's mass centre of all that velocity v moves, when it is 1."""
    j, total = int(velocities[v, VELOCITY_JOINT]), sums[0, SUM_MASS]
    x, y, z = triple(axes, v, 0)
    m = sums[j, SUM_MASS]
    dx, dy, dz = triple(sums, j, SUM_ARM)
    if free == 1 and v < 3:
        hx, hy, hz = cross(dx, dy, dz, x, y, z)
        return m * x, m * y, m * z, hx, hy, hz
    cx, cy, cz = triple(sums, 0, SUM_CENTRE)
    sx, sy, sz = cross(x, y, z, cx / total - axes[v, 3], cy / total - axes[v, 4], cz / total - axes[v, 5])
    px, py, pz = cross(x, y, z, dx, dy, dz)
    ix, iy, iz = inertia_times(sums, j, x, y, z)
    hx, hy, hz = cross(dx, dy, dz, sx, sy, sz)
    return m * sx + px, m * sy + py, m * sz + pz, ix + hx, iy + hy, iz + hz


@inner
def put_mass_matrix(velocities, chains, free, axes, sums, mass):
    """The mass matrix (velocities, velocities): a velocity's momentum, seen along each velocity that carries it."""
    total = sums[0, SUM_MASS]
    cx, cy, cz = triple(sums, 0, SUM_CENTRE)
    for v in range(velocities.shape[0]):
        for u in range(velocities.shape[0]):
            mass[v, u] = 0.0
    for v in range(velocities.shape[0]):
        j = int(velocities[v, VELOCITY_JOINT])
        px, py, pz, hx, hy, hz = momentum_of(velocities, free, axes, sums, v)
        for k in range(chains[j, 0]):
            u = chains[j, 1 + k]
            x, y, z = triple(axes, u, 0)
            if free == 1 and u < 3:
                found = x * px + y * py + z * pz
            else:
                sx, sy, sz = cross(x, y, z, cx / total - axes[u, 3], cy / total - axes[u, 4], cz / total - axes[u, 5])
                found = x * hx + y * hy + z * hz + sx * px + sy * py + sz * pz
            mass[v, u] = found
            mass[u, v] = found
