"""A motion clip as in a BVH file: a skeleton, its channels, and a row of values for each frame."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from puppet.body import AXES
from puppet.geometry import axis_rotations
from puppet.types import Floats, Vector

CHANNELS = tuple(f"{axis}{kind}" for kind in ("position", "rotation") for axis in "XYZ")


@dataclass(frozen=True)
class ClipJoint:
    """A joint of a clip. Rotations apply in the order of their channels: R = R1 R2 R3. A position channel replaces the
    offset along its axis, as in all programs that we know of."""

    name: str
    parent: int  # -1 for a root
    offset: Vector  # from the parent's centre, in its coordinates
    channels: tuple[str, ...] = ()  # out of CHANNELS, in any order
    ends: tuple[Vector, ...] = ()  # End Sites, in the joint's coordinates


@dataclass(frozen=True, eq=False)
class BvhClip:
    """A skeleton, each parent before its children, and its frames. Units are the file's, angles in degrees."""

    joints: tuple[ClipJoint, ...]
    frame_time: float  # seconds
    values: Floats  # (frames, channels), read-only; the joints' channels one after the other

    @staticmethod
    def of(joints: Iterable[ClipJoint], frame_time: float, values: ArrayLike) -> BvhClip:
        """A clip of copies."""
        listed = tuple(joints)
        width = sum(len(joint.channels) for joint in listed)
        own = np.array(values, dtype=np.float64).reshape(-1, width)
        own.flags.writeable = False
        return BvhClip(listed, float(frame_time), own)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def fps(self) -> float:
        return 1.0 / self.frame_time

    @property
    def joint_names(self) -> tuple[str, ...]:
        return tuple(joint.name for joint in self.joints)

    @property
    def parents(self) -> tuple[int, ...]:
        return tuple(joint.parent for joint in self.joints)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The column in which each joint's channels begin."""
        counts = [len(joint.channels) for joint in self.joints]
        return tuple(int(start) for start in np.cumsum([0, *counts])[:-1])

    @cached_property
    def joint_transforms(self) -> Floats:
        """Position and rotation of each joint in the world, row by row, (frames, joints, 12)."""
        found = np.empty((len(self), len(self.joints), 12))
        for j, (joint, start) in enumerate(zip(self.joints, self.starts, strict=True)):
            own = self.values[:, start : start + len(joint.channels)]
            position, rotation = _local(joint, own)
            if joint.parent >= 0:
                above = found[:, joint.parent]
                outer = above[:, 3:].reshape(-1, 3, 3)
                position = above[:, :3] + np.einsum("fab,fb->fa", outer, position)
                rotation = outer @ rotation
            found[:, j, :3] = position
            found[:, j, 3:] = rotation.reshape(-1, 9)
        found.flags.writeable = False
        return found

    @property
    def joint_positions(self) -> Floats:
        """(frames, joints, 3), world."""
        return self.joint_transforms[:, :, :3]

    @property
    def joint_rotations(self) -> Floats:
        """(frames, joints, 3, 3), world."""
        return self.joint_transforms[:, :, 3:].reshape(len(self), len(self.joints), 3, 3)

    def bones(self, frame: int) -> Floats:
        """Lines from each joint to its children and ends in a frame, (lines, 2, 3), world."""
        positions, rotations = self.joint_positions[frame], self.joint_rotations[frame]
        lines = [
            (positions[joint.parent], positions[j]) for j, joint in enumerate(self.joints) if joint.parent >= 0
        ] + [
            (positions[j], positions[j] + rotations[j] @ np.array(end))
            for j, joint in enumerate(self.joints)
            for end in joint.ends
        ]
        return np.array(lines).reshape(-1, 2, 3)


def _local(joint: ClipJoint, values: Floats) -> tuple[Floats, Floats]:
    """Position (frames, 3) and rotation (frames, 3, 3) of a joint relative to its parent."""
    position = np.tile(np.array(joint.offset), (len(values), 1))
    rotation = np.tile(np.eye(3), (len(values), 1, 1))
    for channel, column in zip(joint.channels, values.T, strict=True):
        axis = AXES.index(channel[0].lower())
        if channel.endswith("position"):
            position[:, axis] = column
        else:
            rotation = rotation @ axis_rotations(axis, np.radians(column))
    return position, rotation
