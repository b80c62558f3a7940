"""Feet that are planted: the path of a foot on which what stands on the ground stands still.

A foot stands on its heel, then flat, then on its ball. While it is flat, it does not move at all; before and after that
it turns as recorded about the point that stands. From and to its recorded path it is led smoothly, so that a foot that
was recorded standing still stays on its recorded path throughout.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from puppet.clip.contacts import GroundContact
from puppet.geometry import Transform, Transforms, rotation_between, rotation_vectors, rotations_about
from puppet.types import Floats

FADE = 0.12  # seconds in which a foot is led to where it stands, and let go
STILL_ENOUGH = 2e-4  # body heights, and a tenth of radians: a foot that moves no farther as recorded is left as it is
_SAME = 1e-7  # a foot so near to its recorded path is on it
_LONGEST = 0.5  # seconds beyond the edits for which feet are held


@dataclass(frozen=True)
class PlantedFoot:
    """Frames in which a foot stands on the ground, by heel and ball: first and last ones, or None."""

    heel: GroundContact | None
    ball: GroundContact | None

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
    still: tuple[GroundContact, ...]
    end: int  # the last frame in which it is not on its recorded path
    pivots: Floats  # (frames, 3): the point that it stands on, in its own coordinates; in between, from one to the next
    flat: NDArray[np.bool_]  # (frames,): when it lies flat on the ground, and so cannot be turned

    @property
    def pivot_places(self) -> Floats:
        """Where the pivots are in the world, (frames, 3)."""
        return np.asarray(self.transforms.positions + np.einsum("nab,nb->na", self.transforms.rotations, self.pivots))


def find_stances(contacts: list[GroundContact]) -> list[PlantedFoot]:
    """The stances of one foot from its contacts: heels and balls that overlap are one, from the first to the last of
    each."""
    points = [contact for contact in contacts if contact.point.startswith(("heel", "ball"))]
    groups: list[list[GroundContact]] = []
    for contact in sorted(points, key=lambda contact: contact.first):
        if groups and contact.first <= max(other.last for other in groups[-1]):
            groups[-1].append(contact)
        else:
            groups.append([contact])
    return [PlantedFoot(_whole(group, "heel"), _whole(group, "ball")) for group in groups]


def _whole(contacts: list[GroundContact], point: str) -> GroundContact | None:
    own = [contact for contact in contacts if contact.point.startswith(point)]
    return replace(own[0], last=max(contact.last for contact in own)) if own else None


def plan_foot(
    recorded: Transforms, contacts: list[GroundContact], first: int, last: int, fps: float, ground: float | None = None
) -> FootPath:
    """The path of a foot in an edit of the frames first to last; contacts: those of its heel and its ball. Where a
    foot stands already when the edit begins, it stays there. ground: the height that it stands at, if not as recorded;
    then it lies flat."""
    count, fade = len(recorded), max(1, round(FADE * fps))
    shifts, turns = np.zeros((count, 3)), np.zeros((count, 3))  # from the recorded path, the turns as rotation vectors
    still: list[GroundContact] = []
    latest = last + round(_LONGEST * fps)
    stances = find_stances(contacts)
    for stance in stances:
        if stance.last <= first or stance.first > last:
            continue
        begin, stop = max(stance.first, first), min(stance.last, latest)
        own = slice(begin, stop + 1)
        planted = _planted(recorded, stance, first, begin, stop, fade, still, ground)
        back = recorded.rotations[own].transpose(0, 2, 1)
        lead = min(fade, begin - first)
        shift, turn = planted.positions[own] - recorded.positions[own], rotation_vectors(planted.rotations[own] @ back)
        if np.abs(shift).max() > STILL_ENOUGH or np.abs(turn).max() > 10.0 * STILL_ENOUGH:
            shifts += extended(shift, begin, count, lead, fade)
            turns += extended(turn, begin, count, lead, fade)
    off = np.flatnonzero(np.abs(np.hstack([shifts, turns])).max(axis=1) > _SAME)
    end = int(off[-1]) + 1 if len(off) else first
    rotations = rotations_about(turns) @ recorded.rotations
    path = Transforms(recorded.positions + shifts, rotations)
    return FootPath(path, tuple(still), min(end, count - 1), *_pivots(stances, count))


def _pivots(stances: list[PlantedFoot], count: int) -> tuple[Floats, NDArray[np.bool_]]:
    """See FootPath: a foot turns about its heel until it is flat, then about its ball."""
    frames, points = [0], [np.zeros(3)]
    flat = np.zeros(count, dtype=bool)
    for stance in stances:
        early, late = stance.heel or stance.ball, stance.ball or stance.heel
        assert early is not None
        assert late is not None
        change = (stance.first, stance.last)
        if stance.flat is not None and stance.flat[1] > stance.flat[0]:
            change = stance.flat
            flat[change[0] : change[1] + 1] = True
            early = min((early, late), key=lambda contact: contact.first)
            late = max((early, late), key=lambda contact: contact.last)
        else:
            early = late
        frames += [stance.first, *change, stance.last]
        points += [np.array(contact.at) for contact in (early, early, late, late)]
    if not stances:
        return np.zeros((count, 3)), flat
    points[0] = points[1]
    at, number = np.maximum.accumulate(np.array(frames)), np.arange(count)
    place = np.clip(np.searchsorted(at, number, side="right") - 1, 0, len(at) - 2)
    share = np.clip((number - at[place]) / np.maximum(at[place + 1] - at[place], 1), 0.0, 1.0)
    eased = share**3 * (10.0 + share * (6.0 * share - 15.0))
    whole = np.array(points)
    return whole[place] + eased[:, None] * (whole[place + 1] - whole[place]), flat


def _planted(
    recorded: Transforms, stance: PlantedFoot, first: int, begin: int, stop: int, fade: int, still: list[GroundContact],
    ground: float | None,
) -> Transforms:  # fmt: skip
    """Where a foot is that stands on its points, in all frames; it counts in those of the stance alone."""
    count, flat = len(recorded), stance.flat
    rotations = recorded.rotations
    pivots = [contact for contact in (stance.heel, stance.ball) if contact is not None and contact.last >= begin]
    if flat is not None and flat[1] > first and flat[1] > flat[0]:
        lies = slice(max(flat[0], begin), min(flat[1], stop) + 1)
        lying = recorded[begin] if flat[0] <= first else recorded[(lies.start + lies.stop - 1) // 2]
        if flat[0] > first:  # it comes down in the edit: where it lies in the middle of its frames
            lying = Transform.of(np.median(recorded.positions[lies], axis=0), lying.rotation)
        if ground is not None and stance.heel is not None and stance.ball is not None:
            lying = _on_ground(lying, np.array(stance.heel.at), np.array(stance.ball.at), ground)
        back = recorded.rotations[lies].transpose(0, 2, 1)
        turned = rotation_vectors(lying.rotation @ back)
        turned = extended(turned, lies.start, count, min(fade, max(lies.start - begin, 0)), fade)
        rotations = rotations_about(turned) @ recorded.rotations
        places = {contact: lying.position + lying.rotation @ np.array(contact.at) for contact in pivots}
    else:
        flat = None
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
        if flat is not None and contact is not late:  # it stands no longer than the foot is flat
            own = own[0] if contact is early else max(own[0], change), min(own[1], flat[1])
        if own[1] > own[0]:
            still.append(GroundContact(contact.joint, contact.point, contact.at, *own))
    return Transforms(positions, rotations)


def extended(values: Floats, first: int, count: int, lead: int, fade: int) -> Floats:
    """Values (frames, 3) from a frame on, among zeros (count, 3); in `lead` frames before and `fade` frames after they
    come and go with the velocities that they have at their ends."""
    found = np.zeros((count, 3))
    last = first + len(values) - 1
    found[first : last + 1] = values
    steps = np.diff(values, axis=0) if len(values) > 1 else np.zeros((1, 3))
    few = max(1, fade // 3)
    before, after = -np.median(steps[:few], axis=0), np.median(steps[-few:], axis=0)
    for n in range(1, fade + 1):
        if last + n < count:
            found[last + n] = _ease(n / fade, values[-1], after * fade)
    for n in range(1, lead + 1):
        if first - n >= 0:
            found[first - n] = _ease(n / lead, values[0], before * lead)
    return found


def _ease(share: float, value: Floats, velocity: Floats) -> Floats:
    """From a value with a velocity to rest at zero, as a polynomial of degree five."""
    u = share
    stay = 1.0 - u**3 * (10.0 + u * (6.0 * u - 15.0))
    slope = u + u**3 * (-6.0 + u * (8.0 - 3.0 * u))
    return np.asarray(stay * value + slope * velocity)


def _on_ground(lying: Transform, heel: Floats, ball: Floats, ground: float) -> Transform:
    """A foot turned the least way so that heel and ball are level, and put onto the ground."""
    way = lying.rotation @ (ball - heel)
    level = np.array([way[0], 0.0, way[2]])
    rotation = rotation_between(way, level) @ lying.rotation
    middle = 0.5 * (heel + ball)
    place = lying.position + lying.rotation @ middle
    place[1] = ground
    return Transform.of(place - rotation @ middle, rotation)
