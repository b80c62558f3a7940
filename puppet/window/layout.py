"""Where panels go: a bar at the top, a strip at the bottom, a column on each side, the puppet between them."""

from __future__ import annotations

from dataclasses import dataclass

from puppet.window.box import Box

_MARGIN, _GAP = 8.0, 8.0
MIN_COLUMN, MAX_COLUMN = 186.0, 236.0  # of a column
ONE_COLUMN, TWO_COLUMNS = 420.0, 600.0  # widths below which there is no room for them
MIN_HEIGHT_FOR_STRIP = 470.0  # the least height of a window that has room for the strip


@dataclass(frozen=True)
class Layout:
    """Boxes in points; None for what has no room."""

    top: Box
    bottom: Box | None
    left: Box | None
    right: Box | None
    free: Box  # between them, for the puppet


def lay_out(
    size: tuple[float, float], top: float, bottom: float, columns: bool = True, lowest: float = MIN_HEIGHT_FOR_STRIP
) -> Layout:
    """The layout of a window; `top` and `bottom`: the heights of the bar and the strip, 0 where there is none.

    There is no strip in a window lower than `lowest`.
    """
    width, height = size
    bar = Box(_MARGIN, _MARGIN, width - 2 * _MARGIN, top) if top else Box(0.0, 0.0, width, 0.0)
    strip = None
    if height >= lowest and bottom:
        strip = Box(_MARGIN, height - _MARGIN - bottom, width - 2 * _MARGIN, bottom)
    below = strip.y - _GAP if strip else height - _MARGIN
    start = bar.bottom + _GAP
    wide = min(max(0.19 * width, MIN_COLUMN), MAX_COLUMN)
    left = Box(_MARGIN, start, wide, below - start) if columns and width >= ONE_COLUMN else None
    right = Box(width - _MARGIN - wide, start, wide, below - start) if columns and width >= TWO_COLUMNS else None
    first = left.right + _GAP if left else 0.0
    last = right.x - _GAP if right else width
    return Layout(bar, strip, left, right, Box(first, start, last - first, max(1.0, below - start)))


def stacked(column: Box, heights: list[float]) -> list[Box]:
    """Boxes stacked from the top of a column; those that have no room are left out."""
    found: list[Box] = []
    y = column.y
    for height in heights:
        if y + height > column.bottom:
            break
        found.append(Box(column.x, y, column.width, height))
        y += height + _GAP
    return found


def fits(column: Box, heights: list[float]) -> bool:
    return sum(heights) + _GAP * (len(heights) - 1) <= column.height
