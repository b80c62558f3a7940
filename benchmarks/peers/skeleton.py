"""The movable part of a body as single hinges, the form in which robotics libraries want it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from puppet.body import Body
from puppet.geometry import axis_rotation
from puppet.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Hinge:
    """One degree of freedom. Its frame before the turn stands at `translation`, `rotation` in its parent's."""

    name: str
    parent: int  # index of a hinge, -1 for the world
    axis: int
    translation: Floats
    rotation: Floats


@dataclass(frozen=True, eq=False)
class Skeleton:
    """What a chain may move: hinges, proximal first; everything else stays as in the body's rest posture."""

    hinges: tuple[Hinge, ...]
    dofs: Ints  # (hinges,), each hinge's degree of freedom in the body's numbering
    tips: dict[str, tuple[int, Floats, Floats]]  # by limb: the hinge, and the hand's tip in its frame
    limits: Floats  # (hinges, 4): lower, upper, lower when wide, upper when wide
    widens_with: Ints  # (hinges,), the hinge whose bend widens this one's limits, or -1

    @property
    def lowest(self) -> Floats:
        """The lower limits at their widest."""
        return np.minimum(self.limits[:, 0], self.limits[:, 2])

    @property
    def highest(self) -> Floats:
        """The upper limits at their widest."""
        return np.maximum(self.limits[:, 1], self.limits[:, 3])


def skeleton(body: Body, limbs: Sequence[str], torso: bool) -> Skeleton:
    """The hinges of some limbs, with or without their trunk. Locked axes are left out."""
    arrays = body.arrays
    movable: set[int] = set()
    for name in limbs:
        movable |= {*body.limbs[name].joints, *(body.limbs[name].trunk if torso else ())}
    hinges: list[Hinge] = []
    dofs: list[int] = []
    ends: list[tuple[int, Floats, Floats]] = []  # of each joint: the last hinge above, and the joint's frame in it
    for j, parent in enumerate(arrays.parents):
        hinge, translation, rotation = ends[parent] if parent >= 0 else (-1, np.zeros(3), np.eye(3))
        translation = translation + rotation @ arrays.offsets[j]
        for dof, turn in zip(body.rotation_dofs[j], body.joints[j].rotations, strict=True):
            axis = turn.axis
            if j in movable and arrays.limits[dof, 0] < arrays.limits[dof, 1]:
                hinges.append(Hinge(body.dof_names[dof], hinge, axis, translation, rotation))
                dofs.append(dof)
                hinge, translation, rotation = len(hinges) - 1, np.zeros(3), np.eye(3)
            else:
                rotation = rotation @ axis_rotation(axis, float(body.rest[dof]))
        ends.append((hinge, translation, rotation))
    tips = {}
    for name in limbs:
        hand = body.limbs[name].joints[-1]
        hinge, translation, rotation = ends[hand]
        tips[name] = hinge, translation + rotation @ arrays.tips[hand], rotation
    widens_with = np.array([dofs.index(w) if w in dofs else -1 for w in arrays.widens_with[dofs]], dtype=np.int64)
    return Skeleton(tuple(hinges), np.array(dofs, dtype=np.int64), tips, arrays.limits[dofs].copy(), widens_with)


class Clamp:
    """Brings angles of a skeleton back inside their limits, the ones that widen with a bend too."""

    def __init__(self, skeleton: Skeleton):
        self.low, self.high = skeleton.lowest, skeleton.highest
        self.widening: list[tuple[int, int, float, float, float, float]] = []
        for i, w in enumerate(skeleton.widens_with):
            if w >= 0:
                low, high, wide_low, wide_high = (float(limit) for limit in skeleton.limits[i])
                self.widening.append((i, int(w), low, high, wide_low, wide_high))

    def narrow(self, angles: Floats, lower: Floats, upper: Floats) -> None:
        """Set those entries of lower and upper limits (hinges,) that depend on how far angles (hinges,) bend."""
        for i, bending, low, high, wide_low, wide_high in self.widening:
            share = min(2.0 * abs(angles[bending]) / math.pi, 1.0)
            lower[i], upper[i] = low + share * (wide_low - low), high + share * (wide_high - high)

    def __call__(self, angles: Floats) -> None:
        """Clamp angles (hinges,) in place."""
        np.maximum(angles, self.low, out=angles)
        np.minimum(angles, self.high, out=angles)
        for i, bending, low, high, wide_low, wide_high in self.widening:
            share = min(2.0 * abs(angles[bending]) / math.pi, 1.0)
            angle = angles[i]
            if angle < (lowest := low + share * (wide_low - low)):
                angles[i] = lowest
            elif angle > (highest := high + share * (wide_high - high)):
                angles[i] = highest
