"""Frames on paper: how much fits side by side, and where the axis is marked."""

from __future__ import annotations

import math
from dataclasses import dataclass

from puppet.timeline.model import Bar, Timeline


@dataclass(frozen=True)
class Band:
    """A stretch of time that is drawn in one piece; a long timeline has several below each other."""

    start: int
    end: int


def bands(timeline: Timeline, room: float, least: float, most: int) -> list[Band]:
    """Cuts time so that in `room` units the short bars are `least` units wide, in at most `most` bands."""
    frames = max(timeline.frames, 1)
    widths = sorted(bar.end - bar.start for bar in timeline.bars if bar.end > bar.start)
    short = widths[len(widths) // 10] if widths else frames  # a few bars shorter than that may be crowded
    count = min(most, max(1, math.ceil(frames * least / short / room)))
    length = math.ceil(frames / count)
    return [Band(start, min(start + length, frames)) for start in range(0, frames, length)]


def cut(bar: Bar, band: Band) -> tuple[int, int] | None:
    """The part of a bar inside a band."""
    start, end = max(bar.start, band.start), min(bar.end, band.end)
    inside = start < end or (bar.start == bar.end and band.start <= bar.start < max(band.end, band.start + 1))
    return (start, end) if inside else None


def step(length: float, most: int) -> int:
    """The distance of marks, a round number, of which there are at most `most`."""
    rough = max(length / max(most, 1), 1)
    power = 10 ** math.floor(math.log10(rough))
    return int(next(power * n for n in (1, 2, 5, 10) if power * n >= rough - 1e-9))
