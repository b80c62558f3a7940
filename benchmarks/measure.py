"""Runs a solver over a set of problems: the clock around every solve, the judge afterwards."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.judge import EXCESS_TOLERANCE, Judge, Verdict
from benchmarks.peers.peer import Solver
from benchmarks.problems import Problem
from puppet.types import Floats

WARM_UP = 5
REPEATS, QUICK = 3, 20_000_000  # solves of the same problem, where one takes less than so many nanoseconds


@dataclass(frozen=True, eq=False)
class Run:
    """What a solver answered to a set of problems, how long it took and what that is worth."""

    postures: list[Floats]
    milliseconds: Floats  # (problems,)
    verdicts: list[Verdict]

    def of(self, field: str) -> Floats:
        """One field of all verdicts, (problems,)."""
        return np.array([getattr(verdict, field) for verdict in self.verdicts], dtype=np.float64)

    @property
    def solved(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        return self.of("solved") > 0.0

    def figures(self) -> dict[str, float]:
        """The figures of one row of the table; nan where there is nothing to take them from."""
        solved, times = self.solved, self.milliseconds
        return {
            "problems": len(times),
            "solved_percent": 100.0 * float(solved.mean()),
            "median_ms": float(np.median(times)),
            "p99_ms": float(np.quantile(times, 0.99)),
            "max_ms": float(times.max()),
            "median_score_solved": median(self.of("score")[solved]),
            "elbow_above_wrist_percent_solved": 100.0 * mean(self.of("elbow_above_wrist")[solved]),
            "elbow_above_wrist_percent": 100.0 * mean(self.of("elbow_above_wrist")),
            "limit_violations": int((self.of("limit_excess") > EXCESS_TOLERANCE).sum()),
            "in_table": int((self.of("table_excess") > EXCESS_TOLERANCE).sum()),
            "idle_limb_in_table": int((self.of("idle_table_excess") > EXCESS_TOLERANCE).sum()),
            "mean_miss": mean(self.of("mean_miss")),
        }


def measure(
    solver: Solver,
    problems: Sequence[Problem],
    starts: Sequence[Floats],
    judge: Judge,
) -> Run:
    """Solve all problems, one by one, each from its start; the least of three times, because machines are noisy."""
    solver.prepare(problems)
    for problem, start in list(zip(problems, starts, strict=True))[:WARM_UP]:
        solver.solve(problem, start)
    solver.prepare(problems)
    postures: list[Floats] = []
    nanoseconds: list[int] = []
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for problem, start in zip(problems, starts, strict=True):
            took = []
            while len(took) < REPEATS and (not took or took[-1] < QUICK):
                begin = time.perf_counter_ns()
                posture = solver.solve(problem, start)
                took.append(time.perf_counter_ns() - begin)
            nanoseconds.append(min(took))
            postures.append(posture)
    finally:
        if collecting:
            gc.enable()
    verdicts = [judge.judge(problem, posture) for problem, posture in zip(problems, postures, strict=True)]
    return Run(postures, np.array(nanoseconds) / 1e6, verdicts)


def median(values: Floats) -> float:
    """The median, nan of nothing."""
    return float(np.median(values)) if len(values) else float("nan")


def mean(values: Floats) -> float:
    """The mean, nan of nothing."""
    return float(np.mean(values)) if len(values) else float("nan")
