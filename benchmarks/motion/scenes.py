"""Random scenes with scripts for them, the same for the same number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from puppet.body import Body
from puppet.files import strict_yaml
from puppet.scene import Object, Scene, Table, read_environment

TABLE = Table(0.6, 0.2, 0.0)
BODIES = ("seated", "person")
SEATED_ONLY = ("gestures",)  # the shipped ones are angles of that body's joints
STANDING = ("air",)  # scenes without a table, for a body that stands
GRIPS = ("side", "top")
COLOR_NAMES = ("gold", "steelblue", "green", "crimson", "orange", "teal", "purple", "tan")
GAP = 0.02  # between things
OPEN = """
floor: 0.0
tables: {behind: {place: [0.0, -1.0], size: [0.5, 0.5], height: 0.4}}
start: {place: [0.0, 0.0]}
spaces: {}
"""
SHOULDER, AIR = np.array([0.1, 0.8, 0.0]), (0.2, 0.36)  # about which, and how far from it, people reach into the air
_TRIES = 200

Rng = np.random.Generator
Place = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Case:
    """A scene, and a script to be carried out in it."""

    category: str
    number: int
    body: str
    scene: Scene
    script: str

    @property
    def name(self) -> str:
        return f"{self.category} {self.number}"

    @property
    def file_name(self) -> str:
        return self.name.replace(" ", "_")


def make_case(category: str, number: int) -> Case:
    """The case with this number; where both can do it, even ones have the first of BODIES, odd ones the second."""
    body = BODIES[0 if category in SEATED_ONLY else 1 if category in STANDING else number % len(BODIES)]
    rng = np.random.default_rng([(*sorted(CATEGORIES.keys() - set(STANDING)), *STANDING).index(category), number])
    scene, lines = CATEGORIES[category](rng)
    return Case(category, number, body, scene, "\n".join(lines) + "\n")


def cases() -> Iterator[Case]:
    """All cases, one of each category after the other, without end."""
    number = 0
    while True:
        for category in CATEGORIES:
            yield make_case(category, number)
        number += 1


def _empty(rng: Rng) -> tuple[Scene, list[str]]:
    hand = _hand(rng)
    scene = _scene(rng, 1, spaces=2)
    return scene, [f"reach a with {hand}, grip {_grip(rng)}", f"reach space 1 with {hand}", f"reach a with {hand}"]


def _things(rng: Rng) -> tuple[Scene, list[str]]:
    count = int(rng.integers(1, 9))
    scene = _scene(rng, count, spaces=1)
    lines = []
    for _ in range(3):
        thing = scene.objects[int(rng.integers(count))].name
        lines.append(f"reach {thing} with {_near_hand(rng, scene, thing)}, grip {_grip(rng)}")
    return scene, lines


def _shelves(rng: Rng) -> tuple[Scene, list[str]]:
    scene = _scene(rng, int(rng.integers(2, 6)), spaces=1, shelves=int(rng.integers(1, 4)))
    names = [thing.name for thing in scene.objects]
    rng.shuffle(names)
    lines = [f"reach {name} with {_near_hand(rng, scene, name)}, grip {_grip(rng)}" for name in names[:2]]
    hand = _near_hand(rng, scene, names[0])
    lines += [
        f"reach {names[0]} with {hand}, grip side",
        f"lock {hand}",
        f"reach space shelf1 with {hand}",
        f"unlock {hand}",
    ]
    return scene, lines


def _both(rng: Rng) -> tuple[Scene, list[str]]:
    return _two_hands(rng, crossed=False)


def _crossing(rng: Rng) -> tuple[Scene, list[str]]:
    return _two_hands(rng, crossed=True)


def _two_hands(rng: Rng, crossed: bool) -> tuple[Scene, list[str]]:
    count = 4
    scene = _scene(rng, count, spaces=1)
    names = sorted((thing.name for thing in scene.objects), key=lambda name: scene.centre(name)[0])
    sides = {"right": names[: count // 2], "left": names[count // 2 :]}
    if crossed:
        sides = {"left": sides["right"], "right": sides["left"]}
    overlap = "partial" if rng.random() < 0.3 else "full"
    lines = [f"set overlap {overlap}"]
    for n in range(2):
        lines += [f"reach {sides[hand][n]} with {hand}, grip {_grip(rng)}" for hand in ("left", "right")]
    return scene, lines


def _holding(rng: Rng) -> tuple[Scene, list[str]]:
    scene = _scene(rng, 4, spaces=1)
    names = [thing.name for thing in scene.objects]
    hand = _near_hand(rng, scene, names[0])
    other = "right" if hand == "left" else "left"
    inwards = -1.0 if hand == "left" else 1.0
    by = inwards * rng.uniform(0.0, 0.12), rng.uniform(0.04, 0.14), rng.uniform(-0.04, 0.06)
    lines = [
        f"reach {names[0]} with {hand}, grip {_grip(rng)}",
        f"lock {hand}",
        f"slide {hand} by ({by[0]:.3f}, {by[1]:.3f}, {by[2]:.3f})",
        f"reach {names[1]} with {other}, grip {_grip(rng)}",
        f"reach {names[2]} with {other}, grip {_grip(rng)}",
    ]
    return scene, lines


def _carrying(rng: Rng) -> tuple[Scene, list[str]]:
    scene = _scene(rng, int(rng.integers(1, 6)), spaces=3)
    thing = scene.objects[0].name
    hand = _near_hand(rng, scene, thing)
    onto = scene.objects[-1].name
    last = f"reach {onto} with {hand}" if onto != thing and rng.random() < 0.4 else f"reach space 2 with {hand}"
    lines = [f"reach {thing} with {hand}, grip {_grip(rng)}", f"lock {hand}", f"reach space 1 with {hand}", last]
    return scene, [*lines, f"unlock {hand}", f"reach space 3 with {hand}"]


def _regrip(rng: Rng) -> tuple[Scene, list[str]]:
    scene = _scene(rng, 2, spaces=2)
    hand = _near_hand(rng, scene, "a")
    first, second = GRIPS if rng.random() < 0.5 else GRIPS[::-1]
    lines = [f"reach a with {hand}, grip {first}", f"lock {hand}", f"reach space 1 with {hand}, grip {second}"]
    return scene, [*lines, f"unlock {hand}"]


def _gestures(rng: Rng) -> tuple[Scene, list[str]]:
    scene = _scene(rng, 2, spaces=1)
    hand = _near_hand(rng, scene, "a")
    other = "right" if hand == "left" else "left"
    gesture = ("scratch head", "wave")[int(rng.integers(2))]
    who = hand if rng.random() < 0.5 else other
    return scene, [
        f"reach a with {hand}, grip {_grip(rng)}",
        f"lock {hand}",
        f"{gesture} with {who}",
        f"reach space 1 with {hand}",
    ]


def _air(rng: Rng) -> tuple[Scene, list[str]]:
    """Reaches into the air, with nothing near, as those of the recorded people."""
    scene = read_environment(strict_yaml.parse(OPEN, "open.yaml"), Body.load("person").hands)
    hand = _hand(rng)
    side = 1.0 if hand == "left" else -1.0
    lines = []
    while len(lines) < 4:
        place = np.array([rng.uniform(-0.05, 0.38), rng.uniform(0.5, 1.1), rng.uniform(0.08, 0.36)])
        if AIR[0] < np.linalg.norm(place - SHOULDER) < AIR[1]:
            lines.append(f"reach ({side * place[0]:.3f}, {place[1]:.3f}, {place[2]:.3f}) with {hand}")
    return scene, lines


CATEGORIES: Mapping[str, Callable[[Rng], tuple[Scene, list[str]]]] = {
    "empty": _empty, "things": _things, "shelves": _shelves, "both": _both, "crossing": _crossing,
    "holding": _holding, "carrying": _carrying, "regrip": _regrip, "gestures": _gestures, "air": _air,
}  # fmt: skip


def _scene(rng: Rng, count: int, spaces: int, shelves: int = 0) -> Scene:
    """So many things a, b, c ... on places of their own, free spaces 1, 2 ..., and raised ones shelf1, shelf2 ...;
    things stand on all shelves but the first. Nothing stands in anything."""
    while True:
        if (scene := _try_scene(rng, count, spaces, shelves)) is not None:
            return scene


def _try_scene(rng: Rng, count: int, spaces: int, shelves: int) -> Scene | None:
    """A scene, if the table has room for it."""
    widths = rng.uniform(0.015, 0.04, count)
    taken: list[tuple[float, float, float]] = []  # x, z, half width
    places: dict[str, Place | None] = {}
    for n in range(shelves):
        places[f"shelf{n + 1}"] = _place(rng, taken, 0.055, float(rng.uniform(0.08, 0.22)), far=0.12)
    for n in range(spaces):
        places[str(n + 1)] = _place(rng, taken, 0.035, 0.0)
    things = []
    for n in range(count):
        name, shelf = "abcdefgh"[n], f"shelf{n + 1}"
        if n == 0 or shelf not in places:  # the first shelf is left free
            shelf = f"of {name}"
            places[shelf] = _place(rng, taken, float(widths[n]), 0.0)
        things.append((Object(name, round(float(widths[n]), 4), COLOR_NAMES[n]), shelf))
    found = {name: place for name, place in places.items() if place is not None}
    return Scene.build(TABLE, found, things, Body.load().hands) if len(found) == len(places) else None


def _place(
    rng: Rng, taken: list[tuple[float, float, float]], half: float, height: float, far: float = 0.0
) -> Place | None:
    """A place that keeps clear of those taken, if there is one."""
    for _ in range(_TRIES):
        x, z = float(rng.uniform(-0.3, 0.3)), float(TABLE.front + rng.uniform(max(0.045, half + 0.005, far), 0.28))
        if all(max(abs(x - a), abs(z - b)) >= half + other + GAP for a, b, other in taken):
            taken.append((x, z, half))
            return round(x, 4), TABLE.height + round(height, 4), round(z, 4)
    return None


def _hand(rng: Rng) -> str:
    return "left" if rng.random() < 0.5 else "right"


def _grip(rng: Rng) -> str:
    return GRIPS[int(rng.integers(2))]


def _near_hand(rng: Rng, scene: Scene, thing: str) -> str:
    """Mostly the hand on the side of the thing."""
    near = "left" if scene.centre(thing)[0] > 0.0 else "right"
    other = "right" if near == "left" else "left"
    return near if rng.random() < 0.85 else other
