"""Every error that puppet raises on purpose is a PuppetError; its message is meant for a person."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

_ALIKE = 0.6  # how like a name a word must be, to be meant for it (difflib's ratio)
FEW, MANY = 6, 1000  # names that are compared letter by letter; names of which one is looked for at all
_KINDS = 32  # of letters, as they are counted


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


class ReadOnlyError(PuppetError, AttributeError):
    """An attribute that does not change."""


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
    """A sentence that helps with an unknown word: the nearest known one, else all of them. Who asks often about the
    same names keeps them as a frozenset."""
    if not isinstance(word, str):
        raise TypeError(f"a name is text, not a {type(word).__name__}")
    names, near = _names(known if isinstance(known, frozenset) else frozenset(map(str, known))), []
    if len(names) <= FEW:
        near = difflib.get_close_matches(word, names, n=1, cutoff=_ALIKE)
    elif len(names) <= MANY:
        near = difflib.get_close_matches(word, _alike(word, names), n=1, cutoff=_ALIKE)
    if near:
        return f"did you mean '{near[0]}'?"
    if not names:
        return "none is known here"
    shown = ", ".join(f"'{name}'" for name in names[:12])
    return f"known: {shown}{', ...' if len(names) > 12 else ''}"


@lru_cache(maxsize=8)
def _names(known: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(known))


@lru_cache(maxsize=8)
def _letters(names: tuple[str, ...]) -> Any:
    """How often each name has letters of each kind, (names, _KINDS)."""
    import numpy as np

    found = np.zeros((len(names), _KINDS), dtype=np.uint8)
    for row, name in zip(found, names, strict=True):
        for letter in name[:200]:
            row[ord(letter) % _KINDS] += 1
    return found


def _alike(word: str, names: tuple[str, ...]) -> list[str]:
    """The few of many names that share the most letters with a word, by their lengths: the only ones that can be like
    it. Letter by letter a thousand words and a thousand names would take a minute."""
    import numpy as np

    table = _letters(names)
    shared = np.minimum(table, _letters((word,))[0]).sum(axis=1)
    share = 2.0 * shared / (table.sum(axis=1) + min(len(word), 200) + 1e-9)
    best = np.argsort(-share, kind="stable")[:FEW]
    return [names[n] for n in best if share[n] >= _ALIKE]
