"""Kinematics of many postures at once, for drawing problems: puppet.body.kinematics with a leading axis, in NumPy."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from puppet.body import Body, local_rotations
from puppet.scene import Table
from puppet.types import Floats


def forward(body: Body, angles: Floats) -> tuple[Floats, Floats]:
    """World positions (n, joints, 3) and rotations (n, joints, 3, 3) for angles (n, dofs)."""
    count = len(body.joints)
    positions, rotations = np.empty((len(angles), count, 3)), np.empty((len(angles), count, 3, 3))
    for j in range(count):
        place_joint(body, j, angles, positions, rotations)
    return positions, rotations


def place_joint(body: Body, joint: int, angles: Floats, positions: Floats, rotations: Floats) -> None:
    """Fill in one joint's frame; its parent's must be there."""
    parent, offset = body.arrays.parents[joint], body.arrays.offsets[joint]
    local = local_rotations(body, joint, angles)
    if parent < 0:
        positions[:, joint], rotations[:, joint] = offset, local
    else:
        positions[:, joint] = positions[:, parent] + rotations[:, parent] @ offset
        rotations[:, joint] = rotations[:, parent] @ local


def tip_positions(body: Body, joint: int, positions: Floats, rotations: Floats) -> Floats:
    """World positions of the end of a joint's segment, (n, 3)."""
    return np.asarray(positions[:, joint] + rotations[:, joint] @ body.arrays.tips[joint])


def euler_angles(rotations: Floats, order: tuple[int, int, int]) -> Floats:
    """Angles (n, 3) with R = R1 R2 R3 about three different axes; the second within a quarter turn of zero."""
    i, j, k = order
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    first = np.arctan2(-sign * rotations[:, j, k], rotations[:, k, k])
    second = np.arcsin(np.clip(sign * rotations[:, i, k], -1.0, 1.0))
    third = np.arctan2(-sign * rotations[:, i, j], rotations[:, i, i])
    return np.stack((first, second, third), axis=1)


def limits_at(body: Body, angles: Floats) -> tuple[Floats, Floats]:
    """Lower and upper limits in force, (n, dofs) each."""
    arrays = body.arrays
    bend = np.where(arrays.widens_with >= 0, np.abs(angles[:, arrays.widens_with]), 0.0)
    share = np.minimum(2.0 * bend / math.pi, 1.0)
    lower = arrays.limits[:, 0] + share * (arrays.limits[:, 2] - arrays.limits[:, 0])
    upper = arrays.limits[:, 1] + share * (arrays.limits[:, 3] - arrays.limits[:, 1])
    return lower, upper


def angles_in_limits(body: Body, count: int, rng: np.random.Generator) -> Floats:
    """Angles (count, dofs), each uniform between the limits in force."""
    shares = rng.random((count, body.dofs))
    angles = np.zeros((count, body.dofs))
    for _ in range(2):  # the second time with limits that the first time's bends have widened
        lower, upper = limits_at(body, angles)
        angles = lower + shares * (upper - lower)
    return angles


def table_excess(
    body: Body, table: Table, joints: Iterable[int], positions: Floats, rotations: Floats, margin: float = 0.0
) -> Floats:
    """How much too deep the worst watched part of these joints is, (n,), with all clearances enlarged by `margin`."""
    worst = np.zeros(len(positions))
    for j in joints:
        need, tips = body.joints[j].clearance, tip_positions(body, j, positions, rotations)
        if need.centre is not None:
            worst = np.maximum(worst, _point_excess(table, positions[:, j], need.centre + margin))
        if need.tip is not None:
            worst = np.maximum(worst, _point_excess(table, tips, need.tip + margin))
        if need.segment is not None:
            worst = np.maximum(worst, _segment_excess(table, positions[:, j], tips, need.segment + margin))
    return worst


def _point_excess(table: Table, points: Floats, clearance: float) -> Floats:
    return np.maximum(0.0, np.minimum(table.height + clearance - points[:, 1], points[:, 2] - table.front))


def _segment_excess(table: Table, starts: Floats, ends: Floats, radius: float) -> Floats:
    z0, y0 = starts[:, 2] - table.front, starts[:, 1] - table.height
    z1, y1 = ends[:, 2] - table.front, ends[:, 1] - table.height
    dz, dy = z1 - z0, y1 - y0
    length2 = np.maximum(dz * dz + dy * dy, 1e-300)
    t = np.clip(-(z0 * dz + y0 * dy) / length2, 0.0, 1.0)
    distance = np.hypot(z0 + t * dz, y0 + t * dy)
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = z0 / (z0 - z1)
    low = np.where(z0 < 0.0, crossing, 0.0)
    high = np.where((z0 >= 0.0) & (z1 < 0.0), crossing, 1.0)
    lowest = np.minimum(y0 + low * dy, y0 + high * dy)
    enters = (np.maximum(z0, z1) > 0.0) & (np.minimum(y0, y1) < 0.0) & (lowest < 0.0)
    return np.maximum(0.0, np.where(enters, radius + distance, radius - distance))
