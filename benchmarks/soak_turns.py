"""What else may happen in a random performance, beside its words: a part is pulled as the pointer does it, physics and
pushes, a take that is saved and performed under. A show to which nothing of it happens stays as it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.soak_words import RandomShow

# Beside UNDO and REDO what no line of the language does: the take is saved, and another performance goes on under it;
# a part is pulled to a place, and let go of; a hand reaches for a thing and stays.
RELOAD, PULL, LET_GO, HOLD = "(reload)", "(pull)", "(let go)", "(hold)"


def turned(show: RandomShow) -> RandomShow:
    """The same, and what else happens; the same for the same seed."""
    random = np.random.default_rng((show.seed, 1))
    told = list(show.told)

    def happen(*lines: str, most: int) -> None:
        """One after the other, at any time, each with some frames after it."""
        places = sorted(random.integers(1, len(told) + 1, len(lines)), reverse=True)
        for place, line in zip(places, reversed(lines), strict=True):
            told.insert(int(place), (line, int(random.integers(0, most))))

    parts, things = show.body.joint_names, [thing.name for thing in show.scene.objects]
    if random.random() < 0.2:
        pushes = []
        for _ in range(int(random.integers(0, 3))):
            part, by = parts[int(random.integers(len(parts)))], random.normal(0.0, 60.0, 3)
            pushes.append(f'push "{part}" by ({by[0]:.0f}, {by[1]:.0f}, {by[2]:.0f}) for {int(random.integers(1, 9))}')
        happen("physics on", *pushes, *("physics off", "physics on")[: int(random.integers(0, 3))], most=30)
    if random.random() < 0.15:
        part = parts[int(random.integers(len(parts)))]
        places = random.normal((0.0, 0.7, 0.3), 0.15, (int(random.integers(1, 4)), 3))
        happen(*(f"{PULL} {x:.3f} {y:.3f} {z:.3f} {part}" for x, y, z in places), LET_GO, most=30)
    if random.random() < 0.1 and things:
        happen(f"{HOLD} {things[int(random.integers(len(things)))]}", most=40)
    if random.random() < 0.15:
        happen(*[RELOAD] * int(random.integers(1, 3)), most=5)
    return replace(show, told=tuple(told))
