"""The script that a command line names: a path, one that comes with puppet, or what comes through a pipe."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from puppet import library
from puppet.errors import FileError, PuppetError, did_you_mean

STDIN = "-"
MAX_BYTES = 2_000_000


@dataclass(frozen=True)
class Script:
    """`name` is how messages call it; `source` is what `puppet.run` takes: a path, or the text itself."""

    name: str
    source: Path | str


def find_script(name: str) -> Script:
    if name == STDIN:
        return Script("script", _read_stdin())
    path = Path(name)
    try:
        if path.is_dir():
            raise PuppetError(f"'{name}' is a folder; name a script in it")
        found = library.find("scripts", path)
    except (PuppetError, ValueError, OSError) as error:
        if isinstance(error, PuppetError) and path.is_dir():
            raise
        known = library.names("scripts")
        hint = did_you_mean(path.name, {*known, *(Path(entry).stem for entry in known), *_nearby(path)})
        raise PuppetError(f"no script '{name}', neither here nor among those that come with puppet; {hint}") from None
    return Script(str(path if path == found else found), found)


def _nearby(path: Path) -> list[str]:
    """Scripts in the folder where one was looked for."""
    try:
        return [near.name for near in path.parent.iterdir() if near.suffix in library.ENDINGS["scripts"]]
    except OSError:
        return []


def _read_stdin() -> str:
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise FileError(f"standard input: longer than {MAX_BYTES // 1_000_000} MB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"standard input: not a text in UTF-8 (byte {error.start})") from None
    return text.replace("\r\n", "\n").replace("\r", "\n") + "\n"  # a text of one line is not taken for a path
