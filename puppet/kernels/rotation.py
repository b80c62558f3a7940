"""Rotations about coordinate axes, vectors in and out of transforms, and arithmetic of angles."""

from __future__ import annotations

import math

from puppet.kernels.jit import inlined, inner

TURN = 2.0 * math.pi


@inner
def parity(i, j):
    """+1 where j follows i in the cycle x, y, z, else -1."""
    return 1.0 if (i + 1) % 3 == j else -1.0


@inlined
def triple(table, row, at):
    """Three neighbours in a row of a table. One access in the source is one to compile: these helpers keep them few."""
    return table[row, at], table[row, at + 1], table[row, at + 2]


@inner
def world_component(transforms, j, n, x, y, z):
    """Component n (a float) in the world of a vector (x, y, z) of transform j."""
    at = 3 + int(3 * n)
    return transforms[j, at] * x + transforms[j, at + 1] * y + transforms[j, at + 2] * z


@inlined
def to_world(transforms, j, x, y, z):
    """R v: a vector in the coordinates of transform j, in the world."""
    return (
        world_component(transforms, j, 0.0, x, y, z),
        world_component(transforms, j, 1.0, x, y, z),
        world_component(transforms, j, 2.0, x, y, z),
    )


@inlined
def to_local(transforms, j, x, y, z):
    """R^T v: a world vector in the coordinates of transform j; unchanged where j is -1."""
    if j < 0:
        return x, y, z
    a = b = c = 0.0
    for n in range(3):
        w = x if n == 0 else (y if n == 1 else z)
        at = 3 + 3 * n
        a += transforms[j, at] * w
        b += transforms[j, at + 1] * w
        c += transforms[j, at + 2] * w
    return a, b, c


@inner
def turn_vector(axis, angle, x, y, z):
    """R_axis(angle) (x, y, z)."""
    c, s = math.cos(angle), math.sin(angle)
    if axis == 0:
        return x, c * y - s * z, s * y + c * z
    if axis == 1:
        return c * x + s * z, y, c * z - s * x
    return c * x - s * y, s * x + c * y, z


@inner
def turn_left(axis, angle, m, at):
    """M = R_axis(angle) M for a 3 x 3 matrix stored row by row in m[at:at + 9]."""
    a, b = at + 3 * ((axis + 1) % 3), at + 3 * ((axis + 2) % 3)
    c, s = math.cos(angle), math.sin(angle)
    for n in range(3):
        ma, mb = m[a + n], m[b + n]
        m[a + n] = c * ma - s * mb
        m[b + n] = s * ma + c * mb


@inner
def turn_transform(transforms, j, axis, angle):
    """R = R R_axis(angle) for the rotation R in transform j."""
    a, b = 3 + (axis + 1) % 3, 3 + (axis + 2) % 3
    c, s = math.cos(angle), math.sin(angle)
    for n in range(0, 9, 3):
        ma, mb = transforms[j, a + n], transforms[j, b + n]
        transforms[j, a + n] = c * ma + s * mb
        transforms[j, b + n] = c * mb - s * ma


@inner
def wrap_into(angle, lower, upper):
    """The angle plus whole turns that is inside the limits, or nearest to their middle."""
    if lower <= angle <= upper:
        return angle
    middle = 0.5 * (lower + upper)
    return angle - TURN * math.floor((angle - middle) / TURN + 0.5)


@inner
def excess(angle, lower, upper):
    """By how much an angle is outside its limits."""
    if angle < lower:
        return lower - angle
    return angle - upper if angle > upper else 0.0


@inner
def angle_between(transforms, j, goal):
    """The angle in radians between the rotation of transform j and that of a goal (12,)."""
    trace = x = y = z = 0.0  # x, y, z: twice the sine times the axis, from the antisymmetric part
    for a in range(3, 12, 3):
        p0, p1, p2 = triple(transforms, j, a)
        q0, q1, q2 = goal[a], goal[a + 1], goal[a + 2]
        trace += p0 * q0 + p1 * q1 + p2 * q2
        x += p2 * q1 - p1 * q2
        y += p0 * q2 - p2 * q0
        z += p1 * q0 - p0 * q1
    return math.atan2(math.sqrt(x * x + y * y + z * z), trace - 1.0)
