"""The stage: takes commands, steps frames, shows its state. It alone wires interface, scheduler and postures."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from puppet.body import Body, hand_transforms, joint_transforms, tip_transforms
from puppet.command import (
    BOTH,
    Balance,
    Command,
    Freeze,
    GiveThing,
    Lock,
    LookAt,
    MoveHead,
    Movement,
    Pin,
    PointAt,
    PutThing,
    Reach,
    Record,
    Relation,
    ReleaseHand,
    SetInterrupt,
    SetPrimitive,
    Source,
    Spot,
    TakeThing,
    Task,
    Unlock,
    Unpin,
)
from puppet.errors import PuppetError, visible
from puppet.files.shipped import find
from puppet.geometry import Transform
from puppet.kernels.loader import prepare
from puppet.locomotion import legs_of
from puppet.motion import DepthJudge, StagedScene, scene_boxes
from puppet.scene import Scene, load_environment, usual_body
from puppet.schedule import Anatomy
from puppet.stage import task_log
from puppet.stage.body_queries import BodyQueries
from puppet.stage.dispatch import Dispatcher
from puppet.stage.dragging import PinnedPart, standing_pins
from puppet.stage.events import CONTACT, GRASP, LOOK, REACH, RELEASE, STACK, Event
from puppet.stage.relations import known_later, moment, relation_words
from puppet.stage.stances import Stances, first_scene
from puppet.stage.state import EMPTY, Contact, Frame, Running, Snapshot, State, Told
from puppet.stage.task_log import Entry, TaskLog
from puppet.tasks import (
    MET,
    AtAngles,
    AtGesture,
    AtObject,
    AtStance,
    Gestures,
    Goal,
    HandPlan,
    Held,
    Miss,
    Motion,
    Moved,
    Outcome,
    Plan,
    Primitives,
    Stacked,
    at_transform,
    interpret,
    load_gestures,
    lock_refusal,
    with_possible_grip,
    worse,
)
from puppet.types import Floats

UNDO = 100  # commands that can be taken back
TOUCHED = 0.02  # body heights: a gesture that brings the fingers so near to a thing touches it


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
        self.body = body or usual_body(environment)
        scene = environment
        if not isinstance(scene, Scene):
            scene = load_environment(find("environments", scene), self.body.hands)
        self.draft = draft
        scene = first_scene(self.body, scene)
        self._stances = Stances(self.body, "estimate" if draft else "puppet")
        self._hands = BodyQueries(self.body, self._stances, load_gestures(self.body, gestures), scene)
        self._clock = clock or (lambda: 0.0)
        self._task_log = TaskLog()
        self._given: deque[Snapshot] = deque(maxlen=UNDO)  # before each of the last commands
        self.timing = {"interface": 0.0, "posture": 0.0, "ways": 0.0, "frames": 0.0}  # seconds
        self._dispatcher = Dispatcher(
            self.body,
            self._stances,
            Anatomy.of(self.body),
            self._task_log,
            max(1, len(self.body.hands)) + bool(legs_of(self.body)) if at_a_time is None else at_a_time,
            self._clock,
            self.timing,
        )
        angles = self._stances.home(scene)
        tips = self._hand_transforms(angles)
        poses = {hand: Transform.of(at.position, at.rotation) for hand, at in tips.items()}
        for hand, pose in poses.items():
            scene = scene.with_space_at(hand, pose.position)
        pins = standing_pins(self.body, scene, angles)
        plan = Plan(scene, {hand: HandPlan(pose) for hand, pose in poses.items()}, {}, pins=frozenset(pins))
        staged = StagedScene.of(scene)
        self._depth_judge = DepthJudge.of(self.body, scene_boxes(scene), angles, staged.transforms)
        self._state = State(0, angles, angles, plan, staged, pins=pins)

    # ---- the state

    @property
    def frame(self) -> Frame:
        return self._frame()

    def _frame(self) -> Frame:
        state = self._state
        return Frame(state.frame, state.angles, state.staged.transforms, state.holding)

    @property
    def events(self) -> tuple[Event, ...]:
        """What has happened so far, in order."""
        return self._state.events.in_order()

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
        waiting = any(motion.when is None or not known_later(motion.when, state) for motion in state.held)
        return not state.running and state.queue.size == 0 and not state.trajectories and not waiting

    def has_ended(self, label: str) -> bool:
        """Whether the task of a name has been told and is over."""
        numbers = self._state.labels.get(label, ())
        return bool(numbers) and all(self._task_log[number].status not in task_log.OPEN for number in numbers)

    def close(self) -> None:
        """No more commands will come: what waits for one of them will not be done."""
        self._state = replace(self._state, complete=True, needs_scheduling=True)

    @property
    def looking_at(self) -> Spot | None:
        """What is looked at until something else is."""
        return self._state.looking

    @property
    def pending(self) -> bool:
        """Whether the next step begins something, and so needs new postures."""
        return self._state.needs_scheduling

    @property
    def running(self) -> tuple[Running, ...]:
        """The motions under way, in the order in which they were told."""
        return self._state.running

    @property
    def pins(self) -> Mapping[str, PinnedPart]:
        """The parts of the body that are pinned."""
        return self._state.pins

    @property
    def balance(self) -> bool:
        """Whether a body that stands keeps its weight over its feet."""
        return self._state.balance

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
        clock, before = self._clock(), self.snapshot()
        try:
            entry = self._hear(command)
        except BaseException:  # nothing has happened: there is nothing to take back
            self.restore(before)
            raise
        self._given.append(before)
        self.timing["interface"] += self._clock() - clock
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
            outcome = interpret(state.plan, command, len(self._task_log), self._hands.at(state.plan.scene))
            self._state = replace(state, plan=outcome.plan)
            status = task_log.REJECTED if outcome.rejected else task_log.DONE
            if status == task_log.DONE and isinstance(command, (Lock, Unlock)):
                locks = isinstance(command, Lock)
                thing = (outcome.plan if locks else state.plan).grasped(command.hand)
                status = self._contact(command.hand, state.plan.hands[command.hand].task, locks, thing, command.source)
                if status == task_log.WAITING:
                    self._remember(command, state.plan.primitives)
            return self._note(command, outcome.interpretation, status, outcome.reason)
        if isinstance(command, ReleaseHand):
            return self._release(command)
        if isinstance(command, Task) and command.hand == BOTH:
            return self._with_both(command)
        if not isinstance(command, (Movement, Pin, Unpin, Balance)):
            raise PuppetError(f"'{type(command).__name__}' belongs in a script; a stage does not know it")
        return self._hear_task(command)

    def _release(self, command: ReleaseHand) -> Entry:
        """Lets go of what a hand holds, or of what all do."""
        state = self._state
        held = [hand for hand in self.body.hands if hand in state.plan.locks]
        hands = held if command.hand == BOTH else [command.hand]
        words = f"Release {'both hands' if command.hand == BOTH else f'{command.hand} hand'}"
        if not hands:
            return self._note(command, words, task_log.REJECTED, "no hand holds anything")
        entry = None
        for hand in hands:
            single = replace(command, hand=hand)
            plan = self._state.plan
            outcome = interpret(plan, Unlock(hand=hand), len(self._task_log), self._hands.at(plan.scene))
            self._state = replace(self._state, plan=outcome.plan)
            status = task_log.REJECTED
            if not outcome.rejected:
                task = plan.hands[hand].task
                status = self._contact(hand, task, False, plan.grasped(hand), command.source)
                if status == task_log.WAITING:
                    self._remember(single, plan.primitives)
            words = f"Release {hand} hand"
            reason = outcome.reason.replace("is not locked", "holds nothing")
            entry = self._note(single, words, status, reason, Outcome(plan, None, words, target=plan.grasped(hand)))
        assert entry is not None
        return entry

    def _with_both(self, command: Task) -> Entry:
        """A task of both hands: each does it, from its own side, at the same time."""
        if len(self.body.hands) < 2 or not isinstance(command, (Reach, TakeThing)):
            return self._note(command, "Both hands", task_log.REJECTED, "this cannot be done with both hands")
        before = self.snapshot()
        first, second = self.body.hands[:2]
        own = replace(command, grip=command.grip or "side")
        entry = self._hear(replace(own, hand=first))
        if entry.status != task_log.REJECTED:
            overlap = replace(own, hand=second, overlap="full", interrupt=False)
            entry = self._hear(overlap)
            if entry.status != task_log.REJECTED:
                return entry
        given = self._given.copy()
        self.restore(before)
        self._given = given
        return self._note(command, entry.interpretation, task_log.REJECTED, entry.reason)

    def _contact(self, hand: str, task: int | None, locks: bool, thing: str | None, source: Source) -> str:
        """The status of a lock or unlock: done at once, or waiting for the task that the hand still has to do."""
        if task is None or self._task_log[task].status not in task_log.OPEN:
            self._take_hold(hand, thing if locks else None, source.line, source.file)
            return task_log.DONE
        contact = Contact(len(self._task_log), task, hand, locks, thing)
        self._state = replace(self._state, contacts=(*self._state.contacts, contact))
        return task_log.WAITING

    def _hear_task(self, command: Movement | Pin | Unpin | Balance) -> Entry:
        own = getattr(command, "label", None)
        moments = [moment for name in ("when", "until") if (moment := getattr(command, name, None)) is not None]
        if own is not None and any(moment.name == own for moment in moments):
            return self._note(command, f"Wait for {own}", task_log.REJECTED, f"'{own}' would wait for itself")
        interrupts = getattr(command, "interrupt", False) or self._state.plan.interrupting
        number = len(self._task_log)
        if interrupts:
            plan = self._plan_of(self._dropped(), cancelled=True)
            outcome = interpret(plan, command, number, self._hands.at(plan.scene))
            if not outcome.rejected:
                self._freeze()
        else:
            follows = self._follows(getattr(command, "hand", ""))
            plan = self._state.plan
            outcome = interpret(plan, command, number, self._hands.at(plan.scene), follows)
        if outcome.rejected:
            return self._note(command, outcome.interpretation, task_log.REJECTED, outcome.reason, outcome)
        assert outcome.motion is not None
        state = self._state
        motion = _with_moments(outcome.motion, command)
        contacts = _own_contacts(number, outcome)
        aside = motion.when is not None or motion.until is not None
        self._state = replace(
            state, plan=outcome.plan, queue=state.queue if aside else state.queue.push(motion), needs_scheduling=True,
            held=(*state.held, motion) if aside else state.held, contacts=(*state.contacts, *contacts),
        )  # fmt: skip
        self._remember(command, state.plan.primitives)
        return self._note(command, outcome.interpretation, task_log.WAITING, outcome.reason, outcome)

    def _remember(self, command: Command, primitives: Primitives) -> None:
        """Keeps a command that waits, in case that it has to be understood anew."""
        open_ = tuple(told for told in self._state.told if self._task_log[told.number].status in task_log.OPEN)
        self._state = replace(self._state, told=(*open_, Told(len(self._task_log), command, primitives)))

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
        frame = self._state.frame
        if isinstance(command, Movement) and command.label is not None:
            numbers = self._state.labels.get(command.label, ())
            same = numbers and self._task_log[numbers[-1]].given == frame and self._both(numbers[-1], command)
            numbers = (*numbers, len(self._task_log)) if same else (len(self._task_log),)
            self._state = replace(
                self._state, labels={**self._state.labels, command.label: numbers}, needs_scheduling=True
            )
        open_ = status in task_log.OPEN
        entry = Entry(
            number=len(self._task_log),
            kind=_kind(command),
            line=command.source.line,
            column=command.source.column,
            file=command.source.file,
            call=command.source.call,
            command=command.source.text or words,
            interpretation=visible(words),
            status=status,
            reason=visible(reason),
            hand=(outcome.hand if outcome is not None else "") or getattr(command, "hand", ""),
            label=getattr(command, "label", None) or "",
            when=_moment_words(getattr(command, "when", None)),
            until=_moment_words(getattr(command, "until", None)),
            target=outcome.target if outcome is not None else None,
            expanded=_expanded(command),
            chosen=outcome.chosen if outcome is not None else "",
            given=frame,
            start=None if open_ or status == task_log.REJECTED else frame,
            end=None if open_ or status == task_log.REJECTED else frame,
        )
        self._task_log.add(entry)
        return entry

    def _both(self, number: int, command: Command) -> bool:
        """Whether an entry is that of the other hand of the same command."""
        entry = self._task_log[number]
        return (entry.file, entry.line, entry.call) == (command.source.file, command.source.line, command.source.call)

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
        waiting += [motion.task for motion in state.held]
        for task in waiting:
            entry = self._task_log[task]
            end = state.frame if entry.start is not None else None
            self._task_log.change(task, status=task_log.CANCELLED, reason="dropped before it was done", end=end)
        for contact in state.contacts:
            if contact.number != contact.task:
                self._task_log.change(contact.number, status=task_log.CANCELLED, reason="dropped before it was done")
        moving = tuple(t for t in state.trajectories if t.end > state.frame)
        self._state = replace(
            state, plan=plan, staged=staged, queue=EMPTY, held=(), running=(), carrying=(), contacts=(), told=(),
            trajectories=moving, needs_scheduling=False,
        )  # fmt: skip
        for hand in [hand for hand in state.holding if plan.grasped(hand) is None]:
            self._take_hold(hand, None, 0, "")

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
        """One frame. Whatever cannot be carried out is told in the task log; nothing is raised."""
        for _ in range(2):  # what begins may be what another one waits for
            if self._state.needs_scheduling or (self._state.held and self._dispatcher.due(self._state)):
                self._begin()
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
        if state.trajectories and not self.draft:
            self._judge_depth(frame, angles)
        if any(running.end == frame for running in state.running):
            self._finish(frame)
        self.timing["frames"] += self._clock() - before
        return self._frame()

    def _begin(self) -> None:
        """Begins what can begin; where no posture or path can be found for it at all, what waits is given up."""
        mark = self._task_log.mark()
        try:
            self._state = self._excused(self._dispatcher.begin(self._state))
        except PuppetError as error:
            self._task_log.rewind(mark)
            given_up = [entry.number for entry in self._task_log.entries if entry.status in task_log.OPEN]
            self._freeze()
            for number in given_up:
                self._task_log.change(number, status=task_log.MISSED, reason=str(error))

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
        moving = [r.motion for r in state.running if not r.motion.head]
        tasks = [motion.task for motion in moving if motion.hand in found.limbs]
        for task in tasks or [motion.task for motion in moving]:
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
            staged, impossible, pins = state.staged, "", state.pins
            try:
                staged = state.staged.done(motion, carrying)
            except PuppetError as error:  # what it was planned for did not come about
                impossible = str(error)
                staged = state.staged.dropped((carrying,), self.hands, frozenset()) if carrying else staged
            if isinstance(motion.goal, AtStance):
                tips = hand_transforms(self.body, state.angles)
                staged = state.staged.arrived(motion.goal.after, state.carrying, motion.task, tips)
                pins = standing_pins(self.body, staged.scene, state.angles)
            rest = tuple(r for r in state.running if r is not running)
            if running.until is not None:
                at = moment(running.until, state, self._task_log)
                needed = next((m for m in (*state.queue, *state.held) if m.hand == motion.hand and not m.head), None)
                named = state.labels.get(running.until.name, ())
                over = (at is not None and at <= frame) or (needed is not None and needed.task in named)
                motion = replace(motion, couple=None if over else motion.couple or running.cycle)
            if motion.couple is not None:
                missed = worse(running.missed, running.miss) if isinstance(motion.goal, AtGesture) else running.missed
                follow = replace(
                    running, motion=motion.couple, begun=frozenset(), end=None, excused=None, missed=missed
                )
                place = state.running.index(running)
                rest = (*rest[:place], follow, *rest[place:])
            else:
                goal = self._reached_goal(motion)
                if not motion.head:
                    rest = tuple(self._migrate(r, motion, goal) for r in rest)
                self._close(motion, worse(running.missed, running.miss), frame, impossible)
            finished = state.finished
            if motion.couple is None and motion.hand and not motion.head:
                finished = {**finished, motion.hand: (self._reached_goal(motion), motion.task)}
            self._state = replace(
                state, staged=staged, running=rest, needs_scheduling=True, finished=finished, pins=pins,
                carrying=tuple(c for c in state.carrying if c.task != motion.task),
            )  # fmt: skip
            self._tell_arrival(motion, running.miss.met and not impossible)
            if motion.couple is None and motion.hand and not motion.head:
                self._settle_contacts(motion, running.miss, frame)
            if motion.couple is None and self._task_log[motion.task].status == task_log.MISSED:
                self._understand_anew(motion, running.miss)
        if not self._state.running and self._state.queue.size == 0 and not self._state.held:
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
            if missed and contact.locks:
                if contact.number != contact.task:
                    reason = lock_refusal(contact.hand, miss)
                    self._task_log.change(contact.number, status=task_log.REJECTED, reason=reason)
                if contact.hand in locks and locks[contact.hand].task == motion.task:
                    del locks[contact.hand]
                continue
            entry = self._task_log[contact.number]
            self._take_hold(contact.hand, contact.thing if contact.locks else None, entry.line, entry.file)
            if contact.number != contact.task:
                self._task_log.change(contact.number, status=task_log.DONE, start=frame, end=frame)
        state = self._state
        left = tuple(contact for contact in state.contacts if contact.task != motion.task)
        self._state = replace(state, contacts=left, plan=replace(state.plan, locks=locks, hands=hands))

    # ---- after a task that failed: what waits was planned for its success

    def _understand_anew(self, failed: Motion, miss: Miss) -> None:
        """Interprets everything that waits in the scene as it is; what cannot be done now is rejected with a reason."""
        state, log = self._state, self._task_log
        busy = {r.motion.task: r.motion for r in state.running}
        waiting = [told for told in state.told if told.number not in busy and log[told.number].status in task_log.OPEN]
        if not waiting:
            return
        plan, queue = self._plan_with_running(failed, miss), EMPTY
        held: tuple[Motion, ...] = ()
        contacts = [contact for contact in state.contacts if contact.number == contact.task and contact.task in busy]
        last = next(reversed(busy.values()), None)
        for told in waiting:
            plan = replace(plan, primitives=told.primitives)
            command = told.command
            hand = getattr(command, "hand", "")
            follows = last is not None and last.hand != hand
            before = plan.hands[hand].task if hand in plan.hands else None
            meant = Unlock(hand=hand) if isinstance(command, ReleaseHand) else command
            outcome = interpret(plan, meant, told.number, self._hands.at(plan.scene), follows)
            if outcome.rejected:
                why = f"{outcome.reason}, since '{log[failed.task].interpretation}' missed"
                log.change(told.number, status=task_log.REJECTED, reason=why)
                continue
            locks = isinstance(command, Lock)
            thing = (outcome.plan if locks else plan).grasped(hand) if hand in plan.hands else None
            plan = outcome.plan
            if not isinstance(command, ReleaseHand):
                log.change(told.number, interpretation=outcome.interpretation)
            if outcome.motion is not None:
                last = _with_moments(outcome.motion, command)
                aside = last.when is not None or last.until is not None
                queue, held = (queue, (*held, last)) if aside else (queue.push(last), held)
                contacts += _own_contacts(told.number, outcome)
                log.change(told.number, reason=outcome.reason, hand=outcome.hand or hand, chosen=outcome.chosen)
            elif before is not None and log[before].status in task_log.OPEN:
                contacts.append(Contact(told.number, before, hand, locks, thing))
            else:
                log.change(told.number, status=task_log.DONE, start=state.frame, end=state.frame)
                self._take_hold(hand, thing if locks else None, command.source.line, command.source.file)
        plan = replace(plan, primitives=state.plan.primitives, interrupting=state.plan.interrupting)
        self._state = replace(
            self._state, plan=plan, queue=queue, held=held, contacts=tuple(contacts), needs_scheduling=True
        )

    def _plan_with_running(self, failed: Motion, miss: Miss) -> Plan:
        """The plan that is true to the stage, with what the tasks under way will have done."""
        state, log = self._state, self._task_log
        scene = state.staged.scene
        for running in state.running:
            motion: Motion | None = running.motion
            while motion is not None:
                for change in motion.changes:
                    with suppress(PuppetError):
                        scene = change.apply(scene)
                motion = motion.couple
        open_ = {r.motion.task for r in state.running}
        closed = (task_log.DONE, task_log.ADJUSTED)
        locks = {
            hand: held for hand, held in state.plan.locks.items()
            if held.task is None or held.task in open_ or log[held.task].status in closed
        }  # fmt: skip
        hands = {}
        for hand, pose in self.hands.items():
            here = Transform.of(pose.position, pose.rotation)
            busy = next((r.motion for r in state.running if r.motion.hand == hand and not r.motion.head), None)
            goal, task = (busy.goal, busy.task) if busy else state.finished.get(hand, (None, None))
            hands[hand] = HandPlan(here, goal, task, miss if task == failed.task else MET)
        plan = replace(state.plan.with_scene(scene), hands=hands)
        return replace(plan, locks=_suited(locks, scene))

    # ---- events

    def _take_hold(self, hand: str, thing: str | None, line: int, file: str) -> None:
        """A hand has taken hold of a thing, or, with None, let go of what it held."""
        state = self._state
        held = state.holding.get(hand)
        if held == thing:
            return
        holding = {name: other for name, other in state.holding.items() if name != hand}
        self._state = replace(state, holding=holding if thing is None else {**holding, hand: thing})
        self._happens(RELEASE if thing is None else GRASP, hand, held if thing is None else thing, line, file)

    def _happens(
        self, kind: str, hand: str, thing: str | None, line: int, file: str, onto: str | None = None,
        place: Floats | None = None,
    ) -> None:  # fmt: skip
        state = self._state
        if place is None:
            place = self._hand_transforms(state.angles)[hand].position if hand else np.zeros(3)
        joint = self.body.limb(hand).joints[-1] if hand else self.body.gaze.joint if self.body.gaze is not None else 0
        x, y, z = (float(value) for value in place)
        event = Event(state.frame, kind, self.body.joint_names[joint], thing, (x, y, z), line, file, onto)
        self._state = replace(state, events=state.events.plus(event))

    def _tell_arrival(self, motion: Motion, met: bool) -> None:
        """What has happened when a movement of a task is done."""
        entry, goal = self._task_log[motion.task], motion.goal
        line, file, staged = entry.line, entry.file, self._state.staged
        if motion.head:
            if motion.couple is None and entry.kind == "look":
                spot = self._state.looking
                place = None if spot is None else self._dispatcher.spot_place(self._state, spot)
                thing = entry.target if isinstance(entry.target, str) else None
                self._happens(LOOK, "", thing, line, file, place=place)
            return
        if not met or not motion.hand or isinstance(goal, AtAngles):
            return
        if isinstance(goal, AtGesture):
            touches = goal.bring.of_thing and goal.bring.part == "tip" and max(map(abs, goal.bring.offset)) < TOUCHED
            if touches:
                self._happens(CONTACT, motion.hand, goal.thing, line, file)
            return
        if motion.couple is None:
            thing = goal.object if isinstance(goal, AtObject) else None
            self._happens(REACH, motion.hand, thing, line, file)
            if thing is not None and motion.carry is None:
                self._happens(CONTACT, motion.hand, thing, line, file)
        for change in motion.changes:
            if isinstance(change, (Moved, Stacked)) and staged.scene.below(change.name) is not None:
                at, below = staged.transforms[change.name].position, staged.scene.below(change.name)
                self._happens(STACK, motion.hand, change.name, line, file, below, at)

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

    def _close(self, motion: Motion, miss: Miss, frame: int, impossible: str = "") -> None:
        entry = self._task_log[motion.task]
        reason = "; ".join(part for part in (entry.reason, impossible) if part)
        if entry.depth > 0.0:
            words = f"{entry.depth_words} at frame {entry.depth_frame}"
            reason = f"{reason}; {words}" if reason else words
        if miss.met and not impossible:
            status = task_log.ADJUSTED if reason else task_log.DONE
        else:
            status = task_log.MISSED
            if not impossible and not motion.lost and "out of reach" not in reason and miss.words not in reason:
                reason = f"{reason}; {miss.words}" if reason else miss.words
        self._task_log.change(
            motion.task, status=status, reason=reason, end=frame,
            position_error=miss.position, orientation_error=miss.orientation,
        )  # fmt: skip

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


def _with_moments(motion: Motion, command: Command) -> Motion:
    """A motion that begins and ends when its command says."""
    if not isinstance(command, Movement) or (command.when is None and command.until is None):
        return motion
    motion = _beside_others(motion) if getattr(command, "overlap", None) is None else motion
    return replace(motion, when=command.when, until=command.until)


def _own_contacts(number: int, outcome: Outcome) -> tuple[Contact, ...]:
    """Where a task takes hold or lets go itself at its end."""
    return tuple(
        Contact(number, number, hand, kind == "lock", outcome.plan.grasped(hand)) for hand, kind in outcome.contacts
    )


def _beside_others(motion: Motion) -> Motion:
    """A motion that may run beside others: it has a moment of its own."""
    if motion.overlap != "none":
        return motion
    cycle = None if motion.cycle is None else motion.cycle.throughout(overlap="partial")
    return replace(motion.throughout(overlap="partial"), cycle=cycle)


def _kind(command: Command) -> str:
    """What kind of a task a command is, for the report."""
    if isinstance(command, MoveHead):
        return command.kind
    return _KINDS.get(type(command), type(command).__name__.lower())


def _moment_words(relation: Relation | None) -> str:
    return "" if relation is None else relation_words(relation)


def _expanded(command: Command) -> str:
    """The line of a command with everything replaced by what it stands for."""
    from puppet.language import format_command

    try:
        return format_command(command)
    except (PuppetError, TypeError):
        return ""  # it can only be given in Python, or is wrong


def _suited(locks: Mapping[str, Held], scene: Scene) -> dict[str, Held]:
    return {hand: replace(held, goal=with_possible_grip(scene, held.goal)) for hand, held in locks.items()}


_KINDS: Mapping[type[Command], str] = {
    TakeThing: "take", PutThing: "put", GiveThing: "give", ReleaseHand: "release", PointAt: "point", LookAt: "look",
}  # fmt: skip
_REPORTED = (
    "reach", "slide", "perform", "take", "put", "give", "point", "look", "nod", "shake", "posejoint", "pin", "unpin",
    "drag", "travel", "balance", "lock", "unlock", "release", "freeze",
)  # fmt: skip
