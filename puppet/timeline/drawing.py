"""The timeline as boxes, lines and texts on a page: one layout for SVG and PNG."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass

from puppet.timeline.legend import frame_range, remarks
from puppet.timeline.model import Bar, Timeline
from puppet.timeline.scale import Band, clip_bar, split_into_bands, tick_step

WIDTH = 760.0
MAX_BANDS = 24
MAX_LEGEND_TASKS = 400  # in the legend; a picture has an end
_MARGIN = 24.0
_LANE = 22.0
_GAP = 7.0  # between rows
_AXIS = 20.0
_FONT = 11.0
_SMALL = 9.5
_LETTER = 0.58  # width of a letter by its size, in the wider of the fonts that may be used
_LEAST = 16.0  # width of a short bar
_MARK = 55.0  # least distance of ticks
_LONGEST_NAME = 30

_TIP = 6.0  # of an arrow
_RELATION = "#b3202a"
_INK, _GREY, _LIGHT, PAGE_COLOR = "#1a1a1a", "#6b6b6b", "#d9d9d9", "#ffffff"


@dataclass(frozen=True)
class _Look:
    """How the tasks of a hand are drawn: two alternating tints, and the colour of text on them."""

    tints: tuple[str, str]
    ink: str


# In the order of the body's hands, repeated if it has more. In grey print light and dark ones alternate.
_LOOKS = (
    _Look(("#c9dff2", "#a9cbe8"), _INK),
    _Look(("#d8722c", "#b95a1b"), PAGE_COLOR),
    _Look(("#cfe8bd", "#b4d89b"), _INK),
    _Look(("#7d5fa8", "#674a91"), PAGE_COLOR),
)
_NO_HAND = _Look(("#e4e4e4", "#cfcfcf"), _INK)


@dataclass(frozen=True)
class DrawnBox:
    x: float
    y: float
    width: float
    height: float
    fill: str
    stroke: str = ""
    dashed: bool = False


@dataclass(frozen=True)
class DrawnLine:
    x1: float
    y1: float
    x2: float
    y2: float
    stroke: str
    width: float = 1.0


@dataclass(frozen=True)
class DrawnText:
    x: float
    y: float  # of the base line
    text: str
    size: float = _FONT
    fill: str = _INK
    anchor: str = "start"  # start | middle | end
    bold: bool = False


Drawn = DrawnBox | DrawnLine | DrawnText


@dataclass(frozen=True)
class Page:
    width: float
    height: float
    title: str
    shapes: tuple[Drawn, ...]


def lay_out_page(timeline: Timeline) -> Page:
    """The whole picture: title, chart, legend."""
    shapes: list[Drawn] = []
    y = _MARGIN + 12
    if timeline.title:
        shapes.append(DrawnText(_MARGIN, y, timeline.title, 14, bold=True))
    count = f"{timeline.frames} frames, {timeline.frames / timeline.fps:.1f} s"
    shapes.append(DrawnText(WIDTH - _MARGIN, y, count, fill=_GREY, anchor="end"))
    y += 22
    left = _MARGIN + max((_width(row.name, _FONT) for row in timeline.rows), default=0) + 12
    for band in split_into_bands(timeline, WIDTH - _MARGIN - left, _LEAST, MAX_BANDS):
        drawn, y = _band(timeline, band, left, y)
        shapes += drawn
        y += 16
    y = _key(timeline, shapes, y + 4)
    y = _legend(timeline, shapes, y + 8)
    return Page(WIDTH, y + _MARGIN - 10, timeline.title, tuple(shapes))


def _band(timeline: Timeline, band: Band, left: float, top: float) -> tuple[list[Drawn], float]:
    across = (WIDTH - _MARGIN - left) / band.full
    inside = [(bar, part) for bar in timeline.bars if (part := clip_bar(bar, band)) is not None]
    lanes = [1 + max((bar.lane for bar, _ in inside if bar.row == n), default=0) for n in range(len(timeline.rows))]
    tops, y = [], top + _AXIS
    for count in lanes:
        tops.append(y)
        y += count * _LANE + _GAP
    bottom = y
    shapes = _axes(timeline.fps, band, left, across, top + _AXIS - 5, bottom)
    for row, row_top, count in zip(timeline.rows, tops, lanes, strict=True):
        name = row.name if len(row.name) <= _LONGEST_NAME else row.name[: _LONGEST_NAME - 1] + "…"
        shapes.append(DrawnText(left - 12, row_top + count * _LANE / 2 + 4, name, anchor="end"))
    for bar, part in inside:
        x1, x2 = (left + (frame - band.start) * across for frame in part)
        shapes += _bar(timeline, bar, x1, max(x2, x1 + 2), tops[bar.row] + bar.lane * _LANE)
    for link in timeline.links:
        ends = [
            next((tops[bar.row] + (bar.lane + 0.5) * _LANE for bar, _ in inside if bar.task == task), None)
            for task in (link.source, link.target)
        ]
        inside_band = all(band.start <= at <= band.end for at in (link.at, link.to))
        if ends[0] is not None and ends[1] is not None and inside_band:
            x1, x2 = (left + (frame - band.start) * across for frame in (link.at, link.to))
            shapes += _arrow(x1, ends[0], x2, ends[1])
    return shapes, bottom + _AXIS


def _arrow(x1: float, y1: float, x2: float, y2: float) -> list[Drawn]:
    """A relation: from the moment of the task that is named, down or up, then along to the one that waits for it."""
    shapes: list[Drawn] = [DrawnLine(x1, y1, x1, y2, _RELATION, 1.5)]
    if x2 != x1:  # to the left where it begins before the end
        behind = x2 - math.copysign(_TIP, x2 - x1)
        shapes.append(DrawnLine(x1, y2, x2, y2, _RELATION, 1.5))
        heads = ((behind, y2 - _TIP / 2), (behind, y2 + _TIP / 2))
    else:
        back = y2 - _TIP if y2 > y1 else y2 + _TIP
        heads = ((x2 - _TIP / 2, back), (x2 + _TIP / 2, back))
    return [*shapes, *(DrawnLine(x, y, x2, y2, _RELATION, 1.5) for x, y in heads)]


def _axes(fps: float, band: Band, left: float, across: float, top: float, bottom: float) -> list[Drawn]:
    """Frames above, seconds below."""
    right = left + (band.end - band.start) * across
    marks = int(band.full * across / _MARK)
    shapes: list[Drawn] = []
    distance = tick_step(band.full, marks)
    for frame in range(-(-band.start // distance) * distance, band.end + 1, distance):
        x = left + (frame - band.start) * across
        shapes.append(DrawnLine(x, top, x, bottom, _LIGHT, 0.75))
        shapes.append(DrawnText(x, top - 5, str(frame), _SMALL, _GREY, "middle"))
    shapes += [DrawnLine(left, top, right, top, _GREY, 0.75), DrawnLine(left, bottom, right, bottom, _GREY, 0.75)]
    apart = tick_step(band.full / fps * 100, marks) / 100  # seconds, down to hundredths
    number = math.ceil(band.start / (apart * fps) - 1e-9)
    while number * apart * fps <= band.end + 1e-9:
        x = left + (number * apart * fps - band.start) * across
        shapes += [
            DrawnLine(x, bottom, x, bottom + 4, _GREY, 0.75),
            DrawnText(x, bottom + 15, f"{round(number * apart, 2):g} s", _SMALL, _GREY, "middle"),
        ]
        number += 1
    shapes.append(DrawnText(left - 12, top - 5, "frame", _SMALL, _GREY, "end"))
    return shapes


def _bar(timeline: Timeline, bar: Bar, x1: float, x2: float, top: float) -> list[Drawn]:
    task = timeline.tasks[bar.task]
    look = _look(timeline, task.hand)
    broken = task.status in ("missed", "cancelled")
    fill = look.tints[task.number % 2]
    shapes: list[Drawn] = [DrawnBox(x1 + 0.5, top + 1, x2 - x1 - 1, _LANE - 3, fill, _INK, broken)]
    label = str(task.number)
    if _width(label, _FONT) < x2 - x1 - 2:
        shapes.append(DrawnText((x1 + x2) / 2, top + _LANE / 2 + 3.5, label, _FONT, look.ink, "middle", True))
    return shapes


def _look(timeline: Timeline, hand: str) -> _Look:
    """The look of a hand by its place among the body's hands."""
    hands = [*timeline.hands]
    return _LOOKS[hands.index(hand) % len(_LOOKS)] if hand in hands else _NO_HAND


def _key(timeline: Timeline, shapes: list[Drawn], y: float) -> float:
    """The key to the colours that occur."""
    x = _MARGIN
    shown = {task.hand if task.hand in timeline.hands else "" for task in timeline.tasks if task.start is not None}
    words = {hand: f"{'of' if n else 'tasks of'} the {text}" for n, (hand, text) in enumerate(timeline.hands.items())}
    words[""] = "of no hand"
    entries = [(_look(timeline, hand).tints[0], False, text) for hand, text in words.items() if hand in shown]
    if any(task.status in ("missed", "cancelled") and task.start is not None for task in timeline.tasks):
        entries.append((PAGE_COLOR, True, "dashed: missed or broken off"))
    if timeline.links:
        shapes += [DrawnLine(x, y + 6, x + 18, y + 6, _RELATION, 1.5)]
        shapes += [DrawnText(x + 24, y + 9.5, "begins or stops with another", _SMALL, _GREY)]
        x += 24 + _width("begins or stops with another", _SMALL) + 18
    for fill, dashed, text in entries:
        shapes += [DrawnBox(x, y, 18, 11, fill, _INK, dashed), DrawnText(x + 24, y + 9.5, text, _SMALL, _GREY)]
        x += 24 + _width(text, _SMALL) + 18
    return y + 26


def _legend(timeline: Timeline, shapes: list[Drawn], y: float) -> float:
    numbers = _MARGIN + _width(str(len(timeline.tasks)), _FONT) + 2
    left = numbers + 10
    right = WIDTH - _MARGIN
    for task in timeline.tasks[:MAX_LEGEND_TASKS]:
        when = frame_range(task).removeprefix("frames ") if task.start is not None else task.status
        command, *more = _wrap(task.command, right - left - 90, _FONT)
        shapes += [
            DrawnText(numbers, y, str(task.number), _FONT, _INK, "end", True),
            DrawnText(left, y, command, _FONT),
            DrawnText(right, y, when, _SMALL, _GREY, "end"),
        ]
        y += 14
        for line in more:
            shapes.append(DrawnText(left + 12, y, line, _FONT))
            y += 14
        for remark in remarks(task):
            for line in _wrap(remark, right - left - 12, _SMALL):
                shapes.append(DrawnText(left + 12, y, line, _SMALL, _GREY))
                y += 12.5
        y += 5
    if len(timeline.tasks) > MAX_LEGEND_TASKS:
        shapes.append(DrawnText(left, y, f"and {len(timeline.tasks) - MAX_LEGEND_TASKS} more tasks", _SMALL, _GREY))
        y += 14
    return y


def _width(text: str, size: float) -> float:
    """The approximate width of a text; letters of Asian scripts count twice."""
    return sum(_LETTER * (1 if ord(char) < 0x1100 else 2) for char in text) * size


def _wrap(text: str, width: float, size: float) -> list[str]:
    return textwrap.wrap(text, max(10, int(width / (size * _LETTER)))) or [""]
