"""Tracks in words: what happens from key to key, as the tasks of a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from puppet.tracks.course import Course, Leg
from puppet.tracks.templates import Pendulum, Projectile
from puppet.tracks.tracks import MASTER, SPANS, Hint, Mark, Tracks
from puppet.types import Floats

_OFF = 0.005  # body heights by which a firm pin may be missed, as where it begins to be firm
_MASS, _INERTIA, _MOMENTUM, _GAIN = "centre of mass", "inertia", "angular momentum", "gain of all pins"
_NAMES = {"centre_of_mass": _MASS, SPANS: _MOMENTUM, f"pins.{MASTER}": _GAIN}  # of tracks; others have their own


def track_names(tracks: Tracks) -> list[str]:
    """The names of all tracks that have keys, as a timeline shows them."""
    found = ["pose"] if tracks.pose else []
    found += [_MASS] if tracks.mass else []
    found += [_INERTIA] if tracks.inertia else []
    found += [_MOMENTUM] if tracks.momentum else []
    found += [_GAIN] if tracks.master else []
    return found + [pin.part for pin in tracks.pins]


def track_tasks(
    tracks: Tracks, course: Course | None, hints: Sequence[Hint], misses: Mapping[str, Floats]
) -> list[dict[str, Any]]:
    """What the tracks do between their keys, in the order of time. hints: what does not fit; misses (frames,): how far
    firm pins of each part are off, in body heights."""
    reasons: dict[Mark, str] = {}
    for hint in hints:
        reasons[hint.mark] = "; ".join([*filter(None, [reasons.get(hint.mark)]), hint.message])
    entries = [
        *_poses(tracks), *_mass(tracks, course, reasons), *_inertia(tracks, reasons), *_momentum(tracks, reasons),
        *_gains(tracks), *_pins(tracks, misses),
    ]  # fmt: skip
    return [_task(*entry) for entry in sorted(entries, key=lambda entry: (entry[3], entry[4], entry[0], entry[1]))]


def track_keys(tracks: Tracks, course: Course | None) -> list[dict[str, Any]]:
    """All keys: their track, frame, line and column; and where they are, in body heights, where they have a place that
    can be given. A span of angular momentum has two."""
    places = {(f"pins.{pin.part}", key.at): list(key.place) for pin in tracks.pins for key in pin.keys if key.place}
    if course is not None:
        course_places = course.positions(tracks.frames, tracks.fps)
        for n, key in enumerate(tracks.mass):
            thrown = key.by == "projectile" and tracks.mass[n - 1].velocity is not None
            if key.place is not None and key.by != "pendulum" and not thrown:  # those arrive where they arrive
                places["centre_of_mass", key.at] = course_places[key.at].tolist()
    found = []
    for track, at, mark in tracks.times:
        found.append({
            "track": _NAMES.get(track, track.removeprefix("pins.")), "at": at, "line": mark.line,
            "column": mark.column, "place": places.get((track, at)),
        })  # fmt: skip
    return found


_Entry = tuple[str, str, str, int, int, Mark, str]  # track, command, words, start, end, mark, reason


def _poses(tracks: Tracks) -> Iterator[_Entry]:
    for before, key in pairwise(tracks.pose):
        yield "pose", f"pose {key.pose}", f"To the pose {key.pose}", before.at, key.at, key.mark, ""


def _mass(tracks: Tracks, course: Course | None, reasons: Mapping[Mark, str]) -> Iterator[_Entry]:
    if course is None:
        return
    if course.single is not None:
        [key] = tracks.mass
        words = _vector(np.where(course.axes, course.single, np.nan))
        yield _MASS, f"place {words}", f"Be at {words}", key.at, key.at, key.mark, reasons.get(key.mark, "")
    for leg in course.legs:
        words, mark = _leg_words(leg, course.axes), leg.key.mark
        yield _MASS, f"by {leg.by}", words, leg.first, leg.last, mark, reasons.get(mark, "")


def _leg_words(leg: Leg, axes: Sequence[bool]) -> str:
    curve = leg.curve
    place = _vector(np.where(axes, curve.position(curve.duration), np.nan))
    if isinstance(curve, Projectile):
        return f"Fly to {place}, leaving with {_vector(curve.start_velocity)}, apex {curve.apex:.3f}"
    if isinstance(curve, Pendulum):
        return f"Swing about {_vector(curve.pivot)} to {place}, arriving with {_vector(curve.velocity(curve.duration))}"
    return f"Go to {place}"


def _inertia(tracks: Tracks, reasons: Mapping[Mark, str]) -> Iterator[_Entry]:
    first = tracks.inertia[:1]
    for before, key in pairwise((*first, *tracks.inertia) if len(tracks.inertia) == 1 else tracks.inertia):
        words = ", ".join(f"{axis} {value:g}" for axis, value in key.values.items())
        reason = reasons.get(key.mark, "")
        yield _INERTIA, f"inertia {words}", f"To the inertia {words}", before.at, key.at, key.mark, reason


def _momentum(tracks: Tracks, reasons: Mapping[Mark, str]) -> Iterator[_Entry]:
    for span in tracks.momentum:
        values = ", ".join(f"{axis} {value:g}" for axis, value in span.values.items())
        words = "conserved" if span.conserved else values
        reason = reasons.get(span.mark, "")
        yield _MOMENTUM, words, f"Angular momentum {words}", span.first, span.last, span.mark, reason


def _gains(tracks: Tracks) -> Iterator[_Entry]:
    for before, key in pairwise((*tracks.master[:1], *tracks.master) if len(tracks.master) == 1 else tracks.master):
        words = f"gain {before.gain:g}" + (f" to {key.gain:g}" if key.gain != before.gain else "")
        yield _GAIN, words, f"All pins, {words}", before.at, key.at, key.mark, ""


def _pins(tracks: Tracks, misses: Mapping[str, Floats]) -> Iterator[_Entry]:
    for pin in tracks.pins:
        ends = [key.at for key in pin.keys[1:]] + [tracks.frames - 1]
        for n, (key, end) in enumerate(zip(pin.keys, ends, strict=True)):
            goes_on = n > 0 and not pin.keys[n - 1].off
            if key.off or (goes_on and end <= key.at):  # the last frame belongs to the way there
                continue
            later = pin.keys[n + 1] if n + 1 < len(pin.keys) and not pin.keys[n + 1].off else key
            gains = f"gain {key.gain:g}" + (f" to {later.gain:g}" if later.gain != key.gain else "")
            part = pin.part.replace("_", " ")
            own = misses[pin.part][key.at : end + 1]
            worst = int(np.argmax(own))
            missed = (
                f"the {part} misses it by {own[worst]:.3f} at frame {key.at + worst}: a place as much nearer would "
                "work, or mass and other pins nearer to it"
            )
            reason = missed if own[worst] > _OFF else ""
            yield pin.part, f"pin {part}, {gains}", f"Pin the {part}, {gains}", key.at, end, key.mark, reason


def _task(track: str, command: str, words: str, start: int, end: int, mark: Mark, reason: str) -> dict[str, Any]:
    return {
        "file": mark.file, "line": mark.line, "column": mark.column, "call": 0, "kind": "track", "command": command,
        "interpretation": words, "status": "adjusted" if reason else "done", "reason": reason, "hand": "",
        "given": start, "start": start, "end": end, "waited": "", "position_error": 0.0, "orientation_error": 0.0,
        "segments": [{"joint": track, "start": start, "end": end}],
    }  # fmt: skip


def _vector(values: Floats | Sequence[float]) -> str:
    """Three numbers as a file has them; what is not a number is free."""
    return "[" + ", ".join("free" if value != value else f"{round(float(value), 3) + 0.0:g}" for value in values) + "]"
