"""The processes of a soak, and the log of each seed's outcome. One that dies or hangs fails at the seed at hand."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

LONGEST = 1800.0  # seconds of a performance, on a machine that does much else


@dataclass(frozen=True)
class Outcome:
    """What became of one seed."""

    seed: int
    frames: int
    flaw: str  # in one line; "" where nothing failed
    memory: float  # of the process that performed it, after that, MB


Perform = Callable[[int], Outcome]


def outcomes(perform: Perform, seeds: Sequence[int], jobs: int) -> Iterator[Outcome]:
    """Of each seed, as they come, from so many processes."""
    workers = [_Worker(perform, seeds[n::jobs]) for n in range(jobs) if seeds[n::jobs]]
    try:
        while workers:
            wait([worker.connection for worker in workers], timeout=60.0)
            for worker in workers:
                yield from worker.news()
            workers = [worker for worker in workers if worker.seeds]
    finally:
        for worker in workers:
            worker.stop()


class _Worker:
    """A process that performs one seed after the other."""

    def __init__(self, perform: Perform, seeds: Sequence[int]) -> None:
        self._perform = perform
        self.seeds = list(reversed(seeds))  # that are left, the next one last
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process: BaseProcess = context.Process(
            target=_work, args=(self._perform, self.seeds[::-1], theirs), daemon=True
        )
        self._process.start()
        theirs.close()
        self._heard = time.monotonic()

    def news(self) -> Iterator[Outcome]:
        """What it has found since it was asked last."""
        while self.seeds:
            try:
                found = self.connection.recv() if self.connection.poll() else None
            except EOFError:
                self._process.join()
                yield self._failed(f"the process ended with exit code {self._process.exitcode}")
                continue
            if found is None and time.monotonic() - self._heard > LONGEST:
                self.stop()
                yield self._failed("it does not end")
            elif found is None:
                return
            else:
                self._heard = time.monotonic()
                self.seeds.pop()
                yield found
        self._process.join()

    def _failed(self, how: str) -> Outcome:
        """The seed at hand; another process goes on with the next."""
        seed = self.seeds.pop()
        if self.seeds:
            self._start()
        return Outcome(seed, 0, how, 0.0)

    def stop(self) -> None:
        self._process.kill()
        self._process.join()


def _work(perform: Perform, seeds: Sequence[int], connection: Connection) -> None:
    for seed in seeds:
        connection.send(perform(seed))


def read_log(log: Path | None) -> dict[int, Outcome]:
    """What is known of each seed; a line that was cut off is not."""
    found: dict[int, Outcome] = {}
    if log is None or not log.exists():
        return found
    for line in log.read_text(encoding="utf-8").splitlines():
        seed, *values = line.split("\t")
        if len(values) == 4:
            frames, memory, flaw, _ = values
            found[int(seed)] = Outcome(int(seed), int(frames), flaw, float(memory))
    return found


def add_to_log(log: Path | None, found: Outcome) -> None:
    if log is not None:
        with log.open("a", encoding="utf-8") as file:
            file.write(f"\n{found.seed}\t{found.frames}\t{found.memory:.0f}\t{found.flaw}\t")
