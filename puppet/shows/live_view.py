"""What a window shows of a live performance, as plain values. Nothing here changes anything."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from puppet.arguments import public_class, short
from puppet.body import Body, joint_transforms
from puppet.command import MAX_FRAME
from puppet.errors import PuppetError
from puppet.keys import Keyboard
from puppet.scene import Scene
from puppet.shows import live_tables
from puppet.shows.live_tables import QueuedTask, TaskStatistics, TimelineSegment
from puppet.shows.messages import Message, Messages
from puppet.shows.physics_switch import PhysicsSwitch
from puppet.shows.progress import Progress
from puppet.shows.pull import Pull
from puppet.shows.take import Take
from puppet.shows.undo import UndoHistory
from puppet.stage import Frame, PinnedPart, Stage, mass_centre, on_its_feet, support, task_log
from puppet.tasks import Primitives
from puppet.types import Floats, Vector

TIMELINE_SECONDS = 8.0


@public_class
class LiveView:
    """The half of a live performance that a window reads."""

    body: Body
    stage: Stage
    _keyboard: Keyboard
    fps: float
    take: Take
    _messages: Messages
    _physics: PhysicsSwitch
    _progress: Progress
    _history: UndoHistory
    _pull: Pull | None
    _closed: bool
    _write_problem: str  # why the last command is not on disk

    @property
    def keyboard(self) -> Keyboard:
        return self._keyboard

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
        return joint_transforms(self.body, self._physics.shown(self.frame.angles))

    @property
    def physics(self) -> bool:
        """Whether the body moves as contact forces let it."""
        return self._physics.on

    @property
    def acting(self) -> tuple[Floats, Floats]:
        """Where contact forces act now, (points, 3), and how strongly, (points, 3), as parts of the weight."""
        if (found := self._physics.acting) is not None:
            return found
        nothing = np.zeros((sum(len(joint.contacts) for joint in self.body.joints), 3))
        return nothing, nothing

    @property
    def object_transforms(self) -> Floats:
        """Centre and rotation of each object in the world, row by row, (objects, 12)."""
        placed = self.frame.objects
        found = np.empty((len(self.scene.objects), 12))
        for n, entry in enumerate(self.scene.objects):
            found[n, :3] = placed[entry.name].position
            found[n, 3:] = placed[entry.name].rotation.ravel()
        return found

    @property
    def pins(self) -> Mapping[str, PinnedPart]:
        """The parts of the body that are pinned, and how."""
        return self.stage.pins

    @property
    def balance(self) -> bool:
        """Whether a body that stands keeps its weight over its feet."""
        return self.stage.balance

    @property
    def mass_centre(self) -> Floats | None:
        """(3,) in the world; None for a body without masses."""
        return mass_centre(self.body, self.joint_transforms)

    @property
    def on_its_feet(self) -> bool:
        """Whether the body's weight is on its pinned feet alone."""
        return on_its_feet(self.body, self.pins)

    @property
    def support(self) -> Floats:
        """The corners (n, 3) in turn of the area that the pinned feet touch."""
        return support(self.body, self.joint_transforms, self.pins)

    @property
    def message(self) -> str:
        """The last message; once there was time to read it, what the puppet is doing."""
        last = self._messages.last
        if last.unread:
            return last.text
        return "; ".join(queued.words for queued in self.queue if queued.status == task_log.RUNNING)

    @property
    def message_age(self) -> float:
        """Seconds since the last message."""
        return self._messages.last.age

    @property
    def problem(self) -> bool:
        """Whether the message says why something was not done."""
        return self._messages.last.problem and self._messages.last.unread

    @property
    def recent_messages(self) -> tuple[Message, ...]:
        """The messages that there was no time to read yet, the newest last."""
        return self._messages.recent

    @property
    def primitives(self) -> Primitives:
        """Grip, speed, curve, overlap and clearance of the next task."""
        return self.stage.primitives

    @property
    def interrupting(self) -> bool:
        """Whether every new task interrupts those that run."""
        return self.stage.interrupting

    @property
    def locks(self) -> dict[str, str]:
        """What each locked hand does, in words."""
        return live_tables.describe_locks(self.stage.planned, self.stage.locks)

    @property
    def slide_by(self) -> Vector:
        return self.keyboard.slide_by

    @property
    def slide_angles(self) -> Vector:
        """The slide orientation in degrees about x, y, z."""
        return self.keyboard.slide_angles

    @property
    def slide_turn(self) -> str | Vector:
        """The slide orientation: a grip's name where it matches one, else degrees."""
        return self.keyboard.slide_turn

    @property
    def pending(self) -> bool:
        """Whether a task begins in the next frame, which then takes longer: postures and detours are computed."""
        return self.stage.pending

    @property
    def recording(self) -> bool | None:
        """Whether frames are recorded; None: no `record` was given, so all of them are."""
        return self.stage.recording

    @property
    def queue(self) -> tuple[QueuedTask, ...]:
        """The tasks that run or wait, in the order in which they were given."""
        return live_tables.queued_tasks(self.stage, self.stage.entries) if self._progress.open else ()

    def timeline(self, seconds: float = TIMELINE_SECONDS) -> dict[str, tuple[TimelineSegment, ...]]:
        """Which task owns which part of the body: in the last seconds, and for how long from now."""
        if not 0.0 <= seconds <= MAX_FRAME:
            raise PuppetError(f"the timeline shows some of the last seconds, not {short(seconds)}")
        return live_tables.recent_timeline(self.body, self.stage.entries, self.frame.number - round(seconds * self.fps))

    @property
    def statistics(self) -> tuple[TaskStatistics, ...]:
        """The cost and the accuracy of the last tasks, the newest last."""
        return live_tables.task_statistics(self.stage.entries, self._progress.costs)

    @property
    def pulled(self) -> str | None:
        """The part that is pulled."""
        return None if self._pull is None else self._pull.part

    @property
    def closed(self) -> bool:
        """Whether the performance is over."""
        return self._closed

    @property
    def write_problem(self) -> str:
        """Why the last command is not on disk."""
        return self._write_problem

    @property
    def begun(self) -> bool:
        """Whether anything has been told, or an earlier take is carried out."""
        return bool(self.take.given or self.take.earlier or self._pull)

    @property
    def can_undo(self) -> bool:
        return bool(self._history.checkpoints)

    @property
    def can_redo(self) -> bool:
        return bool(self._history.undone)
