"""How deep the body and the things in its hands get into anything, noted for the tasks under way."""

from __future__ import annotations

import math
from collections.abc import Set
from dataclasses import replace

from puppet.body import Body, hand_transforms
from puppet.geometry import length
from puppet.motion import DepthJudge
from puppet.stage.state import Running, State, Touch
from puppet.stage.task_log import TaskLog
from puppet.tasks import AtGesture, Motion

_LEFT = 5e-3  # of the body's height: a hand that is farther from where it touched a thing, and clear of it, has left


def kept_touches(state: State, running: Running) -> dict[str, tuple[Touch, ...]]:
    """What hands touch after a movement, for as long as they stay there: other tasks may still be under way."""
    found = dict(state.touches)
    for hand in {touch.hand for touch in running.touches}:
        own = (touch for touch in running.touches if touch.hand == hand)
        found[hand] = tuple(replace(touch, everywhere=False, leaves=True) for touch in own)
    return found


def brought_to(body: Body, motion: Motion) -> int | None:
    """The joint of the body itself that a gesture brings a hand, or what is in it, to."""
    if not isinstance(motion.goal, AtGesture) or motion.goal.bring.of_thing:
        return None
    landmark = body.place(motion.goal.bring.to)
    return None if landmark is None else landmark.joint


def note_depths(judge: DepthJudge, body: Body, log: TaskLog, state: State) -> State:
    """Notes for the tasks under way how deep anything is in anything. A hand that has left what it touched, and is
    clear of it, does not touch it any more."""
    hands: dict[str, dict[str, float]] = {hand: {} for hand in body.hands}
    tips, things = hand_transforms(body, state.angles), state.staged.transforms
    rested = [touch for touches in state.touches.values() for touch in touches]
    left = set()
    for touch in (*rested, *(touch for running in state.running for touch in running.touches)):
        place = things[touch.thing].relative(tips[touch.hand]).position
        allowed = touch.allowed(place)
        if touch.leaves and length(place - touch.place) > _LEFT * body.height:
            left.add((touch.hand, touch.thing))
        hands[touch.hand][touch.thing] = max(allowed, hands[touch.hand].get(touch.thing, 0.0))
    scene = state.staged.scene
    in_the_air = {name: hand for hand, name in state.holding.items() if not scene.stands(name)}
    carried = {**in_the_air, **{name: c.hand for c in state.carrying for name in c.objects}}
    for name, hand in carried.items():
        hands[hand][name] = math.inf
    on_body: dict[str, int] = {}
    for running in state.running:
        joint = brought_to(body, running.motion)
        if joint is None:
            joint = running.leaves
        if joint is not None:
            on_body[running.motion.hand] = joint
    found, inside = judge.deepest(state.angles, things, hands, carried, on_body)
    left -= inside | {(hand, name) for name, hand in carried.items()}
    if left:
        state = _without(state, left)
    if found is None:
        return state
    moving = [r.motion for r in state.running if not r.motion.head]
    tasks = [motion.task for motion in moving if motion.hand in found.limbs]
    for task in tasks or [motion.task for motion in moving]:
        if found.depth > log[task].depth:
            log.change(task, depth=found.depth, depth_frame=state.frame, depth_words=found.words)
    return state


def _without(state: State, left: Set[tuple[str, str]]) -> State:
    """The same without touches that were left: of hands, and things."""

    def kept(touches: tuple[Touch, ...]) -> tuple[Touch, ...]:
        return tuple(touch for touch in touches if not touch.leaves or (touch.hand, touch.thing) not in left)

    touches = {hand: kept(own) for hand, own in state.touches.items()}
    running = tuple(replace(r, touches=kept(r.touches)) for r in state.running)
    return replace(state, touches=touches, running=running)
