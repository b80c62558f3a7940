"""The stances that a body takes one after the other which goes somewhere, sits, stands, crouches, jumps or swings."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import chain, pairwise, product

from puppet.body import Body
from puppet.command import Travel
from puppet.errors import did_you_mean
from puppet.locomotion import (
    find_route,
    in_the_way,
    jump_problem,
    measured,
    soles_over_floor,
    stance_before,
    swing_problem,
)
from puppet.locomotion.route import BEFORE_TABLE, FEET, LEGS_BESIDE
from puppet.scene import Rectangle, Scene, Seat, Stance, distance
from puppet.tasks.motion import AtStance
from puppet.tasks.seat_room import NEAR_BY, SeatRoom

LONGEST_STEP = 0.48  # of the body's height, between both feet
# Where knees, elbows and hands of who crouches are, to the side and ahead, and the room that they take; and how one
# steps back where there is none.
_CROUCHED = (
    (0.0, 0.15, 0.07), (0.0, 0.3, 0.07), (0.17, 0.12, 0.05), (-0.17, 0.12, 0.05), (0.15, 0.22, 0.05),
    (-0.15, 0.22, 0.05), (0.19, 0.37, 0.05), (-0.19, 0.37, 0.05),
)  # fmt: skip
_STEPS_BACK, _STEP_BACK, _STEPS_ASIDE = 12, 0.04, 20
_ARMS_BESIDE = 0.2  # from the middle of who crouches
_TIGHT = 0.07  # what the middle of a body keeps from furniture at least
_OVER = 0.02  # by which feet of who jumps over a thing go over it

Links = list[tuple[AtStance, str]]


class TravelError(Exception):
    """Why the body cannot go there."""


class Journeys:
    """The stances of a journey, one after the other."""

    def __init__(self, scene: Scene, body: Body, fps: float) -> None:
        self.scene, self.body, self.legs, self.fps = scene, body, measured(body), fps
        self.seats = SeatRoom(scene)

    def links(self, command: Travel) -> Links:
        here = self.scene.body_at
        if command.verb == "stand":
            return self._stand(here)
        if command.verb == "crouch":
            if here.crouched:
                return []
            links, here = self._standing(here)
            away = self._away_from_furniture(here)
            links += away
            there = away[-1][0].after if away else here
            return [*links, (AtStance("crouch", there, replace(there, crouched=True)), "")]
        if command.verb == "sit":
            return self._sit(here)
        links, here = self._standing(here)
        if command.verb == "turn":
            turn = here.turn + math.radians(command.by) if command.by is not None else self._towards(here, command.to)
            after = replace(here, turn=turn)
            return [*links, (AtStance("turn", here, after), "")] if abs(turn - here.turn) > 1e-9 else links
        if command.verb == "walk":
            after = self._place(here, command.to)
            return [*links, *self._walk_away(here, after, command.to if isinstance(command.to, str) else "")]
        if command.verb == "step":
            return [*links, (self._step(here, command), "")]
        if command.verb == "jump":
            return [*links, (self._jump(here, command), "")]
        return [*links, *self._swing(here, command)]

    def _stand(self, here: Stance) -> Links:
        if here.stands:
            return []
        if here.crouched:
            return [(AtStance("stand", here, replace(here, crouched=False)), "Stand up")]
        assert here.seat is not None
        return [(AtStance("stand", here, self._at_seat(self.scene.seat_named(here.seat))), "Stand up")]

    def _away_from_furniture(self, here: Stance) -> Links:
        """To where knees and arms have room to come ahead: some steps back if something stands before the body, else
        out to a side."""
        back = [here.world(0.0, -n * _STEP_BACK) for n in range(_STEPS_BACK + 1)]
        for n, place in enumerate(back):
            there = replace(here, place=place)
            if self._room_to_crouch(there, _TIGHT if n else 0.0):
                return [(AtStance("walk", here, there, (place,)), "Step back")] if n else []
        grid = product(range(-_STEPS_ASIDE, _STEPS_ASIDE + 1), range(-_STEPS_BACK, _STEPS_BACK + 1))
        aside = [here.world(_STEP_BACK * x, _STEP_BACK * z) for x, z in grid]
        for place in sorted(aside, key=lambda place: (round(math.dist(place, here.place), 9), place)):
            there = replace(here, place=place)
            if self._room_to_crouch(there, _ARMS_BESIDE):
                try:
                    return self._walk_away(here, there, "", "Step aside")
                except TravelError:
                    continue
        raise TravelError("there is no room to crouch here; knees and arms come ahead by 0.35")

    def _room_to_crouch(self, there: Stance, room: float) -> bool:
        needs = [(there.world(x, z), room) for x, z, room in _CROUCHED] + [(there.place, room)] * (room > 0.0)
        return all(distance(rectangle, *at) >= room for at, room in needs for _, rectangle in self.scene.furniture)

    def _walk_away(self, here: Stance, after: Stance, to: str, words: str = "") -> Links:
        """A walk, which leads aside first for who stands before a seat."""
        aside = self.seats.way_out(here, after.place)
        walk = self._walk(aside or here, after, to)
        if aside is not None:
            goal, told = walk or (AtStance("walk", aside, aside), "")
            walk = replace(goal, before=here, route=(aside.place, *goal.route), sidles_out=True), told
        return [(walk[0], words or walk[1])] if walk else []

    def _standing(self, here: Stance) -> tuple[Links, Stance]:
        """What it takes to stand, and where that is."""
        links = self._stand(here)
        return links, links[-1][0].after if links else here

    def _at_seat(self, seat: Seat) -> Stance:
        """Where one stands who gets up from a seat."""
        found = self.seats.stand(seat)
        if found is None:
            raise TravelError(self.seats.lacks(seat))
        return found

    def _sit(self, here: Stance) -> Links:
        if here.seat is not None:
            return []
        seat = min(self.scene.all_seats, key=lambda seat: math.dist(seat.place, here.place))
        links, here = self._standing(here)
        links += self._to_seat(here, seat)
        before = links[-1][0].after if links else here
        sits = AtStance("sit", before, Stance(seat.place, seat.turn, seat.name))
        return [*links, (sits, "Sit down")]

    def _to_seat(self, here: Stance, seat: Seat) -> Links:
        """The way to where one stands before a seat: its last part leads sideways, where a table leaves little room, or
        backwards."""
        before = self._at_seat(seat)
        if math.dist(here.place, before.place) < NEAR_BY:
            walk = self._walk(here, before, seat.name)
            return [walk] if walk else []
        found: list[tuple[float, tuple[tuple[float, float], ...]]] = []
        for place in self.seats.ways_in(seat, before):
            route = find_route(self.scene, here.place, place)
            if route is not None:
                whole = (*route, before.place)
                found.append((sum(math.dist(a, b) for a, b in pairwise((here.place, *whole))), whole))
        if not found:
            walk = self._walk(here, before, seat.name)
            return [walk] if walk else []
        before = replace(before, turn=here.turn + math.remainder(before.turn - here.turn, 2.0 * math.pi))
        walk_in = AtStance("walk", here, before, min(found)[1], sidles_in=True)
        return [(walk_in, f"Walk to {seat.name}")]

    def _towards(self, here: Stance, to: tuple[float, float] | str | None) -> float:
        place = self._named_place(to) if isinstance(to, str) else to
        assert place is not None
        x, z = place[0] - here.place[0], place[1] - here.place[1]
        if math.hypot(x, z) < 1e-6:
            return here.turn
        return here.turn + math.remainder(math.atan2(x, z) - here.turn, 2.0 * math.pi)

    def _named_place(self, name: str) -> tuple[float, float]:
        self._known(name)
        x, _, z = self.scene.place_of(name)
        return x, z

    def _known(self, name: str) -> None:
        if name not in self.scene.place_names:
            raise TravelError(f"unknown thing '{name}'; {did_you_mean(name, self.scene.place_names)}")

    def _place(self, here: Stance, to: tuple[float, float] | str | None) -> Stance:
        """Where one stands who walks somewhere; facing where the way led, if that is a place on the floor."""
        if isinstance(to, str):
            self._known(to)
            found = stance_before(self.scene, to)
            if found is None:
                raise TravelError(f"there is no room to stand before '{to}'")
            blocking = in_the_way(self.scene, found.place, 0.0)
            if blocking:
                raise TravelError(f"there is no room to stand before '{to}': '{blocking}' is there")
            return found
        assert to is not None
        self.check_free(to, here)
        return Stance(to, math.nan)

    def check_free(self, place: tuple[float, float], here: Stance, room: float = LEGS_BESIDE) -> None:
        """Raises where a body cannot stand at a place."""
        blocking = in_the_way(self.scene, place, room)
        if blocking:
            where = "stands at" if in_the_way(self.scene, place, 0.0) else "leaves no room to stand at"
            nearest = self._nearest(place, here)
            raise TravelError(f"'{blocking}' {where} ({place[0]:g}, {place[1]:g}); {nearest}")

    def _nearest(self, place: tuple[float, float], here: Stance) -> str:
        """A free place on the line from where one comes, else around."""
        line = ((n / 100.0 * (here.place[0] - place[0]), n / 100.0 * (here.place[1] - place[1])) for n in range(1, 101))
        rings = (Stance((0.0, 0.0), k * math.pi / 8.0).world(0.0, 0.1 * n) for n in range(1, 41) for k in range(16))
        for x, z in chain(line, rings):
            there = place[0] + x, place[1] + z
            if all(distance(rectangle, *there) > BEFORE_TABLE for _, rectangle in self.scene.obstacles):
                return f"({there[0]:.2f}, {there[1]:.2f}) would be free"
        return "there is no free place around"

    def _walk(self, here: Stance, after: Stance, to: str) -> tuple[AtStance, str] | None:
        own = [seat for seat in self.scene.all_seats if math.dist(seat.place, here.place) < 0.2 or seat.name == to]
        route = find_route(self.scene, here.place, after.place) or find_route(
            self.scene, here.place, after.place, [seat.name for seat in own]
        )
        if route is None:
            names = (name for name, _ in self.scene.obstacles)
            blocking = next((name for name in names if find_route(self.scene, here.place, after.place, [name])), "")
            what = f"'{blocking}' is in the way" if blocking else "too much stands in the way"
            raise TravelError(
                f"there is no way from ({here.place[0]:.2f}, {here.place[1]:.2f}) to "
                f"({after.place[0]:.2f}, {after.place[1]:.2f}): {what}"
            )
        if math.isnan(after.turn):
            way = [here.place, *route]
            far = math.dist(here.place, after.place) > 0.5 * self.legs.height or len(route) > 1
            (x0, z0), (x1, z1) = way[-2:]
            turn = math.atan2(x1 - x0, z1 - z0) if far else here.turn
            after = replace(after, turn=turn)
        after = replace(after, turn=here.turn + math.remainder(after.turn - here.turn, 2.0 * math.pi))
        if math.dist(here.place, after.place) < 1e-3 and abs(after.turn - here.turn) < 1e-3:
            return None
        return AtStance("walk", here, after, route), f"Walk to {to}" if to else ""

    def _step(self, here: Stance, command: Travel) -> AtStance:
        """One foot to a place, and the body over both feet."""
        assert isinstance(command.to, tuple)
        n = 0 if command.foot == "left" else 1
        place = command.to
        self.check_free(place, here, 0.0)
        x, z = here.seen(*place)
        foot, other = self.legs.feet[n], self.legs.feet[1 - n]
        away = math.dist((x, z), other.stands)
        if away > LONGEST_STEP * self.legs.height:
            longest = LONGEST_STEP * self.legs.height
            raise TravelError(
                f"that is {away:.2f} from the other foot, and a step is {longest:.2f} long at most; "
                f"walk to ({place[0]:g}, {place[1]:g}) gets there"
            )
        if foot.side * (x - other.stands[0]) < 0.02 * self.legs.height:
            raise TravelError(f"the {command.foot} foot would tread on or across the other one there")
        after = Stance(here.world(x - foot.stands[0], z - foot.stands[1]), here.turn)
        return AtStance("step", here, after, foot=n, place=place)

    def _jump(self, here: Stance, command: Travel) -> AtStance:
        after = self._place(here, command.to)
        after = replace(after, turn=here.turn)
        frames = command.speed if isinstance(command.speed, int) else None
        if command.height is not None and frames is not None:
            raise TravelError("a jump has a height or a time of flight (speed), not both: one follows from the other")
        problem = jump_problem(self.legs, here.seen(*after.place), command.height, frames, self.fps)
        if problem:
            raise TravelError(problem)
        crossed = self._jumped_through(here, after, command.height, frames)
        if crossed:
            x, z = after.place
            raise TravelError(f"'{crossed}' is in the way; walk to ({x:g}, {z:g}) goes around it")
        return AtStance("jump", here, after, height=command.height)

    def _jumped_through(self, here: Stance, after: Stance, height: float | None, frames: int | None) -> str:
        """What is between take-off and landing, and no thing on the floor that feet go over."""
        way, things = here.seen(*after.place), dict(self.scene.things_on_floor)
        walls = [(name, wall) for name, wall in self.scene.obstacles if name not in things]
        crossed = next((name for name, wall in walls if _crosses(wall, here.place, after.place, LEGS_BESIDE)), "")
        for n in range(0 if crossed else 51):
            share = n / 50.0
            place = here.world(share * way[0], share * way[1])
            soles = soles_over_floor(self.legs, way, height, frames, share, self.fps)
            for name, wall in things.items():
                low = self.scene.base(name)[1] - (self.scene.floor or 0.0)
                high = low + 2.0 * self.scene.object(name).width
                if distance(wall, *place) < FEET and low < soles + self.legs.height and soles < high + _OVER:
                    crossed = crossed or name
        return crossed

    def _swing(self, here: Stance, command: Travel) -> Links:
        bar = next(bar for bar in self.scene.bars if bar.name == command.to)
        problem = swing_problem(self.body, bar.height - (self.scene.floor or 0.0))
        if problem:
            raise TravelError(f"'{bar.name}' {problem}")
        before = stance_before(self.scene, bar.name)
        assert before is not None
        walk = self._walk(here, before, bar.name)
        start = walk[0].after if walk else here
        swing = AtStance("swing", start, start, bar=bar.name, turns=command.turns or 1)
        return [*([walk] if walk else []), (swing, "")]


def _crosses(wall: Rectangle, a: tuple[float, float], b: tuple[float, float], room: float = 0.0) -> bool:
    """Whether the straight line between two places leads through something, or nearer to it than its ends and some room
    for legs."""
    keeps = min(room, max(0.0, distance(wall, *a)), max(0.0, distance(wall, *b))) - 1e-9
    return any(
        distance(wall, a[0] + n / 50.0 * (b[0] - a[0]), a[1] + n / 50.0 * (b[1] - a[1])) < keeps for n in range(51)
    )
