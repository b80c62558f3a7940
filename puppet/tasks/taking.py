"""Taking, putting and giving: what reach, lock and unlock do, in one task; and which hand does it, or which thing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np

from puppet.command import GiveThing, Lock, PointAt, PutThing, Reach, TakeThing, Task, Unlock
from puppet.errors import did_you_mean
from puppet.geometry import Transform
from puppet.scene import as_position
from puppet.tasks.locking import lock, unlock
from puppet.tasks.motion import AtObject, Carry, Placed
from puppet.tasks.outcome import Hands, Outcome, reject
from puppet.tasks.plan import Plan, placed_in_world
from puppet.tasks.reaching import AFTER_STEP
from puppet.tasks.task_context import TaskContext

Interpret = Callable[[Plan, Task], Outcome]
_FREE, _MET, _FAR = 4.0, 2.0, 1.0  # what counts most of a hand: that it is free, that it gets there, that it is near
# Where a thing changes hands, from the middle between both shoulders, in lengths of the arm: down, and ahead.
_MEETING_DOWN, _MEETING_AHEAD = 0.4, 0.55
_OVER_TABLE = 0.04  # of the length of the arm, between the table and a thing that changes hands


def take(plan: Plan, command: TakeThing, hands: Hands, reach: Interpret) -> Outcome:
    """A reach and a lock on what was reached."""
    words = f"Take {command.object} with {command.hand} hand"
    known = [entry.name for entry in plan.scene.objects]
    if command.object not in known:
        near = did_you_mean(str(command.object), known)
        return reject(plan, words, f"unknown object '{command.object}'; {near}")
    grasped = plan.grasped(command.hand)
    if grasped is not None:
        again = f"holds '{grasped}' already" if grasped == command.object else f"holds '{grasped}'; put that down first"
        return reject(plan, words, f"the {command.hand} hand {again}")
    if command.hand in plan.locks:
        plan = unlock(plan, Unlock(hand=command.hand)).plan
    outcome = reach(plan, _as_reach(command, command.hand, object=command.object))
    if outcome.rejected:
        return replace(outcome, interpretation=words)
    held = lock(outcome.plan, Lock(hand=command.hand))
    outcome = _renamed(outcome, words)
    if held.rejected:  # it does not get there
        return outcome
    return replace(outcome, plan=held.plan, contacts=((command.hand, "lock"),))


def put(plan: Plan, command: PutThing, reach: Interpret) -> Outcome:
    """The hand that holds a thing reaches for the place, and lets go."""
    where = command.onto if command.onto is not None else f"space {command.space}"
    words = f"Put {command.object} on {where}"
    holders = [hand for hand in plan.hands if plan.grasped(hand) == command.object]
    if command.object not in [entry.name for entry in plan.scene.objects]:
        known = [entry.name for entry in plan.scene.objects]
        return reject(plan, words, f"unknown object '{command.object}'; {did_you_mean(command.object, known)}")
    if not holders:
        return reject(plan, words, f"no hand holds '{command.object}'; take it first")
    outcome = reach(plan, _as_reach(command, holders[0], object=command.onto, space=command.space))
    if outcome.rejected:
        return replace(outcome, hand=holders[0])
    outcome = replace(outcome, hand=holders[0])
    if not outcome.plan.hands[holders[0]].miss.in_place:
        return outcome  # it stays in the hand
    after = outcome.plan
    for hand in holders:
        after = unlock(after, Unlock(hand=hand)).plan
    return replace(outcome, plan=after, contacts=tuple((hand, "unlock") for hand in holders))


def give(context: TaskContext, command: GiveThing, interpret: Interpret) -> Outcome:
    """Another hand reaches for what a hand holds and takes hold of it; then the first one lets go. What is too far for
    an upright body is brought between both hands first."""
    plan = context.plan
    words = f"Give {command.object} to {command.hand} hand"
    known = [entry.name for entry in plan.scene.objects]
    if command.object not in known:
        return reject(plan, words, f"unknown object '{command.object}'; {did_you_mean(command.object, known)}")
    holders = [hand for hand in plan.hands if plan.grasped(hand) == command.object]
    if command.hand in holders:
        return reject(plan, words, f"the {command.hand} hand holds '{command.object}' already")
    if not holders:
        return reject(plan, words, f"no hand holds '{command.object}'; take it first")
    grasped = plan.grasped(command.hand)
    if grasped is not None:
        return reject(plan, words, f"the {command.hand} hand holds '{grasped}'; put that down first")
    if command.hand in plan.locks:
        plan = unlock(plan, Unlock(hand=command.hand)).plan
    taking = replace(_as_reach(command, command.hand, object=command.object), grip=command.grip or "side")
    outcome = interpret(plan, taking)
    if outcome.rejected:
        return replace(outcome, interpretation=words)
    there = outcome.plan.hands[command.hand].transform
    if len(holders) == 1 and not context.hands.reach_upright(command.hand, there)[0].met:
        outcome = _met_half_way(replace(context, plan=plan), command, holders[0], taking, interpret) or outcome
    held = lock(outcome.plan, Lock(hand=command.hand))
    outcome = _renamed(outcome, words)
    if held.rejected:
        return outcome
    after = held.plan
    for hand in holders:
        after = unlock(after, Unlock(hand=hand)).plan
    return replace(outcome, plan=after, contacts=((command.hand, "lock"), *((hand, "unlock") for hand in holders)))


def _met_half_way(
    context: TaskContext, command: GiveThing, giver: str, taking: Reach, interpret: Interpret
) -> Outcome | None:
    """The thing is brought before the body by the hand that holds it, and taken there by the other one; None where the
    hands cannot meet."""
    scene, hands, held = context.plan.scene, context.hands, context.plan.locks[giver].goal
    assert isinstance(held, AtObject)
    width = scene.object(command.object).width
    (first, length), (second, _) = hands.shoulder(giver), hands.shoulder(command.hand)
    ahead = placed_in_world(scene.stance, Transform.of((0.0, 0.0, 0.0))).rotation[:, 2]
    place = (first + second) / 2.0 + length * (_MEETING_AHEAD * ahead - (0.0, _MEETING_DOWN, 0.0))
    place[1] = max(place[1] - width, scene.table.height + _OVER_TABLE * length)
    change = Placed(command.object, as_position(place))
    goal, reached, miss = hands.aim(giver, change.apply(scene), held)
    if not miss.met:
        return None
    brought = replace(context, command=replace(command, hand=giver)).outcome(
        "", goal, reached, miss, hands.critical(giver), (change,), Carry(scene.tower(command.object), True), last=goal
    )
    taken = interpret(brought.plan, taking)
    if taken.rejected or not taken.plan.hands[command.hand].miss.met:
        return None
    assert brought.motion is not None
    return replace(taken, motion=replace(brought.motion, couple=taken.motion))


def nearest_thing(plan: Plan, kind: str, hand: str) -> str | None:
    """The thing of a kind that is nearest to a hand: held by none, and with nothing on it."""
    scene, at = plan.scene, plan.hands[hand].transform.position
    held = {plan.grasped(name) for name in plan.hands}
    free = [
        entry.name for entry in scene.objects
        if entry.kind == kind and entry.name not in held and scene.above(entry.name) is None
    ]  # fmt: skip
    return min(free, key=lambda name: (float(np.linalg.norm(np.array(scene.centre(name)) - at)), name), default=None)


def with_nearest(plan: Plan, command: Reach | TakeThing, hand: str) -> Reach | TakeThing | str:
    """A task for the nearest thing of a kind as one for that thing, or why there is none."""
    assert command.nearest is not None
    found = nearest_thing(plan, command.nearest, hand)
    if found is not None:
        return replace(command, object=found, nearest=None)
    kinds = {entry.kind for entry in plan.scene.objects if entry.kind is not None}
    if command.nearest in kinds:
        return f"no thing of the kind '{command.nearest}' is free"
    return f"there is no thing of the kind '{command.nearest}'; {did_you_mean(command.nearest, kinds)}"


def with_better_hand(plan: Plan, command: Task, hands: Hands, interpret: Interpret) -> Outcome:
    """The outcome for the better hand: one that is free, that gets there, and that is near."""
    found: list[tuple[float, int, str, Outcome, str]] = []
    for number, hand in enumerate(hands.names):
        outcome = interpret(plan, replace(command, hand=hand))
        if outcome.rejected:
            found.append((-100.0, number, hand, outcome, outcome.reason))
            continue
        needs_empty = isinstance(command, (Reach, TakeThing, PointAt))
        busy = hand in plan.locks or bool(plan.in_palm(hand))
        miss = outcome.plan.hands[hand].miss
        way = float(np.linalg.norm(outcome.plan.hands[hand].transform.position - plan.hands[hand].transform.position))
        score = _FREE * (not (busy and needs_empty)) + _MET * miss.met - miss.position - _FAR * way
        words = f"it is {'not free' if busy and needs_empty else 'free'}"
        words += f", goes {way:.2f}" if miss.met else f", {miss.words}"
        found.append((score, number, hand, outcome, words))
    found.sort(key=lambda entry: (-entry[0], entry[1]))
    _, _, hand, outcome, words = found[0]
    if outcome.rejected:
        return replace(outcome, reason="; ".join(f"{name}: {why}" for _, _, name, _, why in found))
    others = "; ".join(f"{name}: {why}" for _, _, name, _, why in found[1:])
    return replace(outcome, hand=hand, chosen=f"{hand}: {words}" + (f"; {others}" if others else ""))


def _as_reach(command: Task, hand: str, **target: str | None) -> Reach:
    common = {field.name: getattr(command, field.name) for field in fields(Task)}
    return Reach(**{**common, "hand": hand, **target})


def _renamed(outcome: Outcome, words: str) -> Outcome:
    """The outcome of a reach in the words of the task that it serves."""
    assert outcome.motion is not None
    words += "".join(outcome.interpretation.partition(AFTER_STEP)[1:])
    return replace(outcome, interpretation=words, motion=outcome.motion.throughout(interpretation=words))
