"""Measures of a motion: how jerky it is, how far planted feet slide, how far tasks are missed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from puppet.clip.contacts import GroundContact, point_paths
from puppet.types import Floats


def jerk(transforms: Floats, fps: float) -> float:
    """The root mean square of the third derivative of all joints' places, in lengths / s^3."""
    if len(transforms) < 4:
        return 0.0
    third = np.diff(transforms[:, :, :3], n=3, axis=0) * fps**3
    return float(np.sqrt((third**2).sum(axis=2).mean()))


def slide(transforms: Floats, contacts: Iterable[GroundContact]) -> float:
    """How far planted points are from where they came down, at most."""
    worst = 0.0
    for contact in contacts:
        path = point_paths(transforms[contact.first : contact.last + 1], contact.joint, np.array(contact.at))
        if len(path):
            worst = max(worst, float(np.linalg.norm(path - path[0], axis=1).max()))
    return worst
