"""A live performance: keys and commands in, frames out, every command written to a take. Time is an argument."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from puppet.arguments import check_fields, public_class, short
from puppet.body import Body
from puppet.command import (
    DEFAULT_FPS,
    MAX_FRAME,
    Balance,
    Command,
    Drag,
    Freeze,
    Lock,
    Movement,
    Pin,
    PoseJoint,
    Push,
    Reach,
    Record,
    ReleaseHand,
    SetInterrupt,
    SetPhysics,
    SetPrimitive,
    Unlock,
    Unpin,
)
from puppet.errors import PuppetError, did_you_mean
from puppet.files.shipped import find
from puppet.keys import DEFAULT_KEY_MAP, Keyboard, load_key_map
from puppet.language import ScriptError, format_command, read_command
from puppet.performance import Performance
from puppet.scene import Scene, usual_body
from puppet.shows.earlier_take import read_earlier_take
from puppet.shows.live_setup import live_fps, live_scene, refuse_to_overwrite, shipped_name, take_comment, warm_up
from puppet.shows.live_tables import COSTS
from puppet.shows.live_view import LiveView
from puppet.shows.messages import Messages, describe_outcome, describe_running
from puppet.shows.pull import Pull, rounded
from puppet.shows.take import Take
from puppet.shows.undo import Checkpoint, UndoHistory, UndoneCommands
from puppet.stage import Entry, Stage, task_log
from puppet.tasks import whole_body_flaw
from puppet.types import Vector

if TYPE_CHECKING:
    from puppet.shows.live_physics import LivePhysics

TEMPOS = (1.0, 0.5, 0.25)
MAX_CATCH_UP = 0.25  # seconds that one call of `advance` makes up for at most: after a stall the puppet does not race
# The commands that a stage takes; the others are about time, which passes anyway.
_LIVE_COMMANDS = (
    Movement, Pin, Unpin, Balance, Lock, Unlock, ReleaseHand, Freeze, SetPrimitive, SetInterrupt, Record,
)  # fmt: skip


@public_class
class Live(LiveView):
    """Takes commands with `press` and `give`, lets time pass with `advance`; what to show is in LiveView."""

    draft: bool
    body_is_named: bool
    take: Take

    def __init__(
        self,
        environment: Scene | str | Path | None = None,
        *,
        body: Body | None = None,
        gestures: Iterable[str | Path] = (),
        keymap: str | Path = DEFAULT_KEY_MAP,
        draft: bool = False,
        fps: float | None = None,
        take: str | Path | None = None,
        under: str | Path | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """`environment`: a scene, or a file by its name or path; may be left out where `under` names one.

        `take`: the script to which every command is written. `under`: an earlier take whose commands are given again at
        their frames; the new take contains both. `fps`: by default that of the earlier take, or 30. `clock` times the
        statistics.
        """
        self.draft = draft
        self._gesture_files = tuple(gestures)
        path = environment if isinstance(environment, (str, Path)) else None
        named = None if path is None else find("environments", path)
        earlier = None
        if under is not None:
            earlier = read_earlier_take(under, named or environment, body, self._gesture_files, draft)
            named = named or earlier.environment
        usual = usual_body(named or environment)
        self.body = body or (earlier.body if earlier else usual)
        self.body_is_named = body is not None
        self._scene = live_scene(named or environment, earlier, self.body)
        self.fps = live_fps(fps if fps is not None else earlier.fps if earlier else DEFAULT_FPS)
        self.stage = Stage(self._scene, self.body, self._gesture_files, draft, clock=clock)
        self.stage.set_fps(self.fps)
        keys = load_key_map(keymap, self.stage.gestures.names, body=self.body)
        self._keyboard = Keyboard.for_scene(keys, self._scene)
        warm_up(self.stage)
        self._paused = False
        self._closed = False
        self._write_problem = ""  # why the last command is not on disk
        self._tempo = 1.0
        self._due = 0.0  # frames that time has passed for and that were not stepped yet
        self._waiting_for_frame = False  # a command was given to a stage at rest: the next `advance` steps at once
        self._messages = Messages()
        self._history = UndoHistory()
        self._pull: Pull | None = None
        self._physics = None
        self._open = frozenset()
        self._costs = {}
        refuse_to_overwrite(take, under)
        comment = take_comment(draft, self.body, usual, self._gesture_files)
        upcoming, earlier_end = (earlier.given, earlier.end) if earlier else ((), 0)
        told = shipped_name(self.body) if self.body_is_named or self.body is not usual else None
        self.take = Take(take, named, self.fps, upcoming, earlier_end, comment, told)
        self._give_earlier()

    # ---- commands

    def press(self, key: str) -> tuple[Entry, ...]:
        """Presses a key of the key map; returns the entries of the commands that it gave."""
        commands = self.keyboard.press(key, self.stage.locks)
        if not commands:
            self._messages.add(_capital(self.keyboard.message), bool(self.keyboard.problem))
            return ()
        return self._perform(commands)

    def give(self, command: Command | str) -> tuple[Entry, ...]:
        """Gives a command, or one in the language. If it cannot be done, a message says why."""
        if isinstance(command, str):
            try:
                command = read_command(command, self.stage.gestures, self._scene, self.body, self.fps)
            except ScriptError as error:
                mistake = error.mistakes[0]
                words = f"{mistake.message}; {mistake.hint}" if mistake.hint else mistake.message
                self._messages.add(_capital(words), problem=True)
                return ()
        check_fields(command)
        if not isinstance(command, (SetPhysics, Push)):
            return self._perform((command,))
        try:
            written = self._read_again(command)
        except PuppetError as error:
            self._tell(error)
            return ()
        assert isinstance(written, (SetPhysics, Push))
        if self._give_physics(written):
            with self._reporting_write_errors():
                self.take.add(self.frame.number, [written])
        return ()

    def _give_physics(self, command: SetPhysics | Push) -> bool:
        """Switches physics on or off, or pushes the body; whether that could be done."""
        if isinstance(command, Push):
            if self._physics is None or not self._physics.on:
                self._messages.add("Nothing is pushed without physics: it is off", problem=True)
                return False
            self._physics.push(command)
            self._messages.add(f"Pushed: {command.part}")
            return True
        if self._physics is not None:
            if command.on and not self._physics.on:
                self._physics.switch_on()
            elif not command.on:
                self._physics.switch_off()
        elif command.on:
            try:
                self._physics = self._new_physics()
            except PuppetError as error:
                self._messages.add(_capital(str(error)), problem=True)
                return False
        self._messages.add(f"Physics {'on' if command.on else 'off'}")
        return True

    def _new_physics(self) -> LivePhysics:
        from puppet.shows.live_physics import LivePhysics  # only those who ask for physics load it

        return LivePhysics(self.body, self.scene, self.fps, self.frame.angles)

    def reach(
        self, *, object: str | None = None, space: str | None = None, hand: str | None = None, hold: bool = False
    ) -> None:
        """Reaches for an object or a space, with the nearer hand where none is named. `hold`: and stays with it, which
        is undone together with the reach."""
        if (object is None) == (space is None):
            raise PuppetError("a reach goes to an object or to a space: name one of the two")
        if hand is None:
            hand = self._nearer_hand(object, space)
        entries = self._perform((Reach(hand=hand, object=object, space=space),))
        if hold and entries and entries[0].status != task_log.REJECTED:
            self._perform((Lock(hand=hand),), again=True)

    def pose(self, joint: str, angles: Vector) -> None:
        """Turns a joint directly: degrees about its x, y and z axes."""
        self._perform((PoseJoint(joint=joint, angles=angles),))

    def set_slide(self, by: Vector | None = None, turn: Vector | None = None) -> None:
        """Sets the vector or the orientation (degrees) of the next slide, as a slider does."""
        self.keyboard.set_slide(by, turn)

    def freeze(self) -> None:
        """Cancels all tasks and stops at once."""
        self._perform((Freeze(),))

    def pull(self, part: str, point: ArrayLike, place: ArrayLike) -> None:
        """Holds a point of a part, in its own coordinates, and pulls it to a place until `let_go`: one drag in each
        frame in which no other task runs. Called again, it pulls to another place."""
        if self._pull is not None and (self._pull.part, self._pull.point) == (part, rounded(point)):
            self._pull.place = rounded(place)
        else:
            self._pull = Pull.of(part, point, place)

    def let_go(self) -> None:
        """Lets go of what is pulled."""
        pull, self._pull = self._pull, None
        if pull is not None and pull.task is not None:
            entry = self.stage.entries[pull.task]
            if entry.status == task_log.MISSED:
                self._messages.add(describe_outcome(entry), problem=True)

    @property
    def pulled(self) -> str | None:
        """The part that is pulled."""
        return None if self._pull is None else self._pull.part

    def set_gain(self, part: str, gain: float) -> None:
        """Changes how firmly a part is pinned, from 0 to 1; it stays pinned to the same place."""
        pinned = self.stage.pins.get(part)
        if pinned is None:
            raise PuppetError(f"'{part}' is not pinned; pinned: {', '.join(self.stage.pins) or 'nothing'}")
        place, turn = rounded(pinned.at.position), rounded(pinned.turn)
        self._perform((Unpin(part=part), Pin(part=part, to=place, turn=turn, gain=gain)))

    def _perform(self, commands: Iterable[Command], again: bool = False) -> tuple[Entry, ...]:
        """Gives commands that belong together: they are undone together. `again`: and with those before them."""
        commands = tuple(commands)
        for command in commands:
            check_fields(command)
        try:
            given = [self._as_written(command) for command in commands]
        except PuppetError as error:
            self._tell(error)
            return ()
        problem = self._name_problem(given)
        if problem:
            self._messages.add(_capital(problem), problem=True)
            return ()
        if self.closed:
            raise PuppetError("the performance is over: nothing more can be given")
        if self.frame.number >= MAX_FRAME:
            self._messages.add(f"The take is full: it has {MAX_FRAME:,} frames", problem=True)
            return ()
        checkpoint = self._checkpoint()
        at_rest = self.stage.idle
        with self._reporting_write_errors():
            self.take.add(self.frame.number, given)  # on disk before it has any effect
        entries = [self._give_to_stage(command) for command in given]
        changed = any(entry.status != task_log.REJECTED for entry in entries)
        if changed and not again:  # what changes nothing need not be undone
            self._history.record(replace(checkpoint, words=entries[-1].interpretation))
        self._waiting_for_frame = self._waiting_for_frame or (at_rest and self.stage.pending)
        self._report(entries[-1])
        if self.write_problem:
            self._messages.add(self.write_problem, problem=True)
        return tuple(entries)

    def _name_problem(self, commands: Iterable[Command]) -> str:
        """Why the take could not be read again with these commands: a task's name twice, or one that is not known."""
        told = [timed.command for timed in (*self.take.given, *self.take.upcoming)]
        names = {command.label for command in told if isinstance(command, Movement) and command.label is not None}
        for command in commands:
            if not isinstance(command, Movement):
                continue
            if command.label in names:
                return f"a task is called '{command.label}' already; give this one another name"
            for relation in (command.when, command.until):
                if relation is not None and relation.name not in names:
                    return f"no task is called '{relation.name}'; {did_you_mean(relation.name, names)}"
            names |= {command.label} if command.label is not None else set()
        return ""

    @contextmanager
    def _reporting_write_errors(self) -> Iterator[None]:
        """A full disk does not stop the performance: a message says so, and the next command writes the whole take."""
        try:
            yield
            self._write_problem = ""
        except PuppetError as error:
            self._write_problem = f"The take is not on disk: {error}"

    def _as_written(self, command: Command) -> Command:
        """The command as it reads in the take, so that a replay gets exactly the same numbers."""
        if not isinstance(command, _LIVE_COMMANDS):
            raise PuppetError(f"'{format_command(command)}' belongs in a script: live, time passes by itself")
        problem = whole_body_flaw(command) if isinstance(command, (Pin, Unpin, Drag, Balance)) else ""
        if problem:
            raise PuppetError(problem)
        return self._read_again(command)

    def _read_again(self, command: Command) -> Command:
        return read_command(format_command(command), self.stage.gestures, self._scene, self.body, self.fps)

    def _tell(self, error: PuppetError) -> None:
        """Says why a command was not given."""
        mistakes = getattr(error, "mistakes", ())
        self._messages.add(_capital(mistakes[0].message if mistakes else str(error)), problem=True)

    def _give_to_stage(self, command: Command) -> Entry:
        entry = self.stage.give(command)
        if entry.status == task_log.WAITING:
            self._open |= {entry.number}
        if isinstance(command, SetPrimitive) and command.name == "grip" and entry.status == task_log.DONE:
            self.keyboard.set_slide(turn=self.keyboard.turn_of(str(command.value)))  # Table 7.1: it follows the grip
        self._sync_keyboard()
        return entry

    def _sync_keyboard(self) -> None:
        """Copies to the keyboard what the stage has set: commands need not come from keys."""
        stage, keyboard = self.stage, self.keyboard
        keyboard.primitives, keyboard.interrupting = stage.primitives, stage.interrupting
        keyboard.recording, keyboard.locked = stage.recording, frozenset(stage.locks)

    def _report(self, entry: Entry) -> None:
        if entry.status == task_log.REJECTED:
            self._messages.add(describe_outcome(entry), problem=True)
        elif entry.status in task_log.OPEN:
            alone = len(self._open) == 1
            self._messages.add(describe_running(entry) if alone else f"Next: {describe_outcome(entry)}")
        else:
            self._messages.add(describe_outcome(entry))

    def _nearer_hand(self, object: str | None, space: str | None) -> str:
        scene = self.stage.planned
        target = scene.centre(object) if object is not None else scene.space(str(space)).position
        hands = self.stage.hands
        free = [hand for hand in hands if hand != space] or list(hands)
        return min(free, key=lambda hand: (float(np.linalg.norm(hands[hand].position - np.array(target))), hand))

    # ---- the earlier take

    def _give_earlier(self) -> None:
        """Gives the commands that the earlier take has at this frame."""
        while given := self.take.next_due(self.frame.number):
            if isinstance(given.command, (SetPhysics, Push)):
                self._give_physics(given.command)
            else:
                self._report(self._give_to_stage(given.command))

    # ---- time

    @property
    def tempo(self) -> float:
        """How fast time passes on stage."""
        return self._tempo

    @tempo.setter
    def tempo(self, tempo: float) -> None:
        if tempo not in TEMPOS:
            raise PuppetError(f"a tempo is one of {', '.join(f'{value:g}' for value in TEMPOS)}, not {short(tempo)}")
        self._tempo = tempo

    @property
    def paused(self) -> bool:
        """Whether time stands still on stage."""
        return self._paused

    @paused.setter
    def paused(self, paused: bool) -> None:
        if not isinstance(paused, bool):
            raise PuppetError(f"a performance is paused or not, True or False, not {short(paused)}")
        self._paused = paused

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

    def wait(self, seconds: float) -> None:
        """Lets time pass that is none on stage: messages go, as they do when they have been read."""
        self._messages.advance(_seconds(seconds))

    def advance(self, seconds: float) -> int:
        """Lets time pass; returns how many frames were stepped."""
        seconds = _seconds(seconds)
        self._messages.advance(seconds)
        if self.paused or self.closed:
            return 0
        self._due += min(seconds, MAX_CATCH_UP) * self._tempo * self.fps
        if self._waiting_for_frame:  # at rest nobody sees that the frame comes early
            self._due = max(self._due, 1.0)
        count = math.floor(self._due + 1e-9)
        for done in range(count):
            if not self._step():
                self._due = 0.0
                return done
        self._due = max(0.0, self._due - count)
        return count

    def step_once(self) -> None:
        """Steps one frame, paused or not."""
        if not self.closed:
            self._step()

    def _step(self) -> bool:
        if self.frame.number >= MAX_FRAME:
            return False
        self._waiting_for_frame = False
        self._give_pull()
        before = dict(self.stage.timing)
        self.stage.step()
        if self._physics is not None:
            stood = not self._physics.fallen
            self._physics.step(self.frame.angles)
            if stood and self._physics.fallen:
                self._messages.add("It fell; physics off lets it stand again", problem=True)
            if self._physics.over:
                self._physics = None
        self._report_progress(tuple(self.stage.timing[part] - before[part] for part in COSTS))
        self._give_earlier()
        return True

    def _give_pull(self) -> None:
        """Gives the drag of this frame, if a part is pulled and nothing else is going on."""
        pull = self._pull
        command = pull.next(self.frame.angles) if pull is not None and self.stage.idle else None
        if pull is None or command is None:
            return
        entries = self._perform((command,), again=pull.task is not None)
        if not entries or entries[0].status == task_log.REJECTED:
            self._pull = None
        else:
            pull.task = entries[0].number

    def _report_progress(self, costs: tuple[float, ...]) -> None:
        """Messages about tasks that begin or miss; adds `costs` to those that begin."""
        if not self._open:
            return
        entries = self.stage.entries
        number = self.frame.number
        still = set()
        for task in sorted(self._open):
            entry = entries[task]
            if entry.status in task_log.OPEN:
                still.add(task)
            if any(costs) and any(start == number - 1 for _, start, _ in entry.segments):
                old = self._costs.get(task, (0.0,) * len(COSTS))
                self._costs[task] = tuple(a + b for a, b in zip(old, costs, strict=True))
            begins = entry.start == number - 1 and entry.status == task_log.RUNNING
            if begins and self._messages.last.text != describe_running(entry):
                self._messages.add(describe_running(entry))
            if entry.status == task_log.MISSED and (self._pull is None or self._pull.task != task):
                self._messages.add(describe_outcome(entry), problem=True)
        self._open = frozenset(still)

    # ---- undo and redo

    @property
    def can_undo(self) -> bool:
        return bool(self._history.checkpoints)

    @property
    def can_redo(self) -> bool:
        return bool(self._history.undone)

    def undo(self) -> bool:
        """Undoes the last command that had an effect, and the frames since; False where there is none."""
        if not self.can_undo or self.closed:
            self._messages.add("There is nothing to take back", problem=True)
            return False
        checkpoint = self._history.checkpoints.pop()
        earlier = {id(given) for given in self.take.earlier[checkpoint.replayed : self.take.replayed]}
        since = tuple((given, id(given) in earlier) for given in self.take.given[checkpoint.count :])
        self._history.undone.append(UndoneCommands(checkpoint, since, copy.copy(self.keyboard), self.frame.number))
        self._return_to(checkpoint)
        self._messages.add(f"Taken back: {checkpoint.words}")
        return True

    def redo(self) -> bool:
        """Carries out again what was undone last, at the same frames; False where there is nothing."""
        if not self.can_redo or self.closed:
            self._messages.add("There is nothing to do again", problem=True)
            return False
        undone = self._history.undone.pop()
        self._return_to(undone.checkpoint)
        for given, earlier in undone.given:
            while self.frame.number < given.frame:
                self._step()
            if not earlier:
                self.take.given.append(given)
                if isinstance(given.command, (SetPhysics, Push)):
                    self._give_physics(given.command)
                else:
                    self._give_to_stage(given.command)
        while self.frame.number < undone.frame:
            self._step()
        with self._reporting_write_errors():
            self.take.rewind(len(self.take.given), self.take.replayed)
        self._keyboard = undone.keyboard
        self._sync_keyboard()
        self._history.checkpoints.append(undone.checkpoint)
        self._messages.add(f"Done again: {undone.checkpoint.words}")
        return True

    def _checkpoint(self) -> Checkpoint:
        take = self.take
        return Checkpoint(self.stage.snapshot(), copy.copy(self.keyboard), len(take.given), take.replayed, words="")

    def _return_to(self, checkpoint: Checkpoint) -> None:
        self.stage.restore(checkpoint.snapshot)
        if self._physics is not None:
            self._physics = self._new_physics() if self._physics.on else None
        self._keyboard = copy.copy(checkpoint.keyboard)
        with self._reporting_write_errors():
            self.take.rewind(checkpoint.count, checkpoint.replayed)
        entries = self.stage.entries
        self._open = frozenset(entry.number for entry in entries if entry.status in task_log.OPEN)
        begun = {entry.number for entry in entries if entry.start is not None}
        self._costs = {number: costs for number, costs in self._costs.items() if number in begun}
        self._due, self._waiting_for_frame, self._pull = 0.0, False, None

    # ---- the end

    def close(self) -> None:
        """Ends the performance; the take lasts until this frame."""
        if not self._closed:
            self._closed = True
            self.take.close(self.frame.number)

    def performance(self) -> Performance:
        """Everything so far, carried out again; only the parts between record start and stop, if there are any."""
        return self.deferred_performance()()

    def deferred_performance(self) -> Callable[[], Performance]:
        """A function that makes that performance; another thread may call it while this one goes on."""
        from puppet.shows.carry_out import run

        commands = self.take.commands(self.frame.number)
        return partial(run, commands, self._scene, self.draft, self.body, self._gesture_files)


def _seconds(seconds: float) -> float:
    if not (math.isfinite(seconds) and seconds >= 0.0):
        raise PuppetError(f"time passes by a number of seconds from 0 on, not {short(seconds)}")
    return float(seconds)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
