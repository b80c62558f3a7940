"""Judges a posture for a problem, whoever found it, with the plain kinematics that no solver is built on."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.problems import CHAINS, Problem
from puppet.body import Body, Clearance, kinematics
from puppet.posture import HandGoal
from puppet.posture.posture import score_posture
from puppet.scene import Table, table_excess
from puppet.types import Floats

POSITION_TOLERANCE = 0.001
ORIENTATION_TOLERANCE = 1.0  # degrees
EXCESS_TOLERANCE = 1e-9  # radians outside a limit, depth in the table


@dataclass(frozen=True)
class Verdict:
    """What a posture is worth; the worst hand counts for the errors."""

    solved: bool
    position_error: float
    orientation_error: float  # degrees
    mean_miss: float  # position error, mean over the hands
    limit_excess: float  # radians
    table_excess: float  # of the limbs that have a goal
    idle_table_excess: (
        float  # of the limbs that have none and hang where the start left them; solved or not all the same
    )
    elbow_above_wrist: bool
    score: float  # less is better


class Judge:
    """Measures postures of a body at a table."""

    def __init__(self, body: Body, table: Table):
        self.body, self.table = body, table
        self._busy = {chain: _without_idle_limbs(body, limbs) for chain, (limbs, _) in CHAINS.items()}

    def judge(self, problem: Problem, angles: Floats) -> Verdict:
        """Measure a posture (dofs,) against a problem."""
        body, table = self.body, self.table
        if angles.shape != (body.dofs,) or not np.all(np.isfinite(angles)):
            return Verdict(False, math.inf, 180.0, math.inf, math.inf, math.inf, math.inf, True, math.inf)
        positions, rotations = kinematics.forward(body, angles)
        tips = kinematics.tip_positions(body, positions, rotations)
        orientation_error = 0.0
        misses = []
        elbow_above_wrist = False
        for name, goal in problem.goals.items():
            elbow, wrist = body.limbs[name].joints[-2:]
            misses.append(float(np.linalg.norm(tips[wrist] - goal.position)))
            orientation_error = max(orientation_error, angle_between(rotations[wrist], goal.orientation))
            elbow_above_wrist |= bool(positions[elbow, 1] > positions[wrist, 1])
        limit_excess = body.limit_excess(angles)
        busy_excess = table_excess(self._busy[problem.chain], table, positions, rotations)
        position_error = max(misses)
        solved = position_error <= POSITION_TOLERANCE and orientation_error <= ORIENTATION_TOLERANCE
        return Verdict(
            solved=solved and limit_excess <= EXCESS_TOLERANCE and busy_excess <= EXCESS_TOLERANCE,
            position_error=position_error,
            orientation_error=orientation_error,
            mean_miss=sum(misses) / len(misses),
            limit_excess=limit_excess,
            table_excess=busy_excess,
            idle_table_excess=table_excess(body, table, positions, rotations) - busy_excess,
            elbow_above_wrist=elbow_above_wrist,
            score=score_posture(body, hand_goals(problem), problem.torso, angles),
        )


def _without_idle_limbs(body: Body, limbs: tuple[str, ...]) -> Body:
    """The same body, with only the limbs named watched for the table."""
    idle = {joint for name, limb in body.limbs.items() if name not in limbs for joint in limb.joints}
    joints = (replace(joint, clearance=Clearance()) if j in idle else joint for j, joint in enumerate(body.joints))
    return replace(body, joints=tuple(joints))


def angle_between(first: Floats, second: Floats) -> float:
    """Degrees between two rotations, exact for small angles too."""
    relative = first.T @ second
    sine = np.array([relative[2, 1] - relative[1, 2], relative[0, 2] - relative[2, 0], relative[1, 0] - relative[0, 1]])
    return math.degrees(math.atan2(float(np.linalg.norm(sine)), float(np.trace(relative)) - 1.0))


def hand_goals(problem: Problem) -> dict[str, HandGoal]:
    """The problem's goals as the package writes them."""
    return {name: HandGoal(goal.position, goal.orientation) for name, goal in problem.goals.items()}
