"""What must hold in every frame of any performance, and random commands to try it on."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

from puppet.body import Body, forward
from puppet.command import Command, Freeze, Lock, Perform, Reach, SetInterrupt, SetPrimitive, Slide, Task, Unlock
from puppet.geometry import Transform
from puppet.scene import Scene, load_environment, table_excess
from puppet.stage import OPEN, Stage

BODY = Body.load("seated")
BLOCKS = load_environment("environments/blocks.yaml")
GESTURES = ("scratch head", "check watch", "drink", "pour", "turn on lamp", "wave")


def random_commands(seed: int, count: int, scene: Scene = BLOCKS, calm: bool = False) -> list[Command | int]:
    """Commands of all kinds; a number stands for frames to step. `calm`: nothing is dropped, so queues get long."""
    found = _random_commands(seed, count, scene)
    if not calm:
        return found
    kept = [command for command in found if not isinstance(command, (Freeze, SetInterrupt))]
    return [replace(command, interrupt=False) if isinstance(command, Task) else command for command in kept]


def _random_commands(seed: int, count: int, scene: Scene) -> list[Command | int]:
    rng = random.Random(seed)
    objects = [entry.name for entry in scene.objects]
    spaces = [space.name for space in scene.spaces]
    found: list[Command | int] = []
    for _ in range(count):
        hand = rng.choice(("left", "right"))
        extra: dict[str, object] = {
            "speed": rng.choice((None, 1, 2, 5, 9)),
            "curve": rng.choice((None, "sine", "accelerate", "decelerate", "linear", "smooth")),
            "overlap": rng.choice((None, "none", "partial", "full")),
            "grip": rng.choice((None, "top", "side", "bottom")),
            "interrupt": rng.random() < 0.04,
        }
        kind = rng.random()
        if kind < 0.28:
            found.append(Reach(hand=hand, object=rng.choice(objects), **extra))
        elif kind < 0.42:
            found.append(Reach(hand=hand, space=rng.choice(spaces), **extra))
        elif kind < 0.54:
            by = tuple(rng.uniform(-0.1, 0.1) for _ in range(3))
            turn = rng.choice((None, None, "top", "side", "bottom", tuple(rng.uniform(-180, 180) for _ in range(3))))
            found.append(Slide(hand=hand, by=by, turn=turn, **extra))
        elif kind < 0.64:
            found.append(Perform(hand=hand, gesture=rng.choice(GESTURES), **extra))
        elif kind < 0.76:
            found.append(Lock(hand=hand))
        elif kind < 0.82:
            found.append(Unlock(hand=hand))
        elif kind < 0.84:
            found.append(Freeze())
        elif kind < 0.85:
            found.append(SetInterrupt(on=rng.random() < 0.3))
        elif kind < 0.88:
            found.append(SetPrimitive(name="overlap", value=rng.choice(("none", "partial", "full"))))
        else:
            found.append(rng.choice((1, 3, 10, 30)))
    return found


class Watch:
    """Steps a stage and complains about the first thing that must not be."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.frames = [stage.frame.angles]
        self.objects = [dict(stage.frame.objects)]
        self.hands = dict(stage.hands)

    def step(self) -> None:
        stage = self.stage
        before = stage.frame.objects
        frame = stage.step()
        hands = stage.hands
        assert np.all(np.isfinite(frame.angles))
        assert stage.body.limit_excess(frame.angles) < 1e-9, "outside its limits"
        for name, pose in frame.objects.items():
            assert np.all(np.isfinite(pose.position))
            assert abs(np.linalg.det(pose.rotation) - 1.0) < 1e-6
            moved = pose.distance(before[name])
            if moved > 1e-9:  # a hand may turn what it holds over once, not throw it
                slack = 3.0 * stage.scene.object(name).width + 1e-6
                assert any(moved <= self._carries(hand, hands[hand], pose) + slack for hand in hands), f"{name} jumped"
        assert {entry.name for entry in stage.scene.objects} == set(frame.objects)
        self.hands = dict(hands)
        self.frames.append(frame.angles)
        self.objects.append(dict(frame.objects))

    def _carries(self, hand: str, now: Transform, thing: Transform) -> float:
        """The farthest that a thing held as by a rigid hand can have moved since the last frame."""
        old = self.hands[hand]
        return old.distance(now) + old.angle(now) * now.distance(thing)

    def until_idle(self, most: int = 20000) -> None:
        while not self.stage.idle:
            self.step()
            most -= 1
            assert most > 0, "the queue does not drain"

    def at_rest(self) -> None:
        """What holds whenever nothing moves."""
        stage = self.stage
        assert stage.idle
        assert stage.scene == stage.planned, "what was planned is not what came of it"
        assert all(entry.status not in OPEN for entry in stage.entries)
        for entry in stage.entries:
            assert entry.status != "rejected" or entry.reason
            assert entry.status in ("done", "adjusted", "rejected", "missed", "cancelled")
            if entry.status in ("done", "adjusted", "missed"):
                assert entry.start is not None
                assert entry.end is not None
                assert entry.start <= entry.end
        positions, rotations = forward(stage.body, stage.frame.angles)
        done = [e.end for e in stage.entries if e.kind in ("reach", "slide", "perform") and e.status != "rejected"]
        stopped = not done or any(e.status == "cancelled" and (e.end or 0) >= max(d or 0 for d in done)
                                  for e in stage.entries)  # fmt: skip
        if not stopped:
            assert table_excess(stage.body, stage.scene.table, positions, rotations) < 1e-6, "in the table"


def perform(commands: list[Command | int], scene: Scene = BLOCKS) -> Watch:
    """Carries the commands out and checks everything on the way and at the end."""
    stage = Stage(scene, BODY)
    watch = Watch(stage)
    for command in commands:
        if isinstance(command, int):
            for _ in range(command):
                watch.step()
        else:
            before = stage.snapshot().state
            entry = stage.give(command)
            if entry.status == "rejected" and isinstance(command, Task):
                after = stage.snapshot().state
                assert after.plan is before.plan, "a rejected command changed the plan"
                assert after.queue is before.queue
    watch.until_idle()
    watch.at_rest()
    return watch
