"""Postures turned as wanted: rotations of joints that may turn about fewer axes, and trunks of more or fewer joints."""

from __future__ import annotations

import math

import numpy as np

from puppet.body import Body, Joint, JointRange
from puppet.body.joint_range import matrix
from puppet.clip.ranges import nearest_rotations
from puppet.geometry import continuous_angles, euler_angles, quaternions, rotation_vectors, rotations_about
from puppet.types import Floats

HINGE_WIDTH = 0.3  # of the width of a range in which it is bent: how wide it may be across
_EDGE = 0.15  # radians from a limit, within which an angle is eased into it
_LEADINGS = 4  # times that what is still outside a range is turned back
FARTHEST = 1.3  # radians by which something is turned all the way to where it should be turned


def fit_rotations(joint: Joint, wanted: Floats, width: float) -> Floats:
    """Angles (frames, rotations) of a joint that turn it as wanted from its parent, (frames, 3, 3), as nearly as its
    axes can, inside its limits and its range. width: frames in which it comes to the edge of its range."""
    if joint.range is not None:
        wanted = led_into(joint.range, wanted, width)
    order = [rotation.axis for rotation in joint.rotations]
    count = len(order)
    if count == 1:
        axis = order[0]
        a, b = (axis + 1) % 3, (axis + 2) % 3
        angles = np.arctan2(wanted[:, b, a] - wanted[:, a, b], wanted[:, a, a] + wanted[:, b, b])[:, None]
    else:
        whole = order + [axis for axis in range(3) if axis not in order]
        degrees = euler_angles(wanted, whole)
        angles = np.radians(continuous_angles(degrees) if count == 3 else degrees)[:, :count]
    if not joint.is_ball:
        lower = [rotation.lower for rotation in joint.rotations]
        upper = [rotation.upper for rotation in joint.rotations]
        angles = eased_into(angles, np.array(lower), np.array(upper))
    return np.asarray(angles)


def led_into(region: JointRange, rotations: Floats, width: float) -> Floats:
    """Rotations (frames, 3, 3) inside a range: what would leave it is turned back as a smooth course in time, from
    before it comes to the edge, where it would stop with a jolt."""
    found = rotations
    for _ in range(_LEADINGS):
        inside = nearest_rotations(region, found)
        if np.array_equal(inside, found):
            return found
        back = smooth_in_time(rotation_vectors(found.transpose(0, 2, 1) @ inside), width)
        found = found @ rotations_about(back)
    return nearest_rotations(region, found)


def smooth_in_time(values: Floats, width: float) -> Floats:
    """Values (frames, 3) weighted over frames by a normal distribution of that width."""
    reach = math.ceil(3.0 * width)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    longer = np.pad(values, ((reach, reach), (0, 0)), mode="edge")
    columns = [np.convolve(column, weights / weights.sum(), mode="valid") for column in longer.T]
    return np.stack(columns, axis=1)


def eased_into(angles: Floats, lower: Floats, upper: Floats) -> Floats:
    """Angles (frames, rotations) inside their limits, which they approach gradually: what is near a limit, inside
    or outside, is led to the limit without a jolt, by the integral of a polynomial of degree five."""
    edge = np.minimum(_EDGE, 0.25 * (upper - lower))
    found = angles
    for limit, side in ((lower, 1.0), (upper, -1.0)):
        inside = side * (found - limit)
        u = np.clip((inside + edge) / np.maximum(2.0 * edge, 1e-12), 0.0, 1.0)
        near = 2.0 * edge * u**4 * (2.5 + u * (u - 3.0))
        found = limit + side * np.where(inside < edge, near, inside)
    return np.clip(found, lower, upper)


def trunk_shares(
    body: Body, parts: dict[str, int], other: Body, others: dict[str, int]
) -> dict[int, tuple[str, str, float]]:
    """Joints of the trunk between two parts that have no equal in another body: the part below them on the way, the
    part above, and which share of the way each has gone. All joints of a neck, if the other one has more or fewer; but
    a spine bends most at its lowest joint, which has its equal there."""
    found: dict[int, tuple[str, str, float]] = {}
    for end, start in (("chest", "hips"), ("head", "chest")):
        inside = _between(body, parts, start, end)
        if end == "chest" or len(inside) == len(_between(other, others, start, end)):
            inside = [j for j in inside if j not in parts.values()]
        for n, j in enumerate(inside, 1):
            found[j] = (end, start, n / (len(inside) + 1))
    return found


def _between(body: Body, parts: dict[str, int], start: str, end: str) -> list[int]:
    """Joints on the way from one part to another, without these."""
    if end not in parts or start not in parts:
        return []
    way = [parts[end]]
    while way[-1] != parts[start] and way[-1] >= 0:
        way.append(body.joints[way[-1]].parent)
    return way[1:-1][::-1]


# ---- turns about bones


def turned_about(rotations: Floats, bone: Floats, angles: Floats) -> Floats:
    """Rotations (frames, 3, 3) of something, with turns (frames,) about an axis in its own coordinates before them."""
    return np.asarray(rotations @ rotations_about(angles[:, None] * bone))


def twists_about(bone: Floats, rotations: Floats) -> Floats:
    """By how much rotations (frames, 3, 3) turn about an axis, between half a turn to either side, (frames,)."""
    q = quaternions(rotations)
    twists = 2.0 * np.arctan2(q[:, :3] @ bone, q[:, 3])
    return np.asarray(twists - 2.0 * np.pi * np.round(twists / (2.0 * np.pi)))


def twist_limits(joint: Joint, bone: Floats) -> tuple[float, float]:
    """How far a joint can be turned about an axis, about."""
    if joint.range is not None:
        return joint.range.centre.twist
    if joint.is_ball:
        return -np.pi, np.pi
    along = [rotation for rotation in joint.rotations if abs(bone[rotation.axis]) > 0.5]
    if not along:
        return 0.0, 0.0
    lower, upper = along[0].lower, along[0].upper
    return (lower, upper) if bone[along[0].axis] > 0.0 else (-upper, -lower)


def hinge_axis(joint: Joint, bone: Floats) -> Floats | None:
    """The axis about which a joint bends what hangs on it, by positive angles, seen from its parent; None where it can
    be bent to all sides. bone: the direction of what hangs on it."""
    if joint.range is None:
        bends = [rotation for rotation in joint.rotations if abs(bone[rotation.axis]) < 0.5]
        return np.eye(3)[bends[0].axis] * np.sign(bends[0].upper + bends[0].lower) if len(bends) == 1 else None
    low, high = joint.range.corners.min(axis=0), joint.range.corners.max(axis=0)
    wide, narrow = np.argsort(low - high)
    if high[narrow] - low[narrow] > HINGE_WIDTH * (high[wide] - low[wide]):
        return None
    across = np.eye(3)[joint.range.across[wide]] * np.sign(high[wide] + low[wide])
    return np.asarray(matrix(joint.range.frames[0]) @ across)


def nearer_half(angles: Floats, farthest: float = FARTHEST) -> Floats:
    """Turns (frames,), between half a turn to either side, that can be made: all of them up to a bound, and less and
    less beyond it; none of half a turn, which is as far to one side as to the other. In between smoothly, as a cubic
    polynomial."""
    rest = np.pi - farthest
    x = np.maximum(np.abs(angles) - farthest, 0.0) / rest
    less = farthest * (1.0 - x * x * (3.0 - 2.0 * x)) + rest * x * (1.0 - x) ** 2
    return np.where(x > 0.0, np.sign(angles) * less, angles)
