"""Errors, clearances and limits of a chain as functions of its hinges' angles, for general optimisers."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.peers.compiled_body import CompiledBody
from benchmarks.peers.skeleton import Skeleton
from benchmarks.peers.stopping import ORIENTATION_STOP, POSITION_STOP
from benchmarks.problems import Problem
from puppet.body import Body
from puppet.scene import Table
from puppet.types import Floats

LENGTH_SCALE = 4.0  # a quarter of the puppet's height counts as much as a radian


class Evaluation:
    """What one problem asks of a chain. Asking several things about the same angles computes them once."""

    def __init__(self, body: Body, table: Table, skeleton: Skeleton):
        self.compiled = CompiledBody(body, table, skeleton.tips)
        self.skeleton, self.dofs = skeleton, skeleton.dofs
        rows, count = 6 * len(skeleton.tips), len(self.dofs)
        self.errors, self.error_jacobian = np.empty(rows), np.empty((rows, count))
        self.weights = np.tile([LENGTH_SCALE] * 3 + [1.0] * 3, len(skeleton.tips))
        parts = len(self.compiled.values)
        self.widening = np.flatnonzero(skeleton.widens_with >= 0)
        self.room = np.empty(parts + 2 * len(self.widening))  # never negative in a posture that is allowed
        self.room_jacobian = np.zeros((len(self.room), count))
        self.parts = parts
        self._angles = np.full(count, np.nan)

    def begin(self, problem: Problem, start: Floats) -> Floats:
        """Turn to another problem; the angles to start from."""
        self.problem, self.posture = problem, start.copy()
        self._angles[:] = np.nan
        return start[self.dofs]

    def update(self, angles: Floats) -> None:
        """Compute everything for angles (hinges,), unless that is what was computed last."""
        if np.array_equal(angles, self._angles):
            return
        self._angles[:] = angles
        self.posture[self.dofs] = angles
        self.compiled.place(self.posture)
        errors, jacobian = self.compiled.hand_errors(self.problem)
        np.multiply(errors, self.weights, out=self.errors)
        np.multiply(jacobian[:, self.dofs], self.weights[:, None], out=self.error_jacobian)
        values, jacobian = self.compiled.clearance_from_table()
        self.room[: self.parts] = values
        self.room_jacobian[: self.parts] = jacobian[:, self.dofs]
        row = self.parts
        for i in self.widening:  # room to the limits that a bend widens (thesis (5.32), (5.33))
            bending = self.skeleton.widens_with[i]
            low, high, wide_low, wide_high = self.skeleton.limits[i]
            bend = angles[bending]
            share, slope = 2.0 * abs(bend) / math.pi, math.copysign(2.0 / math.pi, bend)
            self.room[row] = angles[i] - low - share * (wide_low - low)
            self.room_jacobian[row, i], self.room_jacobian[row, bending] = 1.0, -slope * (wide_low - low)
            self.room[row + 1] = high + share * (wide_high - high) - angles[i]
            self.room_jacobian[row + 1, i], self.room_jacobian[row + 1, bending] = -1.0, slope * (wide_high - high)
            row += 2

    def solved(self, angles: Floats) -> bool:
        """Whether all hands have arrived and everything is where it may be."""
        self.update(angles)
        return self.arrived() and float(self.room.min()) >= 0.0

    def arrived(self) -> bool:
        """Whether all hands have arrived in the posture computed last."""
        errors = (self.errors / self.weights).reshape(-1, 2, 3)
        lengths = np.sqrt(np.einsum("hkr,hkr->kh", errors, errors))
        return bool((lengths[0] < POSITION_STOP).all() and (lengths[1] < ORIENTATION_STOP).all())
