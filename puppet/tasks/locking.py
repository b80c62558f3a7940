"""Commands that move nothing: motion primitives and locks (Sections 3.3 and 6.2)."""

from __future__ import annotations

from dataclasses import replace

from puppet.command import AUTO, CURVES, GRIPS, MAX_CLEARANCE, MAX_SPEED, OVERLAPS, Lock, SetPrimitive, Unlock
from puppet.errors import did_you_mean
from puppet.scene import Scene
from puppet.tasks.miss import Miss
from puppet.tasks.motion import AtObject, AtRest, AtSpace, Goal, Primitives
from puppet.tasks.outcome import Outcome, reject
from puppet.tasks.plan import Held, Plan, with_possible_grip

PRIMITIVES = ("grip", "speed", "curve", "overlap", "clearance")


def primitive_problem(name: str, value: object) -> str:
    """What is wrong with the value of a primitive; "" if nothing is."""
    if name == "speed":
        if value == AUTO:
            return ""
        whole = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_SPEED
        return "" if whole else f"a speed is '{AUTO}' or a whole number of frames from 1 to {MAX_SPEED}, not {value!r}"
    if name == "clearance":
        number = isinstance(value, (int, float)) and not isinstance(value, bool) and 0.0 <= value <= MAX_CLEARANCE
        return "" if number else f"a clearance is a number from 0 to {MAX_CLEARANCE}, not {value!r}"
    known = {"grip": GRIPS, "curve": tuple(CURVES), "overlap": OVERLAPS}[name]
    return "" if value in known else f"unknown {name} '{value}'; {did_you_mean(str(value), known)}"


def primitives_of(plan: Plan, command: object) -> Primitives | str:
    """The plan's primitives with those that a command names itself, or what is wrong with them."""
    named = {name: value for name in PRIMITIVES if (value := getattr(command, name, None)) is not None}
    problem = next((found for name, value in named.items() if (found := primitive_problem(name, value))), "")
    return problem or replace(plan.primitives, **named)


def set_primitive(plan: Plan, command: SetPrimitive) -> Outcome:
    words = f"Set {command.name} to {command.value}"
    if command.name not in PRIMITIVES:
        return reject(plan, words, f"unknown primitive '{command.name}'; {did_you_mean(command.name, PRIMITIVES)}")
    problem = primitive_problem(command.name, command.value)
    if problem:
        return reject(plan, words, problem)
    changed: dict[str, str | int | float] = {command.name: command.value}
    return Outcome(replace(plan, primitives=replace(plan.primitives, **changed)), None, words)  # type: ignore[arg-type]


def lock(plan: Plan, command: Lock) -> Outcome:
    hand = plan.hands[command.hand]
    words = f"Lock {command.hand} hand"
    if hand.goal is None:
        return reject(plan, words, f"the {command.hand} hand has done nothing yet that it could stay with")
    words += f": {describe_goal(plan.scene, hand.goal)}"
    if not hand.miss.met:
        return reject(plan, words, lock_refusal(command.hand, hand.miss))
    in_palm = plan.in_palm(command.hand)
    if isinstance(hand.goal, AtObject) and in_palm:
        return reject(plan, words, f"'{in_palm[0]}' lies in the {command.hand} hand, which can hold nothing else")
    goal = with_possible_grip(plan.scene, hand.goal)
    held = Held(goal, hand.task, usual_grip=plan.primitives.grip)
    return Outcome(replace(plan, locks={**plan.locks, command.hand: held}), None, words)


def lock_refusal(hand: str, miss: Miss) -> str:
    """Why a hand cannot be locked to a goal that it misses (trap 12)."""
    if miss.in_place:
        return f"the {hand} hand does not get there: {miss.words.removeprefix('the hand ')}".replace(": is", ": it is")
    return f"the {hand} hand does not get there: it is {miss.words}"


def unlock(plan: Plan, command: Unlock) -> Outcome:
    words = f"Unlock {command.hand} hand"
    if command.hand not in plan.locks:
        return reject(plan, words, f"the {command.hand} hand is not locked")
    rest = {hand: held for hand, held in plan.locks.items() if hand != command.hand}
    return Outcome(replace(plan, locks=rest), None, words)


def describe_goal(scene: Scene, goal: Goal) -> str:
    """A goal in words."""
    if isinstance(goal, AtObject):
        return f"stay at {goal.object}"
    if isinstance(goal, AtSpace):
        return f"stay at {space_words(scene, goal.space)}"
    return "stay on the table" if isinstance(goal, AtRest) else "stay as it is"


def space_words(scene: Scene, space: str) -> str:
    return f"{space} space" if scene.space(space).dynamic else f"space {space}"
