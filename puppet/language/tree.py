"""The syntax tree of a script: small data classes with their locations. Nothing here is checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from puppet.language.mistake import Mistake

_WORDS = re.compile(r'(?:[^"#]|"[^"]*")*')


@dataclass(frozen=True)
class Span:
    """A location in a text: line and column from 1, length in characters."""

    line: int
    column: int
    length: int


@dataclass(frozen=True)
class Atom:
    """A word, a number, or a quoted name (`text` is without the quotes). Only a word can be a parameter."""

    text: str
    kind: str  # word, number, string
    place: Span


@dataclass(frozen=True)
class VectorNode:
    """Values in brackets."""

    items: tuple[Atom, ...]
    place: Span


Value = Atom | VectorNode


@dataclass(frozen=True)
class TaskOption:
    """A motion primitive for one task alone."""

    name: Atom
    value: Value


@dataclass(frozen=True)
class Statement:
    """One line. `place` is the location of its first word."""

    place: Span


@dataclass(frozen=True)
class EnvironmentStatement(Statement):
    path: Atom


@dataclass(frozen=True)
class BodyStatement(Statement):
    path: Atom


@dataclass(frozen=True)
class FpsStatement(Statement):
    value: Value


@dataclass(frozen=True)
class SetStatement(Statement):
    name: Atom
    value: Value


@dataclass(frozen=True)
class TaskStatement(Statement):
    """A line that moves a hand."""

    hand: Atom
    options: tuple[TaskOption, ...]


@dataclass(frozen=True)
class ReachStatement(TaskStatement):
    what: str  # object, space, hand: the space of a hand
    target: Atom


@dataclass(frozen=True)
class SlideStatement(TaskStatement):
    by: Value
    turn: Value | None


@dataclass(frozen=True)
class PerformStatement(TaskStatement):
    """A gesture by its words; `named`: after the word `perform`."""

    words: tuple[Atom, ...]
    named: bool


@dataclass(frozen=True)
class PoseStatement(Statement):
    joint: Atom
    at: Value
    options: tuple[TaskOption, ...]


@dataclass(frozen=True)
class PinStatement(Statement):
    part: tuple[Atom, ...]  # its words
    to: Value | None
    options: tuple[TaskOption, ...]


@dataclass(frozen=True)
class UnpinStatement(Statement):
    part: tuple[Atom, ...]


@dataclass(frozen=True)
class DragStatement(Statement):
    part: tuple[Atom, ...]
    to: Value | None  # one of the two
    by: Value | None
    options: tuple[TaskOption, ...]


@dataclass(frozen=True)
class TravelStatement(Statement):
    """The whole body goes, turns, sits down and so on."""

    verb: str  # the first word
    to: Value | None
    options: tuple[TaskOption, ...]
    by: Value | None = None
    foot: tuple[Atom, ...] = ()  # its words: `left`, `left foot`


@dataclass(frozen=True)
class BalanceStatement(Statement):
    value: Atom


@dataclass(frozen=True)
class PushStatement(Statement):
    part: tuple[Atom, ...]
    by: Value
    frames: Value


@dataclass(frozen=True)
class PhysicsStatement(Statement):
    value: Atom


@dataclass(frozen=True)
class LockStatement(Statement):
    hand: Atom


@dataclass(frozen=True)
class UnlockStatement(Statement):
    hand: Atom


@dataclass(frozen=True)
class FreezeStatement(Statement):
    pass


@dataclass(frozen=True)
class InterruptStatement(Statement):
    task: TaskStatement


@dataclass(frozen=True)
class AtStatement(Statement):
    value: Value


@dataclass(frozen=True)
class WaitStatement(Statement):
    value: Value | None  # None: until done


@dataclass(frozen=True)
class RecordStatement(Statement):
    on: bool


@dataclass(frozen=True)
class DefineStatement(Statement):
    name: Atom
    parameters: tuple[Atom, ...]
    body: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class RepeatStatement(Statement):
    count: Value
    body: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class EndStatement(Statement):
    pass


@dataclass(frozen=True)
class CallStatement(Statement):
    name: Atom
    arguments: tuple[Value, ...]


@dataclass(frozen=True)
class Script:
    """A script as read: the statements that could be parsed, and the syntax mistakes."""

    name: str
    lines: tuple[str, ...]
    statements: tuple[Statement, ...]
    definitions: Mapping[str, DefineStatement]
    mistakes: tuple[Mistake, ...]
    environment: str | None
    fps: float
    body: str | None = None

    def line(self, number: int) -> str:
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""

    def words(self, number: int) -> str:
        """A line without surrounding blanks and comment."""
        match = _WORDS.match(self.line(number))
        return match.group().strip() if match else ""
