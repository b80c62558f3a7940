"""Points of contact that come and go, compiled: where they are fixed, the rows that keep them, and the edges of their
cones.

A point that its plan lets touch is fixed where it arrives. From the next frame on it may bear a force, so that whatever
force acts between two frames acts at points that touch in both. A point that its plan sets free may still not sink into
the ground y = 0.
"""

from __future__ import annotations

import math

from puppet.kernels.dynamics_forces import ROWS
from puppet.kernels.dynamics_model import (
    AHEAD,
    ANCHOR,
    BEARS,
    CALLED,
    DOES,
    EARLY,
    EDGES,
    FORCE,
    GRIPPING,
    HANGS,
    IN_THE_AIR,
    LEVEL,
    LIFTED,
    MOST_EDGES,
    PLACE,
    PLAN_NORMAL,
    POINT_AT,
    POINT_FIXED,
    POINT_JOINT,
    SETTING_STEP,
    SLIDES,
    TOUCHES,
    VELOCITY,
)
from puppet.kernels.dynamics_motion import acceleration_of, speed_of
from puppet.kernels.dynamics_rows import put_point_row
from puppet.kernels.figure_features import cross
from puppet.kernels.figure_model import JOINT_PARENT
from puppet.kernels.jit import inner
from puppet.kernels.rotation import to_world, triple

_NEAR = 4e-4  # a point this far from where it is to touch is there
TORN = 1.2e-3  # a point this far from what it touched has left it
BACK = 0.3  # which part of the way back to where it is fixed a substep goes
SKIN = 1e-4  # by how much a point in the air may be below the ground: it rises from there as fast
CLEARS = 0.75  # of that: how far a point in the air is kept from the ground
_AHEAD, _BRAKES = 3.0, 4.0  # substeps in which a point in the air would be in the ground: it slows down; how fast
_CLOSE = 4e-3  # how near to the ground it may be driven there within a substep, as while something else lands
LANDING, SETTLING = 0.5, 0.012  # how fast a point is brought to what it is to touch, lengths a second; seconds
SLACKENS = 1e-3  # lengths a second towards where a rope hangs from: it is slack
HARD, KEPT_OUT, YIELDING = 1e-8, 2e-8, 1e-4  # softness of rows that are kept, of those in the air, and that lead to it
LAGS = 0.01  # heights behind the reference: who is to be caught there does not lift the heels
LATELY = 0.1  # seconds: feet that land within this time land together
SOON = 0.05  # seconds, or a frame, before which what comes to the ground in the air slows down
_KEPT = 1e-3  # lengths a second squared by which a point may miss what keeps it out of the ground
_STRONGEST = 300.0  # lengths a second squared, of what brings a point to where it touches


@inner
def update_contacts(joints, points, plan, n, first, falls, world, motion, h, caught, astray, tall, state, rises):
    """Places and velocities of all points, and which of them are fixed; first: at the beginning of a frame; falls:
    the figure goes down before the next frame, and leaves no ground whatever the plan says. What lands early, or bears
    before anything that the plan lets touch does, goes on to bear until something of the same foot takes over, or, as
    feet may land together, a while after anything else has. caught, astray (2,): where along x and z the figure is to
    be caught, and by how much that is beside the reference: nobody who would fall backwards lifts the heels."""
    planned, stands = False, False
    for i in range(points.shape[0]):
        if plan[n, i, DOES] != IN_THE_AIR:
            planned, stands = True, stands or state[i, POINT_FIXED] > 0.0
    for i in range(points.shape[0]):
        j = int(points[i, POINT_JOINT])
        rx, ry, rz = to_world(world, j, points[i, POINT_AT], points[i, POINT_AT + 1], points[i, POINT_AT + 2])
        vx, vy, vz = speed_of(motion, j, rx, ry, rz)
        px, py, pz = world[j, 0] + rx, world[j, 1] + ry, world[j, 2] + rz
        state[i, PLACE], state[i, PLACE + 1], state[i, PLACE + 2] = px, py, pz
        state[i, VELOCITY], state[i, VELOCITY + 1], state[i, VELOCITY + 2] = vx, vy, vz
        does = plan[n, i, DOES]
        if stands and state[i, EARLY] > 0.0:
            state[i, EARLY] = max(h, state[i, EARLY] - h)
        needed = stands and does == IN_THE_AIR and state[i, LIFTED] == 0.0 and not rises
        needed = needed and is_needed(joints, points, plan, n, i, caught, astray, tall, state)
        state[i, CALLED] = 1.0 if needed else 0.0
        if does != IN_THE_AIR or state[i, LIFTED] == 1.0:
            state[i, EARLY] = 0.0
        elif stands:
            if needed and (state[i, BEARS] == 1.0 or state[i, POINT_FIXED] == 1.0):
                state[i, EARLY] = h
            elif needed and py < _NEAR and not is_waiting(joints, points, plan, n, i, world, state):
                state[i, EARLY] = LATELY
            elif first and takes_over(joints, points, plan, n, i, h, state):
                state[i, EARLY] = 0.0
        elif state[i, POINT_FIXED] == 1.0 if planned else (falls and py + 0.5 * h * vy < _NEAR):
            state[i, EARLY] = LATELY  # as low as it gets if it stops now
        if (does == IN_THE_AIR and state[i, EARLY] == 0.0) or state[i, LIFTED] == 1.0:
            state[i, POINT_FIXED] = state[i, BEARS] = 0.0
            continue
        nx, ny, nz = plan[n, i, PLAN_NORMAL], plan[n, i, PLAN_NORMAL + 1], plan[n, i, PLAN_NORMAL + 2]
        if does == TOUCHES and px * nx + py * ny + pz * nz - plan[n, i, LEVEL] > TORN:
            state[i, POINT_FIXED] = state[i, BEARS] = 0.0
        if does == HANGS:
            state[i, POINT_FIXED] = 2.0 if is_taut(plan, n, i, state) else 0.0
        elif state[i, POINT_FIXED] == 0.0:
            if does == GRIPPING:
                away = math.sqrt((px - nx) ** 2 + (py - ny) ** 2 + (pz - nz) ** 2)
                if away < _NEAR:
                    state[i, POINT_FIXED] = 1.0
                    state[i, ANCHOR], state[i, ANCHOR + 1], state[i, ANCHOR + 2] = nx, ny, nz
            else:
                away = px * nx + py * ny + pz * nz - plan[n, i, LEVEL]
                there = away < _NEAR or state[i, EARLY] > 0.0
                if there and not is_waiting(joints, points, plan, n, i, world, state):
                    state[i, POINT_FIXED] = 1.0
                    state[i, ANCHOR] = px - away * nx
                    state[i, ANCHOR + 1] = py - away * ny
                    state[i, ANCHOR + 2] = pz - away * nz
        if first and state[i, POINT_FIXED] > 0.0:
            state[i, BEARS] = 1.0


@inner
def takes_over(joints, points, plan, n, i, h, state):
    """Whether a point that has landed early bears no longer: a point of its foot does that the plan lets touch, or its
    time is over."""
    if state[i, EARLY] <= h:
        return True
    for k in range(points.shape[0]):
        if plan[n, k, DOES] != IN_THE_AIR and state[k, POINT_FIXED] > 0.0 and are_of_one_foot(joints, points, i, k):
            return True
    return False


@inner
def are_of_one_foot(joints, points, i, k):
    """Whether two points are on one link, or on one and what hangs on it."""
    j, other = int(points[i, POINT_JOINT]), int(points[k, POINT_JOINT])
    return other == j or joints[other, JOINT_PARENT] == j or joints[j, JOINT_PARENT] == other


@inner
def is_needed(joints, points, plan, n, i, caught, astray, tall, state):
    """Whether a point must bear, although its plan lifts it. One that bears goes on to do so where what else of its
    foot bears is too far ahead to catch the figure, which lags behind its reference; and where the figure is to be
    caught behind all that bears, on the ground, the rest of the foot comes down."""
    count, x, z = 0.0, 0.0, 0.0
    for k in range(points.shape[0]):
        if plan[n, k, DOES] == TOUCHES and state[k, BEARS] == 1.0 and are_of_one_foot(joints, points, i, k):
            count, x, z = count + 1.0, x + state[k, PLACE], z + state[k, PLACE + 2]
    if count == 0.0:
        return False
    x, z = x / count, z / count
    count = dx = dz = 0.0  # along the foot
    for k in range(points.shape[0]):
        if plan[n, k, DOES] == IN_THE_AIR and int(points[k, POINT_JOINT]) == int(points[i, POINT_JOINT]):
            count, dx, dz = count + 1.0, dx + state[k, PLACE], dz + state[k, PLACE + 2]
    dx, dz = dx / count - x, dz / count - z
    far = math.sqrt(dx * dx + dz * dz) + 1e-9
    dx, dz = dx / far, dz / far
    behind = dx * (caught[0] - x) + dz * (caught[1] - z)
    if state[i, BEARS] == 1.0 and behind > 0.0 and dx * astray[0] + dz * astray[1] > LAGS * tall:
        return True
    for k in range(points.shape[0]):
        if plan[n, k, DOES] == TOUCHES and state[k, BEARS] == 1.0:
            ahead = dx * (caught[0] - state[k, PLACE]) + dz * (caught[1] - state[k, PLACE + 2]) < 0.0
            if ahead or plan[n, k, LEVEL] != 0.0:
                return False
    return True


@inner
def is_waiting(joints, points, plan, n, i, world, state):
    """Whether a point would lock its link in place too early: toes bear, and another point of the foot, which is to
    touch as well, is still on its way to the ground."""
    j, borne = int(points[i, POINT_JOINT]), False
    for k in range(points.shape[0]):
        other = int(points[k, POINT_JOINT])
        borne = borne or (joints[other, JOINT_PARENT] == j and state[k, POINT_FIXED] == 1.0)
    if not borne:
        return False
    for k in range(points.shape[0]):
        comes = plan[n, k, DOES] == TOUCHES or state[k, CALLED] == 1.0
        if int(points[k, POINT_JOINT]) == j and comes and state[k, POINT_FIXED] == 0.0:
            _, ry, _ = to_world(world, j, points[k, POINT_AT], points[k, POINT_AT + 1], points[k, POINT_AT + 2])
            if world[j, 1] + ry - plan[n, k, LEVEL] > 2.0 * _NEAR:
                return True
    return False


@inner
def is_taut(plan, n, i, state):
    """Whether a rope is: it is as long as it can be, and the point does not come nearer without being pulled."""
    x, y, z, away = rope_of(plan, n, i, state)
    vx, vy, vz = triple(state, i, VELOCITY)
    fx, fy, fz = triple(state, i, FORCE)
    pulled = fx != 0.0 or fy != 0.0 or fz != 0.0
    return away > plan[n, i, LEVEL] - _NEAR and (pulled or vx * x + vy * y + vz * z < SLACKENS)


@inner
def rope_of(plan, n, i, state):
    """The direction from a point to where its rope hangs from, and how far that is."""
    px, py, pz = triple(state, i, PLACE)
    x, y, z = plan[n, i, PLAN_NORMAL] - px, plan[n, i, PLAN_NORMAL + 1] - py, plan[n, i, PLAN_NORMAL + 2] - pz
    away = math.sqrt(x * x + y * y + z * z)
    return x / away, y / away, z / away, away


@inner
def put_contact_rows(
    chains, free, axes, world, motion, points, plan, n, left, settings, state, rows, targets, softness
):
    """Rows for all that is fixed or about to touch; returns how many there are. left: seconds until the
    next frame, if what touches from then on is to be there when it comes; else 0."""
    row = put_fixed_rows(
        chains, free, axes, world, motion, points, plan, n, settings, state, rows, targets, softness, 0
    )
    arrives = is_arriving(plan, n, left)
    for k in range(points.shape[0]):
        if state[k, POINT_FIXED] == 0.0 and plan[n, k, DOES] != HANGS:
            begin = row
            aside = is_aside(plan, n, k, state)
            if aside and arrives:
                row = put_arrival_row(
                    chains, free, axes, world, motion, points, plan, n + 1, k, left, settings, state, rows, targets,
                    row,
                )  # fmt: skip
            elif not aside:
                row = put_approach_rows(
                    chains, free, axes, world, motion, points, plan, n, k, settings, state, rows, targets, row
                )
            for r in range(begin, row):
                softness[r] = KEPT_OUT if aside else YIELDING
                targets[r] = max(-_STRONGEST, min(_STRONGEST, targets[r]))
    return row


@inner
def put_fixed_rows(chains, free, axes, world, motion, points, plan, n, settings, state, rows, targets, softness, row):
    """Rows for all that is fixed, from `row` on; returns where they end.

    Of a link, three points that are not in line say all: the first one keeps its place, the second one its directions
    across the line between them, the third one that across the plane of all three.
    """
    first, i = row, 0
    while i < points.shape[0]:
        j = points[i, POINT_JOINT]
        end = i
        while end < points.shape[0] and points[end, POINT_JOINT] == j:
            end += 1
        row = put_link_rows(chains, free, axes, world, motion, points, i, end, settings, state, rows, targets, row)
        for k in range(i, end):
            if state[k, POINT_FIXED] == 2.0:
                put_single_row(
                    chains, free, axes, world, motion, points, plan, n, k, settings, state, rows, targets, row
                )
                row += 1
        i = end
    for r in range(first, row):
        softness[r] = HARD
    return row


@inner
def put_near_rows(chains, free, axes, points, plan, n, fps, state, rows, targets, softness, row):
    """Rows of points that are not fixed, upwards, for those that get to the ground within a frame: none is moved into
    it, or deeper than its anchor. Returns where they end."""
    for k in range(points.shape[0]):
        soon = state[k, PLACE + 1] + min(0.0, state[k, VELOCITY + 1] / fps) < 2.0 * _NEAR
        if soon and state[k, POINT_FIXED] == 0.0 and plan[n, k, DOES] != HANGS:
            px, py, pz = triple(state, k, PLACE)
            put_point_row(chains, free, axes, rows, row, int(points[k, POINT_JOINT]), px, py, pz, 0.0, 1.0, 0.0)
            targets[row] = fps * max(0.0, min(0.0, state[k, ANCHOR + 1]) - py)
            softness[row] = HARD
            row += 1
    return row


@inner
def put_ahead(points, ref_world, ref_motion, left, frame, h, state):
    """In how many seconds points in the air come to the ground that slow down before: once that is said time goes on,
    and nothing hovers. For all others minus the time that they would take, no longer than the reference itself."""
    for i in range(points.shape[0]):
        if state[i, AHEAD] > 0.0 and state[i, POINT_FIXED] == 0.0 and state[i, VELOCITY + 1] < 0.0:
            state[i, AHEAD] = max(h, state[i, AHEAD] - h)
            continue
        j = int(points[i, POINT_JOINT])
        rx, ry, rz = to_world(ref_world, j, points[i, POINT_AT], points[i, POINT_AT + 1], points[i, POINT_AT + 2])
        _, speed, _ = speed_of(ref_motion, j, rx, ry, rz)
        time = (ref_world[j, 1] + ry) / -speed if speed < 0.0 else 1e3
        state[i, AHEAD] = -max(left + frame, min(left + SOON, time))


@inner
def is_arriving(plan, n, left):
    """Whether a point is to touch when the next frame comes; left: as above."""
    found = False
    for k in range(plan.shape[1]):
        found = found or (left > 0.0 and plan[n, k, DOES] == IN_THE_AIR and plan[n + 1, k, DOES] == TOUCHES)
    return found


@inner
def is_aside(plan, n, k, state):
    """Whether a point is only kept out of the ground."""
    return (plan[n, k, DOES] == IN_THE_AIR and state[k, CALLED] == 0.0) or state[k, LIFTED] == 1.0


@inner
def put_kept_out_rows(
    chains, free, axes, world, motion, points, plan, n, left, lands, settings, rates, state, rows, targets,
    softness, size,
):  # fmt: skip
    """Rows for points in the air, or below the ground, that would be too near to it with the accelerations `rates`, in
    front of those of momentum; returns how many rows there are then. What leaves the ground faster than it must is free
    to do so; where something is to touch when the next frame comes, all else is not in the ground then. lands: what
    comes to it before the next frame lands, and need not slow down before; what would be in it soon after that
    slows down until then: speeds that changed all at once, as of legs that are stretched, would be too much
    for the frame between to agree with gravity."""
    h, arrives = settings[SETTING_STEP], is_arriving(plan, n, left)
    for k in range(points.shape[0]):
        if state[k, POINT_FIXED] != 0.0 or size == rows.shape[0]:
            continue
        sunk = plan[n, k, DOES] == TOUCHES and plan[n, k, LEVEL] == 0.0 and state[k, PLACE + 1] < -SKIN
        if not is_aside(plan, n, k, state) and not sunk:
            continue
        away, soonest = state[k, PLACE + 1] - CLEARS * _NEAR, -0.5 * _NEAR
        speed = state[k, VELOCITY + 1]
        if arrives:
            soonest = -math.inf
            wanted = speed - 2.0 * h * (state[k, PLACE + 1] + speed * left) / (left * left)
        elif lands and away > 0.0:
            later = abs(state[k, AHEAD])
            lands_now = later <= left or away + speed * left < 0.0
            if lands_now or away + speed * later > 0.0 or plan[n + 1, k, DOES] != IN_THE_AIR:
                continue
            soonest = -math.inf
            wanted = speed - h * (away + speed * later) / (left * (later - 0.5 * left))
        elif away + min(_AHEAD * h * speed, -_CLOSE) > soonest:
            continue
        else:
            wanted = -away / (_BRAKES * h) if away > 0.0 else max(0.0, -BACK * (state[k, PLACE + 1] + SKIN) / h)
        base = size - ROWS
        for r in range(size, base, -1):
            for v in range(rows.shape[1]):
                rows[r, v] = rows[r - 1, v]
            softness[r] = softness[r - 1]
        put_wanted_row(
            chains, free, axes, world, motion, points, k, settings, state, rows, targets, base, 0.0, 1.0, 0.0, wanted
        )
        given = 0.0
        for v in range(rows.shape[1]):
            given += rows[base, v] * rates[v]
        speed = min(speed, wanted + h * (given - targets[base]))  # or that after the substep
        enough = given > targets[base] - _KEPT
        targets[base], softness[base] = max(-_STRONGEST, min(_STRONGEST, targets[base])), KEPT_OUT
        if enough or given > targets[base] - _KEPT or away + _AHEAD * h * speed > soonest > -math.inf:
            for r in range(base, size):
                for v in range(rows.shape[1]):
                    rows[r, v] = rows[r + 1, v]
                softness[r] = softness[r + 1]
        else:
            size += 1
            if lands and away > 0.0 and not arrives:
                state[k, AHEAD] = abs(state[k, AHEAD])
    return size


@inner
def put_link_rows(chains, free, axes, world, motion, points, i, end, settings, state, rows, targets, row):
    """The rows of the fixed points i to end of one link."""
    a = b = c = -1
    for k in range(i, end):
        if state[k, POINT_FIXED] == 1.0 and a < 0:
            a = k
    if a < 0:
        return row
    for axis in range(3):
        x, y, z = 1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0
        put_kept_row(chains, free, axes, world, motion, points, a, settings, state, rows, targets, row, x, y, z)
        row += 1
    most = 1e-6
    ax, ay, az = triple(state, a, PLACE)
    ex = ey = ez = 0.0
    for k in range(i, end):
        if state[k, POINT_FIXED] == 1.0:
            x, y, z = triple(state, k, PLACE)
            length = math.sqrt((x - ax) ** 2 + (y - ay) ** 2 + (z - az) ** 2)
            if length > most:
                b, most = k, length
                ex, ey, ez = (x - ax) / length, (y - ay) / length, (z - az) / length
    if b < 0:
        return row
    nx, ny, nz = 0.0, 1.0, 0.0
    if abs(ey) > 0.9:
        nx, ny = 1.0, 0.0
    along = nx * ex + ny * ey + nz * ez
    nx, ny, nz = nx - along * ex, ny - along * ey, nz - along * ez
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    nx, ny, nz = nx / length, ny / length, nz / length
    put_kept_row(chains, free, axes, world, motion, points, b, settings, state, rows, targets, row, nx, ny, nz)
    tx, ty, tz = cross(ex, ey, ez, nx, ny, nz)
    put_kept_row(chains, free, axes, world, motion, points, b, settings, state, rows, targets, row + 1, tx, ty, tz)
    row += 2
    most = 1e-6
    for k in range(i, end):
        if state[k, POINT_FIXED] == 1.0:
            x, y, z = triple(state, k, PLACE)
            x, y, z = cross(ex, ey, ez, x - ax, y - ay, z - az)
            length = math.sqrt(x * x + y * y + z * z)
            if length > most:
                c, most, nx, ny, nz = k, length, x / length, y / length, z / length
    if c < 0:
        return row
    put_kept_row(chains, free, axes, world, motion, points, c, settings, state, rows, targets, row, nx, ny, nz)
    return row + 1


@inner
def put_single_row(chains, free, axes, world, motion, points, plan, n, k, settings, state, rows, targets, row):
    """A point that is kept along one direction: on a plane on which it slides, or at the length of a rope."""
    if plan[n, k, DOES] == HANGS:
        x, y, z, away = rope_of(plan, n, k, state)
        vx, vy, vz = triple(state, k, VELOCITY)
        along = vx * x + vy * y + vz * z
        wanted = BACK * (away - plan[n, k, LEVEL]) / settings[SETTING_STEP]
        put_wanted_row(
            chains, free, axes, world, motion, points, k, settings, state, rows, targets, row, x, y, z, wanted
        )
        targets[row] += (vx * vx + vy * vy + vz * vz - along * along) / away  # it goes round
        return
    x, y, z = plan[n, k, PLAN_NORMAL], plan[n, k, PLAN_NORMAL + 1], plan[n, k, PLAN_NORMAL + 2]
    px, py, pz = triple(state, k, PLACE)
    wanted = -BACK * (x * px + y * py + z * pz - plan[n, k, LEVEL]) / settings[SETTING_STEP]
    put_wanted_row(chains, free, axes, world, motion, points, k, settings, state, rows, targets, row, x, y, z, wanted)


@inner
def put_kept_row(chains, free, axes, world, motion, points, k, settings, state, rows, targets, row, dx, dy, dz):
    """A fixed point along a direction: back to where it is fixed, and with no other velocity."""
    px, py, pz = triple(state, k, PLACE)
    qx, qy, qz = triple(state, k, ANCHOR)
    away = dx * (px - qx) + dy * (py - qy) + dz * (pz - qz)
    wanted = -BACK * away / settings[SETTING_STEP]
    put_wanted_row(
        chains, free, axes, world, motion, points, k, settings, state, rows, targets, row, dx, dy, dz, wanted
    )


@inner
def put_wanted_row(
    chains, free, axes, world, motion, points, k, settings, state, rows, targets, row, dx, dy, dz, wanted
):
    """A point has a wanted velocity along a direction at the end of the substep."""
    j = int(points[k, POINT_JOINT])
    px, py, pz = triple(state, k, PLACE)
    put_point_row(chains, free, axes, rows, row, j, px, py, pz, dx, dy, dz)
    ax, ay, az = acceleration_of(motion, j, px - world[j, 0], py - world[j, 1], pz - world[j, 2])
    vx, vy, vz = triple(state, k, VELOCITY)
    speed = dx * vx + dy * vy + dz * vz
    targets[row] = (wanted - speed) / settings[SETTING_STEP] - (dx * ax + dy * ay + dz * az)


@inner
def put_approach_rows(chains, free, axes, world, motion, points, plan, n, k, settings, state, rows, targets, row):
    """A point that is about to touch is brought there."""
    px, py, pz = triple(state, k, PLACE)
    if plan[n, k, DOES] == GRIPPING:
        for axis in range(3):
            x, y, z = 1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0
            away = (
                x * (px - plan[n, k, PLAN_NORMAL])
                + y * (py - plan[n, k, PLAN_NORMAL + 1])
                + z * (pz - plan[n, k, PLAN_NORMAL + 2])
            )
            wanted = -max(-LANDING, min(LANDING, away / SETTLING))
            put_wanted_row(
                chains, free, axes, world, motion, points, k, settings, state, rows, targets, row, x, y, z, wanted
            )
            row += 1
        return row
    nx, ny, nz = plan[n, k, PLAN_NORMAL], plan[n, k, PLAN_NORMAL + 1], plan[n, k, PLAN_NORMAL + 2]
    away = px * nx + py * ny + pz * nz - plan[n, k, LEVEL]
    wanted = -min(LANDING, away / SETTLING)
    put_wanted_row(
        chains, free, axes, world, motion, points, k, settings, state, rows, targets, row, nx, ny, nz, wanted
    )
    return row + 1


@inner
def put_arrival_row(chains, free, axes, world, motion, points, plan, n, k, left, settings, state, rows, targets, row):
    """A point is on the plane that it touches in way n after `left` seconds, and is accelerated evenly until then; or,
    if it touches nothing, not below the ground."""
    x, y, z = plan[n, k, PLAN_NORMAL], plan[n, k, PLAN_NORMAL + 1], plan[n, k, PLAN_NORMAL + 2]
    px, py, pz = triple(state, k, PLACE)
    vx, vy, vz = triple(state, k, VELOCITY)
    away, speed = px * x + py * y + pz * z - plan[n, k, LEVEL], vx * x + vy * y + vz * z
    if plan[n, k, DOES] != TOUCHES and away + speed * left > 0.0:
        return row
    wanted = speed - 2.0 * settings[SETTING_STEP] * (away + speed * left) / (left * left)
    put_wanted_row(chains, free, axes, world, motion, points, k, settings, state, rows, targets, row, x, y, z, wanted)
    return row + 1


@inner
def edges_of(plan, n, i):
    """How many edges the cone of a point has."""
    if plan[n, i, DOES] == SLIDES or plan[n, i, DOES] == HANGS:
        return 1
    return MOST_EDGES if plan[n, i, DOES] == GRIPPING else EDGES


@inner
def edge_of(plan, n, i, k, friction, state):
    """The direction of an edge of a point's cone: n + friction (cos t1 + sin t2); of a grip, the axes both ways; of
    what slides, the normal; of a rope, its own."""
    if plan[n, i, DOES] == HANGS:
        x, y, z, _ = rope_of(plan, n, i, state)
        return x, y, z
    if plan[n, i, DOES] == SLIDES:
        return plan[n, i, PLAN_NORMAL], plan[n, i, PLAN_NORMAL + 1], plan[n, i, PLAN_NORMAL + 2]
    if plan[n, i, DOES] == GRIPPING:
        s = 1.0 if k % 2 == 0 else -1.0
        return s if k < 2 else 0.0, s if k // 2 == 1 else 0.0, s if k >= 4 else 0.0
    nx, ny, nz = plan[n, i, PLAN_NORMAL], plan[n, i, PLAN_NORMAL + 1], plan[n, i, PLAN_NORMAL + 2]
    ax, ay, az = (1.0, 0.0, 0.0) if abs(nx) < 0.9 else (0.0, 1.0, 0.0)
    sx, sy, sz = cross(nx, ny, nz, ax, ay, az)
    length = math.sqrt(sx * sx + sy * sy + sz * sz)
    sx, sy, sz = sx / length, sy / length, sz / length
    tx, ty, tz = cross(nx, ny, nz, sx, sy, sz)
    c = friction * (1.0 if k == 0 else (-1.0 if k == 2 else 0.0))
    s = friction * (1.0 if k == 1 else (-1.0 if k == 3 else 0.0))
    return nx + c * sx + s * tx, ny + c * sy + s * ty, nz + c * sz + s * tz


@inner
def put_edges(plan, n, friction, state, centre, columns):
    """Force and moment about `centre` (3,) of a unit along each edge of each point that bears, into rows of `columns`;
    returns how many there are."""
    count = 0
    for i in range(state.shape[0]):
        if state[i, BEARS] == 0.0:
            continue
        px, py, pz = triple(state, i, PLACE)
        for k in range(edges_of(plan, n, i)):
            x, y, z = edge_of(plan, n, i, k, friction, state)
            mx, my, mz = cross(px - centre[0], py - centre[1], pz - centre[2], x, y, z)
            columns[count, 0], columns[count, 1], columns[count, 2] = x, y, z
            columns[count, 3], columns[count, 4], columns[count, 5] = mx, my, mz
            count += 1
    return count


@inner
def take_forces(plan, n, friction, x, state):
    """The force on each point from what acts along the edges."""
    count = 0
    for i in range(state.shape[0]):
        state[i, FORCE] = state[i, FORCE + 1] = state[i, FORCE + 2] = 0.0
        if state[i, BEARS] == 0.0:
            continue
        for k in range(edges_of(plan, n, i)):
            dx, dy, dz = edge_of(plan, n, i, k, friction, state)
            state[i, FORCE] += x[count] * dx
            state[i, FORCE + 1] += x[count] * dy
            state[i, FORCE + 2] += x[count] * dz
            count += 1
