"""One step of damped least squares, compiled: errors, normal equations, joints at their limits, clamping."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from puppet.types import Floats, Ints


@njit(cache=True)
def hand_rows(
    world: Floats,
    support: Floats,
    rotation: Floats,
    position: Floats,
    goal_rotation: Floats,
    goal_position: Floats,
    near: float,
    turned: float,
    error: Floats,
    jacobian: Floats,
) -> bool:
    """Write a hand's error (6,) and Jacobian (6, hinges) from pinocchio's Jacobian at the world's origin; arrived?"""
    away = goal_rotation @ rotation.T
    sx, sy, sz = away[2, 1] - away[1, 2], away[0, 2] - away[2, 0], away[1, 0] - away[0, 1]
    sine2 = math.sqrt(sx * sx + sy * sy + sz * sz)
    angle = math.atan2(sine2, away[0, 0] + away[1, 1] + away[2, 2] - 1.0)
    scale = 0.5 if sine2 < 1e-9 else angle / sine2
    error[3], error[4], error[5] = scale * sx, scale * sy, scale * sz
    distance2 = 0.0
    for r in range(3):
        error[r] = goal_position[r] - position[r]
        distance2 += error[r] * error[r]
    x, y, z = position[0], position[1], position[2]
    for c in range(world.shape[1]):
        s = support[c]
        a, b, g = s * world[3, c], s * world[4, c], s * world[5, c]
        jacobian[0, c] = s * world[0, c] + b * z - g * y
        jacobian[1, c] = s * world[1, c] + g * x - a * z
        jacobian[2, c] = s * world[2, c] + a * y - b * x
        jacobian[3, c], jacobian[4, c], jacobian[5, c] = a, b, g
    return distance2 < near * near and angle < turned


@njit(cache=True)
def damped_step(jacobian: Floats, error: Floats, damping: float, normal: Floats, step: Floats) -> None:
    """Write step (hinges,) = transpose(J) (J transpose(J) + damping)^-1 error; error is overwritten."""
    rows, count = jacobian.shape
    for i in range(rows):
        for j in range(i + 1):
            total = damping if i == j else 0.0
            for c in range(count):
                total += jacobian[i, c] * jacobian[j, c]
            for k in range(j):
                total -= normal[i, k] * normal[j, k]
            normal[i, j] = math.sqrt(total) if i == j else total / normal[j, j]
        total = error[i]
        for j in range(i):
            total -= normal[i, j] * error[j]
        error[i] = total / normal[i, i]
    for i in range(rows - 1, -1, -1):
        total = error[i]
        for j in range(i + 1, rows):
            total -= normal[j, i] * error[j]
        error[i] = total / normal[i, i]
    for c in range(count):
        step[c] = 0.0
        for i in range(rows):
            step[c] += jacobian[i, c] * error[i]


@njit(cache=True)
def move(
    angles: Floats,
    limits: Floats,
    widens_with: Ints,
    jacobian: Floats,
    error: Floats,
    least_damping: float,
    error_damping: float,
    longest: float,
    normal: Floats,
    step: Floats,
) -> float:
    """Take a step in place, inside the limits; the squared length of the move that was left of it."""
    damping = least_damping
    for i in range(len(error)):
        damping += error_damping * error[i] * error[i]
    kept = error.copy()
    damped_step(jacobian, error, damping, normal, step)
    count, blocked = len(angles), False
    for c in range(count):
        lower, upper = _limits(c, angles, limits, widens_with)
        if (angles[c] >= upper and step[c] > 0.0) or (angles[c] <= lower and step[c] < 0.0):
            jacobian[:, c] = 0.0
            blocked = True
    if blocked:  # again without the joints that push against their limits
        error[:] = kept
        damped_step(jacobian, error, damping, normal, step)
    length = math.sqrt(np.dot(step, step))
    scale = 1.0 if length <= longest else longest / length
    moved = 0.0
    for c in range(count):
        before = angles[c]
        angles[c] = min(max(limits[c, 1], limits[c, 3]), max(min(limits[c, 0], limits[c, 2]), before + scale * step[c]))
        moved += (angles[c] - before) ** 2
    for c in range(count):
        if widens_with[c] >= 0:
            lower, upper = _limits(c, angles, limits, widens_with)
            angles[c] = min(upper, max(lower, angles[c]))
    return moved


@njit(cache=True)
def _limits(c: int, angles: Floats, limits: Floats, widens_with: Ints) -> tuple[float, float]:
    share = 0.0 if widens_with[c] < 0 else min(2.0 * abs(angles[widens_with[c]]) / math.pi, 1.0)
    lower = limits[c, 0] + share * (limits[c, 2] - limits[c, 0])
    return lower, limits[c, 1] + share * (limits[c, 3] - limits[c, 1])
