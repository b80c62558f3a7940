"""The planned state: how everything will be once all that was told so far is done. Commands are understood in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from puppet.body import Limb
from puppet.geometry import Transform
from puppet.scene import Scene
from puppet.tasks import grip
from puppet.tasks.miss import Miss
from puppet.tasks.motion import AtAngles, AtObject, AtPoint, AtSpace, Goal, Primitives

DEFAULTS = Primitives()
MET = Miss()


@dataclass(frozen=True)
class HandPlan:
    """A hand: its last task at that task's own level, and where its tip will be."""

    pose: Transform
    goal: Goal | None = None
    task: int | None = None  # number of that task in the report
    miss: Miss = MET  # how far from its goal that task will end
    away: bool = False  # it has left that goal since, to rest on the table


@dataclass(frozen=True)
class Held:
    """A lock: what a hand stays with, and the task that brought it there."""

    goal: Goal
    task: int | None
    at: AtPoint | None = None  # where the hand really is, when what it holds is tilted or hangs in the air half way

    def secondary(self) -> Goal:
        """What the hand does while another one works."""
        return self.goal if self.at is None else self.at


@dataclass(frozen=True)
class Plan:
    scene: Scene
    hands: Mapping[str, HandPlan]
    locks: Mapping[str, Held]
    primitives: Primitives = DEFAULTS
    interrupting: bool = False
    pins: frozenset[str] = frozenset()  # parts that are pinned

    def grasped(self, hand: str) -> str | None:
        """The object that a hand holds: a lock on a reached object is a grasp."""
        lock = self.locks.get(hand)
        return lock.goal.object if lock and isinstance(lock.goal, AtObject) else None

    def in_palm(self, hand: str) -> tuple[str, ...]:
        """What lies in a hand, on its own space."""
        return self.scene.stack_on(hand)

    def with_scene(self, scene: Scene) -> Plan:
        """The plan for a changed scene: grips of locked hands that would go through an object turn to the side."""
        locks = {}
        for hand, held in self.locks.items():
            name = held.goal.object if isinstance(held.goal, AtObject) else None
            still = name is None or scene.centre(name) == self.scene.centre(name)
            locks[hand] = replace(held, goal=suited(scene, held.goal), at=held.at if still else None)
        return replace(self, scene=scene, locks=locks)


def suited(scene: Scene, goal: Goal) -> Goal:
    """A goal with a grip that can be had in a scene."""
    if isinstance(goal, AtObject):
        return replace(goal, grip=grip.possible_grip(scene, goal.object, goal.grip)[0])
    return goal


def wanted_transform(scene: Scene, hand: Limb, goal: Goal) -> Transform | None:
    """Where a goal puts the tip of a hand in a scene; None where only joint angles say it."""
    if isinstance(goal, AtObject):
        return grip.object_pose(scene, hand, goal.object, suited_grip(scene, goal))
    if isinstance(goal, AtSpace):
        bottom = scene.bottom(goal.space)
        if bottom is not None and goal.space != hand.name:  # what lies in the hand itself is not in its way
            return grip.object_pose(scene, hand, bottom, "side")
        return grip.space_pose(scene, hand, goal.space, goal.grip)
    if isinstance(goal, AtPoint):
        return Transform.of(goal.position, goal.rotation)
    if isinstance(goal, AtAngles):
        return None
    return grip.rest_pose(scene, hand)


def suited_grip(scene: Scene, goal: AtObject) -> str:
    return grip.possible_grip(scene, goal.object, goal.grip)[0]


def at_pose(pose: Transform) -> AtPoint:
    """The goal to be just there."""
    x, y, z = (float(value) for value in pose.position)
    return AtPoint((x, y, z), tuple(float(value) for value in pose.rotation.ravel()))
