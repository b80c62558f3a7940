"""Damped least squares on pinocchio's kinematics, with everything but pinocchio's own calls compiled by us.

A yardstick rather than a peer: the solver is our own code, pinocchio only places the joints. It shows how far a
determined user could get.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from benchmarks.peers.dls_kernel import hand_rows, move
from benchmarks.peers.peer import ChainModel, ChainSolver
from benchmarks.peers.pinocchio_dls import DAMPING, ERROR_DAMPING, ITERATIONS, LENGTH_SCALE, LONGEST_STEP, STUCK
from benchmarks.peers.pinocchio_model import pinocchio_model
from benchmarks.peers.skeleton import Skeleton
from benchmarks.peers.stopping import ORIENTATION_STOP, POSITION_STOP
from benchmarks.problems import Problem
from puppet.types import Floats


class PinocchioCompiled(ChainSolver):
    name = "(pinocchio, our compiled step)"
    yardstick = True

    def make_model(self, skeleton: Skeleton) -> ChainModel:
        return _Model(skeleton)


class _Model(ChainModel):
    def __init__(self, skeleton: Skeleton):
        super().__init__(skeleton)
        self.model, self.frames = pinocchio_model(skeleton, LENGTH_SCALE)
        self.data = self.model.createData()
        rows, count = 6 * len(self.frames), len(skeleton.hinges)
        self.error, self.jacobian = np.empty(rows), np.empty((rows, count))
        self.normal, self.step = np.empty((rows, rows)), np.empty(count)
        self.hands = []
        for h, (name, frame) in enumerate(self.frames.items()):
            placement, rows_of = self.data.oMf[frame], slice(6 * h, 6 * h + 6)  # pinocchio's own memory
            self.hands.append(
                (
                    frame,
                    placement.rotation,
                    placement.translation,
                    _support(skeleton, name),
                    self.error[rows_of],
                    self.jacobian[rows_of],
                )
            )

    def solve(self, problem: Problem, start: Floats) -> Floats:
        model, data, skeleton, hands = self.model, self.data, self.skeleton, self.hands
        limits, widens_with, near = skeleton.limits, skeleton.widens_with, LENGTH_SCALE * POSITION_STOP
        error, jacobian, normal, step, world = self.error, self.jacobian, self.normal, self.step, data.J
        angles = start[skeleton.dofs]
        goals = [(problem.goals[name].orientation, LENGTH_SCALE * problem.goals[name].position) for name in self.frames]
        for _ in range(ITERATIONS):
            pin.computeJointJacobians(model, data, angles)
            arrived = True
            for (frame, rotation, position, support, hand_error, rows), (turn, place) in zip(hands, goals, strict=True):
                pin.updateFramePlacement(model, data, frame)
                arrived &= hand_rows(
                    world, support, rotation, position, turn, place, near, ORIENTATION_STOP, hand_error, rows
                )
            if arrived:
                break
            moved = move(
                angles,
                limits,
                widens_with,
                jacobian,
                error,
                DAMPING,
                ERROR_DAMPING,
                LONGEST_STEP,
                normal,
                step,
            )
            if moved < STUCK:
                break
        return angles


def _support(skeleton: Skeleton, limb: str) -> Floats:
    """1 for every hinge that moves a limb's tip, else 0, (hinges,)."""
    support = np.zeros(len(skeleton.hinges))
    hinge = skeleton.tips[limb][0]
    while hinge >= 0:
        support[hinge] = 1.0
        hinge = skeleton.hinges[hinge].parent
    return support
