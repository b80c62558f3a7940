"""A command and the plan in, a motion out, or the reason why not: what the command means in the planned scene."""

from __future__ import annotations

from puppet.tasks.gesture import Gesture, Gestures, load_gestures, read_gestures
from puppet.tasks.grip import GRIP_TABLE, lifted
from puppet.tasks.interpretation import interpret
from puppet.tasks.locking import describe_goal, lock_refusal
from puppet.tasks.miss import Miss
from puppet.tasks.motion import (
    AtAngles,
    AtBalance,
    AtDrag,
    AtHere,
    AtObject,
    AtPin,
    AtPoint,
    AtRest,
    AtSpace,
    AtUnpin,
    Change,
    Goal,
    Motion,
    Moved,
    Primitives,
    Stacked,
    WholeBody,
    conflicting,
)
from puppet.tasks.outcome import PosedJoint
from puppet.tasks.plan import (
    DEFAULT_PRIMITIVES,
    MET,
    HandPlan,
    Held,
    Plan,
    at_transform,
    wanted_transform,
    with_possible_grip,
)

__all__ = [
    "DEFAULT_PRIMITIVES",
    "GRIP_TABLE",
    "MET",
    "AtAngles",
    "AtBalance",
    "AtDrag",
    "AtHere",
    "AtObject",
    "AtPin",
    "AtPoint",
    "AtRest",
    "AtSpace",
    "AtUnpin",
    "Change",
    "Gesture",
    "Gestures",
    "Goal",
    "HandPlan",
    "Held",
    "Miss",
    "Motion",
    "Moved",
    "Plan",
    "PosedJoint",
    "Primitives",
    "Stacked",
    "WholeBody",
    "at_transform",
    "conflicting",
    "describe_goal",
    "interpret",
    "lifted",
    "load_gestures",
    "lock_refusal",
    "read_gestures",
    "wanted_transform",
    "with_possible_grip",
]
