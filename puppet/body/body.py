"""The body as data: joints, limits, limbs, groups. Nothing here knows which body it is."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from puppet.arguments import public_class
from puppet.body.joint_range import JointRange
from puppet.body.measures import METRES
from puppet.errors import PuppetError, did_you_mean
from puppet.geometry import axis_rotation, euler_angles
from puppet.types import Floats, Ints, Vector

if TYPE_CHECKING:
    from puppet.kernels.model import KernelModel

AXES = "xyz"
FARTHEST_ROOT = 1e6  # a root that moves through space goes no farther


@dataclass(frozen=True)
class Rotation:
    """One degree of freedom: a rotation about one of its joint's axes, angles in radians.

    `widens` names two axes of the same joint: as the first one bends from 0 to a quarter turn, this rotation's
    limits widen in proportion towards the limits of the second (thesis (5.32), (5.33)).
    """

    axis: int
    lower: float
    upper: float
    weights: tuple[float, float, float]  # stiffness in the three passes of Figure 5.17: 0 stiff, 1 free
    scored: bool = False
    widens: tuple[int, int] | None = None
    comfort: tuple[float, float] | None = None  # where it is used without need, inside its limits


@dataclass(frozen=True)
class Shape:
    """Something solid in a joint's coordinates. kind: capsule (two ends, two radii), ball (centre, three radii),
    box (centre, three edge lengths), hull (the convex hull of balls: their centres, a radius each)."""

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
    """A joint and the body segment that it moves: fixed, a hinge, a universal or a ball joint, by its rotations."""

    name: str
    parent: int  # -1 for the root
    centre: Vector  # in the world, zero posture
    rotations: tuple[Rotation, ...]  # none to three, the most proximal first: R = R1 R2 R3
    tip: Vector | None = None  # end of the segment from its centre, where no other joint marks it
    clearance: Clearance = Clearance()
    mass: float = 0.0  # fraction of the whole body's
    mass_centre: Vector = (0.0, 0.0, 0.0)  # from the joint's centre, in its coordinates
    gyration: Vector = (0.0, 0.0, 0.0)  # radii about its axes, through the mass centre
    shapes: tuple[Shape, ...] = ()
    range: JointRange | None = None  # of a ball joint; then the rotations' limits say nothing
    contacts: Mapping[str, Vector] = field(default_factory=dict)  # points that may touch the ground or a thing

    @property
    def is_ball(self) -> bool:
        """Whether only its rotation as a whole counts: it has a range, or turns about three axes without limits."""
        free = all(rotation.lower <= -math.pi and rotation.upper >= math.pi for rotation in self.rotations)
        return self.range is not None or (len(self.rotations) == 3 and free)


@dataclass(frozen=True)
class Limb:
    """A chain that carries an end effector: joints from proximal to distal, and the trunk that helps it."""

    name: str
    trunk: tuple[int, ...]
    joints: tuple[int, ...]
    kind: str = "arm"  # or leg; a script's hands are the arms
    rest: str = "table"  # where it is when nothing is asked of it: flat on the table, or it stays as it is
    mirrored: bool = False  # whether what is written for the left is mirrored for it
    mirrors: str | None = None  # the limb whose mirror image it is

    @property
    def words(self) -> str:
        """What a person calls its end: the left hand, the left foot."""
        return f"{self.name} hand" if self.kind == "arm" else self.name


@dataclass(frozen=True)
class Gaze:
    """The joint that looks, where its eyes are and which way they face, in its own coordinates."""

    joint: int
    eyes: Vector
    forward: Vector
    up: Vector


@dataclass(frozen=True)
class Place:
    """A landmark of the body, such as its mouth: a point in a joint's frame, on the left where it is not in the
    middle."""

    joint: int
    at: Vector


class BodyArrays(NamedTuple):
    """The body as plain arrays."""

    parents: Ints  # (joints,), -1 for the root
    offsets: Floats  # (joints, 3), centre from the parent's centre in the zero posture
    tips: Floats  # (joints, 3), end of the segment in the joint's coordinates
    clearances: Floats  # (joints, 3): centre, segment, tip; -1 where not watched
    joints_of: Ints  # (dofs,), the joint that each degree of freedom belongs to
    limits: Floats  # (dofs, 4): lower, upper, lower when wide, upper when wide
    widens_with: Ints  # (dofs,), the degree of freedom whose bend widens this one's limits, or -1


@public_class
@dataclass(frozen=True, eq=False)
class Body:
    """An articulated figure.

    Its posture is one array of as many numbers as it has degrees of freedom: where the root is moved to from its centre
    if it is free, then the angles in radians, joint by joint, each joint's in its rotation order. Which number belongs
    to which joint only the body knows: see `dofs_of`.
    """

    name: str
    height: float
    joints: tuple[Joint, ...]
    limbs: Mapping[str, Limb]
    groups: Mapping[str, tuple[int, ...]]
    gaze: Gaze | None
    rest: Floats  # (dofs,); an empty one: zero
    colors: Mapping[str, Vector]
    fixed_shapes: tuple[Shape, ...] = ()
    free_root: bool = False  # whether the first joint moves through space
    metres: float | None = None  # how tall it is: lengths are in units of its own
    kilograms: float | None = None
    humanoid: Mapping[str, str] = field(default_factory=dict)  # joints: their names in Unity's Humanoid and in VRM
    places: Mapping[str, Place] = field(default_factory=dict)  # landmarks that gestures bring hands and things to

    def _agree(self) -> None:
        from puppet.body.soundness import refuse_unsound

        if not self.rest.size:
            zero = np.zeros(self.dofs)
            zero.setflags(write=False)
            object.__setattr__(self, "rest", zero)
        refuse_unsound(self)

    @staticmethod
    def load(source: str | Path | None = None) -> Body:
        """The default body, one that comes with the package by its name, or a YAML file."""
        from puppet.body.body_file import load_body

        return load_body(source)

    # ---- names

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        return tuple(joint.name for joint in self.joints)

    @cached_property
    def dof_names(self) -> tuple[str, ...]:
        moves = tuple(f"{self.joints[0].name}.t{axis}" for axis in AXES) if self.free_root else ()
        return moves + tuple(f"{joint.name}.{AXES[r.axis]}" for joint in self.joints for r in joint.rotations)

    @cached_property
    def hands(self) -> tuple[str, ...]:
        """The limbs that tasks are given to: its arms."""
        return tuple(name for name, limb in self.limbs.items() if limb.kind == "arm")

    def joint(self, name: str) -> int:
        """The index of a joint by its name."""
        try:
            return self.joint_names.index(name)
        except ValueError:
            raise PuppetError(f"unknown joint '{name}'; {did_you_mean(name, self.joint_names)}") from None

    def limb(self, name: str) -> Limb:
        if name not in self.limbs:
            raise PuppetError(f"the body '{self.name}' has no limb '{name}'; {did_you_mean(name, self.limbs)}")
        return self.limbs[name]

    @cached_property
    def eyes(self) -> tuple[int, ...]:
        """Joints of eyes: they are on the joint that looks, and turn about two axes."""
        return tuple(
            j for j, joint in enumerate(self.joints)
            if self.gaze is not None and joint.parent == self.gaze.joint and len(joint.rotations) == 2
        )  # fmt: skip

    @cached_property
    def neck(self) -> int | None:
        """The joint that carries the one that looks, if it is no part of a trunk that leans."""
        above = self.joints[self.gaze.joint].parent if self.gaze is not None else -1
        return None if above <= 0 or any(above in limb.trunk for limb in self.limbs.values()) else above

    def place(self, name: str) -> Place | None:
        """A landmark by its name; None where the body has none of that name. `eyes` are those that look."""
        if name == "eyes" and name not in self.places and self.gaze is not None:
            return Place(self.gaze.joint, self.gaze.eyes)
        return self.places.get(name)

    # ---- degrees of freedom

    @property
    def dofs(self) -> int:
        """How many there are."""
        return len(self.dof_names)

    @cached_property
    def rotation_dofs(self) -> tuple[range, ...]:
        """Where each joint's angles stand in the array of a posture."""
        found, start = [], 3 if self.free_root else 0
        for joint in self.joints:
            found.append(range(start, start + len(joint.rotations)))
            start += len(joint.rotations)
        return tuple(found)

    @property
    def translation_dofs(self) -> range:
        """Where the root's place stands in the array of a posture: nowhere if it cannot move."""
        return range(3 if self.free_root else 0)

    def dofs_of(self, joints: Iterable[int]) -> Ints:
        """Everything of some joints in the array of a posture, in the order of the joints given."""
        found: list[int] = []
        for joint in joints:
            if not 0 <= joint < len(self.joints):
                raise PuppetError(f"the body '{self.name}' has the joints 0 to {len(self.joints) - 1}, not {joint}")
            found += [*self.translation_dofs, *self.rotation_dofs[0]] if joint == 0 else self.rotation_dofs[joint]
        return np.array(found, dtype=np.int64)

    def dof(self, joint: str, axis: str) -> int:
        """The index of a degree of freedom, as in dof("chest", "x")."""
        index = self.joint(joint)
        rotations = self.joints[index].rotations
        if axis not in AXES or len(axis) != 1:
            raise PuppetError(f"unknown axis '{axis}'; an axis is one of x, y, z")
        for dof, rotation in zip(self.rotation_dofs[index], rotations, strict=True):
            if AXES[rotation.axis] == axis:
                return dof
        about = " and ".join(AXES[rotation.axis] for rotation in rotations) or "no axis"
        raise PuppetError(f"'{joint}' does not turn about {axis}; it turns about {about}")

    @cached_property
    def has_ranges(self) -> bool:
        """Whether any of its joints has a range of directions."""
        return any(joint.range is not None for joint in self.joints)

    # ---- mirror images

    @cached_property
    def mirror_joints(self) -> tuple[int, ...]:
        """For each joint the one that is its mirror image: joints of two limbs that mirror each other, else itself."""
        found = list(range(len(self.joints)))
        for limb in self.limbs.values():
            if limb.mirrors is not None:
                for own, other in zip(limb.joints, self.limbs[limb.mirrors].joints, strict=True):
                    found[own], found[other] = other, own
        return tuple(found)

    # ---- arrays

    @cached_property
    def arrays(self) -> BodyArrays:
        centres = np.array([joint.centre for joint in self.joints])
        parents = np.array([joint.parent for joint in self.joints], dtype=np.int64)
        offsets = centres - np.where(parents[:, None] >= 0, centres[parents], 0.0)
        joints_of = np.zeros(self.dofs, dtype=np.int64)
        limits = np.empty((self.dofs, 4))
        limits[self.translation_dofs] = (-FARTHEST_ROOT, FARTHEST_ROOT, -FARTHEST_ROOT, FARTHEST_ROOT)
        widens_with = np.full(self.dofs, -1, dtype=np.int64)
        for j, joint in enumerate(self.joints):
            dofs = self.rotation_dofs[j]
            joints_of[dofs] = j
            place_of = {r.axis: place for place, r in enumerate(joint.rotations)}
            for dof, r in zip(dofs, joint.rotations, strict=True):
                wide = joint.rotations[place_of[r.widens[1]]] if r.widens else r
                limits[dof] = (r.lower, r.upper, wide.lower, wide.upper)
                if r.widens:
                    widens_with[dof] = dofs[place_of[r.widens[0]]]
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
        arrays = BodyArrays(parents, offsets, tips, clearances, joints_of, limits, widens_with)
        for array in arrays:
            array.setflags(write=False)
        return arrays

    @cached_property
    def chains(self) -> dict[tuple[tuple[str, ...], bool], Any]:
        """Chains found for this body so far; see puppet.posture.chain."""
        return {}

    @cached_property
    def last_placed(self) -> deque[tuple[Floats, Floats]]:
        """The last few postures whose joints were placed, and where these are; see puppet.body.kinematics."""
        return deque(maxlen=4)

    @cached_property
    def last_tips(self) -> deque[tuple[Floats, dict[str, Any]]]:
        """The same of where the tips of limbs are, by where the joints are."""
        return deque(maxlen=4)

    @property
    def metres_tall(self) -> float:
        """How tall it is in the world; as a person where nothing is said of it."""
        return self.metres or METRES

    @property
    def metres_a_unit(self) -> float:
        """How long a unit of its own is in the world."""
        return self.metres_tall / self.height

    @cached_property
    def model(self) -> KernelModel:
        """The body as the compiled kernels read it."""
        from puppet.body.kernel_model import build_model

        return build_model(self)

    @cached_property
    def kernel_places(self) -> Ints:
        """Where the angles stand in the kernels' array, see puppet.body.kernel_model."""
        from puppet.body.kernel_model import kernel_places

        return kernel_places(self)

    @cached_property
    def kernel_ordered(self) -> bool:
        """Whether the kernels have the angles just as the body has them."""
        return not self.free_root and len(self.kernel_places) == 3 * len(self.joints)

    def limits_at(self, angles: Floats) -> tuple[Floats, Floats]:
        """Lower and upper limits in force for a posture, (dofs,) each: some widen with the bend (5.32), (5.33)."""
        if np.shape(angles) != (self.dofs,):
            raise PuppetError(f"a posture of '{self.name}' has {self.dofs} numbers, not the shape {np.shape(angles)}")
        limits, widening = self.arrays.limits, self.widening
        lower, upper = limits[:, 0].copy(), limits[:, 1].copy()
        if len(widening):
            share = np.minimum(2.0 * np.abs(angles[self.arrays.widens_with[widening]]) / math.pi, 1.0)
            lower[widening] += share * (limits[widening, 2] - limits[widening, 0])
            upper[widening] += share * (limits[widening, 3] - limits[widening, 1])
        return lower, upper

    @cached_property
    def widening(self) -> Ints:
        """The degrees of freedom whose limits widen with the bend of another."""
        return np.flatnonzero(self.arrays.widens_with >= 0)

    @cached_property
    def limited(self) -> Ints:
        """The degrees of freedom that have limits: not those of ball joints, nor of a root that turns freely in
        space."""
        return self.dofs_of(
            j for j, joint in enumerate(self.joints) if not joint.is_ball and not (j == 0 and self.free_root)
        )

    def discomfort(self, joint: int, angles: Floats) -> float:
        """By how many radians the rotations of a joint are turned beyond what is comfortable, in all: as its segment
        sees them, the last one first, so that a wrist bends and goes to the sides alike however the forearm is
        twisted."""
        total = 0.0
        if not 0 <= joint < len(self.joints) or np.shape(angles) != (self.dofs,):
            raise PuppetError(f"'{self.name}' has no joint {joint}, or no posture of the shape {np.shape(angles)}")
        rotations = self.joints[joint].rotations
        if all(rotation.comfort is None for rotation in rotations):
            return 0.0
        turned = angles[list(self.rotation_dofs[joint])]
        if len(rotations) == 3:
            order = [rotation.axis for rotation in reversed(rotations)]
            turned = np.radians(euler_angles(self._turn_of(joint, angles)[None], order)[0, ::-1])
        for rotation, angle in zip(rotations, turned.tolist(), strict=True):
            if rotation.comfort is not None:
                low, high = rotation.comfort
                total += max(0.0, low - angle, angle - high)
        return total

    def limit_excess(self, angles: Floats, ranges_of: Iterable[int] | None = None) -> float:
        """By how many radians the worst joint is outside its limits or its range; 0 when all are inside. ranges_of:
        the joints whose ranges are looked at, else all."""
        lower, upper = self.limits_at(angles)
        outside = np.maximum(lower - angles, angles - upper)[self.limited]
        worst = float(max(0.0, outside.max(initial=0.0)))
        for j in range(len(self.joints)) if ranges_of is None else ranges_of:
            if not 0 <= j < len(self.joints):
                raise PuppetError(f"the body '{self.name}' has the joints 0 to {len(self.joints) - 1}, not {j}")
            region = self.joints[j].range
            if region is not None:
                worst = max(worst, region.excess(self._turn_of(j, angles)))
        return worst

    def put_into_range(self, joint: int, angles: Floats) -> None:
        """Turns a ball joint of a posture (dofs,) that is outside its range to the nearest edge of it, in place; other
        joints stay as they are."""
        if not 0 <= joint < len(self.joints) or np.shape(angles) != (self.dofs,):
            raise PuppetError(f"'{self.name}' has no joint {joint}, or no posture of the shape {np.shape(angles)}")
        region = self.joints[joint].range
        inside = region.put_inside(self._turn_of(joint, angles)) if region is not None else None
        if inside is not None:
            order = [rotation.axis for rotation in self.joints[joint].rotations]
            angles[list(self.rotation_dofs[joint])] = np.radians(euler_angles(inside[None], order)[0])

    def _turn_of(self, joint: int, angles: Floats) -> Floats:
        """The rotation (3, 3) of a joint in a posture."""
        turn = np.eye(3)
        for dof, rotation in zip(self.rotation_dofs[joint], self.joints[joint].rotations, strict=True):
            turn = turn @ axis_rotation(rotation.axis, float(angles[dof]))
        return turn
