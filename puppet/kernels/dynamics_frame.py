"""Frames that agree with the forces between them, compiled.

Who looks at frames alone sees a frame's velocity as the mean of those of the ways to its neighbours, and its
acceleration as their difference. Substeps know better what joints do meanwhile; but where velocities change much
from way to way, as in a flight or a landing, the whole body's wrench in the frame is then another one than that of the
forces. The end of the second way is moved, and the velocity with it, by as little as makes both agree: if something
bears, with all that is fixed in its place, else with the centre of mass on its curve, as far as that is possible: where
joints move much from way to way, as limbs that come to their limits, no posture may be on it that agrees.
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.dynamics_contact import BACK, put_edges, put_fixed_rows, put_near_rows, take_forces
from puppet.kernels.dynamics_forces import ROWS, factor, nonnegative_least_squares, solve_factored
from puppet.kernels.dynamics_model import (
    ANCHOR,
    BEARS,
    DOES,
    EXPLAINING_EASE,
    FORCE,
    FRICTION,
    GRAVITY,
    GRIPPING,
    HANGS,
    LEVEL,
    MOTION_COLUMNS,
    PLACE,
    PLAN_COLUMNS,
    PLAN_NORMAL,
    POINT_AT,
    POINT_FIXED,
    POINT_JOINT,
    POINT_RADIUS,
    SETTING_STEP,
    STATE_COLUMNS,
    TALL,
    VELOCITY,
)
from puppet.kernels.dynamics_motion import put_loads, put_motion
from puppet.kernels.dynamics_rows import put_momentum_rows
from puppet.kernels.dynamics_step import EXACT, advance, keep_momentum, put_matrix
from puppet.kernels.figure_features import SUM_CENTRE, SUM_COLUMNS, SUM_MASS, cross, link_centre, put_sums
from puppet.kernels.figure_kinematics import place_figure
from puppet.kernels.figure_model import ANGLE, BALL, COUNT, JOINT_FIRST
from puppet.kernels.figure_range import quaternion_vector, relative_quaternion
from puppet.kernels.jit import inner
from puppet.kernels.rotation import to_world, triple

AGREES, LEAVES = 4e-3, 2e-3  # of the weight, or of weight times height: what may be left over, and what then is
TOLERATED, LEAVES_TOLERATED = 8e-3, 6e-3  # the same in limp falls, and where no posture on the curve agrees so well
SLIPPED, TORN_AWAY = 2.2e-4, 1e-2  # heights by which what bears is taken back to where it is fixed, or no more
SHRINKS = 0.9  # of a slip: who is left with more of it after a pass goes on to the forces
_PASSES, _LOOSE_PASSES = 32, 4  # with the centre of mass on its curve, and then without
_BESIDE = 0.1  # of gravity, by which an acceleration may be beside it that is to be gravity alone
_FARTHEST = 0.05  # radians by which a joint is moved at most in a pass


@inner
def put_outside(links, world, sums, loads, pushes, n, settings, centre, outside):
    """Force and moment about the centre of mass (6,) of weight and pushes, less what inertia takes by itself."""
    total = sums[0, SUM_MASS]
    for c in range(3):
        outside[c] = -loads[0, c]
    mx, my, mz = cross(
        world[0, 0] - centre[0], world[0, 1] - centre[1], world[0, 2] - centre[2], loads[0, 0], loads[0, 1], loads[0, 2]
    )
    outside[3], outside[4], outside[5] = -loads[0, 3] - mx, -loads[0, 4] - my, -loads[0, 5] - mz
    outside[1] -= total * settings[GRAVITY]
    for j in range(links.shape[0]):
        fx, fy, fz = pushes[n, j, 0], pushes[n, j, 1], pushes[n, j, 2]
        if fx == 0.0 and fy == 0.0 and fz == 0.0:
            continue
        mx, my, mz = cross(
            link_centre(links, world, j, 0) - centre[0],
            link_centre(links, world, j, 1) - centre[1],
            link_centre(links, world, j, 2) - centre[2],
            fx,
            fy,
            fz,
        )
        outside[0] += fx
        outside[1] += fy
        outside[2] += fz
        outside[3] += mx
        outside[4] += my
        outside[5] += mz


@inner
def put_places(points, world, state):
    """Where points are."""
    for i in range(points.shape[0]):
        j = int(points[i, POINT_JOINT])
        rx, ry, rz = to_world(world, j, points[i, POINT_AT], points[i, POINT_AT + 1], points[i, POINT_AT + 2])
        state[i, PLACE], state[i, PLACE + 1] = world[j, 0] + rx, world[j, 1] + ry - points[i, POINT_RADIUS]
        state[i, PLACE + 2] = world[j, 2] + rz


@inner
def put_forces(
    joints, links, free, points, plan, pushes, n, settings, world, axes, sums, speeds, rates, motion, loads, centre,
    room, state, left,
):  # fmt: skip
    """The forces on points that bear, in way n of plan and pushes, into state, and what they leave over of the wrench
    of a posture with velocities and their derivatives, (6,). Returns whether anything bears."""
    columns, x, z, slope, square, step = room[3], room[4], room[5], room[6], room[7], room[8]
    put_motion(joints, free, world, axes, speeds, rates, motion)
    loads[:, :] = 0.0
    put_loads(joints, links, world, motion, 0.0, loads)
    for c in range(3):
        centre[c] = sums[0, SUM_CENTRE + c] / sums[0, SUM_MASS]
    put_outside(links, world, sums, loads, pushes, n, settings, centre, left)
    put_places(points, world, state)
    edges = put_edges(plan, n, settings[FRICTION], state, centre, columns)
    if edges > 0:
        for r in range(ROWS):
            z[r] = left[r]
        nonnegative_least_squares(columns, edges, left, EXPLAINING_EASE, z, x, slope, square, step)
    take_forces(plan, n, settings[FRICTION], x, state)
    for k in range(edges):
        for r in range(ROWS):
            left[r] += x[k] * columns[k, r]
    return edges > 0


@inner
def put_way(joints, velocities, free, before, before_local, angles, local, fps, way):
    """The mean velocity (velocities,) from one posture to another in the time of a frame."""
    if free == 1:
        for v in range(3):
            way[v] = fps * (angles[v] - before[v])
    for j in range(joints.shape[0]):
        first, count = joints[j, JOINT_FIRST], joints[j, COUNT]
        if joints[j, BALL] == 0:
            for v in range(first, first + count):
                at = int(velocities[v, ANGLE])
                way[v] = fps * (angles[at] - before[at])
        else:
            w, x, y, z = relative_quaternion(before_local, local, j, 0.0)
            way[first], way[first + 1], way[first + 2] = quaternion_vector(w, x, y, z, fps)


@inner
def left_over(left, settings):
    """How much is left over, as a part of the weight, or of weight times height, whichever is more."""
    force = math.sqrt(left[0] * left[0] + left[1] * left[1] + left[2] * left[2])
    moment = math.sqrt(left[3] * left[3] + left[4] * left[4] + left[5] * left[5])
    return max(force, moment / settings[TALL]) / settings[GRAVITY]


@inner
def keep_frame(
    joints, links, velocities, chains, free, mobility, points, plan, n, pushes, bearing, settings, fps, expected,
    before, before_local, way, way_points, way_pushes, angles, local, speeds, state, rows, targets, softness, room,
    limp,
):  # fmt: skip
    """Moves the posture, which is the end of way n from the one `before`, so that the latter agrees with the forces.

    way (velocities,), way_points (points, 1 + PLAN_COLUMNS) and way_pushes (joints, 3): velocities, bearing and
    plan of points and pushes of the way that led there. bearing (frames, points): that of way n. expected (6,): the
    centre of mass at the end and its velocity, which become those of a free fall in frames in which no force acts.
    limp: whether it falls.
    """
    size, count = velocities.shape[0], joints.shape[0]
    world, axes, sums = np.empty((count, 12)), np.zeros((size, 6)), np.empty((count, SUM_COLUMNS))
    motion, loads, centre = np.empty((count, MOTION_COLUMNS)), np.empty((count, 6)), np.empty(3)
    own, shared = np.zeros((1, points.shape[0], PLAN_COLUMNS)), np.empty((1, count, 3))
    own_state, left, more, less = np.zeros((points.shape[0], STATE_COLUMNS)), np.empty(6), np.empty(6), np.empty(6)
    end_state, momentum = np.empty((points.shape[0], STATE_COLUMNS)), np.empty(6)
    next_way, mean, rates, still = np.empty(size), np.empty(size), np.empty(size), np.zeros(size)
    end_world, end_axes, end_sums = np.empty((count, 12)), np.zeros((size, 6)), np.empty((count, SUM_COLUMNS))
    back = fps * settings[SETTING_STEP] ** 2 / BACK
    for i in range(points.shape[0]):
        own_state[i, BEARS] = max(way_points[i, 0], bearing[n, i])
        for c in range(PLAN_COLUMNS):
            own[0, i, c] = way_points[i, 1 + c] if way_points[i, 0] > 0.0 else plan[n, i, c]
    for j in range(count):
        for c in range(3):
            shared[0, j, c] = 0.5 * (way_pushes[j, c] + pushes[n, j, c])
    place_figure(joints, links, velocities, free, before, before_local, world, axes)
    put_sums(joints, links, world, sums)
    place_figure(joints, links, velocities, free, angles, local, end_world, end_axes)
    put_places(points, end_world, state)
    put_ends(plan, n, settings[TALL], state, end_state)
    put_sums(joints, links, end_world, end_sums)
    put_momentum(velocities, free, end_axes, end_sums, speeds, rows, momentum)
    moved, flown, stuck, last_slip = False, False, False, 1e9
    for p in range(_PASSES + _LOOSE_PASSES):
        put_way(joints, velocities, free, before, before_local, angles, local, fps, next_way)
        for v in range(size):
            mean[v], rates[v] = 0.5 * (way[v] + next_way[v]), fps * (next_way[v] - way[v])
        borne = put_forces(
            joints, links, free, points, own, shared, 0, settings, world, axes, sums, mean, rates, motion, loads,
            centre, room, own_state, left,
        )  # fmt: skip
        bears, borne = borne, borne and has_force(own_state)
        much = left_over(left, settings)
        if not borne and not flown:
            put_sums(joints, links, end_world, end_sums)
            put_free_fall(
                joints, links, velocities, free, before, before_local, way, fps, sums, shared, settings, limp,
                bears, end_sums, expected,
            )  # fmt: skip
            keep_momentum(joints, velocities, free, end_world, end_axes, end_sums, expected, rows, angles, speeds)
            place_figure(joints, links, velocities, free, angles, local, end_world, end_axes)
            move_ends(points, end_world, state, end_state)
            flown = True
            continue
        held = not borne and p < _PASSES  # the centre of mass
        tolerant = not borne and (limp or p >= _PASSES)
        agrees = not much > (TOLERATED if tolerant else AGREES)
        slip = farthest_slip(plan, n, end_state)
        stuck = stuck or slip > SHRINKS * last_slip
        slipped, last_slip = slip > SLIPPED * settings[TALL] and not stuck, slip
        if (agrees and not slipped) or (borne and p == _PASSES):
            break
        moved = moved or slipped
        # how the wrench changes with the velocity of the way
        put_momentum_rows(velocities, free, axes, sums, rows, 0)
        for v in range(size):
            kept = mean[v]
            mean[v] = kept + 1.0
            put_inertia(joints, links, free, world, axes, sums, mean, still, motion, loads, settings, centre, more)
            mean[v] = kept - 1.0
            put_inertia(joints, links, free, world, axes, sums, mean, still, motion, loads, settings, centre, less)
            mean[v] = kept
            for r in range(ROWS):
                rows[r, v] = fps * rows[r, v] + 0.25 * (more[r] - less[r])
        put_sums(joints, links, end_world, end_sums)
        if held:
            put_momentum_rows(velocities, free, end_axes, end_sums, rows, ROWS)
            for r in range(3):
                for v in range(size):
                    rows[r, v] -= fps * rows[ROWS + r, v]
        for r in range(ROWS):
            targets[r] = 0.0 if slipped else (1.0 - (LEAVES_TOLERATED if tolerant else LEAVES) / much) * left[r]
        kept_rows = ROWS + 3 if held else ROWS  # with those of the centre of mass
        for r in range(kept_rows):
            softness[r] = EXACT
        motion[:, :] = 0.0
        row = put_fixed_rows(
            chains, free, end_axes, end_world, motion, points, plan, n, settings, end_state, rows, targets, softness,
            kept_rows,
        )  # fmt: skip
        for r in range(ROWS, row):  # back to its anchors: passes go straight ahead, and links turn
            targets[r] = back * targets[r] if r >= kept_rows else 0.0
        row = put_near_rows(chains, free, end_axes, points, plan, n, fps, end_state, rows, targets, softness, row)
        put_matrix(rows, mobility, softness, row, room[0], room[1])
        factor(room[1], row)
        solve_factored(room[1], row, targets)
        largest = _FARTHEST
        for v in range(size):
            rates[v] = 0.0
            for r in range(row):
                rates[v] += room[0][r, v] * targets[r]
            if v >= 3:
                largest = max(largest, abs(rates[v]) / fps)
        # by v / fps, and with the velocity v more, but for what only takes back a slip
        for v in range(size):
            next_way[v] = rates[v] * _FARTHEST / largest
        advance(joints, velocities, free, 1.0 / fps, still, angles, local, next_way)
        for v in range(size):
            speeds[v] += 0.0 if slipped else next_way[v]
        if held:
            place_figure(joints, links, velocities, free, angles, local, end_world, end_axes)
            put_sums(joints, links, end_world, end_sums)
            keep_momentum(joints, velocities, free, end_world, end_axes, end_sums, expected, rows, angles, speeds)
        place_figure(joints, links, velocities, free, angles, local, end_world, end_axes)
        move_ends(points, end_world, state, end_state)
    if moved:
        put_sums(joints, links, end_world, end_sums)
        put_momentum(velocities, free, end_axes, end_sums, speeds, rows, left)
        for r in range(ROWS):
            targets[r], softness[r] = momentum[r] - left[r], EXACT
        motion[:, :] = 0.0
        row = put_fixed_rows(
            chains, free, end_axes, end_world, motion, points, plan, n, settings, end_state, rows, targets, softness,
            ROWS,
        )  # fmt: skip
        row = put_near_rows(chains, free, end_axes, points, plan, n, fps, end_state, rows, targets, softness, row)
        for r in range(ROWS, row):
            targets[r] = 0.0
        put_matrix(rows, mobility, softness, row, room[0], room[1])
        factor(room[1], row)
        solve_factored(room[1], row, targets)
        for v in range(size):
            for r in range(row):
                speeds[v] += room[0][r, v] * targets[r]


@inner
def put_free_fall(
    joints, links, velocities, free, before, before_local, way, fps, sums, pushes, settings, limp, bears, end_sums,
    expected,
):  # fmt: skip
    """Where the centre of mass is a frame after the posture `before`, and its velocity then, (6,), if nothing but
    weight and pushes (1, joints, 3) acts: as anyone sees who has the frames alone. way: velocities of the way that led
    there; limp: in falls velocities are those between two substeps; bears: whether a point could bear a force in that
    posture. If so, nothing is changed where it is nowhere near that: something bears it before, or on the way."""
    count, size, total = joints.shape[0], velocities.shape[0], sums[0, SUM_MASS]
    world, axes, last = np.empty((count, 12)), np.zeros((size, 6)), np.empty((count, SUM_COLUMNS))
    angles, local, rates, falls = before.copy(), before_local.copy(), np.zeros(3), np.empty(3)
    advance(joints, velocities, free, -1.0 / fps, np.zeros(size), angles, local, way.copy())
    place_figure(joints, links, velocities, free, angles, local, world, axes)
    put_sums(joints, links, world, last)
    rates[1], off = -settings[GRAVITY], 0.0
    for c in range(3):
        for j in range(count):
            rates[c] += pushes[0, j, c] / total
        falls[c] = (2.0 * sums[0, SUM_CENTRE + c] - last[0, SUM_CENTRE + c]) / total + rates[c] / (fps * fps)
        off = max(off, abs(falls[c] - end_sums[0, SUM_CENTRE + c] / total))
    if bears and off * fps * fps > _BESIDE * settings[GRAVITY]:
        return
    since = 1.0 / fps - (settings[SETTING_STEP] if limp else 0.0)
    for c in range(3):
        expected[c] = falls[c]
        expected[3 + c] = fps * (falls[c] - sums[0, SUM_CENTRE + c] / total) + 0.5 * rates[c] * since


@inner
def has_force(state):
    """Whether a force acts on a point."""
    most = 0.0
    for i in range(state.shape[0]):
        for c in range(3):
            most = max(most, abs(state[i, FORCE + c]))
    return most > 0.0


@inner
def put_momentum(velocities, free, axes, sums, speeds, rows, found):
    """Linear and angular momentum (6,), with the rows that give them."""
    put_momentum_rows(velocities, free, axes, sums, rows, 0)
    for r in range(ROWS):
        found[r] = 0.0
        for v in range(speeds.shape[0]):
            found[r] += rows[r, v] * speeds[v]


@inner
def put_ends(plan, n, tall, state, ends):
    """The state of points at the end of way n. What lands with it bears nothing yet, and may land a little beside: if
    it slips, as fast feet take more than a substep to stop, it stays where it is then. What bears goes back to where it
    is fixed, unless it has been torn away: a stretched leg lets toes slip."""
    ends[:, :] = state
    for i in range(state.shape[0]):
        if state[i, POINT_FIXED] == 1.0 and state[i, BEARS] == 0.0 and plan[n, i, DOES] != GRIPPING:
            ends[i, POINT_FIXED] = 2.0  # along the normal alone
            if slip_of(state, i) > SLIPPED * tall:
                state[i, ANCHOR], state[i, ANCHOR + 2] = state[i, PLACE], state[i, PLACE + 2]
        torn = slip_of(state, i) > TORN_AWAY * tall
        for c in range(3):
            if ends[i, POINT_FIXED] != 1.0 or torn:
                ends[i, ANCHOR + c] = state[i, PLACE + c]
            if state[i, POINT_FIXED] > 0.0:
                ends[i, VELOCITY + c] = 0.0


@inner
def move_ends(points, world, state, ends):
    """Where points are then, in both tables; what lands does so there."""
    put_places(points, world, state)
    for i in range(points.shape[0]):
        for c in range(3):
            ends[i, PLACE + c] = state[i, PLACE + c]
        if ends[i, POINT_FIXED] != state[i, POINT_FIXED]:
            state[i, ANCHOR], state[i, ANCHOR + 2] = state[i, PLACE], state[i, PLACE + 2]


@inner
def slip_of(state, i):
    """How far a point is from its anchor."""
    px, py, pz = triple(state, i, PLACE)
    qx, qy, qz = triple(state, i, ANCHOR)
    return math.sqrt((px - qx) ** 2 + (py - qy) ** 2 + (pz - qz) ** 2)


@inner
def farthest_slip(plan, n, state):
    """How far at most a fixed point is from where it is fixed, or one that lands is below what it lands on."""
    farthest = 0.0
    for i in range(state.shape[0]):
        if state[i, POINT_FIXED] == 1.0:
            farthest = max(farthest, slip_of(state, i))
        elif state[i, POINT_FIXED] == 2.0 and plan[n, i, DOES] != HANGS:
            x, y, z = triple(state, i, PLACE)
            up = plan[n, i, PLAN_NORMAL] * x + plan[n, i, PLAN_NORMAL + 1] * y + plan[n, i, PLAN_NORMAL + 2] * z
            farthest = max(farthest, plan[n, i, LEVEL] - up)
    return farthest


@inner
def put_inertia(joints, links, free, world, axes, sums, speeds, rates, motion, loads, settings, centre, found):
    """Force and moment (6,) that a motion takes by inertia, about the centre of mass."""
    put_motion(joints, free, world, axes, speeds, rates, motion)
    loads[:, :] = 0.0
    put_loads(joints, links, world, motion, 0.0, loads)
    mx, my, mz = cross(
        world[0, 0] - centre[0], world[0, 1] - centre[1], world[0, 2] - centre[2], loads[0, 0], loads[0, 1], loads[0, 2]
    )
    for c in range(3):
        found[c] = loads[0, c]
    found[3], found[4], found[5] = loads[0, 3] + mx, loads[0, 4] + my, loads[0, 5] + mz
