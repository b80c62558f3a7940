"""Beginnings: the scheduler's groups become postures, trajectories and carried things (Sections 4.2 to 4.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from puppet.body import Body, hand_transforms, joint_transforms
from puppet.geometry import Transform
from puppet.motion import (
    CARRY_ARC,
    ArmMove,
    StagedScene,
    Tracking,
    Trajectory,
    clear_paths,
    grip_change,
    plan_trajectory,
    progress,
)
from puppet.posture import in_place
from puppet.schedule import NO_JOINTS, Anatomy, Demand, Joints, group_positions, group_trajectories
from puppet.stage import task_log
from puppet.stage.dragging import PinnedPart, drag_frames
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
    Moved,
    Stacked,
    WholeBody,
    conflicting,
    grip,
    wanted_transform,
)
from puppet.types import Floats

STAYS, STAYS_TURNED = 0.05, 0.3  # a hand that ends this near to where it began goes straight there, radians
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
            locked = {part: PinnedPart(at[part]) for part in held if part not in state.pins and part != goal.part}
            frames, missed = drag_frames(
                body, state.angles, {**state.pins, **locked}, state.balance, goal, motion.speed, motion.curve
            )
            frames.flags.writeable = False
            share = progress(motion.curve, motion.speed)
            trajectory = Trajectory(np.arange(body.dofs), frame, frames, share)
            miss = Miss(missed, in_place=in_place(body, missed), met=in_place(body, missed))
            end = frame + motion.speed
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
        """Postures and trajectories for the motions that begin; `running` is brought up to date in place."""
        hands = hand_transforms(self.body, state.angles)
        for place, _ in starts:
            running[place] = self._ready_to_carry(state.staged, running[place], hands)
        base = state.angles.copy()
        for trajectory in state.trajectories:
            base[trajectory.dofs] = trajectory.angles[-1]
        asked = [Start(running[place].motion, own, running[place].others) for place, own in starts]
        scene = max(asked, key=lambda start: start.motion.task).motion.scene_after
        before = self.clock()
        goal, misses, cleared = self.goal_postures.goals(base, asked, scene)
        self.timing["posture"] += self.clock() - before
        moving = self._moving(state)
        state = self._move(state, running, starts, speeds, goal, cleared)
        ends = hand_transforms(self.body, goal)
        for place, own in starts:
            r = running[place]
            motion = r.motion
            complete = motion.critical <= own
            end = None
            if complete:
                end = state.frame + self._frames(running, speeds, motion.critical)
            lost = r.fetched and motion.carry is None and motion.couple is None  # it never got hold of its object
            miss = r.miss if lost else misses[motion.task]
            self.entries.change(motion.task, iterations=miss.iterations)
            running[place] = replace(r, begun=own & motion.critical, end=end, miss=miss)
            state = self._carry(state, running[place], own, hands, ends, complete)
            self._tell_begin(state, motion, own, self._frames(running, speeds, own), running)
            if self.entries[motion.task].start is None:
                self.entries.change(motion.task, status=task_log.RUNNING, start=state.frame)
        begun = [(place, own | cleared if n == 0 else own) for n, (place, own) in enumerate(starts)]
        moves = [m for place, own in begun for m in self._arm_moves(state, running[place], own, hands, ends, moving)]
        moves.sort(key=lambda move: move.carrying is None)  # what is carried first: others keep out of its way
        before = self.clock()
        trajectories, tried = clear_paths(
            self.body, self.goal_postures.table, state.staged, state.angles, state.frame, state.trajectories,
            state.carrying, moves,
        )  # fmt: skip
        self.timing["ways"] += self.clock() - before
        for place, _ in starts:
            task = running[place].motion.task
            self.entries.change(task, tries=self.entries[task].tries + tried)
        return replace(state, trajectories=trajectories)

    def _arm_moves(
        self, state: State, r: Running, own: Joints, hands: Mapping[str, Transform],
        ends: Mapping[str, Transform], moving: Joints,
    ) -> list[ArmMove]:  # fmt: skip
        """The arms that a motion sets going, with what is to be said about their ways."""
        motion = r.motion
        found = []
        for hand in self.body.hands:
            limb = self.body.limb(hand)
            if not frozenset(limb.joints) <= own:
                continue
            tracking = next((t for t in state.tracking if t.hand == hand), None)
            carrying = next((c for c in state.carrying if c.hand == hand), None)
            if hand == motion.hand and hand not in motion.others:
                straight = motion.slides or (carrying is not None and carrying.settles)
            else:
                straight = hands[hand].distance(ends[hand]) < STAYS and hands[hand].angle(ends[hand]) < STAYS_TURNED
            puts = motion.changes and isinstance(motion.changes[0], (Moved, Stacked))
            arc = CARRY_ARC if puts and carrying and carrying.settles else 0.0
            moves = bool(moving & frozenset(limb.joints))
            side = -1.0 if limb.mirrored else 1.0
            seek = self.goal_postures.track
            found.append(ArmMove(hand, straight, motion.clearance, seek, carrying, tracking, arc, moves, side))
        return found

    def _moving(self, state: State) -> Joints:
        """Joints that are in the middle of a motion."""
        fast = np.abs(state.angles - state.before) > STILL
        joints_of = self.body.arrays.joints_of
        under_way = [t.dofs[fast[t.dofs]] for t in state.trajectories if t.end > state.frame]
        return frozenset(int(joint) for dofs in under_way for joint in joints_of[dofs])

    def _frames(self, running: list[Running], speeds: tuple[Joints, ...], joints: Joints) -> int:
        """How long joints take: each by the motion whose speed it follows."""
        return max(running[n].motion.speed for n, group in enumerate(speeds) if group & joints)

    def _move(
        self, state: State, running: list[Running], starts: list[tuple[int, Joints]], speeds: tuple[Joints, ...],
        goal: Floats, cleared: Joints,
    ) -> State:  # fmt: skip
        """Trajectories for all joints that begin, each by the motion whose speed and curve it follows.

        `cleared`: joints that make room besides; those under way arrive when they would have.
        """
        begin = NO_JOINTS.union(*(own for _, own in starts))
        aside = cleared - begin
        begin |= aside
        owned = np.zeros(self.body.dofs, dtype=bool)
        moving = np.zeros(self.body.dofs, dtype=bool)
        owned[self.body.dofs_of(begin)] = True
        kept = []
        for trajectory in state.trajectories:
            if trajectory.end > state.frame:
                moving[trajectory.dofs] = True
            left = ~owned[trajectory.dofs]
            if left.all():
                kept.append(trajectory)
            elif left.any():
                kept.append(
                    Trajectory(trajectory.dofs[left], trajectory.start, trajectory.angles[:, left], trajectory.share)
                )
        for tracking in state.tracking:
            moving[self.body.dofs_of(self.body.limb(tracking.hand).joints)] = True
        velocity = np.where(moving, state.angles - state.before, 0.0)
        if aside:
            away = self.body.dofs_of(aside)
            ends = [t.end - state.frame for t in state.trajectories if np.isin(away, t.dofs).any()]
            frames = max([end for end in ends if end > 0], default=running[starts[0][0]].motion.speed)
            kept.append(self._trajectory(state, aside, frames, "sine", goal, velocity))
            begin -= aside
        for place, joints in enumerate(speeds):
            if joints & begin:
                motion = running[place].motion
                kept.append(self._trajectory(state, joints & begin, motion.speed, motion.curve, goal, velocity))
        still = tuple(t for t in state.tracking if not begin & frozenset(self.body.limb(t.hand).joints))
        return replace(state, trajectories=tuple(kept), tracking=still)

    def _trajectory(
        self, state: State, joints: Joints, frames: int, curve: str, goal: Floats, velocity: Floats
    ) -> Trajectory:
        dofs = self.body.dofs_of(sorted(joints))
        now = state.angles[dofs]
        return plan_trajectory(self.body, dofs, state.frame, frames, curve, now, goal[dofs], velocity[dofs])

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
        self, state: State, r: Running, own: Joints, hands: Mapping[str, Transform],
        ends: Mapping[str, Transform], complete: bool,
    ) -> State:  # fmt: skip
        """Takes up what a motion carries, and lets other hands that hold it follow."""
        motion = r.motion
        limb = frozenset(self.body.limb(motion.hand).joints)
        if motion.carry is None or not limb <= own:
            return state
        arm = self.body.dofs_of(limb)
        share = next(t.share for t in state.trajectories if np.isin(arm, t.dofs).any())
        carrying = state.staged.carry(motion, hands[motion.hand], ends[motion.hand], state.frame, share, complete)
        tracking = [t for t in state.tracking if t.task != motion.task]
        for hand, goal in r.others.items():
            holds = isinstance(goal, AtObject) and goal.object in carrying.objects
            if not holds or not frozenset(self.body.limb(hand).joints) <= own:
                continue
            assert isinstance(goal, AtObject)
            thing = state.staged.transforms[goal.object]
            now = thing.relative(hands[hand])
            wanted = wanted_transform(motion.scene_after, self.body.limb(hand), goal)
            assert wanted is not None
            if carrying.settles:
                wanted = grip.lifted(self.body, self.goal_postures.table, self.body.limb(hand), wanted)
            then = Transform.of(motion.scene_after.centre(goal.object)).relative(wanted)
            if state.staged.holds(hands[hand], goal.object):
                tracking.append(Tracking(motion.task, hand, goal.object, grip_change(now, then, share), state.frame))
        others = tuple(c for c in state.carrying if c.task != motion.task)
        return replace(state, carrying=(*others, carrying), tracking=tuple(tracking))


def _whole_limb(body: Body, hand: str) -> Joints:
    limb = body.limb(hand)
    return frozenset(limb.joints) | frozenset(limb.trunk)
