"""Feet that are planted: the path of a foot on which what stands on the ground stands still.

A foot stands on its heel, then flat, then on its ball. While it is flat, it does not move at all; before and after that
it turns as recorded about the point that stands. From and to its recorded path it is led smoothly, so that a foot that
was recorded standing still stays on its recorded path throughout.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from puppet.clip.contacts import GroundContact
from puppet.geometry import Transform, Transforms, interpolate, rotation_between, rotation_vectors, rotations_about
from puppet.types import Floats

FADE = 0.12  # seconds in which a foot is led to where it stands, and let go
_EASY = 2e-3  # body heights, and a tenth of radians: a foot that far from its path is back in that time, else later
STILL_ENOUGH = 2e-4  # body heights, and a tenth of radians: a foot that moves no farther as recorded is left as it is
_BETWEEN = 4  # times longer that a foot takes from one turn to the next, which stands on its heel or its ball meanwhile
_BACK = 4.0  # times longer, at most, that a foot takes back to its recorded path
_SAME = 1e-7  # a foot so near to its recorded path is on it
_LONGEST = 0.5  # seconds beyond the edits in which a foot lifts, or is led back where it stands on
_AROUND = 1.0  # seconds before that, and after it, that have to do with how a foot goes


@dataclass(frozen=True)
class PlantedFoot:
    """One stance of a foot: its contacts by heel and ball, in the order in which they begin."""

    contacts: tuple[GroundContact, ...]

    @property
    def first(self) -> int:
        return self.contacts[0].first

    @property
    def last(self) -> int:
        return max(contact.last for contact in self.contacts)

    def point(self, word: str) -> Floats:
        """Where its heel or its ball is, in its own coordinates."""
        return np.array(next(contact.at for contact in self.contacts if contact.point.startswith(word)))

    def within(self, first: int, last: int) -> PlantedFoot:
        """What there is of it in some frames."""
        cut = [own.within(first, last) for own in self.contacts]
        return PlantedFoot(tuple(own for own in cut if own.last >= own.first))

    @cached_property
    def flat(self) -> tuple[tuple[int, int], ...]:
        """When heel and ball stand: first and last frames, each time."""
        heels, balls = ([own for own in self.contacts if own.point.startswith(word)] for word in ("heel", "ball"))
        both = [(max(a.first, b.first), min(a.last, b.last)) for a in heels for b in balls]
        return tuple(sorted((first, last) for first, last in both if last > first))

    @cached_property
    def pivots(self) -> tuple[GroundContact, ...]:
        """What it stands on until it is flat, then until it is flat again, and so on, and after that: one more than
        times that it is flat. Without such a time, its ball, or its heel."""
        if not self.flat:
            return (max(self.contacts, key=lambda contact: (contact.point.startswith("ball"), contact.last)),)
        between = [
            max(self.contacts, key=lambda contact: min(contact.last, after[0]) - max(contact.first, before[1]))
            for before, after in pairwise(self.flat)
        ]
        first, last = self.flat[0], self.flat[-1]
        early = min((own for own in self.contacts if own.last >= first[0]), key=lambda contact: contact.first)
        late = max((own for own in self.contacts if own.first <= last[1]), key=lambda contact: contact.last)
        return early, *between, late


@dataclass(frozen=True, eq=False)
class FootPath:
    """Where a foot goes in all frames of a clip, and which of its points stand still in which of them."""

    transforms: Transforms
    still: tuple[GroundContact, ...]
    end: int  # the last frame in which it is not on its recorded path
    pivots: Floats  # (frames, 3): the point that it stands on, in its own coordinates; in between, from one to the next
    flat: Floats  # (frames,): 1 when it lies flat on the ground, and so cannot be turned; from and to 0 in some frames

    @property
    def pivot_places(self) -> Floats:
        """Where the pivots are in the world, (frames, 3)."""
        return np.asarray(self.transforms.positions + np.einsum("nab,nb->na", self.transforms.rotations, self.pivots))


def find_stances(contacts: list[GroundContact]) -> list[PlantedFoot]:
    """The stances of one foot from its contacts: those of heel and ball that overlap are one."""
    points = [contact for contact in contacts if contact.point.startswith(("heel", "ball"))]
    groups: list[list[GroundContact]] = []
    for contact in sorted(points, key=lambda contact: contact.first):
        if groups and contact.first <= max(other.last for other in groups[-1]):
            groups[-1].append(contact)
        else:
            groups.append([contact])
    return [PlantedFoot(tuple(group)) for group in groups]


def plan_foot(
    recorded: Transforms, contacts: list[GroundContact], first: int, last: int, fps: float, ground: float | None = None
) -> FootPath:
    """The path of a foot in an edit of the frames first to last; contacts: those of its heel and its ball. Where a
    foot stands already when the edit begins, it stays there; where it comes down soon after, it is led only as far as
    there is time for. ground: the height that it stands at, if not as recorded; then it lies flat, and is soon back on
    its path however far it is, since this is for another body, whose leg may be stretched as it takes off."""
    count, around = len(recorded), round((_LONGEST + _AROUND) * fps)
    low, beyond = max(first - around, 0), min(last + around + 1, count)
    near = (contact.within(low, beyond - 1) for contact in contacts)
    own = [contact.later(-low) for contact in near if contact.last > contact.first]
    window = Transforms(recorded.positions[low:beyond], recorded.rotations[low:beyond])
    path = _planned(window, own, first - low, last - low, fps, ground)
    positions, rotations = np.array(recorded.positions), np.array(recorded.rotations)
    positions[low:beyond], rotations[low:beyond] = path.transforms.positions, path.transforms.rotations
    pivots, flat = np.zeros((count, 3)), np.zeros(count)
    pivots[low:beyond], flat[low:beyond] = path.pivots, path.flat
    still = tuple(contact.later(low) for contact in path.still)
    return FootPath(Transforms(positions, rotations), still, path.end + low, pivots, flat)


def _planned(
    recorded: Transforms, contacts: list[GroundContact], first: int, last: int, fps: float, ground: float | None
) -> FootPath:
    """As plan_foot, of few frames."""
    count, fade = len(recorded), max(1, round(FADE * fps))
    shifts, turns = np.zeros((count, 3)), np.zeros((count, 3))  # from the recorded path, the turns as rotation vectors
    still: list[GroundContact] = []
    latest = last + round(_LONGEST * fps)
    stances = find_stances(contacts)
    for n, stance in enumerate(stances):
        if stance.last <= first or stance.first > last:
            continue
        # Nothing of it is left when the next stance begins, nor is there anything before the last one has ended.
        before = stances[n - 1].last if n > 0 else first
        after = stances[n + 1].first if n + 1 < len(stances) else count + fade
        begin, stands_on = max(stance.first, first), stance.last > latest
        stop = max(begin, min(last, stance.last)) if stands_on else stance.last
        own = slice(begin, stop + 1)
        planted = _planted(recorded, stance.within(begin, stop), first, max(before, first), fade, still, ground)
        inverse = recorded.rotations[own].transpose(0, 2, 1)
        shift = planted.positions[own] - recorded.positions[own]
        turn = rotation_vectors(planted.rotations[own] @ inverse)
        # What stands on is led back slowly, as it slides in the recording.
        back = latest - last if stands_on else _frames_back(fade, ground, turn[-1], shift[-1])
        lead, trail = min(fade, begin - max(before, first)), min(back, after - stop)
        if np.abs(shift).max() > STILL_ENOUGH or np.abs(turn).max() > 10.0 * STILL_ENOUGH:
            shifts += extended(shift, begin, count, lead, trail)
            turns += extended(turn, begin, count, lead, trail)
    off = np.flatnonzero(np.abs(np.hstack([shifts, turns])).max(axis=1) > _SAME)
    end = int(off[-1]) + 1 if len(off) else first
    rotations = rotations_about(turns) @ recorded.rotations
    path = Transforms(recorded.positions + shifts, rotations)
    return FootPath(path, tuple(still), min(end, count - 1), *_pivots(stances, count, fade))


def _pivots(stances: list[PlantedFoot], count: int, fade: int) -> tuple[Floats, Floats]:
    """See FootPath: a foot turns about its heel until it is flat, then about its ball; about its ankle in the air."""
    frames, points = [0], [np.zeros(3)]
    number, flat = np.arange(count), np.zeros(count)
    for n, stance in enumerate(stances):
        for begin, end in stance.flat:
            away = np.maximum(np.maximum(begin - number, number - end), 0) / fade
            flat = np.maximum(flat, _eased(1.0 - np.minimum(away, 1.0)))
        before = stances[n - 1].last + fade if n > 0 else 0
        if stance.first - fade > before:  # in the air
            frames += [before, stance.first - fade]
            points += [np.zeros(3), np.zeros(3)]
        frames += [stance.first, *(frame for time in stance.flat for frame in time), stance.last]
        points += [np.array(pivot.at) for pivot in stance.pivots for _ in range(2)]
    if not stances:
        return np.zeros((count, 3)), flat
    points[0] = points[1]
    if frames[-1] + fade < count:
        frames, points = [*frames, frames[-1] + fade], [*points, np.zeros(3)]
    at = np.maximum.accumulate(np.array(frames))
    place = np.clip(np.searchsorted(at, number, side="right") - 1, 0, len(at) - 2)
    share = np.clip((number - at[place]) / np.maximum(at[place + 1] - at[place], 1), 0.0, 1.0)
    whole = np.array(points)
    return whole[place] + _eased(share)[:, None] * (whole[place + 1] - whole[place]), flat


def _planted(
    recorded: Transforms, stance: PlantedFoot, first: int, free: int, fade: int, still: list[GroundContact],
    ground: float | None,
) -> Transforms:  # fmt: skip
    """Where a foot is that stands on its points, in all frames; it counts in those of the stance alone. free: the
    frame from which on it can be led there."""
    count, flat, pivots = len(recorded), stance.flat, stance.pivots
    turns = np.zeros((count, 3))
    lying: list[Transform] = []
    for n, (begin, end) in enumerate(flat):
        lies = slice(begin, end + 1)
        place = recorded[begin]
        lead, slowly = begin - (flat[n - 1][1] if n > 0 else free), _BETWEEN * fade
        if begin > first:  # it comes down in the edit: where it lies in the middle of its frames, given time
            middle = Transform.of(np.median(recorded.positions[lies], axis=0), recorded[(begin + end) // 2].rotation)
            place = interpolate(place, middle, _room(lead, slowly))
        if ground is not None:
            place = _on_ground(place, stance.point("heel"), stance.point("ball"), ground)
        at = np.array(pivots[n].at)  # it stands on that already: where it has come down, or was led to
        stands = max(pivots[0].first, first, 0)
        led = 0.0 if n > 0 else _room(stands - free, fade)
        where = (1.0 - led) * _point(lying[-1] if n > 0 else recorded[stands], at) + led * _point(place, at)
        if ground is not None:
            where[1] = _point(place, at)[1]
        place = Transform.of(where - place.rotation @ at, place.rotation)
        lying.append(place)
        leads = min(lead, slowly if n > 0 else fade)
        turned = rotation_vectors(place.rotation @ recorded.rotations[lies].transpose(0, 2, 1))
        trails = min(flat[n + 1][0] - end, slowly) if n + 1 < len(flat) else _frames_back(fade, ground, turned[-1])
        turns += extended(turned, begin, count, leads, trails)
    rotations = rotations_about(turns) @ recorded.rotations
    positions, standing = np.empty((count, 3)), np.zeros(count, dtype=np.int64)
    for n, (pivot, begin) in enumerate(zip(pivots, (0, *(time[0] for time in flat)), strict=True)):
        at = np.array(pivot.at)
        if lying:
            where = _point(lying[max(n - 1, 0)], at)
        else:
            path = (recorded.positions + recorded.rotations @ at)[pivot.first : pivot.last + 1]
            where = path[0]
            if pivot.first > first:
                where = where + _room(pivot.first - free, fade) * (np.median(path, axis=0) - where)
            where[1] = where[1] if ground is None else ground
        positions[begin:], standing[begin:] = where - rotations[begin:] @ at, n
    for contact in stance.contacts:
        own = np.arange(contact.first, contact.last + 1)
        held = np.array([pivots[n] is contact for n in standing[own]])
        for begin, end in flat:
            held |= (own >= begin) & (own <= end)
        still += [replace(contact, first=contact.first + a, last=contact.first + b) for a, b in _runs(held) if b > a]
    return Transforms(positions, rotations)


def _point(placed: Transform, at: Floats) -> Floats:
    """Where a point of a foot is in the world."""
    return np.asarray(placed.position + placed.rotation @ at)


def _runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last places of what is true, each time."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def extended(values: Floats, first: int, count: int, lead: int, trail: int, beside: int | None = None) -> Floats:
    """Values (frames, 3) from a frame on, among zeros (count, 3); in `lead` frames before and `trail` frames after they
    come and go with the velocities that they have at their ends: the usual ones in so many frames beside them, since
    one alone may be noise, or in a third of those."""
    found = np.zeros((count, 3))
    last = first + len(values) - 1
    found[first : last + 1] = values
    steps = np.diff(values, axis=0) if len(values) > 1 else np.zeros((1, 3))
    before = -np.median(steps[: max(1, beside or lead // 3)], axis=0)
    after = np.median(steps[-max(1, beside or trail // 3) :], axis=0)
    way = np.arange(1, min(trail, count - 1 - last) + 1)
    found[last + way] = _ease(way / max(trail, 1), values[-1], after * trail)
    way = np.arange(1, min(lead, first) + 1)
    found[first - way] = _ease(way / max(lead, 1), values[0], before * lead)
    return found


def _room(frames: int, fade: int) -> float:
    """How much of its way to where it shall stand a foot is led in so many frames, 0 to 1: jerk grows with the way, and
    with the third power of how short its time is."""
    return min(max(frames / fade, 0.0), 1.0) ** 3


def _frames_back(fade: int, ground: float | None, turn: Floats, shift: Floats | None = None) -> int:
    """Frames in which a foot that is turned and shifted goes back to its recorded path: with the third root of how far
    it is, since its jerk is the same then. ground: see plan_foot."""
    if ground is not None:
        return fade
    far = max(0.1 * float(np.linalg.norm(turn)), 0.0 if shift is None else float(np.linalg.norm(shift)))
    return round(fade * min(max(math.cbrt(far / _EASY), 1.0), _BACK))


def _eased(shares: Floats) -> Floats:
    """Shares of a way, 0 to 1, that begin and end at rest."""
    return np.asarray(shares**3 * (10.0 + shares * (6.0 * shares - 15.0)))


def _ease(shares: Floats, value: Floats, velocity: Floats) -> Floats:
    """From a value with a velocity to rest at zero, as a polynomial of degree five, at shares (n,) of its time."""
    u = shares[:, None]
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
