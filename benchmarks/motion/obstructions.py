"""Whether something is in the way of a reach, and how long the shortest way around it is, found slowly.

A hand is three balls, each of which goes its own way: at the wrist, in the middle, at the tip. Each must be as far from
all things, the board and the stands as its radius, or as it is at the begin and the end of the reach. What a hand
leaves and what it reaches for are not in its way, although the shortest way goes around them, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra

from benchmarks.motion.reaches import Reach
from benchmarks.motion.solids import scene_solids
from benchmarks.motion.tasks import Task
from puppet.performance import Performance
from puppet.types import Floats, Ints

BALLS = ((0.0, 0.015), (0.5, 0.018), (1.0, 0.008))  # share of the way from wrist to tip, radius
STEP = 0.025  # of the grid
MARGIN = 0.15  # around begin and end
SLACK = 1e-3  # that is forgiven
TOUCH = 0.01
ROUNDS = 120  # in which a way is pulled tight


@dataclass(frozen=True, eq=False)
class Boxes:
    """What stands around, and how far from each box (boxes,) a ball must be."""

    middles: Floats  # (boxes, 3)
    halves: Floats  # (boxes, 3)
    turns: Floats  # (boxes, 3, 3)
    needed: Floats  # (boxes,)
    things: np.ndarray  # (boxes,), booleans: neither the board nor stands

    def without(self, some: np.ndarray) -> Boxes:
        return Boxes(*(values[~some] for values in (self.middles, self.halves, self.turns, self.needed, self.things)))

    def distances(self, points: Floats) -> Floats:
        """Signed, of points (n, 3) from each box, (n, boxes)."""
        local = np.abs(np.einsum("kba,nkb->nka", self.turns, points[:, None] - self.middles)) - self.halves
        outside = np.linalg.norm(np.maximum(local, 0.0), axis=2)
        return np.asarray(outside + np.minimum(local.max(axis=2), 0.0))

    def clear(self, points: Floats) -> np.ndarray:
        """(n,) booleans."""
        return np.asarray((self.distances(points) >= self.needed - SLACK).all(axis=1))

    def segment_clear(self, a: Floats, b: Floats) -> bool:
        count = max(2, int(np.linalg.norm(b - a) / 0.004) + 1)
        return bool(self.clear(a + np.linspace(0.0, 1.0, count)[:, None] * (b - a)).all())


def is_free(performance: Performance, reach: Reach) -> bool:
    """Whether a hand could move straight from the begin to the end of a reach."""
    ways = _ball_ways(performance, reach)
    tip, around = ways[-1]
    own = around.distances(tip[[0, -1]]).min(axis=0) <= TOUCH  # what the tip touches in the begin or in the end
    own &= around.things
    return all(boxes.without(own).segment_clear(way[0], way[-1]) for way, boxes in ways)


def is_clear(performance: Performance, reach: Reach) -> bool:
    """The same, with not even what it leaves or reaches for in its way."""
    return all(boxes.segment_clear(way[0], way[-1]) for way, boxes in _ball_ways(performance, reach))


def detour(performance: Performance, reach: Reach) -> float | None:
    """The length of the hand's way / the shortest that there is, of the ball that has to go the longest way around.

    None where no way was found.
    """
    worst, found = 0.0, None
    for way, boxes in _ball_ways(performance, reach):
        straight = float(np.linalg.norm(way[-1] - way[0]))
        if straight < 0.02:
            continue
        clear = boxes.segment_clear(way[0], way[-1])
        shortest = straight if clear else shortest_way(way[0], way[-1], boxes)
        if shortest is not None and shortest / straight > worst:
            worst = shortest / straight
            found = float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum()) / shortest
    return found


def _ball_ways(performance: Performance, reach: Reach) -> list[tuple[Floats, Boxes]]:
    """Where each ball is in the frames of a reach, (frames, 3), and what it must keep clear of."""
    body, task = performance.body, reach.task
    joint = body.limbs[task.hand].joints[-1]
    rows = performance.joint_transforms[task.start : task.end + 1, joint]
    tips = rows[:, 3:].reshape(-1, 3, 3) @ body.arrays.tips[joint]
    around = _boxes(performance, task)
    found = []
    for share, radius in BALLS:
        way = rows[:, :3] + share * tips
        found.append((way, replace(around, needed=np.minimum(radius, around.distances(way[[0, -1]]).min(axis=0)))))
    return found


def _boxes(performance: Performance, task: Task) -> Boxes:
    """What stands around. What moves during a task is not in its way."""
    moved = np.ptp(performance.object_transforms[task.start : task.end + 1], axis=0).max(axis=1, initial=0.0)
    things: list[bool] = []
    middles, halves, turns = [], [], []
    for solid in scene_solids(performance):
        corners = solid.centres[:8]
        middle, half = 0.5 * (corners.min(axis=0) + corners.max(axis=0)), 0.5 * np.ptp(corners, axis=0)
        turn = np.eye(3)
        if solid.thing >= 0:
            if moved[solid.thing] > 1e-9:
                continue
            row = performance.object_transforms[task.start, solid.thing]
            middle, turn = row[:3], row[3:].reshape(3, 3)
        middles.append(middle)
        halves.append(half)
        turns.append(turn)
        things.append(solid.thing >= 0)
    return Boxes(*(np.array(values) for values in (middles, halves, turns, np.zeros(len(middles)), things)))


def shortest_way(start: Floats, end: Floats, boxes: Boxes) -> float | None:
    """The length of the shortest way on a grid, pulled tight."""
    low, high = np.minimum(start, end) - MARGIN, np.maximum(start, end) + MARGIN
    axes = [np.arange(a, b, STEP) for a, b in zip(low, high, strict=True)]
    shape = tuple(len(axis) for axis in axes)
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    points = np.concatenate([points, start[None], end[None]])
    free = boxes.clear(points)
    ends = (len(points) - 2, len(points) - 1)
    rows, columns = _edges(shape, free)
    for place in ends:
        near = np.flatnonzero(free[:-2] & (np.linalg.norm(points[:-2] - points[place], axis=1) < 3.0 * STEP))
        near = np.array([n for n in near if boxes.segment_clear(points[place], points[n])], dtype=np.int64)
        rows, columns = np.concatenate([rows, np.full(len(near), place)]), np.concatenate([columns, near])
    lengths = np.linalg.norm(points[rows] - points[columns], axis=1)
    graph = coo_matrix((lengths, (rows, columns)), shape=(len(points), len(points))).tocsr()
    _, before = dijkstra(graph, directed=False, indices=ends[0], return_predecessors=True)
    if before[ends[1]] < 0:
        return None
    way = [ends[1]]
    while way[-1] != ends[0]:
        way.append(int(before[way[-1]]))
    return _pulled_tight(points[way[::-1]], boxes)


def _edges(shape: tuple[int, ...], free: np.ndarray) -> tuple[Ints, Ints]:
    """Pairs of neighbours in a grid, all 26 around each, that are both free."""
    index = np.arange(int(np.prod(shape))).reshape(shape)
    rows, columns = [], []
    for dx in (0, 1):
        for dy in (-1, 0, 1):
            for dz in (-1, 0, 1):
                if (dx, dy, dz) > (0, 0, 0):
                    here = index[_cut(dx)[0], _cut(dy)[0], _cut(dz)[0]].ravel()
                    there = index[_cut(dx)[1], _cut(dy)[1], _cut(dz)[1]].ravel()
                    both = free[here] & free[there]
                    rows.append(here[both])
                    columns.append(there[both])
    return np.concatenate(rows), np.concatenate(columns)


def _cut(step: int) -> tuple[slice, slice]:
    if step == 0:
        return slice(None), slice(None)
    return (slice(None, -1), slice(1, None)) if step > 0 else (slice(1, None), slice(None, -1))


def _pulled_tight(way: Floats, boxes: Boxes) -> float:
    """The length of a way whose points are drawn between their neighbours as long as they stay clear."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(way, axis=0), axis=1))])
    wanted = np.linspace(0.0, along[-1], max(8, int(along[-1] / 0.01)))
    points = np.stack([np.interp(wanted, along, column) for column in way.T], axis=1)
    for turn in range(ROUNDS):
        for odd in (1, 2):
            own = np.arange(odd, len(points) - 1, 2)
            middle = 0.5 * (points[own - 1] + points[own + 1])
            for share in (1.0, 0.5, 0.2) if turn % 10 == 0 else (1.0,):
                tried = points[own] + share * (middle - points[own])
                clear = boxes.clear(tried)
                points[own[clear]] = tried[clear]
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
