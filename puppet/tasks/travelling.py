"""Going somewhere: from walk, turn, step, sit, stand, crouch, jump and swing to the stances that the body takes one
after the other, or the reason why not."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import chain, pairwise, product

from puppet.body import Body
from puppet.command import Travel
from puppet.errors import did_you_mean
from puppet.geometry import Transform
from puppet.locomotion import (
    find_route,
    in_the_way,
    jump_problem,
    legs_of,
    measured,
    soles_over_floor,
    stance_before,
    stance_before_floor,
    swing_problem,
)
from puppet.locomotion.route import BEFORE_TABLE, CUSHION, FEET, LEGS_BESIDE
from puppet.scene import SEAT_HALF, Position, Rectangle, Scene, Seat, Stance, as_position, distance, inside
from puppet.tasks.locking import primitive_problem
from puppet.tasks.motion import AtObject, AtStance, BodyAt, Change, Motion, Placed, SpaceSet
from puppet.tasks.outcome import Hands, Outcome, reject
from puppet.tasks.plan import HandPlan, Plan, at_transform, placed_in_world, seen_by_body
from puppet.tasks.task_context import TaskContext
from puppet.tasks.whole_body import travel_flaw

STANDS_AHEAD = 0.19  # how far before the middle of a seat one stands up: the legs are clear of it
_NARROW = 0.25  # who has less room before a seat comes there from its side
_PASSES = 0.08  # and so much farther ahead than one stands before it, where there is room
_BESIDE = SEAT_HALF + LEGS_BESIDE + 0.02  # which leads there from this far beside its middle
NEAR_BY = 0.03  # who stands no farther off stands there
_TIGHT = 0.07  # what the middle of a body keeps from furniture at least
LONGEST_STEP = 0.55  # of the body's height
THIGHS, BEHIND_KNEES = 0.125, 0.165  # what the middle of one who stands between them keeps from table and seat,
HANDS, HANDS_HANG = 0.185, 0.42  # and from a table that is higher than hands hang, since they hang ahead of the thighs
HIPS_BESIDE, HAND_BESIDE = 0.14, 0.21  # and from such tables who stands beside them: who has no room before a seat
WALKS_BESIDE = 0.165  # and from a lower one who comes in, or walks out: hips turn
TRUNK = 0.1  # leaves it to the side; nearer to the table nobody sits
# Where knees, elbows and hands of who crouches are, to the side and ahead, and the room that they take; and how one
# steps back where there is none.
CROUCHED = (
    (0.0, 0.15, 0.07), (0.0, 0.3, 0.07), (0.15, 0.22, 0.02), (-0.15, 0.22, 0.02), (0.19, 0.37, 0.02),
    (-0.19, 0.37, 0.02),
)  # fmt: skip
STEPS_BACK, STEP_BACK, STEPS_ASIDE = 12, 0.04, 20
ARMS_BESIDE = 0.2  # from the middle of who crouches
_OVER = 0.02  # by which feet of who jumps over a thing go over it
_ON_FLOOR = 0.1  # what is lower lies on the floor
BESIDE_FOOT = (0.1, 0.08)  # to the hand's own side, and ahead: a hand that goes there passes the knees
_BESIDE_SEAT = (STANDS_AHEAD, -STANDS_AHEAD)
Links = list[tuple[AtStance, str]]


class _TravelError(Exception):
    """Why the body cannot go there."""


def interpret_travel(plan: Plan, command: Travel, task: int, hands: Hands) -> Outcome:
    """What going somewhere means in a plan."""
    words = _words(command)
    body = hands.body
    problem = travel_problem(plan.scene, body, command)
    if problem:
        return reject(plan, words, problem)
    overlap = command.overlap or plan.primitives.overlap
    speed: int | str = command.speed or plan.primitives.speed
    problem = primitive_problem("speed", speed) or primitive_problem("overlap", overlap)
    if problem:
        return reject(plan, words, problem)
    holding = _holding(plan, hands)
    holder = next((hand for hand, name in holding.items() if name is not None and name == command.to), None)
    if holder is not None:
        return reject(plan, words, f"the {holder} hand holds '{command.to}'")
    try:
        goes_along = [name for name in holding.values() if name is not None]
        links = _Journey(plan.scene.without(goes_along), body, plan.fps).links(command)
    except _TravelError as refused:
        return reject(plan, words, str(refused))
    if not links:
        return reject(plan, words, "the body is there already")
    joints = measured(body).critical
    frames = speed if isinstance(speed, int) else None
    motions: list[Motion] = []
    full = next(((hand, name) for hand, name in holding.items() if name is not None), None)
    if command.verb == "swing" and full is not None:
        return reject(plan, words, f"the {full[0]} hand holds '{full[1]}'; put that down first")
    for link, name in links:
        goal = replace(link, holding=tuple(sorted(holding.items())))
        plan, changes = _moved(plan, body, goal)
        own = frames if goal.verb == command.verb else None
        motions.append(Motion(
            task, "", goal, {}, joints, own, "smooth", overlap, plan.scene, changes, interpretation=name or words,
            source=command.source,
        ))  # fmt: skip
    chained = motions[-1]
    for motion in reversed(motions[:-1]):
        chained = replace(motion, couple=chained)
    to = command.to if command.verb != "sit" else plan.scene.body_at.seat
    target = to if to is None or isinstance(to, str) else (to[0], plan.scene.floor or 0.0, to[1])
    return Outcome(plan, replace(chained, interpretation=words), words, target=target)


def _holding(plan: Plan, hands: Hands) -> dict[str, str | None]:
    """Hands that hold something, and what."""
    holding = {hand: plan.grasped(hand) for hand in plan.locks}
    holding.update({hand: plan.in_palm(hand)[0] for hand in hands.names if plan.in_palm(hand)})
    return holding


def step_back(context: TaskContext, goal: Position, width: float) -> tuple[Plan, Motion] | None:
    """Who stands so near to a place on the floor that legs would be in the way of a hand which goes there steps back
    first, with room for the hand and a thing of half that width; None where that is not needed, or there is no room.
    The arm waits."""
    plan, hands, hand = context.plan, context.hands, context.command.hand
    scene, here = plan.scene, plan.scene.stance
    if here is None or not here.stands or len(legs_of(hands.body)) != 2:
        return None
    place = goal[0], goal[2]
    if goal[1] - (scene.floor or 0.0) > _ON_FLOOR or any(inside(wall, *place) for _, wall in scene.furniture):
        return None
    aside, ahead = here.seen(*place)
    beside = ahead > BESIDE_FOOT[1] and (-aside if hands.limb(hand).mirrored else aside) > BESIDE_FOOT[0]
    after = stance_before_floor(scene, place, width)
    if beside or after is None or math.dist(here.place, place) >= math.dist(after.place, place):
        return None
    route = find_route(scene, here.place, after.place)
    if route is None or after.place == here.place:
        return None
    after = replace(after, turn=here.turn + math.remainder(after.turn - here.turn, 2.0 * math.pi))
    stance = AtStance("walk", here, after, route, holding=tuple(sorted(_holding(plan, hands).items())))
    plan, changes = _moved(plan, hands.body, stance)
    joints = measured(hands.body).critical | hands.critical(hand)
    motion = Motion(
        context.task, "", stance, {}, joints, None, "smooth", context.primitives.overlap, plan.scene, changes,
        source=context.command.source,
    )  # fmt: skip
    return plan, motion


def root_height(body: Body, scene: Scene, stance: Stance) -> float:
    """How high the root of a body is over the middle of the world."""
    legs, floor = measured(body), scene.floor or 0.0
    if stance.seat is not None:
        return scene.seat_named(stance.seat).height + CUSHION
    return floor + legs.root


def _moved(plan: Plan, body: Body, goal: AtStance) -> tuple[Plan, tuple[Change, ...]]:
    """The plan after the body has gone: hands and what they hold have gone along."""
    scene = plan.scene
    rise = root_height(body, scene, goal.after) - root_height(body, scene, goal.before)
    changes: list[Change] = [BodyAt(goal.after)]
    hands = {}
    for hand, old in plan.hands.items():
        at = _along(goal, old.transform, rise)
        hands[hand] = HandPlan(at, old.goal if hand in plan.locks else None, old.task, old.miss)
        name = plan.grasped(hand)
        if name is not None:
            centre = _along(goal, Transform.of(scene.centre(name)), rise).position
            changes.append(Placed(name, as_position(centre - (0.0, scene.object(name).width, 0.0))))
        changes.append(SpaceSet(hand, as_position(at.position)))
    for change in changes:
        scene = change.apply(scene)
    pins = {body.joint_names[limb.joints[-1]] for limb in legs_of(body)}
    if goal.after.seat is not None:
        pins.add(body.joint_names[0])
    locks = {}
    for hand, held in plan.locks.items():
        stays = isinstance(held.goal, AtObject)
        locks[hand] = replace(held, at=at_transform(hands[hand].transform)) if stays else held
    plan = replace(plan.with_scene(scene), hands=hands, pins=frozenset(pins))
    return replace(plan, locks=locks), tuple(changes)


def _along(goal: AtStance, transform: Transform, rise: float) -> Transform:
    """Where something is that goes along with the body."""
    return placed_in_world(goal.after, seen_by_body(goal.before, transform)).moved((0.0, rise, 0.0))


def travel_problem(scene: Scene, body: Body, command: Travel) -> str:
    """What a journey lacks, wherever it begins: legs, a seat, a bar; "" where it lacks nothing."""
    if len(legs_of(body)) != 2:
        return f"'{body.name}' has no legs to {command.verb} with; a body that has is: person"
    if command.verb == "sit" and not scene.all_seats:
        return "there is no seat to sit down on; an environment names them under 'seats:'"
    flaw = travel_flaw(command)
    if flaw:
        return flaw
    bars = [bar.name for bar in scene.bars]
    if command.verb == "swing" and command.to not in bars:
        none = "there is none; an environment names them under 'bars:'"
        return f"unknown bar '{command.to}'; {did_you_mean(str(command.to), bars) if bars else none}"
    return ""


def _words(command: Travel) -> str:
    to = command.to if isinstance(command.to, str) else "({:g}, {:g})".format(*command.to) if command.to else ""
    turned = f"Turn by {command.by:g} degrees" if command.by is not None else f"Turn to {to}"
    return {
        "walk": f"Walk to {to}", "turn": turned, "step": f"Step with the {command.foot} foot to {to}",
        "sit": "Sit down", "stand": "Stand up", "crouch": "Crouch", "jump": f"Jump to {to}",
        "swing": f"Swing from {to}",
    }.get(command.verb, command.verb)  # fmt: skip


class _Journey:
    """The stances of a journey, one after the other."""

    def __init__(self, scene: Scene, body: Body, fps: float) -> None:
        self.scene, self.body, self.legs, self.fps = scene, body, measured(body), fps

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
        back = [here.world(0.0, -n * STEP_BACK) for n in range(STEPS_BACK + 1)]
        for n, place in enumerate(back):
            there = replace(here, place=place)
            if self._room_to_crouch(there, _TIGHT if n else 0.0):
                return [(AtStance("walk", here, there, (place,)), "Step back")] if n else []
        grid = product(range(-STEPS_ASIDE, STEPS_ASIDE + 1), range(-STEPS_BACK, STEPS_BACK + 1))
        aside = [here.world(STEP_BACK * x, STEP_BACK * z) for x, z in grid]
        for place in sorted(aside, key=lambda place: (round(math.dist(place, here.place), 9), place)):
            there = replace(here, place=place)
            if self._room_to_crouch(there, ARMS_BESIDE):
                try:
                    return self._walk_away(here, there, "", "Step aside")
                except _TravelError:
                    continue
        raise _TravelError("there is no room to crouch here; knees and arms come ahead by 0.35")

    def _room_to_crouch(self, there: Stance, room: float) -> bool:
        needs = [(there.world(x, z), room) for x, z, room in CROUCHED] + [(there.place, room)] * (room > 0.0)
        return all(distance(rectangle, *at) >= room for at, room in needs for _, rectangle in self.scene.furniture)

    def _walk_away(self, here: Stance, after: Stance, to: str, words: str = "") -> Links:
        """A walk, which leads aside first for who stands before a seat."""
        aside = self._from_seat(here, after.place)
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
        found = self._before_seat(seat)
        if found is None:
            room, high = self._table_before(seat)
            needs = BEHIND_KNEES + (HANDS if high > HANDS_HANG else THIGHS)
            raise _TravelError(
                f"the table is {max(room, 0.0):.2f} from the middle of '{seat.name}', and one needs {needs:.2f} to "
                f"stand between them, or {TRUNK:.2f} and room to stand beside the seat"
            )
        return found

    def _before_seat(self, seat: Seat) -> Stance | None:
        """Where one stands who gets up from a seat: between it and the table, if there is one; beside it where that is
        too near for legs; None where there is no room there, either."""
        sits = Stance(seat.place, seat.turn)
        room, high = self._table_before(seat)
        keeps, beside = (HANDS, HAND_BESIDE) if high > HANDS_HANG else (THIGHS, HIPS_BESIDE)
        if room >= keeps + BEHIND_KNEES - 1e-6:
            return Stance(sits.world(0.0, min(STANDS_AHEAD, max(room - keeps, BEHIND_KNEES))), seat.turn)
        if room < TRUNK:
            return None
        others = [rectangle for name, rectangle in self.scene.furniture if name != seat.name]
        back = min(0.0, room - beside)
        sides = [Stance(sits.world(x, back), seat.turn + math.copysign(0.5 * math.pi, x)) for x in _BESIDE_SEAT]
        free = [side for side in sides if all(distance(wall, *side.place) >= beside - 1e-6 for wall in others)]
        return min(free, key=lambda side: math.dist(side.place, self.scene.body_at.place), default=None)

    def _table_before(self, seat: Seat) -> tuple[float, float]:
        """How far the table before a seat is from its middle, and how high over the floor."""
        table = replace(self.scene, stance=Stance(seat.place, seat.turn)).table_at_hand
        return table.front if table.front > -1.0 else math.inf, table.height - (self.scene.floor or 0.0)

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
        for place in self._ways_in(seat, before):
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

    def _ways_in(self, seat: Seat, before: Stance) -> list[tuple[float, float]]:
        """Places a step away from where one stands before a seat, and with more room: beside the seat where a table is
        near, else before it."""
        sits = Stance(seat.place, before.turn)
        _, ahead = sits.seen(*before.place)
        front, high = self._room_ahead(seat.name, sits)
        places = [sits.world(0.0, ahead + _NARROW)]
        if front < ahead + _NARROW + BEFORE_TABLE:
            back = min(ahead + _PASSES, front - (HAND_BESIDE if high > HANDS_HANG else WALKS_BESIDE))
            places = [sits.world(x, back) for x in (_BESIDE, -_BESIDE)]
        return [place for place in places if not self._blocked(place)]

    def _room_ahead(self, seat: str, sits: Stance) -> tuple[float, float]:
        """How far the next piece of furniture before a seat is from its middle, and how high over the floor."""
        heights = {table.name: table.height for table in self.scene.tables}
        walls = [(name, wall) for name, wall in self.scene.furniture if name != seat]
        for ahead in (0.02 * n for n in range(50)):
            place = sits.world(0.0, ahead)
            for name, wall in walls:
                away = distance(wall, *place)
                if away < 0.02:
                    return ahead + away, heights.get(name, self.scene.table.height) - (self.scene.floor or 0.0)
        return math.inf, 0.0

    def _blocked(self, place: tuple[float, float]) -> bool:
        return bool(in_the_way(self.scene, place, _TIGHT))

    def _from_seat(self, here: Stance, to: tuple[float, float]) -> Stance | None:
        """Where one stands with more room who leaves the room before a seat; None for who is not in such a room."""
        for seat in self.scene.all_seats:
            before = self._before_seat(seat)
            if before is None or math.dist(before.place, here.place) > NEAR_BY:
                continue
            if abs(math.remainder(before.turn - here.turn, math.tau)) > 0.1:
                continue
            ways = self._ways_in(seat, before)
            if len(ways) and abs(here.seen(*ways[0])[0]) > NEAR_BY:
                open_ways = [place for place in ways if find_route(self.scene, place, to) is not None] or ways
                return replace(here, place=min(open_ways, key=lambda place: math.dist(place, to)))
        return None

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
            raise _TravelError(f"unknown thing '{name}'; {did_you_mean(name, self.scene.place_names)}")

    def _place(self, here: Stance, to: tuple[float, float] | str | None) -> Stance:
        """Where one stands who walks somewhere; facing where the way led, if that is a place on the floor."""
        if isinstance(to, str):
            self._known(to)
            found = stance_before(self.scene, to)
            if found is None:
                raise _TravelError(f"there is no room to stand before '{to}'")
            blocking = in_the_way(self.scene, found.place, 0.0)
            if blocking:
                raise _TravelError(f"there is no room to stand before '{to}': '{blocking}' is there")
            return found
        assert to is not None
        self._free(to, here)
        return Stance(to, math.nan)

    def _free(self, place: tuple[float, float], here: Stance, room: float = LEGS_BESIDE) -> None:
        blocking = in_the_way(self.scene, place, room)
        if blocking:
            where = "stands at" if in_the_way(self.scene, place, 0.0) else "leaves no room to stand at"
            nearest = self._nearest(place, here)
            raise _TravelError(f"'{blocking}' {where} ({place[0]:g}, {place[1]:g}); {nearest}")

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
            raise _TravelError(
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
        self._free(place, here, 0.0)
        x, z = here.seen(*place)
        foot, other = self.legs.feet[n], self.legs.feet[1 - n]
        away = math.dist((x, z), other.stands)
        if away > LONGEST_STEP * self.legs.height:
            longest = LONGEST_STEP * self.legs.height
            raise _TravelError(
                f"that is {away:.2f} from the other foot, and a step is {longest:.2f} long at most; "
                f"walk to ({place[0]:g}, {place[1]:g}) gets there"
            )
        if foot.side * (x - other.stands[0]) < 0.02 * self.legs.height:
            raise _TravelError(f"the {command.foot} foot would tread on or across the other one there")
        after = Stance(here.world(x - foot.stands[0], z - foot.stands[1]), here.turn)
        return AtStance("step", here, after, foot=n, place=place)

    def _jump(self, here: Stance, command: Travel) -> AtStance:
        after = self._place(here, command.to)
        after = replace(after, turn=here.turn)
        frames = command.speed if isinstance(command.speed, int) else None
        if command.height is not None and frames is not None:
            raise _TravelError("a jump has a height or a time of flight (speed), not both: one follows from the other")
        problem = jump_problem(self.legs, here.seen(*after.place), command.height, frames, self.fps)
        if problem:
            raise _TravelError(problem)
        crossed = self._jumped_through(here, after, command.height, frames)
        if crossed:
            x, z = after.place
            raise _TravelError(f"'{crossed}' is in the way; walk to ({x:g}, {z:g}) goes around it")
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
            raise _TravelError(f"'{bar.name}' {problem}")
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
