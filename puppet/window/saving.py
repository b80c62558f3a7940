"""Saves what was made in the window, without overwriting a file: a live performance as motion, report and script beside
the take; an edited clip and the script of its edits beside the clip."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from puppet.clip import EditSession
from puppet.files.atomic_write import write_atomically
from puppet.shows import Live

MOTION, REPORT, _SCRIPT = ".bvh", ".json", ".puppet"


def free_name(take: Path, endings: tuple[str, ...] = (MOTION, REPORT)) -> Path:
    """The take's name without its ending if no saved file has it, else with the first free number."""
    found, number = take.with_name(take.stem), 1
    while any(_with_ending(found, ending).exists() for ending in endings):
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


def save_clip(session: EditSession, source: Path) -> str:
    """Writes NAME-edited.bvh and NAME-edited.puppet beside NAME.bvh; returns what it wrote."""
    clip, script = session.save(free_name(source.with_name(f"{source.stem}-edited.bvh"), (MOTION, _SCRIPT)))
    return f"Saved {clip}, {len(session.edited)} frames, and the edits in {script.name}"


def _with_ending(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)
