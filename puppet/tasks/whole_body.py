"""Commands about the whole body: parts are pinned, let go and dragged, and the body is kept in balance or not."""

from __future__ import annotations

import math
from dataclasses import replace
from numbers import Real

from puppet.command import Balance, Drag, Pin, Travel, Unpin
from puppet.errors import did_you_mean
from puppet.tasks.locking import primitive_problem
from puppet.tasks.motion import AtBalance, AtDrag, AtPin, AtUnpin, Goal, Motion
from puppet.tasks.outcome import Hands, Outcome, reject
from puppet.tasks.plan import Plan

FARTHEST_PLACE = 100.0  # a place farther away is a mistake
FARTHEST_TURN = 3600.0  # degrees
MOST_TURNS = 1000  # of a swing


def whole_body_flaw(command: Pin | Unpin | Drag | Balance) -> str:
    """What is wrong with a command wherever it is given, if its fields are of the right types; "" where nothing is."""
    if isinstance(command, (Balance, Unpin)):
        return ""
    place = command.to
    if isinstance(command, Drag):
        if (command.to is None) == (command.by is None):
            return "a drag goes to a place, or by a vector: one of the two"
        place = command.to if command.by is None else command.by
        if command.point is not None and not _is_vector(command.point):
            return f"the point of a drag is three numbers, not {command.point!r}"
        told = [("speed", command.speed), ("curve", command.curve)]
        problems = [primitive_problem(name, value) for name, value in told if value is not None]
        if any(problems):
            return next(filter(None, problems))
    elif not _is_number(command.gain) or not 0.0 <= command.gain <= 1.0:
        return f"a gain is a number from 0 to 1, not {command.gain!r}"
    elif command.turn is not None and not _is_vector(command.turn, FARTHEST_TURN):
        return f"a turn is three angles in degrees, not {command.turn!r}"
    if place is not None and not isinstance(place, str) and not _is_vector(place):
        return f"a place, or a way, is three numbers from -{FARTHEST_PLACE:g} to {FARTHEST_PLACE:g}, not {place!r}"
    return ""


def travel_flaw(command: Travel) -> str:
    """The same of a journey."""
    to, by = command.to, command.by
    numbers = () if to is None or isinstance(to, str) else to
    if not all(_is_number(at) and abs(at) <= FARTHEST_PLACE for at in numbers):
        return f"a place on the floor is two numbers from -{FARTHEST_PLACE:g} to {FARTHEST_PLACE:g}, not {to!r}"
    if by is not None and not (_is_number(by) and abs(by) <= FARTHEST_TURN):
        return f"a turn is an angle in degrees, not {by!r}"
    if to is None and (command.verb in ("walk", "step", "jump", "swing") or (command.verb == "turn" and by is None)):
        return f"to {command.verb} takes a place or a thing to {command.verb} to"
    if command.verb == "step" and command.foot not in ("left", "right"):
        return f"a step is made with the left or the right foot, not {command.foot!r}"
    if command.turns is not None and not 1 <= command.turns <= MOST_TURNS:
        return f"a swing has 1 to {MOST_TURNS} turns, not {command.turns!r}"
    return ""


def interpret_whole_body(plan: Plan, command: Pin | Unpin | Drag | Balance, task: int, hands: Hands) -> Outcome:
    """What a command about the whole body means in a plan. It waits for everything that was told before it."""
    verb = {Pin: "Pin", Unpin: "Unpin", Drag: "Drag", Balance: "Balance"}[type(command)]
    problem = whole_body_flaw(command)
    if problem:
        return reject(plan, f"{verb} {_words(getattr(command, 'part', ''))}".rstrip(), problem)
    if isinstance(command, Balance):
        words = f"Balance {'on' if command.on else 'off'}"
        return Outcome(plan, _motion(plan, command, task, hands, AtBalance(command.on), words), words)
    name = _words(command.part)
    words = f"{verb} {name}"
    if command.part not in hands.parts:
        return reject(plan, words, f"unknown part '{command.part}'; {did_you_mean(command.part, hands.parts)}")
    if isinstance(command, Unpin):
        if command.part not in plan.pins:
            return reject(plan, words, f"the {name} is not pinned")
        motion = _motion(plan, command, task, hands, AtUnpin(command.part), words)
        return Outcome(replace(plan, pins=plan.pins - {command.part}), motion, words)
    place = command.to
    if isinstance(place, str):
        known = plan.scene.place_names
        if place not in known:
            return reject(plan, words, f"unknown thing '{place}'; {did_you_mean(place, known)}")
        place = plan.scene.place_of(place)
    if isinstance(command, Pin):
        if command.part in plan.pins:
            return reject(plan, words, f"the {name} is pinned already; unpin it first")
        motion = _motion(plan, command, task, hands, AtPin(command.part, place, command.turn, command.gain), words)
        return Outcome(replace(plan, pins=plan.pins | {command.part}), motion, words, target=command.to)
    if command.part in plan.pins:
        return reject(plan, words, f"the {name} is pinned; unpin it first")
    goal = AtDrag(command.part, place, command.by, command.point or (0.0, 0.0, 0.0))
    return Outcome(plan, _motion(plan, command, task, hands, goal, words), words, target=command.to)


def _motion(
    plan: Plan, command: Pin | Unpin | Drag | Balance, task: int, hands: Hands, goal: Goal, words: str
) -> Motion:
    primitives = plan.primitives
    curve = getattr(command, "curve", None)
    speed: int | str = getattr(command, "speed", None) or primitives.speed
    return Motion(
        task, "", goal, {}, frozenset(range(len(hands.parts))), speed if isinstance(speed, int) else None,
        curve or primitives.curve,
        "none", plan.scene, alone=True, interpretation=words, source=command.source,
    )  # fmt: skip


def _words(part: object) -> str:
    return str(part).replace("_", " ")


def _is_vector(value: object, farthest: float = FARTHEST_PLACE) -> bool:
    """Whether a value is three numbers that are not too large."""
    three = isinstance(value, (tuple, list)) and len(value) == 3
    return three and all(_is_number(number) and abs(number) <= farthest for number in value)  # type: ignore[attr-defined]


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
