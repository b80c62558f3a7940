"""A stage as plain values to be shown: queue, timeline, locks, statistics. Nothing here changes anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from puppet.body import Body
from puppet.scene import Scene
from puppet.shows.messages import doing
from puppet.stage import Entry, Running, Stage, task_log
from puppet.tasks import Goal, describe

RECENT = 200  # commands that timeline and statistics look back on
COSTS = ("posture", "ways")  # out of the stage's timing: what a task takes when it begins
TASKS = ("reach", "slide", "perform", "posejoint")


@dataclass(frozen=True)
class Queued:
    """A task under way or waiting. `progress` from 0 to 1."""

    number: int  # in the stage's entries
    words: str
    hand: str
    status: str  # running, waiting
    progress: float
    waited: str  # why it did not begin at once


@dataclass(frozen=True)
class Segment:
    """A task's time on some joints, in frames. Nothing is known of what is still waiting."""

    number: int  # of the task in the stage's entries
    words: str
    hand: str
    start: int
    end: int


@dataclass(frozen=True)
class Statistic:
    """What one task cost and how exact it is."""

    number: int
    words: str
    hand: str
    status: str
    reason: str
    given: int  # frame
    start: int | None
    end: int | None
    posture_milliseconds: float  # tasks that begin in the same frame share them
    iterations: int  # postures that were tried
    ways_milliseconds: float
    tries: int  # ways that were tried
    position_error: float
    orientation_error: float  # degrees


def queue(stage: Stage, entries: tuple[Entry, ...]) -> tuple[Queued, ...]:
    """What runs and what waits, in the order told."""
    frame = stage.frame.number
    running = {motion.motion.task: motion for motion in stage.running}
    found = []
    for entry in entries:
        if entry.status in task_log.OPEN:
            share = _progress(entry, running.get(entry.number), frame)
            words = doing(entry) if entry.status == task_log.RUNNING else entry.interpretation
            found.append(Queued(entry.number, words, entry.hand, entry.status, share, entry.waited))
    return tuple(found)


def _progress(entry: Entry, running: Running | None, frame: int) -> float:
    if entry.start is None or running is None:
        return 0.0
    end = running.end if running.end is not None else frame + running.motion.speed
    motion = running.motion.couple
    while motion is not None:  # the movements of the task that are still to come
        end += motion.speed
        motion = motion.couple
    return min(1.0, max(0.0, (frame - entry.start) / max(1, end - entry.start)))


def rows(body: Body) -> dict[str, frozenset[int]]:
    """The rows of a timeline: each limb, what carries them, and what is left, by name."""
    found = {f"{name} {'arm' if name in ('left', 'right') else ''}".strip(): frozenset(limb.joints)
             for name, limb in body.limbs.items()}  # fmt: skip
    trunk = frozenset(joint for limb in body.limbs.values() for joint in limb.trunk)
    if trunk:
        found["torso"] = trunk
    rest = frozenset(range(len(body.joints))) - trunk.union(*found.values())
    for joint in sorted(rest):
        found[body.joint_names[joint].replace("_", " ")] = frozenset([joint])
    return found


def timeline(body: Body, entries: tuple[Entry, ...], since: int) -> dict[str, tuple[Segment, ...]]:
    """Which task had which part of the body from frame `since` on, row by row."""
    recent = [entry for entry in entries[-RECENT:] if entry.segments]
    owned = task_log.timeline([replace(entry, number=n) for n, entry in enumerate(recent)])
    found: dict[str, tuple[Segment, ...]] = {}
    for name, joints in rows(body).items():
        segments = []
        for n, parts in owned.items():
            spans = sorted((start, end) for joint, start, end in parts if joint in joints and end > since)
            for start, end in _merged(spans):
                entry = recent[n]
                segments.append(Segment(entry.number, doing(entry), entry.hand, start, end))
        found[name] = tuple(sorted(segments, key=lambda segment: (segment.start, segment.number)))
    return found


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def locks(scene: Scene, held: Mapping[str, Goal]) -> dict[str, str]:
    """What each locked hand does in a scene: "stay at yellow"."""
    return {hand: describe(scene, goal) for hand, goal in held.items()}


def statistics(entries: tuple[Entry, ...], costs: Mapping[int, tuple[float, ...]]) -> tuple[Statistic, ...]:
    """The last tasks; `costs` are seconds by their numbers, one for each of COSTS."""
    return tuple(_statistic(entry, costs) for entry in entries[-RECENT:] if entry.kind in TASKS)


def _statistic(entry: Entry, costs: Mapping[int, tuple[float, ...]]) -> Statistic:
    posture, ways = (1e3 * seconds for seconds in costs.get(entry.number, (0.0, 0.0)))
    return Statistic(
        entry.number, entry.interpretation, entry.hand, entry.status, entry.reason, entry.given, entry.start,
        entry.end, posture, entry.iterations, ways, entry.tries, entry.position_error, entry.orientation_error,
    )  # fmt: skip
