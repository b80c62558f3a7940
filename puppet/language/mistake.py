"""Mistakes in a user's file: where, what, and what was probably meant, with a mark under the word."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from puppet.errors import FileError, visible

_WIDEST = 160  # characters of a line that a message shows
_PLACE = re.compile(r"(?P<file>.*?):(?P<line>\d+):(?P<column>\d+): (?P<message>.*)", re.DOTALL)


@dataclass(frozen=True)
class Mistake:
    """One mistake. `text` is the whole source line, `hint` is optional."""

    file: str
    line: int
    column: int
    length: int
    text: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        lines = [visible(f"{self.where}{self.message}")]
        if self.text.strip():
            lines += [f"    {part}" for part in _underlined(self.text, self.column, self.length)]
        if self.hint:
            lines.append(f"    {visible(self.hint)}")
        return "\n".join(lines)

    @property
    def where(self) -> str:
        """The location as a prefix, empty for what was not written in a file."""
        if not self.file:
            return ""
        return f"{self.file}:{self.line}:{self.column}: " if self.line else f"{self.file}: "


class ScriptError(FileError):
    """A script that cannot be carried out; `mistakes` has all that were found, and so has the message."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(str(mistake) for mistake in self.mistakes))


def from_error(error: Exception, file: str, lines: Sequence[str] = ()) -> Mistake:
    """A mistake from an error whose message begins with its location, as in those of strict YAML; `lines` are those of
    the file."""
    match, shown = _PLACE.fullmatch(str(error)), visible(file)
    if match is None or (match["file"] != shown and not os.path.isfile(match["file"])):
        return Mistake(file, 0, 1, 1, "", str(error).removeprefix(f"{shown}: "))
    if match["file"] != shown:  # in another file that this one uses
        return Mistake(match["file"], int(match["line"]), int(match["column"]), 1, "", match["message"])
    line, column = int(match["line"]), int(match["column"])
    source = lines[line - 1] if 1 <= line <= len(lines) else ""
    word = re.match(r"[\w.\-]+|\"[^\"]*\"|'[^']*'", source[column - 1 :])
    return Mistake(file, line, column, len(word.group()) if word else 1, source, match["message"])


def _underlined(text: str, column: int, length: int) -> tuple[str, str]:
    """A source line and a line of carets below it, aligned even after tabs and wide characters."""
    begin = max(0, column - 1 - _WIDEST // 2) if len(text) > _WIDEST else 0
    shown = text[begin : begin + _WIDEST]
    at = column - 1 - begin
    marks = "".join(_blank(char) for char in shown[:at].ljust(at)) + "^" * max(1, min(length, len(shown) - at))
    shown = "".join(char if char.isprintable() or char == "\t" else "?" for char in shown).rstrip()
    front, back = "..." if begin else "", "..." if begin + _WIDEST < len(text) else ""
    return f"{front}{shown}{back}", f"{' ' * len(front)}{marks}"


def _blank(char: str) -> str:
    """Blanks as wide as a character."""
    if char == "\t":
        return "\t"
    if unicodedata.combining(char):
        return ""
    return "  " if unicodedata.east_asian_width(char) in "WF" else " "
