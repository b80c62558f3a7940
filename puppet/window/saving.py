"""Saves a live performance: motion and script, beside the take, never over a file that is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from puppet.files.atomic_write import write_atomically
from puppet.shows import Live

MOTION, REPORT = ".bvh", ".json"


def free_name(take: Path) -> Path:
    """The take's own name where nothing that is saved has it yet, else the first one with a number that is free."""
    found, number = take.with_name(take.stem), 1
    while any(_named(found, ending).exists() for ending in (MOTION, REPORT)):
        number += 1
        found = take.with_name(f"{take.stem}-{number}")
    return found


def save_live(live: Live, path: Path) -> Callable[[], str]:
    """What is left to do, in another thread: it takes as long as to carry out the take. It says what was written."""
    make, script = live.deferred_performance(), _named(path, ".puppet")
    text = None if live.take.path is not None else live.take.text

    def save() -> str:
        performance = make()
        performance.save(_named(path, MOTION))
        performance.save(_named(path, REPORT))
        if text is not None and not script.exists():
            write_atomically(script, text)
        return f"Saved {_named(path, MOTION)}, {len(performance.angles)} frames, and its report"

    return save


def _named(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)
