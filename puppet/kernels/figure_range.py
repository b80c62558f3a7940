"""Ranges of ball joints, compiled; puppet.body.joint_range holds the readable twin.

A rotation's coordinates are its swing a = n sin(gamma / 2), two numbers, and its twist about the bone. It is inside
when every half-plane n_k . a <= c_k holds and the twist lies between bounds that are linear in each triangle.
"""

from __future__ import annotations

import math

from puppet.kernels.figure_model import (
    BONE,
    BONE_SIGN,
    CORNER,
    CORNER_POINT,
    CORNER_TWIST,
    CORNERS,
    OWN_FRAME,
    PARENT_FRAME,
    PLANE,
    RANGE_CENTRE,
    RANGE_CENTRE_TWIST,
)
from puppet.kernels.jit import inner
from puppet.kernels.rotation import triple


@inner
def quaternion_of(m, row, at):
    """(w, x, y, z) of the rotation in m[row, at:at + 9], w not negative; at is a float: see puppet.kernels.jit."""
    first = int(at)
    xx, xy, xz = triple(m, row, first)
    yx, yy, yz = triple(m, row, first + 3)
    zx, zy, zz = triple(m, row, first + 6)
    trace = xx + yy + zz
    if trace > 0.0:
        w, x, y, z = 1.0 + trace, zy - yz, xz - zx, yx - xy
    elif xx >= yy and xx >= zz:
        w, x, y, z = zy - yz, 1.0 + xx - yy - zz, xy + yx, xz + zx
    elif yy >= zz:
        w, x, y, z = xz - zx, xy + yx, 1.0 + yy - xx - zz, yz + zy
    else:
        w, x, y, z = yx - xy, xz + zx, yz + zy, 1.0 + zz - xx - yy
    s = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    if w < 0.0:
        s = -s
    return s * w, s * x, s * y, s * z


@inner
def relative_quaternion(before, after, row, at):
    """conj(p) q, for the quaternions p and q of the rotations in a row of before and after, from column `at` on: the
    turn from one to the other, in the coordinates of either."""
    a, b, c, d = quaternion_of(before, row, at)
    w, x, y, z = quaternion_of(after, row, at)
    return (
        a * w + b * x + c * y + d * z, a * x - b * w - c * z + d * y, a * y - c * w - d * x + b * z,
        a * z - d * w - b * y + c * x,
    )  # fmt: skip


@inner
def quaternion_vector(w, x, y, z, share):
    """share * 2 atan2(|(x, y, z)|, w) times the axis: a share of the rotation of a quaternion of length 1."""
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    square = x * x + y * y + z * z
    if square < 1e-3 * w * w:  # atan(t) / t as a series: 2e-17 off at most
        t = square / (w * w)
        k = (1.0 - t * (1.0 / 3.0 - t * (0.2 - t * (1.0 / 7.0 - t * (1.0 / 9.0 - t / 11.0))))) / w
    else:
        s = math.sqrt(square)
        k = math.atan2(s, w) / s
    k *= 2.0 * share
    return k * x, k * y, k * z


@inner
def turn_between(m, row, at, other, other_row, other_at):
    """The rotation vector of B A^T, for the rotations A in m[row, at:at + 9] and B in the other matrix.

    sin(angle) times the axis is the antisymmetric part of B A^T.
    """
    i, k = int(at), int(other_at)
    ax, ay, az = triple(m, row, i)
    bx, by, bz = triple(m, row, i + 3)
    cx, cy, cz = triple(m, row, i + 6)
    px, py, pz = triple(other, other_row, k)
    qx, qy, qz = triple(other, other_row, k + 3)
    rx, ry, rz = triple(other, other_row, k + 6)
    x = 0.5 * (rx * bx + ry * by + rz * bz - qx * cx - qy * cy - qz * cz)
    y = 0.5 * (px * cx + py * cy + pz * cz - rx * ax - ry * ay - rz * az)
    z = 0.5 * (qx * ax + qy * ay + qz * az - px * bx - py * by - pz * bz)
    cosine = 0.5 * (px * ax + py * ay + pz * az + qx * bx + qy * by + qz * bz + rx * cx + ry * cy + rz * cz - 1.0)
    u = x * x + y * y + z * z
    if cosine < -0.5:
        a, b, c, d = quaternion_of(m, row, at)
        w, x, y, z = quaternion_of(other, other_row, other_at)
        a, b, c, d = quaternion_product(w, x, y, z, a, -b, -c, -d)
        return quaternion_vector(a, b, c, d, 1.0)
    if cosine > 0.0 and u < 0.01:  # asin(s) / s as a series: 1e-17 off at most
        share = 63.0 / 2816.0 + u * (231.0 / 13312.0 + u * 143.0 / 10240.0)
        share = 1.0 + u * (1.0 / 6.0 + u * (3.0 / 40.0 + u * (5.0 / 112.0 + u * (35.0 / 1152.0 + u * share))))
    else:
        s = math.sqrt(u)
        share = math.atan2(s, cosine) / s
    return share * x, share * y, share * z


@inner
def put_quaternion(w, x, y, z, m, row):
    """The rotation of a quaternion into m[row, 0:9]; its length does not matter."""
    s = 2.0 / (w * w + x * x + y * y + z * z)
    m[row, 0] = 1.0 - s * (y * y + z * z)
    m[row, 1] = s * (x * y - w * z)
    m[row, 2] = s * (x * z + w * y)
    m[row, 3] = s * (x * y + w * z)
    m[row, 4] = 1.0 - s * (x * x + z * z)
    m[row, 5] = s * (y * z - w * x)
    m[row, 6] = s * (x * z - w * y)
    m[row, 7] = s * (y * z + w * x)
    m[row, 8] = 1.0 - s * (x * x + y * y)


@inner
def turned_quaternion(local, j, x, y, z):
    """q exp(w / 2), of about length 1, for the quaternion q of a joint and a rotation vector w in its coordinates."""
    square = x * x + y * y + z * z
    if square < 0.04:  # sin(a / 2) / a and cos(a / 2) as series: 1e-18 off at most
        t = 0.25 * square
        s = 0.5 * (1.0 - t / 6.0 * (1.0 - t / 20.0 * (1.0 - t / 42.0 * (1.0 - t / 72.0))))
        c = 1.0 - t / 2.0 * (1.0 - t / 12.0 * (1.0 - t / 30.0 * (1.0 - t / 56.0 * (1.0 - t / 90.0))))
    else:
        angle = math.sqrt(square)
        s, c = math.sin(0.5 * angle) / angle, math.cos(0.5 * angle)
    w, a, b, d = quaternion_of(local, j, 0.0)
    return quaternion_product(w, a, b, d, c, s * x, s * y, s * z)


@inner
def turn_ball(local, j, x, y, z):
    """L = L exp(w) for a rotation vector w in the joint's own coordinates; the result is a rotation to the last bit."""
    w, x, y, z = turned_quaternion(local, j, x, y, z)
    put_quaternion(w, x, y, z, local, j)


@inner
def swing_and_twist(bone, sign, w, x, y, z):
    """Coordinates (a1, a2, twist) of a quaternion: q = swing * twist, the twist about the bone."""
    along = sign * (x if bone == 0 else (y if bone == 1 else z))
    length = math.sqrt(w * w + along * along)
    if length < 1e-12:
        if bone == 0:
            return y, z, 0.0
        return (x, z, 0.0) if bone == 1 else (x, y, 0.0)
    c, s = w / length, along / length
    # swing = q * conjugate of the twist (c, s along the bone)
    t = sign * s
    if bone == 0:
        a1, a2 = c * y - t * z, c * z + t * y
    elif bone == 1:
        a1, a2 = c * x + t * z, c * z - t * x
    else:
        a1, a2 = c * x - t * y, c * y + t * x
    return a1, a2, 2.0 * math.atan2(s, c)


@inner
def quaternion_product(a, b, c, d, w, x, y, z):
    """The product of two quaternions."""
    return (
        a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y, a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    )  # fmt: skip


@inner
def seen_from_frames(links, j, w, x, y, z):
    """P^T L C, for a joint's quaternion: its rotation as its range has it."""
    n, m = PARENT_FRAME, OWN_FRAME
    w, x, y, z = quaternion_product(w, x, y, z, links[j, m], links[j, m + 1], links[j, m + 2], links[j, m + 3])
    return quaternion_product(links[j, n], -links[j, n + 1], -links[j, n + 2], -links[j, n + 3], w, x, y, z)


@inner
def range_quaternion(links, j, bone, sign, a1, a2, twist):
    """The joint's quaternion that has a swing and a twist, seen from the frames of its range."""
    v = math.sqrt(max(0.0, 1.0 - a1 * a1 - a2 * a2))
    c, t = math.cos(0.5 * twist), sign * math.sin(0.5 * twist)
    w, x, y, z = v * c, a1 * c + a2 * t, a2 * c - a1 * t, v * t
    if bone == 0:
        x, y, z = v * t, a1 * c + a2 * t, a2 * c - a1 * t
    elif bone == 1:
        x, y, z = a1 * c - a2 * t, v * t, a2 * c + a1 * t
    n, m = PARENT_FRAME, OWN_FRAME
    w, x, y, z = quaternion_product(w, x, y, z, links[j, m], -links[j, m + 1], -links[j, m + 2], -links[j, m + 3])
    return quaternion_product(links[j, n], links[j, n + 1], links[j, n + 2], links[j, n + 3], w, x, y, z)


@inner
def twist_bounds(joints, links, corners, j, a1, a2):
    """Lower and upper bound of the twist at a swing, and their gradients: (lower, d1, d2, upper, d1, d2)."""
    first, count = joints[j, CORNER], joints[j, CORNERS]
    m1, m2 = links[j, RANGE_CENTRE], links[j, RANGE_CENTRE + 1]
    lower0, upper0 = links[j, RANGE_CENTRE_TWIST], links[j, RANGE_CENTRE_TWIST + 1]
    x, y = a1 - m1, a2 - m2
    for n in range(count):
        k, m = first + n, first + (n + 1) % count
        ax, ay = corners[k, CORNER_POINT] - m1, corners[k, CORNER_POINT + 1] - m2
        bx, by = corners[m, CORNER_POINT] - m1, corners[m, CORNER_POINT + 1] - m2
        area = ax * by - ay * bx
        u, v = x * by - y * bx, ax * y - ay * x
        least = -1e-12 * area  # corners are in turn, so areas are above 0
        if u >= least and v >= least:
            u, v = u / area, v / area
            du, dv = corners[k, CORNER_TWIST] - lower0, corners[m, CORNER_TWIST] - lower0
            eu, ev = corners[k, CORNER_TWIST + 1] - upper0, corners[m, CORNER_TWIST + 1] - upper0
            if u + v > 1.0 + 1e-9:  # outside the region as on its edge; what is on the edge is inside
                share = u + v
                return (
                    lower0 + (u * du + v * dv) / share, 0.0, 0.0,
                    upper0 + (u * eu + v * ev) / share, 0.0, 0.0,
                )  # fmt: skip
            return (
                lower0 + u * du + v * dv, (du * by - dv * ay) / area, (dv * ax - du * bx) / area,
                upper0 + u * eu + v * ev, (eu * by - ev * ay) / area, (ev * ax - eu * bx) / area,
            )  # fmt: skip
    return lower0, 0.0, 0.0, upper0, 0.0, 0.0


@inner
def project_into_range(joints, links, corners, local, j):
    """Moves a joint's rotation onto the boundary of its range where it is outside; returns by how far, about."""
    if joints[j, CORNERS] == 0:
        return 0.0
    w, x, y, z = quaternion_of(local, j, 0.0)
    w, x, y, z, away = inside_range(joints, links, corners, j, w, x, y, z)
    if away > 0.0:
        put_quaternion(w, x, y, z, local, j)
    return away


@inner
def inside_range(joints, links, corners, j, w, x, y, z):
    """A joint's quaternion, of any length; where it is outside its range, the one on the boundary instead. With it, by
    how far it was outside, about."""
    first, count = joints[j, CORNER], joints[j, CORNERS]
    if count == 0:
        return w, x, y, z, 0.0
    bone, sign = int(links[j, BONE]), links[j, BONE_SIGN]
    s = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    d, a, b, c = seen_from_frames(links, j, s * w, s * x, s * y, s * z)
    if d < 0.0:
        d, a, b, c = -d, -a, -b, -c
    a1, a2, twist = swing_and_twist(bone, sign, d, a, b, c)
    b1, b2 = a1, a2
    worst = 0.0
    for n in range(count):
        worst = max(worst, plane_excess(corners, first + n, a1, a2))
    if worst > 0.0:  # the nearest point of the boundary: on one of the sides, or a corner
        least = 1e30
        for n in range(count):
            k, m = first + n, first + (n + 1) % count
            px, py = corners[k, CORNER_POINT], corners[k, CORNER_POINT + 1]
            ux, uy = corners[m, CORNER_POINT] - px, corners[m, CORNER_POINT + 1] - py
            t = ((a1 - px) * ux + (a2 - py) * uy) / (ux * ux + uy * uy)
            t = min(1.0, max(0.0, t))
            qx, qy = px + t * ux, py + t * uy
            distance = (a1 - qx) * (a1 - qx) + (a2 - qy) * (a2 - qy)
            if distance < least:
                least, b1, b2 = distance, qx, qy
    lower, _, _, upper, _, _ = twist_bounds(joints, links, corners, j, b1, b2)
    bounded = min(max(twist, lower), upper)
    away = max(2.0 * worst, abs(twist - bounded))
    if away > 0.0:
        w, x, y, z = range_quaternion(links, j, bone, sign, b1, b2, bounded)
    return w, x, y, z, away


@inner
def plane_excess(corners, k, a1, a2):
    """How far a swing is outside one side of a region."""
    return corners[k, PLANE] * a1 + corners[k, PLANE + 1] * a2 - corners[k, PLANE + 2]
