"""BVH (.bvh): the motion joint by joint, in each joint's own rotation order."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np

from puppet.body import Body
from puppet.bvh import BvhClip, ClipJoint, FileAxes, write_bvh
from puppet.geometry import continuous_angles, euler_angles
from puppet.performance import Performance
from puppet.types import Floats, Vector

POSITIONS = ("Xposition", "Yposition", "Zposition")
OBJECT_ORDER = (2, 0, 1)  # z, x, y: the order that most programs write


def write(
    performance: Performance,
    path: Path,
    *,
    scale: float = 1.0,
    up: str = "y",
    t_pose: bool = False,
    objects: bool = False,
) -> None:
    """Writes a performance as BVH.

    scale: length of one of our units in the file; 1 keeps them (the puppet is about 1.0 tall), 1.75 gives metres and
        175 centimetres for a person of 1.75 m.
    up: the file's vertical axis, y or z.
    t_pose: put the zero posture, which is the rest pose, before the first frame.
    objects: write the objects' motion too, beside the file: NAME.objects.bvh.
    """
    axes = FileAxes(scale, up)
    clip = body_clip(performance.body, performance.angles, performance.fps, axes, t_pose)
    if objects:
        write_bvh(objects_clip(performance, axes, t_pose), path.with_suffix(".objects.bvh"))
    write_bvh(clip, path)


def body_clip(body: Body, angles: Floats, fps: float, axes: FileAxes, t_pose: bool) -> BvhClip:
    """Angles (frames, dofs) in radians as a clip: positions on the root alone, three rotations for each joint.

    Programs expect three of every joint: those that it lacks are always zero, after its own.
    """
    arrays = body.arrays
    joints, columns = [], []
    for j, joint in enumerate(body.joints):
        turned = [rotation.axis for rotation in joint.rotations]
        turned += [axis for axis in range(3) if axis not in turned]
        turns = [axes.rotation(axis) for axis in turned]
        rotations = tuple(channel for channel, _ in turns)
        signs = np.array([sign for _, sign in turns])
        degrees = np.zeros((len(angles), 3))
        degrees[:, : len(joint.rotations)] = np.degrees(angles[:, body.rotation_dofs[j]])
        own = continuous_angles(degrees) * signs if len(joint.rotations) == 3 else degrees * signs
        if joint.parent < 0:  # the root's OFFSET is zero: programs do not agree on what another one means
            moved = angles[:, body.translation_dofs] if body.free_root else np.zeros((len(angles), 3))
            columns.append(axes.points(arrays.offsets[j] + moved))
            joints.append(ClipJoint(joint.name, -1, (0.0, 0.0, 0.0), (*POSITIONS, *rotations), _ends(body, j, axes)))
        else:
            offset = axes.vector(arrays.offsets[j])
            joints.append(ClipJoint(joint.name, joint.parent, offset, rotations, _ends(body, j, axes)))
        columns.append(own)
    values = np.concatenate(columns, axis=1)
    if t_pose:
        rest = np.concatenate([axes.points(arrays.offsets[0]), np.zeros(values.shape[1] - 3)])
        values = np.vstack([rest, values])
    return BvhClip.of(joints, 1.0 / fps, values)


def objects_clip(performance: Performance, axes: FileAxes, t_pose: bool) -> BvhClip:
    """The objects as joints of one skeleton at the origin, each with its own position and rotation.

    Few programs read several roots in a file; most read position channels on joints.
    """
    turns = [axes.rotation(axis) for axis in OBJECT_ORDER]
    channels = (*POSITIONS, *(channel for channel, _ in turns))
    signs = np.array([sign for _, sign in turns])
    frames = performance.object_transforms
    count = len(frames) + int(t_pose)
    ends = () if frames.shape[1] else (axes.vector((0.0, 0.1, 0.0)),)
    joints = [ClipJoint("objects", -1, (0.0, 0.0, 0.0), channels, ends)]
    columns = [np.zeros((count, 6))]
    for k, thing in enumerate(performance.scene.objects):
        # An offset of zero: whether a position adds to it or replaces it is then the same.
        end = axes.vector((0.0, thing.width, 0.0))
        joints.append(ClipJoint(re.sub(r"\W+", "_", thing.name), 0, (0.0, 0.0, 0.0), channels, (end,)))
        rotations = frames[:, k, 3:].reshape(-1, 3, 3)
        degrees = continuous_angles(euler_angles(rotations, OBJECT_ORDER))
        own = np.hstack([axes.points(frames[:, k, :3]), degrees * signs])
        columns.append(np.vstack([own[:1], own]) if t_pose else own)
    return BvhClip.of(joints, 1.0 / performance.fps, np.concatenate(columns, axis=1))


def _ends(body: Body, j: int, axes: FileAxes) -> tuple[Vector, ...]:
    """The End Site of a joint without children, never zero: programs take it for the length of the last bone."""
    arrays = body.arrays
    if (arrays.parents == j).any():
        return ()
    joint = body.joints[j]
    points = [point for shape in joint.shapes for point in shape.points]
    ways = [arrays.tips[j], *(np.array(point) for point in sorted(points, key=lambda p: -math.hypot(*p)))]
    ways += [2.0 * np.array(joint.mass_centre), 0.5 * arrays.offsets[j], np.array([0.0, 0.1 * body.height, 0.0])]
    return (axes.vector(next(way for way in ways if np.linalg.norm(way) > 1e-6 * body.height)),)
