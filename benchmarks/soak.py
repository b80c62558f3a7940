"""Random scripts on the shipped scenes, with interrupts, undo and replay: what must hold is checked after every frame.

    python -m benchmarks.soak                    100 000 scripts, until stopped; the seed of every failure is printed
    python -m benchmarks.soak --count 20 --first 7
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Callable
from pathlib import Path

import numpy as np

import puppet
from puppet.body import Body, hand_transforms
from puppet.files import shipped
from puppet.scene import Scene, load_environment
from puppet.stage import Stage
from puppet.types import Floats

SCENES = [name for name in shipped.names("environments") if name.endswith(".yaml")]
FRAMES = 1500  # that a script may take
FAR = 0.12  # that a thing or a joint's centre may go in one frame, in body heights


def random_line(random: np.random.Generator, scene: Scene, gestures: list[str]) -> str:
    """One command in words."""

    def choose(words: list[str]) -> str:
        return words[int(random.integers(len(words)))]

    hand, things = choose(["left", "right"]), [f'"{entry.name}"' for entry in scene.objects]
    spaces = [f'space "{space.name}"' for space in scene.spaces if space.name and not space.dynamic]
    kind = random.random()
    if kind < 0.4:
        where = choose([*things, *things, *spaces, "left space", "right space"])
        grip, overlap = choose(["side", "top", "bottom"]), choose(["partial", "full"])
        options = choose(["", "", f", grip {grip}", f", overlap {overlap}"])
        line = f"reach {where} with {hand}, speed {int(random.integers(12, 30))}{options}"
        return f"interrupt {line}" if random.random() < 0.05 else line
    if kind < 0.55:
        by = ", ".join(f"{value:.3f}" for value in random.normal(0.0, 0.04, 3))
        return f"slide {hand} by ({by}), speed 15"
    if kind < 0.8:
        return f"{choose(['lock', 'lock', 'unlock'])} {hand}"
    if kind < 0.9:
        return f'perform "{choose(gestures)}" with {hand}, speed 15'
    return choose(["freeze", "set overlap full", "set overlap none", "set overlap partial", "set grip top"])


def check_frame(stage: Stage, before: tuple[Floats, dict[str, Floats]] | None) -> tuple[Floats, dict[str, Floats]]:
    """Raises AssertionError where something is wrong; returns joints and things of this frame, for the next."""
    frame, body = stage.frame, stage.body
    assert np.isfinite(frame.angles).all(), "angles are not finite"
    assert body.limit_excess(frame.angles) < 1e-6, "limits"
    joints = puppet.body.joint_transforms(body, frame.angles)[:, :3]
    things = {name: np.array(at.position) for name, at in frame.objects.items()}
    if before is not None:
        leap = float(np.linalg.norm(joints - before[0], axis=1).max())
        assert leap < FAR * body.height, f"a joint leaps by {leap:.3f}"
        for name, place in things.items():
            way = float(np.linalg.norm(place - before[1][name]))
            assert way < FAR * body.height, f"'{name}' leaps by {way:.3f}"
    names = [name for stack in stage.scene.stacks for name in stack.objects]
    assert sorted(names) == sorted(things), "a thing is in no stack, or in two"
    if stage.idle:
        for name, place in things.items():
            off = float(np.linalg.norm(np.array(stage.scene.centre(name)) - place))
            assert off < 0.02, f"'{name}' is drawn {off:.3f} from where the scene has it"
        hands = hand_transforms(body, frame.angles)
        for hand, goal in stage.locks.items():
            thing = getattr(goal, "object", None)
            if thing is not None:
                reach = 2.0 * stage.scene.object(thing).width + 0.03
                off = float(np.linalg.norm(hands[hand].position - things[thing]))
                assert off < reach, f"the {hand} hand is {off:.3f} from '{thing}', which it holds"
    return joints, things


def soak(seed: int, draft: bool = False, say: Callable[[str], None] = lambda text: None) -> bytes:
    """Carries out the random script of a seed; returns its angles as bytes. Raises where something is wrong."""
    random = np.random.default_rng(seed)
    name = SCENES[int(random.integers(len(SCENES)))]
    scene = load_environment(Path(shipped.folder("environments")) / name)
    stage = Stage(scene, Body.load(scene.body) if scene.body else None, draft=draft)
    lines, found = int(random.integers(4, 14)), []
    seen: tuple[Floats, dict[str, Floats]] | None = check_frame(stage, None)
    for _ in range(lines):
        line = random_line(random, stage.planned, sorted(stage.gestures))
        say(line)
        stage.give(line)
        if random.random() < 0.05:
            stage.undo()
            seen = None
        for _ in range(int(random.integers(0, 20))):
            stage.step()
            seen = check_frame(stage, seen)
            found.append(stage.frame.angles.tobytes())
    for _ in range(FRAMES):
        if stage.idle:
            break
        stage.step()
        seen = check_frame(stage, seen)
        found.append(stage.frame.angles.tobytes())
    assert stage.idle, "it never comes to rest"
    for entry in stage.entries:
        assert entry.status not in ("waiting", "running"), f"'{entry.command}' is never closed"
    return b"".join(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--draft", action="store_true", help="estimated postures: faster, not exact")
    arguments = parser.parse_args()
    failed = 0
    for seed in range(arguments.first, arguments.first + arguments.count):
        try:
            once = soak(seed, arguments.draft)
            if seed % 10 == 0:
                assert soak(seed, arguments.draft) == once, "other bytes the second time"
        except Exception as error:
            failed += 1
            print(f"seed {seed}: {type(error).__name__}: {error}", flush=True)
        if seed % 1000 == 999:
            kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            print(f"{seed + 1 - arguments.first} scripts, {failed} failed, {kilobytes // 1024} MB", flush=True)
    print(f"{arguments.count} scripts, {failed} failed")


if __name__ == "__main__":
    main()
