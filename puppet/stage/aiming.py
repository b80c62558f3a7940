"""Aiming: how a hand is turned about the vertical for a goal, so that it is in line with its forearm."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

import numpy as np

from puppet.geometry import Transform, rotation_about
from puppet.motion import posture_depth, scene_boxes
from puppet.posture import Posture
from puppet.scene import Scene
from puppet.stage.hand_postures import WRIST_COST, HandPostures, miss_weight
from puppet.tasks import Aimed, AtObject, AtPoint, Miss, at_transform, grip
from puppet.types import Floats

YAW_TRIES = 4  # postures that are tried for the turn of a hand about the vertical
YAW_DONE = math.radians(6.0)  # a hand that is turned from its forearm by less than this is in line with it
LARGEST_YAW = math.radians(100.0)
OTHER_YAWS = tuple(math.radians(angle) for angle in (-25.0, 25.0, -50.0, 50.0, -75.0, 75.0))
PITCHES = tuple(math.radians(angle) for angle in (25.0, -25.0, 50.0, -50.0, 70.0, -70.0))  # of fingers at a point
SLOPES = tuple(math.radians(angle) for angle in (25.0, 45.0))  # by which fingers of a side grip point down
EASY_BEND, STRAIGHT = math.radians(30.0), math.radians(2.0)  # by which a wrist, and a trunk, are bent without need
LEANING = 3.0  # of a radian by which the trunk is bent, beside one of the wrist
DEPTH_COST, IN_THINGS = 60.0, 2e-3  # of an arm in something, which an elbow that is moved may cure if it is no more
OVER_COST = 0.4  # of a shoulder that is turned over, beside a miss of the goal


@dataclass(frozen=True, eq=False)
class _Aim:
    """A goal that was tried."""

    goal: Aimed
    transform: Transform  # of the hand where it ends
    miss: Miss
    turn: float  # by how much the hand would have to be turned inwards to be in line with its forearm
    bent: float  # by how many radians the wrist is bent beyond what is comfortable
    depth: float  # how deep the arm is in anything
    over: bool  # whether its shoulder is turned over, see HandPostures
    upright: bool  # whether the trunk has no part in it

    @property
    def good(self) -> bool:
        return self.miss.met and self.bent == 0.0 and self.depth < IN_THINGS and not self.over

    @property
    def cost(self) -> float:
        lost = 0.0 if self.miss.met else 10.0 + miss_weight(self.miss)
        lost += OVER_COST if self.over else 0.0
        return lost + WRIST_COST * self.bent + DEPTH_COST * max(0.0, self.depth - IN_THINGS) + 0.1 * abs(self.turn)


def aim(postures: HandPostures, hand: str, scene: Scene, goal: Aimed) -> tuple[Aimed, Transform, Miss]:
    """A goal with the hand turned about the vertical so that it is in line with the forearm of the arm that reaches
    for it, as far as that goes, at a point with its fingers raised or lowered as well; where the hand ends, and by how
    much it misses. A trunk that leans is worse than most of what a hand at a point does: it helps there only where
    none of the upright postures will do."""
    if isinstance(goal, AtPoint) and postures.solver != "estimate":
        best = _best(postures, hand, scene, goal, True)
        if best is not None and best.miss.met and best.upright and best.depth < IN_THINGS:
            return best.goal, best.transform, best.miss
    best = _best(postures, hand, scene, goal, False)
    if best is None:
        return goal, *postures.reach(hand, postures.pose(scene, hand, goal))
    return best.goal, best.transform, best.miss


def _best(postures: HandPostures, hand: str, scene: Scene, goal: Aimed, upright: bool) -> _Aim | None:
    """The best of the goals that are tried, if there is any posture at all. upright: whether all but the first are
    tried with an upright trunk alone."""
    tried: list[_Aim] = []
    first = _first_yaw(postures, hand, postures.pose(scene, hand, goal).position)
    yaw = first
    for _ in range(1 if postures.solver == "estimate" else YAW_TRIES):
        aim = _tried(postures, hand, scene, _turned(postures, hand, goal, yaw), upright and bool(tried))
        if aim is None:
            break
        tried.append(aim)
        if abs(aim.turn) < YAW_DONE or (aim.good and abs(aim.turn) < 3.0 * YAW_DONE):
            break
        yaw = min(max(yaw + 0.8 * aim.turn, -LARGEST_YAW), LARGEST_YAW)
    if not tried:
        return None
    best = min(tried, key=lambda aim: aim.cost)
    if not best.good and postures.solver != "estimate":
        for by in OTHER_YAWS:
            if abs(first + by) > LARGEST_YAW:
                continue
            other = _tried(postures, hand, scene, _turned(postures, hand, goal, first + by), upright)
            if other is not None and other.cost < best.cost - 1e-9:
                best = other
            if best.good:
                break
    if isinstance(goal, AtObject) and goal.grip == "side" and goal.pitch is None and best.depth >= IN_THINGS:
        level = best.goal
        assert isinstance(level, AtObject)
        for pitch, by in product(SLOPES if postures.solver != "estimate" else (), (0.0, *OTHER_YAWS[:2])):
            if abs(level.yaw + by) <= LARGEST_YAW:  # over what is in the way of a level forearm
                other = _tried(postures, hand, scene, replace(level, yaw=level.yaw + by, pitch=pitch))
                if other is not None and other.cost < best.cost - 1e-9:
                    best = other
            if best.good:
                break
    if isinstance(goal, AtPoint) and not best.good and postures.solver != "estimate":
        level = best.goal
        for pitch in PITCHES:  # nothing stands there that a level hand would take
            other = _tried(postures, hand, scene, _pitched(postures, hand, level, pitch), upright)
            if other is not None and other.cost < best.cost - 1e-9:
                best = other
            if best.good:
                break
    return best


def _turned(postures: HandPostures, hand: str, goal: Aimed, yaw: float) -> Aimed:
    """A goal with the hand turned inwards by an angle: at a point, from how it is there."""
    if not isinstance(goal, AtPoint):
        return replace(goal, yaw=yaw)
    rotation = grip.turned(postures.body.limb(hand), yaw) @ np.reshape(goal.rotation, (3, 3))
    return at_transform(Transform.of(goal.position, rotation))


def _pitched(postures: HandPostures, hand: str, goal: Aimed, pitch: float) -> AtPoint:
    """A hand at a point with its fingers lower by an angle than they are."""
    assert isinstance(goal, AtPoint)
    rotation = np.reshape(goal.rotation, (3, 3))
    fingers = rotation @ postures.body.arrays.tips[postures.body.limb(hand).joints[-1]]
    across = np.array([fingers[2], 0.0, -fingers[0]])
    across /= max(float(np.linalg.norm(across)), 1e-9)
    return at_transform(Transform.of(goal.position, rotation_about(pitch * across) @ rotation))


def _tried(
    postures: HandPostures, hand: str, scene: Scene, goal: Aimed, upright: bool = False
) -> _Aim | None:  # fmt: skip
    """A goal with the posture for it, if there is one. upright: whether that has to meet it with an upright trunk."""
    pose = postures.pose(scene, hand, goal)
    if upright:
        posture = postures.upright(hand, pose)
        reached, miss = pose, Miss() if posture is None else postures.miss(posture, hand)
    else:
        reached, miss, posture = postures.reached(hand, pose)
    if posture is None:
        return None
    turn, bent = _wrist(postures, hand, posture, isinstance(goal, AtPoint))
    boxes = scene_boxes(scene)
    touched = frozenset([goal.object]) if isinstance(goal, AtObject) else frozenset()
    depth = posture_depth(postures.body, boxes, _things(scene), posture.angles, hand, touched)
    trunk = postures.body.dofs_of(postures.body.limb(hand).trunk)
    straight = bool(np.abs(posture.angles[trunk] - postures.standing[trunk]).max(initial=0.0) < STRAIGHT)
    return _Aim(goal, reached, miss, turn, bent, depth, postures.turned_over(hand, posture), straight)


@lru_cache(maxsize=16)
def _things(scene: Scene) -> Mapping[str, Transform]:
    """Where the things of a scene stand."""
    return {name: Transform.of(scene.centre(name)) for name in scene_boxes(scene).names}


def _first_yaw(postures: HandPostures, hand: str, place: Floats) -> float:
    """How far a forearm that comes from an elbow beside the body is turned inwards."""
    limb = postures.body.limb(hand)
    if postures.body.joints[limb.joints[0]].parent < 0:
        return 0.0
    side = -1.0 if limb.mirrored else 1.0
    shoulder = postures.standing_joints[limb.joints[0]]
    reach = float(np.linalg.norm(postures.body.arrays.offsets[limb.joints[1]])) if len(limb.joints) > 1 else 0.0
    elbow = shoulder + reach * np.array([0.45 * side, -0.8, 0.35])
    way = place - elbow
    return float(np.clip(math.atan2(-side * way[0], max(way[2], 0.05)), -1.2, 1.2))


def _wrist(postures: HandPostures, hand: str, posture: Posture, free: bool) -> tuple[float, float]:
    """By how much the hand would have to be turned inwards to be in line with its forearm, seen from above; and by
    how many radians its wrist is bent beyond what is comfortable; of a hand that is free to be turned in any way, more
    than a little, or the trunk, or the elbow is raised far over the shoulder."""
    limb = postures.body.limb(hand)
    if len(limb.joints) < 2:
        return 0.0, 0.0
    joint = limb.joints[-1]
    wrist, elbow = posture.joint_positions[joint], posture.joint_positions[limb.joints[-2]]
    ahead, along = posture.hand_positions[hand] - wrist, wrist - elbow
    turn = 0.0
    if min(np.hypot(ahead[0], ahead[2]), np.hypot(along[0], along[2])) > 0.02:
        turn = math.atan2(along[0], along[2]) - math.atan2(ahead[0], ahead[2])
        turn = (turn + math.pi) % (2.0 * math.pi) - math.pi
        turn = turn if limb.mirrored else -turn
    bent = postures.body.discomfort(joint, posture.angles)
    if free:
        cosine = float(ahead @ along / max(float(np.linalg.norm(ahead) * np.linalg.norm(along)), 1e-9))
        trunk = postures.body.dofs_of(limb.trunk)
        leans = np.abs(posture.angles[trunk] - postures.standing[trunk]).max(initial=0.0)
        bent += max(0.0, math.acos(min(1.0, max(-1.0, cosine))) - EASY_BEND)
        bent += LEANING * max(0.0, float(leans) - STRAIGHT)
        upper = elbow - posture.joint_positions[limb.joints[0]]
        bent += max(0.0, float(upper[1]) / max(float(np.linalg.norm(upper)), 1e-9) - math.sin(EASY_BEND))
    return turn, bent
