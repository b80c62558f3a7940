"""When tasks with names start and end: the moments that other tasks wait for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from puppet.command import DEFAULT_FPS, ENDS, STARTS, Relation
from puppet.stage import task_log
from puppet.stage.state import Foreseen, Running, State
from puppet.stage.task_log import Entry, TaskLog
from puppet.tasks import Motion

GESTURE_FRAMES = 26  # of a step of a gesture, where nothing is said about its speed, at DEFAULT_FPS
_FASTEST = 0.5  # the share of its time that a movement takes at least so as to end with another task
NEVER = -1  # the task was not done, or will not come


def moment(relation: Relation, state: State, log: TaskLog) -> int | None:
    """The frame of a relation, as far as it is known by now; None: not yet; NEVER: what it names does not happen."""
    numbers = state.labels.get(relation.key)
    if numbers is None:
        return NEVER if state.complete else None
    entries = [log[number] for number in numbers]
    at = _starts(entries) if relation.edge == STARTS else _ends(entries, relation.offset, state)
    foreseen = state.foreseen.get((relation.key, relation.edge))
    if relation.offset < 0 and foreseen is not None and foreseen.at is not None and _is_to_come(relation.edge, entries):
        at = foreseen.at
    if at is None or at == NEVER:
        return at
    return max(at + relation.offset, 0)


def never_begins(motion: Motion, state: State, log: TaskLog) -> str:
    """Why a motion that waits will not begin any more; "" where it may."""
    begins, until = beginning(motion, state), motion.until
    at = state.frame if begins is None else moment(begins, state, log)
    if begins is not None and at == NEVER:
        return f"'{begins.name}', which it waits for, was not done"
    if until is None:
        return ""
    end = moment(until, state, log)
    if end is None and until.edge == STARTS:
        foreseen, named = state.foreseen.get((until.key, until.edge)), state.labels.get(until.key, ())
        free = not any(m.task in named and m.critical & motion.critical for m in (*state.held, *state.queue))
        end = foreseen.at if foreseen is not None and free else None
    if end is None:
        return ""
    if end == NEVER:
        return f"'{until.name}', until which it goes on, was not done"
    comes = at is not None and at <= state.frame and end <= state.frame
    return f"'{relation_words(until)}' comes before it can begin" if comes else ""


def is_over(running: Running, state: State, log: TaskLog) -> bool:
    """Whether the moment until which a motion goes on has come, or what it waits for needs the same hand."""
    until = running.until
    assert until is not None
    at = moment(until, state, log)
    if at is not None:
        return at <= state.frame
    foreseen = state.foreseen.get((until.key, until.edge))
    if until.edge == STARTS and foreseen is not None and foreseen.at is not None:
        return foreseen.at <= state.frame  # it starts now, if it does not wait for this motion
    return any(m.critical & running.motion.critical for m in _waited_for(until, state))


def _waited_for(relation: Relation, state: State) -> Iterator[Motion]:
    """The motions of the task of a relation that have not begun, and those that they wait for, until which cycles go
    on that they wait for among them."""
    waiting = {m.task: m for m in (*state.held, *state.queue)}
    cycles = {r.motion.task: r.until for r in state.running if r.until is not None}
    todo, seen = list(state.labels.get(relation.key, ())), set[int]()
    while todo:
        task = todo.pop()
        if task in seen:
            continue
        seen.add(task)
        later = [cycles.get(task)]
        if task in waiting:
            yield waiting[task]
            later += [beginning(waiting[task], state), waiting[task].until]
        todo += [number for each in later if each is not None for number in state.labels.get(each.key, ())]


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
    """The start or the end of a task, which is looked for."""

    relation: Relation
    known: Foreseen  # what it is known by
    without: Motion | None  # a motion that is left out, because it begins before that moment, or goes on until then


def to_foresee(state: State, log: TaskLog) -> Question | None:
    """A task that is told and whose start, or end, is to come, before which a motion begins, or until which one goes on
    that makes its next movement now, where more is known about it by now than when it was last looked for."""
    for relation, left_out in _asked(state, log):
        if relation.key not in state.labels:
            continue
        entries = [log[number] for number in state.labels[relation.key]]
        if not _is_to_come(relation.edge, entries):
            continue
        begun = tuple(entry.number for entry in entries if entry.start is not None)
        if relation.edge == STARTS:  # it depends on what goes before it
            begun = tuple(running.motion.task for running in state.running)
        known = Foreseen(None, len(log), begun)
        last = state.foreseen.get((relation.key, relation.edge))
        if last is None or (last.told, last.begun) != (known.told, known.begun):
            return Question(replace(relation, offset=0), known, left_out)
    return None


def without(state: State, motion: Motion | None) -> State:
    """The same, and one motion is neither told nor under way."""
    if motion is None:
        return state
    running = tuple(r for r in state.running if r.motion.task != motion.task)
    held = tuple(other for other in state.held if other.task != motion.task)
    changed = len(running) < len(state.running)
    return replace(state, running=running, held=held, needs_scheduling=state.needs_scheduling or changed)


def happened(asked: Question, state: State, log: TaskLog) -> int | None:
    """When a task that is looked for has started, or ended; None: not yet."""
    return moment(asked.relation, replace(state, foreseen={}), log)


def _asked(state: State, log: TaskLog) -> Iterator[tuple[Relation, Motion | None]]:
    """Relations that hold to the frame only where the future is known, each with a motion that is left out of it."""
    for motion in state.held:
        if motion.when is not None and motion.when.offset < 0:
            yield motion.when, motion
        if motion.until is not None:
            begins = beginning(motion, state)
            at = state.frame if begins is None else moment(begins, state, log)
            if at is not None and NEVER < at <= state.frame:
                yield motion.until, _left_out(motion.until, motion)
    for running in state.running:
        if running.until is not None and running.end is None:
            yield running.until, _left_out(running.until, running.motion)


def _left_out(until: Relation, motion: Motion) -> Motion | None:
    """What goes on until a task starts does not keep that task from starting."""
    return motion if until.edge == STARTS else None


def _is_to_come(edge: str, entries: Sequence[Entry]) -> bool:
    if edge == STARTS and any(entry.start is not None for entry in entries):
        return False
    return any(entry.status in task_log.OPEN for entry in entries)


class Fit(NamedTuple):
    """A movement that is made in so many frames, or this share of its way where there is no time for all of it."""

    frames: int
    share: float = 1.0


def broken_until(running: Running, state: State, log: TaskLog) -> str:
    """Why a motion that is over does not end with the task until which it goes on; "" where it does."""
    until, critical = running.until, running.motion.critical
    assert until is not None
    at = moment(until, state, log)
    if at is not None:
        return f"'{until.name}', until which it goes on, was not done" if at == NEVER else ""
    rivals = {m.task for m in _waited_for(until, state) if m.critical & critical}
    itself = bool(rivals & set(state.labels.get(until.key, ())))
    if until.edge == STARTS and (itself or not rivals):
        return ""
    return f"'{until.name}', until which it goes on, {'' if itself else 'waits for what '}needs the same hand"


def fitted(running: Running, frames: int, state: State) -> Fit:
    """A movement of a task that goes on until another one starts or ends: its movements are made a little faster or
    slower, so that the last one ends just then."""
    until = running.until
    foreseen = None if until is None else state.foreseen.get((until.key, until.edge))
    if foreseen is None or foreseen.at is None or foreseen.at <= state.frame:
        return Fit(frames)
    left, following = foreseen.at - state.frame, running.motion.couple or running.cycle
    assert following is not None
    each = following.speed or max(1, round(GESTURE_FRAMES * following.pace * state.plan.fps / DEFAULT_FPS))
    more = max(0, round((left - frames) / each))
    share = left / (frames + more * each)
    way = min(1.0, share / _FASTEST) ** 2  # no arm is quicker off than the fastest of its movements
    return Fit(max(1, round(share * frames)), way)


def known_later(relation: Relation, state: State) -> bool:
    """Whether a relation waits for a task that was not told yet."""
    return relation.key not in state.labels and not state.complete


def goes_round(state: State, log: TaskLog) -> bool:
    """Whether nothing but cycles goes on, and nothing else will begin by itself."""
    endless = bool(state.running) and all(running.until is not None for running in state.running)
    return endless and not begins_by_itself(state, log)


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
    """Whether a motion waits for another one, or for one that waits for that."""
    begins = beginning(motion, state)
    for m in _waited_for(begins, state) if begins is not None else ():
        first = beginning(m, state) is None and m.task > other.task and same_limb(m, other)  # told first, it goes first
        if m.task == other.task or first:
            return True
    return begins is not None and other.task in state.labels.get(begins.key, ())


def same_limb(first: Motion, second: Motion) -> bool:
    return first.head == second.head and (first.head or first.hand == second.hand)


def relation_words(relation: Relation) -> str:
    sign = "+" if relation.offset > 0 else "-"
    shift = f" {sign} {abs(relation.offset)}" if relation.offset else ""
    return f"{relation.name} {relation.edge if relation.edge in (STARTS, ENDS) else ENDS}{shift}"
