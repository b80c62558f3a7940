"""Measures the posture solver against others on the same problems: python benchmarks/posture.py [--quick]."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if __package__ in (None, ""):  # run as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from benchmarks import report
from benchmarks.judge import Judge
from benchmarks.measure import Run, measure
from benchmarks.peers.peer import Solver
from benchmarks.problems import CHAINS, HELD_OUT_SEED, KINDS, TABLE, TUNING_SEED, Problem, make_problems
from benchmarks.requirements import Evidence, findings
from benchmarks.solvers import OURS, SOLVERS, load_solvers
from benchmarks.stability import SAME_ANGLE, SAME_PLACE, SHIFT, stable_shares
from benchmarks.start import start_posture
from puppet.body import Body
from puppet.kernels.loader import load_all
from puppet.types import Floats

SEEDS = {"held-out": HELD_OUT_SEED, "tuning": TUNING_SEED}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    options = _parser().parse_args(arguments)
    if options.quick:
        options.problems, options.slow_problems = min(options.problems, 60), min(options.slow_problems, 10)
    load_all()  # what is compiled on the first run is nobody's time
    began = time.perf_counter()
    body = Body.load("seated")
    solvers, missing = load_solvers(options.solvers, body, TABLE)
    evidence = gather(body, solvers, options)
    for line in report.table_lines(evidence.runs, solvers, missing):
        print(line)
    print()
    print("peers start from the thesis's estimate")
    for line in report.notes(solvers):
        print(line)
    print()
    for chain, shares in evidence.stability.items():
        print(
            f"stability, {chain}, D: goal moved by {SHIFT:g}: no joint by more than {SAME_PLACE:g} in "
            f"{100 * shares['place']:.1f} %, no angle by more than {SAME_ANGLE:g} degrees in "
            f"{100 * shares['angle']:.1f} %"
        )
    print()
    verdicts = findings(evidence)
    for finding in verdicts:
        print(finding)
    if options.json:
        settings = {
            "problems": options.problems,
            "slow_problems": options.slow_problems,
            "seed": options.seed,
            "start": "the thesis's estimate",
        }
        extra = {
            "stability": dict(evidence.stability),
            "findings": [{"requirement": f.requirement, "met": f.met, "figures": f.figures} for f in verdicts],
            "seconds": time.perf_counter() - began,
        }
        report.write_json(options.json, report.document(settings, evidence.runs, solvers, missing, extra))
    return 0


def gather(body: Body, solvers: dict[str, Solver], options: argparse.Namespace) -> Evidence:
    """Run every solver on every set."""
    judge = Judge(body, TABLE)
    runs: dict[tuple[str, str, str], Run] = {}
    claims: dict[tuple[str, str], list[tuple[bool, float]]] = {}
    nearest: dict[str, Floats] = {}
    stability: dict[str, dict[str, float]] = {}
    for chain in options.chains:
        for kind in options.sets:
            problems = make_problems(body, kind, chain, options.problems, options.seed)
            starts = [start_posture(body, problem) for problem in problems]
            for key, solver in solvers.items():
                few = solver.slow or (kind == "U" and key not in OURS)
                count = min(options.slow_problems, len(problems)) if few else len(problems)
                _tell(f"{chain} {kind} {solver.name}, {count} problems")
                runs[chain, kind, key] = measure(solver, problems[:count], starts[:count], judge)
                if key == "puppet":
                    claims[chain, kind] = _claims(solver)
                    if kind == "D":
                        postures = runs[chain, kind, key].postures
                        stability[chain] = stable_shares(body, solver, problems, starts, postures)
            if kind == "U":
                _tell(f"{chain} U nearest postures")
                few_problems = list(zip(problems, starts, strict=True))[: options.slow_problems]
                nearest[chain] = _nearest(
                    body, few_problems, [r for (c, k, _), r in runs.items() if (c, k) == (chain, kind)]
                )
    _tell("")
    yardsticks = frozenset(key for key, solver in solvers.items() if solver.yardstick)
    return Evidence(runs, nearest, claims, stability, yardsticks)


def _nearest(body: Body, problems: list[tuple[Problem, Floats]], runs: list[Run]) -> Floats:
    """The least miss known of each problem: the thorough search's, or that of a solver that did better."""
    try:
        from benchmarks.nearest import nearest_miss
    except ImportError:  # no scipy: the solvers among themselves
        least = np.full(len(problems), np.inf)
    else:
        least = np.array([nearest_miss(body, TABLE, problem, start) for problem, start in problems])
    for run in runs:
        allowed = (run.of("limit_excess") <= 1e-9) & (run.of("table_excess") <= 1e-9)
        misses = np.where(allowed, run.of("mean_miss"), np.inf)[: len(least)]
        least[: len(misses)] = np.minimum(least[: len(misses)], misses)
    return least


def _claims(solver: Any) -> list[tuple[bool, float]]:
    """What the solver itself says of its answers: solved, and by how much the worst hand missed."""
    return [(bool(posture.solved), float(np.max(posture.position_error))) for posture in solver.postures.values()]


def _tell(text: str) -> None:
    """Progress for a person who is watching."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks/posture.py", description=__doc__)
    parser.add_argument("--problems", type=_count, default=600, help="problems a set and chain (600)")
    parser.add_argument(
        "--slow-problems", type=_count, default=60, help="as many for slow solvers, and for peers on U (60)"
    )
    parser.add_argument("--seed", type=_seed, default=HELD_OUT_SEED, help="held-out (the default), tuning, or a number")
    parser.add_argument(
        "--solvers", nargs="+", choices=SOLVERS, default=list(SOLVERS), metavar="SOLVER", help=", ".join(SOLVERS)
    )
    parser.add_argument("--sets", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--chains", nargs="+", choices=CHAINS, default=list(CHAINS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there too")
    parser.add_argument("--quick", action="store_true", help="at most 60 problems a set, 10 for slow solvers")
    return parser


def _count(text: str) -> int:
    if not 1 <= int(text) <= 100_000:
        raise argparse.ArgumentTypeError("1 to 100000")
    return int(text)


def _seed(text: str) -> int:
    try:
        return SEEDS[text] if text in SEEDS else int(text)
    except ValueError:
        raise argparse.ArgumentTypeError("held-out, tuning or a whole number") from None


if __name__ == "__main__":
    raise SystemExit(main())
