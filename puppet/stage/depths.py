"""How deep the body and the things in its hands get into anything, noted for the tasks under way."""

from __future__ import annotations

import math
from dataclasses import replace

from puppet.body import Body, hand_transforms
from puppet.motion import DepthJudge
from puppet.stage.state import Running, State, Touch
from puppet.stage.task_log import TaskLog
from puppet.tasks import AtGesture

_LEAVES = 12  # frames in which a task leaves what something is in when it begins


def remember_depths(judge: DepthJudge, state: State) -> State:
    """What is in something when a task begins is not its fault, for as long as it takes to leave it."""
    if all(r.excused is not None for r in state.running):
        return state
    carried = {name: c.hand for c in state.carrying for name in c.objects}
    now = judge.depths(state.angles, state.staged.transforms, carried)
    running = tuple(r if r.excused is not None else replace(r, excused=(state.frame, now)) for r in state.running)
    return replace(state, running=running)


def kept_touches(state: State, running: Running) -> dict[str, tuple[Touch, ...]]:
    """What hands touch after a movement, for as long as they stay there: other tasks may still be under way."""
    found = dict(state.touches)
    for hand in {touch.hand for touch in running.touches}:
        found[hand] = tuple(replace(touch, everywhere=False) for touch in running.touches if touch.hand == hand)
    return found


def note_depths(judge: DepthJudge, body: Body, log: TaskLog, state: State) -> None:
    """Notes for the tasks under way how deep anything is in anything."""
    hands: dict[str, dict[str, float]] = {hand: {} for hand in body.hands}
    tips, things = hand_transforms(body, state.angles), state.staged.transforms
    rested = [touch for touches in state.touches.values() for touch in touches]
    for touch in (*rested, *(touch for running in state.running for touch in running.touches)):
        allowed = touch.allowed(things[touch.thing].relative(tips[touch.hand]).position)
        hands[touch.hand][touch.thing] = max(allowed, hands[touch.hand].get(touch.thing, 0.0))
    carried = {name: c.hand for c in state.carrying for name in c.objects}
    for name, hand in carried.items():
        hands[hand][name] = math.inf
    on_body: dict[str, int] = {}
    for running in state.running:
        goal = running.motion.goal
        if not isinstance(goal, AtGesture) or goal.bring.of_thing:
            continue
        landmark = body.place(goal.bring.to)
        if landmark is not None:
            on_body[running.motion.hand] = landmark.joint
    excused: dict[tuple[int, int], float] = {}
    for running in state.running:
        begun, depths = running.excused or (0, {})
        left = max(0.0, 1.0 - max(0, state.frame - begun - _LEAVES // 2) / _LEAVES)
        for pair, depth in depths.items():
            excused[pair] = max(left * depth, excused.get(pair, 0.0))
    found = judge.deepest(state.angles, things, hands, carried, on_body, excused)
    if found is None:
        return
    moving = [r.motion for r in state.running if not r.motion.head]
    tasks = [motion.task for motion in moving if motion.hand in found.limbs]
    for task in tasks or [motion.task for motion in moving]:
        if found.depth > log[task].depth:
            log.change(task, depth=found.depth, depth_frame=state.frame, depth_words=found.words)
