"""The timeline of a report: body segments as rows, tasks as bars, as in Figures 7.5 and 7.7."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_INSTANT = ("set", "lock", "unlock", "release", "freeze", "record")  # kinds of commands that own no segment
_Span = tuple[int, int, int]  # start, end, index of the task


@dataclass(frozen=True)
class TimelineTask:
    """One task, for the legend. Frames as in the report; None: it never began or ended."""

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
    label: str = ""  # its name
    when: str = ""  # the moment that it waited for
    until: str = ""  # the moment until which it went on
    expanded: str = ""  # the line as it was carried out


@dataclass(frozen=True)
class Link:
    """A relation: a task begins, or stops, with another one."""

    source: int  # index of the task that is named
    target: int  # index of the task that waits for it
    at: int  # frame at which the named one starts or ends
    to: int  # frame at which the other one begins, or stops


@dataclass(frozen=True)
class TimelineRow:
    """Body segments that are always owned together. Tasks that share them are in lanes, one below the other."""

    name: str
    lanes: int


@dataclass(frozen=True)
class Bar:
    """The time for which a task owns the segments of a row."""

    task: int  # index
    row: int
    lane: int
    start: int
    end: int


@dataclass(frozen=True)
class Timeline:
    title: str
    fps: float
    frames: int  # at which the last task ends
    rows: tuple[TimelineRow, ...]
    bars: tuple[Bar, ...]
    tasks: tuple[TimelineTask, ...]
    hands: Mapping[str, str]  # the body's hands by name: their words, such as "left hand"
    links: tuple[Link, ...] = ()


def build_timeline(
    report: Mapping[str, Any],
    joints: Sequence[str],
    groups: Mapping[str, Sequence[str]],
    hands: Mapping[str, str],
    title: str = "",
) -> Timeline:
    """Builds the timeline of a report. `joints`, `groups` and `hands` are the body's, by name."""
    shown = [task for task in report["tasks"] if is_shown(task)]
    tasks = tuple(_timeline_task(number, task) for number, task in enumerate(shown, 1))
    spans: dict[str, list[_Span]] = {joint: [] for joint in joints}
    for index, entry in enumerate(shown):
        for span in entry["segments"]:
            spans[span["joint"]].append((span["start"], span["end"], index))
    rows: list[TimelineRow] = []
    bars: list[Bar] = []
    for name, joint in _rows(_segments(joints, groups), spans):
        lanes: list[int] = []  # the frame from which each is free
        for start, end, index in sorted(spans[joint]):
            lane = next((n for n, free in enumerate(lanes) if free <= start), len(lanes))
            lanes[lane : lane + 1] = [max(end, start + 1)]
            bars.append(Bar(index, len(rows), lane, start, end))
        rows.append(TimelineRow(name, max(1, len(lanes))))
    ends = [bar.end for bar in bars] + [task.end for task in tasks if task.end is not None]
    frames = max(ends, default=0)
    return Timeline(
        _printable(title), float(report["fps"]), frames, tuple(rows), tuple(bars), tasks, dict(hands), _links(tasks)
    )


def is_shown(task: Mapping[str, Any]) -> bool:
    """Whether a task has a place in the timeline: it owns segments or should have, or it was rejected."""
    instant = str(task["kind"]).startswith(_INSTANT)
    return not instant or task["status"] == "rejected"


def _timeline_task(number: int, task: Mapping[str, Any]) -> TimelineTask:
    return TimelineTask(
        number, task["line"], task["call"], _printable(task["command"]), _printable(task["interpretation"]),
        task["status"], _printable(task["reason"]), _printable(task["waited"]), task["hand"], task["given"],
        task["start"], task["end"], *(_printable(task.get(key, "")) for key in ("label", "when", "until", "expanded")),
    )  # fmt: skip


def _links(tasks: Sequence[TimelineTask]) -> tuple[Link, ...]:
    """The relations that held."""
    found = []
    for target, task in enumerate(tasks):
        for moment, to in ((task.when, task.start), (task.until, task.end)):
            name, _, rest = moment.rpartition(" ends") if " ends" in moment else moment.rpartition(" starts")
            named = [n for n, other in enumerate(tasks) if name and other.label == name]
            ends, offset = moment.endswith(f" ends{rest}"), int(rest.replace(" ", "") or 0)
            at = {n: tasks[n].end if ends else tasks[n].start for n in named}
            known = {n: frame for n, frame in at.items() if frame is not None}
            if to is not None and known:  # of the same name in several rounds, the one that fits
                source = min(known, key=lambda n: (abs(known[n] + offset - to), -n))
                found.append(Link(source, target, known[source], to))
    return tuple(found)


def _printable(text: str) -> str:
    """Text without control characters: it stays on one line, and XML allows it."""
    return "".join(char if char.isprintable() else " " for char in text)


def _segments(joints: Sequence[str], groups: Mapping[str, Sequence[str]]) -> list[tuple[str, tuple[str, ...]]]:
    """Names and joints of the segments, in the order of the groups: joints in the same groups form a segment."""
    apart: dict[frozenset[str], list[str]] = {}
    order = [joint for group in groups.values() for joint in group]
    for joint in dict.fromkeys([*order, *joints]):
        apart.setdefault(frozenset(name for name, members in groups.items() if joint in members), []).append(joint)
    found = [tuple(joint for joint in joints if joint in members) for members in apart.values()]
    return [(_name(members, groups), members) for members in found]


def _name(members: tuple[str, ...], groups: Mapping[str, Sequence[str]]) -> str:
    """The name of a group with these joints, or what it adds to another: "torso" of "left arm and torso"."""
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
    """The names of the rows, each with a joint of it. A segment has one row unless its joints are owned differently."""
    found = []
    for name, members in segments:
        together = all(sorted(spans[joint]) == sorted(spans[members[0]]) for joint in members)
        shown = members[:1] if together else members
        found += [(name if together else joint.replace("_", " "), joint) for joint in shown]
    return found
