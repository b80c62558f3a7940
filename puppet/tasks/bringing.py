"""Where gestures bring hands and what they hold: to a place of the body, or of the thing that the gesture is about.

All is written for a left hand. What a mirrored hand does is found in the mirror: places and things are mirrored first,
and the hand's transform at the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from puppet.geometry import MIRROR, Transform, axis_rotation, rotation_about
from puppet.scene import Lip, Object, Scene, lip_of, switch_of
from puppet.types import Floats, Vector

HAND_PARTS = ("tip", "wrist")
HELD_PARTS = ("lip", "base")
THING_PLACES = ("opening", "switch")
SHOULDER = "shoulder"  # the place that every limb has: where it begins
_STEP = 15.0  # degrees between the ways to turn a hand that are tried
_UP = np.array([0.0, 1.0, 0.0])
_LEVEL = 0.5  # a direction is level where at least this much of it is


@dataclass(frozen=True)
class Bring:
    """A part of the hand or of what it holds, brought to a place."""

    part: str  # tip or wrist of the hand; lip or base of what it holds
    to: str  # a place of the body; or of the goal thing: its opening or its switch
    offset: Vector = (0.0, 0.0, 0.0)  # from the place, in body heights: to the hand's own side, up, ahead
    over: float = 0.0  # how far all of what is held stays above the place, in body heights
    palm: Vector = (0.0, -1.0, 0.0)  # where the palm faces and the fingers point, for a part of the hand
    fingers: Vector = (0.0, 0.0, 1.0)
    spin: float = 0.0  # by how many degrees the hand may be turned from that about the way the palm faces
    tilt: float = 0.0  # of what is held, degrees from upright
    heading: tuple[float, float, float] = (0.0, -180.0, 180.0)  # of the fingers: best, least, most; 0 is ahead
    loose: float = 0.0  # degrees that the hand may be turned otherwise

    @property
    def of_thing(self) -> bool:
        """Whether the place is one of the goal thing."""
        return self.to in THING_PLACES

    @property
    def holds(self) -> bool:
        return self.part in HELD_PARTS


@dataclass(frozen=True, eq=False)
class HeldThing:
    """A thing in a hand."""

    thing: Object
    in_hand: Transform  # relative to the hand's tip


def place_on_thing(bring: Bring, scene: Scene, name: str) -> Floats:
    """The place of a goal thing in the world."""
    thing = scene.object(name)
    at = switch_of(thing.shape) if bring.to == "switch" else (0.0, lip_of(thing.shape).height, 0.0)
    return np.array(scene.centre(name)) + thing.width * np.array(at)


def hand_candidates(
    bring: Bring, place: Transform, tip: Floats, held: HeldThing | None, height: float, mirrored: bool
) -> Iterator[Transform]:
    """The transforms of a hand's tip that bring it there, the best one first.

    `place`: where the part is brought, its z axis ahead; `tip`: the hand's, in its own frame; `height`: of the body.
    """
    if mirrored:
        place, tip = _mirrored(place), MIRROR @ tip
        held = None if held is None else HeldThing(held.thing, _mirrored(held.in_hand))
    for transform in _held(bring, place, held, height) if bring.holds else _free(bring, place, tip):
        yield _mirrored(transform) if mirrored else transform


def _mirrored(transform: Transform) -> Transform:
    return Transform.of(MIRROR @ transform.position, MIRROR @ transform.rotation @ MIRROR)


def _free(bring: Bring, place: Transform, tip: Floats) -> Iterator[Transform]:
    palm = place.rotation @ _unit(bring.palm)
    fingers = place.rotation @ np.array(bring.fingers)
    fingers = _unit(fingers - (fingers @ palm) * palm)
    for spin in _spread(0.0, -bring.spin, bring.spin):
        along = rotation_about(math.radians(spin) * palm) @ fingers
        rotation = np.stack([along, -palm, np.cross(along, -palm)], axis=1)
        yield Transform.of(place.position + (rotation @ tip if bring.part == "wrist" else 0.0), rotation)


def _held(bring: Bring, place: Transform, held: HeldThing | None, height: float) -> Iterator[Transform]:
    assert held is not None
    point, ahead = place.position, _heading(place.rotation[:, 2])
    lip, width = lip_of(held.thing.shape), held.thing.width
    to_hand = held.in_hand.relative(Transform.of((0.0, 0.0, 0.0)))  # the hand relative to the thing
    fingers = _heading(to_hand.rotation[:, 0])
    turns = [ahead + math.radians(heading) - fingers for heading in _spread(*bring.heading)]
    if bring.part == "lip" and lip.spout is not None and not bring.of_thing:
        turns = [ahead + math.pi - _heading(np.array(lip.spout))]  # the spout towards the body
    for turn in turns:
        level = axis_rotation(1, turn)
        for over in _pouring_ways(bring, lip, level, ahead, to_hand):
            tilt = rotation_about(math.radians(bring.tilt) * np.cross(_UP, over))
            lip_at = width * (tilt @ (lip.height * _UP + lip.radius * over))
            centre = point - lip_at if bring.part == "lip" else point + width * _UP
            if bring.over:
                lowest = centre[1] - width * (abs(tilt[1, 1]) + math.sqrt(max(0.0, 1.0 - tilt[1, 1] ** 2)))
                centre = centre + max(0.0, point[1] + height * bring.over - lowest) * _UP
            yield Transform.of(centre, tilt @ level).compose(to_hand)


def _pouring_ways(bring: Bring, lip: Lip, level: Floats, ahead: float, to_hand: Transform) -> Iterator[Floats]:
    """The level directions over which a thing is tilted: to the body; out of the spout; else as a forearm turns best,
    to where the palm faces, or to the little finger."""
    if not bring.of_thing:
        yield axis_rotation(1, ahead) @ np.array([0.0, 0.0, -1.0])
    elif lip.spout is not None:
        yield level @ np.array(lip.spout)
    else:
        hand = level @ to_hand.rotation
        for way in (-hand[:, 1], -hand[:, 2], hand[:, 0]):
            flat = np.array([way[0], 0.0, way[2]])
            if np.linalg.norm(flat) > _LEVEL:
                yield _unit(flat)


def _heading(direction: Floats) -> float:
    """The angle about the vertical of a direction, from +z; that of what points up or down is 0."""
    if math.hypot(direction[0], direction[2]) < 1e-3:
        return 0.0
    return math.atan2(direction[0], direction[2])


def _spread(best: float, least: float, most: float) -> Iterator[float]:
    """From the best on to both sides, in steps."""
    yield best
    for n in range(1, round(360.0 / _STEP)):
        for angle in (best - n * _STEP, best + n * _STEP):
            if least - 1e-9 <= angle <= most + 1e-9:
                yield angle


def _unit(vector: Floats | Vector) -> Floats:
    found = np.asarray(vector, dtype=np.float64)
    return np.asarray(found / np.linalg.norm(found))
