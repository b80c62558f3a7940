"""A body with its compiled kinematics and the buffers they fill: errors and table clearances with their Jacobians."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchmarks.peers import kernels
from benchmarks.problems import Problem
from puppet.body import Body
from puppet.scene import Table
from puppet.types import Floats


class CompiledBody:
    """Everything a peer may ask about one posture; only the limbs named are watched for the table.

    The arrays given back are overwritten by the next call.
    """

    def __init__(self, body: Body, table: Table, limbs: Iterable[str]):
        arrays, joints = body.arrays, len(body.joints)
        self.body, self.table = body, table
        self.parents, self.offsets = arrays.parents.copy(), arrays.offsets.copy()
        self.orders = np.array([[r.axis for r in joint.rotations] for joint in body.joints])
        self.tips, self.clearances = arrays.tips.copy(), arrays.clearances.copy()
        self.positions, self.rotations = np.empty((joints, 3)), np.empty((joints, 3, 3))
        self.axes = np.empty((body.dofs, 3))
        watched_joints = [joint for name in limbs for joint in body.limbs[name].joints]
        self.clearances[[j for j in range(joints) if j not in watched_joints]] = -1.0
        self.hands = {name: limb.joints[-1] for name, limb in body.limbs.items()}
        watched = int(np.count_nonzero(self.clearances >= 0.0))
        self.values, self.value_jacobian = np.empty(watched), np.empty((watched, body.dofs))
        self.errors = np.empty(6 * len(body.limbs))
        self.error_jacobian = np.empty((6 * len(body.limbs), body.dofs))

    def place(self, angles: Floats) -> None:
        """Take up a posture (dofs,)."""
        kernels.place(angles, self.parents, self.offsets, self.orders, self.positions, self.rotations, self.axes)

    def hand_errors(self, problem: Problem) -> tuple[Floats, Floats]:
        """Errors (6 hands,), position then rotation vector in the world for each hand, and Jacobian (6 hands, dofs)."""
        row = 0
        for name, goal in problem.goals.items():
            hand = self.hands[name]
            kernels.hand_error(
                hand,
                self.tips[hand],
                goal.position,
                goal.orientation,
                self.parents,
                self.positions,
                self.rotations,
                self.axes,
                self.errors[row : row + 6],
                self.error_jacobian[row : row + 6],
            )
            row += 6
        return self.errors[:row], self.error_jacobian[:row]

    def clearance_from_table(self) -> tuple[Floats, Floats]:
        """How far every watched part is from where it may not be (parts,), and Jacobian (parts, dofs)."""
        kernels.table_clearances(
            self.table.height,
            self.table.front,
            self.clearances,
            self.tips,
            self.parents,
            self.positions,
            self.rotations,
            self.axes,
            self.values,
            self.value_jacobian,
        )
        return self.values, self.value_jacobian
