"""A posture that was found with boxes of angles, put into the ranges of its ball joints with its hands kept at
goals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from puppet.body import Body
from puppet.solver.figure import Figure
from puppet.types import Floats

_MAX_STEPS = 60
SMALLEST_TURN = 1e-7


def refine(
    body: Body, angles: Floats, goals: Mapping[str, tuple[Floats, Floats | None]], joints: Iterable[int]
) -> Floats:
    """The angles (dofs,) inside all ranges that are nearest to the angles given, with the tips of some limbs at their
    goals, a position and a rotation or None each, as nearly as `joints` alone can bring them there."""
    figure = Figure(body, angles)
    figure.serve(joints)
    for name, (position, rotation) in goals.items():
        joint = body.limb(name).joints[-1]
        figure.aim(body.joint_names[joint], position, rotation, body.arrays.tips[joint])
    figure.work(_MAX_STEPS, SMALLEST_TURN)
    return np.array(figure.angles)
