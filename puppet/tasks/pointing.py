"""Hands at points of the world: with the fingers at one, or pointing at one from afar."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from puppet.command import PointAt
from puppet.geometry import MIRROR, Transform, axis_rotation, rotation_about
from puppet.scene import Scene, as_position
from puppet.tasks import grip
from puppet.tasks.head import spot_place, spot_words, unknown_spot
from puppet.tasks.miss import Miss
from puppet.tasks.motion import AtPoint
from puppet.tasks.outcome import Hands, Outcome, reject
from puppet.tasks.plan import at_transform
from puppet.tasks.task_context import TaskContext
from puppet.types import Floats, Vector

_STRETCH = 0.92  # how far an arm that points is stretched
_SHORT = 0.06  # how far before a thing that is near the fingers stop
_LIFTS = (0.0, 0.15, 0.3, 0.45, 0.6)  # lengths of the arm over the shoulder that fingers may point from
_ELBOW = -0.1  # lengths of the arm over the shoulder: an elbow that is lower than this is at ease
_NEAREST = 0.3  # lengths of the arm: fingers that are nearer to the shoulder need the trunk to get out of their way
# Rolls of a hand that points, about its fingers.
_ROLLS = tuple(math.radians(angle) for angle in (0, 30, -30, 60, 90, -60, 120, -90))


def at_point(hands: Hands, hand: str, scene: Scene, point: Vector, taken: str) -> tuple[AtPoint, Transform, Miss]:
    """The goal of a hand with its tip at a point, turned as a grip is, and about the vertical as the arm is; where it
    ends, and by how much it misses."""
    ahead = axis_rotation(1, scene.stance.turn if scene.stance is not None else 0.0)
    level = at_transform(Transform.of(point, ahead @ grip.grip_rotation(hands.limb(hand), taken)))
    goal, reached, miss = hands.aim(hand, scene, level)
    assert isinstance(goal, AtPoint)
    wanted = hands.clear(hand, Transform.of(goal.position, np.reshape(goal.rotation, (3, 3))))
    return at_transform(wanted), reached, miss


def pointing(hands: Hands, hand: str, target: Vector, size: float) -> tuple[AtPoint, Transform, Miss]:
    """The goal of a hand whose fingers point at a place, on the way to it from the shoulder. `size`: of what is there,
    from its centre."""
    shoulder, length = hands.shoulder(hand)
    mirrored = hands.limb(hand).mirrored
    place = np.array(target)
    best: tuple[float, Transform, Miss] | None = None
    for lift in _LIFTS:  # from the shoulder, or from above it where the thing is near
        tip, along = _before(shoulder, length, place, size, lift)
        if not _NEAREST * length <= float(np.linalg.norm(tip - shoulder)) <= length:
            continue
        for rotation in _fingers_along(along, mirrored):
            wanted = hands.clear(hand, Transform.of(tip, rotation))
            miss, elbow = hands.reach_upright(hand, wanted)
            cost = max(0.0, elbow / max(length, 1e-9) - _ELBOW) + 0.1 * lift  # an arm of one joint has no length
            if miss.met and (best is None or cost < best[0] - 1e-9):
                best = cost, wanted, miss
    if best is not None:
        return at_transform(best[1]), best[1], best[2]
    tip, along = _before(shoulder, length, place, size, 0.0)
    return _first_met(hands, hand, (Transform.of(tip, rotation) for rotation in _fingers_along(along, mirrored)))


def point_at(context: TaskContext, command: PointAt) -> Outcome:
    """An arm stretched out towards something."""
    plan, hand, spot = context.plan, command.hand, command.spot
    words = f"Point at {spot_words(spot)} with {hand} hand"
    in_palm = plan.in_palm(hand)
    if in_palm:
        return reject(plan, words, f"'{in_palm[0]}' lies in the {hand} hand, which can only slide until that is taken")
    if plan.grasped(hand) is not None:
        return reject(plan, words, f"the {hand} hand holds '{plan.grasped(hand)}'; put that down first")
    place = spot_place(plan.scene, spot)
    if spot.kind == "hand" and spot.name in plan.hands and spot.name != hand:
        place = as_position(plan.hands[spot.name].transform.position)
    if place is None:
        return reject(plan, words, unknown_spot(plan.scene, spot))
    thing = spot.name if spot.kind == "name" else ""
    size = next((1.4 * entry.width for entry in plan.scene.objects if entry.name == thing), 0.0)
    goal, reached, miss = pointing(context.hands, hand, place, size)
    outcome = context.outcome(words, goal, reached, miss, context.hands.critical(hand))
    return replace(outcome, target=spot.point if spot.kind == "point" else spot.name)


def _before(shoulder: Floats, length: float, target: Floats, size: float, lift: float) -> tuple[Floats, Floats]:
    """Where fingers stop that point at a place, seen from so many lengths of the arm over the shoulder, and their
    direction."""
    way = target - (shoulder + np.array([0.0, lift * length, 0.0]))
    distance = float(np.linalg.norm(way))
    along = way / distance if distance > 1e-6 else np.array([0.0, 0.0, 1.0])
    straight = max(min(_STRETCH * length, distance - size - _SHORT), 0.3 * length)
    return target + along * (straight - distance), along


def _fingers_along(along: Floats, mirrored: bool) -> Iterator[Floats]:
    """Rotations of a hand with its fingers along a direction: the palm down, then rolled more and more."""
    if mirrored:
        along = MIRROR @ along
    up = np.array([0.0, 1.0, 0.0]) if abs(along[1]) < 0.95 else np.array([0.0, 0.0, 1.0])
    back = up - (up @ along) * along
    back /= np.linalg.norm(back)
    for roll in _ROLLS:
        turned = rotation_about(roll * along) @ back
        rotation = np.stack([along, turned, np.cross(along, turned)], axis=1)
        yield MIRROR @ rotation @ MIRROR if mirrored else rotation


def _first_met(hands: Hands, hand: str, ways: Iterator[Transform]) -> tuple[AtPoint, Transform, Miss]:
    best: tuple[AtPoint, Transform, Miss] | None = None
    for way in ways:
        wanted = hands.clear(hand, way)
        reached, miss = hands.reach(hand, wanted)
        found = at_transform(wanted), reached, miss
        if miss.met:
            return found
        if best is None or (miss.position, miss.orientation) < (best[2].position, best[2].orientation):
            best = found
    assert best is not None
    return best
