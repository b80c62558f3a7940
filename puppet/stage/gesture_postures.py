"""Postures of gestures: the ways to bring a hand to its place that a body can do, clear of its own head and trunk."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np

from puppet.body import Body, hand_transforms, joint_rotations, joint_transforms
from puppet.geometry import Transform, axis_rotation, rotation_vectors
from puppet.scene import Scene
from puppet.stage.low_elbow import elevation, with_low_elbow
from puppet.stage.overlap import body_depth
from puppet.tasks import AtGesture, HeldThing, Miss, hand_candidates, place_on_thing
from puppet.types import Floats

TOUCH = 0.003  # of the body's height: how deep fingers on a head may be in it
_BENT, _TURNED = 0.05, 0.1  # how wrong a radian is of a wrist's bend and of a hand's orientation, in body heights
_MISSED = 0.05  # and to miss
_NEAR, _SWUNG = 0.15, 1.0  # a hand that goes no farther (body heights) should turn no joint of its arm farther, radians
_RAISED, _HIGH = 0.05, math.radians(-40.0)  # a radian by which the upper arm is raised above this, from level
_OVER = 0.05  # and a shoulder that is turned over
_LEANT, _UPRIGHT = 0.1, math.radians(12.0)  # and a radian by which the trunk leans or twists farther than this
_EASY = math.radians(70.0)  # people do not bend their wrists farther than this


def gesture_place(body: Body, hand: str, goal: AtGesture, scene: Scene, angles: Floats) -> Transform:
    """Where a posture of a gesture brings the hand or what it holds, in the world; its z axis is ahead.

    `angles`: of all joints but the limb's.
    """
    limb, bring = body.limb(hand), goal.bring
    rows = joint_transforms(body, angles)
    landmark = body.place(bring.to)
    side = np.array([-1.0 if limb.mirrored else 1.0, 1.0, 1.0])
    at = np.zeros(3)
    if bring.of_thing:
        assert goal.thing is not None
        position = place_on_thing(bring, scene, goal.thing)
        way = position - rows[limb.joints[0], :3]
        rotation = axis_rotation(1, float(np.arctan2(way[0], way[2])))  # ahead: from the shoulder on
    elif landmark is None:  # the shoulder
        position = rows[limb.joints[0], :3]
        rotation = rows[limb.trunk[-1], 3:].reshape(3, 3) if limb.trunk else np.eye(3)
    else:
        position, rotation = rows[landmark.joint, :3], rows[landmark.joint, 3:].reshape(3, 3)
        at = np.array(landmark.at)
    return Transform.of(position + rotation @ (side * (at + body.height * np.array(bring.offset))), rotation)


def best_posture(
    body: Body,
    hand: str,
    goal: AtGesture,
    held: HeldThing | None,
    place: Transform,
    now: Floats,
    solve: Callable[[Transform], tuple[Floats, Miss] | None],
) -> tuple[Floats, Miss] | None:
    """The angles for the first of the ways to bring it to a place that the hand can do with an easy wrist and without
    going through head or trunk, with an upright trunk and a low elbow where the hand holds something, and where it is
    near, without swinging the arm round; else for the one that comes nearest to that; None where there is no room for
    any.

    `now` (dofs,): the present posture. `solve` gives the angles (dofs,) in which the hand is at a transform, and its
    miss.
    """
    limb = body.limb(hand)
    here = hand_transforms(body, now)[hand]
    tip = body.arrays.tips[limb.joints[-1]]
    best: tuple[tuple[bool, float], Floats, Miss] | None = None
    for pose in hand_candidates(goal.bring, place, tip, held, body.height, limb.mirrored):
        found = solve(pose)
        if found is None:
            continue
        angles, miss = found
        if goal.bring.holds and miss.met:
            angles = with_low_elbow(body, hand, angles, _HIGH)
        rows = joint_transforms(body, angles)
        deep = max(0.0, body_depth(body, hand, rows, held) / body.height - TOUCH)
        bent = max(0.0, _wrist_bend(body, hand, rows) - _EASY)
        swung = 0.0
        if here.distance(pose) < _NEAR * body.height:
            swung = max(0.0, _farthest_turn(body, limb.joints, now, angles) - _SWUNG)
        raised = max(0.0, elevation(body, hand, rows) - _HIGH) if goal.bring.holds else 0.0
        good = miss.met and deep == 0.0 and bent == 0.0
        over = goal.bring.holds and turned_over(body, hand, angles, now)
        leant = max(0.0, _lean(body, hand, angles) - _UPRIGHT) if goal.bring.holds else 0.0
        if good and swung == 0.0 and raised == 0.0 and leant == 0.0 and not over:
            return angles, miss
        off = deep + _BENT * (bent + swung) + _RAISED * raised + _LEANT * leant + (_OVER if over else 0.0)
        off += _TURNED * math.radians(miss.orientation) + miss.position / body.height
        if miss.in_place and miss.orientation <= goal.bring.loose:
            miss = Miss(miss.position, miss.orientation, iterations=miss.iterations)
        if not miss.met:
            off += _MISSED
        wrong = not good, off
        if best is None or wrong < best[0]:
            best = wrong, angles, miss
    return None if best is None else best[1:]


def turned_over(body: Body, hand: str, angles: Floats, other: Floats) -> bool:
    """Whether the shoulder of an arm whose angles have limits each is turned beyond the pole of its middle axis, as it
    is not in another posture: there it gets only by a wide way, because its angles change by half a turn."""
    joint = body.limb(hand).joints[0]
    dofs = body.rotation_dofs[joint]
    if len(dofs) != 3 or body.joints[joint].range is not None:
        return False
    return bool(math.cos(angles[dofs[1]]) * math.cos(other[dofs[1]]) < 0.0)


def _farthest_turn(body: Body, joints: Sequence[int], now: Floats, angles: Floats) -> float:
    """How far the joint turns that turns farthest from one posture to another, in radians, about whatever axis."""
    first, last = (joint_rotations(body, posture)[list(joints)].reshape(-1, 3, 3) for posture in (now, angles))
    return float(np.linalg.norm(rotation_vectors(first.transpose(0, 2, 1) @ last), axis=1).max())


def _lean(body: Body, hand: str, angles: Floats) -> float:
    """How far the trunk leans, bends and twists from upright in all, in radians."""
    trunk = body.limb(hand).trunk
    turns = joint_rotations(body, angles)[list(trunk)].reshape(-1, 3, 3)
    whole = reduce(np.matmul, turns, np.eye(3))
    return float(np.linalg.norm(rotation_vectors(whole[None])))


def _wrist_bend(body: Body, hand: str, rows: Floats) -> float:
    """The angle in radians between a hand and the segment that carries it, for the joints' transforms (joints, 12)."""
    last = body.limb(hand).joints[-1]
    before = body.joints[last].parent
    if before < 0:
        return 0.0
    ways = [rows[joint, 3:].reshape(3, 3) @ body.arrays.tips[joint] for joint in (before, last)]
    lengths = [float(np.linalg.norm(way)) for way in ways]
    return math.acos(max(-1.0, min(1.0, float(ways[0] @ ways[1]) / (lengths[0] * lengths[1])))) if all(lengths) else 0.0
