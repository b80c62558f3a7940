"""Where elbows go while wrists follow their paths: the swivels that keep arms inside their limits and clear of things.

Of the swings in a grid, the sequence of least cost is found for one arm after the other by dynamic programming,

    cost = sum over frames of (missing clearance / _LACK + broken limits / _OVER) + (swing / _SWING)^2
           + STEADY (change of the swing)^2,

with none in the first frame and in the last, and smoothed in time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from puppet.motion.arm_frames import ArmFrames
from puppet.motion.problem import HandCourse
from puppet.motion.surroundings import PARTS
from puppet.types import Floats, Ints

_SAMPLES = 14  # frames that are looked at
_GRID = np.radians(np.arange(-110.0, 111.0, 10.0))
_WIDTHS = (0.25, 0.18, 0.125)  # shares of the time by which swings are smoothed
_LACK, _OVER, _SWING, STEADY, _ENDS = 0.003, 0.01, 1.0, 3.0, 1e4


def swing_elbows(frames: ArmFrames, hands: tuple[HandCourse, ...]) -> Iterator[tuple[HandCourse, ...]]:
    """The hands with swings that change from frame to frame, the smoothest first."""
    each = [list(_swung(frames, hands, n)) for n in range(len(hands))]
    yield from dict.fromkeys(zip(*each, strict=True))


def _swung(frames: ArmFrames, hands: tuple[HandCourse, ...], n: int) -> Iterator[HandCourse]:
    """One of the hands with swings for it, smoothed by each of _WIDTHS."""
    count, hand = frames.problem.frames, hands[n]
    rows = np.unique(np.round(np.linspace(0, count - 1, _SAMPLES)).astype(int))
    if _costs(frames, hands, n, rows, np.zeros(1)).max() < 1e-9:
        yield from [hand] * len(_WIDTHS)
        return
    best = _least(_costs(frames, hands, n, rows, _GRID))
    wave = np.interp(np.arange(-1, count), np.concatenate([[-1], rows]), np.concatenate([[0.0], best]))
    for width in _WIDTHS:
        yield replace(hand, swing=hand.swing + _smoothed(wave, width)[1:])


def _costs(frames: ArmFrames, hands: tuple[HandCourse, ...], n: int, rows: Ints, grid: Floats) -> Floats:
    """What one of the hands costs with each of some swings, (swings, rows)."""
    swings = np.zeros((len(grid) * len(rows), len(hands)))
    swings[:, n] = np.repeat(grid, len(rows))
    found = frames.swung(hands, rows, swings, n)
    own = found.missing[:, PARTS * n : PARTS * (n + 1)].sum(axis=1) / _LACK + found.overs[:, n] / _OVER
    return np.asarray(own.reshape(len(grid), len(rows)) + (grid[:, None] / _SWING) ** 2)


def _least(costs: Floats) -> Floats:
    """The swing in each sample of the cheapest sequence, for costs (grid, samples)."""
    size, count = costs.shape
    steady = STEADY * (_GRID[:, None] - _GRID[None]) ** 2
    ends = _ENDS * _GRID**2
    total, came = costs[:, 0] + ends, np.zeros((count, size), dtype=np.int64)
    for n in range(1, count):
        both = total[None] + steady
        came[n] = both.argmin(axis=1)
        total = both[np.arange(size), came[n]] + costs[:, n]
    at = int((total + ends).argmin())
    found = np.empty(count)
    for n in range(count - 1, -1, -1):
        found[n] = _GRID[at]
        at = int(came[n, at])
    return found


def _smoothed(wave: Floats, share: float) -> Floats:
    """Without the grid's steps, over a share of the time to both sides; both ends stay at nothing."""
    width = max(2, int(share * len(wave)))
    kernel = np.hanning(2 * width + 3)[1:-1]
    padded = np.pad(wave, width, mode="constant")
    found = np.convolve(padded, kernel / kernel.sum(), mode="valid")
    time = np.linspace(0.0, 1.0, len(wave))
    fade = np.minimum(1.0, np.minimum(time, 1.0 - time) / (1.6 * share))
    return np.asarray(found * fade * fade * (3.0 - 2.0 * fade))
