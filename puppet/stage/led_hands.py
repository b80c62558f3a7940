"""Hands of a body that goes somewhere which are led around what is in their way, with what they hold."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from puppet.body import Body, hand_transforms, joint_transforms
from puppet.geometry import Transform, minimum_jerk
from puppet.motion import (
    ArmRoom,
    HandCourse,
    HandPath,
    Problem,
    StagedScene,
    plan,
    scene_boxes,
)
from puppet.stage.journey import Journey, in_hand
from puppet.types import Floats

_LIFTS, _LIFTS_OFF = 0.04, 0.1  # a hand that comes back lifts by so much, or by so much from what it touches
_KEEPS = 0.01  # what it keeps from things then


def carried_depth(body: Body, journey: Journey, postures: Floats, hands: Collection[str]) -> float:
    """How deep arms, and what they hold, get into anything on their way."""
    room = ArmRoom(body, scene_boxes(journey.scene), journey.things)
    held = in_hand(journey)
    deepest = max((room.depth(postures[0], postures[1:], hand, held) for hand in hands), default=0.0)
    for hand in held.keys() & set(hands):
        both = [other for other, name in held.items() if name == held[hand]]
        own = hand_transforms(body, postures[0])[hand].relative(journey.things[held[hand]])
        for angles in postures[1:]:
            at = hand_transforms(body, angles)[hand].compose(own)
            deepest = max(deepest, -room.thing_clearance(angles, held[hand], at, both))
    return deepest


def led_hands(body: Body, journey: Journey, references: Floats, hands: Sequence[str]) -> Floats:
    """Frames in which hands go from where they are to where they end, with what they hold, around what is in their
    way."""
    world = joint_transforms(body, references)
    shares = minimum_jerk(np.arange(1, len(references)) / (len(references) - 1))
    courses = []
    staged, tips = StagedScene(journey.scene, journey.things), hand_transforms(body, references[0])
    holding = {hand: name for hand, name in journey.holding.items() if name is not None and hand in hands}
    carrying = [staged.along(0, hand, journey.scene.tower(name), tips[hand], 0) for hand, name in holding.items()]
    for hand in hands:
        limb = body.limb(hand)
        joint, side = limb.joints[-1], -1.0 if limb.mirrored else 1.0
        start, end = (Transform.of(row[:3], row[3:]) for row in world[[0, -1], joint])
        outwards = np.array([math.cos(journey.goal.before.turn), 0.0, -math.sin(journey.goal.before.turn)]) * side
        touched = journey.touching.get(hand, frozenset())
        path = HandPath.bowed(start, end, outwards, side, _LIFTS_OFF if touched else _LIFTS)
        courses.append(HandCourse(hand, path, shares, hand in holding, True, touches=touched, outwards=side))
    joints = frozenset(joint for hand in hands for joint in body.limb(hand).joints)
    problem = Problem(
        body, scene_boxes(journey.scene), journey.things, references[0], references, joints, frozenset(),
        tuple(courses), tuple(carrying), 0, _KEEPS,
    )  # fmt: skip
    return np.concatenate([references[:1], plan(problem)[0].postures])
