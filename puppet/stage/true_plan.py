"""The plan that is true to the stage. What was not carried out did not happen: freeze, interruption, failure."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

import numpy as np

from puppet.body import Body, hand_transforms
from puppet.errors import PuppetError
from puppet.geometry import Transform
from puppet.motion import StagedScene
from puppet.scene import Scene
from puppet.stage import task_log
from puppet.stage.happenings import take_hold
from puppet.stage.state import EMPTY, Running, State
from puppet.stage.task_log import TaskLog
from puppet.tasks import MET, AtStance, HandPlan, Held, Miss, Motion, Plan, at_transform, with_possible_grip

_CARRIED_OUT = (task_log.DONE, task_log.ADJUSTED)


def plan_at_rest(body: Body, state: State) -> Plan:
    """The plan when there are no tasks left: hands are where they are."""
    scene = state.staged.scene
    tips = _tips(body, state)
    hands = {hand: replace(state.plan.hands[hand], transform=tip) for hand, tip in tips.items()}
    locks = _suited({**_still_held(state, state.plan.locks, tips), **state.plan.locks}, scene)
    return replace(state.plan.with_scene(scene), hands=hands, locks=locks, pins=frozenset(state.pins))


def plan_if_dropped(body: Body, log: TaskLog, state: State) -> tuple[Plan, StagedScene]:
    """The plan, and the things on stage, when all tasks under way are given up and all that wait are dropped; but a
    body that comes to a stand will do so first."""
    palms = frozenset(r.motion.hand for r in state.running if r.motion.carry and r.motion.carry.palm)
    halting = next((r for r in state.running if r.halts is not None), None)
    left = tuple(c for c in state.carrying if halting is None or c.task != halting.motion.task)
    staged = state.staged.dropped(left, hand_transforms(body, state.angles), palms)
    scene, tips = staged.scene, _tips(body, state)
    if halting is not None:
        scene, tips = _after_halt(body, state, staged, halting)
    busy = {running.motion.hand: running for running in state.running}
    locks: dict[str, Held] = {}
    for hand, held in state.plan.locks.items():
        if held.task is None or log[held.task].status in _CARRIED_OUT:
            # stopped half way with something in the hand, it holds that just there
            carries = any(c.hand == hand for c in state.carrying)
            locks[hand] = replace(held, at=at_transform(tips[hand]) if carries else held.at)
    locks = {**_still_held(state, locks, tips), **locks}
    hands: dict[str, HandPlan] = {}
    for hand, here in tips.items():
        goal, task = state.finished.get(hand, (None, None))
        if hand in busy and log[busy[hand].motion.task].start is not None:
            # stopped on its way: it may be locked where it is
            goal, task = (locks[hand].goal, locks[hand].task) if hand in locks else (at_transform(here), None)
        hands[hand] = HandPlan(here, goal, task)
    # first the scene, then the locks: where a hand holds what it carries is true to the new scene
    plan, pins = state.plan.with_scene(scene), frozenset(state.pins)
    return replace(plan, hands=hands, locks=_suited(locks, scene), pins=pins), staged


def _after_halt(body: Body, state: State, staged: StagedScene, halting: Running) -> tuple[Scene, dict[str, Transform]]:
    """The scene, and the hands, when a body has come to a stand with what it carries."""
    way, goal = halting.halts, halting.motion.goal
    assert way is not None
    assert isinstance(goal, AtStance)
    angles = np.array(state.angles)
    angles[way.dofs] = way.angles[-1]
    tips = _tips(body, replace(state, angles=angles))
    things: dict[str, Transform] = {}
    for carrying in state.carrying:
        if carrying.task == halting.motion.task:
            things.update(carrying.transforms(tips[carrying.hand], way.end))
    later = staged.with_transforms(things).arrived(goal.after, state.carrying, halting.motion.task, tips)
    return later.scene, tips


def plan_after_failure(body: Body, log: TaskLog, state: State, failed: int | None, miss: Miss) -> Plan:
    """The plan with what the tasks under way will have done, after one of them has failed; a body that comes to a stand
    will have done so first."""
    scene, tips = state.staged.scene, _tips(body, state)
    halting = next((r for r in state.running if r.halts is not None), None)
    if halting is not None:
        scene, tips = _after_halt(body, state, state.staged, halting)
    for running in state.running:
        motion: Motion | None = running.motion
        while motion is not None:
            for change in motion.changes:
                with suppress(PuppetError):
                    scene = change.apply(scene)
            motion = motion.couple
    open_ = {r.motion.task for r in state.running}
    locks = {
        hand: held for hand, held in state.plan.locks.items()
        if held.task is None or held.task in open_ or log[held.task].status in _CARRIED_OUT
    }  # fmt: skip
    hands: dict[str, HandPlan] = {}
    going = {r.motion.hand for r in state.running if not r.motion.head}  # they put down, or give, what they hold
    locks = {**{hand: held for hand, held in _still_held(state, locks, tips).items() if hand not in going}, **locks}
    for hand, here in tips.items():
        busy = next((r.motion for r in state.running if r.motion.hand == hand and not r.motion.head), None)
        goal, task = (busy.goal, busy.task) if busy else state.finished.get(hand, (None, None))
        hands[hand] = HandPlan(here, goal, task, miss if task is not None and task == failed else MET)
    plan = replace(state.plan.with_scene(scene), hands=hands, pins=frozenset(state.pins))
    return replace(plan, locks=_suited(locks, scene))


def _still_held(state: State, locks: Mapping[str, Held], tips: Mapping[str, Transform]) -> dict[str, Held]:
    """What hands hold that the plan would have had them let go of later: they hold it just where it is."""
    return {
        hand: replace(held, at=at_transform(tips[hand]))
        for hand, held in state.grasps.items() if hand not in locks and state.holding.get(hand) is not None
    }  # fmt: skip


def freeze(body: Body, log: TaskLog, state: State, at_once: bool = False) -> State:
    """Drops every task that runs or waits. Joints that move slow down as they would have, or stop at once; but a body
    that comes to a stand goes on doing so."""
    plan, staged = plan_if_dropped(body, log, state)
    queue = state.queue
    halting = tuple(r for r in state.running if r.halts is not None)
    ends = {r.motion.task: r.end for r in halting}
    waiting = [running.motion.task for running in state.running]
    while queue.size:
        motion, queue = queue.pop()
        waiting.append(motion.task)
    waiting += [motion.task for motion in state.held]
    for task in waiting:
        end = ends.get(task, state.frame) if log[task].start is not None else None
        log.change(task, status=task_log.CANCELLED, reason="dropped before it was done", end=end)
    for contact in state.contacts:
        if contact.number != contact.task:
            log.change(contact.number, status=task_log.CANCELLED, reason="dropped before it was done")
    ways = [r.halts for r in halting]
    moving = tuple(t for t in state.trajectories if t.end > state.frame and (not at_once or t in ways))
    carrying = tuple(c for c in state.carrying if c.task in ends)
    holding = state.holding
    finished = {hand: (at.goal, at.task) for hand, at in plan.hands.items() if at.goal is not None}
    state = replace(
        state, plan=plan, staged=staged, queue=EMPTY, held=(), running=halting, carrying=carrying, contacts=(),
        told=(), trajectories=moving, needs_scheduling=False, finished=finished,
    )  # fmt: skip
    for hand in [hand for hand in holding if plan.grasped(hand) is None]:
        state = take_hold(body, state, hand, None, 0, "")
    return state


def _tips(body: Body, state: State) -> dict[str, Transform]:
    tips = hand_transforms(body, state.angles)
    return {hand: Transform.of(tips[hand].position, tips[hand].rotation) for hand in body.hands}


def _suited(locks: Mapping[str, Held], scene: Scene) -> dict[str, Held]:
    return {hand: replace(held, goal=with_possible_grip(scene, held.goal)) for hand, held in locks.items()}
