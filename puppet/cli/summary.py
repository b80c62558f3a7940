"""What a run has come to, for a person: tasks that did not go as told, notes, files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from puppet.cli.terminal import Terminal, plain

MOST = 20  # tasks that are told one by one
_COLOURS = {"rejected": "red", "missed": "red", "adjusted": "yellow", "cancelled": "yellow"}
_ORDER = ("done", "adjusted", "cancelled", "missed", "rejected")
FAILED = ("rejected", "missed")


def failed(report: Mapping[str, Any]) -> bool:
    """Whether something that was told did not happen."""
    return any(task["status"] in FAILED for task in report["tasks"])


def lines(report: Mapping[str, Any], name: str, err: Terminal) -> list[str]:
    """What became of a script."""
    found = [_headline(report, name, err)]
    odd = [task for task in report["tasks"] if task["status"] in _COLOURS]
    for task in odd[:MOST]:
        mark = err.paint(task["status"], _COLOURS[task["status"]], "bold")
        called = f" (called in line {task['call']})" if task["call"] else ""
        found.append(f"{_where(task, name)}: {mark}: {plain(task['command'])}{called}")
        found.append("    " + plain(f"{task['interpretation']}: {task['reason']}"))
    if len(odd) > MOST:
        found.append(f"... and {len(odd) - MOST} more; --report FILE has them all")
    for note in report.get("notes", ())[:MOST]:
        found.append(f"{_where(note, name)}: {err.paint('note', 'cyan', 'bold')}: {plain(note['message'])}")
    return found


def _where(entry: Mapping[str, Any], name: str) -> str:
    return plain(f"{name}:{entry['line']}" if entry["line"] else name)


def _headline(report: Mapping[str, Any], name: str, err: Terminal) -> str:
    counts = Counter(task["status"] for task in report["tasks"])
    parts = [
        err.paint(f"{counts[status]} {status}", *([_COLOURS[status]] if status in _COLOURS else ["green"]))
        for status in _ORDER
        if counts[status]
    ]
    frames, fps = report["frames"], report["fps"]
    seconds = f"{frames / fps:.1f} s at {fps:g} frames a second"
    count = "1 frame" if frames == 1 else f"{frames} frames"
    return f"{err.paint(plain(name), 'bold')}: {count}, {seconds}; {', '.join(parts) or 'nothing was told'}"


def file_lines(paths: Sequence[Path], err: Terminal) -> list[str]:
    return [f"wrote {err.paint(plain(str(path)), 'bold')} ({size_words(path.stat().st_size)})" for path in paths]


def size_words(size: int) -> str:
    if size < 1000:
        return f"{size} bytes"
    return f"{size / 1000:.0f} kB" if size < 1_000_000 else f"{size / 1e6:.1f} MB"
