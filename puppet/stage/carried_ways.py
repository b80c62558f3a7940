"""Ways of hands that carry something while the body goes somewhere, around what is near: they are lifted, drawn in or
held to a side by the least that keeps arms and what is carried out of everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.geometry import minimum_jerk
from puppet.locomotion import running_mean
from puppet.motion import ArmRoom, CarriedRoom, around, cheapest
from puppet.scene import Scene
from puppet.solver import PartCourse, follow_courses
from puppet.types import Floats, Ints

# By how many heights of the body a hand is held farther outwards, up and ahead: nothing first.
_OUT, _UP, _AHEAD = (0.0, -0.08, 0.06), (0.0, 0.06, 0.12, 0.2), (0.0, -0.08, 0.08)
_OFFSETS = np.array(list(product(_OUT, _UP, _AHEAD)))
_APART = np.linalg.norm(_OFFSETS[:, None] - _OFFSETS[None], axis=2)
_ROOM = 0.008  # heights of the body that is kept from things,
_LEAVES = 0.002  # or by so much more with each frame after the first one
_SAMPLES, _WIDER = 4, 2  # frames of which one is looked at; samples before and after what is in the way
_COMES = 24  # frames before and after what is in the way, in which a hand may begin and end to go around it
_FASTEST = 0.025  # heights of the body a frame, before a way is smoothed
_SMOOTHS, _BEGINS = 3, 8  # frames over which its way is smoothed, twice; and over which it begins
_IN_THINGS, _MOVES = 1e3, 30.0  # what clearance that is missing counts beside how far a hand is held, and its moving
_MISSES = 0.004  # heights of the body by which an arm may miss a way


def around_things(
    room: ArmRoom, scene: Scene, start: Floats, postures: Floats, courses: Sequence[PartCourse],
    holding: Mapping[str, str],
) -> tuple[Floats, tuple[PartCourse, ...]]:  # fmt: skip
    """Postures (frames, dofs) after a first one in which hands follow courses, and these courses, both changed where
    hands that hold something would come to anything with it."""
    body, by_joint = room.body, {course.joint: course for course in courses}
    lasts = {hand: body.limb(hand).joints[-1] for hand in holding}
    for name in dict.fromkeys(holding.values()):
        hands = [hand for hand, held in holding.items() if held == name and lasts[hand] in by_joint]
        if not hands:
            continue
        first: dict[str, str] = {}
        for hand, held in holding.items():
            first.setdefault(held, hand)
        carried = {hand: scene.tower(held) for held, hand in first.items()}
        way = _Around(CarriedRoom(room, start, hands, carried, 2.0 * _ROOM * body.height), body, hands)
        postures, own = way.found(start, postures, [by_joint[lasts[hand]] for hand in hands])
        by_joint.update({course.joint: course for course in own})
    return postures, tuple(by_joint[course.joint] for course in courses)


class _Around:
    """The search for a way of hands that carry a thing together."""

    def __init__(self, room: CarriedRoom, body: Body, hands: Sequence[str]) -> None:
        self._room, self._body = room, body
        self._limbs = [body.limb(hand) for hand in hands]
        self._serving = frozenset(joint for limb in self._limbs for joint in limb.joints)
        self._dofs = body.dofs_of(sorted(self._serving))

    def found(
        self, start: Floats, postures: Floats, courses: Sequence[PartCourse]
    ) -> tuple[Floats, Sequence[PartCourse]]:
        whole = np.concatenate([start[None], postures])
        clear = self._room.clearances(whole)
        height, frames = self._body.height, len(postures)
        asked = np.minimum(_ROOM * height, clear[0] + _LEAVES * height * np.arange(frames + 1))
        short = np.flatnonzero(clear < asked - 1e-6)
        if not len(short):
            return postures, courses
        begin, end = max(0, int(short[0]) - _COMES), min(frames, int(short[-1]) + _COMES)
        comes_back = end < frames or float(clear[-1]) >= 0.0
        at = np.append(np.arange(begin, end, _SAMPLES), end)
        out, ahead = self._directions(whole)
        up = np.tile([0.0, height, 0.0], (frames + 1, 1))
        ways = np.stack([out, up, ahead], axis=1)  # (frames + 1, 3, 3)
        costs = np.empty((len(at), len(_OFFSETS)))
        for n, offset in enumerate(_OFFSETS):
            tried, missed = self._followed(whole[at], [_moved(c, at[1:] - 1, offset @ ways[at[1:]]) for c in courses])
            lacks = np.maximum(asked[at] - np.append(clear[begin], self._room.clearances(tried)), 0.0)
            lacks[1:] += np.maximum(missed - _MISSES * height, 0.0)
            costs[:, n] = around(lacks, _WIDER)
        costs = _IN_THINGS * costs / height + np.linalg.norm(_OFFSETS, axis=1)
        steps = cheapest(costs, at, _APART, _FASTEST, _MOVES, begins=True, ends=comes_back)
        offsets = np.zeros((frames + 1, 3))
        for axis in range(3):
            offsets[begin : end + 1, axis] = np.interp(np.arange(begin, end + 1), at, _OFFSETS[steps, axis])
        offsets = running_mean(running_mean(offsets, _SMOOTHS), _SMOOTHS)
        offsets *= minimum_jerk(np.minimum(np.arange(frames + 1) / _BEGINS, 1.0))[:, None]
        by = np.einsum("na,nab->nb", offsets, ways)[1:]
        moved = [_moved(course, np.arange(frames), by) for course in courses]
        tried, _ = self._followed(whole, moved)
        before, now = (np.maximum(asked - rows, 0.0).max() for rows in (clear, self._room.clearances(
            np.concatenate([start[None], tried]))))  # fmt: skip
        if now >= before:
            return postures, courses
        rows = joint_transforms(self._body, tried)  # where hands get is as good as where they were sent
        return tried, [replace(course, places=rows[:, course.joint, :3]) for course in moved]

    def _followed(self, references: Floats, courses: Sequence[PartCourse]) -> tuple[Floats, Floats]:
        """Postures with the arms on courses, and by how much they miss these, (frames,)."""
        postures, misses = follow_courses(self._body, references, self._serving, courses)
        return postures, misses.max(axis=1)

    def _directions(self, postures: Floats) -> tuple[Floats, Floats]:
        """Outwards and ahead, as the chest faces, (frames, 3), as long as the body is high."""
        limb = self._limbs[0]
        rows = joint_transforms(self._body, postures)[:, limb.trunk[-1] if limb.trunk else 0]
        ahead = np.stack([rows[:, 5], np.zeros(len(rows)), rows[:, 11]], axis=1)
        ahead *= self._body.height / np.maximum(np.linalg.norm(ahead, axis=1), 1e-9)[:, None]
        side = -1.0 if limb.mirrored else 1.0
        return side * np.stack([ahead[:, 2], ahead[:, 1], -ahead[:, 0]], axis=1), ahead


def _moved(course: PartCourse, frames: Ints, by: Floats) -> PartCourse:
    """Some frames of a course, moved by (frames, 3)."""
    assert course.places is not None
    turns = None if course.turns is None else course.turns[frames]
    return replace(course, places=course.places[frames] + by, turns=turns)
