"""Commands about the whole body: parts are pinned, let go and dragged, and the body is kept in balance or not."""

from __future__ import annotations

import math
from dataclasses import replace

from puppet.command import AUTO, Balance, Drag, Pin, Unpin
from puppet.errors import did_you_mean
from puppet.tasks.locking import primitive_problem
from puppet.tasks.motion import AtBalance, AtDrag, AtPin, AtUnpin, Goal, Motion
from puppet.tasks.outcome import Hands, Outcome, reject
from puppet.tasks.plan import Plan

FARTHEST_PLACE = 100.0  # a place farther away is a mistake
FARTHEST_TURN = 3600.0  # degrees


def interpret_whole_body(plan: Plan, command: Pin | Unpin | Drag | Balance, task: int, hands: Hands) -> Outcome:
    """What a command about the whole body means in a plan. It waits for everything that was told before it."""
    if isinstance(command, Balance):
        words = f"Balance {'on' if command.on else 'off'}"
        return Outcome(plan, _motion(plan, command, task, hands, AtBalance(command.on), words), words)
    if isinstance(command, (Pin, Drag)) and isinstance(command.to, str):
        known = {thing.name for thing in plan.scene.objects}
        if command.to not in known:
            return reject(plan, "", f"unknown object '{command.to}'; {did_you_mean(command.to, known)}")
        command = replace(command, to=plan.scene.centre(command.to))
    name = command.part.replace("_", " ")
    verb = {Pin: "Pin", Unpin: "Unpin", Drag: "Drag"}[type(command)]
    words = f"{verb} {name}"
    if command.part not in hands.parts:
        return reject(plan, words, f"unknown part '{command.part}'; {did_you_mean(command.part, hands.parts)}")
    if isinstance(command, Unpin):
        if command.part not in plan.pins:
            return reject(plan, words, f"the {name} is not pinned")
        motion = _motion(plan, command, task, hands, AtUnpin(command.part), words)
        return Outcome(replace(plan, pins=plan.pins - {command.part}), motion, words)
    if isinstance(command, Pin):
        if command.part in plan.pins:
            return reject(plan, words, f"the {name} is pinned already; unpin it first")
        if not 0.0 <= command.gain <= 1.0:
            return reject(plan, words, f"a gain is a number from 0 to 1, not {command.gain!r}")
        assert not isinstance(command.to, str)
        if command.to is not None and not _is_place(command.to):
            return reject(plan, words, f"a pin goes to a place of three numbers, not {command.to}")
        if command.turn is not None and not _is_place(command.turn, FARTHEST_TURN):
            return reject(plan, words, f"a turn is three angles in degrees, not {command.turn}")
        goal = AtPin(command.part, command.to, command.turn, command.gain)
        motion = _motion(plan, command, task, hands, goal, words)
        return Outcome(replace(plan, pins=plan.pins | {command.part}), motion, words)
    assert not isinstance(command.to, str)
    place = command.to if command.to is not None else command.by
    if place is None or (command.to is None) == (command.by is None):
        return reject(plan, words, "a drag goes to a place, or by a vector: one of the two")
    if not _is_place(place):
        return reject(plan, words, f"a drag goes to a place or by a vector of three numbers, not {place}")
    if command.part in plan.pins:
        return reject(plan, words, f"the {name} is pinned; unpin it first")
    point = (0.0, 0.0, 0.0) if command.point is None else command.point
    if not _is_place(point):
        return reject(plan, words, f"the point of a drag is a place of three numbers, not {point}")
    motion = _motion(plan, command, task, hands, AtDrag(command.part, command.to, command.by, point), words)
    problem = primitive_problem("speed", motion.speed or AUTO) or primitive_problem("curve", motion.curve)
    return reject(plan, words, problem) if problem else Outcome(plan, motion, words)


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


def _is_place(place: tuple[float, ...], farthest: float = FARTHEST_PLACE) -> bool:
    return len(place) == 3 and all(math.isfinite(value) and abs(value) <= farthest for value in place)
