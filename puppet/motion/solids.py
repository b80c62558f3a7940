"""Bodies and scenes as solids: round cones, ellipsoids and boxes, as puppet.kernels.solid_model has them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from puppet.body import Body, Shape, joint_transforms, shapes_by_joint
from puppet.geometry import Transform, axis_rotation
from puppet.kernels.loader import kernels
from puppet.kernels.solid_model import (
    CONE,
    DISTANCE,
    ELLIPSOID,
    GROUP_BALL,
    GROUP_END,
    GROUP_RADIUS,
    GROUPS_APART,
    MOVES,
    PAIR_COLUMNS,
    PAIR_FIRST,
    R0,
    R1,
    SECOND,
    SOLID_COLUMNS,
    SOLID_JOINT,
    SOLID_KIND,
    P,
    Q,
)
from puppet.scene import BOARD, SEAT_HALF, PlacedTable, Scene, Table, stands
from puppet.types import Floats, Ints, Vector

_ROUND = 1e-3  # a ball whose radii differ by less is a sphere
_EDGE, _SHARP = 0.2, 0.02  # of the shortest edge of a box: how round its edges are; where they are exact
_STRAIGHT = 1.12  # a way over a third ball of a hull that is longer than the direct one by less is the same way
# What sticks out of the other solids of its joint by less is covered by them; in hands, which get nearest to things.
COVERED, COVERED_IN_HANDS, COVERED_EXACTLY = 1.5e-3, 9e-4, 1e-4
TOUCHING = 2.5e-3  # solids of a body that are as near as this at rest have nothing to do with each other, but for arms
_FAR = 50.0  # the table has no end to the sides, to the back and below
OVERHEAD = 0.7  # over the floor: a table that is higher is a shelf, under which hands go their way
STAND = "a stand"
MOST_PAIRS, LEAST_ROOM = 400, 4  # for which there is room in a frame; and for those of so many frames at least
HAND = 0.02  # half the thickness of a hand: what is nearer to its way is in it
_AROUND = np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)])
_SPHERE = _AROUND / np.linalg.norm(_AROUND, axis=1)[:, None]  # directions all around


@dataclass(frozen=True, eq=False)
class BodySolids:
    """A body's solids; those of its arms are looked after."""

    table: Floats  # (n, SOLID_COLUMNS)
    apart_from: Ints  # (n, n), 1 where two of them have nothing to do with each other
    joints: Ints  # (n,), -1 for what stands still
    hands: tuple[str, ...]
    hand_of: Ints  # (n,), the place among hands of the arm that a solid belongs to, -1 for none


@lru_cache(maxsize=16)
def body_solids(body: Body, exactly: bool = False) -> BodySolids:
    """The shapes of a body as solids, without those that others cover. exactly: at their full size, as they are judged;
    ways are looked for with those that stick out enough to matter."""
    rows: list[Floats] = []
    ends = {body.limb(hand).joints[-1] for hand in body.hands}
    for joint, shapes in shapes_by_joint(body):
        own = [row for shape in shapes for row in _solids(shape, joint in ends, exactly)]
        for row in own:
            row[SOLID_JOINT] = joint
        rows += _uncovered(own, COVERED_EXACTLY if exactly else COVERED_IN_HANDS if joint in ends else COVERED)
    table = np.array(rows) if rows else np.zeros((0, SOLID_COLUMNS))
    joints = table[:, SOLID_JOINT].astype(np.int64)
    hand_of = np.full(len(table), -1, dtype=np.int64)
    for n, hand in enumerate(body.hands):
        hand_of[np.isin(joints, body.limb(hand).joints)] = n
    table[:, MOVES] = hand_of >= 0
    _put_groups(table)
    parents = np.where(joints >= 0, body.arrays.parents[joints], -2)
    beside = parents[:, None] == joints
    apart = ((joints[:, None] == joints) | beside | beside.T).astype(np.int64)
    everything = table.copy()
    everything[:, MOVES] = 1.0
    world = np.array(joint_transforms(body, body.rest))
    for a, b, _ in _pairs(world, everything, apart, np.zeros((0, 3)), np.zeros((0, 12)), TOUCHING):
        if max(hand_of[a], hand_of[b]) < 0 or min(joints[a], joints[b]) >= 0:  # arms only hang beside what stands still
            apart[a, b] = apart[b, a] = 1
    table.flags.writeable = apart.flags.writeable = False
    return BodySolids(table, apart, joints, body.hands, hand_of)


def _put_groups(table: Floats) -> None:
    """Where groups end, and balls around them, into a table of solids."""
    starts = [n for n in range(len(table)) if n == 0 or table[n, SOLID_JOINT] != table[n - 1, SOLID_JOINT]]
    for start, end in zip(starts, [*starts[1:], len(table)], strict=True):
        points = np.concatenate([_samples(row) for row in table[start:end]])
        middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
        table[start, GROUP_END], table[start, GROUP_BALL : GROUP_BALL + 3] = end, middle
        table[start, GROUP_RADIUS] = max(_farthest(row, middle) for row in table[start:end])


def _farthest(row: Floats, point: Floats) -> float:
    """How far the farthest point of a solid is from a point, or a little more."""
    p, q = row[P : P + 3], row[Q : Q + 3]
    if row[SOLID_KIND] == ELLIPSOID:
        return float(np.linalg.norm(p - point) + q.max())
    return float(max(np.linalg.norm(p - point) + row[R0], np.linalg.norm(q - point) + row[R1]))


def _pairs(
    world: Floats, table: Floats, apart: Ints, halves: Floats, cubes: Floats, near: float
) -> list[tuple[int, int, float]]:
    carriers = np.full(len(halves), -1, dtype=np.int64)
    pairs, _ = near_pairs(world[None], table, halves, cubes[None], carriers, apart, near)
    return [(int(row[PAIR_FIRST]), int(row[SECOND]), float(row[DISTANCE])) for row in pairs]


def near_pairs(
    worlds: Floats, table: Floats, halves: Floats, boxes: Floats, carriers: Ints, apart: Ints, near: float
) -> tuple[Floats, Ints]:
    """The pairs of solids and boxes that are nearer than `near` in each frame, (n, PAIR_COLUMNS), one frame's after the
    other's, and how many each frame has. worlds (frames, joints, 12); boxes (frames, boxes, 12), or one row for all."""
    room = MOST_PAIRS * max(len(worlds), LEAST_ROOM)
    pairs, counts = np.empty((room, PAIR_COLUMNS)), np.empty(len(worlds), dtype=np.int64)
    total = kernels().clearances(worlds, table, halves, boxes, carriers, apart, near, pairs, counts)
    return pairs[:total], counts


def group_starts(table: Floats) -> Ints:
    """The first solid of each group of a body."""
    ends, starts = table[:, GROUP_END].astype(int), [0]
    while ends[starts[-1]] < len(ends):
        starts.append(int(ends[starts[-1]]))
    return np.array(starts)


def part_groups(table: Floats, apart: Ints) -> None:
    """Notes in `apart` which groups of a body's solids have nothing to do with each other, so that they need not be
    looked at one by one: see puppet.kernels.solid_pairs."""
    starts = group_starts(table)
    strangers = np.logical_and.reduceat(apart[: len(table), : len(table)] != 0, starts, axis=0)
    strangers = np.logical_and.reduceat(strangers, starts, axis=1)
    rows = np.ix_(starts, starts)
    apart[rows] = np.where(strangers, GROUPS_APART, apart[rows])


def least_distances(pairs: Floats, counts: Ints, near: float) -> Floats:
    """How near anything gets in each frame, (frames,), by such pairs: no more than `near`."""
    found = np.full(len(counts), near)
    np.minimum.at(found, np.repeat(np.arange(len(counts)), counts), pairs[:, DISTANCE])
    return found


# ---- shapes


def _cone(p: ArrayLike, q: ArrayLike, r0: float, r1: float) -> Floats:
    row = np.zeros(SOLID_COLUMNS)
    row[SOLID_KIND], row[P : P + 3], row[Q : Q + 3], row[R0], row[R1] = CONE, p, q, r0, r1
    return row


def _solids(shape: Shape, flat: bool, sharp: bool) -> list[Floats]:
    """The solids of one shape. flat: with what is between the balls of a hull; sharp: with all edges of a box."""
    if shape.kind == "capsule":
        (p, q), (r0, r1) = shape.points, shape.sizes
        return [_cone(p, q, r0, r1)]
    if shape.kind == "ball":
        centre = shape.points[0]
        if max(shape.sizes) - min(shape.sizes) < _ROUND:
            return [_cone(centre, centre, max(shape.sizes), max(shape.sizes))]
        row = np.zeros(SOLID_COLUMNS)
        row[SOLID_KIND], row[P : P + 3], row[Q : Q + 3] = ELLIPSOID, centre, shape.sizes
        return [row]
    if shape.kind == "box":
        return _box(np.array(shape.points[0]), np.array(shape.sizes), sharp)
    rows = _hull(np.array(shape.points), np.array(shape.sizes))
    return rows + _flats(np.array(shape.points), np.array(shape.sizes)) if flat else rows


def _box(centre: Floats, size: Floats, sharp: bool) -> list[Floats]:
    """Cones along the longest edge of a box: its four edges, and as many as fill the rest; sharp: its others too."""
    along = int(np.argmax(size))
    across, thin = sorted((axis for axis in range(3) if axis != along), key=lambda axis: -float(size[axis]))
    radius = 0.5 * (_SHARP if sharp else _EDGE) * size[thin]
    rows = []

    def add(u: float, v: float, r: float) -> None:
        p = centre.copy()
        p[across] += u
        p[thin] += v
        q = p.copy()
        p[along] -= 0.5 * size[along] - r
        q[along] += 0.5 * size[along] - r
        rows.append(_cone(p, q, r, r))

    for u in (-1.0, 1.0):
        for v in (-1.0, 1.0):
            add(u * (0.5 * size[across] - radius), v * (0.5 * size[thin] - radius), radius)
    half = 0.5 * size[thin]
    count = max(1, int(np.ceil((size[across] - 2 * half) / (1.6 * half))) + 1)
    for u in np.linspace(-1.0, 1.0, count) if count > 1 else (0.0,):
        add(u * (0.5 * size[across] - half), 0.0, half)
    ends = [row[at : at + 3] for row in rows[:4] for at in (P, Q)] if sharp else []  # the corners
    for a, b in combinations(ends, 2):
        if (np.abs(a - b) > 1e-9).sum() == 1 and abs(a[along] - b[along]) < 1e-9:
            rows.append(_cone(a, b, radius, radius))
    return rows


def _hull(points: Floats, radii: Floats) -> list[Floats]:
    """Cones between the balls of a hull, without those that lead past a third ball."""
    rows = []
    for a in range(len(points)):
        for b in range(a + 1, len(points)):
            direct = np.linalg.norm(points[a] - points[b])
            over = np.linalg.norm(points - points[a], axis=1) + np.linalg.norm(points - points[b], axis=1)
            over[[a, b]] = np.inf
            if np.min(over) > _STRAIGHT * direct:
                rows.append(_cone(points[a].tolist(), points[b].tolist(), radii[a], radii[b]))
    return rows or [_cone(points[0].tolist(), points[0].tolist(), radii[0], radii[0])]


def _flats(points: Floats, radii: Floats) -> list[Floats]:
    """Cones across the triangles between the balls of a hull."""
    rows = []
    for a, b, c in combinations(range(len(points)), 3):
        middle, radius = 0.5 * (points[a] + points[b]), 0.5 * (radii[a] + radii[b])
        rows.append(_cone(middle, points[c], radius, radii[c]))
    return rows


def _uncovered(rows: list[Floats], covered: float) -> list[Floats]:
    """The solids of a joint without those that all the others together cover, the smallest first."""
    samples = [_samples(row) for row in rows]
    table, left = np.array(rows).reshape(-1, SOLID_COLUMNS), np.ones(len(rows), dtype=bool)
    for n in sorted(range(len(rows)), key=lambda n: float(np.ptp(samples[n], axis=0).max())):
        left[n] = False
        if not left.any() or _outside(table[left], samples[n]).min(axis=0).max() > covered:
            left[n] = True
    return [row for row, stays in zip(rows, left, strict=True) if stays]


def _samples(row: Floats) -> Floats:
    """Points all over the surface of a solid, (n, 3)."""
    p, q = row[P : P + 3], row[Q : Q + 3]
    if row[SOLID_KIND] == ELLIPSOID:
        return np.asarray(p + _SPHERE * q)
    ends = [p + t * (q - p) + (row[R0] + t * (row[R1] - row[R0])) * _SPHERE for t in (0.0, 0.25, 0.5, 0.75, 1.0)]
    return np.concatenate(ends)


def _outside(rows: Floats, points: Floats) -> Floats:
    """Signed distances of points (n, 3) from solids (m, SOLID_COLUMNS): (m, n)."""
    p, q = rows[:, None, P : P + 3], rows[:, None, Q : Q + 3]
    x = points - p
    is_round = rows[:, SOLID_KIND] == ELLIPSOID
    radii = np.where(is_round[:, None, None], q, 1.0)
    u, v = np.linalg.norm(x / radii, axis=2), np.linalg.norm(x / radii**2, axis=2)
    ellipsoids = np.where(v > 1e-12, u * (u - 1.0) / np.maximum(v, 1e-12), -radii.min(axis=2))
    line, r0, r1 = q - p, rows[:, R0, None], rows[:, R1, None]
    t = np.clip((x * line).sum(axis=2) / np.maximum((line * line).sum(axis=2), 1e-12), 0.0, 1.0)
    cones = np.linalg.norm(x - t[:, :, None] * line, axis=2) - r0 - t * (r1 - r0)
    return np.asarray(np.where(is_round[:, None], ellipsoids, cones))


# ---- boxes


@dataclass(frozen=True, eq=False)
class SceneBoxes:
    """The boxes of a scene: the table, stands, other tables, seats, and things, which come last."""

    table: Table
    halves: Floats  # (n, 3)
    fixed: Floats  # (n - things, 12), transforms of what stands still
    names: tuple[str, ...]  # of the things
    kinds: tuple[str, ...]  # of what stands still, as a person calls it
    boards: int = 0  # the last of what stands still: boards of tables, which are all that legs find of a table

    def cubes(self, things: Mapping[str, Transform]) -> Floats:
        """The transforms of all boxes, (n, 12)."""
        rows = np.empty((len(self.halves), 12))
        rows[: len(self.fixed)] = self.fixed
        for n, name in enumerate(self.names):
            at = things[name]
            rows[len(self.fixed) + n, :3], rows[len(self.fixed) + n, 3:] = at.position, at.rotation.ravel()
        return rows

    def box(self, name: str) -> int:
        """The number of a thing's box."""
        return len(self.fixed) + self.names.index(name)

    def detour(self, things: Mapping[str, Transform], start: Floats, end: Floats, touched: Collection[str]) -> float:
        """How much longer a way is because of the boxes that a straight one would go through: about the width of the
        widest. Tables, which hands go over, and things that are touched are in nobody's way."""
        rows, way = self.cubes(things)[1:], end - start
        local = rows[:, 3:].reshape(-1, 3, 3)
        first = np.einsum("nab,na->nb", local, start - rows[:, :3])  # (n, 3), in the coordinates of the boxes
        along = np.einsum("nab,a->nb", local, way)
        along = np.where(np.abs(along) < 1e-9, 1e-9, along)
        reach = self.halves[1:] + HAND
        one, two = (-reach - first) / along, (reach - first) / along
        enters, leaves = np.minimum(one, two).max(axis=1), np.maximum(one, two).min(axis=1)
        hit = (enters < leaves) & (enters < 1.0) & (leaves > 0.0)
        hit[: len(self.kinds) - 1] &= np.array([kind == STAND for kind in self.kinds[1:]], dtype=bool)
        for name in touched:
            hit[self.box(name) - 1] = False
        return float((2.0 * self.halves[1:].max(axis=1)[hit]).max(initial=0.0))

    def words(self, box: int) -> str:
        """What a person calls a box."""
        return f"'{self.names[box - len(self.fixed)]}'" if box >= len(self.fixed) else self.kinds[box]


@lru_cache(maxsize=64)
def scene_boxes(scene: Scene) -> SceneBoxes:
    table, floor = scene.table, scene.floor
    rows: list[Floats] = []
    halves: list[Vector] = []
    kinds: list[str] = []

    def add(kind: str, centre: Vector, half: Vector, turn: float = 0.0) -> None:
        rows.append(np.array([*centre, *axis_rotation(1, turn).ravel()]))
        halves.append(half)
        kinds.append(kind)

    def add_table(kind: str, other: PlacedTable) -> None:
        """A table down to the floor and below, so that no way leads under it; a shelf is a board."""
        (x, z), (wide, deep) = other.place, other.size
        down = 0.5 * BOARD if floor is not None and other.height - floor > OVERHEAD else _FAR
        add(kind, (x, other.height - down, z), (0.5 * wide, down, 0.5 * deep), other.turn)

    if not scene.has_table:
        add("the table", (0.0, table.height - 3.0 * _FAR, 0.0), (_FAR, _FAR, _FAR))  # none: far below
    elif table.size is None:
        add("the table", (table.skew, table.height - _FAR, table.front + _FAR), (_FAR, _FAR, _FAR))
    else:
        add_table("the table", scene.tables[0])
    for stand in stands(table, scene.spaces, scene.tables):
        for part in (stand.plate, stand.post):
            x, y, z = part.size
            add(STAND, part.centre, (0.5 * x, 0.5 * y, 0.5 * z))
    for other in scene.tables[1:] if table.size is not None else scene.tables:
        add_table("a table", other)
    for seat in scene.seats:
        add("a seat", (seat.place[0], seat.height - _FAR, seat.place[1]), (SEAT_HALF, _FAR, SEAT_HALF), seat.turn)
    halves += [(thing.width,) * 3 for thing in scene.objects]
    names = tuple(thing.name for thing in scene.objects)
    return SceneBoxes(scene.table_at_elbows, np.array(halves), np.array(rows), names, tuple(kinds))


@lru_cache(maxsize=64)
def with_boards(scene: Scene) -> SceneBoxes:
    """The boxes of a scene, and the boards of its tables by themselves: hands find no way under a table, legs do."""
    boxes, tables = scene_boxes(scene), scene.tables
    if not tables:
        return boxes
    size = len(boxes.fixed)
    rows = [[t.place[0], t.height - 0.5 * BOARD, t.place[1], *axis_rotation(1, t.turn).ravel()] for t in tables]
    halves = [[0.5 * t.size[0], 0.5 * BOARD, 0.5 * t.size[1]] for t in tables]
    return replace(
        boxes, halves=np.concatenate([boxes.halves[:size], halves, boxes.halves[size:]]),
        fixed=np.concatenate([boxes.fixed, rows]), kinds=(*boxes.kinds, *("a table" for _ in tables)),
        boards=len(tables),
    )  # fmt: skip
