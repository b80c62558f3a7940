"""What things look like: meshes and colors of bodies, objects and the table, for pictures and exports."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from puppet.body import Body, Shape, shapes_by_joint
from puppet.render.mesh import SEGMENTS, Mesh, ball, box, capsule, hull_of_balls, joined, revolved, tube
from puppet.scene import (
    BOARD,
    SEAT_LEGS_ALONG,
    SEAT_LEGS_BESIDE,
    Object,
    PlacedTable,
    Position,
    Space,
    Table,
    stands,
)
from puppet.types import Floats

Color = tuple[float, float, float]  # red, green, blue from 0 to 1, sRGB
ColoredMesh = tuple[Mesh, Color]

TABLE_COLOR: Color = (0.78, 0.64, 0.48)
METAL: Color = (0.62, 0.64, 0.67)
LIGHT: Color = (1.0, 0.95, 0.78)
_PLATE_COLOR: Color = (0.60, 0.46, 0.33)
_LEG_COLOR: Color = (0.66, 0.52, 0.38)
_TABLE_HALF, _TABLE_DEPTH, _TABLE_MARGIN = 0.42, 0.36, 0.1
_LEG, _LEG_INSET = 0.032, 0.03

_CHAIR_COLOR: Color = (0.60, 0.46, 0.33)


@dataclass(frozen=True, eq=False)
class BodyPart:
    """A piece of a body: a mesh in the coordinates of a joint, or of the world where the joint is FIXED."""

    joint: int
    mesh: Mesh
    color: Color


def body_meshes(body: Body) -> tuple[BodyPart, ...]:
    """The meshes of a body, one for each joint and color; a body without shapes is drawn as its bones."""
    parts: list[BodyPart] = []
    for joint, shapes in shapes_by_joint(body):
        by_color: dict[str, list[Mesh]] = {}
        for shape in shapes:
            by_color.setdefault(shape.color, []).append(_mesh_of_shape(shape))
        parts += [BodyPart(joint, joined(meshes), _body_color(body, color)) for color, meshes in by_color.items()]
    return tuple(parts)


def object_mesh(thing: Object) -> tuple[ColoredMesh, ...]:
    """An object around its centre: it fits into its cube and stands on the bottom of it."""
    return tuple(
        (Mesh.of(mesh.vertices * thing.width, mesh.normals, mesh.triangles), thing.rgb if color is None else color)
        for mesh, color in _SHAPES[thing.shape]()
    )


def floor_height(body: Body) -> float:
    """Where a body's feet and its chair stand: the lowest point of what does not move, else 0."""
    return min((float(_mesh_of_shape(shape).vertices[:, 1].min()) for shape in body.fixed_shapes), default=0.0)


def chair_mesh(seat: Position, floor: float) -> tuple[ColoredMesh, ...]:
    """A chair for a body that sits: its seat, and four legs down to the floor."""
    x, y, z = seat
    parts = [box((x, y - 0.012, z + 0.02), (0.25, 0.024, 0.25), bevel=0.25)]
    for side in (-1.0, 1.0):
        for along in SEAT_LEGS_ALONG:
            top = x + side * 0.1, y - 0.02, z + along / 1.1
            foot = x + side * SEAT_LEGS_BESIDE, floor + 0.008, z + along
            parts.append(capsule((top, foot), (0.011, 0.008)))
    return ((joined(parts), _CHAIR_COLOR),)


def table_mesh(
    table: Table, spaces: Iterable[Space] = (), floor: float | None = None, tables: Sequence[PlacedTable] = ()
) -> tuple[ColoredMesh, ...]:
    """The table in the world: a board as large as its spaces need, and a stand under each space above it.

    Where there is a floor, the table stands on it with four legs; one that is no higher than the floor is none.
    """
    if floor is not None and table.height <= floor:
        return ()
    static = [space.position for space in spaces if not space.dynamic and space.name is not None]
    low = np.array([table.skew - _TABLE_HALF, table.front])
    high = np.array([table.skew + _TABLE_HALF, table.front + _TABLE_DEPTH])
    if table.size is not None:
        low = np.array([table.skew - 0.5 * table.size[0], table.front])
        high = np.array([table.skew + 0.5 * table.size[0], table.front + table.size[1]])
    for x, _, z in static if table.size is None else ():
        if z > table.front:  # what is before the edge is not on the table
            low = np.minimum(low, (x - _TABLE_MARGIN, table.front))
            high = np.maximum(high, (x + _TABLE_MARGIN, z + _TABLE_MARGIN))
    (x0, z0), (x1, z1) = low, high
    centre = (0.5 * (x0 + x1), table.height - 0.5 * BOARD, 0.5 * (z0 + z1))
    parts: list[ColoredMesh] = [(box(centre, (x1 - x0, BOARD, z1 - z0), bevel=0.15), TABLE_COLOR)]
    if floor is not None and table.height - BOARD > floor:
        top, inset = table.height - BOARD, _LEG_INSET + 0.5 * _LEG
        legs = [
            box((x, 0.5 * (top + floor), z), (_LEG, top - floor, _LEG), bevel=0.15)
            for x in (x0 + inset, x1 - inset)
            for z in (z0 + inset, z1 - inset)
        ]
        parts.append((joined(legs), _LEG_COLOR))
    standing = [
        joined([box(s.plate.centre, s.plate.size, bevel=0.2), box(s.post.centre, s.post.size)])
        for s in stands(table, spaces, tables)
    ]
    if standing:
        parts.append((joined(standing), _PLATE_COLOR))
    return tuple(parts)


def _body_color(body: Body, name: str) -> Color:
    return body.colors.get(name, (0.75, 0.72, 0.68))


def _mesh_of_shape(shape: Shape) -> Mesh:
    segments = 2 * SEGMENTS // 3 if max(shape.sizes) < 0.02 else SEGMENTS  # small things need fewer corners
    if shape.kind == "capsule":
        return capsule(shape.points, shape.sizes, segments)
    if shape.kind == "box":
        return box(shape.points[0], shape.sizes, bevel=0.25)
    if shape.kind == "hull":
        wide = 2 * SEGMENTS if segments == SEGMENTS else SEGMENTS  # between its balls
        return hull_of_balls(shape.points, shape.sizes, wide)
    return ball(shape.points[0], shape.sizes, segments)


# ---- objects, in a cube from -1 to 1; a color of None is the object's own


def _block() -> list[tuple[Mesh, Color | None]]:
    return [(box((0, 0, 0), (2, 2, 2), bevel=0.04), None)]


def _ball() -> list[tuple[Mesh, Color | None]]:
    return [(ball((0, 0, 0), 1.0, segments=36), None)]


def _cup() -> list[tuple[Mesh, Color | None]]:
    """Open at the top, with an ear towards +z: beside the hands' grips."""
    vessel = revolved(
        [
            [(0.0, -1.0), (0.6, -1.0)],
            _bezier((0.6, -1.0), (0.88, -0.75), (0.9, 1.0)),
            [(0.9, 1.0), (0.8, 1.0)],
            _bezier((0.8, 1.0), (0.78, -0.7), (0.54, -0.88)),
            [(0.54, -0.88), (0.0, -0.88)],
        ],
        segments=36,
    )
    ear = tube([(0.0, 0.05 + 0.5 * math.cos(a), 0.78 + 0.14 * math.sin(a)) for a in _angles(0, 180)], 0.08, (1, 0, 0))
    return [(joined([vessel, ear]), None)]


def _pot() -> list[tuple[Mesh, Color | None]]:
    """A round pot with a lid, a spout towards +z and an ear towards the puppet."""
    vessel = revolved(
        [
            [(0.0, -1.0), (0.6, -1.0)],
            [(0.6 + 0.2 * math.sin(a) ** 0.5, -1.0 + 0.2 * (1 - math.cos(a))) for a in _angles(0, 90, 6)],
            _bezier((0.8, -0.8), (1.0, -0.1), (0.42, 0.52)),
            [(0.42, 0.52), (0.47, 0.56), (0.47, 0.62)],
            _bezier((0.47, 0.62), (0.3, 0.8), (0.0, 0.82)),
        ],
        segments=36,
    )
    knob = ball((0, 0.89, 0), 0.11)
    way = _bezier((0.6, -0.45), (0.86, -0.35), (0.88, 0.5))
    spout = tube([(0.0, y, z) for z, y in way], np.linspace(0.2, 0.09, len(way)), (1, 0, 0))
    ear = tube([(0.0, -0.1 + 0.45 * math.cos(a), -0.6 - 0.31 * math.sin(a)) for a in _angles(0, 180)], 0.09, (1, 0, 0))
    return [(joined([vessel, spout, ear]), None), (knob, METAL)]


def _jar() -> list[tuple[Mesh, Color | None]]:
    """A jar with a screw lid."""
    glass = revolved(
        [
            [(0.0, -1.0), (0.72, -1.0)],
            _bezier((0.72, -1.0), (0.82, -1.0), (0.82, -0.88)),
            [(0.82, -0.88), (0.82, 0.3)],
            _bezier((0.82, 0.3), (0.82, 0.58), (0.58, 0.62)),
        ],
        segments=36,
    )
    ribs = 24  # a lid that turns must be seen to turn
    rim = _bezier((0.64, 0.95), (0.64, 1.0), (0.58, 1.0))
    lid = revolved([[(0.64, 0.56), (0.64, 0.95)], rim, [(0.58, 1.0), (0.0, 1.0)]])
    grooves = [
        box((0, 0, 0), (0.05, 0.3, 0.06), bevel=0.2).moved((0.64 * math.sin(a), 0.75, 0.64 * math.cos(a)), _about_y(a))
        for a in np.linspace(0.0, 2.0 * math.pi, ribs, endpoint=False)
    ]
    return [(glass, None), (joined([lid, *grooves]), METAL)]


def _lamp() -> list[tuple[Mesh, Color | None]]:
    """A table lamp: foot, stem, a shade in the object's color, the light in it, and the switch on top."""
    stand = revolved(
        [
            [(0.0, -1.0), (0.55, -1.0)],
            [(0.55, -1.0), (0.55, -0.92)],
            _bezier((0.55, -0.92), (0.12, -0.88), (0.07, -0.7)),
            [(0.07, -0.7), (0.07, 0.3)],
            [(0.07, 0.3), (0.03, 0.34), (0.03, 0.9)],
        ]
    )
    shade = revolved(
        [
            [(0.9, -0.05), (0.5, 1.0)],
            [(0.5, 1.0), (0.46, 1.0)],
            [(0.46, 1.0), (0.86, -0.05)],
            [(0.86, -0.05), (0.9, -0.05)],
        ],
        segments=36,
    )
    light, switch = ball((0, 0.4, 0), (0.2, 0.26, 0.2)), ball((0, 0.92, 0), 0.08)
    return [(joined([stand, switch]), METAL), (shade, None), (light, LIGHT)]


_SHAPES: Mapping[str, Callable[[], list[tuple[Mesh, Color | None]]]] = {
    "block": _block, "ball": _ball, "cup": _cup, "pot": _pot, "jar": _jar, "lamp": _lamp,
}  # fmt: skip


def _bezier(start: tuple[float, float], bend: tuple[float, float], end: tuple[float, float], count: int = 10) -> Floats:
    """A quadratic Bezier curve."""
    t = np.linspace(0.0, 1.0, count)[:, None]
    return np.asarray((1 - t) ** 2 * np.array(start) + 2 * t * (1 - t) * np.array(bend) + t**2 * np.array(end))


def _angles(first: float, last: float, count: int = 14) -> list[float]:
    """Angles in radians from one to another in degrees."""
    return [math.radians(a) for a in np.linspace(first, last, count)]


def _about_y(angle: float) -> Floats:
    return np.array([[math.cos(angle), 0, math.sin(angle)], [0, 1, 0], [-math.sin(angle), 0, math.cos(angle)]])
