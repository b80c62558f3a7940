"""When feet come down: from the postures of a body that goes somewhere to the moments at which a foot lands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.locomotion.legs import Foot, measured
from puppet.types import Floats, Vector

_LIFTED = 0.004  # heights of the body: a foot whose sole is nowhere lower than this is in the air


@dataclass(frozen=True)
class Landing:
    """A foot comes down."""

    frame: int  # from the first posture on
    joint: int  # of the foot
    place: Vector  # of the sole under the ankle, in the world


def landings(body: Body, postures: Floats, floor: float) -> tuple[Landing, ...]:
    """The landings in postures (frames, dofs) of a body with legs, in order. The first posture lands nowhere."""
    world = joint_transforms(body, postures)  # (frames, joints, 12)
    found: list[Landing] = []
    for foot in measured(body).feet:
        low = _lowest(world, foot) - floor
        aloft = low > _LIFTED * body.height
        for frame in np.flatnonzero(aloft[:-1] & ~aloft[1:]) + 1:
            x, _, z = (float(value) for value in world[frame, foot.joint, :3])
            found.append(Landing(int(frame), foot.joint, (x, floor, z)))
    return tuple(sorted(found, key=lambda landing: (landing.frame, landing.joint)))


def _lowest(world: Floats, foot: Foot) -> Floats:
    """The height of the lowest point of a foot, (frames,)."""
    parts = [(foot.joint, foot.contacts)]
    if foot.toes >= 0 and len(foot.toe_contacts):
        parts.append((foot.toes, foot.toe_contacts))
    heights = []
    for joint, points in parts:
        turned = world[:, joint, 6:9] @ points.T  # the row of the rotation that gives y
        heights.append(world[:, joint, 1, None] + turned)
    return np.asarray(np.concatenate(heights, axis=1).min(axis=1), dtype=float)
