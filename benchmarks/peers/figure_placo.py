"""placo (eiquadprog in C++): tasks in a quadratic program a step."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import placo

from benchmarks.peers.figure_peer import FigurePeer
from puppet.types import Floats

DRAG, PIN, TURN, REFERENCE = 1e4, 1e2, 4.0, 1e-4  # weights
DAMPING = 1e-2
# Best of DRAG 1e4, 1e6; DAMPING 1e-5, 1e-3, 1e-2; pins soft or hard. None holds in B; with hard pins B and C stop: the
# program has no solution.
AXES = ("1 0 0", "0 1 0", "0 0 1")
INERTIAL = (
    '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
)


class Placo(FigurePeer):
    name = "placo"

    def prepare(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "figure.urdf"
            path.write_text(self.urdf(), encoding="utf-8")
            self.robot = placo.RobotWrapper(str(path), placo.Flags.ignore_collisions)
        body, root = self.body, self.figure
        place = np.eye(4)
        place[:3, :3], place[:3, 3] = root.rotation(body.joint_names[0]), root.joint_positions[0]
        self.hinges = body.dof_names[6:]
        for dof, name in enumerate(self.hinges, 6):
            self.robot.set_joint(name, float(root.angles[dof]))
        self.robot.set_T_world_frame(body.joint_names[0], place)
        self.robot.update_kinematics()
        self.solver = placo.KinematicsSolver(self.robot)
        self.solver.dt = 1.0
        self.solver.enable_joint_limits(True)
        self.drag = self.solver.add_position_task(self.problem.part, root.position(self.problem.part))
        self.drag.configure("drag", "soft", DRAG)
        for pin in self.problem.pins:
            self.solver.add_position_task(pin.part, root.position(pin.part)).configure(pin.part, "soft", PIN)
            if pin.orientation:
                task = self.solver.add_orientation_task(pin.part, root.rotation(pin.part))
                task.configure(f"{pin.part} turn", "soft", TURN)
        reference = self.solver.add_joints_task()
        reference.set_joints({name: float(root.angles[dof]) for dof, name in enumerate(self.hinges, 6)})
        reference.configure("reference", "soft", REFERENCE)
        self.solver.add_regularization_task(DAMPING)

    def urdf(self) -> str:
        body = self.body
        parts = [f'<link name="{body.joint_names[0]}">{INERTIAL}</link>']
        for j, joint in enumerate(body.joints):
            if j == 0:
                continue
            above, place = body.joint_names[joint.parent], " ".join(repr(float(v)) for v in body.arrays.offsets[j])
            turns = list(zip(body.rotation_dofs[j], joint.rotations, strict=True))
            for n, (dof, turn) in enumerate(turns):
                below = joint.name if n == len(turns) - 1 else f"{joint.name}_{n}"
                low, high = self.boxes[dof]
                parts.append(
                    f'<link name="{below}">{INERTIAL}</link>'
                    f'<joint name="{body.dof_names[dof]}" type="revolute"><parent link="{above}"/>'
                    f'<child link="{below}"/><origin xyz="{place}" rpy="0 0 0"/><axis xyz="{AXES[turn.axis]}"/>'
                    f'<limit lower="{low!r}" upper="{high!r}" effort="1e3" velocity="1e3"/></joint>'
                )
                above, place = below, "0 0 0"
        return f'<robot name="figure">{"".join(parts)}</robot>'

    def step(self, place: Floats) -> None:
        self.drag.target_world = place
        self.steps += self.solves
        for _ in range(self.solves):
            self.solver.solve(True)
            self.robot.update_kinematics()

    def angles(self) -> Floats:
        root = self.robot.get_T_world_frame(self.body.joint_names[0])
        hinges = np.array([self.robot.get_joint(name) for name in self.hinges])
        return self.with_root(root[:3, 3], root[:3, :3], hinges)
