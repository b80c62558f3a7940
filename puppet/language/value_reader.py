"""Reads the values of a statement: names that are known, numbers, frames, vectors. Parameters and what was computed are
replaced by their values; mistakes are reported."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from puppet.errors import did_you_mean
from puppet.files.text_file import shorten
from puppet.language.calculation import Draw, ReportMistake, any_of, calculate, unknown_number
from puppet.language.named_values import NO_VALUES, NamedValues
from puppet.language.tree import Atom, Calculation, Computed, Span, Value, VectorNode
from puppet.language.vocabulary import Vocabulary
from puppet.types import Vector


@dataclass(frozen=True)
class TaskBlock:
    """A round of a repeated block, a call, or the script itself, in which tasks have names."""

    number: int  # 0: the script
    own: frozenset[str]  # names in its own lines
    reached: frozenset[str]  # and in those of what it calls


@dataclass(frozen=True)
class Scope:
    """What words stand for: parameters of a definition, values that were named, the number of a round. None: unknown,
    since a definition is checked without a call."""

    values: NamedValues = field(default_factory=lambda: NO_VALUES)
    definition: str = ""
    parameters: frozenset[str] = frozenset()  # of the definition
    outer: NamedValues = field(default_factory=lambda: NO_VALUES)  # values named outside of blocks and definitions
    blocks: tuple[TaskBlock, ...] = ()  # from the script to the innermost
    called_from: int = 0  # how many of the blocks are around the call

    def with_value(self, name: str, value: Value | None, everywhere: bool = False) -> Scope:
        values = outer = self.outer.extended({name: value}) if everywhere else self.outer
        if not everywhere or self.values is not self.outer:  # outside of blocks and definitions they are one
            values = self.values.extended({name: value})
        parameters = self.parameters - {name} if self.parameters else self.parameters
        return Scope(values, self.definition, parameters, outer, self.blocks, self.called_from)

    def inside(self, definition: str, arguments: Mapping[str, Value | None]) -> Scope:
        """The scope of a definition that is called from here."""
        values = self.outer.extended(arguments)
        return Scope(values, definition, frozenset(arguments), self.outer, self.blocks, len(self.blocks))

    def with_block(self, block: TaskBlock) -> Scope:
        return replace(self, blocks=(*self.blocks, block))

    def block_of(self, name: str) -> int:
        """The number of the innermost block in which a task has a name."""
        return next((block.number for block in reversed(self.blocks) if name in block.reached), 0)

    def blocks_around(self, label: str) -> tuple[int, ...]:
        """The numbers of the blocks in which a label means the task here, and not one of their own lines."""
        around = enumerate(self.blocks)
        return tuple(b.number for n, b in around if n >= self.called_from or label not in b.own) or (0,)


_ANY_HAND = ("any", "free", "closest", "nearest", "best", "better", "one", "whichever", "some", "other")


class ValueReader:
    """Reads values in a scope. `report` is called for every mistake."""

    def __init__(self, vocabulary: Vocabulary, report: ReportMistake, draw: Draw = any_of) -> None:
        self._vocabulary = vocabulary
        self._report = report
        self._draw = draw
        self._scope = Scope()
        self._complete = True  # no mistake and nothing unknown in this statement so far
        self._computed: dict[int, Computed | None] = {}  # in this statement: nothing is drawn twice

    def _begin(self, scope: Scope) -> None:
        self._scope, self._complete, self._computed = scope, True, {}

    def value(self, value: Value, scope: Scope) -> Value | None:
        """A value with all words replaced and all numbers computed, as it is given to a call or a name."""
        self._begin(scope)
        found = self._whole(value)
        return found if self._complete else None

    def _whole(self, value: Value) -> Value | None:
        found = self._found(value)
        if not isinstance(found, VectorNode):
            return found
        if len(found.items) == 1:
            return self._whole(found.items[0])
        items = [self._whole(item) for item in found.items]
        known = tuple(item for item in items if item is not None)
        if len(known) < len(items):
            self._complete = False
            return None
        return found._replace(items=known)

    def _found(self, value: Value) -> Atom | VectorNode | Computed | None:
        """What a value stands for; None where that is not known."""
        if isinstance(value, Atom):
            if value.kind == "word" and value.text in self._scope.values:
                found = self._scope.values[value.text]
                assert not isinstance(found, Calculation)
                return found
            return value
        if not isinstance(value, Calculation):
            return value
        if id(value) not in self._computed:
            self._computed[id(value)] = calculate(value, self._scope.values, self._draw, self._mistake_at)
            if self._computed[id(value)] is None:
                self._complete = False
        return self._computed[id(value)]

    def _mistake_at(self, place: Span, message: str, hint: str) -> None:
        self._add_mistake(place, message, hint)

    # ---- names

    def _hand(self, atom: Atom, also: tuple[str, ...] = ()) -> str:
        """A hand by its name; `also`: words for the better one, or for both, where they make sense."""
        return self._known(atom, (*self._vocabulary.hands, *also), "hand")

    def _choice(self, value: Value, known: Collection[str] | None, what: str) -> str:
        if not isinstance(value, Atom):
            found = "values in brackets" if isinstance(value, VectorNode) else "a number"
            self._mistake_in(value, f"expected a {what}, found {found}; {did_you_mean('', known or ())}")
            return ""
        return self._known(value, known, what)

    def _known(self, atom: Atom, known: Collection[str] | None, what: str, before: str = "reach") -> str:
        """A name that is known, or any name if `known` is None; `before`: the words that it stands behind."""
        text = self._name(atom)
        if self._has_value(atom) and known is not None and text not in known:
            near = did_you_mean(text[:60], known)
            self._mistake_in(atom, f"unknown {what} '{shorten(text)}'; {near}", self._other_meaning(text, what, before))
        return text

    def _has_value(self, atom: Atom) -> bool:
        found = self._found(atom)
        return isinstance(found, Atom) or (isinstance(found, Computed) and found.low == found.high)

    def _other_meaning(self, text: str, what: str, before: str) -> str:
        """A hint where a name is unknown as this but known as something else."""
        words = self._vocabulary
        if what == "object" and words.spaces is not None and text in words.spaces:
            return f"there is a space of that name: {before} space {text}"
        if what == "object" and text in words.hands:
            return f"the space of a hand is written: reach {text} space"
        if what == "object" and text == "nearest":
            return f"of the things of a kind: {before} nearest KIND"
        if what == "bar":
            return "a body swings from what the environment names under 'bars:'"
        if what == "hand" and text == "both":
            return "this is told to each hand on a line of its own"
        if what == "hand" and text in _ANY_HAND:
            return "the better one is: either hand"
        if what == "hand" and text in ("all", "everything", "hands", "2", "two"):
            return "write: both hands"
        if what == "hand" and text in (words.objects or ()):
            return f"a hand is meant here: the one that holds '{text}', as in: release left"
        if what == "hand" and text in (words.spaces or ()):
            return f"a thing is put on a space: put THING on space {text}"
        if what == "object" and text in ("out", "forward", "up", "down"):
            return "say where, as in: reach (0.1, 0.8, 0.5) with left"
        if what in ("object", "thing") and text in ("it", "that", "this", "them"):
            return "things are told by their names"
        if what == "thing" and text in ("me", "us", "camera", "viewer", "audience", "user"):
            return "write: look ahead, or at a point: look at (0, 1, 3)"
        if what == "object" and text in (words.places or ()):
            return "things are put on spaces and on other things, as in: put cup on space NAME"
        if what == "space" and words.objects is not None and text in words.objects:
            return f"there is an object of that name: reach {text}"
        return ""

    def _name(self, atom: Atom) -> str:
        value = self._found(atom)
        if value is None or (isinstance(value, Computed) and value.low != value.high):
            self._complete = False  # a number that is still to be drawn
        elif isinstance(value, VectorNode):
            self._mistake_in(atom, "expected a name, found values in brackets")
        else:
            return value.text
        return ""

    # ---- numbers

    def _number(self, value: Value, what: str, least: float, most: float) -> float:
        if isinstance(value, Atom) and value.kind == "number" and not value.text.endswith("s"):
            number = float(value.text)
            if least <= number <= most:  # as nearly all are
                return number
        found = self._quantity(value, what)
        if found is None:
            return least
        if found.seconds or not math.isfinite(found.low):
            words = f"expected {what}, found '{self._shown(value, found)}', which is no number"
            self._mistake_in(value, words, "a time is not wanted here" if found.seconds else "")
        elif not (least <= found.low and found.high <= most):
            self._mistake_in(value, f"expected {what} from {least:g} to {most:g}, found {self._shown(value, found)}")
        return found.low

    def _quantity(self, value: Value, what: str) -> Computed | None:
        """A number or a time; a mistake where it is neither."""
        found = self._found(value)
        if isinstance(found, VectorNode) and len(found.items) == 1:
            return self._quantity(found.items[0], what)
        if found is None:
            self._complete = False
        elif isinstance(found, VectorNode):
            self._mistake_in(value, f"expected {what}, found values in brackets")
        elif isinstance(found, Computed):
            return found
        else:
            number = calculate(found, {}) if found.kind == "number" else None
            if number is not None:
                return number
            hint = unknown_number(found, self._scope.values)
            self._mistake_in(value, f"expected {what}, found '{shorten(found.text)}', which is no number", hint)
        return None

    def _shown(self, value: Value, found: Computed) -> str:
        """A number as it is written."""
        written = self._found(value)
        return shorten(written.text if isinstance(written, Atom) else found.text)

    def _is_written(self, value: Value) -> bool:
        """Whether a number is written as it is, and not computed: that one is not rounded."""
        found = self._found(value)
        if isinstance(found, VectorNode) and len(found.items) == 1:
            return self._is_written(found.items[0])
        return isinstance(found, Atom)

    def _whole_number(self, value: Value, what: str, least: int, most: int) -> int:
        number = self._number(value, what, least, most)
        if self._complete and number != int(number):
            if not self._is_written(value):
                return round(number)
            self._mistake_in(value, f"expected {what} as a whole number, found {number:g}")
        return int(number) if self._complete else least

    def _frames(self, value: Value, least: int, most: int) -> int:
        """A number of frames, or of seconds if followed by s. What was computed is rounded."""
        if isinstance(value, Atom) and value.kind == "number" and value.text.isdecimal():
            frames = int(value.text)
            if least <= frames <= most:  # as nearly all are
                return frames
        written = self._found(value)
        if isinstance(written, Atom) and written.kind != "number":
            found = f"found '{shorten(written.text)}'"
            hint = unknown_number(written, self._scope.values) or "as in: 30, or in seconds: 1.5s"
            self._mistake_in(value, f"expected a number of frames or a time, {found}", hint)
            return least
        number = self._quantity(value, "a number of frames")
        if number is None:
            return least
        shown = self._shown(value, number)
        rate = self._vocabulary.fps if number.seconds else 1.0
        low, high = number.low * rate, number.high * rate
        computed = not self._is_written(value)
        enough = low >= least or (number.seconds and low > 0.0)  # the shortest time is still a frame
        if not (enough and low >= 0.0 and high <= most):
            self._mistake_in(value, f"expected {least} to {most} frames, found '{shown}'")
            return least
        if not number.seconds and low != int(low) and not computed:
            self._mistake_in(value, f"expected whole frames, found '{shown}'", f"in seconds it would be: {shown}s")
            return least
        return max(least, round(low))

    def _vector(self, value: Value, what: str, most: float) -> Vector:
        found = self._found(value)
        if found is None:
            self._complete = False
            return 0.0, 0.0, 0.0
        if not isinstance(found, VectorNode):
            message = f"expected three {what} in brackets, found '{shorten(found.text)}'"
            self._mistake_in(value, message, "as in: (0, 0.1, 0)")
            return 0.0, 0.0, 0.0
        numbers = [self._number(item, "a number", -most, most) for item in found.items]
        if len(numbers) != 3:
            self._mistake_in(value, f"expected three {what}, found {len(numbers)}", "as in: (0, 0.1, 0)")
            return 0.0, 0.0, 0.0
        return numbers[0], numbers[1], numbers[2]

    # ---- mistakes

    def _mistake_in(self, value: Value, message: str, hint: str = "") -> None:
        """Reports a mistake in a value. If it is an argument of a call, the location is that of the argument."""
        meant = self._found(value)
        if isinstance(value, Atom) and value.kind == "word" and meant is not None and meant is not value:
            if value.text in self._scope.parameters:
                used = f"it is '{value.text}' of '{self._scope.definition}' and used in line {value.place.line}"
                self._add_mistake(meant.place, message, f"{used}; {hint}" if hint else used)
                return
            shown = "values in brackets" if isinstance(meant, VectorNode) else shorten(meant.text)
            hint = hint or f"'{shorten(value.text)}' is {shown} here"
        self._add_mistake(value.place, message, hint)

    def _add_mistake(self, place: Span, message: str, hint: str = "") -> None:
        self._complete = False
        self._report(place, message, hint)
