"""Runs a file of tracks: from its text to a performance."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from puppet.body import Body
from puppet.performance import Performance
from puppet.scene import Scene, Table
from puppet.tracks.course import course_of
from puppet.tracks.follow import Followed, follow_tracks
from puppet.tracks.report import track_names, track_tasks
from puppet.tracks.track_file import load_tracks, prop_colors
from puppet.tracks.tracks import Tracks


def run_tracks(path: str | Path, body: Body | None = None) -> Performance:
    """The performance of a file of tracks; `body` replaces the one that it names."""
    clock = time.perf_counter
    begin = clock()
    tracks = load_tracks(path, body)
    course = course_of(tracks)
    read = clock()
    followed = follow_tracks(tracks, course)
    angles = followed.angles
    angles.flags.writeable = False
    timing = {"read": read - begin, "frames": clock() - read, "total": clock() - begin}
    report = {
        "fps": tracks.fps,
        "frames": len(angles),
        "tasks": track_tasks(tracks, course),
        "objects": {},
        "locks": {},
        "notes": [],
        "tracks": track_names(tracks),
        "hints": [] if course is None else [hint.as_dict() for hint in course.hints],
        "pins": pin_report(followed),
        "timing": {name: round(1e3 * value, 3) for name, value in timing.items()},
    }
    return Performance(_among_props(tracks), empty_scene(tracks.body), tracks.fps, angles, report, ((0, {}),))


def _among_props(tracks: Tracks) -> Body:
    """The body, drawn among what stands around."""
    body = tracks.body
    if not tracks.props:
        return body
    return replace(body, fixed_shapes=(*body.fixed_shapes, *tracks.props), colors=prop_colors(body))


def pin_report(followed: Followed) -> Mapping[str, Any]:
    """For each pinned part: the frame in which a firm pin of it misses most, and by how much, in body heights."""
    found = {}
    for part, misses in followed.misses.items():
        firm = np.where(followed.gains[part] >= 1.0, misses, 0.0)
        worst = int(np.argmax(firm))
        found[part] = {"frame": worst, "miss": round(float(firm[worst]), 6)}
    return found


def empty_scene(body: Body) -> Scene:
    """A floor y = 0 and nothing on it."""
    return Scene(Table(0.0, 0.0), (), (), floor=0.0, body=body.name)
