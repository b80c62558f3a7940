"""Where a body's parts are in a posture: forward kinematics, compiled, and its readable twin in plain NumPy."""

from __future__ import annotations

from functools import lru_cache, reduce

import numpy as np

from puppet.body.body import Body
from puppet.body.kernel_model import kernel_angles
from puppet.geometry import Transform, Transforms, axis_rotation, axis_rotations
from puppet.kernels.loader import kernels
from puppet.types import Floats, Ints


def forward(body: Body, angles: Floats) -> tuple[Floats, Floats]:
    """World positions (joints, 3) and rotations (joints, 3, 3) of all joints for angles (dofs,).

    p_j = p_parent + R_parent offset_j and R_j = R_parent R1 R2 R3, from the root outwards.
    """
    arrays = body.arrays
    count = len(body.joints)
    positions, rotations = np.empty((count, 3)), np.empty((count, 3, 3))
    for j, (parent, joint) in enumerate(zip(arrays.parents, body.joints, strict=True)):
        local = np.eye(3)
        for dof, rotation in zip(body.rotation_dofs[j], joint.rotations, strict=True):
            local = local @ axis_rotation(rotation.axis, angles[dof])
        if parent < 0:
            positions[j], rotations[j] = arrays.offsets[j], local
            if body.free_root:
                positions[j] += angles[body.translation_dofs]
        else:
            positions[j] = positions[parent] + rotations[parent] @ arrays.offsets[j]
            rotations[j] = rotations[parent] @ local
    return positions, rotations


def local_rotations(body: Body, joint: int, angles: Floats) -> Floats:
    """How a joint is turned from its parent in many postures (n, dofs): (n, 3, 3)."""
    turns = [
        axis_rotations(rotation.axis, angles[:, dof])
        for dof, rotation in zip(body.rotation_dofs[joint], body.joints[joint].rotations, strict=True)
    ]
    return reduce(np.matmul, turns) if turns else np.tile(np.eye(3), (len(angles), 1, 1))


def joint_rotations(body: Body, angles: Floats) -> Floats:
    """How each joint is turned from its parent in a posture (dofs,), row by row, (joints, 9)."""
    found = np.tile(np.eye(3), (len(body.joints), 1, 1))
    for place, (joints, dofs, axes) in enumerate(_turns_in_order(body)):
        turns, each = np.zeros((len(joints), 3, 3)), np.arange(len(joints))
        a, b, own = (axes + 1) % 3, (axes + 2) % 3, angles[dofs]
        sines = np.sin(own)
        turns[each, axes, axes] = 1.0
        turns[each, a, a] = turns[each, b, b] = np.cos(own)
        turns[each, b, a], turns[each, a, b] = sines, -sines
        found[joints] = found[joints] @ turns if place else turns
    return found.reshape(-1, 9)


@lru_cache(maxsize=16)
def _turns_in_order(body: Body) -> list[tuple[Ints, Ints, Ints]]:
    """First, second and third rotations of all joints that have so many: joints, degrees of freedom and axes."""
    found = []
    for n in range(max((len(dofs) for dofs in body.rotation_dofs), default=0)):
        own = [j for j, dofs in enumerate(body.rotation_dofs) if len(dofs) > n]
        axes = [body.joints[j].rotations[n].axis for j in own]
        found.append((np.array(own), np.array([body.rotation_dofs[j][n] for j in own]), np.array(axes)))
    return found


def tip_positions(body: Body, positions: Floats, rotations: Floats) -> Floats:
    """World positions of the ends of all segments, (joints, 3)."""
    return np.asarray(positions + np.einsum("jab,jb->ja", rotations, body.arrays.tips))


def joint_transforms(body: Body, angles: Floats) -> Floats:
    """Position and rotation of each joint in the world, row by row: (joints, 12) for a posture, (n, joints, 12) for
    many. Those of a posture that does not change are kept for who asks for the same again, and do not change either."""
    kept = angles.ndim == 1 and not angles.flags.writeable and angles.base is None
    if not kept:
        return _transforms(body, angles)
    last = body.last_placed
    for posture, found in tuple(last):
        if posture is angles:
            return found
    found = _transforms(body, angles)
    found.flags.writeable = False
    last.append((angles, found))
    return found


def _transforms(body: Body, angles: Floats) -> Floats:
    many = angles[None] if angles.ndim == 1 else angles
    found = np.empty((len(many), len(body.joints), 12))
    if len(many):
        kernels().forward(body.model.joints, kernel_angles(body, many), found)
    if body.free_root:
        found[:, :, :3] += many[:, None, :3]
    return found if angles.ndim == 2 else found[0]


def hand_transforms(body: Body, angles: Floats) -> dict[str, Transform]:
    """Where the tips of all limbs are; kept as joint_transforms are."""
    world = joint_transforms(body, angles)
    if world.flags.writeable:
        return tip_transforms(body, world)
    last = body.last_tips
    for placed, tips in tuple(last):
        if placed is world:
            return dict(tips)
    found = tip_transforms(body, world)
    for at in found.values():
        at.position.flags.writeable = False
    last.append((world, found))
    return dict(found)


def tip_transforms(body: Body, transforms: Floats) -> dict[str, Transform]:
    """Where the tips of all limbs are, for the joints' transforms (joints, 12)."""
    found = {}
    for name, limb in body.limbs.items():
        joint = limb.joints[-1]
        rotation = transforms[joint, 3:].reshape(3, 3)
        found[name] = Transform(transforms[joint, :3] + rotation @ body.arrays.tips[joint], rotation)
    return found


def tip_path(body: Body, limb: str, transforms: Floats) -> Transforms:
    """Where the tip of one limb is in many frames, for the joints' transforms (frames, joints, 12)."""
    joint = body.limb(limb).joints[-1]
    rotations = transforms[:, joint, 3:].reshape(-1, 3, 3)
    return Transforms(transforms[:, joint, :3] + rotations @ body.arrays.tips[joint], rotations)
