"""How deep the body and the things in its hands get into anything, noted for the tasks under way."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

import numpy as np

from puppet.body import Body, joint_transforms, tip_path
from puppet.geometry import Transform, length
from puppet.motion import DepthJudge, Pairs
from puppet.stage.state import Running, State, Touch, Unjudged, next_state
from puppet.stage.task_log import TaskLog
from puppet.tasks import AtGesture, Motion
from puppet.types import Floats

_AT_ONCE = 60  # frames that are judged together
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


def note_frame(judge: DepthJudge, body: Body, log: TaskLog, state: State) -> State:
    """Notes that it is to be found how deep anything is in anything in this frame, for the tasks under way."""
    before, carried = state.unjudged, _carried(state)
    if before is not None and not (_goes_on(before, state, carried) and len(before.frames) < _AT_ONCE):
        state, before = note_depths(judge, body, log, state), None
    frames = (*(() if before is None else before.frames), (state.frame, state.angles, state.staged.transforms))
    return next_state(state, unjudged=Unjudged(state.running, state.touches, carried, frames))


def _goes_on(unjudged: Unjudged, state: State, carried: Mapping[str, str]) -> bool:
    """Whether the same is under way, touched and carried."""
    same = state.running is unjudged.running and state.touches is unjudged.touches
    return same and carried == unjudged.carried


def _carried(state: State) -> dict[str, str]:
    """The things that are carried, or held in the air, and the hands that do it."""
    scene = state.staged.scene
    in_the_air = {name: hand for hand, name in state.holding.items() if not scene.stands(name)}
    return {**in_the_air, **{name: c.hand for c in state.carrying for name in c.objects}}


def note_depths(judge: DepthJudge, body: Body, log: TaskLog, state: State) -> State:
    """Notes for the tasks under way how deep anything is in anything in the frames that are not judged yet. A hand that
    has left what it touched, and is clear of it, does not touch it any more."""
    unjudged = state.unjudged
    if unjudged is None:
        return state
    carried = unjudged.carried
    on_body: dict[str, int] = {}
    for running in unjudged.running:
        joint = brought_to(body, running.motion)
        if joint is None:
            joint = running.leaves
        if joint is not None:
            on_body[running.motion.hand] = joint
    touches = [touch for own in unjudged.touches.values() for touch in own]
    touches += [touch for running in unjudged.running for touch in running.touches]
    moving = [r.motion for r in unjudged.running if not r.motion.head]
    worlds = joint_transforms(body, np.stack([angles for _, angles, _ in unjudged.frames]))
    things, left = [own for _, _, own in unjudged.frames], set()
    held: dict[str, frozenset[str]] = {}
    deep: list[Pairs] = []
    places = _places(body, touches, worlds, things)
    for n, (frame, _, _) in enumerate(unjudged.frames):
        now = {hand: frozenset(t.thing for t in touches if t.hand == hand) & carried.keys() for hand in body.hands}
        now = {hand: own | {name for name, other in carried.items() if other == hand} for hand, own in now.items()}
        if now != held:  # of the frames that are left
            held = now
            deep = [[]] * n + judge.deep_pairs(worlds[n:], things[n:], held, carried)
        gone = {
            (touch.hand, touch.thing) for touch in touches
            if touch.leaves and length(places[touch][n] - touch.place) > _LEFT * body.height
        }  # fmt: skip
        if not deep[n] and not gone:
            continue
        hands: dict[str, dict[str, float]] = {hand: {} for hand in body.hands}
        for touch in touches:
            allowed = touch.allowed(places[touch][n])
            hands[touch.hand][touch.thing] = max(allowed, hands[touch.hand].get(touch.thing, 0.0))
        for name, hand in carried.items():
            hands[hand][name] = math.inf
        found, inside = judge.deepest(deep[n], hands, carried, on_body)
        gone -= inside | {(hand, name) for name, hand in carried.items()}
        if gone:
            left |= gone
            touches = [touch for touch in touches if not touch.leaves or (touch.hand, touch.thing) not in gone]
        if found is None:
            continue
        tasks = [motion.task for motion in moving if motion.hand in found.limbs]
        for task in tasks or [motion.task for motion in moving]:
            if found.depth > log[task].depth:
                log.change(task, depth=found.depth, depth_frame=frame, depth_words=found.words)
    state = next_state(state, unjudged=None)
    return _without(state, left) if left else state


def _places(
    body: Body, touches: Iterable[Touch], worlds: Floats, things: Sequence[Mapping[str, Transform]]
) -> dict[Touch, Floats]:
    """Where the hand of each touch is on its thing in each frame, (frames, 3)."""
    found = {}
    for touch in touches:
        tips = tip_path(body, touch.hand, worlds).positions
        at = [own[touch.thing] for own in things]
        if all(own is at[0] for own in at):
            found[touch] = (tips - at[0].position) @ at[0].rotation
        else:
            found[touch] = np.stack([own.rotation.T @ (tip - own.position) for own, tip in zip(at, tips, strict=True)])
    return found


def _without(state: State, left: Set[tuple[str, str]]) -> State:
    """The same without touches that were left: of hands, and things."""

    def kept(touches: tuple[Touch, ...]) -> tuple[Touch, ...]:
        return tuple(touch for touch in touches if not touch.leaves or (touch.hand, touch.thing) not in left)

    touches = {hand: kept(own) for hand, own in state.touches.items()}
    running = tuple(replace(r, touches=kept(r.touches)) for r in state.running)
    return replace(state, touches=touches, running=running)
