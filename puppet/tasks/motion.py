"""Motions: what the interface makes of a task and the scheduler carries out. Goals stay at the level they were told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from puppet.scene import Position, Scene

if TYPE_CHECKING:
    from puppet.command import Source


@dataclass(frozen=True)
class Primitives:
    """The qualities of a motion that do not change what it means (Section 3.3)."""

    grip: str = "top"
    speed: int = 30  # frames
    curve: str = "sine"
    overlap: str = "none"
    clearance: float = 0.01  # how far the way of a hand keeps from things it does not touch


# ---- goals of a hand


@dataclass(frozen=True)
class AtObject:
    """The hand at an object, wherever that is."""

    object: str
    grip: str


@dataclass(frozen=True)
class AtSpace:
    """The hand at a space, wherever that is; beside the lowest object where the space is occupied."""

    space: str
    grip: str


@dataclass(frozen=True)
class AtPoint:
    """The hand's tip at a point of the world, the hand turned as `rotation`, row by row."""

    position: Position
    rotation: tuple[float, ...]


@dataclass(frozen=True)
class AtAngles:
    """Joint angles of a canned posture: (degree of freedom, radians)."""

    angles: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class AtRest:
    """The hand flat on the table near its edge."""


@dataclass(frozen=True)
class AtHere:
    """The hand where it is when the motion begins."""


@dataclass(frozen=True)
class AtDrag:
    """A part of the body at a place, or moved by a vector, and the whole body with it."""

    part: str
    to: Position | None
    by: Position | None


@dataclass(frozen=True)
class AtPin:
    """A part pinned where it is, or to a place."""

    part: str
    to: Position | None
    gain: float


@dataclass(frozen=True)
class AtUnpin:
    part: str


@dataclass(frozen=True)
class AtBalance:
    on: bool


WholeBody = AtDrag | AtPin | AtUnpin | AtBalance  # goals that concern the whole body
Goal = AtObject | AtSpace | AtPoint | AtAngles | AtRest | AtHere | WholeBody


# ---- changes of the scene, applied to the planned scene when told and to the stage when done


@dataclass(frozen=True)
class Moved:
    name: str
    space: str

    def apply(self, scene: Scene) -> Scene:
        return scene.moved(self.name, self.space)


@dataclass(frozen=True)
class Stacked:
    name: str
    onto: str

    def apply(self, scene: Scene) -> Scene:
        return scene.stacked(self.name, self.onto)


@dataclass(frozen=True)
class Placed:
    """Set on a place of its own: `base` is the point it stands on."""

    name: str
    base: Position

    def apply(self, scene: Scene) -> Scene:
        return scene.placed(self.name, self.base)


@dataclass(frozen=True)
class SpaceSet:
    """A hand's space set elsewhere."""

    space: str
    position: Position

    def apply(self, scene: Scene) -> Scene:
        return scene.with_space_at(self.space, self.position)


Change = Moved | Stacked | Placed | SpaceSet


@dataclass(frozen=True)
class Carry:
    """What a hand takes along."""

    objects: tuple[str, ...]  # the first is in the hand, the others stand on it
    settles: bool  # it stands flat in its place afterwards; otherwise it stays in the hand as it is
    palm: bool = False  # it lies in the open hand instead of being held


@dataclass(frozen=True)
class Motion:
    """One movement of a task. The motions of a task of several movements are chained by `couple` (Section 3.6.2)."""

    task: int  # number in the report
    hand: str
    goal: Goal
    others: Mapping[str, Goal]  # secondary goals of the other hands
    critical: frozenset[int]  # joints
    speed: int
    curve: str
    overlap: str
    scene_after: Scene  # the planned scene once this is done
    changes: tuple[Change, ...] = ()
    carry: Carry | None = None
    rests_on: frozenset[str] = frozenset()  # objects under the place that the carried ones are put on
    posture: AtAngles | None = None  # what a gesture wants of joints that are not critical to it
    looks: bool = True  # the head follows the hand
    alone: bool = False  # nothing moves but what is critical
    slides: bool = False  # the hand goes straight
    clearance: float = 0.01
    couple: Motion | None = None
    interpretation: str = ""
    source: Source | None = field(default=None, compare=False)

    def fetching(self, goal: Goal, before: Scene) -> Motion:
        """The same after a reach for what is to be carried: for a hand that is not there when its turn comes."""
        return replace(
            self, goal=goal, changes=(), carry=None, rests_on=frozenset(), scene_after=before, posture=None, couple=self
        )

    @property
    def touched(self) -> frozenset[str]:
        """Objects that must not be carried away, or be under way, while this runs."""
        carried = frozenset(self.carry.objects) if self.carry else frozenset()
        reached = frozenset([self.goal.object]) if isinstance(self.goal, AtObject) else frozenset()
        return carried | self.rests_on | reached

    @property
    def carried(self) -> frozenset[str]:
        return frozenset(self.carry.objects) if self.carry else frozenset()


def in_each_others_way(first: Motion, second: Motion) -> bool:
    """Whether two motions want the same thing moved: then the later one waits, however much overlap it allows.

    To reach for what the first one carries is no conflict: the hands meet where it is put down.
    """
    settled = second.carried | second.rests_on
    return bool(first.carried & settled or second.carried & first.touched)
