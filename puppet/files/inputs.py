"""What a command has read is not overwritten by what it writes, whatever name it goes by."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from puppet.errors import PuppetError

_read: ContextVar[set[tuple[int, int]] | None] = ContextVar("_read", default=None)


@contextmanager
def keeping_inputs() -> Iterator[None]:
    """Meanwhile no file is written that was read."""
    before = _read.set(set())
    try:
        yield
    finally:
        _read.reset(before)


def note_input(file: Path | int) -> None:
    """A file is read: its path, or its descriptor."""
    read = _read.get()
    if read is not None:
        with suppress(OSError, ValueError):
            found = os.stat(file)
            read.add((found.st_dev, found.st_ino))


def refuse_input(path: Path) -> None:
    """Raises if a file that is to be written was read."""
    with suppress(OSError, ValueError):
        found = os.stat(path)
        if (found.st_dev, found.st_ino) in (_read.get() or ()):
            raise PuppetError(f"'{path}' is an input and would be overwritten; choose another name")
