"""What a stage shows of itself. Nothing here changes anything."""

from __future__ import annotations

from collections.abc import Mapping

from puppet.arguments import public_class
from puppet.body import Body, hand_transforms
from puppet.command import Spot
from puppet.geometry import Transform
from puppet.scene import Scene
from puppet.stage import task_log
from puppet.stage.body_queries import BodyQueries
from puppet.stage.dragging import PinnedPart
from puppet.stage.events import Event
from puppet.stage.relations import begins_by_itself, known_later
from puppet.stage.state import Frame, Running, State
from puppet.stage.task_log import Entry, TaskLog
from puppet.tasks import Gestures, Goal, Primitives
from puppet.types import Floats


@public_class
class StageView:
    """The half of a stage that is read."""

    body: Body
    _state: State
    _task_log: TaskLog
    _hands: BodyQueries

    @property
    def frame(self) -> Frame:
        return self._frame()

    def _frame(self) -> Frame:
        state = self._state
        return Frame(state.frame, state.angles, state.staged.transforms, state.holding)

    @property
    def events(self) -> tuple[Event, ...]:
        """What has happened so far, in order."""
        return self._state.events.in_order()

    @property
    def scene(self) -> Scene:
        """The scene as it is on stage."""
        return self._state.staged.scene

    @property
    def planned(self) -> Scene:
        """The scene as it will be once everything that was told is done."""
        return self._state.plan.scene

    @property
    def locks(self) -> Mapping[str, Goal]:
        return {hand: held.goal for hand, held in self._state.plan.locks.items()}

    @property
    def hands(self) -> Mapping[str, Transform]:
        """Where the hands' tips are."""
        return self._hand_transforms(self._state.angles)

    def _hand_transforms(self, angles: Floats) -> dict[str, Transform]:
        tips = hand_transforms(self.body, angles)
        return {hand: tips[hand] for hand in self.body.hands}

    @property
    def idle(self) -> bool:
        """Whether nothing moves, and nothing that waits will begin by itself."""
        state = self._state
        still = not state.running and not state.trajectories and state.pursued is None
        return still and not begins_by_itself(state, self._task_log)

    @property
    def settled(self) -> bool:
        """Whether nothing is left to do before more is told: what goes on until a task begins that is not told yet may
        go on."""
        state = self._state
        endless = all(r.until is not None and known_later(r.until, state) for r in state.running)
        return self.idle or (bool(state.running) and endless and not begins_by_itself(state, self._task_log))

    def has_ended(self, key: str) -> bool:
        """Whether the task of a name has been told and is over."""
        numbers = self._state.labels.get(key, ())
        return bool(numbers) and all(self._task_log[number].status not in task_log.OPEN for number in numbers)

    @property
    def looking_at(self) -> Spot | None:
        """What is looked at until something else is."""
        return self._state.looking

    @property
    def pending(self) -> bool:
        """Whether the next step begins something, and so needs new postures."""
        return self._state.needs_scheduling

    @property
    def running(self) -> tuple[Running, ...]:
        """The motions under way, in the order in which they were told."""
        return self._state.running

    @property
    def pins(self) -> Mapping[str, PinnedPart]:
        """The parts of the body that are pinned."""
        return self._state.pins

    @property
    def balance(self) -> bool:
        """Whether a body that stands keeps its weight over its feet."""
        return self._state.balance

    @property
    def primitives(self) -> Primitives:
        """The qualities that the next task copies."""
        return self._state.plan.primitives

    @property
    def interrupting(self) -> bool:
        """Whether every task interrupts."""
        return self._state.plan.interrupting

    @property
    def recording(self) -> bool | None:
        return self._state.recording

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every command so far and what became of it."""
        return self._task_log.entries

    @property
    def gestures(self) -> Gestures:
        return self._hands.gestures
