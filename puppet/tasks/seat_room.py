"""The room around a seat: where one stands who gets up from it, and the ways there, past a table that is near."""

from __future__ import annotations

import math
from dataclasses import replace

from puppet.locomotion import find_route, in_the_way
from puppet.locomotion.route import BEFORE_TABLE, LEGS_BESIDE, Place
from puppet.scene import SEAT_HALF, Rectangle, Scene, Seat, Stance, distance

NEAR_BY = 0.03  # who stands no farther off stands there
STANDS_AHEAD = 0.19  # how far before the middle of a seat one stands up: the legs are clear of it
_NARROW = 0.25  # who has less room before a seat comes there from its side
_PASSES = 0.08  # and so much farther ahead than one stands before it, where there is room
_BESIDE = SEAT_HALF + LEGS_BESIDE + 0.02  # which leads there from this far beside its middle
_TIGHT = 0.07  # what the middle of a body keeps from other furniture at least
THIGHS, BEHIND_KNEES = 0.125, 0.165  # what the middle of one who stands between them keeps from table and seat,
HANDS, HANDS_HANG = 0.185, 0.42  # and from a table that is higher than hands hang, since they hang ahead of the thighs
HIPS_BESIDE, HAND_BESIDE = 0.14, 0.21  # and from such tables who stands beside them: who has no room before a seat
WALKS_BESIDE, HANDS_SWING = 0.165, 0.25  # and who comes in, or walks out, from a lower one and from such: hips turn
TRUNK = 0.1  # leaves it to the side; nearer to the table nobody sits
SHOULDERS, ARMS_AHEAD = 0.3, 0.2  # who sits so far below a board keeps as much from it: it is before chest and arms
_BESIDE_SEAT = (STANDS_AHEAD, -STANDS_AHEAD)
_A_STEP = 0.05  # ahead: who takes it comes nearer to what is before a seat
_FARTHEST_BACK = -0.3  # behind the middle of a seat: where one passes beside it,
_SITS_FROM = TRUNK - HAND_BESIDE  # and where one sits down from its side
_CLOSE = 1e-6


class SeatRoom:
    """Of the seats of a scene."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        seats, heights = {seat.name for seat in scene.all_seats}, {table.name: table.height for table in scene.tables}
        self.tables = [  # and how high their boards are
            (wall, heights.get(name, scene.table.height)) for name, wall in scene.furniture if name not in seats
        ]

    def stand(self, seat: Seat) -> Stance | None:
        """Where one stands who gets up from a seat: between it and the table, if there is one; beside it where that is
        too near for legs; None where there is no room there, either."""
        sits, tables = Stance(seat.place, seat.turn), self._before(seat)
        keeps = [(wall, HANDS if self._is_high(board) else THIGHS) for wall, board in tables]
        ahead = _back_to(sits, 0.0, STANDS_AHEAD, BEHIND_KNEES, keeps)
        if ahead is not None:
            return Stance(sits.world(0.0, ahead), seat.turn)
        if self._nearest(seat) < self._trunk(seat):
            return None
        beside = max(HAND_BESIDE if self._is_high(board) else HIPS_BESIDE for _, board in tables)
        others = [rectangle for name, rectangle in self.scene.furniture if name != seat.name]
        free = []
        for x in _BESIDE_SEAT:
            back = _back_to(sits, x, 0.0, _SITS_FROM, [(wall, beside) for wall, _ in tables])
            if back is not None and all(distance(wall, *sits.world(x, back)) >= beside - _CLOSE for wall in others):
                free.append(Stance(sits.world(x, back), seat.turn + math.copysign(0.5 * math.pi, x)))
        return min(free, key=lambda side: math.dist(side.place, self.scene.body_at.place), default=None)

    def lacks(self, seat: Seat) -> str:
        """Why nobody can stand up from a seat."""
        needs = BEHIND_KNEES + max(HANDS if self._is_high(board) else THIGHS for _, board in self._before(seat))
        return (
            f"the table is {max(self._nearest(seat), 0.0):.2f} from the middle of '{seat.name}', and one needs "
            f"{needs:.2f} to stand between them, or {self._trunk(seat):.2f} and room to stand beside the seat"
        )

    def ways_in(self, seat: Seat, before: Stance) -> list[Place]:
        """Places a step away from where one stands before a seat, and with more room: beside the seat where a table is
        near, else before it."""
        sits = Stance(seat.place, before.turn)
        ahead = sits.seen(*before.place)[1]
        places = [sits.world(0.0, ahead + _NARROW)]
        others = [wall for name, wall in self.scene.furniture if name != seat.name and _is_before(sits, wall)]
        if any(distance(wall, *places[0]) < BEFORE_TABLE for wall in others):
            keeps = [(wall, HANDS_SWING if self._is_high(board) else WALKS_BESIDE) for wall, board in self.tables]
            backs = [(x, _back_to(sits, x, ahead + _PASSES, _FARTHEST_BACK, keeps)) for x in (_BESIDE, -_BESIDE)]
            places = [sits.world(x, back) for x, back in backs if back is not None]
        return [place for place in places if not in_the_way(self.scene, place, _TIGHT)]

    def way_out(self, here: Stance, to: Place) -> Stance | None:
        """Where one stands with more room who leaves the room before a seat; None for who is not in such a room."""
        for seat in self.scene.all_seats:
            before = self.stand(seat)
            if before is None or math.dist(before.place, here.place) > NEAR_BY:
                continue
            if abs(math.remainder(before.turn - here.turn, math.tau)) > 0.1:
                continue
            ways = self.ways_in(seat, before)
            if len(ways) and abs(here.seen(*ways[0])[0]) > NEAR_BY:
                open_ways = [place for place in ways if find_route(self.scene, place, to) is not None] or ways
                return replace(here, place=min(open_ways, key=lambda place: math.dist(place, to)))
        return None

    def _before(self, seat: Seat) -> list[tuple[Rectangle, float]]:
        """The tables before a seat, however it is turned, and how high their boards are."""
        sits = Stance(seat.place, seat.turn)
        return [(wall, board) for wall, board in self.tables if _is_before(sits, wall)]

    def _is_high(self, board: float) -> bool:
        """Whether hands hang lower than a board."""
        return board - (self.scene.floor or 0.0) > HANDS_HANG

    def _trunk(self, seat: Seat) -> float:
        """What the middle of who sits there keeps from the table at least."""
        high = max((board for wall, board in self._before(seat)), default=seat.height) > seat.height + SHOULDERS
        return ARMS_AHEAD if high else TRUNK

    def _nearest(self, seat: Seat) -> float:
        """How far the table before a seat is from its middle."""
        return min((distance(wall, *seat.place) for wall, _ in self._before(seat)), default=math.inf)


def _is_before(sits: Stance, wall: Rectangle) -> bool:
    """Whether who goes ahead comes nearer to something, or is in it."""
    here = distance(wall, *sits.place)
    return here <= 0.0 or distance(wall, *sits.world(0.0, _A_STEP)) < here - _CLOSE


def _back_to(sits: Stance, x: float, ahead: float, least: float, keeps: list[tuple[Rectangle, float]]) -> float | None:
    """How far ahead of a seat's middle, and so far aside, one can be at most and keep from each thing what it needs."""
    while ahead >= least - _CLOSE:
        lacks = max((needs - distance(wall, *sits.world(x, ahead)) for wall, needs in keeps), default=0.0)
        if lacks <= _CLOSE:
            return ahead
        ahead -= lacks  # no place in between has room: a distance changes by no more than the way
    return None
