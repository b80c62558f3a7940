"""An environment file in, a scene as an immutable value out: table, spaces, and the things stacked on them."""

from __future__ import annotations

from puppet.scene.environment import format_environment, load_environment, read_environment, usual_body
from puppet.scene.furniture import (
    BOARD,
    HEAD_ROOM,
    POST,
    SEAT_HALF,
    SEAT_LEGS_ALONG,
    SEAT_LEGS_BESIDE,
    HighBar,
    PlacedTable,
    Rectangle,
    Seat,
    Stance,
    distance,
    inside,
    margin_at,
)
from puppet.scene.handling import Lip, lip_of, switch_of
from puppet.scene.plain_environment import format_env, lost_in_env, read_env
from puppet.scene.scene import (
    COLORS,
    HOME_SEAT,
    SHAPES,
    Object,
    Position,
    Scene,
    SceneError,
    Space,
    Stack,
    as_position,
    prop_colors,
)
from puppet.scene.stands import Cuboid, Stand, stands
from puppet.scene.table import Table
from puppet.scene.table_clearance import point_excess, segment_excess, table_excess

__all__ = [
    "BOARD",
    "COLORS",
    "HEAD_ROOM",
    "HOME_SEAT",
    "POST",
    "SEAT_HALF",
    "SEAT_LEGS_ALONG",
    "SEAT_LEGS_BESIDE",
    "SHAPES",
    "Cuboid",
    "HighBar",
    "Lip",
    "Object",
    "PlacedTable",
    "Position",
    "Rectangle",
    "Scene",
    "SceneError",
    "Seat",
    "Space",
    "Stack",
    "Stance",
    "Stand",
    "Table",
    "as_position",
    "distance",
    "format_env",
    "format_environment",
    "inside",
    "lip_of",
    "load_environment",
    "lost_in_env",
    "margin_at",
    "point_excess",
    "prop_colors",
    "read_env",
    "read_environment",
    "segment_excess",
    "stands",
    "switch_of",
    "table_excess",
    "usual_body",
]
