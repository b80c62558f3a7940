"""Limbs without a goal keep their angles, unless the trunk carries them into the table: then a grid search over the
first joint and the bend of the second finds the least change that is clear of it,

    change = sum over its angles of |angle - angle before|.
"""

from __future__ import annotations

import math

from puppet.kernels.forward_kinematics import clamp_joint, copy, place_joint
from puppet.kernels.jit import inner
from puppet.kernels.model import LOWER, UPPER
from puppet.kernels.table_clearance import table_excess_below

_STEPS = 5  # angles tried for each axis of the first two joints


@inner
def place_below(joints, below, first, angles, transforms):
    """World transforms of all joints that joint `first` carries."""
    for j in range(first, joints.shape[0]):
        if below[first, j] == 1:
            place_joint(joints, angles, j, transforms)


@inner
def clear_idle_limb(joints, dofs, below, first, table, transforms, angles):
    """Moves an idle limb, from its root joint `first` on, out of the table; returns whether it is clear afterwards."""
    place_below(joints, below, first, angles, transforms)
    if table_excess_below(joints, table, transforms, below, first) <= 0.0:
        return True
    hinge = first + 1 if first + 1 < joints.shape[0] and below[first, first + 1] == 1 else first
    trial, found = angles.copy(), angles.copy()
    best = math.inf
    for n in range(_STEPS**4):
        rest = n
        moved = 0.0
        for place in range(4):
            d = 3 * first + place if place < 3 else 3 * hinge
            trial[d] = dofs[d, LOWER] + (dofs[d, UPPER] - dofs[d, LOWER]) * (rest % _STEPS) / (_STEPS - 1.0)
            moved += abs(trial[d] - angles[d])
            rest //= _STEPS
        if moved >= best:
            continue
        clamp_joint(dofs, trial, first)
        place_below(joints, below, first, trial, transforms)
        if table_excess_below(joints, table, transforms, below, first) <= 0.0:
            best = moved
            copy(trial, found)
    if best < math.inf:  # half way back as often as that stays clear
        for _ in range(6):
            for d in range(3 * first, 3 * hinge + 3):
                trial[d] = 0.5 * (angles[d] + found[d])
            place_below(joints, below, first, trial, transforms)
            if table_excess_below(joints, table, transforms, below, first) > 0.0:
                break
            copy(trial, found)
    copy(found, angles)
    place_below(joints, below, first, angles, transforms)
    return best < math.inf
