"""What a script says, as small data classes that know where they stand. Nothing here is judged."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from puppet.language.mistake import Mistake

_WORDS = re.compile(r'(?:[^"#]|"[^"]*")*')


@dataclass(frozen=True)
class Place:
    """Where something stands: line and column count from 1, the length is in characters."""

    line: int
    column: int
    length: int


@dataclass(frozen=True)
class Atom:
    """A word, a number, or a name in quotes (`text` is without them). Only a word can be a parameter."""

    text: str
    kind: str  # word, number, string
    place: Place


@dataclass(frozen=True)
class Vector:
    """Values in brackets."""

    items: tuple[Atom, ...]
    place: Place


Value = Atom | Vector


@dataclass(frozen=True)
class Option:
    """A motion primitive for one task alone."""

    name: Atom
    value: Value


@dataclass(frozen=True)
class Statement:
    """One line. `place` is that of its first word."""

    place: Place


@dataclass(frozen=True)
class Environment(Statement):
    path: Atom


@dataclass(frozen=True)
class Fps(Statement):
    value: Value


@dataclass(frozen=True)
class Set(Statement):
    name: Atom
    value: Value


@dataclass(frozen=True)
class TaskStatement(Statement):
    """A line that moves a hand."""

    hand: Atom
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Reach(TaskStatement):
    what: str  # object, space, hand: the space of a hand
    target: Atom


@dataclass(frozen=True)
class Slide(TaskStatement):
    by: Value
    turn: Value | None


@dataclass(frozen=True)
class Perform(TaskStatement):
    """A gesture by its words; `named`: behind the word `perform`."""

    words: tuple[Atom, ...]
    named: bool


@dataclass(frozen=True)
class Pose(Statement):
    joint: Atom
    at: Value
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Lock(Statement):
    hand: Atom


@dataclass(frozen=True)
class Unlock(Statement):
    hand: Atom


@dataclass(frozen=True)
class Freeze(Statement):
    pass


@dataclass(frozen=True)
class Interrupt(Statement):
    task: TaskStatement


@dataclass(frozen=True)
class At(Statement):
    value: Value


@dataclass(frozen=True)
class Wait(Statement):
    value: Value | None  # None: until done


@dataclass(frozen=True)
class Record(Statement):
    on: bool


@dataclass(frozen=True)
class Define(Statement):
    name: Atom
    parameters: tuple[Atom, ...]
    body: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class Repeat(Statement):
    count: Value
    body: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class End(Statement):
    pass


@dataclass(frozen=True)
class Call(Statement):
    name: Atom
    arguments: tuple[Value, ...]


@dataclass(frozen=True)
class Script:
    """A whole file as it was read: what could be understood, and the mistakes in its form."""

    name: str
    lines: tuple[str, ...]
    statements: tuple[Statement, ...]
    definitions: Mapping[str, Define]
    mistakes: tuple[Mistake, ...]
    environment: str | None
    fps: float

    def line(self, number: int) -> str:
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""

    def words(self, number: int) -> str:
        """A line without the blanks around it and without its comment."""
        match = _WORDS.match(self.line(number))
        return match.group().strip() if match else ""
