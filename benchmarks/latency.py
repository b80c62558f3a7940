"""From a key to the first moved frame: what every key of Table 7.1 costs. Run: python -m benchmarks.latency

Time is told twice: on the wall clock, as a player feels it, and as the processor's own, which other programs on the
machine do not change. `--take` writes every command to disk as a recorded performance does.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from puppet.body import Body
from puppet.shows import Live

SCENES = ("blocks", "coffee", "toys", "two_hands", "thesis")
FRAME = 1e3 / 30  # milliseconds
CASES = {  # how the keys come: the key for the overlap, and frames from one key to the next
    "from rest": ("1", 70),
    "into the queue": ("1", 4),
    "overlapping": ("3", 4),
}


@dataclass
class Times:
    """Milliseconds of many keys."""

    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    parts: dict[str, float] = field(default_factory=dict)

    def add(self, other: Times) -> None:
        self.wall += other.wall
        self.processor += other.processor
        for name, value in other.parts.items():
            self.parts[name] = self.parts.get(name, 0.0) + value

    def row(self, name: str) -> str:
        late = sum(value > FRAME for value in self.processor)
        return (
            f"{name:<32} {len(self.wall):>5} {_figures(self.wall)} {_figures(self.processor)} "
            f"{late:>4} {100 * late / len(self.wall):>5.1f} %"
        )


def _figures(values: list[float]) -> str:
    ordered = sorted(values)
    middle, high = ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    return f"{middle:>8.2f} {high:>8.2f} {ordered[-1]:>8.2f}"


@contextmanager
def timed(times: Times, live: Live) -> Iterator[None]:
    before = dict(live.stage.timing)
    wall, processor = time.perf_counter(), time.thread_time()
    yield
    times.wall.append(1e3 * (time.perf_counter() - wall))
    times.processor.append(1e3 * (time.thread_time() - processor))
    for name, seconds in live.stage.timing.items():
        times.parts[name] = times.parts.get(name, 0.0) + 1e3 * (seconds - before[name])


def measure(live: Live, overlap: str, wait: int) -> tuple[Times, Times]:
    """Every key that gives a task, and all other keys. `wait`: frames from a key to the next one."""
    tasks, others = Times(), Times()
    live.press(overlap)
    for key in live.keyboard.keymap.actions:
        if key in "12345":  # overlaps and freeze: this is what the cases differ in
            continue
        begins = len(live.take.given)
        kind = Times()
        with timed(kind, live):
            live.press(key)
            live.advance(1.0 / live.fps)
        moving = len(live.take.given) > begins and live.stage.entries[-1].status in ("running", "waiting")
        (tasks if moving else others).add(kind)
        for _ in range(wait):
            live.step_once()
    return tasks, others


def main() -> None:
    arguments = argparse.ArgumentParser(description="from a key to the first moved frame")
    arguments.add_argument("--take", action="store_true", help="record, as `puppet perform --record` does")
    arguments.add_argument("--draft", action="store_true", help="estimated postures")
    arguments.add_argument("--profile", action="store_true", help="show the functions that the time goes to")
    chosen = arguments.parse_args()
    body = Body.load("seated")
    profile = cProfile.Profile() if chosen.profile else None
    columns = f"{'median':>8} {'p99':>8} {'max':>8}"
    print(f"{'milliseconds':<38} {'on the wall clock':>26} {'of the processor':>26} later than")
    print(f"{'':<32} {'keys':>5} {columns} {columns} {'a frame':>10}")
    everything, others = Times(), Times()
    with tempfile.TemporaryDirectory() as folder, profile or nullcontext():
        for scene in SCENES:
            for name, (overlap, wait) in CASES.items():
                path = Path(folder) / f"{scene} {name}.puppet" if chosen.take else None
                live = Live(scene, body=body, take=path, draft=chosen.draft, clock=time.perf_counter)
                tasks, rest = measure(live, overlap, wait)
                print(tasks.row(f"{scene}, {name}"))
                everything.add(tasks)
                if name == "from rest":
                    others.add(rest)
    print(others.row("keys that begin nothing, at rest"))
    print(everything.row("all keys that begin a task"))
    whole = sum(everything.wall)
    shares = ", ".join(f"{name} {100 * value / whole:.1f} %" for name, value in everything.parts.items())
    print(f"of that time: {shares}, the rest (keys, reading the line, the take) "
          f"{100 * (1 - sum(everything.parts.values()) / whole):.1f} %")  # fmt: skip
    if profile is not None:
        pstats.Stats(profile).sort_stats("tottime").print_stats(18)


if __name__ == "__main__":
    main()
