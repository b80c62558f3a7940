"""The tasks that run or wait, in the order in which they were given."""

from __future__ import annotations

from collections.abc import Hashable

from puppet.shows import Live
from puppet.stage import RUNNING
from puppet.window.box import INK, PAD, QUIET, SMALL, TEXT, Box, hand_color
from puppet.window.paint import Paint
from puppet.window.panel import Panel

_ROW = 36.0
MAX_QUEUED = 6


class QueuePanel(Panel):
    name = "queue"

    def __init__(self, live: Live, shown: int = MAX_QUEUED) -> None:
        super().__init__()
        self._live, self.shown = live, shown

    def key(self) -> Hashable:
        return self.shown, tuple((q.number, q.status, round(q.progress, 2), q.waited) for q in self._live.queue)

    def height(self, width: float) -> float:
        count = len(self._live.queue)
        more = 18.0 if count > self.shown else 0.0
        return 2 * PAD + 18.0 + max(min(count, self.shown) * _ROW + more, 20.0)

    def draw(self, paint: Paint, box: Box) -> None:
        self.sheet(paint, box)
        queue = self._live.queue
        inner = box.inset(PAD)
        self.heading(paint, "Tasks", Box(inner.x, inner.y - 2.0, inner.width, 16.0))
        y = inner.y + 18.0
        if not queue:
            paint.text("none: the puppet is at rest", Box(inner.x, y, inner.width, 18.0), QUIET, SMALL)
        for task in queue[: self.shown]:
            running = task.status == RUNNING
            color = hand_color(self._live.body.hands, task.hand)
            paint.disc(inner.x + 4.0, y + 9.0, 4.0, color)
            words = Box(inner.x + 14.0, y, inner.width - 14.0, 18.0)
            paint.text(task.words, words, INK if running else QUIET, TEXT)
            if running:
                bar = Box(words.x, y + 20.0, words.width, 4.0)
                paint.groove(bar, task.progress, color)
            else:
                paint.text(task.waited or "waits for its turn", words.moved(0.0, 15.0), QUIET, 10.0)
            y += _ROW
        if len(queue) > self.shown:
            paint.text(f"and {len(queue) - self.shown} more", Box(inner.x + 14.0, y, inner.width, 16.0), QUIET, SMALL)
