"""A figure that has lost its balance falls limply, compiled: passive dynamics with unilateral contacts and friction.

Time stepping on velocities: (M + h B) v' = M v - h b + J^T p, with B the damping of joints, b gravity and inertia,
and p the impulses of contacts and of limits, by projected Gauss-Seidel. Contacts do not bounce, so nothing but gravity
and pushes gives energy to it. As in the filter, frames are moved by as little as makes them agree with the forces.
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.dynamics_forces import balance_room, factor, solve_factored
from puppet.kernels.dynamics_frame import keep_frame, put_way
from puppet.kernels.dynamics_model import (
    FRICTION,
    GRAVITY,
    MOST_EDGES,
    MOTION_COLUMNS,
    POINT_AT,
    POINT_JOINT,
    POINT_RADIUS,
    SETTING_STEP,
    STATE_COLUMNS,
)
from puppet.kernels.dynamics_motion import acceleration_of, put_efforts, put_loads, put_mass_matrix, put_motion
from puppet.kernels.dynamics_rows import put_momentum_rows, put_point_row
from puppet.kernels.dynamics_step import MOST_LIMITS, RANGE_ROOM, advance
from puppet.kernels.figure_features import SUM_CENTRE, SUM_COLUMNS, SUM_MASS, link_centre, put_sums
from puppet.kernels.figure_kinematics import place_figure, put_ball_angles
from puppet.kernels.figure_limits import add_limits, put_range_jacobians
from puppet.kernels.figure_model import COUNT, JOINT_FIRST
from puppet.kernels.jit import inner
from puppet.kernels.rotation import to_world

DAMPING = 0.03  # torque of a joint that turns by one radian a second
_NEAR = 0.001  # a point that gets as near to the ground in this substep may touch it
_SWEEPS = 40
OFF_LINE = 0.2  # lengths a second: how fast at most a point is brought back that goes off its line as joints turn
OUT = 0.1  # which part of the way out of the ground, or back into a range, a substep goes
SPENT = 0.1  # which part of the energy that a substep takes away may be spent on that
# Seconds in which a joint may get to its limit at the soonest: it slows down before, as flesh makes it. Limbs that
# stopped at once would change their speeds so much from frame to frame that no frame agreed with gravity alone.
SLOWS = 0.1
MOST_TURN = 0.3  # radians, or body lengths, in a substep: faster, as after a push of many times the weight, it diverges


@inner
def fall_frames(
    joints, links, corners, velocities, chains, free, mobility, points, plan, pushes, first, begins, substeps,
    settings, angles, local, speeds, way, way_points, way_pushes, postures, bearing,
):  # fmt: skip
    """Frames from `first` on into postures, and which of all points touch before each into bearing. plan (1, points,
    PLAN_COLUMNS): the ground, for all of them; begins: the speeds are those of that moment, and not, as they are here,
    those between two substeps; way, way_points and way_pushes (see keep_frame) go on from call to call."""
    size, count, h = velocities.shape[0], joints.shape[0], settings[SETTING_STEP]
    most = 3 * points.shape[0] + MOST_LIMITS
    world, axes, sums = np.empty((count, 12)), np.zeros((size, 6)), np.empty((count, SUM_COLUMNS))
    motion, loads, still = np.empty((count, MOTION_COLUMNS)), np.empty((count, 6)), np.zeros(size)
    mass, efforts, after = np.empty((size, size)), np.empty(size), np.empty(size)
    rows, answers, single = np.empty((most, size)), np.empty((most, size)), np.empty((1, size))
    # of each row: its own answer, the least velocity, the impulse, the row of its normal or -1, which part of the
    # velocity leads back out of the ground, or into a range
    told = np.empty((most, 5))
    slots, errors, ranges = np.empty((size, MOST_LIMITS + 1)), np.empty(MOST_LIMITS), np.zeros((count, RANGE_ROOM))
    whole, unbound, without = np.empty((size, size)), np.empty(size), np.empty(size)
    start, start_local = np.empty(angles.shape[0]), np.empty((count, 9))
    state, expected, fps = np.zeros((points.shape[0], STATE_COLUMNS)), np.empty(6), 1.0 / (h * substeps)
    targets, softness = np.empty(most), np.empty(most)
    room = balance_room(size, most, MOST_EDGES * points.shape[0] + 1)
    for n in range(first, postures.shape[0]):
        start[:], start_local[:, :] = angles, local
        for k in range(substeps):
            place_figure(joints, links, velocities, free, angles, local, world, axes)
            put_sums(joints, links, world, sums)
            put_motion(joints, free, world, axes, speeds, still, motion)
            loads[:, :] = 0.0
            put_loads(joints, links, world, motion, settings[GRAVITY], loads)
            put_efforts(velocities, free, axes, loads, efforts)
            put_mass_matrix(velocities, chains, free, axes, sums, mass)
            passed = 0.5 * h if begins and n == first and k == 0 else h  # since the velocities were those of a moment
            for v in range(size):
                found = -passed * efforts[v]
                for u in range(size):
                    found += mass[v, u] * speeds[u]
                after[v] = found
            for j in range(count):
                fx, fy, fz = pushes[n, j, 0], pushes[n, j, 1], pushes[n, j, 2]
                if fx != 0.0 or fy != 0.0 or fz != 0.0:
                    px, py = link_centre(links, world, j, 0), link_centre(links, world, j, 1)
                    put_point_row(chains, free, axes, single, 0, j, px, py, link_centre(links, world, j, 2), fx, fy, fz)
                    for v in range(size):
                        after[v] += passed * single[0, v]
            for v in range(size):
                mass[v, v] += 1e-9
                if free == 0 or v >= joints[0, JOINT_FIRST] + joints[0, COUNT]:
                    mass[v, v] += passed * DAMPING
            whole[:, :] = mass
            factor(mass, size)
            solve_factored(mass, size, after)
            row = put_touching(
                chains, free, axes, world, motion, points, h, speeds, after, rows, told, bearing, n, k == 0
            )  # fmt: skip
            put_range_jacobians(joints, links, corners, mobility, local, ranges)
            row = put_limits(
                joints, corners, velocities, mobility, angles, ranges, h, speeds, after, slots, errors, rows, told, row
            )
            for r in range(row):
                for v in range(size):
                    answers[r, v] = rows[r, v]
                solve_factored(mass, size, answers[r])
                own = 1e-12
                for v in range(size):
                    own += rows[r, v] * answers[r, v]
                told[r, 0] = own
            unbound[:], without[:] = after, after
            find_impulses(rows, answers, told, row, settings[FRICTION], False, without)
            if leads_back(told, row):
                find_impulses(rows, answers, told, row, settings[FRICTION], True, after)
                spend(whole, speeds, unbound, without, after)
            else:
                after[:] = without
            fastest = 0.0
            for v in range(size):
                fastest = max(fastest, h * abs(after[v]))
            for v in range(size):
                speeds[v] = after[v] * min(1.0, MOST_TURN / max(fastest, MOST_TURN))
            advance(joints, velocities, free, h, still, angles, local, speeds)
        if substeps > 1:
            place_figure(joints, links, velocities, free, angles, local, world, axes)
            put_sums(joints, links, world, sums)
            put_momentum_rows(velocities, free, axes, sums, rows, 0)
            for c in range(3):
                expected[c], expected[3 + c] = sums[0, SUM_CENTRE + c] / sums[0, SUM_MASS], 0.0
                for v in range(size):
                    expected[3 + c] += rows[c, v] * speeds[v] / sums[0, SUM_MASS]
            keep_frame(
                joints, links, velocities, chains, free, mobility, points, plan, 0, pushes[n : n + 1],
                bearing[n : n + 1], settings, fps, expected, start, start_local, way, way_points, way_pushes, angles,
                local, speeds, state, rows, targets, softness, room, True,
            )  # fmt: skip
            put_way(joints, velocities, free, start, start_local, angles, local, fps, way)
            way_points[:, 0], way_points[:, 1:], way_pushes[:, :] = bearing[n], plan[0], pushes[n]
        put_ball_angles(joints, velocities, local, angles)
        for v in range(size):
            postures[n, v] = angles[v]


@inner
def put_touching(chains, free, axes, world, motion, points, h, speeds, after, rows, told, bearing, n, first):
    """Three rows for each point that may touch the ground: up, and along it; returns how many rows there are. Joints
    turn on the way, and what goes round goes off the line by h^2 / 2 of its acceleration."""
    row = 0
    for i in range(points.shape[0]):
        j = int(points[i, POINT_JOINT])
        rx, ry, rz = to_world(world, j, points[i, POINT_AT], points[i, POINT_AT + 1], points[i, POINT_AT + 2])
        px, py, pz = world[j, 0] + rx, world[j, 1] + ry - points[i, POINT_RADIUS], world[j, 2] + rz
        if first:
            bearing[n, i] = 0.0
        put_point_row(chains, free, axes, rows, row, j, px, py, pz, 0.0, 1.0, 0.0)
        speed, now = 0.0, 0.0
        for v in range(after.shape[0]):
            speed += rows[row, v] * after[v]
            now += rows[row, v] * speeds[v]
        if py + h * min(speed, now, 0.0) > _NEAR:
            continue
        bearing[n, i] = 1.0
        ax, ay, az = acceleration_of(motion, j, rx, ry - points[i, POINT_RADIUS], rz)
        told[row, 1] = (-py / h if py > 0.0 else -OUT * py / h) - off_line(h, ay)
        told[row, 3], told[row, 4] = -1.0, max(0.0, -OUT * py / h)
        put_point_row(chains, free, axes, rows, row + 1, j, px, py, pz, 1.0, 0.0, 0.0)
        put_point_row(chains, free, axes, rows, row + 2, j, px, py, pz, 0.0, 0.0, 1.0)
        told[row + 1, 1], told[row + 2, 1] = -off_line(h, ax), -off_line(h, az)
        for r in range(row + 1, row + 3):
            told[r, 3], told[r, 4] = float(row), 0.0
        row += 3
    return row


@inner
def off_line(h, rate):
    """The velocity with which an acceleration takes a point off its line in a substep, within what gives no energy."""
    return max(-OFF_LINE, min(OFF_LINE, 0.5 * h * rate))


@inner
def put_limits(joints, corners, velocities, mobility, angles, ranges, h, speeds, after, slots, errors, rows, told, row):
    """A row for each limit that a joint would pass, seen so that it may only grow."""
    for v in range(speeds.shape[0]):
        for k in range(MOST_LIMITS):
            slots[v, k] = 0.0
        slots[v, MOST_LIMITS] = SLOWS * after[v]
    count = add_limits(
        joints, corners, velocities, mobility, angles, ranges, slots[:, MOST_LIMITS], slots[:, :MOST_LIMITS], errors, 0
    )
    for k in range(count):
        for v in range(speeds.shape[0]):
            rows[row, v] = -slots[v, k]
        told[row, 1] = -errors[k] / SLOWS if errors[k] > 0.0 else -OUT * errors[k] / h
        told[row, 3], told[row, 4] = -1.0, max(0.0, -OUT * errors[k] / h)
        row += 1
    return row


@inner
def leads_back(told, count):
    """Whether a row does, out of the ground or into a range."""
    found = False
    for r in range(count):
        found = found or told[r, 4] > 0.0
    return found


@inner
def spend(whole, speeds, unbound, without, after):
    """Makes of the velocities `after` those between them and the ones `without` what leads back whose impulses take a
    part at least of the energy away that impulses take without it: nothing that leads back gives any. whole: the mass
    matrix with damping; unbound: the velocities without any impulse."""
    taken = along = square = 0.0
    for v in range(speeds.shape[0]):
        kept = change = 0.0  # impulses
        for u in range(speeds.shape[0]):
            kept += whole[v, u] * (without[u] - unbound[u])
            change += whole[v, u] * (after[u] - without[u])
        mean = 0.5 * (speeds[v] + without[v])
        taken -= mean * kept
        along += mean * change + 0.5 * (after[v] - without[v]) * kept
        square += 0.5 * (after[v] - without[v]) * change
    left, share = max(0.0, SPENT * taken), 1.0
    if square + along > left:
        share = max(0.0, 0.5 * (math.sqrt(along * along + 4.0 * square * left) - along) / square)
    for v in range(speeds.shape[0]):
        after[v] = without[v] + share * (after[v] - without[v])


@inner
def find_impulses(rows, answers, told, count, friction, back, after):
    """Projected Gauss-Seidel: velocities `after` that meet all rows, by impulses that only push, and friction that is
    in proportion to them. back: also those that lead out of the ground, and into ranges."""
    for r in range(count):
        told[r, 2] = 0.0
    for _ in range(_SWEEPS):
        for r in range(count):
            speed = 0.0
            for v in range(after.shape[0]):
                speed += rows[r, v] * after[v]
            least = told[r, 1] if back else told[r, 1] - told[r, 4]
            wanted = told[r, 2] + (least - speed) / told[r, 0]
            if told[r, 3] < 0.0:
                wanted = max(0.0, wanted)
            else:
                normal = int(told[r, 3])  # the edges of a cone are along both rows after it
                bound = max(0.0, friction * told[normal, 2] - abs(told[2 * normal + 3 - r, 2]))
                wanted = max(-bound, min(bound, wanted))
            change = wanted - told[r, 2]
            if change != 0.0:
                told[r, 2] = wanted
                for v in range(after.shape[0]):
                    after[v] += answers[r, v] * change
