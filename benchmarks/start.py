"""The posture that every peer starts from: the thesis's estimate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import puppet
from benchmarks.judge import hand_goals
from benchmarks.problems import Problem
from puppet.body import Body, Floats


def start_source() -> str:
    """Where the starts come from, for the report: the middle of the limits is not what peers should be given."""
    if _estimate() is not None:
        return "the thesis's estimate"
    return "the middle of the limbs' limits, for want of an estimate"


def start_posture(body: Body, problem: Problem) -> Floats:
    """The estimate for a problem, inside the limits; the middle of the limbs' limits while there is no estimate."""
    estimate = _estimate()
    if estimate is None:
        return middle_posture(body, problem)
    angles = np.array(estimate(body, problem), dtype=np.float64)
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


def _estimate() -> Callable[[Body, Problem], Any] | None:
    """The package's estimate, whichever way it offers it."""
    try:
        from puppet.estimate import estimate_posture
    except ImportError:
        solve: Any = getattr(puppet, "solve_posture", None)
        if solve is None:
            return None
        return lambda body, problem: solve(body, **hand_goals(problem), torso=problem.torso, solver="estimate").angles
    return lambda body, problem: estimate_posture(body, hand_goals(problem), problem.torso)
