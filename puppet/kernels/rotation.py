"""Rotations about coordinate axes and small angle arithmetic, compiled."""

from __future__ import annotations

import math

from numba import njit

TURN = 2.0 * math.pi


@njit(cache=True)
def parity(i, j):
    """+1 where j follows i in the cycle x, y, z, else -1."""
    return 1.0 if (i + 1) % 3 == j else -1.0


@njit(cache=True)
def rotate_vector(axis, angle, v, at):
    """v[at:at + 3] = R_axis(angle) v[at:at + 3]."""
    a, b = at + (axis + 1) % 3, at + (axis + 2) % 3
    c, s = math.cos(angle), math.sin(angle)
    va, vb = v[a], v[b]
    v[a] = c * va - s * vb
    v[b] = s * va + c * vb


@njit(cache=True)
def rotate_left(axis, angle, m, at):
    """M = R_axis(angle) M for a 3 x 3 matrix stored row by row in m[at:at + 9]."""
    a, b = at + 3 * ((axis + 1) % 3), at + 3 * ((axis + 2) % 3)
    c, s = math.cos(angle), math.sin(angle)
    for n in range(3):
        ma, mb = m[a + n], m[b + n]
        m[a + n] = c * ma - s * mb
        m[b + n] = s * ma + c * mb


@njit(cache=True)
def rotate_right(m, row, at, axis, angle):
    """M = M R_axis(angle) for a 3 x 3 matrix stored row by row in m[row, at:at + 9]."""
    a, b = at + (axis + 1) % 3, at + (axis + 2) % 3
    c, s = math.cos(angle), math.sin(angle)
    for n in range(0, 9, 3):
        ma, mb = m[row, a + n], m[row, b + n]
        m[row, a + n] = c * ma + s * mb
        m[row, b + n] = c * mb - s * ma


@njit(cache=True)
def wrap_into(angle, lower, upper):
    """The angle plus whole turns that lies in the limits, or nearest to them."""
    if lower <= angle <= upper:
        return angle
    middle = 0.5 * (lower + upper)
    return angle - TURN * math.floor((angle - middle) / TURN + 0.5)


@njit(cache=True)
def excess(angle, lower, upper):
    """By how much an angle is outside its limits."""
    return max(0.0, lower - angle, angle - upper)


@njit(cache=True)
def frame_angle(frames, j, goal):
    """Angle in radians between the rotation of frame j and that of a goal, both rows of position and rotation."""
    trace = x = y = z = 0.0  # x, y, z: twice the sine times the axis, from the antisymmetric part
    for a in range(3):
        p0, p1, p2 = frames[j, 3 + 3 * a], frames[j, 4 + 3 * a], frames[j, 5 + 3 * a]
        q0, q1, q2 = goal[3 + 3 * a], goal[4 + 3 * a], goal[5 + 3 * a]
        trace += p0 * q0 + p1 * q1 + p2 * q2
        x += p2 * q1 - p1 * q2
        y += p0 * q2 - p2 * q0
        z += p1 * q0 - p0 * q1
    return math.atan2(math.sqrt(x * x + y * y + z * z), trace - 1.0)
