"""The stage: takes commands, steps frames, shows its state. It alone wires interface, scheduler and postures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from puppet import grip, ledger
from puppet.body import Body, Floats
from puppet.command import Command, Freeze, Lock, Record, SetInterrupt, SetPrimitive, Task, Unlock
from puppet.environment import load_environment
from puppet.errors import PuppetError
from puppet.gesture import Gesture, load_gestures
from puppet.interface import MISS, Outcome, interpret
from puppet.ledger import Entry, Ledger
from puppet.lifting import ARC, lift_carried
from puppet.motion import AtAngles, AtObject, AtRest, Goal, Motion, Moved, Stacked, in_each_others_way
from puppet.plan import HandPlan, Held, Plan, at_pose, wanted_pose
from puppet.pose import Pose
from puppet.posing import Miss, Poser, Start, hand_poses, joint_frames, tip_poses
from puppet.scene import Scene
from puppet.scheduler import NONE, Anatomy, Demand, Joints, Queue, group_positions, group_trajectories
from puppet.staging import Carrying, Staged, Tracking
from puppet.trajectory import Trajectory, plan_trajectory

EMPTY = Queue()
NO_MISS = Miss()
AT_A_TIME = 2  # tasks that may overlap: the puppet has two hands (Section 4.1)


@dataclass(frozen=True)
class Running:
    """A motion that has been taken out of the queue."""

    motion: Motion
    begun: Joints = NONE  # critical joints that have begun to move
    end: int | None = None  # known once all critical joints have begun: from then on it is never started again
    kept: Mapping[str, Goal] = field(default_factory=dict)  # goals migrated from tasks that ended meanwhile
    resting: Joints = NONE  # their joints: they stay as they are, unless this motion needs some of them
    fetched: bool = False  # the hand was sent to its object first
    miss: Miss = NO_MISS

    @property
    def others(self) -> dict[str, Goal]:
        """Secondary goals: the default gives way to what a hand has just been doing (goal migration, Section 4.4)."""
        goals = dict(self.motion.others)
        for hand, goal in self.kept.items():
            if isinstance(goals.get(hand), AtRest):
                goals[hand] = goal
        return goals


@dataclass(frozen=True)
class Frame:
    """What is to be seen at one time."""

    number: int
    angles: Floats  # (dofs,), read-only
    objects: Mapping[str, Pose]


@dataclass(frozen=True, eq=False)
class State:
    """Everything that changes. A value: to keep one is to be able to come back to it."""

    frame: int
    angles: Floats  # (dofs,)
    before: Floats  # (dofs,), a frame earlier
    plan: Plan
    staged: Staged
    queue: Queue = EMPTY
    running: tuple[Running, ...] = ()
    trajectories: tuple[Trajectory, ...] = ()
    carrying: tuple[Carrying, ...] = ()
    tracking: tuple[Tracking, ...] = ()
    finished: Mapping[str, tuple[Goal, int]] = field(default_factory=dict)  # each hand's last task that was carried out
    dirty: bool = False  # something came or went: the scheduler must look at the queue
    recording: bool | None = None  # None: nothing was said about recording
    undo: Snapshot | None = None


@dataclass(frozen=True, eq=False)
class Snapshot:
    state: State
    mark: int


class _Hands:
    """What the interface must know of the body."""

    def __init__(self, body: Body, poser: Poser, gestures: Mapping[str, Gesture]) -> None:
        self._body, self._poser, self.gestures = body, poser, gestures
        self.names = tuple(body.limbs)
        self._rest_angles: dict[AtAngles, Pose] = {}

    def critical(self, hand: str) -> Joints:
        limb = self._body.limb(hand)
        return frozenset(limb.joints) | frozenset(limb.trunk)

    def gesture_joints(self, hand: str, gesture: Gesture) -> Joints:
        return gesture.critical_joints(self._body, hand)

    def gesture_angles(self, hand: str, gesture: Gesture) -> tuple[AtAngles, ...]:
        return tuple(gesture.angles(self._body, hand, step) for step in gesture.steps)

    def reach(self, hand: str, pose: Pose) -> tuple[Pose, float]:
        return self._poser.reach(hand, pose)

    def pose_of(self, hand: str, angles: AtAngles) -> Pose:
        posture = np.zeros(self._body.dofs)
        for dof, angle in angles.angles:
            posture[dof] = angle
        return hand_poses(self._body, posture)[hand]

    def clear(self, hand: str, pose: Pose) -> Pose:
        return grip.lifted(self._body, self._poser.table, hand, pose)


class Stage:
    """A puppet at its table, live: give commands, step frames, read the state."""

    def __init__(
        self,
        environment: Scene | str | Path,
        body: Body | None = None,
        gestures: Iterable[str | Path] = (),
        draft: bool = False,
        at_a_time: int = AT_A_TIME,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """`gestures`: YAML files of further general tasks. `draft`: estimated postures, fast and not exact.

        `clock` measures how long things take, for the report; without one nothing reads a clock.
        """
        self.body = body or Body.load()
        scene = environment if isinstance(environment, Scene) else load_environment(environment, tuple(self.body.limbs))
        self.draft = draft
        self._anatomy = Anatomy.of(self.body)
        self._poser = Poser(self.body, scene.table, "estimate" if draft else "puppet")
        self._hands = _Hands(self.body, self._poser, load_gestures(self.body, gestures))
        self._at_a_time = at_a_time
        self._clock = clock or (lambda: 0.0)
        self._ledger = Ledger()
        self.timing = {"interface": 0.0, "posture": 0.0, "frames": 0.0}  # seconds
        angles = self._first_angles(scene)
        poses = {hand: Pose.of(at.position, at.rotation) for hand, at in hand_poses(self.body, angles).items()}
        for hand, pose in poses.items():
            scene = scene.with_space_at(hand, pose.position)
        plan = Plan(scene, {hand: HandPlan(pose) for hand, pose in poses.items()}, {})
        self._state = State(0, angles, angles, plan, Staged.of(scene))

    # ---- the state

    @property
    def frame(self) -> Frame:
        return Frame(self._state.frame, self._state.angles, self._state.staged.poses)

    @property
    def scene(self) -> Scene:
        """The scene as it is on stage."""
        return self._state.staged.scene

    @property
    def planned(self) -> Scene:
        """The scene as it will be once everything that was told is done."""
        return self._state.plan.scene

    @property
    def locks(self) -> Mapping[str, Goal]:
        return {hand: held.goal for hand, held in self._state.plan.locks.items()}

    @property
    def hands(self) -> Mapping[str, Pose]:
        """Where the hands' tips are."""
        return hand_poses(self.body, self._state.angles)

    @property
    def idle(self) -> bool:
        """Whether nothing moves and nothing waits."""
        return not self._state.running and self._state.queue.size == 0

    @property
    def pending(self) -> bool:
        """Whether the next step begins something, and so needs new postures."""
        return self._state.dirty

    @property
    def recording(self) -> bool | None:
        return self._state.recording

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every command so far and what became of it."""
        return self._ledger.entries

    @property
    def gestures(self) -> Mapping[str, Gesture]:
        return self._hands.gestures

    def snapshot(self) -> Snapshot:
        """The whole state; it stays good until one before it is restored."""
        return Snapshot(self._state, self._ledger.mark())

    def restore(self, snapshot: Snapshot) -> None:
        self._ledger.rewind(snapshot.mark)
        self._state = snapshot.state

    def undo(self) -> None:
        """Takes the last command back, and the frames since."""
        if self._state.undo is None:
            raise PuppetError("there is no command to take back")
        self.restore(self._state.undo)

    # ---- commands

    def give(self, command: Command | str) -> Entry:
        """Hears a command; the next step acts on it. What cannot be done comes back rejected, with a reason."""
        if isinstance(command, str):
            from puppet.lines import read_line

            command = read_line(command, self.gestures)
        before = self._clock()
        self._state = replace(self._state, undo=self.snapshot())
        entry = self._hear(command)
        self.timing["interface"] += self._clock() - before
        return entry

    def _hear(self, command: Command) -> Entry:
        state = self._state
        if isinstance(command, Freeze):
            self._freeze()
            self._settle_velocity()
            return self._note(command, "Freeze", ledger.DONE)
        if isinstance(command, SetInterrupt):
            self._state = replace(state, plan=replace(state.plan, interrupting=command.on))
            return self._note(command, f"Set interrupt {'on' if command.on else 'off'}", ledger.DONE)
        if isinstance(command, Record):
            self._state = replace(state, recording=command.on)
            return self._note(command, f"{'Start' if command.on else 'Stop'} recording", ledger.DONE)
        if isinstance(command, (Lock, Unlock, SetPrimitive)):
            outcome = interpret(state.plan, command, len(self._ledger), self._hands)
            self._state = replace(state, plan=outcome.plan)
            status = ledger.REJECTED if outcome.rejected else ledger.DONE
            return self._note(command, outcome.interpretation, status, outcome.reason)
        if not isinstance(command, Task):
            raise PuppetError(f"'{type(command).__name__}' belongs in a script; a stage does not know it")
        return self._hear_task(command)

    def _hear_task(self, command: Task) -> Entry:
        interrupts = command.interrupt or self._state.plan.interrupting
        number = len(self._ledger)
        if interrupts:
            plan = self._plan_of(self._dropped(), cancelled=True)
            outcome = interpret(plan, command, number, self._hands)
            if not outcome.rejected:
                self._freeze()
        else:
            outcome = interpret(self._state.plan, command, number, self._hands, self._follows(command.hand))
        if outcome.rejected:
            return self._note(command, outcome.interpretation, ledger.REJECTED, outcome.reason)
        assert outcome.motion is not None
        state = self._state
        self._state = replace(
            state, plan=outcome.plan, queue=state.queue.push(outcome.motion), dirty=True
        )
        return self._note(command, outcome.interpretation, ledger.WAITING, outcome.reason, outcome)

    def _follows(self, hand: str) -> bool:
        """Whether the last task told before is another hand's and is not done yet."""
        state = self._state
        last = state.queue.back[0] if state.queue.back else None
        if last is None and state.queue.size == 0 and state.running:
            last = state.running[-1].motion
        return last is not None and last.hand != hand

    def _note(
        self, command: Command, words: str, status: str, reason: str = "", outcome: Outcome | None = None
    ) -> Entry:
        del outcome
        frame = self._state.frame
        open_ = status in ledger.OPEN
        entry = Entry(
            number=len(self._ledger),
            kind=type(command).__name__.lower(),
            line=command.source.line,
            command=command.source.text or words,
            interpretation=words,
            status=status,
            reason=reason,
            hand=getattr(command, "hand", ""),
            given=frame,
            start=None if open_ or status == ledger.REJECTED else frame,
            end=None if open_ or status == ledger.REJECTED else frame,
        )
        self._ledger.add(entry)
        return entry

    # ---- freeze and interrupt: what was not carried out did not happen

    def _freeze(self) -> None:
        state = self._state
        staged = self._dropped()
        plan = self._plan_of(staged, cancelled=True)
        queue = state.queue
        waiting = [running.motion.task for running in state.running]
        while queue.size:
            motion, queue = queue.pop()
            waiting.append(motion.task)
        for task in waiting:
            entry = self._ledger[task]
            end = state.frame if entry.start is not None else None
            self._ledger.change(task, status=ledger.CANCELLED, reason="dropped before it was done", end=end)
        moving = tuple(t for t in state.trajectories if t.end > state.frame)
        self._state = replace(
            state, plan=plan, staged=staged, queue=EMPTY, running=(), carrying=(), tracking=(),
            trajectories=moving, dirty=False,
        )  # fmt: skip

    def _settle_velocity(self) -> None:
        """Stops every joint where it is."""
        self._state = replace(self._state, trajectories=(), before=self._state.angles)

    def _dropped(self) -> Staged:
        state = self._state
        palms = frozenset(r.motion.hand for r in state.running if r.motion.carry and r.motion.carry.palm)
        return state.staged.dropped(state.carrying, hand_poses(self.body, state.angles), palms)

    def _plan_of(self, staged: Staged, cancelled: bool) -> Plan:
        """The plan that is true to the stage. `cancelled`: tasks under way are given up; otherwise there are none."""
        state = self._state
        plan = state.plan
        poses = hand_poses(self.body, state.angles)
        busy = {running.motion.hand: running for running in state.running}
        locks: dict[str, Held] = {}
        for hand, held in plan.locks.items():
            done = held.task is None or self._ledger[held.task].status in (ledger.DONE, ledger.ADJUSTED)
            if done or not cancelled:
                locks[hand] = held
        hands: dict[str, HandPlan] = {}
        for hand, pose in poses.items():
            old = plan.hands[hand]
            here = Pose.of(pose.position, pose.rotation)
            if not cancelled:
                hands[hand] = replace(old, pose=here)
                continue
            goal, task = state.finished.get(hand, (None, None))
            if hand in busy and busy[hand].begun:  # stopped on its way: it may be locked where it is
                goal, task = (locks[hand].goal, locks[hand].task) if hand in locks else (at_pose(here), None)
            hands[hand] = HandPlan(here, goal, task)
        return replace(plan, hands=hands, locks=locks).with_scene(staged.scene)

    # ---- frames

    def step(self) -> Frame:
        """One frame."""
        if self._state.dirty:
            before = self._clock()
            self._schedule()
            self.timing["posture"] += self._clock() - before
        before = self._clock()
        state = self._state
        frame = state.frame + 1
        angles = state.angles
        if state.trajectories:
            angles = angles.copy()
            for trajectory in state.trajectories:
                angles[trajectory.dofs] = trajectory.at(frame)
        staged = state.staged
        if state.carrying:
            staged = self._carry(state, frame, angles)
        angles.flags.writeable = False
        self._state = replace(
            state, frame=frame, angles=angles, before=state.angles, staged=staged,
            trajectories=tuple(t for t in state.trajectories if t.end > frame) if state.trajectories else (),
        )  # fmt: skip
        if any(running.end == frame for running in state.running):
            self._finish(frame)
        self.timing["frames"] += self._clock() - before
        return Frame(frame, angles, self._state.staged.poses)

    def _carry(self, state: State, frame: int, angles: Floats) -> Staged:
        frames = joint_frames(self.body, angles)
        hands = tip_poses(self.body, frames)
        found: dict[str, Pose] = {}
        for carrying in state.carrying:
            found.update(carrying.poses(hands[carrying.hand], frame))
        staged = state.staged.with_poses(found)
        for tracking in state.tracking:
            arm = [3 * j + n for j in self.body.limb(tracking.hand).joints for n in range(3)]
            guess = state.angles[arm]  # not the way to the goal posture: between two ways to hold a thing an arm flips
            self._poser.follow(angles, frames, tracking.hand, tracking.pose(staged.poses, frame), guess)
        return staged

    def run_until_idle(self, most: int = 10_000_000) -> None:
        """Steps until nothing moves and nothing waits."""
        while not self.idle and most > 0:
            self.step()
            most -= 1

    # ---- ends

    def _finish(self, frame: int) -> None:
        while running := next((r for r in self._state.running if r.end == frame), None):
            state = self._state
            motion = running.motion
            carrying = next((c for c in state.carrying if c.task == motion.task), None)
            staged = state.staged.done(motion, carrying)
            rest = tuple(r for r in state.running if r is not running)
            if motion.couple is not None:
                follow = replace(running, motion=motion.couple, begun=NONE, end=None)
                place = state.running.index(running)
                rest = (*rest[:place], follow, *rest[place:])
            else:
                goal = self._reached_goal(motion)
                rest = tuple(self._migrate(r, motion, goal) for r in rest)
                self._close(motion, running.miss, frame)
            finished = state.finished
            if motion.couple is None:
                finished = {**finished, motion.hand: (self._reached_goal(motion), motion.task)}
            self._state = replace(
                state, staged=staged, running=rest, dirty=True, finished=finished,
                carrying=tuple(c for c in state.carrying if c.task != motion.task),
                tracking=tuple(t for t in state.tracking if t.task != motion.task),
            )  # fmt: skip
        if self.idle:  # what was planned and what came of it are the same again
            state = self._state
            self._state = replace(state, plan=self._plan_of(state.staged, cancelled=False))

    def _migrate(self, running: Running, done: Motion, goal: Goal) -> Running:
        """A task that goes on takes over what the hand of a finished one is at (goal migration)."""
        if self._ledger[running.motion.task].start is None:
            return running
        return replace(running, kept={**running.kept, done.hand: goal}, resting=running.resting | done.critical)

    def _reached_goal(self, motion: Motion) -> Goal:
        """What a lock of the hand would name."""
        if motion.carry and not motion.carry.palm and not isinstance(motion.goal, AtObject):
            held = self._state.plan.locks.get(motion.hand)
            if held is not None:
                return held.goal
        return motion.goal

    def _close(self, motion: Motion, miss: Miss, frame: int) -> None:
        entry = self._ledger[motion.task]
        solved = miss.solved(self.body) or self.draft
        reason = entry.reason
        if solved:
            status = ledger.ADJUSTED if reason else ledger.DONE
        else:
            status = ledger.MISSED
            if "out of reach" not in reason:
                far = (
                    f"out of reach by {miss.position:.3f}"
                    if miss.position > MISS
                    else f"the hand is turned {miss.orientation:.0f} degrees from what was asked for"
                )
                reason = f"{reason}; {far}" if reason else far
        self._ledger.change(
            motion.task, status=status, reason=reason, end=frame,
            position_error=miss.position, orientation_error=miss.orientation,
        )  # fmt: skip

    # ---- beginnings

    def _schedule(self) -> None:
        """Figures 4.3, 4.6 and 4.7: who of the first in the queue gets what, and what begins now."""
        self._take_from_queue()
        state = self._state
        running = list(state.running)
        demands = [Demand(r.motion.critical, r.motion.overlap) for r in running]
        positions = group_positions(self._anatomy, demands)
        speeds = group_trajectories(self._anatomy, demands)
        bound = [r.motion.critical if r.end is not None else NONE for r in running]
        starts: list[tuple[int, Joints]] = []
        for place, r in enumerate(running):
            own = positions[place] - NONE.union(*(b for n, b in enumerate(bound) if n != place))
            if not r.resting & r.motion.critical:
                own -= r.resting
            if r.end is None and (own & r.motion.critical) != r.begun:
                starts.append((place, own))
        if starts:
            running = self._begin(running, starts, speeds)
        self._state = replace(self._state, running=tuple(running), dirty=False)

    def _take_from_queue(self) -> None:
        state = self._state
        running, queue = state.running, state.queue
        while len(running) < self._at_a_time and queue.size:
            motion = queue.first
            assert isinstance(motion, Motion)
            demands = [Demand(r.motion.critical, r.motion.overlap) for r in running]
            wanted = group_positions(self._anatomy, [*demands, Demand(motion.critical, motion.overlap)])[-1]
            if not wanted or any(in_each_others_way(r.motion, motion) for r in running):
                break
            _, queue = queue.pop()
            running = (*running, Running(motion))
        self._state = replace(state, running=running, queue=queue)

    def _begin(
        self, running: list[Running], starts: list[tuple[int, Joints]], speeds: tuple[Joints, ...]
    ) -> list[Running]:
        state = self._state
        hands = hand_poses(self.body, state.angles)
        for place, _ in starts:
            running[place] = self._ready_to_carry(running[place], hands)
        base = state.angles.copy()
        for trajectory in state.trajectories:
            base[trajectory.dofs] = trajectory.angles[-1]
        asked = [Start(running[place].motion, own, running[place].others) for place, own in starts]
        scene = max(asked, key=lambda start: start.motion.task).motion.after
        goal, misses, cleared = self._poser.goals(base, asked, scene)
        self._move(running, starts, speeds, goal, cleared)
        ends = hand_poses(self.body, goal)
        for place, own in starts:
            r = running[place]
            motion = r.motion
            complete = motion.critical <= own
            end = None
            if complete:
                end = state.frame + max(
                    running[n].motion.speed for n, joints in enumerate(speeds) if joints & motion.critical
                )
            miss = misses[motion.task]
            if r.miss.weight > miss.weight and motion.couple is None and r.fetched and motion.carry is None:
                miss = r.miss
            running[place] = replace(r, begun=own & motion.critical, end=end, miss=miss)
            self._begin_carrying(running[place], own, hands, ends, complete)
            if self._ledger[motion.task].start is None:
                self._ledger.change(motion.task, status=ledger.RUNNING, start=state.frame)
        return running

    def _move(
        self, running: list[Running], starts: list[tuple[int, Joints]], speeds: tuple[Joints, ...], goal: Floats,
        cleared: Joints,
    ) -> None:  # fmt: skip
        """Trajectories for all joints that begin, each by the motion whose speed and curve it follows.

        `cleared`: joints that make room besides; those under way arrive when they would have.
        """
        state = self._state
        begin = NONE.union(*(own for _, own in starts))
        aside = cleared - begin
        begin |= aside
        owned = np.zeros(self.body.dofs, dtype=bool)
        moving = np.zeros(self.body.dofs, dtype=bool)
        for joint in begin:
            owned[3 * joint : 3 * joint + 3] = True
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
            for joint in self.body.limb(tracking.hand).joints:
                moving[3 * joint : 3 * joint + 3] = True
        velocity = np.where(moving, state.angles - state.before, 0.0)
        if aside:
            ends = [t.end - state.frame for t in state.trajectories if any(3 * j in t.dofs for j in aside)]
            frames = max([end for end in ends if end > 0], default=running[starts[0][0]].motion.speed)
            kept.append(self._trajectory(aside, frames, "sine", goal, velocity))
            begin -= aside
        for place, joints in enumerate(speeds):
            if joints & begin:
                motion = running[place].motion
                kept.append(self._trajectory(joints & begin, motion.speed, motion.curve, goal, velocity))
        still = tuple(t for t in state.tracking if not begin & frozenset(self.body.limb(t.hand).joints))
        self._state = replace(state, trajectories=tuple(kept), tracking=still)

    def _trajectory(self, joints: Joints, frames: int, curve: str, goal: Floats, velocity: Floats) -> Trajectory:
        dofs = np.array([3 * j + n for j in sorted(joints) for n in range(3)], dtype=np.int64)
        now = self._state.angles[dofs]
        return plan_trajectory(self.body, dofs, self._state.frame, frames, curve, now, goal[dofs], velocity[dofs])

    def _ready_to_carry(self, r: Running, hands: Mapping[str, Pose]) -> Running:
        """A hand that is not at what it shall carry goes there first."""
        motion, staged = r.motion, self._state.staged
        if motion.carry is None or motion.carry.palm or staged.holds(hands[motion.hand], motion.carry.objects[0]):
            return r
        if r.fetched:  # it did not get there: nothing can be carried
            reason = f"the {motion.hand} hand did not get hold of '{motion.carry.objects[0]}'"
            self._ledger.change(motion.task, reason=reason)
            return replace(r, motion=replace(motion, carry=None, changes=(), couple=None))
        lead = motion.carry.objects[0]
        wanted = motion.goal.grip if isinstance(motion.goal, AtObject) else "side"
        goal = AtObject(lead, grip.possible_grip(staged.scene, lead, wanted)[0])
        critical = motion.critical | self._hands.critical(motion.hand)
        fetch = replace(motion.fetching(goal, staged.scene), critical=critical)
        return replace(r, motion=fetch, fetched=True)

    def _begin_carrying(
        self, r: Running, own: Joints, hands: Mapping[str, Pose], ends: Mapping[str, Pose], complete: bool
    ) -> None:
        motion, state = r.motion, self._state
        limb = frozenset(self.body.limb(motion.hand).joints)
        if motion.carry is None or not limb <= own:
            return
        share = next(t.share for t in state.trajectories if 3 * min(limb) in t.dofs)
        carrying = state.staged.carry(motion, hands[motion.hand], ends[motion.hand], state.frame, share, complete)
        arc = ARC if isinstance(motion.changes[0] if motion.changes else None, (Moved, Stacked)) else 0.0
        state = replace(state, trajectories=lift_carried(self.body, state.angles, state.trajectories, carrying, arc))
        tracking = [t for t in state.tracking if t.task != motion.task]
        for hand, goal in r.others.items():
            holds = isinstance(goal, AtObject) and goal.object in carrying.objects
            if not holds or not frozenset(self.body.limb(hand).joints) <= own:
                continue
            assert isinstance(goal, AtObject)
            thing = state.staged.poses[goal.object]
            now = thing.relative(hands[hand])
            wanted = wanted_pose(motion.after, hand, goal)
            assert wanted is not None
            if carrying.settles:
                then = Pose.of(motion.after.centre(goal.object)).relative(self._hands.clear(hand, wanted))
            else:
                then = Pose.of(motion.after.centre(goal.object)).relative(wanted)
            if state.staged.holds(hands[hand], goal.object):
                tracking.append(Tracking(motion.task, hand, goal.object, (now, then), state.frame, share))
        others = tuple(c for c in state.carrying if c.task != motion.task)
        self._state = replace(state, carrying=(*others, carrying), tracking=tuple(tracking))

    # ---- the first posture

    def _first_angles(self, scene: Scene) -> Floats:
        """At rest before the table: the hands where they are when nothing is asked of them, eyes ahead."""
        angles = self.body.rest.copy()
        for hand in self.body.limbs:
            self._poser.track(angles, hand, self._hands.clear(hand, grip.rest_pose(scene, hand)))
        angles.flags.writeable = False
        return angles

    # ---- the report

    def report_tasks(self) -> list[dict[str, Any]]:
        return [entry.as_dict() for entry in self._ledger.entries if entry.kind in _REPORTED]


_REPORTED = ("reach", "slide", "perform", "lock", "unlock", "freeze")
