"""scipy's SLSQP: least squared error, joint limits as bounds, widening limits and the table as inequalities.

Goals as equalities take fewer steps where they work, but fail far more often: the linear goals clash with the bounds.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from benchmarks.peers.evaluation import Evaluation
from benchmarks.peers.peer import ChainModel, ChainSolver
from benchmarks.peers.skeleton import Skeleton
from benchmarks.problems import Problem
from puppet.body import Body
from puppet.scene import Table
from puppet.types import Floats

ITERATIONS = 200
PROGRESS = 1e-9  # of the cost; less ends the search


class ScipySlsqp(ChainSolver):
    name = "scipy SLSQP"
    limits_use = "bounds and inequalities"
    table_use = "inequalities"

    def make_model(self, skeleton: Skeleton) -> ChainModel:
        return _Model(self.body, self.table, skeleton)


class _Arrived(Exception):  # noqa: N818 - no error: the way out of the optimiser
    pass


class _Model(ChainModel):
    def __init__(self, body: Body, table: Table, skeleton: Skeleton):
        super().__init__(skeleton)
        self.evaluation = Evaluation(body, table, skeleton)
        self.bounds = list(zip(skeleton.lowest, skeleton.highest, strict=True))
        self.constraints = {"type": "ineq", "fun": self._room, "jac": self._room_jacobian}

    def solve(self, problem: Problem, start: Floats) -> Floats:
        first = self.evaluation.begin(problem, start)
        try:
            result = minimize(
                self._cost,
                first,
                jac=True,
                method="SLSQP",
                bounds=self.bounds,
                constraints=self.constraints,
                callback=self._stop_when_solved,
                options={"maxiter": ITERATIONS, "ftol": PROGRESS},
            )
            angles = np.array(result.x)
        except _Arrived as arrival:
            angles = np.array(arrival.args[0])
        self.clamp(angles)
        return angles

    def _cost(self, angles: Floats) -> tuple[float, Floats]:
        self.evaluation.update(angles)
        errors = self.evaluation.errors
        return 0.5 * float(errors @ errors), errors @ self.evaluation.error_jacobian

    def _room(self, angles: Floats) -> Floats:
        self.evaluation.update(angles)
        return self.evaluation.room

    def _room_jacobian(self, angles: Floats) -> Floats:
        self.evaluation.update(angles)
        return self.evaluation.room_jacobian

    def _stop_when_solved(self, angles: Floats) -> None:
        if self.evaluation.solved(angles):
            raise _Arrived(angles)
