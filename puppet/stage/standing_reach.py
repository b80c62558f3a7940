"""Reaching with the whole body: where trunk and arm of a body that stands do not reach, its legs help. Knees bend for
what is low, heels lift for what is high, and the mass stays over the feet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from puppet.body import Body, hand_transforms
from puppet.geometry import Transform
from puppet.locomotion import Footstep, measured, rolled, tread
from puppet.motion import posture_depth, scene_boxes
from puppet.posture import in_place, is_met
from puppet.scene import Scene, Stance
from puppet.solver import CentreOfMass, Figure
from puppet.stage.goal_postures import Start
from puppet.stage.hand_postures import HandPostures
from puppet.tasks import AtAngles, AtGesture, AtHere, AtObject, AtSpace, Miss, wanted_transform
from puppet.types import Floats

_LOW, LOWEST = 0.42, 0.12  # heights of a hand's goal over the floor below which the knees bend, and bend most
HEELS = (0.0, 18.0, 34.0)  # degrees by which heels lift, tried one after the other
_AHEAD, ASIDE = 0.045, 0.03  # how far the mass leans towards a goal at most, in heights of the body
_STEPS = 500
BENT = {"hip": -62.0, "knee": 92.0, "foot": -30.0}  # degrees of a leg that is bent for what is lowest
APART = (16.0, 24.0)  # degrees by which hips are turned, so that an arm has room between the knees
HELD_AWAY = 0.42  # the part by which an arm that hangs is lifted to its side
STOOPED = 22.0  # degrees by which each joint of the trunk bends along
YAWS = (0.0, 0.4, -0.4, 0.8, -0.8)
_TOUCHES, FAR_OFF = 1e-3, 1.0  # what only touches is in nothing; to reach a goal counts more than to be in nothing


@dataclass(frozen=True, eq=False)
class Reached:
    """How a body reaches with its legs' help, in its own coordinates."""

    angles: Floats
    reached: Transform
    miss: Miss


class StandingReach:
    """A body that stands at the middle of the world on a floor."""

    def __init__(self, body: Body, floor: float, standing: Floats) -> None:
        self._body, self._floor, self._standing = body, floor, standing
        self._legs = measured(body)

    @property
    def joints(self) -> frozenset[int]:
        """That help: the legs and the root."""
        return self._legs.joints

    def reach(self, hand: str, pose: Transform, arms: Floats | None = None) -> Reached:
        """The best of some ways to stand. arms (dofs,): the posture that all joints are in which do not help."""
        tries = []
        for degrees in HEELS:
            tries.append(self._reach(hand, pose, math.radians(degrees), self._standing if arms is None else arms))
            if tries[-1].miss.met:
                return tries[-1]
            if pose.position[1] - self._floor < 0.8 * self._legs.height:
                break  # heels lift for what is high
        return min(tries, key=lambda tried: tried.miss.position)

    def aim(
        self, inner: HandPostures, hand: str, scene: Scene, goal: AtObject | AtSpace
    ) -> tuple[AtObject | AtSpace, Reached] | None:
        """A goal with the hand turned about the vertical so that the body reaches it, its arm as little as possible in
        its own legs or in anything else."""
        best: tuple[float, AtObject | AtSpace, Reached] | None = None
        boxes, things = scene_boxes(scene), {o.name: Transform.of(scene.centre(o.name)) for o in scene.objects}
        touched = frozenset([goal.object] if isinstance(goal, AtObject) else ()) & things.keys()
        for yaw in YAWS:
            turned = replace(goal, yaw=yaw)
            pose = wanted_transform(scene, self._body.limb(hand), turned)
            assert pose is not None
            found = self.reach(hand, inner.clear(hand, pose))
            depth = posture_depth(self._body, boxes, things, found.angles, hand, touched)
            lacks = depth + (0.0 if found.miss.met else FAR_OFF + found.miss.position)
            if best is None or lacks < best[0] - 1e-4:
                best = lacks, turned, found
            if found.miss.met and depth < _TOUCHES:
                break
        return None if best is None else best[1:]

    def upright(self, angles: Floats, starts: Sequence[Start]) -> Floats:
        """A posture with the legs straight again, where one of the motions that begin has them."""
        if not any(self.joints <= start.joints for start in starts):
            return angles
        found = angles.copy()
        dofs = self._body.dofs_of(self.joints)
        found[dofs] = self._standing[dofs]
        return found

    def help(
        self, inner: HandPostures, found: Floats, starts: Sequence[Start], scene: Scene, misses: dict[int, Miss]
    ) -> Floats:
        """Goal postures in which legs help a hand that does not get there without; misses are brought up to date."""
        for start in starts:
            motion = start.motion
            if isinstance(motion.goal, (AtAngles, AtGesture)) or not motion.hand or not self.joints <= start.joints:
                continue
            miss = misses.get(motion.task)
            if miss is None or miss.met:
                continue
            pose = start.poses.get(motion.hand)
            if pose is None:
                pose = wanted_transform(scene, self._body.limb(motion.hand), motion.goal)
            if pose is None:
                continue
            beside = [hand for hand, goal in start.others.items() if isinstance(goal, AtHere)]
            arms = self._out_of_the_way(found, pose, beside)
            tried = self.reach(motion.hand, inner.clear(motion.hand, pose), arms)
            if tried.miss.met or tried.miss.position < miss.position:
                found, misses[motion.task] = tried.angles, tried.miss
        return found

    def _out_of_the_way(self, angles: Floats, pose: Transform, hands: Sequence[str]) -> Floats:
        """A posture with arms that nothing is asked of held away from the thighs of a body that bends its knees."""
        found = np.array(angles)
        low = self._low(pose)
        for hand in hands:
            dof = self._body.rotation_dofs[self._body.limb(hand).joints[0]].start
            found[dof] = self._standing[dof] * (1.0 - HELD_AWAY * low)
        return found

    def _low(self, pose: Transform) -> float:
        """How low a goal is, from 0 to 1."""
        return float(np.clip((_LOW - (pose.position[1] - self._floor)) / (_LOW - LOWEST), 0.0, 1.0))

    def _reach(self, hand: str, pose: Transform, heel_up: float, arms: Floats) -> Reached:
        body, legs, floor = self._body, self._legs, self._floor
        low = self._low(pose)
        figure = Figure(body, self._bent(arms, low))
        middle = Stance((0.0, 0.0))
        for n, foot in enumerate(legs.feet):
            place, turn, _ = rolled(foot, floor, Footstep(n, *tread(foot, middle), False), heel_up)
            figure.aim(body.joint_names[foot.joint], place, turn, (0.0, 0.0, 0.0))
        limb = body.limb(hand)
        joint = limb.joints[-1]
        figure.serve([*legs.joints, *limb.trunk, *limb.joints, *self._clavicle(limb.joints[0])])
        over = self._over(pose, heel_up)
        figure.hold("balance", CentreOfMass(x=over[0], z=over[1]), 2)
        tip = body.arrays.tips[joint]
        figure.pin(body.joint_names[joint], point=tip, to=pose.position, turn=pose.rotation)
        figure.reference(self._bent(arms, low), gain=0.02)
        figure.work(_STEPS, 1e-6)
        angles = np.array(figure.angles)
        for foot in legs.feet:  # toes stay on the floor
            if foot.toes >= 0:
                angles[body.rotation_dofs[foot.toes].start] = -max(0.0, heel_up - math.radians(8.0))
        at = hand_transforms(body, angles)[hand]
        miss = self._judged(at, pose)
        return Reached(angles, pose if miss.met else Transform.of(at.position, at.rotation), miss)

    def _judged(self, at: Transform, pose: Transform) -> Miss:
        distance, degrees = at.distance(pose), math.degrees(at.angle(pose))
        return Miss(distance, degrees, in_place(self._body, distance), is_met(self._body, distance, degrees), 1)

    def _clavicle(self, shoulder: int) -> tuple[int, ...]:
        parent = self._body.joints[shoulder].parent
        return (parent,) if parent >= 0 and not self._body.joints[parent].mass else ()

    def _over(self, pose: Transform, heel_up: float) -> tuple[float, float]:
        """Where the mass is over the feet: towards the goal, as far as the feet let it."""
        legs = self._legs
        x = float(np.clip(0.15 * pose.position[0], -ASIDE, ASIDE))
        z = legs.mass[2] + float(np.clip(0.1 * pose.position[2], -0.01, _AHEAD))
        if heel_up > 0.0:
            z = legs.feet[0].stands[1] + float(legs.feet[0].ball[2])
        return x * legs.height, z * legs.height

    def _bent(self, arms: Floats, low: float) -> Floats:
        """A posture with the knees bent for what is low."""
        body, found = self._body, np.array(arms)
        dofs = body.dofs_of(self._legs.joints)
        found[dofs] = self._standing[dofs]
        if low <= 0.0:
            return found
        for limb in (limb for limb in body.limbs.values() if limb.kind == "leg"):
            for joint, degrees in zip(limb.joints[:3], BENT.values(), strict=True):
                dof = body.rotation_dofs[joint].start
                found[dof] += low * math.radians(degrees)
            hip, side = body.rotation_dofs[limb.joints[0]], 1.0 if body.joints[limb.joints[0]].centre[0] > 0.0 else -1.0
            for dof, degrees in zip(hip[1:], APART, strict=False):
                found[dof] += side * low * math.radians(degrees)
        for joint in {j for limb in body.limbs.values() for j in limb.trunk}:
            found[body.rotation_dofs[joint].start] += low * math.radians(STOOPED)
        found[body.translation_dofs[1]] -= 0.17 * low * body.height
        return found
