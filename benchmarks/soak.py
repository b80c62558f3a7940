"""Random performances on all scenes and bodies, with interrupts, undo, redo, physics, parts that are pulled, takes that
are saved and performed under, and replay from the take: what must hold is judged after every frame, and the seed of
every failure is printed.

    python -m benchmarks.soak                       100 000 performances: some 30 hours of one processor
    python -m benchmarks.soak --jobs 16             the same in 16 processes
    python -m benchmarks.soak --log soak.log        each outcome is kept there: stopped, and begun again, it goes on
    python -m benchmarks.soak --first 7 --count 20  the seeds from 7 to 26
    python -m benchmarks.soak --first 7 --shrink    the shortest script that fails in the same way
"""

from __future__ import annotations

import argparse
import re
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import puppet
from benchmarks.soak_judge import FaultError, Judge
from benchmarks.soak_turns import HOLD, LET_GO, PULL, RELOAD, turned
from benchmarks.soak_words import REDO, UNDO, RandomShow, random_show
from benchmarks.soak_workers import Outcome, add_to_log, outcomes, read_log
from puppet.geometry import Transform
from puppet.shows import Live
from puppet.stage import Frame

MOST = 3000  # frames that a performance may take to come to rest
EVERY = 100  # performances are told how many there were


def soak(show: RandomShow, draft: bool = False, replay: bool = True) -> int:
    """Performs a show, judges every frame, and plays the take; returns the number of frames. Raises FaultError."""
    with TemporaryDirectory() as folder:
        told = _Performance(show, draft, Path(folder))
        for line, frames in show.told:
            told.tell(line)
            told.step(frames)
        told.finish()
        if replay:
            told.replay()
        return told.live.frame.number


class _Performance:
    """A show on stage: judged in every frame, and kept so that it can be compared."""

    def __init__(self, show: RandomShow, draft: bool, folder: Path) -> None:
        self.show, self.draft, self.folder = show, draft, folder
        self.saved = 0  # times that it was
        self._begin()

    def _begin(self, under: Path | None = None) -> None:
        """On stage from the first frame on; under: the take so far, if there is one."""
        self.take = self.folder / f"take {self.saved}.puppet"
        show, draft = self.show, self.draft
        self.live = Live(show.scene, body=show.body, draft=draft, take=self.take, under=under)
        self.judge = Judge(self.live.stage)
        self.judge.look()
        self.seen = {0: self.live.frame}  # by its number

    def step(self, count: int) -> None:
        for _ in range(count):
            self.live.step_once()
            self._note()
            if self.live.pulled:
                self.judge.forget()  # the body is with the pointer at once, wherever that goes
            self.judge.look()
            if not np.isfinite(self.live.joint_transforms).all():
                raise FaultError("what is shown with physics is not finite")

    def _note(self) -> None:
        self.seen[self.live.frame.number] = self.live.frame

    def tell(self, line: str) -> None:
        """Has a line, or what else may happen, happen."""
        live, (what, *numbers) = self.live, line.split()
        if line in (UNDO, REDO):
            self._turn_back(line)
            self.judge.forget()
        elif line == RELOAD:
            self._reload()
        elif line == LET_GO:
            live.let_go()
        elif what == PULL:
            x, y, z = map(float, numbers[:3])
            live.pull(" ".join(numbers[3:]), (0.0, 0.0, 0.0), (x, y, z))
        elif what == HOLD:
            live.reach(object=line.removeprefix(f"{HOLD} "), hold=True)
            self._note()
        else:
            live.give(line)
            self._note()  # a lock holds at once

    def _turn_back(self, line: str) -> None:
        """Takes the last command back, or gives it again. What is taken back leaves the frame that was seen then."""
        live = self.live
        if line == REDO:
            if live.redo():
                self.seen.clear()  # it stepped by itself: the take tells whether these frames are the same
            return
        known = self.seen.get(live.frame.number) if live.undo() else None
        if known is not None and _bytes(live.frame) != _bytes(known):
            raise FaultError(f"frame {live.frame.number} is another one after {line}")
        self._note()  # hands that had locked in it have not any more

    def _reload(self) -> None:
        """Saves the take, and performs under it, with the same frames so far."""
        seen, last, take = self.seen, self.live.frame.number, self.take
        self.live.close()
        self.saved += 1
        self._begin(take)
        for number in range(1, last + 1):
            self.live.step_once()
            self._note()
            if number in seen and _bytes(self.live.frame) != _bytes(seen[number]):
                raise FaultError(f"frame {number} is another one under the take that was saved at frame {last}")
        self.judge.forget()  # these frames were judged

    def finish(self) -> None:
        """Goes on until all is at rest."""
        live = self.live
        live.let_go()
        live.stage.close()
        for _ in range(MOST):
            if live.stage.idle:
                break
            self.step(1)
        if not live.stage.idle:
            raise FaultError("it never comes to rest")
        self.judge.end()

    def replay(self) -> None:
        """The take gives the same bytes, and the report agrees with what was drawn."""
        self.live.close()
        text, show = self.take.read_text(encoding="utf-8"), self.show
        _same(self.live, self.seen, puppet.run(text, show.scene, self.draft, show.body, physics=False))
        if "physics on" in text:
            filtered = puppet.run(text, show.scene, self.draft, show.body)
            if not np.isfinite(filtered.angles).all():
                raise FaultError("angles with physics are not finite")


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


def outcome(seed: int, draft: bool) -> Outcome:
    show, frames, flaw = turned(random_show(seed)), 0, ""
    try:
        frames = soak(show, draft)
    except Exception as error:
        flaw = " ".join(f"{show.name}, {show.body.name}: {type(error).__name__}: {error}".split())
    return Outcome(seed, frames, flaw, megabytes())


def run(seeds: Sequence[int], draft: bool, say: Callable[[str], None], log: Path | None, jobs: int) -> int:
    """Performs the shows of many seeds, but those that are in the log already; returns how many of all failed."""
    known = read_log(log)
    before = [known[seed] for seed in seeds if seed in known]
    failed, frames = [found.seed for found in before if found.flaw], 0
    for found in before:
        if found.flaw:
            say(f"seed {found.seed}: {found.flaw}")
    begin, left = time.monotonic(), [seed for seed in seeds if seed not in known]
    for done, found in enumerate(outcomes(partial(outcome, draft=draft), left, jobs), start=1):
        add_to_log(log, found)
        frames += found.frames
        if found.flaw:
            failed.append(found.seed)
            say(f"seed {found.seed}: {found.flaw}")
        if done % EVERY == 0:
            minutes = (time.monotonic() - begin) / 60.0
            told = f"{len(before) + done} performances, {frames} frames in {minutes:.1f} min"
            say(f"{told}: {len(failed)} failed, {found.memory:.0f} MB")
    return len(failed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--draft", action="store_true", help="estimated postures: faster, not exact")
    parser.add_argument("--shrink", action="store_true", help="shorten the first seed's script to what makes it fail")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--log", type=Path, help="where each outcome is kept; what is in it is not performed again")
    arguments = parser.parse_args()
    if arguments.shrink:
        show = shrunk(turned(random_show(arguments.first)), arguments.draft)
        print(script(show), failure(show, arguments.draft) or "nothing fails", sep="\n# ")
        return
    seeds = range(arguments.first, arguments.first + arguments.count)
    failed = run(seeds, arguments.draft, partial(print, flush=True), arguments.log, arguments.jobs)
    print(f"{arguments.count} performances, {failed} failed")


if __name__ == "__main__":
    main()
