"""Where elbows go while wrists follow their paths: the swivels that keep arms inside their limits and clear of things.

Of the swings in a grid, the sequence of least cost is found for one arm after the other by dynamic programming, first
of every other swing, then with those of the others that may be part of a cheaper one,

    cost = sum over frames of (missing clearance / _LACK + broken limits / _OVER) + (swing / _SWING)^2
           + STEADY (change of the swing)^2,

with none in the first frame and in the last, and smoothed in time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from puppet.kernels.solid_model import PARTS
from puppet.motion.arm_frames import ArmFrames
from puppet.motion.problem import HandCourse
from puppet.types import Floats, Ints

_SAMPLES = 14  # frames that are looked at
_GRID = np.radians(np.arange(-110.0, 111.0, 10.0))
_NONE = len(_GRID) // 2  # the place of no swing
_COARSE = np.array([place for place in range(1, len(_GRID), 2) if place != _NONE])  # those that are looked at first
_FINE = np.arange(0, len(_GRID), 2)
_WIDTHS = (0.25, 0.18, 0.125)  # shares of the time by which swings are smoothed
_LACK, _OVER, _SWING, STEADY, _ENDS = 0.003, 0.01, 1.0, 3.0, 1e4
_STEADY = STEADY * (_GRID[:, None] - _GRID[None]) ** 2
_SAME = 1e-6  # what is no dearer than that


def swing_elbows(frames: ArmFrames, hands: tuple[HandCourse, ...]) -> Iterator[tuple[HandCourse, ...]]:
    """The hands with swings that change from frame to frame, the smoothest first."""
    each = [list(_swung(frames, hands, n)) for n in range(len(hands))]
    yield from dict.fromkeys(zip(*each, strict=True))


def _swung(frames: ArmFrames, hands: tuple[HandCourse, ...], n: int) -> Iterator[HandCourse]:
    """One of the hands with swings for it, smoothed by each of _WIDTHS."""
    count, hand = frames.problem.frames, hands[n]
    rows = np.unique(np.round(np.linspace(0, count - 1, _SAMPLES)).astype(int))
    none = _costs(frames, hands, n, rows, np.zeros(1))[0]
    if none.max() < 1e-9:
        yield from [hand] * len(_WIDTHS)
        return
    best = cheapest_swings(none, lambda places: _costs(frames, hands, n, rows, _GRID[places]))
    wave = np.interp(np.arange(-1, count), np.concatenate([[-1], rows]), np.concatenate([[0.0], best]))
    for width in _WIDTHS:
        yield replace(hand, swing=hand.swing + _smoothed(wave, width)[1:])


def cheapest_swings(none: Floats, measure: Callable[[Ints], Floats]) -> Floats:
    """The swing in each sample of the cheapest sequence. none (samples,): what no swing costs; measure: gives what the
    swings at some places in the grid cost, (places, samples); it is asked for no more than may be part of it."""
    costs = np.full((len(_GRID), len(none)), np.inf)
    costs[_NONE], costs[_COARSE] = none, measure(_COARSE)
    most = float(_totals(costs)[0][:, -1].min())
    at_least = np.where(np.isinf(costs), (_GRID[:, None] / _SWING) ** 2, costs)
    through = _totals(at_least)[0] + _totals(at_least[:, ::-1])[0][:, ::-1] - at_least
    through[:, [0, -1]] -= _ENDS * _GRID[:, None] ** 2  # counted twice
    others = _FINE[np.any(through[_FINE] <= most + _SAME, axis=1)]
    costs[others] = measure(others)
    return _least(costs)


def _costs(frames: ArmFrames, hands: tuple[HandCourse, ...], n: int, rows: Ints, grid: Floats) -> Floats:
    """What one of the hands costs with each of some swings, (swings, rows)."""
    swings = np.zeros((len(grid) * len(rows), len(hands)))
    swings[:, n] = np.repeat(grid, len(rows))
    found = frames.swung(hands, rows, swings, n)
    own = found.missing[:, PARTS * n : PARTS * (n + 1)].sum(axis=1) / _LACK + found.overs[:, n] / _OVER
    return np.asarray(own.reshape(len(grid), len(rows)) + (grid[:, None] / _SWING) ** 2)


def _totals(costs: Floats) -> tuple[Floats, Ints]:
    """For costs (grid, samples): that of the cheapest sequence as far as each sample, for each swing there, with the
    end's price in the first and the last; and where it was in the sample before, (samples, grid)."""
    size, count = costs.shape
    totals, came = costs + 0.0, np.zeros((count, size), dtype=np.int64)
    totals[:, 0] += _ENDS * _GRID**2
    for n in range(1, count):
        both = totals[None, :, n - 1] + _STEADY
        came[n] = both.argmin(axis=1)
        totals[:, n] += both[np.arange(size), came[n]]
    totals[:, -1] += _ENDS * _GRID**2
    return totals, came


def _least(costs: Floats) -> Floats:
    """The swing in each sample of the cheapest sequence, for costs (grid, samples)."""
    totals, came = _totals(costs)
    at = int(totals[:, -1].argmin())
    found = np.empty(len(came))
    for n in range(len(came) - 1, -1, -1):
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
