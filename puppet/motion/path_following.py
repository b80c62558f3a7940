"""A limb bent so that its end follows a way: the door to puppet.kernels.follow."""

from __future__ import annotations

import math

import numpy as np

from puppet.body import Body, body_angles, kernel_angles
from puppet.kernels.loader import kernels
from puppet.motion.obstacles import Things
from puppet.types import Floats, Ints

NOT = np.arange(0)


def follow(
    body: Body,
    hand: str,
    bases: Floats,
    targets: Floats,
    references: Floats,
    ways: Floats,
    smoothing: Ints = NOT,
    calm: float = math.inf,
    ends: bool = False,
    kept: Things | None = None,
) -> tuple[Floats, float]:
    """Angles (frames, dofs of the limb) with the hand on its targets (frames, 12), as near to the references as that
    allows, and how bad they are: 0 where nothing is wrong.

    bases: (frames, 12), what the limb hangs on. ways: how well the targets shall be kept, rows of place, orientation
    and posture, then 1 where each frame is found from its own reference, 0 where it goes on from the frame before; the
    first that gives no jerk is taken. smoothing: over how many frames it is smoothed where there is none. calm: the
    largest step of an angle that is no jerk. ends: whether the first and the last frame stay at their references.
    kept: what the hand stays on.
    """
    kept = kept or Things((), np.empty(0), np.empty((len(targets), 0, 12)))
    model, limb = body.model, body.limb(hand).joints
    references = kernel_angles(body, references, limb)
    angles = references.copy()
    cost = kernels().follow(
        model.joints, model.dofs, np.array(limb), bases, targets, references, ways, smoothing, calm, int(ends),
        kept.halves, kept.rows, angles,
    )  # fmt: skip
    return body_angles(body, angles, limb), cost
