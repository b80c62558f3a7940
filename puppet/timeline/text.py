"""The timeline as text, in a terminal's width and characters."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from puppet.timeline.legend import frame_range, line_reference, remarks
from puppet.timeline.model import Bar, Timeline
from puppet.timeline.scale import Band, clip_bar, split_into_bands, tick_step

Colorize = Callable[[str, str], str]  # text, colour
TASK_COLORS = ("cyan", "yellow", "green", "magenta", "blue", "red")
_MAX_BANDS = 40
_LEAST = 5  # columns of a short bar: its ends and its number
_MARK = 9  # least columns from one tick to the next


@dataclass(frozen=True)
class Glyphs:
    """The characters that bars and axis are drawn with."""

    begin: str
    line: str
    end: str
    one: str  # a bar of one column
    tick: str
    axis: str


UNICODE = Glyphs("├", "─", "┤", "│", "┬", "─")
ASCII = Glyphs("[", "=", "]", "|", "+", "-")


def draw(timeline: Timeline, width: int, glyphs: Glyphs = UNICODE, paint: Colorize = lambda text, color: text) -> str:
    """The chart, then the legend."""
    margin = max((len(row.name) for row in timeline.rows), default=0) + 2
    room = max(width - margin - 1, 20)
    lines = [f"{timeline.title}: {timeline.frames} frames, {timeline.fps:g} a second".removeprefix(": "), ""]
    for band in split_into_bands(timeline, room, _LEAST, _MAX_BANDS):
        lines += [*_band(timeline, band, margin, room, glyphs, paint), ""]
    lines += _legend(timeline, width, paint)
    return "\n".join(lines).rstrip() + "\n"


def _band(timeline: Timeline, band: Band, margin: int, room: int, glyphs: Glyphs, paint: Colorize) -> list[str]:
    across = room / band.full
    lines = _axis(band, margin, room, across, glyphs)
    for number, row in enumerate(timeline.rows):
        for lane in range(row.lanes):
            found = []
            for bar in timeline.bars:
                if (bar.row, bar.lane) == (number, lane):
                    inside = clip_bar(bar, band)
                    if inside is not None:
                        left, right = (round((frame - band.start) * across) for frame in inside)
                        found.append((left, max(right, left + 1), bar))
            if lane > 0 and not found:
                continue
            name = row.name if lane == 0 else ""
            lines.append((f"{name:<{margin}}" + _bars(timeline, found, band, glyphs, paint)).rstrip())
    return lines


def _axis(band: Band, margin: int, room: int, across: float, glyphs: Glyphs) -> list[str]:
    marks = [" "] * (margin + room + 12)
    line = [glyphs.axis] * (round((band.end - band.start) * across) + 1)
    distance = tick_step(band.full, room // _MARK)
    for frame in range(-(-band.start // distance) * distance, band.end + 1, distance):
        at = round((frame - band.start) * across)
        line[at] = glyphs.tick
        marks[margin + at : margin + at + len(str(frame))] = str(frame)
    return ["".join(marks).rstrip(), " " * margin + "".join(line)]


def _bars(timeline: Timeline, found: list[tuple[int, int, Bar]], band: Band, glyphs: Glyphs, paint: Colorize) -> str:
    text, at = "", 0
    for left, right, bar in sorted(found, key=lambda entry: entry[:2]):
        left = max(left, at)  # narrow bars shift the next one
        right = max(right, left + 1)
        text += " " * (left - at)
        text += paint(_bar(timeline, bar, right - left, band, glyphs), TASK_COLORS[bar.task % len(TASK_COLORS)])
        at = right
    return text


def _bar(timeline: Timeline, bar: Bar, width: int, band: Band, glyphs: Glyphs) -> str:
    """A bar with its number; it has an open end where it goes on in another band."""
    label = str(timeline.tasks[bar.task].number)
    if width == 1:
        return glyphs.one if len(label) > 1 else label
    begin = glyphs.begin if bar.start >= band.start else glyphs.line
    end = glyphs.end if bar.end <= band.end else glyphs.line
    room = width - 2
    if len(label) > room:
        return label if len(label) == width else begin + glyphs.line * room + end
    before = (room - len(label)) // 2
    return begin + glyphs.line * before + label + glyphs.line * (room - before - len(label)) + end


def _legend(timeline: Timeline, width: int, paint: Colorize) -> list[str]:
    lines = []
    digits = len(str(len(timeline.tasks)))
    indent = " " * (digits + 2)
    for index, task in enumerate(timeline.tasks):
        first = f"{task.command}{line_reference(task)}, {frame_range(task)}"
        head, *rest = textwrap.wrap(first, max(width - digits - 2, 20)) or [""]
        number = paint(f"{task.number:>{digits}}", TASK_COLORS[index % len(TASK_COLORS)])
        lines += [f"{number}  {head}", *(indent + "  " + line for line in rest)]
        for remark in remarks(task):
            lines += textwrap.wrap(
                remark, max(width - 1, 30), initial_indent=indent + "  ", subsequent_indent=indent + "    "
            )
    return lines
