"""The line that is typed: its text with the cursor, what may come next, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Hashable

from puppet.window.box import ACCENT, EDGE, INK, LARGE, PAD, PAPER, QUIET, SMALL, WARN, Box
from puppet.window.command_line import SHOWN, CommandLine
from puppet.window.paint import Paint
from puppet.window.panel import Panel

_LINE, _SMALL_LINE = 24.0, 17.0
_MOST = 620.0  # width


class CommandLinePanel(Panel):
    name = "line"

    def __init__(self, line: CommandLine) -> None:
        super().__init__()
        self._line = line

    def key(self) -> Hashable:
        line = self._line
        return line.text, line.cursor, line.problem, line.choices, line.chosen

    def place(self, paint: Paint, free: Box) -> Box:
        """At the lower edge of the free part."""
        width = min(_MOST, free.width - 16.0)
        rows = len(paint.wrapped(self._line.problem, width - 2 * PAD, SMALL, 3)) if self._line.problem else 1
        height = 2 * PAD + _LINE + rows * _SMALL_LINE
        return Box(free.x + 0.5 * (free.width - width), free.bottom - height - 8.0, width, height)

    def draw(self, paint: Paint, box: Box) -> None:
        line, inner = self._line, box.inset(PAD)
        paint.fill(box, (*PAPER[:3], 250), 8.0)
        paint.frame(box, WARN if line.problem else EDGE, 8.0)
        start = 0  # a long line is shown from where its cursor fits
        while start < line.cursor and paint.width(line.text[start : line.cursor], LARGE) > inner.width - 24.0:
            start += 1
        row = Box(inner.x, inner.y, inner.width, _LINE)
        paint.text(">", row, ACCENT, LARGE)
        shown = paint.shortened(line.text[start:], inner.width - 20.0, LARGE)
        paint.text(shown, Box(inner.x + 16.0, inner.y, inner.width - 16.0, _LINE), INK, LARGE)
        x = inner.x + 16.0 + paint.width(line.text[start : line.cursor], LARGE)
        paint.fill(Box(x, inner.y + 3.0, 1.5, _LINE - 6.0), ACCENT)
        below = inner.y + _LINE
        if line.problem:
            for n, words in enumerate(paint.wrapped(line.problem, inner.width, SMALL, 3)):
                paint.text(words, Box(inner.x, below + n * _SMALL_LINE, inner.width, _SMALL_LINE), WARN, SMALL)
            return
        x = inner.x
        first = max(0, line.chosen - SHOWN + 1)
        for n, words in enumerate(line.choices[first : first + SHOWN], first):
            width = paint.width(words, SMALL)
            if x + width > inner.right:
                break
            paint.text(words, Box(x, below, width + 2.0, _SMALL_LINE), ACCENT if n == line.chosen else QUIET, SMALL)
            x += width + 12.0
        if not line.choices and not line.text:
            paint.text("Esc leaves the line", Box(inner.x, below, inner.width, _SMALL_LINE), QUIET, SMALL)
