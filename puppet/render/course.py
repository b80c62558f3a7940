"""The course of the centre of mass and its keys as shapes in the world, to be drawn with a body."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

from puppet.body import Body, Shape
from puppet.performance import Performance
from puppet.types import Floats, Vector

_COURSE, _KEY = "course of the centre of mass", "key of the centre of mass"
_COLORS: dict[str, Vector] = {_COURSE: (0.85, 0.35, 0.2), _KEY: (0.75, 0.12, 0.1)}
_THIN, _THICK = 0.0035, 0.011  # radii, of the body's height
_TRACK = "centre of mass"


def with_course(performance: Performance) -> Body:
    """The body of a performance with the course of its centre of mass as shapes that do not move; the body as it is
    where the performance follows no such track."""
    body = performance.body
    legs = [task for task in performance.report["tasks"] if task["segments"] and task["segments"][0]["joint"] == _TRACK]
    if "tracks" not in performance.report or not legs:
        return body
    places = performance.centre_of_mass
    first, last = min(leg["start"] for leg in legs), max(leg["end"] for leg in legs)
    shapes = [
        Shape("capsule", (_vector(places[a]), _vector(places[b])), 2 * (_THIN * body.height,), _COURSE)
        for a, b in pairwise(_bends(places, first, last, _THIN * body.height))
    ]
    for frame in sorted({frame for leg in legs for frame in (leg["start"], leg["end"])}):
        shapes.append(Shape("ball", (_vector(places[frame]),), 3 * (_THICK * body.height,), _KEY))
    return replace(body, fixed_shapes=(*body.fixed_shapes, *shapes), colors={**body.colors, **_COLORS})


def _bends(places: Floats, first: int, last: int, least: float) -> list[int]:
    """Frames between which the course is drawn straight: no nearer to each other than it is wide."""
    found = [first]
    for frame in range(first + 1, last):
        if math.dist(places[frame], places[found[-1]]) >= least:
            found.append(frame)
    return [*found, last] if last > first else found


def _vector(values: Floats) -> Vector:
    x, y, z = values.tolist()
    return x, y, z
