"""How postures deviate from a recording, joint by joint, and smooth courses of such deviations.

A deviation has a number for each degree of freedom: of a joint with three rotations the rotation vector that turns the
recorded orientation into the other one, of all others differences of angles or lengths. Deviations can be added and
interpolated, which Euler angles cannot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from puppet.body import Body
from puppet.geometry import euler_angles, rotation_vectors, rotations_about
from puppet.types import Floats, Ints

_SMOOTH_KNOTS, _SMOOTH_REACH = 1.0, 5  # the width over which deviations are smoothed, and the farthest that count


@dataclass(frozen=True, eq=False)
class Reference:
    """Postures (frames, dofs) that others deviate from. among: the joints that may deviate, else all."""

    body: Body
    postures: Floats
    among: tuple[int, ...] | None = None

    @cached_property
    def _balls(self) -> list[tuple[tuple[int, ...], Ints, Floats]]:
        """The order, the dofs and the rotations of joints with three rotations."""
        found = _ball_joints(self.body, self.among).items()
        return [(order, dofs, _turned(self.postures, order, dofs)) for order, dofs in found]

    def deviations(self, found: Floats) -> Floats:
        """Of postures (frames, dofs), (frames, dofs)."""
        result = found - self.postures
        for order, dofs, before in self._balls:
            after = _turned(found, order, dofs)
            result[:, dofs] = rotation_vectors(before.transpose(0, 2, 1) @ after).reshape(-1, *dofs.shape)
        return np.asarray(result)

    def displaced(self, by: Floats) -> Floats:
        """Postures (frames, dofs) that deviate by so much."""
        result = self.postures + by
        for order, dofs, before in self._balls:
            own = before @ rotations_about(by[:, dofs].reshape(-1, 3))
            angles = np.radians(euler_angles(own, order))
            nearest = nearest_angles(angles, self.postures[:, dofs].reshape(-1, 3))
            result[:, dofs] = nearest.reshape(-1, *dofs.shape)
        return np.asarray(result)


@lru_cache(maxsize=16)
def _ball_joints(body: Body, among: tuple[int, ...] | None) -> dict[tuple[int, ...], Ints]:
    """The dofs (joints, 3) of all joints with three rotations, or of some joints, by the order of their axes."""
    found: dict[tuple[int, ...], list[list[int]]] = {}
    for j in range(len(body.joints)) if among is None else among:
        joint = body.joints[j]
        if len(joint.rotations) == 3:
            order = tuple(rotation.axis for rotation in joint.rotations)
            found.setdefault(order, []).append(list(body.rotation_dofs[j]))
    return {order: np.array(rows, dtype=np.int64) for order, rows in found.items()}


def _turned(angles: Floats, order: tuple[int, ...], dofs: Ints) -> Floats:
    """Rotations of joints from their parents, (frames * joints, 3, 3): about three different axes, written out."""
    i, j, k = order
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    own = angles[:, dofs].reshape(-1, 3)
    (sa, sb, sc), (ca, cb, cc) = (sign * np.sin(own)).T, np.cos(own).T
    found = np.empty((len(own), 3, 3))
    found[:, i, i], found[:, i, j], found[:, i, k] = cb * cc, -cb * sc, sb
    found[:, j, i], found[:, j, j], found[:, j, k] = ca * sc + sa * sb * cc, ca * cc - sa * sb * sc, -sa * cb
    found[:, k, i], found[:, k, j], found[:, k, k] = sa * sc - ca * sb * cc, sa * cc + ca * sb * sc, ca * cb
    return found


def nearest_angles(angles: Floats, to: Floats) -> Floats:
    """Euler angles (frames, 3) of the same orientations, in radians, nearest to others: there are two triples, each up
    to whole turns."""
    best = _by_turns(angles, to)
    other = _by_turns(angles * (1.0, -1.0, 1.0) + math.pi, to)
    nearer = np.abs(other - to).sum(axis=1) < np.abs(best - to).sum(axis=1)
    return np.where(nearer[:, None], other, best)


def _by_turns(angles: Floats, to: Floats) -> Floats:
    return np.asarray(angles + 2.0 * math.pi * np.round((to - angles) / (2.0 * math.pi)))


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
        """Its values in some frames, (frames, n), with control points (knots, n): four of them count in each frame.
        Summed one by one, since a product of matrices takes more of the processor, all of its cores waiting."""
        if self._count == 1:
            return np.repeat(controls, len(frames), axis=0)
        inside = np.array(controls)
        for end, fixed in zip((slice(0, 2), slice(-2, None)), self.fixed, strict=True):
            if fixed:  # value, slope and curvature are zero, with a zero beyond the end as well
                inside[end] = 0.0
        before, after = 2.0 * inside[0] - inside[1], 2.0 * inside[-1] - inside[-2]
        longer = np.concatenate([before[None] * (not self.fixed[0]), inside, after[None] * (not self.fixed[1])])
        place = (np.asarray(frames) - self.first) / (self.last - self.first) * (self._count - 1)
        knot = np.clip(np.floor(place).astype(int), 0, self._count - 2)
        t = (place - knot)[:, None]
        u = 1.0 - t
        found = u**3 * longer[knot]
        found += (3.0 * t**3 - 6.0 * t**2 + 4.0) * longer[knot + 1]
        found += (3.0 * u**3 - 6.0 * u**2 + 4.0) * longer[knot + 2]
        found += t**3 * longer[knot + 3]
        return np.asarray(found / 6.0)

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
