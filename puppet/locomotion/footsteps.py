"""Footsteps: from where a body stands and a route on the floor to the places where its feet tread, one after the other.

A footstep is planned for a place of the body: where it would stand if it stopped there. A foot treads beside that
place, turned as the body is then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from puppet.locomotion.legs import Foot, Legs
from puppet.locomotion.soles import Sole
from puppet.scene import Stance

STRIDE = 0.39  # of the body's height: a step of a walk
_SHORT = 0.3  # a step that leads sideways or backwards
FIRST_STEP, LAST_STEP = 0.65, 0.6  # beside the others
TURN_A_STEP = math.radians(70.0)
_TURN_ASIDE = math.radians(60.0)  # with a step to the side, out of a seat or into it
FIRST_PART, FIRST_TURN = 0.68, math.radians(70.0)  # of a turn with two steps: how much the first one turns
TURN_WALKING = math.radians(28.0)  # a step of a walk in a bend
SHARP = math.radians(50.0)  # a bend that takes steps of its own
SETS_OUT = math.radians(35.0)  # who looks more than this away from the way turns before setting out
_SHORTEST = 0.45
_NARROW = 0.6  # how far apart the feet tread in a walk, beside standing
_BEFORE_LAST = 0.4  # how much of a turn in the end the last but one step of a walk turns
_ONE_STEP, _ONE_TURN = 0.62, math.radians(105.0)  # how far a foot gets with one step, of the body's height, and turns
ALIKE = 1e-3
FEET_APART = 0.008  # of the body's height: what feet keep from each other
LITTLE = 0.02  # radians by which nobody who steps aside turns with a step of its own


@dataclass(frozen=True)
class Footstep:
    """A foot treads: 0 is the left, 1 the right one."""

    foot: int
    place: tuple[float, float]  # of its ankle on the floor
    turn: float  # of the foot about the vertical
    walks: bool  # one of the steps of a walk, not of a turn or of coming to a stand
    heel_up: float | None = None  # radians by which the heel lifts before it; as far as the step asks for if None


def turn_towards(start: float, end: float) -> float:
    return math.remainder(end - start, 2.0 * math.pi)


def tread(foot: Foot, body: Stance, narrow: float = 1.0) -> tuple[tuple[float, float], float]:
    """Where a foot treads, and how it is turned, when the body stands there."""
    x, z = foot.stands
    return body.world(narrow * x, z), body.turn + foot.toe_out


def plan_footsteps(
    legs: Legs, start: Stance, route: Sequence[tuple[float, float]], turn: float | None, first: int | None = None,
    posts: Sequence[tuple[float, float]] = (),
) -> list[Footstep]:  # fmt: skip
    """From standing at `start` along the route's places to standing at its end, turned so in the end; as the way led,
    if None. first: the foot that sets out, the one on the side to which the way leads if None; posts: that feet do not
    tread on."""
    places = _body_places(legs, start, route, turn)
    if not places:
        return []
    steps: list[Footstep] = []
    by = turn_towards(start.turn, places[0][0].turn)
    ahead = start.seen(*places[0][0].place)
    lead = by if abs(by) > 0.05 else ahead[0]
    foot = (0 if lead > ALIKE else 1) if first is None else first
    stands = [Sole(own, *tread(own, start)) for own in legs.feet]

    def beside(place: Stance, walks: bool, then: Stance | None = None) -> tuple[Sole, bool]:
        sole = Sole(legs.feet[foot], *tread(legs.feet[foot], place, _NARROW if walks else 1.0))
        other = legs.feet[1 - foot]
        follows = None if then is None else (Sole(other, *tread(other, then)), then.turn)
        return sole.outwards(stands[1 - foot], place.turn, FEET_APART * legs.height, legs.height, follows, posts)

    def treads(sole: Sole, walks: bool) -> None:
        nonlocal foot
        stands[foot] = sole
        steps.append(Footstep(foot, sole.place, sole.turn, walks))
        foot = 1 - foot

    here = start
    following = [*(place for place, _ in places[1:]), None]
    for (place, walks), then in zip(places, following, strict=True):
        sole, free = beside(place, walks, None if walks else then)
        if not free:  # it would tread across the other one, which goes first then
            treads(beside(here, False)[0], False)
            sole, _ = beside(place, walks)
        treads(sole, walks)
        here = place
    last = places[-1][0]
    for _ in range(2):  # both feet come to stand
        where, facing = tread(legs.feet[foot], last)
        own = next((step for step in reversed(steps) if step.foot == foot), None)
        if own is None or math.dist(own.place, where) > ALIKE or abs(own.turn - facing) > ALIKE:
            steps.append(Footstep(foot, where, facing, False))
        foot = 1 - foot
    return steps


def walk_steps(
    legs: Legs, start: Stance, route: Sequence[tuple[float, float]], end: Stance, sidles_out: bool, sidles_in: bool,
    posts: Sequence[tuple[float, float]] = (),
) -> list[Footstep]:  # fmt: skip
    """From standing to standing, not on posts. sidles_out, sidles_in: the route's first place is gone to sideways, and
    the last one, turning meanwhile. Which foot sets out is free where no side step says so: the one with which the last
    side step follows at once."""
    firsts = (None,) if sidles_out or not sidles_in else (None, 0, 1)
    tried = [_walk_steps(legs, start, route, end, sidles_out, sidles_in, first, posts) for first in firsts]
    return min(tried, key=len)


def _walk_steps(
    legs: Legs, start: Stance, route: Sequence[tuple[float, float]], end: Stance, sidles_out: bool, sidles_in: bool,
    first: int | None, posts: Sequence[tuple[float, float]],
) -> list[Footstep]:  # fmt: skip
    places, parts, here = list(route), [], start
    if sidles_out:
        aside = places.pop(0)
        here = Stance(aside, start.turn + _at_once(start.turn, _heading(aside, places[0]) if places else end.turn))
        parts.append(_side_steps(legs, start, here))
        first = parts[0][-1].foot
    turn = end.turn
    if sidles_in:
        places.pop()
        way = [here.place, *places]
        turn += _at_once(turn, _heading(*way[-2:]) if places else here.turn)
    parts.append(plan_footsteps(legs, here, places, turn, first, posts))
    if sidles_in:
        parts.append(_side_steps(legs, Stance(way[-1], turn), end))
    return _joined(legs, start, parts)


def _heading(start: tuple[float, float], end: tuple[float, float]) -> float:
    return math.atan2(end[0] - start[0], end[1] - start[1])


def _at_once(start: float, end: float) -> float:
    """By how much one who faces so turns towards another direction with one step of each foot."""
    return min(max(turn_towards(start, end), -_TURN_ASIDE), _TURN_ASIDE)


def _side_steps(legs: Legs, start: Stance, end: Stance) -> list[Footstep]:
    """Of who goes a little aside and turns meanwhile: first the foot on the side that leads there, so that none passes
    the other one."""
    lead = 0 if end.seen(*start.place)[0] < 0.0 else 1
    return [Footstep(n, *tread(legs.feet[n], end), False) for n in (lead, 1 - lead)]


def _joined(legs: Legs, start: Stance, parts: Sequence[Sequence[Footstep]]) -> list[Footstep]:
    """The steps of several ways, one after the other, with no rest between them: a foot that would come beside the
    other one and set out again goes on at once, if it gets there with one step."""
    stands = [Footstep(n, *tread(foot, start), False) for n, foot in enumerate(legs.feet)]
    found: list[Footstep] = []
    for steps in parts:
        if len(found) > 1 and steps and found[-1].foot == steps[0].foot:
            own = [step for step in (*stands, *found[:-1]) if step.foot == found[-1].foot]
            if _near(legs, own[-1], steps[0]):
                found.pop()
        found += steps
    return found


def _near(legs: Legs, before: Footstep, after: Footstep) -> bool:
    turns = abs(turn_towards(before.turn, after.turn))
    return math.dist(before.place, after.place) < _ONE_STEP * legs.height and turns < _ONE_TURN


def _body_places(
    legs: Legs, start: Stance, route: Sequence[tuple[float, float]], turn: float | None
) -> list[tuple[Stance, bool]]:
    """Where the body is at each step, and whether it walks then."""
    found: list[tuple[Stance, bool]] = []
    here = start
    way = [start.place, *(place for place in route)]
    way = [place for n, place in enumerate(way) if n == 0 or math.dist(place, way[n - 1]) > ALIKE]
    stride = STRIDE * legs.height
    length = sum(math.dist(a, b) for a, b in pairwise(way))
    near = length < 1.2 * stride and len(way) == 2
    if len(way) > 1:
        sets_out = _heading(way[0], way[1])
        if near:  # a step or two aside: who does so looks where they looked
            x, z = start.seen(*way[1])
            longest = stride if z > abs(x) else _SHORT * legs.height
            count = max(1, math.ceil(length / longest - 1e-9))
            places = [start.world(x * n / count, z * n / count) for n in range(1, count + 1)]
            both = 1 if z > abs(x) else 2  # to the side and backwards no foot passes the other one
            found += [(Stance(place, start.turn), False) for place in places for _ in range(both)]
            here = found[-1][0]
        else:
            if abs(turn_towards(here.turn, sets_out)) > SETS_OUT:
                found += _turning(here, here.turn + turn_towards(here.turn, sets_out))
                here = found[-1][0]
            facing = here.turn
            gone = _strides(way, stride)
            for n, along in enumerate(gone):
                place, ahead = _along(way, along, 0.3 * stride)
                by = turn_towards(facing, ahead)
                if abs(by) > SHARP:  # round a corner as on the spot
                    found += _turning(found[-1][0] if found else here, facing + 0.7 * by)
                facing += by
                found.append((Stance(place, facing), n < len(gone) - 1))
            here = found[-1][0]
    if turn is None:
        return found
    end = here.turn + turn_towards(here.turn, turn) if found else turn  # who only turns may turn round and round
    by = end - here.turn
    if found and abs(by) < (LITTLE if near else TURN_A_STEP):  # the last steps of a walk are turned along
        shares = (_BEFORE_LAST, 1.0)[-len(found) :]
        found[-2:] = [
            (Stance(place.place, place.turn + share * by), walks)
            for share, (place, walks) in zip(shares, found[-2:], strict=True)
        ]
    elif abs(by) > ALIKE:
        found += _turning(here, end)
    return found


def _strides(way: Sequence[tuple[float, float]], stride: float) -> list[float]:
    """How far along a way each step leads: shorter ones in bends, the first and the last one short as well."""
    length = sum(math.dist(a, b) for a, b in pairwise(way))
    steps: list[float] = []
    while sum(steps) < length - 1e-9:
        gone = sum(steps)
        step = stride * (1.0 if steps else FIRST_STEP)
        _, before = _along(way, gone, 0.3 * stride)
        while step > _SHORTEST * stride:
            _, after = _along(way, gone + step, 0.3 * stride)
            if abs(turn_towards(before, after)) <= TURN_WALKING:
                break
            step *= 0.8
        steps.append(step)
    left = length - sum(steps[:-1])
    if left > LAST_STEP * stride:  # the last step is a short one
        steps[-1:] = [left - 0.5 * LAST_STEP * stride, 0.5 * LAST_STEP * stride]
    if len(steps) < 2:
        steps = [0.5 * length, 0.5 * length]
    scale = length / sum(steps)
    return [scale * sum(steps[: n + 1]) for n in range(len(steps))]


def _turning(here: Stance, turn: float) -> list[tuple[Stance, bool]]:
    """Turning on the spot: each step turns the body a part of the way. Of two steps the first one, with the foot that
    is inside, turns more: its toes point outwards, and the other foot has room to come there."""
    by = turn - here.turn
    count = max(1, math.ceil(abs(by) / TURN_A_STEP - 1e-9))
    parts = [n / count for n in range(1, count + 1)]
    if count == 2:
        parts[0] = min(FIRST_PART, FIRST_TURN / abs(by))
    return [(Stance(here.place, here.turn + by * part), False) for part in parts]


def _along(way: Sequence[tuple[float, float]], gone: float, ahead: float) -> tuple[tuple[float, float], float]:
    """The place on a way after so much of it, and the direction to where the way is a little later."""
    place, later = _at(way, gone), _at(way, gone + ahead)
    if math.dist(place, later) < ALIKE:
        return place, _heading(way[-2], way[-1])
    return place, _heading(place, later)


def _at(way: Sequence[tuple[float, float]], gone: float) -> tuple[float, float]:
    for (x0, z0), (x1, z1) in pairwise(way):
        length = math.dist((x0, z0), (x1, z1))
        if gone <= length:
            share = gone / length
            return x0 + share * (x1 - x0), z0 + share * (z1 - z0)
        gone -= length
    return way[-1]
