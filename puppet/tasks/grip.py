"""Grips: where a hand goes to take hold. Tables 6.1 and 6.2 as data, a row for each grip, for a left hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from puppet.body import Body, Limb
from puppet.geometry import MIRROR, Transform, axis_rotation
from puppet.scene import Position, Scene, Table, point_excess, segment_excess
from puppet.types import Floats

_MARGIN = 2e-4  # more than the required clearance, so that rounding errors do not count as a collision
# Where the tip of a resting left hand is, from the middle of the table's front edge: (x, z) in order of preference.
REST_HEIGHT = 0.012
REST_YAW = math.radians(25.0)  # inwards, as the forearm comes from the side
REST_PLACES = tuple((x, z) for x in (0.12, 0.16, 0.20, 0.08, 0.24) for z in (0.05, 0.035, 0.02))
HAND_SIZE = (0.025, 0.03, 0.1)  # half the breadth, the height, the length of a flat hand
_LIFT_STEPS = 25  # bisections
_DRAWN_BACK = 0.7  # of the way from the middle of a side to its edge, at most


@dataclass(frozen=True)
class Grip:
    """On which side of a cube the hand is, and how a left hand is turned: degrees about z, y, x (R = Rz Ry Rx)."""

    side: tuple[float, float, float]
    turn: tuple[float, float, float]


GRIP_TABLE: Mapping[str, Grip] = {
    "side": Grip((1.0, 0.0, 0.0), (0.0, -90.0, -90.0)),
    "top": Grip((0.0, 1.0, 0.0), (0.0, -90.0, 0.0)),
    "bottom": Grip((0.0, -1.0, 0.0), (0.0, -90.0, -180.0)),
}


def hand_rotation(hand: Limb, turn_zyx: tuple[float, float, float]) -> Floats:
    """The rotation Rz Ry Rx by degrees that are written for a left hand, mirrored for a mirrored one."""
    z, y, x = (math.radians(angle) for angle in turn_zyx)
    rotation = axis_rotation(2, z) @ axis_rotation(1, y) @ axis_rotation(0, x)
    return MIRROR @ rotation @ MIRROR if hand.mirrored else rotation


def grip_rotation(hand: Limb, grip: str) -> Floats:
    return hand_rotation(hand, GRIP_TABLE[grip].turn)


def grip_offset(hand: Limb, grip: str, width: float) -> Floats:
    """From the centre of a cube to the hand's tip (Table 6.1)."""
    offset = width * np.array(GRIP_TABLE[grip].side)
    return MIRROR @ offset if hand.mirrored else offset


def turned(hand: Limb, yaw: float) -> Floats:
    """The rotation about the vertical by which a hand is turned inwards: from a grip to another of the same family."""
    return axis_rotation(1, yaw if hand.mirrored else -yaw)


def pitched(hand: Limb, grip: str, pitch: float) -> Floats:
    """The rotation of a grip, the fingers of a side grip pointing down by an angle: the palm stays on its side."""
    return axis_rotation(0, pitch if grip == "side" else 0.0) @ grip_rotation(hand, grip)


def transform_at_object(
    scene: Scene, hand: Limb, name: str, grip: str, yaw: float = 0.0, pitch: float = 0.0
) -> Transform:
    """The transform of a hand at an object (Table 6.1), turned about the vertical through its middle."""
    turn = turned(hand, yaw)
    offset = turn @ grip_offset(hand, grip, scene.object(name).width)
    return Transform.of(np.array(scene.centre(name)) + offset, turn @ pitched(hand, grip, pitch))


def held_in_hand(hand: Limb, grip: str, width: float) -> Transform:
    """The transform of a held object relative to the hand."""
    at_hand = Transform.of(grip_offset(hand, grip, width), grip_rotation(hand, grip))
    return at_hand.relative(Transform.of((0.0, 0.0, 0.0)))


def transform_at_space(
    scene: Scene, hand: Limb, space: str, grip: str, yaw: float = 0.0, pitch: float = 0.0
) -> Transform:
    """The transform of a hand at an empty space (Table 6.2)."""
    return Transform.of(scene.space(space).position, turned(hand, yaw) @ pitched(hand, grip, pitch))


def transform_at_rest(scene: Scene, hand: Limb) -> Transform:
    """The transform of an idle hand: flat on the table near its edge (Table 7.2), at a free place if there is one."""
    return rest_transforms(scene, hand)[0]


def rest_transforms(scene: Scene, hand: Limb) -> list[Transform]:
    """Where an idle hand may lie on the table, in order of preference: the free places, or the usual one."""
    table = scene.table
    side = -1.0 if hand.mirrored else 1.0
    middle = table.skew if table.before is None else table.before
    places = [(middle + side * x, table.front + z) for x, z in REST_PLACES]
    low = [(scene.base(o.name), o.width) for o in scene.objects]
    low = [(base, width) for base, width in low if base[1] < table.height + HAND_SIZE[1]]
    free = [place for place in places if not any(_overlaps(*place, *entry) for entry in low)]
    turn = turned(hand, REST_YAW) @ grip_rotation(hand, "top")
    return [Transform.of((x, table.height + REST_HEIGHT, z), turn) for x, z in free or places[:1]]


def _overlaps(x: float, z: float, base: Position, width: float) -> bool:
    """Whether a flat hand with its tip at (x, z), pointing away from the puppet, would be inside a cube."""
    beside = abs(x - base[0]) >= HAND_SIZE[0] + width
    return not (beside or z <= base[2] - width or z - HAND_SIZE[2] >= base[2] + width)


def possible_grip(scene: Scene, name: str, grip: str) -> tuple[str, str]:
    """The possible grip on an object in a scene, and why it is not the one asked for ("" if it is).

    There is no room for a hand between stacked things, nor under what stands on the table (Section 6.5).
    """
    above, below, space = scene.above(name), scene.below(name), scene.space_of(name)
    if grip == "top" and above is not None:
        return "side", f"'{above}' stands on '{name}', so the hand takes it by the side"
    if grip == "bottom" and below is not None:
        return "side", f"'{name}' stands on '{below}', so the hand takes it by the side"
    if grip == "bottom" and space.dynamic:
        return "side", f"'{name}' lies in the {space.name} hand, so the hand takes it by the side"
    _, y, z = scene.base(name)
    if grip == "bottom" and z > scene.table.front and y < scene.table.height + HAND_SIZE[1]:
        return "side", f"'{name}' stands on the table, so the hand takes it by the side"
    return grip, ""


def lifted(body: Body, table: Table, hand: Limb, transform: Transform) -> Transform:
    """A hand's transform, raised by as little as the hand needs to be clear of the table (trap 3)."""
    joint = hand.joints[-1]
    need = body.joints[joint].clearance
    to_tip = transform.rotation @ body.arrays.tips[joint]

    def excess(raised: float) -> float:
        tip = transform.position + np.array([0.0, raised, 0.0])
        wrist = tip - to_tip
        worst = 0.0
        if need.tip is not None:
            worst = max(worst, point_excess(table, tip, need.tip))
        if need.centre is not None:
            worst = max(worst, point_excess(table, wrist, need.centre))
        if need.segment is not None:
            worst = max(worst, segment_excess(table, wrist, tip, need.segment))
        return worst

    raised = 0.0
    if excess(0.0) > 0.0:
        low, high = 0.0, 0.01
        while excess(high) > 0.0:
            low, high = high, 2.0 * high
        for _ in range(_LIFT_STEPS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if excess(middle) > 0.0 else (low, middle)
        raised = high + _MARGIN
    over = max(transform.position[2], (transform.position - to_tip)[2]) > table.front
    if over:  # all of the hand that is drawn
        lowest = transform.position[1] - to_tip[1] + _lowest(body, joint, transform.rotation)
        raised = max(raised, table.height + _MARGIN - lowest)
    return transform.moved((0.0, raised, 0.0)) if raised > 0.0 else transform


def above_base(body: Body, hand: Limb, transform: Transform, base: float) -> Transform:
    """A hand at the side of a thing, raised so that none of it is lower than what the thing stands on, here or wherever
    the hand will put it."""
    joint = hand.joints[-1]
    wrist = transform.position[1] - float(transform.rotation[1] @ body.arrays.tips[joint])
    low = base + _MARGIN - wrist - _lowest(body, joint, transform.rotation)
    return transform.moved((0.0, low, 0.0)) if low > 0.0 else transform


def drawn_back(body: Body, hand: Limb, transform: Transform, grip: str, width: float) -> Transform:
    """A hand at a thing that is wider than the hand is long, drawn back along its fingers until the wrist is behind the
    edge: the forearm is thicker than the hand, and has no room beside the thing."""
    if len(hand.joints) < 2:
        return transform
    reach = transform.rotation @ body.arrays.tips[hand.joints[-1]]
    long, thick = float(np.linalg.norm(reach)), body.joints[hand.joints[-2]].clearance.segment or 0.0
    along = reach / long
    edge = width / (max(abs(along[1]), math.hypot(along[0], along[2])) if grip == "side" else np.abs(along).max())
    back = min(max(0.0, edge + thick - long), _DRAWN_BACK * width)
    return transform.moved(-back * along) if back > 0.0 else transform


@lru_cache(maxsize=64)
def _shapes(body: Body, joint: int) -> Floats:
    """Points of the shapes of a segment, how far a shape reaches from each in all directions, the radii of a ball, and
    half the edges of a box, (n, 10)."""
    rows = []
    for shape in body.joints[joint].shapes:
        ball, box, none = shape.kind == "ball", shape.kind == "box", np.zeros(3)
        for place, point in enumerate(shape.points):
            around = 0.0 if ball or box else shape.sizes[place]
            radii, halves = shape.sizes if ball else none, 0.5 * np.array(shape.sizes) if box else none
            rows.append([*point, around, *radii, *halves])
    return np.array(rows).reshape(-1, 10)


def _lowest(body: Body, joint: int, rotation: Floats) -> float:
    """How far the shapes of a segment reach down from its joint, when it is turned so."""
    rows, up = _shapes(body, joint), rotation[1]
    balls = rows[:, 4:7] * up
    down = rows[:, 3] + np.sqrt((balls * balls).sum(axis=1)) + rows[:, 7:] @ np.abs(up)
    return float((rows[:, :3] @ up - down).min(initial=0.0))
