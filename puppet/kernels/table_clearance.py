"""Table clearance; puppet.scene.table_clearance is the readable twin. A table is (height, front): all that is below the
height and behind the front.
"""

from __future__ import annotations

import math

from puppet.kernels.forward_kinematics import tip_of
from puppet.kernels.jit import inner
from puppet.kernels.model import CLEAR_CENTRE, CLEAR_SEGMENT, CLEAR_TIP


@inner
def point_excess(height, front, y, z, clearance):
    """max(0, min(height + clearance - y, z - front)): the way out of the table for a point that needs a clearance
    (5.26). A clearance below 0 means that the point is not watched."""
    if clearance < 0.0:
        return 0.0
    return max(0.0, min(height + clearance - y, z - front))


@inner
def segment_excess(height, front, y0, z0, y1, z1, radius):
    """radius - distance from the front edge for a round bar that is too near to it (5.27), radius + distance where its
    axis goes through the table behind the edge, else 0. A radius below 0 means that the bar is not watched."""
    y0 -= height
    y1 -= height
    if radius < 0.0 or min(y0, y1) > radius:
        return 0.0
    z0 -= front
    z1 -= front
    if max(z0, z1) < -radius:
        return 0.0
    dz, dy = z1 - z0, y1 - y0
    length2 = dz * dz + dy * dy
    t = 0.0
    if length2 > 0.0:
        t = min(1.0, max(0.0, -(z0 * dz + y0 * dy) / length2))
    distance = math.hypot(z0 + t * dz, y0 + t * dy)
    if max(z0, z1) > 0.0 and min(y0, y1) < 0.0:
        low, high = 0.0, 1.0  # the part of the bar behind the edge
        if z0 < 0.0:
            low = z0 / (z0 - z1)
        elif z1 < 0.0:
            high = z0 / (z0 - z1)
        if min(y0 + low * dy, y0 + high * dy) < 0.0:
            return radius + distance
    return max(0.0, radius - distance)


@inner
def table_excess_below(joints, table, transforms, below, first):
    """The greatest excess of any watched part that joint `first` carries, else 0."""
    height, front = table[0], table[1]
    worst = 0.0
    for j in range(first, joints.shape[0]):
        if below[first, j] == 0:
            continue
        _, y, z = tip_of(joints, transforms, j)
        worst = max(
            worst,
            point_excess(height, front, transforms[j, 1], transforms[j, 2], joints[j, CLEAR_CENTRE]),
            point_excess(height, front, y, z, joints[j, CLEAR_TIP]),
            segment_excess(height, front, transforms[j, 1], transforms[j, 2], y, z, joints[j, CLEAR_SEGMENT]),
        )
    return worst
