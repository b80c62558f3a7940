"""How slow an edit would have to be told to be to have hardly more jerk than its recording."""

from __future__ import annotations

import numpy as np

from puppet.clip.measure import jerks
from puppet.types import Floats

_CALM = 1.03  # times the recorded jerk: less than what is too much, since this is an estimate
_SLOWEST, _TRIED = 10.0, 60  # times as long, at most; how many of these are tried


def calm_times(places: Floats, fps: float, first: int, last: int, end: int, added: float) -> float | None:
    """How many times as long edits of the frames first to last would have to take, about; None where the clip has not
    so many frames. places: of all joints as recorded (frames, joints, 3). end: when feet are back on their paths, too.
    added: the jerk that the edits' own curves add to what is recorded in all these frames; its square, summed over a
    time, falls with the fifth power of that time."""
    times = np.geomspace(1.0, _SLOWEST, _TRIED)
    lengths = np.ceil(times * (last - first)).astype(np.int64) + end - last
    inside = first + lengths < len(places)
    if not inside.any():
        return None
    times, lengths = times[inside], lengths[inside]
    begin = max(first, 1)  # many recordings leap from their first frame
    squares = (jerks(places[begin : first + lengths[-1] + 1], fps) ** 2).sum(axis=1).reshape(-1, places.shape[1])
    recorded = np.cumsum(squares.mean(axis=1))[np.clip(lengths - (begin - first) - 3, 0, len(squares) - 1)]
    calm = np.flatnonzero((end - first) * added**2 / times**5 <= (_CALM**2 - 1.0) * recorded)
    return float(times[calm[0]]) if len(calm) else None
