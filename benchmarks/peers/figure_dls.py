"""MuJoCo's kinematics and damped least squares in numpy; limits are clamped after each step."""

from __future__ import annotations

import mujoco
import numpy as np

from benchmarks.peers.figure_mink import start
from benchmarks.peers.figure_mjcf import figure_mjcf
from benchmarks.peers.figure_peer import FigurePeer
from puppet.types import Floats

DRAG, PIN, TURN, REFERENCE = 50.0, 1.0, 0.2, 1e-2
ERROR_DAMPING, DAMPING = 1.0, 1e-8
# Best on B of DRAG 10, 50; ERROR_DAMPING 0.01, 0.1, 1. DRAG 10 moves the pins in C by 8 mm instead of 29, and leaves
# 11 mm of the drag in B.


class MujocoDls(FigurePeer):
    name = "mujoco + numpy"

    def prepare(self) -> None:
        self.model = mujoco.MjModel.from_xml_string(figure_mjcf(self.body, self.boxes, balls=False))
        self.data = mujoco.MjData(self.model)
        self.data.qpos[:] = self.reference = start(self)
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        self.drag = self.model.body(self.problem.part).id
        self.pins = [(self.model.body(pin.part).id, pin.orientation) for pin in self.problem.pins]
        self.places = {body: self.data.xpos[body].copy() for body, _ in self.pins}
        self.turns = {body: self.data.xquat[body].copy() for body, _ in self.pins}
        self.low, self.high = self.model.jnt_range[1:].T

    def step(self, place: Floats) -> None:
        model, data = self.model, self.data
        self.steps += self.solves
        for _ in range(self.solves):
            rows, errors = [], []
            moves, turns = np.zeros((3, model.nv)), np.zeros((3, model.nv))
            mujoco.mj_jacBody(model, data, moves, None, self.drag)
            rows.append(DRAG * moves)
            errors.append(DRAG * (place - data.xpos[self.drag]))
            for body, oriented in self.pins:
                moves, turns = np.zeros((3, model.nv)), np.zeros((3, model.nv))
                mujoco.mj_jacBody(model, data, moves, turns, body)
                rows.append(PIN * moves)
                errors.append(PIN * (self.places[body] - data.xpos[body]))
                if oriented:
                    local, vector = np.empty(3), np.empty(3)
                    mujoco.mju_subQuat(local, self.turns[body], data.xquat[body])
                    mujoco.mju_rotVecQuat(vector, local, data.xquat[body])
                    rows.append(TURN * turns)
                    errors.append(TURN * vector)
            jacobian, error = np.concatenate(rows), np.concatenate(errors)
            weight = REFERENCE**2 * np.ones(model.nv)
            weight[:6] = 0.0
            away = np.concatenate([np.zeros(6), self.reference[7:] - data.qpos[7:]])
            damping = DAMPING + ERROR_DAMPING * float(error @ error)
            left = jacobian.T @ jacobian + np.diag(weight + damping)
            velocity = np.linalg.solve(left, jacobian.T @ error + weight * away)
            mujoco.mj_integratePos(model, data.qpos, velocity, 1.0)
            data.qpos[7:] = np.clip(data.qpos[7:], self.low, self.high)
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)

    def angles(self) -> Floats:
        rotation = np.empty(9)
        mujoco.mju_quat2Mat(rotation, self.data.qpos[3:7])
        return self.with_root(self.data.qpos[:3], rotation.reshape(3, 3), self.data.qpos[7:])
