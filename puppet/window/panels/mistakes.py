"""What is wrong with the file that is played: each mistake with its place."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from puppet.window.box import INK, PAD, QUIET, ROUND, SMALL, TEXT, WARN, WARN_PAPER, Box
from puppet.window.paint import Paint
from puppet.window.panel import Panel

SHOWN = 6
_LINE = 16.0


class Mistakes(Panel):
    name = "mistakes"
    solid = False

    def __init__(self, problems: Callable[[], Sequence[str]], good: Callable[[], bool]) -> None:
        """`good`: whether there is an earlier motion that is still shown."""
        super().__init__()
        self._problems, self._good = problems, good

    def key(self) -> Hashable:
        return tuple(self._problems()), self._good()

    def place(self, paint: Paint, free: Box) -> Box:
        wide = min(620.0, free.width - 24.0)
        lines = sum(len(block) for block in self._blocks(paint, wide - 2 * PAD)[0])
        more = 1 if len(self._problems()) > SHOWN else 0
        tall = 2 * PAD + 22.0 + _LINE * (lines + more) + 4.0 * min(SHOWN, len(self._problems()))
        return Box(free.x + 0.5 * (free.width - wide), free.y + 8.0, wide, tall)

    def draw(self, paint: Paint, box: Box) -> None:
        paint.fill(box, WARN_PAPER, ROUND)
        paint.frame(box, WARN, ROUND)
        inner = box.inset(PAD)
        count = len(self._problems())
        words = "1 mistake in the file" if count == 1 else f"{count} mistakes in the file"
        kept = "; the last good motion is shown" if self._good() else ""
        paint.text(words + kept, Box(inner.x, inner.y - 2.0, inner.width, 20.0), WARN, TEXT)
        y = inner.y + 22.0
        for block in self._blocks(paint, inner.width)[0]:
            for n, line in enumerate(block):
                paint.text(line, Box(inner.x, y, inner.width, _LINE), INK if n == 0 else QUIET, SMALL)
                y += _LINE
            y += 4.0
        if count > SHOWN:
            paint.text(f"and {count - SHOWN} more", Box(inner.x, y, inner.width, _LINE), QUIET, SMALL)

    def _blocks(self, paint: Paint, width: float) -> tuple[list[list[str]], int]:
        shown = self._problems()[:SHOWN]
        blocks = [[part for line in problem.split("\n") for part in paint.wrapped(line, width, SMALL, 3)]
                  for problem in shown]  # fmt: skip
        return blocks, len(shown)
