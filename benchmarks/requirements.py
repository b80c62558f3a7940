"""What is asked of the posture solver, held against the runs: met, not met, or nothing to tell it by."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from benchmarks.judge import EXCESS_TOLERANCE
from benchmarks.measure import Run, median
from benchmarks.problems import CHAINS
from benchmarks.solvers import OURS
from puppet.types import Floats

SOLVED_AT_LEAST = {"D": 99.9, "A": 99.5}
P99_AT_MOST = {"arm": 2.0, "arm+torso": 2.0, "both": 4.0}  # ms
ELBOW_AT_MOST = {"arm": 2.0, "arm+torso": 5.0, "both": 15.0}  # percent
STABLE_AT_LEAST = 99.0  # %
UNREACHABLE_AT_MOST = 5.0  # ms
NEAREST_WITHIN = 0.01  # of the nearest posture known
HONEST_WITHIN = 1e-6  # between a miss as told and as measured


@dataclass(frozen=True)
class Finding:
    """One requirement and what became of it; met is None where the runs do not tell."""

    requirement: str
    met: bool | None
    figures: str

    def __str__(self) -> str:
        word = {True: "met", False: "NOT MET", None: "unknown"}[self.met]
        return f"{word:8} {self.requirement}: {self.figures}"


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that was measured. Runs by chain, kind and solver; a slow solver's run covers the first problems only."""

    runs: Mapping[tuple[str, str, str], Run]
    nearest: Mapping[str, Floats] = field(default_factory=dict)  # by chain: least misses known of the first U problems
    claims: Mapping[tuple[str, str], list[tuple[bool, float]]] = field(default_factory=dict)  # solved, miss as told
    stability: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # by chain
    yardsticks: frozenset[str] = frozenset()  # solvers that the requirements do not speak of

    def ours(self, chain: str, kind: str) -> Run | None:
        return self.runs.get((chain, kind, "puppet"))

    def peers(self, chain: str, kind: str) -> dict[str, Run]:
        no_peers = {*OURS, *self.yardsticks}
        return {s: run for (c, k, s), run in self.runs.items() if (c, k) == (chain, kind) and s not in no_peers}


def findings(evidence: Evidence) -> list[Finding]:
    """Every requirement, chain by chain where it is one of a chain."""
    found: list[Finding] = []
    for chain in CHAINS:
        found += _solved(evidence, chain)
        found += _time(evidence, chain)
        found += _naturalness(evidence, chain)
        found += _unreachable(evidence, chain)
        found += _stable(evidence, chain)
    found += _never_wrong(evidence)
    return found


def _solved(evidence: Evidence, chain: str) -> list[Finding]:
    found = []
    for kind, least in SOLVED_AT_LEAST.items():
        run = evidence.ours(chain, kind)
        share = None if run is None else 100.0 * float(run.solved.mean())
        text = f"{chain}, {kind}: solved at least {least} %"
        found.append(Finding(text, None if share is None else share >= least, _show(share, "%")))
    ours, peers = evidence.ours(chain, "B"), evidence.peers(chain, "B")
    pairs = {} if ours is None else {s: (_share(ours, len(run.solved)), _share(run)) for s, run in peers.items()}
    met = all(mine >= other for mine, other in pairs.values()) if pairs else None
    text = ", ".join(f"{s} {other:.1f} (puppet {mine:.1f})" for s, (mine, other) in pairs.items())
    found.append(Finding(f"{chain}, B: no peer solves more", met, text or "-"))
    return found


def _time(evidence: Evidence, chain: str) -> list[Finding]:
    ours, peers = evidence.ours(chain, "D"), evidence.peers(chain, "D")
    medians = {s: float(np.median(run.milliseconds)) for s, run in peers.items()}
    half = f"{chain}, D: median time at most half of the fastest peer's"
    tail = f"{chain}, D: p99 at most {P99_AT_MOST[chain]:g} ms"
    if ours is None:
        return [Finding(half, None, "-"), Finding(tail, None, "-")]
    mine, p99 = float(np.median(ours.milliseconds)), float(np.quantile(ours.milliseconds, 0.99))
    found = []
    if medians:
        fastest = min(medians, key=lambda s: medians[s])
        figures = f"{mine:.4f} ms, {fastest} {medians[fastest]:.4f} ms, {medians[fastest] / mine:.1f} times as fast"
        found.append(Finding(half, mine <= 0.5 * medians[fastest], figures))
    else:
        found.append(Finding(half, None, f"{mine:.4f} ms"))
    for solver in sorted(evidence.yardsticks):
        run = evidence.runs.get((chain, "D", solver))
        if run is not None:
            other = float(np.median(run.milliseconds))
            text = f"{chain}, D: (for comparison) median time at most that of {solver}"
            found.append(Finding(text, mine <= other, f"{mine:.4f} ms, {other:.4f} ms"))
    found.append(Finding(tail, p99 <= P99_AT_MOST[chain], _show(p99, "ms")))
    return found


def _naturalness(evidence: Evidence, chain: str) -> list[Finding]:
    found = []
    for kind in ("D", "A"):
        ours = evidence.ours(chain, kind)
        text = f"{chain}, {kind}: median score of solved postures better than every peer's"
        told, met = [], True
        for solver, run in evidence.peers(chain, kind).items():
            if ours is None:
                break
            count = len(run.solved)
            mine = median(ours.of("score")[:count][ours.solved[:count]])
            other = median(run.of("score")[run.solved])
            both = ours.solved[:count] & run.solved
            shared = median(ours.of("score")[:count][both]), median(run.of("score")[both])
            if math.isnan(mine) or math.isnan(other):
                continue
            met &= mine < other
            told.append(
                f"{solver} {other:.3f} (puppet {mine:.3f}; where both solve {shared[1]:.3f} and {shared[0]:.3f})"
            )
        found.append(Finding(text, met if told else None, ", ".join(told) or "-"))
    ours, most = evidence.ours(chain, "D"), ELBOW_AT_MOST[chain]
    share = None if ours is None else 100.0 * float(ours.of("elbow_above_wrist").mean())
    text = f"{chain}, D: elbow above wrist at most {most:g} %"
    found.append(Finding(text, None if share is None else share <= most, _show(share, "%")))
    return found


def _stable(evidence: Evidence, chain: str) -> list[Finding]:
    shares = evidence.stability.get(chain)
    text = f"{chain}, D: a goal moved by a millimetre leaves all joints in their places in {STABLE_AT_LEAST:g} %"
    if shares is None:
        return [Finding(text, None, "-")]
    return [Finding(text, 100.0 * shares["place"] >= STABLE_AT_LEAST, _show(100.0 * shares["place"], "%"))]


def _unreachable(evidence: Evidence, chain: str) -> list[Finding]:
    ours, nearest = evidence.ours(chain, "U"), evidence.nearest.get(chain)
    near = f"{chain}, U: the nearest posture, within {NEAREST_WITHIN:g}"
    time = f"{chain}, U: at most {UNREACHABLE_AT_MOST:g} ms"
    honest = f"{chain}, U: an honest miss"
    if ours is None:
        return [Finding(near, None, "-"), Finding(honest, None, "-"), Finding(time, None, "-")]
    found = []
    if nearest is None:
        found.append(Finding(near, None, "-"))
    else:
        beyond = ours.of("mean_miss")[: len(nearest)] - nearest
        figures = f"beyond the nearest known: mean {beyond.mean():.4f}, most {beyond.max():.4f}, n {len(nearest)}"
        found.append(Finding(near, bool(beyond.max() <= NEAREST_WITHIN), figures))
    claims = evidence.claims.get((chain, "U"))
    if not claims:
        found.append(Finding(honest, None, "-"))
    else:
        gaps = [abs(miss - verdict.position_error) for (_, miss), verdict in zip(claims, ours.verdicts, strict=True)]
        wrong = sum(solved != verdict.solved for (solved, _), verdict in zip(claims, ours.verdicts, strict=True))
        figures = f"misses told wrong by {max(gaps):.1e} at most, {wrong} wrongly called solved"
        found.append(Finding(honest, max(gaps) <= HONEST_WITHIN and wrong == 0, figures))
    slowest, p99 = float(ours.milliseconds.max()), float(np.quantile(ours.milliseconds, 0.99))
    found.append(Finding(time, slowest <= UNREACHABLE_AT_MOST, f"max {slowest:.3f} ms, p99 {p99:.3f} ms"))
    return found


def _never_wrong(evidence: Evidence) -> list[Finding]:
    runs = [run for (_, _, solver), run in evidence.runs.items() if solver == "puppet"]
    found = []
    for name, text in (("limit_excess", "no joint limit violated"), ("table_excess", "nothing in the table")):
        worst = max((float(run.of(name).max()) for run in runs), default=None)
        count = sum(len(run.verdicts) for run in runs)
        met = None if worst is None else worst <= EXCESS_TOLERANCE
        figures = "-" if worst is None else f"worst {worst:.1e} in {count} answers"
        found.append(Finding(f"{text} in any answer", met, figures))
    idle = sum(int((run.of("idle_table_excess") > EXCESS_TOLERANCE).sum()) for run in runs)
    if runs:
        found.append(
            Finding("(for comparison) a limb without a goal is clear of the table too", idle == 0, f"{idle} answers")
        )
    return found


def _share(run: Run, count: int | None = None) -> float:
    return 100.0 * float(run.solved[:count].mean())


def _show(value: float | None, unit: str) -> str:
    return "-" if value is None else f"{value:.3f} {unit}"
