"""Tabs, for when there is room for only one of several panels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial

from puppet.window.box import SMALL, Box, columns
from puppet.window.paint import Paint
from puppet.window.panel import Panel

_HEIGHT = 32.0


class TabsPanel(Panel):
    name = "tabs"

    def __init__(self, words: Sequence[str], choose: Callable[[int], None], chosen: Callable[[], int]) -> None:
        super().__init__()
        self._words, self._choose, self._chosen = tuple(words), choose, chosen

    def key(self) -> Hashable:
        return self._words, self._chosen()

    def height(self, width: float) -> float:
        return _HEIGHT

    def draw(self, paint: Paint, box: Box) -> None:
        self.sheet(paint, box)
        for n, (part, word) in enumerate(zip(columns(box.inset(5.0), len(self._words)), self._words, strict=True)):
            self.button(paint, word, part, word, partial(self._choose, n), n == self._chosen(), SMALL)
