"""Bends a limb so that its end follows a path; the work is done in puppet.kernels.path_following."""

from __future__ import annotations

import math

import numpy as np

from puppet.body import Body, body_angles, kernel_angles
from puppet.kernels.loader import kernels
from puppet.motion.obstacles import Things
from puppet.types import Floats, Ints

NO_SMOOTHING = np.arange(0)


def follow(
    body: Body,
    hand: str,
    bases: Floats,
    targets: Floats,
    references: Floats,
    tolerances: Floats,
    smoothing: Ints = NO_SMOOTHING,
    largest_step: float = math.inf,
    ends: bool = False,
    touched: Things | None = None,
) -> tuple[Floats, float]:
    """Angles (frames, dofs of the limb) with the hand on its targets (frames, 12), as near to the references as that
    allows, and their cost: 0 where nothing is wrong.

    bases: (frames, 12), transforms of the limb's parent. tolerances: rows of position, orientation and posture, then 1
    if each frame is solved from its own reference, 0 if from the frame before; the first row that gives no jerk is
    taken. smoothing: window lengths in frames, tried in turn if no row does. largest_step: an angle that changes by
    more from frame to frame jerks. ends: whether the first and the last frame stay at their references. touched: what
    the hand stays on.
    """
    touched = touched or Things((), np.empty(0), np.empty((len(targets), 0, 12)))
    model, limb = body.model, body.limb(hand).joints
    references = kernel_angles(body, references, limb)
    angles = references.copy()
    cost = kernels().follow(
        model.joints, model.dofs, np.array(limb), bases, targets, references, tolerances, smoothing,
        largest_step, int(ends), touched.half_widths, touched.rows, angles,
    )  # fmt: skip
    return body_angles(body, angles, limb), cost
