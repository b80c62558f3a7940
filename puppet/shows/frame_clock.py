"""From seconds that pass to frames that are due on stage."""

from __future__ import annotations

import math

from puppet.arguments import short
from puppet.errors import PuppetError

TEMPOS = (1.0, 0.5, 0.25)
MAX_CATCH_UP = 0.25  # seconds that are made up for at most at once: after a stall the puppet does not race


class FrameClock:
    """Frames a second, at a tempo."""

    def __init__(self, fps: float) -> None:
        self._fps = fps
        self._tempo = 1.0
        self._due = 0.0  # frames that time has passed for and that were not taken yet
        self._at_once = False

    @property
    def tempo(self) -> float:
        return self._tempo

    @tempo.setter
    def tempo(self, tempo: float) -> None:
        if tempo not in TEMPOS:
            raise PuppetError(f"a tempo is one of {', '.join(f'{value:g}' for value in TEMPOS)}, not {short(tempo)}")
        self._tempo = tempo

    def hasten(self) -> None:
        """A frame is due as soon as any time passes: at rest nobody sees that it comes early."""
        self._at_once = True

    def frames(self, seconds: float) -> int:
        """How many are due after so many seconds more; they are taken."""
        self._due += min(seconds, MAX_CATCH_UP) * self._tempo * self._fps
        if self._at_once:
            self._due = max(self._due, 1.0)
        count = math.floor(self._due + 1e-9)
        self._due = max(0.0, self._due - count)
        return count

    def stepped(self) -> None:
        """A frame has come, due or not."""
        self._at_once = False

    def reset(self) -> None:
        """Nothing is due."""
        self._due, self._at_once = 0.0, False
