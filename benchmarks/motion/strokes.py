"""The shape of one stroke of a hand in space and time, of the puppet's or of a recorded person's."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from scipy.signal import butter, filtfilt, find_peaks

from puppet.types import Floats

CUTOFF = 6.0  # Hz: low-pass of recordings of hands
RATE = 30.0  # frames a second in which all strokes are compared
EDGE = 0.05  # of the peak speed: a stroke begins and ends there
PEAK = 0.1  # of the peak speed: how much a speed peak stands out


@dataclass(frozen=True, eq=False)
class Stroke:
    """Figures of one stroke: metres and seconds."""

    distance: float  # straight line
    duration: float
    ratio: float  # path / straight line
    peaks: int  # of the speed
    peak_speed: float
    peak_to_mean: float
    peak_time: float  # of the whole
    deviation: float  # largest distance from the straight line / its length
    rise: float  # largest height above the straight line / its length
    log_jerk: float  # ln of (integral of jerk^2) T^5 / length^2
    points: Floats  # (frames, 3), at RATE

    @property
    def figures(self) -> dict[str, float]:
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "points"}


def low_pass(points: Floats, rate: float) -> Floats:
    """Points (frames, 3) without what is faster than CUTOFF, not delayed."""
    if 0.5 * rate <= CUTOFF or len(points) < 4:
        return points
    b, a = butter(2, CUTOFF / (0.5 * rate))
    return np.asarray(filtfilt(b, a, points, axis=0, padlen=min(15, len(points) - 1)))


def resampled(points: Floats, rate: float) -> Floats:
    """Points (frames, 3) at RATE."""
    times = np.arange(len(points)) / rate
    wanted = np.arange(0.0, times[-1] + 1e-9, 1.0 / RATE)
    return np.stack([np.interp(wanted, times, column) for column in points.T], axis=1)


def speeds(points: Floats) -> Floats:
    """Between frames, (frames - 1,)."""
    return np.asarray(np.linalg.norm(np.diff(points, axis=0), axis=1) * RATE)


def stroke_of(points: Floats) -> Stroke | None:
    """Figures of a stroke: low-passed points (frames, 3) in metres at RATE, with the pauses at both ends cut off.

    None where the hand hardly moves.
    """
    speed = speeds(points)
    if not len(speed) or speed.max() <= 1e-6:
        return None
    fast = np.flatnonzero(speed >= EDGE * speed.max())
    points = points[fast[0] : fast[-1] + 2]
    speed = speeds(points)
    straight = float(np.linalg.norm(points[-1] - points[0]))
    if len(speed) < 5 or straight < 1e-3:
        return None
    length, duration = float(speed.sum() / RATE), len(speed) / RATE
    way = (points[-1] - points[0]) / straight
    offset = points - points[0]
    aside = offset - np.outer(offset @ way, way)
    jerk = np.diff(points, n=3, axis=0) * RATE**3
    peaks = find_peaks(np.concatenate([[0.0], speed, [0.0]]), prominence=PEAK * speed.max())[0]
    return Stroke(
        distance=straight,
        duration=duration,
        ratio=length / straight,
        peaks=len(peaks),
        peak_speed=float(speed.max()),
        peak_to_mean=float(speed.max() / speed.mean()),
        peak_time=float((speed.argmax() + 0.5) / len(speed)),
        deviation=float(np.linalg.norm(aside, axis=1).max()) / straight,
        rise=float(aside[:, 1].max()) / straight,
        log_jerk=float(np.log((jerk**2).sum() / RATE * duration**5 / length**2)),
        points=points,
    )
