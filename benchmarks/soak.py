"""Random performances on all scenes and bodies, with interrupts, undo, redo and replay from the take: what must hold is
judged after every frame, and the seed of every failure is printed.

    python -m benchmarks.soak                       100 000 performances: some 30 hours of one processor
    python -m benchmarks.soak --jobs 16             the same in 16 processes
    python -m benchmarks.soak --first 7 --count 20  the seeds from 7 to 26
    python -m benchmarks.soak --first 7 --shrink    the shortest script that fails in the same way
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import resource
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import puppet
from benchmarks.soak_judge import FaultError, Judge
from benchmarks.soak_words import REDO, UNDO, RandomShow, random_show
from puppet.geometry import Transform
from puppet.shows import Live
from puppet.stage import Frame

MOST = 3000  # frames that a performance may take to come to rest


def soak(show: RandomShow, draft: bool = False, replay: bool = True) -> int:
    """Performs a show, judges every frame, and plays the take; returns the number of frames. Raises FaultError."""
    with TemporaryDirectory() as folder:
        take = Path(folder) / "take.puppet"
        live = Live(show.scene, body=show.body, draft=draft, take=take if replay else None)
        judge = Judge(live.stage)
        judge.look()
        seen = {0: live.frame}  # by its number

        def step(count: int) -> None:
            for _ in range(count):
                live.step_once()
                seen[live.frame.number] = live.frame
                judge.look()

        for line, frames in show.told:
            if line in (UNDO, REDO):
                _turn_back(live, line, seen)
                judge.forget()
            else:
                live.give(line)
                seen[live.frame.number] = live.frame  # a lock holds at once
            step(frames)
        live.stage.close()
        for _ in range(MOST):
            if live.stage.idle:
                break
            step(1)
        if not live.stage.idle:
            raise FaultError("it never comes to rest")
        judge.end()
        last = live.frame.number
        if replay:
            live.close()
            played = puppet.run(take.read_text(encoding="utf-8"), show.scene, draft, show.body)
            _same(live, seen, played)
        return last


def _turn_back(live: Live, line: str, seen: dict[int, Frame]) -> None:
    """Takes the last command back, or gives it again. What is taken back leaves the frame that was seen then."""
    if line == REDO:
        if live.redo():
            seen.clear()  # it stepped by itself: the take tells whether these frames are the same
        return
    known = seen.get(live.frame.number) if live.undo() else None
    if known is not None and _bytes(live.frame) != _bytes(known):
        raise FaultError(f"frame {live.frame.number} is another one after {line}")
    seen[live.frame.number] = live.frame  # hands that had locked in it have not any more


def _bytes(frame: Frame) -> tuple[bytes, ...]:
    """All that is seen in a frame."""
    things = (rows for at in frame.objects.values() for rows in (at.position.tobytes(), at.rotation.tobytes()))
    return frame.angles.tobytes(), *things


def _same(live: Live, seen: dict[int, Frame], played: puppet.Performance) -> None:
    """The take gives the same bytes, and the report agrees with what was drawn."""
    places, names = played.object_transforms, played.object_names
    for n, number in enumerate(played.numbers):
        if number not in seen or number > live.frame.number:
            continue
        frame = seen[number]
        things = {name: Transform.of(row[:3], row[3:]) for name, row in zip(names, places[n], strict=True)}
        held = {hand: name for name, hands in played.held_by[n].items() for hand in np.atleast_1d(hands)}
        parts = {live.stage.body.joint_names[live.stage.body.limb(h).joints[-1]]: t for h, t in frame.holding.items()}
        again = replace(frame, angles=played.angles[n], objects={name: things[name] for name in frame.objects})
        if _bytes(again) != _bytes(frame) or held != parts:
            raise FaultError(f"the take gives another frame {number}")
    told = [entry for entry in live.stage.entries if entry.kind in {task["kind"] for task in played.report["tasks"]}]
    if [(e.status, e.reason) for e in told] != [(t["status"], t["reason"]) for t in played.report["tasks"]]:
        raise FaultError("the take gives another report")
    for name, at in live.frame.objects.items():
        if not np.array_equal(played.report["objects"][name]["position"], at.position):
            raise FaultError(f"'{name}' is reported elsewhere than it is drawn")


def failure(show: RandomShow, draft: bool, replay: bool = True) -> str:
    """What is wrong with a show; "" where nothing is."""
    try:
        soak(show, draft, replay)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def shrunk(show: RandomShow, draft: bool) -> RandomShow:
    """The same with as few lines as fail in the same way, whatever the numbers and names are."""

    def kind(text: str) -> str:
        return re.sub(r"'[^']*'|[\d.]+|\b\w+_\w+\b|left|right", "", text)

    wanted = kind(failure(show, draft))
    place = len(show.told) - 1
    while place >= 0:
        less = show.without({place})
        if kind(failure(less, draft)) == wanted:
            show = less
        place -= 1
    return show


def script(show: RandomShow) -> str:
    """A show to read: its lines, and the frames between them."""
    lines = [f"# seed {show.seed}: {show.name}, {show.body.name}"]
    for line, frames in show.told:
        lines += [line, *([f"wait {frames}"] if frames else [])]
    return "\n".join(lines)


def megabytes() -> float:
    """Of memory in use now, where the system tells."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize() / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


@dataclass(frozen=True)
class Outcome:
    """What became of one seed."""

    seed: int
    frames: int
    flaw: str
    memory: float  # of the process that performed it, after that


def outcome(seed: int, draft: bool) -> Outcome:
    show, frames, flaw = random_show(seed), 0, ""
    try:
        frames = soak(show, draft)
    except Exception as error:
        flaw = f"{show.name}, {show.body.name}: {type(error).__name__}: {error}"
    return Outcome(seed, frames, flaw, megabytes())


def outcomes(seeds: Iterable[int], draft: bool, jobs: int) -> Iterator[Outcome]:
    """Of one seed after the other; with several jobs, in so many processes."""
    one = partial(outcome, draft=draft)
    if jobs == 1:
        yield from map(one, seeds)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(one, seeds)


def run(first: int, count: int, draft: bool, say: Callable[[str], None], every: int = 100, jobs: int = 1) -> int:
    """Performs the shows of many seeds; returns how many failed."""
    failed, frames, begin = 0, 0, time.monotonic()
    for done, found in enumerate(outcomes(range(first, first + count), draft, jobs), start=1):
        frames += found.frames
        if found.flaw:
            failed += 1
            say(f"seed {found.seed}: {found.flaw}")
        if done % every == 0:
            minutes = (time.monotonic() - begin) / 60.0
            told = f"{done} performances, {frames} frames in {minutes:.1f} min"
            say(f"{told}: {failed} failed, {found.memory:.0f} MB")
    return failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--draft", action="store_true", help="estimated postures: faster, not exact")
    parser.add_argument("--shrink", action="store_true", help="shorten the first seed's script to what makes it fail")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    arguments = parser.parse_args()
    if arguments.shrink:
        show = shrunk(random_show(arguments.first), arguments.draft)
        print(script(show), failure(show, arguments.draft) or "nothing fails", sep="\n# ")
        return
    say = partial(print, flush=True)
    failed = run(arguments.first, arguments.count, arguments.draft, say, jobs=arguments.jobs)
    print(f"{arguments.count} performances, {failed} failed")


if __name__ == "__main__":
    main()
