"""Feet in an edit: planted ones stay where they are, others go along their recorded paths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puppet.clip.contacts import Contact, point_paths
from puppet.types import Floats, Ints

FADE = 0.15  # seconds in which a foot that was held returns to its recorded path
LONGEST = 0.5  # seconds beyond the edits for which contacts are held


@dataclass(frozen=True, eq=False)
class HeldContact:
    """A contact and where its point is held; `first` and `last`: the frames of it that are."""

    contact: Contact
    place: Floats  # (3,)
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class FootPath:
    """How the path of a foot differs from the recorded one: (frames, 3), and the contacts that are held."""

    shifts: Floats
    held: tuple[HeldContact, ...]


def plan_foot(
    contacts: list[Contact], transforms: Floats, first: int, last: int, fps: float
) -> FootPath:
    """The path of one foot in an edit of the frames first to last; contacts: those of the foot and its toes.

    A point is held where it was when its contact began; or when the edit began. A point that comes down while another
    one of the foot is held comes down as far from its recorded place as that one is. After the last one the foot
    returns to its recorded path.
    """
    count = len(transforms)
    shifts = np.zeros((count, 3))
    held: list[HeldContact] = []
    end = min(count - 1, last + round(LONGEST * fps))
    open_ones: list[HeldContact] = []
    paths = {contact: point_paths(transforms, contact.joint, np.array(contact.at)) for contact in contacts}
    fade = max(1, round(FADE * fps))
    current, released = np.zeros(3), -(10**9)
    leaving = np.zeros(3)
    for frame in range(first, count):
        open_ones = [entry for entry in open_ones if entry.contact.last >= frame and frame <= end]
        began = [c for c in contacts if c.last >= frame and (c.first == frame or (frame == first and c.first < frame))]
        if open_ones:
            current = np.mean([entry.place - paths[entry.contact][frame] for entry in open_ones], axis=0)
            leaving, released = current, frame
        else:
            share = min((frame - released) / fade, 1.0)
            current = leaving * (1.0 - share * share * share * (10.0 + share * (6.0 * share - 15.0)))
        if frame <= last:
            for contact in began:
                place = paths[contact][frame] + current
                entry = HeldContact(contact, place, frame, min(contact.last, end))
                open_ones.append(entry)
                held.append(entry)
                leaving, released = current, frame
        shifts[frame] = current
        if frame > end and float(np.abs(current).max()) == 0.0:
            break
    return FootPath(shifts, tuple(held))


def frames_of(entry: HeldContact) -> Ints:
    return np.arange(entry.first, entry.last + 1)
