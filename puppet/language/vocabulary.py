"""The names that a script may use: those of the scene, the body and the gestures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from puppet.body import Body
from puppet.command import AUTO, CURVES, GRIPS, MAX_CLEARANCE, MAX_SPEED, OVERLAPS
from puppet.scene import Scene

CHOICES: Mapping[str, tuple[str, ...]] = {"grip": GRIPS, "curve": tuple(CURVES), "overlap": OVERLAPS}
PRIMITIVE_NAMES = ("grip", "speed", "curve", "overlap", "clearance")
# The primitives of each kind of task: a gesture has no grip, since it defines how to hold the hand.
PRIMITIVES_OF: Mapping[str, tuple[str, ...]] = {
    "reach": PRIMITIVE_NAMES,
    "slide": ("speed", "curve", "overlap", "clearance"),
    "take": PRIMITIVE_NAMES,
    "put": PRIMITIVE_NAMES,
    "give": PRIMITIVE_NAMES,
    "point": ("speed", "curve", "overlap", "clearance"),
    "gesture": ("speed", "curve", "overlap", "clearance"),
    "pose": ("speed", "curve"),
    "drag": ("point", "speed", "curve"),
    "look": ("speed", "curve"),
    "nod": ("speed", "curve"),
    "shake": ("speed", "curve"),
    "pin": ("turn", "gain"),
    "walk": ("speed", "overlap"),
    "turn": ("speed", "overlap"),
    "step": ("speed", "overlap"),
    "sit": ("speed", "overlap"),
    "stand": ("speed", "overlap"),
    "crouch": ("speed", "overlap"),
    "jump": ("speed", "overlap", "height"),
    "swing": ("speed", "overlap", "turns"),
}
PRIMITIVE_MEANINGS: Mapping[str, str] = {
    "grip": "how a hand takes hold",
    "speed": f"how long a motion lasts: {AUTO}, as long as people take; whole frames from 1 to {MAX_SPEED}; or seconds",
    "curve": "how a motion spreads over its time",
    "overlap": "whether a task may run beside the one before",
    "clearance": f"distance that the path of a hand keeps from things, from 0 to {MAX_CLEARANCE:g}",
}


@dataclass(frozen=True)
class Vocabulary:
    """Known names. None: not known here, so they are not checked."""

    fps: float
    objects: frozenset[str] | None = None
    spaces: frozenset[str] | None = None  # without the hands' own
    hands: tuple[str, ...] = ()
    gestures: frozenset[str] | None = None
    impossible: Mapping[str, str] = field(default_factory=dict)  # gestures that the body cannot do, and why
    thing_words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # before the things that a gesture names
    joints: tuple[str, ...] | None = None
    places: frozenset[str] | None = None  # what a body can walk to or turn to
    bars: frozenset[str] | None = None  # what it can swing from
    kinds: frozenset[str] | None = None  # of objects
    cyclic: frozenset[str] | None = None  # gestures that go on in cycles
    definitions: Mapping[str, int] = field(default_factory=dict)  # name: number of parameters

    @staticmethod
    def of(
        fps: float,
        scene: Scene | None = None,
        gestures: Iterable[str] | None = None,
        body: Body | None = None,
        definitions: Mapping[str, int] | None = None,
    ) -> Vocabulary:
        return Vocabulary(
            fps,
            None if scene is None else frozenset(entry.name for entry in scene.objects),
            None if scene is None else frozenset(s.name for s in scene.spaces if s.name and not s.dynamic),
            Body.load().hands if body is None else body.hands,
            None if gestures is None else frozenset(gestures),
            getattr(gestures, "impossible", {}),
            getattr(gestures, "thing_words", {}),
            None if body is None else body.joint_names,
            None if scene is None else scene.place_names,
            None if scene is None else frozenset(bar.name for bar in scene.bars),
            None if scene is None else frozenset(entry.kind for entry in scene.objects if entry.kind is not None),
            getattr(gestures, "cyclic", None),
            definitions or {},
        )
