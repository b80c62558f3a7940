"""Arms that have a closed form."""

from __future__ import annotations

import numpy as np

from puppet.body.body import Body, Limb


def is_arm(body: Body, limb: Limb) -> bool:
    """Whether a limb is a ball joint, a hinge that may twist along its bone, and a ball joint, on some parent.

    The hinge bends across the shoulder's last axis; no limit of the limb depends on another angle.
    """
    if len(limb.joints) != 3 or body.joints[limb.joints[0]].parent < 0:
        return False
    shoulder, elbow, wrist = (body.joints[j].rotations for j in limb.joints)
    if not (len(shoulder) == len(wrist) == 3 and len(elbow) >= 2):
        return False
    if elbow[0].axis == shoulder[2].axis or any(r.widens for joint in (shoulder, elbow, wrist) for r in joint):
        return False
    offset = np.linalg.norm(body.arrays.offsets[list(limb.joints[1:])], axis=1)
    hinged = len(elbow) == 2 or elbow[1].lower == elbow[1].upper == 0.0
    return hinged and bool(np.all(offset > 1e-9))
