"""How deep the body and the things in its hands get into anything, noted for the tasks under way."""

from __future__ import annotations

import math
from dataclasses import replace

from puppet.body import Body
from puppet.motion import DepthJudge
from puppet.stage.state import State
from puppet.stage.task_log import TaskLog
from puppet.tasks import AtGesture


def excuse_present_depths(judge: DepthJudge, state: State) -> State:
    """What is in something when a task begins is not its fault."""
    if all(r.excused is not None for r in state.running):
        return state
    carried = {name: c.hand for c in state.carrying for name in c.objects}
    now = judge.depths(state.angles, state.staged.transforms, carried)
    running = tuple(r if r.excused is not None else replace(r, excused=now) for r in state.running)
    return replace(state, running=running)


def note_depths(judge: DepthJudge, body: Body, log: TaskLog, state: State) -> None:
    """Notes for the tasks under way how deep anything is in anything."""
    hands: dict[str, dict[str, float]] = {hand: {} for hand in body.hands}
    for running in state.running:
        for hand, touched in running.touches.items():
            for name, depth in touched.items():
                hands[hand][name] = max(depth, hands[hand].get(name, 0.0))
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
        for pair, depth in (running.excused or {}).items():
            excused[pair] = max(depth, excused.get(pair, 0.0))
    found = judge.deepest(state.angles, state.staged.transforms, hands, carried, on_body, excused)
    if found is None:
        return
    moving = [r.motion for r in state.running if not r.motion.head]
    tasks = [motion.task for motion in moving if motion.hand in found.limbs]
    for task in tasks or [motion.task for motion in moving]:
        if found.depth > log[task].depth:
            log.change(task, depth=found.depth, depth_frame=state.frame, depth_words=found.words)
