"""What becomes of a command in a plan, and what the interface must know of the body to say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from puppet.body import Limb
from puppet.geometry import Transform
from puppet.tasks.gesture import Gesture, Gestures
from puppet.tasks.miss import Miss
from puppet.tasks.motion import AtAngles, Motion
from puppet.tasks.plan import Plan
from puppet.types import Vector


class Hands(Protocol):
    """What the interface must know of the body; the stage answers."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def parts(self) -> tuple[str, ...]:
        """The body's joints by name."""

    def limb(self, hand: str) -> Limb: ...

    @property
    def gestures(self) -> Gestures: ...

    def critical(self, hand: str) -> frozenset[int]:
        """The joints of a hand's limb and of the trunk that helps it."""

    def gesture_joints(self, hand: str, gesture: Gesture) -> frozenset[int]: ...

    def gesture_angles(self, hand: str, gesture: Gesture) -> tuple[AtAngles, ...]:
        """The postures of a gesture, step by step."""

    def reach(self, hand: str, pose: Transform) -> tuple[Transform, Miss]:
        """The pose in which a hand arrives when it is sent to a pose, and by how much it misses that."""

    def pose_of(self, hand: str, angles: AtAngles) -> Transform:
        """Where a hand is in a canned posture."""

    def joint_of(self, dof: int) -> int:
        """The joint that a degree of freedom belongs to."""

    def posed(self, joint: str, degrees: Vector) -> PosedJoint:
        """A joint turned about its x, y and z axes, as far as it can. An unknown joint: PuppetError."""

    def clear(self, hand: str, pose: Transform) -> Transform:
        """A pose raised out of the table."""


@dataclass(frozen=True)
class PosedJoint:
    """A joint turned directly, inside its limits."""

    joint: int
    goal: AtAngles
    limited: bool  # whether that is not what was asked for
    moved: tuple[str, ...]  # limbs that it is in
    riding: tuple[str, ...]  # limbs on a trunk that it is in


@dataclass(frozen=True)
class Outcome:
    """What became of a command. A rejected one leaves the plan as it was."""

    plan: Plan
    motion: Motion | None
    interpretation: str
    reason: str = ""  # why it was rejected, adjusted, or will miss
    rejected: bool = False
    adjusted: bool = False


def reject(plan: Plan, words: str, reason: str) -> Outcome:
    return Outcome(plan, None, words, reason, rejected=True)
