"""What happens on stage becomes events: hands arrive, touch, take hold and let go, feet come down, things come to stand
on others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from puppet.body import Body, hand_transforms, joint_transforms
from puppet.locomotion import Landing
from puppet.stage import task_log
from puppet.stage.events import CONTACT, GRASP, LOOK, REACH, RELEASE, STACK, STEP, Event
from puppet.stage.state import State
from puppet.stage.task_log import Entry
from puppet.tasks import AtAngles, AtGesture, AtObject, Held, Motion, Moved, Stacked
from puppet.types import Floats

TOUCHED = 0.02  # body heights: a gesture that brings the fingers so near to a thing touches it


def take_hold(body: Body, state: State, hand: str, thing: str | None, line: int, file: str) -> State:
    """A hand has taken hold of a thing, or, with None, let go of what it held. A hand that was locked to a thing after
    it had left it takes hold when it is there again."""
    if thing is not None and state.exact and not state.staged.holds(hand_transforms(body, state.angles)[hand], thing):
        thing = None
    held = state.holding.get(hand)
    if held == thing:
        return state
    holding = {name: other for name, other in state.holding.items() if name != hand}
    grasps = {name: other for name, other in state.grasps.items() if name != hand}
    if thing is not None:
        holding[hand], grasps[hand] = thing, _grasp(state, hand, thing)
    state = replace(state, holding=holding, grasps=grasps)
    kind, which = (RELEASE, held) if thing is None else (GRASP, thing)
    return _happens(body, state, kind, hand, which, line, file)


def _grasp(state: State, hand: str, thing: str) -> Held:
    """How a hand holds what it takes hold of: as the plan has it, or else as it was last brought there."""
    held = state.plan.locks.get(hand)
    if held is not None and state.plan.grasped(hand) == thing:
        return held
    goal, task = state.finished.get(hand, (None, None))
    if not isinstance(goal, AtObject) or goal.object != thing:
        goal = AtObject(thing, "side")
    return Held(goal, task, usual_grip=state.plan.primitives.grip)


def land(body: Body, state: State, landings: Iterable[Landing], line: int, file: str) -> State:
    """Feet that come down in this frame."""
    for landing in landings:
        if landing.frame == state.frame:
            place = np.array(landing.place)
            state = _happens(body, state, STEP, "", None, line, file, place=place, joint=landing.joint)
    return state


def arrive(body: Body, state: State, entry: Entry, motion: Motion, met: bool, looked_at: Floats | None) -> State:
    """What has happened when a movement of a task is done. `looked_at`: where that is which is looked at."""
    line, file, staged, goal, hand = entry.line, entry.file, state.staged, motion.goal, motion.hand
    if motion.head:
        if motion.couple is None and entry.kind == "look" and entry.status != task_log.MISSED:
            thing = entry.target if isinstance(entry.target, str) else None
            looked_at = _ahead(body, state) if looked_at is None else looked_at
            return _happens(body, state, LOOK, "", thing, line, file, place=looked_at)
        return state
    if not met or not hand or isinstance(goal, AtAngles):
        return state
    if isinstance(goal, AtGesture):
        touches = goal.bring.of_thing and goal.bring.part == "tip" and max(map(abs, goal.bring.offset)) < TOUCHED
        return _happens(body, state, CONTACT, hand, goal.thing, line, file) if touches else state
    if motion.couple is None:
        thing = goal.object if isinstance(goal, AtObject) else None
        state = _happens(body, state, REACH, hand, thing, line, file)
        if thing is not None and motion.carry is None:
            state = _happens(body, state, CONTACT, hand, thing, line, file)
    for change in motion.changes:
        if isinstance(change, (Moved, Stacked)) and staged.scene.below(change.name) is not None:
            at, below = staged.transforms[change.name].position, staged.scene.below(change.name)
            state = _happens(body, state, STACK, hand, change.name, line, file, below, at)
    return state


def _ahead(body: Body, state: State) -> Floats:
    """A point before the eyes, a body's height away."""
    assert body.gaze is not None
    row = joint_transforms(body, state.angles)[body.gaze.joint]
    eyes = np.array(body.gaze.eyes) + body.height * np.array(body.gaze.forward)
    return np.asarray(row[:3] + row[3:].reshape(3, 3) @ eyes)


def _happens(
    body: Body, state: State, kind: str, hand: str, thing: str | None, line: int, file: str,
    onto: str | None = None, place: Floats | None = None, joint: int | None = None,
) -> State:  # fmt: skip
    """`joint`: the part of the body; by default that of the hand, or the head."""
    if place is None:
        place = hand_transforms(body, state.angles)[hand].position if hand else np.zeros(3)
    if joint is None:
        joint = body.limb(hand).joints[-1] if hand else body.gaze.joint if body.gaze is not None else 0
    x, y, z = (float(value) for value in place)
    event = Event(state.frame, kind, body.joint_names[joint], thing, (x, y, z), line, file, onto)
    return replace(state, events=state.events.plus(event))
