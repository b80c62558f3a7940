"""What stands on a table besides things: under each space above its top a plate on a post."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from puppet.scene.scene import Position, Space
from puppet.scene.table import Table

RAISED = 0.01  # a space that is higher than this above the table gets something to stand on
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


def stands(table: Table, spaces: Iterable[Space]) -> tuple[Stand, ...]:
    """The stands under all named spaces that are above the table's top."""
    static = [s.position for s in spaces if not s.dynamic and s.name is not None]
    return tuple(_stand(place, table.height) for place in static if place[1] > table.height + RAISED)


def _stand(place: Position, foot: float) -> Stand:
    x, y, z = place
    top = y - PLATE_THICK
    return Stand(
        Cuboid((x, y - 0.5 * PLATE_THICK, z), (2 * PLATE_HALF, PLATE_THICK, 2 * PLATE_HALF)),
        Cuboid((x, 0.5 * (top + foot), z), (2 * POST_HALF, top - foot, 2 * POST_HALF)),
    )
