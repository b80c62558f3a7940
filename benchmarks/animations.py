"""How long the three animations of the thesis take to make. Run: python -m benchmarks.animations"""

from __future__ import annotations

import time

import puppet
from benchmarks.report import cpu_name

ANIMATIONS = (
    ("1, easy", "stack_blocks", "stack_easy", "1 min"),
    ("1, near", "stack_blocks", "stack_near", "1 min"),
    ("1, side", "stack_blocks", "stack_side", "1 min"),
    ("1, far", "stack_blocks", "stack_far", "1 min"),
    ("2", "two_hands", None, "6 min"),
    ("3", "coffee", None, "not told"),
)
REPEATS = 3


def main() -> None:
    puppet.run("scripts/stack_blocks.puppet")  # loads the compiled kernels
    print(f"one core of: {cpu_name()}")
    print(f"{'animation':<10} {'frames':>7} {'tasks':>6} {'seconds':>8} {'postures':>9} {'ways':>7}   thesis (2001)")
    total = 0.0
    for name, script, environment, then in ANIMATIONS:
        best, timing, performance = float("inf"), {}, None
        for _ in range(REPEATS):
            begin = time.perf_counter()
            performance = puppet.run(f"scripts/{script}.puppet", environment=environment)
            seconds = time.perf_counter() - begin
            if seconds < best:
                best, timing = seconds, performance.report["timing"]
        assert performance is not None
        tasks = sum(task["start"] != task["end"] for task in performance.report["tasks"])
        total += best
        print(
            f"{name:<10} {len(performance.angles):>7} {tasks:>6} {best:>8.3f} {timing['posture'] / 1e3:>9.3f} "
            f"{timing['ways'] / 1e3:>7.3f}   {then}"
        )
    print(f"{'all':<10} {'':>7} {'':>6} {total:>8.3f}")


if __name__ == "__main__":
    main()
