"""The posture nearest to goals that cannot be met, from several starts.

A few sweeps of coordinate descent (puppet.kernels.ccd) from each start; then the most promising go on with coordinate
descent and Newton steps (puppet.kernels.newton) in turns, which make least

    cost = sum over the goals of |position error| + weight (3 - trace(G^T R)),

see there. The first slides along the table, the second is fast near the
end. The weight of the orientation falls from round to round: in the end the position counts alone.
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.ccd import coordinate_descent, is_clear, miss_cost
from puppet.kernels.forward_kinematics import clamp_joint, copy, forward
from puppet.kernels.jit import inner
from puppet.kernels.newton import newton_descent

TOGETHER = 8  # steps
HOPELESS = 60.0  # an approach that is still so much worse than the best one after half its rounds is given up


@inner
def find_nearest_posture(
    joints, dofs, below, chain, roots, hands, goals, oriented, table, tolerance, starts, effort, transforms, angles,
):  # fmt: skip
    """The best posture found, into angles; stops at the first that meets all goals. Returns whether any start was clear
    of the table.

    starts: (n, dofs), overwritten; those inside the table are left out. effort: (3,) sweeps from each start, how many
    starts go on, and sweeps in each of their rounds.
    """
    count, first_sweeps, finalists, last_sweeps = starts.shape[0], effort[0], effort[1], effort[2]
    costs = np.empty(count)
    trial = angles.copy()
    best = math.inf
    for stage in range(count + finalists):
        n, sweeps, weight, rounds = stage, first_sweeps, 1e-3, 1
        if stage >= count:
            n, sweeps, weight, rounds = 0, last_sweeps, 1e-2, 4
            for other in range(count):
                if costs[other] < costs[n]:
                    n = other
            if costs[n] == math.inf:
                break
        copy(starts[n], trial)
        for j in chain:
            clamp_joint(dofs, trial, j)
        forward(joints, trial, transforms)
        costs[n] = math.inf
        if not is_clear(joints, table, transforms, below, roots):
            continue
        cost = math.inf
        for done in range(rounds):
            coordinate_descent(
                joints, dofs, below, chain, hands, goals, oriented, table, weight, sweeps, transforms, trial
            )
            forward(joints, trial, transforms)
            if stage >= count:
                newton_descent(
                    joints,
                    dofs,
                    below,
                    chain,
                    roots,
                    hands,
                    goals,
                    oriented,
                    table,
                    weight,
                    TOGETHER,
                    transforms,
                    trial,
                )
            weight *= 0.1
            cost = miss_cost(joints, transforms, hands, goals, oriented, tolerance)
            if done > 0 and cost > best + HOPELESS:
                break
        if stage < count:
            costs[n] = cost
            copy(trial, starts[n])
        if cost < best - 1e-6:
            best = cost
            copy(trial, angles)
            if cost < 0.01:
                break
    forward(joints, angles, transforms)
    return best < math.inf
