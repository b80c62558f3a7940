"""What the report of a performance says of its tasks and holds, as the judges need it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from puppet.performance import Performance
from puppet.types import Floats

MOVES = ("reach", "slide", "perform")  # kinds of tasks that move a hand
CARRIED_OUT = ("done", "adjusted", "missed")
_POINT = re.compile(r"reach \((?P<point>[^)]*)\) with ")
_REACH = re.compile(r'reach (?:the )?(?P<space>space )?"?(?P<name>.+?)"?(?P<palm> (?:hand )?space)? with ')
_GRIP = re.compile(r", grip (\w+)")


@dataclass(frozen=True)
class Task:
    """One task that was carried out: frames count from 0, the posture before anything happens."""

    number: int
    kind: str
    command: str
    status: str
    hand: str
    start: int
    end: int
    thing: str | None = None  # that is reached for
    space: str | None = None
    point: tuple[float, ...] | None = None
    grip: str | None = None  # where the task itself names one

    def goal(self, performance: Performance) -> Floats | None:
        """The point in the world that the task is about: itself, a thing where it is in the end, or a space."""
        if self.point is not None:
            return np.array(self.point)
        if self.thing is not None:
            return np.asarray(performance.object_positions[self.end, performance.object_names.index(self.thing)])
        return None if self.space is None else np.array(performance.scene.space(self.space).position)


@dataclass(frozen=True)
class Hold:
    """A hand that is locked on a thing, from the frame of the lock to that of the unlock."""

    hand: str
    thing: str
    start: int
    end: int
    statuses: frozenset[str] = frozenset()  # of the tasks that ran meanwhile
    regrips: tuple[tuple[int, int], ...] = ()  # tasks that ask for another grip: from frame, to frame


def tasks_of(performance: Performance) -> list[Task]:
    """The tasks that moved something, in the order given."""
    if list(performance.numbers) != list(range(len(performance.angles))):
        raise ValueError("only a performance that was recorded from its first frame to its last can be judged")
    found = []
    for number, entry in enumerate(performance.report["tasks"]):
        carried_out = entry["kind"] in MOVES and entry["status"] in CARRIED_OUT
        if not carried_out or entry["start"] is None or entry["end"] is None or entry["end"] <= entry["start"]:
            continue
        thing = space = point = None
        if match := _POINT.match(entry["command"]):
            point = tuple(float(number) for number in match["point"].split(","))
        elif match := _REACH.match(entry["command"]):
            if match["palm"] is not None or match["space"] is not None:
                space = match["name"]
            else:
                thing = match["name"]
        grip = _GRIP.search(entry["command"])
        found.append(
            Task(number, entry["kind"], entry["command"], entry["status"], entry["hand"], entry["start"], entry["end"],
                 thing, space, point, grip[1] if grip else None)
        )  # fmt: skip
    return found


def holds_of(performance: Performance) -> list[Hold]:
    """The holds of things, those that last to the end included."""
    tasks = tasks_of(performance)
    found: list[Hold] = []
    open_: dict[str, tuple[str, int]] = {}
    for number, entry in enumerate(performance.report["tasks"]):
        hand = entry["hand"]
        if entry["kind"] == "lock" and entry["status"] in CARRIED_OUT and hand not in open_:
            before = [task for task in tasks if task.number < number and task.hand == hand]
            if before and before[-1].thing is not None:
                open_[hand] = before[-1].thing, entry["start"]
        elif entry["kind"] == "unlock" and entry["status"] in CARRIED_OUT and hand in open_:
            thing, start = open_.pop(hand)
            found.append(_hold(tasks, hand, thing, start, entry["start"]))
    last = len(performance.angles) - 1
    return found + [_hold(tasks, hand, thing, start, last) for hand, (thing, start) in open_.items()]


def _hold(tasks: list[Task], hand: str, thing: str, start: int, end: int) -> Hold:
    during = [task for task in tasks if task.start < end and task.end > start]
    regrips = tuple(
        (task.start, task.end) for task in during if task.hand == hand and task.grip and task.start >= start
    )
    return Hold(hand, thing, start, end, frozenset(task.status for task in during), regrips)
