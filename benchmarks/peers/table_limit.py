"""The table as linear inequalities on a step of a chain's hinges, for solvers that take a quadratic program a step."""

from __future__ import annotations

import numpy as np

from benchmarks.peers.compiled_body import CompiledBody
from benchmarks.peers.skeleton import Skeleton
from puppet.body import Body
from puppet.scene import Table
from puppet.types import Floats

NEAR = 0.15  # parts farther from the table than this are left out
DEEPEST = 0.02  # way out of the table asked of one step, at most
MARGIN = 1e-4  # kept, so that what the linear view of a step forgets stays outside


class TableLimit:
    """Keeps every watched part of a chain where it may be."""

    def __init__(self, body: Body, table: Table, skeleton: Skeleton):
        self.compiled = CompiledBody(body, table, skeleton.tips)
        self.dofs = skeleton.dofs
        self.posture = body.rest.copy()

    def begin(self, start: Floats) -> None:
        """Where everything that the chain does not move stands, (dofs,)."""
        self.posture[:] = start

    def clearances(self, angles: Floats) -> tuple[Floats, Floats]:
        """Clearance of each watched part (parts,) and its Jacobian for angles (hinges,); negative is in the table."""
        self.posture[self.dofs] = angles
        self.compiled.place(self.posture)
        values, jacobian = self.compiled.clearance_from_table()
        return values, jacobian

    def rows(self, angles: Floats) -> tuple[Floats, Floats] | None:
        """G (rows, hinges) and h (rows,) with G step <= h; None when all parts are far away."""
        values, jacobian = self.clearances(angles)
        near = np.flatnonzero(values < NEAR)
        if len(near) == 0:
            return None
        return -jacobian[np.ix_(near, self.dofs)], np.maximum(values[near] - MARGIN, -DEEPEST)

    def clear(self, angles: Floats) -> bool:
        """Whether nothing is in the table."""
        return float(self.clearances(angles)[0].min()) >= 0.0
