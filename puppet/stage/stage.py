"""The stage: takes commands, steps frames, shows its state. It alone wires interface, scheduler and postures."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from puppet.body import Body, hand_transforms, joint_transforms, tip_transforms
from puppet.command import (
    Balance,
    Command,
    Drag,
    Freeze,
    Lock,
    Pin,
    PoseJoint,
    Record,
    SetInterrupt,
    SetPrimitive,
    Task,
    Unlock,
    Unpin,
)
from puppet.errors import PuppetError
from puppet.files.shipped import find
from puppet.geometry import Transform
from puppet.kernels.loader import prepare
from puppet.motion import DepthJudge, StagedScene, scene_boxes
from puppet.scene import Scene, load_environment
from puppet.schedule import Anatomy
from puppet.stage import task_log
from puppet.stage.body_queries import BodyQueries
from puppet.stage.dispatch import Dispatcher
from puppet.stage.dragging import PinnedPart
from puppet.stage.goal_postures import GoalPostures
from puppet.stage.seating import legs_of, seat_at, sitting
from puppet.stage.state import EMPTY, Contact, Frame, Running, Snapshot, State
from puppet.stage.task_log import Entry, TaskLog
from puppet.tasks import (
    AtGesture,
    AtObject,
    Gestures,
    Goal,
    HandPlan,
    Held,
    Miss,
    Motion,
    Plan,
    Primitives,
    at_transform,
    grip,
    interpret,
    load_gestures,
    lock_refusal,
    with_possible_grip,
    worse,
)
from puppet.types import Floats

UNDO = 100  # commands that can be taken back


class Stage:
    """A puppet at its table, live: give commands, step frames, read the state."""

    def __init__(
        self,
        environment: Scene | str | Path,
        body: Body | None = None,
        gestures: Iterable[str | Path] = (),
        draft: bool = False,
        at_a_time: int | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """`gestures`: YAML files of further general tasks. `draft`: estimated postures, fast and not exact.
        `at_a_time`: how many tasks may overlap; as many as the body has hands, if None (Section 4.1).

        `clock` measures how long things take, for the report; without one nothing reads a clock.
        """
        prepare("posture", "obstructed", "motion")
        self.body = body or Body.load()
        scene = environment
        if not isinstance(scene, Scene):
            scene = load_environment(find("environments", scene), self.body.hands)
        self.draft = draft
        rest = self.body.rest
        if legs_of(self.body):
            seat = seat_at(self.body, scene)
            scene = replace(scene, floor=seat.floor, seat=seat.top)
            rest = sitting(self.body, seat)
        self._goal_postures = GoalPostures(self.body, scene.table, rest, "estimate" if draft else "puppet")
        self._hands = BodyQueries(self.body, self._goal_postures, load_gestures(self.body, gestures))
        self._clock = clock or (lambda: 0.0)
        self._task_log = TaskLog()
        self._given: deque[Snapshot] = deque(maxlen=UNDO)  # before each of the last commands
        self.timing = {"interface": 0.0, "posture": 0.0, "ways": 0.0, "frames": 0.0}  # seconds
        self._dispatcher = Dispatcher(
            self.body, self._goal_postures, Anatomy.of(self.body), self._task_log,
            max(1, len(self.body.hands)) if at_a_time is None else at_a_time, self._clock, self.timing,
        )
        angles = self._first_angles(scene, rest)
        self._hands.home = angles
        tips = self._hand_transforms(angles)
        poses = {hand: Transform.of(at.position, at.rotation) for hand, at in tips.items()}
        for hand, pose in poses.items():
            scene = scene.with_space_at(hand, pose.position)
        pins = self._first_pins(angles)
        plan = Plan(scene, {hand: HandPlan(pose) for hand, pose in poses.items()}, {}, pins=frozenset(pins))
        staged = StagedScene.of(scene)
        self._depth_judge = DepthJudge.of(self.body, scene_boxes(scene), angles, staged.transforms)
        self._state = State(0, angles, angles, plan, staged, pins=pins)

    # ---- the state

    @property
    def frame(self) -> Frame:
        return Frame(self._state.frame, self._state.angles, self._state.staged.transforms)

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
    def hands(self) -> Mapping[str, Transform]:
        """Where the hands' tips are."""
        return self._hand_transforms(self._state.angles)

    def _hand_transforms(self, angles: Floats) -> dict[str, Transform]:
        tips = hand_transforms(self.body, angles)
        return {hand: tips[hand] for hand in self.body.hands}

    @property
    def idle(self) -> bool:
        """Whether nothing moves and nothing waits."""
        state = self._state
        return not state.running and state.queue.size == 0 and not state.trajectories

    @property
    def pending(self) -> bool:
        """Whether the next step begins something, and so needs new postures."""
        return self._state.needs_scheduling

    @property
    def running(self) -> tuple[Running, ...]:
        """The motions under way, in the order in which they were told."""
        return self._state.running

    @property
    def primitives(self) -> Primitives:
        """The qualities that the next task copies."""
        return self._state.plan.primitives

    @property
    def interrupting(self) -> bool:
        """Whether every task interrupts."""
        return self._state.plan.interrupting

    @property
    def recording(self) -> bool | None:
        return self._state.recording

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every command so far and what became of it."""
        return self._task_log.entries

    @property
    def gestures(self) -> Gestures:
        return self._hands.gestures

    def snapshot(self) -> Snapshot:
        """The whole state; it stays good until one before it is restored."""
        return Snapshot(self._state, self._task_log.mark())

    def restore(self, snapshot: Snapshot) -> None:
        self._task_log.rewind(snapshot.mark)
        self._state = snapshot.state
        while self._given and self._given[-1].mark >= snapshot.mark:
            self._given.pop()

    def undo(self) -> None:
        """Takes the last command back, and the frames since."""
        if not self._given:
            raise PuppetError("there is no command to take back")
        self.restore(self._given[-1])

    # ---- commands

    def give(self, command: Command | str) -> Entry:
        """Hears a command; the next step acts on it. What cannot be done comes back rejected, with a reason."""
        if isinstance(command, str):
            from puppet.language import read_command

            command = read_command(command, self.gestures, body=self.body)
        before = self._clock()
        self._given.append(self.snapshot())
        entry = self._hear(command)
        self.timing["interface"] += self._clock() - before
        return entry

    def _hear(self, command: Command) -> Entry:
        state = self._state
        if isinstance(command, Freeze):
            self._freeze()
            self._settle_velocity()
            return self._note(command, "Freeze", task_log.DONE)
        if isinstance(command, SetInterrupt):
            self._state = replace(state, plan=replace(state.plan, interrupting=command.on))
            return self._note(command, f"Set interrupt {'on' if command.on else 'off'}", task_log.DONE)
        if isinstance(command, Record):
            self._state = replace(state, recording=command.on)
            return self._note(command, f"{'Start' if command.on else 'Stop'} recording", task_log.DONE)
        if isinstance(command, (Lock, Unlock, SetPrimitive)):
            outcome = interpret(state.plan, command, len(self._task_log), self._hands)
            self._state = replace(state, plan=outcome.plan)
            status = task_log.REJECTED if outcome.rejected else task_log.DONE
            if status == task_log.DONE and isinstance(command, (Lock, Unlock)):
                status = self._contact(command.hand, state.plan.hands[command.hand].task)
            return self._note(command, outcome.interpretation, status, outcome.reason)
        if not isinstance(command, (Task, PoseJoint, Pin, Unpin, Drag, Balance)):
            raise PuppetError(f"'{type(command).__name__}' belongs in a script; a stage does not know it")
        return self._hear_task(command)

    def _contact(self, hand: str, task: int | None) -> str:
        """The status of a lock or unlock: done at once, or waiting for the task that the hand still has to do."""
        if task is None or self._task_log[task].status not in task_log.OPEN:
            return task_log.DONE
        contact = Contact(len(self._task_log), task, hand)
        self._state = replace(self._state, contacts=(*self._state.contacts, contact))
        return task_log.WAITING

    def _hear_task(self, command: Task | PoseJoint | Pin | Unpin | Drag | Balance) -> Entry:
        interrupts = getattr(command, "interrupt", False) or self._state.plan.interrupting
        number = len(self._task_log)
        if interrupts:
            plan = self._plan_of(self._dropped(), cancelled=True)
            outcome = interpret(plan, command, number, self._hands)
            if not outcome.rejected:
                self._freeze()
        else:
            follows = self._follows(getattr(command, "hand", ""))
            outcome = interpret(self._state.plan, command, number, self._hands, follows)
        if outcome.rejected:
            return self._note(command, outcome.interpretation, task_log.REJECTED, outcome.reason)
        assert outcome.motion is not None
        state = self._state
        self._state = replace(
            state, plan=outcome.plan, queue=state.queue.push(outcome.motion), needs_scheduling=True
        )
        return self._note(command, outcome.interpretation, task_log.WAITING, outcome.reason)

    def _follows(self, hand: str) -> bool:
        """Whether the last task told before is another hand's and is not done yet."""
        state = self._state
        last = state.queue.back[0] if state.queue.back else None
        if last is None and state.queue.size == 0 and state.running:
            last = state.running[-1].motion
        return last is not None and last.hand != hand

    def _note(self, command: Command, words: str, status: str, reason: str = "") -> Entry:
        frame = self._state.frame
        open_ = status in task_log.OPEN
        entry = Entry(
            number=len(self._task_log),
            kind=type(command).__name__.lower(),
            line=command.source.line,
            column=command.source.column,
            file=command.source.file,
            call=command.source.call,
            command=command.source.text or words,
            interpretation=words,
            status=status,
            reason=reason,
            hand=getattr(command, "hand", ""),
            given=frame,
            start=None if open_ or status == task_log.REJECTED else frame,
            end=None if open_ or status == task_log.REJECTED else frame,
        )
        self._task_log.add(entry)
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
            entry = self._task_log[task]
            end = state.frame if entry.start is not None else None
            self._task_log.change(task, status=task_log.CANCELLED, reason="dropped before it was done", end=end)
        for contact in state.contacts:
            self._task_log.change(contact.number, status=task_log.CANCELLED, reason="dropped before it was done")
        moving = tuple(t for t in state.trajectories if t.end > state.frame)
        self._state = replace(
            state, plan=plan, staged=staged, queue=EMPTY, running=(), carrying=(), contacts=(),
            trajectories=moving, needs_scheduling=False,
        )  # fmt: skip

    def _settle_velocity(self) -> None:
        """Stops every joint where it is."""
        self._state = replace(self._state, trajectories=(), before=self._state.angles)

    def _dropped(self) -> StagedScene:
        state = self._state
        palms = frozenset(r.motion.hand for r in state.running if r.motion.carry and r.motion.carry.palm)
        return state.staged.dropped(state.carrying, hand_transforms(self.body, state.angles), palms)

    def _plan_of(self, staged: StagedScene, cancelled: bool) -> Plan:
        """The plan that is true to the stage. `cancelled`: tasks under way are given up; otherwise there are none."""
        state = self._state
        plan = state.plan
        poses = self._hand_transforms(state.angles)
        busy = {running.motion.hand: running for running in state.running}
        locks: dict[str, Held] = {}
        for hand, held in plan.locks.items():
            done = held.task is None or self._task_log[held.task].status in (task_log.DONE, task_log.ADJUSTED)
            if not cancelled:
                locks[hand] = held
            elif done:  # stopped half way with something in the hand, it holds that just there
                carries = any(c.hand == hand for c in state.carrying)
                locks[hand] = replace(held, at=at_transform(poses[hand]) if carries else held.at)
        hands: dict[str, HandPlan] = {}
        for hand, pose in poses.items():
            old = plan.hands[hand]
            here = Transform.of(pose.position, pose.rotation)
            if not cancelled:
                hands[hand] = replace(old, transform=here)
                continue
            goal, task = state.finished.get(hand, (None, None))
            if hand in busy and busy[hand].begun:  # stopped on its way: it may be locked where it is
                goal, task = (locks[hand].goal, locks[hand].task) if hand in locks else (at_transform(here), None)
            hands[hand] = HandPlan(here, goal, task)
        # first the scene, then the locks: where a hand holds what it carries is true to the new scene
        pins = frozenset(state.pins)
        return replace(plan.with_scene(staged.scene), hands=hands, locks=_suited(locks, staged.scene), pins=pins)

    # ---- frames

    def step(self) -> Frame:
        """One frame."""
        if self._state.needs_scheduling:
            self._state = self._excused(self._dispatcher.begin(self._state))
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
        if state.trajectories:
            self._judge_depth(frame, angles)
        if any(running.end == frame for running in state.running):
            self._finish(frame)
        self.timing["frames"] += self._clock() - before
        return Frame(frame, angles, self._state.staged.transforms)

    def _carry(self, state: State, frame: int, angles: Floats) -> StagedScene:
        frames = joint_transforms(self.body, angles)
        hands = tip_transforms(self.body, frames)
        found: dict[str, Transform] = {}
        for carrying in state.carrying:
            found.update(carrying.transforms(hands[carrying.hand], frame))
        staged = state.staged.with_transforms(found)
        return staged

    def _excused(self, state: State) -> State:
        """What is in something when a task begins is not its fault."""
        if all(r.excused is not None for r in state.running):
            return state
        carried = {name: c.hand for c in state.carrying for name in c.objects}
        now = self._depth_judge.depths(state.angles, state.staged.transforms, carried)
        running = tuple(r if r.excused is not None else replace(r, excused=now) for r in state.running)
        return replace(state, running=running)

    def _judge_depth(self, frame: int, angles: Floats) -> None:
        """Notes for the tasks under way how deep anything is in anything."""
        state = self._state
        hands: dict[str, dict[str, float]] = {hand: {} for hand in self.body.hands}
        for running in state.running:
            for hand, touched in running.touches.items():
                for name, depth in touched.items():
                    hands[hand][name] = max(depth, hands[hand].get(name, 0.0))
        carried = {name: c.hand for c in state.carrying for name in c.objects}
        for name, hand in carried.items():
            hands[hand][name] = math.inf
        on_body: dict[str, int] = {}
        for running in state.running:
            goal = running.motion.goal
            if not isinstance(goal, AtGesture) or goal.bring.of_thing:
                continue
            landmark = self.body.place(goal.bring.to)
            if landmark is not None:
                on_body[running.motion.hand] = landmark.joint
        excused: dict[tuple[int, int], float] = {}
        for running in state.running:
            for pair, depth in (running.excused or {}).items():
                excused[pair] = max(depth, excused.get(pair, 0.0))
        found = self._depth_judge.deepest(angles, state.staged.transforms, hands, carried, on_body, excused)
        if found is None:
            return
        tasks = [r.motion.task for r in state.running if r.motion.hand in found.limbs]
        for task in tasks or [r.motion.task for r in state.running]:
            if found.depth > self._task_log[task].depth:
                self._task_log.change(task, depth=found.depth, depth_frame=frame, depth_words=found.words)

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
                missed = worse(running.missed, running.miss) if isinstance(motion.goal, AtGesture) else running.missed
                follow = replace(
                    running, motion=motion.couple, begun=frozenset(), end=None, excused=None, missed=missed
                )
                place = state.running.index(running)
                rest = (*rest[:place], follow, *rest[place:])
            else:
                goal = self._reached_goal(motion)
                rest = tuple(self._migrate(r, motion, goal) for r in rest)
                self._close(motion, worse(running.missed, running.miss), frame)
            finished = state.finished
            if motion.couple is None and motion.hand:
                finished = {**finished, motion.hand: (self._reached_goal(motion), motion.task)}
            self._state = replace(
                state, staged=staged, running=rest, needs_scheduling=True, finished=finished,
                carrying=tuple(c for c in state.carrying if c.task != motion.task),
            )  # fmt: skip
            if motion.couple is None and motion.hand:
                self._settle_contacts(motion, running.miss, frame)
        if not self._state.running and self._state.queue.size == 0:
            # what was planned and what came of it are the same again
            state = self._state
            self._state = replace(state, plan=self._plan_of(state.staged, cancelled=False))

    def _settle_contacts(self, motion: Motion, miss: Miss, frame: int) -> None:
        """The hand of a task that has ended takes hold or lets go; there is no hold on what was missed (trap 12)."""
        state, hand = self._state, motion.hand
        missed = self._task_log[motion.task].status == task_log.MISSED
        locks, hands = dict(state.plan.locks), dict(state.plan.hands)
        if hands[hand].task == motion.task:
            hands[hand] = replace(hands[hand], miss=miss)
        for contact in state.contacts:
            if contact.task != motion.task:
                continue
            if missed and self._task_log[contact.number].kind == "lock":
                reason = lock_refusal(contact.hand, miss)
                self._task_log.change(contact.number, status=task_log.REJECTED, reason=reason)
                if contact.hand in locks and locks[contact.hand].task == motion.task:
                    del locks[contact.hand]
            else:
                self._task_log.change(contact.number, status=task_log.DONE, start=frame, end=frame)
        left = tuple(contact for contact in state.contacts if contact.task != motion.task)
        self._state = replace(state, contacts=left, plan=replace(state.plan, locks=locks, hands=hands))

    def _migrate(self, running: Running, done: Motion, goal: Goal) -> Running:
        """A task that goes on takes over what the hand of a finished one is at (goal migration)."""
        if self._task_log[running.motion.task].start is None:
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
        entry = self._task_log[motion.task]
        reason = entry.reason
        if entry.depth > 0.0:
            words = f"{entry.depth_words} at frame {entry.depth_frame}"
            reason = f"{reason}; {words}" if reason else words
        if miss.met:
            status = task_log.ADJUSTED if reason else task_log.DONE
        else:
            status = task_log.MISSED
            if "out of reach" not in reason and miss.words not in reason:
                reason = f"{reason}; {miss.words}" if reason else miss.words
        self._task_log.change(
            motion.task, status=status, reason=reason, end=frame,
            position_error=miss.position, orientation_error=miss.orientation,
        )  # fmt: skip

    # ---- the first posture

    def _first_angles(self, scene: Scene, rest: Floats) -> Floats:
        """At rest before the table: the hands where they are when nothing is asked of them, eyes ahead."""
        angles = rest.copy()
        for hand, limb in self.body.limbs.items():
            if limb.rest == "table":
                self._goal_postures.track(angles, hand, self._hands.clear(hand, grip.transform_at_rest(scene, limb)))
        angles.flags.writeable = False
        return angles

    def _first_pins(self, angles: Floats) -> dict[str, PinnedPart]:
        """A body with legs sits with its root on the seat and its feet on the floor."""
        joints = [0, *(limb.joints[-1] for limb in legs_of(self.body))] if legs_of(self.body) else []
        rows = joint_transforms(self.body, angles)
        return {
            self.body.joint_names[j]: PinnedPart(Transform.of(rows[j, :3], rows[j, 3:].reshape(3, 3))) for j in joints
        }

    # ---- the report

    def report_tasks(self) -> list[dict[str, Any]]:
        """Every task as the report has it, with the joints that it had from frame to frame."""
        entries = self._task_log.entries
        owned = task_log.timeline(entries)
        names = self.body.joint_names
        return [
            {
                **entry.as_dict(),
                "segments": [
                    {"joint": names[joint], "start": start, "end": end}
                    for joint, start, end in owned.get(entry.number, ())
                ],
            }
            for entry in entries
            if entry.kind in _REPORTED
        ]


def _suited(locks: Mapping[str, Held], scene: Scene) -> dict[str, Held]:
    return {hand: replace(held, goal=with_possible_grip(scene, held.goal)) for hand, held in locks.items()}


_REPORTED = ("reach", "slide", "perform", "posejoint", "pin", "unpin", "drag", "balance", "lock", "unlock", "freeze")
