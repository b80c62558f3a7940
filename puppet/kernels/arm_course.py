"""Frames of a body whose wrists follow courses in space: arms in closed form.

A frame has the angles of everything but the arms. For each arm a wrist's place p, a swivel s, and either the angles of
forearm twist and hand, or the hand's rotation G. With u the upper arm, l the forearm, v = u + R(bend) R(twist) l the
wrist in the coordinates of the upper arm, and w the direction from shoulder to p in the trunk's, both of length 1:

    |u + R(bend) R(twist) l| = |p - shoulder|,    shoulder's rotation = turn(w, s) R0,    R0 the least from v to w.

Where the hand's rotation is given, forearm twist t and hand angles a, b solve, the hand's own twist c being given,

    (forearm's rotation)^T G R(c)^T = R(t) R(a) R(b).

Everything is a smooth function of p, s and G, so that smooth courses give smooth angles.
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.closed_form_arm import elbow_angle
from puppet.kernels.figure_kinematics import turn_columns
from puppet.kernels.figure_model import CORNERS
from puppet.kernels.figure_range import project_into_range
from puppet.kernels.forward_kinematics import order_of, place_joint
from puppet.kernels.jit import inner
from puppet.kernels.model import LOWER, OFFSET, ORDER, PARENT, UPPER
from puppet.kernels.rotation import (
    TURN,
    excess,
    parity,
    to_local,
    to_world,
    triple,
    turn_vector,
    wrap_into,
)

_ROUNDS = 4  # of twist and bend, which depend on each other a little where a forearm lies beside its twist axis
_SHORT = 1e-7  # a forearm that is beside its twist axis by less has nothing to do with the bend
UNSURE = 0.06  # cosine of the hand's middle angle from which on it says how the forearm is twisted


@inner
def put_turn(wx, wy, wz, angle, m, row):
    """The rotation about a unit vector into m[row, 0:9]."""
    c, s = math.cos(angle), math.sin(angle)
    d = 1.0 - c
    m[row, 0], m[row, 1], m[row, 2] = c + d * wx * wx, d * wx * wy - s * wz, d * wx * wz + s * wy
    m[row, 3], m[row, 4], m[row, 5] = d * wx * wy + s * wz, c + d * wy * wy, d * wy * wz - s * wx
    m[row, 6], m[row, 7], m[row, 8] = d * wx * wz - s * wy, d * wy * wz + s * wx, c + d * wz * wz


@inner
def put_least(vx, vy, vz, wx, wy, wz, m, row):
    """The least rotation that takes unit vector v to unit vector w, into m[row, 0:9]."""
    x, y, z = vy * wz - vz * wy, vz * wx - vx * wz, vx * wy - vy * wx
    size, along = math.sqrt(x * x + y * y + z * z), vx * wx + vy * wy + vz * wz
    if size > 1e-12:
        put_turn(x / size, y / size, z / size, math.atan2(size, along), m, row)
    elif along > 0.0:
        put_turn(1.0, 0.0, 0.0, 0.0, m, row)
    else:  # half a turn about an axis at a right angle to v
        x, y, z = (-vz, 0.0, vx) if vx * vx + vz * vz > 1e-6 else (0.0, vz, -vy)
        size = math.sqrt(x * x + y * y + z * z)
        put_turn(x / size, y / size, z / size, math.pi, m, row)


@inner
def multiply_rows(m, a, b, c):
    """m[c] = m[a] m[b], 3 x 3 matrices row by row; c is another row."""
    for n in range(3):
        for k in range(3):
            m[c, 3 * n + k] = m[a, 3 * n] * m[b, k] + m[a, 3 * n + 1] * m[b, 3 + k] + m[a, 3 * n + 2] * m[b, 6 + k]


@inner
def three_angles(i, m, k, r, row):
    """Angles (p, q, r) of R = Ri(p) Rm(q) Rk(r) in r[row, 0:9]; the others are (p + pi, pi - q, r + pi)."""
    s = parity(i, m)
    q = math.asin(min(1.0, max(-1.0, s * r[row, 3 * i + k])))
    p = math.atan2(-s * r[row, 3 * m + k], r[row, 3 * k + k])
    return p, q, math.atan2(-s * r[row, 3 * i + m], r[row, 3 * i + i])


@inner
def nearest(angle, old):
    """The angle plus whole turns that is nearest to an old one."""
    return angle + TURN * math.floor((old - angle) / TURN + 0.5)


@inner
def put_ball(joints, dofs, j, limited, r, row, old, angles):
    """The angles of ball joint j from its rotation in r[row], those nearest to the old ones; of a joint with limits
    (limited = 1) returns by how much they are outside, and puts them inside."""
    i, m, k = order_of(joints, j)
    p, q, t = three_angles(i, m, k, r, row)
    least = math.inf
    for branch in range(2):
        a, b, c = (p, q, t) if branch == 0 else (p + math.pi, math.pi - q, t + math.pi)
        a, b, c = nearest(a, old[3 * j]), nearest(b, old[3 * j + 1]), nearest(c, old[3 * j + 2])
        far = abs(a - old[3 * j]) + abs(b - old[3 * j + 1]) + abs(c - old[3 * j + 2])
        if far < least:
            least = far
            angles[3 * j], angles[3 * j + 1], angles[3 * j + 2] = a, b, c
    outside = 0.0
    if limited == 1.0:
        for d in range(3 * j, 3 * j + 3):
            outside += excess(angles[d], dofs[d, LOWER], dofs[d, UPPER])
            angles[d] = min(max(angles[d], dofs[d, LOWER]), dofs[d, UPPER])
    return outside


@inner
def put_in_range(joints, dofs, tree, links, corners, j, old, angles, local):
    """Moves the angles of a joint with a range into it; returns by how far they were outside."""
    for n in range(9):
        local[j, n] = 1.0 if n % 4 == 0 else 0.0
    for place in range(3):
        turn_columns(local, j, int(joints[j, ORDER + place]), angles[3 * j + place])
    away = project_into_range(tree, links, corners, local, j)
    if away > 1e-9:
        put_ball(joints, dofs, j, 0.0, local, j, old, angles)
    return away


@inner
def arm_geometry(joints, limb, flex, twist):
    """The wrist in the coordinates of the upper arm: its direction v and how far it is from the shoulder."""
    hinge, hand = limb[1], limb[2]
    x, y, z = triple(joints, hand, OFFSET)
    x, y, z = turn_vector(int(joints[hinge, ORDER + 2]), twist, x, y, z)
    x, y, z = turn_vector(int(joints[hinge, ORDER]), flex, x, y, z)
    ux, uy, uz = triple(joints, hinge, OFFSET)
    x, y, z = x + ux, y + uy, z + uz
    size = max(1e-12, math.sqrt(x * x + y * y + z * z))
    return x / size, y / size, z / size, size


@inner
def solve_course(
    joints, dofs, tree, links, corners, limb, goal, swivel, oriented, old, transforms, angles, local, room
):  # fmt: skip
    """The arm whose wrist is at a goal (12,), into angles; what carries it is placed. Returns how far the goal is out
    of its reach, and by how much limits would be broken, in radians."""
    shoulder, hinge, hand = limb[0], limb[1], limb[2]
    f, p = transforms, int(joints[shoulder, PARENT])
    ux, uy, uz = triple(joints, hinge, OFFSET)
    kx, ky, kz = triple(joints, hand, OFFSET)
    px, py, pz = triple(joints, shoulder, OFFSET)
    if p >= 0:
        px, py, pz = to_world(f, p, px, py, pz)
        px, py, pz = px + f[p, 0], py + f[p, 1], pz + f[p, 2]
    px, py, pz = to_local(f, p, goal[0] - px, goal[1] - py, goal[2] - pz)
    distance = math.sqrt(px * px + py * py + pz * pz)
    hinge_axis, twist_axis = int(joints[hinge, ORDER]), int(joints[hinge, ORDER + 2])
    i, m, k = order_of(joints, hand)
    low, high = dofs[3 * hinge + 2, LOWER], dofs[3 * hinge + 2, UPPER]
    twist, own = angles[3 * hinge + 2], angles[3 * hand + 2]
    short = over = 0.0
    for _ in range(_ROUNDS if oriented else 1):
        lx, ly, lz = turn_vector(twist_axis, twist, kx, ky, kz)
        flex = elbow_angle(
            dofs[3 * hinge, LOWER], dofs[3 * hinge, UPPER], hinge_axis, ux, uy, uz, lx, ly, lz, distance, 0.0
        )
        vx, vy, vz, length = arm_geometry(joints, limb, flex, twist)
        short = abs(distance - length)
        wx, wy, wz = (px / distance, py / distance, pz / distance) if distance > 1e-9 else (vx, vy, vz)
        put_least(vx, vy, vz, wx, wy, wz, room, 0)
        put_turn(wx, wy, wz, swivel, room, 1)
        multiply_rows(room, 1, 0, 2)  # the shoulder's rotation
        if not oriented:
            break
        for n in range(9):
            room[3, n] = room[2, n]
        turn_columns(room, 3, hinge_axis, flex)  # the forearm's, without its twist
        for b in range(3):
            x, y, z = to_local(f, p, goal[3 + b], goal[6 + b], goal[9 + b])
            for a in range(3):
                room[4, 3 * a + b] = room[3, a] * x + room[3, 3 + a] * y + room[3, 6 + a] * z
        over = 0.0
        before = twist
        if k == twist_axis and high - low > 1e-9:
            for n in range(9):
                room[5, n] = room[4, n]
            turn_columns(room, 5, k, -own)
            t, q, _ = three_angles(twist_axis, i, m, room, 5)
            other = t + math.pi
            t, other = nearest(t, before), nearest(other, before)
            if abs(other - before) < abs(t - before) and math.cos(q) < 0.3:
                t = other
            sure = min(1.0, abs(math.cos(q)) / UNSURE)  # at a pole of the hand's axes any twist serves
            t = before + sure * sure * (3.0 - 2.0 * sure) * (t - before)
            t = wrap_into(t, low, high)
            over = excess(t, low, high)
            twist = min(max(t, low), high)
        if abs(twist - before) * (abs(kx) + abs(ky) + abs(kz)) < _SHORT:
            break
    outside = 0.0
    if tree[shoulder, CORNERS] > 0:
        put_ball(joints, dofs, shoulder, 0.0, room, 2, old, angles)
        outside = put_in_range(joints, dofs, tree, links, corners, shoulder, old, angles, local)
    else:
        outside = put_ball(joints, dofs, shoulder, 1.0, room, 2, old, angles)
    angles[3 * hinge], angles[3 * hinge + 1], angles[3 * hinge + 2] = flex, 0.0, twist
    if oriented:  # (R(t))^T of what is left is for the hand
        for b in range(3):
            x, y, z = turn_vector(twist_axis, -twist, room[4, b], room[4, 3 + b], room[4, 6 + b])
            room[5, b], room[5, 3 + b], room[5, 6 + b] = x, y, z
        over += put_ball(joints, dofs, hand, 1.0, room, 5, old, angles)
    return short, outside + over


@inner
def put_moving(joints, arm_of, moving):
    """Which joints an arm has or carries, into moving (joints,)."""
    for j in range(joints.shape[0]):
        p = int(joints[j, PARENT])
        moving[j] = arm_of[j] >= 0 or (p >= 0 and moving[p])


@inner
def copy_still(moving, angles, transforms, other_angles, other_transforms):
    """Angles and transforms of all joints but those of arms, from another frame."""
    for j in range(moving.shape[0]):
        if not moving[j]:
            for d in range(3 * j, 3 * j + 3):
                angles[d] = other_angles[d]
            for n in range(12):
                transforms[j, n] = other_transforms[j, n]


@inner
def note_same(same, anew, courses, swivels, other_courses, other_swivels):
    """Notes of which arms, (arms,), the course is the same as in another path, as it was in all frames before."""
    for a in range(same.shape[0]):
        same[a] = same[a] and not anew and swivels[a] == other_swivels[a]
        for n in range(12):
            same[a] = same[a] and courses[a, n] == other_courses[a, n]


@inner
def copy_arm(limb, a, angles, short, over, other_angles, other_short, other_over):
    """One arm from the same frame of another path, in which its course is the same."""
    for place in range(3):
        for d in range(3 * limb[place], 3 * limb[place] + 3):
            angles[d] = other_angles[d]
    short[a], over[a] = other_short[a], other_over[a]


@inner
def place_frame(
    joints, dofs, tree, links, corners, limbs, arm_of, moving, same, anew, courses, swivels, oriented, old, angles,
    transforms, local, room, short, over,
):  # fmt: skip
    """One frame: all transforms (joints, 12), the arms' angles, how far each arm falls short and breaks limits. anew:
    whether joints are placed that are not moving, too. same: of which arms all but the transforms is known."""
    for j in range(joints.shape[0]):
        if not (anew or moving[j]):
            continue
        a = arm_of[j]
        if a >= 0 and same[a]:
            pass
        elif a >= 0:
            short[a], over[a] = solve_course(
                joints, dofs, tree, links, corners, limbs[a], courses[a], swivels[a], oriented[a], old, transforms,
                angles, local, room,
            )  # fmt: skip
        elif tree[j, CORNERS] > 0:
            put_in_range(joints, dofs, tree, links, corners, j, old, angles, local)
        place_joint(joints, angles, j, transforms)


@inner
def swivel_of(joints, limb, angles, room):
    """The swivel of an arm that has these angles."""
    shoulder, hinge = limb[0], limb[1]
    vx, vy, vz, _ = arm_geometry(joints, limb, angles[3 * hinge], angles[3 * hinge + 2])
    for n in range(9):
        room[0, n] = 1.0 if n % 4 == 0 else 0.0
    for place in range(3):
        turn_columns(room, 0, int(joints[shoulder, ORDER + place]), angles[3 * shoulder + place])
    wx = room[0, 0] * vx + room[0, 1] * vy + room[0, 2] * vz
    wy = room[0, 3] * vx + room[0, 4] * vy + room[0, 5] * vz
    wz = room[0, 6] * vx + room[0, 7] * vy + room[0, 8] * vz
    put_least(vx, vy, vz, wx, wy, wz, room, 1)
    for n in range(3):  # S R0^T = turn(w, swivel)
        for k in range(3):
            room[2, 3 * n + k] = room[0, 3 * n] * room[1, 3 * k] + room[0, 3 * n + 1] * room[1, 3 * k + 1]
            room[2, 3 * n + k] += room[0, 3 * n + 2] * room[1, 3 * k + 2]
    sine = wx * (room[2, 7] - room[2, 5]) + wy * (room[2, 2] - room[2, 6]) + wz * (room[2, 3] - room[2, 1])
    return math.atan2(sine, room[2, 0] + room[2, 4] + room[2, 8] - 1.0)


@inner
def place_frames(
    joints, dofs, tree, links, corners, limbs, arm_of, courses, swivels, oriented, first, rows, postures,
    all_transforms, moving, same, local, room, shorts, overs,
):  # fmt: skip
    """As frames_of_courses, with room to work in."""
    put_moving(joints, arm_of, moving)
    begin = size = 0  # of the path, and how many frames the one before had
    for f in range(postures.shape[0]):
        if rows[f] == 0:
            begin, size = f, f - begin
            for a in range(same.shape[0]):
                same[a] = True
        like = f - size
        anew = like >= begin or rows[like] != rows[f]
        if not anew:
            copy_still(moving, postures[f], all_transforms[f], postures[like], all_transforms[like])
        note_same(same, anew, courses[f], swivels[f], courses[like], swivels[like])
        for a in range(same.shape[0]):
            if same[a]:
                copy_arm(limbs[a], a, postures[f], shorts[f], overs[f], postures[like], shorts[like], overs[like])
        place_frame(
            joints, dofs, tree, links, corners, limbs, arm_of, moving, same, anew, courses[f], swivels[f], oriented,
            first if rows[f] == 0 else postures[f - 1], postures[f], all_transforms[f], local, room, shorts[f],
            overs[f],
        )  # fmt: skip


@inner
def frames_of_courses(
    joints, dofs, tree, links, corners, limbs, arm_of, courses, swivels, oriented, first, rows, postures,
    all_transforms, shorts, overs,
):  # fmt: skip
    """All frames: postures (frames, angles) hold everything but the arms, and get those. rows (frames,): 0 where a path
    begins; first: the angles before. Where paths of the same frames follow each other, everything but the arms is the
    same in all of them, and so is an arm whose course is. Returns how far the hand that is farthest from its course
    falls short."""
    place_frames(
        joints, dofs, tree, links, corners, limbs, arm_of, courses, swivels, oriented, first, rows, postures,
        all_transforms, np.empty(joints.shape[0], dtype=np.bool_), np.empty(limbs.shape[0], dtype=np.bool_),
        np.zeros((joints.shape[0], 9)), np.zeros((6, 9)), shorts, overs,
    )  # fmt: skip
    most = 0.0
    for f in range(shorts.shape[0]):
        for a in range(shorts.shape[1]):
            most = max(most, shorts[f, a])
    return most
