"""How deep the body and the things in its hands get into anything, noted for the tasks under way."""

from __future__ import annotations

import math

from puppet.body import Body, hand_transforms
from puppet.motion import DepthJudge
from puppet.stage.state import State
from puppet.stage.task_log import TaskLog
from puppet.tasks import AtGesture


def note_depths(judge: DepthJudge, body: Body, log: TaskLog, state: State) -> None:
    """Notes for the tasks under way how deep anything is in anything."""
    hands: dict[str, dict[str, float]] = {hand: {} for hand in body.hands}
    tips, things = hand_transforms(body, state.angles), state.staged.transforms
    for touch in (touch for running in state.running for touch in running.touches):
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
    found = judge.deepest(state.angles, things, hands, carried, on_body)
    if found is None:
        return
    for task in (r.motion.task for r in state.running if not r.motion.head):  # "done" is about every frame of a task
        if found.depth > log[task].depth:
            log.change(task, depth=found.depth, depth_frame=state.frame, depth_words=found.words)
