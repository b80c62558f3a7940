"""What the benchmark of whole-body solvers asks of each, and what they share.

Peers know no ranges of directions: for them every joint is a row of hinges, in the body's own order, each limited to
the angles that it has anywhere inside the joint's range.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache

import numpy as np

from benchmarks.figure_problems import DragProblem
from puppet import Body, Figure
from puppet.geometry import euler_angles
from puppet.types import Floats

SAMPLES = 2000


class FigurePeer(ABC):
    """A solver with the pins of a problem, in the figure's rest posture."""

    name: str

    def __init__(self, body: Body, problem: DragProblem, solves: int = 1) -> None:
        self.body, self.problem, self.solves = body, problem, solves
        self.figure = Figure(body)  # as it stands at the start
        self.boxes = boxes(body)
        self.steps = 0  # solutions of linearised problems, in all frames so far
        self.prepare()

    @abstractmethod
    def prepare(self) -> None: ...

    @abstractmethod
    def step(self, place: Floats) -> None:
        """One frame with the dragged part's target at a place; counts its steps."""

    @abstractmethod
    def angles(self) -> Floats:
        """The posture as the body has it, (dofs,)."""

    def with_root(self, position: Floats, rotation: Floats, hinges: Floats) -> Floats:
        """A posture from the root's place and the angles of all hinges below."""
        found = np.empty(self.body.dofs)
        found[:3] = position - self.body.arrays.offsets[0]
        order = [turn.axis for turn in self.body.joints[0].rotations]
        found[3:6] = np.radians(euler_angles(rotation[None], order)[0])
        found[6:] = hinges
        return found


@cache
def boxes(body: Body) -> dict[int, tuple[float, float]]:
    """Limits of every hinge by its place in a posture; of joints with a range those of a box around it."""
    found = {}
    random = np.random.default_rng(0)
    for j, joint in enumerate(body.joints):
        if j == 0 and body.free_root:
            continue
        dofs = body.rotation_dofs[j]
        if joint.range is None:
            for dof in dofs:
                found[dof] = (float(body.arrays.limits[dof, 0]), float(body.arrays.limits[dof, 1]))
            continue
        region = joint.range
        lowest, highest = region.corners.min(axis=0), region.corners.max(axis=0)
        rotations = []
        while len(rotations) < SAMPLES:
            swing = random.uniform(lowest, highest)
            if (region.half_planes[:, :2] @ swing <= region.half_planes[:, 2]).all():
                rotations.append(region.rotation(swing, random.uniform(*region.twist_bounds(swing))))
        angles = np.radians(euler_angles(np.array(rotations), [turn.axis for turn in joint.rotations]))
        for dof, column in zip(dofs, angles.T, strict=True):
            found[dof] = (float(column.min()), float(column.max()))
    return found
