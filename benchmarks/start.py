"""The posture that every peer starts from: the thesis's estimate."""

from __future__ import annotations

import numpy as np

from benchmarks.judge import hand_goals
from benchmarks.problems import Problem
from puppet.body import Body
from puppet.posture.posture import estimate_posture
from puppet.types import Floats


def start_posture(body: Body, problem: Problem) -> Floats:
    """The estimate for a problem."""
    return np.array(estimate_posture(body, hand_goals(problem), problem.torso))
