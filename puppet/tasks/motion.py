"""Motions: what interpretation makes of a task and the scheduler carries out.

A goal stays symbolic, as in "at the cup", until the motion begins: the cup may have been moved by then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from puppet.command import AUTO
from puppet.scene import Position, Scene, Stance
from puppet.tasks.bringing import Bring

if TYPE_CHECKING:
    from puppet.command import Relation, Source, Spot


@dataclass(frozen=True)
class Primitives:
    """The qualities of a motion that do not change what it means (Section 3.3)."""

    grip: str = "top"
    speed: int | str = AUTO  # frames, or as long as people take
    curve: str = "smooth"
    overlap: str = "none"
    clearance: float = 0.01  # distance that the path of a hand keeps from things it does not touch

    @property
    def frames(self) -> int | None:
        """The speed in frames; None where it is left to the motion."""
        return self.speed if isinstance(self.speed, int) else None


# ---- goals of a hand


@dataclass(frozen=True)
class AtObject:
    """The hand at an object, wherever that is by then."""

    object: str
    grip: str
    yaw: float = field(default=0.0, compare=False)  # radians: how far the hand is turned inwards about the vertical
    # Radians: how far down the fingers of a side grip point; None: level, or as it suits what is low.
    pitch: float | None = field(default=None, compare=False)


@dataclass(frozen=True)
class AtSpace:
    """The hand at a space; if that is occupied, at the side of the lowest object."""

    space: str
    grip: str
    yaw: float = field(default=0.0, compare=False)
    pitch: float | None = field(default=None, compare=False)


@dataclass(frozen=True)
class AtPoint:
    """The hand's tip at a point of the world."""

    position: Position
    rotation: tuple[float, ...]  # of the hand, the matrix row by row


Aimed = AtObject | AtSpace | AtPoint  # where the hand may be turned about the vertical


@dataclass(frozen=True)
class AtAngles:
    """Joint angles of a canned posture: (degree of freedom, radians)."""

    angles: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class AtGesture:
    """A posture of a gesture: the hand, or what it holds, at a place that is looked up when the motion begins, and the
    angles of other joints."""

    bring: Bring
    thing: str | None  # that the gesture is about
    angles: tuple[tuple[int, float], ...]  # (degree of freedom, radians)


@dataclass(frozen=True)
class AtLook:
    """The head turned to what is looked at, which is looked up when the motion begins; None: ahead."""

    spot: Spot | None


@dataclass(frozen=True)
class AtHeadTurn:
    """The head turned from where it is, about one of its axes, by radians."""

    axis: int
    by: float


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
    point: Position = (0.0, 0.0, 0.0)  # of the part, in its own coordinates


@dataclass(frozen=True)
class AtPin:
    """A part pinned where it is, or to a place."""

    part: str
    to: Position | None
    turn: Position | None  # degrees about x, y, z, R = Rz Ry Rx
    gain: float


@dataclass(frozen=True)
class AtUnpin:
    part: str


@dataclass(frozen=True)
class AtBalance:
    on: bool


@dataclass(frozen=True)
class AtStance:
    """The whole body somewhere else, or in another way: it walks, sits down, jumps ..."""

    verb: str  # one of puppet.command.TRAVELS
    before: Stance
    after: Stance
    route: tuple[tuple[float, float], ...] = ()  # places on the floor that a walk leads over; the last is its end
    sidles_out: bool = False  # to the first of these places sideways, turning meanwhile
    sidles_in: bool = False  # to the last of these places in the same way
    foot: int | None = None  # of a single step: 0 left, 1 right
    place: tuple[float, float] | None = None  # where that foot treads
    height: float | None = None  # of a jump
    bar: str | None = None  # of a swing
    turns: int = 1
    holding: tuple[tuple[str, str | None], ...] = ()  # hands that are locked or have something in them, each with that


WholeBody = AtDrag | AtPin | AtUnpin | AtBalance  # goals that concern the whole body
Goal = (
    AtObject | AtSpace | AtPoint | AtAngles | AtGesture | AtLook | AtHeadTurn | AtRest | AtHere | AtStance | WholeBody
)


# ---- changes of the scene, applied to the planned scene when a command is given and to the stage when it is done


@dataclass(frozen=True)
class Moved:
    """Put on a space."""

    name: str
    space: str

    def apply(self, scene: Scene) -> Scene:
        return scene.moved(self.name, self.space)


@dataclass(frozen=True)
class Stacked:
    """Put on another object."""

    name: str
    onto: str

    def apply(self, scene: Scene) -> Scene:
        return scene.stacked(self.name, self.onto)


@dataclass(frozen=True)
class Placed:
    """Put on a place without a name: `base` is the point that the object stands on."""

    name: str
    base: Position

    def apply(self, scene: Scene) -> Scene:
        return scene.placed(self.name, self.base)


@dataclass(frozen=True)
class SpaceSet:
    """The space of a hand moved elsewhere."""

    space: str
    position: Position

    def apply(self, scene: Scene) -> Scene:
        return scene.with_space_at(self.space, self.position)


@dataclass(frozen=True)
class BodyAt:
    """The body stands or sits elsewhere."""

    stance: Stance

    def apply(self, scene: Scene) -> Scene:
        return scene.with_body_at(self.stance)


Change = Moved | Stacked | Placed | SpaceSet | BodyAt


@dataclass(frozen=True)
class Carry:
    """What a hand carries."""

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
    speed: int | None  # frames; None: as long as people take
    curve: str
    overlap: str
    scene_after: Scene  # the planned scene once this is done
    changes: tuple[Change, ...] = ()
    carry: Carry | None = None
    rests_on: frozenset[str] = frozenset()  # objects under the place that the carried ones are put on
    posture: AtAngles | None = None  # what a gesture wants of joints that are not critical to it
    looks: bool = True  # the head follows the hand
    alone: bool = False  # only critical joints move
    pace: float = 1.0  # of a step of a gesture: how long it takes, beside others, where no speed is given
    slides: bool = False  # the hand moves in a straight line
    regrips: str | None = None  # an object that stands, which the hand takes in another way
    clearance: float = Primitives.clearance
    couple: Motion | None = None  # the next movement of the same task
    lost: bool = False  # the hand did not get hold of what it should carry
    head: bool = False  # it is the head's alone, and no hand's
    when: Relation | None = None  # it begins no earlier than that
    until: Relation | None = None  # it goes on until then
    cycle: Motion | None = None  # the movements that are gone through again as long as it goes on
    interpretation: str = ""
    source: Source | None = field(default=None, compare=False)

    def after_fetching(self, goal: Goal, before: Scene) -> Motion:
        """A reach for what is to be carried, followed by this motion: for a hand that is not there when it begins."""
        return replace(
            self, goal=goal, changes=(), carry=None, rests_on=frozenset(), scene_after=before, posture=None, couple=self
        )

    def changed(self, scene: Scene) -> Scene:
        """A scene once this is done as it was planned."""
        for change in self.changes:
            scene = change.apply(scene)
        return scene

    def throughout(self, **values: Any) -> Motion:
        """The same with other values, and so all movements that follow it."""
        chain: list[Motion] = []
        motion: Motion | None = self
        while motion is not None:
            chain.append(motion)
            motion = motion.couple
        for each in reversed(chain):
            motion = replace(each, couple=motion, **values)
        assert motion is not None
        return motion

    @property
    def touched(self) -> frozenset[str]:
        """Objects that no other motion may carry while this runs."""
        reached = frozenset([self.goal.object]) if isinstance(self.goal, AtObject) else frozenset()
        return self.carried | self.rests_on | reached

    @property
    def bound_to_place(self) -> bool:
        """Whether its hand goes to a place of the world, now or in a later movement: the body must stay where it is."""
        here = isinstance(self.goal, AtObject | AtSpace | AtPoint | AtRest) or (
            isinstance(self.goal, AtGesture) and self.goal.bring.of_thing
        )
        return here or (self.couple is not None and self.couple.bound_to_place)

    @property
    def carried(self) -> frozenset[str]:
        return frozenset(self.carry.objects) if self.carry else frozenset()


def leaving(first: Motion, second: Motion) -> bool:
    """Whether the body goes somewhere with one of two motions, and a hand to a place of the world with the other."""
    return any(isinstance(a.goal, AtStance) and b.bound_to_place for a, b in ((first, second), (second, first)))


def conflicting(first: Motion, second: Motion) -> bool:
    """Whether two motions cannot overlap because of the things that they move, or because the body goes away with one
    and stays with the other; then the later one waits.

    Reaching for what the first one carries is no conflict: the hands meet where it is put down.
    """
    if leaving(first, second):
        return True
    needed = second.carried | second.rests_on
    return bool(first.carried & needed or second.carried & first.touched)
