"""The score of a posture, (5.36) to (5.38) with a term for the orientation; less is better.

    mean over the arms of (D + O + H + strains)  +  strains of the trunk,

D where the position is missed, O where the orientation is, H the elbow's height above the wrist.
"""

from __future__ import annotations

import math

from puppet.kernels.ccd import goal_errors
from puppet.kernels.closed_form_arm import joint_strain
from puppet.kernels.jit import inner
from puppet.kernels.model import ORIENTATION_TOLERANCE, POSITION_TOLERANCE

ANGLE_TOLERANCE = math.radians(ORIENTATION_TOLERANCE)
_MISS_WEIGHT = 1000.0  # D: a goal that is not met, and again per unit of distance
ORIENTATION_WEIGHT = 100.0  # the same for the orientation, per radian
HEIGHT_WEIGHT = 100.0  # H: elbow above wrist, per unit of height


@inner
def score_posture(joints, dofs, limbs, trunk, goals, oriented, height, estimate, transforms, angles):
    """The score, see above."""
    arms = limbs.shape[0]
    score = 0.0
    for h in range(arms):
        limb = limbs[h]
        distance, angle = goal_errors(joints, transforms, limb[-1:], goals[h : h + 1], oriented[h : h + 1])
        part = 0.0
        if distance > POSITION_TOLERANCE * height:
            part += _MISS_WEIGHT * (1.0 + distance / height)
        if angle > ANGLE_TOLERANCE:
            part += ORIENTATION_WEIGHT * (1.0 + angle)
        if limb.shape[0] > 1:
            part += HEIGHT_WEIGHT * max(0.0, transforms[limb[-2], 1] - transforms[limb[-1], 1]) / height
        for j in limb:
            part += joint_strain(dofs, angles, estimate, j)
        score += part / arms
    for j in trunk:
        score += joint_strain(dofs, angles, estimate, j)
    return score
