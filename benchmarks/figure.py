"""The whole-body solver and other people's, on the same body and the same drags: `python -m benchmarks.figure`."""

from __future__ import annotations

import argparse
import gc
import importlib
import math
import multiprocessing
import os
import platform
import time
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is loaded

import numpy as np

from benchmarks.figure_problems import DragProblem, drag_problems
from benchmarks.figure_random import random_drag
from benchmarks.peers.figure_peer import FigurePeer, boxes
from benchmarks.report import cpu_name, write_json
from puppet import Body
from puppet.body import forward, local_rotations
from puppet.types import Floats

ROUNDS = 7  # in turn, so that all solvers suffer alike when the machine is busy; the least time counts
MILLIMETRES = 1750.0  # in a body height
PEERS = {  # module, class, solves a frame
    "ours": ("figure_ours", "Ours", 1),
    "mink": ("figure_mink", "Mink", 1),
    "mink, 4 a frame": ("figure_mink", "Mink", 4),
    "pink": ("figure_pink", "Pink", 1),
    "pink, 4 a frame": ("figure_pink", "Pink", 4),
    "placo": ("figure_placo", "Placo", 1),
    "placo, 4 a frame": ("figure_placo", "Placo", 4),
    "mujoco + numpy": ("figure_dls", "MujocoDls", 1),
    "mujoco + numpy, 4 a frame": ("figure_dls", "MujocoDls", 4),
}
PACKAGES = ("puppet", "numpy", "numba", "mujoco", "mink", "pin", "pin-pink", "placo", "qpsolvers", "daqp")
COLUMNS = (  # heading, figure, format
    ("ms a frame", "milliseconds", ".3f"),
    ("ms a step", "milliseconds_a_step", ".3f"),
    ("pins worst, mm", "pins_worst", ".3f"),
    ("pins end, mm", "pins_end", ".4f"),
    ("drag worst, mm", "drag_worst", ".3f"),
    ("drag end, mm", "drag_end", ".4f"),
    ("turn a frame, rad", "turn", ".3f"),
    ("over ranges, rad", "over_ranges", ".1e"),
    ("over boxes, rad", "over_boxes", ".1e"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drags", type=int, default=10_000, help="how many random drags")
    parser.add_argument("--only", default="", help="solvers whose names begin so")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_name("figure.json"))
    options = parser.parse_args()
    body = Body.load("person")
    peers: dict[str, tuple[type[FigurePeer], int]] = {}
    missing = {}
    for key, (module, name, solves) in PEERS.items():
        if key.startswith(options.only):
            try:
                peers[key] = getattr(importlib.import_module(f"benchmarks.peers.{module}"), name), solves
            except ImportError as error:
                missing[key] = str(error)
    found = measure_all(body, drag_problems(body), peers)
    print("\n".join(table(found)))
    for key, reason in missing.items():
        print(f"not measured: {key} ({reason})")
    drags = random_drags(options.drags)
    print(f"\n{drags}")
    if not options.only:
        write_json(options.output, document(found, missing, drags, drag_problems(body)))


def measure_all(
    body: Body, problems: tuple[DragProblem, ...], peers: Mapping[str, tuple[type[FigurePeer], int]]
) -> list[dict[str, Any]]:
    """All solvers on all problems; the median of a drag's frames, the least of all rounds."""
    rows = {}
    for _ in range(ROUNDS):
        for problem in problems:
            for key, (peer, solves) in peers.items():
                milliseconds, steps, postures = measure(body, problem, peer, solves)
                if (problem.key, key) not in rows:  # the first round warms up; all give the same postures
                    found = judge(body, problem, postures)
                    rows[problem.key, key] = {"solver": key, "problem": problem.key, "milliseconds": math.inf, **found}
                    rows[problem.key, key] |= {"milliseconds_a_step": math.inf, "steps": steps}
                else:
                    row = rows[problem.key, key]
                    row["milliseconds"] = min(row["milliseconds"], milliseconds)
                    row["milliseconds_a_step"] = row["milliseconds"] / steps
    return list(rows.values())


def measure(body: Body, problem: DragProblem, peer: type[FigurePeer], solves: int) -> tuple[float, float, Floats]:
    """The processor's clock around every frame, which stands still while others have it: the median in milliseconds,
    steps in a frame on average, and the postures (frames + 1, dofs)."""
    solver = peer(body, problem, solves)
    took, postures = [], [solver.angles()]
    gc.collect()
    gc.disable()
    for place in problem.places(body):
        begin = time.thread_time_ns()
        solver.step(place)
        took.append(time.thread_time_ns() - begin)
        postures.append(solver.angles())
    gc.enable()
    return float(np.median(took)) / 1e6, solver.steps / len(took), np.array(postures)


def judge(body: Body, problem: DragProblem, postures: Floats) -> dict[str, float]:
    """What the postures (frames + 1, dofs) of a drag are worth."""
    start, _ = forward(body, postures[0])
    pinned = [body.joint(pin.part) for pin in problem.pins]
    dragged = body.joint(problem.part)
    pins, drags = [], []
    for posture, place in zip(postures[1:], problem.places(body), strict=True):
        positions, _ = forward(body, posture)
        pins.append(MILLIMETRES * float(np.linalg.norm(positions[pinned] - start[pinned], axis=1).max()))
        drags.append(MILLIMETRES * float(np.linalg.norm(positions[dragged] - place)))
    limits = boxes(body)
    low, high = (np.array([limits[dof][side] for dof in range(6, body.dofs)]) for side in (0, 1))
    hinges = postures[:, 6:]
    return {
        "pins_worst": max(pins),
        "pins_end": pins[-1],
        "drag_worst": max(drags),
        "drag_end": drags[-1],
        "turn": largest_turn(body, postures),
        "over_ranges": max(body.limit_excess(posture) for posture in postures),
        "over_boxes": float(max(0.0, (low - hinges).max(), (hinges - high).max())),
    }


def largest_turn(body: Body, postures: Floats) -> float:
    """The largest turn of a joint, but a free root, between two postures in turn."""
    most = 0.0
    for j in range(int(body.free_root), len(body.joints)):
        turns = local_rotations(body, j, postures)
        traces = np.einsum("nab,nab->n", turns[:-1], turns[1:])
        most = max(most, float(np.arccos(np.clip(0.5 * (traces.min(initial=3.0) - 1.0), -1.0, 1.0))))
    return most


# ---- random drags


def try_drag(task: tuple[str, int]) -> tuple[bool, float, float, bool]:
    """Of one drag: whether all is finite, the largest turn, the largest excess, and whether it repeats."""
    from tests.figures import load

    name, seed = task
    body = load(name)
    frames = random_drag(body, seed)
    excess = max(body.limit_excess(angles) for angles in frames)
    same = frames.tobytes() == random_drag(body, seed).tobytes()
    return bool(np.all(np.isfinite(frames))), largest_turn(body, frames), excess, same


def random_drags(count: int) -> dict[str, Any]:
    """Drags of five bodies, one after the other."""
    from tests.figures import NAMES

    tasks = [(NAMES[n % len(NAMES)], n // len(NAMES)) for n in range(count)]
    begin = time.perf_counter()
    with multiprocessing.get_context("spawn").Pool(min(2, os.cpu_count() or 1)) as pool:
        found = pool.map(try_drag, tasks, chunksize=50)
    return {
        "drags": count,
        "bodies": len(NAMES),
        "not_finite": sum(not finite for finite, _, _, _ in found),
        "largest_turn": max((turn for _, turn, _, _ in found), default=0.0),
        "largest_excess": max((excess for _, _, excess, _ in found), default=0.0),
        "not_repeated": sum(not same for _, _, _, same in found),
        "seconds": round(time.perf_counter() - begin, 1),
    }


# ---- the report


def table(rows: list[dict[str, Any]]) -> list[str]:
    """Problem by problem, solver by solver, as it stands in docs/figure.md."""
    headings = ["problem", "solver", *(heading for heading, _, _ in COLUMNS)]
    lines = ["| " + " | ".join(headings) + " |", "| --- | --- |" + " ---: |" * len(COLUMNS)]
    for row in sorted(rows, key=lambda row: str(row["problem"])):
        cells = [row["problem"], row["solver"]]
        cells += ["0" if row[key] == 0.0 else format(row[key], form) for _, key, form in COLUMNS]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def document(
    rows: list[dict[str, Any]], missing: dict[str, str], drags: dict[str, Any], problems: tuple[DragProblem, ...]
) -> dict[str, Any]:
    return {
        "machine": {"cpu": cpu_name(), "cores": os.cpu_count(), "system": platform.platform()},
        "python": platform.python_version(),
        "versions": {name: installed(name) for name in PACKAGES},
        "problems": {problem.key: problem.words for problem in problems},
        "missing": missing,
        "figures": [{key: round_(value) for key, value in row.items()} for row in rows],
        "random_drags": drags,
    }


def round_(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) and math.isfinite(value) else value


def installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


if __name__ == "__main__":
    main()
