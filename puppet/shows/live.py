"""A live performance: keys and commands in, frames out, every command written to a take. Time is an argument."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from puppet.arguments import check_fields, listed, public_class, short
from puppet.body import Body
from puppet.command import (
    DEFAULT_FPS,
    MAX_FRAME,
    Command,
    Freeze,
    Lock,
    Pin,
    PoseJoint,
    Push,
    Reach,
    SetPhysics,
    SetPrimitive,
    Unpin,
)
from puppet.errors import PuppetError
from puppet.files.shipped import find
from puppet.keys import DEFAULT_KEY_MAP, Keyboard, load_key_map
from puppet.language import ScriptError
from puppet.performance import Performance
from puppet.scene import Scene, usual_body
from puppet.shows.earlier_take import read_earlier_take
from puppet.shows.frame_clock import FrameClock
from puppet.shows.live_setup import live_fps, live_scene, refuse_to_overwrite, shipped_name, take_comment, warm_up
from puppet.shows.live_tables import COSTS
from puppet.shows.live_view import LiveView
from puppet.shows.messages import Message, Messages, describe_outcome
from puppet.shows.physics_switch import PhysicsSwitch
from puppet.shows.progress import Progress
from puppet.shows.pull import Pull, rounded
from puppet.shows.take import Take
from puppet.shows.undo import Checkpoint, UndoHistory, UndoneCommands
from puppet.shows.written import Written, name_problem
from puppet.stage import Entry, Stage, task_log
from puppet.types import Vector


@public_class
class Live(LiveView):
    """Takes commands with `press` and `give`, lets time pass with `advance`; what to show is in LiveView."""

    draft: bool
    body_is_named: bool

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
        self._gesture_files = listed(gestures, (str, Path))
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
        self._clock = FrameClock(self.fps)
        self._messages = Messages()
        self._progress = Progress(self._messages)
        self._written = Written(self.stage.gestures, self._scene, self.body, self.fps)
        self._history = UndoHistory()
        self._pull: Pull | None = None
        self._physics = PhysicsSwitch(self.body, self._scene, self.fps)
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
                command = self._written.read(command)
            except ScriptError as error:
                mistake = error.mistakes[0]
                words = f"{mistake.message}; {mistake.hint}" if mistake.hint else mistake.message
                self._messages.add(_capital(words), problem=True)
                return ()
        return self._perform((command,))

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
            given = [self._written.again(command) for command in commands]
        except PuppetError as error:
            self._tell(error)
            return ()
        problem = self._problem(given)
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
        outcomes = [self._carry_out(command) for command in given]
        changed = any(isinstance(found, Message) or found.status != task_log.REJECTED for found in outcomes)
        if changed and not again:  # what changes nothing need not be undone
            self._history.record(replace(checkpoint, words=_words(outcomes[-1])))
        if at_rest and self.stage.pending:
            self._clock.hasten()
        self._report(outcomes[-1])
        if self.write_problem:
            self._messages.add(self.write_problem, problem=True)
        return tuple(found for found in outcomes if isinstance(found, Entry))

    def _problem(self, commands: Iterable[Command]) -> str:
        """Why commands cannot be given: a task's name twice, or one that is not known; no physics."""
        for command in commands:
            if isinstance(command, (SetPhysics, Push)) and (
                problem := self._physics.problem(command, self.frame.angles)
            ):
                return problem
        return name_problem(commands, (timed.command for timed in (*self.take.given, *self.take.upcoming)))

    def _carry_out(self, command: Command) -> Entry | Message:
        """Has a command have its effect; what became of it on stage, or a message where it is about physics."""
        if isinstance(command, (SetPhysics, Push)):
            return self._physics.give(command, self.frame.angles)
        return self._give_to_stage(command)

    def _report(self, found: Entry | Message) -> None:
        if isinstance(found, Entry):
            self._progress.report(found)
        else:
            self._messages.add(found.text, found.problem)

    @contextmanager
    def _reporting_write_errors(self) -> Iterator[None]:
        """A full disk does not stop the performance: a message says so, and the next command writes the whole take."""
        try:
            yield
            self._write_problem = ""
        except PuppetError as error:
            self._write_problem = f"The take is not on disk: {error}"

    def _tell(self, error: PuppetError) -> None:
        """Says why a command was not given."""
        mistakes = getattr(error, "mistakes", ())
        self._messages.add(_capital(mistakes[0].message if mistakes else str(error)), problem=True)

    def _give_to_stage(self, command: Command) -> Entry:
        entry = self.stage.give(command)
        self._progress.given(entry)
        if isinstance(command, SetPrimitive) and command.name == "grip" and entry.status == task_log.DONE:
            self.keyboard.set_slide(turn=self.keyboard.turn_of(str(command.value)))  # Table 7.1: it follows the grip
        self._sync_keyboard()
        return entry

    def _sync_keyboard(self) -> None:
        """Copies to the keyboard what the stage has set: commands need not come from keys."""
        stage, keyboard = self.stage, self.keyboard
        keyboard.primitives, keyboard.interrupting = stage.primitives, stage.interrupting
        keyboard.recording, keyboard.locked = stage.recording, frozenset(stage.locks)

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
            self._report(self._carry_out(given.command))

    # ---- time

    @property
    def tempo(self) -> float:
        """How fast time passes on stage."""
        return self._clock.tempo

    @tempo.setter
    def tempo(self, tempo: float) -> None:
        self._clock.tempo = tempo

    @property
    def paused(self) -> bool:
        """Whether time stands still on stage."""
        return self._paused

    @paused.setter
    def paused(self, paused: bool) -> None:
        if not isinstance(paused, bool):
            raise PuppetError(f"a performance is paused or not, True or False, not {short(paused)}")
        self._paused = paused

    def wait(self, seconds: float) -> None:
        """Lets time pass that is none on stage: messages go, as they do when they have been read."""
        self._messages.advance(_seconds(seconds))

    def advance(self, seconds: float) -> int:
        """Lets time pass; returns how many frames were stepped."""
        seconds = _seconds(seconds)
        self._messages.advance(seconds)
        if self.paused or self.closed:
            return 0
        count = self._clock.frames(seconds)
        for done in range(count):
            if not self._step():
                self._clock.reset()
                return done
        return count

    def step_once(self) -> None:
        """Steps one frame, paused or not."""
        if not self.closed:
            self._step()

    def _step(self) -> bool:
        if self.frame.number >= MAX_FRAME:
            return False
        self._clock.stepped()
        self._give_pull()
        before = dict(self.stage.timing)
        self.stage.step()
        if self._physics.step(self.frame.angles):
            self._messages.add("It fell; physics off lets it stand again", problem=True)
        costs = tuple(self.stage.timing[part] - before[part] for part in COSTS)
        silent = None if self._pull is None else self._pull.task
        self._progress.step(self.stage.entries, self.frame.number, costs, silent)
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

    # ---- undo and redo

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
                self._carry_out(given.command)
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
        take, keyboard = self.take, copy.copy(self.keyboard)
        return Checkpoint(self.stage.snapshot(), keyboard, len(take.given), take.replayed, self.physics, words="")

    def _return_to(self, checkpoint: Checkpoint) -> None:
        self.stage.restore(checkpoint.snapshot)
        self._physics.restart(checkpoint.physics, self.frame.angles)
        self._keyboard = copy.copy(checkpoint.keyboard)
        with self._reporting_write_errors():
            self.take.rewind(checkpoint.count, checkpoint.replayed)
        self._progress.rewind(self.stage.entries)
        self._clock.reset()
        self._pull = None

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


def _words(found: Entry | Message) -> str:
    return found.interpretation if isinstance(found, Entry) else found.text


def _seconds(seconds: float) -> float:
    if not (math.isfinite(seconds) and seconds >= 0.0):
        raise PuppetError(f"time passes by a number of seconds from 0 on, not {short(seconds)}")
    return float(seconds)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
