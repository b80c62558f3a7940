"""Rotations of many frames at once: as matrices, as Euler angles, as quaternions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from puppet.types import Floats

_UNIT = np.eye(3)


def axis_rotation(axis: int, angle: float) -> Floats:
    """Rotation by `angle` radians about x (0), y (1) or z (2), right-handed, for column vectors."""
    a, b = (axis + 1) % 3, (axis + 2) % 3
    rotation = _UNIT.copy()
    rotation[a, a] = rotation[b, b] = math.cos(angle)
    rotation[b, a] = math.sin(angle)
    rotation[a, b] = -math.sin(angle)
    return rotation


def axis_rotations(axis: int, angles: Floats) -> Floats:
    """Rotations by angles (frames,) in radians about one axis, (frames, 3, 3)."""
    a, b = (axis + 1) % 3, (axis + 2) % 3
    found = np.zeros((len(angles), 3, 3))
    sine, cosine = np.sin(angles), np.cos(angles)
    found[:, axis, axis] = 1.0
    found[:, a, a] = found[:, b, b] = cosine
    found[:, b, a] = sine
    found[:, a, b] = -sine
    return found


def unwrapped(angles: Floats, period: float = 2.0 * math.pi) -> Floats:
    """Angles (frames, n) as np.unwrap has them, which is slow where they do not jump."""
    if len(angles) < 2 or np.abs(angles[1:] - angles[:-1]).max(initial=0.0) < 0.5 * period:
        return angles
    return np.asarray(np.unwrap(angles, axis=0, period=period))


def continuous_angles(angles: Floats) -> Floats:
    """Euler angles (frames, 3) in degrees of the same orientations, chosen so that they do not jump between frames.

    Whole turns are removed first. Where an angle still jumps by more than a quarter turn, the other triple of the same
    orientation, (a + 180, 180 - b, c + 180), is taken if it is nearer.
    """
    if len(angles) < 2 or np.abs(angles[1:] - angles[:-1]).max() <= 90.0:
        return angles
    found = unwrapped(angles, 360.0)
    if np.abs(np.diff(found, axis=0)).max() <= 90.0:
        return found
    for n in range(1, len(found)):
        before, own = found[n - 1], _nearest(angles[n], found[n - 1])
        jump = np.abs(own - before).max()
        if jump > 90.0:
            other = _nearest(np.array([1.0, -1.0, 1.0]) * angles[n] + 180.0, before)
            own = other if np.abs(other - before).max() < jump else own
        found[n] = own
    return found


def _nearest(angles: Floats, to: Floats) -> Floats:
    """Angles changed by whole turns to the nearest ones."""
    return np.asarray(angles + 360.0 * np.round((to - angles) / 360.0))


def euler_angles(rotations: Floats, order: Sequence[int]) -> Floats:
    """Euler angles (frames, 3) in degrees, about three different axes in this order (R = R1 R2 R3), of rotations
    (frames, 3, 3). In gimbal lock the third angle is zero.
    """
    i, j, k = order
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    if len(rotations) == 1:
        return np.degrees([_euler_angles(rotations[0].tolist(), i, j, k, sign)])
    sine = np.clip(sign * rotations[:, i, k], -1.0, 1.0)
    flat = np.abs(sine) > 1.0 - 1e-12
    first = np.arctan2(-sign * rotations[:, j, k], rotations[:, k, k])
    third = np.arctan2(-sign * rotations[:, i, j], rotations[:, i, i])
    first = np.where(flat, np.arctan2(sign * rotations[:, k, j], rotations[:, j, j]), first)
    angles = np.stack([first, np.arcsin(sine), np.where(flat, 0.0, third)], axis=1)
    return np.asarray(np.degrees(angles))


def _euler_angles(m: list[list[float]], i: int, j: int, k: int, sign: float) -> tuple[float, float, float]:
    """The same of one rotation, in radians: NumPy is slow for so few numbers."""
    sine = min(max(sign * m[i][k], -1.0), 1.0)
    if abs(sine) > 1.0 - 1e-12:
        return math.atan2(sign * m[k][j], m[j][j]), math.asin(sine), 0.0
    return math.atan2(-sign * m[j][k], m[k][k]), math.asin(sine), math.atan2(-sign * m[i][j], m[i][i])


def quaternions(rotations: Floats) -> Floats:
    """Quaternions (x, y, z, w) of rotations (frames, 3, 3), (frames, 4), without sign flips from frame to frame."""
    m = rotations
    trace = np.trace(m, axis1=1, axis2=2)
    # Each row is the quaternion times one of its own components; the row of the largest one is the most accurate.
    diagonal = [m[:, k, k] for k in range(3)]
    rows = np.empty((len(m), 4, 4))
    for a in range(3):
        rows[:, a, a] = 1.0 + 2.0 * diagonal[a] - trace
        for b in range(3):
            if a != b:
                rows[:, a, b] = m[:, a, b] + m[:, b, a]
        b, c = (a + 1) % 3, (a + 2) % 3
        rows[:, a, 3] = rows[:, 3, a] = m[:, c, b] - m[:, b, c]
    rows[:, 3, 3] = 1.0 + trace
    best = np.argmax(rows[:, range(4), range(4)], axis=1)
    found = rows[np.arange(len(m)), best]
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    if len(found):
        start = 1.0 if found[0, 3] >= 0.0 else -1.0
        same = np.where(np.einsum("fa,fa->f", found[1:], found[:-1]) >= 0.0, 1.0, -1.0)
        found *= np.cumprod(np.concatenate([[start], same]))[:, None]
    return np.asarray(found)
