"""Hands that hold one thing together stay on it while the body goes somewhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from puppet.body import Body, hand_transforms, joint_transforms
from puppet.geometry import Transform, Transforms
from puppet.motion import DEPTH_TOLERANCE, ROOMS, Pace, seen_leaps, without_seen_leaps
from puppet.solver import PartCourse, follow_courses
from puppet.types import Floats

_OFF, _TURNED = 5e-4, math.radians(1.0)  # body heights, and radians, by which a hand may be off its place
_ROUNDS = 6  # in which hands meet where both arms reach
_TOWARDS = 0.01  # how much an arm is drawn to where it was, beside its grip
_LOOSENS = 0.03  # body heights: a hand that would slip by more lets go
_JERK, _ROUGHER = 0.015, 1.25  # body heights a frame by which velocities of arms may change; times what they did before


def kept_grips(
    body: Body, before: Floats, start: Floats, postures: Floats, holding: Mapping[str, str | None],
    depth: Callable[[Floats], float],
) -> tuple[Floats, str, tuple[str, ...]]:  # fmt: skip
    """Postures (frames, dofs) that follow a first one, and one before it, with hands that hold one thing as far from
    each other, and so turned, as they were; and what is to be said where arms cannot do that. The last hand carries
    the thing, and the others follow it; where an arm does not reach that far, the thing comes nearer to it. Where arms
    could do so only with a jerk, or through what stands there, a hand slips instead, which is said; those that would
    slip far are told, since they let go instead.

    depth: how deep arms and what they hold get into anything in some postures."""
    found, words, loosened = postures, [], []
    if not len(postures):
        return postures, "", ()
    for name in dict.fromkeys(name for name in holding.values() if name is not None):
        *others, leads = [hand for hand, held in holding.items() if held == name]
        for hand in others:
            kept = _smoothly_meeting(body, before, start, found, leads, hand, depth)
            if kept is None:  # but no arm leaps
                joints = frozenset([*body.limb(leads).joints, *body.limb(hand).joints])
                found = without_seen_leaps(body, before, np.concatenate([start[None], found]), joints)[1:]
            else:
                found = kept
            ways, turns = _slips(body, start, found, leads, hand)
            if ways.max() > _LOOSENS * body.height:
                loosened.append(hand)
            elif _slipped(body, ways, turns):
                by = f"{ways.max():.4f} and {math.degrees(turns.max()):.1f} degrees"
                words.append(f"the {hand} hand slips by up to {by} on '{name}'")
    return found, "; ".join(words), tuple(loosened)


def _smoothly_meeting(
    body: Body, before: Floats, start: Floats, postures: Floats, leads: str, follows: str,
    depth: Callable[[Floats], float],
) -> Floats | None:  # fmt: skip
    """Frames in which two hands meet and no arm leaps or jerks for it: where one does, both get time around that, and
    meet anew from there, unless that leads into something. None where that does not help either."""
    arms = [*body.limb(leads).joints, *body.limb(follows).joints]
    pace = Pace(body, np.concatenate([start[None], postures]))
    most = max(_JERK * body.height, _ROUGHER * _jerks(body, start, postures, arms).max())
    first = found = _meeting(body, start, postures, leads, follows)
    rough = np.zeros(len(postures), dtype=bool)
    for room in ROOMS:
        now = (pace.excess(found, arms) > 0.0) | (_jerks(body, start, found, arms) > most)
        now[seen_leaps(body, before, np.concatenate([start[None], found]), arms)] = True
        if not now.any() and (found is first or depth(found) <= max(depth(first), DEPTH_TOLERANCE * body.height)):
            return found
        rough |= now
        eased = pace.bridged_at(first, frozenset(arms), room, np.flatnonzero(rough))
        found = _meeting(body, start, eased, leads, follows)
    return None


def _meeting(body: Body, start: Floats, postures: Floats, leads: str, follows: str) -> Floats:
    found = postures
    for _ in range(_ROUNDS):
        found = _following(body, start, found, leads, follows)
        if not _slipped(body, *_slips(body, start, found, leads, follows)):
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


def _slips(body: Body, start: Floats, postures: Floats, leads: str, follows: str) -> tuple[Floats, Floats]:
    """How far one hand is, and how much it is turned, from where it holds what the other one has, (frames,) each."""
    tips = hand_transforms(body, start)
    apart = tips[leads].relative(tips[follows])
    each = [hand_transforms(body, angles) for angles in postures]
    now = [tips[leads].relative(tips[follows]) for tips in each]
    return np.array([apart.distance(other) for other in now]), np.array([apart.angle(other) for other in now])


def _slipped(body: Body, ways: Floats, turns: Floats) -> bool:
    return bool(ways.max() > _OFF * body.height or turns.max() > _TURNED)


def _jerks(body: Body, start: Floats, postures: Floats, joints: Sequence[int]) -> Floats:
    """The largest change of a joint's velocity after each frame; none after the last, (frames,)."""
    places = joint_transforms(body, np.concatenate([start[None], postures]))[:, joints, :3]
    jerks = np.linalg.norm(np.diff(places, n=2, axis=0), axis=2).max(axis=1, initial=0.0)
    return np.append(jerks, 0.0)


def _of_joint(body: Body, angles: Floats, joint: int) -> Transform:
    row = joint_transforms(body, angles)[joint]
    return Transform.of(row[:3], row[3:].reshape(3, 3))
