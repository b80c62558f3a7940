"""The scene as a value: a table, spaces, and objects stacked on them. Every change gives a new scene."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from puppet.arguments import listed, public_class, short
from puppet.body import Body
from puppet.errors import PuppetError, did_you_mean
from puppet.scene.furniture import HEAD_ROOM, NOWHERE, HighBar, PlacedTable, Rectangle, Seat, Stance, as_seen, inside
from puppet.scene.table import Table
from puppet.types import Vector

Position = tuple[float, float, float]  # in the world

SHAPES = ("block", "cup", "pot", "jar", "lamp", "ball")
COLORS: Mapping[str, str] = {  # the basic names of CSS, and a few that things on a table have
    "black": "#000000", "silver": "#c0c0c0", "gray": "#808080", "white": "#ffffff", "maroon": "#800000",
    "red": "#ff0000", "purple": "#800080", "fuchsia": "#ff00ff", "green": "#008000", "lime": "#00ff00",
    "olive": "#808000", "yellow": "#ffff00", "navy": "#000080", "blue": "#0000ff", "teal": "#008080",
    "aqua": "#00ffff", "orange": "#ffa500", "gold": "#ffd700", "tan": "#d2b48c", "brown": "#a52a2a",
    "pink": "#ffc0cb", "crimson": "#dc143c", "skyblue": "#87ceeb", "steelblue": "#4682b4", "ivory": "#fffff0",
}  # fmt: skip
DEFAULT_SHAPE = "block"
DEFAULT_COLOR = "tan"
HOME_SEAT = "chair"  # the seat at the table, where a file names none
AT_HAND = 0.45  # a table whose edge is farther away is not the one that a body is at
WITHOUT_END = 50.0  # half the size of a table that has none
_HEX_COLOR = re.compile(r"#[0-9a-fA-F]{6}\Z")


class SceneError(PuppetError):
    """An impossible scene or change. The scene that was to be changed stays as it is."""


@public_class
@dataclass(frozen=True)
class Object:
    """A thing to manipulate, for collisions a cube. Only the scene knows where it stands."""

    name: str
    width: float  # from the centre to the surface: half the cube's edge (Figure 3.3)
    color: str = DEFAULT_COLOR  # a name out of COLORS, or #rrggbb
    shape: str = DEFAULT_SHAPE  # how it is drawn
    kind: str | None = None  # what it is, so that scripts can name the nearest one of a kind

    def __post_init__(self) -> None:
        if not self.name:
            raise SceneError("an object needs a name")
        number = isinstance(self.width, (int, float)) and not isinstance(self.width, bool)
        if not (number and math.isfinite(self.width) and self.width > 0.0):
            raise SceneError(f"the width of '{self.name}' must be a number above 0, not {short(self.width)}")
        if not is_color(self.color):
            nearest = did_you_mean(self.color, COLORS)
            raise SceneError(f"unknown color '{self.color}' of '{self.name}'; {nearest} (or #rrggbb)")
        if self.shape not in SHAPES:
            raise SceneError(f"unknown shape '{self.shape}' of '{self.name}'; {did_you_mean(self.shape, SHAPES)}")
        object.__setattr__(self, "width", float(self.width))

    @property
    def rgb(self) -> Vector:
        """Red, green and blue from 0 to 1."""
        return rgb_of(self.color)


@public_class
@dataclass(frozen=True)
class Space:
    """A point on which things stand. One without a name is made for an object and disappears with it."""

    name: str | None
    position: Position
    dynamic: bool = False  # a hand's space: it moves, and what stands on it moves along

    def __post_init__(self) -> None:
        if self.name == "" or (self.name is None and self.dynamic):
            raise SceneError("a space needs a name")
        object.__setattr__(self, "position", as_position(self.position, f"space '{self.name or 'without a name'}'"))


@public_class
@dataclass(frozen=True)
class Stack:
    """What stands on one space, by name from bottom to top. The stack of an empty space is empty."""

    space: Space
    objects: tuple[str, ...] = ()


@public_class
@dataclass(frozen=True)
class Scene:
    """Table, objects and stacks. Scenes with the same contents are equal, however they came about.

    Each named space always has a stack: first the static ones in the order given, then the hands'; spaces without a
    name come last. Scenes share what a change leaves alone, so keeping an old one costs next to nothing.
    """

    table: Table
    objects: tuple[Object, ...]
    stacks: tuple[Stack, ...]
    floor: float | None = None  # its height, where it is known
    body: str | None = None  # the body that performs in it, where one is named
    seat: Position | None = None  # the middle of the seat that a body sits on
    tables: tuple[PlacedTable, ...] = ()  # further ones; the first is `table` itself where that has a size
    seats: tuple[Seat, ...] = ()
    bars: tuple[HighBar, ...] = ()
    stance: Stance | None = None  # where the body is; None: it sits at the table, as if there were nothing else
    open: bool = False  # the file says what there is to sit on, or where the body begins

    def __post_init__(self) -> None:
        # One order for one state: otherwise equality would depend on how a state was reached.
        static = [s for s in self.stacks if s.space.name is not None and not s.space.dynamic]
        dynamic = [s for s in self.stacks if s.space.dynamic]
        own = sorted((s for s in self.stacks if s.space.name is None), key=lambda s: s.objects[:1])
        object.__setattr__(self, "objects", tuple(sorted(listed(self.objects, Object), key=lambda o: o.name)))
        object.__setattr__(self, "stacks", (*static, *dynamic, *own))
        _refuse_twice((o.name for o in self.objects), "there are two objects '{}'")
        _refuse_twice((s.space.name for s in static + dynamic if s.space.name), "there are two spaces '{}'")
        _refuse_twice((name for s in self.stacks for name in s.objects), "'{}' stands in two places")
        for name in self._places:
            self.object(name)
        for known in self.objects:
            if known.name not in self._places:
                raise SceneError(f"'{known.name}' stands on no space")
        if any(not s.objects for s in own):
            raise SceneError("a place without a name needs an object that stands on it")

    @classmethod
    def build(
        cls,
        table: Table,
        spaces: Mapping[str, Iterable[float]],
        objects: Iterable[tuple[Object, str]] = (),
        hands: Iterable[str] | None = None,
    ) -> Scene:
        """A scene of static spaces in world coordinates and objects, each with the name of its space.

        `hands`: names of the hands, which have a space each; those of the default body if None. These spaces are in the
        middle of the table's front edge until the stage sets them. Objects on the same space stack in the order given.
        """
        edge = (table.skew, table.height, table.front)
        stacks = [Stack(Space(name, as_position(position, f"space '{name}'"))) for name, position in spaces.items()]
        stacks += [Stack(Space(hand, edge, dynamic=True)) for hand in (Body.load().hands if hands is None else hands)]
        entries = listed(objects, tuple)
        on: dict[str, list[str]] = {stack.space.name or "": [] for stack in stacks}
        for entry, space in entries:
            if space not in on:
                raise SceneError(f"unknown space '{space}' of '{entry.name}'; {did_you_mean(space, on)}")
            on[space].append(entry.name)
        filled = tuple(Stack(stack.space, tuple(on[stack.space.name or ""])) for stack in stacks)
        return cls(table, tuple(entry for entry, _ in entries), filled)

    # ---- what there is

    @cached_property
    def spaces(self) -> tuple[Space, ...]:
        """The named spaces: static ones in the order given, then the hands'."""
        return tuple(stack.space for stack in self.stacks if stack.space.name is not None)

    def object(self, name: str) -> Object:
        if name not in self._objects:
            raise SceneError(f"unknown object '{name}'; {did_you_mean(name, self._objects)}")
        return self._objects[name]

    def space(self, name: str) -> Space:
        return self.stacks[self._stack_index(name)].space

    # ---- what stands where

    def space_of(self, name: str) -> Space:
        """The space that an object's stack stands on."""
        return self.stacks[self._place(name)[0]].space

    def stack_on(self, space: str) -> tuple[str, ...]:
        """Everything on a space, from bottom to top."""
        return self.stacks[self._stack_index(space)].objects

    def stack_of(self, name: str) -> tuple[str, ...]:
        """The whole stack that an object is in, from bottom to top."""
        return self.stacks[self._place(name)[0]].objects

    def tower(self, name: str) -> tuple[str, ...]:
        """An object and everything that stands on it, from bottom to top: what moves when it is moved."""
        stack, level = self._place(name)
        return self.stacks[stack].objects[level:]

    def bottom(self, space: str) -> str | None:
        """The object that stands on a space itself."""
        return next(iter(self.stack_on(space)), None)

    def topmost(self, space: str) -> str | None:
        """The object on which the next one to come will stand."""
        return next(reversed(self.stack_on(space)), None)

    def above(self, name: str) -> str | None:
        """The object that stands on this one."""
        return next(iter(self.tower(name)[1:]), None)

    def below(self, name: str) -> str | None:
        """The object that this one stands on; None where it stands on the space itself."""
        stack, level = self._place(name)
        return self.stacks[stack].objects[level - 1] if level else None

    def is_below(self, lower: str, upper: str) -> bool:
        """Whether both are in the same stack, the first one lower."""
        self.object(upper)
        return upper in self.tower(lower)[1:]

    def stands(self, name: str) -> bool:
        """Whether an object stands on something: on another one, on a place of the scene, or on the table."""
        space = self.space_of(name)
        if self.below(name) is not None or (space.name is not None and not space.dynamic):
            return True
        return not space.dynamic and abs(self.base(name)[1] - self.table.height) < 1e-6

    def base(self, name: str) -> Position:
        """The point in the world that an object stands on, under the middle of it."""
        stack, level = self._place(name)
        x, y, z = self.stacks[stack].space.position
        for other in self.stacks[stack].objects[:level]:
            y += 2.0 * self._objects[other].width
        return x, y, z

    def centre(self, name: str) -> Position:
        """The centre of an object in the world."""
        x, y, z = self.base(name)
        return x, y + self._objects[name].width, z

    # ---- where the body is

    @property
    def has_table(self) -> bool:
        """Whether there is any table."""
        return bool(self.tables) or self.table.size is None

    @cached_property
    def place_names(self) -> frozenset[str]:
        """All that a body can walk to or turn to."""
        names = [entry.name for entry in self.objects] + [table.name for table in self.tables]
        names += [seat.name for seat in self.all_seats] + [bar.name for bar in self.bars]
        return frozenset((*(["table"] if self.has_table else []), *names))

    def place_of(self, name: str) -> Position:
        """The middle of an object, of the top of a table or a seat, or of a bar."""
        furniture: tuple[PlacedTable | Seat | HighBar, ...] = (*self.tables, *self.all_seats, *self.bars)
        for each in furniture:
            if each.name == name:
                return each.place[0], each.height, each.place[1]
        if name == "table":
            return self.table.skew, self.table.height, self.table.front + 0.2
        return self.centre(name)

    @cached_property
    def seen(self) -> Scene:
        """The scene in the coordinates of the body: x to its left, z ahead. Its table, the first one, is the one that
        the body is at, else the floor."""
        if self.stance is None:
            return self
        stance = self.stance
        stacks = []
        for stack in self.stacks:
            x, y, z = stack.space.position
            x, z = stance.seen(x, z)
            stacks.append(Stack(replace(stack.space, position=(x, y, z)), stack.objects))
        at_hand, before = self._seen_table
        tables = sorted(self.tables, key=lambda table: table is not before)
        return replace(
            self, table=at_hand, stacks=tuple(stacks), stance=None,
            tables=tuple(replace(e, place=stance.seen(*e.place), turn=e.turn - stance.turn) for e in tables),
            seats=tuple(replace(e, place=stance.seen(*e.place), turn=e.turn - stance.turn) for e in self.seats),
        )  # fmt: skip

    @property
    def table_at_hand(self) -> Table:
        """The table that the body is at, as it sees it; else the floor."""
        return self._seen_table[0]

    @cached_property
    def _seen_table(self) -> tuple[Table, PlacedTable | None]:
        """The table that the body is at, as it sees it, and which of those in the room that is."""
        if self.stance is None:
            return self.table, None
        found: list[tuple[Table | None, PlacedTable | None]] = [
            (as_seen(table, self.stance, AT_HAND), table) for table in self.tables
        ]
        if self.table.size is None and abs(math.remainder(self.stance.turn, 2.0 * math.pi)) < math.radians(20.0):
            x, z = self.stance.seen(self.table.skew, self.table.front)
            found.append((Table(self.table.height, z, x, before=0.0) if -0.05 < z < AT_HAND else None, None))
        known = [(table, placed) for table, placed in found if table is not None]
        floor = self.floor if self.floor is not None else NOWHERE
        return min(known, key=lambda pair: pair[0].front, default=(Table(floor, NOWHERE), None))

    @cached_property
    def all_seats(self) -> tuple[Seat, ...]:
        """The seats, and the one at the table that a file need not name."""
        if self.seat is None:
            return self.seats
        x, y, z = self.seat
        return (Seat(HOME_SEAT, (x, z), y), *self.seats)

    def seat_named(self, name: str) -> Seat:
        found = next((seat for seat in self.all_seats if seat.name == name), None)
        if found is None:
            raise SceneError(f"unknown seat '{name}'; {did_you_mean(name, [seat.name for seat in self.all_seats])}")
        return found

    @property
    def body_at(self) -> Stance:
        """Where the body is; a body that never went anywhere sits at the table."""
        if self.stance is not None:
            return self.stance
        x, _, z = self.seat if self.seat is not None else (self.table.skew, 0.0, 0.0)
        return Stance((x, z), 0.0, HOME_SEAT)

    def with_body_at(self, stance: Stance) -> Scene:
        """The same with the body elsewhere."""
        home = self.seat is not None and stance.seat == HOME_SEAT
        return replace(self, stance=None if home else stance)

    @cached_property
    def table_at_elbows(self) -> Table:
        """The table that elbows keep out of, in the world: the scene's, where the body faces it squarely."""
        squarely = self.stance is None or (self.stance.turn == 0.0 and self.table_at_hand.height == self.table.height)
        return self.table if squarely else Table(NOWHERE, NOWHERE)

    @cached_property
    def furniture(self) -> tuple[tuple[str, Rectangle], ...]:
        """Tables and seats, by name."""
        found = [(table.name, table.rectangle) for table in self.tables]
        if self.table.size is None:
            middle = (self.table.skew, self.table.front + WITHOUT_END)
            found.append(("table", (middle, (WITHOUT_END, WITHOUT_END), 0.0)))
        return (*found, *((seat.name, seat.rectangle) for seat in self.all_seats))

    @cached_property
    def obstacles(self) -> tuple[tuple[str, Rectangle], ...]:
        """What nobody walks through, by name: furniture, the posts of bars, and things that are on no table."""
        bars = ((bar.name, rectangle) for bar in self.bars for rectangle in bar.rectangles(self.floor or 0.0))
        return (*self.furniture, *bars, *self.things_on_floor)

    @cached_property
    def things_on_floor(self) -> tuple[tuple[str, Rectangle], ...]:
        """Things on no table or seat, and lower than a head, by name."""
        found = []
        for thing in self.objects:
            x, y, z = self.base(thing.name)
            on = any(inside(rectangle, x, z) for _, rectangle in self.furniture)
            if not on and y - (self.floor or 0.0) < HEAD_ROOM:
                found.append((thing.name, ((x, z), (thing.width, thing.width), 0.0)))
        return tuple(found)

    def without(self, names: Iterable[str]) -> Scene:
        """The scene with some things, and all that stands on them, gone."""
        gone = {other for name in names for other in self.tower(name)}
        stacks = (replace(stack, objects=tuple(n for n in stack.objects if n not in gone)) for stack in self.stacks)
        kept = tuple(stack for stack in stacks if stack.objects or stack.space.name is not None)
        objects = tuple(entry for entry in self.objects if entry.name not in gone)
        return replace(self, objects=objects, stacks=kept) if gone else self

    # ---- changes: each returns a new scene or raises a SceneError

    def moved(self, name: str, space: str) -> Scene:
        """An object, with everything that stands on it, set on a space: on top of what is there.

        An object that is in that space's stack already stays where it is.
        """
        return self._put(name, self._stack_index(space))

    def stacked(self, name: str, onto: str) -> Scene:
        """An object, with everything that stands on it, set on top of the stack that another object is in.

        Nothing changes if it stands above that object already; a change of order within a stack is refused
        (Section 6.5).
        """
        target = self._place(onto)[0]
        if name == onto:
            raise SceneError(f"'{name}' cannot stand on itself")
        if self.is_below(name, onto):
            raise SceneError(f"'{name}' cannot be put on '{onto}', which stands above it in the same stack")
        return self._put(name, target)

    def placed(self, name: str, position: Iterable[float]) -> Scene:
        """An object, with everything that stands on it, put on a space without a name: `position` will be its base."""
        own = Stack(Space(None, as_position(position, f"the place of '{name}'")), self.tower(name))
        return replace(self, stacks=(*self._without(name), own))

    def with_space_at(self, space: str, position: Iterable[float]) -> Scene:
        """A hand's space at another position, with everything that stands on it."""
        index = self._stack_index(space)
        old = self.stacks[index]
        if not old.space.dynamic:
            raise SceneError(f"space '{space}' is fixed; only a hand's space can be set elsewhere")
        new = Stack(replace(old.space, position=as_position(position, f"space '{space}'")), old.objects)
        return self if new == old else replace(self, stacks=(*self.stacks[:index], new, *self.stacks[index + 1 :]))

    # ---- inside

    @cached_property
    def _objects(self) -> dict[str, Object]:
        return {entry.name: entry for entry in self.objects}

    @cached_property
    def _places(self) -> dict[str, tuple[int, int]]:
        """Each object's stack, by index, and its level in that stack."""
        return {name: (i, level) for i, s in enumerate(self.stacks) for level, name in enumerate(s.objects)}

    def _place(self, name: str) -> tuple[int, int]:
        return self._places[self.object(name).name]

    def _stack_index(self, space: str) -> int:
        names = [stack.space.name for stack in self.stacks if stack.space.name is not None]
        if space not in names:
            raise SceneError(f"unknown space '{space}'; {did_you_mean(space, names)}")
        return names.index(space)  # named spaces come first, so this is the index in `stacks` too

    def _put(self, name: str, target: int) -> Scene:
        if self._place(name)[0] == target:
            return self
        goal = self.stacks[target]
        grown = Stack(goal.space, goal.objects + self.tower(name))
        return replace(self, stacks=tuple(grown if stack is goal else stack for stack in self._without(name)))

    def _without(self, name: str) -> tuple[Stack, ...]:
        """All stacks without an object and what stands on it; an empty space without a name is dropped."""
        index, level = self._place(name)
        left = Stack(self.stacks[index].space, self.stacks[index].objects[:level])
        kept = () if left.space.name is None and not left.objects else (left,)
        return (*self.stacks[:index], *kept, *self.stacks[index + 1 :])


def rgb_of(color: str) -> Vector:
    """Red, green and blue from 0 to 1 of a name out of COLORS, or of #rrggbb."""
    red, green, blue = bytes.fromhex(COLORS.get(color, color)[1:])
    return red / 255.0, green / 255.0, blue / 255.0


def prop_colors(own: Mapping[str, Vector]) -> Mapping[str, Vector]:
    """The colors that props may have: those that things have by their names, and a body's own."""
    return {**{name: rgb_of(name) for name in COLORS}, **own}


def is_color(word: str) -> bool:
    """Whether a word is one of COLORS or of the form #rrggbb."""
    return word in COLORS or bool(_HEX_COLOR.match(word))


def as_position(values: Iterable[float], what: str = "a point") -> Position:
    """Three finite numbers as plain floats, because arrays are mutable and break equality. `what`: for messages."""
    try:
        x, y, z = (float(value) for value in values)
    except (TypeError, ValueError, OverflowError):
        raise SceneError(f"{what}: expected a position of three numbers, found {short(values)}") from None
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        raise SceneError(f"{what}: a position must be finite, found {(x, y, z)}")
    return x, y, z


def _refuse_twice(names: Iterable[str], message: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise SceneError(message.format(name))
        seen.add(name)
