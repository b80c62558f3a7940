"""Text files in UTF-8: read with a limit on their size, split into lines, quoted in messages."""

from __future__ import annotations

import re
from pathlib import Path

from puppet.errors import FileError
from puppet.files.inputs import note_input

MAX_FILE_BYTES = 2_000_000
MAX_SCRIPT_BYTES = 10_000_000  # a take has a line for each frame in which the body is dragged
MAX_MISTAKES = 500  # reported for one file; a file with more is something else
_LINE_END = re.compile(r"\r\n|\r|\n")  # as editors count; str.splitlines would split at more


def read_text(path: str | Path) -> str:
    """A text file in UTF-8, its line ends plain; every failure is a FileError."""
    path = Path(path)
    most = MAX_SCRIPT_BYTES if path.suffix == ".puppet" else MAX_FILE_BYTES
    try:
        with path.open("rb") as file:
            note_input(file.fileno())
            data = file.read(most + 1)  # no more than that: a device has no size and no end
        if len(data) > most:
            raise FileError(f"{path}:1:1: the file is larger than {most // 1_000_000} MB")
        return decode_text(data)
    except UnicodeDecodeError as error:
        raise FileError(f"{path}:1:1: not a text file in UTF-8 (byte {error.start})") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(f"{path}: cannot be read: {reason}") from None


def decode_text(data: bytes) -> str:
    """UTF-8 without a byte order mark, its line ends plain."""
    return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def split_lines(text: str) -> list[str]:
    """The lines of a text, numbered as editors number them."""
    return _LINE_END.split(text)


def shorten(text: str, longest: int = 60) -> str:
    """A piece of a file for a message: short and on one line."""
    text = " ".join(text[: longest + 1].split("\n"))
    return text if len(text) <= longest else text[: longest - 3] + "..."
