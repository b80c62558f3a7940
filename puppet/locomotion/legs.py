"""What walking must know of a body: how long its legs are, where its feet are when it stands, what they stand on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from puppet.body import EARTH_GRAVITY, Body, Limb, local_rotations
from puppet.geometry import axis_rotation, continuous_angles, euler_angles
from puppet.solver import Figure
from puppet.types import Floats

_MOST_BENT, _HALVINGS = math.radians(150.0), 10  # by which hips and ankles bend at most; how exactly that is found
KNEE_LEFT = 0.9965  # how far a leg is stretched at most: a knee is never quite straight


@dataclass(frozen=True, eq=False)
class Foot:
    """A foot in its own coordinates, and where it is when the body stands."""

    limb: str
    joint: int
    toes: int  # their joint; -1 where there are none
    side: float  # 1 on the left, -1 on the right
    hip: Floats  # (3,), from the root's joint, in its coordinates
    reach: float  # from hip to ankle, stretched
    thigh: float  # from hip to knee
    bends: float  # radians by which the thigh comes up ahead at most,
    tilts: float  # and by which the shin leans ahead over it
    ankle: float  # its height over the floor when the foot is flat
    heel: Floats  # (3,), what it strikes with
    ball: Floats  # (3,), where its toes begin
    contacts: Floats  # (n, 3)
    toe_contacts: Floats  # (n, 3), in the toes' coordinates
    stands: tuple[float, float]  # x and z, from under the root
    toe_out: float  # radians about the vertical


@dataclass(frozen=True, eq=False)
class Legs:
    """The two legs of a body that stands, and how high its root is."""

    feet: tuple[Foot, Foot]  # left and right
    root: float  # its height over the floor
    mass: Floats  # (3,), the centre of mass from under the root
    height: float
    gravity: float  # lengths of the body a second, a second
    joints: frozenset[int]  # of the legs, and the root

    @property
    def critical(self) -> frozenset[int]:
        """All joints that going anywhere needs: the toes as well."""
        return self.joints | {foot.toes for foot in self.feet if foot.toes >= 0}


def legs_of(body: Body) -> tuple[Limb, ...]:
    """Its legs: none where it cannot go anywhere."""
    return tuple(limb for limb in body.limbs.values() if limb.kind == "leg") if body.free_root else ()


@lru_cache(maxsize=8)
def measured(body: Body) -> Legs:
    """The legs of a body that has two."""
    first = Figure(body)
    positions, rotations = first.joint_positions, [first.rotation(name) for name in body.joint_names]
    feet = []
    for limb in legs_of(body):
        hip, knee, ankle = (np.array(body.joints[j].centre) for j in limb.joints[:3])
        joint = limb.joints[2]
        toes = next((j for j, other in enumerate(body.joints) if other.parent == joint and other.contacts), -1)
        contacts = np.array(list(body.joints[joint].contacts.values()) or [(0.0, -ankle[1], 0.0)])
        back, front = contacts[:, 2].min(), contacts[:, 2].max()
        heel = np.array([0.0, contacts[:, 1].min(), back])
        ball = np.array(body.joints[toes].centre) - ankle if toes >= 0 else np.array([0.0, contacts[:, 1].min(), front])
        forwards = rotations[joint][:, 2]
        place = positions[joint] - positions[0]
        thigh = float(np.linalg.norm(knee - hip))
        feet.append(Foot(
            limb.name, joint, toes, 1.0 if hip[0] >= body.joints[0].centre[0] else -1.0,
            hip - np.array(body.joints[0].centre), thigh + float(np.linalg.norm(ankle - knee)), thigh,
            _farthest(body, limb.joints[0]), _farthest(body, joint), float(-contacts[:, 1].min()), heel, ball, contacts,
            np.array(list(body.joints[toes].contacts.values())) if toes >= 0 else np.zeros((0, 3)),
            (float(place[0]), float(place[2])), math.atan2(forwards[0], forwards[2]),
        ))  # fmt: skip
    feet.sort(key=lambda foot: -foot.side)
    joints = frozenset(j for limb in legs_of(body) for j in limb.joints) | {0}
    metres = body.metres_a_unit
    height = float(positions[0, 1])
    figure = _settled(body, (feet[0], feet[1]), height, 0.0)
    mass = figure.centre_of_mass - figure.position(body.joint_names[0])
    return Legs((feet[0], feet[1]), height, mass, body.height, EARTH_GRAVITY / metres, joints)


def foot_contacts(foot: Foot, world: Floats) -> Floats:
    """The points (frames, n, 3) of a foot and its toes that touch the floor where it stands; world: joint transforms
    (frames, joints, 12)."""
    parts = [(foot.joint, foot.contacts), *([(foot.toes, foot.toe_contacts)] if foot.toes >= 0 else [])]
    turns = world[..., 3:].reshape(*world.shape[:2], 3, 3)
    each = [world[:, joint, None, :3] + points @ turns[:, joint].transpose(0, 2, 1) for joint, points in parts]
    return np.concatenate(each, axis=1)


def _farthest(body: Body, joint: int) -> float:
    """By how many radians a joint brings ahead and up at most what it carries, turned about no other axis."""
    dof = next((d for d in body.rotation_dofs[joint] if body.dof_names[d].endswith(".x")), None)
    low, high = 0.0, _MOST_BENT
    for _ in range(_HALVINGS if dof is not None else 0):
        angles, middle = np.zeros(body.dofs), 0.5 * (low + high)
        angles[dof] = -middle
        low, high = (low, middle) if body.limit_excess(angles) > 1e-9 else (middle, high)
    return low if dof is not None else high


def standing_upright(body: Body, floor: float) -> Floats:
    """The angles (dofs,) of a body that stands at the middle of the world, facing +z: feet flat, else as at rest."""
    legs = measured(body)
    return np.array(_settled(body, legs.feet, legs.root, floor).angles)


def _settled(body: Body, feet: tuple[Foot, Foot], height: float, floor: float) -> Figure:
    figure = Figure(body)
    figure.pin(body.joint_names[0], to=(0.0, floor + height, 0.0))
    for foot in feet:
        x, z = foot.stands
        place = (x, floor + foot.ankle, z)
        figure.aim(body.joint_names[foot.joint], place, axis_rotation(1, foot.toe_out), (0.0, 0.0, 0.0))
    figure.settle()
    return figure


def moved_by(body: Body, angles: Floats, place: tuple[float, float], turn: float) -> Floats:
    """Postures (n, dofs) of a body with a free root, turned about the vertical through the middle of the world and
    moved on the floor."""
    found = np.array(angles)
    x, _, z = body.translation_dofs
    cos, sin = math.cos(turn), math.sin(turn)
    at_x, at_z = angles[:, x] + body.joints[0].centre[0], angles[:, z] + body.joints[0].centre[2]
    found[:, x] = cos * at_x + sin * at_z + place[0] - body.joints[0].centre[0]
    found[:, z] = -sin * at_x + cos * at_z + place[1] - body.joints[0].centre[2]
    axes = [rotation.axis for rotation in body.joints[0].rotations]
    dofs = list(body.rotation_dofs[0])
    if axes[:1] == [1]:
        found[:, dofs[0]] += turn
    elif len(axes) == 3:
        turned = axis_rotation(1, turn) @ local_rotations(body, 0, angles)
        found[:, dofs] = np.radians(continuous_angles(euler_angles(turned, axes)))
    return found
