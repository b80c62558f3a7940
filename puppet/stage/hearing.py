"""A command and a state to the state after it and an entry of the task log: what the stage does when it is told."""

from __future__ import annotations

from dataclasses import dataclass, replace

from puppet.body import Body
from puppet.command import (
    BOTH,
    Balance,
    Command,
    Freeze,
    Lock,
    Movement,
    Perform,
    Pin,
    PointAt,
    Reach,
    Record,
    ReleaseHand,
    SetInterrupt,
    SetPrimitive,
    Source,
    TakeThing,
    Task,
    Unlock,
    Unpin,
    task_key,
)
from puppet.errors import PuppetError
from puppet.stage import task_log
from puppet.stage.body_queries import BodyQueries
from puppet.stage.halting import halted
from puppet.stage.happenings import take_hold
from puppet.stage.state import Contact, State, Told
from puppet.stage.task_log import Entry, TaskLog
from puppet.stage.task_report import entry_of
from puppet.stage.true_plan import freeze, plan_if_dropped
from puppet.tasks import Motion, Outcome, Plan, Primitives, interpret, one_hand


@dataclass(frozen=True, eq=False)
class Hearing:
    """Hears commands: what each means in the planned scene goes to the queue, or to the log with the reason why not."""

    body: Body
    queries: BodyQueries
    log: TaskLog

    def hear(self, state: State, command: Command) -> tuple[State, Entry]:
        if type(command) in (Movement, Task):
            raise PuppetError(f"a {type(command).__name__} is no command: give one of its kinds, as a Reach")
        if isinstance(command, Freeze):
            state = freeze(self.body, self.log, halted(self.body, state), at_once=True)
            state = replace(state, before=state.angles, pursued=None)
            return self._note(state, command, "Freeze", task_log.DONE)
        if isinstance(command, SetInterrupt):
            state = replace(state, plan=replace(state.plan, interrupting=command.on))
            return self._note(state, command, f"Set interrupt {'on' if command.on else 'off'}", task_log.DONE)
        if isinstance(command, Record):
            state = replace(state, recording=command.on)
            return self._note(state, command, f"{'Start' if command.on else 'Stop'} recording", task_log.DONE)
        if isinstance(command, (Lock, Unlock, SetPrimitive)):
            return self._hear_setting(state, command)
        if isinstance(command, ReleaseHand):
            return self._release(state, command)
        if isinstance(command, Task) and command.hand == BOTH:
            return self._with_both(state, command)
        if not isinstance(command, (Movement, Pin, Unpin, Balance)):
            raise PuppetError(f"'{type(command).__name__}' belongs in a script; a stage does not know it")
        return self._hear_task(state, command)

    def _interpret(self, plan: Plan, command: Command, follows: bool = False) -> Outcome:
        return interpret(plan, command, len(self.log), self.queries.at(plan.scene), follows)

    def _hear_setting(self, state: State, command: Lock | Unlock | SetPrimitive) -> tuple[State, Entry]:
        plan = state.plan
        outcome = self._interpret(plan, command)
        state = replace(state, plan=outcome.plan)
        status = task_log.REJECTED if outcome.rejected else task_log.DONE
        if status == task_log.DONE and isinstance(command, (Lock, Unlock)):
            locks = isinstance(command, Lock)
            thing = (outcome.plan if locks else plan).grasped(command.hand)
            state, status = self._contact(
                state, command.hand, plan.hands[command.hand].task, locks, thing, command.source
            )
            if status == task_log.WAITING:
                state = self._remember(state, command, plan.primitives)
        return self._note(state, command, outcome.interpretation, status, outcome.reason)

    def _release(self, state: State, command: ReleaseHand) -> tuple[State, Entry]:
        """Lets go of what a hand holds, or of what all do."""
        held = [hand for hand in self.body.hands if hand in state.plan.locks]
        hands = held if command.hand == BOTH else [command.hand]
        words = f"Release {'both hands' if command.hand == BOTH else f'{command.hand} hand'}"
        if not hands:
            return self._note(state, command, words, task_log.REJECTED, "no hand holds anything")
        entry = None
        for hand in hands:
            single, plan = replace(command, hand=hand), state.plan
            outcome = self._interpret(plan, Unlock(hand=hand))
            state = replace(state, plan=outcome.plan)
            status = task_log.REJECTED
            if not outcome.rejected:
                task = plan.hands[hand].task
                state, status = self._contact(state, hand, task, False, plan.grasped(hand), command.source)
                if status == task_log.WAITING:
                    state = self._remember(state, single, plan.primitives)
            words = f"Release {hand} hand"
            reason = outcome.reason.replace("is not locked", "holds nothing")
            meant = Outcome(plan, None, words, target=plan.grasped(hand))
            state, entry = self._note(state, single, words, status, reason, meant)
        assert entry is not None
        return state, entry

    def _with_both(self, before: State, command: Task) -> tuple[State, Entry]:
        """A task of both hands: each does it, from its own side, at the same time."""
        why = self._not_with_both(command)
        if why:
            return self._note(before, command, "Both hands", task_log.REJECTED, why)
        mark = self.log.mark()
        first, second = self.body.hands[:2]
        own = replace(command, grip=command.grip or "side") if isinstance(command, (Reach, TakeThing)) else command
        number = len(self.log)
        state, entry = self.hear(before, replace(own, hand=first))
        if entry.status != task_log.REJECTED:
            interrupting, beside = state.plan.interrupting, replace(state.plan, interrupting=False)
            overlap = replace(own, hand=second, overlap="full", interrupt=False)
            state, entry = self.hear(replace(state, plan=beside), overlap)  # the first may have interrupted all others
            state = replace(state, plan=replace(state.plan, interrupting=interrupting))
            if entry.status != task_log.REJECTED:
                return _named(state, command, (number, entry.number)), entry
        self.log.rewind(mark)
        return self._note(before, command, entry.interpretation, task_log.REJECTED, entry.reason)

    def _not_with_both(self, command: Task) -> str:
        """Why a task cannot be done with both hands at the same time; "" where it can."""
        if len(self.body.hands) < 2 or not isinstance(command, (Reach, TakeThing, Perform, PointAt)):
            return "this cannot be done with both hands"
        gesture = self.queries.gestures.get(command.gesture) if isinstance(command, Perform) else None
        return one_hand(gesture) if gesture is not None and gesture.held is not None else ""

    def _contact(
        self, state: State, hand: str, task: int | None, locks: bool, thing: str | None, source: Source
    ) -> tuple[State, str]:
        """A lock or unlock and its status: done at once, or waiting for the task that the hand still has to do."""
        if task is None or self.log[task].status not in task_log.OPEN:
            return take_hold(self.body, state, hand, thing if locks else None, source.line, source.file), task_log.DONE
        contact = Contact(len(self.log), task, hand, locks, thing)
        return replace(state, contacts=(*state.contacts, contact)), task_log.WAITING

    def _hear_task(self, state: State, command: Movement | Pin | Unpin | Balance) -> tuple[State, Entry]:
        own = getattr(command, "label", None)
        moments = [moment for name in ("when", "until") if (moment := getattr(command, name, None)) is not None]
        if own is not None and any(moment.name == own for moment in moments):
            reason = f"'{own}' would wait for itself"
            return self._note(state, command, f"Wait for {own}", task_log.REJECTED, reason)
        number = len(self.log)
        if getattr(command, "interrupt", False) or state.plan.interrupting:
            stopped = halted(self.body, state)
            outcome = self._interpret(plan_if_dropped(self.body, self.log, stopped)[0], command)
            if not outcome.rejected:
                state = freeze(self.body, self.log, stopped)
        else:
            outcome = self._interpret(state.plan, command, _follows(state, getattr(command, "hand", "")))
        if outcome.rejected:
            return self._note(state, command, outcome.interpretation, task_log.REJECTED, outcome.reason, outcome)
        assert outcome.motion is not None
        motion = with_moments(outcome.motion, command)
        contacts = own_contacts(number, outcome)
        aside = motion.when is not None or motion.until is not None
        primitives = state.plan.primitives
        state = replace(
            state, plan=outcome.plan, queue=state.queue if aside else state.queue.push(motion), needs_scheduling=True,
            held=(*state.held, motion) if aside else state.held, contacts=(*state.contacts, *contacts),
        )  # fmt: skip
        state = self._remember(state, command, primitives)
        return self._note(state, command, outcome.interpretation, task_log.WAITING, outcome.reason, outcome)

    def _remember(self, state: State, command: Command, primitives: Primitives) -> State:
        """Keeps a command that waits, in case that it has to be understood anew."""
        open_ = tuple(told for told in state.told if self.log[told.number].status in task_log.OPEN)
        return replace(state, told=(*open_, Told(len(self.log), command, primitives)))

    def _note(
        self, state: State, command: Command, words: str, status: str, reason: str = "", outcome: Outcome | None = None
    ) -> tuple[State, Entry]:
        number = len(self.log)
        if isinstance(command, Movement):
            state = _named(state, command, (number,))
        entry = entry_of(number, command, state.frame, words, status, reason, outcome)
        self.log.add(entry)
        return state, entry


def _named(state: State, command: Movement, numbers: tuple[int, ...]) -> State:
    """The state in which a command's label means these tasks."""
    if command.label is None:
        return state
    own = {task_key(command.label, block): numbers for block in command.blocks}
    return replace(state, labels={**state.labels, **own}, needs_scheduling=True)


def _follows(state: State, hand: str) -> bool:
    """Whether the last task told before is another hand's and is not done yet."""
    last = state.queue.back[0] if state.queue.back else None
    if last is None and state.queue.size == 0 and state.running:
        last = state.running[-1].motion
    return last is not None and last.hand != hand


def with_moments(motion: Motion, command: Command) -> Motion:
    """A motion that begins and ends when its command says."""
    if not isinstance(command, Movement) or (command.when is None and command.until is None):
        return motion
    motion = _beside_others(motion) if getattr(command, "overlap", None) is None else motion
    return replace(motion, when=command.when, until=command.until)


def own_contacts(number: int, outcome: Outcome) -> tuple[Contact, ...]:
    """Where a task takes hold or lets go itself at its end."""
    return tuple(
        Contact(number, number, hand, kind == "lock", outcome.plan.grasped(hand)) for hand, kind in outcome.contacts
    )


def _beside_others(motion: Motion) -> Motion:
    """A motion that may run beside others: it has a moment of its own."""
    if motion.overlap != "none":
        return motion
    cycle = None if motion.cycle is None else motion.cycle.throughout(overlap="partial")
    return replace(motion.throughout(overlap="partial"), cycle=cycle)
