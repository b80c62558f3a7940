"""Keys moved in a file of tracks, in space or in time: numbers are written anew, every other character stays."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from puppet.body import Body
from puppet.errors import FileError, PuppetError
from puppet.files.strict_yaml import Node, parse
from puppet.files.text_file import decode_text
from puppet.tracks.fixing import with_times
from puppet.tracks.track_file import FREE, read_tracks
from puppet.tracks.tracks import Mark

_LIST = re.compile(r"\[[^\[\]]*\]")
_DIGITS = 4  # of a place, in body heights: less than a millimetre


def moved_in_time(text: str, source: str, mark: Mark, at: int, body: Body | None = None) -> str:
    """The text with the key whose time stands there at another frame, between those before and after it."""
    tracks = read_tracks(decode_text(text.encode()), source, body)
    track, now = next((name, time) for name, time, own in tracks.times if own == mark)
    others = [time for name, time, own in tracks.times if name == track and own != mark]
    least = max((time for time in others if time < now), default=-1) + 1
    most = min((time for time in others if time > now), default=10**9) - 1
    return with_times(text, {mark: min(max(at, least), most)})


def moved_in_space(text: str, source: str, mark: Mark, place: Sequence[float]) -> str:
    """The text with the key whose time stands there at another place, in body heights; a free axis stays so."""
    node = next((entry for entry in _keys(parse(text, source)) if _is(entry, mark)), None)
    if node is None:
        raise FileError(f"{mark.file}:{mark.line}:{mark.column}: there is no key here any more")
    fields = dict(node.items())
    if "place" not in fields:
        raise mark.error("this key has no 'place' to move: it is found from the others")
    value = fields["place"]
    free = [entry.found() == f"'{FREE}'" for entry in value.sequence(3)]
    numbers = [FREE if skip else f"{round(float(x), _DIGITS) + 0.0:g}" for skip, x in zip(free, place, strict=True)]
    begin = _offset(text, value.line, value.column)
    found = _LIST.match(text, begin)
    if found is None:
        raise value.error("a place that is moved stands in one pair of brackets, as in place: [0, 0.56, 0.02]")
    return f"{text[:begin]}[{', '.join(numbers)}]{text[found.end() :]}"


def _is(node: Node, mark: Mark) -> bool:
    at = dict(node.items()).get("at")
    return at is not None and (at.line, at.column) == (mark.line, mark.column)


def _keys(root: Node) -> Iterator[Node]:
    """All keys that may have a place."""
    top = dict(root.items())
    if "centre_of_mass" in top:
        yield from top["centre_of_mass"].sequence()
    if "pins" in top:
        for _, pin in top["pins"].items():
            yield from pin.sequence()


def _offset(text: str, line: int, column: int) -> int:
    """Where a line and a column, both from 1, are in a text."""
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n|\Z)", text)
    if not 0 < line <= len(lines):
        raise PuppetError(f"there is no line {line}")
    return sum(len(own) for own in lines[: line - 1]) + column - 1
