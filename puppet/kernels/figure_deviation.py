"""How postures deviate from recorded ones, postures that do, and smooth courses of deviations, compiled: see
puppet.clip.deviation.

balls (n, 5): the first angle and the three axes of each joint whose deviation is a rotation vector v, and whether it is
a root. R = R_recorded exp(v); of a root R = exp(v) R_recorded. Of all else it is a difference.
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.figure_kinematics import angles_near, turn_columns
from puppet.kernels.jit import inner

_FIRST, _AXES, _ROOT = 0, 1, 4  # columns of balls


@inner
def put_clip_deviations(balls, recorded, postures, deviations):
    """Of postures (frames, dofs) from recorded ones."""
    room = np.empty((3, 9))
    for f in range(recorded.shape[0]):
        for v in range(recorded.shape[1]):
            deviations[f, v] = postures[f, v] - recorded[f, v]
        for b in range(balls.shape[0]):
            at = balls[b, _FIRST]
            _put_turned(balls, b, recorded[f], room, 0)
            _put_turned(balls, b, postures[f], room, 1)
            x, y, z = _turn_between(room)
            if balls[b, _ROOT]:  # A exp(v) = exp(A v) A
                x, y, z = (
                    room[0, 0] * x + room[0, 1] * y + room[0, 2] * z,
                    room[0, 3] * x + room[0, 4] * y + room[0, 5] * z,
                    room[0, 6] * x + room[0, 7] * y + room[0, 8] * z,
                )
            deviations[f, at], deviations[f, at + 1], deviations[f, at + 2] = x, y, z


@inner
def put_clip_displaced(balls, recorded, deviations, postures):
    """Postures (frames, dofs) that deviate so from recorded ones, with angles nearest to theirs."""
    room = np.empty((2, 9))
    for f in range(recorded.shape[0]):
        for v in range(recorded.shape[1]):
            postures[f, v] = recorded[f, v] + deviations[f, v]
        for b in range(balls.shape[0]):
            at = balls[b, _FIRST]
            _put_turned(balls, b, recorded[f], room, 0)
            x, y, z = deviations[f, at], deviations[f, at + 1], deviations[f, at + 2]
            if balls[b, _ROOT]:
                x, y, z = (
                    room[0, 0] * x + room[0, 3] * y + room[0, 6] * z,
                    room[0, 1] * x + room[0, 4] * y + room[0, 7] * z,
                    room[0, 2] * x + room[0, 5] * y + room[0, 8] * z,
                )
            _turn_on(room, x, y, z)
            postures[f, at], postures[f, at + 1], postures[f, at + 2] = angles_near(
                room, 1, balls[b, _AXES], balls[b, _AXES + 1], balls[b, _AXES + 2],
                recorded[f, at], recorded[f, at + 1], recorded[f, at + 2],
            )  # fmt: skip


@inner
def put_clip_course(controls, first, last, fixed_first, fixed_last, frames, deviations):
    """A uniform cubic B-spline over the frames first to last with control points (knots, n), in some frames.
    fixed_first, fixed_last: 1 where it is fixed there, with zero for the two control points at that end and beyond it;
    else it goes straight on."""
    count = controls.shape[0]
    for f in range(frames.shape[0]):
        place = (frames[f] - first) / (last - first) * (count - 1)
        knot = min(max(math.floor(place), 0), count - 2)
        t = place - knot
        u = 1.0 - t
        weights = u**3, 3.0 * t**3 - 6.0 * t**2 + 4.0, 3.0 * u**3 - 6.0 * u**2 + 4.0, t**3
        for v in range(controls.shape[1]):
            total = 0.0
            for n in range(4):
                k = knot - 1 + n
                if k < 0:
                    value = 2.0 * controls[0, v] - controls[1, v] if fixed_first == 0 else 0.0
                elif k >= count:
                    value = 2.0 * controls[count - 1, v] - controls[count - 2, v] if fixed_last == 0 else 0.0
                elif (fixed_first == 1 and k < 2) or (fixed_last == 1 and k >= count - 2):
                    value = 0.0
                else:
                    value = controls[k, v]
                total += weights[n] * value
            deviations[f, v] = total / 6.0


@inner
def _put_turned(balls, b, angles, room, row):
    """The rotation of a joint, row by row."""
    for n in range(9):
        room[row, n] = 1.0 if n % 4 == 0 else 0.0
    for k in range(3):
        turn_columns(room, row, balls[b, _AXES + k], angles[balls[b, _FIRST] + k])


@inner
def _turn_between(room):
    """The rotation vector of A^T B, by its quaternion: whichever of its components is large enough to divide by."""
    for a in range(3):
        for b in range(3):
            room[2, 3 * a + b] = (
                room[0, a] * room[1, b] + room[0, 3 + a] * room[1, 3 + b] + room[0, 6 + a] * room[1, 6 + b]
            )
    trace = room[2, 0] + room[2, 4] + room[2, 8]
    x, y, z = room[2, 7] - room[2, 5], room[2, 2] - room[2, 6], room[2, 3] - room[2, 1]
    w = 1.0 + trace
    if trace < 0.0:
        xy, yz, zx = room[2, 1] + room[2, 3], room[2, 5] + room[2, 7], room[2, 6] + room[2, 2]
        if room[2, 0] >= max(room[2, 4], room[2, 8]):
            w, x, y, z = x, 1.0 + 2.0 * room[2, 0] - trace, xy, zx
        elif room[2, 4] >= room[2, 8]:
            w, x, y, z = y, xy, 1.0 + 2.0 * room[2, 4] - trace, yz
        else:
            w, x, y, z = z, zx, yz, 1.0 + 2.0 * room[2, 8] - trace
        if w < 0.0:
            w, x, y, z = -w, -x, -y, -z
    length = math.sqrt(x * x + y * y + z * z)
    share = 2.0 * math.atan2(length, w) / length if length > 0.0 else 0.0
    return share * x, share * y, share * z


@inner
def _turn_on(room, x, y, z):
    """B = A exp((x, y, z))."""
    angle = math.sqrt(x * x + y * y + z * z)
    s = math.sin(angle) / angle if angle > 1e-12 else 1.0
    half = math.sin(0.5 * angle) / angle if angle > 1e-12 else 0.5
    c = 2.0 * half * half
    d = 1.0 - c * angle * angle
    for n in range(0, 9, 3):
        p, q, r = room[0, n], room[0, n + 1], room[0, n + 2]
        along = c * (p * x + q * y + r * z)
        room[1, n] = d * p + along * x + s * (q * z - r * y)
        room[1, n + 1] = d * q + along * y + s * (r * x - p * z)
        room[1, n + 2] = d * r + along * z + s * (p * y - q * x)
