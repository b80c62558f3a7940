"""The ranges of joints as cones: where a bone may point, and whether its joint is at the edge of what it can do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from puppet.body import Body, JointRange, local_rotations
from puppet.geometry import axis_rotation
from puppet.types import Floats

NEAR_EDGE = math.radians(1.0)  # a joint that is no farther from the end of its range is at its boundary
_LENGTH, _SHORTEST = 0.7, 0.05  # of the bone, and of the body's height
_STEPS = 5  # of each side of the rim


@dataclass(frozen=True, eq=False)
class RangeCone:
    apex: Floats  # (3,), world
    rim: Floats  # (n, 3): the edge of what the bone's end may reach, on a sphere around the apex
    closed: bool  # False: a fan, of a joint whose bone turns in a plane
    bone: Floats  # (3,): where the bone's end is
    at_edge: bool


@dataclass(frozen=True, eq=False)
class _Rim:
    """Directions (n, 3) of a bone along the edge of its range, in the parent's coordinates; its own in the zero
    posture."""

    directions: Floats
    closed: bool
    bone: Floats  # (3,)
    length: float


class RangeCones:
    """The cones of a body's joints: all that have a range or limits, but not a root that turns freely."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self._rims = {
            j: _rim(body, j)
            for j, joint in enumerate(body.joints)
            if joint.rotations and not (j == 0 and body.free_root)
        }

    @property
    def joints(self) -> frozenset[int]:
        """Those that have a cone."""
        return frozenset(self._rims)

    def at_edge(self, j: int, angles: Floats) -> bool:
        """Whether a joint is at the boundary of its range in a posture (dofs,)."""
        allowed = self._body.joints[j].range
        if allowed is not None:
            return _room(allowed, local_rotations(self._body, j, angles[None])[0]) < NEAR_EDGE
        lower, upper = self._body.limits_at(angles)
        dofs = list(self._body.rotation_dofs[j])
        return bool((np.minimum(angles - lower, upper - angles)[dofs] < NEAR_EDGE).any())

    def cone(self, j: int, angles: Floats, joints: Floats) -> RangeCone:
        """The cone of a joint in a posture (dofs,); joints (joints, 12): the joints' transforms."""
        parent, rim, apex = self._body.joints[j].parent, self._rims[j], joints[j, :3]
        outer = joints[parent, 3:].reshape(3, 3) if parent >= 0 else np.eye(3)
        bone = joints[j, 3:].reshape(3, 3) @ rim.bone
        edge = apex + rim.length * rim.directions @ outer.T
        return RangeCone(apex, edge, rim.closed, apex + rim.length * bone, self.at_edge(j, angles))


def _rim(body: Body, j: int) -> _Rim:
    tip, allowed = body.arrays.tips[j], body.joints[j].range
    length = float(np.linalg.norm(tip))
    drawn = max(_LENGTH * length, _SHORTEST * body.height)
    if allowed is not None:
        bone = allowed.sign * np.eye(3)[allowed.axis]
        return _Rim(_rim_of_range(allowed, bone), True, bone, drawn)
    bone = tip / length if length > 0.0 else np.array([0.0, 1.0, 0.0])
    directions, closed = _rim_of_limits(body, j, bone)
    return _Rim(directions, closed, bone, drawn)


def _rim_of_range(allowed: JointRange, bone: Floats) -> Floats:
    corners = allowed.corners
    return np.array([
        allowed.rotation(start + step / _STEPS * (end - start), 0.0) @ bone
        for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True)
        for step in range(_STEPS)
    ])  # fmt: skip


def _room(allowed: JointRange, turn: Floats) -> float:
    """How many radians a rotation is inside a range."""
    swing, twist = allowed.coordinates(turn)
    planes = allowed.half_planes
    lower, upper = allowed.twist_bounds(swing)
    return min(-2.0 * float((planes[:, :2] @ swing - planes[:, 2]).max()), twist - lower, upper - twist)


def _rim_of_limits(body: Body, j: int, bone: Floats) -> tuple[Floats, bool]:
    """The edge of the box of limits about the first two axes that turn the bone, and whether there are two."""
    rotations = body.joints[j].rotations
    limits = body.arrays.limits[list(body.rotation_dofs[j]), :2]
    swings = [n for n, rotation in enumerate(rotations) if abs(bone[rotation.axis]) < 0.9][:2]
    corners = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)] if len(swings) == 2 else [(0, 0), (1, 1)]
    found = []
    for start, end in pairwise(corners):
        for step in range(_STEPS + 1):
            turn = np.eye(3)
            for n, rotation in enumerate(rotations):
                place = swings.index(n) if n in swings else None
                low, high = limits[n]
                share = None if place is None else start[place] + step / _STEPS * (end[place] - start[place])
                turn = turn @ axis_rotation(rotation.axis, 0.0 if share is None else low + share * (high - low))
            found.append(turn @ bone)
    return np.array(found), len(swings) == 2
