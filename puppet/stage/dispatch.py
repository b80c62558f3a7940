"""Beginnings: the scheduler's groups become postures, trajectories and carried things (Sections 4.2 to 4.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from puppet.body import METRES, Body, hand_transforms, joint_transforms
from puppet.command import Spot
from puppet.geometry import Transform
from puppet.locomotion import landings
from puppet.motion import (
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
from puppet.stage.dragging import LastDrag, PinnedPart, drag_frames
from puppet.stage.frames import Beginning, begin_frames, held_poses, motion_frames, touched_things
from puppet.stage.goal_postures import Start
from puppet.stage.relations import NEVER, beginning, moment, relation_words, waits_for
from puppet.stage.stances import Stances
from puppet.stage.state import Running, State, Touch
from puppet.stage.task_log import TaskLog
from puppet.stage.travelling import Journey, travel_frames
from puppet.tasks import (
    AtAngles,
    AtBalance,
    AtDrag,
    AtHeadTurn,
    AtLook,
    AtObject,
    AtPin,
    AtStance,
    Miss,
    Motion,
    WholeBody,
    conflicting,
    grip,
    spot_place,
)
from puppet.types import Floats

STILL = 1e-9


@dataclass(frozen=True, eq=False)
class Dispatcher:
    """Takes motions from the queue and sets them going."""

    body: Body
    stances: Stances
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
        for place, own in starts:
            goal = running[place].motion.goal
            if isinstance(goal, AtStance) and running[place].motion.critical <= own:
                state = self._set_out(state, running, place, own, goal)
        starts = [(place, own) for place, own in starts if not isinstance(running[place].motion.goal, AtStance)]
        if starts:
            state = self._start(state, running, starts, speeds)
        return replace(state, running=tuple(running), needs_scheduling=False)

    def due(self, state: State) -> bool:
        """Whether the moment of a task that was held back has come."""
        for motion in state.held:
            begins = beginning(motion, state)
            at = None if begins is None else moment(begins, state, self.entries)
            if at is not None and at <= state.frame:
                return True
        return False

    def _take_from_queue(self, state: State) -> State:
        """First come, first served; but what waits for a moment holds up nothing but its own limb."""
        waiting, stopped = list(state.held), False
        held: list[Motion] = []
        while waiting or (state.queue.size and not stopped):
            from_queue = not waiting
            motion = state.queue.first if from_queue else waiting.pop(0)
            assert isinstance(motion, Motion)
            begins = beginning(motion, state)
            if begins is not None and moment(begins, state, self.entries) == NEVER:
                reason = f"'{begins.name}', which it waits for, was not done"
                self.entries.change(motion.task, status=task_log.REJECTED, reason=reason)
                if from_queue:
                    state = replace(state, queue=state.queue.pop()[1])
                continue
            why = self._held_back(state, motion, held)
            if not why and stopped:
                held.append(motion)
                continue
            if why:
                held.append(motion)
                self._tell_wait(motion, why)
            else:
                state, why = self._try(state, motion)
                if why:
                    self._tell_wait(motion, why)
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
            at = moment(begins, state, self.entries)
            if at is None or at > state.frame:
                return f"waits until {relation_words(begins)}"
        for other in held if motion.when is None else ():
            if other.task > motion.task:
                continue
            if (_same_limb(other, motion) or conflicting(other, motion)) and not waits_for(other, motion, state):
                return f"waits for '{other.interpretation}', which was told before it"
        if _has_moment(motion):
            first = next((m for m in state.queue if m.task < motion.task and _same_limb(m, motion)), None)
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
            return self._whole_body(state, motion, motion.goal), ""
        if any(isinstance(r.motion.goal, WholeBody) for r in running):
            return state, f"waits for '{running[0].motion.interpretation}': that needs the whole body"
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
        why = self._waits(arms, motion, bool(wanted))
        if not why and len(arms) == self.at_a_time:
            why = f"waits for '{arms[0].motion.interpretation}': no more than {self.at_a_time} tasks at a time"
        rival = next((r.motion for r in aside if r.motion.critical & motion.critical), None)
        if not why and rival is not None:
            why = f"waits for '{rival.interpretation}': both need the same joints"
        return (state, why) if why else (replace(state, running=(*arms, begun, *aside)), "")

    def _facing(self, state: State, motion: Motion, base: Floats) -> Motion:
        """A movement of the head with its goal as angles, now that it begins."""
        gaze = self.body.gaze
        assert gaze is not None
        goal = motion.goal
        angles = base.copy()
        dofs = self.body.rotation_dofs[gaze.joint]
        if isinstance(goal, AtHeadTurn):
            axes = [rotation.axis for rotation in self.body.joints[gaze.joint].rotations]
            if goal.axis in axes:
                angles[dofs[axes.index(goal.axis)]] += goal.by
            lower, upper = self.body.arrays.limits[dofs, 0], self.body.arrays.limits[dofs, 1]
            angles[dofs] = np.clip(angles[dofs], lower, upper)
        elif isinstance(goal, AtLook):
            angles[dofs] = 0.0
            place = None if goal.spot is None else self.spot_place(state, goal.spot)
            if place is not None:
                angles = self.stances.at(state.staged.scene).facing(base, place)
        return replace(motion, goal=AtAngles(tuple((int(dof), float(angles[dof])) for dof in dofs)))

    def spot_place(self, state: State, spot: Spot) -> Floats | None:
        """Where what is looked at is on stage."""
        if spot.kind == "hand":
            return hand_transforms(self.body, state.angles)[spot.name].position
        if spot.kind == "name" and spot.name in state.staged.transforms:
            return state.staged.transforms[spot.name].position
        place = spot_place(state.staged.scene, spot)
        return None if place is None else np.array(place)

    def _whole_body(self, state: State, motion: Motion, goal: WholeBody) -> State:
        """Pins and lets go at once; begins a drag, whose frames are all made now."""
        frame, body = state.frame, self.body
        if isinstance(goal, AtDrag):
            held = {body.joint_names[body.limb(hand).joints[-1]] for hand in state.plan.locks}
            at = self._joint_transforms(state.angles)
            speed = motion.speed or self._drag_frames(at[goal.part].compose(Transform.of(goal.point)).position, goal)
            last = state.drag if state.drag is not None and state.drag.goes_on(goal, state.angles) else None
            reference = state.angles if last is None else last.reference
            locked = {part: PinnedPart(at[part]) for part in held if part not in state.pins and part != goal.part}
            pins = {**state.pins, **locked}
            frames, missed, off = drag_frames(
                body, state.angles, reference, pins, state.balance, goal, speed, motion.curve
            )
            firm = [part for part, pinned in pins.items() if pinned.gain == 1.0 and not in_place(body, off[part])]
            words = ""
            if firm:
                worst = max(firm, key=lambda part: off[part])
                others = f", and {len(firm) - 1} more" if len(firm) > 1 else ""
                words = f"the {worst.replace('_', ' ')} is {off[worst]:.3f} off its pin{others}"
            frames.flags.writeable = False
            share = progress(motion.curve, speed)
            trajectory = Trajectory(np.arange(body.dofs), frame, frames, share)
            miss = Miss(missed, in_place=in_place(body, missed), met=in_place(body, missed))
            end = frame + speed
            first = frame if last is None else last.start
            segments = tuple((joint, first, end) for joint in range(len(body.joints)))
            self.entries.change(motion.task, status=task_log.RUNNING, start=frame, segments=segments, reason=words)
            if last is not None:  # its end was not the end: what it missed, this one may still meet
                missed_by = self.entries[last.task].status == task_log.MISSED
                told = {"status": task_log.DONE, "reason": ""} if missed_by else {}
                self.entries.change(last.task, segments=(), **told)
            running = Running(motion, begun=motion.critical, end=end, miss=miss)
            hands = hand_transforms(body, state.angles)
            touches = self._touches(state, running, hands, frames[-1], state.staged.transforms)
            running = replace(running, touches=touches)
            drag = LastDrag(motion.task, first, goal.part, goal.point, reference, frames[-1])
            return replace(state, running=(running,), trajectories=(trajectory,), drag=drag)
        self.entries.change(motion.task, status=task_log.DONE, start=frame, end=frame)
        if isinstance(goal, AtBalance):
            return replace(state, balance=goal.on)
        pins = {part: pinned for part, pinned in state.pins.items() if part != goal.part}
        if isinstance(goal, AtPin):
            here = self._joint_transforms(state.angles)[goal.part]
            pins[goal.part] = PinnedPart.of(here, goal)
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
        if isinstance(motion.goal, AtStance):
            rivals = [r.motion for r in running if r.motion.critical & motion.critical]
            return f"waits for '{(rivals or [first])[0].interpretation}': both need the legs"
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
        staged = state.staged.scene
        for r in running:  # a body that is under way is taken as if it were there
            if isinstance(r.motion.goal, AtStance) and r.end is not None:
                staged = staged.with_body_at(r.motion.goal.after)
        postures = self.stances.at(staged)
        for place, _ in starts:
            if running[place].motion.head:
                at = running[place].motion.goal
                if isinstance(at, AtLook):
                    state = replace(state, looking=at.spot)
                running[place] = replace(running[place], motion=self._facing(state, running[place].motion, base))
        clear = postures.clear
        look = None if state.looking is None else self.spot_place(state, state.looking)
        beginnings = [
            Beginning(running[n], own, held_poses(body, state, running[n], own, hands, clear), look=look)
            for n, own in starts
        ]
        asked = [
            Start(b.motion, b.own, b.running.others, b.poses, state.staged.held(b.motion, hands), look)
            for b in beginnings
        ]
        scene = max(asked, key=lambda start: start.motion.task).motion.scene_after
        before = self.clock()
        after = {**state.staged.transforms, **self._carried_things(beginnings, state, hands)}
        goal, misses, cleared = postures.goals(base, asked, scene, staged, after)
        self.timing["posture"] += self.clock() - before
        before = self.clock()
        frames = [self._frames_of(state, r, goal) for r in running]
        beginnings = [replace(b, frames=frames[n]) for b, (n, _) in zip(beginnings, starts, strict=True)]
        moving = self._moving(state)
        ends = hand_transforms(body, goal)
        carrying = state.carrying
        for b, (place, own) in zip(beginnings, starts, strict=True):
            motion = b.motion
            complete = motion.critical <= own
            takes = max(frames[n] for n, group in enumerate(speeds) if group & motion.critical)
            miss = replace(b.running.miss, met=False) if motion.lost else misses[motion.task]
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
        for place, _ in starts if staged is state.staged.scene else ():
            hand = running[place].motion.hand
            if running[place].motion.head:
                continue
            arm = body.dofs_of(body.limb(hand).joints)
            arrived = goal.copy()  # whatever moves the arm may still be under way for another task
            arrived[arm] = last[arm]
            off = postures.missed(there[hand], ends[hand])
            later = postures.missed(hand_transforms(body, arrived)[hand], ends[hand])
            if not off.met and not later.met and running[place].miss.met:
                running[place] = replace(running[place], miss=off)
        for place, _ in starts:
            touches = self._touches(state, running[place], hands, last, after)
            running[place] = replace(running[place], touches=touches)
        for b in beginnings:
            task = b.motion.task
            self.entries.change(task, tries=self.entries[task].tries + tried)
        return replace(state, trajectories=trajectories, carrying=carrying)

    def _frames_of(self, state: State, r: Running, goal: Floats) -> int:
        if isinstance(r.motion.goal, AtStance):
            return max(1, (r.end or state.frame) - state.frame)
        return motion_frames(self.body, state, r, goal)

    def _set_out(self, state: State, running: list[Running], place: int, own: Joints, goal: AtStance) -> State:
        """A body that goes somewhere: all its frames are made now. Arms that nothing else is asked of go along."""
        body, motion = self.body, running[place].motion
        before = self.clock()
        own -= NO_JOINTS.union(*(r.motion.critical for n, r in enumerate(running) if n != place and r.begun))
        arms = [hand for hand in body.hands if frozenset(body.limb(hand).joints) <= own]
        scene = state.staged.scene
        holding = {hand: name for hand, name in goal.holding if hand in arms}
        home = self.stances.home(scene.with_body_at(goal.after))
        tips, things = hand_transforms(body, state.angles), state.staged.transforms
        touching = {hand: frozenset(n for n in things if state.staged.holds(tips[hand], n)) for hand in arms}
        journey = Journey(goal, scene, state.angles, home, arms, holding, things, touching, state.plan.fps)
        depths = contact_depths(body, scene_boxes(scene), state.angles, things, touching)
        touches = tuple(
            Touch(hand, name, depths[hand][name], things[name].relative(tips[hand]).position)
            for hand, names in touching.items() for name in names
        )  # fmt: skip
        postures, missed = travel_frames(body, journey, motion.speed)
        dofs = body.dofs_of(sorted(own))
        frames = len(postures)
        angles = np.ascontiguousarray(postures[:, dofs])
        angles.flags.writeable = False
        taken = np.zeros(body.dofs, dtype=bool)
        taken[dofs] = True
        kept = tuple(t.without(taken) for t in state.trajectories if not taken[t.dofs].all())
        trajectory = Trajectory(dofs, state.frame, angles, progress("linear", frames))
        carrying = state.carrying
        for hand, name in goal.holding:
            has = name is not None and (state.staged.holds(tips[hand], name) or name in scene.stack_on(hand))
            if name is not None and has and not any(c.hand == hand for c in carrying):
                tower = scene.tower(name)
                carrying = (*carrying, state.staged.along(motion.task, hand, tower, tips[hand], state.frame))
        miss = Miss(missed, in_place=in_place(body, missed), met=in_place(body, missed))
        steps = landings(body, np.concatenate([state.angles[None], postures]), scene.floor or 0.0)
        running[place] = replace(
            running[place], begun=motion.critical, end=state.frame + frames, miss=miss, touches=touches,
            landings=tuple(replace(step, frame=state.frame + step.frame) for step in steps),
        )  # fmt: skip
        self._tell_begin(state, motion, own, frames, running)
        if self.entries[motion.task].start is None:
            self.entries.change(motion.task, status=task_log.RUNNING, start=state.frame)
        self.timing["ways"] += self.clock() - before
        return replace(state, trajectories=(*kept, trajectory), carrying=carrying)

    def _touches(
        self, state: State, r: Running, hands: Mapping[str, Transform], last: Floats, after: Mapping[str, Transform]
    ) -> tuple[Touch, ...]:
        """Hands on what they touch, now and when they arrive."""
        body, boxes = self.body, scene_boxes(state.staged.scene)
        touched = touched_things(body, state, r, hands)
        found, pressing = [], not isinstance(r.motion.goal, AtObject)
        for angles, tips, things in (
            (state.angles, hands, state.staged.transforms), (last, hand_transforms(body, last), after),
        ):  # fmt: skip
            depths = contact_depths(body, boxes, angles, things, touched)
            found += [Touch(hand, name, depths[hand][name], things[name].relative(tips[hand]).position, pressing)
                      for hand, names in touched.items() for name in names]  # fmt: skip
        return tuple(found)

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
        if self.stances.solver == "estimate":  # hands of a draft are only about where they should be
            return r
        if r.fetched:  # it did not get there: nothing can be carried
            reason = f"the {motion.hand} hand did not get hold of '{motion.carry.objects[0]}'"
            self.entries.change(motion.task, reason=reason)
            return replace(r, motion=replace(motion, carry=None, changes=(), couple=None, lost=True))
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
        exact = self.stances.solver != "estimate"
        own = state.staged.carry(motion, hands[motion.hand], ends[motion.hand], state.frame, share, complete, exact)
        return (*(c for c in carrying if c.task != motion.task), own)


def _whole_limb(body: Body, hand: str) -> Joints:
    limb = body.limb(hand)
    return frozenset(limb.joints) | frozenset(limb.trunk)


def _has_moment(motion: Motion) -> bool:
    """Whether a motion begins or ends with others: then it does not stand in the queue."""
    return motion.when is not None or motion.until is not None


def _waits_for_cycles(state: State, motion: Motion) -> bool:
    """Whether a motion needs what goes on until a moment comes: that may lie behind it."""
    return any(r.until is not None and r.motion.critical & motion.critical for r in state.running)


def _stands_aside(running: Running) -> bool:
    """Whether a motion lets others go by, even those that may not overlap: it has no place in their order."""
    return running.motion.head or running.until is not None


def _same_limb(first: Motion, second: Motion) -> bool:
    return first.head == second.head and (first.head or first.hand == second.hand)
