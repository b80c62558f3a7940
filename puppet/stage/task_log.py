"""The report's tasks as they come and change, with marks to go back to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from puppet.errors import visible
from puppet.types import Vector

WAITING, RUNNING = "waiting", "running"
DONE, ADJUSTED, REJECTED, MISSED, CANCELLED = "done", "adjusted", "rejected", "missed", "cancelled"
OPEN = (WAITING, RUNNING)
MISTAKE = "a mistake in puppet itself"  # the reason of a task that failed because of one


@dataclass(frozen=True)
class Entry:
    """One command and what became of it. Frames count from 0, the posture before anything happens."""

    number: int
    kind: str  # reach, slide, perform, lock, unlock, freeze, set
    line: int
    command: str
    interpretation: str
    status: str
    reason: str = ""
    hand: str = ""
    given: int = 0  # frame
    start: int | None = None
    end: int | None = None
    position_error: float = 0.0
    orientation_error: float = 0.0  # degrees
    depth: float = 0.0  # how deep anything got into anything, more than a touch
    depth_frame: int | None = None
    depth_words: str = ""
    column: int = 1
    file: str = ""
    call: int = 0  # line of the call, where the command stands in a definition
    iterations: int = 0  # postures that were tried for its goal
    tries: int = 0  # ways that were tried for the hands
    label: str = ""  # its name, where it has one
    when: str = ""  # the moment that it waited for
    until: str = ""  # the moment until which it went on
    target: str | Vector | None = None  # the thing, the space or the point that it is about
    expanded: str = ""  # the line as it was carried out, with parameters and values replaced
    chosen: str = ""  # why this hand, where either could have done it
    waited: str = ""  # why it did not begin at once, or not with all its joints
    segments: tuple[tuple[int, int, int], ...] = ()  # joint, from frame, to frame: as scheduled, see `timeline`

    def as_dict(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "call": self.call,
            "kind": self.kind,
            "command": self.command,
            "interpretation": self.interpretation,
            "status": self.status,
            "reason": self.reason,
            "hand": self.hand,
            "given": self.given,
            "start": self.start,
            "end": self.end,
            "position_error": self.position_error,
            "orientation_error": self.orientation_error,
            "depth": self.depth,
            "depth_frame": self.depth_frame,
            "iterations": self.iterations,
            "tries": self.tries,
            "label": self.label,
            "when": self.when,
            "until": self.until,
            "target": list(self.target) if isinstance(self.target, tuple) else self.target,
            "expanded": self.expanded,
            "chosen": self.chosen,
            "waited": self.waited,
        }


def timeline(entries: Sequence[Entry]) -> dict[int, list[tuple[int, int, int]]]:
    """Which joints each task had: joint, from frame, to frame. A joint that another task takes over ends there."""
    found: dict[int, list[tuple[int, int, int]]] = {}
    taken: dict[int, int] = {}  # joint: the frame from which a later one has it
    begun = [(start, entry.number, joint, end) for entry in entries for joint, start, end in entry.segments]
    for start, number, joint, end in sorted(begun, reverse=True):
        last = entries[number].end
        end = end if last is None else min(end, last)
        if taken.get(joint, end) > start:  # two that begin at once share it
            end = min(end, taken.get(joint, end))
        taken[joint] = start
        if end > start:
            found.setdefault(number, []).append((joint, start, end))
    return {number: _joined(segments) for number, segments in found.items()}


def _joined(segments: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """The same, one where one ends as the next begins."""
    found: list[tuple[int, int, int]] = []
    for joint, start, end in sorted(segments):
        if found and found[-1][0] == joint and found[-1][2] >= start:
            found[-1] = (joint, found[-1][1], max(end, found[-1][2]))
        else:
            found.append((joint, start, end))
    return found


class TaskLog:
    """Entries in the order given. Every change is logged, so that to go back costs what has changed since."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._log: list[Entry | None] = []  # what stood there before; None: the entry was new

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, number: int) -> Entry:
        return self._entries[number]

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(self._entries)

    def add(self, entry: Entry) -> None:
        assert entry.number == len(self._entries)
        self._entries.append(entry)
        self._log.append(None)

    def change(self, number: int, **values: Any) -> None:
        """Other values of an entry; what a terminal would obey in words, such as names in them, is escaped."""
        old = self._entries[number]
        words = {name: visible(value) for name, value in values.items() if isinstance(value, str)}
        self._entries[number] = replace(old, **{**values, **words})
        self._log.append(old)

    def mark(self) -> int:
        return len(self._log)

    def rewind(self, mark: int) -> None:
        while len(self._log) > mark:
            old = self._log.pop()
            if old is None:
                self._entries.pop()
            else:
                self._entries[old.number] = old
