"""Processor time in seconds of a quiet machine, whatever else this one does meanwhile."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")
_QUIET = 0.1  # what the piece of work below takes on the machine that bounds of time are meant for, in seconds


def quiet_seconds(work: Callable[[], Found]) -> tuple[float, Found]:
    """How long something takes, by the time that a fixed piece of work takes just before and after it; and its result.

    What tests before have left behind is not looked through by the garbage collector meanwhile, nor what work leaves
    behind while the fixed piece is done after it.
    """
    try:
        before, _ = _seconds(_piece_of_work)
        seconds, found = _seconds(work)
        after, _ = _seconds(_piece_of_work)
    finally:
        gc.unfreeze()
    return seconds * _QUIET / max(before, after), found


def _seconds(work: Callable[[], Found]) -> tuple[float, Found]:
    gc.collect()
    gc.freeze()
    begin = time.process_time()
    found = work()
    return time.process_time() - begin, found


def _piece_of_work() -> int:
    """What readers of files do: cut up text, look words up, make small objects."""
    words: dict[str, list[tuple[int, str]]] = {}
    for n in range(30_000):
        for at, word in enumerate(f"slide left by ({n % 97}, {n % 89}, 0)".split()):
            words.setdefault(word, []).append((at, word.strip("(,)")))
    return sum(len(found) for found in words.values())
