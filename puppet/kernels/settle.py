"""The trunk and the arms settled together, compiled: least squares over trunk, swivels, forearm twists and elbows.

What must hold (limits, reach, table, hanging elbows) is stiff and one-sided, what is only wished for (the trunk at its
estimate, comfortable arms) is soft. The least sum of squares is a smooth function of the goal, as long as it stays the
least: so a goal that moves a little moves the posture a little.

The hand stays at its goal all the time. When the trunk moves or the elbow bends, the upper arm turns the shortest way
that keeps the arm's end on the line from the shoulder to the goal; the swivel turns it about that line. So every slope
is a cross product or two.
"""

from __future__ import annotations

import math

from puppet.kernels.clearance import point_excess, segment_excess
from puppet.kernels.forward import bounds, copy, place_joint
from puppet.kernels.jit import inner
from puppet.kernels.limb import (
    CLEAR,
    DISTANCE_WEIGHT,
    FOUND,
    LIMITS,
    MATRICES,
    ORIENTED,
    TABLE,
    angles_of,
    dot,
    keep_parts,
    swivel_parts,
)
from puppet.kernels.model import LOWER, OFFSET, ORDER, PARENT, TIP, UPPER
from puppet.kernels.rotation import out_of, triple, turn_vector
from puppet.kernels.squares import (
    BLOCK,
    COMFORTS,
    GAP,
    HANGING,
    KEPT,
    LINES,
    NOW,
    OWN,
    PATH,
    PIECES,
    REACH,
    ROWS,
    STIFF,
    TRIAL,
    TURNED,
    TWISTED,
    add_row,
    model_step,
)

ROUNDS, TRIES = 24, 6  # steps that gain, and dampings until one does
ANGLE_MARGIN, LENGTH_MARGIN, ELBOW_ROOM = 0.01, 0.0005, 0.003  # by which it shall hold
COMFORT = 0.15  # of an arm as estimated and a straight wrist
ENOUGH = 0.002  # a gain by less than this share is none, and by less than five times that where the sum is small
NATURAL = 0.2
SLOPE_STEP = 1e-7



def settling_room(arms: int, trunk: int) -> tuple[int, int]:
    """The shape of the workspace of settle for so many arms and joints of the trunk."""
    count = 3 * trunk + OWN * arms
    return BLOCK * arms + 3 * trunk + 2 * count + 3, max(count, ROWS)


@inner
def relative(frames, p, j, state, which):
    """The rotation of frame j seen from frame p, as the rotation of shoulder (which = 0) or wrist (1)."""
    at = MATRICES + int(27 * which)
    for a in range(3):
        for b in range(3):
            value = 0.0
            for n in range(3, 12, 3):
                value += frames[p, n + a] * frames[j, n + b]
            state[at + 3 * a + b] = value


@inner
def upper_dot(work, r, row, x, y, z, k):
    """Row of the kept rotation of the upper arm, times (x, y, z)."""
    n = int(row)
    return k * (work[r, n] * x + work[r, n + 1] * y + work[r, n + 2] * z)


@inner
def place_arm(joints, limb, goal, work, at, frames, state, angles):
    """Frames and angles of an arm with its end on the line to the goal, swivelled on from where it was.

    Returns the goal's distance from the shoulder, less the arm's length with the elbow as bent, and less its greatest.
    """
    shoulder, hinge, hand = limb[0], limb[1], limb[2]
    p = int(joints[shoulder, PARENT])
    x, y, z = triple(joints, shoulder, OFFSET)
    x, y, z = out_of(frames, p, x, y, z)
    px, py, pz = triple(frames, p, 0)
    frames[shoulder, 0], frames[shoulder, 1], frames[shoulder, 2] = px + x, py + y, pz + z
    px, py, pz = goal[0] - px - x, goal[1] - py - y, goal[2] - pz - z
    lx, ly, lz = triple(joints, hand, OFFSET)
    tx, ty, tz = triple(joints, hand, TIP)
    if state[ORIENTED] == 1.0:
        px, py, pz = px - dot(goal, 3, tx, ty, tz), py - dot(goal, 6, tx, ty, tz), pz - dot(goal, 9, tx, ty, tz)
    else:
        for place in range(2, -1, -1):
            tx, ty, tz = turn_vector(int(joints[hand, ORDER + place]), angles[3 * hand + place], tx, ty, tz)
        lx, ly, lz = lx + tx, ly + ty, lz + tz
    ux, uy, uz = triple(joints, hinge, OFFSET)
    axis = int(joints[hinge, ORDER])
    tx, ty, tz = turn_vector(int(joints[hinge, ORDER + 2]), angles[3 * hinge + 2], lx, ly, lz)
    tx, ty, tz = turn_vector(axis, angles[3 * hinge], tx, ty, tz)
    tx, ty, tz = tx + ux, ty + uy, tz + uz
    distance, length = math.sqrt(px * px + py * py + pz * pz), math.sqrt(tx * tx + ty * ty + tz * tz)
    most = math.sqrt(ux * ux + uy * uy + uz * uz) + math.sqrt(lx * lx + ly * ly + lz * lz)
    k = 1.0 / max(length, 1e-12)
    r = at + KEPT
    vx, vy = upper_dot(work, r, 0.0, tx, ty, tz, k), upper_dot(work, r, 3.0, tx, ty, tz, k)
    vz = upper_dot(work, r, 6.0, tx, ty, tz, k)
    k = 1.0 / max(distance, 1e-12)
    swivel_parts(vx, vy, vz, k * px, k * py, k * pz, state)
    c, s = math.cos(work[r, TURNED]), math.sin(work[r, TURNED])
    for a in range(9):
        value = 0.0
        for n in range(3):
            m = MATRICES + 3 * (a // 3) + n
            value += (state[m] + state[m + 9] * c + state[m + 18] * s) * work[r, 3 * n + a % 3]
        frames[shoulder, 3 + a] = value
    place_joint(joints, angles, hinge, frames)
    place_joint(joints, angles, hand, frames)
    for n in range(27, 54):
        state[MATRICES + n] = 0.0
    relative(frames, p, shoulder, state, 0.0)
    keep_parts(joints, shoulder, 0.0, state)
    angles_of(state, 0.0, 0.0, 0.0)
    if state[ORIENTED] == 1.0:
        for n in range(3, 12):
            frames[hand, n] = goal[n]
        relative(frames, hinge, hand, state, 1.0)
        keep_parts(joints, hand, 1.0, state)
        angles_of(state, 1.0, 0.0, 0.0)
    for place in range(3):
        angles[3 * shoulder + place] = state[FOUND + place]
        if state[ORIENTED] == 1.0:
            angles[3 * hand + place] = state[FOUND + 3 + place]
    return distance - length, distance - most


@inner
def put_path(joints, limb, frames, work, r):
    """y and z of shoulder, elbow, wrist and tip."""
    for n in range(3):
        work[r, PATH + 2 * n], work[r, PATH + 2 * n + 1] = frames[limb[n], 1], frames[limb[n], 2]
    x, y, z = triple(joints, limb[2], TIP)
    x, y, z = out_of(frames, limb[2], x, y, z)
    work[r, PATH + 6], work[r, PATH + 7] = work[r, PATH + 4] + y, work[r, PATH + 5] + z


@inner
def piece_excess(state, work, r, n):
    """How far the n-th of upper arm, elbow, forearm, wrist, hand and tip is in the table."""
    height, front = state[TABLE] + LENGTH_MARGIN, state[TABLE + 1] - LENGTH_MARGIN
    p = PATH + 2 * (n // 2)
    y, z = work[r, p + 2], work[r, p + 3]
    if n % 2 == 1:
        return point_excess(height, front, y, z, state[CLEAR + n])
    return segment_excess(height, front, work[r, p], work[r, p + 1], y, z, state[CLEAR + n])


@inner
def outside(value, lower, upper):
    """How far outside, with its sign."""
    return min(0.0, value - lower) + max(0.0, value - upper)


@inner
def measure(joints, dofs, limbs, trunk, goals, estimate, elbow, frames, states, angles, work):
    """Places trunk and arms and puts down what is wrong with them, part by part; returns the sum of its squares.

    One-sided parts are negative where they hold.
    """
    k = STIFF * DISTANCE_WEIGHT
    merit = 0.0
    for j in trunk:
        place_joint(joints, angles, j, frames)
        for d in range(3 * j, 3 * j + 3):
            lower, upper = bounds(dofs, angles, d)
            merit += (3.0 * STIFF * outside(angles[d], lower, upper)) ** 2
            merit += ((angles[d] - estimate[d]) / (dofs[d, UPPER] - dofs[d, LOWER])) ** 2
    for h in range(limbs.shape[0]):
        state, limb, d = states[h], limbs[h], 3 * limbs[h, 1]
        r = BLOCK * h + TRIAL
        gap, far = place_arm(joints, limb, goals[h], work, BLOCK * h, frames, state, angles)
        for n in range(6):
            at, angle = LIMITS + 3 * n, state[FOUND + n]
            work[r, n], work[r, COMFORTS + n] = -1.0, 0.0
            if n < 3 or state[ORIENTED] == 1.0:
                work[r, n] = STIFF * (max(state[at] - angle, angle - state[at + 1]) + ANGLE_MARGIN)
                if n >= 3:
                    work[r, COMFORTS + n] = COMFORT * angle
                elif not math.isnan(state[at + 2]):
                    work[r, COMFORTS + n] = COMFORT * (angle - state[at + 2])
        put_path(joints, limb, frames, work, BLOCK * h + KEPT)
        for n in range(6):
            work[r, PIECES + n] = k * piece_excess(state, work, BLOCK * h + KEPT, n)
        raised = work[BLOCK * h + KEPT, PATH + 2] - work[BLOCK * h + KEPT, PATH + 4]
        work[r, HANGING] = k * (raised + ELBOW_ROOM) if elbow == 1.0 else -1.0
        work[r, REACH] = k * (far + LENGTH_MARGIN)
        work[r, TWISTED] = 0.7 * COMFORT * angles[d + 2]
        work[r, GAP] = k * gap
        for m in range(ROWS):
            if m >= COMFORTS or work[r, m] > 0.0:
                merit += work[r, m] ** 2
        merit += (STIFF * outside(angles[d], dofs[d, LOWER], dofs[d, UPPER])) ** 2
        merit += (STIFF * outside(angles[d + 2], dofs[d + 2, LOWER], dofs[d + 2, UPPER])) ** 2
    return merit


@inner
def axis_of(joints, frames, angles, j, place):
    """The axis in the world of rotation `place` of joint j."""
    axis = int(joints[j, ORDER + place])
    x, y, z = 1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0
    for later in range(place + 1, 3):
        x, y, z = turn_vector(int(joints[j, ORDER + later]), -angles[3 * j + later], x, y, z)
    return out_of(frames, j, x, y, z)


@inner
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inner
def product(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def added(a, b, k):
    return a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]


@inner
def between(frames, i, j):
    """From the origin of frame i to that of j."""
    return added(triple(frames, j, 0), triple(frames, i, 0), -1.0)


@inner
def put_rates(work, at, turn, weight, column, which):
    """Slopes of the three angles of a ball joint that turns like this about its axes, limits and comfort."""
    n = at + LINES + int(6 * which)
    first, middle, last = triple(work, n, 0), triple(work, n + 1, 0), triple(work, n + 2, 0)
    at += COMFORTS + int(3 * which)
    slant = product(first, last)
    k = 1.0 / max(1.0 - slant * slant, 1e-3)
    a, b, c = product(turn, first), product(turn, middle), product(turn, last)
    work[at, column] = weight * k * (a - slant * c)
    work[at + 1, column] = weight * b
    work[at + 2, column] = weight * k * (c - slant * a)


@inner
def put_slopes(joints, limb, trunk, frames, state, angles, work, at, lines):
    """Slopes of an arm's rows over the trunk's axes and its own variables."""
    axes = 3 * trunk.shape[0]
    shoulder, hinge, hand = limb[0], limb[1], limb[2]
    oriented = state[ORIENTED] == 1.0
    k = STIFF * DISTANCE_WEIGHT
    bending, twisting = triple(work, at + LINES + 3, 0), triple(work, at + LINES + 5, 0)
    tip = triple(joints, hand, TIP)
    tip = out_of(frames, hand, tip[0], tip[1], tip[2])
    to_elbow, to_wrist = between(frames, shoulder, hinge), between(frames, shoulder, hand)
    forearm = between(frames, hinge, hand)
    to_end, beyond = to_wrist, forearm
    if not oriented:
        to_end, beyond = added(to_wrist, tip, 1.0), added(forearm, tip, 1.0)
    length = max(1e-9, math.sqrt(product(to_end, to_end)))
    distance = max(1e-9, length + work[at + NOW, GAP] / k)
    line = (to_end[0] / length, to_end[1] / length, to_end[2] / length)
    none = (0.0, 0.0, 0.0)
    for column in range(axes + OWN):
        carried, moved, local, own = none, none, none, 0.0  # turn of the chest, shoulder's way, turn of the forearm
        if column < axes:
            j = trunk[column // 3]
            carried = triple(work, lines + column, 0)
            moved = cross(carried, between(frames, j, shoulder))
        elif column == axes:
            own = 1.0
        else:
            local = twisting if column == axes + 1 else bending
        bent = cross(local, beyond)
        stretch = product(moved, line) + product(bent, line)
        # The upper arm's turn that keeps the end on its line.
        upper = cross(line, added(bent, moved, length / distance))
        upper = added((own * line[0], own * line[1], own * line[2]), upper, -1.0 / length)
        lower = added(upper, local, 1.0)
        put_rates(work, at, added(upper, carried, -1.0), 1.0, column, 0.0)
        if oriented:
            put_rates(work, at, lower, -1.0, column, 1.0)
        else:
            for n in range(3):
                work[at + COMFORTS + 3 + n, column] = 0.0
        a, b = added(moved, cross(upper, to_elbow), 1.0), added(moved, cross(upper, to_wrist), 1.0)
        b = added(b, cross(local, forearm), 1.0)
        c = b if oriented else added(b, cross(lower, tip), 1.0)
        work[at + HANGING, column] = k * (a[1] - b[1])
        work[at + REACH, column] = -k * product(moved, line)
        work[at + GAP, column] = -k * stretch
        work[at + TWISTED, column] = 0.7 * COMFORT if column == axes + 1 else 0.0
        # Kept for the table, where something is in it: how shoulder, elbow, wrist and tip move.
        work[at + ROWS, column], work[at + ROWS + 1, column] = moved[1], moved[2]
        work[at + ROWS + 2, column], work[at + ROWS + 3, column] = a[1], a[2]
        work[at + ROWS + 4, column], work[at + ROWS + 5, column] = b[1], b[2]
        work[at + ROWS + 6, column], work[at + ROWS + 7, column] = c[1], c[2]
    for n in range(6):
        m, angle = LIMITS + 3 * n, state[FOUND + n]
        limit = STIFF if 2.0 * angle > state[m] + state[m + 1] else -STIFF
        scored = COMFORT if n >= 3 or not math.isnan(state[m + 2]) else 0.0
        for column in range(axes + OWN):
            slope = work[at + COMFORTS + n, column]
            work[at + n, column], work[at + COMFORTS + n, column] = limit * slope, scored * slope
            work[at + PIECES + n, column] = 0.0
        if work[at + NOW, PIECES + n] > 0.0:
            for m in range(4):
                way = 2 * (n // 2) + m
                before = work[at + KEPT, PATH + way]
                work[at + KEPT, PATH + way] += SLOPE_STEP
                slope = (k * piece_excess(state, work, at + KEPT, n) - work[at + NOW, PIECES + n]) / SLOPE_STEP
                work[at + KEPT, PATH + way] = before
                for column in range(axes + OWN):
                    work[at + PIECES + n, column] += slope * work[at + ROWS + way, column]


@inner
def accept(joints, dofs, limbs, trunk, estimate, frames, states, angles, work, lines, base):
    """Takes the posture as measured for the place to go on from: its rows, slopes and normal equations."""
    arms, axes = limbs.shape[0], 3 * trunk.shape[0]
    count = axes + OWN * arms
    for i in range(count + 1):
        for j in range(count):
            work[base + i, j] = 0.0
    for n in range(axes):
        j, d = trunk[n // 3], 3 * trunk[n // 3] + n % 3
        weight = 1.0 / (dofs[d, UPPER] - dofs[d, LOWER]) ** 2
        work[base + n, n] = weight
        work[base + count, n] = -weight * (angles[d] - estimate[d])
    for n in range(axes + 9 * arms):
        j, row = trunk[min(n, axes - 1) // 3], lines + n
        if n >= axes:
            h, m = (n - axes) // 9, (n - axes) % 9
            j, row = limbs[h, m // 3], BLOCK * h + LINES + m
        work[row, 0], work[row, 1], work[row, 2] = axis_of(joints, frames, angles, j, n % 3)
    for h in range(arms):
        at = BLOCK * h
        for m in range(ROWS):
            work[at + NOW, m] = work[at + TRIAL, m]
        for n in range(9):
            work[at + KEPT, n] = frames[limbs[h, 0], 3 + n]
        put_slopes(joints, limbs[h], trunk, frames, states[h], angles, work, at, lines)
        for m in range(COMFORTS, ROWS):
            add_row(work, at + m, work[at + NOW, m], axes, OWN * h, base, count)


@inner
def settle(joints, dofs, limbs, trunk, goals, estimate, elbow, frames, states, work, old, angles):
    """Moves trunk, swivels, twists and elbows to the least sum of squares that is near; returns it.

    elbow: 1 where a raised elbow is a flaw, 0 where it is not. work: see settling_room. old: as angles, taken for room.
    """
    arms, axes = limbs.shape[0], 3 * trunk.shape[0]
    lines = BLOCK * arms
    base = lines + axes
    step = base + 2 * (axes + OWN * arms + 1)
    for j in trunk:
        place_joint(joints, angles, j, frames)
    for h in range(arms):
        place_joint(joints, angles, limbs[h, 0], frames)
        for n in range(9):
            work[BLOCK * h + KEPT, n] = frames[limbs[h, 0], 3 + n]
        work[BLOCK * h + KEPT, TURNED] = 0.0
    merit, damping, tries, rounds = math.inf, 1e-2, 0, 0
    while True:
        after = measure(joints, dofs, limbs, trunk, goals, estimate, elbow, frames, states, angles, work)
        if tries > TRIES:
            break
        if after < merit:
            gain = merit - after
            merit = after
            rounds += 1
            if rounds > ROUNDS or gain < (ENOUGH if merit > NATURAL else 5.0 * ENOUGH) * merit:
                break
            if tries == 0:
                damping = max(1e-5, 0.1 * damping)
            tries = 0
            copy(angles, old)
            accept(joints, dofs, limbs, trunk, estimate, frames, states, angles, work, lines, base)
        else:
            damping *= 8.0
            tries += 1
        share = 0.0  # the last time: back
        if tries < TRIES:
            model_step(dofs, limbs, trunk, old, damping, work, base)
            share = 1.0
        else:
            tries += 1
        for n in range(axes):
            d = 3 * trunk[n // 3] + n % 3
            angles[d] = old[d] + share * work[step, n]
        for h in range(arms):
            d, own = 3 * limbs[h, 1], axes + OWN * h
            work[BLOCK * h + KEPT, TURNED] = share * work[step, own]
            angles[d + 2] = old[d + 2] + share * work[step, own + 1]
            angles[d] = old[d] + share * work[step, own + 2]
    return merit
