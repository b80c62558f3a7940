"""Beginnings in space: where hands go and where the eyes look, as a problem for puppet.motion; its frames as
trajectories."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from puppet.body import Body, hand_transforms, joint_transforms
from puppet.command import DEFAULT_FPS
from puppet.geometry import Transform
from puppet.locomotion import legs_of, measured, plant_feet
from puppet.motion import (
    CARRY_ARC,
    DEPTH_TOLERANCE,
    EVEN,
    Carrying,
    Found,
    GazeCourse,
    HandCourse,
    HandPath,
    Problem,
    Trajectory,
    fastest,
    look,
    manner,
    plan,
    plan_trajectory,
    progress,
    scene_boxes,
    settle,
    turning_frames,
)
from puppet.schedule import NO_JOINTS, Joints
from puppet.stage.calm_legs import calm_legs
from puppet.stage.durations import FIRST_LOOK, SECOND_LOOK, goal_size, hand_frames, receiving_hand, second_look
from puppet.stage.held_hands import touched_things
from puppet.stage.state import Running, State
from puppet.tasks import (
    AtAngles,
    AtGesture,
    AtHere,
    AtObject,
    AtRest,
    AtSpace,
    Goal,
    Motion,
    Moved,
    Stacked,
)
from puppet.types import Flags, Floats, Ints

_STAYS, STAYS_TURNED = 0.05, 0.3  # a hand that ends this near to where it began goes straight there, radians
_STAYED = 1e-3  # a hand that is no farther from where it was, or turned by more radians, has stayed there
_TOO_FAST, _LEAPS = 1.25, 10.0  # times as far as a joint should go in a frame; how bad it is to go twice as far
LEAST_LOOK, LATE_LOOK = 9, 6  # frames at DEFAULT_FPS: of a turn of the head at least; more, where joints are under way
_MOVING = 1e-6  # radians a frame: who does is in the middle of something else
_ROUNDABOUT = 0.25  # shares of a planned way by which a hand goes farther
_SEEN = 6  # frames in which wrists are looked at
_STANDS = 0.1  # radians: legs that turn no farther only keep the balance
_STILL, _STOPPED = 1e-9, 0.01  # radians a frame: a joint that was faster in its last frame has not come to rest in it


@dataclass(frozen=True, eq=False)
class BegunFrames:
    """Frames of motions that begin."""

    trajectories: tuple[Trajectory, ...]  # all, with those that go on
    last: Floats  # (dofs,), the last posture
    tried: int  # paths
    astray: Mapping[int, float]  # by how much hands leave the straight lines that they should slide on, by task
    tilted: Mapping[int, tuple[float, int]]  # by how many degrees things are tilted on their way to a place, and when
    bad: float  # what is wrong with them
    leaps: bool  # whether a joint is too fast
    hurried: bool  # whether more time would help, be it against leaps
    rough: bool  # whether a joint's velocity changes abruptly
    deep: bool  # whether something goes into something
    roundabout: bool  # whether hands go much farther than their planned ways are
    bent: float  # by how many radians wrists are bent beyond what is comfortable at most, on the way or in the end


@dataclass(frozen=True, eq=False)
class Beginning:
    """A motion that begins: the joints that it gets, where its hands end, and how many frames it takes."""

    running: Running
    own: Joints
    poses: Mapping[str, Transform]
    frames: int = 0
    lead: int = 0  # of these, in which head and eyes have begun, and the hand has not
    look: Floats | None = None  # (3,), what is looked at, whatever the hands do
    rides: Mapping[str, str] = field(default_factory=dict)  # hands that hold something in the air, and what

    @property
    def motion(self) -> Motion:
        return self.running.motion


def _looked_at(motion: Motion, hand: Floats) -> Floats:
    """What one looks at who reaches: the thing or the place, or else where the hand will be."""
    if isinstance(motion.goal, AtObject):
        return np.array(motion.scene_after.centre(motion.goal.object))
    if isinstance(motion.goal, AtSpace):
        return np.array(motion.scene_after.space(motion.goal.space).position)
    return hand


def begin_frames(
    body: Body, state: State, beginnings: Sequence[Beginning], speeds: Sequence[tuple[Joints, int, str]], aside: Joints,
    goal: Floats, carrying: tuple[Carrying, ...], moving: Joints,
) -> BegunFrames:  # fmt: skip
    """The frames of motions that begin.

    speeds: which joints take how many frames, by which curve. aside: joints that make room besides.
    """
    return _Frames(body, state, beginnings, speeds, aside, goal, carrying, moving).made()


class _Frames:
    def __init__(
        self, body: Body, state: State, beginnings: Sequence[Beginning], speeds: Sequence[tuple[Joints, int, str]],
        aside: Joints, goal: Floats, carrying: tuple[Carrying, ...], moving: Joints,
    ) -> None:  # fmt: skip
        self.body, self.state, self.beginnings = body, state, beginnings
        self.speeds, self.goal, self.carrying, self.moving = speeds, goal, carrying, moving
        self.begin = NO_JOINTS.union(aside, *(b.own for b in beginnings))
        self.hands = [hand for hand in body.hands if frozenset(body.limb(hand).joints) <= self.begin]
        self.owner = {
            hand: next((b for b in beginnings if frozenset(body.limb(hand).joints) <= b.own), beginnings[0])
            for hand in self.hands
        }
        self.now, self.ends = hand_transforms(body, state.angles), hand_transforms(body, goal)
        self.timing = self._timing()
        self.total = max(frames for _, frames, _ in self.timing)
        self.goes_on = True  # what has stopped with a jerk leaves with the velocity that it had

    def made(self) -> BegunFrames:
        body, state = self.body, self.state
        dofs = body.dofs_of(sorted(self.begin))
        kept = self._kept(dofs)
        found = self._planned(kept)
        into = DEPTH_TOLERANCE * body.height
        if found.depth > into and self._stopped().any():  # what stopped with a jerk would go on into something
            self.goes_on = False
            again = self._planned(kept)
            found = again if again.depth < found.depth else found
        angles = np.ascontiguousarray(found.postures[:, dofs])
        angles.flags.writeable = False
        own = Trajectory(dofs, state.frame, angles, progress("smooth", self.total))
        astray, tilted = self._astray(found.postures), self._tilted(found.postures)
        told = all(b.motion.speed is not None for b in self.beginnings)
        fast = fastest(body, np.concatenate([state.angles[None], found.postures]), told)
        too_fast = max(0.0, fast * state.plan.fps / DEFAULT_FPS - (1.0 if told else _TOO_FAST))
        bad, leaps = found.bad + _LEAPS * too_fast, too_fast > 0.0
        return BegunFrames(
            (*kept, own), found.postures[-1], found.tried, astray, tilted, bad, leaps, found.hurried or leaps,
            found.rough > 0.0, found.depth > into, found.longer > _ROUNDABOUT, self._bent(found.postures),
        )  # fmt: skip

    def _planned(self, kept: tuple[Trajectory, ...]) -> Found:
        references = self._references(kept)
        self._look(references)
        return plan(self._problem(references))[0]

    def _astray(self, postures: Floats) -> dict[int, float]:
        """How far wrists of hands that slide get from the straight lines between the ends of their ways."""
        found, slides = {}, [b for b in self.beginnings if b.motion.slides and b.motion.hand in self.hands]
        world = joint_transforms(self.body, np.concatenate([self.state.angles[None], postures])) if slides else None
        for b in slides:
            assert world is not None
            places = world[:, self.body.limb(b.motion.hand).joints[-1], :3]
            way, line = places - places[0], places[-1] - places[0]
            along = np.clip(way @ line / max(float(line @ line), 1e-12), 0.0, 1.0)
            found[b.motion.task] = float(np.linalg.norm(way - along[:, None] * line, axis=1).max())
        return found

    def _tilted(self, postures: Floats) -> dict[int, tuple[float, int]]:
        """By how many degrees things that are carried to their places are tilted more than at both ends of the way."""
        found, things = {}, self.state.staged.transforms
        carries = [b for b in self.beginnings if b.motion.hand in self.hands and isinstance(b.motion.goal, AtObject)]
        carries = [b for b in carries if b.motion.carry is not None and not b.motion.carry.palm]
        world = joint_transforms(self.body, postures) if carries else None
        for b in carries:
            assert world is not None
            assert b.motion.carry is not None
            hand = b.motion.hand
            upright = self.now[hand].rotation.T @ things[b.motion.carry.objects[0]].rotation[:, 1]
            turns = world[:, self.body.limb(hand).joints[-1], 3:].reshape(-1, 3, 3)
            tilts = np.degrees(np.arccos(np.clip((turns @ upright)[:, 1], -1.0, 1.0)))
            frame = int(tilts.argmax())
            first = math.degrees(math.acos(min(1.0, max(-1.0, float(self.now[hand].rotation[1] @ upright)))))
            found[b.motion.task] = float(tilts[frame]) - max(first, float(tilts[-1])), self.state.frame + frame + 1
        return found

    def _bent(self, postures: Floats) -> float:
        """By how many radians wrists of hands that go somewhere are bent too far at most, seen in a few frames."""
        wrists = {self.body.limb(b.motion.hand).joints[-1] for b in self.beginnings if b.motion.hand in self.hands}
        seen = postures[:: -max(1, len(postures) // _SEEN)]
        return max((self.body.discomfort(wrist, posture) for wrist in wrists for posture in seen), default=0.0)

    def _kept(self, dofs: Ints) -> tuple[Trajectory, ...]:
        """Trajectories of joints that nothing new is asked of."""
        owned = np.zeros(self.body.dofs, dtype=bool)
        owned[dofs] = True
        kept = []
        for t in self.state.trajectories:
            left = ~owned[t.dofs]
            if left.all():
                kept.append(t)
            elif left.any():
                kept.append(Trajectory(t.dofs[left], t.start, t.angles[:, left], t.share))
        return tuple(kept)

    # ---- time

    def _timing(self) -> list[tuple[Joints, int, str]]:
        """Joints that begin, how many frames they take, and by which curve. What hands do in passing, and where the
        head looks, takes its own time."""
        body, found = self.body, []
        left = set(self.begin)
        for hand in self.hands:
            b = self.owner[hand]
            if hand == b.motion.hand or hand in b.poses or hand in b.rides:
                continue
            arm = frozenset(body.limb(hand).joints)
            dofs = body.dofs_of(sorted(arm))
            still = np.abs(self.goal[dofs] - self.state.angles[dofs]).max(initial=0.0) < _STILL
            if still or isinstance(b.running.others.get(hand), AtHere) or _stays(self.now[hand], self.ends[hand]):
                continue  # it stays as it is, or where it is, or goes with the trunk
            frames = hand_frames(body, hand, self.state.angles, self.goal, self.state.plan.fps)
            frames = min(frames, b.frames) if hand == receiving_hand(body, b.motion) else frames
            found.append((arm, frames, "smooth"))
            left -= arm
        gaze = body.gaze
        critical = NO_JOINTS.union(*(b.motion.critical for b in self.beginnings))
        if gaze is not None and gaze.joint in left - critical:
            eyes = frozenset(left & {gaze.joint, *body.eyes})
            reach = min(b.frames for b in self.beginnings)
            looks = self._head_frames(gaze.joint)
            found.append((eyes, looks if self.moving & eyes else min(reach, looks), "smooth"))
            left -= eyes
        for joints, frames, curve in self.speeds:
            if joints & left:
                found.append((frozenset(joints & left), frames, curve))
                left -= joints
        if left:
            found.append((frozenset(left), self.beginnings[0].frames, "smooth"))
        return found

    def _head_frames(self, head: int) -> int:
        """How long the head takes to turn as far as it does, with whatever carries it."""
        fps = self.state.plan.fps
        start, end = joint_transforms(self.body, np.stack([self.state.angles, self.goal]))[:, head]
        turn = Transform.of(start[:3], start[3:]).angle(Transform.of(end[:3], end[3:]))
        late = LATE_LOOK * fps / DEFAULT_FPS if self.moving else 0.0
        return max(round(LEAST_LOOK * fps / DEFAULT_FPS), turning_frames(turn, fps) + round(late))

    def _frames_of(self, hand: str) -> tuple[int, str]:
        arm = frozenset(self.body.limb(hand).joints)
        return next((frames, curve) for joints, frames, curve in self.timing if arm <= joints)

    def _lead(self, joints: Joints) -> int:
        """For how many frames joints wait for the eyes."""
        waiting = (b for b in self.beginnings if joints & frozenset(self.body.limb(b.motion.hand).joints))
        return max((b.lead for b in waiting), default=0)

    def _references(self, kept: tuple[Trajectory, ...]) -> Floats:
        """(frames + 1, dofs): what all joints would do by themselves, beginning with the present."""
        body, state = self.body, self.state
        found = np.tile(state.angles, (self.total + 1, 1))
        for t in kept:
            first = state.frame - t.start
            count = min(len(t.angles) - first, self.total)
            if count <= 0:
                continue
            found[1 : count + 1, t.dofs] = t.angles[first : first + count]
            found[count + 1 :, t.dofs] = t.angles[-1]
        velocity = state.angles - self._before()
        for joints, frames, curve in self.timing:
            dofs = body.dofs_of(sorted(joints))
            lead = self._lead(joints)
            own = plan_trajectory(
                body, dofs, state.frame, frames - lead, curve, state.angles[dofs], self.goal[dofs], velocity[dofs]
            )
            found[lead + 1 : frames + 1, dofs] = own.angles
            found[frames + 1 :, dofs] = own.angles[-1]
        return self._planted(found)

    def _planted(self, references: Floats) -> Floats:
        """The same with the feet of a body that stands where they are: its legs follow what is above them."""
        scene = self.state.staged.scene
        if scene.stance is None or scene.stance.seat is not None or len(legs_of(self.body)) != 2:
            return references
        legs = measured(self.body)
        dofs = self.body.dofs_of(legs.joints)
        if not legs.joints <= self.begin or np.abs(references[:, dofs] - references[0, dofs]).max() < _STILL:
            return references
        planted = plant_feet(self.body, legs, references, scene.floor or 0.0)
        return calm_legs(self.body, self.state.before, planted)

    # ---- space

    def _problem(self, references: Floats) -> Problem:
        body, state = self.body, self.state
        world = joint_transforms(body, references)
        moved = np.abs(references - references[0]).max(axis=0) > _STILL
        moving = [hand for hand in self.hands if moved[self._carrying_dofs(hand)].any()]
        hands = sorted((self._course(hand, world) for hand in moving), key=lambda hand: hand.path is None)
        serving = frozenset(j for hand in moving for j in body.limb(hand).joints)
        clearance = min(b.motion.clearance for b in self.beginnings)
        return Problem(
            body, scene_boxes(state.staged.scene), state.staged.transforms, self._before(), references, serving,
            frozenset(j for hand in self.hands for j in body.limb(hand).trunk) & self.begin, tuple(hands),
            (*self.carrying, *self._riding(world)), state.frame, clearance, state.plan.fps,
        )  # fmt: skip

    def _carrying_dofs(self, hand: str) -> Ints:
        """Of all joints that move a hand."""
        return self.body.dofs_of(np.flatnonzero(self.body.model.below[:, self.body.limb(hand).joints[-1]]))

    def _course(self, hand: str, world: Floats) -> HandCourse:
        body, state, b = self.body, self.state, self.owner[hand]
        motion = b.motion
        limb = body.limb(hand)
        joint = limb.joints[-1]
        start, end = (Transform.of(row[:3], row[3:]) for row in (world[0, joint], world[-1, joint]))
        side = -1.0 if limb.mirrored else 1.0
        primary = hand == motion.hand and hand not in b.running.others
        goal: Goal | None = motion.goal if primary else b.running.others.get(hand)
        touched = touched_things(body, state, b.running, self.now)[hand]
        holds = goal.object if isinstance(goal, AtObject) else state.holding.get(hand)
        if hand in b.rides and self._goes_along(hand, world):
            path, shares = HandPath.straight(start, end), _gone(world[:, limb.joints[0], :3])
            return HandCourse(hand, path, shares, True, True, touches=touched, outwards=side, carries=True)
        if not primary and hand in {*b.poses, *b.rides} and holds is not None:
            held = state.staged.transforms[holds].relative(start)
            shares = progress("smooth", self.total)
            return HandCourse(hand, None, shares, True, holds=holds, held=held, outwards=side)
        if isinstance(goal, AtHere) and self._goes_along(hand, world):  # it hangs
            path, shares = HandPath.along(start, end, world[:, joint, :3])
            return HandCourse(hand, path, shares, bendable=True, touches=touched, outwards=side)
        frames, curve = self._frames_of(hand)
        carrying = next((c for c in self.carrying if c.hand == hand), None)
        stays = not primary and _stays(start, end)
        straight = (primary and motion.slides) or stays
        even = straight or not primary or curve != "smooth" or isinstance(goal, AtGesture) or not self._alone(hand)
        even = even or self._interrupted()  # people's strokes, which differ, are those from rest to rest
        like = EVEN if even else manner(start, end, goal_size(body, motion))
        lead = b.lead if hand == motion.hand else 0
        done = progress(curve, frames - lead) if like is EVEN else like.shares(frames - lead)
        shares = np.concatenate([np.zeros(lead), done, np.ones(self.total - frames)])
        lift = 0.0
        if primary and carrying and motion.changes and isinstance(motion.changes[0], (Moved, Stacked)):
            lift = CARRY_ARC
        level = straight or (carrying is not None and (carrying.level or isinstance(motion.goal, AtGesture)))
        parent = body.joints[limb.joints[0]].parent
        outwards = world[0, parent, 3:].reshape(3, 3)[:, 0] * side if parent >= 0 else np.array([side, 0.0, 0.0])
        outwards = np.array([outwards[0], 0.0, outwards[2]])
        outwards /= max(float(np.linalg.norm(outwards)), 1e-9)
        path = HandPath.straight(start, end) if straight else HandPath.bowed(start, end, outwards, side, lift, even)
        return HandCourse(
            hand, path, shares, level, not straight, stays, touches=touched, outwards=side, early=like.early,
            carries=carrying is not None,
        )  # fmt: skip

    def _goes_along(self, hand: str, world: Floats) -> bool:
        """Whether a hand of which nothing is asked ends elsewhere than it began."""
        rows = world[[0, -1], self.body.limb(hand).joints[-1]]
        start, end = (Transform.of(row[:3], row[3:]) for row in rows)
        return start.distance(end) > _STAYED or start.angle(end) > _STAYED

    def _riding(self, world: Floats) -> list[Carrying]:
        """What hands take along that go with a body which bends or rises for another one."""
        staged, frame = self.state.staged, self.state.frame
        return [
            staged.along(b.motion.task, hand, staged.scene.tower(name), self.now[hand], frame)
            for b in self.beginnings for hand, name in b.rides.items() if self._goes_along(hand, world)
        ]  # fmt: skip

    def _alone(self, hand: str) -> bool:
        """Whether no other hand has something to do, and no legs help: limbs that work at once keep time with each
        other."""
        body, idle = self.body, (AtRest, AtHere)
        others = {b.motion.hand for b in self.beginnings}
        others |= {h for b in self.beginnings for h, at in b.running.others.items() if not isinstance(at, idle)}
        turned = np.abs(self.goal - self.state.angles)
        arms = body.dofs_of({j for other in self.hands if other in others - {hand} for j in body.limb(other).joints})
        legs = body.dofs_of({j for leg in legs_of(body) for j in leg.joints})
        return bool(turned[arms].max(initial=0.0) < _STILL and turned[legs].max(initial=0.0) < _STANDS)

    def _look(self, references: Floats) -> None:
        """Turns the head and the eyes in the references: to the goal first of all, to a second one after that."""
        body, gaze = self.body, self.body.gaze
        if gaze is None or gaze.joint not in self.begin:
            return
        looking = [b for b in self.beginnings if gaze.joint in b.own]
        reaching = [
            b for b in self.beginnings
            if b.motion.looks and not isinstance(b.motion.goal, (AtAngles, AtGesture)) and b.motion.hand
        ]  # fmt: skip
        targets = [_looked_at(b.motion, self.ends[b.motion.hand].position) for b in reaching]
        faced = [self.ends[b.motion.hand].position for b in reaching]
        told = next((b.look for b in looking if b.look is not None and not b.motion.head), None)
        if told is not None:
            targets = faced = [told]
        postures = [b.motion.posture for b in looking if b.motion.posture is not None and told is None]
        said = any(body.arrays.joints_of[dof] == gaze.joint for posture in postures for dof, _ in posture.angles)
        if not looking or not targets or said or not (looking[0].motion.looks or told is not None):
            settle(body, references, self.state.before, self.state.plan.fps)
            return
        reach = min(b.frames for b in self.beginnings)
        starts: tuple[int, ...] = (0,)
        if len(targets) > 1:  # in time for the second one, but not before the first has been looked at
            turn = second_look(body, self.goal, targets, self.state.plan.fps)
            starts = (0, max(round(FIRST_LOOK * reach), min(round(SECOND_LOOK * reach), reach - turn)))
        course = GazeCourse(tuple(targets[:2]), starts, self.state.plan.fps, faced[0])
        look(body, references, self.state.before, course, self._interrupted())

    def _interrupted(self) -> bool:
        """Whether the body is in the middle of something else."""
        return bool(np.abs(self.state.angles - self._before()).max() > _MOVING)

    def _before(self) -> Floats:
        """The posture a frame ago, of joints that are under way, or that have just stopped with a jerk; that of now for
        those that are at rest. Head and eyes have a course of their own."""
        under_way = self._under_way() | (self._stopped() & self.goes_on)
        return np.where(under_way, self.state.before, self.state.angles)

    def _under_way(self) -> Flags:
        under_way = np.zeros(self.body.dofs, dtype=bool)
        for t in self.state.trajectories:
            if t.end > self.state.frame:
                under_way[t.dofs] = True
        return under_way

    def _stopped(self) -> Flags:
        """Which degrees of freedom have just stopped with a jerk."""
        body = self.body
        stopped = (np.abs(self.state.angles - self.state.before) > _STOPPED) & ~self._under_way()
        stopped[body.dofs_of([*body.eyes, *([body.gaze.joint] if body.gaze is not None else [])])] = False
        return stopped


def _gone(places: Floats) -> Floats:
    """How much of its way a shoulder has gone, (frames + 1, 3), after each frame but the first: as much of theirs have
    hands gone that ride along."""
    way = places - places[0]
    shares = way @ way[-1] / max(float(way[-1] @ way[-1]), 1e-12)
    shares = np.maximum.accumulate(np.clip(shares, 0.0, 1.0))[1:]
    shares[-1] = 1.0
    return np.asarray(shares)


def _stays(start: Transform, end: Transform) -> bool:
    """Whether a hand that nothing is asked of hardly leaves its place."""
    return start.distance(end) < _STAYS and start.angle(end) < STAYS_TURNED
