"""Measures of a motion: how jerky it is, how far planted feet slide, how far hands that meet are apart."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from puppet.body import Body
from puppet.clip.contacts import GroundContact, point_paths
from puppet.clip.frames import parts_of
from puppet.types import Floats

LONE, _UNUSUAL = 0.01, 15.0  # how far off a faulty frame is: body heights, and times what is usual around it
_AROUND, _BESIDE = 30, 0.7  # frames to each side that are around it; of its own, how far off its neighbours may be
HANDS_MEET = 0.05  # body heights: hands nearer than that meet


@dataclass(frozen=True)
class Size:
    """How large vectors are."""

    usual: float = 0.0  # their root mean square
    mean: float = 0.0

    @staticmethod
    def of(vectors: Floats) -> Size:
        """Of vectors (n, 3)."""
        squares = np.einsum("na,na->n", vectors, vectors)
        return Size(math.sqrt(squares.mean()), float(np.sqrt(squares).mean())) if len(squares) else NONE

    def times(self, share: float) -> Size:
        return Size(share * self.usual, share * self.mean)

    def or_more(self, other: Size) -> Size:
        return Size(max(self.usual, other.usual), max(self.mean, other.mean))

    def beside(self, other: Size) -> float:
        """How many times as large as others they are."""
        return max(self.usual / max(other.usual, 1e-12), self.mean / max(other.mean, 1e-12))


NONE = Size()


def jerk(transforms: Floats, fps: float) -> float:
    """The root mean square of the third derivative of all joints' places, in lengths / s^3."""
    return Size.of(jerks(transforms[:, :, :3], fps)).usual


def jerks(places: Floats, fps: float) -> Floats:
    """The third derivatives of joints' places (frames, joints, 3), in lengths / s^3, (n, 3)."""
    return np.asarray(np.diff(places, n=3, axis=0) * fps**3).reshape(-1, 3)


class CurveJerks:
    """How joints would jerk that are led to where an edit has them by its curves alone: the least that it can have.
    shares: of the curves (frames, edits)."""

    def __init__(self, shares: Floats, fps: float) -> None:
        self._ends, self._third = np.linalg.pinv(shares), np.diff(shares, n=3, axis=0) * fps**3

    def added(self, ways: Floats) -> Floats:
        """To the third derivatives as recorded, (n, 3), by joints that are so far from there, (frames, joints, 3)."""
        ends = self._ends @ ways.reshape(len(ways), -1)
        return np.asarray(self._third @ ends).reshape(-1, 3)


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
