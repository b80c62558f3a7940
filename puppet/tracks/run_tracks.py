"""Runs a file of tracks: from its text to a performance."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from puppet.body import Body
from puppet.performance import Performance, PinCourse
from puppet.scene import Scene, Table, prop_colors
from puppet.tracks.course import course_of
from puppet.tracks.follow import Followed, follow_tracks
from puppet.tracks.handles import missed_handles
from puppet.tracks.report import track_keys, track_names, track_tasks
from puppet.tracks.track_file import read_tracks
from puppet.tracks.tracks import Tracks
from puppet.types import Floats


def run_tracks(text: str, source: str, body: Body | None = None) -> Performance:
    """The performance of the text of a file of tracks, as `read_tracks` reads it."""
    clock = time.perf_counter
    begin = clock()
    tracks = read_tracks(text, source, body)
    course = course_of(tracks)
    read = clock()
    followed = follow_tracks(tracks, course)
    angles = followed.angles
    angles.flags.writeable = False
    timing = {"read": read - begin, "frames": clock() - read, "total": clock() - begin}
    hints = [*(course.hints if course else ()), *missed_handles(tracks, course, followed)]
    report = {
        "fps": tracks.fps,
        "frames": len(angles),
        "tasks": track_tasks(tracks, course, hints, firm_misses(followed)),
        "objects": {},
        "locks": {},
        "notes": [],
        "tracks": track_names(tracks),
        "hints": [hint.as_dict() for hint in hints],
        "pins": pin_report(followed),
        "keys": track_keys(tracks, course),
        "timing": {name: round(1e3 * value, 3) for name, value in timing.items()},
    }
    scene, pins = empty_scene(tracks.body), _pin_courses(followed)
    return Performance(_among_props(tracks), scene, tracks.fps, angles, report, ((0, {}),), pins=pins)


def _pin_courses(followed: Followed) -> Mapping[str, PinCourse]:
    found = {}
    for part, places in followed.places.items():
        arrays = places, followed.gains[part], followed.misses[part]
        for array in arrays:
            array.flags.writeable = False
        found[part] = PinCourse(*arrays)
    return MappingProxyType(found)


def _among_props(tracks: Tracks) -> Body:
    """The body, drawn among what stands around."""
    body = tracks.body
    if not tracks.props:
        return body
    return replace(body, fixed_shapes=(*body.fixed_shapes, *tracks.props), colors=prop_colors(body.colors))


def pin_report(followed: Followed) -> Mapping[str, Any]:
    """For each pinned part: the frame in which a firm pin of it misses most, and by how much, in body heights."""
    found = {}
    for part, firm in firm_misses(followed).items():
        worst = int(np.argmax(firm))
        found[part] = {"frame": worst, "miss": round(float(firm[worst]), 6)}
    return found


def firm_misses(followed: Followed) -> dict[str, Floats]:
    """How far each pinned part is off in frames in which its pin is firm, in body heights; 0 in others."""
    return {part: np.where(followed.gains[part] >= 1.0, misses, 0.0) for part, misses in followed.misses.items()}


def empty_scene(body: Body) -> Scene:
    """A floor y = 0 and nothing on it."""
    return Scene(Table(0.0, 0.0), (), (), floor=0.0, body=body.name)
