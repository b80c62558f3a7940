"""The posture that every peer starts from: the thesis's estimate."""

from __future__ import annotations

import numpy as np

from benchmarks.judge import hand_goals
from benchmarks.problems import Problem
from puppet.body import Body, Floats


def start_posture(body: Body, problem: Problem) -> Floats:
    """The estimate for a problem, inside the limits; the middle of the limbs' limits while there is no estimate."""
    try:
        from puppet.estimate import estimate_posture
    except ImportError:
        return middle_posture(body, problem)
    angles = np.array(estimate_posture(body, hand_goals(problem), problem.torso), dtype=np.float64)
    for _ in range(2):  # a limit that widens with a bend follows the clamped bend
        angles = np.clip(angles, *body.limits_at(angles))
    return angles


def middle_posture(body: Body, problem: Problem) -> Floats:
    """At rest, with the limbs that have a goal in the middle of their limits."""
    angles = body.rest.copy()
    for name in problem.goals:
        for joint in body.limbs[name].joints:
            dofs = slice(3 * joint, 3 * joint + 3)
            angles[dofs] = body.arrays.limits[dofs, :2].mean(axis=1)
    return angles
