"""What is in hands stays with them: it rides along with whatever moves them, and a hand that cannot keep it lets go."""

from __future__ import annotations

from dataclasses import replace

from puppet.body import Body, hand_transforms
from puppet.motion import StagedScene
from puppet.stage import task_log
from puppet.stage.body_queries import BodyQueries
from puppet.stage.happenings import take_hold
from puppet.stage.reinterpretation import understand_anew
from puppet.stage.state import State
from puppet.stage.task_log import TaskLog
from puppet.types import Floats

SLIPS = 0.015  # body heights between a hand and a thing that it can still hold


def ride(body: Body, state: State, staged: StagedScene, angles: Floats) -> StagedScene:
    """Things in hands, or on them, that nothing else moves or bears go with their hands from a state to a posture."""
    scene = staged.scene
    in_hands = [(hand, name) for hand, name in state.holding.items() if not scene.stands(name)]
    in_hands += [(hand, name) for hand in body.hands if (name := scene.bottom(hand)) is not None]
    moved = {name for carrying in state.carrying for name in carrying.objects}
    if all(name in moved for _, name in in_hands):
        return staged
    before, now = hand_transforms(body, state.angles), hand_transforms(body, angles)
    for hand, name in in_hands:
        if name not in moved and before[hand].distance(now[hand]) + before[hand].angle(now[hand]) > 0.0:
            moved |= set(scene.tower(name))
            staged = staged.ridden(hand, name, before[hand], now[hand])
    return staged


def let_slip(body: Body, queries: BodyQueries, log: TaskLog, state: State, before: StagedScene) -> State:
    """A hand lets go of what has been moved away from it, or of what it could not stay with, and that is told.

    before: the things a frame ago. A hand may leave a thing that stands still, to take it in another way.
    """
    ending = any(r.end == state.frame for r in state.running)
    regrips = {r.motion.hand for r in state.running if r.motion.regrips is not None or r.fetched}
    loosened = {hand for r in state.running for hand in r.loosens}
    tips = hand_transforms(body, state.angles) if state.holding else {}
    for hand, name in state.holding.items():
        moves = state.staged.transforms[name] is not before.transforms[name]
        if hand in regrips or not (moves or ending):
            continue
        if hand in loosened or state.staged.distance(tips[hand], name) > SLIPS * body.height:
            state = _lose(body, queries, log, state, hand, name)
    return state


def _lose(body: Body, queries: BodyQueries, log: TaskLog, state: State, hand: str, name: str) -> State:
    why = f"the {hand} hand could not keep hold of '{name}'"
    if state.plan.grasped(hand) == name:
        locks = {other: held for other, held in state.plan.locks.items() if other != hand}
        state = replace(state, plan=replace(state.plan, locks=locks))
    for running in state.running:
        reason = log[running.motion.task].reason
        log.change(running.motion.task, reason=f"{reason}; {why}" if reason else why)
    state = take_hold(body, state, hand, None, 0, "")
    return understand_anew(body, queries, log, state, f"since {why}")


def take_hold_again(body: Body, log: TaskLog, state: State) -> State:
    """Hands that were locked to things which they had left take hold of them as soon as they are back."""
    awaited = {contact.hand for contact in state.contacts}
    awaited |= {r.motion.hand for r in state.running if not r.motion.head}
    for hand, held in state.plan.locks.items():
        thing = state.plan.grasped(hand)
        closed = held.task is None or log[held.task].status not in task_log.OPEN
        if thing is not None and hand not in state.holding and hand not in awaited and closed:
            state = take_hold(body, state, hand, thing, 0, "")
    return state
