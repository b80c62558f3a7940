"""Whether nearly the same goal gets nearly the same posture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from benchmarks.peers.peer import Solver
from benchmarks.problems import Goal, Problem
from puppet.body import Floats

SHIFT = 0.001
JUMP = 15.0  # degrees
SEED = 5


def stable_share(
    solver: Solver, problems: Sequence[Problem], starts: Sequence[Floats], postures: Sequence[Floats]
) -> float:
    """The share of problems in which no angle jumps when every goal moves by SHIFT in a random direction."""
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
    stable = 0
    for problem, start, posture in zip(moved, starts, postures, strict=True):
        change = np.degrees(np.abs(solver.solve(problem, start) - posture))
        stable += bool(change.max() <= JUMP)
    return stable / len(moved)
