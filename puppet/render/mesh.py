"""Triangle meshes of simple solids: box, ball, capsule, hull of balls, tube and surfaces of revolution."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from puppet.types import Floats

Singles = NDArray[np.float32]
Indices = NDArray[np.uint32]

SEGMENTS = 24  # of a circle
_CAP_RINGS = 6  # rings of vertices in half a ball


@dataclass(frozen=True, eq=False)
class Mesh:
    """A surface seen from outside: its triangles run counter-clockwise. All arrays are read-only."""

    vertices: Singles  # (n, 3)
    normals: Singles  # (n, 3), of length 1
    triangles: Indices  # (m, 3)

    @staticmethod
    def of(vertices: ArrayLike, normals: ArrayLike, triangles: ArrayLike) -> Mesh:
        """A mesh of copies; normals are scaled to length 1, triangles without area are left out."""
        v = np.array(vertices, dtype=np.float64).reshape(-1, 3)
        n = np.array(normals, dtype=np.float64).reshape(-1, 3)
        t = np.array(triangles, dtype=np.int64).reshape(-1, 3)
        n = n / np.linalg.norm(n, axis=1, keepdims=True)
        a, b, c = (v[t[:, k]] for k in range(3))
        extent = float(np.ptp(v, axis=0).max())
        t = t[np.linalg.norm(np.cross(b - a, c - a), axis=1) > 1e-12 * extent * extent]
        arrays = v.astype(np.float32), n.astype(np.float32), t.astype(np.uint32)
        for array in arrays:
            array.flags.writeable = False
        return Mesh(*arrays)

    def moved(self, by: ArrayLike, rotation: ArrayLike | None = None) -> Mesh:
        """The mesh turned, then moved."""
        r = np.eye(3) if rotation is None else np.asarray(rotation, dtype=np.float64)
        return Mesh.of(self.vertices @ r.T + np.asarray(by, dtype=np.float64), self.normals @ r.T, self.triangles)


def joined(meshes: Iterable[Mesh]) -> Mesh:
    """Several meshes as one."""
    parts = list(meshes)
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    return Mesh.of(
        np.concatenate([part.vertices for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.triangles + start for part, start in zip(parts, starts, strict=False)]),
    )


def box(centre: ArrayLike, size: ArrayLike, bevel: float = 0.08) -> Mesh:
    """A box of three edge lengths; its edges are bevelled by that share of the shortest one, and shaded as if round."""
    middle, half = np.asarray(centre, dtype=np.float64), 0.5 * np.asarray(size, dtype=np.float64)
    cut = bevel * 2.0 * float(half.min())
    corners = [np.array([x, y, z]) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    number: dict[tuple[int, int], int] = {}  # the vertex of a corner (by its place) on the side across an axis
    vertices: list[Floats] = []
    normals: list[Floats] = []
    for c, corner in enumerate(corners):
        for axis in range(3):
            out = np.eye(3)[axis] * corner[axis]
            number[c, axis] = len(vertices)
            vertices.append(middle + corner * half - cut * (corner - out))
            normals.append(out)
    triangles: list[tuple[int, int, int]] = []
    step = (4, 2, 1)  # from a corner's place to its neighbour's along each axis
    for axis in range(3):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        for first in (0, step[axis]):  # the two sides across the axis
            face = [first, first + step[a], first + step[a] + step[b], first + step[b]]
            quad = [number[c, axis] for c in face]
            triangles += _outward_triangles(vertices, normals, quad)
        for start in (0, step[a], step[b], step[a] + step[b]):  # the four edges along the axis
            end = start + step[axis]
            quad = [number[start, a], number[start, b], number[end, b], number[end, a]]
            triangles += _outward_triangles(vertices, normals, quad)
    for c in range(8):
        triangles += _outward_triangles(vertices, normals, [number[c, axis] for axis in range(3)])
    return Mesh.of(vertices, normals, triangles)


def ball(centre: ArrayLike, radii: ArrayLike, segments: int = SEGMENTS) -> Mesh:
    """An ellipsoid along the axes."""
    scale = np.broadcast_to(np.asarray(radii, dtype=np.float64), (3,))
    angle = np.linspace(-0.5 * math.pi, 0.5 * math.pi, segments // 2 + 1)
    unit = _revolve(np.cos(angle), np.sin(angle), np.cos(angle), np.sin(angle), segments)
    return Mesh.of(unit.vertices * scale + np.asarray(centre), unit.normals / scale, unit.triangles)


def capsule(ends: ArrayLike, radii: Sequence[float], segments: int = SEGMENTS) -> Mesh:
    """Two balls and the cone that touches both."""
    start, end = np.asarray(ends, dtype=np.float64)
    length = float(np.linalg.norm(end - start))
    first, second = radii
    if length <= abs(first - second):  # one ball is inside the other
        return ball(start if first > second else end, max(first, second), segments)
    lean = math.asin((first - second) / length)  # how much the cone's side leans towards its axis
    low = np.linspace(-0.5 * math.pi, lean, _CAP_RINGS + 1)
    high = np.linspace(lean, 0.5 * math.pi, _CAP_RINGS + 1)
    radius = np.concatenate([first * np.cos(low), second * np.cos(high)])
    height = np.concatenate([first * np.sin(low), length + second * np.sin(high)])
    angle = np.concatenate([low, high])
    upright = _revolve(radius, height, np.cos(angle), np.sin(angle), segments)
    return upright.moved(start, _rotation_from_y((end - start) / length))


def hull_of_balls(centres: ArrayLike, radii: ArrayLike, segments: int = 2 * SEGMENTS) -> Mesh:
    """The convex hull of balls: in each direction the point that is farthest out."""
    points, radius = np.asarray(centres, dtype=np.float64), np.asarray(radii, dtype=np.float64)
    pole = int(np.argmax(np.ptp(points, axis=0)))
    grid = ball((0, 0, 0), 1.0, segments)
    way = np.roll(grid.normals.astype(np.float64), pole - 1, axis=1)  # the grid's poles at the ends of the longest side
    farthest = (way @ points.T + radius).argmax(axis=1)
    vertices = points[farthest] + radius[farthest, None] * way
    a, b, c = (vertices[grid.triangles[:, k]] for k in range(3))
    out = np.einsum("ij,ij->i", np.cross(b - a, c - a), way[grid.triangles].sum(axis=1))
    return Mesh.of(vertices, way, grid.triangles[out > 0.0])  # where it folds, other triangles cover it


def revolved(runs: Iterable[ArrayLike], segments: int = SEGMENTS) -> Mesh:
    """A surface of revolution about the y axis. Each run is a smooth line of (radius, height), with the outside on its
    right; where two runs meet there is an edge."""
    parts = []
    for run in runs:
        line = np.asarray(run, dtype=np.float64)
        way = np.gradient(line, axis=0)
        parts.append(_revolve(line[:, 0], line[:, 1], way[:, 1], -way[:, 0], segments))
    return joined(parts)


def tube(path: ArrayLike, radii: ArrayLike, across: ArrayLike, segments: int = 12) -> Mesh:
    """A pipe with flat ends along a line that bends in one plane; `across` is the normal of that plane."""
    line = np.asarray(path, dtype=np.float64)  # (n, 3)
    radius = np.broadcast_to(np.asarray(radii, dtype=np.float64), (len(line),))
    way = np.gradient(line, axis=0)
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    side = np.broadcast_to(np.asarray(across, dtype=np.float64), line.shape)
    other = np.cross(way, side)
    turn = np.linspace(0.0, 2.0 * math.pi, segments, endpoint=False)
    out = np.cos(turn)[None, :, None] * side[:, None] + np.sin(turn)[None, :, None] * other[:, None]
    rings = line[:, None] + radius[:, None, None] * out  # (n, around, 3)
    wall = Mesh.of(rings, out, _grid_triangles(len(line), segments, closed=True))
    ends = [
        Mesh.of(
            np.vstack([rings[place], line[place]]),
            np.broadcast_to(sign * way[place], (segments + 1, 3)),
            [(k, (k + 1) % segments, segments)[::turned] for k in range(segments)],
        )
        for place, sign, turned in ((0, -1.0, -1), (-1, 1.0, 1))
    ]
    return joined([wall, *ends])


def _revolve(radius: Floats, height: Floats, out: Floats, up: Floats, segments: int) -> Mesh:
    """A profile of radii and heights turned about the y axis; `out` and `up` are the components of its normals."""
    turn = np.linspace(0.0, 2.0 * math.pi, segments + 1)
    sine, cosine = np.sin(turn), np.cos(turn)
    sine[-1], cosine[-1] = sine[0], cosine[0]
    grid = (len(radius), segments + 1)
    vertices = np.empty((*grid, 3))
    normals = np.empty((*grid, 3))
    for target, across, along in ((vertices, radius, height), (normals, out, up)):
        target[..., 0] = np.outer(across, sine)
        target[..., 1] = along[:, None]
        target[..., 2] = np.outer(across, cosine)
    return Mesh.of(vertices, normals, _grid_triangles(*grid, closed=False))


def _grid_triangles(rows: int, columns: int, closed: bool) -> NDArray[np.int64]:
    """The triangles of a grid of vertices, row by row; `closed`: the last column is joined to the first."""
    row, column = np.meshgrid(np.arange(rows - 1), np.arange(columns if closed else columns - 1), indexing="ij")
    a = (row * columns + column).ravel()
    b = (row * columns + (column + 1) % columns).ravel()
    return np.concatenate([np.stack([a, b, b + columns], axis=1), np.stack([a, b + columns, a + columns], axis=1)])


def _rotation_from_y(way: Floats) -> Floats:
    """A rotation that takes +y to a direction."""
    other = np.eye(3)[int(np.argmin(np.abs(way)))]
    x = np.cross(way, other)
    x /= np.linalg.norm(x)
    return np.column_stack([x, way, np.cross(x, way)])


def _outward_triangles(vertices: list[Floats], normals: list[Floats], corners: list[int]) -> list[tuple[int, int, int]]:
    """The triangles of a flat polygon, wound so that they face along its normals."""
    a, b, c = (vertices[k] for k in corners[:3])
    if np.dot(np.cross(b - a, c - a), sum(normals[k] for k in corners)) < 0.0:
        corners = corners[::-1]
    return [(corners[0], corners[k], corners[k + 1]) for k in range(1, len(corners) - 1)]
