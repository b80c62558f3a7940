"""Beginnings: the scheduler's groups become postures, trajectories and carried things (Sections 4.2 to 4.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from puppet.body import Body, hand_transforms, joint_transforms
from puppet.geometry import Transform
from puppet.motion import (
    METRES,
    Carrying,
    StagedScene,
    Trajectory,
    contact_depths,
    natural_frames,
    progress,
    scene_boxes,
)
from puppet.posture import in_place
from puppet.schedule import NO_JOINTS, Anatomy, Demand, Joints, group_positions, group_trajectories
from puppet.stage import task_log
from puppet.stage.dragging import PinnedPart, drag_frames
from puppet.stage.frames import Beginning, begin_frames, held_poses, motion_frames, touched_things
from puppet.stage.goal_postures import GoalPostures, Start
from puppet.stage.state import Running, State
from puppet.stage.task_log import TaskLog
from puppet.tasks import (
    AtBalance,
    AtDrag,
    AtObject,
    AtPin,
    Miss,
    Motion,
    WholeBody,
    conflicting,
    grip,
)
from puppet.types import Floats

STILL = 1e-9


@dataclass(frozen=True, eq=False)
class Dispatcher:
    """Takes motions from the queue and sets them going."""

    body: Body
    goal_postures: GoalPostures
    anatomy: Anatomy
    entries: TaskLog
    at_a_time: int
    clock: Callable[[], float]
    timing: dict[str, float]  # seconds by stage, added to

    def begin(self, state: State) -> State:
        """Figures 4.3, 4.6 and 4.7: who of the first in the queue gets what, and what begins now."""
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
                riding = (frozenset(self.body.limb(hand).joints) for hand in r.motion.others)
                own &= r.motion.critical.union(*riding)
            if r.end is None and (own & r.motion.critical) != r.begun:
                starts.append((place, own))
        if starts:
            state = self._start(state, running, starts, speeds)
        return replace(state, running=tuple(running), needs_scheduling=False)

    def _take_from_queue(self, state: State) -> State:
        running, queue = state.running, state.queue
        while queue.size:
            motion = queue.first
            assert isinstance(motion, Motion)
            if isinstance(motion.goal, WholeBody):
                if running:
                    self._tell_wait(motion, f"waits for '{running[0].motion.interpretation}': it needs the whole body")
                    break
                _, queue = queue.pop()
                state = self._whole_body(replace(state, running=running, queue=queue), motion, motion.goal)
                running = state.running
                if running:
                    break
                continue
            if any(isinstance(r.motion.goal, WholeBody) for r in running):
                self._tell_wait(motion, f"waits for '{running[0].motion.interpretation}': that needs the whole body")
                break
            demands = [Demand(r.motion.critical, r.motion.overlap) for r in running]
            wanted = group_positions(self.anatomy, [*demands, Demand(motion.critical, motion.overlap)])[-1]
            waits = self._waits(running, motion, bool(wanted))
            if not waits and len(running) == self.at_a_time:
                waits = f"waits for '{running[0].motion.interpretation}': no more than {self.at_a_time} tasks at a time"
            if waits:
                self._tell_wait(motion, waits)
                break
            _, queue = queue.pop()
            running = (*running, Running(motion))
        return replace(state, running=running, queue=queue)

    def _whole_body(self, state: State, motion: Motion, goal: WholeBody) -> State:
        """Pins and lets go at once; begins a drag, whose frames are all made now."""
        frame, body = state.frame, self.body
        if isinstance(goal, AtDrag):
            held = {body.joint_names[body.limb(hand).joints[-1]] for hand in state.plan.locks}
            at = self._joint_transforms(state.angles)
            speed = motion.speed or self._drag_frames(at[goal.part].position, goal)
            locked = {part: PinnedPart(at[part]) for part in held if part not in state.pins and part != goal.part}
            frames, missed = drag_frames(
                body, state.angles, {**state.pins, **locked}, state.balance, goal, speed, motion.curve
            )
            frames.flags.writeable = False
            share = progress(motion.curve, speed)
            trajectory = Trajectory(np.arange(body.dofs), frame, frames, share)
            miss = Miss(missed, in_place=in_place(body, missed), met=in_place(body, missed))
            end = frame + speed
            segments = tuple((joint, frame, end) for joint in range(len(body.joints)))
            self.entries.change(motion.task, status=task_log.RUNNING, start=frame, segments=segments)
            running = Running(motion, begun=motion.critical, end=end, miss=miss)
            return replace(state, running=(running,), trajectories=(trajectory,))
        self.entries.change(motion.task, status=task_log.DONE, start=frame, end=frame)
        if isinstance(goal, AtBalance):
            return replace(state, balance=goal.on)
        pins = {part: pinned for part, pinned in state.pins.items() if part != goal.part}
        if isinstance(goal, AtPin):
            here = self._joint_transforms(state.angles)[goal.part]
            place = here if goal.to is None else Transform.of(goal.to, here.rotation)
            pins[goal.part] = PinnedPart(place, goal.gain)
        return replace(state, pins=pins)

    def _drag_frames(self, start: Floats, goal: AtDrag) -> int:
        """How long people would take for a drag."""
        way = np.array(goal.to) - start if goal.to is not None else np.array(goal.by)
        return natural_frames(float(np.linalg.norm(way)) * (self.body.metres or METRES) / self.body.height)

    def _joint_transforms(self, angles: Floats) -> dict[str, Transform]:
        rows = joint_transforms(self.body, angles)
        names = self.body.joint_names
        return {name: Transform.of(row[:3], row[3:].reshape(3, 3)) for name, row in zip(names, rows, strict=True)}

    def _waits(self, running: tuple[Running, ...], motion: Motion, gets_joints: bool) -> str:
        """Why a motion cannot begin now; "" where it can."""
        blocking = next((r.motion for r in running if conflicting(r.motion, motion)), None)
        if blocking is not None:
            return f"waits for '{blocking.interpretation}': both are about the same things"
        if gets_joints:
            return ""
        first = running[0].motion
        if motion.overlap == "none":
            return f"waits for '{first.interpretation}': it may not overlap"
        own = frozenset(self.body.limb(motion.hand).joints)
        rival = next((r.motion for r in running if own <= r.motion.critical & motion.critical), None)
        if rival is not None:
            return f"waits for '{rival.interpretation}': both need the {motion.hand} arm"
        return f"waits for '{first.interpretation}': both need the same joints"

    def _tell_wait(self, motion: Motion, words: str) -> None:
        entry = self.entries[motion.task]
        if not entry.waited and entry.start is None:
            self.entries.change(motion.task, waited=words)

    def _tell_begin(self, state: State, motion: Motion, own: Joints, frames: int, running: list[Running]) -> None:
        """Notes which joints a motion has got, and what it still waits for."""
        entry = self.entries[motion.task]
        end = state.frame + frames
        segments = (*entry.segments, *((joint, state.frame, end) for joint in sorted(own)))
        missing = motion.critical - own
        waited = entry.waited
        if missing:
            others = (r.motion for r in running if r.motion.task != motion.task)
            other = next((m for m in others if m.critical & missing), None)
            names = ", ".join(self.body.joint_names[joint].replace("_", " ") for joint in sorted(missing))
            with_whom = f" with '{other.interpretation}'" if other else ""
            waited = waited or f"begins without {names}, still{with_whom}"
        elif entry.start is None and not waited and state.frame > entry.given:
            waited = "waited for its turn: first come, first served"
        self.entries.change(motion.task, segments=segments, waited=waited)

    def _start(
        self, state: State, running: list[Running], starts: list[tuple[int, Joints]], speeds: tuple[Joints, ...]
    ) -> State:
        """Postures and frames for the motions that begin; `running` is brought up to date in place."""
        body = self.body
        hands = hand_transforms(body, state.angles)
        for place, _ in starts:
            running[place] = self._ready_to_carry(state.staged, running[place], hands)
        base = state.angles.copy()
        for trajectory in state.trajectories:
            base[trajectory.dofs] = trajectory.angles[-1]
        clear = self.goal_postures.clear
        beginnings = [
            Beginning(running[n], own, held_poses(body, state, running[n], own, hands, clear)) for n, own in starts
        ]
        asked = [
            Start(b.motion, b.own, b.running.others, b.poses, state.staged.held(b.motion, hands)) for b in beginnings
        ]
        scene = max(asked, key=lambda start: start.motion.task).motion.scene_after
        before = self.clock()
        after = {**state.staged.transforms, **self._carried_things(beginnings, state, hands)}
        goal, misses, cleared = self.goal_postures.goals(base, asked, scene, scene_boxes(state.staged.scene), after)
        self.timing["posture"] += self.clock() - before
        before = self.clock()
        frames = [motion_frames(body, r.motion, state.angles, goal) for r in running]
        beginnings = [replace(b, frames=frames[n]) for b, (n, _) in zip(beginnings, starts, strict=True)]
        moving = self._moving(state)
        ends = hand_transforms(body, goal)
        carrying = state.carrying
        for b, (place, own) in zip(beginnings, starts, strict=True):
            motion = b.motion
            complete = motion.critical <= own
            takes = max(frames[n] for n, group in enumerate(speeds) if group & motion.critical)
            # it never got hold of its object
            lost = b.running.fetched and motion.carry is None and motion.couple is None
            miss = b.running.miss if lost else misses[motion.task]
            self.entries.change(motion.task, iterations=miss.iterations)
            running[place] = replace(
                b.running, begun=own & motion.critical, end=state.frame + takes if complete else None, miss=miss
            )
            carrying = self._carry(state, carrying, b, hands, ends, complete)
            self._tell_begin(state, motion, own, max(frames[n] for n, g in enumerate(speeds) if g & own), running)
            if self.entries[motion.task].start is None:
                self.entries.change(motion.task, status=task_log.RUNNING, start=state.frame)
        paces = [(joints, frames[n], running[n].motion.curve) for n, joints in enumerate(speeds)]
        trajectories, last, tried = begin_frames(body, state, beginnings, paces, cleared, goal, carrying, moving)
        self.timing["ways"] += self.clock() - before
        there = hand_transforms(body, last)
        for place, _ in starts:
            hand = running[place].motion.hand
            arm = body.dofs_of(body.limb(hand).joints) if hand else np.array([], dtype=np.int64)
            arrived = goal.copy()  # whatever moves the arm may still be under way for another task
            arrived[arm] = last[arm]
            off = self.goal_postures.missed(there[hand], ends[hand])
            later = self.goal_postures.missed(hand_transforms(body, arrived)[hand], ends[hand])
            if not off.met and not later.met and running[place].miss.met:
                running[place] = replace(running[place], miss=off)
        for place, _ in starts:
            touches = self._touches(state, running[place], hands, last, after)
            running[place] = replace(running[place], touches=touches)
        for b in beginnings:
            task = b.motion.task
            self.entries.change(task, tries=self.entries[task].tries + tried)
        return replace(state, trajectories=trajectories, carrying=carrying)

    def _touches(
        self, state: State, r: Running, hands: Mapping[str, Transform], last: Floats, after: Mapping[str, Transform]
    ) -> dict[str, dict[str, float]]:
        """How deep hands are in what they touch, now or when they arrive."""
        touched = touched_things(self.body, state, r, hands)
        boxes = scene_boxes(state.staged.scene)
        now = contact_depths(self.body, boxes, state.angles, state.staged.transforms, touched)
        then = contact_depths(self.body, boxes, last, after, touched)
        return {hand: {name: max(now[hand][name], then[hand][name]) for name in names}
                for hand, names in touched.items()}  # fmt: skip

    def _carried_things(
        self, beginnings: Sequence[Beginning], state: State, hands: Mapping[str, Transform]
    ) -> dict[str, Transform]:
        """Where things will be that are carried to their places."""
        found = {}
        for b in beginnings:
            for name in b.motion.carried:
                found[name] = Transform.of(b.motion.scene_after.centre(name), state.staged.transforms[name].rotation)
        return found

    def _moving(self, state: State) -> Joints:
        """Joints that are in the middle of a motion."""
        fast = np.abs(state.angles - state.before) > STILL
        joints_of = self.body.arrays.joints_of
        under_way = [t.dofs[fast[t.dofs]] for t in state.trajectories if t.end > state.frame]
        return frozenset(int(joint) for dofs in under_way for joint in joints_of[dofs])

    def _ready_to_carry(self, staged: StagedScene, r: Running, hands: Mapping[str, Transform]) -> Running:
        """A hand that is not at what it shall carry goes there first."""
        motion = r.motion
        if motion.carry is None or motion.carry.palm or staged.holds(hands[motion.hand], motion.carry.objects[0]):
            return r
        if r.fetched:  # it did not get there: nothing can be carried
            reason = f"the {motion.hand} hand did not get hold of '{motion.carry.objects[0]}'"
            self.entries.change(motion.task, reason=reason)
            return replace(r, motion=replace(motion, carry=None, changes=(), couple=None))
        lead = motion.carry.objects[0]
        wanted = motion.goal.grip if isinstance(motion.goal, AtObject) else "side"
        goal = AtObject(lead, grip.possible_grip(staged.scene, lead, wanted)[0])
        critical = motion.critical | _whole_limb(self.body, motion.hand)
        fetch = replace(motion.after_fetching(goal, staged.scene), critical=critical)
        return replace(r, motion=fetch, fetched=True)

    def _carry(
        self, state: State, carrying: tuple[Carrying, ...], b: Beginning, hands: Mapping[str, Transform],
        ends: Mapping[str, Transform], complete: bool,
    ) -> tuple[Carrying, ...]:  # fmt: skip
        """Takes up what a motion carries."""
        motion = b.motion
        if motion.carry is None or not frozenset(self.body.limb(motion.hand).joints) <= b.own:
            return carrying
        share = progress(motion.curve, b.frames)
        own = state.staged.carry(motion, hands[motion.hand], ends[motion.hand], state.frame, share, complete)
        return (*(c for c in carrying if c.task != motion.task), own)


def _whole_limb(body: Body, hand: str) -> Joints:
    limb = body.limb(hand)
    return frozenset(limb.joints) | frozenset(limb.trunk)
