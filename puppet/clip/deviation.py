"""How postures deviate from a recording, joint by joint, and smooth courses of such deviations.

A deviation has a number for each degree of freedom: of a joint with three rotations the rotation vector that turns the
recorded orientation into the other one, of all others differences of angles or lengths. Deviations can be added and
interpolated, which Euler angles cannot. A vector is seen from the joint itself, but that of a root from the world: a
recorded pelvis quivers, and what hangs on it does so the other way, which a turn in the pelvis' own axes would undo.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from puppet.body import Body
from puppet.kernels.loader import kernels
from puppet.types import Floats, Ints

_THROUGH = 4  # rounds in which control points are found: what is left of an error is two thirds each time, at most
_SMOOTH_KNOTS, _SMOOTH_REACH = 1.0, 5  # the width over which deviations are smoothed, and the farthest that count


@dataclass(frozen=True, eq=False)
class Reference:
    """Postures (frames, dofs) that others deviate from. among: the joints that may deviate, else all."""

    body: Body
    postures: Floats
    among: tuple[int, ...] | None = None

    def deviations(self, found: Floats) -> Floats:
        """Of postures (frames, dofs), (frames, dofs)."""
        result = np.empty(self.postures.shape)
        kernels().clip_deviations(*self._tables, _plain(found), result)
        return result

    def displaced(self, by: Floats) -> Floats:
        """Postures (frames, dofs) that deviate by so much, with angles nearest to those that they deviate from."""
        result = np.empty(self.postures.shape)
        kernels().clip_displaced(*self._tables, _plain(by), result)
        return result

    @cached_property
    def _tables(self) -> tuple[Ints, Floats]:
        return _ball_joints(self.body, self.among), _plain(self.postures)


def _plain(table: Floats) -> Floats:
    """A table as a kernel takes it."""
    return np.require(table, np.float64, ["C", "W"])


@lru_cache(maxsize=16)
def _ball_joints(body: Body, among: tuple[int, ...] | None) -> Ints:
    """The first dof and the axes of all joints with three rotations, or of those among some joints, and whether they
    are roots, (joints, 5)."""
    found = []
    for j in range(len(body.joints)) if among is None else among:
        joint = body.joints[j]
        if len(joint.rotations) == 3:
            axes = (rotation.axis for rotation in joint.rotations)
            found.append([body.rotation_dofs[j].start, *axes, int(joint.parent < 0)])
    return np.array(found, dtype=np.int64).reshape(-1, 5)


@dataclass(frozen=True, eq=False)
class DeviationSpline:
    """A uniform cubic B-spline over the frames first to last, with a control point at each of its knots. It goes
    straight on at its ends, so it begins and ends at its first and last control points; or it is fixed there: nothing
    deviates, and nothing begins to, with the first and the last two control points at zero."""

    first: int
    last: int
    step: float  # frames between two knots, about
    fixed: tuple[bool, bool] = (False, False)

    @cached_property
    def knots(self) -> Ints:
        """The frames nearest to the knots."""
        return np.round(np.linspace(self.first, self.last, self._count)).astype(np.int64)

    @property
    def _count(self) -> int:
        return max(3, math.ceil((self.last - self.first) / self.step) + 1) if self.last > self.first else 1

    def at(self, frames: Ints, controls: Floats) -> Floats:
        """Its values in some frames, (frames, n), with control points (knots, n): four of them count in each frame."""
        if self._count == 1:
            return np.repeat(controls, len(frames), axis=0)
        found = np.empty((len(frames), controls.shape[1]))
        fixed_first, fixed_last = map(int, self.fixed)
        kernels().clip_course(_plain(controls), self.first, self.last, fixed_first, fixed_last, frames, found)
        return found

    def through(self, values: Floats) -> Floats:
        """The control points (knots, n) with which it has these values at its knots, about."""
        controls = np.array(values)
        for _ in range(_THROUGH):
            controls += values - self.at(self.knots, controls)
        return controls

    def smoothed(self, deviations: Floats) -> Floats:
        """Deviations (knots, dofs), weighted over some knots by a normal distribution; none where it is fixed."""
        found, total = np.array(deviations), np.ones((self._count, 1))
        for apart in range(1, min(_SMOOTH_REACH, self._count - 1) + 1):
            weight = math.exp(-0.5 * (apart / _SMOOTH_KNOTS) ** 2)
            found[apart:] += weight * deviations[:-apart]
            found[:-apart] += weight * deviations[apart:]
            total[apart:] += weight
            total[:-apart] += weight
        found /= total
        for end, fixed in zip((slice(0, 2), slice(-2, None)), self.fixed, strict=True):
            if fixed:
                found[end] = 0.0
        return np.asarray(found)
