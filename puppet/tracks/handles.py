"""What a body does not get to of the physics that tracks ask for: centre of mass, inertia, angular momentum."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from puppet.body import AXES, angular_momenta, centres_of_mass, inertia_tensors, joint_transforms
from puppet.tracks.course import SAME_PLACE, Course
from puppet.tracks.follow import Followed
from puppet.tracks.tracks import Hint, Tracks
from puppet.types import Floats

LACKS = 0.02  # of an inertia or of an angular momentum: less is no more than rounding
_NO_MOMENTUM = 1e-4  # less of it is none: a whole turn takes minutes


def missed_handles(tracks: Tracks, course: Course | None, followed: Followed) -> Iterator[Hint]:
    """Hints about all that is missed, in the order of the file's tracks."""
    transforms = joint_transforms(tracks.body, followed.angles)
    if course is not None and not tracks.body.free_root:  # a free root can bring its mass anywhere
        yield from _mass(tracks, course, transforms)
    if tracks.inertia:
        yield from _inertia(tracks, transforms)
    if tracks.momentum:
        yield from _momentum(tracks, transforms)


def _mass(tracks: Tracks, course: Course, transforms: Floats) -> Iterator[Hint]:
    """Ways of the centre of mass that go farther than a body gets that is fixed somewhere."""
    height = tracks.body.height
    off = centres_of_mass(tracks.body, transforms) / height - course.positions(len(transforms), tracks.fps)
    misses = np.linalg.norm(off * np.array(course.axes), axis=1)
    keys = tracks.mass[1:] or tracks.mass
    for key, first in zip(keys, [tracks.mass[0].at, *(key.at + 1 for key in keys)], strict=False):
        worst = first + int(np.argmax(misses[first : key.at + 1]))
        if misses[worst] > SAME_PLACE:
            message = f"the body does not reach so far: its centre of mass is {misses[worst]:.3f} away at frame {worst}"
            yield Hint(key.at, key.mark, message)


def _inertia(tracks: Tracks, transforms: Floats) -> Iterator[Hint]:
    """Keys of inertia that the body does not get to, whatever it does."""
    tensors = inertia_tensors(tracks.body, transforms[[key.at for key in tracks.inertia]])
    for key, tensor in zip(tracks.inertia, tensors, strict=True):
        for axis, value in key.values.items():
            has = float(tensor[AXES.index(axis), AXES.index(axis)])
            if abs(has - value) > LACKS * value:
                nearest = f"{has:.3g} is the nearest that it gets to with these poses, pins and places"
                yield Hint(key.at, key.mark, f"the body cannot have the inertia {axis} {value:g} here: {nearest}")


def _momentum(tracks: Tracks, transforms: Floats) -> Iterator[Hint]:
    """Angular momenta that the body does not get, or does not keep, whatever it does."""
    found = angular_momenta(tracks.body, transforms, tracks.fps)
    for span in tracks.momentum:
        begin = max(1, span.first + int(span.conserved))
        own = found[begin : span.last + 1]
        wanted = np.array([span.values.get(axis, np.nan) for axis in AXES])
        if span.conserved:
            wanted = np.median(own, axis=0)
        off = np.nan_to_num(np.abs(own - wanted))
        frame, axis = np.unravel_index(int(np.argmax(off)), off.shape)
        if off[frame, axis] > max(_NO_MOMENTUM, LACKS * float(np.nanmax(np.abs(wanted)))):
            name, at, has = AXES[axis], begin + int(frame), f"{own[frame, axis]:.3g}"
            if span.conserved:
                message = (
                    f"the angular momentum is not kept: {name} is {has} in frame {at}, {wanted[axis]:.3g} in others; "
                    "give pins and inertias more frames to come in"
                )
            else:
                message = (
                    f"the body cannot have the angular momentum {name} {span.values[name]:g}: in frame {at} it has "
                    f"{has}; a smaller one, or about another axis, or more frames a second, would work"
                )
            yield Hint(span.first, span.mark, message)
