"""Whether nearly the same goal gets nearly the same posture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from benchmarks.peers.peer import Solver
from benchmarks.problems import Goal, Problem
from puppet.body import Body, kinematics
from puppet.types import Floats

SHIFT = 0.001
SAME_PLACE = 0.05  # a joint that moves less is still where it was
SAME_ANGLE = 30.0  # degrees
SEED = 5


def stable_shares(
    body: Body, solver: Solver, problems: Sequence[Problem], starts: Sequence[Floats], postures: Sequence[Floats]
) -> dict[str, float]:
    """The shares of problems in which no joint and no angle jumps when every goal moves by SHIFT in a random direction.

    Angles jump more often than joints: near a quarter turn of its middle axis a ball joint can say one thing twice.
    """
    rng = np.random.default_rng(SEED)
    moved = []
    for problem in problems:
        goals = {}
        for name, goal in problem.goals.items():
            direction = rng.normal(size=3)
            shift = SHIFT * direction / np.linalg.norm(direction)
            goals[name] = Goal(goal.position + shift, goal.orientation)
        moved.append(replace(problem, goals=goals, known=None))
    solver.prepare(moved)
    same_place = same_angle = 0
    for problem, start, posture in zip(moved, starts, postures, strict=True):
        answer = solver.solve(problem, start)
        way = np.linalg.norm(kinematics.forward(body, answer)[0] - kinematics.forward(body, posture)[0], axis=1)
        same_place += bool(way.max() <= SAME_PLACE)
        same_angle += bool(np.degrees(np.abs(answer - posture)).max() <= SAME_ANGLE)
    return {"place": same_place / len(moved), "angle": same_angle / len(moved)}
