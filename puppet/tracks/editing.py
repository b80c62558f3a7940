"""Keys moved in a file of tracks, in space or in time: numbers are written anew, every other character stays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from puppet.body import Body
from puppet.command import MAX_FRAMES
from puppet.files.strict_yaml import Node, parse
from puppet.files.text_file import decode_text
from puppet.tracks.fixing import with_numbers
from puppet.tracks.track_file import FREE, read_tracks
from puppet.tracks.tracks import Mark

_DIGITS = 4  # of a place, in body heights: less than a millimetre
_GONE = "there is no key here any more: the file has changed"


def moved_in_time(text: str, source: str, mark: Mark, at: int, body: Body | None = None) -> str:
    """The text with the key whose time stands there at another frame, between those before and after it."""
    tracks = read_tracks(decode_text(text.encode()), source, body)
    track = next((name for name, _, own in tracks.times if own == mark), None)
    if track is None:
        raise mark.error(_GONE)
    times = tracks.times_of(track)
    n = next(n for n, (_, own, _) in enumerate(times) if own == mark)
    least = times[n - 1][0] + times[n - 1][2] if n > 0 else 0
    most = times[n + 1][0] - times[n][2] if n + 1 < len(times) else MAX_FRAMES
    return with_numbers(text, {mark: min(max(at, least), most)})


def moved_in_space(text: str, source: str, mark: Mark, place: Sequence[float]) -> str:
    """The text with the key whose time stands there at another place, in body heights; a free axis stays so."""
    node = next((entry for entry in _keys(parse(decode_text(text.encode()), source)) if _is(entry, mark)), None)
    if node is None:
        raise mark.error(_GONE)
    fields = dict(node.items())
    if "place" not in fields:
        raise mark.error("this key has no 'place' to move: it is found from the others")
    new = {
        Mark(source, entry.line, entry.column): round(float(number), _DIGITS) + 0.0
        for entry, number in zip(fields["place"].sequence(3), place, strict=True)
        if entry.found() != f"'{FREE}'"
    }
    return with_numbers(text, new)


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
