"""Commands: what a script line, a key stroke or a Python call asks for, as plain data. Nothing here judges them."""

from __future__ import annotations

from dataclasses import dataclass, field

from puppet.types import Vector

GRIPS = ("side", "top", "bottom")
CURVES = ("sine", "accelerate", "decelerate", "linear", "smooth")  # puppet.motion.curves has their functions
OVERLAPS = ("none", "partial", "full")
DEFAULT_FPS = 30.0  # of a script that says nothing about it
MAX_SPEED = 100_000  # frames of one motion
MAX_FRAMES = 100_000  # of tracks, and of an animation space
AUTO = "auto"  # the speed of motions that take as long as people take
TRAVELS = ("walk", "turn", "step", "sit", "stand", "crouch", "jump", "swing")
EITHER, BOTH = "either", "both"  # hands
STARTS, ENDS = "starts", "ends"
_KINDS = "one_of"  # of a field: the words that it may be; see puppet.arguments.check_fields
MAX_CLEARANCE = 0.5
MAX_PUSH = 10_000.0  # newtons
MAX_FRAME = 1_000_000  # of a script: nine hours of film, a fifth of a gigabyte


@dataclass(frozen=True)
class Source:
    """Where a command was written, for messages."""

    line: int = 0  # 0: it was not written in a file
    column: int = 1
    file: str = ""
    text: str = ""
    call: int = 0  # the line of the call, where the command stands in a definition


@dataclass(frozen=True, kw_only=True)
class Command:
    """The root of all commands."""

    source: Source = Source()


@dataclass(frozen=True)
class Relation:
    """A moment: when the task of a name starts or ends, or some frames later, or earlier."""

    name: str
    edge: str = field(default=ENDS, metadata={_KINDS: (STARTS, ENDS)})
    offset: int = 0  # frames
    block: int = field(default=0, compare=False)  # of which round of a block, or call, the task is; 0: of the script

    @property
    def key(self) -> str:
        return task_key(self.name, self.block)


def task_key(name: str, block: int) -> str:
    """The name of a task as it is told apart from the same name in other rounds of a block, or other calls."""
    return f"{name}\n{block}" if block else name


@dataclass(frozen=True, kw_only=True)
class Movement(Command):
    """A command that takes time. Others may refer to it by its label."""

    label: str | None = None
    blocks: tuple[int, ...] = field(default=(0,), compare=False)  # rounds of blocks, and calls, that know the label
    when: Relation | None = None  # it begins no earlier than that
    until: Relation | None = None  # it goes on until then, in cycles
    interrupt: bool = False  # drop everything, do this instead


@dataclass(frozen=True, kw_only=True)
class Task(Movement):
    """A command that moves one hand. A primitive that is None is taken from those in force when the task is given."""

    hand: str = ""  # by name; EITHER, BOTH; "": the one that holds the thing
    speed: int | str | None = None  # frames, or AUTO
    curve: str | None = None
    overlap: str | None = None
    grip: str | None = None
    clearance: float | None = None  # how far the way of the hand keeps from things


@dataclass(frozen=True, kw_only=True)
class Reach(Task):
    """A hand to an object, a space, a point, or the nearest thing of a kind: exactly one of these. A hand's own space
    goes by the hand's name."""

    object: str | None = None
    space: str | None = None
    point: Vector | None = None  # of the world
    nearest: str | None = None  # a kind


@dataclass(frozen=True, kw_only=True)
class TakeThing(Task):
    """A hand reaches for an object, or for the nearest one of a kind, and takes hold of it."""

    object: str | None = None
    nearest: str | None = None  # a kind


@dataclass(frozen=True, kw_only=True)
class PutThing(Task):
    """The hand that holds an object puts it on another one or on a space, and lets go."""

    object: str
    onto: str | None = None
    space: str | None = None


@dataclass(frozen=True, kw_only=True)
class GiveThing(Task):
    """A hand takes an object over from the one that holds it."""

    object: str


@dataclass(frozen=True)
class Spot:
    """What is looked or pointed at: a thing, or else a space, by name; a space; a hand; a point of the world."""

    kind: str = field(metadata={_KINDS: ("name", "space", "hand", "point")})
    name: str = ""
    point: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class PointAt(Task):
    """An arm is stretched out so that its fingers point at something."""

    spot: Spot


@dataclass(frozen=True, kw_only=True)
class LookAt(Movement):
    """The head turns to something and stays with it until something else is looked at; None: ahead."""

    spot: Spot | None
    speed: int | str | None = None  # frames, or AUTO
    curve: str | None = None


@dataclass(frozen=True, kw_only=True)
class MoveHead(Movement):
    """A nod, or a shake of the head."""

    kind: str = field(metadata={_KINDS: ("nod", "shake")})
    speed: int | str | None = None  # frames for one way, or AUTO
    curve: str | None = None


@dataclass(frozen=True, kw_only=True)
class Slide(Task):
    """A hand moved from where it is, in world axes.

    `turn`: a grip's name, or degrees about x, y, z from the zero posture, R = Rz Ry Rx, written for the left hand and
    mirrored for the right one; None keeps the orientation.
    """

    by: Vector = (0.0, 0.0, 0.0)
    turn: str | Vector | None = None


@dataclass(frozen=True, kw_only=True)
class Perform(Task):
    """A general task: a gesture by its name."""

    gesture: str
    things: tuple[tuple[str, str], ...] = ()  # that are named, each with the word before it: ("into", "cup")


@dataclass(frozen=True, kw_only=True)
class PoseJoint(Movement):
    """A joint turned directly: degrees about its x, y and z axes. Speed and curve as for a task."""

    joint: str
    angles: Vector
    speed: int | str | None = None  # frames, or AUTO
    curve: str | None = None


@dataclass(frozen=True, kw_only=True)
class Pin(Command):
    """A part of the body, by its joint's name, stays where it is, or goes to a place and stays there."""

    part: str
    to: Vector | str | None = None  # a point of the world, or the name of a thing
    turn: Vector | None = None  # how it is turned in the world, degrees about x, y, z, R = Rz Ry Rx; None: as it is
    gain: float = 1.0  # from 0, not at all, to 1, firmly


@dataclass(frozen=True, kw_only=True)
class Unpin(Command):
    part: str


@dataclass(frozen=True, kw_only=True)
class Drag(Movement):
    """A part of the body is dragged to a place, or by a vector, and the whole body follows."""

    part: str
    to: Vector | str | None = None  # a point of the world, or the name of a thing
    by: Vector | None = None
    point: Vector | None = None  # of the part, in its own coordinates; None: its joint
    speed: int | str | None = None  # frames, or AUTO
    curve: str | None = None


@dataclass(frozen=True, kw_only=True)
class Travel(Movement):
    """The whole body walks, turns, steps, sits down, stands up, crouches, jumps or swings from a bar."""

    verb: str = field(metadata={_KINDS: TRAVELS})
    to: tuple[float, float] | str | None = None  # x, z on the floor, or the name of a thing
    by: float | None = None  # degrees to the left, of a turn
    foot: str | None = None  # of a step: left or right
    speed: int | str | None = None  # frames, or AUTO; of a jump, those of its flight
    overlap: str | None = None
    height: float | None = None  # of a jump: how high the mass rises
    turns: int | None = None  # of a swing: how often


@dataclass(frozen=True, kw_only=True)
class Balance(Command):
    """Whether a body that stands keeps its centre of mass over its feet."""

    on: bool


@dataclass(frozen=True, kw_only=True)
class Push(Command):
    """A force on a part of the body, in newtons along world axes, from now on for some frames. It needs physics."""

    part: str
    by: Vector
    frames: int


@dataclass(frozen=True, kw_only=True)
class SetPhysics(Command):
    """Whether the performance goes through the dynamics filter."""

    on: bool


@dataclass(frozen=True, kw_only=True)
class Lock(Command):
    """A hand stays with the last task that was given to it."""

    hand: str


@dataclass(frozen=True, kw_only=True)
class Unlock(Command):
    hand: str


@dataclass(frozen=True, kw_only=True)
class ReleaseHand(Command):
    """A hand, or both, lets go of what it holds."""

    hand: str


@dataclass(frozen=True, kw_only=True)
class WaitFor(Command):
    """What follows is given when the task of a name has ended."""

    name: str
    block: int = field(default=0, compare=False)  # as of a relation

    @property
    def key(self) -> str:
        return task_key(self.name, self.block)


@dataclass(frozen=True, kw_only=True)
class Freeze(Command):
    """Drop everything, stop now."""


@dataclass(frozen=True, kw_only=True)
class SetPrimitive(Command):
    """grip, speed (frames), curve, overlap or clearance for all later tasks."""

    name: str
    value: str | int | float


@dataclass(frozen=True, kw_only=True)
class SetInterrupt(Command):
    """Whether every later task interrupts."""

    on: bool


@dataclass(frozen=True, kw_only=True)
class SetFps(Command):
    fps: float


@dataclass(frozen=True, kw_only=True)
class UseEnvironment(Command):
    path: str


@dataclass(frozen=True, kw_only=True)
class UseBody(Command):
    """The body that performs: one that comes with puppet by its name, or a YAML file."""

    path: str


@dataclass(frozen=True, kw_only=True)
class At(Command):
    """What follows is given at a frame."""

    frame: int


@dataclass(frozen=True, kw_only=True)
class Wait(Command):
    """What follows is given some frames later, or when the queue is empty."""

    frames: int | None  # None: until done


@dataclass(frozen=True, kw_only=True)
class Record(Command):
    """Start or stop what is written to the output."""

    on: bool
