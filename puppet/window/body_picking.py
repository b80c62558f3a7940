"""Finds the part of a body that is under the pointer, by the shapes that are drawn. Arithmetic only."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from puppet.body import FIXED, Body
from puppet.render.shapes import body_meshes
from puppet.types import Floats, Ints

_DIRECTIONS = 200  # in which a part has an outermost point


@dataclass(frozen=True, eq=False)
class BodyHit:
    """A point on the surface of a part."""

    joint: int
    distance: float  # along the ray
    point: Floats  # (3,), in the joint's coordinates


@dataclass(frozen=True, eq=False)
class _Skin:
    """The surface of a part, in the coordinates of its joint."""

    joint: int
    vertices: Floats  # (n, 3)
    triangles: Ints  # (t, 3)
    middle: Floats  # (3,) and radius of a ball around it
    radius: float


class BodyPicker:
    def __init__(self, body: Body) -> None:
        self._skins = [
            _skin(part.joint, np.asarray(part.mesh.vertices, dtype=np.float64), np.asarray(part.mesh.triangles))
            for part in body_meshes(body)
            if part.joint != FIXED
        ]
        directions = _directions()
        self._outermost: dict[int, Floats] = {}  # by joint, (n, 3)
        for joint in {skin.joint for skin in self._skins}:
            points = np.concatenate([skin.vertices for skin in self._skins if skin.joint == joint])
            self._outermost[joint] = points[np.unique((points @ directions.T).argmax(axis=0))]

    def pick(self, eye: Floats, direction: Floats, joints: Floats) -> BodyHit | None:
        """The nearest point of the body on a ray; joints (joints, 12): the joints' transforms."""
        best: BodyHit | None = None
        for skin in self._skins:
            turn = joints[skin.joint, 3:].reshape(3, 3)
            start, way = (eye - joints[skin.joint, :3]) @ turn, direction @ turn
            to_middle = skin.middle - start
            along = float(to_middle @ way)
            if float(to_middle @ to_middle) - along * along > skin.radius**2:
                continue
            distance = _mesh_distance(start, way, skin.vertices, skin.triangles)
            if distance is not None and (best is None or distance < best.distance):
                best = BodyHit(skin.joint, distance, start + distance * way)
        return best

    def outermost(self, joint: int, joints: Floats) -> Floats:
        """Points (n, 3) of the surface of a part in the world, the outermost ones in all directions."""
        return np.asarray(joints[joint, :3] + self._outermost[joint] @ joints[joint, 3:].reshape(3, 3).T)


def _directions() -> Floats:
    """Evenly over a sphere, (n, 3)."""
    n = np.arange(_DIRECTIONS) + 0.5
    height, around = 1.0 - 2.0 * n / _DIRECTIONS, math.pi * (1.0 + math.sqrt(5.0)) * n
    wide = np.sqrt(1.0 - height * height)
    return np.stack([wide * np.cos(around), height, wide * np.sin(around)], axis=1)


def _skin(joint: int, vertices: Floats, triangles: Ints) -> _Skin:
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    return _Skin(joint, vertices, triangles, middle, float(np.linalg.norm(vertices - middle, axis=1).max()))


def _mesh_distance(start: Floats, way: Floats, vertices: Floats, triangles: Ints) -> float | None:
    """The distance along a ray at which it first hits a mesh (Moeller and Trumbore, for all triangles at once)."""
    a, b, c = (vertices[triangles[:, n]] for n in range(3))
    one, other = b - a, c - a
    across = np.cross(way, other)
    scale = (one * across).sum(axis=1)
    scale = np.where(np.abs(scale) < 1e-15, np.inf, scale)
    offset = start - a
    u = (offset * across).sum(axis=1) / scale
    turned = np.cross(offset, one)
    v = turned @ way / scale
    distance = (other * turned).sum(axis=1) / scale
    hit = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (distance > 0.0)
    return float(distance[hit].min()) if hit.any() else None
