"""Tables for a window to show: queue, timeline, locks, statistics. Nothing here changes anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from puppet.body import Body
from puppet.scene import Scene
from puppet.shows.messages import describe_running
from puppet.stage import Entry, Running, Stage, task_log
from puppet.tasks import Goal, Motion, describe_goal

MAX_RECENT = 200  # commands that timeline and statistics go back
COSTS = ("posture", "ways")  # keys of the stage's timing: what it takes to begin a task
TASK_KINDS = ("reach", "slide", "perform", "posejoint")


@dataclass(frozen=True)
class QueuedTask:
    """A task that runs or waits. `progress` from 0 to 1."""

    number: int  # in the stage's entries
    words: str
    hand: str
    status: str  # running, waiting
    progress: float
    waited: str  # why it did not begin at once


@dataclass(frozen=True)
class TimelineSegment:
    """The frames for which a task owns some joints. Waiting tasks have none yet."""

    number: int  # of the task in the stage's entries
    words: str
    hand: str
    start: int
    end: int


@dataclass(frozen=True)
class TaskStatistics:
    """The cost and the accuracy of one task."""

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
    detour_milliseconds: float
    tries: int  # detours that were tried
    position_error: float
    orientation_error: float  # degrees


TYPICAL_FRAMES = 26  # of a movement that takes as long as people take


def queued_tasks(stage: Stage, entries: tuple[Entry, ...]) -> tuple[QueuedTask, ...]:
    """The tasks that run or wait, in the order in which they were given."""
    frame = stage.frame.number
    running = {motion.motion.task: motion for motion in stage.running}
    found = []
    for entry in entries:
        if entry.status in task_log.OPEN:
            share = _progress(entry, running.get(entry.number), frame)
            words = describe_running(entry) if entry.status == task_log.RUNNING else entry.interpretation
            found.append(QueuedTask(entry.number, words, entry.hand, entry.status, share, entry.waited))
    return tuple(found)


def _frames(motion: Motion) -> int:
    """Of a movement: those that were said, or about as many as people take."""
    return motion.speed if motion.speed is not None else max(1, round(motion.pace * TYPICAL_FRAMES))


def _progress(entry: Entry, running: Running | None, frame: int) -> float:
    if entry.start is None or running is None:
        return 0.0
    end = running.end if running.end is not None else frame + _frames(running.motion)
    motion = running.motion.couple
    while motion is not None:  # the movements of the task that are still to come
        end += _frames(motion)
        motion = motion.couple
    return min(1.0, max(0.0, (frame - entry.start) / max(1, end - entry.start)))


def timeline_rows(body: Body) -> dict[str, frozenset[int]]:
    """The joints in each row of a timeline, by its name: the limbs, the torso, and all others.

    What hangs on a limb belongs to it, and so does what carries it alone; what carries the torso belongs to the torso.
    Others that hang on each other are one row, which is called as the one that looks, or as the first.
    """
    found = {f"{name} arm" if limb.kind == "arm" else name: set(limb.joints) for name, limb in body.limbs.items()}
    limbs = [*found.values()]
    trunk = {joint for limb in body.limbs.values() for joint in limb.trunk}
    if trunk:
        found["torso"] = trunk
    below = body.model.below.astype(bool)
    others: list[set[int]] = []
    for joint in sorted(set(range(len(body.joints))).difference(trunk, *limbs)):
        on = next((limb for limb in limbs if any(below[other, joint] for other in limb)), None)
        carries = [limb for limb in limbs if all(below[joint, other] for other in limb)]
        if on is None and len(carries) == 1 and not any(below[joint, other] for other in trunk):
            on = carries[0]
        if on is None and any(below[joint, other] for other in trunk):
            on = trunk
        if on is None:
            on = next((row for row in others if body.joints[joint].parent in row), None)
        if on is None:
            others.append(on := set())
        on.add(joint)
    for row in others:
        looks = body.gaze is not None and body.gaze.joint in row
        name = body.joint_names[body.gaze.joint if body.gaze is not None and looks else min(row)]
        found[name.replace("_", " ")] = row
    return {name: frozenset(joints) for name, joints in found.items()}


def recent_timeline(body: Body, entries: tuple[Entry, ...], since: int) -> dict[str, tuple[TimelineSegment, ...]]:
    """Which task owned which part of the body from frame `since` on, row by row."""
    recent = [entry for entry in entries[-MAX_RECENT:] if entry.segments]
    owned = task_log.timeline([replace(entry, number=n) for n, entry in enumerate(recent)])
    found: dict[str, tuple[TimelineSegment, ...]] = {}
    for name, joints in timeline_rows(body).items():
        segments = []
        for n, parts in owned.items():
            spans = sorted((start, end) for joint, start, end in parts if joint in joints and end > since)
            for start, end in _merged(spans):
                entry = recent[n]
                segments.append(TimelineSegment(entry.number, describe_running(entry), entry.hand, start, end))
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


def describe_locks(scene: Scene, held: Mapping[str, Goal]) -> dict[str, str]:
    """What each locked hand does in a scene: "stay at yellow"."""
    return {hand: describe_goal(scene, goal) for hand, goal in held.items()}


def task_statistics(entries: tuple[Entry, ...], costs: Mapping[int, tuple[float, ...]]) -> tuple[TaskStatistics, ...]:
    """The last tasks; `costs`: by the number of a task, seconds for each of COSTS."""
    return tuple(_task_statistics(entry, costs) for entry in entries[-MAX_RECENT:] if entry.kind in TASK_KINDS)


def _task_statistics(entry: Entry, costs: Mapping[int, tuple[float, ...]]) -> TaskStatistics:
    posture, ways = (1e3 * seconds for seconds in costs.get(entry.number, (0.0, 0.0)))
    return TaskStatistics(
        entry.number, entry.interpretation, entry.hand, entry.status, entry.reason, entry.given, entry.start,
        entry.end, posture, entry.iterations, ways, entry.tries, entry.position_error, entry.orientation_error,
    )  # fmt: skip
