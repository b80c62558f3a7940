"""Measures of a motion: how jerky it is, how far planted feet slide, how far hands that meet are apart."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from puppet.body import Body
from puppet.clip.contacts import GroundContact, point_paths
from puppet.clip.frames import parts_of
from puppet.types import Floats

HANDS_MEET = 0.05  # body heights: hands nearer than that meet


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


def palms(body: Body, transforms: Floats) -> tuple[Floats, Floats]:
    """The middle of each hand, (frames, 3) each, left and right."""
    parts = parts_of(body)
    left, right = (
        point_paths(transforms, parts[f"{side}Hand"], 0.5 * body.arrays.tips[parts[f"{side}Hand"]])
        for side in ("left", "right")
    )
    return left, right


def meetings(body: Body, transforms: Floats, other: Body, others: Floats, scale: float) -> float | None:
    """How much farther apart, or nearer, hands are in a retargeted motion when they meet, at most, in body heights of
    the other body; None where they never do."""
    apart, now = (np.linalg.norm(np.subtract(*palms(b, t)), axis=1) for b, t in ((body, transforms), (other, others)))
    meeting = apart < HANDS_MEET
    return float(np.abs(now - scale * apart)[meeting].max()) if meeting.any() else None
