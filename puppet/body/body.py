"""The body as data: joints, limits, limbs, groups. Nothing here knows which body it is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from puppet.errors import PuppetError, did_you_mean
from puppet.types import Floats, Ints, Vector

if TYPE_CHECKING:
    from puppet.kernels.model import KernelModel

AXES = "xyz"
WEIGHT_PASSES = 3


@dataclass(frozen=True)
class Rotation:
    """One degree of freedom: a rotation about one axis of its joint's frame, angles in radians.

    `widens` names two axes of the same joint: as the first one bends from 0 to a quarter turn, this rotation's
    limits widen in proportion towards the limits of the second (thesis (5.32), (5.33)).
    """

    axis: int
    lower: float
    upper: float
    weights: tuple[float, float, float]  # stiffness in the three passes of Figure 5.17: 0 stiff, 1 free
    scored: bool = False
    widens: tuple[int, int] | None = None


@dataclass(frozen=True)
class Shape:
    """Something to draw in a joint's frame. kind: capsule (two ends, two radii), ball (centre, three radii),
    box (centre, three edge lengths)."""

    kind: str
    points: tuple[Vector, ...]
    sizes: tuple[float, ...]
    color: str


@dataclass(frozen=True)
class Clearance:
    """How far from the table parts of a segment stay; None where the part is not watched."""

    centre: float | None = None
    segment: float | None = None
    tip: float | None = None


@dataclass(frozen=True)
class Joint:
    """A ball joint and the body segment that it moves."""

    name: str
    parent: int  # -1 for the root
    centre: Vector  # in the world, zero posture
    rotations: tuple[Rotation, Rotation, Rotation]  # the most proximal first: R = R1 R2 R3
    tip: Vector | None = None  # end of the segment from its centre, where no other joint marks it
    clearance: Clearance = Clearance()
    mass: float = 0.0  # fraction of the whole body's
    mass_centre: Vector = (0.0, 0.0, 0.0)  # from the joint's centre, in its frame
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True)
class Limb:
    """A chain that carries an end effector: joints from proximal to distal, and the trunk that helps it."""

    name: str
    trunk: tuple[int, ...]
    joints: tuple[int, ...]


@dataclass(frozen=True)
class Gaze:
    """The joint that looks, where its eyes are and which way they face, in its own frame."""

    joint: int
    eyes: Vector
    forward: Vector
    up: Vector


class BodyArrays(NamedTuple):
    """The body as the compiled kernels read it. Degrees of freedom are numbered 3 * joint + place in the order."""

    parents: Ints  # (joints,), -1 for the root
    offsets: Floats  # (joints, 3), centre from the parent's centre in the zero posture
    orders: Ints  # (joints, 3), axis of each rotation
    limits: Floats  # (dofs, 4): lower, upper, lower when wide, upper when wide
    widens_with: Ints  # (dofs,), the degree of freedom whose bend widens this one's limits, or -1
    tips: Floats  # (joints, 3), end of the segment in the joint's frame
    clearances: Floats  # (joints, 3): centre, segment, tip; -1 where not watched
    scored: Ints  # (dofs,), 1 where the score counts the axis


@dataclass(frozen=True, eq=False)
class Body:
    """An articulated figure. Angles are radians in one array, three to a joint in the joint's rotation order."""

    name: str
    height: float
    joints: tuple[Joint, ...]
    limbs: Mapping[str, Limb]
    groups: Mapping[str, tuple[int, ...]]
    gaze: Gaze | None
    rest: Floats  # (dofs,)
    colors: Mapping[str, Vector]
    fixed_shapes: tuple[Shape, ...] = ()

    @staticmethod
    def load(source: str | Path | None = None) -> Body:
        """The built-in seated puppet, a body that comes with the package by its name, or a YAML file."""
        from puppet.body.body_file import load_body

        return load_body(source)

    @property
    def dofs(self) -> int:
        return 3 * len(self.joints)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        return tuple(joint.name for joint in self.joints)

    @cached_property
    def dof_names(self) -> tuple[str, ...]:
        return tuple(f"{joint.name}.{AXES[r.axis]}" for joint in self.joints for r in joint.rotations)

    def joint(self, name: str) -> int:
        """The index of a joint by its name."""
        try:
            return self.joint_names.index(name)
        except ValueError:
            raise PuppetError(f"unknown joint '{name}'; {did_you_mean(name, self.joint_names)}") from None

    def dof(self, joint: str, axis: str) -> int:
        """The index of a degree of freedom, as in dof("chest", "x")."""
        index = self.joint(joint)
        for place, rotation in enumerate(self.joints[index].rotations):
            if AXES[rotation.axis] == axis:
                return 3 * index + place
        raise PuppetError(f"unknown axis '{axis}'; an axis is one of x, y, z")

    def limb(self, name: str) -> Limb:
        if name not in self.limbs:
            raise PuppetError(f"the body '{self.name}' has no limb '{name}'; {did_you_mean(name, self.limbs)}")
        return self.limbs[name]

    @cached_property
    def arrays(self) -> BodyArrays:
        centres = np.array([joint.centre for joint in self.joints])
        parents = np.array([joint.parent for joint in self.joints], dtype=np.int64)
        offsets = centres - np.where(parents[:, None] >= 0, centres[parents], 0.0)
        orders = np.array([[r.axis for r in joint.rotations] for joint in self.joints], dtype=np.int64)
        limits = np.empty((self.dofs, 4))
        widens_with = np.full(self.dofs, -1, dtype=np.int64)
        for j, joint in enumerate(self.joints):
            place_of = {r.axis: place for place, r in enumerate(joint.rotations)}
            for place, r in enumerate(joint.rotations):
                wide = joint.rotations[place_of[r.widens[1]]] if r.widens else r
                limits[3 * j + place] = (r.lower, r.upper, wide.lower, wide.upper)
                if r.widens:
                    widens_with[3 * j + place] = 3 * j + place_of[r.widens[0]]
        tips = np.zeros((len(self.joints), 3))
        for j, joint in enumerate(self.joints):
            children = np.flatnonzero(parents == j)
            if joint.tip is not None:
                tips[j] = joint.tip
            elif len(children) == 1:
                tips[j] = offsets[children[0]]
        clearances = np.array(
            [
                [-1.0 if c is None else c for c in (j.clearance.centre, j.clearance.segment, j.clearance.tip)]
                for j in self.joints
            ]
        )
        scored = np.array([int(r.scored) for joint in self.joints for r in joint.rotations], dtype=np.int64)
        arrays = BodyArrays(parents, offsets, orders, limits, widens_with, tips, clearances, scored)
        for array in arrays:
            array.setflags(write=False)
        return arrays

    @cached_property
    def chains(self) -> dict[tuple[tuple[str, ...], bool], Any]:
        """Chains found for this body so far; see puppet.posture.chain."""
        return {}

    @cached_property
    def model(self) -> KernelModel:
        """The body as the compiled kernels read it."""
        from puppet.body.kernel_model import build_model

        return build_model(self)

    def limits_at(self, angles: Floats) -> tuple[Floats, Floats]:
        """Lower and upper limits in force for a posture, (dofs,) each: some widen with the bend (5.32), (5.33)."""
        arrays = self.arrays
        bend = np.where(arrays.widens_with >= 0, np.abs(angles[arrays.widens_with]), 0.0)
        share = np.minimum(2.0 * bend / math.pi, 1.0)
        lower = arrays.limits[:, 0] + share * (arrays.limits[:, 2] - arrays.limits[:, 0])
        upper = arrays.limits[:, 1] + share * (arrays.limits[:, 3] - arrays.limits[:, 1])
        return lower, upper

    def limit_excess(self, angles: Floats) -> float:
        """By how many radians the worst angle is outside its limits; 0 when all are inside."""
        lower, upper = self.limits_at(angles)
        return float(max(0.0, np.max(lower - angles), np.max(angles - upper)))
