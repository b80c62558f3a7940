"""Convex areas in the plane: the hull of points, and how far a point is outside of it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from puppet.types import Floats


def hull(points: Iterable[tuple[float, float]], least_turn: float = 0.0) -> list[tuple[float, float]]:
    """The convex hull of points in the plane, counter-clockwise; corners of less than `least_turn` are left out."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered

    def half(row: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
        kept: list[tuple[float, float]] = []
        for p in row:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], p) <= least_turn:
                kept.pop()
            kept.append(p)
        return kept[:-1]

    return half(ordered) + half(reversed(ordered))


def nearest_on_edge(corners: Floats, point: Floats) -> Floats:
    """The point (2,) of the edge of an area that is nearest to a point (2,); corners (n, 2) in turn, at least one."""
    along = np.roll(corners, -1, axis=0) - corners
    length = np.maximum((along * along).sum(axis=1), 1e-300)
    share = np.clip(((point - corners) * along).sum(axis=1) / length, 0.0, 1.0)
    found = corners + share[:, None] * along
    return np.asarray(found[int(np.linalg.norm(found - point, axis=1).argmin())])


def distance_outside(corners: Floats, point: Floats) -> float:
    """How far a point (2,) is outside a convex area; negative inside it. corners (n, 2), counter-clockwise."""
    distance = float(np.linalg.norm(nearest_on_edge(corners, point) - point))
    along, way = np.roll(corners, -1, axis=0) - corners, point - corners
    inside = len(corners) > 2 and bool((along[:, 0] * way[:, 1] - along[:, 1] * way[:, 0] > 0.0).all())
    return -distance if inside else distance


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
