"""Where a body's parts are in a posture: forward kinematics, compiled, and its readable twin in plain NumPy."""

from __future__ import annotations

import numpy as np

from puppet.body.body import Body
from puppet.geometry import Transform, Transforms, axis_rotation
from puppet.kernels.loader import kernels
from puppet.types import Floats


def forward(body: Body, angles: Floats) -> tuple[Floats, Floats]:
    """World positions (joints, 3) and rotations (joints, 3, 3) of all joints for angles (dofs,)."""
    arrays = body.arrays
    count = len(body.joints)
    positions, rotations = np.empty((count, 3)), np.empty((count, 3, 3))
    for j, parent in enumerate(arrays.parents):
        local = np.eye(3)
        for place in range(3):
            local = local @ axis_rotation(arrays.orders[j, place], angles[3 * j + place])
        if parent < 0:
            positions[j], rotations[j] = arrays.offsets[j], local
        else:
            positions[j] = positions[parent] + rotations[parent] @ arrays.offsets[j]
            rotations[j] = rotations[parent] @ local
    return positions, rotations


def tip_positions(body: Body, positions: Floats, rotations: Floats) -> Floats:
    """World positions of the ends of all segments, (joints, 3)."""
    return np.asarray(positions + np.einsum("jab,jb->ja", rotations, body.arrays.tips))


def hand_transforms(body: Body, angles: Floats) -> dict[str, Transform]:
    """Where the tips of all limbs are."""
    return tip_transforms(body, joint_transforms(body, angles))


def joint_transforms(body: Body, angles: Floats) -> Floats:
    """Position and rotation of each joint in the world, row by row, (joints, 12)."""
    transforms = np.empty((1, len(body.joints), 12))
    kernels().forward(body.model.joints, np.array(angles)[None], transforms)
    return np.asarray(transforms[0])


def tip_transforms(body: Body, transforms: Floats) -> dict[str, Transform]:
    poses = {}
    for name, limb in body.limbs.items():
        joint = limb.joints[-1]
        rotation = transforms[joint, 3:].reshape(3, 3)
        poses[name] = Transform(transforms[joint, :3] + rotation @ body.arrays.tips[joint], rotation)
    return poses


def tip_path(body: Body, hand: str, transforms: Floats) -> Transforms:
    """Where the tip of one limb is in many postures, given the transforms (n, joints, 12) of all joints."""
    joint = body.limb(hand).joints[-1]
    rotations = transforms[:, joint, 3:].reshape(-1, 3, 3)
    return Transforms(transforms[:, joint, :3] + rotations @ body.arrays.tips[joint], rotations)
