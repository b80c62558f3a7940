"""Elbows of arms that hold something up: as low as shoulder and wrist let them be, the hand where it is."""

from __future__ import annotations

import math

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.geometry import axis_rotation, euler_angles, rotation_about
from puppet.types import Floats

_SWING = math.radians(4.0)  # of the elbow about the line from shoulder to wrist, in each step
_STEPS = 30
_TWISTS = tuple(math.radians(angle) for angle in (0.0, -4.0, 4.0, -8.0, 8.0))  # of the forearm, with each step
_LEAP = math.radians(16.0)  # a joint that is turned farther by a step is near the pole of its axes
_STIFF = math.radians(4.0)  # that a wrist stays away from the ends of its range


def elevation(body: Body, hand: str, rows: Floats) -> float:
    """The angle in radians by which the upper arm points up from level, for the joints' transforms (joints, 12)."""
    joints = body.limb(hand).joints
    way = rows[joints[min(1, len(joints) - 1)], :3] - rows[joints[0], :3]
    length = float(np.linalg.norm(way))
    return math.asin(max(-1.0, min(1.0, float(way[1]) / length))) if length else 0.0


def with_low_elbow(body: Body, hand: str, angles: Floats, low: float) -> Floats:
    """The angles (dofs,) with the elbow of an arm swung down until its upper arm points down by the angle `low`
    (negative, radians from level), or as far as its joints let it; hand and trunk stay."""
    limb = body.limb(hand)
    if len(limb.joints) != 3 or any(len(body.rotation_dofs[joint]) != 3 for joint in (limb.joints[0], limb.joints[2])):
        return angles
    best = np.array(angles)
    high = elevation(body, hand, joint_transforms(body, best))
    if high <= low:
        return angles
    swings = [_swung(body, limb.joints, best, sign * _SWING) for sign in (-1.0, 1.0)]
    highs = [math.inf if swung is None else elevation(body, hand, joint_transforms(body, swung)) for swung in swings]
    swing = _SWING if highs[1] < highs[0] else -_SWING
    for _ in range(_STEPS):
        found = _swung(body, limb.joints, best, swing)
        lower = math.inf if found is None else elevation(body, hand, joint_transforms(body, found))
        if found is None or lower >= high:
            break
        best, high = found, lower
        if high <= low:
            break
    return best


def _swung(body: Body, joints: tuple[int, ...], angles: Floats, swing: float) -> Floats | None:
    """The same with the elbow swung about the line from shoulder to wrist, and the forearm twisted as suits the wrist
    best; None where a joint would leave its range."""
    shoulder, elbow, wrist = joints
    rows = joint_transforms(body, angles)
    line = rows[wrist, :3] - rows[shoulder, :3]
    length = float(np.linalg.norm(line))
    if length < 1e-6:
        return None
    turn = rotation_about(swing * line / length)
    parent = body.joints[shoulder].parent
    carries = rows[parent, 3:].reshape(3, 3) if parent >= 0 else np.eye(3)
    found = np.array(angles)
    _put(body, shoulder, carries.T @ turn @ rows[shoulder, 3:].reshape(3, 3), found)
    forearm, hand = turn @ rows[elbow, 3:].reshape(3, 3), rows[wrist, 3:].reshape(3, 3)
    twists = body.joints[elbow].rotations[1:]
    best: tuple[float, Floats] | None = None
    for twist in _TWISTS if twists else _TWISTS[:1]:
        other = found.copy()
        bone = forearm
        if twists:
            other[body.rotation_dofs[elbow][1]] += twist
            bone = forearm @ axis_rotation(twists[0].axis, twist)
        _put(body, wrist, bone.T @ hand, other)
        if body.limit_excess(other, joints) > 1e-9:
            continue
        if np.abs(other - angles).max() > _LEAP:
            continue
        strain = _strain(body, wrist, other)
        if best is None or strain < best[0]:
            best = strain, other
    return None if best is None else best[1]


def _put(body: Body, joint: int, rotation: Floats, angles: Floats) -> None:
    """Turns a ball joint so, its angles within half a turn of where they are."""
    dofs = list(body.rotation_dofs[joint])
    order = [entry.axis for entry in body.joints[joint].rotations]
    wanted = np.radians(euler_angles(rotation[None], order)[0])
    angles[dofs] += np.remainder(wanted - angles[dofs] + math.pi, 2.0 * math.pi) - math.pi


def _strain(body: Body, joint: int, angles: Floats) -> float:
    """How near a joint is to the ends of its range, and how far it is turned."""
    dofs = list(body.rotation_dofs[joint])
    lower, upper = body.arrays.limits[dofs, 0], body.arrays.limits[dofs, 1]
    near = np.maximum(0.0, _STIFF - np.minimum(angles[dofs] - lower, upper - angles[dofs]))
    return float(near.sum() + 0.05 * np.square(angles[dofs]).sum())
