"""Sliders for the slide vector and the slide orientation, and a button to slide each hand."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial

from puppet.command import Slide
from puppet.shows import Live
from puppet.types import Vector
from puppet.window.box import ACCENT, INK, PAD, QUIET, SMALL, Box, columns, hand_color
from puppet.window.paint import Paint
from puppet.window.panel import Panel

MAX_SLIDE, _STEP = 0.5, 0.01  # range and step of the sliders; keys go farther
TURN_STEP = 5.0
_ROW = 20.0


class SlidePanel(Panel):
    name = "slide"

    def __init__(self, live: Live) -> None:
        super().__init__()
        self._live = live

    def key(self) -> Hashable:
        return self._live.slide_by, self._live.slide_turn

    def height(self, width: float) -> float:
        return 2 * PAD + 8 * _ROW + 30.0

    def draw(self, paint: Paint, box: Box) -> None:
        self.sheet(paint, box)
        live = self._live
        inner = Box(PAD, PAD, box.width - 2 * PAD, box.height - 2 * PAD)
        rows = [Box(inner.x, inner.y + n * _ROW, inner.width, _ROW) for n in range(8)]
        self._head(paint, rows[0], "Slide by", "", "zero vector", partial(live.set_slide, by=(0.0, 0.0, 0.0)))
        for axis in range(3):
            value = live.slide_by[axis]
            change = partial(self._change, "by", axis)
            self._axis(paint, rows[1 + axis], f"by {'xyz'[axis]}", value, f"{value:+.2f}", MAX_SLIDE, _STEP, change)
        turn = live.slide_turn if isinstance(live.slide_turn, str) else ""
        self._head(paint, rows[4], "Turn to", turn, "zero turn", partial(live.set_slide, turn=(0.0, 0.0, 0.0)))
        for axis in range(3):
            value = live.slide_angles[axis]
            change = partial(self._change, "turn", axis)
            self._axis(paint, rows[5 + axis], f"turn {'xyz'[axis]}", value, f"{value:.0f}", 180.0, TURN_STEP, change)
        last = Box(inner.x, rows[7].bottom + 6.0, inner.width, 24.0)
        hands = live.body.hands
        for part, hand in zip(columns(last, len(hands)), hands, strict=True):
            color = hand_color(hands, hand)
            self.button(paint, f"slide {hand}", part, f"slide {hand}", partial(self._slide, hand), True, SMALL, color)

    def _head(self, paint: Paint, row: Box, text: str, value: str, name: str, zero: partial[None]) -> None:
        wide = paint.text(text, row, QUIET, SMALL)
        paint.text(value, Box(row.x + wide + 8.0, row.y, 80.0, row.height), ACCENT, SMALL)
        self.button(paint, name, Box(row.right - 40.0, row.y + 2.0, 40.0, row.height - 5.0), "zero", zero, size=10.0)

    def _axis(
        self, paint: Paint, row: Box, name: str, value: float, words: str, most: float, step: float,
        change: partial[None],
    ) -> None:  # fmt: skip
        paint.text(name[-1], Box(row.x, row.y, 12.0, row.height), INK, SMALL)
        groove = Box(row.x + 12.0, row.y, row.width - 52.0, row.height)
        self.slider(paint, name, groove, value, -most, most, change, step, middle=0.0)
        paint.text(words, Box(row.right - 40.0, row.y, 40.0, row.height), INK, SMALL, "right")

    def _change(self, what: str, axis: int, value: float) -> None:
        live = self._live
        old = live.slide_by if what == "by" else live.slide_angles
        changed: Vector = tuple(value if n == axis else old[n] for n in range(3))  # type: ignore[assignment]
        live.set_slide(by=changed) if what == "by" else live.set_slide(turn=changed)

    def _slide(self, hand: str) -> None:
        self._live.give(Slide(hand=hand, by=self._live.slide_by, turn=self._live.slide_turn))
