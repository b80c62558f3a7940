"""mink: a quadratic program a step (daqp), with its own joint limits and the table as a limit of ours."""

from __future__ import annotations

import mink

from benchmarks.peers.mujoco_model import mujoco_model
from benchmarks.peers.peer import ChainModel, ChainSolver
from benchmarks.peers.skeleton import Skeleton
from benchmarks.peers.stopping import ORIENTATION_STOP, POSITION_STOP
from benchmarks.peers.table_limit import TableLimit
from benchmarks.problems import Problem
from puppet.body import Body
from puppet.scene import Table
from puppet.types import Floats

ITERATIONS = 200
POSITION_COST, ORIENTATION_COST = 10.0, 1.0  # a tenth of the puppet's height counts as much as a radian
ERROR_DAMPING = 0.2
DAMPING = 1e-4
STUCK = 1e-8  # squared radians, the move that counts as none


class MinkQp(ChainSolver):
    name = "mink"
    limits_use = "in the program, clamped after it"
    table_use = "in the program"

    def make_model(self, skeleton: Skeleton) -> ChainModel:
        return _Model(self.body, self.table, skeleton)


class _MinkTable(mink.Limit):
    """The table for mink."""

    def __init__(self, table: TableLimit):
        self.table = table

    def compute_qp_inequalities(self, configuration: mink.Configuration, dt: float) -> mink.Constraint:
        rows = self.table.rows(configuration.data.qpos)
        return mink.Constraint() if rows is None else mink.Constraint(*rows)


class _Model(ChainModel):
    def __init__(self, body: Body, table: Table, skeleton: Skeleton):
        super().__init__(skeleton)
        model = mujoco_model(skeleton)
        self.configuration = mink.Configuration(model)
        self.tasks = {
            name: mink.FrameTask(name, "site", POSITION_COST, ORIENTATION_COST, lm_damping=ERROR_DAMPING)
            for name in skeleton.tips
        }
        self.table = TableLimit(body, table, skeleton)
        self.joint_limit = mink.ConfigurationLimit(model, gain=1.0)

    def solve(self, problem: Problem, start: Floats) -> Floats:
        configuration, clamp = self.configuration, self.clamp
        angles = start[self.skeleton.dofs]
        self.table.begin(start)
        configuration.update(angles)
        for name, task in self.tasks.items():
            goal = problem.goals[name]
            rotation = mink.SO3.from_matrix(goal.orientation)
            task.set_target(mink.SE3.from_rotation_and_translation(rotation, goal.position))
        tasks = list(self.tasks.values())
        with_table = [self.joint_limit, _MinkTable(self.table)]
        for _ in range(ITERATIONS):
            if self._arrived(tasks) and self.table.clear(angles):
                break
            clamp.narrow(angles, self.joint_limit.lower, self.joint_limit.upper)
            try:
                step = mink.solve_ik(configuration, tasks, 1.0, "daqp", DAMPING, limits=with_table)
            except mink.NoSolutionFound:  # the table and the joint limits together leave no step
                step = mink.solve_ik(configuration, tasks, 1.0, "daqp", DAMPING, limits=[self.joint_limit])
            before = angles.copy()
            angles += step
            clamp(angles)
            configuration.update(angles)
            before -= angles
            if before.dot(before) < STUCK:
                break
        return angles

    def _arrived(self, tasks: list[mink.FrameTask]) -> bool:
        for task in tasks:
            x, y, z, a, b, c = task.compute_error(self.configuration).tolist()
            if x * x + y * y + z * z > POSITION_STOP**2 or a * a + b * b + c * c > ORIENTATION_STOP**2:
                return False
        return True
