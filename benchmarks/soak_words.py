"""Random performances for the soak: a scene, a body, and what is told, frame after frame, by a seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from benchmarks.random_bodies import random_body
from puppet.body import Body
from puppet.files import shipped
from puppet.locomotion import legs_of
from puppet.scene import SHAPES, Object, Scene, Table, load_environment
from puppet.tasks import Gestures, load_gestures

SCENES = tuple(name for name in shipped.names("environments") if name.endswith(".yaml"))
BODIES = tuple(Path(name).stem for name in shipped.names("bodies"))
UNDO, REDO = "(undo)", "(redo)"
T = TypeVar("T")


@dataclass(frozen=True)
class RandomShow:
    """What is performed. `told`: each line, or UNDO or REDO, and the frames that pass after it."""

    seed: int
    name: str  # of the environment
    scene: Scene
    body: Body
    told: tuple[tuple[str, int], ...]

    def without(self, places: set[int]) -> RandomShow:
        """The same with fewer lines."""
        told = tuple(line for n, line in enumerate(self.told) if n not in places)
        return RandomShow(self.seed, self.name, self.scene, self.body, told)


def random_show(seed: int) -> RandomShow:
    random = np.random.default_rng(seed)
    words = _Words(random)
    body, scene, name = None, None, words.choose(SCENES)
    if random.random() < 0.25:
        body = random_body(seed) if random.random() < 0.5 else Body.load(words.choose(BODIES))
    if random.random() < 0.25:
        body, name = body or Body.load(), "a random scene"
        scene = _random_scene(random, body)
    if scene is None:
        scene = load_environment(Path(shipped.folder("environments")) / name, None if body is None else body.hands)
        body = body or Body.load(scene.body or "seated")
    words.know(scene, body, load_gestures(body, ()))
    told = [(words.line(), words.frames()) for _ in range(int(random.integers(3, 16)))]
    for _ in range(int(random.integers(0, 3))):
        place = int(random.integers(1, len(told) + 1))
        told[place:place] = [(UNDO, int(random.integers(0, 5)))] * int(random.integers(1, 3))
        if random.random() < 0.5:
            told.insert(place + 2, (REDO, int(random.integers(0, 5))))
    return RandomShow(seed, name, scene, body, tuple(told))


def _random_scene(random: np.random.Generator, body: Body) -> Scene:
    """A table with places within reach and beyond it, and things on some of them, some of them in towers."""
    table = Table(round(float(random.uniform(0.5, 0.7)), 3), round(float(random.uniform(0.12, 0.28)), 3))
    spaces = {
        f"place {n}": (
            float(random.uniform(-0.3, 0.3)), table.height + float(max(0.0, random.normal(-0.1, 0.1))),
            table.front + float(random.uniform(0.03, 0.35)),
        )
        for n in range(int(random.integers(2, 7)))
    }  # fmt: skip
    kinds = (None, "block", "toy")
    things = [
        (
            Object(
                f"thing {n}", round(float(random.uniform(0.012, 0.06)), 3),
                shape=SHAPES[int(random.integers(len(SHAPES)))], kind=kinds[int(random.integers(3))],
            ),
            f"place {int(random.integers(len(spaces)))}",
        )
        for n in range(int(random.integers(1, 6)))
    ]  # fmt: skip
    return Scene.build(table, spaces, things, body.hands)


class _Words:
    """Lines of the language about one scene and body."""

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random
        self.labels: list[str] = []

    def know(self, scene: Scene, body: Body, gestures: Gestures) -> None:
        self.scene, self.body, self.gestures = scene, body, gestures
        self.hands = body.hands or ("left",)
        self.things = [f'"{entry.name}"' for entry in scene.objects] or ['"nothing"']
        self.spaces = [f'"{space.name}"' for space in scene.spaces if space.name and not space.dynamic]
        self.kinds = sorted({entry.kind for entry in scene.objects if entry.kind is not None}) or ["block"]
        self.parts = [name.replace("_", " ") for name in body.joint_names]
        self.places = [f'"{name}"' for name in sorted(scene.place_names)]

    def choose(self, words: Sequence[T]) -> T:
        return words[int(self.random.integers(len(words)))]

    def frames(self) -> int:
        """That pass after a line: none, some, or very many."""
        return int(self.choose([0, 0, 1, 3, 7, 13, 20, 40, 90]))

    def hand(self) -> str:
        return self.choose(self.hands)

    def vector(self, size: float, mean: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> str:
        return f"({', '.join(f'{value:.3f}' for value in self.random.normal(mean, size))})"

    def line(self) -> str:
        """One command in words."""
        kinds: list[tuple[float, Callable[[], str]]] = [
            (0.24, self._reach), (0.08, self._take), (0.06, self._put), (0.03, self._give), (0.10, self._slide),
            (0.12, self._lock), (0.09, self._gesture), (0.03, self._point), (0.06, self._head), (0.03, self._pose),
            (0.05, self._whole_body), (0.08 if len(legs_of(self.body)) == 2 else 0.01, self._travel),
            (0.07, self._setting), (0.02, lambda: "freeze"),
        ]  # fmt: skip
        shares = np.array([share for share, _ in kinds])
        return kinds[int(self.random.choice(len(kinds), p=shares / shares.sum()))][1]()

    def _task(self, line: str, grip: bool = False, timed: bool = True) -> str:
        """A task with options, and perhaps a name, a moment or an interrupt."""
        random = self.random
        if random.random() < 0.6:
            line += f", speed {int(random.integers(20, 40))}"
        if timed and random.random() < 0.1:
            line += f", curve {self.choose(['sine', 'accelerate', 'decelerate', 'linear', 'smooth'])}"
        if timed and random.random() < 0.25:
            line += f", overlap {self.choose(['none', 'partial', 'full', 'full'])}"
        if grip and random.random() < 0.25:
            line += f", grip {self.choose(['side', 'top', 'bottom'])}"
        if timed and random.random() < 0.04:
            return f"interrupt {line}"
        return self._moment(line)

    def _moment(self, line: str) -> str:
        random = self.random
        if self.labels and random.random() < 0.12:
            offset = self.choose(["", "", " + 10", " - 5"])
            line += f", when {self.choose(self.labels)} {self.choose(['starts', 'ends'])}{offset}"
        if random.random() < 0.12:
            self.labels.append(f"task{len(self.labels)}")
            line = f"{self.labels[-1]}: {line}"
        return line

    def _reach(self) -> str:
        where = self.choose([
            *[thing for thing in self.things for _ in range(3)], *(f"space {name}" for name in self.spaces),
            *(f"{hand} space" for hand in self.hands), self.vector(0.12, (0.0, self.scene.table.height + 0.1, 0.3)),
            f"nearest {self.choose(self.kinds)}",
        ])  # fmt: skip
        hand = "either hand" if self.random.random() < 0.06 else self.hand()
        return self._task(f"reach {where} with {hand}", grip=True)

    def _take(self) -> str:
        what = f"nearest {self.choose(self.kinds)}" if self.random.random() < 0.1 else self.choose(self.things)
        hand = self.choose([*[hand for hand in self.hands for _ in range(4)], "either hand", "both hands"])
        return self._task(f"take {what} with {hand}", grip=True)

    def _put(self) -> str:
        where = self.choose([*self.things, *(f"space {name}" for name in self.spaces), f"{self.hand()} space"])
        return self._task(f"put {self.choose(self.things)} on {where}", grip=True)

    def _give(self) -> str:
        return self._task(f"give {self.choose(self.things)} to {self.hand()}", grip=True)

    def _slide(self) -> str:
        turn = self.choose(["", "", "", " turn top", " turn side", " turn bottom", f" turn {self.vector(60.0)}"])
        return self._task(f"slide {self.hand()} by {self.vector(0.05)}{turn}")

    def _lock(self) -> str:
        hand = self.hand()
        verb = self.choose(["lock", "lock", "lock", "unlock", "release"])
        return f"release {self.choose([hand, 'both hands'])}" if verb == "release" else f"{verb} {hand}"

    def _gesture(self) -> str:
        name = self.choose(sorted(self.gestures))
        words = self.gestures.thing_words.get(name, ())
        line = f'perform "{name}"'
        if words and self.random.random() < 0.5:
            line = " ".join([name, *(f"{word} {self.choose(self.things)}".strip() for word in words)])
        line = self._task(f"{line} with {self.hand()}")
        cyclic = self.gestures.cyclic is not None and name in self.gestures.cyclic
        if cyclic and self.labels and not line.startswith(("interrupt", f"{self.labels[-1]}:")) and "when" not in line:
            line += f", until {self.choose(self.labels)} ends" if self.random.random() < 0.4 else ""
        return line

    def _spot(self) -> str:
        point = self.vector(0.3, (0.0, 0.6, 0.5))
        return self.choose([*self.things, *(f"space {name}" for name in self.spaces), f"{self.hand()} hand", point])

    def _point(self) -> str:
        return self._task(f"point at {self._spot()} with {self.hand()}")

    def _head(self) -> str:
        line = self.choose([f"look at {self._spot()}", f"look at {self._spot()}", "look ahead", "nod", "shake head"])
        return self._task(line, timed=False)

    def _pose(self) -> str:
        return self._task(f"pose {self._part()} at {self.vector(30.0)}", timed=False)

    def _part(self) -> str:
        return f'"{self.choose(self.body.joint_names)}"' if self.random.random() < 0.2 else self.choose(self.parts)

    def _whole_body(self) -> str:
        part = self._part()
        where = self.choose([self.vector(0.1, (0.0, 0.7, 0.3)), self.choose(self.things)])
        line = self.choose([
            f"pin {part}", f"pin {part} to {self.vector(0.1, (0.0, 0.7, 0.3))}, gain 0.5", f"unpin {part}",
            "balance off", "balance on",
        ])  # fmt: skip
        if self.random.random() < 0.5:
            line = self.choose([f"drag {part} to {where}", f"drag {part} by {self.vector(0.06)}"])
            return self._task(line, timed=False)
        return line

    def _travel(self) -> str:
        x, z = (f"{value:.2f}" for value in self.random.normal(0.0, 0.7, 2))
        line = self.choose([
            f"walk to ({x}, {z})", f"walk to {self.choose(self.places)}",
            f"turn by {int(self.random.integers(-180, 180))}", f"turn to {self.choose(self.places)}",
            f"step {self.choose(['left', 'right'])} to ({x}, {z})", "sit down",
            "stand up", "crouch", f"jump to ({x}, {z}), height 0.2", f"swing from {self.choose(self.places)}, turns 1",
        ])  # fmt: skip
        return self._moment(line)

    def _setting(self) -> str:
        return self.choose([
            "set overlap full", "set overlap full", "set overlap none", "set overlap partial", "set grip top",
            "set grip side", "set grip bottom", f"set speed {int(self.random.integers(20, 40))}", "set speed auto",
            "set curve sine", "set clearance 0.02", "set interrupt on", "set interrupt off", "record start",
            "record stop",
        ])  # fmt: skip
