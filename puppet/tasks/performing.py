"""Gestures: one posture or several in a row, with what the hand holds."""

from __future__ import annotations

from dataclasses import replace

from puppet.command import (
    Perform,
)
from puppet.errors import PuppetError, did_you_mean
from puppet.scene import as_position
from puppet.tasks import grip
from puppet.tasks.bringing import HeldThing
from puppet.tasks.gesture_things import find_goal, hand_problem, named_things, no_goal, suited_things
from puppet.tasks.motion import (
    AtAngles,
    AtGesture,
    AtObject,
    Carry,
    Change,
    Motion,
    Placed,
)
from puppet.tasks.outcome import Hands, Outcome, reject
from puppet.tasks.task_context import TaskContext


def interpret_gesture(context: TaskContext, command: Perform) -> Outcome:
    """A gesture: one posture or several in a row. What the hand holds goes along."""
    plan, scene, hand = context.plan, context.plan.scene, command.hand
    known = context.hands.gestures
    if command.gesture not in known:
        why = known.impossible.get(command.gesture)
        why = why or f"unknown gesture '{command.gesture}'; {did_you_mean(command.gesture, known)}"
        return reject(plan, f"Perform {command.gesture}", why)
    gesture = known[command.gesture]
    words = f"{gesture.words} with {hand} hand"
    in_palm, grasped = plan.in_palm(hand), plan.grasped(hand)
    if in_palm:
        return reject(plan, words, f"'{in_palm[0]}' lies in the {hand} hand, which can only slide until that is taken")
    named = named_things(gesture, command.things, scene)
    if isinstance(named, str):
        return reject(plan, words, named)
    problem = hand_problem(gesture, hand, grasped, named.get("held"))
    if problem:
        return reject(plan, words, problem)
    thing = named.get("goal")
    if gesture.goal is not None:
        here = as_position(plan.hands[hand].transform.position)
        thing = thing or find_goal(gesture.goal, gesture, scene, grasped, here)
        if thing is None:
            own = grasped if grasped in suited_things(gesture.goal, gesture, scene) else None
            return reject(plan, words, no_goal(gesture.goal, gesture, own))
        if grasped is not None and thing in scene.tower(grasped):
            return reject(plan, words, f"'{thing}' is in the {hand} hand itself")
        if not gesture.name.endswith(thing):
            words = " ".join(filter(None, (gesture.words, gesture.goal.word, thing, "with", hand, "hand")))
    target = thing or named.get("held") or grasped
    try:
        goals = context.hands.gesture_goals(hand, gesture, thing)
    except PuppetError as error:
        return reject(plan, words, str(error))
    critical = context.hands.gesture_joints(hand, gesture)
    held = None
    if grasped is not None:
        lock_goal = plan.locks[hand].goal
        assert isinstance(lock_goal, AtObject)
        entry = scene.object(grasped)
        held = HeldThing(entry, grip.held_in_hand(context.hands.limb(hand), lock_goal.grip, entry.width))
    final, miss = context.hands.perform(hand, goals, scene, held)
    changes: tuple[Change, ...] = ()
    carry, last = None, None
    if held is not None and grasped is not None:
        last = plan.locks[hand].goal
        centre = final.compose(held.in_hand).position
        changes = (Placed(grasped, as_position(centre - (0.0, held.thing.width, 0.0))),)
        carry = Carry(scene.tower(grasped), settles=False)
    outcome = context.outcome(
        words, _critical_part(context.hands, goals[-1], critical), final, miss, critical, changes, carry, last=last,
        looks=gesture.looks, posture=AtAngles(goals[-1].angles),
    )  # fmt: skip
    assert outcome.motion is not None
    motion: Motion | None = None
    cycle: Motion | None = None
    for number in range(len(goals) - 1, -1, -1):
        pace, speed = gesture.steps[number].pace, outcome.motion.speed
        frames = None if speed is None else max(1, round(speed * pace))
        ends = number == len(goals) - 1
        motion = replace(
            outcome.motion, goal=_critical_part(context.hands, goals[number], critical),
            posture=AtAngles(goals[number].angles), speed=frames, pace=pace, couple=motion,
            changes=changes if ends else (), scene_after=outcome.motion.scene_after if ends else scene,
        )  # fmt: skip
        if gesture.steps[number].cyclic:
            cycle = replace(motion, couple=cycle)
    assert motion is not None
    return replace(outcome, motion=replace(motion, cycle=cycle), target=target)


def _critical_part(hands: Hands, goal: AtAngles | AtGesture, critical: frozenset[int]) -> AtAngles | AtGesture:
    """A posture with the angles of critical joints alone."""
    return replace(goal, angles=tuple((dof, angle) for dof, angle in goal.angles if hands.joint_of(dof) in critical))
