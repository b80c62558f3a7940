"""The undo history of a live performance: checkpoints to go back to, and what to carry out again on redo."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from puppet.keys import Keyboard
from puppet.shows.take import TimedCommand
from puppet.stage import Snapshot

MAX_UNDO = 1000  # commands that can be undone


@dataclass(frozen=True)
class Checkpoint:
    """The state before a command."""

    snapshot: Snapshot
    keyboard: Keyboard
    count: int  # commands in the take
    replayed: int  # how many of them were the earlier take's
    physics: bool  # whether it was on
    words: str  # of the command


@dataclass(frozen=True)
class UndoneCommands:
    """The commands since a checkpoint that was returned to, and the frame that had been reached."""

    checkpoint: Checkpoint
    given: tuple[tuple[TimedCommand, bool], ...]  # True: a command of the earlier take
    keyboard: Keyboard
    frame: int


class UndoHistory:
    """Checkpoints of commands that can be undone, and undone commands that can be redone; the newest last."""

    def __init__(self) -> None:
        self.checkpoints: deque[Checkpoint] = deque(maxlen=MAX_UNDO)
        self.undone: list[UndoneCommands] = []

    def record(self, checkpoint: Checkpoint) -> None:
        """A new command was given: what was undone before it can no longer be redone."""
        self.checkpoints.append(checkpoint)
        self.undone.clear()
