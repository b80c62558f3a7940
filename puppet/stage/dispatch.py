"""Dispatch: which of the queued motions begins now, with which joints (Section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from puppet.schedule import NO_JOINTS, Anatomy, Demand, Joints, group_positions, group_trajectories
from puppet.stage import task_log
from puppet.stage.arm_beginnings import ArmBeginnings
from puppet.stage.relations import NEVER, beginning, moment, never_begins, relation_words, same_limb, waits_for
from puppet.stage.state import Running, State
from puppet.stage.whole_body_beginnings import WholeBodyBeginnings
from puppet.tasks import (
    AtObject,
    AtPoint,
    AtSpace,
    AtStance,
    Motion,
    WholeBody,
    conflicting,
    leaving,
)


@dataclass(frozen=True, eq=False)
class Dispatcher:
    """Takes motions from the queue and sets them going."""

    arms: ArmBeginnings
    anatomy: Anatomy
    at_a_time: int

    @property
    def whole_body(self) -> WholeBodyBeginnings:
        return WholeBodyBeginnings(self.arms)

    def begin(self, state: State) -> State:
        """What begins now. A task whose arm would find no room beside another's waits until that is done, if the other
        one has room then."""
        mark = self.arms.entries.mark()
        begun, crowded = self._begin(state, together=False)
        if not crowded:
            return begun
        self.arms.entries.rewind(mark)
        begun, still = self._begin(replace(state, apart=state.apart | crowded), together=False)
        if not still:
            return begun
        self.arms.entries.rewind(mark)
        return self._begin(state, together=True)[0]

    def _begin(self, state: State, together: bool) -> tuple[State, frozenset[tuple[int, int]]]:
        """Figures 4.3, 4.6 and 4.7: who of the first in the queue gets what, and what begins now; and tasks that had
        better wait for others. together: whatever their arms go through."""
        state = self._take_from_queue(state)
        running = list(state.running)
        demands = [Demand(r.motion.critical, r.motion.overlap) for r in running]
        positions = group_positions(self.anatomy, demands)
        speeds = group_trajectories(self.anatomy, demands)
        bound = [r.motion.critical if r.end is not None else NO_JOINTS for r in running]
        starts: list[tuple[int, Joints]] = []
        for place, r in enumerate(running):
            if isinstance(r.motion.goal, WholeBody):
                continue  # its frames are made already
            own = positions[place] - NO_JOINTS.union(*(b for n, b in enumerate(bound) if n != place))
            if not r.resting & r.motion.critical:
                own -= r.resting
            if r.motion.alone:
                riding = (frozenset(self.arms.body.limb(hand).joints) for hand in r.motion.others)
                own &= r.motion.critical.union(*riding)
            if r.end is None and (own & r.motion.critical) != r.begun:
                starts.append((place, own))
        for place, own in starts:
            goal = running[place].motion.goal
            if isinstance(goal, AtStance) and running[place].motion.critical <= own:
                state = self.whole_body.set_out(state, running, place, own, goal)
        starts = [(place, own) for place, own in starts if not isinstance(running[place].motion.goal, AtStance)]
        if starts:
            may_wait = frozenset() if together else self._may_wait(running, [place for place, _ in starts])
            found = self.arms.start(state, running, starts, speeds, whatever=not may_wait)
            if found is None:
                return state, may_wait
            state = found
        return replace(state, running=tuple(running), needs_scheduling=False), frozenset()

    def _may_wait(self, running: Sequence[Running], starts: Sequence[int]) -> frozenset[tuple[int, int]]:
        """The last task that begins, with those before it for which it may wait: nobody told when, or how fast."""
        last = max((running[n].motion for n in starts), key=lambda motion: motion.task)
        before = (r.motion for r in running if r.motion.task < last.task and not _stands_aside(r))
        places = isinstance(last.goal, (AtObject, AtSpace, AtPoint))
        timed = last.speed is not None or _has_moment(last)
        if timed or not places or self.arms.entries[last.task].start is not None:
            return frozenset()
        return frozenset((last.task, motion.task) for motion in before if not isinstance(motion.goal, AtStance))

    def due(self, state: State) -> bool:
        """Whether the moment of a task that was held back has come."""
        for motion in state.held:
            begins = beginning(motion, state)
            at = None if begins is None else moment(begins, state, self.arms.entries)
            if at is not None and at <= state.frame:
                return True
        return False

    def refuse(self, state: State) -> tuple[State, list[Motion]]:
        """The state without motions whose moment never comes, or is over, and these."""
        refused: list[Motion] = []
        for motion in state.held:
            reason = never_begins(motion, state, self.arms.entries)
            if reason:
                self.arms.entries.change(motion.task, status=task_log.REJECTED, reason=reason)
                refused.append(motion)
        tasks = {motion.task for motion in refused}
        return replace(state, held=tuple(motion for motion in state.held if motion.task not in tasks)), refused

    def _take_from_queue(self, state: State) -> State:
        """First come, first served; but what waits for a moment holds up nothing but its own limb."""
        waiting, stopped = list(state.held), False
        held: list[Motion] = []
        while waiting or (state.queue.size and not stopped):
            first = state.queue.first if state.queue.size and not stopped else None
            from_queue = first is not None and (not waiting or first.task < waiting[0].task)
            motion = first if first is not None and from_queue else waiting.pop(0)
            why = self._held_back(state, motion, held)
            if not why and stopped:
                held.append(motion)
                continue
            if why:
                held.append(motion)
                self._tell_wait(state, motion, why)
            else:
                state, why = self._try(state, motion)
                if not why:
                    self._tell_late(state, motion)
                else:
                    self._tell_wait(state, motion, why)
                    aside = _has_moment(motion) or _waits_for_cycles(state, motion)
                    stopped = stopped or not aside
                    if aside or not from_queue:
                        held.append(motion)
                    if not (aside and from_queue):
                        continue
            if from_queue:
                state = replace(state, queue=state.queue.pop()[1])
        return replace(state, held=tuple(held))

    def _held_back(self, state: State, motion: Motion, held: Sequence[Motion]) -> str:
        """Why a motion stands aside, so that others may go before it; "" where it does not."""
        begins = beginning(motion, state)
        if begins is not None:
            at = moment(begins, state, self.arms.entries)
            if at is None or at > state.frame:
                return f"waits until {relation_words(begins)}"
        for other in held if motion.when is None else ():
            if other.task > motion.task:
                continue
            if (same_limb(other, motion) or conflicting(other, motion)) and not waits_for(other, motion, state):
                return f"waits for '{other.interpretation}', which was told before it"
        if _has_moment(motion):
            first = next((m for m in state.queue if m.task < motion.task and same_limb(m, motion)), None)
            if first is not None and not waits_for(first, motion, state):
                return f"waits for '{first.interpretation}', which was told before it"
        if motion.head:
            rival = next((r.motion for r in state.running if r.motion.critical & motion.critical), None)
            if rival is not None:
                return f"waits for '{rival.interpretation}': both need the head"
            if any(isinstance(r.motion.goal, WholeBody) for r in state.running):
                return f"waits for '{state.running[0].motion.interpretation}': that needs the whole body"
        return ""

    def _try(self, state: State, motion: Motion) -> tuple[State, str]:
        """The state with a motion that runs, or why it cannot begin now."""
        running = state.running
        if isinstance(motion.goal, WholeBody):
            if running:
                return state, f"waits for '{running[0].motion.interpretation}': it needs the whole body"
            return self.whole_body.begin(state, motion, motion.goal), ""
        if any(isinstance(r.motion.goal, WholeBody) for r in running):
            return state, f"waits for '{running[0].motion.interpretation}': that needs the whole body"
        if any(r.halts is not None for r in running):
            return state, "waits until the body has come to a stand"
        begun = Running(motion, until=motion.until, cycle=motion.cycle)
        if motion.head:
            return replace(state, running=(*running, begun)), ""
        if motion.until is not None:
            rival = next((r.motion for r in running if r.motion.critical & motion.critical), None)
            both = "" if rival is None else f"waits for '{rival.interpretation}': both need the same joints"
            return (state, both) if both else (replace(state, running=(*running, begun)), "")
        arms = tuple(r for r in running if not _stands_aside(r))
        aside = tuple(r for r in running if _stands_aside(r))
        demands = [Demand(r.motion.critical, r.motion.overlap) for r in arms]
        wanted = group_positions(self.anatomy, [*demands, Demand(motion.critical, motion.overlap)])[-1]
        why = self._waits(state, arms, motion, bool(wanted))
        if not why and len(arms) == self.at_a_time:
            why = f"waits for '{arms[0].motion.interpretation}': no more than {self.at_a_time} tasks at a time"
        rival = next((r.motion for r in aside if r.motion.critical & motion.critical), None)
        if not why and rival is not None:
            why = f"waits for '{rival.interpretation}': both need the same joints"
        return (state, why) if why else (replace(state, running=(*arms, begun, *aside)), "")

    def _waits(self, state: State, running: tuple[Running, ...], motion: Motion, gets_joints: bool) -> str:
        """Why a motion cannot begin now; "" where it can."""
        blocking = next((r.motion for r in running if conflicting(r.motion, motion)), None)
        if blocking is not None:
            why = "nobody goes while a hand reaches" if leaving(blocking, motion) else "both are about the same things"
            return f"waits for '{blocking.interpretation}': {why}"
        crowded = next((r.motion for r in running if (motion.task, r.motion.task) in state.apart), None)
        if crowded is not None:
            return f"waits for '{crowded.interpretation}': their arms have no room beside each other"
        if gets_joints:
            return ""
        first = running[0].motion
        if motion.overlap == "none":
            return f"waits for '{first.interpretation}': it may not overlap"
        if isinstance(motion.goal, AtStance):
            rivals = [r.motion for r in running if r.motion.critical & motion.critical]
            return f"waits for '{(rivals or [first])[0].interpretation}': both need the legs"
        own = frozenset(self.arms.body.limb(motion.hand).joints)
        rival = next((r.motion for r in running if own <= r.motion.critical & motion.critical), None)
        if rival is not None:
            return f"waits for '{rival.interpretation}': both need the {motion.hand} arm"
        return f"waits for '{first.interpretation}': both need the same joints"

    def _tell_wait(self, state: State, motion: Motion, words: str) -> None:
        entry = self.arms.entries[motion.task]
        if entry.start is None and (not entry.waited or self._late(state, motion) is not None):
            self.arms.entries.change(motion.task, waited=words)

    def _tell_late(self, state: State, motion: Motion) -> None:
        """Says so where a motion begins after its moment."""
        late, entry = self._late(state, motion), self.arms.entries[motion.task]
        if late and motion.when is not None:
            frames = "a frame" if late == 1 else f"{late} frames"
            words = f"begins {frames} after '{relation_words(motion.when)}': it {entry.waited}"
            reason = f"{entry.reason}; {words}" if entry.reason else words
            self.arms.entries.change(motion.task, reason=reason)

    def _late(self, state: State, motion: Motion) -> int | None:
        """By how many frames its moment is over; None: it has none, or that is to come."""
        at = None if motion.when is None else moment(motion.when, state, self.arms.entries)
        if at is None or not NEVER < at <= state.frame:
            return None
        return state.frame - max(at, self.arms.entries[motion.task].given)


def _has_moment(motion: Motion) -> bool:
    """Whether a motion begins or ends with others: then it does not stand in the queue."""
    return motion.when is not None or motion.until is not None


def _waits_for_cycles(state: State, motion: Motion) -> bool:
    """Whether a motion needs what goes on until a moment comes: that may lie behind it."""
    return any(r.until is not None and r.motion.critical & motion.critical for r in state.running)


def _stands_aside(running: Running) -> bool:
    """Whether a motion lets others go by, even those that may not overlap: it has no place in their order."""
    return running.motion.head or running.until is not None
