"""Damped least squares on pinocchio's kinematics: the loop that its users write, kept as tight as Python allows."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from scipy.linalg.lapack import dposv

from benchmarks.peers.peer import ChainModel, ChainSolver
from benchmarks.peers.pinocchio_model import pinocchio_model
from benchmarks.peers.skeleton import Skeleton
from benchmarks.peers.stopping import ORIENTATION_STOP, POSITION_STOP
from benchmarks.problems import Problem
from puppet.types import Floats

ITERATIONS = 300
LENGTH_SCALE = 4.0  # a quarter of the puppet's height counts as much as a radian
DAMPING = 1e-3  # least damping, squared
ERROR_DAMPING = 0.1  # what a squared error adds to it (Levenberg-Marquardt after Sugihara)
LONGEST_STEP = 1.0  # radians, norm over all joints
STUCK = 1e-8  # squared radians, the move that counts as none
EASY = 8  # iterations before joints that push against their limits are taken out of the step: it costs time


class PinocchioDls(ChainSolver):
    name = "pinocchio DLS"
    iterations = ITERATIONS

    def make_model(self, skeleton: Skeleton) -> ChainModel:
        return _Model(skeleton, self.iterations)


class _Model(ChainModel):
    def __init__(self, skeleton: Skeleton, iterations: int):
        super().__init__(skeleton)
        self.iterations = iterations
        self.model, self.frames = pinocchio_model(skeleton, LENGTH_SCALE)
        self.data = self.model.createData()
        rows = 6 * len(self.frames)
        self.normal, self.error = np.empty((rows, rows)), np.empty(rows)
        self.diagonal = self.normal.reshape(-1)[:: rows + 1]
        self.jacobian = np.empty((rows, len(skeleton.hinges)))

    def solve(self, problem: Problem, start: Floats) -> Floats:
        model, data, clamp = self.model, self.data, self.clamp
        jacobian, error, normal, diagonal = self.jacobian, self.error, self.normal, self.diagonal
        angles = start[self.skeleton.dofs]
        hands = []
        for h, (name, frame) in enumerate(self.frames.items()):
            goal = problem.goals[name]
            target = pin.SE3(goal.orientation, LENGTH_SCALE * goal.position)
            hands.append((frame, data.oMf[frame], target, slice(6 * h, 6 * h + 6)))
        single = len(hands) == 1
        near, turned = (LENGTH_SCALE * POSITION_STOP) ** 2, ORIENTATION_STOP**2
        low, high = clamp.low, clamp.high
        for iteration in range(self.iterations):
            pin.computeJointJacobians(model, data, angles)
            solved = True
            for frame, placement, target, rows in hands:
                pin.updateFramePlacement(model, data, frame)
                twist = pin.log6(placement.actInv(target)).vector
                x, y, z, a, b, c = twist.tolist()
                solved = solved and x * x + y * y + z * z < near and a * a + b * b + c * c < turned
                if single:
                    error = twist
                else:
                    error[rows] = twist
            if solved:
                break
            if single:
                jacobian = pin.getFrameJacobian(model, data, frame, pin.LOCAL)
            else:
                for frame, _, _, rows in hands:
                    jacobian[rows] = pin.getFrameJacobian(model, data, frame, pin.LOCAL)
            damping = DAMPING + ERROR_DAMPING * error.dot(error)
            np.dot(jacobian, jacobian.T, normal)
            diagonal += damping
            step = dposv(normal, error)[1].dot(jacobian)
            if iteration >= EASY:
                blocked = ((angles >= high) & (step > 0.0)) | ((angles <= low) & (step < 0.0))
                if blocked.any():
                    jacobian[:, blocked] = 0.0
                    np.dot(jacobian, jacobian.T, normal)
                    diagonal += damping
                    step = dposv(normal, error)[1].dot(jacobian)
            length2 = step.dot(step)
            if length2 > LONGEST_STEP * LONGEST_STEP:
                step *= LONGEST_STEP / length2**0.5
            before = angles.copy()
            angles += step
            clamp(angles)
            before -= angles
            if before.dot(before) < STUCK:
                break
        return angles
