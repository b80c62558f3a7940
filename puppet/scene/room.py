"""The room of an environment file: its floor, its tables, seats and bars, and where the body begins; read and written.

floor: 0.0
tables:
  desk: {place: [0, 0.5], size: [0.8, 0.4], height: 0.42}
  shelf: {place: [1.2, 0.5], size: [0.4, 0.2], height: 0.9, turn: 90}
seats:
  chair: {place: [0, 0], height: 0.26}
bars:
  bar: {place: [0, 3], height: 1.25, length: 0.6}
start: {place: [-1.5, 0], turn: 90}
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from puppet.files.strict_yaml import Mistakes, Node
from puppet.scene.furniture import HighBar, PlacedTable, Seat, Stance
from puppet.scene.plain_environment import MAX_COORDINATE
from puppet.scene.scene import Position, Scene
from puppet.scene.table import Table, no_table

FURNITURE = ("floor", "tables", "seats", "bars", "start")  # keys of a file
LEAST_SIZE, _LARGEST_ANGLE = 0.02, 3600.0
_TABLE, _FLOOR = "table", "floor"  # names that are taken
_Thing = TypeVar("_Thing", PlacedTable, Seat, HighBar)


@dataclass(frozen=True)
class Room:
    """What an environment says of the room."""

    table: Table
    floor: float | None = None
    tables: tuple[PlacedTable, ...] = ()
    seats: tuple[Seat, ...] = ()
    bars: tuple[HighBar, ...] = ()
    start: Stance | None = None
    open: bool = False

    def fill(self, scene: Scene) -> Scene:
        return replace(
            scene, floor=self.floor, tables=self.tables, seats=self.seats, bars=self.bars, stance=self.start,
            open=self.open,
        )  # fmt: skip


def read_room(top: Mapping[str, Node]) -> Room:
    """From the entries of an environment file."""
    mistakes = Mistakes()
    floor = None
    with mistakes.collect():
        floor = top["floor"].number(-MAX_COORDINATE, MAX_COORDINATE) if "floor" in top else None
    taken = {_TABLE, _FLOOR} if "table" in top else {_FLOOR}
    tables = _named(top, "tables", _placed_table, taken, mistakes)
    seats = _named(top, "seats", _seat, taken, mistakes)
    bars = _named(top, "bars", _bar, taken, mistakes)
    table, start = Table(0.0, 0.0), None
    with mistakes.collect():
        if "table" in top:
            table = _table(top["table"])
            if table.size is not None:
                place = (table.skew, table.front + 0.5 * table.size[1])
                tables = (PlacedTable(_TABLE, place, table.size, table.height), *tables)
        elif not tables and floor is not None:
            table = no_table(floor)
        elif not tables:
            raise top["tables"].error("'table' is missing, or a first one of 'tables'")
        elif tables[0].turn != 0.0:
            raise top["tables"].error(
                f"spaces are measured from the first table: '{tables[0].name}' cannot be turned, unless there is a "
                "'table' besides"
            )
        else:
            (x, z), first = tables[0].place, tables[0]
            table = Table(first.height, z - 0.5 * first.size[1], x, first.size)
    with mistakes.collect():
        if "start" in top:
            fields = top["start"].fields(required=("place",), optional=("turn",))
            start = Stance(_place(fields["place"]), _turn(fields))
    mistakes.raise_any()
    known = "seats" in top or "floor" in top or start is not None
    return Room(table, floor, tables, seats, bars, start, known)


def read_place_on(node: Node, room: Room) -> Position:
    """The place of a space that is given on one of several tables, from the middle of its front edge; or on the floor,
    from the middle of the world."""
    fields = node.fields(required=("on", "at"))
    at = fields["at"].vector(3, -MAX_COORDINATE, MAX_COORDINATE)
    names = [table.name for table in room.tables]
    on = fields["on"].choice([*names, *({_TABLE} - {*names}), _FLOOR], "table")
    if on == _FLOOR:
        if room.floor is None:
            raise fields["on"].error("the file does not say how high its floor is: 'floor' is missing")
        return at[0], room.floor + at[1], at[2]
    if on not in names:
        return room.table.skew + at[0], room.table.height + at[1], room.table.front + at[2]
    table = room.tables[names.index(on)]
    x, z = Stance(table.place, table.turn).world(at[0], at[2] - 0.5 * table.size[1])
    return x, table.height + at[1], z


def format_room(scene: Scene) -> list[str]:
    """The lines of an environment file that read back as the room of this scene."""
    table = scene.table
    size = "" if table.size is None else f", size: {_list(table.size)}"
    own = not (scene.tables and table.size is not None and scene.tables[0].name != _TABLE)
    lines = []
    if own and scene.has_table:
        lines.append(f"table: {{height: {table.height!r}, front: {table.front!r}, skew: {table.skew!r}{size}}}")
    if scene.floor is not None and scene.seat is None:
        lines.append(f"floor: {scene.floor!r}")
    tables = [entry for entry in scene.tables if not (own and table.size is not None and entry is scene.tables[0])]
    lines += ["tables:"] if tables else []
    lines += [
        f"  {entry.name}: {{place: {_list(entry.place)}, size: {_list(entry.size)}, height: {entry.height!r}"
        f"{_turned(entry.turn)}}}"
        for entry in tables
    ]
    if scene.open:
        lines.append("seats:" if scene.seats else "seats: {}")
    lines += [
        f"  {seat.name}: {{place: {_list(seat.place)}, height: {seat.height!r}{_turned(seat.turn)}}}"
        for seat in scene.seats
    ]
    lines += ["bars:"] if scene.bars else []
    lines += [
        f"  {bar.name}: {{place: {_list(bar.place)}, height: {bar.height!r}, length: {bar.length!r}"
        f"{_turned(bar.turn)}}}"
        for bar in scene.bars
    ]
    if scene.stance is not None and scene.stance.seat is None:
        lines.append(f"start: {{place: {_list(scene.stance.place)}{_turned(scene.stance.turn)}}}")
    return lines


def _table(node: Node) -> Table:
    fields = node.fields(required=("height", "front"), optional=("skew", "size"))
    size = _size(fields["size"]) if "size" in fields else None
    numbers = {key: fields[key].number(-MAX_COORDINATE, MAX_COORDINATE) for key in fields if key != "size"}
    return Table(**numbers, size=size)


def _placed_table(name: str, node: Node) -> PlacedTable:
    fields = node.fields(required=("place", "size", "height"), optional=("turn",))
    height = fields["height"].number(-MAX_COORDINATE, MAX_COORDINATE)
    return PlacedTable(name, _place(fields["place"]), _size(fields["size"]), height, _turn(fields))


def _seat(name: str, node: Node) -> Seat:
    fields = node.fields(required=("place", "height"), optional=("turn",))
    height = fields["height"].number(-MAX_COORDINATE, MAX_COORDINATE)
    return Seat(name, _place(fields["place"]), height, _turn(fields))


def _bar(name: str, node: Node) -> HighBar:
    fields = node.fields(required=("place", "height", "length"), optional=("turn",))
    height = fields["height"].number(-MAX_COORDINATE, MAX_COORDINATE)
    length = fields["length"].number(LEAST_SIZE, MAX_COORDINATE)
    return HighBar(name, _place(fields["place"]), height, length, _turn(fields))


def _named(
    top: Mapping[str, Node], key: str, read: Callable[[str, Node], _Thing], taken: set[str], mistakes: Mistakes
) -> tuple[_Thing, ...]:
    found: list[_Thing] = []
    with mistakes.collect():
        for name, node in top[key].named_items() if key in top else ():
            with mistakes.collect():
                if name in taken:
                    raise node.key.error(f"there is a '{name}' already; this one needs another name")
                taken.add(name)
                found.append(read(name, node))
    return tuple(found)


def _place(node: Node) -> tuple[float, float]:
    x, z = node.vector(2, -MAX_COORDINATE, MAX_COORDINATE)
    return x, z


def _size(node: Node) -> tuple[float, float]:
    x, z = node.vector(2, LEAST_SIZE, MAX_COORDINATE)
    return x, z


def _turn(fields: Mapping[str, Node]) -> float:
    return math.radians(fields["turn"].number(-_LARGEST_ANGLE, _LARGEST_ANGLE)) if "turn" in fields else 0.0


def _turned(turn: float) -> str:
    """The shortest number of degrees that reads back as the same angle."""
    if turn == 0.0:
        return ""
    for digits in range(12):
        degrees = round(math.degrees(turn), digits)
        if math.radians(degrees) == turn:
            return f", turn: {degrees!r}"
    return f", turn: {math.degrees(turn)!r}"


def _list(values: tuple[float, ...]) -> str:
    return f"[{', '.join(repr(value) for value in values)}]"
