"""What is wrong with a posture of trunk and arms, as residuals: evaluated directly on the posture."""

from __future__ import annotations

import numpy as np

from puppet.body import Body, forward
from puppet.kernels.model import SCORED
from puppet.scene import Table, point_excess, segment_excess
from puppet.types import Floats, Ints

STIFF, LENGTH = 20.0, 20.0  # how much what must hold counts against what is wished for; a distance against an angle
ANGLE_MARGIN, LENGTH_MARGIN, ELBOW_ROOM = 0.01, 0.0005, 0.003
COMFORT, TWIST = 0.15, 0.7  # of angles, and of the forearm's twist beside them


def arm_residuals(
    body: Body, limb: tuple[int, ...], goal: Floats, oriented: bool, table: Table, estimate: Floats, angles: Floats
) -> dict[str, Floats]:
    """The residuals of one arm by their kinds; what is one-sided is less than 0 where it holds.

    limits, comfort (6,): of shoulder and wrist. clearances (6,): upper arm, elbow, forearm, wrist, hand, tip. hanging:
    the elbow below the wrist. reach, gap: the goal's distance from the shoulder, less the arm's length when stretched,
    and as it is bent.
    """
    positions, rotations = forward(body, angles)
    shoulder, hinge, hand = limb
    arrays = body.arrays
    tip = rotations[hand] @ arrays.tips[hand]
    S, E, W = positions[shoulder], positions[hinge], positions[hand]
    end = W if oriented else W + tip  # what has to be somewhere
    target = goal[:3] - goal[3:].reshape(3, 3) @ arrays.tips[hand] if oriented else goal[:3]
    distance = np.linalg.norm(target - S)
    lower = np.linalg.norm(end - E)
    dofs = np.array([3 * j + place for j in (shoulder, hand) for place in range(3)])
    low, high = arrays.limits[dofs, 0], arrays.limits[dofs, 1]
    limits = STIFF * (np.maximum(low - angles[dofs], angles[dofs] - high) + ANGLE_MARGIN)
    wished = np.where(np.arange(6) < 3, estimate[dofs], 0.0)
    scored = np.where(np.arange(6) < 3, body.model.dofs[dofs, SCORED] == 1.0, oriented)
    comfort = COMFORT * scored * (angles[dofs] - wished)
    if not oriented:
        limits[3:] = -1.0
    wider = Table(table.height + LENGTH_MARGIN, table.front - LENGTH_MARGIN)
    excesses = []
    need = arrays.clearances
    for j, a, b, at in ((shoulder, S, E, (hinge, 0)), (hinge, E, W, (hand, 0)), (hand, W, W + tip, (hand, 2))):
        excesses.append(segment_excess(wider, a, b, need[j, 1]) if need[j, 1] >= 0.0 else 0.0)
        excesses.append(point_excess(wider, b, need[at]) if need[at] >= 0.0 else 0.0)
    return {
        "limits": limits,
        "clearances": STIFF * LENGTH * np.array(excesses),
        "hanging": np.array(STIFF * LENGTH * (E[1] - W[1] + ELBOW_ROOM)),
        "reach": np.array(STIFF * LENGTH * (distance - np.linalg.norm(E - S) - lower + LENGTH_MARGIN)),
        "comfort": comfort,
        "twist": np.array(TWIST * COMFORT * angles[3 * hinge + 2]),
        "gap": np.array(STIFF * LENGTH * (distance - np.linalg.norm(end - S))),
    }


def cost(
    body: Body, arms: list[dict[str, Floats]], limbs: Ints, trunk: Ints, estimate: Floats, angles: Floats
) -> float:
    """The sum of squares of the arms' residuals, of the trunk's distance from its estimate, and of angles beyond their
    limits."""
    total = 0.0
    for arm in arms:
        for name, values in arm.items():
            one_sided = name in ("limits", "clearances", "hanging", "reach")
            total += float(np.sum((np.maximum(values, 0.0) if one_sided else values) ** 2))
    lower, upper = body.limits_at(angles)
    out = np.minimum(0.0, angles - lower) + np.maximum(0.0, angles - upper)
    for j in trunk:
        for d in range(3 * j, 3 * j + 3):
            width = body.arrays.limits[d, 1] - body.arrays.limits[d, 0]
            total += ((angles[d] - estimate[d]) / width) ** 2 + (3.0 * STIFF * out[d]) ** 2
    for limb in limbs:
        for d in (3 * limb[1], 3 * limb[1] + 2):
            total += (STIFF * out[d]) ** 2
    return float(total)
