"""MuJoCo, an independent judge: the same body from the same data has its parts and its sums in the same places."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.peers.figure_mjcf import figure_mjcf
from puppet import Body, Figure
from puppet.geometry import quaternions
from puppet.kernels.figure_model import MASS_CENTRE, MOMENTUM, ORIENTATION, POSITION
from puppet.solver.task import task_row
from puppet.types import Floats
from tests import figures

mujoco = pytest.importorskip("mujoco")
BY_BODY = pytest.mark.parametrize("name", figures.NAMES)
CLOSE = 1e-9  # MuJoCo is given 1e-12 of mass where we have none


class Judge:
    """MuJoCo's model of a body."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.model = mujoco.MjModel.from_xml_string(figure_mjcf(body))
        self.data = mujoco.MjData(self.model)
        self.bodies = [self.model.body(name).id for name in body.joint_names]
        self.velocities = np.empty(body.dofs, dtype=np.int64)  # where MuJoCo has each of ours
        for j, joint in enumerate(body.joints):
            dofs = body.dofs_of([j])
            first = self.model.body_dofadr[self.bodies[j]]
            if joint.rotations or (j == 0 and body.free_root):
                self.velocities[dofs] = first + np.arange(len(dofs))

    def put(self, angles: Floats, velocities: Floats | None = None) -> None:
        figure = Figure(self.body, angles)
        for j, joint in enumerate(self.body.joints):
            if not joint.rotations:
                continue
            at = self.model.jnt_qposadr[self.model.body_jntadr[self.bodies[j]]]
            rooted = j == 0 and self.body.free_root
            if rooted:
                self.data.qpos[:3] = figure.joint_positions[0]
                at += 3
            if rooted or figures.is_ball(self.body, j):
                x, y, z, w = quaternions(figure._local[j].reshape(1, 3, 3))[0]
                self.data.qpos[at : at + 4] = w, x, y, z
            else:
                dofs = self.body.rotation_dofs[j]
                self.data.qpos[at : at + len(dofs)] = angles[dofs]
        if velocities is not None:
            self.data.qvel[self.velocities] = velocities
        mujoco.mj_forward(self.model, self.data)

    def jacobian(self, j: int, point: Floats) -> tuple[Floats, Floats]:
        moves, turns = np.zeros((3, self.model.nv)), np.zeros((3, self.model.nv))
        mujoco.mj_jac(self.model, self.data, moves, turns, point, self.bodies[j])
        return moves[:, self.velocities], turns[:, self.velocities]

    def of_whole(self, name: str) -> Floats:
        found = np.zeros((3, self.model.nv))
        if name == "centre":
            mujoco.mj_jacSubtreeCom(self.model, self.data, found, self.bodies[0])
        else:
            mujoco.mj_angmomMat(self.model, self.data, found, self.bodies[0])
        return found[:, self.velocities]

    def inertia(self) -> Floats:
        """About the centre of mass, from MuJoCo's own frames of inertia."""
        found = np.zeros((3, 3))
        for body in self.bodies:
            turn, arm = self.data.ximat[body].reshape(3, 3), self.data.xipos[body] - self.data.subtree_com[0]
            found += turn @ np.diag(self.model.body_inertia[body]) @ turn.T
            found += self.model.body_mass[body] * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        return found


@BY_BODY
def test_mujoco_has_all_in_the_same_place(name: str) -> None:
    body, random = figures.load(name), np.random.default_rng(3)
    judge = Judge(body)
    for _ in range(5):
        angles, velocities = figures.random_posture(body, random), random.normal(size=body.dofs)
        figure = Figure(body, angles)
        judge.put(angles, velocities)
        for j, part in enumerate(body.joint_names):
            assert np.allclose(figure.joint_positions[j], judge.data.xpos[judge.bodies[j]], atol=CLOSE), part
            assert np.allclose(figure.rotation(part), judge.data.xmat[judge.bodies[j]].reshape(3, 3), atol=CLOSE), part
            at = random.uniform(-0.2, 0.2, 3)
            moves, turns = judge.jacobian(j, figure.position(part, at))
            assert np.allclose(figures.jacobian(figure, task_row(POSITION, j, at)), moves, atol=CLOSE), part
            assert np.allclose(figures.jacobian(figure, task_row(ORIENTATION, j)), turns, atol=CLOSE), part
        assert np.allclose(figure.centre_of_mass, judge.data.subtree_com[0], atol=CLOSE)
        assert np.allclose(figure.inertia * body.height**2, judge.inertia(), atol=CLOSE)
        assert np.allclose(figures.jacobian(figure, task_row(MASS_CENTRE, 0)), judge.of_whole("centre"), atol=CLOSE)
        momentum = figures.jacobian(figure, task_row(MOMENTUM, 0))
        assert np.allclose(momentum, judge.of_whole("momentum"), atol=CLOSE)
        mujoco.mj_subtreeVel(judge.model, judge.data)
        assert np.allclose(momentum @ velocities, judge.data.subtree_angmom[judge.bodies[0]], atol=10.0 * CLOSE)
