"""The timeline as text for a terminal: as wide as it is, in signs that it can show."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from puppet.timeline.model import Bar, Timeline
from puppet.timeline.scale import Band, bands, cut, step
from puppet.timeline.words import frames, remarks, where

Paint = Callable[[str, str], str]  # text, colour
COLOURS = ("cyan", "yellow", "green", "magenta", "blue", "red")
MOST_BANDS = 40
_LEAST = 5  # columns of a short bar: its ends and its number
_MARK = 9  # columns from one mark of the axis to the next, at least


@dataclass(frozen=True)
class Signs:
    """What bars and axis are drawn with."""

    begin: str
    line: str
    end: str
    one: str  # a bar as narrow as that
    tick: str
    axis: str


UNICODE = Signs("├", "─", "┤", "│", "┬", "─")
ASCII = Signs("[", "=", "]", "|", "+", "-")


def draw(timeline: Timeline, width: int, signs: Signs = UNICODE, paint: Paint = lambda text, colour: text) -> str:
    """The chart, then what is said of each task."""
    margin = max((len(row.name) for row in timeline.rows), default=0) + 2
    room = max(width - margin - 1, 20)
    lines = [f"{timeline.title}: {timeline.frames} frames, {timeline.fps:g} a second".removeprefix(": "), ""]
    for band in bands(timeline, room, _LEAST, MOST_BANDS):
        lines += [*_band(timeline, band, margin, room, signs, paint), ""]
    lines += _legend(timeline, width, paint)
    return "\n".join(lines).rstrip() + "\n"


def _band(timeline: Timeline, band: Band, margin: int, room: int, signs: Signs, paint: Paint) -> list[str]:
    across = room / band.full
    lines = _axis(band, margin, room, across, signs)
    for number, row in enumerate(timeline.rows):
        for lane in range(row.lanes):
            found = []
            for bar in timeline.bars:
                if (bar.row, bar.lane) == (number, lane):
                    inside = cut(bar, band)
                    if inside is not None:
                        left, right = (round((frame - band.start) * across) for frame in inside)
                        found.append((left, max(right, left + 1), bar))
            if lane > 0 and not found:
                continue
            name = row.name if lane == 0 else ""
            lines.append((f"{name:<{margin}}" + _bars(timeline, found, band, signs, paint)).rstrip())
    return lines


def _axis(band: Band, margin: int, room: int, across: float, signs: Signs) -> list[str]:
    marks = [" "] * (margin + room + 12)
    line = [signs.axis] * (round((band.end - band.start) * across) + 1)
    distance = step(band.full, room // _MARK)
    for frame in range(-(-band.start // distance) * distance, band.end + 1, distance):
        at = round((frame - band.start) * across)
        line[at] = signs.tick
        marks[margin + at : margin + at + len(str(frame))] = str(frame)
    return ["".join(marks).rstrip(), " " * margin + "".join(line)]


def _bars(timeline: Timeline, found: list[tuple[int, int, Bar]], band: Band, signs: Signs, paint: Paint) -> str:
    text, at = "", 0
    for left, right, bar in sorted(found, key=lambda entry: entry[:2]):
        left = max(left, at)  # narrow ones push the next aside
        right = max(right, left + 1)
        text += " " * (left - at)
        text += paint(_bar(timeline, bar, right - left, band, signs), COLOURS[bar.item % len(COLOURS)])
        at = right
    return text


def _bar(timeline: Timeline, bar: Bar, width: int, band: Band, signs: Signs) -> str:
    """A bar with its number; where it goes on in the next band its end is open."""
    label = str(timeline.items[bar.item].number)
    if width == 1:
        return signs.one if len(label) > 1 else label
    begin = signs.begin if bar.start >= band.start else signs.line
    end = signs.end if bar.end <= band.end else signs.line
    room = width - 2
    if len(label) > room:
        return label if len(label) == width else begin + signs.line * room + end
    before = (room - len(label)) // 2
    return begin + signs.line * before + label + signs.line * (room - before - len(label)) + end


def _legend(timeline: Timeline, width: int, paint: Paint) -> list[str]:
    lines = []
    digits = len(str(len(timeline.items)))
    indent = " " * (digits + 2)
    for index, item in enumerate(timeline.items):
        first = f"{item.command}{where(item)}, {frames(item)}"
        head, *rest = textwrap.wrap(first, max(width - digits - 2, 20)) or [""]
        number = paint(f"{item.number:>{digits}}", COLOURS[index % len(COLOURS)])
        lines += [f"{number}  {head}", *(indent + "  " + line for line in rest)]
        for remark in remarks(item):
            lines += textwrap.wrap(
                remark, max(width - 1, 30), initial_indent=indent + "  ", subsequent_indent=indent + "    "
            )
    return lines
