"""Single statements of the task language, read by hand: what a stage hears. Blocks are the grammar's business."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import NoReturn

from puppet.command import (
    GRIPS,
    MAX_FRAME,
    MAX_SPEED,
    OVERLAPS,
    At,
    Command,
    Freeze,
    Lock,
    Perform,
    Reach,
    Record,
    SetFps,
    SetInterrupt,
    SetPrimitive,
    Slide,
    Source,
    Task,
    Unlock,
    UseEnvironment,
    Vector,
    Wait,
)
from puppet.curves import CURVES
from puppet.errors import FileError, did_you_mean
from puppet.scene import HANDS

DEFAULT_FPS = 30.0
_TOKEN = re.compile(r'\s*(?:(?P<string>"[^"]*")|(?P<word>[A-Za-z0-9_.+\-]+)|(?P<sign>[(),]))')
_CHOICES = {"grip": GRIPS, "curve": tuple(CURVES), "overlap": OVERLAPS}
_VERBS = (
    "environment", "fps", "set", "reach", "slide", "perform", "lock", "unlock", "freeze", "interrupt", "at", "wait",
    "record",
)  # fmt: skip


def read_lines(text: str, gestures: Iterable[str], file: str = "script") -> list[Command]:
    """The commands of a script of single lines."""
    gestures = tuple(gestures)
    commands: list[Command] = []
    fps = DEFAULT_FPS
    for number, line in enumerate(text.splitlines(), 1):
        if not line.split("#")[0].strip() and '"' not in line:
            continue
        reader = _Line(line, gestures, Source(number, 1, file, line.strip()), fps)
        if reader.empty:
            continue
        command = reader.statement()
        if isinstance(command, SetFps):
            fps = command.fps
        commands.append(command)
    return commands


def read_line(text: str, gestures: Iterable[str], fps: float = DEFAULT_FPS) -> Command:
    """One command."""
    return _Line(text, tuple(gestures), Source(0, 1, "", text.strip()), fps).statement()


class _Line:
    """One line on its way to become a command."""

    def __init__(self, line: str, gestures: tuple[str, ...], source: Source, fps: float) -> None:
        self._gestures, self._source, self._fps = gestures, source, fps
        self._tokens: list[tuple[str, int, bool]] = []  # text, column, quoted
        at = 0
        while at < len(line) and not re.match(r"\s*(#|$)", line[at:]):
            match = _TOKEN.match(line, at)
            if match is None:
                column = at + len(line[at:]) - len(line[at:].lstrip()) + 1
                raise self._error(f"'{line[column - 1]}' does not belong here", column)
            quoted = match.group("string")
            word = quoted[1:-1] if quoted else match.group("word") or match.group("sign")
            self._tokens.append((word, match.start(match.lastgroup or 0) + 1, bool(quoted)))
            at = match.end()
        self._length = len(line)
        self._at = 0

    @property
    def empty(self) -> bool:
        return not self._tokens

    def statement(self) -> Command:
        if self.empty:
            self._fail("expected a command, found nothing")
        command = self._statement()
        if self._at < len(self._tokens):
            self._fail(f"'{self._peek()}' is too much here")
        return replace(command, source=self._source)

    def _statement(self) -> Command:
        gesture = self._gesture()
        if gesture:
            return self._task(Perform(hand=self._with_hand(), gesture=gesture))
        verb = self._next("a command", _VERBS)
        if verb == "environment":
            return UseEnvironment(path=self._next("a file"))
        if verb == "fps":
            return SetFps(fps=self._number("frames a second", 1e-3, 1e5))
        if verb == "set":
            return self._set()
        if verb == "reach":
            return self._reach()
        if verb == "slide":
            return self._slide()
        if verb == "perform":
            found = self._gesture()
            if not found:
                self._fail(f"unknown gesture '{self._peek()}'; {did_you_mean(self._peek(), self._gestures)}")
            return self._task(Perform(hand=self._with_hand(), gesture=found))
        if verb in ("lock", "unlock"):
            return Lock(hand=self._hand()) if verb == "lock" else Unlock(hand=self._hand())
        if verb == "freeze":
            return Freeze()
        if verb == "interrupt":
            command = self._statement()
            if not isinstance(command, Task):
                self._fail("only a task can interrupt")
            return replace(command, interrupt=True)
        if verb == "at":
            return At(frame=self._frames(0, MAX_FRAME))
        if verb == "wait":
            if self._accept("until"):
                self._next("'done'", ("done",))
                return Wait(frames=None)
            return Wait(frames=self._frames(0, MAX_FRAME))
        return Record(on=self._next("start or stop", ("start", "stop")) == "start")

    def _set(self) -> Command:
        name = self._next("a primitive", (*_CHOICES, "speed", "interrupt"))
        if name == "speed":
            return SetPrimitive(name=name, value=self._frames(1))
        if name == "interrupt":
            return SetInterrupt(on=self._next("on or off", ("on", "off")) == "on")
        return SetPrimitive(name=name, value=self._next(f"a {name}", _CHOICES[name]))

    def _reach(self) -> Command:
        self._accept("the")
        word = self._peek()
        following = self._tokens[self._at + 1][0] if self._at + 1 < len(self._tokens) else ""
        if word == "space" and following not in ("with", ""):
            self._at += 1
            space = self._next("a space")
            return self._task(Reach(space=space, hand=self._with_hand()))
        if word in HANDS and following == "space":
            self._at += 2
            return self._task(Reach(space=word, hand=self._with_hand()))
        thing = self._next("an object or a space")
        return self._task(Reach(object=thing, hand=self._with_hand()))

    def _slide(self) -> Command:
        hand = self._hand()
        self._next("'by'", ("by",))
        by = self._vector()
        turn: str | Vector | None = None
        if self._accept("turn"):
            turn = self._vector() if self._peek() == "(" else self._next("a grip or three angles", GRIPS)
        return self._task(Slide(hand=hand, by=by, turn=turn))

    def _task(self, task: Task) -> Task:
        """The primitives for this task alone."""
        known = ("speed", "curve", "overlap", *(("grip",) if isinstance(task, Reach) else ()))
        while self._accept(","):
            name = self._next("a primitive", known)
            value: str | int = self._frames(1) if name == "speed" else self._next(f"a {name}", _CHOICES[name])
            task = replace(task, **{name: value})  # type: ignore[arg-type]
        return task

    def _gesture(self) -> str:
        """The longest gesture's name that stands here."""
        rest = [word for word, _, _ in self._tokens[self._at :]]
        for name in sorted(self._gestures, key=len, reverse=True):
            words = name.split()
            if rest[: len(words)] == words:
                self._at += len(words)
                return name
        if rest and self._tokens[self._at][2] and rest[0] in self._gestures:
            self._at += 1
            return rest[0]
        return ""

    def _with_hand(self) -> str:
        self._next("'with'", ("with",))
        return self._hand()

    def _hand(self) -> str:
        self._accept("the")
        hand = self._next("a hand", HANDS)
        self._accept("hand")
        return hand

    def _vector(self) -> Vector:
        self._next("'('", ("(",))
        x = self._number("a number")
        self._next("','", (",",))
        y = self._number("a number")
        self._next("','", (",",))
        z = self._number("a number")
        self._next("')'", (")",))
        return x, y, z

    def _number(self, what: str, least: float = -1e6, most: float = 1e6) -> float:
        word = self._next(what)
        try:
            value = float(word)
        except ValueError:
            value = float("nan")
        if not least <= value <= most:
            self._at -= 1
            self._fail(f"expected {what}, found '{word}'")
        return value

    def _frames(self, least: int, most: int = MAX_SPEED) -> int:
        """A number of frames, or of seconds with an s behind it."""
        word = self._next("a number of frames")
        seconds = word.endswith("s")
        try:
            value = float(word[:-1]) * self._fps if seconds else float(word)
        except ValueError:
            value = float("nan")
        if not (least <= value <= most and (seconds or value == int(value))):
            self._at -= 1
            self._fail(f"expected whole frames from {least} to {most}, or seconds (1.5s); found '{word}'")
        return max(least, round(value))

    def _peek(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _accept(self, word: str) -> bool:
        if self._peek() == word:
            self._at += 1
            return True
        return False

    def _next(self, what: str, known: tuple[str, ...] = ()) -> str:
        if self._at >= len(self._tokens):
            self._fail(f"expected {what}, found the end of the line")
        word = self._peek()
        if known and word not in known:
            names = known if what != "a command" else (*known, *self._gestures)
            self._fail(f"expected {what}, found '{word}'; {did_you_mean(word, names)}")
        if not known and word in ("(", ")", ","):
            self._fail(f"expected {what}, found '{word}'")
        self._at += 1
        return word

    def _fail(self, message: str) -> NoReturn:
        column = self._tokens[self._at][1] if self._at < len(self._tokens) else self._length + 1
        raise self._error(message, column)

    def _error(self, message: str, column: int) -> FileError:
        where = f"{self._source.file}:{self._source.line}:{column}: " if self._source.line else ""
        return FileError(f"{where}{message}")
