"""The plan: the state after all commands given so far are done. Each new command is interpreted in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from puppet.body import Body, Limb
from puppet.command import DEFAULT_FPS
from puppet.geometry import Transform, axis_rotation
from puppet.scene import Scene, Stance, as_position
from puppet.tasks import grip
from puppet.tasks.miss import Miss
from puppet.tasks.motion import AtAngles, AtGesture, AtObject, AtPoint, AtSpace, Goal, Primitives

DEFAULT_PRIMITIVES = Primitives()
MET = Miss()


@dataclass(frozen=True)
class HandPlan:
    """Where a hand will be, and its last task with its symbolic goal."""

    transform: Transform
    goal: Goal | None = None
    task: int | None = None  # number of the last task in the report
    miss: Miss = MET  # of the last task
    away: bool = False  # it has left its goal since, to rest on the table


@dataclass(frozen=True)
class Held:
    """A locked hand: what it stays at, and the task that brought it there."""

    goal: Goal
    task: int | None
    at: AtPoint | None = None  # where the hand really is, if what it holds is tilted or was stopped in mid-air
    usual_grip: str = "top"  # the primitive when it took hold: another one since asks for another grip

    def secondary(self) -> Goal:
        """The goal of the hand while another one works."""
        return self.goal if self.at is None else self.at


@dataclass(frozen=True)
class Plan:
    """The planned scene, hands, locks and primitives."""

    scene: Scene
    hands: Mapping[str, HandPlan]
    locks: Mapping[str, Held]
    primitives: Primitives = DEFAULT_PRIMITIVES
    interrupting: bool = False
    pins: frozenset[str] = frozenset()  # parts that are pinned
    fps: float = DEFAULT_FPS  # frames a second, by which a body that goes somewhere knows how fast things fall

    def grasped(self, hand: str) -> str | None:
        """The object that a hand holds: a lock on a reached object is a grasp."""
        lock = self.locks.get(hand)
        return lock.goal.object if lock and isinstance(lock.goal, AtObject) else None

    def in_palm(self, hand: str) -> tuple[str, ...]:
        """What lies in an open hand, on the hand's own space."""
        return self.scene.stack_on(hand)

    def with_scene(self, scene: Scene) -> Plan:
        """The plan for a changed scene; locked hands change grips that are no longer possible."""
        locks = {}
        for hand, held in self.locks.items():
            name = held.goal.object if isinstance(held.goal, AtObject) else None
            still = name is None or scene.centre(name) == self.scene.centre(name)
            locks[hand] = replace(held, goal=with_possible_grip(scene, held.goal), at=held.at if still else None)
        return replace(self, scene=scene, locks=locks)


def with_possible_grip(scene: Scene, goal: Goal) -> Goal:
    """A goal whose grip is possible in a scene."""
    if isinstance(goal, AtObject):
        return replace(goal, grip=possible_grip_for(scene, goal))
    return goal


def wanted_transform(scene: Scene, body: Body, hand: Limb, goal: Goal) -> Transform | None:
    """The transform of a hand at a goal; None for a posture of a gesture."""
    if scene.stance is not None and not isinstance(goal, AtPoint):
        found = wanted_transform(scene.seen, body, hand, goal)
        return None if found is None else placed_in_world(scene.stance, found)
    if isinstance(goal, AtObject):
        taken = possible_grip_for(scene, goal)
        at = grip.transform_at_object(scene, hand, goal.object, taken, goal.yaw, goal.pitch or 0.0)
        if taken == "side":
            at = grip.above_base(body, hand, at, scene.base(goal.object)[1])
        if body.free_root:  # not for a body that sits for good: Table 6.1 as it is
            at = grip.drawn_back(body, hand, at, taken, scene.object(goal.object).width)
        return at
    if isinstance(goal, AtSpace):
        bottom = scene.bottom(goal.space)
        if bottom is not None and goal.space != hand.name:  # what lies in the hand itself is no obstacle
            return grip.transform_at_object(scene, hand, bottom, "side", goal.yaw, goal.pitch or 0.0)
        return grip.transform_at_space(scene, hand, goal.space, goal.grip, goal.yaw, goal.pitch or 0.0)
    if isinstance(goal, AtPoint):
        return Transform.of(goal.position, goal.rotation)
    if isinstance(goal, (AtAngles, AtGesture)):
        return None
    return grip.transform_at_rest(scene, hand)


def placed_in_world(stance: Stance | None, transform: Transform) -> Transform:
    """A transform that a body sees, in the world."""
    return transform if stance is None else _frame(stance).compose(transform)


def seen_by_body(stance: Stance | None, transform: Transform) -> Transform:
    """A transform of the world as a body sees it."""
    return transform if stance is None else _frame(stance).relative(transform)


def goal_seen(stance: Stance | None, goal: Goal) -> Goal:
    """A goal as a body sees it: most are told by what they are at."""
    if stance is None or not isinstance(goal, AtPoint):
        return goal
    return at_transform(seen_by_body(stance, Transform.of(goal.position, np.reshape(goal.rotation, (3, 3)))))


def _frame(stance: Stance) -> Transform:
    return Transform.of((stance.place[0], 0.0, stance.place[1]), axis_rotation(1, stance.turn))


def possible_grip_for(scene: Scene, goal: AtObject) -> str:
    return grip.possible_grip(scene, goal.object, goal.grip)[0]


def at_transform(transform: Transform) -> AtPoint:
    """The goal of a hand to have a transform."""
    return AtPoint(as_position(transform.position), tuple(float(value) for value in transform.rotation.ravel()))
