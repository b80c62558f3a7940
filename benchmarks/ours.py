"""The puppet's own solvers as the benchmark sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

import puppet
from benchmarks.judge import hand_goals
from benchmarks.peers.peer import Solver
from benchmarks.problems import Problem
from puppet.body import Body
from puppet.scene import Table
from puppet.types import Floats


class PuppetSolver(Solver):
    """solve_posture from nothing: it makes its own estimate, on the clock, and is not given the peers' start."""

    name = "puppet"
    solver: ClassVar[str] = "puppet"
    limits_use = "always inside"
    table_use = "always clear"

    def __init__(self, body: Body, table: Table):
        super().__init__(body, table)
        self.goals: dict[Problem, dict[str, Any]] = {}
        self.postures: dict[Problem, Any] = {}  # what was answered, with its own claims

    def prepare(self, problems: Sequence[Problem]) -> None:
        self.goals = {problem: hand_goals(problem) for problem in problems}
        self.postures = {}

    def solve(self, problem: Problem, start: Floats) -> Floats:
        posture = puppet.solve_posture(
            self.body, **self.goals[problem], torso=problem.torso, table=self.table, solver=self.solver
        )
        self.postures[problem] = posture
        return np.asarray(posture.angles)


class ThesisSolver(PuppetSolver):
    """Figure 5.17 as it is printed."""

    name = "thesis"
    solver = "thesis"
    limits_use = "clamped"
    table_use = "collision removal"
    slow = True
