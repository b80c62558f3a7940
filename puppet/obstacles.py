"""How far hands and carried things are from the table and from other things, for many frames at once.

A hand is the line from wrist to tip, a forearm that from elbow to wrist; things are cubes. Inside, distances are
negative.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puppet.body import Body, Floats
from puppet.table import Table

POINTS = np.linspace(0.0, 1.0, 9)  # looked at along a line


@dataclass(frozen=True, eq=False)
class Things:
    """Cubes at many times. All arrays have the same names in the same order."""

    names: tuple[str, ...]
    halves: Floats  # (things,)
    centres: Floats  # (frames, things, 3)
    rotations: Floats  # (frames, things, 3, 3)

    def only(self, names: frozenset[str]) -> Things:
        places = [n for n, name in enumerate(self.names) if name in names]
        left = tuple(self.names[n] for n in places)
        return Things(left, self.halves[places], self.centres[:, places], self.rotations[:, places])

    def without(self, names: frozenset[str]) -> Things:
        return self.only(frozenset(self.names) - names)

    @property
    def extents(self) -> Floats:
        """Half the size of each along the world's axes, (frames, things, 3)."""
        return np.asarray(np.abs(self.rotations).sum(axis=3) * self.halves[:, None])


def hand_and_forearm(body: Body, hand: str, frames: Floats) -> Floats:
    """Points of hand and forearm, (frames, 2, points, 3), from the frames of all joints (frames, joints, 12)."""
    joints = body.limb(hand).joints
    wrist = frames[:, joints[-1], :3]
    rotation = frames[:, joints[-1], 3:].reshape(-1, 3, 3)
    tip = wrist + rotation @ body.arrays.tips[joints[-1]]
    elbow = frames[:, joints[-2], :3] if len(joints) > 1 else wrist
    ends = np.stack([np.stack([wrist, tip], axis=1), np.stack([elbow, wrist], axis=1)], axis=1)  # (frames, 2, 2, 3)
    return np.asarray(ends[:, :, :1] + POINTS[:, None] * (ends[:, :, 1:] - ends[:, :, :1]))


def points_to_things(points: Floats, things: Things) -> Floats:
    """The least distance of each set of points to each thing, (frames, sets, things)."""
    if not things.names:
        return np.zeros((*points.shape[:2], 0))
    apart = points[:, :, :, None, :] - things.centres[:, None, None]
    local = np.abs(np.einsum("fspnk,fnkl->fspnl", apart, things.rotations)) - things.halves[:, None]
    outside = np.linalg.norm(np.maximum(local, 0.0), axis=-1)
    inside = np.minimum(local.max(axis=-1), 0.0)
    return np.asarray((outside + inside).min(axis=2))


def points_to_table(points: Floats, table: Table) -> Floats:
    """The same for the table, (frames, sets)."""
    return np.asarray(np.maximum(points[..., 1] - table.height, table.front - points[..., 2]).min(axis=2))


def things_to_things(carried: Things, others: Things) -> Floats:
    """The least distance of what is carried to each other thing, by the axis that parts them most, (frames, things)."""
    if not others.names:
        return np.zeros((len(carried.centres), 0))
    apart = np.abs(carried.centres[:, :, None] - others.centres[:, None])
    gaps = (apart - carried.extents[:, :, None] - others.extents[:, None]).max(axis=-1)
    return np.asarray(gaps.min(axis=1))


def things_to_table(carried: Things, table: Table) -> Floats:
    """(frames,)"""
    extents = carried.extents
    low = carried.centres[..., 1] - extents[..., 1] - table.height
    far = table.front - carried.centres[..., 2] - extents[..., 2]
    return np.asarray(np.maximum(low, far).min(axis=1))
