"""Writes commands as key strokes, where the key map has keys for them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import NoReturn

from puppet.command import (
    DEFAULT_FPS,
    At,
    Command,
    Lock,
    Reach,
    SetFps,
    SetInterrupt,
    SetPrimitive,
    Slide,
    Source,
    Task,
    Unlock,
    UseBody,
    UseEnvironment,
    Wait,
)
from puppet.keys.key_map import Action, ChangeSlide, GiveCommand, ReachNumber, ResetSlide, SlideHand, ToggleLock
from puppet.keys.keyboard import Keyboard
from puppet.language import Mistake, ScriptError, format_command
from puppet.types import Vector

MAX_SLIDE_STROKES = 200  # key strokes to set one slide
_PRIMITIVES = ("grip", "speed", "curve", "overlap")


def format_keys(
    commands: Iterable[Command], keyboard: Keyboard, locked: Callable[[], Collection[str]] | None = None
) -> str:
    """The commands as a key-stroke script; a ScriptError for a command without a key.

    `locked` returns the hands that are locked when a command is given; without it the keyboard guesses.

    What the commands do not set is as keys have it from the start: 30 frames, the sine curve.
    Changes the keyboard's settings, on which the keys depend. The environment is not part of such a script.
    """
    return _KeyWriter(keyboard).type(commands, locked)


class _KeyWriter:
    def __init__(self, keyboard: Keyboard) -> None:
        self._keyboard = keyboard
        self._command = Command()  # that is being typed
        self._keys: list[str] = []
        self._lines: list[str] = []
        self._frame = 0

    def type(self, commands: Iterable[Command], locked: Callable[[], Collection[str]] | None) -> str:
        for command in commands:
            self._command = command
            if locked is not None:
                self._keyboard.locked = frozenset(locked())
            self._type(command)
        if self._lines and not self._keys:
            return "\n".join(self._lines[:-1]) + "\n"  # nothing is pressed at the last frame
        return "\n".join([*self._lines, "".join(self._keys)]) + "\n"

    def _type(self, command: Command) -> None:
        match command:
            case UseBody() | UseEnvironment():
                return
            case SetFps():
                if command.fps != DEFAULT_FPS:
                    self._refuse(f"key strokes are played at {DEFAULT_FPS:g} frames a second")
            case At():
                self._at(max(self._frame, command.frame))
            case Wait(frames=None):
                self._refuse("no key waits until all is done; key strokes have fixed frames")
            case Wait(frames=int(frames)):
                self._at(self._frame + frames)
            case Lock() | Unlock():
                self._lock(command)
            case SetInterrupt(on=False):
                if self._keyboard.interrupting:
                    self._set("overlap", self._keyboard.primitives.overlap)
            case SetPrimitive():
                interrupting = self._keyboard.interrupting
                known = command.name in _PRIMITIVES and self._setting(command.name) == command.value
                timed = bool(self._lines) and not self._keys  # a frame of its own, at which the keys may end
                if not known or (timed and self._key_of(command.name, command.value)):
                    self._set(command.name, command.value)
                self._interrupt_as(interrupting)
            case Task():
                self._task(command)
            case _:
                self._press(GiveCommand(_without_source(command)), f"no key means: {format_command(command)}")

    def _at(self, frame: int) -> None:
        if frame == self._frame:
            return
        self._frame = frame
        if self._lines and not self._keys:
            self._lines[-1] = str(frame)  # nothing was pressed at the frame before
            return
        self._lines += ["".join(self._keys), str(frame)]
        self._keys = []

    def _lock(self, command: Lock | Unlock) -> None:
        hand = command.hand
        problem = f"no key locks the {hand} hand"
        if isinstance(command, Unlock) and hand not in self._keyboard.locked:
            self._refuse(f"the {hand} hand is not locked here, and its key would lock it")
        if isinstance(command, Lock) and hand in self._keyboard.locked:
            self._press(ToggleLock(hand), problem)  # a lock on something else: unlock, then lock again
        self._press(ToggleLock(hand), problem)

    def _task(self, task: Task) -> None:
        """Types a task, between the keys that set its primitives and those that reset them."""
        if task.clearance is not None:
            self._refuse("no key sets a clearance")
        before, interrupting = self._keyboard.primitives, self._keyboard.interrupting
        wanted = replace(before, **{n: v for n in _PRIMITIVES if (v := getattr(task, n)) is not None})
        for name in _PRIMITIVES:
            if getattr(wanted, name) != getattr(before, name):
                self._set(name, getattr(wanted, name))
        if task.interrupt and not interrupting:
            self._press(GiveCommand(SetInterrupt(on=True)), "no key interrupts")
        if isinstance(task, Reach):
            self._reach(task)
        elif isinstance(task, Slide):
            self._slide(task)
        else:
            plain = replace(task, speed=None, curve=None, overlap=None, grip=None, interrupt=False)
            self._press(GiveCommand(_without_source(plain)), f"no key means: {format_command(plain)}")
        for name in _PRIMITIVES:
            if getattr(wanted, name) != getattr(before, name):
                self._set(name, getattr(before, name))
        if task.interrupt and not interrupting and self._keyboard.interrupting:
            self._set("overlap", before.overlap)
        self._interrupt_as(interrupting)

    def _interrupt_as(self, before: bool) -> None:
        """Goes on to interrupt, where keys that set an overlap have ended that."""
        if before and not self._keyboard.interrupting:
            self._press(GiveCommand(SetInterrupt(on=True)), "no key interrupts")

    def _reach(self, task: Reach) -> None:
        what = "object" if task.object is not None else "space"
        name = task.object if task.object is not None else task.space
        keyboard = self._keyboard
        for action in keyboard.keymap.actions.values():
            fits = isinstance(action, ReachNumber) and (action.what, action.hand) == (what, task.hand)
            if fits and keyboard.name_of(what, action.number) == name:  # type: ignore[union-attr]
                return self._press(action, "")
        plain = Reach(hand=task.hand, object=task.object, space=task.space)
        self._press(GiveCommand(plain), f"no key means: {format_command(plain)}")

    def _slide(self, task: Slide) -> None:
        if task.turn is None:
            self._refuse("no key slides a hand that keeps its orientation; say how it is turned: turn top")
        turn = self._keyboard.turn_of(task.turn)
        self._step("vector", self._keyboard.slide_by, task.by)
        self._step("turn", self._keyboard.slide_angles, turn)
        self._press(SlideHand(task.hand), f"no key slides the {task.hand} hand")

    def _step(self, what: str, now: Vector, wanted: Vector) -> None:
        """Sets the slide vector or orientation in the steps of the key map."""
        found = [self._steps(what, axis, wanted[axis] - now[axis]) for axis in range(3)]
        if any(steps is None for steps in found):
            self._press(ResetSlide(what), f"no key sets the slide {what} to zero")
            found = [self._steps(what, axis, wanted[axis]) for axis in range(3)]
        shown = f"({', '.join(f'{value:g}' for value in wanted)})"
        for steps in found:
            if steps is None:
                self._refuse(f"the slide {what} {shown} cannot be had in the steps that keys make")
            for action in steps:
                self._press(action, "")

    def _steps(self, what: str, axis: int, way: float) -> list[ChangeSlide] | None:
        """The fewest equal steps along or about an axis; None where no key fits."""
        if abs(way) < 1e-9:
            return []
        best: list[ChangeSlide] | None = None
        for action in self._keyboard.keymap.actions.values():
            if isinstance(action, ChangeSlide) and (action.what, action.axis) == (what, axis) and action.amount:
                for turned in (way, way + 360.0, way - 360.0) if what == "turn" else (way,):
                    count = round(turned / action.amount)
                    fits = 0 < count <= MAX_SLIDE_STROKES and abs(count * action.amount - turned) < 1e-6
                    if fits and (best is None or count < len(best)):
                        best = [action] * count
        return best

    def _setting(self, name: str) -> object:
        return getattr(self._keyboard.primitives, name)

    def _key_of(self, name: str, value: str | float) -> tuple[str, ...]:
        return self._keyboard.keymap.keys_for(GiveCommand(SetPrimitive(name=name, value=value)))

    def _set(self, name: str, value: str | float) -> None:
        self._press(GiveCommand(SetPrimitive(name=name, value=value)), f"no key sets {name} to {value}")

    def _press(self, action: Action, problem: str) -> None:
        keys = self._keyboard.keymap.keys_for(action)
        if not keys:
            self._refuse(problem)
        self._keys.append(keys[0])
        self._keyboard.press(keys[0])

    def _refuse(self, problem: str) -> NoReturn:
        source = self._command.source
        raise ScriptError([Mistake(source.file, source.line, source.column, 1, source.text, problem)])


def _without_source(command: Command) -> Command:
    return replace(command, source=Source())
