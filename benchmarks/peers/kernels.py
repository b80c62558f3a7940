"""Compiled kinematics for the peers that want residuals, Jacobians or the table; no code shared with the puppet's."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from puppet.types import Floats, Ints

# The kernels read and fill one set of frames:
# positions (joints, 3), rotations (joints, 3, 3), axes (dofs, 3), the last in the world.


@njit(cache=True)
def place(
    angles: Floats, parents: Ints, offsets: Floats, orders: Ints, positions: Floats, rotations: Floats, axes: Floats
) -> None:
    """Forward kinematics of the whole body: joint frames, and every degree of freedom's axis in the world."""
    for j in range(len(parents)):
        frame = rotations[j]
        parent = parents[j]
        if parent < 0:
            positions[j] = offsets[j]
            frame[:] = np.eye(3)
        else:
            for r in range(3):
                positions[j, r] = positions[parent, r]
                for c in range(3):
                    positions[j, r] += rotations[parent, r, c] * offsets[j, c]
                    frame[r, c] = rotations[parent, r, c]
        for place in range(3):
            dof, axis = 3 * j + place, orders[j, place]
            a, b = (axis + 1) % 3, (axis + 2) % 3
            cosine, sine = math.cos(angles[dof]), math.sin(angles[dof])
            for r in range(3):
                axes[dof, r] = frame[r, axis]
                u, v = frame[r, a], frame[r, b]
                frame[r, a] = u * cosine + v * sine
                frame[r, b] = v * cosine - u * sine


@njit(cache=True)
def add_point_row(
    row: Floats, x: float, y: float, z: float, point: Floats, joint: int, parents: Ints, positions: Floats, axes: Floats
) -> None:
    """Write into row (dofs,) how fast a point fixed to a joint moves along the direction (x, y, z)."""
    row[:] = 0.0
    j = joint
    while j >= 0:
        dx, dy, dz = point[0] - positions[j, 0], point[1] - positions[j, 1], point[2] - positions[j, 2]
        # direction . (axis x arm) = axis . (arm x direction)
        tx, ty, tz = dy * z - dz * y, dz * x - dx * z, dx * y - dy * x
        for dof in range(3 * j, 3 * j + 3):
            row[dof] = axes[dof, 0] * tx + axes[dof, 1] * ty + axes[dof, 2] * tz
        j = parents[j]


@njit(cache=True)
def hand_error(
    hand: int,
    tip: Floats,
    goal_position: Floats,
    goal_orientation: Floats,
    parents: Ints,
    positions: Floats,
    rotations: Floats,
    axes: Floats,
    error: Floats,
    jacobian: Floats,
) -> None:
    """Write a hand's error (6,), position then rotation vector in the world, and its Jacobian (6, dofs)."""
    frame = rotations[hand]
    point = positions[hand] + frame @ tip
    error[:3] = point - goal_position
    away = frame @ goal_orientation.T  # turns the goal into what is
    sx, sy, sz = away[2, 1] - away[1, 2], away[0, 2] - away[2, 0], away[1, 0] - away[0, 1]
    sine2 = math.sqrt(sx * sx + sy * sy + sz * sz)
    cosine2 = away[0, 0] + away[1, 1] + away[2, 2] - 1.0
    angle = math.atan2(sine2, cosine2)
    scale = 0.5 if sine2 < 1e-9 else angle / sine2
    error[3], error[4], error[5] = scale * sx, scale * sy, scale * sz
    # inverse of the left Jacobian of the logarithm: I - [e]/2 + k [e]^2
    k = (
        1.0 / 12.0
        if angle < 1e-4
        else 1.0 / (angle * angle) - (1.0 + math.cos(angle)) / (2.0 * angle * max(math.sin(angle), 1e-9))
    )
    cross = np.array([[0.0, -error[5], error[4]], [error[5], 0.0, -error[3]], [-error[4], error[3], 0.0]])
    turn = np.eye(3) - 0.5 * cross + k * (cross @ cross)
    add_point_row(jacobian[0], 1.0, 0.0, 0.0, point, hand, parents, positions, axes)
    add_point_row(jacobian[1], 0.0, 1.0, 0.0, point, hand, parents, positions, axes)
    add_point_row(jacobian[2], 0.0, 0.0, 1.0, point, hand, parents, positions, axes)
    jacobian[3:6] = 0.0
    j = hand
    while j >= 0:
        for dof in range(3 * j, 3 * j + 3):
            for r in range(3):
                jacobian[3 + r, dof] = turn[r, 0] * axes[dof, 0] + turn[r, 1] * axes[dof, 1] + turn[r, 2] * axes[dof, 2]
        j = parents[j]


@njit(cache=True)
def table_clearances(
    height: float,
    front: float,
    clearances: Floats,
    tips: Floats,
    parents: Ints,
    positions: Floats,
    rotations: Floats,
    axes: Floats,
    values: Floats,
    jacobian: Floats,
) -> int:
    """Write how far each watched part is from where it may not be (negative: in it) and its Jacobian; their number."""
    count = 0
    for j in range(len(parents)):
        end = positions[j] + rotations[j] @ tips[j]
        for part in range(3):
            need = clearances[j, part]
            if need < 0.0:
                continue
            if part == 1:
                values[count] = _bar(height, front, need, j, end, parents, positions, axes, jacobian[count])
            else:
                point = positions[j] if part == 0 else end
                above, before = point[1] - height - need, front - point[2]
                if above >= before:
                    add_point_row(jacobian[count], 0.0, 1.0, 0.0, point, j, parents, positions, axes)
                else:
                    add_point_row(jacobian[count], 0.0, 0.0, -1.0, point, j, parents, positions, axes)
                values[count] = max(above, before)
            count += 1
    return count


@njit(cache=True)
def _bar(
    height: float,
    front: float,
    radius: float,
    joint: int,
    end: Floats,
    parents: Ints,
    positions: Floats,
    axes: Floats,
    row: Floats,
) -> float:
    """Clearance of a round bar from the table's front edge; negative when it passes through the wood."""
    start = positions[joint]
    z0, y0, z1, y1 = start[2] - front, start[1] - height, end[2] - front, end[1] - height
    dz, dy = z1 - z0, y1 - y0
    length2 = dz * dz + dy * dy
    t = 0.0 if length2 == 0.0 else min(1.0, max(0.0, -(z0 * dz + y0 * dy) / length2))
    z, y = z0 + t * dz, y0 + t * dy
    distance = math.sqrt(z * z + y * y)
    sign = 1.0
    if max(z0, z1) > 0.0 and min(y0, y1) < 0.0:
        low = z0 / (z0 - z1) if z0 < 0.0 else 0.0
        high = z0 / (z0 - z1) if z0 >= 0.0 and z1 < 0.0 else 1.0
        if min(y0 + low * dy, y0 + high * dy) < 0.0:
            sign = -1.0
    nearest = start + t * (end - start)
    scale = sign / max(distance, 1e-9)
    add_point_row(row, 0.0, scale * y, scale * z, nearest, joint, parents, positions, axes)
    return sign * distance - radius
