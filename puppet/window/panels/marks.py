"""Marks drawn over the picture: lines, areas and discs at places of the window."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from puppet.window.box import Box, Rgba
from puppet.window.paint import Paint
from puppet.window.panel import Panel

_MARGIN = 8.0
Point = tuple[float, float]


@dataclass(frozen=True)
class ViewMark:
    """`kind`: a line through its points, a loop, an area, or a disc around its only point. Places in points."""

    kind: str
    points: tuple[Point, ...]
    color: Rgba
    size: float = 1.2  # how thick a line is, or a disc's radius


class MarksPanel(Panel):
    """One panel for all marks; the pointer reaches what is under it."""

    name = "marks"
    solid = False

    def __init__(self) -> None:
        super().__init__()
        self._marks: tuple[ViewMark, ...] = ()

    def place(self, marks: Sequence[ViewMark], window: Box) -> Box | None:
        """The box around marks; those that are not in the window are left out, None where nothing is left."""
        seen = [mark for mark in marks if all(_near(window, point) for point in mark.points)]
        every = [point for mark in seen for point in mark.points]
        if not every:
            return None
        x, y = (max(0.0, round(min(p[n] for p in every) - _MARGIN)) for n in (0, 1))
        right, bottom = (max(p[n] for p in every) + _MARGIN for n in (0, 1))
        box = Box(x, y, min(right, window.right) - x, min(bottom, window.bottom) - y)
        if box.width < 1.0 or box.height < 1.0:
            return None
        self._marks = tuple(
            replace(mark, points=tuple((round(u - x, 1), round(v - y, 1)) for u, v in mark.points)) for mark in seen
        )
        return box

    def key(self) -> Hashable:
        return self._marks

    def draw(self, paint: Paint, box: Box) -> None:
        for mark in self._marks:
            if mark.kind == "disc":
                paint.disc(*mark.points[0], mark.size, mark.color)
            elif mark.kind == "area":
                paint.polygon(mark.points, mark.color)
            else:
                ends = [*mark.points[1:], mark.points[0]] if mark.kind == "loop" else mark.points[1:]
                for start, end in zip(mark.points, ends, strict=False):
                    paint.line(start, end, mark.size, mark.color)


def _near(window: Box, point: Point) -> bool:
    """Whether a point is in the window or not far from it: lines that leave it are drawn, none that is endless."""
    x, y = point
    return -window.width < x < 2.0 * window.width and -window.height < y < 2.0 * window.height
