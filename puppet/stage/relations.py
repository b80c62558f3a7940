"""When tasks with names start and end: the moments that other tasks wait for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from puppet.command import ENDS, STARTS, Relation
from puppet.stage import task_log
from puppet.stage.state import Foreseen, Running, State
from puppet.stage.task_log import Entry, TaskLog
from puppet.tasks import Motion

GESTURE_FRAMES = 26  # of a step of a gesture, where nothing is said about its speed
_FASTEST = 0.5  # the share of its time that a movement takes at least so as to end with another task
NEVER = -1  # the task was not done, or will not come


def moment(relation: Relation, state: State, log: TaskLog) -> int | None:
    """The frame of a relation, as far as it is known by now; None: not yet; NEVER: what it names does not happen."""
    numbers = state.labels.get(relation.key)
    if numbers is None:
        return NEVER if state.complete else None
    entries = [log[number] for number in numbers]
    if relation.edge == ENDS and relation.offset < 0 and any(entry.status in task_log.OPEN for entry in entries):
        foreseen = state.foreseen.get(relation.key)
        if foreseen is not None and foreseen.end is not None:
            return max(foreseen.end + relation.offset, 0)
    at = _starts(entries) if relation.edge == STARTS else _ends(entries, relation.offset, state)
    if at is None or at == NEVER:
        return at
    return max(at + relation.offset, 0)


def beginning(motion: Motion, state: State) -> Relation | None:
    """The moment from which on a motion may begin: what goes on until another task ends begins with that task, unless
    that one waits for it."""
    until = motion.until
    if motion.when is not None or until is None or until.edge != ENDS:
        return motion.when
    held = {other.task: other for other in state.held}
    todo, seen = list(state.labels.get(until.key, ())), {motion.task}
    while todo:
        task = todo.pop()
        if task == motion.task:
            return None
        when = held[task].when if task in held and task not in seen else None
        seen.add(task)
        todo += state.labels.get(when.key, ()) if when is not None else ()
    return replace(until, edge=STARTS, offset=0)


class Question(NamedTuple):
    """A task whose end is looked for."""

    key: str  # its name
    known: Foreseen  # what it is known by
    without: Motion | None  # a motion that begins before that end: it is left out


def to_foresee(state: State, log: TaskLog) -> Question | None:
    """A task that is told and not over, before whose end a motion begins, or until whose end one goes on that makes its
    next movement now, where more is known about that end by now than when it was last looked for."""
    for relation, without in _asked(state, log):
        if relation.edge != ENDS or relation.key not in state.labels:
            continue
        entries = [log[number] for number in state.labels[relation.key]]
        if not any(entry.status in task_log.OPEN for entry in entries):
            continue
        known = Foreseen(None, len(log), sum(entry.start is not None for entry in entries))
        last = state.foreseen.get(relation.key)
        if last is None or (last.told, last.begun) != (known.told, known.begun):
            return Question(relation.key, known, without)
    return None


def _asked(state: State, log: TaskLog) -> Iterator[tuple[Relation, Motion | None]]:
    """Relations that hold to the frame only where the future is known, each with a motion that is left out of it."""
    for motion in state.held:
        if motion.when is not None and motion.when.offset < 0:
            yield motion.when, motion
        if motion.until is not None:
            begins = beginning(motion, state)
            at = state.frame if begins is None else moment(begins, state, log)
            if at is not None and NEVER < at <= state.frame:
                yield motion.until, None
    for running in state.running:
        if running.until is not None and running.end is None:
            yield running.until, None


def fitted_frames(running: Running, frames: int, state: State) -> int:
    """The frames of a movement of a task that goes on until another one ends: its movements are made a little faster
    or slower, so that the last one ends just then."""
    foreseen = state.foreseen.get(running.until.key) if running.until is not None else None
    if foreseen is None or foreseen.end is None or foreseen.end <= state.frame:
        return frames
    left, following = foreseen.end - state.frame, running.motion.couple or running.cycle
    assert following is not None
    each = following.speed or max(1, round(GESTURE_FRAMES * following.pace))
    more = max(0, round((left - frames) / each))
    share = left / (frames + more * each)
    return max(1, round(share * frames)) if share >= _FASTEST else frames


def known_later(relation: Relation, state: State) -> bool:
    """Whether a relation waits for a task that was not told yet."""
    return relation.key not in state.labels and not state.complete


def begins_by_itself(state: State, log: TaskLog) -> bool:
    """Whether something that waits will begin as time goes on: the rest waits for what is not told yet."""
    begins = [beginning(motion, state) for motion in state.held]
    waiting = [relation for relation in begins if relation is None or not known_later(relation, state)]
    if state.needs_scheduling:
        return bool(waiting) or state.queue.size > 0
    moments = (moment(relation, state, log) for relation in waiting if relation is not None)
    return any(at == NEVER or (at is not None and at >= state.frame) for at in moments)


def _starts(entries: Sequence[Entry]) -> int | None:
    begun = [entry.start for entry in entries if entry.start is not None]
    if begun:
        return min(begun)
    return None if any(entry.status in task_log.OPEN for entry in entries) else NEVER


def _ends(entries: Sequence[Entry], offset: int, state: State) -> int | None:
    found: list[int] = []
    for entry in entries:
        if entry.status in task_log.OPEN:
            running = next((r for r in state.running if r.motion.task == entry.number), None)
            end = _foreseen_end(running) if running is not None and offset < 0 else None
            if end is None:
                return None
            found.append(end)
        elif entry.end is None or entry.status == task_log.CANCELLED:
            return NEVER
        else:
            found.append(entry.end)
    return max(found)


def _foreseen_end(running: Running) -> int | None:
    """When a task that runs will end, where that is certain."""
    if running.end is None or running.until is not None:
        return None
    end, motion = running.end, running.motion.couple
    while motion is not None:
        if motion.speed is None:
            return None
        end, motion = end + motion.speed, motion.couple
    return end


def waits_for(motion: Motion, other: Motion, state: State) -> bool:
    """Whether a motion waits for the task of another one."""
    begins = beginning(motion, state)
    return begins is not None and other.task in state.labels.get(begins.key, ())


def relation_words(relation: Relation) -> str:
    sign = "+" if relation.offset > 0 else "-"
    shift = f" {sign} {abs(relation.offset)}" if relation.offset else ""
    return f"{relation.name} {relation.edge if relation.edge in (STARTS, ENDS) else ENDS}{shift}"
