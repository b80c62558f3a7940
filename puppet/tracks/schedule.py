"""Tracks sampled at frames: postures, gains and places between their keys."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from puppet.body import Body, local_rotations
from puppet.geometry import continuous_angles, euler_angles, minimum_jerk, rotation_vector, rotations_about
from puppet.motion import CURVE_FUNCTIONS
from puppet.tracks.tracks import GainKey, InertiaKey, PinKey, PinTrack, Tracks
from puppet.types import Floats

EASE_SECONDS = 0.2  # in which a handle comes in before its first key, and goes after its last


def share(curve: str, first: int, last: int) -> Floats:
    """How far one is from a key to the next, (last - first,): at the frames after the first key up to the last."""
    return np.asarray(CURVE_FUNCTIONS[curve](np.arange(1, last - first + 1) / (last - first)))


def sampled_poses(tracks: Tracks) -> Floats:
    """The posture of each frame, (frames, dofs); before the first key and after the last as there."""
    body, frames = tracks.body, tracks.frames
    if not tracks.pose:
        return np.tile(tracks.poses["rest"], (frames, 1))
    found = np.empty((frames, body.dofs))
    found[: tracks.pose[0].at + 1] = tracks.poses[tracks.pose[0].pose]
    for before, key in pairwise(tracks.pose):
        way = share(key.curve, before.at, key.at)
        found[before.at + 1 : key.at + 1] = blend(body, tracks.poses[before.pose], tracks.poses[key.pose], way)
    found[tracks.pose[-1].at :] = tracks.poses[tracks.pose[-1].pose]
    return found


def blend(body: Body, start: Floats, end: Floats, way: Floats) -> Floats:
    """Postures between two, (n, dofs): ball joints turn the shortest way, all other angles go straight."""
    found = start + way[:, None] * (end - start)
    for j, joint in enumerate(body.joints):
        dofs = body.rotation_dofs[j]
        if joint.range is None or len(dofs) < 3 or np.array_equal(start[dofs], end[dofs]):
            continue
        first, last = local_rotations(body, j, np.stack([start, end]))
        between = rotations_between(first, last, way)
        order = tuple(rotation.axis for rotation in joint.rotations)
        angles = np.radians(continuous_angles(np.vstack([np.degrees(start[None, dofs]), euler_angles(between, order)])))
        found[:, dofs] = angles[1:]
    return found


def rotations_between(first: Floats, last: Floats, way: Floats) -> Floats:
    """Rotations between two, (n, 3, 3), the shortest way."""
    return np.asarray(first @ rotations_about(way[:, None] * rotation_vector(first.T @ last)))


def sampled_numbers(keys: Sequence[GainKey | InertiaKey], values: Sequence[float], frames: int) -> Floats:
    """Numbers between keys, (frames,); as at the first key before it, and as at the last after it."""
    found = np.empty(frames)
    found[: keys[0].at + 1] = values[0]
    for n, (before, key) in enumerate(pairwise(keys)):
        way = share(key.curve, before.at, key.at)
        found[before.at + 1 : key.at + 1] = values[n] + way * (values[n + 1] - values[n])
    found[keys[-1].at :] = values[-1]
    return found


def master_gains(tracks: Tracks) -> Floats:
    """(frames,)."""
    if not tracks.master:
        return np.ones(tracks.frames)
    return sampled_numbers(tracks.master, [key.gain for key in tracks.master], tracks.frames)


def pin_gains(pin: PinTrack, frames: int, flights: Sequence[tuple[int, int]] = ()) -> Floats:
    """The gain of a pin, (frames,); 0 before its first key and where it is off. Just before a key that takes it off
    it is as firm as at the key before; but what goes off in a flight, each from frame to frame, lets go where that
    begins: nothing holds on to anything in the air."""
    found = np.zeros(frames)
    last: PinKey | None = None
    for key in pin.keys:
        if last is not None and not last.off:
            way = np.zeros(key.at - last.at) if key.off else share(key.curve, last.at, key.at)
            found[last.at + 1 : key.at + 1] = last.gain + way * (key.gain - last.gain)
            begins = max((first for first, end in flights if last.at <= first < key.at <= end), default=None)
            if key.off and begins is not None:
                found[begins + 1 : key.at] = 0.0
        found[key.at :] = 0.0 if key.off else key.gain
        last = key
    return found


def handle_gains(first: int, last: int, frames: int, fps: float) -> Floats:
    """The gain of a handle that holds from one frame to another, (frames,): it comes and goes softly, since no key
    asks for a jump."""
    ease = max(1, round(EASE_SECONDS * fps))
    n = np.arange(frames)
    return minimum_jerk(np.clip(1.0 - np.maximum(first - n, n - last) / (ease + 1), 0.0, 1.0))


def inertia_axes(keys: Sequence[InertiaKey]) -> dict[str, tuple[list[InertiaKey], list[float]]]:
    """The keys that each axis has, and their values."""
    found: dict[str, tuple[list[InertiaKey], list[float]]] = {}
    for key in keys:
        for axis, value in key.values.items():
            entry = found.setdefault(axis, ([], []))
            entry[0].append(key)
            entry[1].append(value)
    return found
