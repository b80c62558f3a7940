"""Forward kinematics of a figure, and the axes that its velocities turn it about, compiled.

p_j = p_parent + R_parent offset_j,  R_j = R_parent L_j. A velocity v turns everything below its joint about a world
axis w_v through the joint's centre o_v, so that a point p of a link below moves with dp/dv = w_v x (p - o_v); the first
three of a free root move everything along a world axis.
"""

from __future__ import annotations

import math

from puppet.kernels.figure_model import (
    ANGLE,
    BALL,
    COUNT,
    JOINT_AXES,
    JOINT_FIRST,
    JOINT_PARENT,
    LINK_OFFSET,
    VELOCITY_LOWER,
    VELOCITY_UPPER,
    VELOCITY_WIDE_LOWER,
    VELOCITY_WIDE_UPPER,
    VELOCITY_WIDENS_WITH,
)
from puppet.kernels.jit import inner
from puppet.kernels.rotation import to_world, triple


@inner
def turn_columns(m, row, axis, angle):
    """M = M R_axis(angle) for the matrix in m[row, 0:9]."""
    a, b = (axis + 1) % 3, (axis + 2) % 3
    c, s = math.cos(angle), math.sin(angle)
    for n in range(0, 9, 3):
        ma, mb = m[row, a + n], m[row, b + n]
        m[row, a + n] = c * ma + s * mb
        m[row, b + n] = c * mb - s * ma


@inner
def place_figure(joints, links, velocities, free, angles, local, world, axes):
    """world (joints, 12): position and rotation of each joint; axes (velocities, 6): world axis and origin of each.

    free: 1 where the root moves through space, else 0. local is brought up to date for joints that are turned by
    angles.
    """
    for j in range(joints.shape[0]):
        parent, first, count = joints[j, JOINT_PARENT], joints[j, JOINT_FIRST], joints[j, COUNT]
        if joints[j, BALL] == 0:
            for n in range(9):
                local[j, n] = 1.0 if n % 4 == 0 else 0.0
            for k in range(count):  # its axis, seen from the parent: that of all rotations before it
                axis = joints[j, JOINT_AXES + k]
                for n in range(3):
                    axes[first + k, n] = local[j, 3 * n + axis]
                turn_columns(local, j, axis, angles[int(velocities[first + k, ANGLE])])
        x, y, z = triple(links, j, LINK_OFFSET)
        if parent < 0:
            for n in range(3):
                world[j, n] = links[j, LINK_OFFSET + n] + (angles[n] if free == 1 else 0.0)
            for n in range(9):
                world[j, 3 + n] = local[j, n]
        else:
            a, b, c = triple(local, j, 0)
            d, e, f = triple(local, j, 3)
            g, h, i = triple(local, j, 6)
            for n in range(3):
                p, q, r = triple(world, parent, 3 + 3 * n)
                world[j, n] = world[parent, n] + p * x + q * y + r * z
                world[j, 3 + 3 * n] = p * a + q * d + r * g
                world[j, 4 + 3 * n] = p * b + q * e + r * h
                world[j, 5 + 3 * n] = p * c + q * f + r * i
        put_axes(joints, world, j, axes)
    if free == 1:
        for v in range(3):
            for n in range(3):
                axes[v, n] = 1.0 if n == v else 0.0
                axes[v, 3 + n] = 0.0


@inner
def put_axes(joints, world, j, axes):
    """The axes of one joint's velocities in the world: of a ball joint its own three, else those that stand in
    `axes` seen from its parent."""
    parent, first, count = joints[j, JOINT_PARENT], joints[j, JOINT_FIRST], joints[j, COUNT]
    ox, oy, oz = triple(world, j, 0)
    for k in range(first, first + count):
        x, y, z = triple(axes, k, 0)
        if joints[j, BALL] == 1:
            x, y, z = world[j, 3 + k - first], world[j, 6 + k - first], world[j, 9 + k - first]
        elif parent >= 0:
            x, y, z = to_world(world, parent, x, y, z)
        axes[k, 0], axes[k, 1], axes[k, 2] = x, y, z
        axes[k, 3], axes[k, 4], axes[k, 5] = ox, oy, oz


@inner
def put_ball_angles(joints, velocities, local, angles):
    """The angles of ball joints, nearest to those that they had."""
    for q in range(joints.shape[0]):
        if joints[q, BALL] == 1:
            at = int(velocities[joints[q, JOINT_FIRST], ANGLE])
            angles[at], angles[at + 1], angles[at + 2] = angles_near(
                local, q, joints[q, JOINT_AXES], joints[q, JOINT_AXES + 1], joints[q, JOINT_AXES + 2],
                angles[at], angles[at + 1], angles[at + 2],
            )  # fmt: skip


@inner
def angles_near(m, row, i, j, k, near_a, near_b, near_c):
    """The angles about axes i, j, k of the rotation in m[row, 0:9], nearest to others: R = R_i(a) R_j(b) R_k(c).

    With s = 1 for a cyclic order, else -1: sin b = s R_ik, tan a = -s R_jk / R_kk, tan c = -s R_ij / R_ii; or a + pi,
    pi - b, c + pi.
    """
    s = 1.0 if (i + 1) % 3 == j else -1.0
    sine = min(1.0, max(-1.0, s * m[row, 3 * i + k]))
    b = math.asin(sine)
    if abs(sine) > 1.0 - 1e-12:  # the first and the last axis are the same: all of the turn to the first one
        # R_i(a +- c): read off the turn about i
        total = math.atan2(m[row, 3 * k + j] * s, m[row, 3 * j + j])
        a = total - near_c if sine > 0.0 else total + near_c
        return near(a, near_a), near(b, near_b), near_c
    a = math.atan2(-s * m[row, 3 * j + k], m[row, 3 * k + k])
    c = math.atan2(-s * m[row, 3 * i + j], m[row, 3 * i + i])
    a1, b1, c1 = near(a, near_a), near(b, near_b), near(c, near_c)
    a2, b2, c2 = near(a + math.pi, near_a), near(math.pi - b, near_b), near(c + math.pi, near_c)
    one = abs(a1 - near_a) + abs(b1 - near_b) + abs(c1 - near_c)
    two = abs(a2 - near_a) + abs(b2 - near_b) + abs(c2 - near_c)
    if one <= two:
        return a1, b1, c1
    return a2, b2, c2


@inner
def near(angle, to):
    """The same angle, by whole turns nearest to another."""
    return angle - 2.0 * math.pi * math.floor((angle - to) / (2.0 * math.pi) + 0.5)


@inner
def limits_now(velocities, angles, v):
    """Lower and upper limit of an angle, which for some widen with the bend of another: thesis (5.32), (5.33)."""
    lower, upper = velocities[v, VELOCITY_LOWER], velocities[v, VELOCITY_UPPER]
    other = int(velocities[v, VELOCITY_WIDENS_WITH])
    if other >= 0:
        share = min(1.0, 2.0 * abs(angles[int(velocities[other, ANGLE])]) / math.pi)
        lower += share * (velocities[v, VELOCITY_WIDE_LOWER] - lower)
        upper += share * (velocities[v, VELOCITY_WIDE_UPPER] - upper)
    return lower, upper


@inner
def widening_now(velocities, angles, v):
    """The velocity with whose bend the limits of an angle widen, and the slopes of its lower and its upper limit."""
    other = int(velocities[v, VELOCITY_WIDENS_WITH])
    if other < 0:
        return v, 0.0, 0.0
    bend = angles[int(velocities[other, ANGLE])]
    if bend == 0.0 or abs(bend) >= 0.5 * math.pi:
        return v, 0.0, 0.0
    slope = math.copysign(2.0 / math.pi, bend)
    return (
        other,
        slope * (velocities[v, VELOCITY_WIDE_LOWER] - velocities[v, VELOCITY_LOWER]),
        slope * (velocities[v, VELOCITY_WIDE_UPPER] - velocities[v, VELOCITY_UPPER]),
    )
