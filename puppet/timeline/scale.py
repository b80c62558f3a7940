"""The time axis: how many frames fit side by side, and where the ticks are."""

from __future__ import annotations

import math
from dataclasses import dataclass

from puppet.timeline.model import Bar, Timeline


@dataclass(frozen=True)
class Band:
    """A span of time that is drawn in one piece; a long timeline has several, one below the other, at one scale."""

    start: int
    end: int
    full: int  # frames in the whole width


def split_into_bands(timeline: Timeline, room: float, least: float, most: int) -> list[Band]:
    """Cuts a timeline into bands of `room` units, in which short bars get `least`; about `most` bands at most."""
    frames = max(timeline.frames, 1)
    widths = sorted(bar.end - bar.start for bar in timeline.bars if bar.end > bar.start)
    short = widths[len(widths) // 10] if widths else frames  # a few bars shorter than that may be crowded
    full = math.ceil(frames / min(most, max(1, math.ceil(frames * least / short / room))))
    found = []
    start = 0
    while start < frames:
        end = frames if start + full >= frames else _best_cut(timeline, start, full)
        found.append(Band(start, end, full))
        start = end
    return found


def _best_cut(timeline: Timeline, start: int, full: int) -> int:
    """Where to cut: through as few bars as possible, as late as possible, in the last third of the width."""
    earliest, latest = start + max(full * 2 // 3, 1), start + full
    near = [bar for bar in timeline.bars if bar.end >= earliest and bar.start <= latest]
    places = {latest, *(bar.end for bar in near if bar.end <= latest)}
    return min(places, key=lambda place: (sum(bar.start < place < bar.end for bar in near), -place))


def clip_bar(bar: Bar, band: Band) -> tuple[int, int] | None:
    """The part of a bar inside a band."""
    start, end = max(bar.start, band.start), min(bar.end, band.end)
    inside = start < end or (bar.start == bar.end and band.start <= bar.start < max(band.end, band.start + 1))
    return (start, end) if inside else None


def tick_step(length: float, most: int) -> int:
    """A round distance between ticks, of which there are at most `most`."""
    rough = max(length / max(most, 1), 1)
    power = 10 ** math.floor(math.log10(rough))
    return int(next(power * n for n in (1, 2, 5, 10) if power * n >= rough - 1e-9))
