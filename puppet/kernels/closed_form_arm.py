"""An arm in closed form as a function of its swivel angle.

An arm is a ball joint (shoulder), a hinge with a twist along the forearm (elbow) and a ball joint (wrist). With u the
upper arm, l the forearm and d the distance from the shoulder to where the wrist has to be, the elbow's bend solves

    |u + R(bend) R(twist) l| = d.

What is left free is the swivel: the turn of the whole arm about the line from shoulder to wrist. With v the arm's
direction before the shoulder turns it, w the direction it has to have, and R0 the least rotation from v to w,

    R(swivel) = turn(w, swivel) R0 = A + B cos(swivel) + C sin(swivel),
    A = w v^T,  B = R0 - A,  C = [w]x R0,

is the shoulder's rotation in the trunk's coordinates. Elbow, wrist and the rotation that is left for the wrist joint,
(R(swivel) R(bend) R(twist))^T G with G the goal's, are of the same form: one swivel costs six arc functions. An
orientation goal is met exactly, because the wrist's angles are read off last.

Everything about one arm stands in one flat state array, which keeps arguments few. tests/twins/closed_form_arm.py says
the same in NumPy.
"""

from __future__ import annotations

import math

from puppet.kernels.forward_kinematics import bounds, order_of
from puppet.kernels.jit import inner
from puppet.kernels.model import (
    CLEAR_CENTRE,
    CLEAR_SEGMENT,
    CLEAR_TIP,
    HARD_PRICE,
    LOWER,
    OFFSET,
    ORDER,
    PARENT,
    SCORED,
    TIP,
    UPPER,
    VIOLATION_TOLERANCE,
)
from puppet.kernels.rotation import (
    excess,
    parity,
    to_local,
    to_world,
    triple,
    turn_left,
    turn_vector,
    world_component,
    wrap_into,
)
from puppet.kernels.table_clearance import point_excess, segment_excess

# What the parts of a cost weigh. Distances count 20 a unit, so that a centimetre is like 0.2 radians.
DISTANCE_WEIGHT = 20.0
ELBOW_WEIGHT = 1000.0  # elbow above wrist, per unit of height
ELBOW_MARGIN = 0.002  # by which the elbow shall hang lower than the wrist
WRIST_WEIGHT = 0.35  # bent wrist, per squared radian
TWIST_WEIGHT = 0.05  # twisted forearm and hand together, per squared radian
A_LITTLE = 0.3  # up to this there may be a free interval near by

# The state array. Set once a problem: lower limit, upper limit and estimate (nan where not scored) of each axis of
# shoulder and hand; six clearances; the table; whether there is an orientation goal; +1 for left, -1 for right.
LIMITS, CLEAR, TABLE, ORIENTED, SIGN = 0, 18, 24, 26, 27
# Set for each trunk and twist: five elements of a rotation (see put_angle_elements) as constant, cosine and sine part,
# for shoulder, wrist, and a trial wrist; y and z of the circles of elbow and wrist; y and z of shoulder and tip.
_PARTS, CIRCLES, SHOULDER_AT, TIP_AT = 30, 75, 87, 89
# Found: angles of shoulder and hand, score, elbow above wrist.
FOUND, SCORE, RAISED = 91, 97, 98
# Three parts of the rotation of shoulder, wrist and trial wrist, row by row; the goal in the trunk's coordinates.
MATRICES, GOAL = 100, 181
GRID = 190  # points kept by a thorough search: twist, branch of the elbow, cosine, sine, cost
CANDIDATES = 6
PRICE = GRID + 5 * CANDIDATES  # of violations, in force when a swivel is chosen
STATE_SIZE = PRICE + 1


@inner
def load_arm(joints, dofs, limb, oriented, table, estimate, state):
    """Fills the part of the state that stays the same while one problem is solved."""
    shoulder, hinge, hand = limb[0], limb[1], limb[2]
    for ball in range(2):
        for place in range(3):
            d = 3 * limb[2 * ball] + place
            at = LIMITS + 9 * ball + 3 * place
            state[at], state[at + 1] = dofs[d, LOWER], dofs[d, UPPER]
            state[at + 2] = estimate[d] if dofs[d, SCORED] == 1.0 else math.nan
    state[CLEAR] = joints[shoulder, CLEAR_SEGMENT]
    state[CLEAR + 1] = joints[hinge, CLEAR_CENTRE]
    state[CLEAR + 2] = joints[hinge, CLEAR_SEGMENT]
    state[CLEAR + 3] = joints[hand, CLEAR_CENTRE]
    state[CLEAR + 4] = joints[hand, CLEAR_SEGMENT]
    state[CLEAR + 5] = joints[hand, CLEAR_TIP]
    state[TABLE], state[TABLE + 1] = table[0], table[1]
    state[ORIENTED] = 1.0 if oriented else 0.0
    state[PRICE] = HARD_PRICE
    # Mirrored limbs are searched in mirrored order, so that mirrored problems get mirrored answers.
    state[SIGN] = 1.0 if joints[hand, TIP] >= 0.0 else -1.0


@inner
def elbow_angle(low, high, m, ux, uy, uz, lx, ly, lz, distance, branch):
    """The angle about axis m at which |u + R(angle) l| = distance, clamped to its limits.

    Two angles fit. Branch 0 is the one inside the limits, the smaller one where both are; branch 1 is the other.
    """
    u, v = (ux, uy, uz), (lx, ly, lz)
    a, b = (m + 1) % 3, (m + 2) % 3
    along, across = u[a] * v[a] + u[b] * v[b], u[b] * v[a] - u[a] * v[b]
    squares = ux * ux + uy * uy + uz * uz + lx * lx + ly * ly + lz * lz
    wanted = 0.5 * (distance * distance - squares) - u[m] * v[m]
    size = math.sqrt(along * along + across * across)
    if size < 1e-15:
        return 0.0
    middle = math.atan2(across, along)
    spread = math.acos(min(1.0, max(-1.0, wanted / size)))
    first, second = wrap_into(middle + spread, low, high), wrap_into(middle - spread, low, high)
    out_first, out_second = excess(first, low, high), excess(second, low, high)
    better = out_first < out_second or (out_first == out_second and abs(first) < abs(second))
    best = first if better == (branch == 0.0) else second
    return min(max(best, low), high)


@inner
def put_angle_elements(joints, j, which, state):
    """The five elements from which the angles of ball joint j are read, of all three parts of its rotation.

    With s = +1 where its axes (i, m, k) are an even permutation of x, y, z and -1 where they are odd, the rotation
    R = Ri(p) Rm(q) Rk(r) has
        R[i, k] = s sin q,  R[m, k] = -s sin p cos q,  R[k, k] = cos p cos q,
        R[i, m] = -s cos q sin r,  R[i, i] = cos q cos r.
    """
    i, m, k = order_of(joints, j)
    s = parity(i, m)
    at, base = _PARTS + int(15 * which), MATRICES + int(27 * which)
    for part in range(3):
        state[at + part] = s * state[base + 3 * i + k]
        state[at + 3 + part] = -s * state[base + 3 * m + k]
        state[at + 6 + part] = state[base + 3 * k + k]
        state[at + 9 + part] = -s * state[base + 3 * i + m]
        state[at + 12 + part] = state[base + 3 * i + i]
        base += 9


@inner
def at_swivel(state, at, cosine, sine):
    """A quantity stored as constant, cosine and sine part, at one swivel."""
    return state[at] + state[at + 1] * cosine + state[at + 2] * sine


@inner
def ball_joint_angles(state, which, cosine, sine):
    """Angles of shoulder (which = 0), wrist (1) or trial wrist (2) at a swivel, into FOUND; returns by how much they
    are outside their limits.

    Where they are, the other set of angles of the same rotation is tried: (p + pi, pi - q, r + pi).
    """
    a, p = state, _PARTS + int(15 * which)
    ball = 0 if which == 0.0 else 1
    at, out = LIMITS + 9 * ball, FOUND + 3 * ball
    two = math.asin(min(1.0, max(-1.0, at_swivel(a, p, cosine, sine))))
    one = math.atan2(at_swivel(a, p + 3, cosine, sine), at_swivel(a, p + 6, cosine, sine))
    three = math.atan2(at_swivel(a, p + 9, cosine, sine), at_swivel(a, p + 12, cosine, sine))
    low1, high1, low2, high2, low3, high3 = a[at], a[at + 1], a[at + 3], a[at + 4], a[at + 6], a[at + 7]
    best = math.inf
    for branch in range(2):
        if branch == 1:
            one, two, three = one + math.pi, math.pi - two, three + math.pi
        one, two, three = wrap_into(one, low1, high1), wrap_into(two, low2, high2), wrap_into(three, low3, high3)
        over = excess(one, low1, high1) + excess(two, low2, high2) + excess(three, low3, high3)
        if over < best:
            best = over
            a[out], a[out + 1], a[out + 2] = one, two, three
        if best == 0.0:
            break
    return best


@inner
def put_swivel_rotation(vx, vy, vz, wx, wy, wz, state):
    """A, B and C of all rotations A + B cos + C sin that take unit vector v to unit vector w, into MATRICES."""
    a, b, c = MATRICES, MATRICES + 9, MATRICES + 18
    cx, cy, cz = vy * wz - vz * wy, vz * wx - vx * wz, vx * wy - vy * wx
    diagonal = vx * wx + vy * wy + vz * wz
    if diagonal > -0.999999:  # the shortest of them: cosine I + [c]x + c c^T / (1 + cosine)
        k = 1.0 / (1.0 + diagonal)
    else:  # half a turn about an axis at a right angle to v: 2 p p^T - I
        cx, cy, cz = -vz, 0.0, vx
        if cx * cx + cz * cz < 1e-6:
            cx, cy, cz = 0.0, vz, -vy
        k = 2.0 / (cx * cx + cy * cy + cz * cz)
        diagonal = -1.0
    sign = 0.0 if diagonal == -1.0 else 1.0
    for n in range(3):
        cn = cx if n == 0 else (cy if n == 1 else cz)
        along = vx if n == 0 else (vy if n == 1 else vz)
        r0, r1, r2 = k * cx * cn, k * cy * cn, k * cz * cn
        if n == 0:
            r0, r1, r2 = r0 + diagonal, r1 + sign * cz, r2 - sign * cy
        elif n == 1:
            r0, r1, r2 = r0 - sign * cz, r1 + diagonal, r2 + sign * cx
        else:
            r0, r1, r2 = r0 + sign * cy, r1 - sign * cx, r2 + diagonal
        for row in range(3):
            wn = wx if row == 0 else (wy if row == 1 else wz)
            rn = r0 if row == 0 else (r1 if row == 1 else r2)
            state[a + 3 * row + n] = wn * along
            state[b + 3 * row + n] = rn - wn * along
        state[c + n], state[c + 3 + n], state[c + 6 + n] = wy * r2 - wz * r1, wz * r0 - wx * r2, wx * r1 - wy * r0


@inner
def dot(state, at, x, y, z):
    """Product of state[at:at + 3] and (x, y, z)."""
    return state[at] * x + state[at + 1] * y + state[at + 2] * z


@inner
def put_swivel_circle(state, which, f, p, x, y, z):
    """World y and z, as the swivel turns, of the elbow (which = 0) or wrist (1) at (x, y, z) of the upper arm."""
    at = CIRCLES + int(6 * which)
    for part in range(3):
        m = MATRICES + 9 * part
        cx, cy, cz = dot(state, m, x, y, z), dot(state, m + 3, x, y, z), dot(state, m + 6, x, y, z)
        state[at + part] = world_component(f, p, 1.0, cx, cy, cz)
        state[at + 3 + part] = world_component(f, p, 2.0, cx, cy, cz)
    state[at] += state[SHOULDER_AT]
    state[at + 3] += state[SHOULDER_AT + 1]


@inner
def put_wrist_rotation(state, f, p, goal, hinge_axis, flex, twist_axis, twist):
    """The three parts of what is left for the wrist: (P R(swivel) R(bend) R(twist))^T G."""
    for b in range(3):
        x, y, z = to_local(f, p, goal[3 + b], goal[6 + b], goal[9 + b])
        state[GOAL + b], state[GOAL + 3 + b], state[GOAL + 6 + b] = x, y, z
    for part in range(3):
        m = MATRICES + 9 * part
        for a in range(3):
            for b in range(3):
                value = 0.0
                for n in range(0, 9, 3):
                    value += state[m + n + a] * state[GOAL + n + b]
                state[m + 27 + 3 * a + b] = value
        turn_left(hinge_axis, -flex, state, m + 27)
        turn_left(twist_axis, -twist, state, m + 27)


@inner
def prepare_swivel(joints, dofs, limb, goal, angles, transforms, twist, branch, state):
    """Sets the state up for one trunk, twist and branch of the elbow; returns the elbow's bend, and by how much the
    goal is out of its reach.

    goal: (12,), transform of the tip. Without an orientation goal the wrist keeps its angles.
    """
    shoulder, hinge, hand = limb[0], limb[1], limb[2]
    f, p = transforms, int(joints[shoulder, PARENT])
    ux, uy, uz = triple(joints, hinge, OFFSET)
    kx, ky, kz = triple(joints, hand, OFFSET)
    tx, ty, tz = triple(joints, hand, TIP)
    hinge_axis, twist_axis = int(joints[hinge, ORDER]), int(joints[hinge, ORDER + 2])
    oriented = state[ORIENTED] == 1.0

    # px, py, pz: from the shoulder to what has to be somewhere: the wrist below the goal's hand, or the tip itself with
    # the hand as it is. lx, ly, lz: from the elbow to the same, in the forearm's coordinates.
    px, py, pz = triple(joints, shoulder, OFFSET)
    px, py, pz = to_world(f, p, px, py, pz)
    cx, sy, sz = triple(f, p, 0)
    sy, sz = sy + py, sz + pz
    px, py, pz = goal[0] - cx - px, goal[1] - sy, goal[2] - sz
    lx, ly, lz = kx, ky, kz
    hand_y = hand_z = 0.0
    if oriented:
        hand_y, hand_z = dot(goal, 6, tx, ty, tz), dot(goal, 9, tx, ty, tz)
        px, py, pz = px - dot(goal, 3, tx, ty, tz), py - hand_y, pz - hand_z
    else:
        for place in range(2, -1, -1):
            tx, ty, tz = turn_vector(int(joints[hand, ORDER + place]), angles[3 * hand + place], tx, ty, tz)
        lx, ly, lz = lx + tx, ly + ty, lz + tz
    lx, ly, lz = turn_vector(twist_axis, twist, lx, ly, lz)
    distance = math.sqrt(px * px + py * py + pz * pz)
    flex = elbow_angle(
        dofs[3 * hinge, LOWER], dofs[3 * hinge, UPPER], hinge_axis, ux, uy, uz, lx, ly, lz, distance, branch
    )

    # v: from the shoulder to that point in the upper arm's coordinates; w: the same in the trunk's; both of length 1.
    vx, vy, vz = turn_vector(hinge_axis, flex, lx, ly, lz)
    vx, vy, vz = vx + ux, vy + uy, vz + uz
    length = math.sqrt(vx * vx + vy * vy + vz * vz)
    if length > 1e-12:
        vx, vy, vz = vx / length, vy / length, vz / length
    else:  # folded up altogether: any direction is as good
        vx, vy, vz = 1.0, 0.0, 0.0
    wx, wy, wz = vx, vy, vz
    if distance > 1e-12:
        wx, wy, wz = to_local(f, p, px / distance, py / distance, pz / distance)
    put_swivel_rotation(vx, vy, vz, wx, wy, wz, state)
    state[SHOULDER_AT], state[SHOULDER_AT + 1] = sy, sz
    state[TIP_AT] = sy + length * world_component(f, p, 1.0, wx, wy, wz) + hand_y
    state[TIP_AT + 1] = sz + length * world_component(f, p, 2.0, wx, wy, wz) + hand_z

    put_swivel_circle(state, 0.0, f, p, ux, uy, uz)
    kx, ky, kz = turn_vector(twist_axis, twist, kx, ky, kz)
    kx, ky, kz = turn_vector(hinge_axis, flex, kx, ky, kz)
    put_swivel_circle(state, 1.0, f, p, kx + ux, ky + uy, kz + uz)
    if oriented:
        put_wrist_rotation(state, f, p, goal, hinge_axis, flex, twist_axis, twist)
    for ball in range(2):
        if ball == 0 or oriented:
            put_angle_elements(joints, limb[2 * ball], float(ball), state)
    return flex, abs(distance - length)


@inner
def axis_strain(angle, lower, upper, estimate):
    """Strain of one axis (Section 5.7.4): angle / limit + |angle - estimate|."""
    limit = upper if angle > 0.0 else lower
    return (angle / limit if limit != 0.0 else 0.0) + abs(angle - estimate)


@inner
def joint_strain(dofs, angles, estimate, j):
    """The sum of the strains of the scored axes of joint j."""
    strained = 0.0
    for d in range(3 * j, 3 * j + 3):
        if dofs[d, SCORED] == 1.0:
            lower, upper = bounds(dofs, angles, d)
            strained += axis_strain(angles[d], lower, upper, estimate[d])
    return strained


@inner
def total_cost(violation, score, price):
    """One number to compare by: score + price (1 + violation) where there is a violation."""
    return score + (price + price * violation if violation > VIOLATION_TOLERANCE else 0.0)


@inner
def swivel_cost(state, cosine, sine, enough):
    """The violation of limits and table at one swivel; its angles, score and raised elbow go to the state.

    Stops early where the violation is more than a little and the cost is more than `enough` already.
    """
    violation = ball_joint_angles(state, 0.0, cosine, sine)
    ey, wy = at_swivel(state, CIRCLES, cosine, sine), at_swivel(state, CIRCLES + 6, cosine, sine)
    state[RAISED] = max(0.0, ey - wy)
    score = ELBOW_WEIGHT * max(0.0, ey - wy + ELBOW_MARGIN)
    for place in range(3):
        at = LIMITS + 3 * place
        if not math.isnan(state[at + 2]):
            score += axis_strain(state[FOUND + place], state[at], state[at + 1], state[at + 2])
    state[SCORE] = score
    if violation > A_LITTLE and total_cost(violation, score, state[PRICE]) > enough:
        return violation
    ez, wz = at_swivel(state, CIRCLES + 3, cosine, sine), at_swivel(state, CIRCLES + 9, cosine, sine)
    height, front = state[TABLE], state[TABLE + 1]
    sy, sz, ty, tz = state[SHOULDER_AT], state[SHOULDER_AT + 1], state[TIP_AT], state[TIP_AT + 1]
    violation += DISTANCE_WEIGHT * (
        segment_excess(height, front, sy, sz, ey, ez, state[CLEAR])
        + point_excess(height, front, ey, ez, state[CLEAR + 1])
        + segment_excess(height, front, ey, ez, wy, wz, state[CLEAR + 2])
        + point_excess(height, front, wy, wz, state[CLEAR + 3])
        + segment_excess(height, front, wy, wz, ty, tz, state[CLEAR + 4])
        + point_excess(height, front, ty, tz, state[CLEAR + 5])
    )
    if state[ORIENTED] == 1.0:
        violation += ball_joint_angles(state, 1.0, cosine, sine)
        first, second, third = state[FOUND + 3], state[FOUND + 4], state[FOUND + 5]
        state[SCORE] = score + WRIST_WEIGHT * (first * first + second * second) + TWIST_WEIGHT * third * third
    return violation
