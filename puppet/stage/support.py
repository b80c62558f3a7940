"""What a body stands on: its centre of mass, and the support of the feet that are pinned."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from puppet.body import Body, centres_of_mass
from puppet.geometry import hull
from puppet.types import Floats

ON_FLOOR = 0.01  # of the height: a point of contact no higher above the lowest one touches the floor


def mass_centre(body: Body, joints: Floats) -> Floats | None:
    """(3,) in the world, of joint transforms (joints, 12); None for a body without masses."""
    if all(joint.mass <= 0.0 for joint in body.joints):
        return None
    return np.asarray(centres_of_mass(body, joints[None])[0])


def feet(body: Body) -> tuple[str, ...]:
    return tuple(body.joint_names[limb.joints[-1]] for limb in body.limbs.values() if limb.kind == "leg")


def on_its_feet(body: Body, pins: Collection[str]) -> bool:
    """Whether the body's weight is on its feet: they are pinned, and its root is not."""
    weighed = sum(joint.mass for joint in body.joints) > 0.0
    return weighed and body.free_root and body.joint_names[0] not in pins and any(foot in pins for foot in feet(body))


def support(body: Body, joints: Floats, pins: Collection[str]) -> Floats:
    """The corners (n, 3) in turn of the area that the pinned feet, and what hangs on them, touch; none where no foot is
    pinned."""
    below = body.model.below.astype(bool)
    feet_and_toes = {int(j) for foot in feet(body) if foot in pins for j in np.flatnonzero(below[body.joint(foot)])}
    points = [
        joints[j, :3] + joints[j, 3:].reshape(3, 3) @ np.array(at)
        for j in sorted(feet_and_toes)
        for at in body.joints[j].contacts.values() or [(0.0, 0.0, 0.0)]
    ]
    if not points:
        return np.empty((0, 3))
    lowest = min(float(point[1]) for point in points)
    touching = [point for point in points if point[1] <= lowest + ON_FLOOR * body.height]
    corners = hull((float(x), float(z)) for x, _, z in touching)
    return np.array([(x, lowest, z) for x, z in corners])
