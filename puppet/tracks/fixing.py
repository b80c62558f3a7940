"""Moves keys in a file of tracks to the frames that fit, and leaves every other character alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from puppet.body import Body
from puppet.command import MAX_FRAMES
from puppet.files.atomic_write import write_atomically
from puppet.files.text_file import decode_text, read_text
from puppet.tracks.course import course_of
from puppet.tracks.track_file import read_tracks
from puppet.tracks.tracks import Hint, Mark, Tracks

_MAX_ROUNDS = 1000  # a file has no more flights
_LINE = re.compile(r"[^\r\n\x85\u2028\u2029]*(?:\r\n|[\r\n\x85\u2028\u2029]|\Z)")  # as YAML counts them
_NUMBER = re.compile(r"(?:[&!]\S*[ \t]+)*['\"]?(?P<number>[+\-\d._eE]+)")  # an anchor, a tag, a quote before it


def hints_of(tracks: Tracks) -> tuple[Hint, ...]:
    """What does not fit in a file that can be run all the same."""
    course = course_of(tracks)
    return () if course is None else course.hints


def fix_file(path: str | Path, body: Body | None = None) -> tuple[Hint, ...]:
    """Fixes a file as `fixed_text` does; returns the hints that were followed."""
    read_text(path)  # says what is wrong with a file that cannot be read; but it would change ends of lines
    fixed, followed = fixed_text(Path(path).read_bytes().decode("utf-8"), str(path), body)
    if followed:
        write_atomically(path, fixed)
    return followed


def fixed_text(text: str, source: str, body: Body | None = None) -> tuple[str, tuple[Hint, ...]]:
    """The text with each key that has a hint at the frame that fits, and the hints that were followed.

    All keys of all tracks from that key's frame on move by as many frames. A key before it moves only where it would
    be overtaken.
    """
    followed: list[Hint] = []
    for _ in range(_MAX_ROUNDS):
        tracks = read_tracks(decode_text(text.encode()), source, body)
        hint = next((hint for hint in hints_of(tracks) if hint.fix is not None), None)
        if hint is None:
            break
        text = _moved(text, tracks, hint)
        followed.append(hint)
    return text, tuple(followed)


def _moved(text: str, tracks: Tracks, hint: Hint) -> str:
    """The text with the times of all tracks moved as a hint asks for."""
    assert hint.fix is not None
    by = hint.fix - hint.at
    new: dict[Mark, float] = {}
    for track in dict.fromkeys(track for track, _, _ in tracks.times):
        following: int | None = None
        for at, mark, apart in reversed(tracks.times_of(track)):
            moved = at + by if at >= hint.at else at
            if moved > MAX_FRAMES:
                raise hint.mark.error(f"with this key at frame {hint.fix}, '{track}' goes beyond frame {MAX_FRAMES}")
            moved = moved if following is None else min(moved, following - apart)
            if moved < 0:
                raise hint.mark.error(
                    f"there is no room to move this key to frame {hint.fix}: too many keys of '{track}' stand before "
                    "it; take one out, or move all keys to later frames"
                )
            new[mark] = following = moved
    return with_numbers(text, new)


def with_numbers(text: str, new: Mapping[Mark, float]) -> str:
    """The text with other numbers at some places; one that is the same stays as it is written."""
    lines = _LINE.findall(text)
    skipped = 1 if text.startswith("\ufeff") else 0
    for mark, number in sorted(new.items(), key=lambda entry: (entry[0].line, entry[0].column), reverse=True):
        line = lines[mark.line - 1] if mark.line <= len(lines) else ""
        found = _NUMBER.match(line, mark.column - 1 + (skipped if mark.line == 1 else 0))
        if found is None:
            raise mark.error("this number cannot be rewritten: write it plainly, as in 30")
        if float(found["number"]) != number:
            lines[mark.line - 1] = f"{line[: found.start('number')]}{number:.10g}{line[found.end('number') :]}"
    return "".join(lines)
