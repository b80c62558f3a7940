"""Single strokes of the hands of recorded people, cut out of BVH files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.motion.strokes import RATE, Stroke, low_pass, resampled, speeds, stroke_of
from puppet.bvh import BvhClip, read_bvh
from puppet.types import Floats

HEIGHT = 1.75  # metres: all people are scaled to it
DISTANCES = 0.2, 1.1  # metres
DURATIONS = 0.4, 1.6  # seconds
LARGEST_RATIO = 1.6
PAUSE = 0.25  # of the peak speed: a stroke is between two frames that are slower
ROOT_SHARE = 0.6  # of the stroke's distance: who moves the hips farther than this walks and does not reach
WRISTS = ("lefthand", "righthand", "lwrist", "rwrist", "leftwrist", "rightwrist")


def recorded_strokes(folder: Path) -> dict[str, list[Stroke]]:
    """Strokes of all recordings in a folder, by file. Those with none are left out."""
    found = {path.stem: clip_strokes(read_bvh(path)) for path in sorted(folder.glob("*.bvh"))}
    return {name: strokes for name, strokes in found.items() if strokes}


def clip_strokes(clip: BvhClip) -> list[Stroke]:
    """Strokes of both hands: between two pauses, with one speed peak, by one who stays where he is."""
    positions = clip.joint_positions * (HEIGHT / _tallness(clip))
    root = resampled(low_pass(positions[:, 0], clip.fps), clip.fps)
    found = []
    for j, joint in enumerate(clip.joints):
        if joint.name.lower().replace("_", "") in WRISTS:
            wrist = resampled(low_pass(positions[:, j], clip.fps), clip.fps)
            found += [stroke for _, _, stroke in _longest_apart(_candidates(wrist, root))]
    return found


def is_single(stroke: Stroke) -> bool:
    """Whether a stroke is one of those that are compared: one peak, and of the size of reaches at a table."""
    return (
        stroke.peaks == 1
        and DISTANCES[0] <= stroke.distance <= DISTANCES[1]
        and DURATIONS[0] <= stroke.duration <= DURATIONS[1]
        and stroke.ratio <= LARGEST_RATIO
    )


def _candidates(wrist: Floats, root: Floats) -> list[tuple[int, int, Stroke]]:
    """Strokes from one least speed to another, where both are pauses: first and last frame, and figures."""
    speed, found = speeds(wrist), []
    lows = [0, *(n for n in range(1, len(speed) - 1) if speed[n - 1] >= speed[n] < speed[n + 1]), len(speed) - 1]
    for n, a in enumerate(lows):
        for b in lows[n + 1 :]:
            if b - a > DURATIONS[1] * RATE + 10:
                break
            if max(speed[a], speed[b]) > PAUSE * speed[a : b + 1].max():
                continue
            stroke = stroke_of(wrist[a : b + 2])
            moved = float(np.ptp(root[a : b + 2], axis=0).max())
            if stroke is not None and is_single(stroke) and moved <= ROOT_SHARE * stroke.distance:
                found.append((a, b, stroke))
    return found


def _longest_apart(found: list[tuple[int, int, Stroke]]) -> list[tuple[int, int, Stroke]]:
    """The longest ones that do not overlap, in the order of time."""
    kept: list[tuple[int, int, Stroke]] = []
    for entry in sorted(found, key=lambda entry: (entry[0] - entry[1], entry[0])):
        if all(entry[1] <= a or entry[0] >= b for a, b, _ in kept):
            kept.append(entry)
    return sorted(kept, key=lambda entry: entry[0])


def _tallness(clip: BvhClip) -> float:
    """From the lowest to the highest point of the first frame, in which people stand."""
    ends = clip.bones(0).reshape(-1, 3)
    return float(np.ptp(ends[:, 1]))
