"""Feet that stand while the body above them moves: the legs follow."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.locomotion.footsteps import Footstep
from puppet.locomotion.legs import Legs
from puppet.locomotion.rising import standing_foot
from puppet.locomotion.stepping import TOES_LIFT
from puppet.solver import PartCourse, follow_courses
from puppet.types import Floats


def plant_feet(
    body: Body, legs: Legs, references: Floats, floor: float, hands: Sequence[PartCourse] = ()
) -> Floats:
    """References (frames + 1, dofs) with the legs led so that the feet stay where they stand; heels may lift. hands:
    courses that some of them follow."""
    world = joint_transforms(body, references[[0, -1]])
    moved = np.abs(references - references[0])[:, list(body.dofs_of(legs.joints))].max(axis=1)
    share = np.linspace(0.0, 1.0, len(moved))[1:]
    if moved[-1] >= moved.max() - 1e-12:
        share = moved[1:] / max(float(moved[-1]), 1e-12)
    courses, found = [], references.copy()
    for n, foot in enumerate(legs.feet):
        rows = world[:, foot.joint]
        tilts = [math.asin(float(np.clip(-row[3:].reshape(3, 3)[1, 2], -1.0, 1.0))) for row in rows]
        rotation = rows[0, 3:].reshape(3, 3)
        turn = math.atan2(rotation[0, 2], rotation[2, 2])
        angles = np.maximum(tilts[0] + share * (tilts[1] - tilts[0]), 0.0)
        flat = _flat(foot.ball, foot.toe_contacts, rows[0], turn, max(tilts[0], 0.0))
        own = standing_foot(foot, floor, Footstep(n, flat, turn, False), angles)
        courses.append(PartCourse(foot.joint, own.places, own.turns))
        if foot.toes >= 0:
            found[1:, body.rotation_dofs[foot.toes].start] = -own.toes
    led = {hand.joint for hand in hands}
    arms = {joint for limb in body.limbs.values() if led & set(limb.joints) for joint in limb.joints}
    serving = (legs.joints - {0}) | arms
    found[1:] = follow_courses(body, found, serving, [*courses, *hands])[0]
    return found


def _flat(ball: Floats, tips: Floats, row: Floats, turn: float, tilt: float) -> tuple[float, float]:
    """Where the ankle of a foot would be if it were flat: a foot that is tilted stands on its toes."""
    place = row[[0, 2]]
    if tilt < 1e-6 or not len(tips):
        return float(place[0]), float(place[1])
    tip = float(tips[:, 2].max())
    lifts = TOES_LIFT * math.tanh(tilt / TOES_LIFT)
    low = float(tips[:, 1].min())
    # along the foot: the ankle behind the tips of its toes, tilted and flat
    tilted = _ahead(ball, tilt) + _ahead(np.array([0.0, low, tip]), lifts)
    by = tilted - (float(ball[2]) + tip)
    return float(place[0] + by * math.sin(turn)), float(place[1] + by * math.cos(turn))


def _ahead(point: Floats, tilt: float) -> float:
    """How far ahead a point is of a foot that is tilted about x."""
    return float(math.sin(tilt) * point[1] + math.cos(tilt) * point[2])
