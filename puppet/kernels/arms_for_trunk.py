"""The best arms for a trunk as it is: each arm in closed form, its swivel searched.

violation = sum over the arms of their own violations, see puppet.kernels.closed_form_arm.
"""

from __future__ import annotations

import math

from puppet.kernels.closed_form_arm import PRICE, RAISED, dot, load_arm
from puppet.kernels.forward_kinematics import clamp_joint, place_joint
from puppet.kernels.jit import inner
from puppet.kernels.model import LOAD_AND_SEARCH, OFFSET, PARENT, TIP
from puppet.kernels.rotation import triple
from puppet.kernels.swivel_search import solve_arm


@inner
def beyond_reach(joints, limb, trunk, goal, oriented, transforms):
    """Whether even trunk and arm stretched out in one line would not reach the goal."""
    if trunk.shape[0] == 0:
        return False
    ox, oy, oz = triple(transforms, trunk[0], 0)
    x, y, z = triple(joints, limb[2], TIP)
    length = 1e-9 + (0.0 if oriented else math.sqrt(x * x + y * y + z * z))
    if not oriented:
        x = y = z = 0.0
    x, y, z = (  # from the trunk's root to where the wrist, or else the tip, has to be
        goal[0] - ox - dot(goal, 3, x, y, z),
        goal[1] - oy - dot(goal, 6, x, y, z),
        goal[2] - oz - dot(goal, 9, x, y, z),
    )
    j = limb[2]
    while j != trunk[0]:
        ox, oy, oz = triple(joints, j, OFFSET)
        length += math.sqrt(ox * ox + oy * oy + oz * oz)
        j = int(joints[j, PARENT])
    return x * x + y * y + z * z > length * length


@inner
def solve_arms(joints, dofs, limbs, trunk, goals, oriented, table, estimate, effort, price, transforms, states, angles):
    """The arms for the trunk in angles; returns their violation, the height of elbows above wrists, and whether all
    goals are within reach.

    effort: LOAD_AND_SEARCH sets the states up first, and only then is the reach checked; SEARCH and REFINE use them,
    see puppet.kernels.swivel_search. price: of violations where a swivel is chosen. states: (arms, STATE_SIZE).
    """
    near = True
    if effort == LOAD_AND_SEARCH:
        for h in range(limbs.shape[0]):
            load_arm(joints, dofs, limbs[h], oriented[h], table, estimate, states[h])
            if beyond_reach(joints, limbs[h], trunk, goals[h], oriented[h], transforms):
                near = False
    for j in trunk:
        clamp_joint(dofs, angles, j)
        place_joint(joints, angles, j, transforms)
    violation = raised = 0.0
    for h in range(limbs.shape[0]):
        states[h, PRICE] = price
        violation += solve_arm(joints, dofs, limbs[h], goals[h], transforms, effort, states[h], angles)
        raised += states[h, RAISED]
    return violation, raised, near
