"""Rectangles in points, and the colours and measures that all panels share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from puppet.render.text import LABEL_INK, LABEL_PAPER

Rgba = tuple[int, int, int, int]

PAPER: Rgba = (*LABEL_PAPER, 232)
EDGE: Rgba = (90, 74, 60, 40)
INK: Rgba = (*LABEL_INK, 255)
QUIET: Rgba = (132, 121, 111, 255)  # headings, units, what is not in force
FAINT: Rgba = (90, 74, 60, 26)  # grooves, empty fields
HOVER: Rgba = (90, 74, 60, 44)
ACCENT: Rgba = (42, 107, 120, 255)  # the puppet's jersey
ON_ACCENT: Rgba = (*LABEL_PAPER, 255)
WARN: Rgba = (186, 62, 42, 255)
WARN_PAPER: Rgba = (255, 240, 234, 242)
# In the order of the body's hands, repeated if it has more. The first two are those of the seated puppet's cuffs.
HAND_COLORS: tuple[Rgba, ...] = (
    (58, 128, 142, 255), (206, 104, 62, 255), (160, 82, 140, 255), (82, 100, 176, 255), (112, 134, 50, 255),
)  # fmt: skip
NO_HAND_COLOR: Rgba = (128, 112, 150, 255)
DRAFT_COLOR: Rgba = (206, 104, 62, 255)
SHADE: Rgba = (245, 240, 233, 205)  # over the picture, under an overlay

TEXT, SMALL, LARGE = 13.0, 11.0, 15.0
PAD, ROUND = 10.0, 8.0


class Box(NamedTuple):
    """A rectangle: upper left corner and size, in points."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + 0.5 * self.width, self.y + 0.5 * self.height

    def contains(self, x: float, y: float) -> bool:
        return self.x <= x < self.right and self.y <= y < self.bottom

    def inset(self, by: float) -> Box:
        return Box(self.x + by, self.y + by, max(0.0, self.width - 2 * by), max(0.0, self.height - 2 * by))

    def moved(self, x: float, y: float) -> Box:
        return Box(self.x + x, self.y + y, self.width, self.height)

    def below(self, y: float) -> Box:
        """The part below a height if it is large enough to show something, else all of it."""
        return Box(self.x, y, self.width, self.bottom - y) if self.bottom - y > 120.0 else self

    def beside(self, x: float) -> Box:
        """The part to the right of `x` if it is large enough to show something, else all of it."""
        return Box(x, self.y, self.right - x, self.height) if self.right - x > 240.0 else self

    def within(self, outer: Box) -> Box:
        """Moved as little as needed to lie inside another box."""
        x = max(outer.x, min(self.x, outer.right - self.width))
        y = max(outer.y, min(self.y, outer.bottom - self.height))
        return Box(x, y, self.width, self.height)


def columns(box: Box, count: int, gap: float = 4.0) -> list[Box]:
    """A row divided into equal columns."""
    width = (box.width - gap * (count - 1)) / count
    return [Box(box.x + n * (width + gap), box.y, width, box.height) for n in range(count)]


def hand_color(hands: Sequence[str], hand: str) -> Rgba:
    """The colour of a hand by its place among the body's hands."""
    return HAND_COLORS[hands.index(hand) % len(HAND_COLORS)] if hand in hands else NO_HAND_COLOR
