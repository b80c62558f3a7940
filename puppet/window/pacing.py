"""Lets time pass in a live performance without holding up the drawing: long steps run in another thread."""

from __future__ import annotations

from puppet.shows import Live
from puppet.window.background_task import BackgroundTask

MOST_OWED = 0.25  # seconds that a long step is made up for at once: else who steps slower than time passes never ends
PATIENCE = 0.025  # seconds that the drawing waits for a long step: less than a frame on stage, enough for most


class Pacer:
    """Steps a live performance. While it is busy only reading it is safe: what is shown is replaced, never changed."""

    def __init__(self, live: Live, patience: float = PATIENCE) -> None:
        self._live, self.patience = live, patience
        self._worker: BackgroundTask[int] | None = None
        self._owed = 0.0  # seconds that have passed and were not stepped

    @property
    def busy(self) -> bool:
        return self._worker is not None

    def advance(self, seconds: float) -> None:
        """Lets time pass: now, or as soon as the running step is done. Where steps take longer than what they show, the
        performance is slower than time."""
        self._owed = min(self._owed + seconds, max(seconds, MOST_OWED))
        self.settle()
        if self._worker is not None:
            return
        seconds, self._owed = self._owed, 0.0
        if not self._live.begun:  # a take begins with its first command
            self._live.wait(seconds)
            return
        if not self._live.stage.pending or self._live.paused:
            self._live.advance(seconds)
            return
        # A task begins: finding its posture and its path can take long.
        self._worker = BackgroundTask(lambda: self._live.advance(seconds))
        if self._worker.wait(self.patience):
            self.finish()

    def settle(self) -> None:
        """It is no longer busy if the running step is done."""
        if self._worker is not None and self._worker.done:
            self.finish()

    def finish(self) -> None:
        """Waits for the running step."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.result()
