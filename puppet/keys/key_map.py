"""Key maps: the action of each key, read from YAML. A key gives a command, or changes a setting of the keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from puppet.body import Body
from puppet.command import Command, Source
from puppet.files import strict_yaml
from puppet.files.shipped import find, folder
from puppet.files.strict_yaml import Mistakes, Node
from puppet.language import ScriptError, read_command

DEFAULT_KEY_MAP = "thesis"
MAX_NUMBER = 1000  # of an object or space
LARGEST_MAP = 1000
_MAX_SLIDE_STEP = 1e3


@dataclass(frozen=True)
class GiveCommand:
    """Gives a command as it is."""

    command: Command


@dataclass(frozen=True)
class ReachNumber:
    """Reaches for an object or a space by its number in the scene."""

    what: str  # object, space
    number: int
    hand: str


@dataclass(frozen=True)
class SlideHand:
    """Slides by the vector and to the orientation that are set on the keyboard."""

    hand: str


@dataclass(frozen=True)
class ToggleLock:
    hand: str


@dataclass(frozen=True)
class ChangeSlide:
    """Changes the slide vector along an axis, or the slide orientation about it."""

    what: str  # vector, turn
    axis: int
    amount: float


@dataclass(frozen=True)
class ResetSlide:
    what: str  # vector, turn


Action = GiveCommand | ReachNumber | SlideHand | ToggleLock | ChangeSlide | ResetSlide
# How actions are written that are not commands of the language.
FORMS = (
    "reach object number N with HAND",
    "reach space number N with HAND",
    "slide HAND",
    "toggle lock HAND",
    "slide vector AXIS by NUMBER",
    "slide turn AXIS by NUMBER",
    "slide vector zero",
    "slide turn zero",
)
_REACH = re.compile(r"reach (object|space) number (\d{1,4}) with (\w+)\Z")
_SLIDE = re.compile(r"slide (\w+)\Z")
_LOCK = re.compile(r"toggle lock (\w+)\Z")
_CHANGE = re.compile(r"slide (vector|turn) ([xyz]) by ([+-]?\d+\.?\d*)\Z")
_RESET = re.compile(r"slide (vector|turn) zero\Z")


@dataclass(frozen=True)
class KeyMap:
    """Keys, one character each, and their actions, in the order of the file."""

    actions: Mapping[str, Action]

    def keys_for(self, action: Action) -> tuple[str, ...]:
        """The keys for an action."""
        return self._keys.get(action, ())

    @cached_property
    def _keys(self) -> Mapping[Action, tuple[str, ...]]:
        found: dict[Action, tuple[str, ...]] = {}
        for key, action in self.actions.items():
            found[action] = (*found.get(action, ()), key)
        return found


def load_key_map(
    source: str | Path = DEFAULT_KEY_MAP,
    gestures: Iterable[str] | None = None,
    beside: Path | None = None,
    body: Body | None = None,
) -> KeyMap:
    """A key map by the name of a shipped one or from a YAML file.

    `gestures`: those that it may name. It may name the hands of `body` and of the default body, for which the shipped
    ones are written: a key for a hand that the body lacks is refused when it is pressed.
    """
    # the default must not be replaced by accident, by another file of its name
    path = folder("keys") / f"{DEFAULT_KEY_MAP}.yaml" if source == DEFAULT_KEY_MAP else find("keys", source, beside)
    return read_key_map(strict_yaml.read(path), gestures, body)


def read_key_map(root: Node, gestures: Iterable[str] | None = None, body: Body | None = None) -> KeyMap:
    """A key map from a parsed YAML document; see `load_key_map`."""
    known = None if gestures is None else tuple(gestures)
    actions: dict[str, Action] = {}
    mistakes = Mistakes()
    keys = root.fields(required=("keys",))["keys"]
    for number, (key, node) in enumerate(keys.items()):
        if number >= LARGEST_MAP:
            mistakes.add(node.key.error(f"the map has more than {LARGEST_MAP} keys: the rest was not read"))
            break
        if len(key) != 1 or not key.isprintable() or key.isspace():
            mistakes.add(node.key.error("a key is one character that can be seen; most signs need quotes"))
        with mistakes.collect():
            actions[key] = _action(node, known, body)
    mistakes.raise_any()
    return KeyMap(actions)


def _action(node: Node, gestures: tuple[str, ...] | None, body: Body | None) -> Action:
    text = " ".join(node.text().split())
    if match := _RESET.match(text):
        return ResetSlide(match[1])
    if match := _CHANGE.match(text):
        amount = float(match[3])
        if not -_MAX_SLIDE_STEP <= amount <= _MAX_SLIDE_STEP:
            raise node.error(f"expected a step from {-_MAX_SLIDE_STEP:g} to {_MAX_SLIDE_STEP:g}, found {match[3]}")
        return ChangeSlide(match[1], "xyz".index(match[2]), amount)
    if match := _REACH.match(text):
        number = int(match[2])
        if not 1 <= number <= MAX_NUMBER:
            raise node.error(f"expected a number from 1 to {MAX_NUMBER}, found {number}")
        return ReachNumber(match[1], number, _hand(node, match[3], body))
    if match := _LOCK.match(text):
        return ToggleLock(_hand(node, match[1], body))
    if match := _SLIDE.match(text):
        return SlideHand(_hand(node, match[1], body))
    try:
        command = _read_command(text, gestures, body)
    except ScriptError as error:
        raise node.error(error.mistakes[0].message) from None
    return GiveCommand(type(command)(**{**vars(command), "source": Source()}))


def _read_command(text: str, gestures: tuple[str, ...] | None, body: Body | None) -> Command:
    if body is not None:
        with suppress(ScriptError):
            return read_command(text, gestures, body=body)
    return read_command(text, gestures)


def _hand(node: Node, word: str, body: Body | None) -> str:
    hands = dict.fromkeys((*Body.load().hands, *(body.hands if body else ())))
    if word not in hands:
        raise node.error(f"unknown hand '{word[:60]}'; known: {', '.join(hands)}")
    return word
