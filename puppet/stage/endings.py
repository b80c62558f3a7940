"""Ends: a motion whose last frame has come changes the scene, closes its task, and lets hands take hold or let go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from puppet.body import Body, hand_transforms
from puppet.command import Command
from puppet.errors import PuppetError
from puppet.geometry import Transform
from puppet.scene import Scene
from puppet.stage import task_log
from puppet.stage.body_queries import BodyQueries
from puppet.stage.depths import brought_to, kept_touches
from puppet.stage.dragging import standing_pins
from puppet.stage.gaze_pursuit import SEEN, degrees_off, spot_on_stage
from puppet.stage.happenings import arrive, take_hold
from puppet.stage.holding import take_hold_again
from puppet.stage.reinterpretation import understand_anew
from puppet.stage.relations import NEVER, broken_until, is_over, moment, relation_words
from puppet.stage.state import Running, State
from puppet.stage.task_log import TaskLog
from puppet.stage.true_plan import plan_at_rest
from puppet.tasks import AtAngles, AtDrag, AtGesture, AtObject, AtStance, Goal, Miss, Motion, Moved, lock_refusal, worse

PALM = 0.04  # body heights beyond its own size at which a thing can still be laid into an open hand


@dataclass(frozen=True, eq=False)
class Endings:
    """Ends the motions whose last frame a state shows."""

    body: Body
    queries: BodyQueries
    log: TaskLog

    def finish(self, state: State) -> State:
        while ending := [r for r in state.running if r.end == state.frame]:
            running = min(ending, key=lambda r: r.until is not None)  # what goes on until another ends comes after that
            state = self._finish_one(state, running)
        return self.at_rest(state)

    def _finish_one(self, state: State, running: Running) -> State:
        motion = running.motion
        carrying = next((c for c in state.carrying if c.task == motion.task), None)
        staged, impossible, pins, elsewhere = state.staged, "", state.pins, False
        tips = hand_transforms(self.body, state.angles)
        try:
            staged = state.staged.done(motion, carrying, state.exact)
            goes = isinstance(motion.goal, AtStance)  # what it takes along does not come to a place of its own
            elsewhere = not goes and _stands(staged.scene) != _stands(motion.changed(state.staged.scene))
            if elsewhere and carrying is not None:
                reason = self.log[motion.task].reason
                words = f"'{carrying.objects[0]}' does not settle in its place"
                self.log.change(motion.task, reason=f"{reason}; {words}" if reason else words)
            self._check_palms(state, motion, tips)
        except PuppetError as error:  # what it was planned for did not come about
            impossible = str(error)
            staged = state.staged.dropped((carrying,), tips, frozenset()) if carrying else state.staged
        if isinstance(motion.goal, AtStance):
            staged = state.staged.arrived(motion.goal.after, state.carrying, motion.task, tips)
            pins = standing_pins(self.body, staged.scene, state.angles)
        if isinstance(motion.goal, AtDrag):
            taken = tuple(c for c in state.carrying if c.task == motion.task)
            palms = frozenset(c.hand for c in taken if c.objects[0] in staged.scene.stack_on(c.hand))
            staged = state.staged.dropped(taken, tips, palms)
        rest = tuple(r for r in state.running if r is not running)
        if running.until is not None:
            over = is_over(running, state, self.log)
            if over and (why := broken_until(running, state, self.log)):
                self.log.change(motion.task, reason=why)
            motion = replace(motion, couple=None if over else motion.couple or running.cycle)
        last = motion.couple is None
        goes_on = motion.couple is not None and motion.couple.carry is not None and not motion.changes
        if carrying is not None and last and not motion.changes and isinstance(motion.goal, (AtAngles, AtGesture)):
            staged = staged.dropped((carrying,), tips, frozenset())  # ended in the middle of a gesture
        moved_by_drag = isinstance(motion.goal, AtDrag) and any(c.task == motion.task for c in state.carrying)
        of_hand = bool(motion.hand) and not motion.head
        finished = state.finished
        if motion.couple is not None:
            missed = worse(running.missed, running.miss) if isinstance(motion.goal, AtGesture) else running.missed
            follow = replace(
                running, motion=motion.couple, begun=frozenset(), end=None, missed=missed,
                leaves=brought_to(self.body, motion), rests=None,
                journey=running.journey if isinstance(motion.couple.goal, AtStance) else None,
            )  # fmt: skip
            place = state.running.index(running)
            rest = (*rest[:place], follow, *rest[place:])
        else:
            goal = _reached_goal(state, motion)
            if not motion.head:
                rest = tuple(self._migrate(r, motion, goal) for r in rest)
            miss = self._gaze_miss(state, motion) or worse(running.missed, running.miss)
            if running.halts is None:
                self._close(motion, miss, state.frame, impossible)
            if running.until is not None:
                state = replace(state, awaited=(*state.awaited, (motion.task, running.until)))
            if of_hand:
                finished = {**finished, motion.hand: (goal, motion.task)}
        state = replace(
            state, staged=staged, running=rest, needs_scheduling=True, finished=finished, pins=pins,
            touches=kept_touches(state, running),
            carrying=tuple(c for c in state.carrying if c.task != motion.task or goes_on),
        )  # fmt: skip
        spot = state.looking if motion.head else None
        looked_at = None if spot is None else spot_on_stage(self.body, state, spot)
        met = running.miss.met and not impossible
        state = arrive(self.body, state, self.log[motion.task], motion, met, looked_at)
        if last and of_hand:
            miss = replace(running.miss, in_place=False, met=False) if impossible else running.miss
            state = self._settle_contacts(state, motion, miss)
        state = take_hold_again(self.body, self.log, state)
        if last and self.log[motion.task].status == task_log.MISSED:
            why, task = self._since(motion, "missed"), motion.task
            return understand_anew(self.body, self.queries, self.log, state, why, task, running.miss)
        if moved_by_drag or elsewhere:
            what = "moved what is held" if moved_by_drag else "left it elsewhere"
            return understand_anew(self.body, self.queries, self.log, state, self._since(motion, what))
        return state

    def _check_palms(self, state: State, motion: Motion, tips: Mapping[str, Transform]) -> None:
        """Raises PuppetError where a thing is put into an open hand that has moved away meanwhile."""
        for change in motion.changes:
            if isinstance(change, Moved) and change.space in tips and change.space != motion.hand:
                at, width = state.staged.transforms[change.name], state.staged.scene.object(change.name).width
                if at.distance(tips[change.space]) > width + PALM * self.body.height:
                    raise PuppetError(f"the {change.space} hand is not there any more")

    def judge_cycles(self, state: State) -> State:
        """Says so where tasks did not end with the moments until which they went on."""
        left = []
        for task, until in state.awaited:
            at, entry = moment(until, state, self.log), self.log[task]
            off = None if at is None or at == NEVER or entry.end is None else entry.end - at
            if off and entry.status == task_log.DONE:
                frames = "a frame" if abs(off) == 1 else f"{abs(off)} frames"
                words = f"ends {frames} {'after' if off > 0 else 'before'} '{relation_words(until)}'"
                self.log.change(task, status=task_log.ADJUSTED, reason=words)
            if at is None:
                left.append((task, until))
        return replace(state, awaited=tuple(left))

    def end_cycles(self, state: State) -> State:
        """What goes on until something that does not come about ends with its movement."""
        for running in state.running:
            assert running.until is not None
            words = f"'{running.until.name}', until which it goes on, does not come about"
            self.log.change(running.motion.task, reason=words)
        running_ = (replace(r, until=None, motion=replace(r.motion, couple=None)) for r in state.running)
        return replace(state, running=tuple(running_), rounds=0)

    def refused(self, state: State, motions: Sequence[Motion]) -> State:
        """After motions that waited for a moment that never comes: what was planned after them is understood anew."""
        of_hands = [motion for motion in motions if not motion.head]  # nothing was planned upon those of the head

        def why(command: Command) -> str:
            hand, thing = getattr(command, "hand", ""), getattr(command, "object", None)
            causes = (motion for motion in reversed(of_hands) if motion.hand == hand or thing in motion.touched)
            return self._since(next(causes, of_hands[-1]), "was not done")

        if of_hands:
            state = understand_anew(self.body, self.queries, self.log, state, why)
        return self.at_rest(state)

    def at_rest(self, state: State) -> State:
        """Where nothing is under way any more, what was planned and what came of it are the same again."""
        if state.running or state.queue.size or state.held:
            return state
        return replace(state, plan=plan_at_rest(self.body, state))

    def _since(self, motion: Motion, what: str) -> str:
        return f"since '{self.log[motion.task].interpretation}' {what}"

    def _migrate(self, running: Running, done: Motion, goal: Goal) -> Running:
        """A task that goes on takes over what the hand of a finished one is at (goal migration)."""
        if self.log[running.motion.task].start is None:
            return running
        return replace(running, kept={**running.kept, done.hand: goal}, resting=running.resting | done.critical)

    def _gaze_miss(self, state: State, motion: Motion) -> Miss | None:
        """By how much a head that is told to look at something does not get there; None where it does."""
        if not motion.head or state.looking is None or self.log[motion.task].kind != "look":
            return None
        place = spot_on_stage(self.body, state, state.looking)
        off = 0.0 if place is None else degrees_off(self.body, state.angles, place)
        if off <= SEEN:
            return None
        self.log.change(motion.task, reason=f"the eyes stay {off:.0f} degrees off it")
        return Miss(orientation=off, met=False)

    def _close(self, motion: Motion, miss: Miss, frame: int, impossible: str) -> None:
        entry = self.log[motion.task]
        reason = "; ".join(part for part in (entry.reason, impossible) if part)
        if entry.depth > 0.0:
            words = f"{entry.depth_words} at frame {entry.depth_frame}"
            reason = f"{reason}; {words}" if reason else words
        if miss.met and not impossible:
            status = task_log.ADJUSTED if reason else task_log.DONE
        else:
            status = task_log.MISSED
            told = impossible or motion.lost or motion.head or "out of reach" in reason or miss.words in reason
            if not told:
                reason = f"{reason}; {miss.words}" if reason else miss.words
        self.log.change(
            motion.task, status=status, reason=reason, end=frame,
            position_error=miss.position, orientation_error=miss.orientation,
        )  # fmt: skip

    def _settle_contacts(self, state: State, motion: Motion, miss: Miss) -> State:
        """The hand of a task that has ended takes hold or lets go; there is no hold on what was missed (trap 12)."""
        hand, frame = motion.hand, state.frame
        missed = self.log[motion.task].status == task_log.MISSED
        locks, hands = dict(state.plan.locks), dict(state.plan.hands)
        if hands[hand].task == motion.task:
            hands[hand] = replace(hands[hand], miss=miss)
        gives = any(contact.number == contact.task == motion.task and contact.locks for contact in state.contacts)
        for contact in state.contacts:
            if contact.task != motion.task:
                continue
            if missed and contact.locks:
                if contact.number != contact.task:
                    reason = lock_refusal(contact.hand, miss)
                    self.log.change(contact.number, status=task_log.REJECTED, reason=reason)
                if contact.hand in locks and locks[contact.hand].task == motion.task:
                    del locks[contact.hand]
                continue
            if missed and contact.number == contact.task and (gives or not miss.in_place):
                continue  # what nobody has taken, or what is not in its place, is not let go
            entry = self.log[contact.number]
            thing = contact.thing if contact.locks else None
            state = take_hold(self.body, state, contact.hand, thing, entry.line, entry.file)
            if contact.number != contact.task:
                self.log.change(contact.number, status=task_log.DONE, start=frame, end=frame)
        left = tuple(contact for contact in state.contacts if contact.task != motion.task)
        return replace(state, contacts=left, plan=replace(state.plan, locks=locks, hands=hands))


def _stands(scene: Scene) -> set[tuple[str | None, tuple[str, ...]]]:
    """What stands on what, and where."""
    return {(stack.space.name, stack.objects) for stack in scene.stacks if stack.objects}


def _reached_goal(state: State, motion: Motion) -> Goal:
    """What a lock of the hand would name."""
    if motion.carry and not motion.carry.palm and not isinstance(motion.goal, AtObject):
        held = state.plan.locks.get(motion.hand)
        if held is not None:
            return held.goal
    return motion.goal
