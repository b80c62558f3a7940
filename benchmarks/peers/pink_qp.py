"""pink: a quadratic program a step (daqp) on pinocchio, with its own joint limits and the table as a limit of ours."""

from __future__ import annotations

import pink
import pinocchio as pin
from pink.exceptions import NoSolutionFound
from pink.limits import ConfigurationLimit, Limit

from benchmarks.peers.peer import ChainModel, ChainSolver
from benchmarks.peers.pinocchio_model import pinocchio_model
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


class PinkQp(ChainSolver):
    name = "pink"
    limits_use = "in the program, clamped after it"
    table_use = "in the program"

    def make_model(self, skeleton: Skeleton) -> ChainModel:
        return _Model(self.body, self.table, skeleton)


class _PinkTable(Limit):
    """The table for pink."""

    def __init__(self, table: TableLimit):
        self.table = table

    def compute_qp_inequalities(self, configuration: pink.Configuration, dt: float) -> tuple[Floats, Floats] | None:
        return self.table.rows(configuration.q)


class _Model(ChainModel):
    def __init__(self, body: Body, table: Table, skeleton: Skeleton):
        super().__init__(skeleton)
        model, _ = pinocchio_model(skeleton)
        self.model = model
        self.configuration = pink.Configuration(model, model.createData(), body.rest[skeleton.dofs], copy_data=False)
        self.tasks = {
            name: pink.FrameTask(name, POSITION_COST, ORIENTATION_COST, lm_damping=ERROR_DAMPING)
            for name in skeleton.tips
        }
        self.table = TableLimit(body, table, skeleton)
        self.joint_limit = ConfigurationLimit(model, config_limit_gain=1.0)

    def solve(self, problem: Problem, start: Floats) -> Floats:
        configuration, clamp = self.configuration, self.clamp
        angles = start[self.skeleton.dofs]
        self.table.begin(start)
        configuration.update(angles)
        for name, task in self.tasks.items():
            goal = problem.goals[name]
            task.set_target(pin.SE3(goal.orientation, goal.position))
        tasks = list(self.tasks.values())
        with_table = [self.joint_limit, _PinkTable(self.table)]
        for _ in range(ITERATIONS):
            if self._arrived(tasks) and self.table.clear(angles):
                break
            clamp.narrow(angles, self.model.lowerPositionLimit, self.model.upperPositionLimit)
            try:
                step = pink.solve_ik(configuration, tasks, 1.0, "daqp", DAMPING, limits=with_table, safety_break=False)
            except NoSolutionFound:  # the table and the joint limits together leave no step
                step = pink.solve_ik(
                    configuration, tasks, 1.0, "daqp", DAMPING, limits=[self.joint_limit], safety_break=False
                )
            before = angles.copy()
            angles += step
            clamp(angles)
            configuration.update(angles)
            before -= angles
            if before.dot(before) < STUCK:
                break
        return angles

    def _arrived(self, tasks: list[pink.FrameTask]) -> bool:
        for task in tasks:
            x, y, z, a, b, c = task.compute_error(self.configuration).tolist()
            if x * x + y * y + z * z > POSITION_STOP**2 or a * a + b * b + c * c > ORIENTATION_STOP**2:
                return False
        return True
