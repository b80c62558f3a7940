"""Where the elbow of an arm goes while its wrist follows a path: evenly from where it is to where it will be, and above
or before the table, not through its edge.

What is left free by shoulder and wrist is the swivel angle, the turn of the arm about the line between the two. Of the
swivel angles in a grid, the sequence of least cost is found by dynamic programming:

    cost = sum over frames of  (swivel - even swivel)^2 + STEADY (change of their difference)^2 + IN_TABLE depth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puppet.scene import Table
from puppet.types import Floats

GRID = np.radians(np.arange(-120.0, 121.0, 8.0))  # how much another swivel than the even one is tried
STEADY, IN_TABLE, ENDS = 6.0, 400.0, 1e4  # ENDS: of another swivel in the first frame and in the last
MARGIN = 0.008
ALONG = np.array([0.35, 0.7, 1.0])  # points of the upper arm and, backwards, of the forearm that are looked at


@dataclass(frozen=True, eq=False)
class Arm:
    """An arm in some frames: where its shoulder and its wrist are, how long its two parts are, and how thick."""

    shoulders: Floats  # (n, 3)
    wrists: Floats  # (n, 3)
    upper: float
    lower: float
    radius: float

    def elbows(self, swivels: Floats) -> Floats:
        """Elbows (..., n, 3) for swivel angles (..., n)."""
        lines = self.wrists - self.shoulders
        far = np.linalg.norm(lines, axis=1)
        reach = np.clip(far, abs(self.upper - self.lower) + 1e-6, self.upper + self.lower - 1e-6)
        along = (reach**2 + self.upper**2 - self.lower**2) / (2.0 * reach)
        out = np.sqrt(np.maximum(self.upper**2 - along**2, 0.0))
        u, v = _around(lines)
        sideways = np.cos(swivels)[..., None] * u + np.sin(swivels)[..., None] * v
        middle = self.shoulders + lines / np.maximum(far, 1e-9)[:, None] * along[:, None]
        return np.asarray(middle + out[:, None] * sideways)


def swivel_of(shoulder: Floats, elbow: Floats, wrist: Floats) -> float:
    """The angle by which an elbow is turned about the line from shoulder to wrist, from where it hangs lowest."""
    u, v = _around((wrist - shoulder)[None])
    out = elbow - shoulder
    return float(np.arctan2(out @ v[0], out @ u[0]))


def plan_swivels(arm: Arm, start: float, goal: float, shares: Floats, table: Table) -> Floats:
    """The swivel angles of an arm in all frames, (n,), see above."""
    turn = (goal - start + np.pi) % (2.0 * np.pi) - np.pi
    even = start + shares * turn
    elbows = arm.elbows(even + GRID[:, None])  # (grid, n, 3)
    inside = np.zeros(elbows.shape[:2])
    for share in ALONG:
        for end in (arm.shoulders, arm.wrists):
            if share == 1.0 and end is arm.wrists:
                continue  # the elbow, seen from the shoulder
            point = end + share * (elbows - end)
            over = point[..., 1] - table.height - arm.radius - MARGIN
            before = table.front - arm.radius - MARGIN - point[..., 2]
            inside += np.maximum(0.0, -np.maximum(over, before))
    if not inside[len(GRID) // 2].any():
        return even
    count, size = len(shares), len(GRID)
    own = GRID[:, None] ** 2 / count * 4.0 + IN_TABLE * inside  # (grid, n)
    steady = STEADY * count / 4.0 * (GRID[:, None] - GRID[None]) ** 2
    own[:, 0] += ENDS * GRID**2
    own[:, -1] += ENDS * GRID**2
    total, came = own[:, 0], np.zeros((count, size), dtype=np.int64)
    for n in range(1, count):
        both = total[None] + steady
        came[n] = both.argmin(axis=1)
        total = both[np.arange(size), came[n]] + own[:, n]
    at = int(total.argmin())
    found = np.empty(count)
    for n in range(count - 1, -1, -1):
        found[n] = GRID[at]
        at = int(came[n, at])
    kernel = np.array([0.25, 0.5, 0.25])  # the grid's steps are smoothed away
    for _ in range(3):
        found = np.convolve(np.pad(found, 1, mode="edge"), kernel, mode="valid")
    return np.asarray(even + found)


def _around(lines: Floats) -> tuple[Floats, Floats]:
    """For lines (n, 3) the directions at a right angle to each: the one that points down most, and the other."""
    lines = lines / np.maximum(np.linalg.norm(lines, axis=1), 1e-9)[:, None]
    down = np.array([0.0, -1.0, 0.0])
    u = down - (lines @ down)[:, None] * lines
    size = np.linalg.norm(u, axis=1)
    u = np.where(size[:, None] > 1e-3, u / np.maximum(size, 1e-3)[:, None], np.array([0.0, 0.0, -1.0]))
    return u, np.cross(lines, u)
