"""pink with daqp, on pinocchio: weighted tasks and limits in a quadratic program a step."""

from __future__ import annotations

import numpy as np
import pink
import pinocchio as pin
from pink.limits import ConfigurationLimit

from benchmarks.peers.figure_peer import FigurePeer
from puppet.geometry import quaternions
from puppet.types import Floats

DRAG, PIN, TURN, REFERENCE = 100.0, 10.0, 2.0, 1e-2  # those of mink, whose program is the same
ERROR_DAMPING, DAMPING = 1.0, 1e-6
JOINTS = (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)


class Pink(FigurePeer):
    name = "pink"

    def prepare(self) -> None:
        model = self.model()
        x, y, z, w = quaternions(self.figure.rotation(self.body.joint_names[0])[None])[0]
        q = np.array([*self.figure.joint_positions[0], x, y, z, w, *self.figure.angles[6:]])
        self.configuration = pink.Configuration(model, model.createData(), q, copy_data=False)
        self.drag = pink.FrameTask(self.problem.part, DRAG, 0.0, lm_damping=ERROR_DAMPING)
        self.tasks = [self.drag]
        for fixed in self.problem.pins:
            turn = TURN if fixed.orientation else 0.0
            task = pink.FrameTask(fixed.part, PIN, turn, lm_damping=ERROR_DAMPING)
            task.set_target_from_configuration(self.configuration)
            self.tasks.append(task)
        posture = pink.PostureTask(REFERENCE)
        posture.set_target(q)
        self.tasks.append(posture)
        self.limits = [ConfigurationLimit(model, config_limit_gain=1.0)]

    def model(self) -> pin.Model:
        model, body = pin.Model(), self.body
        ends: list[int] = []
        free = np.full(7, 1e3)
        for j, joint in enumerate(body.joints):
            if j == 0:
                root = model.addJoint(
                    0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root", np.full(6, 1e3), np.full(6, 1e3), -free,
                    free,
                )  # fmt: skip
                ends.append(root)
            else:
                end, place = ends[joint.parent], pin.SE3(np.eye(3), body.arrays.offsets[j])
                for dof, turn in zip(body.rotation_dofs[j], joint.rotations, strict=True):
                    low, high = (np.array([value]) for value in self.boxes[dof])
                    most = np.array([1e3])
                    end = model.addJoint(
                        end, JOINTS[turn.axis](), place, body.dof_names[dof], most, most, low, high
                    )
                    place = pin.SE3.Identity()
                ends.append(end)
            model.addFrame(pin.Frame(joint.name, ends[j], pin.SE3.Identity(), pin.FrameType.OP_FRAME))
        return model

    def step(self, place: Floats) -> None:
        self.drag.set_target(pin.SE3(np.eye(3), place))
        self.steps += self.solves
        for _ in range(self.solves):
            velocity = pink.solve_ik(
                self.configuration, self.tasks, 1.0, "daqp", DAMPING, limits=self.limits, safety_break=False
            )
            self.configuration.integrate_inplace(velocity, 1.0)

    def angles(self) -> Floats:
        q = self.configuration.q
        return self.with_root(q[:3], pin.Quaternion(q[3:7].copy()).toRotationMatrix(), q[7:])
