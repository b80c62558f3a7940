"""The syntax tree of a script: small data classes with their locations. Nothing here is checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from puppet.language.mistake import Mistake

_WORDS = re.compile(r'(?:[^"#]|"[^"]*")*')


class Span(NamedTuple):  # a tuple: long scripts have very many
    """A location in a text: line and column from 1, length in characters."""

    line: int
    column: int
    length: int
    file: int = 0  # which of the script's files: 0 is the script itself, others are imported


class Atom(NamedTuple):
    """A word, a number, or a quoted name (`text` is without the quotes). Only a word can be a parameter."""

    text: str
    kind: str  # word, number, string
    place: Span


class VectorNode(NamedTuple):
    """Values in brackets; one alone is that value."""

    items: tuple[Value, ...]
    place: Span


class Calculation(NamedTuple):
    """What is computed of values: + - * / (one operand: the other sign), or drawn at random between two."""

    operator: str  # a sign, or "random"
    operands: tuple[Value, ...]
    place: Span


class Computed(NamedTuple):
    """A number that was computed, or drawn: before that, anything from `low` to `high`."""

    low: float
    high: float
    seconds: bool
    place: Span

    @property
    def text(self) -> str:
        number = f"{self.low:g}" if self.low == self.high else f"{self.low:g} to {self.high:g}"
        return f"{number}s" if self.seconds else number


Value = Atom | VectorNode | Calculation | Computed


class TaskOption(NamedTuple):
    """A motion primitive for one task alone."""

    name: Atom
    value: Value


@dataclass(frozen=True)
class RelationNode:
    """When a task begins, or until when it goes on: as another one starts or ends, or some frames later or earlier."""

    kind: str  # when, until
    name: Atom
    edge: str  # starts, ends
    sign: str = ""  # + or -, where an offset follows
    offset: Value | None = None


Options = tuple[TaskOption | RelationNode, ...]


@dataclass(frozen=True)
class SpotNode:
    """What is looked or pointed at."""

    kind: str  # name: of a thing or a space; hand, space, point
    value: Value
    place: Span


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
    options: Options


@dataclass(frozen=True)
class ReachStatement(TaskStatement):
    what: str  # object, space, hand: the space of a hand; point; kind: the nearest thing of a kind
    target: Value


@dataclass(frozen=True)
class TakeStatement(TaskStatement):
    what: str  # object, kind
    target: Atom


@dataclass(frozen=True)
class PutStatement(Statement):
    thing: Atom
    options: Options
    what: str  # object, space, hand: the space of a hand
    target: Atom


@dataclass(frozen=True)
class GiveStatement(TaskStatement):
    thing: Atom


@dataclass(frozen=True)
class PointStatement(TaskStatement):
    spot: SpotNode


@dataclass(frozen=True)
class LookStatement(Statement):
    spot: SpotNode | None  # None: ahead
    ahead: Atom | None
    options: Options


@dataclass(frozen=True)
class HeadStatement(Statement):
    """A nod, or a shake of the head."""

    kind: str  # nod, shake
    part: Atom | None
    options: Options


@dataclass(frozen=True)
class LabelledStatement(Statement):
    """A task with a name that relations use."""

    label: Atom
    action: Statement


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
    options: Options


@dataclass(frozen=True)
class PinStatement(Statement):
    part: tuple[Atom, ...]  # its words
    to: Value | None
    options: Options


@dataclass(frozen=True)
class UnpinStatement(Statement):
    part: tuple[Atom, ...]


@dataclass(frozen=True)
class DragStatement(Statement):
    part: tuple[Atom, ...]
    to: Value | None  # one of the two
    by: Value | None
    options: Options


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
class ReleaseStatement(Statement):
    hand: Atom


@dataclass(frozen=True)
class WaitForStatement(Statement):
    name: Atom


@dataclass(frozen=True)
class FreezeStatement(Statement):
    pass


@dataclass(frozen=True)
class InterruptStatement(Statement):
    task: Statement


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
    variable: Atom | None = None  # counts from 1


@dataclass(frozen=True)
class LetStatement(Statement):
    name: Atom
    value: Value


@dataclass(frozen=True)
class SeedStatement(Statement):
    value: Value


@dataclass(frozen=True)
class ImportStatement(Statement):
    path: Atom


@dataclass(frozen=True)
class EndStatement(Statement):
    pass


@dataclass(frozen=True)
class CallStatement(Statement):
    name: Atom
    arguments: tuple[Value, ...]


@dataclass(frozen=True)
class SourceFile:
    """One of the files that a script was read from."""

    name: str
    lines: tuple[str, ...]

    def line(self, number: int) -> str:
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""

    def words(self, number: int) -> str:
        """A line without surrounding blanks and comment."""
        match = _WORDS.match(self.line(number))
        return match.group().strip() if match else ""

    def mistake(self, place: Span, message: str, hint: str = "") -> Mistake:
        return Mistake(self.name, place.line, place.column, place.length, self.line(place.line), message, hint)


@dataclass(frozen=True)
class Script:
    """A script as read: the statements that could be parsed, and the syntax mistakes."""

    files: tuple[SourceFile, ...]  # the script itself, then those that it imports
    statements: tuple[Statement, ...]
    definitions: Mapping[str, DefineStatement]
    mistakes: tuple[Mistake, ...]
    environment: str | None
    fps: float
    body: str | None = None

    @property
    def name(self) -> str:
        return self.files[0].name

    @cached_property
    def draws(self) -> bool:
        """Whether there may be random numbers in it: then no two rounds of a block need be alike."""
        return any("random" in line for file in self.files for line in file.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        return self.files[0].lines

    def line(self, number: int) -> str:
        return self.files[0].line(number)

    def words(self, number: int) -> str:
        return self.files[0].words(number)

    def mistake(self, place: Span, message: str, hint: str = "") -> Mistake:
        """A mistake at a place in any of the files."""
        return self.files[place.file].mistake(place, message, hint)
