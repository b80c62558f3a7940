"""The screen that is shown while something is prepared; then the next screen follows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from puppet.errors import PuppetError
from puppet.window.background_task import BackgroundTask
from puppet.window.box import ACCENT, FAINT, INK, QUIET, SMALL, Box
from puppet.window.event import Event, Key
from puppet.window.interface import PlacedPanel
from puppet.window.paint import Paint
from puppet.window.panel import Panel
from puppet.window.screen import Screen

_T = TypeVar("_T")
SHOW_AFTER = 0.15  # seconds; what is ready sooner needs no screen
MAX_KEYS = 40  # that are kept for the next screen
EXPLAIN_AFTER = 2.0  # seconds after which the reason is shown


class WaitingPanel(Panel):
    name = "waiting"
    solid = False

    def __init__(self, words: str, reason: str) -> None:
        super().__init__()
        self._words, self._reason = words, reason
        self.seconds = 0.0

    def key(self) -> Hashable:
        return int(20.0 * self.seconds)

    def draw(self, paint: Paint, box: Box) -> None:
        paint.text(self._words, Box(0.0, 0.0, box.width, 24.0), INK, 17.0, "middle")
        bar = Box(0.5 * box.width - 90.0, 36.0, 180.0, 4.0)
        paint.fill(bar, FAINT, 2.0)
        place = 0.5 + 0.5 * _swing(self.seconds)
        paint.fill(Box(bar.x + place * (bar.width - 44.0), bar.y, 44.0, 4.0), ACCENT, 2.0)
        if self.seconds > EXPLAIN_AFTER:
            paint.text(self._reason, Box(0.0, 52.0, box.width, 20.0), QUIET, SMALL, "middle")


class PreparingScreen(Screen):
    """Waits for a background task; `follow` makes the next screen from its result, in the window's own thread."""

    def __init__(
        self, scale: float, worker: BackgroundTask[_T], follow: Callable[[_T, float], Screen], words: str, reason: str
    ) -> None:
        super().__init__(scale)
        self._panel = WaitingPanel(words, reason)
        self._worker, self._follow = worker, follow
        self._typed: list[Key] = []  # for the next screen: keys that are pressed early are not lost

    def next(self) -> Screen | None:
        return self._follow(self._worker.result(), self.scale) if self._worker.done else None

    @property
    def left_over(self) -> Sequence[Event]:
        return self._typed

    def handle(self, event: Event) -> None:
        if isinstance(event, Key) and not event.again and len(self._typed) < MAX_KEYS:
            self._typed.append(event)

    def show_error(self, text: str) -> None:
        raise PuppetError(text)  # there is nothing behind this screen to go on with

    def advance(self, seconds: float) -> None:
        self._panel.seconds += seconds

    def show(self) -> None:
        """There is no picture yet."""

    def panels(self, size: tuple[float, float]) -> Sequence[PlacedPanel]:
        if self._panel.seconds < SHOW_AFTER:
            return ()
        return [PlacedPanel(self._panel, Box(0.0, 0.5 * size[1] - 40.0, size[0], 80.0))]


def _swing(seconds: float) -> float:
    """Moves to and fro between -1 and 1, slower at the ends."""
    u = 0.5 * seconds % 1.0
    u = 2.0 * u if u < 0.5 else 2.0 - 2.0 * u
    return 2.0 * u * u * (3.0 - 2.0 * u) - 1.0
