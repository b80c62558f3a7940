"""The score of a posture, compiled: (5.36) to (5.38) with a term for the orientation. Less is better."""

from __future__ import annotations

import math

from puppet.kernels.ccd import errors
from puppet.kernels.jit import inner
from puppet.kernels.limb import strain

POSITION_TOLERANCE = 1e-3  # in body heights
ORIENTATION_TOLERANCE = math.radians(1.0)
MISS_WEIGHT = 1000.0  # D: a goal that is not met, and again per unit of distance
ORIENTATION_WEIGHT = 100.0  # the same for the orientation, per radian
HEIGHT_WEIGHT = 100.0  # H: elbow above wrist, per unit of height


@inner
def score_posture(joints, dofs, limbs, trunk, goals, oriented, height, estimate, frames, angles):
    """D + O + H + strains: averaged over the arms, then the trunk's added."""
    arms = limbs.shape[0]
    score = 0.0
    for h in range(arms):
        limb = limbs[h]
        distance, angle = errors(joints, frames, limb[-1:], goals[h : h + 1], oriented[h : h + 1])
        part = 0.0
        if distance > POSITION_TOLERANCE * height:
            part += MISS_WEIGHT * (1.0 + distance / height)
        if angle > ORIENTATION_TOLERANCE:
            part += ORIENTATION_WEIGHT * (1.0 + angle)
        if limb.shape[0] > 1:
            part += HEIGHT_WEIGHT * max(0.0, frames[limb[-2], 1] - frames[limb[-1], 1]) / height
        for j in limb:
            part += strain(dofs, angles, estimate, j)
        score += part / arms
    for j in trunk:
        score += strain(dofs, angles, estimate, j)
    return score
