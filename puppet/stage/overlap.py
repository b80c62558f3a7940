"""How deep a hand with what it holds is in the body's own head and trunk, by the shapes in the body's file."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from puppet.body import Body, Shape
from puppet.geometry import Transform
from puppet.scene import lip_of
from puppet.tasks import HeldThing
from puppet.types import Floats

_ALONG = 4  # balls along a capsule
_AROUND = 16  # points around a thing


def body_depth(body: Body, hand: str, transforms: Floats, held: HeldThing | None) -> float:
    """The depth in a posture, for the joints' transforms (joints, 12); 0 where nothing overlaps."""
    solids = _solids(body, hand)
    last = body.limb(hand).joints[-1]
    balls = [np.column_stack([_placed(transforms[joint], rows[:, :3]), rows[:, 3]]) for joint, rows in solids.moving]
    if held is not None:
        row = transforms[last]
        rotation = row[3:].reshape(3, 3)
        thing = Transform(row[:3] + rotation @ body.arrays.tips[last], rotation).compose(held.in_hand)
        points = _vessel(held) @ thing.rotation.T + thing.position
        balls.append(np.column_stack([points, np.zeros(len(points))]))
    if not balls:
        return 0.0
    rows, deepest = np.concatenate(balls), 0.0
    for joint, capsules, ellipsoids in solids.still:
        row = transforms[joint]
        local = (rows[:, :3] - row[:3]) @ row[3:].reshape(3, 3)
        if len(capsules):
            deepest = max(deepest, float(_in_capsules(local, rows[:, 3], capsules).max()))
        if len(ellipsoids):
            deepest = max(deepest, float(_in_ellipsoids(local, rows[:, 3], ellipsoids).max()))
    return deepest


def _in_capsules(points: Floats, radii: Floats, capsules: Floats) -> Floats:
    """How deep balls (n,) are in capsules with two radii (m, 8): (n, m)."""
    start, way = capsules[:, :3], capsules[:, 3:6] - capsules[:, :3]
    from_start = points[:, None] - start
    length = np.maximum(np.einsum("mi,mi->m", way, way), 1e-18)
    share = np.clip(np.einsum("nmi,mi->nm", from_start, way) / length, 0.0, 1.0)
    off = np.linalg.norm(from_start - share[:, :, None] * way, axis=2)
    return np.asarray(radii[:, None] + capsules[:, 6] + share * (capsules[:, 7] - capsules[:, 6]) - off)


def _in_ellipsoids(points: Floats, radii: Floats, ellipsoids: Floats) -> Floats:
    """How deep balls (n,) are in ellipsoids (m, 6), nearly: (n, m)."""
    scaled = np.linalg.norm((points[:, None] - ellipsoids[:, :3]) / ellipsoids[:, 3:], axis=2)
    return np.asarray(radii[:, None] + (1.0 - scaled) * ellipsoids[:, 3:].min(axis=1))


class _Solids(NamedTuple):
    moving: list[tuple[int, Floats]]  # a joint of the limb's last two, and its shapes as balls (n, 4)
    still: list[tuple[int, Floats, Floats]]  # a joint of no limb, and its shapes as capsules (n, 8), ellipsoids (m, 6)


@lru_cache(maxsize=16)
def _solids(body: Body, hand: str) -> _Solids:
    limbs = {joint for limb in body.limbs.values() for joint in limb.joints}
    roots = {body.joints[joint].parent for joint in limbs}  # what carries a limb is near it in every posture
    moving = [
        (joint, np.concatenate([_balls(shape) for shape in body.joints[joint].shapes]))
        for joint in body.limb(hand).joints[-2:]
        if body.joints[joint].shapes
    ]
    still = []
    for joint, entry in enumerate(body.joints):
        if entry.shapes and joint not in limbs | roots:
            parts = [part for shape in entry.shapes for part in _parts(shape)]
            capsules, ellipsoids = ([part for part in parts if len(part) == size] for size in (8, 6))
            still.append((joint, np.array(capsules).reshape(-1, 8), np.array(ellipsoids).reshape(-1, 6)))
    return _Solids(moving, still)


def _placed(row: Floats, points: Floats) -> Floats:
    return np.asarray(points @ row[3:].reshape(3, 3).T + row[:3])


def _balls(shape: Shape) -> Floats:
    """A shape as balls, (n, 4)."""
    points = np.array(shape.points)
    if shape.kind == "capsule":
        share = np.linspace(0.0, 1.0, _ALONG)[:, None]
        ends = np.column_stack([points, shape.sizes])
        return np.asarray(ends[0] + share * (ends[1] - ends[0]))
    if shape.kind == "hull":
        return np.column_stack([points, shape.sizes])
    radius = min(shape.sizes) if shape.kind == "ball" else 0.5 * min(shape.sizes)
    return np.array([[*points[0], radius]])


def _parts(shape: Shape) -> list[Floats]:
    """A shape as capsules and ellipsoids; a hull as the capsules between its balls."""
    if shape.kind == "ball":
        return [np.array([*shape.points[0], *shape.sizes])]
    if shape.kind == "box":
        return [np.array([*shape.points[0], *(0.5 * size for size in shape.sizes)])]
    balls = list(zip(shape.points, shape.sizes, strict=True))
    if len(balls) == 1:
        balls *= 2
    return [np.array([*a, *b, r, s]) for (a, r), (b, s) in combinations(balls, 2)]


def _vessel(held: HeldThing) -> Floats:
    """Points on the outside of a held thing around its vertical, without its open top, (n, 3)."""
    lip, width = lip_of(held.thing.shape), held.thing.width
    angle = np.linspace(0.0, 2.0 * np.pi, _AROUND, endpoint=False)
    ring = np.stack([np.cos(angle), np.zeros(_AROUND), np.sin(angle)], axis=1)
    radius = 0.9 if lip.spout is None else 0.8
    rings = [radius * ring + (0.0, y, 0.0) for y in (-0.95, -0.5, 0.0, 0.5, 0.95 * min(lip.height, 1.0))]
    return np.asarray(width * np.concatenate([*rings, [[0.0, -1.0, 0.0]]]))
