"""Statistics: the cost and the accuracy of the last tasks, and how long a frame takes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

from puppet.window.box import INK, PAD, QUIET, SMALL, WARN, Box
from puppet.window.paint import Paint
from puppet.window.panel import Panel

_ROW = 16.0
MAX_ROWS = 10
TableRow = tuple[str, ...]  # a text, then figures


class StatisticsPanel(Panel):
    name = "statistics"
    solid = False

    def __init__(
        self, milliseconds: Callable[[], Mapping[str, float]], heading: TableRow, rows: Callable[[], Sequence[TableRow]]
    ) -> None:
        super().__init__()
        self._shown = MAX_ROWS
        self._milliseconds, self._heading, self._rows = milliseconds, heading, rows

    def key(self) -> Hashable:
        return self._frame(), tuple(self._rows()[-self._shown :])

    def place(self, free: Box) -> Box:
        """At the top of the free part, with as few rows as leave room for the puppet."""
        wide = min(760.0, free.width - 16.0)
        self._shown = int(min(MAX_ROWS, max(1.0, (0.45 * free.height - 2 * PAD) // _ROW - 3.0)))
        return Box(free.x + 0.5 * (free.width - wide), free.y + 2.0, wide, self.height(wide))

    def height(self, width: float) -> float:
        return 2 * PAD + _ROW * (3 + min(self._shown, max(1, len(self._rows()))))

    def draw(self, paint: Paint, box: Box) -> None:
        self.sheet(paint, box)
        inner = box.inset(PAD)
        paint.text(self._frame(), Box(inner.x, inner.y, inner.width, _ROW), INK, SMALL)
        rows = self._rows()[-self._shown :]
        wide = (0.34 if len(self._heading) < 8 else 0.24) * inner.width
        each = (inner.width - wide) / (len(self._heading) - 1)
        for n, row in enumerate((self._heading, *rows)):
            y = inner.y + _ROW * (n + 1.6)
            for k, text in enumerate(row):
                cell = Box(inner.x, y, wide - 8.0, _ROW)
                if k:
                    cell = Box(inner.x + wide + (k - 1) * each, y, each, _ROW)
                color = QUIET if n == 0 else WARN if text in ("missed", "rejected") else INK
                paint.text(text, cell, color, SMALL, "right" if k else "left")
        if not rows:
            paint.text("no task so far", Box(inner.x, inner.y + 2.6 * _ROW, inner.width, _ROW), QUIET, SMALL)

    def _frame(self) -> str:
        stages = self._milliseconds()
        parts = ", ".join(f"{name} {value:.1f}" for name, value in stages.items())
        return f"A frame takes {sum(stages.values()):.0f} ms: {parts}"
