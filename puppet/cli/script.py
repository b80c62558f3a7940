"""The script, file of tracks or of an animation space of a command line: a path, the name of a shipped one, or standard
input."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from puppet.errors import FileError, PuppetError, did_you_mean
from puppet.files import shipped
from puppet.files.text_file import MAX_SCRIPT_BYTES, decode_text

STDIN = "-"
_ENDINGS = (*shipped.ENDINGS["scripts"], ".tracks.yaml", ".space.yaml")


@dataclass(frozen=True)
class NamedScript:
    """`name` is for messages; `source` is for `puppet.run`: a path, or the text itself."""

    name: str
    source: Path | str


def find_script(name: str) -> NamedScript:
    if name == STDIN:
        return NamedScript("script", _read_stdin())
    path = Path(name)
    try:
        found = _find(path)
    except (PuppetError, ValueError, OSError):  # the last two: names that no file can have
        shipped.check_readable(path)
        known = {*shipped.names("scripts"), *shipped.names("tracks"), *shipped.names("spaces"), *_nearby(path)}
        hint = did_you_mean(path.name, known if path.suffix else {shipped.stem(entry) for entry in known})
        raise PuppetError(f"no script '{name}', neither here nor among those that come with puppet; {hint}") from None
    return NamedScript(str(found), found)


def _find(path: Path) -> Path:
    """A script, else a file of tracks, or of an animation space, of that name."""
    for kind in ("scripts", "tracks"):
        try:
            return shipped.find(kind, path)
        except PuppetError:
            continue
    return shipped.find("spaces", path)


def find_shipped(name: str) -> NamedScript:
    """A shipped script, even if the current folder has one of the same name."""
    path = shipped.folder("scripts") / name
    return NamedScript(name, path)


def _nearby(path: Path) -> list[str]:
    """The scripts in the folder in which one was not found."""
    try:
        return [near.name for near in path.parent.iterdir() if near.name.endswith(_ENDINGS)]
    except OSError:
        return []


def _read_stdin() -> str:
    if sys.stdin is None:
        raise PuppetError("standard input is closed: there is no script to read")
    data = sys.stdin.buffer.read(MAX_SCRIPT_BYTES + 1)
    if len(data) > MAX_SCRIPT_BYTES:
        raise FileError(f"standard input: longer than {MAX_SCRIPT_BYTES // 1_000_000} MB")
    try:
        return decode_text(data) + "\n"  # a text of one line is not taken for a path
    except UnicodeDecodeError as error:
        raise FileError(f"standard input: not a text in UTF-8 (byte {error.start})") from None
