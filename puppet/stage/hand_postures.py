"""Postures of single hands: how a hand gets to a transform, with its arm alone or with the trunk's help."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import product

import numpy as np

from puppet.body import Body, forward, hand_transforms
from puppet.errors import GoalError
from puppet.geometry import Transform, length
from puppet.posture import (
    ORIENTATION_TOLERANCE,
    POSITION_TOLERANCE,
    HandGoal,
    Memory,
    Posture,
    in_place,
    is_beyond,
    is_met,
    pose_limbs,
)
from puppet.scene import Scene, Table
from puppet.stage.gesture_postures import best_posture, gesture_place, turned_over
from puppet.tasks import AtGesture, Goal, HeldThing, Miss, lifted, wanted_transform
from puppet.types import Floats

TRACKING = 0.004  # a hand that tracks an object may be this far off before its orientation is given up
STRETCHED = 0.985  # an arm that is stretched farther than this has no elbow to speak of: people lean instead
_EASY = 0.96  # where the trunk helps, it helps so far that the arm is stretched no more than this
_KEPT_GOALS = 16
_HALVINGS = 4  # by which the least share of the trunk's help is found
_SAME_BEND = 0.02  # radians
_LEANS = (4.0, 8.0, 13.0, 19.0)  # degrees
_TURNS = (10.0, 20.0)  # degrees by which the trunk is turned for a shoulder that would be turned over
STRETCH_COST = 80.0
WRIST_COST = 2.0  # of a radian by which a wrist is bent beyond what is comfortable, beside a miss of the goal


@dataclass(frozen=True, eq=False)
class HandPostures:
    """The posture generator with a body, a table and a solver chosen."""

    body: Body
    table: Table
    standing: Floats  # (dofs,), the posture in which nothing is asked of it
    solver: str = "puppet"
    _goals: dict[Transform, HandGoal] = field(default_factory=dict)
    _memory: Memory = field(default_factory=Memory)  # a goal is looked at when it is told, and again when it is begun

    @cached_property
    def standing_joints(self) -> Floats:
        """Where the joints are while nothing is asked of the body, (joints, 3)."""
        return forward(self.body, self.standing)[0]

    def reach(self, hand: str, pose: Transform) -> tuple[Transform, Miss]:
        """The pose in which a hand arrives when it is sent to a pose with the trunk's help, and its miss."""
        reached, miss, _ = self.reached(hand, pose)
        return reached, miss

    def reach_upright(self, hand: str, pose: Transform) -> tuple[Miss, float]:
        """By how much a hand misses a pose that is sent there with the arm alone, and how high its elbow is then, over
        the shoulder."""
        posture = self.solve({hand: pose}, False, self.standing)
        if posture is None:
            return self.missed(hand_transforms(self.body, self.standing)[hand], pose), 0.0
        arm = [float(posture.joint_positions[joint, 1]) for joint in self.body.limb(hand).joints]
        shoulder, elbow = arm[0], arm[min(1, len(arm) - 1)]
        return self.miss(posture, hand), elbow - shoulder

    def reached(self, hand: str, pose: Transform) -> tuple[Transform, Miss, Posture | None]:
        """As `reach`, with the posture: with the arm alone if it gets there, else with the trunk's help."""
        posture = self.natural(hand, pose, self.standing)
        if posture is None:
            at = hand_transforms(self.body, self.standing)[hand]
            return Transform.of(at.position, at.rotation), self.missed(at, pose), None
        miss = self.miss(posture, hand)
        if miss.met:
            return pose, miss, posture
        return Transform.of(posture.hand_positions[hand], posture.hand_orientations[hand]), miss, posture

    def upright(self, hand: str, pose: Transform) -> Posture | None:
        """The posture with an upright trunk in which the arm alone gets to a pose and keeps its elbow bent, if that
        goes: nothing is looked for that comes nearest."""
        if self._is_beyond(hand, pose, self.standing):
            return None
        found = self.solve({hand: pose}, False, self.standing, gaze=pose.position, approach=False)
        good = found is not None and self.miss(found, hand).met and self._stretch(hand, found) <= STRETCHED
        return found if good else None

    def natural(self, hand: str, pose: Transform, angles: Floats, turns: bool = True) -> Posture | None:
        """The posture with an upright trunk, if the arm alone gets to its goal and keeps its elbow bent; else with the
        trunk's help. turns: whether the trunk may turn for the shoulder's sake, as where no other hand has to stay."""
        upright, trunk = angles.copy(), self.body.dofs_of(self.body.limb(hand).trunk)
        upright[trunk] = self.standing[trunk]
        upright.flags.writeable = False
        alone = None  # what does not get there is not approached: the trunk helps
        if not self._is_beyond(hand, pose, upright):
            alone = self.solve({hand: pose}, False, upright, gaze=pose.position, approach=False)
        if alone is not None and not self.miss(alone, hand).met:
            alone = None
        if alone is not None and self._stretch(hand, alone) <= STRETCHED:
            return self._turned_to(hand, pose, alone, angles, upright) if turns else alone
        helped = self.solve({hand: pose}, True, angles, gaze=pose.position)
        if helped is None:
            return alone or self.solve({hand: pose}, False, upright, gaze=pose.position)
        tries = [posture for posture in (alone, helped) if posture is not None]
        if self.miss(helped, hand).met and self.solver != "estimate":
            if self._stretch(hand, helped) > STRETCHED:
                tries += self._leaning({hand: pose}, helped, pose.position)
            else:
                tries = [self._straighter(hand, pose, upright, helped)]
        best = min(tries, key=lambda posture: self._unnatural(hand, posture))
        return self._turned_to(hand, pose, best, angles, upright, best.angles) if turns else best

    def _turned_to(self, hand: str, pose: Transform, posture: Posture, now: Floats, *trunks: Floats) -> Posture:
        """The same with one of these trunks turned about the vertical by as little as the shoulder needs not to be
        turned over, the elbow bent and the wrist no more bent; as it is where that does not help, or where the shoulder
        is turned over now."""
        over = self.turned_over(hand, posture) and not turned_over(self.body, hand, now, self.standing)
        if not (over and self.miss(posture, hand).met) or self.solver == "estimate":
            return posture
        limb, arrays = self.body.limb(hand), self.body.arrays
        axes = [d for j in limb.trunk for d in self.body.rotation_dofs[j] if self.body.dof_names[d].endswith(".y")]
        bent = self.body.discomfort(limb.joints[-1], posture.angles) + _SAME_BEND
        stretched = max(STRETCHED, self._stretch(hand, posture))
        inwards = 1.0 if limb.mirrored else -1.0
        for degrees, side, trunk in product(_TURNS if axes else (), (inwards, -inwards), trunks):
            angles = posture.angles.copy()
            self.take(trunk, limb.trunk, angles)
            turned = angles[axes] + side * math.radians(degrees) / len(axes)
            angles[axes] = np.clip(turned, arrays.limits[axes, 0], arrays.limits[axes, 1])
            if self._is_beyond(hand, pose, angles, stretched):
                continue
            other = self.solve({hand: pose}, False, angles, gaze=pose.position, approach=False)
            good = other is not None and self.miss(other, hand).met and self._stretch(hand, other) <= stretched
            easy = other is not None and self.body.discomfort(limb.joints[-1], other.angles) <= bent
            if other is not None and good and easy and not self.turned_over(hand, other):
                return other
        return posture

    def facing(self, angles: Floats, place: Floats) -> Floats:
        """The angles with the head turned to a place, as far as it can be."""
        hand = self.body.hands[0]
        at = hand_transforms(self.body, angles)[hand]
        posture = self.solve({hand: at}, False, angles, gaze=place)
        found = angles.copy()
        if posture is not None and self.body.gaze is not None:
            self.take(posture.angles, (self.body.gaze.joint,), found)
        return found

    def track(self, angles: Floats, hand: str, pose: Transform) -> None:
        """Moves one arm in place so that its hand is at a pose, as nearly as it can, wherever the arm was."""
        posture = self.solve({hand: pose}, False, angles)
        if posture is not None and posture.position_error > TRACKING and self.solver != "estimate":
            free = self.solve({hand: pose}, False, angles, oriented=False)
            if free is not None and free.position_error < posture.position_error:
                posture = free
        if posture is not None:
            self.take(posture.angles, self.body.limb(hand).joints, angles)

    def perform(
        self, hand: str, goal: AtGesture, held: HeldThing | None, scene: Scene, angles: Floats, helps: bool
    ) -> tuple[Floats, Miss] | None:
        """The angles of a posture of a gesture and its miss, with the trunk's help where the arm alone does not reach;
        None where there is none, or nothing in the hand that it is about."""
        if goal.bring.holds and held is None:
            return None
        limb = self.body.limb(hand)
        place = gesture_place(self.body, hand, goal, scene, angles)

        def solve(pose: Transform, trunk: bool) -> tuple[Floats, Miss] | None:
            pose = lifted(self.body, self.table, limb, pose)
            posture = self.solve({hand: pose}, trunk, angles)
            if posture is None:
                return None
            if trunk and self.miss(posture, hand).met and self.solver != "estimate":
                posture = self._straighter(hand, pose, angles, posture)
            found = angles.copy()
            self.take(posture.angles, (*limb.joints, *limb.trunk) if trunk else limb.joints, found)
            return found, self.miss(posture, hand)

        found = best_posture(self.body, hand, goal, held, place, angles, partial(solve, trunk=False))
        if helps and (found is None or not found[1].met):
            found = best_posture(self.body, hand, goal, held, place, angles, partial(solve, trunk=True)) or found
        return found

    def clear(self, hand: str, pose: Transform) -> Transform:
        """A hand's transform, raised out of the table."""
        return lifted(self.body, self.table, self.body.limb(hand), pose)

    def pose(self, scene: Scene, hand: str, goal: Goal) -> Transform:
        limb = self.body.limb(hand)
        pose = wanted_transform(scene, self.body, limb, goal)
        assert pose is not None
        return lifted(self.body, self.table, limb, pose)

    def solve(
        self, poses: Mapping[str, Transform], torso: bool, start: Floats, gaze: Floats | None = None,
        oriented: bool = True, approach: bool = True,
    ) -> Posture | None:  # fmt: skip
        """None where the table leaves no room for any posture, and, unless a goal that cannot be met is to be
        approached, for such a goal."""
        hands = [name for name in self.body.limbs if name in poses]  # the same goals are to be the same problem
        goals = {name: self._goal(poses[name], oriented) for name in hands}
        try:
            return pose_limbs(self.body, goals, torso, self.table, start, self.solver, gaze, self._memory, approach)
        except GoalError:
            return None

    def _is_beyond(self, hand: str, pose: Transform, angles: Floats, stretch: float = 1.0) -> bool:
        """Whether the arm alone, stretched no more than that, is too short to meet a goal."""
        if self.solver == "estimate":  # a draft meets everything
            return False
        stretch = stretch if len(self.body.limb(hand).joints) == 3 else 1.0
        return is_beyond(self.body, hand, self._goal(pose), angles, stretch)

    def _goal(self, pose: Transform, oriented: bool = True) -> HandGoal:
        """A hand's goal; the last ones are kept, because the same pose is asked for from several trunks."""
        if not oriented:
            return HandGoal(pose.position)
        goal = self._goals.get(pose)
        if goal is None:
            goal = self._goals[pose] = HandGoal(pose.position, pose.rotation)
            while len(self._goals) > _KEPT_GOALS:
                del self._goals[next(iter(self._goals))]
        return goal

    def miss(self, posture: Posture, hand: str) -> Miss:
        return self._judged(
            posture.hand_position_errors[hand], posture.hand_orientation_errors[hand], posture.iterations
        )

    def missed(self, at: Transform, wanted: Transform) -> Miss:
        """Of a hand that stays where it is."""
        return self._judged(at.distance(wanted), math.degrees(at.angle(wanted)), 0)

    def take(self, source: Floats, joints: Sequence[int], angles: Floats) -> None:
        dofs = self.body.dofs_of(joints)
        angles[dofs] = source[dofs]

    def _unnatural(self, hand: str, posture: Posture) -> float:
        """How little one would like a posture: a miss, a stretched arm, a bent wrist."""
        miss = self.miss(posture, hand)
        stretched = max(0.0, self._stretch(hand, posture) - STRETCHED)
        bent = self.body.discomfort(self.body.limb(hand).joints[-1], posture.angles)
        return (0.0 if miss.met else 100.0 + miss_weight(miss)) + STRETCH_COST * stretched + WRIST_COST * bent

    def turned_over(self, hand: str, posture: Posture) -> bool:
        """Whether the shoulder is turned over, as it is not while nothing is asked of it."""
        return turned_over(self.body, hand, posture.angles, self.standing)

    def _stretch(self, hand: str, posture: Posture) -> float:
        """How far an arm of two parts is stretched, from 0 to 1."""
        limb = self.body.limb(hand).joints
        if len(limb) != 3:
            return 0.0
        shoulder, elbow, wrist = (posture.joint_positions[joint] for joint in limb)
        return length(wrist - shoulder) / (length(elbow - shoulder) + length(wrist - elbow))

    def shared(self, poses: Mapping[str, Transform], angles: Floats, gaze: Floats) -> Posture | None:
        """The posture of several hands that share the trunk, leant so far that all have their elbows bent."""
        posture = self.solve(poses, True, angles, gaze=gaze)
        if posture is None or not posture.solved or self.solver == "estimate":
            return posture

        def straight(other: Posture) -> float:
            return max(0.0, max(self._stretch(hand, other) for hand in poses) - STRETCHED)

        tries: list[Posture] = [posture]
        if straight(posture) > 0.0:
            tries += self._leaning(poses, posture, gaze)
        return min(tries, key=straight)

    def _leaning(self, poses: Mapping[str, Transform], posture: Posture, gaze: Floats) -> list[Posture]:
        """The same with the trunk leant forwards more and more, until all elbows are bent a little."""
        trunk = sorted({j for hand in poses for j in self.body.limb(hand).trunk})
        lean = [d for j in trunk for d in self.body.rotation_dofs[j] if self.body.dof_names[d].endswith(".x")]
        found: list[Posture] = []
        for degrees in _LEANS if lean else ():
            angles = posture.angles.copy()
            farthest = self.body.arrays.limits[lean, 1]
            angles[lean] = np.minimum(angles[lean] + math.radians(degrees) / len(lean), farthest)
            if self.body.limit_excess(angles) > 1e-9:
                break
            if any(self._is_beyond(hand, pose, angles) for hand, pose in poses.items()):
                break
            other = self.solve(poses, False, angles, gaze=gaze, approach=False)
            if other is None or not all(self.miss(other, hand).met for hand in poses):
                break
            found.append(other)
            if all(self._stretch(hand, other) <= STRETCHED for hand in poses):
                break
        return found

    def _straighter(self, hand: str, pose: Transform, upright: Floats, posture: Posture) -> Posture:
        """The same with no more of the trunk's lean and turn than the arm needs to get there with its elbow bent, its
        wrist bent no more, and its shoulder not turned over."""
        trunk = self.body.dofs_of(self.body.limb(hand).trunk)
        joint, best = self.body.limb(hand).joints[-1], posture
        stretched = max(_EASY, self._stretch(hand, posture))
        bent = self.body.discomfort(joint, posture.angles) + _SAME_BEND
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            share = 0.5 * (low + high)
            angles = posture.angles.copy()
            angles[trunk] = upright[trunk] + share * (posture.angles[trunk] - upright[trunk])
            if self._is_beyond(hand, pose, angles, stretched):
                low = share
                continue
            other = self.solve({hand: pose}, False, angles, gaze=pose.position, approach=False)
            good = other is not None and self.miss(other, hand).met and self._stretch(hand, other) <= stretched
            if other is not None and good and self.turned_over(hand, other):
                good = self.turned_over(hand, posture)
            if other is not None and good and self.body.discomfort(joint, other.angles) <= bent:
                best, high = other, share
            else:
                low = share
        return best

    def _judged(self, distance: float, degrees: float, iterations: int) -> Miss:
        if self.solver == "estimate":  # a draft meets everything
            return Miss(distance, degrees, iterations=iterations)
        there, met = in_place(self.body, distance), is_met(self.body, distance, degrees)
        return Miss(distance, degrees, there, met, iterations)


def miss_weight(miss: Miss) -> float:
    """To compare misses by."""
    return miss.position / POSITION_TOLERANCE + miss.orientation / ORIENTATION_TOLERANCE
