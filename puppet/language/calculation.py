"""Arithmetic on the values of a script: numbers and times, with names for them and random draws.

While a script is checked nothing is drawn: a random number is the range that it may be in, and so is what is computed
of it. A range with its two ends alike is a number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from random import Random

from puppet.errors import MANY, did_you_mean
from puppet.files.text_file import shorten
from puppet.language.tree import Atom, Calculation, Computed, Span, Value, VectorNode

Draw = Callable[[float, float], tuple[float, float]]  # a number between two, as a range
ReportMistake = Callable[[Span, str, str], None]  # a mistake: where, message, hint
_MINUS_IN_WORD = re.compile(r"[\w.]+(-[\w.]+)+\Z")
_SIGNS = {"+": "added", "-": "subtracted", "*": "multiplied", "/": "divided"}


def any_of(low: float, high: float) -> tuple[float, float]:
    """Draws nothing: all that could be drawn."""
    return low, high


def drawing(seed: int) -> Draw:
    """Draws by a seed: the same numbers on every platform."""
    source = Random(seed)

    def draw(low: float, high: float) -> tuple[float, float]:
        found = min(high, low + (high - low) * source.random())
        return found, found

    return draw


def calculate(
    value: Value, values: Mapping[str, Value | None], draw: Draw = any_of, report: ReportMistake | None = None
) -> Computed | None:
    """The number of a value, in which words stand for `values`; None where it has mistakes, or is not known."""
    return _Calculator(values, draw, report or (lambda place, message, hint: None)).number(value)


def unknown_number(atom: Atom, values: Mapping[str, Value | None]) -> str:
    """A hint for a word that is no number: a minus sign without blanks, or a value that is called nearly so."""
    if atom.kind == "word" and _MINUS_IN_WORD.match(atom.text):
        return f"a minus sign has blanks around it: {shorten(atom.text.replace('-', ' - '))}"
    near = did_you_mean(atom.text[:60], values) if atom.kind == "word" and 0 < len(values) <= MANY else ""
    return near if near.startswith("did you mean") else ""


class _Calculator:
    def __init__(self, values: Mapping[str, Value | None], draw: Draw, report: ReportMistake) -> None:
        self._values, self._draw, self._report = values, draw, report

    def number(self, value: Value) -> Computed | None:
        if isinstance(value, Atom):
            return self._atom(value)
        if isinstance(value, Computed):
            return value
        if isinstance(value, VectorNode):
            if len(value.items) == 1:
                return self.number(value.items[0])
            self._report(value.place, "expected a number, found values in brackets", "")
            return None
        numbers = [self.number(operand) for operand in value.operands]
        known = [number for number in numbers if number is not None]
        return self._compute(value, known) if len(known) == len(numbers) else None

    def _atom(self, atom: Atom) -> Computed | None:
        if atom.kind == "number":
            number = float(atom.text.rstrip("s"))
            return Computed(number, number, atom.text.endswith("s"), atom.place)
        if atom.kind == "word" and atom.text in self._values:
            found = self._values[atom.text]
            if found is None:
                return None
            if isinstance(found, Computed) or (isinstance(found, Atom) and found.kind == "number"):
                return self.number(found)
            shown = f"'{shorten(found.text)}'" if isinstance(found, Atom) else "values in brackets"
            self._report(atom.place, f"expected a number, but '{shorten(atom.text)}' is {shown}", "")
            return None
        hint = unknown_number(atom, self._values)
        hint = hint or f"nothing is called '{shorten(atom.text)}' here; as in: let up = 0.08"
        self._report(atom.place, f"expected a number, found '{shorten(atom.text)}', which is no number", hint)
        return None

    def _compute(self, value: Calculation, numbers: list[Computed]) -> Computed | None:
        if len(numbers) == 1:
            [number] = numbers
            return Computed(-number.high, -number.low, number.seconds, value.place)
        first, second = numbers
        sign = value.operator
        if sign == "random":
            return self._random(value, first, second)
        problem = _unit_problem(sign, first, second)
        if sign == "/" and second.low <= 0.0 <= second.high:
            problem = "this divides by zero" if second.low == second.high else "this may divide by zero"
            self._report(value.operands[1].place, problem, f"it is {second.text}" if problem[5:8] == "may" else "")
            return None
        if problem:
            self._report(value.place, problem, "as in: 2 * 0.5s")
            return None
        ends = [_apply(sign, first.low, second.low)]
        if first.low != first.high or second.low != second.high:
            others = ((first.low, second.high), (first.high, second.low), (first.high, second.high))
            ends += [_apply(sign, a, b) for a, b in others]
        if not all(map(math.isfinite, ends)):
            self._report(value.place, "the result is too large", "")
            return None
        return Computed(min(ends), max(ends), first.seconds != second.seconds or (first.seconds and sign in "+-"),
                        value.place)  # fmt: skip

    def _random(self, value: Calculation, first: Computed, second: Computed) -> Computed | None:
        if first.seconds != second.seconds:
            self._report(value.place, "expected two numbers or two times, found one of each", "")
            return None
        if first.high > second.low and not first.low == first.high == second.low == second.high:
            words = f"expected the smaller number first, found {first.text} and {second.text}"
            self._report(value.place, words, "as in: random(20, 40)")
            return None
        low, high = self._draw(first.low, second.high)
        return Computed(low, high, first.seconds, value.place)


def _apply(sign: str, first: float, second: float) -> float:
    if sign == "+":
        return first + second
    if sign == "-":
        return first - second
    return first * second if sign == "*" else first / second


def _unit_problem(sign: str, first: Computed, second: Computed) -> str:
    """Why a number and a time cannot be computed with each other; "" where they can."""
    if sign in "+-" and first.seconds != second.seconds:
        return f"a time and a number cannot be {_SIGNS[sign]}"
    if sign == "*" and first.seconds and second.seconds:
        return "two times cannot be multiplied"
    if sign == "/" and second.seconds and not first.seconds:
        return "a number cannot be divided by a time"
    return ""
