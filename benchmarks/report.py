"""The table for a reader, and everything for a program."""

from __future__ import annotations

import json
import math
import os
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.measure import Run
from benchmarks.peers.peer import Solver
from benchmarks.problems import CHAINS, KINDS

PACKAGES = ("puppet", "numpy", "numba", "scipy", "pin", "pin-pink", "mink", "mujoco", "ikpy", "qpsolvers", "daqp")
COLUMNS = (  # heading, figure, format
    ("n", "problems", "d"),
    ("solved %", "solved_percent", ".1f"),
    ("median ms", "median_ms", ".3f"),
    ("p99 ms", "p99_ms", ".2f"),
    ("max ms", "max_ms", ".2f"),
    ("score", "median_score_solved", ".3f"),
    ("elbow up %", "elbow_above_wrist_percent", ".1f"),
    ("over limits", "limit_violations", "d"),
    ("in table", "in_table", "d"),
    ("miss", "mean_miss", ".4f"),
)


def table_lines(
    runs: Mapping[tuple[str, str, str], Run], solvers: Mapping[str, Solver], missing: Mapping[str, str]
) -> list[str]:
    """One table: chain by chain, set by set, solver by solver."""
    headings = ["chain", "set", "solver", *(heading for heading, _, _ in COLUMNS)]
    rows = [headings]
    for chain in CHAINS:
        for kind in KINDS:
            for key, solver in solvers.items():
                run = runs.get((chain, kind, key))
                if run is not None:
                    figures = run.figures()
                    rows.append([chain, kind, solver.name, *(_cell(figures[f], form) for _, f, form in COLUMNS)])
    widths = [max(2, *(len(row[c]) for row in rows)) for c in range(len(headings))]
    sides = "<<<" + ">" * len(COLUMNS)  # words to the left, figures to the right
    lines = [
        "| " + " | ".join(f"{c:{side}{w}}" for c, side, w in zip(row, sides, widths, strict=True)) + " |"
        for row in rows
    ]
    rule = ["-" * w if side == "<" else "-" * (w - 1) + ":" for side, w in zip(sides, widths, strict=True)]
    lines.insert(1, "| " + " | ".join(rule) + " |")
    lines += [f"not measured: {key} ({reason})" for key, reason in missing.items()]
    return lines


def notes(solvers: Mapping[str, Solver]) -> list[str]:
    """What each solver does about the joint limits and the table."""
    return [f"{solver.name}: limits {solver.limits_use}; table {solver.table_use}" for solver in solvers.values()]


def document(
    settings: Mapping[str, Any],
    runs: Mapping[tuple[str, str, str], Run],
    solvers: Mapping[str, Solver],
    missing: Mapping[str, str],
    extra: Mapping[str, Any],
) -> dict[str, Any]:
    """All figures with what is needed to understand them later."""
    return {
        "settings": dict(settings),
        "machine": {"cpu": cpu_name(), "cores": os.cpu_count(), "system": platform.platform()},
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in PACKAGES},
        "solvers": {
            key: {"name": solver.name, "limits": solver.limits_use, "table": solver.table_use}
            for key, solver in solvers.items()
        },
        "missing": dict(missing),
        "figures": [
            {"chain": chain, "set": kind, "solver": key, **run.figures()} for (chain, kind, key), run in runs.items()
        ],
        **extra,
    }


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write the file whole or not at all; nan becomes null."""
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(_without_nan(content), indent=1) + "\n", encoding="utf-8")
    part.replace(path)


def cpu_name() -> str:
    """The processor as the system names it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _cell(value: float, form: str) -> str:
    return "-" if math.isnan(value) else format(value, form)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _without_nan(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _without_nan(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
