"""How near an unreachable goal can be approached: a slow and thorough search, position only, off everybody's clock."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize

from benchmarks import batch
from benchmarks.peers.evaluation import LENGTH_SCALE, Evaluation
from benchmarks.peers.skeleton import Clamp, skeleton
from benchmarks.problems import CHAINS, Problem
from puppet.body import Body
from puppet.scene import Table
from puppet.types import Floats

STARTS = 4
SEED = 11
SLACK = 1e-7  # negative room that counts as none, radians or depth


def nearest_miss(body: Body, table: Table, problem: Problem, start: Floats) -> float:
    """The least distance of the hands' tips from their goals that was found, mean over the hands."""
    limbs, torso = CHAINS[problem.chain]
    chain = skeleton(body, limbs, torso)
    clamp, evaluation = Clamp(chain), Evaluation(body, table, chain)

    def cost(angles: Floats) -> tuple[float, Floats]:
        evaluation.update(angles)
        total, slope = 0.0, np.zeros(len(angles))
        for row in range(0, len(evaluation.errors), 6):
            away = evaluation.errors[row : row + 3]
            distance = float(np.linalg.norm(away))
            total += distance / LENGTH_SCALE
            slope += away @ evaluation.error_jacobian[row : row + 3] / (distance * LENGTH_SCALE)
        return total / len(limbs), slope / len(limbs)

    def room(angles: Floats) -> Floats:
        evaluation.update(angles)
        return evaluation.room

    def room_jacobian(angles: Floats) -> Floats:
        evaluation.update(angles)
        return evaluation.room_jacobian

    first = evaluation.begin(problem, start)
    elsewhere = batch.angles_in_limits(body, STARTS - 1, np.random.default_rng(SEED))[:, chain.dofs]
    best = math.inf
    for begin in (first, *elsewhere):
        found = minimize(
            cost,
            begin,
            jac=True,
            method="SLSQP",
            bounds=list(zip(clamp.low, clamp.high, strict=True)),
            constraints={"type": "ineq", "fun": room, "jac": room_jacobian},
            options={"maxiter": 200, "ftol": 1e-10},
        )
        angles = np.array(found.x)
        clamp(angles)
        if room(angles).min() >= -SLACK:
            best = min(best, cost(angles)[0])
    return best
