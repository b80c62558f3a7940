"""Frames of a person's parts that mean the same in every skeleton: as in our person's zero posture, in which it stands
with its arms to the sides, x points to its left, y up and z ahead for each part.

In another skeleton each part's frame is that one, turned the least way so that its bone points where it does there.
Rotations of parts, seen from these frames, can be compared and carried over, and human ranges hold for them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from puppet.body import Body, forward
from puppet.clip.furnish import NEXT, facing_of
from puppet.geometry import rotation_between
from puppet.types import Floats

UPRIGHT = 0.75  # how upright, from -1 to 1, a zero posture must be to count as one to measure in
# Where bones of limbs point in our person's zero posture. All other parts are turned as the whole person is.
_ARM, _LEG = np.array([1.0, 0.0, 0.0]), np.array([0.0, -1.0, 0.0])
_BONES: dict[str, Floats] = {
    "leftUpperArm": _ARM, "leftLowerArm": _ARM, "rightUpperArm": -_ARM, "rightLowerArm": -_ARM,
    "leftUpperLeg": _LEG, "leftLowerLeg": _LEG, "rightUpperLeg": _LEG, "rightLowerLeg": _LEG,
}  # fmt: skip


def parts_of(body: Body) -> dict[str, int]:
    """A body's joints by the parts that they are."""
    return {part: body.joint(name) for name, part in body.humanoid.items()}


def standing_posture(body: Body) -> Floats:
    """A posture in which it stands upright, (dofs,): the zero posture where that is one, else its rest posture."""
    parts, zero = parts_of(body), np.zeros(body.dofs)
    positions = forward(body, zero)[0]
    ways = [positions[parts["head"]] - positions[parts["hips"]]] if "head" in parts and "hips" in parts else []
    ways += [positions[parts[f"{side}UpperLeg"]] - positions[parts[f"{side}Foot"]] for side in ("left", "right")
             if f"{side}UpperLeg" in parts and f"{side}Foot" in parts]  # fmt: skip
    upright = np.mean([way[1] / max(float(np.linalg.norm(way)), 1e-12) for way in ways]) if ways else 1.0
    return zero if upright >= UPRIGHT else np.array(body.rest)


def part_frames(body: Body, parts: Mapping[str, int] | None = None) -> dict[str, Floats]:
    """The frame of each part in its joint's coordinates, (3, 3)."""
    parts = parts_of(body) if parts is None else parts
    positions, rotations = forward(body, standing_posture(body))
    if "leftUpperLeg" in parts and "rightUpperLeg" in parts:
        facing = facing_of(positions[parts["leftUpperLeg"]], positions[parts["rightUpperLeg"]])
    elif "leftUpperArm" in parts and "rightUpperArm" in parts:
        facing = facing_of(positions[parts["leftUpperArm"]], positions[parts["rightUpperArm"]])
    else:
        facing = np.eye(3)
    found: dict[str, Floats] = {}
    for part, j in parts.items():
        world = facing
        if part.endswith("Hand") and part.replace("Hand", "LowerArm") in parts:
            world = _limb(body, parts, positions, facing, part.replace("Hand", "LowerArm"))
        elif part in _BONES:
            world = _limb(body, parts, positions, facing, part)
        elif part.endswith("Foot") and part.replace("Foot", "Toes") in parts:
            way = positions[parts[part.replace("Foot", "Toes")]] - positions[j]
            way[1] = 0.0
            if np.linalg.norm(way) > 0.3 * abs(way).max() and np.linalg.norm(way) > 1e-6:
                world = rotation_between(facing[:, 2], way) @ facing
        found[part] = rotations[j].T @ world
    return found


def _limb(body: Body, parts: Mapping[str, int], positions: Floats, facing: Floats, part: str) -> Floats:
    """The frame of a limb's bone in the world."""
    following = parts.get(NEXT[part])
    if following is None:
        return facing
    bone = facing @ _BONES[part]
    return rotation_between(bone, positions[following] - positions[parts[part]]) @ facing
