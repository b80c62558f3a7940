"""What to do at each of some times, by dynamic programming: choices that cost least together, with going from one to
another."""

from __future__ import annotations

import math

import numpy as np

from puppet.types import Floats, Ints


def cheapest(
    costs: Floats, at: Ints, apart: Floats, fastest: float, moves: float, begins: bool, ends: bool
) -> Ints:
    """A choice (n,) for each time. costs (n, choices): of each one then; at (n,): the times, in frames; apart (choices,
    choices): how far each two are from each other; fastest: the most of that in a frame; moves: what its square counts,
    a frame; begins, ends: whether it begins and ends with the first choice."""
    count, choices = costs.shape
    total = costs[0].copy()
    if begins:
        total[1:] = math.inf
    came = np.zeros((count, choices), dtype=np.int64)
    for n in range(1, count):
        frames = float(at[n] - at[n - 1])
        going = np.where(apart <= fastest * frames + 1e-9, moves * apart * apart / frames, math.inf)
        sums = total[:, None] + going
        came[n] = sums.argmin(axis=0)
        total = sums.min(axis=0) + costs[n]
    last = 0 if ends else int(total.argmin())
    found = np.zeros(count, dtype=np.int64)
    for n in range(count - 1, -1, -1):
        found[n] = last
        last = int(came[n, last])
    return found


def around(values: Floats, width: int) -> Floats:
    """The largest of some values (n, ...) over so many to both sides."""
    padded = np.concatenate([np.repeat(values[:1], width, axis=0), values, np.repeat(values[-1:], width, axis=0)])
    return np.asarray(np.max([padded[k : k + len(values)] for k in range(2 * width + 1)], axis=0))
