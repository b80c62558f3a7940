"""The state of a stage as an immutable value: what runs, what waits, what is seen. A kept state can be restored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from puppet.geometry import Transform
from puppet.motion import Carrying, StagedScene, Trajectory
from puppet.schedule import NO_JOINTS, Joints, Queue
from puppet.stage.dragging import PinnedPart
from puppet.tasks import MET, AtRest, Goal, Miss, Motion, Plan
from puppet.types import Floats

EMPTY = Queue()


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
    touches: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # things that its hands touch, how deep
    excused: Mapping[tuple[int, int], float] | None = None  # how deep solids were in each other when it began
    missed: Miss = MET  # the largest of the postures of a gesture that are behind it

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


@dataclass(frozen=True)
class Frame:
    """What is to be seen at one time."""

    number: int
    angles: Floats  # (dofs,), read-only
    objects: Mapping[str, Transform]


@dataclass(frozen=True, eq=False)
class State:
    """Everything that changes, as an immutable value: a kept state can be restored."""

    frame: int
    angles: Floats  # (dofs,)
    before: Floats  # (dofs,), a frame earlier
    plan: Plan
    staged: StagedScene
    queue: Queue = EMPTY
    running: tuple[Running, ...] = ()
    trajectories: tuple[Trajectory, ...] = ()
    carrying: tuple[Carrying, ...] = ()
    contacts: tuple[Contact, ...] = ()
    pins: Mapping[str, PinnedPart] = field(default_factory=dict)
    balance: bool = True  # of a body that stands
    finished: Mapping[str, tuple[Goal, int]] = field(default_factory=dict)  # each hand's last task that was carried out
    needs_scheduling: bool = False  # something came or went: the scheduler must look at the queue
    recording: bool | None = None  # None: nothing was said about recording


@dataclass(frozen=True, eq=False)
class Snapshot:
    state: State
    mark: int
