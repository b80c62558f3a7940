"""Arms of a body that stands of which nothing is asked: they go on hanging, however the trunk leans and turns."""

from __future__ import annotations

import math

import numpy as np

from puppet.body import Body, hand_transforms, joint_transforms
from puppet.geometry import axis_rotation, euler_angles
from puppet.types import Floats

_BENT = math.radians(12.0)  # by which forearm and hand of an arm that hangs are turned otherwise at most
_BOWS = 0.7, 0.3  # cosines of how far a trunk leans that begins to bow, and that does
_NEAR = 0.12  # body heights: how far the hand of such an arm is at most from where it would hang


def hangs(body: Body, hand: str, angles: Floats, hanging: Floats) -> bool:
    """Whether an arm hangs. hanging (dofs,): a posture of a body that stands upright, in which it does."""
    _, *below = body.limb(hand).joints
    own = body.dofs_of(below)
    if np.abs(angles[own] - hanging[own]).max(initial=0.0) > _BENT:
        return False
    there = hand_transforms(body, hung(body, hand, angles, hanging))[hand]
    return hand_transforms(body, angles)[hand].distance(there) < _NEAR * body.height


def hung(body: Body, hand: str, angles: Floats, hanging: Floats) -> Floats:
    """A posture with an arm that hangs as in another one, straight down however its trunk leans, and turned with it; a
    trunk that leans to its side takes it along."""
    found, (shoulder, *_) = np.array(angles), body.limb(hand).joints
    own = body.dofs_of(body.limb(hand).joints)
    found[own] = hanging[own]
    order = [rotation.axis for rotation in body.joints[shoulder].rotations]
    parent = body.joints[shoulder].parent
    if len(order) == 3 and parent >= 0:
        upright, leans = joint_transforms(body, np.stack([hanging, found]))
        was, carries = (world[parent, 3:].reshape(3, 3) for world in (upright, leans))
        ahead = axis_rotation(1, heading(carries))
        up = ahead.T @ carries[:, 1]
        side = -1.0 if body.limb(hand).mirrored else 1.0
        lean = -side * math.asin(min(1.0, max(0.0, side * float(up[0]))))  # however far it bows besides
        turn = ahead @ axis_rotation(2, lean) @ axis_rotation(1, -heading(was))
        arm = turn @ upright[shoulder, 3:].reshape(3, 3)
        found[list(body.rotation_dofs[shoulder])] = np.radians(euler_angles((carries.T @ arm)[None], order)[0])
        body.put_into_range(shoulder, found)
    return found


def heading(rotation: Floats) -> float:
    """Which way something faces, radians about the vertical: where its z points, or, as far as it bows, so that this is
    down, what its x, from one shoulder to the other, is at right angles to."""
    bows = float(np.clip((_BOWS[0] - rotation[1, 1]) / (_BOWS[0] - _BOWS[1]), 0.0, 1.0))
    ahead, aside = rotation[[0, 2], 2], np.array([-rotation[2, 0], rotation[0, 0]])
    ahead, aside = (way / max(float(np.linalg.norm(way)), 1e-9) for way in (ahead, aside))
    way = (1.0 - bows) * ahead + bows * aside
    return math.atan2(way[0], way[1])
