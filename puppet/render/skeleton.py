"""A moving skeleton as bones and joints, for motions from other programs in whatever units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from puppet.bvh import BvhClip
from puppet.render.mesh import Mesh, ball, capsule
from puppet.render.model import IDENTITY, DrawnModel, MeshCollector, assemble_model, disc
from puppet.render.shapes import Color
from puppet.types import Floats

_BONE_COLOR: Color = (0.30, 0.46, 0.53)
_JOINT_COLOR: Color = (0.86, 0.46, 0.31)
_BONE, _JOINT = 0.014, 0.018  # radii, of a skeleton that is 1 tall


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints with parents, scaled to be about 1 tall, the lowest point on the floor at 0."""

    parents: tuple[int, ...]  # -1 for a root
    scale: float
    shift: Floats  # (3,), before scaling
    points: Floats  # (n, 3), scaled: what a camera should show

    @staticmethod
    def of(positions: ArrayLike, parents: Sequence[int]) -> Skeleton:
        """From the joint positions of a motion (frames, joints, 3) or of one frame (joints, 3)."""
        moments = np.asarray(positions, dtype=np.float64).reshape(-1, len(parents), 3)
        tall = float(np.max(np.ptp(moments, axis=1), initial=0.0))  # the longest edge of a box around one moment
        scale = 1.0 / tall if tall > 0.0 else 1.0
        every = moments.reshape(-1, 3)
        low, high = every.min(axis=0), every.max(axis=0)
        shift = -np.array([0.5 * (low[0] + high[0]), low[1], 0.5 * (low[2] + high[2])])
        shift[1] += _JOINT / scale
        corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
        points = scale * (low + corners * (high - low) + shift)
        return Skeleton(tuple(parents), scale, shift, points)

    @cached_property
    def model(self) -> DrawnModel:
        """Transforms: the world, the bone to each joint, then the ball of each joint."""
        parts, joints = MeshCollector(), len(self.parents)
        bone = capsule(((0, 0, 0), (0, 1, 0)), (1.0, 0.6), segments=16)
        flat = Mesh.of(bone.vertices.clip((-1, 0, -1), (1, 1, 1)), bone.normals, bone.triangles)  # it is stretched
        knob = ball((0, 0, 0), _JOINT)
        for j, parent in enumerate(self.parents):
            if parent >= 0:
                parts.add(flat, _BONE_COLOR, 1 + j)
            parts.add(knob, _JOINT_COLOR, 1 + joints + j)
        solid = parts.size
        radius = max(1.0, float(np.linalg.norm(np.ptp(self.points, axis=0))))
        parts.add(disc((0, 0, 0), 4.0 * radius), (1.0, 1.0, 1.0))
        return assemble_model(parts, solid, parts.size - solid, 1 + 2 * joints, (0.0, 0.5, 0.0), radius, ())

    def transforms(self, positions: ArrayLike) -> Floats:
        """The model's transforms for joint positions (joints, 3)."""
        at = self.scale * (np.asarray(positions, dtype=np.float64) + self.shift)
        start = at[[parent if parent >= 0 else j for j, parent in enumerate(self.parents)]]
        along = at - start
        length = np.linalg.norm(along, axis=1)[:, None]
        way = np.where(length > 1e-9, along / np.maximum(length, 1e-9), (0.0, 1.0, 0.0))
        aside = np.cross(way, np.where(np.abs(way[:, 2:]) < 0.9, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)))
        aside /= np.linalg.norm(aside, axis=1)[:, None]
        thick = np.minimum(_BONE, 0.25 * length)
        # Columns: thick to both sides, long along the bone.
        bones = np.stack([thick * aside, along, thick * np.cross(aside, way)], axis=2).reshape(-1, 9)
        balls = np.broadcast_to(np.eye(3).ravel(), (len(at), 9))
        rows = [np.concatenate([place, turn], axis=1) for place, turn in ((start, bones), (at, balls))]
        return np.concatenate([IDENTITY[None], *rows])


def joints_and_ends(clip: BvhClip) -> tuple[Floats, tuple[int, ...]]:
    """A clip's joints and after them its End Sites: positions (frames, points, 3), and the parent of each."""
    positions, rotations = clip.joint_positions, clip.joint_rotations
    ends = [(j, np.array(end)) for j, joint in enumerate(clip.joints) for end in joint.ends]
    tips = [positions[:, j] + rotations[:, j] @ end for j, end in ends]
    return np.concatenate([positions, *(tip[:, None] for tip in tips)], axis=1), (*clip.parents, *(j for j, _ in ends))
