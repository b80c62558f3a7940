"""Interpretation (Chapter 6): from a command and the plan to a motion and a new plan, or the reason why not."""

from __future__ import annotations

from dataclasses import replace

from puppet.command import (
    EITHER,
    Balance,
    Drag,
    GiveThing,
    Lock,
    LookAt,
    MoveHead,
    Perform,
    Pin,
    PointAt,
    PoseJoint,
    PutThing,
    Reach,
    SetPrimitive,
    Slide,
    TakeThing,
    Task,
    Travel,
    Unlock,
    Unpin,
)
from puppet.errors import did_you_mean
from puppet.tasks.head import move_head
from puppet.tasks.locking import lock, primitives_of, set_primitive, unlock
from puppet.tasks.outcome import Hands, Outcome, reject
from puppet.tasks.performing import interpret_gesture
from puppet.tasks.plan import Plan
from puppet.tasks.pointing import point_at
from puppet.tasks.pose_joint import pose_joint
from puppet.tasks.reaching import interpret_reach
from puppet.tasks.sliding import interpret_slide
from puppet.tasks.taking import give, put, take, with_better_hand, with_nearest
from puppet.tasks.task_context import TaskContext
from puppet.tasks.travelling import interpret_travel
from puppet.tasks.whole_body import interpret_whole_body


def interpret(plan: Plan, command: object, task: int, hands: Hands, follows: bool = False) -> Outcome:
    """What a command means in a plan.

    `task` is its number in the report. `follows`: the last task in the queue belongs to another hand and is not yet
    done, so a task that may overlap leaves that hand where it is.
    """
    if isinstance(command, SetPrimitive):
        return set_primitive(plan, command)
    if isinstance(command, PoseJoint):
        return pose_joint(plan, command, task, hands)
    if isinstance(command, Travel):
        return interpret_travel(plan, command, task, hands)
    if isinstance(command, (Pin, Unpin, Drag, Balance)):
        return interpret_whole_body(plan, command, task, hands)
    if isinstance(command, (LookAt, MoveHead)):
        return move_head(plan, command, task, hands)

    def again(plan: Plan, command: Task) -> Outcome:
        return interpret(plan, command, task, hands, follows)

    if isinstance(command, PutThing):
        return replace(put(plan, command, again), target=command.onto or command.space)
    if isinstance(command, Task) and command.hand == EITHER:
        return with_better_hand(plan, command, hands, again)
    hand = getattr(command, "hand", None)
    if hand not in hands.names:
        return reject(plan, "", f"unknown hand '{hand}'; {did_you_mean(str(hand), hands.names)}")
    if isinstance(command, Lock):
        return lock(plan, command)
    if isinstance(command, Unlock):
        return unlock(plan, command)
    assert isinstance(command, Task)
    if isinstance(command, (Reach, TakeThing)) and command.nearest is not None:
        found = with_nearest(plan, command, command.hand)
        if isinstance(found, str):
            return reject(plan, f"{type(command).__name__} nearest {command.nearest} with {hand} hand", found)
        command = found
    if isinstance(command, TakeThing):
        return replace(take(plan, command, hands, again), target=command.object)
    primitives = primitives_of(plan, command)
    if isinstance(primitives, str):
        return reject(plan, "", primitives)
    context = TaskContext(plan, hands, task, command, primitives, follows and primitives.overlap != "none")
    if isinstance(command, GiveThing):
        return replace(give(context, command, again), target=command.object)
    if isinstance(command, Reach):
        return interpret_reach(context, command)
    if isinstance(command, Slide):
        return interpret_slide(context, command)
    if isinstance(command, PointAt):
        return point_at(context, command)
    assert isinstance(command, Perform)
    return interpret_gesture(context, command)
