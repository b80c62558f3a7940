"""Arms that swing along: both forwards and backwards about the shoulders' axis."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from puppet.body import Body, local_rotations
from puppet.geometry import axis_rotations, euler_angles
from puppet.types import Floats


def raised_arms(
    body: Body, rests: Floats, swing: Floats, arms: Collection[str], apart: float = 0.0
) -> dict[int, Floats]:
    """Angles (frames,) of the shoulders of some hands, turned by swing (frames,) about the axis from right to left:
    above 0 backwards. rests (dofs,): how the arms hang. apart: radians by which arms that are level point outwards."""
    found: dict[int, Floats] = {}
    for hand in arms:
        shoulder = body.limb(hand).joints[0]
        rotations = body.joints[shoulder].rotations
        if len(rotations) != 3:
            continue
        turned = axis_rotations(0, swing) @ local_rotations(body, shoulder, rests[None])[0]
        side = -1.0 if body.limb(hand).mirrored else 1.0
        turned = axis_rotations(1, -side * apart * np.sin(swing)) @ turned
        angles = np.radians(euler_angles(turned, [rotation.axis for rotation in rotations]))
        for dof, values in zip(body.rotation_dofs[shoulder], np.unwrap(angles, axis=0).T, strict=True):
            found[dof] = values
    return found
