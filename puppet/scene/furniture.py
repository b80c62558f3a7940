"""What stands on the floor besides the table that spaces are measured from: tables, seats and bars; and where a body is
among them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from puppet.scene.table import Table

FloorPlace = tuple[float, float]  # x, z on the floor
Rectangle = tuple[FloorPlace, FloorPlace, float]  # middle, half its edges, radians about the vertical
NOWHERE = -100.0  # the edge of a floor that is everywhere
_HANDS_LIE = 0.2  # how far to both sides of a body its hands lie on a table, if that goes as far


@dataclass(frozen=True)
class PlacedTable:
    """A table of its own size. Not turned, its front edge faces -z, as that of the scene's first table."""

    name: str
    place: FloorPlace  # the middle of its board
    size: tuple[float, float]  # along x and z
    height: float
    turn: float = 0.0  # radians about the vertical

    @property
    def rectangle(self) -> Rectangle:
        return self.place, (0.5 * self.size[0], 0.5 * self.size[1]), self.turn


@dataclass(frozen=True)
class Seat:
    """A seat. Not turned, who sits on it faces +z."""

    name: str
    place: FloorPlace
    height: float  # of its top
    turn: float = 0.0

    @property
    def rectangle(self) -> Rectangle:
        return self.place, (SEAT_HALF, SEAT_HALF), self.turn

    @property
    def legs(self) -> tuple[FloorPlace, ...]:
        """Where its legs stand on the floor."""
        frame = Stance(self.place, self.turn)
        return tuple(frame.world(x, z) for x in (-SEAT_LEGS_BESIDE, SEAT_LEGS_BESIDE) for z in SEAT_LEGS_ALONG)


@dataclass(frozen=True)
class HighBar:
    """A bar to hang from. Not turned, it lies along x."""

    name: str
    place: FloorPlace
    height: float
    length: float
    turn: float = 0.0

    def rectangles(self, floor: float) -> tuple[Rectangle, ...]:
        """What is in the way of who walks: its posts, or the whole bar where it is too low to walk under."""
        if self.height - floor < HEAD_ROOM:
            return ((self.place, (0.5 * self.length + POST, POST), self.turn),)
        frame = Stance(self.place, self.turn)
        ends = (frame.world(x, 0.0) for x in (-0.5 * self.length, 0.5 * self.length))
        return tuple((end, (POST, POST), self.turn) for end in ends)


POST = 0.014  # half as thick as the posts of a bar are
HEAD_ROOM = 1.05  # what is higher than this over the floor is walked under
SEAT_HALF = 0.12
SEAT_LEGS_BESIDE, SEAT_LEGS_ALONG = 0.11, (-0.0935, 0.1375)  # where the legs of a seat stand, from its middle
BOARD = 0.022  # how thick the board of a table is: there is room for knees below


@dataclass(frozen=True)
class Stance:
    """Where a body stands or sits, and which way it faces: radians about the vertical, from +z towards +x."""

    place: FloorPlace
    turn: float = 0.0
    seat: str | None = None  # that it sits on
    crouched: bool = False

    @property
    def stands(self) -> bool:
        return self.seat is None and not self.crouched

    def seen(self, x: float, z: float) -> FloorPlace:
        """A place of the world as the body sees it: x to its left, z ahead of it."""
        x, z = x - self.place[0], z - self.place[1]
        cos, sin = math.cos(self.turn), math.sin(self.turn)
        return cos * x - sin * z, sin * x + cos * z

    def world(self, x: float, z: float) -> FloorPlace:
        """The reverse of `seen`."""
        cos, sin = math.cos(self.turn), math.sin(self.turn)
        return self.place[0] + cos * x + sin * z, self.place[1] - sin * x + cos * z


def distance(rectangle: Rectangle, x: float, z: float) -> float:
    """How far a place is from a rectangle; below 0 inside."""
    middle, half, turn = rectangle
    u, v = Stance(middle, turn).seen(x, z)
    du, dv = abs(u) - half[0], abs(v) - half[1]
    return math.hypot(max(du, 0.0), max(dv, 0.0)) + min(max(du, dv), 0.0)


def margin_at(rectangle: Rectangle, x: float, z: float) -> float:
    """How far out the edges of a rectangle must be moved until it has a place on them; below 0 inside."""
    middle, half, turn = rectangle
    u, v = Stance(middle, turn).seen(x, z)
    return max(abs(u) - half[0], abs(v) - half[1])


def inside(rectangle: Rectangle, x: float, z: float, margin: float = 0.0) -> bool:
    """Whether a place is in a rectangle, or as near to it as the margin."""
    return margin_at(rectangle, x, z) < margin


def as_seen(table: PlacedTable, stance: Stance, reach: float) -> Table | None:
    """A table as who stands before it sees it: its height, how far away its edge is, where its middle is, and where
    hands lie on it; None for who is not before it."""
    x, z = stance.seen(*table.place)
    turned = (table.turn - stance.turn + math.pi) % (2.0 * math.pi) - math.pi
    quarter = round(turned / (0.5 * math.pi))
    if abs(turned - quarter * 0.5 * math.pi) > math.radians(20.0):
        return None
    wide, deep = table.size if quarter % 2 == 0 else table.size[::-1]
    front = z - 0.5 * deep
    if not (-0.05 < front < reach and abs(x) < 0.5 * wide + 0.05):
        return None
    aside = max(0.5 * wide - _HANDS_LIE, 0.0)
    return Table(table.height, front, x, (wide, deep), min(max(0.0, x - aside), x + aside))
