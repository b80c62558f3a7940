"""The way on the floor: the shortest one from place to place around what stands there, and where one stands before a
thing."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from puppet.scene import HEAD_ROOM, SEAT_HALF, Position, Rectangle, Scene, Stance, distance, margin_at

_AROUND = 0.24  # what a body that walks keeps from what stands there, from its middle, in heights of the body
_NEAR = 0.01  # how far beyond that a way goes round a corner
_CUTS = 0.22  # what a way that cuts a corner still keeps from what stands there,
_BENDS = (1.0, 0.8, 0.6, 0.45, 0.3, 0.2, 0.1)  # tried in turn: how much of the way to and from a corner is bent,
_MIDWAY, _TO_END = 0.5, 0.8  # of what is between two corners, and between a corner and an end of the way
_PARTS, _STRAIGHT = 10, 0.02  # in which a bend goes; radians that need none
_NARROWER = 0.18, 0.12  # what is kept where there is no other way,
_DETOURS = 1.0, 1.5, 3.0, 6.0  # and how much longer a way may be that need not be as narrow
CUSHION = 0.05  # from a seat to the hips of a body that sits on it
BEFORE_TABLE = 0.2  # from the middle of a body to the edge of the table that it stands before,
HIGH_TABLE, BEFORE_HIGH = 0.46, 0.08  # and how much more before a higher one: arms come up and turn before its edge,
SHELF, BEFORE_SHELF = 0.66, 0.035  # and before a shelf: what is put there is lifted before its edge
BEFORE_THING, LEAST_BEFORE = 0.315, 0.365  # to a thing on the floor, and to its middle: room for an arm beside knees
LIFTED_BEFORE, LIFTED_OVER = 0.012, 0.02  # the edge of the shelf, and its board
NEARER = 0.04  # who is no nearer than this is there
AROUND_THING = (0.0, 30.0, -30.0, 60.0, -60.0, 90.0, -90.0, 120.0, -120.0, 150.0, -150.0, 180.0)
AROUND_SEAT = (0.0, 90.0, -90.0, 180.0)  # degrees: before it, beside it, behind it
_STANDS = 0.12  # the room that a body has at least which stands before a thing on the floor,
_TURNS = 0.2  # and that feet need which turn there
ALONG_EDGE = (0.0, 0.06, -0.06, 0.12, -0.12, 0.18, -0.18, 0.24, -0.24, 0.3, -0.3, 0.36, -0.36)
_BENDS_AHEAD, _BENDS_BESIDE = (0.12, 0.24), 0.1  # from the middle of a body that bends down: where head and trunk come
LEGS_BESIDE = 0.1  # what the middle of a body keeps at least from what its legs are beside
FEET = 0.125  # and from what its feet would be in: to the tips of the toes
Place = tuple[float, float]


def in_the_way(scene: Scene, place: Place, room: float = LEGS_BESIDE, but: str = "") -> str:
    """The name of what stands at a place, or nearer to it than a room, or than feet that stand there; "" where a body
    can stand. but: the name of what does not count."""
    feet = FEET if room > 0.0 else 0.0
    near = ((name, distance(rectangle, *place)) for name, rectangle in scene.obstacles if name != but)
    under = {name for name, _ in scene.furniture}  # whose edges toes go under
    return next((name for name, away in near if away < (room if name in under else max(room, feet))), "")


def find_route(scene: Scene, start: Place, goal: Place, ignore: Sequence[str] = ()) -> tuple[Place, ...] | None:
    """The places of a way from start to goal, without the first; None where there is none. Who sets out near to a
    thing, or goes near to one, walks away from it or up to it; where that is too narrow, a part of the way is nearer to
    what stands there. Its corners are cut as far as there is room."""
    walls = [rectangle for name, rectangle in scene.obstacles if name not in ignore]
    first, last = ([_room(wall, place) for wall in walls] for place in (start, goal))
    wide, *narrower = ([keeps] * len(walls) for keeps in (_AROUND, *_NARROWER))
    both = [min(pair) for pair in zip(first, last, strict=True)]
    found = _shortest(start, goal, walls, [wide], first, last)
    if found is None:
        found = _shortest(start, goal, walls, [wide, *narrower, both], first, last)
    return None if found is None else _bent([start, *found], walls)


def _bent(way: Sequence[Place], walls: Sequence[Rectangle]) -> tuple[Place, ...]:
    """A way with a bend instead of each corner, as wide as what stands there leaves room for; without its first
    place."""
    found: list[Place] = []
    last = len(way) - 2
    for n in range(1, last + 1):
        before, corner, after = way[n - 1 : n + 2]
        longest = min(
            math.dist(before, corner) * (_TO_END if n == 1 else _MIDWAY),
            math.dist(corner, after) * (_TO_END if n == last else _MIDWAY),
        )
        for share in _BENDS:
            bend = _bend(before, corner, after, share * longest)
            rooms = [min(_CUTS, *(distance(wall, *place) for place in (bend[0], corner, bend[-1]))) for wall in walls]
            if all(_keeps(wall, room, bend) for wall, room in zip(walls, rooms, strict=True)):
                break
        found += bend
    return (*found, way[-1])


def _keeps(wall: Rectangle, room: float, places: Sequence[Place]) -> bool:
    return all(distance(wall, *place) > room - 1e-9 for place in places)


def _bend(before: Place, corner: Place, after: Place, length: float) -> list[Place]:
    """The places of an arc from so far before a corner to so far after it."""
    (x, z), heading = corner, math.atan2(corner[0] - before[0], corner[1] - before[1])
    by = math.remainder(math.atan2(after[0] - corner[0], after[1] - corner[1]) - heading, math.tau)
    x, z = x - length * math.sin(heading), z - length * math.cos(heading)
    if abs(by) < _STRAIGHT:
        return [(x, z), corner]
    across = 2.0 * length / math.tan(0.5 * by)  # of the whole circle
    found = []
    for n in range(_PARTS + 1):
        half = 0.5 * by * n / _PARTS
        far = across * math.sin(half)
        found.append((x + far * math.sin(heading + half), z + far * math.cos(heading + half)))
    return found


def _room(wall: Rectangle, place: Place) -> float:
    """What a way that begins or ends at a place keeps from a wall."""
    return max(min(_AROUND, margin_at(wall, *place)) - 2.0 * _NEAR, 0.0)


def _shortest(
    start: Place, goal: Place, walls: Sequence[Rectangle], levels: Sequence[Sequence[float]], first: Sequence[float],
    last: Sequence[float],
) -> tuple[Place, ...] | None:  # fmt: skip
    """The shortest way around the corners of walls. levels: what is kept from each wall on the way, the widest first;
    first, last: no more than that where it leaves the start, and where it arrives."""
    corners = [start, goal, *(corner for keeps in levels for corner in _corners(walls, keeps))]
    ends = {0: first, 1: last}
    best = {0: 0.0}
    before: dict[int, int] = {}
    heap = [(math.dist(start, goal), 0)]
    done: set[int] = set()
    while heap:
        _, n = heapq.heappop(heap)
        if n == 1:
            way = [1]
            while way[-1] != 0:
                way.append(before[way[-1]])
            return tuple(corners[k] for k in reversed(way[:-1]))
        if n in done:
            continue
        done.add(n)
        for m, corner in enumerate(corners):
            if m == n or m in done:
                continue
            for keeps, longer in zip(levels, _DETOURS, strict=False):
                length = best[n] + longer * math.dist(corners[n], corner)
                if length >= best.get(m, math.inf) - 1e-12:
                    break
                margins = [min(three) for three in zip(keeps, ends.get(n, keeps), ends.get(m, keeps), strict=True)]
                if _free(corners[n], corner, list(zip(walls, margins, strict=True))):
                    best[m], before[m] = length, n
                    heapq.heappush(heap, (length + math.dist(corner, goal), m))
                    break
    return None


def _corners(walls: Sequence[Rectangle], keeps: Sequence[float]) -> list[Place]:
    """The places round the corners of walls that keep so much from each of them."""
    found = []
    for (middle, half, turn), room in zip(walls, keeps, strict=True):
        frame = Stance(middle, turn)
        for x, z in product((-1.0, 1.0), repeat=2):
            corner = frame.world(x * (half[0] + room + _NEAR), z * (half[1] + room + _NEAR))
            if all(margin_at(wall, *corner) > margin for wall, margin in zip(walls, keeps, strict=True)):
                found.append(corner)
    return found


def _free(a: Place, b: Place, walls: Sequence[tuple[Rectangle, float]]) -> bool:
    """Whether the straight line between two places passes no wall."""
    for (middle, half, turn), room in walls:
        frame = Stance(middle, turn)
        (x0, z0), (x1, z1) = frame.seen(*a), frame.seen(*b)
        low, high = 0.0, 1.0
        for start, way, size in ((x0, x1 - x0, half[0] + room), (z0, z1 - z0, half[1] + room)):
            if abs(way) < 1e-12:
                if abs(start) >= size - 1e-9:
                    low, high = 1.0, 0.0
                continue
            first, last = sorted(((-size - start) / way, (size - start) / way))
            low, high = max(low, first), min(high, last)
        if low < high - 1e-9:
            return False
    return True


def stance_before(scene: Scene, name: str) -> Stance | None:
    """Where a body stands before a thing, facing it; None where there is no room."""
    here = scene.body_at
    for bar in scene.bars:
        if bar.name == name:
            turns = (bar.turn, bar.turn + math.pi)
            under = [Stance(bar.place, turn) for turn in turns]
            if bar.height - (scene.floor or 0.0) < HEAD_ROOM:
                near = [replace(stance, place=stance.world(0.0, -BEFORE_TABLE)) for stance in under]
                return min(near, key=lambda side: math.dist(side.place, here.place))
            return min(under, key=lambda side: abs(math.remainder(side.turn - here.turn, 2.0 * math.pi)))
    for table in scene.tables:
        if table.name == name:
            return _before_edges(scene, name, table.rectangle, table.height, [(0.0, -1.0)], 0.0)
    if name == "table":
        return _before_edges(scene, name, _endless(scene), scene.table.height, [(0.0, -1.0)], 0.0)
    for seat in scene.all_seats:
        if seat.name == name:
            for room, aside in product((BEFORE_TABLE, LEGS_BESIDE), AROUND_SEAT):  # hips beside tables, else just legs
                turn = seat.turn + math.radians(aside)
                place = Stance(seat.place, turn).world(0.0, SEAT_HALF + BEFORE_TABLE)
                if not in_the_way(scene, place, room, but=name):
                    return Stance(place, turn + math.pi)
            return None
    x, y, z = scene.base(name)
    tables = [(table.name, table.rectangle, table.height) for table in scene.tables if abs(table.height - y) < 0.3]
    if scene.table.size is None and z > scene.table.front:
        tables.append(("table", _endless(scene), scene.table.height))
    for owner, rectangle, height in tables:
        if distance(rectangle, x, z) <= 0.0:
            sides = [(0.0, -1.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0)]
            u, v = Stance(rectangle[0], rectangle[2]).seen(x, z)
            sides.sort(key=lambda side: _to_edge(rectangle, side, u, v) > 0.22)
            return _before_edges(scene, owner, rectangle, height, sides, (u, v))
    return stance_before_floor(scene, (x, z), scene.object(name).width)


def stance_before_floor(scene: Scene, thing: Place, width: float) -> Stance | None:
    """Before a place on the floor with a thing of half that width, on the side that one comes from; where there is no
    room, on the next one."""
    here, reach = scene.body_at, max(BEFORE_THING + width, LEAST_BEFORE)
    away = math.dist(here.place, thing)
    turn = math.atan2(thing[0] - here.place[0], thing[1] - here.place[1]) if away > 1e-6 else here.turn
    if reach - NEARER <= away <= reach and room_to_bend(scene, Stance(here.place, turn)):
        return Stance(here.place, turn)
    furniture = {name for name, _ in scene.furniture}
    rooms_of_both = ((_TURNS, _TURNS), (_STANDS, _TURNS), (_STANDS, _STANDS))  # furniture, and other things
    for bends, (beside, room) in product((True, False), rooms_of_both):
        for aside in AROUND_THING:
            facing = turn + math.radians(aside)
            place = thing[0] - reach * math.sin(facing), thing[1] - reach * math.cos(facing)
            rooms = ((beside if name in furniture else room, distance(wall, *place)) for name, wall in scene.obstacles)
            stance = Stance(place, facing)
            if all(away > keeps for keeps, away in rooms) and (not bends or room_to_bend(scene, stance)):
                return stance
    return None


def room_to_bend(scene: Scene, stance: Stance) -> bool:
    """Whether head and trunk of a body that bends down where it stands have room between what stands before it."""
    ahead = [stance.world(0.0, away) for away in _BENDS_AHEAD]
    return all(distance(wall, *place) >= _BENDS_BESIDE for place in ahead for _, wall in scene.furniture)


def _endless(scene: Scene) -> Rectangle:
    return next(rectangle for name, rectangle in scene.furniture if name == "table")


def _to_edge(rectangle: Rectangle, side: Place, u: float, v: float) -> float:
    return rectangle[1][0] - side[0] * u if side[0] else rectangle[1][1] - side[1] * v


def before_table(height: float) -> float:
    """From the middle of a body to the edge of the table that it stands before; its height is over the floor."""
    rises = (HIGH_TABLE, BEFORE_HIGH), (SHELF, BEFORE_SHELF)
    return BEFORE_TABLE + sum(min(most, max(0.0, height - above)) for above, most in rises)


def before_shelf(scene: Scene, after: Scene, name: str) -> Position | None:
    """To where a thing is lifted before it is put on a shelf, as in a later scene: before its edge, where the body
    stands; None where it is put on none, or is over it already."""
    x, y, z = after.base(name)
    over = [table for table in scene.tables if table.height < y + 1e-6 and distance(table.rectangle, x, z) <= 0.0]
    table = max(over, key=lambda table: table.height, default=None)
    here = scene.base(name)
    if scene.stance is None or table is None or table.height - (scene.floor or 0.0) <= SHELF:
        return None
    if here[1] > table.height - 1e-6 and distance(table.rectangle, here[0], here[2]) <= 0.0:
        return None
    middle, half, turn = table.rectangle
    frame = Stance(middle, turn)
    at, body = frame.seen(x, z), frame.seen(*scene.stance.place)
    across = 1 if abs(body[1]) - half[1] >= abs(body[0]) - half[0] else 0  # of the edge before the body
    place = [0.5 * (own + its) for own, its in zip(at, body, strict=True)]
    away = half[across] + math.sqrt(2.0) * scene.object(name).width + LIFTED_BEFORE
    place[across] = math.copysign(away, body[across])
    x, z = frame.world(place[0], place[1])
    return x, y + LIFTED_OVER, z


def _before_edges(
    scene: Scene, owner: str, rectangle: Rectangle, height: float, sides: Sequence[Place], at: float | Place
) -> Stance | None:
    """Before the first side of a table where there is room, as near to a place of the table as there is."""
    away = before_table(height - (scene.floor or 0.0))
    middle, half, turn = rectangle
    frame = Stance(middle, turn)
    u, v = at if isinstance(at, tuple) else (at, at)
    for side in sides:
        if max(half) > 10.0 and side != (0.0, -1.0):
            continue
        for along in ALONG_EDGE:
            if side[0]:
                x, z = side[0] * (half[0] + away), v + along
                if abs(z) > half[1]:
                    continue
            else:
                x, z = u + along, side[1] * (half[1] + away)
                if abs(x) > half[0]:
                    continue
            place = frame.world(x, z)
            if not in_the_way(scene, place, but=owner):
                return Stance(place, turn + math.atan2(-side[0], -side[1]))
    return None
