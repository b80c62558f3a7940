"""Tasks of arms and head begin: postures, trajectories and what is carried (Sections 4.3 and 4.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from puppet.body import Body, hand_transforms
from puppet.command import DEFAULT_FPS
from puppet.geometry import Transform
from puppet.motion import (
    StagedScene,
    contact_depths,
    eyes_on,
    into_limits,
    scene_boxes,
)
from puppet.schedule import Joints
from puppet.stage import task_log
from puppet.stage.arm_room import Goals, goals_turned, goals_with_room
from puppet.stage.arm_ways import ArmWays, Try
from puppet.stage.frames import Beginning
from puppet.stage.gaze_pursuit import can_be_seen, spot_on_stage, travels
from puppet.stage.goal_postures import Start
from puppet.stage.held_hands import held_poses, touched_things
from puppet.stage.relations import GESTURE_FRAMES
from puppet.stage.riding import riding_hands
from puppet.stage.stances import Stances
from puppet.stage.state import Running, State, Touch
from puppet.stage.task_log import TaskLog
from puppet.tasks import (
    AtAngles,
    AtHeadTurn,
    AtLook,
    AtObject,
    AtPoint,
    AtRest,
    AtSpace,
    AtStance,
    Motion,
    at_transform,
    grip,
)
from puppet.types import Floats

_LOOKS_OUT = 4  # frames between two looks of who goes somewhere for what is not in view yet
_STRAIGHT = 0.02  # of the body's height: how far a hand that slides may get from its straight line
_BENT, _BENT_COST = 0.05, 2e-3  # radians by which wrists may be bent too far on a way; how bad one more is
_TILTED = 15.0  # degrees: by how much what is carried to a place may be tilted on its way


@dataclass(frozen=True, eq=False)
class ArmBeginnings:
    """Makes the frames of motions that begin."""

    body: Body
    stances: Stances
    entries: TaskLog
    clock: Callable[[], float]
    timing: dict[str, float]  # seconds by stage, added to

    def start(
        self, state: State, running: list[Running], starts: list[tuple[int, Joints]], speeds: tuple[Joints, ...],
        whatever: bool,
    ) -> State | None:  # fmt: skip
        """Postures and frames for the motions that begin; `running` is brought up to date in place. None where arms
        would go into something, unless they are to begin whatever comes of it."""
        body = self.body
        hands = hand_transforms(body, state.angles)
        for place, _ in starts:
            running[place] = self._ready_to_carry(state.staged, _keeping_hold(state, running[place], hands), hands)
        base = state.angles.copy()
        for trajectory in state.trajectories:
            base[trajectory.dofs] = trajectory.angles[-1]
        staged = state.staged.scene
        going = travels(running)
        for r in running:  # a body that is under way is taken as if it were there
            if isinstance(r.motion.goal, AtStance) and r.end is not None:
                staged = staged.with_body_at(r.motion.goal.after)
        postures = self.stances.at(staged)
        for place, _ in starts:
            if running[place].motion.head:
                at = running[place].motion.goal
                if isinstance(at, AtLook):
                    state = replace(state, looking=at.spot)
                motion = self._facing(state, running[place].motion, base, going)
                running[place] = replace(running[place], motion=motion)
        clear = postures.clear
        look = None if state.looking is None else spot_on_stage(body, state, state.looking)
        beginnings = [
            Beginning(running[n], own, held_poses(body, state, running[n], own, hands, clear), look=look)
            for n, own in starts
        ]
        if postures.legs is not None:
            beginnings = [_with_riding_hands(body, state, b) for b in beginnings]
        asked = [
            Start(b.motion, b.own, b.running.others, b.poses, state.staged.held(b.motion, hands), look, b.rides)
            for b in beginnings
        ]
        scene = max(asked, key=lambda start: start.motion.task).motion.scene_after
        before = self.clock()
        after = {**state.staged.transforms, **self._carried_things(beginnings, state, hands)}
        about = scene, staged, after, self._counted_on(state)
        found = goals_with_room(postures, base, asked, *about)
        if found.crowded and not whatever:
            return None
        self.timing["posture"] += self.clock() - before
        before = self.clock()
        ways = ArmWays(body, self.stances, self.entries)

        def tried(goals: Goals) -> tuple[Goals, Try]:
            return goals, ways.best(state, running, beginnings, starts, speeds, goals.angles, goals.cleared, hands)

        found, best = tried(found)
        for other in goals_turned(postures, base, found, *about) if _could_be_better(best) else ():
            found, best = min((found, best), tried(other), key=lambda pair: _cost(pair[1]))
            if not _could_be_better(best):
                break
        misses = found.misses
        for n, start in enumerate(found.starts):
            if start is not asked[n]:
                running[starts[n][0]] = replace(running[starts[n][0]], motion=start.motion)
                beginnings[n] = replace(beginnings[n], running=running[starts[n][0]])
                arrives = hand_transforms(body, found.angles)[start.motion.hand]
                state = self._turned_otherwise(state, start.motion, arrives)
        if best.begun.deep and not whatever:
            return None
        begun, frames, paces, carrying, goal = best.begun, best.frames, best.paces, best.carrying, best.goal
        ends = hand_transforms(body, goal)
        told = {b.motion.task: frames[n] for b, (n, _) in zip(beginnings, starts, strict=True)}
        for b, (place, own) in zip(beginnings, starts, strict=True):
            motion = b.motion
            complete = motion.critical <= own
            latest = max(takes for joints, takes, _ in paces if joints & motion.critical)
            miss = replace(b.running.miss, met=False) if motion.lost else misses[motion.task]
            self.entries.change(motion.task, iterations=miss.iterations)
            running[place] = replace(
                b.running, begun=own & motion.critical, end=state.frame + latest if complete else None, miss=miss
            )
            self.tell_begin(state, motion, own, max(takes for joints, takes, _ in paces if joints & own), running)
            if self.entries[motion.task].start is None:
                self.entries.change(motion.task, status=task_log.RUNNING, start=state.frame)
        last = begun.last
        self.timing["ways"] += self.clock() - before
        there = hand_transforms(body, last)
        for b in beginnings:
            for hand, name in b.rides.items():
                state = self._ridden(state, hand, there[hand])
                for thing in state.staged.scene.tower(name):
                    after[thing] = there[hand].compose(hands[hand].relative(after[thing]))
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
            touches = self.touches(state, running[place], hands, last, after)
            running[place] = replace(running[place], touches=touches)
        for b in beginnings:
            task = b.motion.task
            self.entries.change(task, tries=self.entries[task].tries + begun.tried)
            words = []
            longer = told[task] - (b.motion.speed or told[task])
            if longer > 0:
                words.append(f"takes {longer} frames longer, so that nothing leaps")
            if begun.astray.get(task, 0.0) > _STRAIGHT * body.height:
                words.append(f"the {b.motion.hand} hand leaves its straight way by {begun.astray[task]:.3f}")
            tilt, frame = begun.tilted.get(task, (0.0, 0))
            if tilt > _TILTED and b.motion.carry is not None:
                words.append(f"'{b.motion.carry.objects[0]}' is tilted by {tilt:.0f} degrees at frame {frame}")
            reason = "; ".join(filter(None, [self.entries[task].reason, *words]))
            self.entries.change(task, reason=reason)
        return replace(state, trajectories=begun.trajectories, carrying=carrying)

    def _counted_on(self, state: State) -> frozenset[str]:
        """Hands that later tasks have go on from where they will be, or stay there, turned as they were to be."""
        waiting = [*state.held, *state.queue]
        return frozenset(
            hand for motion in waiting for hand, goal in ((motion.hand, motion.goal), *motion.others.items())
            if isinstance(goal, (AtPoint, AtSpace) if hand != motion.hand else AtPoint)
        )  # fmt: skip

    def _turned_otherwise(self, state: State, motion: Motion, at: Transform) -> State:
        """The plan with a hand turned as it is on its way now."""
        plan, hand = state.plan, motion.hand
        hands, locks = dict(plan.hands), dict(plan.locks)
        if hand in hands and hands[hand].task == motion.task:
            hands[hand] = replace(hands[hand], transform=at, goal=motion.goal)
        if hand in locks and locks[hand].task == motion.task:
            locks[hand] = replace(locks[hand], goal=motion.goal)
        return replace(state, plan=replace(plan, hands=hands, locks=locks))

    def _ridden(self, state: State, hand: str, at: Transform) -> State:
        """The plan with a hand that holds something where it goes along with the body."""
        plan = state.plan
        hands = {**plan.hands, hand: replace(plan.hands[hand], transform=at)}
        locks = dict(plan.locks)
        if hand in locks and locks[hand].at is not None:
            locks[hand] = replace(locks[hand], at=at_transform(at))
        return replace(state, plan=replace(plan, hands=hands, locks=locks))

    def _facing(self, state: State, motion: Motion, base: Floats, going: bool) -> Motion:
        """A movement of the head with its goal as angles, now that it begins."""
        gaze = self.body.gaze
        assert gaze is not None
        goal = motion.goal
        angles = base.copy()
        dofs = tuple(self.body.rotation_dofs[gaze.joint])
        if isinstance(goal, AtHeadTurn):
            axes = [rotation.axis for rotation in self.body.joints[gaze.joint].rotations]
            if goal.axis in axes:
                angles[dofs[axes.index(goal.axis)]] += goal.by
            into_limits(self.body, gaze.joint, angles)
        elif isinstance(goal, AtLook):
            place = None if goal.spot is None else spot_on_stage(self.body, state, goal.spot)
            if place is not None:
                angles = self.stances.at(state.staged.scene).facing(base, place)
                if going:
                    angles, frames = self._coming_into_view(state, motion, place, angles)
                    motion = replace(motion, speed=frames)
            eyes, turned = eyes_on(self.body, angles, place if place is not None else np.zeros(3))
            dofs = (*dofs, *eyes.tolist())
            angles[eyes] = turned
            if place is None:
                angles[list(dofs)] = 0.0
        return replace(motion, goal=AtAngles(tuple((int(dof), float(angles[dof])) for dof in dofs)))

    def _coming_into_view(self, state: State, motion: Motion, place: Floats, at_last: Floats) -> tuple[Floats, int]:
        """The posture with the head of a body that is under way turned to a place, when that comes into view, and in
        how many frames that is. at_last: the same where the body has arrived."""
        postures = self.stances.at(state.staged.scene)
        pace = motion.speed or round(motion.pace * GESTURE_FRAMES * state.plan.fps / DEFAULT_FPS)
        last = max(trajectory.end for trajectory in state.trajectories) - state.frame
        for frames in range(pace, last, _LOOKS_OUT):
            angles = postures.facing(self._later(state, frames), place)
            if can_be_seen(self.body, angles, place):
                return angles, frames
        return at_last, max(pace, last) if can_be_seen(self.body, at_last, place) else pace

    def _later(self, state: State, frames: int) -> Floats:
        """The posture in some frames, as far as it is known."""
        angles = state.angles.copy()
        for trajectory in state.trajectories:
            angles[trajectory.dofs] = trajectory.at(state.frame + frames)
        return angles

    def touches(
        self, state: State, r: Running, hands: Mapping[str, Transform], last: Floats, after: Mapping[str, Transform]
    ) -> tuple[Touch, ...]:
        """Hands on what they touch, now and when they arrive. What a hand has got into on its way, what it left,
        are no touches."""
        body, boxes = self.body, scene_boxes(state.staged.scene)
        touched = touched_things(body, state, r, hands)
        staged, leaving = state.staged, set()  # hands that press on nothing: they leave, or take hold of it
        if isinstance(r.motion.goal, AtObject):
            leaving = set(touched)
        elif isinstance(r.motion.goal, AtSpace):
            leaving = {r.motion.hand}
        goal = r.motion.goal.object if isinstance(r.motion.goal, AtObject) else None
        now = {
            hand: frozenset(name for name in names if name != goal or staged.holds(hands[hand], name))
            for hand, names in touched.items()
        }
        ends, then = hand_transforms(body, last), touched
        if r.end is None and not r.miss.met:  # until it gets all of its joints it is not where it takes hold
            then = {hand: names - {goal} for hand, names in touched.items()}
        if isinstance(r.motion.goal, (AtObject, AtSpace)):  # not what it was at before
            hand, scene = r.motion.hand, r.motion.scene_after
            there = r.motion.carried | ({goal} if goal is not None else set())
            if isinstance(r.motion.goal, AtSpace):
                there |= frozenset(scene.stack_on(r.motion.goal.space)[:1])
            near = (name for name in then[hand] if name in there or staged.holds(ends[hand], name))
            then = {**then, hand: frozenset(near)}
        found = []
        for angles, tips, things, own in (
            (state.angles, hands, staged.transforms, now), (last, ends, after, then),
        ):  # fmt: skip
            depths = contact_depths(body, boxes, angles, things, own)
            found += [
                Touch(
                    hand, name, depths[hand][name], things[name].relative(tips[hand]).position, hand not in leaving,
                    own is now and hand in leaving,
                )
                for hand, names in own.items() for name in names
            ]  # fmt: skip
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

    def tell_begin(self, state: State, motion: Motion, own: Joints, frames: int, running: list[Running]) -> None:
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


def _with_riding_hands(body: Body, state: State, b: Beginning) -> Beginning:
    """Hands that hold something in the air are not kept where they are in the world."""
    rides = {
        hand: name for hand, name in riding_hands(state, b.running, body).items()
        if frozenset(body.limb(hand).joints) <= b.own
    }  # fmt: skip
    return replace(b, poses={hand: pose for hand, pose in b.poses.items() if hand not in rides}, rides=rides)


def _keeping_hold(state: State, r: Running, hands: Mapping[str, Transform]) -> Running:
    """Hands with something in them do not leave it, even where that was taken after the task was told: they stay just
    where they are, unless it is moved."""
    others = dict(r.motion.others)
    for hand, goal in others.items():
        thing = state.holding.get(hand) or state.staged.scene.bottom(hand)
        if thing is not None and thing not in r.motion.carried and isinstance(goal, (AtRest, AtPoint)):
            others[hand] = at_transform(hands[hand])
    return replace(r, motion=replace(r.motion, others=others))


def _could_be_better(way: Try) -> bool:
    """Whether it is worth while to try a hand that is turned otherwise."""
    return way.begun.roundabout or way.begun.bent > _BENT


def _cost(way: Try) -> float:
    return way.begun.bad + _BENT_COST * way.begun.bent


def _whole_limb(body: Body, hand: str) -> Joints:
    limb = body.limb(hand)
    return frozenset(limb.joints) | frozenset(limb.trunk)
