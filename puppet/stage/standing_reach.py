"""Reaching with the whole body: where trunk and arm of a body that stands do not reach, or only with a deep bow, its
legs help. Knees bend for what is low, heels lift for what is high, and the mass stays over the feet."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from puppet.body import Body, hand_transforms, joint_transforms
from puppet.geometry import Transform
from puppet.locomotion import ON_TOES, Footstep, measured, rolled, tread
from puppet.motion import ArmRoom, SceneBoxes, posture_depth, scene_boxes, trunk_depth
from puppet.posture import in_place, is_met
from puppet.scene import Scene, Stance
from puppet.solver import CentreOfMass, Figure
from puppet.stage.goal_postures import Start
from puppet.stage.hand_postures import HandPostures
from puppet.stage.hanging_arms import hangs, hung
from puppet.tasks import AtAngles, AtGesture, AtHere, AtObject, AtSpace, Goal, Miss, Motion, wanted_transform
from puppet.types import Floats

_LOW, LOWEST = 0.42, 0.12  # heights of a hand's goal over the floor below which the knees bend, and bend most
HEELS = (0.0, 18.0, 34.0)  # degrees by which heels lift, tried one after the other
_AHEAD, _ASIDE = 0.045, 0.03  # how far the mass leans towards a goal at most, in heights of the body
OVER_TOES = 0.012  # how far before the balls of the feet the mass is of who stands on them
_STEPS = 500
HELD_AWAY = 0.42  # the part by which an arm of which nothing is asked is lifted to its side;
_LIFTED = (0.25, HELD_AWAY, 0.6, 0.8)  # of one that hangs, tried in turn until it is in nothing
POINTS_DOWN = (38.0, 50.0, 60.0)  # degrees by which the fingers of a side grip point down at what is lowest
# Heights over the floor between which they begin to, and degrees of that: wrists hardly bend to the thumb's side, so a
# hand that is level has its elbow nearly as low as itself, as if its goal were lower by so much.
_SLOPES, _SLOPE, _LEVEL = (0.56, 0.44), 24.0, 0.1
EASY_LEAN = math.radians(12.0)  # a trunk that leans farther is helped by the legs
YAWS = (0.0, 0.4, -0.4, 0.8, -0.8)
_TOUCHES, FAR_OFF = 1e-3, 1.0  # what only touches is in nothing; to reach a goal counts more than to be in nothing


@dataclass(frozen=True)
class _Bend:
    """How legs and trunk bend for what is lowest, in degrees."""

    leg: tuple[float, float, float]  # hip, knee and foot
    apart: tuple[float, float]  # by which hips are turned, so that an arm has room between the knees
    trunk: float  # of each joint
    sinks: float  # by how many heights of the body the root goes down


SQUATS = _Bend((-62.0, 92.0, -30.0), (16.0, 24.0), 22.0, 0.17)
_STOOPS = _Bend((-85.0, 50.0, -10.0), (4.0, 6.0), 24.0, 0.06)


@dataclass(frozen=True, eq=False)
class Reached:
    """How a body reaches with its legs' help, in its own coordinates."""

    angles: Floats
    hands: Mapping[str, tuple[Transform, Miss]]  # where each gets, and what it misses

    @property
    def met(self) -> bool:
        return all(miss.met for _, miss in self.hands.values())

    @property
    def off(self) -> float:
        """By how much the hand that misses its goal most does."""
        return max(miss.position for _, miss in self.hands.values())


@dataclass(frozen=True, eq=False)
class _Room:
    """What is solid around a body that reaches."""

    body: Body
    boxes: SceneBoxes
    things: Mapping[str, Transform]
    touched: frozenset[str]

    def depth(self, reached: Reached) -> float:
        """How deep arms that reach are in anything, the body itself as well, and trunk and head in what is around."""
        arms = max(self.depth_of(reached.angles, hand) for hand in reached.hands)
        return max(arms, trunk_depth(self.body, self.boxes, self.things, reached.angles, self.touched))

    def depth_of(self, angles: Floats, hand: str) -> float:
        """How deep an arm is."""
        return posture_depth(self.body, self.boxes, self.things, angles, hand, self.touched)


class StandingReach:
    """A body that stands at the middle of the world on a floor."""

    def __init__(self, body: Body, floor: float, standing: Floats) -> None:
        self._body, self._floor, self._standing = body, floor, standing
        self._legs = measured(body)

    @property
    def joints(self) -> frozenset[int]:
        """That help: the legs and the root."""
        return self._legs.joints

    def reach(
        self, poses: Mapping[str, Transform], room: _Room | None = None, arms: Floats | None = None, anew: bool = False
    ) -> Reached:
        """The best of some ways to stand, with one hand or several: one that gets there, arms in nothing. arms (dofs,):
        the posture that all joints are in which do not help; anew: what helps begins as in standing, as it otherwise
        does only where nothing else is found."""
        standing = self._standing if arms is None else arms
        best: tuple[float, Reached] | None = None
        ways = self._ways(poses)
        begins = (True,) if anew else (False, True) if arms is not None else (False,)
        for fresh, (degrees, bend) in product(begins, ways):
            found = self._reach(poses, math.radians(degrees), bend, standing, fresh)
            lacks = (0.0 if found.met else FAR_OFF + found.off) + (room.depth(found) if room is not None else 0.0)
            if best is None or lacks < best[0] - 1e-4:
                best = lacks, found
            if lacks < _TOUCHES:
                break
        assert best is not None
        return best[1]

    def _ways(self, poses: Mapping[str, Transform]) -> list[tuple[float, _Bend]]:
        """By how many degrees heels lift, which they do for what is high, and how the body bends, which it does for
        what is low."""
        if max(float(pose.position[1]) for pose in poses.values()) - self._floor >= 0.8 * self._legs.height:
            return [(degrees, SQUATS) for degrees in HEELS]
        return [(0.0, SQUATS), (0.0, _STOOPS)] if self._low(poses) > 0.0 else [(0.0, SQUATS)]

    def aim(
        self, inner: HandPostures, hand: str, scene: Scene, goal: AtObject | AtSpace
    ) -> tuple[AtObject | AtSpace, Reached] | None:
        """A goal with the hand turned about the vertical so that the body reaches it, its arm as little as possible in
        its own legs or in anything else."""
        best: tuple[float, AtObject | AtSpace, Reached] | None = None
        room, level = self._solid(scene, [goal]), wanted_transform(scene, self._body, self._body.limb(hand), goal)
        assert level is not None
        pitches = self._pitches(float(level.position[1]) - self._floor)
        for pitch, yaw in product(pitches if goal.pitch is None else [goal.pitch], YAWS):
            turned = replace(goal, yaw=goal.yaw + yaw, pitch=pitch)
            pose = wanted_transform(scene, self._body, self._body.limb(hand), turned)
            assert pose is not None
            found = self.reach({hand: inner.clear(hand, pose)}, room)
            depth = room.depth(found)
            lacks = depth + (0.0 if found.met else FAR_OFF + found.off)
            if best is None or lacks < best[0] - 1e-4:
                best = lacks, turned, found
            if found.met and depth < _TOUCHES:
                break
        return None if best is None else best[1:]

    def _pitches(self, height: float) -> list[float]:
        """How far the fingers of a side grip may point down at a goal of some height, in radians."""
        first, last = _SLOPES
        slope = math.radians(_SLOPE) * float(np.clip((first - height) / (first - last), 0.0, 1.0))
        found = [self._lowness(height) * math.radians(degrees) for degrees in POINTS_DOWN]
        return list(dict.fromkeys(max(slope, pitch) for pitch in found))

    def bows(self, inner: HandPostures, hand: str, pose: Transform) -> bool:
        """Whether a body whose legs do not help would have to lean far for a hand's goal."""
        posture = inner.reached(hand, pose)[2]
        return posture is not None and self.lean(posture.angles) > EASY_LEAN

    def lean(self, angles: Floats) -> float:
        """How far the trunk leans, in radians, from how it is while nothing is asked of it."""
        trunk = next((limb.trunk[-1] for limb in self._body.limbs.values() if limb.trunk), 0)
        rows = [joint_transforms(self._body, posture)[trunk] for posture in (angles, self._standing)]
        return math.acos(max(-1.0, min(1.0, float(rows[0][4::3] @ rows[1][4::3]))))  # of where it points up

    def upright(self, angles: Floats, starts: Sequence[Start]) -> Floats:
        """A posture with the legs straight again, where one of the motions that begin has them."""
        if not any(self.joints <= start.joints for start in starts):
            return angles
        found = angles.copy()
        dofs = self._body.dofs_of(self.joints)
        found[dofs] = self._standing[dofs]
        return found

    def help(
        self, inner: HandPostures, base: Floats, found: Floats, starts: Sequence[Start], scene: Scene,
        misses: dict[int, Miss],
    ) -> Floats:  # fmt: skip
        """Goal postures in which legs help a hand that does not get there without, or only with a bow; misses are
        brought up to date. base: the posture in which it begins."""
        goals = ((start, self._pose(inner, start, scene)) for start in starts)
        poses = {start.motion.hand: (start, pose) for start, pose in goals if pose is not None}
        tasks = {hand: start.motion.task for hand, (start, _) in poses.items() if start.motion.task in misses}
        if not any(self.joints <= start.joints for start, _ in poses.values()):
            return found
        follow: dict[str, Transform] = {}  # hands that hold on to something go along
        for start, _ in poses.values():
            follow.update(self._followers(inner, start, poses))
        tips = hand_transforms(self._body, found)
        missed = [misses[task] for task in tasks.values()]
        missed += [self._judged(tips[hand], pose) for hand, pose in follow.items()]
        met = all(miss.met for miss in missed)
        if met and self.lean(found) <= EASY_LEAN:
            return found
        together = {**{hand: pose for hand, (_, pose) in poses.items()}, **follow}  # the legs are the same for all
        idle = ((hand, goal) for start, _ in poses.values() for hand, goal in start.others.items())
        beside = [hand for hand, goal in idle if isinstance(goal, AtHere) and hand not in together]
        arms = self._out_of_the_way(found, together, beside)
        room = self._room(scene, [start.motion for start, _ in poses.values()])
        tried = self.reach(together, room, arms, anew=met)
        if (
            self.lean(tried.angles) < self.lean(found) and tried.met
            if met
            else (tried.met or tried.off < max(miss.position for miss in missed))
        ):
            found = tried.angles
            for hand in beside:
                if hangs(self._body, hand, base, self._standing):
                    found = self._hung(hand, found, together, room)
            misses.update({tasks[hand]: miss for hand, (_, miss) in tried.hands.items() if hand in tasks})
        return found

    def _followers(self, inner: HandPostures, start: Start, leading: Collection[str]) -> dict[str, Transform]:
        """Where hands are to be that hold what another one moves."""
        limbs = self._body.limbs
        return {
            hand: inner.clear(hand, pose) for hand, pose in start.poses.items()
            if hand in start.others and hand not in leading and frozenset(limbs[hand].joints) <= start.joints
        }  # fmt: skip

    def _room(self, scene: Scene, motions: Sequence[Motion]) -> _Room:
        carried = frozenset(name for motion in motions for name in motion.carried)
        return self._solid(scene, [motion.goal for motion in motions], carried)

    def _solid(self, scene: Scene, goals: Sequence[Goal], carried: frozenset[str] = frozenset()) -> _Room:
        things = {thing.name: Transform.of(scene.centre(thing.name)) for thing in scene.objects}
        touched = carried | frozenset(goal.object for goal in goals if isinstance(goal, AtObject))
        touched &= things.keys()
        return _Room(self._body, scene_boxes(scene), things, touched)

    def _pose(self, inner: HandPostures, start: Start, scene: Scene) -> Transform | None:
        """Where the hand of a motion that begins is to get; None where legs do not help."""
        motion = start.motion
        if isinstance(motion.goal, (AtAngles, AtGesture)) or not motion.hand:
            return None
        pose = start.poses.get(motion.hand)
        if pose is None:
            pose = wanted_transform(scene, self._body, self._body.limb(motion.hand), motion.goal)
        return None if pose is None else inner.clear(motion.hand, pose)

    def _hung(self, hand: str, angles: Floats, poses: Mapping[str, Transform], room: _Room) -> Floats:
        """A posture with an arm that hangs as near to straight down as leaves it out of thighs and all else, or one
        that is drawn in; as it is where that is better."""
        least, found = math.inf, angles
        for away in _LIFTED:
            tried = hung(self._body, hand, angles, self._out_of_the_way(self._standing, poses, [hand], away))
            depth = room.depth_of(tried, hand)
            if depth < least - _TOUCHES:
                least, found = depth, tried
            if depth < _TOUCHES:
                return found
        drawn = ArmRoom(self._body, room.boxes, room.things).out_of_things(found, [hand])
        return min((found, drawn, angles), key=lambda tried: room.depth_of(tried, hand) // _TOUCHES)

    def _out_of_the_way(
        self, angles: Floats, poses: Mapping[str, Transform], hands: Sequence[str], away: float = HELD_AWAY
    ) -> Floats:
        """A posture with arms that nothing is asked of held away from the thighs of a body that bends its knees."""
        found = np.array(angles)
        low = self._low(poses)
        for hand in hands:
            dof = self._body.rotation_dofs[self._body.limb(hand).joints[0]].start
            found[dof] = self._standing[dof] * (1.0 - away * low)
        return found

    def _low(self, poses: Mapping[str, Transform]) -> float:
        """How low the lowest of some goals is, from 0 to 1."""
        return self._lowness(min(self._height(hand, pose) for hand, pose in poses.items()))

    def _lowness(self, height: float) -> float:
        return float(np.clip((_LOW - height) / (_LOW - LOWEST), 0.0, 1.0))

    def _height(self, hand: str, pose: Transform) -> float:
        """How high over the floor a goal is, or as if it were for a hand that is level and has its palm to a side."""
        tip = self._body.arrays.tips[self._body.limb(hand).joints[-1]]
        down = -float(pose.rotation[1] @ tip) / float(np.linalg.norm(tip))
        level = float(np.clip(1.0 - down / math.sin(math.radians(_SLOPE)), 0.0, 1.0))
        to_side = 1.0 - abs(float(pose.rotation[1, 1]))
        return float(pose.position[1]) - self._floor - _LEVEL * level * to_side

    def _reach(self, poses: Mapping[str, Transform], heel_up: float, bend: _Bend, arms: Floats, anew: bool) -> Reached:
        """anew: what helps begins as in standing, not as it is in arms."""
        body, legs, floor = self._body, self._legs, self._floor
        low = self._low(poses)
        limbs = [body.limb(hand) for hand in poses]
        helping = {joint for limb in limbs for joint in (*limb.trunk, *limb.joints, *self._clavicle(limb.joints[0]))}
        begins = np.array(arms)
        if anew:
            begins[body.dofs_of(helping)] = self._standing[body.dofs_of(helping)]
        bent = self._bent(begins, low, bend)
        figure = Figure(body, bent)
        middle = Stance((0.0, 0.0))
        for n, foot in enumerate(legs.feet):
            place, turn, _ = rolled(foot, floor, Footstep(n, *tread(foot, middle), False), heel_up, ON_TOES)
            figure.aim(body.joint_names[foot.joint], place, turn, (0.0, 0.0, 0.0))
        figure.serve([*legs.joints, *sorted(helping)])
        over = self._over(list(poses.values()), heel_up)
        figure.hold("balance", CentreOfMass(x=over[0], z=over[1]), 2)
        for limb, pose in zip(limbs, poses.values(), strict=True):
            joint = limb.joints[-1]
            tip = body.arrays.tips[joint]
            figure.pin(body.joint_names[joint], point=tip, to=pose.position, turn=pose.rotation)
        figure.reference(bent, gain=0.02)
        figure.work(_STEPS, 1e-6)
        angles = np.array(figure.angles)
        for foot in legs.feet:  # toes stay on the floor
            if foot.toes >= 0:
                angles[body.rotation_dofs[foot.toes].start] = -max(0.0, heel_up - ON_TOES)
        hands, tips = {}, hand_transforms(body, angles)
        for hand, pose in poses.items():
            at, miss = tips[hand], self._judged(tips[hand], pose)
            hands[hand] = (pose if miss.met else Transform.of(at.position, at.rotation), miss)
        return Reached(angles, hands)

    def _judged(self, at: Transform, pose: Transform) -> Miss:
        distance, degrees = at.distance(pose), math.degrees(at.angle(pose))
        return Miss(distance, degrees, in_place(self._body, distance), is_met(self._body, distance, degrees), 1)

    def _clavicle(self, shoulder: int) -> tuple[int, ...]:
        parent = self._body.joints[shoulder].parent
        return (parent,) if parent >= 0 and not self._body.joints[parent].mass else ()

    def _over(self, poses: Sequence[Transform], heel_up: float) -> tuple[float, float]:
        """Where the mass is over the feet: towards the goals, as far as the feet let it."""
        legs, middle = self._legs, np.mean([pose.position for pose in poses], axis=0)
        x = float(np.clip(0.15 * middle[0], -_ASIDE, _ASIDE))
        z = legs.mass[2] + float(np.clip(0.1 * middle[2], -0.01, _AHEAD))
        if heel_up > 0.0:
            z = legs.feet[0].stands[1] + float(legs.feet[0].ball[2]) + OVER_TOES
        return x * legs.height, z * legs.height

    def _bent(self, arms: Floats, low: float, bend: _Bend) -> Floats:
        """A posture with the knees bent for what is low."""
        body, found = self._body, np.array(arms)
        dofs = body.dofs_of(self._legs.joints)
        found[dofs] = self._standing[dofs]
        if low <= 0.0:
            return found
        for limb in (limb for limb in body.limbs.values() if limb.kind == "leg"):
            for joint, degrees in zip(limb.joints[:3], bend.leg, strict=True):
                dof = body.rotation_dofs[joint].start
                found[dof] += low * math.radians(degrees)
            hip, side = body.rotation_dofs[limb.joints[0]], 1.0 if body.joints[limb.joints[0]].centre[0] > 0.0 else -1.0
            for dof, degrees in zip(hip[1:], bend.apart, strict=False):
                found[dof] += side * low * math.radians(degrees)
        for joint in {j for limb in body.limbs.values() for j in limb.trunk}:
            found[body.rotation_dofs[joint].start] += low * math.radians(bend.trunk)
        found[body.translation_dofs[1]] -= bend.sinks * low * body.height
        return found
