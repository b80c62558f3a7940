"""Feet that are planted: the path of a foot on which what stands on the ground stands still.

A foot stands on its heel, then flat, then on its ball. While it is flat, it does not move at all; before and after that
it turns as recorded about the point that stands. From and to its recorded path it is led smoothly, so that a foot that
was recorded standing still stays on its recorded path throughout.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puppet.clip.contacts import Contact
from puppet.geometry import Transform, Transforms, interpolate_rows, rotation_between
from puppet.types import Floats

FADE = 0.12  # seconds in which a foot is led to where it stands, and let go
LONGEST = 0.5  # seconds beyond the edits for which feet are held


@dataclass(frozen=True)
class Stance:
    """Frames in which a foot stands on the ground, by heel and ball: first and last ones, or None."""

    heel: Contact | None
    ball: Contact | None

    @property
    def first(self) -> int:
        return min(contact.first for contact in (self.heel, self.ball) if contact)

    @property
    def last(self) -> int:
        return max(contact.last for contact in (self.heel, self.ball) if contact)

    @property
    def flat(self) -> tuple[int, int] | None:
        """When both stand."""
        if self.heel is None or self.ball is None:
            return None
        return max(self.heel.first, self.ball.first), min(self.heel.last, self.ball.last)


@dataclass(frozen=True, eq=False)
class FootPath:
    """Where a foot goes in all frames of a clip, and which of its points stand still in which of them."""

    transforms: Transforms
    still: tuple[Contact, ...]
    end: int  # the last frame in which it is not on its recorded path


def find_stances(contacts: list[Contact]) -> list[Stance]:
    """The stances of one foot from its contacts. A heel and a ball that overlap are one."""
    heels = [contact for contact in contacts if contact.point.startswith("heel")]
    balls = [contact for contact in contacts if contact.point.startswith("ball")]
    found: list[Stance] = []
    for heel in heels:
        other = next((b for b in balls if b.first <= heel.last and heel.first <= b.last), None)
        if other is not None:
            balls.remove(other)
        found.append(Stance(heel, other))
    found += [Stance(None, ball) for ball in balls]
    return sorted(found, key=lambda stance: stance.first)


def plan_foot(
    recorded: Transforms, contacts: list[Contact], first: int, last: int, fps: float, ground: float | None = None
) -> FootPath:
    """The path of a foot in an edit of the frames first to last; contacts: those of its heel and its ball. Where a
    foot stands already when the edit begins, it stays there. ground: the height that it stands at, if not as recorded;
    then it lies flat."""
    positions, rotations = recorded.positions.copy(), recorded.rotations.copy()
    still: list[Contact] = []
    fade, end = max(1, round(FADE * fps)), first
    latest = last + round(LONGEST * fps)
    for stance in find_stances(contacts):
        if stance.last <= first or stance.first > last:
            continue
        begin, stop = max(stance.first, first), min(stance.last, latest)
        planted = _planted(recorded, stance, first, begin, stop, fade, still, ground)
        weights = ramp(len(positions), begin, stop, min(fade, begin - first), fade)
        own = np.flatnonzero(weights > 0.0)
        mixed = interpolate_rows(Transforms(positions[own], rotations[own]), planted.taken(own), weights[own])
        positions[own], rotations[own] = mixed.positions, mixed.rotations
        end = max(end, int(own[-1]))
    return FootPath(Transforms(positions, rotations), tuple(still), min(end + 1, len(positions) - 1))


def _planted(
    recorded: Transforms, stance: Stance, first: int, begin: int, stop: int, fade: int, still: list[Contact],
    ground: float | None,
) -> Transforms:  # fmt: skip
    """Where a foot is that stands on its points, in all frames; it counts around the stance alone."""
    count, flat = len(recorded), stance.flat
    rotations = recorded.rotations
    pivots = [contact for contact in (stance.heel, stance.ball) if contact is not None and contact.last >= begin]
    if flat is not None and flat[1] > first:
        middle = begin if flat[0] <= begin else (flat[0] + min(flat[1], stop)) // 2
        lying = recorded[middle]
        if flat[0] > begin:  # it comes down in the edit: where it lies in the middle of its frames
            span = recorded.positions[flat[0] : min(flat[1], stop) + 1]
            lying = Transform.of(np.median(span, axis=0), lying.rotation)
        elif begin > stance.first or flat[0] <= first:
            lying = recorded[begin]
        if ground is not None and stance.heel is not None and stance.ball is not None:
            lying = _on_ground(lying, np.array(stance.heel.at), np.array(stance.ball.at), ground)
        weights = ramp(count, max(flat[0], begin), min(flat[1], stop), min(fade, max(flat[0] - begin, 0)), fade)
        turned = interpolate_rows(recorded, Transforms.repeated(lying, count), weights)
        rotations = turned.rotations
        places = {contact: lying.position + lying.rotation @ np.array(contact.at) for contact in pivots}
    else:
        pivots = pivots[-1:]
        places = {}
        for contact in pivots:
            path = recorded.positions + recorded.rotations @ np.array(contact.at)
            alone = path[max(contact.first, begin) : min(contact.last, stop) + 1]
            places[contact] = path[begin] if contact.first <= first else np.median(alone, axis=0)
            if ground is not None:
                places[contact][1] = ground
    positions = np.empty((count, 3))
    change = flat[0] if flat is not None else 0
    early = min(pivots, key=lambda contact: contact.first)
    late = max(pivots, key=lambda contact: contact.last)
    for contact, frames in ((early, slice(0, change)), (late, slice(change, count))):
        positions[frames] = places[contact] - rotations[frames] @ np.array(contact.at)
    for contact in pivots:
        own = max(contact.first, begin), min(contact.last, stop)
        if contact is not early and contact is not late:  # it stands only while the foot is flat
            own = max(own[0], change), min(own[1], flat[1] if flat else own[1])
        elif flat is not None and contact is early and contact is not late:
            own = own[0], min(own[1], flat[1])
        if own[1] > own[0]:
            still.append(Contact(contact.joint, contact.point, contact.at, *own))
    return Transforms(positions, rotations)


def _on_ground(lying: Transform, heel: Floats, ball: Floats, ground: float) -> Transform:
    """A foot turned the least way so that heel and ball are level, and put onto the ground."""
    way = lying.rotation @ (ball - heel)
    level = np.array([way[0], 0.0, way[2]])
    rotation = rotation_between(way, level) @ lying.rotation
    middle = 0.5 * (heel + ball)
    place = lying.position + lying.rotation @ middle
    place[1] = ground
    return Transform.of(place - rotation @ middle, rotation)


def ramp(count: int, begin: int, stop: int, lead: int, fade: int) -> Floats:
    """1 from one frame to another, and smoothly from 0 in `lead` frames before and to 0 in `fade` frames after."""
    number = np.arange(count, dtype=np.float64)
    rise = np.clip((number - (begin - lead)) / lead, 0.0, 1.0) if lead > 0 else (number >= begin).astype(float)
    fall = np.clip((number - stop) / fade, 0.0, 1.0) if fade > 0 else (number > stop).astype(float)
    return np.asarray(_smooth(rise) * (1.0 - _smooth(fall)))


def _smooth(share: Floats) -> Floats:
    return np.asarray(share * share * share * (10.0 + share * (6.0 * share - 15.0)))
