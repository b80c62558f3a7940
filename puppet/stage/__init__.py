"""Commands in, one frame after the other out: tasks, schedule, postures and motion wired together."""

from __future__ import annotations

from puppet.stage.dragging import PinnedPart
from puppet.stage.stage import Stage
from puppet.stage.stances import first_scene
from puppet.stage.state import Frame, Running, Snapshot
from puppet.stage.support import mass_centre, on_its_feet, support
from puppet.stage.task_log import MISTAKE, OPEN, RUNNING, Entry

__all__ = [
    "MISTAKE",
    "OPEN",
    "RUNNING",
    "Entry",
    "Frame",
    "PinnedPart",
    "Running",
    "Snapshot",
    "Stage",
    "first_scene",
    "mass_centre",
    "on_its_feet",
    "support",
]
