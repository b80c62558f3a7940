"""Feet that stand while the body above them moves: the legs follow."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.geometry import rotation_vectors, rotations_about
from puppet.locomotion.balance import keeps_over_feet
from puppet.locomotion.course import ON_COURSE, ROOT_GIVES, FootCourse, eased
from puppet.locomotion.footsteps import Footstep
from puppet.locomotion.legs import Foot, Legs
from puppet.locomotion.rising import standing_foot
from puppet.locomotion.stepping import ON_TOES
from puppet.solver import PartCourse, follow_courses
from puppet.types import Floats

_ON_THE_FLOOR = 5e-3  # a foot that is off its place by less, in body heights and radians, is there


def plant_feet(
    body: Body, legs: Legs, references: Floats, floor: float, hands: Sequence[PartCourse] = ()
) -> Floats:
    """References (frames + 1, dofs) with the legs led so that the feet stay where they stand; heels may lift. Where
    legs cannot follow, because an ankle bends no farther, the root gives; where the mass would leave the feet on its
    way from over them to over them, the root goes aside. hands: courses that some of them follow."""
    world = joint_transforms(body, references[[0, -1]])
    moved = np.abs(references - references[0])[:, list(body.dofs_of(legs.joints))].max(axis=1)
    share = np.linspace(0.0, 1.0, len(moved))[1:]
    if moved[-1] >= moved.max() - 1e-12:
        share = moved[1:] / max(float(moved[-1]), 1e-12)
    courses, found = [], references.copy()
    for n, foot in enumerate(legs.feet):
        rows = world[:, foot.joint]
        tilts = [math.asin(float(np.clip(-row[3:].reshape(3, 3)[1, 2], -1.0, 1.0))) for row in rows]
        angles = np.maximum(tilts[0] + np.concatenate([[0.0], share]) * (tilts[1] - tilts[0]), 0.0)
        own = _standing(foot, n, floor, rows[0], tilts[0], angles)
        off, turned = _off(rows[0], own.places[0], own.turns[0])
        late = 1.0 - eased(np.linspace(0.0, 1.0, len(share) + 1))[1:]
        left = 0.0 * late
        if max(float(np.abs(off).max()), float(np.abs(turned).max())) > _ON_THE_FLOOR:
            # it was dragged off the floor, and comes with the motion to where the last posture has it
            own = _standing(foot, n, floor, rows[1], tilts[1], angles)
            off, turned = _off(rows[0], own.places[0], own.turns[0])
            left = late
        turns = own.turns[1:] @ rotations_about(left[:, None] * turned)
        courses.append(PartCourse(foot.joint, own.places[1:] + left[:, None] * off, turns))
        if foot.toes >= 0:
            dof = body.rotation_dofs[foot.toes].start
            found[1:, dof] = -own.toes[1:] + late * (references[0, dof] + own.toes[0])  # wherever they were posed
    led = {hand.joint for hand in hands}
    arms = {joint for limb in body.limbs.values() if led & set(limb.joints) for joint in limb.joints}
    serving = (legs.joints - {0}) | arms
    planted = _led(body, found, serving, courses, hands)
    aside = keeps_over_feet(body, legs, planted, np.concatenate([[0.0], share]))
    if aside is not None:
        found[:, [body.translation_dofs[0], body.translation_dofs[2]]] += aside
        planted = _led(body, found, serving, courses, hands)
    return planted


def _led(
    body: Body, references: Floats, serving: Collection[int], feet: Sequence[PartCourse], hands: Sequence[PartCourse]
) -> Floats:
    """References with the feet, and hands, on their courses; the root gives where legs cannot follow."""
    found = references.copy()
    found[1:], misses = follow_courses(body, references, serving, [*feet, *hands])
    if misses[:, : len(feet)].max() > ON_COURSE * body.height:
        rows = joint_transforms(body, references[1:])[:, 0]
        root = PartCourse(0, rows[:, :3], rows[:, 3:].reshape(-1, 3, 3), priority=2, gives=ROOT_GIVES)
        found[1:] = follow_courses(body, references, {*serving, 0}, [*feet, *hands, root])[0]
    return found


def _standing(foot: Foot, number: int, floor: float, row: Floats, tilt: float, angles: Floats) -> FootCourse:
    """A foot that stands where it is in a posture, with its heel lifted by some angles."""
    rotation = row[3:].reshape(3, 3)
    turn = math.atan2(rotation[0, 2], rotation[2, 2])
    flat = _flat(foot.ball, foot.toe_contacts, row, turn, max(tilt, 0.0))
    return standing_foot(foot, floor, Footstep(number, flat, turn, False), angles)


def _off(row: Floats, place: Floats, turn: Floats) -> tuple[Floats, Floats]:
    """How far a foot is from a place, and turned from a rotation, in its own coordinates."""
    return row[:3] - place, rotation_vectors((turn.T @ row[3:].reshape(3, 3))[None])[0]


def _flat(ball: Floats, tips: Floats, row: Floats, turn: float, tilt: float) -> tuple[float, float]:
    """Where the ankle of a foot would be if it were flat: a foot that is tilted stands on its toes."""
    place = row[[0, 2]]
    if tilt < 1e-6 or not len(tips):
        return float(place[0]), float(place[1])
    tip = float(tips[:, 2].max())
    lifts = ON_TOES * math.tanh(tilt / ON_TOES)
    low = float(tips[:, 1].min())
    # along the foot: the ankle behind the tips of its toes, tilted and flat
    tilted = _ahead(ball, tilt) + _ahead(np.array([0.0, low, tip]), lifts)
    by = tilted - (float(ball[2]) + tip)
    return float(place[0] + by * math.sin(turn)), float(place[1] + by * math.cos(turn))


def _ahead(point: Floats, tilt: float) -> float:
    """How far ahead a point is of a foot that is tilted about x."""
    return float(math.sin(tilt) * point[1] + math.cos(tilt) * point[2])
