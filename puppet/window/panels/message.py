"""The message: what the puppet is doing, or why it is not."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from puppet.window.box import EDGE, INK, LARGE, PAPER, WARN, WARN_PAPER, Box
from puppet.window.paint import Paint
from puppet.window.panel import Panel

_LINE = 19.0


class MessagePanel(Panel):
    """As wide as its text; two lines where one is not enough."""

    name = "message"
    solid = False

    def __init__(self, tell: Callable[[], tuple[str, bool]]) -> None:
        """`tell` returns the text, and whether it is about a problem."""
        super().__init__()
        self._tell = tell

    @property
    def words(self) -> str:
        return self._tell()[0]

    def key(self) -> Hashable:
        return self._tell()

    def place(self, paint: Paint, free: Box) -> Box:
        """Centred at the lower edge of the free part."""
        most = free.width - 24.0
        lines = paint.wrapped(self.words, most - 28.0, LARGE, 2)
        width = min(most, max(paint.width(line, LARGE) for line in lines) + 30.0)
        height = 12.0 + _LINE * len(lines)
        return Box(free.x + 0.5 * (free.width - width), free.bottom - height - 8.0, width, height)

    def draw(self, paint: Paint, box: Box) -> None:
        words, problem = self._tell()
        paint.fill(box, WARN_PAPER if problem else PAPER, 15.0)
        paint.frame(box, WARN if problem else EDGE, 15.0)
        for n, line in enumerate(paint.wrapped(words, box.width - 28.0, LARGE, 2)):
            row = Box(box.x + 6.0, 6.0 + n * _LINE, box.width - 12.0, _LINE)
            paint.text(line, row, WARN if problem else INK, LARGE, "middle")
