"""Postures turned as wanted: rotations of joints that may turn about fewer axes, and trunks of more or fewer joints."""

from __future__ import annotations

import numpy as np

from puppet.body import Body, Joint
from puppet.geometry import continuous_angles, euler_angles
from puppet.types import Floats


def fit_rotations(joint: Joint, wanted: Floats) -> Floats:
    """Angles (frames, rotations) of a joint that turn it as wanted from its parent, (frames, 3, 3), as nearly as its
    axes can; inside its limits, but not yet in a range of directions."""
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
        angles = np.clip(angles, lower, upper)
    return np.asarray(angles)


def trunk_shares(body: Body, parts: dict[str, int]) -> dict[int, tuple[str, str, float]]:
    """Joints of the trunk between two parts: the part below them on the way, the part above, and which share of the way
    each has gone."""
    found: dict[int, tuple[str, str, float]] = {}
    for end, start in (("chest", "hips"), ("head", "chest")):
        if end not in parts or start not in parts:
            continue
        way = [parts[end]]
        while way[-1] != parts[start] and way[-1] >= 0:
            way.append(body.joints[way[-1]].parent)
        inside = way[1:-1][::-1]
        for n, j in enumerate(inside, 1):
            found[j] = (end, start, n / (len(inside) + 1))
    return found
