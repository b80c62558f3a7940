"""A report seen as a timeline: body segments as rows, tasks as bars, as in Figures 7.5 and 7.7."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_INSTANT = ("set", "lock", "unlock", "freeze", "record")  # kinds of commands that own no segment
_Span = tuple[int, int, int]  # start, end, index of the task


@dataclass(frozen=True)
class Item:
    """One task, as the legend tells it. Frames as in the report; None: it never began or ended."""

    number: int
    line: int
    call: int  # line of the call, where the command stands in a definition; else 0
    command: str
    interpretation: str
    status: str
    reason: str
    waited: str
    hand: str
    given: int
    start: int | None
    end: int | None


@dataclass(frozen=True)
class Row:
    """Body segments that are always owned together. Tasks that share them lie in lanes above each other."""

    name: str
    lanes: int


@dataclass(frozen=True)
class Bar:
    """The time for which a task owns the segments of a row."""

    item: int  # index
    row: int
    lane: int
    start: int
    end: int


@dataclass(frozen=True)
class Timeline:
    title: str
    fps: float
    frames: int  # at which the last task ends
    rows: tuple[Row, ...]
    bars: tuple[Bar, ...]
    items: tuple[Item, ...]


def timeline(
    report: Mapping[str, Any], joints: Sequence[str], groups: Mapping[str, Sequence[str]], title: str = ""
) -> Timeline:
    """The timeline that a report tells. `joints` and `groups` are the body's, by name."""
    tasks = [task for task in report["tasks"] if is_shown(task)]
    items = tuple(_item(number, task) for number, task in enumerate(tasks, 1))
    spans: dict[str, list[_Span]] = {joint: [] for joint in joints}
    for index, task in enumerate(tasks):
        for span in task["segments"]:
            spans[span["joint"]].append((span["start"], span["end"], index))
    rows: list[Row] = []
    bars: list[Bar] = []
    for name, joint in _rows(_segments(joints, groups), spans):
        lanes: list[int] = []  # the frame from which each is free
        for start, end, index in sorted(spans[joint]):
            lane = next((n for n, free in enumerate(lanes) if free <= start), len(lanes))
            lanes[lane : lane + 1] = [max(end, start + 1)]
            bars.append(Bar(index, len(rows), lane, start, end))
        rows.append(Row(name, max(1, len(lanes))))
    ends = [bar.end for bar in bars] + [item.end for item in items if item.end is not None]
    return Timeline(_printable(title), float(report["fps"]), max(ends, default=0), tuple(rows), tuple(bars), items)


def is_shown(task: Mapping[str, Any]) -> bool:
    """Tasks move something, or were to; a lock or a setting is of interest only when it was refused."""
    instant = str(task["kind"]).startswith(_INSTANT)
    return not instant or task["status"] == "rejected"


def _item(number: int, task: Mapping[str, Any]) -> Item:
    return Item(
        number, task["line"], task["call"], _printable(task["command"]), _printable(task["interpretation"]),
        task["status"], _printable(task["reason"]), _printable(task["waited"]), task["hand"], task["given"],
        task["start"], task["end"],
    )  # fmt: skip


def _printable(text: str) -> str:
    """Text in one line, without signs that a terminal would obey or that XML does not know."""
    return "".join(char if char.isprintable() else " " for char in text)


def _segments(joints: Sequence[str], groups: Mapping[str, Sequence[str]]) -> list[tuple[str, tuple[str, ...]]]:
    """The joints that no group tells apart, each with a name, in the order in which the groups name them."""
    apart: dict[frozenset[str], list[str]] = {}
    order = [joint for group in groups.values() for joint in group]
    for joint in dict.fromkeys([*order, *joints]):
        apart.setdefault(frozenset(name for name, members in groups.items() if joint in members), []).append(joint)
    found = [tuple(joint for joint in joints if joint in members) for members in apart.values()]
    return [(_name(members, groups), members) for members in found]


def _name(members: tuple[str, ...], groups: Mapping[str, Sequence[str]]) -> str:
    """A group's name, or what a group's name says beside another group: "torso" in "left arm and torso"."""
    exact = {frozenset(group): name for name, group in groups.items()}
    if frozenset(members) in exact:
        return exact[frozenset(members)]
    for name, group in groups.items():
        known = exact.get(frozenset(group) - frozenset(members))
        if frozenset(members) < frozenset(group) and known and name.startswith(f"{known} and "):
            return name.removeprefix(f"{known} and ")
    return ", ".join(members).replace("_", " ")


def _rows(
    segments: Iterable[tuple[str, tuple[str, ...]]], spans: Mapping[str, Sequence[_Span]]
) -> list[tuple[str, str]]:
    """Names, each with a joint that stands for its row. Segments whose joints went different ways get a row a joint."""
    found = []
    for name, members in segments:
        together = all(sorted(spans[joint]) == sorted(spans[members[0]]) for joint in members)
        shown = members[:1] if together else members
        found += [(name if together else joint.replace("_", " "), joint) for joint in shown]
    return found
