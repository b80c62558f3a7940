"""The summary of a run: tasks that did not go as told, notes, files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import degrees
from pathlib import Path
from typing import Any

from puppet.cli.terminal import Terminal
from puppet.errors import visible

MAX_LISTED = 20  # tasks, and notes, that are listed
_COLORS = {"rejected": "red", "missed": "red", "adjusted": "yellow", "cancelled": "yellow"}
_ORDER = ("done", "adjusted", "cancelled", "missed", "rejected")
FAILED = ("rejected", "missed")
MUCH = 0.2  # of the weight: what a motion asks for and nothing gives, and is a reason to fall


def has_failed(report: Mapping[str, Any]) -> bool:
    """Whether a task was rejected or missed its goal."""
    return any(task["status"] in FAILED for task in report["tasks"])


def summary_lines(report: Mapping[str, Any], name: str, err: Terminal) -> list[str]:
    """A headline, the tasks that did not go as told, and the notes."""
    found = [_headline(report, name, err)]
    odd = [task for task in report["tasks"] if task["status"] in _COLORS]
    for task in odd[:MAX_LISTED]:
        mark = err.paint(task["status"], _COLORS[task["status"]], "bold")
        called = f" (called in line {task['call']})" if task["call"] else ""
        found.append(f"{_location(task, name)}: {mark}: {visible(task['command'])}{called}")
        found.append("    " + visible(f"{task['interpretation']}: {task['reason']}"))
    if len(odd) > MAX_LISTED:
        found.append(f"... and {len(odd) - MAX_LISTED} more; --report FILE has them all")
    if "physics" in report:
        found.append(physics_line(report["physics"], err))
    for note in report.get("notes", ())[:MAX_LISTED]:
        found.append(f"{_location(note, name)}: {err.paint('note', 'cyan', 'bold')}: {visible(note['message'])}")
    return found


def physics_line(physics: Mapping[str, Any], err: Terminal) -> str:
    """What the dynamics filter has done."""
    joint = physics["largest_deviation_joint"]
    most, mean = (degrees(physics[f"{which}_deviation"]) for which in ("largest", "mean"))
    changed = f"joints differ by {mean:.1f} degrees, at most by {most:.0f} ({joint})"
    for first, last in physics.get("unborne", ()):
        changed += f"; from frame {first} to {last} nothing that was recorded bears it"
    if physics["fell"] is None:
        return f"physics: {changed}"
    fell = f"{err.paint('it fell', 'red', 'bold')} at frame {physics['fell']}"
    force, moment = (physics.get(f"asked_{what}") or 0.0 for what in ("force", "moment"))
    if max(force, moment) > MUCH:
        fell += f": it asks for {force:.2f} of the weight and {moment:.2f} of weight x height that nothing gives"
    return f"physics: {fell}; {changed}"


def _location(entry: Mapping[str, Any], name: str) -> str:
    return visible(f"{name}:{entry['line']}" if entry["line"] else name)


def _headline(report: Mapping[str, Any], name: str, err: Terminal) -> str:
    counts = Counter(task["status"] for task in report["tasks"])
    parts = [
        err.paint(f"{counts[status]} {status}", *([_COLORS[status]] if status in _COLORS else ["green"]))
        for status in _ORDER
        if counts[status]
    ]
    frames, fps = report["frames"], report["fps"]
    seconds = f"{frames / fps:.1f} s at {fps:g} frames a second"
    count = "1 frame" if frames == 1 else f"{frames} frames"
    return f"{err.paint(visible(name), 'bold')}: {count}, {seconds}; {', '.join(parts) or 'nothing was told'}"


def file_lines(paths: Sequence[Path], err: Terminal) -> list[str]:
    return [f"wrote {err.paint(visible(str(path)), 'bold')} ({size_words(path.stat().st_size)})" for path in paths]


def size_words(size: int) -> str:
    if size < 1000:
        return f"{size} bytes"
    return f"{size / 1000:.0f} kB" if size < 1_000_000 else f"{size / 1e6:.1f} MB"
