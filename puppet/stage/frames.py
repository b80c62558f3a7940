"""Beginnings in space: where hands go and how long that takes, what they hold, and where the eyes look; as a problem
for puppet.motion, and its frames as trajectories."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from puppet.body import Body, hand_transforms, joint_transforms
from puppet.command import DEFAULT_FPS
from puppet.geometry import Transform, axis_rotation
from puppet.locomotion import legs_of, measured, plant_feet
from puppet.motion import (
    CARRY_ARC,
    EVEN,
    USUAL_SIZE,
    Carrying,
    Found,
    GazeCourse,
    HandCourse,
    HandPath,
    Problem,
    Trajectory,
    fastest,
    gentle_frames,
    least_frames,
    look,
    manner,
    natural_frames,
    plan,
    plan_trajectory,
    progress,
    scene_boxes,
    seen_after,
    turning_frames,
    without_seen_leaps,
)
from puppet.schedule import NO_JOINTS, Joints
from puppet.stage.relations import GESTURE_FRAMES
from puppet.stage.state import Running, State
from puppet.tasks import (
    AtAngles,
    AtGesture,
    AtHere,
    AtObject,
    AtPoint,
    AtRest,
    AtSpace,
    AtStance,
    Goal,
    Motion,
    Moved,
    Stacked,
    wanted_transform,
)
from puppet.types import Flags, Floats, Ints

_STAYS, STAYS_TURNED = 0.05, 0.3  # a hand that ends this near to where it began goes straight there, radians
_STAYED = 1e-3  # a hand that is no farther from where it was, or turned by more radians, has stayed there
SAME_GRIP = math.cos(math.radians(40.0))  # palms that face the same way: the grip is the same
PITCHED = math.radians(75.0)  # by how much the fingers of a grip may point down otherwise
NEAR_GRIP, NEAR_TURN = 0.03, math.radians(25.0)  # a hand that is off its grip by more takes the thing anew
_TOO_FAST, _LEAPS = 1.25, 10.0  # times as far as a joint should go in a frame; how bad it is to go twice as far
_DRAGGED = 0.02  # body heights: a root that is farther from where it belongs was dragged there
_LEAD, _LOOKS_BY = 4, 0.3  # frames at DEFAULT_FPS by which eyes go first at most; the share of a reach they have
LEAST_LOOK, LATE_LOOK = 9, 6  # frames at DEFAULT_FPS: of a turn of the head at least; more, where joints are under way
_MOVING = 1e-6  # radians a frame: who does is in the middle of something else
_AWAY, _HOMEWARDS = 0.05, 0.6  # body heights from where a hand that goes home is in the way; the share of its time
FIRST_LOOK, SECOND_LOOK = 0.33, 0.55  # the shares of a reach after which the eyes turn to a second goal
_INTO = 1e-3  # solids this deep in each other: told
_STANDS = 0.1  # radians: legs that turn no farther only keep the balance
_STILL, _STOPPED = 1e-9, 0.01  # radians a frame: a joint that was faster in its last frame has not come to rest in it


Clear = Callable[[str, Transform], Transform]  # raises a hand's transform out of the table


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


@dataclass(frozen=True, eq=False)
class Beginning:
    """A motion that begins: the joints that it gets, where its hands end, and how many frames it takes."""

    running: Running
    own: Joints
    poses: Mapping[str, Transform]
    frames: int = 0
    lead: int = 0  # of these, in which head and eyes have begun, and the hand has not
    look: Floats | None = None  # (3,), what is looked at, whatever the hands do

    @property
    def motion(self) -> Motion:
        return self.running.motion


def held_poses(
    body: Body, state: State, r: Running, own: Joints, hands: Mapping[str, Transform], clear: Clear
) -> dict[str, Transform]:
    """Where hands end that hold something: just so on it as they are now."""
    motion, found = r.motion, {}
    things = state.staged.transforms
    after: dict[str, Transform] = {}
    if motion.carry is not None and not motion.carry.palm:
        lead, hand = motion.carry.objects[0], motion.hand
        pose = carried_pose(body, motion, hands[hand], things[lead], clear)
        if pose is not None:
            found[hand] = pose
            after[lead] = pose.compose(hands[hand].relative(things[lead]))
            for name in motion.carry.objects[1:]:  # a tower goes along
                after[name] = after[lead].compose(things[lead].relative(things[name]))
    for hand, goal in r.others.items():
        if not frozenset(body.limb(hand).joints) <= own:
            continue
        if not isinstance(goal, AtObject):  # in mid-air it holds what it has just so
            held = state.holding.get(hand)
            if held is not None and isinstance(goal, AtPoint):
                found[hand] = after.get(held, things[held]).compose(things[held].relative(hands[hand]))
            continue
        thing = things[goal.object]
        if not state.staged.holds(hands[hand], goal.object):
            continue
        wanted = wanted_transform(motion.scene_after, body, body.limb(hand), goal)
        assert wanted is not None
        if float(wanted.rotation[:, 1] @ hands[hand].rotation[:, 1]) > SAME_GRIP:
            found[hand] = after.get(goal.object, thing).compose(thing.relative(hands[hand]))
    return found


def carried_pose(body: Body, motion: Motion, hand: Transform, thing: Transform, clear: Clear) -> Transform | None:
    """Where a hand ends that carries a thing to its place, holding it as it does: the thing upright, and turned about
    the vertical so that the hand is turned as it should be; None where that is another grip."""
    if not isinstance(motion.goal, AtObject):
        return None
    limb = body.limb(motion.hand)
    wanted = wanted_transform(motion.scene_after, body, limb, motion.goal)
    assert wanted is not None
    wanted = clear(motion.hand, wanted)
    rel = thing.relative(hand)
    tip = body.arrays.tips[limb.joints[-1]]
    has, shall = rel.rotation @ tip, wanted.rotation @ tip
    turn = math.atan2(shall[0], shall[2]) - math.atan2(has[0], has[2])
    centre = motion.scene_after.centre(motion.goal.object)
    pose = Transform.of(centre, axis_rotation(1, turn)).compose(rel)
    faces = float(wanted.rotation[:, 1] @ pose.rotation[:, 1]) > math.cos(NEAR_TURN)  # fingers may point down more
    return pose if pose.distance(wanted) < NEAR_GRIP and faces and pose.angle(wanted) < PITCHED else None


def touched_things(body: Body, state: State, r: Running, hands: Mapping[str, Transform]) -> dict[str, frozenset[str]]:
    """The things that each hand may touch while a motion runs: what it leaves, goes to, carries, holds or gets into its
    palm."""
    found = {}
    for hand in body.hands:
        goal = r.motion.goal if hand == r.motion.hand else r.others.get(hand)
        touched = {name for name in state.staged.transforms if state.staged.holds(hands[hand], name)}
        if isinstance(goal, AtObject):
            touched.add(goal.object)
        if isinstance(goal, AtSpace):
            touched |= set(r.motion.scene_after.stack_on(goal.space)[:1])
        if isinstance(goal, AtGesture) and goal.thing is not None:
            touched.add(goal.thing)
        if hand == r.motion.hand:
            touched |= r.motion.carried
        touched |= {change.name for change in r.motion.changes if isinstance(change, Moved) and change.space == hand}
        found[hand] = frozenset(touched)
    return found


def motion_frames(body: Body, state: State, r: Running, goal: Floats) -> int:
    """How long a motion takes: as was said, or as long as people take, longer where something is in the way. A body
    that comes from where it was dragged has the time that it needs for that, whatever was said."""
    motion, fps = r.motion, state.plan.fps
    of_gesture = isinstance(motion.goal, (AtAngles, AtGesture))
    away = float(np.abs(goal - state.angles)[body.translation_dofs].max(initial=0.0))
    goes = any(isinstance(other.motion.goal, AtStance) for other in state.running)
    moved = not motion.head and not goes and away > _DRAGGED * body.height
    there = goal
    if not moved:
        own, there = body.dofs_of(sorted(motion.critical)), state.angles.copy()
        there[own] = goal[own]
    least = least_frames(body, state.angles, there) if of_gesture or moved else 0
    least = math.ceil(least * min(1.0, fps / DEFAULT_FPS))
    if motion.speed is not None:
        return max(motion.speed, least) if moved else motion.speed
    limb, size = body.limb(motion.hand), _goal_size(body, motion)
    frames = hand_frames(body, motion.hand, state.angles, goal, fps, size, limb.trunk, state, r)
    receiving = _receiving(body, motion)
    if receiving is not None:  # the palm has to be there in time
        frames = max(frames, hand_frames(body, receiving, state.angles, goal, fps))
    if of_gesture:
        frames = max(4, round(motion.pace * max(frames, GESTURE_FRAMES * fps / DEFAULT_FPS)))
    return max(frames, least)


def lead_frames(body: Body, state: State, motion: Motion, goal: Floats, frames: int) -> tuple[int, int]:
    """For how many frames a hand at rest waits for the eyes, so that they are on the goal in the first part of all; and
    for how many more it goes slower for that."""
    reaches = motion.speed is None and motion.looks and not motion.slides
    if not reaches or not isinstance(motion.goal, (AtObject, AtSpace, AtPoint)) or body.gaze is None:
        return 0, 0
    place, fps = hand_transforms(body, goal)[motion.hand].position, state.plan.fps
    needed = max(0.0, seen_after(body, state.angles, place, fps) / _LOOKS_BY - frames)
    most = math.ceil(_LEAD * fps / DEFAULT_FPS)
    lead = min(math.ceil(needed - 1e-6), most)
    return lead, min(max(0, math.floor(needed - lead)), most)


def waiting_frames(body: Body, state: State, r: Running, goal: Floats) -> int:
    """For how many frames a hand that something is in the way of could wait for others that only go home: until they
    are most of the way there; 0 where none does, or where the time was told."""
    if r.motion.speed is not None or not isinstance(r.motion.goal, (AtObject, AtSpace, AtPoint)):
        return 0
    now, ends, far = hand_transforms(body, state.angles), hand_transforms(body, goal), _AWAY * body.height
    home = [hand for hand, at in r.others.items() if isinstance(at, AtRest) and now[hand].distance(ends[hand]) > far]
    frames = [hand_frames(body, hand, state.angles, goal, state.plan.fps) for hand in home]
    return round(_HOMEWARDS * max(frames, default=0))


def looking_frames(body: Body, state: State, motions: Sequence[Motion], goal: Floats) -> int:
    """The frames that hands take at least which go to two goals at once, so that both can be looked at in turn."""
    places = (AtObject, AtSpace, AtPoint)
    hands = [motion.hand for motion in motions if motion.looks and isinstance(motion.goal, places)]
    if len(hands) < 2 or body.gaze is None or any(motion.speed is not None for motion in motions):
        return 0
    ends = hand_transforms(body, goal)
    turn = _second_look(body, goal, [ends[hand].position for hand in hands], state.plan.fps)
    return math.ceil(turn / (1.0 - FIRST_LOOK))


def _looked_at(motion: Motion, hand: Floats) -> Floats:
    """What one looks at who reaches: the thing or the place, or else where the hand will be."""
    if isinstance(motion.goal, AtObject):
        return np.array(motion.scene_after.centre(motion.goal.object))
    if isinstance(motion.goal, AtSpace):
        return np.array(motion.scene_after.space(motion.goal.space).position)
    return hand


def _second_look(body: Body, goal: Floats, targets: Sequence[Floats], fps: float) -> int:
    """In how many frames the head turns from the first to the second of some targets."""
    assert body.gaze is not None
    row = joint_transforms(body, goal)[body.gaze.joint]
    eyes = row[:3] + row[3:].reshape(3, 3) @ np.array(body.gaze.eyes)
    ways = [at - eyes for at in targets[:2]]
    cosine = float(ways[0] @ ways[1] / max(float(np.linalg.norm(ways[0]) * np.linalg.norm(ways[1])), 1e-9))
    return turning_frames(math.acos(min(1.0, max(-1.0, cosine))), fps)


def _receiving(body: Body, motion: Motion) -> str | None:
    """The hand into whose palm something is put."""
    places = (change.space for change in motion.changes if isinstance(change, Moved))
    return next((space for space in places if space in body.hands and space != motion.hand), None)


def _goal_size(body: Body, motion: Motion) -> float:
    """How large what a hand goes to is, in metres."""
    if not isinstance(motion.goal, AtObject):
        return USUAL_SIZE
    return 2.0 * motion.scene_after.object(motion.goal.object).width * body.metres_a_unit


def hand_frames(
    body: Body, hand: str, now: Floats, goal: Floats, fps: float, size: float = USUAL_SIZE, trunk: Sequence[int] = (),
    state: State | None = None, r: Running | None = None,
) -> int:  # fmt: skip
    """How long people take to bring a hand from one posture to another, around what is in its way."""
    joint = body.limb(hand).joints[-1]
    start, end = joint_transforms(body, np.stack([now, goal]))[:, joint]
    metres = body.metres_a_unit
    distance = float(np.linalg.norm(end[:3] - start[:3])) * metres
    if state is not None and r is not None:
        touched = touched_things(body, state, r, hand_transforms(body, now))[hand]
        things = state.staged.transforms
        distance += metres * scene_boxes(state.staged.scene).detour(things, start[:3], end[:3], touched)
    turn = Transform.of(start[:3], start[3:]).angle(Transform.of(end[:3], end[3:]))
    dofs = body.dofs_of(trunk)
    lean = float(np.abs(goal[dofs] - now[dofs]).max(initial=0.0))
    there, own = now.copy(), body.dofs_of([*trunk, *body.limb(hand).joints])
    there[own] = goal[own]
    gentle = gentle_frames(body, body.limb(hand).joints, now, goal, fps)
    return max(natural_frames(distance, size, turn, lean, fps), least_frames(body, now, there), gentle)


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
        if found.depth > _INTO and self._stopped().any():  # what stopped with a jerk would go on into something
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
            found.rough > 0.0, found.depth > _INTO,
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
            if hand == b.motion.hand or hand in b.poses:
                continue
            arm = frozenset(body.limb(hand).joints)
            dofs = body.dofs_of(sorted(arm))
            still = np.abs(self.goal[dofs] - self.state.angles[dofs]).max(initial=0.0) < _STILL
            if still or isinstance(b.running.others.get(hand), AtHere):
                continue  # it stays as it is, or goes with the trunk
            frames = hand_frames(body, hand, self.state.angles, self.goal, self.state.plan.fps)
            frames = min(frames, b.frames) if hand == _receiving(body, b.motion) else frames
            found.append((arm, frames, "smooth"))
            left -= arm
        gaze = body.gaze
        critical = NO_JOINTS.union(*(b.motion.critical for b in self.beginnings))
        if gaze is not None and gaze.joint in left - critical:
            eyes = frozenset(left & {gaze.joint, *body.eyes})
            reach = min(b.frames for b in self.beginnings)
            found.append((eyes, min(reach, self._head_frames(gaze.joint)), "smooth"))
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
        return without_seen_leaps(self.body, self.state.before, planted, legs.joints - {0})

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
            self.carrying, state.frame, clearance, state.plan.fps,
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
        if not primary and hand in b.poses and holds is not None:
            held = state.staged.transforms[holds].relative(start)
            shares = progress("smooth", self.total)
            return HandCourse(hand, None, shares, True, holds=holds, held=held, outwards=side)
        if isinstance(goal, AtHere) and (start.distance(end) > _STAYED or start.angle(end) > _STAYED):  # it hangs
            path, shares = HandPath.along(start, end, world[:, joint, :3])
            return HandCourse(hand, path, shares, bendable=True, touches=touched, outwards=side)
        frames, curve = self._frames_of(hand)
        carrying = next((c for c in self.carrying if c.hand == hand), None)
        distance = start.distance(end)
        stays = not primary and distance < _STAYS and start.angle(end) < STAYS_TURNED
        straight = (primary and motion.slides) or stays
        even = straight or not primary or curve != "smooth" or isinstance(goal, AtGesture) or not self._alone(hand)
        like = EVEN if even else manner(start, end, _goal_size(body, motion))
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
            return
        reach = min(b.frames for b in self.beginnings)
        starts: tuple[int, ...] = (0,)
        if len(targets) > 1:  # in time for the second one, but not before the first has been looked at
            turn = _second_look(body, self.goal, targets, self.state.plan.fps)
            starts = (0, max(round(FIRST_LOOK * reach), min(round(SECOND_LOOK * reach), reach - turn)))
        interrupted = bool(np.abs(self.state.angles - self._before()).max() > _MOVING)
        course = GazeCourse(tuple(targets[:2]), starts, self.state.plan.fps, faced[0])
        look(body, references, self.state.before, course, interrupted)

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
