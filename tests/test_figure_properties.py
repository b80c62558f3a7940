"""Random drags with random pins on five bodies: whatever is asked, some things hold."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.figure_random import random_drag
from tests import figures

RUNS = 12  # for each body; `python -m benchmarks.figure` makes ten thousand


@pytest.mark.parametrize("name", figures.NAMES)
def test_random_drags(name: str) -> None:
    body = figures.load(name)
    for seed in range(RUNS):
        frames = random_drag(body, seed)
        assert np.all(np.isfinite(frames)), seed
        assert figures.largest_turn(body, frames) < 0.2, seed
        assert max(body.limit_excess(angles) for angles in frames) < 1e-6, seed
        assert frames.tobytes() == random_drag(body, seed).tobytes(), seed
