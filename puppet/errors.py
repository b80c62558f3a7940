"""Every error that puppet raises on purpose is a PuppetError; its message is meant for a person."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class PuppetError(Exception):
    """Root of all errors that puppet raises on purpose. Its message can be shown anywhere."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(visible(part) if isinstance(part, str) else part for part in args))


class FileError(PuppetError):
    """A file that cannot be used; the message starts with file:line:column."""


class WholeFileError(FileError):
    """Several things that are wrong with a file, one a line."""

    def __init__(self, errors: Iterable[FileError]) -> None:
        self.errors = tuple(errors)
        super().__init__("\n".join(str(error) for error in self.errors))


class GoalError(PuppetError, ValueError):
    """A posture goal that makes no sense: not finite, not a rotation, absurdly far away."""


def visible(text: str) -> str:
    """Text with escapes for what a terminal would obey or nobody would see: control signs, signs that turn the
    direction of writing, bytes of file names that are no UTF-8. Ends of lines and tabs stay."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign in "\n\t" else _escape(sign) for sign in text)


def _escape(sign: str) -> str:
    return sign.encode("unicode_escape").decode()


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A sentence that helps with an unknown word: the nearest known one, else all of them."""
    names = sorted({str(name) for name in known})
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if near:
        return f"did you mean '{near[0]}'?"
    if not names:
        return "none is known here"
    shown = ", ".join(f"'{name}'" for name in names[:12])
    return f"known: {shown}{', ...' if len(names) > 12 else ''}"
