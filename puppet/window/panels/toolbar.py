"""The bar at the top: title, time, pause and tempo, undo, redo, save, help."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial

from puppet.shows import TEMPOS, Live
from puppet.window.box import DRAFT_COLOR, INK, ON_ACCENT, PAD, QUIET, SMALL, TEXT, WARN, Box
from puppet.window.paint import Paint
from puppet.window.panel import Panel

_HEIGHT = 38.0
_TEMPO_WORDS = {1.0: "1x", 0.5: "1/2", 0.25: "1/4"}


class ToolbarPanel(Panel):
    name = "toolbar"

    def __init__(self, live: Live, title: str, do: Callable[[str], None], posing: Callable[[], bool]) -> None:
        """`do` carries out an action by its name; `posing`: whether the pointer poses the body."""
        super().__init__()
        self._live, self._title, self._do, self._posing = live, title, do, posing

    def key(self) -> Hashable:
        live = self._live
        seconds = int(live.frame.number / live.fps)
        now = live.paused and live.frame.number
        return seconds, now, live.tempo, live.can_undo, live.can_redo, live.recording, self._posing()

    def height(self, width: float) -> float:
        return _HEIGHT

    def draw(self, paint: Paint, box: Box) -> None:
        self.sheet(paint, box)
        live = self._live
        y, high = 7.0, box.height - 14.0
        narrow = box.width < 900.0
        wide = 44.0 if narrow else 52.0
        words = [("help", "Help"), ("save", "Save"), ("redo", "Redo"), ("undo", "Undo"), ("body", "Body")]
        x = box.right - PAD
        for name, text in words:
            x -= wide
            dim = (name == "undo" and not live.can_undo) or (name == "redo" and not live.can_redo)
            on = name == "body" and self._posing()
            self.button(paint, name, Box(x, y, wide, high), text, partial(self._do, name), on, SMALL, dim=dim)
            x -= 4.0
        x -= 12.0
        for tempo in reversed(TEMPOS):
            x -= 34.0
            act = partial(self._tempo, tempo)
            self.button(
                paint, f"tempo {tempo:g}", Box(x, y, 34.0, high), _TEMPO_WORDS[tempo], act, live.tempo == tempo, SMALL
            )
            x -= 4.0
        for name, text, on in (("step", "Step", False), ("pause", "Go on" if live.paused else "Pause", live.paused)):
            x -= wide
            act = partial(self._do, name)
            self.button(paint, name, Box(x, y, wide, high), text, act, on, SMALL, WARN, name == "step" and not on)
            x -= 4.0
        self._status(paint, Box(PAD, y, x - PAD, high))

    def _status(self, paint: Paint, box: Box) -> None:
        live, x = self._live, box.x
        for text, color in self._marks():
            width = paint.width(text, 10.0) + 12.0
            paint.fill(Box(x, box.y + 4.0, width, box.height - 8.0), color, 4.0)
            paint.text(text, Box(x, box.y, width, box.height), ON_ACCENT, 10.0, "middle")
            x += width + 6.0
        minutes, seconds = divmod(int(live.frame.number / live.fps), 60)
        x += 10.0 + paint.text(f"{minutes}:{seconds:02d}", Box(x, box.y, 60.0, box.height), QUIET, TEXT)
        x += 12.0 + paint.text(self._title, Box(x, box.y, max(0.0, box.right - x), box.height), INK, TEXT)
        if live.take.path is not None and box.right > x:
            paint.text(f"written to {live.take.path.name}", Box(x, box.y, box.right - x, box.height), QUIET, SMALL)

    def _marks(self) -> list[tuple[str, tuple[int, int, int, int]]]:
        live = self._live
        found = []
        if live.draft:
            found.append(("DRAFT", DRAFT_COLOR))
        if live.recording:
            found.append(("REC", WARN))
        elif live.recording is False:
            found.append(("NOT REC", QUIET))
        return found

    def _tempo(self, tempo: float) -> None:
        self._live.tempo = tempo
