"""A command and the planned scene in, a motion out, or the reason why not: what the command means here."""

from __future__ import annotations

from puppet.tasks.gesture import Gesture, Gestures, load_gestures, read_gestures
from puppet.tasks.grip import GRIP_TABLE, lifted
from puppet.tasks.interpretation import interpret
from puppet.tasks.locking import describe, refusal
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
    in_each_others_way,
)
from puppet.tasks.outcome import PosedJoint
from puppet.tasks.plan import DEFAULTS, MET, HandPlan, Held, Plan, at_pose, suited, wanted_transform

__all__ = [
    "DEFAULTS",
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
    "at_pose",
    "describe",
    "in_each_others_way",
    "interpret",
    "lifted",
    "load_gestures",
    "read_gestures",
    "refusal",
    "suited",
    "wanted_transform",
]
