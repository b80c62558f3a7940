"""Lets time pass on a live stage without ever holding up the drawing: what takes long goes on in another thread."""

from __future__ import annotations

from puppet.shows import Live
from puppet.window.worker import BackgroundTask

PATIENCE = 0.025  # seconds that the drawing waits for a task to begin: less than a frame on stage, enough for most


class Pace:
    """While it is busy nobody may change the performance. To read it is safe: all that is shown are whole values."""

    def __init__(self, live: Live, patience: float = PATIENCE) -> None:
        self._live, self.patience = live, patience
        self._worker: BackgroundTask[int] | None = None
        self._owed = 0.0  # seconds that have passed meanwhile

    @property
    def busy(self) -> bool:
        return self._worker is not None

    def advance(self, seconds: float) -> None:
        """Time goes on, now or as soon as what is under way is ready."""
        self._owed += seconds
        if self._worker is not None:
            if not self._worker.done:
                return
            self.finish()
        seconds, self._owed = self._owed, 0.0
        if not self._live.stage.pending or self._live.paused:
            self._live.advance(seconds)
            return
        # Something begins: its posture and its way can take long.
        self._worker = BackgroundTask(lambda: self._live.advance(seconds))
        if self._worker.wait(self.patience):
            self.finish()

    def finish(self) -> None:
        """Waits for what is under way."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.result()
