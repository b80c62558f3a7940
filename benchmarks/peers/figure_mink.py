"""mink with daqp: weighted tasks and limits in a quadratic program a step."""

from __future__ import annotations

import mink
import mujoco
import numpy as np

from benchmarks.peers.figure_mjcf import figure_mjcf
from benchmarks.peers.figure_peer import FigurePeer
from puppet.geometry import quaternions
from puppet.types import Floats

DRAG, PIN, TURN, REFERENCE = 100.0, 10.0, 2.0, 1e-2  # costs
ERROR_DAMPING, DAMPING = 1.0, 1e-6
# A compromise between B and C, of DRAG 30, 100, 300, 1000; PIN 10, 30; ERROR_DAMPING 0.1, 1, 5. DRAG 30 with damping 5
# meets C within 0.2 mm and misses B by 91; DRAG 1000 with damping 5 keeps B within 0.12 mm all the way, and moves pins
# and drag in C by 50.


class Mink(FigurePeer):
    name = "mink"

    def prepare(self) -> None:
        model = mujoco.MjModel.from_xml_string(figure_mjcf(self.body, self.boxes, balls=False))
        self.configuration = mink.Configuration(model)
        self.configuration.update(start(self))
        self.drag = mink.FrameTask(self.problem.part, "body", DRAG, 0.0, lm_damping=ERROR_DAMPING)
        self.tasks: list[mink.Task] = [self.drag]
        for pin in self.problem.pins:
            task = mink.FrameTask(pin.part, "body", PIN, TURN if pin.orientation else 0.0, lm_damping=ERROR_DAMPING)
            task.set_target_from_configuration(self.configuration)
            self.tasks.append(task)
        cost = np.full(model.nv, REFERENCE)
        cost[:6] = 0.0
        posture = mink.PostureTask(model, cost)
        posture.set_target_from_configuration(self.configuration)
        self.tasks.append(posture)
        self.limits = [mink.ConfigurationLimit(model, gain=1.0)]

    def step(self, place: Floats) -> None:
        self.drag.set_target(mink.SE3.from_translation(place))
        self.steps += self.solves
        for _ in range(self.solves):
            velocity = mink.solve_ik(self.configuration, self.tasks, 1.0, "daqp", DAMPING, limits=self.limits)
            self.configuration.integrate_inplace(velocity, 1.0)

    def angles(self) -> Floats:
        q = self.configuration.q
        rotation = np.empty(9)
        mujoco.mju_quat2Mat(rotation, q[3:7])
        return self.with_root(q[:3], rotation.reshape(3, 3), q[7:])


def start(peer: FigurePeer) -> Floats:
    """The rest posture as MuJoCo has it."""
    x, y, z, w = quaternions(peer.figure.rotation(peer.body.joint_names[0])[None])[0]
    return np.array([*peer.figure.joint_positions[0], w, x, y, z, *peer.figure.angles[6:]])
