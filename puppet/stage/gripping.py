"""Hands that hold one thing together stay on it while the body goes somewhere."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from puppet.body import Body, hand_transforms, joint_transforms
from puppet.geometry import Transform, Transforms
from puppet.solver import PartCourse, follow_courses
from puppet.types import Floats

_OFF, _TURNED = 5e-4, math.radians(1.0)  # body heights, and radians, by which a hand may be off its place
_ROUNDS = 6  # in which hands meet where both arms reach
_TOWARDS = 0.01  # how much an arm is drawn to where it was, beside its grip


def kept_grips(body: Body, start: Floats, postures: Floats, holding: Mapping[str, str | None]) -> Floats:
    """Postures (frames, dofs) that follow a first one, with hands that hold one thing as far from each other, and so
    turned, as they were. The last one carries the thing, and the others follow it; where an arm does not reach that
    far, the thing comes nearer to it."""
    found = postures
    for name in dict.fromkeys(name for name in holding.values() if name is not None):
        *others, leads = [hand for hand, held in holding.items() if held == name]
        for hand in others:
            found = _meeting(body, start, found, leads, hand)
    return found


def _meeting(body: Body, start: Floats, postures: Floats, leads: str, follows: str) -> Floats:
    found = postures
    for _ in range(_ROUNDS):
        found = _following(body, start, found, leads, follows)
        if _is_kept(body, start, found, leads, follows):
            break
        found = _following(body, start, _following(body, start, found, follows, leads), leads, follows)
    return found


def _following(body: Body, start: Floats, postures: Floats, leads: str, follows: str) -> Floats:
    """One arm found anew, so that its hand is in every frame where the other one takes the thing."""
    limb, joint = body.limb(follows), body.limb(leads).joints[-1]
    references = np.concatenate([start[None], postures])
    first, hand = _of_joint(body, start, joint), limb.joints[-1]
    apart = first.relative(_of_joint(body, start, hand))
    rows = joint_transforms(body, postures)[:, joint]
    ways = Transforms(rows[:, :3], rows[:, 3:].reshape(-1, 3, 3)).compose(Transforms.repeated(apart, len(rows)))
    course = PartCourse(hand, ways.positions, ways.rotations)
    return follow_courses(body, references, limb.joints, [course], _TOWARDS)[0]


def _is_kept(body: Body, start: Floats, postures: Floats, leads: str, follows: str) -> bool:
    tips = hand_transforms(body, start)
    apart = tips[leads].relative(tips[follows])
    for angles in postures:
        tips = hand_transforms(body, angles)
        now = tips[leads].relative(tips[follows])
        if apart.distance(now) > _OFF * body.height or apart.angle(now) > _TURNED:
            return False
    return True


def _of_joint(body: Body, angles: Floats, joint: int) -> Transform:
    row = joint_transforms(body, angles)[joint]
    return Transform.of(row[:3], row[3:].reshape(3, 3))
