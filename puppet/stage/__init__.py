"""Commands in, one frame after the other out: tasks, schedule, postures and motion wired together."""

from __future__ import annotations

from puppet.stage.stage import Stage
from puppet.stage.state import Frame, Running, Snapshot
from puppet.stage.task_log import OPEN, RUNNING, Entry

__all__ = [
    "OPEN",
    "RUNNING",
    "Entry",
    "Frame",
    "Running",
    "Snapshot",
    "Stage",
]
