"""The state of a stage as an immutable value: what runs, what waits, what is seen. A kept state can be restored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from puppet.command import Command, Relation, Spot
from puppet.geometry import Transform, length
from puppet.locomotion import Landing
from puppet.motion import CONTACT_DEPTH, Carrying, StagedScene, Trajectory
from puppet.schedule import NO_JOINTS, Joints, Queue
from puppet.stage.dragging import LastDrag, PinnedPart
from puppet.stage.events import EventList
from puppet.stage.journey import Journey
from puppet.tasks import MET, AtRest, Goal, Held, Miss, Motion, Plan, Primitives
from puppet.types import Floats

EMPTY = Queue()
NO_EVENTS = EventList()
LEAVING = 0.015  # how much less deep a hand may be in what it leaves, or comes to, with the way from there


@dataclass(frozen=True, eq=False)
class Touch:
    """A hand on a thing: how deep in it, and where, in the thing's coordinates."""

    hand: str
    thing: str
    depth: float
    place: Floats  # (3,)
    everywhere: bool = False  # a gesture that presses something is as deep in it on its way
    leaves: bool = False  # the hand is there already: once it is clear of the thing, it does not touch it any more

    def allowed(self, place: Floats) -> float:
        """How deep the hand may be in the thing when it is at another place."""
        if self.everywhere:
            return self.depth
        return max(0.0, self.depth + CONTACT_DEPTH - LEAVING * length(place - self.place))


@dataclass(frozen=True)
class Running:
    """A motion that has been taken out of the queue."""

    motion: Motion
    begun: Joints = NO_JOINTS  # critical joints that have begun to move
    end: int | None = None  # known once all critical joints have begun: from then on it is never started again
    kept: Mapping[str, Goal] = field(default_factory=dict)  # goals migrated from tasks that ended meanwhile
    resting: Joints = NO_JOINTS  # their joints: they stay as they are, unless this motion needs some of them
    fetched: bool = False  # the hand was sent to its object first
    miss: Miss = MET
    touches: tuple[Touch, ...] = ()  # of its hands, when it begins and when it ends
    leaves: int | None = None  # the joint of the body that a movement before it has brought its hand to
    missed: Miss = MET  # the largest of the postures of a gesture that are behind it
    until: Relation | None = None  # it goes on until then
    cycle: Motion | None = None  # with these movements, one after the other
    landings: tuple[Landing, ...] = ()  # of its feet, with the frames on stage
    loosens: tuple[str, ...] = ()  # hands that cannot stay on what they hold with another one, and let go as it begins
    journey: Journey | None = None  # of a body that goes somewhere, from the frame at which it sets out
    sets_out: int = 0
    rests: int | None = None  # from this frame on it only comes to rest: another journey need not wait any longer
    halts: Trajectory | None = None  # of a body that comes to a stand, because its journey was dropped

    @property
    def others(self) -> dict[str, Goal]:
        """Secondary goals: the default gives way to what a hand has just been doing (goal migration, Section 4.4)."""
        goals = dict(self.motion.others)
        for hand, goal in self.kept.items():
            if isinstance(goals.get(hand), AtRest):
                goals[hand] = goal
        return goals


@dataclass(frozen=True)
class Contact:
    """A lock or an unlock that waits for the hand's task: only then the hand takes hold, or lets go."""

    number: int  # of the lock in the task log
    task: int
    hand: str
    locks: bool = True
    thing: str | None = None  # that is held from then on, or until then


@dataclass(frozen=True)
class Told:
    """A command that waits to be carried out, as it was told: it may have to be understood anew."""

    number: int  # in the task log
    command: Command
    primitives: Primitives  # in force when it was told


@dataclass(frozen=True)
class Foreseen:
    """When a task with a name will start or end, as was known when so many commands were told and these tasks begun."""

    at: int | None
    told: int
    begun: tuple[int, ...]


@dataclass(frozen=True)
class Frame:
    """What is to be seen at one time."""

    number: int
    angles: Floats  # (dofs,), read-only
    objects: Mapping[str, Transform]
    holding: Mapping[str, str] = field(default_factory=dict)  # things in hands, by hand


@dataclass(frozen=True, eq=False)
class Unjudged:
    """Frames in which it is still to be found how deep anything is in anything: many at once take less time. What is
    under way, touched and carried is the same in all of them."""

    running: tuple[Running, ...]
    touches: Mapping[str, tuple[Touch, ...]]
    carried: Mapping[str, str]  # things, and the hands that carry them, or hold them in the air
    frames: tuple[tuple[int, Floats, Mapping[str, Transform]], ...]  # their numbers, postures, and where things are


@dataclass(frozen=True, eq=False)
class State:
    """Everything that changes, as an immutable value: a kept state can be restored."""

    frame: int
    angles: Floats  # (dofs,)
    before: Floats  # (dofs,), a frame earlier
    plan: Plan
    staged: StagedScene
    queue: Queue = EMPTY
    apart: frozenset[tuple[int, int]] = frozenset()  # tasks that wait for others, beside which their arms have no room
    held: tuple[Motion, ...] = ()  # out of the queue, but waiting for a moment, or behind one that does
    labels: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # names of tasks, and their numbers
    foreseen: Mapping[tuple[str, str], Foreseen] = field(default_factory=dict)  # starts and ends, by name and edge
    awaited: tuple[tuple[int, Relation], ...] = ()  # tasks that ended just when others should start, which have not yet
    rounds: int = 0  # frames since which nothing but cycles has been going on, with nothing to come that would end them
    complete: bool = False  # no more commands will come
    looking: Spot | None = None  # what is looked at
    pursued: Floats | None = None  # angles of a head that follows what moves
    holding: Mapping[str, str] = field(default_factory=dict)  # things that hands have taken hold of, by hand
    grasps: Mapping[str, Held] = field(default_factory=dict)  # how they have
    events: EventList = NO_EVENTS
    running: tuple[Running, ...] = ()
    trajectories: tuple[Trajectory, ...] = ()
    carrying: tuple[Carrying, ...] = ()
    contacts: tuple[Contact, ...] = ()
    touches: Mapping[str, tuple[Touch, ...]] = field(default_factory=dict)  # of each hand, by its last movement
    told: tuple[Told, ...] = ()  # commands in the order given; those that wait are among them
    pins: Mapping[str, PinnedPart] = field(default_factory=dict)
    balance: bool = True  # of a body that stands
    drag: LastDrag | None = None
    resting: int | None = None  # when the way began on which the body comes to rest from a journey that ends before
    finished: Mapping[str, tuple[Goal, int | None]] = field(default_factory=dict)  # each hand's last task
    needs_scheduling: bool = False  # something came or went: the scheduler must look at the queue
    exact: bool = True  # hands are just where they should be; those of a draft are only about there
    recording: bool | None = None  # None: nothing was said about recording
    unjudged: Unjudged | None = None


def next_state(state: State, **changes: Any) -> State:
    """As dataclasses.replace, which asks for each of the many fields by its name: too slow for every frame."""
    found = object.__new__(State)
    found.__dict__.update(state.__dict__, **changes)
    return found


@dataclass(frozen=True, eq=False)
class Snapshot:
    state: State
    mark: int
