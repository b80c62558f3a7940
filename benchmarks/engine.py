"""What a task and a frame cost, by the number of tasks in one script. Run: python -m benchmarks.engine"""

from __future__ import annotations

import time
from collections.abc import Iterator

from puppet.body import Body
from puppet.command import Command, Lock, Perform, Reach, Slide, Unlock
from puppet.scene import load_environment
from puppet.stage import Stage

COUNTS = (10, 100, 1000, 10_000)
SPEED = 10  # frames a task


def tasks(count: int) -> Iterator[Command]:
    """A round of twelve tasks, with locks between them that are not counted, again and again."""
    given = 0
    homes = {"left": ("yellow", "2"), "right": ("blue", "3")}
    while True:
        for hand, (thing, home) in homes.items():
            overlap = "full" if hand == "right" else "none"
            for command in (
                Reach(hand=hand, object=thing, speed=SPEED, overlap=overlap),
                Lock(hand=hand),
                Reach(hand=hand, space="1", speed=SPEED),
                Slide(hand=hand, by=(0.0, 0.03, 0.02), speed=SPEED),
                Reach(hand=hand, space=home, speed=SPEED),
                Unlock(hand=hand),
                Perform(hand=hand, gesture="check watch", speed=SPEED),
                Reach(hand=hand, space="6", speed=SPEED, overlap="partial"),
            ):
                if not isinstance(command, (Lock, Unlock)):
                    if given == count:
                        return
                    given += 1
                yield command


def measure(count: int, body: Body) -> tuple[float, float, float, int]:
    """Milliseconds a task to hear it and all in all; microseconds a frame in which nothing begins; frames."""
    clock = time.perf_counter
    stage = Stage(load_environment("environments/blocks.yaml"), body)
    begin = clock()
    for command in tasks(count):
        stage.give(command)
    heard = clock()
    quiet, frames = [], 0
    while not stage.idle:
        begins = stage.pending
        before = clock()
        stage.step()
        if not begins:
            quiet.append(clock() - before)
        frames += 1
    end = clock()
    quiet.sort()
    return 1e3 * (heard - begin) / count, 1e3 * (end - begin) / count, 1e6 * quiet[len(quiet) // 2], frames


def main() -> None:
    body = Body.load("seated")
    measure(24, body)  # loads the compiled kernels
    print(f"{'tasks':>7} {'frames':>8} {'hear, ms/task':>14} {'all, ms/task':>13} {'quiet frame, us':>16}")
    for count in COUNTS:
        heard, total, quiet, frames = measure(count, body)
        print(f"{count:>7} {frames:>8} {heard:>14.3f} {total:>13.3f} {quiet:>16.1f}")


if __name__ == "__main__":
    main()
