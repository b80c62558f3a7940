"""A live performance on a stage: keys in, frames out, every command kept in a take. Time is an argument."""

from __future__ import annotations

import copy
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from puppet.body import Body
from puppet.command import (
    DEFAULT_FPS,
    MAX_FRAME,
    Command,
    Freeze,
    Lock,
    PoseJoint,
    Reach,
    Record,
    SetInterrupt,
    SetPrimitive,
    Task,
    Unlock,
)
from puppet.errors import PuppetError
from puppet.files.shipped import find
from puppet.kernels.loader import load_all
from puppet.keys import Keyboard, load_key_map
from puppet.language import ScriptError, format_command, read_command
from puppet.performance import Performance
from puppet.scene import Scene, load_environment
from puppet.shows.earlier_take import EarlierTake, read_pass
from puppet.shows.live_tables import COSTS
from puppet.shows.live_view import LiveView
from puppet.shows.messages import Speech, doing, refusal
from puppet.shows.take import Given, Take
from puppet.stage import Entry, Snapshot, Stage, task_log
from puppet.types import Vector

TEMPOS = (1.0, 0.5, 0.25)
CAUGHT_UP = 0.25  # seconds that one call of `advance` catches up at most: after a stall the puppet does not race
MAX_FPS = 1000  # more than any screen shows, and the puppet is still in time
UNDO = 1000  # commands that can be taken back
_LIVE = (Task, PoseJoint, Lock, Unlock, Freeze, SetPrimitive, SetInterrupt, Record)  # what a stage can be given


@dataclass(frozen=True)
class _Before:
    """How everything was before a command."""

    snapshot: Snapshot
    keyboard: Keyboard
    count: int  # commands in the take
    passed: int  # commands of the earlier take
    words: str  # of the command


@dataclass(frozen=True)
class _Undone:
    """What was taken back: the commands since, and the frame that had been reached."""

    before: _Before
    given: tuple[tuple[Given, bool], ...]  # whether it was the earlier take's
    keyboard: Keyboard
    frame: int


class Live(LiveView):
    """Give commands, tell how much time has passed, read what is to be shown."""

    def __init__(
        self,
        environment: Scene | str | Path | None = None,
        *,
        body: Body | None = None,
        gestures: Iterable[str | Path] = (),
        keymap: str | Path = "thesis",
        draft: bool = False,
        fps: float | None = None,
        take: str | Path | None = None,
        under: str | Path | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """`environment`: a scene, or a file by its name or path; may be left out where `under` names one.

        `take`: the script that every command is written to. `under`: an earlier take that is given at its frames
        meanwhile; what is saved is both. `fps`: 30, or what the earlier take says. `clock` measures for the statistics.
        """
        self.body = body or Body.load()
        self.draft = draft
        self._gesture_files = tuple(gestures)
        path = environment if isinstance(environment, (str, Path)) else None
        named = None if path is None else find("environments", path)
        first = None
        if under is not None:
            first = read_pass(under, named or environment, self.body, self._gesture_files, draft)
            named = named or first.environment
        self._scene = _scene(named or environment, first, self.body)
        self.fps = _good_fps(fps if fps is not None else first.fps if first else DEFAULT_FPS)
        self._clock = clock or (lambda: 0.0)
        self.stage = Stage(self._scene, self.body, self._gesture_files, draft, clock=clock)
        self.keyboard = Keyboard.for_scene(load_key_map(keymap, self.stage.gestures.names), self._scene)
        _warm_up(self.stage)
        self.paused = False
        self.closed = False
        self.unwritten = ""  # why the last command is not on disk
        self._tempo = 1.0
        self._due = 0.0  # frames of time that have passed and were not stepped
        self._waiting_for_frame = False  # a command was given to a stage at rest: the next call steps at once
        self._speech = Speech()
        self._before: deque[_Before] = deque(maxlen=UNDO)
        self._undone: list[_Undone] = []
        self._open = frozenset()
        self._costs = {}
        _refuse_to_overwrite(take, under)
        remark = _remark(draft, body, self._gesture_files)
        ahead, least = (first.given, first.end) if first else ((), 0)
        self.take = Take(take, named, self.fps, ahead, least, remark)
        self._give_ahead()

    # ---- commands

    def press(self, key: str) -> tuple[Entry, ...]:
        """A key of the key map: what it gave, if anything."""
        commands = self.keyboard.press(key, self.stage.locks)
        if not commands:
            self._speech.say(_capital(self.keyboard.message), bool(self.keyboard.problem))
            return ()
        return self._perform(commands)

    def give(self, command: Command | str) -> tuple[Entry, ...]:
        """A command, or a line of the language. What cannot be done is said."""
        if isinstance(command, str):
            try:
                command = read_command(command, self.stage.gestures, self._scene, self.body, self.fps)
            except ScriptError as error:
                self._speech.say(_capital(error.mistakes[0].message), problem=True)
                return ()
        return self._perform((command,))

    def reach(self, *, object: str | None = None, space: str | None = None, hand: str | None = None) -> None:
        """A hand to an object or to a space; without a hand, the one that is nearer."""
        if (object is None) == (space is None):
            raise PuppetError("a reach goes to an object or to a space: name one of the two")
        if hand is None:
            hand = self._nearer(object, space)
        self._perform((Reach(hand=hand, object=object, space=space),))

    def pose(self, joint: str, angles: Vector) -> None:
        """A joint turned directly, in degrees about its x, y and z axes."""
        self._perform((PoseJoint(joint=joint, angles=angles),))

    def set_slide(self, by: Vector | None = None, turn: Vector | None = None) -> None:
        """The slide vector or the slide orientation (degrees) for the next slide, as a slider sets them."""
        self.keyboard.set_slide(by, turn)

    def freeze(self) -> None:
        """Drop everything, stop now."""
        self._perform((Freeze(),))

    def _perform(self, commands: Iterable[Command]) -> tuple[Entry, ...]:
        """Gives commands that belong together: they are taken back together."""
        try:
            given = [self._as_written(command) for command in commands]
        except PuppetError as error:
            mistakes = getattr(error, "mistakes", ())
            self._speech.say(_capital(mistakes[0].message if mistakes else str(error)), problem=True)
            return ()
        if self.closed:
            raise PuppetError("the performance is over: nothing more can be given")
        if self.frame.number >= MAX_FRAME:
            self._speech.say(f"The take is full: it has {MAX_FRAME:,} frames", problem=True)
            return ()
        before = self._now("")
        rest = self.stage.idle
        with self._told_if_not_written():
            self.take.add(self.frame.number, given)  # on disk before anything comes of it
        entries = [self._hear(command) for command in given]
        if any(entry.status != task_log.REJECTED for entry in entries):  # what changes nothing need not be taken back
            self._before.append(replace(before, words=entries[-1].interpretation))
            self._undone.clear()
        self._waiting_for_frame = self._waiting_for_frame or (rest and self.stage.pending)
        self._tell(entries[-1])
        if self.unwritten:
            self._speech.say(self.unwritten, problem=True)
        return tuple(entries)

    @contextmanager
    def _told_if_not_written(self) -> Iterator[None]:
        """A full disk does not stop the performance: it is said, and the next command writes everything again."""
        try:
            yield
            self.unwritten = ""
        except PuppetError as error:
            self.unwritten = f"The take is not on disk: {error}"

    def _as_written(self, command: Command) -> Command:
        """The command as the take will say it, so that live and replay are told the very same."""
        if not isinstance(command, _LIVE):
            raise PuppetError(f"'{format_command(command)}' belongs in a script: live, time passes by itself")
        return read_command(format_command(command), self.stage.gestures, self._scene, self.body, self.fps)

    def _hear(self, command: Command) -> Entry:
        entry = self.stage.give(command)
        if entry.status == task_log.WAITING:
            self._open |= {entry.number}
        if isinstance(command, SetPrimitive) and command.name == "grip" and entry.status == task_log.DONE:
            self.keyboard.set_slide(turn=self.keyboard.turn_of(str(command.value)))  # Table 7.1: it goes with the grip
        self._agree()
        return entry

    def _agree(self) -> None:
        """The keyboard knows what the stage knows, whoever said it."""
        stage, keyboard = self.stage, self.keyboard
        keyboard.primitives, keyboard.interrupting = stage.primitives, stage.interrupting
        keyboard.recording, keyboard.locked = stage.recording, frozenset(stage.locks)

    def _tell(self, entry: Entry) -> None:
        if entry.status == task_log.REJECTED:
            self._speech.say(refusal(entry), problem=True)
        elif entry.status in task_log.OPEN:
            alone = len(self._open) == 1
            self._speech.say(doing(entry) if alone else f"Next: {refusal(entry)}")
        else:
            self._speech.say(refusal(entry))

    def _nearer(self, object: str | None, space: str | None) -> str:
        scene = self.stage.planned
        target = scene.centre(object) if object is not None else scene.space(str(space)).position
        hands = self.stage.hands
        free = [hand for hand in hands if hand != space] or list(hands)
        return min(free, key=lambda hand: (float(np.linalg.norm(hands[hand].position - np.array(target))), hand))

    # ---- the earlier take

    def _give_ahead(self) -> None:
        """What the earlier take has for this frame."""
        while given := self.take.next_at(self.frame.number):
            self._tell(self._hear(given.command))

    # ---- time

    @property
    def tempo(self) -> float:
        """How fast time passes on stage."""
        return self._tempo

    @tempo.setter
    def tempo(self, tempo: float) -> None:
        if tempo not in TEMPOS:
            raise PuppetError(f"a tempo is one of {', '.join(f'{value:g}' for value in TEMPOS)}, not {tempo!r}")
        self._tempo = tempo

    def advance(self, seconds: float) -> int:
        """Lets time pass; returns how many frames were stepped."""
        if not (math.isfinite(seconds) and seconds >= 0.0):
            raise PuppetError(f"time passes by a number of seconds from 0 on, not {seconds!r}")
        self._speech.advance(seconds)
        if self.paused or self.closed:
            return 0
        self._due += min(seconds, CAUGHT_UP) * self._tempo * self.fps
        if self._waiting_for_frame:  # at rest it cannot be seen that the frame comes early
            self._due = max(self._due, 1.0)
        count = math.floor(self._due + 1e-9)
        for done in range(count):
            if not self._step():
                self._due = 0.0
                return done
        self._due = max(0.0, self._due - count)
        return count

    def step_once(self) -> None:
        """One frame, whether paused or not."""
        if not self.closed:
            self._step()

    def _step(self) -> bool:
        if self.frame.number >= MAX_FRAME:
            return False
        self._waiting_for_frame = False
        before = dict(self.stage.timing)
        self.stage.step()
        self._watch(tuple(self.stage.timing[part] - before[part] for part in COSTS))
        self._give_ahead()
        return True

    def _watch(self, costs: tuple[float, ...]) -> None:
        """Says what begins and what went wrong."""
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
            if begins and self._speech.last.text != doing(entry):
                self._speech.say(doing(entry))
            if entry.status == task_log.MISSED:
                self._speech.say(refusal(entry), problem=True)
        self._open = frozenset(still)

    # ---- undo and redo

    @property
    def can_undo(self) -> bool:
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        return bool(self._undone)

    def undo(self) -> bool:
        """Takes back the last command that did something, and the frames since. Whether there was one."""
        if not self._before or self.closed:
            self._speech.say("There is nothing to take back", problem=True)
            return False
        before = self._before.pop()
        earlier = {id(given) for given in self.take.earlier[before.passed : self.take.passed]}
        since = tuple((given, id(given) in earlier) for given in self.take.given[before.count :])
        self._undone.append(_Undone(before, since, copy.copy(self.keyboard), self.frame.number))
        self._return_to(before)
        self._speech.say(f"Taken back: {before.words}")
        return True

    def redo(self) -> bool:
        """What was taken back last happens again, with the frames that it had. Whether there was something."""
        if not self._undone or self.closed:
            self._speech.say("There is nothing to do again", problem=True)
            return False
        undone = self._undone.pop()
        self._return_to(undone.before)
        for given, earlier in undone.given:
            while self.frame.number < given.frame:
                self._step()
            if not earlier:
                self.take.given.append(given)
                self._hear(given.command)
        while self.frame.number < undone.frame:
            self._step()
        with self._told_if_not_written():
            self.take.back_to(len(self.take.given), self.take.passed)
        self.keyboard = undone.keyboard
        self._agree()
        self._before.append(undone.before)
        self._speech.say(f"Done again: {undone.before.words}")
        return True

    def _now(self, words: str) -> _Before:
        take = self.take
        return _Before(self.stage.snapshot(), copy.copy(self.keyboard), len(take.given), take.passed, words)

    def _return_to(self, before: _Before) -> None:
        self.stage.restore(before.snapshot)
        self.keyboard = copy.copy(before.keyboard)
        with self._told_if_not_written():
            self.take.back_to(before.count, before.passed)
        entries = self.stage.entries
        self._open = frozenset(entry.number for entry in entries if entry.status in task_log.OPEN)
        begun = {entry.number for entry in entries if entry.start is not None}
        self._costs = {number: costs for number, costs in self._costs.items() if number in begun}
        self._due, self._waiting_for_frame = 0.0, False

    # ---- the end

    def close(self) -> None:
        """Ends the performance: the take is as long as it was."""
        if not self.closed:
            self.closed = True
            self.take.close(self.frame.number)

    def performance(self) -> Performance:
        """Everything so far, carried out again; only what is between record start and stop, where that was said."""
        return self.so_far()()

    def so_far(self) -> Callable[[], Performance]:
        """How to make that performance: it may be called in another thread, whatever happens here meanwhile."""
        from puppet.shows.carry_out import run

        commands = self.take.commands(self.frame.number)
        return partial(run, commands, self._scene, self.draft, self.body, self._gesture_files)


def _scene(environment: Scene | str | Path | None, first: EarlierTake | None, body: Body) -> Scene:
    if first is not None:
        return first.scene
    if environment is None:
        raise PuppetError("a performance needs an environment: a file, or one that comes with puppet, such as 'blocks'")
    return environment if isinstance(environment, Scene) else load_environment(environment, body.hands)


def _good_fps(fps: float) -> float:
    if not 1.0 <= fps <= MAX_FPS:
        raise PuppetError(f"a performance has from 1 to {MAX_FPS} frames a second, not {fps!r}")
    return float(fps)


def _remark(draft: bool, body: Body | None, gestures: Iterable[str | Path]) -> str:
    """What the language cannot say, and who carries the take out has to give."""
    told = ["as a draft"] if draft else []
    told += [f"with the body '{body.name}'"] if body is not None and body.name != Body.load().name else []
    told += [f"with the gestures of {path}" for path in gestures]
    return f"Performed {', '.join(told)}: carry it out so." if told else ""


def _refuse_to_overwrite(take: str | Path | None, under: str | Path | None) -> None:
    """An earlier performance is not lost because a name was used twice."""
    if take is None or not Path(take).is_file() or Path(take).stat().st_size == 0:
        return
    if under is not None and Path(take).resolve() == find("scripts", Path(under)).resolve():
        return
    raise PuppetError(f"'{take}' is there already; choose another name for the take, or perform on top of it")


def _warm_up(stage: Stage) -> None:
    """Loads what is compiled, so that the first key is answered as fast as the others. Leaves no trace."""
    load_all()
    before, timing = stage.snapshot(), dict(stage.timing)
    scene = stage.scene
    for hand in stage.body.hands:
        spaces = [space.name for space in scene.spaces if space.name != hand]
        for command in (*(Reach(hand=hand, space=name) for name in spaces[:1]), Lock(hand=hand), Freeze()):
            stage.give(read_command(format_command(command), stage.gestures, scene, stage.body))
            stage.step()
    stage.restore(before)
    stage.timing.update(timing)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
