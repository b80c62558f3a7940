"""Saves a live performance: motion, report and script, beside the take, without overwriting a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from puppet.files.atomic_write import write_atomically
from puppet.shows import Live

MOTION, REPORT = ".bvh", ".json"


def free_name(take: Path) -> Path:
    """The take's name without its ending if no saved file has it, else with the first free number."""
    found, number = take.with_name(take.stem), 1
    while any(_with_ending(found, ending).exists() for ending in (MOTION, REPORT)):
        number += 1
        found = take.with_name(f"{take.stem}-{number}")
    return found


def save_live(live: Live, path: Path) -> Callable[[], str]:
    """A function that saves, to call in another thread since it carries out the take; returns what it wrote."""
    make, script = live.deferred_performance(), _with_ending(path, ".puppet")
    text = None if live.take.path is not None else live.take.text

    def save() -> str:
        performance = make()
        performance.save(_with_ending(path, MOTION))
        performance.save(_with_ending(path, REPORT))
        if text is not None and not script.exists():
            write_atomically(script, text)
        return f"Saved {_with_ending(path, MOTION)}, {len(performance.angles)} frames, and its report"

    return save


def _with_ending(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)
