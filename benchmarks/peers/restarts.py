"""pinocchio damped least squares, begun again elsewhere when it ends somewhere useless: what a careful user adds."""

from __future__ import annotations

import math

import numpy as np

from benchmarks import batch
from benchmarks.peers.evaluation import Evaluation
from benchmarks.peers.peer import Solver
from benchmarks.peers.pinocchio_dls import PinocchioDls
from benchmarks.peers.skeleton import skeleton
from benchmarks.problems import CHAINS, Problem
from puppet.body import Body
from puppet.scene import Table
from puppet.types import Floats

ATTEMPTS = 6
ITERATIONS = 80  # of one attempt
SEED = 7


class PinocchioRestarts(Solver):
    name = "pinocchio DLS, restarts"
    table_use = "begins again when in it"

    def __init__(self, body: Body, table: Table):
        super().__init__(body, table)
        self.search = PinocchioDls(body, table)
        self.search.iterations = ITERATIONS
        self.evaluations = {
            chain: Evaluation(body, table, skeleton(body, limbs, torso)) for chain, (limbs, torso) in CHAINS.items()
        }
        self.elsewhere = batch.angles_in_limits(body, ATTEMPTS - 1, np.random.default_rng(SEED))

    def solve(self, problem: Problem, start: Floats) -> Floats:
        evaluation = self.evaluations[problem.chain]
        dofs = evaluation.dofs
        best, least = start, math.inf
        for attempt in range(ATTEMPTS):
            first = start
            if attempt:
                first = start.copy()
                first[dofs] = self.elsewhere[attempt - 1, dofs]
            posture = self.search.solve(problem, first)
            evaluation.begin(problem, start)
            if evaluation.solved(posture[dofs]):
                return posture
            badness = float(np.linalg.norm(evaluation.errors)) + 10.0 * max(0.0, -float(evaluation.room.min()))
            if badness < least:
                best, least = posture, badness
        return best
