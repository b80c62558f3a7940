"""Tables, seats and bars of a scene as meshes."""

from __future__ import annotations

import numpy as np

from puppet.geometry import axis_rotation
from puppet.render.mesh import Mesh, capsule, joined
from puppet.render.shapes import Color, ColoredMesh, chair_mesh, table_mesh
from puppet.scene import POST, HighBar, PlacedTable, Scene, Seat, Table

_BAR_COLOR: Color = (0.55, 0.56, 0.58)
_BAR = 0.011  # its radius


def scene_furniture(scene: Scene, floor: float) -> tuple[tuple[str, tuple[ColoredMesh, ...]], ...]:
    """All that stands on the floor, each with its name: the table first."""
    found = [("table", table_mesh(scene.table, scene.spaces, floor, scene.tables))]
    others = scene.tables[1:] if scene.table.size is not None else scene.tables
    found += [(table.name, _table(table, floor)) for table in others]
    if scene.seat is not None:
        found.append(("chair", chair_mesh(scene.seat, floor)))
    found += [(seat.name, _seat(seat, floor)) for seat in scene.seats]
    found += [(bar.name, _bar(bar, floor)) for bar in scene.bars]
    return tuple(found)


def _table(table: PlacedTable, floor: float) -> tuple[ColoredMesh, ...]:
    flat = table_mesh(Table(table.height, -0.5 * table.size[1], 0.0, table.size), (), floor)
    return tuple((_placed(mesh, table.place, table.turn), color) for mesh, color in flat)


def _seat(seat: Seat, floor: float) -> tuple[ColoredMesh, ...]:
    return tuple(
        (_placed(mesh, seat.place, seat.turn), color) for mesh, color in chair_mesh((0.0, seat.height, 0.0), floor)
    )


def _bar(bar: HighBar, floor: float) -> tuple[ColoredMesh, ...]:
    half = 0.5 * bar.length
    parts = [capsule(((-half, bar.height, 0.0), (half, bar.height, 0.0)), (_BAR, _BAR))]
    for x in (-half, half):
        parts.append(capsule(((x, floor, 0.0), (x, bar.height, 0.0)), (POST, POST)))
    return ((_placed(joined(parts), bar.place, bar.turn), _BAR_COLOR),)


def _placed(mesh: Mesh, place: tuple[float, float], turn: float) -> Mesh:
    rotation = axis_rotation(1, turn)
    points = mesh.vertices @ rotation.T + np.array([place[0], 0.0, place[1]])
    return Mesh.of(points, mesh.normals @ rotation.T, mesh.triangles)
