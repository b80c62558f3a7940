"""How far a body is inside a table, in plain NumPy: the readable twin of puppet.kernels.table_clearance."""

from __future__ import annotations

import math

from puppet.body import Body, tip_positions
from puppet.scene.table import Table
from puppet.types import Floats


def table_excess(body: Body, table: Table, positions: Floats, rotations: Floats) -> float:
    """The largest amount by which a part of the body does not keep its clearance from the table; 0 if all do."""
    tips = tip_positions(body, positions, rotations)
    worst = 0.0
    for j, joint in enumerate(body.joints):
        need = joint.clearance
        if need.centre is not None:
            worst = max(worst, point_excess(table, positions[j], need.centre))
        if need.tip is not None:
            worst = max(worst, point_excess(table, tips[j], need.tip))
        if need.segment is not None:
            worst = max(worst, segment_excess(table, positions[j], tips[j], need.segment))
    return worst


def point_excess(table: Table, point: Floats, clearance: float) -> float:
    """How deep a point is in the forbidden region y < height + clearance, z > front (thesis (5.26))."""
    return float(max(0.0, min(table.height + clearance - point[1], point[2] - table.front)))


def segment_excess(table: Table, start: Floats, end: Floats, radius: float) -> float:
    """How deep a capsule is in the table at its front edge (thesis (5.27)), or behind the edge."""
    z0, y0 = start[2] - table.front, start[1] - table.height
    z1, y1 = end[2] - table.front, end[1] - table.height
    dz, dy = z1 - z0, y1 - y0
    length2 = dz * dz + dy * dy
    t = 0.0 if length2 == 0.0 else min(1.0, max(0.0, -(z0 * dz + y0 * dy) / length2))
    distance = math.hypot(z0 + t * dz, y0 + t * dy)  # from the edge to the capsule's axis, seen along the edge
    return max(0.0, radius + distance if _enters(z0, y0, z1, y1) else radius - distance)


def _enters(z0: float, y0: float, z1: float, y1: float) -> bool:
    """Whether the line from (z0, y0) to (z1, y1) enters the table, which is z > 0, y < 0 from its edge."""
    if max(z0, z1) <= 0.0 or min(y0, y1) >= 0.0:
        return False
    low, high = 0.0, 1.0  # the part of the line with z > 0
    if z0 < 0.0:
        low = z0 / (z0 - z1)
    elif z1 < 0.0:
        high = z0 / (z0 - z1)
    return min(y0 + low * (y1 - y0), y0 + high * (y1 - y0)) < 0.0
