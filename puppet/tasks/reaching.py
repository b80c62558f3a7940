"""Reaches: a hand goes to a thing, a space or a point, or puts there what it holds (Tables 6.3 to 6.10)."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from puppet.command import (
    Reach,
    Slide,
    Task,
)
from puppet.errors import did_you_mean
from puppet.geometry import Transform
from puppet.locomotion import before_shelf
from puppet.scene import Scene, as_position
from puppet.tasks import grip
from puppet.tasks.locking import space_words
from puppet.tasks.motion import (
    AtObject,
    AtSpace,
    Carry,
    Change,
    Goal,
    Motion,
    Moved,
    Placed,
    Stacked,
)
from puppet.tasks.outcome import Outcome, reject
from puppet.tasks.plan import HandPlan, Plan, at_transform, wanted_transform
from puppet.tasks.pointing import at_point
from puppet.tasks.sliding import interpret_slide, out_of_table
from puppet.tasks.task_context import TaskContext
from puppet.tasks.travelling import step_to_room
from puppet.types import Vector

AFTER_STEP = ", after a step"  # and where to
REGRIP_SHARE = 0.4  # of the frames of a task in which a hand goes over to another grip, first or in the end


def interpret_reach(context: TaskContext, command: Reach) -> Outcome:
    plan, scene, hand = context.plan, context.plan.scene, command.hand
    if [command.object, command.space, command.point].count(None) != 2:
        return reject(plan, "", "a reach needs an object, a space or a point")
    if command.point is not None:
        return _reach_point(context, command, command.point)
    target = command.object if command.object is not None else command.space
    assert target is not None
    known = {o.name for o in scene.objects} if command.object is not None else {s.name or "" for s in scene.spaces}
    what = "object" if command.object is not None else "space"
    if target not in known:
        return reject(plan, f"Reach {target}", f"unknown {what} '{target}'; {did_you_mean(target, known)}")
    grasped = plan.grasped(hand)
    if grasped is not None:
        return replace(_put(context, grasped, command), target=target)
    words = f"Reach {target if command.object is not None else space_words(scene, target)} with {hand} hand"
    in_palm = plan.in_palm(hand)
    if in_palm:
        return reject(plan, words, f"'{in_palm[0]}' lies in the {hand} hand, which can only slide until that is taken")
    place = scene.base(target) if command.object is not None else scene.space(target).position
    width = scene.object(target).width if command.object is not None else 0.0
    step = step_to_room(context, place, width)
    stepped = interpret_reach(context.moved(step[0]), command) if step is not None else None
    if step is not None and stepped is not None and stepped.motion is not None:
        return _after_step(step, stepped)
    goal: AtObject | AtSpace
    if command.object is not None:
        taken, reason = grip.possible_grip(scene, target, context.primitives.grip)
        goal = AtObject(target, taken, pitch=_other_pitch(context, target))
    else:
        goal, reason = AtSpace(target, context.primitives.grip), ""
        bottom = scene.bottom(target)
        if bottom is not None:
            reason = f"'{bottom}' stands at {space_words(scene, target)}, so the hand goes to its side"
    return replace(_reach_empty(context, words, goal, reason), target=target)


def _after_step(step: tuple[Plan, Motion, str], outcome: Outcome) -> Outcome:
    """What a hand does after a step."""
    words = f"{outcome.interpretation}{AFTER_STEP} {step[2]}"
    return replace(
        outcome, interpretation=words, motion=replace(step[1], couple=outcome.motion).throughout(interpretation=words)
    )


def _other_pitch(context: TaskContext, target: str) -> float | None:
    """How far down the fingers of another hand point that is at the same thing: both take it in the same way."""
    for hand, plan in context.plan.hands.items():
        if hand != context.command.hand and isinstance(plan.goal, AtObject) and plan.goal.object == target:
            return plan.goal.pitch or 0.0
    return None


def _reach_point(context: TaskContext, command: Reach, point: Vector) -> Outcome:
    """A hand to a point of the world, with what it holds."""
    plan, hand = context.plan, command.hand
    words = f"Reach ({', '.join(f'{value:g}' for value in point)}) with {hand} hand"
    if not all(np.isfinite(value) and abs(value) <= 100.0 for value in point):
        return reject(plan, words, f"a point is three numbers of at most 100, not {point}")
    if plan.grasped(hand) is not None or plan.in_palm(hand):
        x, y, z = np.array(point) - plan.hands[hand].transform.position
        common = {field.name: getattr(command, field.name) for field in fields(Task)}
        return replace(interpret_slide(context, Slide(**common, by=(float(x), float(y), float(z)))), target=point)
    goal, reached, miss = at_point(context.hands, hand, plan.scene, point, context.primitives.grip)
    lifted = "raised out of the table" if goal.position[1] > point[1] + 1e-9 else ""
    outcome = context.outcome(words, goal, reached, miss, context.hands.critical(hand), reason=lifted)
    return replace(outcome, target=point)


def _reach_empty(context: TaskContext, words: str, goal: AtObject | AtSpace, reason: str) -> Outcome:
    """An empty hand is sent to a goal."""
    hand = context.command.hand
    aimed, reached, miss = context.hands.aim(hand, context.plan.scene, goal)
    return context.outcome(words, aimed, reached, miss, context.hands.critical(hand), reason=reason)


def _put(context: TaskContext, grasped: str, command: Reach) -> Outcome:
    """A hand that holds something reaches: it moves or stacks what it holds (Tables 6.6, 6.7, 6.10)."""
    plan, scene, hand = context.plan, context.plan.scene, command.hand
    change: Change
    receiving = None
    if command.object is not None:
        onto = command.object
        words = f"Stack {grasped} on {onto}"
        if onto == grasped:
            return reject(plan, words, f"'{grasped}' cannot stand on itself")
        if scene.is_below(onto, grasped):
            return reject(plan, words, f"'{grasped}' stands above '{onto}' in the same stack already")
        if scene.is_below(grasped, onto):
            swap = f"to swap them, first move '{onto}' away"
            return reject(plan, words, f"'{onto}' stands above '{grasped}' in the same stack; {swap}")
        change = Stacked(grasped, onto)
        top = scene.stack_of(onto)[-1]
        space = scene.space_of(onto)
        receiving = space.name if space.dynamic else None
    else:
        target = command.space
        assert target is not None
        words = f"Move {grasped} to {space_words(scene, target)}"
        if target == hand:
            return reject(plan, words, f"the {hand} hand cannot put '{grasped}' into itself")
        if scene.space_of(grasped).name == target:
            return reject(plan, words, f"'{grasped}' is at {space_words(scene, target)} already")
        change = Moved(grasped, target)
        top = scene.topmost(target) or ""
        onto = ""
        receiving = target if scene.space(target).dynamic else None
    if receiving == hand:
        return reject(plan, words, f"the {hand} hand cannot put '{grasped}' into itself")
    full = plan.grasped(receiving) if receiving is not None else None
    if full is not None:
        return reject(plan, words, f"the {receiving} hand holds '{full}', so nothing can be put into it")
    if top and top != onto:
        words += f", on top of {top}"
    after = change.apply(scene)
    step = step_to_room(context, after.base(grasped), scene.object(grasped).width)
    stepped = _put(context.moved(step[0]), grasped, command) if step is not None else None
    if step is not None and stepped is not None and stepped.motion is not None:
        return _after_step(step, stepped)
    held = plan.locks[hand]
    assert isinstance(held.goal, AtObject)
    asked = command.grip or (plan.primitives.grip if plan.primitives.grip != held.usual_grip else held.goal.grip)
    taken, reason = grip.possible_grip(after, grasped, asked)
    tower = scene.tower(grasped)
    regrips = taken != held.goal.grip
    first = regrips and scene.stands(grasped) and grip.possible_grip(scene, grasped, taken)[0] == taken
    if regrips and not first and grip.possible_grip(after, grasped, held.goal.grip)[0] != held.goal.grip:
        first = True  # it must be held so where it goes
    carried_by = taken if first or not regrips else held.goal.grip
    pitch = None if first else held.goal.pitch or 0.0  # as it is held
    lifted = _lifted(context, AtObject(grasped, carried_by, pitch=pitch), after) if first or not regrips else None
    if lifted is not None:
        context = replace(context, plan=lifted.plan)
    goal, reached, miss = context.hands.aim(hand, after, AtObject(grasped, carried_by, pitch=pitch))
    assert isinstance(goal, AtObject)
    critical = context.hands.critical(hand)
    changes: tuple[Change, ...] = (change,)
    if not miss.in_place:  # it stays in the hand, as near to its place as the hand gets
        wanted = context.hands.clear(hand, _at(context, after, goal))
        width = scene.object(grasped).width
        centre = reached.position + np.array(after.centre(grasped)) - wanted.position
        changes = (Placed(grasped, out_of_table(scene, as_position(centre - (0.0, width, 0.0)))),)
        outcome = context.outcome(
            words, at_transform(wanted), reached, miss, critical, changes, Carry(tower, True), last=goal, reason=reason
        )
    else:
        outcome = context.outcome(
            words, goal, reached, miss, critical, changes, Carry(tower, True), reason, goal, receiving
        )
    if lifted is not None and lifted.motion is not None and outcome.motion is not None:
        second = replace(outcome.motion, speed=lifted.motion.speed)
        outcome = replace(outcome, motion=replace(lifted.motion, interpretation=words, couple=second))
    if not regrips:
        return outcome
    return _with_grip_change(context, outcome, grasped, taken, first)


def _lifted(context: TaskContext, held: AtObject, after: Scene) -> Outcome | None:
    """What is put on a shelf is lifted before its edge first; None where it need not be, or cannot."""
    scene, hand = context.plan.scene, context.command.hand
    place = before_shelf(scene, after, held.object)
    if place is None:
        return None
    change = Placed(held.object, place)
    goal, reached, miss = context.hands.aim(hand, change.apply(scene), held)
    if not miss.met:
        return None
    carry, frames = Carry(scene.tower(held.object), True), context.primitives.frames
    if frames is not None:  # both together take as many frames as was said
        context = replace(context, primitives=replace(context.primitives, speed=max(1, frames // 2)))
    critical = context.hands.critical(hand)
    return context.outcome("", goal, reached, miss, critical, (change,), carry, last=goal)


def _at(context: TaskContext, scene: Scene, goal: Goal) -> Transform:
    transform = wanted_transform(scene, context.hands.body, context.hands.limb(context.command.hand), goal)
    assert transform is not None
    return transform


def _with_grip_change(context: TaskContext, outcome: Outcome, grasped: str, taken: str, first: bool) -> Outcome:
    """The same with the hand going over to another grip while the object stands: first of all, or in the end."""
    motion = outcome.motion
    assert motion is not None
    hand = context.command.hand
    scene = context.plan.scene if first else motion.scene_after
    if not first and not scene.stands(grasped):
        reason = f"'{grasped}' does not stand on anything there, so the hand keeps its grip"
        words = f"{outcome.reason}; {reason}" if outcome.reason else reason
        return replace(outcome, reason=words, adjusted=True)
    goal, reached, miss = context.hands.aim(hand, scene, AtObject(grasped, taken))
    change = replace(
        motion, goal=goal, changes=(), carry=None, rests_on=frozenset(), scene_after=scene, regrips=grasped
    )
    if motion.speed is not None:  # both together take as many frames as was said
        frames = max(1, round(REGRIP_SHARE * motion.speed))
        change, motion = replace(change, speed=frames), replace(motion, speed=max(1, motion.speed - frames))
        outcome = replace(outcome, motion=motion)
    if first:
        return replace(outcome, motion=replace(change, couple=motion))
    held = outcome.plan.locks.get(hand)
    plan = replace(
        outcome.plan,
        hands={**outcome.plan.hands, hand: HandPlan(reached, goal, context.task, miss)},
        locks={**outcome.plan.locks, hand: replace(held, goal=goal)} if held else outcome.plan.locks,
    )  # fmt: skip
    return replace(outcome, plan=plan, motion=replace(motion, couple=change))
