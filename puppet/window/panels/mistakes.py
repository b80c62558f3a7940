"""The mistakes in the file that is played, each with its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path

from puppet.window.box import INK, PAD, QUIET, ROUND, SMALL, TEXT, WARN, WARN_PAPER, Box
from puppet.window.paint import Paint
from puppet.window.panel import Panel

MAX_SHOWN = 6
_LOCATION = re.compile(r"(.+?):(\d+):\d+: (.*)")
_LINE = 16.0


class MistakesPanel(Panel):
    name = "mistakes"
    solid = False

    def __init__(self, problems: Callable[[], Sequence[str]], still_playing: Callable[[], bool]) -> None:
        """`still_playing`: whether an earlier motion is still shown."""
        super().__init__()
        self._problems, self._still_playing = problems, still_playing

    def key(self) -> Hashable:
        return tuple(self._problems()), self._still_playing()

    def place(self, paint: Paint, free: Box) -> Box:
        """On the left, beside the puppet if the free part is wide enough."""
        wide = min(560.0, 0.44 * free.width) if free.width > 800.0 else free.width - 24.0
        lines = sum(len(block) for block in self._blocks(paint, wide - 2 * PAD))
        more = 1 if len(self._problems()) > MAX_SHOWN else 0
        tall = 2 * PAD + 22.0 + _LINE * (lines + more) + 4.0 * min(MAX_SHOWN, len(self._problems()))
        return Box(free.x + 12.0, free.y + 4.0, wide, min(tall, free.height - 8.0))

    def draw(self, paint: Paint, box: Box) -> None:
        paint.fill(box, WARN_PAPER, ROUND)
        paint.frame(box, WARN, ROUND)
        inner = box.inset(PAD)
        count = len(self._problems())
        words = "1 mistake in the file" if count == 1 else f"{count} mistakes in the file"
        kept = "; the last good motion is shown" if self._still_playing() else ""
        paint.text(words + kept, Box(inner.x, inner.y - 2.0, inner.width, 20.0), WARN, TEXT)
        y = inner.y + 22.0
        for block in self._blocks(paint, inner.width):
            for n, line in enumerate(block):
                paint.text(line, Box(inner.x, y, inner.width, _LINE), INK if n == 0 else QUIET, SMALL)
                y += _LINE
            y += 4.0
        if count > MAX_SHOWN:
            paint.text(f"and {count - MAX_SHOWN} more", Box(inner.x, y, inner.width, _LINE), QUIET, SMALL)

    def _blocks(self, paint: Paint, width: float) -> list[list[str]]:
        def wrapped(problem: str) -> list[str]:
            return [part for line in _problem_lines(problem) for part in paint.wrapped(line, width, SMALL, 3)]

        return [wrapped(problem) for problem in self._problems()[:MAX_SHOWN]]


def _problem_lines(problem: str) -> list[str]:
    """A mistake without the folder of its file and without the caret, which does not line up in this font."""
    first, *rest = problem.split("\n")
    found = _LOCATION.match(first)
    if found:
        first = f"{Path(found[1]).name}, line {found[2]}: {found[3]}"
    return [first, *(line.strip() for line in rest if line.strip(" ^"))]
