"""What stands on a table besides things: under each space above its top a plate on a post."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from puppet.scene.furniture import PlacedTable, inside
from puppet.scene.scene import Position, Space
from puppet.scene.table import Table

_RAISED = 0.01  # a space that is higher than this above the table gets something to stand on
PLATE_HALF, PLATE_THICK, POST_HALF = 0.05, 0.008, 0.012


@dataclass(frozen=True)
class Cuboid:
    """A box along the axes of the world."""

    centre: Position
    size: tuple[float, float, float]  # whole edges


@dataclass(frozen=True)
class Stand:
    """A plate, its top at a space, on a post."""

    plate: Cuboid
    post: Cuboid


def stands(table: Table, spaces: Iterable[Space], tables: Sequence[PlacedTable] = ()) -> tuple[Stand, ...]:
    """The stands under all named spaces that are above the top of the table that they are over: one of `tables`, else
    the scene's."""
    found = []
    for space in spaces:
        if space.dynamic or space.name is None:
            continue
        x, y, z = space.position
        over = [other.height for other in tables if inside(other.rectangle, x, z) and other.height < y + _RAISED]
        if not over and table.size is not None:
            continue
        foot = max(over, default=table.height)
        if y > foot + _RAISED:
            found.append(_stand(space.position, foot))
    return tuple(found)


def _stand(place: Position, foot: float) -> Stand:
    x, y, z = place
    top = y - PLATE_THICK
    return Stand(
        Cuboid((x, y - 0.5 * PLATE_THICK, z), (2 * PLATE_HALF, PLATE_THICK, 2 * PLATE_HALF)),
        Cuboid((x, 0.5 * (top + foot), z), (2 * POST_HALF, top - foot, 2 * POST_HALF)),
    )
