"""Measures of a motion: how jerky it is, how far planted feet slide, how far hands that meet are apart."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from puppet.body import Body
from puppet.clip.contacts import GroundContact, point_paths
from puppet.clip.frames import parts_of
from puppet.types import Floats

LONE, _UNUSUAL = 0.01, 15.0  # how far off a faulty frame is: body heights, and times what is usual around it
_AROUND, _BESIDE = 30, 0.7  # frames to each side that are around it; of its own, how far off its neighbours may be
HANDS_MEET = 0.05  # body heights: hands nearer than that meet


def jerk(transforms: Floats, fps: float) -> float:
    """The root mean square of the third derivative of all joints' places, in lengths / s^3."""
    if len(transforms) < 4:
        return 0.0
    third = np.diff(transforms[:, :, :3], n=3, axis=0) * fps**3
    return float(np.sqrt((third**2).sum(axis=2).mean()))


def asked_jerk(before: Floats, after: Floats, shares: Floats, fps: float) -> float:
    """The jerk of a recorded motion whose joints are led to where an edit has them by its curves alone (frames, edits):
    the least that it can have. before, after: transforms (frames, joints, 12)."""
    ways = (after[:, :, :3] - before[:, :, :3]).reshape(len(before), -1)
    led = np.array(before)
    ends = np.linalg.pinv(np.einsum("fa,fb->ab", shares, shares)) @ np.einsum("fa,fn->an", shares, ways)
    led[:, :, :3] += np.einsum("fa,an->fn", shares, ends).reshape(len(before), -1, 3)
    return jerk(led, fps)


def lone_frames(places: Floats) -> list[int]:
    """Frames in which a body is elsewhere than before and after, as no body can be: faults of a recording. places: of
    all joints, (frames, joints, 3)."""
    if len(places) < 5:
        return []
    between = 0.5 * (places[:-2] + places[2:])
    away = np.linalg.norm(places[1:-1] - between, axis=2).mean(axis=1)  # of frames 1 to the last but one
    longer = np.pad(away, _AROUND, mode="symmetric")
    usual = np.median(np.lib.stride_tricks.sliding_window_view(longer, 2 * _AROUND + 1), axis=1)
    beside = np.maximum(away[:-2], away[2:])
    lone = (away[1:-1] > LONE) & (away[1:-1] > _UNUSUAL * usual[1:-1]) & (beside < _BESIDE * away[1:-1])
    return [int(frame) + 2 for frame in np.flatnonzero(lone)]


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
