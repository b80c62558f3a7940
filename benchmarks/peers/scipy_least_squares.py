"""scipy's least_squares (trust region reflective): errors and whatever is where it may not be, with bounds."""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares

from benchmarks.peers.evaluation import Evaluation
from benchmarks.peers.peer import ChainModel, ChainSolver
from benchmarks.peers.skeleton import Skeleton
from benchmarks.problems import Problem
from puppet.body import Body
from puppet.scene import Table
from puppet.types import Floats

EVALUATIONS = 200
TABLE_WEIGHT = 4.0  # of a depth in the table or a way beyond a widening limit
MARGIN = 1e-3  # kept by the penalty, which only works when something is already wrong


class ScipyLeastSquares(ChainSolver):
    name = "scipy least_squares"
    limits_use = "bounds and a penalty, clamped at the end"
    table_use = "penalty"
    slow = True

    def make_model(self, skeleton: Skeleton) -> ChainModel:
        return _Model(self.body, self.table, skeleton)


class _Arrived(Exception):  # noqa: N818 - no error: the way out of the optimiser
    pass


class _Model(ChainModel):
    def __init__(self, body: Body, table: Table, skeleton: Skeleton):
        super().__init__(skeleton)
        self.evaluation = Evaluation(body, table, skeleton)
        self.low, self.high = skeleton.lowest, skeleton.highest

    def solve(self, problem: Problem, start: Floats) -> Floats:
        first = self.evaluation.begin(problem, start)
        inside = 1e-3 * (self.high - self.low)  # the method wants to start off its bounds
        first = np.clip(first, self.low + inside, self.high - inside)
        try:
            result = least_squares(
                self._residuals,
                first,
                jac=self._jacobian,
                bounds=(self.low, self.high),
                max_nfev=EVALUATIONS,
                ftol=1e-10,
                xtol=1e-10,
                gtol=1e-10,
            )
            angles = np.array(result.x)
        except _Arrived as arrival:
            angles = np.array(arrival.args[0])
        self.clamp(angles)
        return angles

    def _residuals(self, angles: Floats) -> Floats:
        if self.evaluation.solved(angles):
            raise _Arrived(angles)
        lacking = np.minimum(self.evaluation.room - MARGIN, 0.0)
        return np.concatenate((self.evaluation.errors, TABLE_WEIGHT * lacking))

    def _jacobian(self, angles: Floats) -> Floats:
        self.evaluation.update(angles)
        lacking = (self.evaluation.room < MARGIN)[:, None]
        return np.vstack((self.evaluation.error_jacobian, TABLE_WEIGHT * lacking * self.evaluation.room_jacobian))
