"""An arm in closed form over its swivel, compiled.

A limb here is a ball joint (shoulder), a hinge with a twist along its bone (elbow) and a ball joint (wrist). Where the
wrist has to be and how the forearm is twisted fix the elbow's bend; what is left free is the swivel, the turn of the
whole arm about the line from shoulder to wrist. In the trunk's frame the shoulder's rotation is

    R(swivel) = A + B cos(swivel) + C sin(swivel),

and so are the elbow's position and the rotation that is left for the wrist: one swivel costs six arc functions. The
swivel is chosen by the score (5.36); an orientation goal is met exactly, because the wrist's angles are read off last.

Everything about one limb stands in one flat state array, so that the inner loop is a function of three arguments.
"""

from __future__ import annotations

import math

from numba import njit

from puppet.kernels.clearance import point_excess, segment_excess
from puppet.kernels.model import (
    CLEAR_CENTRE,
    CLEAR_SEGMENT,
    CLEAR_TIP,
    LOWER,
    OFFSET,
    ORDER,
    SCORED,
    TIP,
    UPPER,
)
from puppet.kernels.rotation import TURN, excess, parity, rotate_left, rotate_vector, wrap_into

# What the parts of a cost weigh. Distances count 20 a unit, so that a centimetre is like 0.2 radians.
DISTANCE_WEIGHT = 20.0
ELBOW_WEIGHT = 1000.0  # elbow above wrist, per unit of height: the H of (5.36)
ELBOW_MARGIN = 0.002
WRIST_WEIGHT = 0.35  # bent wrist, per squared radian
HAND_TWIST_WEIGHT = 0.30
FOREARM_TWIST_WEIGHT = 0.15
REACH_TOLERANCE = 2e-4  # a miss of this length counts as a hit
COARSE, FINE, TWISTS = 24, 120, 7  # how many swivels and twists are tried
QUICK, NORMAL, THOROUGH = 0, 1, 2
TOLERANCE = 1e-9  # violations up to this are none

# The state array. Set once a problem: limits, scored flags and estimate of shoulder (9 values: lower, upper, estimate or
# nan where not scored, for each axis) and hand; clearances; the table.
SHOULDER_LIMITS, HAND_LIMITS, CLEAR, TABLE = 0, 9, 18, 24
ORIENTED, SIGN = 26, 27
# Set for each trunk and twist: five elements of the shoulder's and the wrist's rotation as constant, cosine and sine part
# (ik, mk, kk, im, ii; see angles_of), y and z of the elbow's and the wrist's circle, of shoulder and tip.
SHOULDER_PARTS, WRIST_PARTS, ELBOW, WRIST, SHOULDER_AT, TIP_AT = 30, 45, 60, 66, 72, 74
# Found: angles of shoulder and hand, score, elbow above wrist.
FOUND, SCORE, RAISED = 76, 82, 83
# Scratch: matrices and vectors.
MATRIX, VECTOR = 90, 90 + 9 * 9
GRID = VECTOR + 15  # kept minima: twist, way of the elbow, cosine, sine, cost
KEPT = 6
STATE_SIZE = GRID + 5 * KEPT


@njit(cache=True)
def load_limb(joints, dofs, limb, oriented, table, estimate, state):
    """Fills the part of the state that does not change while one problem is solved."""
    shoulder, hinge, hand = limb[0], limb[1], limb[2]
    for place in range(3):
        for ball in range(2):
            j, at = (shoulder, SHOULDER_LIMITS) if ball == 0 else (hand, HAND_LIMITS)
            d = 3 * j + place
            state[at + 3 * place] = dofs[d, LOWER]
            state[at + 3 * place + 1] = dofs[d, UPPER]
            state[at + 3 * place + 2] = estimate[d] if dofs[d, SCORED] == 1.0 else math.nan
    state[CLEAR] = joints[shoulder, CLEAR_SEGMENT]
    state[CLEAR + 1] = joints[hinge, CLEAR_CENTRE]
    state[CLEAR + 2] = joints[hinge, CLEAR_SEGMENT]
    state[CLEAR + 3] = joints[hand, CLEAR_CENTRE]
    state[CLEAR + 4] = joints[hand, CLEAR_SEGMENT]
    state[CLEAR + 5] = joints[hand, CLEAR_TIP]
    state[TABLE], state[TABLE + 1] = table[0], table[1]
    state[ORIENTED] = 1.0 if oriented else 0.0
    # Mirrored limbs are searched in mirrored order, so that mirrored problems get mirrored answers.
    state[SIGN] = 1.0 if joints[hand, TIP] >= 0.0 else -1.0


@njit(cache=True)
def bend(low, high, m, ux, uy, uz, lower, at, distance, second_way):
    """The hinge angle about axis m at which |u + R(bend) lower| = distance, clamped to what is possible.

    Two angles fit; the one inside the limits is taken, or on request the other (a hinge that can fold right up has both).
    """
    u = (ux, uy, uz)
    a, b = (m + 1) % 3, (m + 2) % 3
    la, lb, lm = lower[at + a], lower[at + b], lower[at + m]
    along, across = u[a] * la + u[b] * lb, u[b] * la - u[a] * lb
    squares = ux * ux + uy * uy + uz * uz + la * la + lb * lb + lm * lm
    wanted = 0.5 * (distance * distance - squares) - u[m] * lm
    size = math.sqrt(along * along + across * across)
    if size < 1e-15:
        return 0.0
    middle = math.atan2(across, along)
    spread = math.acos(min(1.0, max(-1.0, wanted / size)))
    first, second = wrap_into(middle + spread, low, high), wrap_into(middle - spread, low, high)
    best = first if (excess(first, low, high) < excess(second, low, high)) != second_way else second
    return min(max(best, low), high)


@njit(cache=True)
def keep_parts(joints, j, state, at, matrix):
    """Of three 3 x 3 matrices at state[matrix:], the elements that the angles of ball joint j are read from."""
    i, m, k = int(joints[j, ORDER]), int(joints[j, ORDER + 1]), int(joints[j, ORDER + 2])
    s = parity(i, m)
    for part in range(3):
        base = matrix + 9 * part
        state[at + part] = s * state[base + 3 * i + k]
        state[at + 3 + part] = -s * state[base + 3 * m + k]
        state[at + 6 + part] = state[base + 3 * k + k]
        state[at + 9 + part] = -s * state[base + 3 * i + m]
        state[at + 12 + part] = state[base + 3 * i + i]


@njit(cache=True)
def put_circle(state, at, frames, parent, matrix, vx, vy, vz):
    """y and z, in the world, of a point (vx, vy, vz) of the upper arm's frame as the swivel turns."""
    for part in range(3):
        base = matrix + 9 * part
        x = state[base] * vx + state[base + 1] * vy + state[base + 2] * vz
        y = state[base + 3] * vx + state[base + 4] * vy + state[base + 5] * vz
        z = state[base + 6] * vx + state[base + 7] * vy + state[base + 8] * vz
        state[at + part] = frames[parent, 6] * x + frames[parent, 7] * y + frames[parent, 8] * z
        state[at + 3 + part] = frames[parent, 9] * x + frames[parent, 10] * y + frames[parent, 11] * z
    state[at] += state[SHOULDER_AT]
    state[at + 3] += state[SHOULDER_AT + 1]


@njit(cache=True)
def prepare(joints, dofs, limb, goal, angles, frames, twist, second_way, state):
    """Sets up the swivel circle for one trunk and forearm twist; returns the elbow's bend and the miss of its reach.

    goal: (12,), position of the tip and rotation of the hand. Without an orientation goal the wrist keeps its angles.
    """
    shoulder, hinge, hand = limb[0], limb[1], limb[2]
    f, p = frames, int(joints[shoulder, 0])
    ox, oy, oz = joints[shoulder, OFFSET], joints[shoulder, OFFSET + 1], joints[shoulder, OFFSET + 2]
    ux, uy, uz = joints[hinge, OFFSET], joints[hinge, OFFSET + 1], joints[hinge, OFFSET + 2]
    tx, ty, tz = joints[hand, TIP], joints[hand, TIP + 1], joints[hand, TIP + 2]
    hinge_axis, twist_axis = int(joints[hinge, ORDER]), int(joints[hinge, ORDER + 2])
    sx = f[p, 0] + f[p, 3] * ox + f[p, 4] * oy + f[p, 5] * oz
    sy = f[p, 1] + f[p, 6] * ox + f[p, 7] * oy + f[p, 8] * oz
    sz = f[p, 2] + f[p, 9] * ox + f[p, 10] * oy + f[p, 11] * oz
    state[SHOULDER_AT], state[SHOULDER_AT + 1] = sy, sz

    # What has to be where: the wrist below the goal's hand, or the tip itself with the hand as it is.
    wrist, lower = VECTOR, VECTOR + 3
    px, py, pz = goal[0] - sx, goal[1] - sy, goal[2] - sz
    state[wrist], state[wrist + 1], state[wrist + 2] = (
        joints[hand, OFFSET],
        joints[hand, OFFSET + 1],
        joints[hand, OFFSET + 2],
    )
    handx = handy = handz = 0.0
    if state[ORIENTED] == 1.0:
        handx = goal[3] * tx + goal[4] * ty + goal[5] * tz
        handy = goal[6] * tx + goal[7] * ty + goal[8] * tz
        handz = goal[9] * tx + goal[10] * ty + goal[11] * tz
        px, py, pz = px - handx, py - handy, pz - handz
        for n in range(3):
            state[lower + n] = state[wrist + n]
    else:
        state[lower], state[lower + 1], state[lower + 2] = tx, ty, tz
        for place in range(2, -1, -1):
            rotate_vector(int(joints[hand, ORDER + place]), angles[3 * hand + place], state, lower)
        for n in range(3):
            state[lower + n] += state[wrist + n]
    rotate_vector(twist_axis, twist, state, wrist)
    rotate_vector(twist_axis, twist, state, lower)
    distance = math.sqrt(px * px + py * py + pz * pz)
    d = 3 * hinge
    flex = bend(dofs[d, LOWER], dofs[d, UPPER], hinge_axis, ux, uy, uz, state, lower, distance, second_way)
    rotate_vector(hinge_axis, flex, state, wrist)
    rotate_vector(hinge_axis, flex, state, lower)

    # v: from the shoulder to that point in the upper arm's frame; w: the same in the trunk's; both of length 1.
    vx, vy, vz = ux + state[lower], uy + state[lower + 1], uz + state[lower + 2]
    length = math.sqrt(vx * vx + vy * vy + vz * vz)
    vx, vy, vz = vx / length, vy / length, vz / length
    wx, wy, wz = vx, vy, vz
    if distance > 1e-12:
        wx = (f[p, 3] * px + f[p, 6] * py + f[p, 9] * pz) / distance
        wy = (f[p, 4] * px + f[p, 7] * py + f[p, 10] * pz) / distance
        wz = (f[p, 5] * px + f[p, 8] * py + f[p, 11] * pz) / distance
    swivel_parts(vx, vy, vz, wx, wy, wz, state)
    keep_parts(joints, shoulder, state, SHOULDER_PARTS, MATRIX)
    put_circle(state, ELBOW, f, p, MATRIX, ux, uy, uz)
    put_circle(state, WRIST, f, p, MATRIX, ux + state[wrist], uy + state[wrist + 1], uz + state[wrist + 2])
    state[TIP_AT] = sy + length * (f[p, 6] * wx + f[p, 7] * wy + f[p, 8] * wz) + handy
    state[TIP_AT + 1] = sz + length * (f[p, 9] * wx + f[p, 10] * wy + f[p, 11] * wz) + handz

    if state[ORIENTED] == 1.0:  # transpose(trunk R(swivel) R(bend) R(twist)) goal
        for a in range(3):
            for b in range(3):
                state[MATRIX + 72 + 3 * a + b] = (
                    f[p, 3 + a] * goal[3 + b] + f[p, 6 + a] * goal[6 + b] + f[p, 9 + a] * goal[9 + b]
                )
        for part in range(3):
            r, g, out = MATRIX + 9 * part, MATRIX + 72, MATRIX + 27 + 9 * part
            for a in range(3):
                for b in range(3):
                    state[out + 3 * a + b] = (
                        state[r + a] * state[g + b]
                        + state[r + 3 + a] * state[g + 3 + b]
                        + state[r + 6 + a] * state[g + 6 + b]
                    )
            rotate_left(hinge_axis, -flex, state, out)
            rotate_left(twist_axis, -twist, state, out)
        keep_parts(joints, hand, state, WRIST_PARTS, MATRIX + 27)
    return flex, abs(distance - length)


@njit(cache=True)
def swivel_parts(vx, vy, vz, wx, wy, wz, state):
    """A, B, C at state[MATRIX:]: all rotations that take v to w, as A + B cos + C sin."""
    base, b, c = MATRIX, MATRIX + 9, MATRIX + 18
    cx, cy, cz = vy * wz - vz * wy, vz * wx - vx * wz, vx * wy - vy * wx
    cosine = vx * wx + vy * wy + vz * wz
    if cosine > -0.999999:  # the shortest of them
        k = 1.0 / (1.0 + cosine)
        state[b], state[b + 1], state[b + 2] = cosine + k * cx * cx, k * cx * cy - cz, k * cx * cz + cy
        state[b + 3], state[b + 4], state[b + 5] = k * cx * cy + cz, cosine + k * cy * cy, k * cy * cz - cx
        state[b + 6], state[b + 7], state[b + 8] = k * cx * cz - cy, k * cy * cz + cx, cosine + k * cz * cz
    else:  # half a turn about an axis at a right angle to v
        px, py, pz = -vz, 0.0, vx
        if px * px + pz * pz < 1e-6:
            px, py, pz = 0.0, vz, -vy
        size = math.sqrt(px * px + py * py + pz * pz)
        px, py, pz = px / size, py / size, pz / size
        state[b], state[b + 1], state[b + 2] = 2 * px * px - 1, 2 * px * py, 2 * px * pz
        state[b + 3], state[b + 4], state[b + 5] = 2 * px * py, 2 * py * py - 1, 2 * py * pz
        state[b + 6], state[b + 7], state[b + 8] = 2 * px * pz, 2 * py * pz, 2 * pz * pz - 1
    for n in range(3):
        r0, r1, r2 = state[b + n], state[b + 3 + n], state[b + 6 + n]
        along = vx if n == 0 else (vy if n == 1 else vz)
        state[base + n], state[base + 3 + n], state[base + 6 + n] = wx * along, wy * along, wz * along
        state[c + n], state[c + 3 + n], state[c + 6 + n] = wy * r2 - wz * r1, wz * r0 - wx * r2, wx * r1 - wy * r0
        state[b + n], state[b + 3 + n], state[b + 6 + n] = r0 - wx * along, r1 - wy * along, r2 - wz * along


@njit(cache=True)
def angles_of(state, parts, limits, cosine, sine, out):
    """Angles of a ball joint with rotation Ri(p) Rm(q) Rk(r) into state[out:]; returns how far outside its limits.

    With s = +1 where (i, m, k) is an even permutation of the axes and -1 where it is odd,
        R[i, k] = s sin q,  R[m, k] = -s sin p cos q,  R[k, k] = cos p cos q,
        R[i, m] = -s cos q sin r,  R[i, i] = cos q cos r;
    the signs are in the parts already. A second set of angles, with q beyond a quarter turn, is tried where the first
    one is outside.
    """
    a = state
    p = parts
    ik = a[p] + a[p + 1] * cosine + a[p + 2] * sine
    mk = a[p + 3] + a[p + 4] * cosine + a[p + 5] * sine
    kk = a[p + 6] + a[p + 7] * cosine + a[p + 8] * sine
    im = a[p + 9] + a[p + 10] * cosine + a[p + 11] * sine
    ii = a[p + 12] + a[p + 13] * cosine + a[p + 14] * sine
    one = math.atan2(mk, kk)
    two = math.asin(min(1.0, max(-1.0, ik)))
    three = math.atan2(im, ii)
    best = math.inf
    for branch in range(2):
        if branch == 1:
            one, two, three = one + math.pi, math.pi - two, three + math.pi
        one = wrap_into(one, a[limits], a[limits + 1])
        two = wrap_into(two, a[limits + 3], a[limits + 4])
        three = wrap_into(three, a[limits + 6], a[limits + 7])
        over = (
            excess(one, a[limits], a[limits + 1])
            + excess(two, a[limits + 3], a[limits + 4])
            + excess(three, a[limits + 6], a[limits + 7])
        )
        if over < best:
            best = over
            state[out], state[out + 1], state[out + 2] = one, two, three
        if best == 0.0:
            break
    return best


@njit(cache=True)
def axis_strain(angle, lower, upper, estimate):
    """r + |difference from the estimate| of one axis (Section 5.7.4): how near its limit, how far from natural."""
    limit = upper if angle > 0.0 else lower
    return (angle / limit if limit != 0.0 else 0.0) + abs(angle - estimate)


@njit(cache=True)
def total(violation, score):
    """One number to compare by: any violation outweighs every score."""
    return score + (1e3 + 1e3 * violation if violation > TOLERANCE else 0.0)


@njit(cache=True)
def swivel_cost(state, cosine, sine, enough):
    """Violation of limits and table of one swivel; its angles, score and raised elbow go to the state.

    Stops early, with what it has, once the cost exceeds `enough`.
    """
    violation = angles_of(state, SHOULDER_PARTS, SHOULDER_LIMITS, cosine, sine, FOUND)
    ey = state[ELBOW] + state[ELBOW + 1] * cosine + state[ELBOW + 2] * sine
    wy = state[WRIST] + state[WRIST + 1] * cosine + state[WRIST + 2] * sine
    raised = max(0.0, ey - wy)
    score = ELBOW_WEIGHT * max(0.0, ey - wy + ELBOW_MARGIN)
    for place in range(3):
        estimate = state[SHOULDER_LIMITS + 3 * place + 2]
        if estimate == estimate:  # not nan: a scored axis
            at = SHOULDER_LIMITS + 3 * place
            score += axis_strain(state[FOUND + place], state[at], state[at + 1], estimate)
    state[SCORE], state[RAISED] = score, raised
    if total(violation, score) > enough:
        return violation
    ez = state[ELBOW + 3] + state[ELBOW + 4] * cosine + state[ELBOW + 5] * sine
    wz = state[WRIST + 3] + state[WRIST + 4] * cosine + state[WRIST + 5] * sine
    height, front = state[TABLE], state[TABLE + 1]
    sy, sz, ty, tz = state[SHOULDER_AT], state[SHOULDER_AT + 1], state[TIP_AT], state[TIP_AT + 1]
    depth = (
        segment_excess(height, front, sy, sz, ey, ez, state[CLEAR])
        + point_excess(height, front, ey, ez, state[CLEAR + 1])
        + segment_excess(height, front, ey, ez, wy, wz, state[CLEAR + 2])
        + point_excess(height, front, wy, wz, state[CLEAR + 3])
        + segment_excess(height, front, wy, wz, ty, tz, state[CLEAR + 4])
        + point_excess(height, front, ty, tz, state[CLEAR + 5])
    )
    violation += DISTANCE_WEIGHT * depth
    if state[ORIENTED] == 1.0 and total(violation, score) <= enough:
        violation += angles_of(state, WRIST_PARTS, HAND_LIMITS, cosine, sine, FOUND + 3)
        first, second, third = state[FOUND + 3], state[FOUND + 4], state[FOUND + 5]
        state[SCORE] = score + WRIST_WEIGHT * (first * first + second * second) + 0.05 * third * third
    return violation


@njit(cache=True)
def scan_swivels(state, count):
    """Cosine, sine and cost of the best of `count` swivels around the circle."""
    dc, ds = math.cos(TURN / count), state[SIGN] * math.sin(TURN / count)
    c, s = 1.0, 0.0
    best_c, best_s, best = 1.0, 0.0, math.inf
    for _ in range(count):
        violation = swivel_cost(state, c, s, best)
        cost = total(violation, state[SCORE])
        if cost < best:
            best_c, best_s, best = c, s, cost
        c, s = c * dc - s * ds, s * dc + c * ds
    return best_c, best_s, best


@njit(cache=True)
def refine_swivel(state, c, s, step, halvings):
    """Narrows the swivel down around (c, s), halving the step each time."""
    violation = swivel_cost(state, c, s, math.inf)
    best = total(violation, state[SCORE])
    for _ in range(halvings):
        step *= 0.5
        dc, ds = math.cos(step), state[SIGN] * math.sin(step)
        c0, s0 = c, s
        for side in range(2):
            tc, ts = c0 * dc - s0 * ds, s0 * dc + c0 * ds
            ds = -ds
            violation = swivel_cost(state, tc, ts, best)
            cost = total(violation, state[SCORE])
            if cost < best:
                c, s, best = tc, ts, cost
    return c, s


@njit(cache=True)
def best_twist(joints, dofs, limb, state, c, s, twist):
    """The forearm twist that shares the turn of the hand between forearm and wrist most comfortably."""
    hinge, hand = limb[1], limb[2]
    d = 3 * hinge + 2
    low, high = dofs[d, LOWER], dofs[d, UPPER]
    if high - low < 1e-12:
        return twist
    axis = int(joints[hinge, ORDER + 2])
    turned, parts = MATRIX + 54, VECTOR  # the wrist's rotation at this swivel, alone: no cosine and sine parts
    for n in range(18):
        state[turned + 9 + n] = 0.0
    best, best_cost = twist, math.inf
    step = (high - low) / 6.0
    centre = 0.5 * (low + high)
    for level in range(5):
        for n in range(7 if level == 0 else 2):
            trial = low + step * n if level == 0 else (centre + step if n == 0 else centre - step)
            if trial < low - 1e-12 or trial > high + 1e-12:
                continue
            for n9 in range(9):
                w = MATRIX + 27 + n9
                state[turned + n9] = state[w] + state[w + 9] * c + state[w + 18] * s
            rotate_left(axis, twist - trial, state, turned)
            keep_parts(joints, hand, state, parts, turned)
            over = angles_of(state, parts, HAND_LIMITS, 0.0, 0.0, FOUND + 3)
            a1, a2, a3 = state[FOUND + 3], state[FOUND + 4], state[FOUND + 5]
            cost = WRIST_WEIGHT * (a1 * a1 + a2 * a2) + HAND_TWIST_WEIGHT * a3 * a3
            cost = total(over, cost + FOREARM_TWIST_WEIGHT * trial * trial)
            if cost < best_cost:
                best, best_cost = trial, cost
        centre = best
        step *= 0.5
    return min(max(best, low), high)


@njit(cache=True)
def keep_minima(state, twist, way, extra):
    """Puts the best local minima over the swivel, for one twist and way of the elbow, among those kept so far."""
    dc, ds = math.cos(TURN / FINE), state[SIGN] * math.sin(TURN / FINE)
    c, s = 1.0, 0.0
    before = now = math.inf
    for n in range(FINE + 2):
        cost = total(swivel_cost(state, c, s, math.inf), state[SCORE]) + extra
        if n >= 2 and now <= before and now <= cost:
            worst = GRID
            for slot in range(GRID, GRID + 5 * KEPT, 5):
                if state[slot + 4] > state[worst + 4]:
                    worst = slot
            if now < state[worst + 4]:
                state[worst], state[worst + 1] = twist, way
                state[worst + 2], state[worst + 3] = c * dc + s * ds, s * dc - c * ds  # one step back
                state[worst + 4] = now
        before, now = now, cost
        c, s = c * dc - s * ds, s * dc + c * ds


@njit(cache=True)
def search_twists(joints, dofs, limb, goal, frames, state, angles):
    """Twist, way of the elbow and swivel of least cost: a fine grid, then a search around its best points."""
    d = 3 * limb[1] + 2
    low, high = dofs[d, LOWER], dofs[d, UPPER]
    for slot in range(GRID, GRID + 5 * KEPT, 5):
        state[slot + 4] = math.inf
    for n in range(2 * TWISTS):
        trial = low + (high - low) * (n // 2) / (TWISTS - 1.0)
        _, short = prepare(joints, dofs, limb, goal, angles, frames, trial, n % 2 == 1, state)
        keep_minima(state, trial, n % 2, 1e3 * DISTANCE_WEIGHT * short)
    twist, second_way, c, s, best = 0.0, False, 1.0, 0.0, math.inf
    for _ in range(KEPT):
        slot = GRID
        for other in range(GRID, GRID + 5 * KEPT, 5):
            if state[other + 4] < state[slot + 4]:
                slot = other
        t1, way, c1, s1, cost1 = state[slot], state[slot + 1] == 1.0, state[slot + 2], state[slot + 3], state[slot + 4]
        if cost1 == math.inf:
            break
        state[slot + 4] = math.inf
        step, turn = (high - low) / TWISTS, TURN / FINE
        for _ in range(9):
            step *= 0.6
            turn *= 0.6
            t0, c0, s0 = t1, c1, s1
            for n in range(9):
                trial = min(max(t0 + (n // 3 - 1) * step, low), high)
                _, short = prepare(joints, dofs, limb, goal, angles, frames, trial, way, state)
                dc, ds = math.cos((n % 3 - 1) * turn), math.sin((n % 3 - 1) * turn)
                tc, ts = c0 * dc - s0 * ds, s0 * dc + c0 * ds
                cost = total(swivel_cost(state, tc, ts, math.inf), state[SCORE]) + 1e3 * DISTANCE_WEIGHT * short
                if cost < cost1:
                    t1, c1, s1, cost1 = trial, tc, ts, cost
        if cost1 < best:
            twist, second_way, c, s, best = t1, way, c1, s1, cost1
        if best < 1e3:
            break
    return twist, second_way, c, s


@njit(cache=True)
def solve_limb(joints, dofs, limb, goal, frames, effort, state, angles):
    """The best arm for this trunk, into angles; returns its violation; score and raised elbow are in the state.

    QUICK tells what an arm could do there, without its angles; THOROUGH tries many more swivels for each of several
    twists, for arms that only just reach.
    """
    shoulder, hinge, hand = limb[0], limb[1], limb[2]
    d, last = 3 * hinge + 2, HAND_LIMITS + 6
    second_way = False
    twist = min(max(0.0, dofs[d, LOWER]), dofs[d, UPPER])
    flex, short = prepare(joints, dofs, limb, goal, angles, frames, twist, second_way, state)
    missed = DISTANCE_WEIGHT * short if short > REACH_TOLERANCE else 0.0
    if state[ORIENTED] == 1.0:  # the forearm's twist, still to be chosen, will help the hand's
        state[last] += dofs[d, LOWER]
        state[last + 1] += dofs[d, UPPER]
    c, s, _ = scan_swivels(state, COARSE)
    if effort == QUICK:
        violation = swivel_cost(state, c, s, math.inf) + missed
    if state[ORIENTED] == 1.0:
        state[last] -= dofs[d, LOWER]
        state[last + 1] -= dofs[d, UPPER]
    if effort == QUICK:
        return violation
    if state[ORIENTED] == 1.0:
        # A bone that is not quite along its twist axis moves the wrist a little: set up once more for the new twist.
        if effort == THOROUGH:
            twist, second_way, c, s = search_twists(joints, dofs, limb, goal, frames, state, angles)
            prepare(joints, dofs, limb, goal, angles, frames, twist, second_way, state)
        twist = best_twist(joints, dofs, limb, state, c, s, twist)
        flex, short = prepare(joints, dofs, limb, goal, angles, frames, twist, second_way, state)
    c, s = refine_swivel(state, c, s, TURN / COARSE, 6)
    violation = swivel_cost(state, c, s, math.inf)
    for place in range(3):
        angles[3 * shoulder + place] = state[FOUND + place]
        if state[ORIENTED] == 1.0:
            angles[3 * hand + place] = state[FOUND + 3 + place]
    angles[3 * hinge], angles[3 * hinge + 1], angles[d] = flex, 0.0, twist
    return violation + (DISTANCE_WEIGHT * short if short > REACH_TOLERANCE else 0.0)
