"""The outcome of interpreting a command, and what interpretation must know of the body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from puppet.body import Body, Limb
from puppet.geometry import Transform
from puppet.scene import Scene
from puppet.tasks.bringing import HeldThing
from puppet.tasks.gesture import Gesture, Gestures
from puppet.tasks.miss import Miss
from puppet.tasks.motion import Aimed, AtAngles, AtGesture, Motion
from puppet.tasks.plan import Plan
from puppet.types import Floats, Vector


class Hands(Protocol):
    """What interpretation must know of the body; implemented by the stage."""

    def at(self, scene: Scene) -> Hands:
        """The same for a body that is where it is in a scene."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def parts(self) -> tuple[str, ...]:
        """The body's joints by name."""

    def limb(self, hand: str) -> Limb: ...

    @property
    def body(self) -> Body: ...

    @property
    def gestures(self) -> Gestures: ...

    def critical(self, hand: str) -> frozenset[int]:
        """The joints of a hand's limb and of the trunk that it uses."""

    def gesture_joints(self, hand: str, gesture: Gesture) -> frozenset[int]: ...

    def gesture_goals(self, hand: str, gesture: Gesture, thing: str | None) -> tuple[AtAngles | AtGesture, ...]:
        """The postures of a gesture that is done to a thing, step by step."""

    def reach(self, hand: str, transform: Transform) -> tuple[Transform, Miss]:
        """Where a hand ends when it is sent to a transform, and by how much it misses that."""

    def reach_upright(self, hand: str, transform: Transform) -> tuple[Miss, float]:
        """By how much a hand misses a transform with the arm alone; how high over the shoulder its elbow is then."""

    def aim(self, hand: str, scene: Scene, goal: Aimed) -> tuple[Aimed, Transform, Miss]:
        """A goal with the hand turned about the vertical as the arm that reaches for it is; where the hand ends, and by
        how much it misses."""

    def perform(
        self, hand: str, goals: tuple[AtAngles | AtGesture, ...], scene: Scene, held: HeldThing | None
    ) -> tuple[Transform, Miss]:
        """Where a hand ends after the postures of a gesture, and its largest miss."""

    def joint_of(self, dof: int) -> int:
        """The joint that a degree of freedom belongs to."""

    def posed(self, joint: str, degrees: Vector) -> PosedJoint:
        """A joint turned about its x, y and z axes, inside its limits. Raises PuppetError for an unknown joint."""

    def clear(self, hand: str, transform: Transform) -> Transform:
        """A hand's transform raised out of the table."""

    def shoulder(self, hand: str) -> tuple[Floats, float]:
        """Where a hand's limb begins while the body is upright, and how long it is."""

    @property
    def head(self) -> int | None:
        """The joint that looks; None where there is none."""

    @property
    def eyes(self) -> tuple[int, ...]:
        """Joints of eyes that turn."""


@dataclass(frozen=True)
class PosedJoint:
    """A joint turned directly, inside its limits."""

    joint: int
    goal: AtAngles
    limited: bool  # whether its limits do not allow what was asked for
    moved: tuple[str, ...]  # limbs that contain it
    riding: tuple[str, ...]  # limbs whose trunk contains it


@dataclass(frozen=True)
class Outcome:
    """What a command means. If it is rejected, the plan is unchanged."""

    plan: Plan
    motion: Motion | None
    interpretation: str
    reason: str = ""  # why it was rejected or adjusted, or will miss
    rejected: bool = False
    adjusted: bool = False
    contacts: tuple[tuple[str, str], ...] = ()  # hands that take hold (lock) or let go (unlock) when it is done
    target: str | Vector | None = None  # the thing, the space or the point that it is about
    hand: str = ""  # that does it, where the command does not say which
    chosen: str = ""  # why that one


def reject(plan: Plan, words: str, reason: str) -> Outcome:
    return Outcome(plan, None, words, reason, rejected=True)
