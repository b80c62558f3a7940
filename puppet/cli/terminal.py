"""The terminal: colour, width, and a progress bar while someone is watching."""

from __future__ import annotations

import io
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from puppet.errors import visible
from puppet.export import Progress

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "magenta": "35",
          "cyan": "36"}  # fmt: skip
_REDRAW_SECONDS = 0.1
_SHOW_AFTER_SECONDS = 0.4  # what is done sooner needs no bar
_BAR = 28


class Terminal:
    """An output stream: whether it shows colours, how wide it is, which characters it can show.

    `remarks`: it carries messages about the work, which goes on if they cannot be written.
    """

    def __init__(self, stream: TextIO | None, remarks: bool = False) -> None:
        self._ignored: tuple[type[OSError], ...] = (OSError,) if remarks else ()
        self._stream = stream = stream or io.StringIO()  # a process can be started without streams
        self.watched = _is_terminal(stream)
        self.color = _may_color(self.watched)
        self.width = max(40, shutil.get_terminal_size((100, 24)).columns)
        self.unicode = _can_show(stream, "█▏╴│·")

    def say(self, text: str = "") -> None:
        with suppress(*self._ignored):
            self._stream.write(text + "\n")
            self._stream.flush()

    def paint(self, text: str, *styles: str) -> str:
        """Text in colour, if the terminal shows colours."""
        if not self.color or not styles:
            return text
        return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}\x1b[0m"

    @contextmanager
    def progress(self, what: str) -> Iterator[Progress]:
        """A progress bar while the block runs; nothing on a stream that is not a terminal."""
        if not self.watched:
            yield lambda part: None
            return
        bar = _Bar(self._stream, what, self.width, self.unicode)
        try:
            yield bar.show
        finally:
            bar.clear()


class _Bar:
    """A line that is redrawn in place and cleared at the end."""

    def __init__(self, stream: TextIO, what: str, width: int, unicode: bool) -> None:
        self._stream, self._what, self._width = stream, visible(what), width
        self._full, self._empty = ("█", "░") if unicode else ("#", ".")
        self._begin = time.monotonic()
        self._last = self._begin + _SHOW_AFTER_SECONDS - _REDRAW_SECONDS
        self._drawn = False

    def show(self, part: float) -> None:
        now = time.monotonic()
        if now - self._last < _REDRAW_SECONDS:
            return
        self._last, self._drawn = now, True
        part = min(max(part, 0.0), 1.0)
        full = round(part * _BAR)
        line = f"{self._full * full}{self._empty * (_BAR - full)} {part:4.0%} {self._what}"
        self._stream.write(f"\r{line[: self._width - 1]}\x1b[K")
        self._stream.flush()

    def clear(self) -> None:
        if self._drawn:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def prepare_streams() -> None:
    """Makes sure that no message fails because a stream cannot encode a character."""
    if os.name == "nt":
        os.system("")  # makes older consoles obey escape sequences
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty() and os.environ.get("TERM") != "dumb"
    except ValueError:  # closed
        return False


def _may_color(watched: bool) -> bool:
    """Follows NO_COLOR and FORCE_COLOR (no-color.org, force-color.org): they count if set and not empty."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or watched


def _can_show(stream: TextIO, signs: str) -> bool:
    try:
        signs.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
