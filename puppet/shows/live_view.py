"""What is to be seen of a live performance, as plain values. Nothing here changes anything."""

from __future__ import annotations

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.keys import Keyboard
from puppet.scene import Scene
from puppet.shows import live_tables
from puppet.shows.live_tables import Queued, Segment, Statistic
from puppet.shows.messages import Message, Speech
from puppet.stage import Frame, Stage, task_log
from puppet.tasks import Primitives
from puppet.types import Floats, Vector

TIMELINE = 8.0  # seconds


class LiveView:
    """The half of a live performance that a window reads."""

    body: Body
    stage: Stage
    keyboard: Keyboard
    fps: float
    _speech: Speech
    _open: frozenset[int]  # tasks that were running or waiting
    _costs: dict[int, tuple[float, ...]]  # seconds that each task took, part by part: see showing.COSTS

    @property
    def frame(self) -> Frame:
        return self.stage.frame

    @property
    def scene(self) -> Scene:
        """The scene as it is on stage. Its objects are always the same, in the same order."""
        return self.stage.scene

    @property
    def joint_transforms(self) -> Floats:
        """Position and rotation of each joint in the world, row by row, (joints, 12)."""
        return joint_transforms(self.body, self.frame.angles)

    @property
    def object_frames(self) -> Floats:
        """Centre and rotation of each object in the world, row by row, (objects, 12)."""
        poses = self.frame.objects
        found = np.empty((len(self.scene.objects), 12))
        for n, entry in enumerate(self.scene.objects):
            found[n, :3] = poses[entry.name].position
            found[n, 3:] = poses[entry.name].rotation.ravel()
        return found

    @property
    def message(self) -> str:
        """The last thing that was said; once that could be read, what the puppet is doing."""
        last = self._speech.last
        if last.fresh:
            return last.text
        return "; ".join(queued.words for queued in self.queue if queued.status == task_log.RUNNING)

    @property
    def message_age(self) -> float:
        """Seconds since the last thing was said."""
        return self._speech.last.age

    @property
    def problem(self) -> bool:
        """Whether the message tells why something was not done."""
        return self._speech.last.problem and self._speech.last.fresh

    @property
    def lines(self) -> tuple[Message, ...]:
        """Everything that was said and could not be read yet, the newest last."""
        return self._speech.lines

    @property
    def primitives(self) -> Primitives:
        """Grip, speed, curve, overlap and clearance of the next task."""
        return self.stage.primitives

    @property
    def interrupting(self) -> bool:
        """Whether every task interrupts."""
        return self.stage.interrupting

    @property
    def locks(self) -> dict[str, str]:
        """What each locked hand does, in words."""
        return live_tables.locks(self.stage.planned, self.stage.locks)

    @property
    def slide_by(self) -> Vector:
        return self.keyboard.slide_by

    @property
    def slide_angles(self) -> Vector:
        """The slide orientation in degrees about x, y, z."""
        return self.keyboard.slide_angles

    @property
    def slide_turn(self) -> str | Vector:
        """The slide orientation: a grip's name where it is one, else degrees."""
        return self.keyboard.slide_turn

    @property
    def pending(self) -> bool:
        """Whether the next frame begins something: then it takes longer, for postures and ways are to be found."""
        return self.stage.pending

    @property
    def recording(self) -> bool | None:
        """Whether what happens is exported; None: nothing was said, so everything is."""
        return self.stage.recording

    @property
    def queue(self) -> tuple[Queued, ...]:
        """The tasks that run and wait, in the order told."""
        return live_tables.queue(self.stage, self.stage.entries) if self._open else ()

    def timeline(self, seconds: float = TIMELINE) -> dict[str, tuple[Segment, ...]]:
        """Which task had which part of the body in the last seconds, and until when it will have it."""
        return live_tables.timeline(self.body, self.stage.entries, self.frame.number - round(seconds * self.fps))

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """Every task with what its postures cost and how exact it is, the newest last."""
        return live_tables.statistics(self.stage.entries, self._costs)
