"""Key-stroke scripts (Figure 7.3): a line of keys, then a frame number, then a line of keys, and so on."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from puppet.command import MAX_FRAME, At, Command, SetPrimitive, Source
from puppet.files.text_file import MAX_FILE_BYTES, MAX_MISTAKES, shorten, split_lines
from puppet.keys.keyboard import KEY_PRIMITIVES, Keyboard
from puppet.language import Mistake

MAX_STROKES = 100_000
_FRAME = re.compile(r"\d{1,12}\Z")


@dataclass(frozen=True)
class KeyStroke:
    """One key, with its frame and its location in the file."""

    key: str
    frame: int
    line: int
    column: int


@dataclass(frozen=True)
class KeyScript:
    """A key-stroke script as read, with the mistakes in its form."""

    name: str
    lines: tuple[str, ...]
    strokes: tuple[KeyStroke, ...]
    mistakes: tuple[Mistake, ...]


def read_keys(text: str, name: str = "script") -> KeyScript:
    """Reads the text of a key-stroke script. Mistakes raise nothing: they are listed in the script.

    The first line is played at the start. Blanks between keys are ignored; a line of keys may be empty.
    """
    lines = tuple(line.rstrip() for line in split_lines(text.removeprefix("\ufeff")))
    last = max((number for number, line in enumerate(lines, 1) if line), default=0)
    lines = lines[:last]
    strokes: list[KeyStroke] = []
    mistakes: list[Mistake] = []
    frame = 0

    def wrong(number: int, column: int, length: int, message: str, hint: str = "") -> None:
        mistakes.append(Mistake(name, number, column, length, lines[number - 1] if lines else "", message, hint))

    if len(text) > min(MAX_FILE_BYTES, MAX_STROKES):
        wrong(1, 1, 1, f"the script has more than {MAX_STROKES:,} characters")
        return KeyScript(name, lines, (), tuple(mistakes))
    for number, line in enumerate(lines, 1):
        if len(mistakes) >= MAX_MISTAKES:
            break
        if number % 2:
            strokes += [KeyStroke(key, frame, number, at) for at, key in enumerate(line, 1) if not key.isspace()]
            continue
        word = line.strip()
        column = line.index(word) + 1
        hint = "every second line tells the frame at which the next line is played"
        if not _FRAME.match(word) or int(word) > MAX_FRAME:
            found = f"'{shorten(word)}'" if word else "an empty line"
            wrong(number, column, max(1, len(word)), f"expected a frame from 0 to {MAX_FRAME}, found {found}", hint)
        elif int(word) < frame:
            wrong(number, column, len(word), f"frame {word} comes before frame {frame}, which stands above it", hint)
        else:
            frame = int(word)
    if lines and len(lines) % 2 == 0:
        wrong(len(lines), 1, max(1, len(lines[-1])), "no keys follow this frame", "take the line away, or add keys")
    return KeyScript(name, lines, tuple(strokes), tuple(mistakes))


def check_keys(script: KeyScript, keyboard: Keyboard) -> tuple[Mistake, ...]:
    """All mistakes of a key-stroke script: in its form, and keys without meaning. Changes the keyboard's settings."""
    found = list(script.mistakes)
    for stroke in script.strokes:
        keyboard.press(stroke.key)
        if keyboard.problem:
            line = script.lines[stroke.line - 1]
            found.append(Mistake(script.name, stroke.line, stroke.column, 1, line, keyboard.problem))
        if len(found) >= MAX_MISTAKES:
            break
    return tuple(sorted(found, key=lambda mistake: (mistake.line, mistake.column)))


def key_commands(
    script: KeyScript, keyboard: Keyboard, locked: Callable[[], Collection[str]] | None = None
) -> Iterator[Command]:
    """The commands of a key-stroke script, one by one, after those that set the speed and the curve that keys have.

    `locked` returns the hands that are locked when a key is pressed; without it the keyboard guesses.
    """
    frame = 0
    for name in ("speed", "curve"):
        yield SetPrimitive(name=name, value=getattr(KEY_PRIMITIVES, name), source=Source(1, 1, script.name))
    for stroke in script.strokes:
        line = script.lines[stroke.line - 1]
        if stroke.frame != frame:
            frame = stroke.frame
            when = Source(stroke.line - 1, 1, script.name, script.lines[stroke.line - 2].strip())
            yield At(frame=frame, source=when)
        source = Source(stroke.line, stroke.column, script.name, line.strip())
        for command in keyboard.press(stroke.key, locked() if locked else None):
            yield replace(command, source=source)
