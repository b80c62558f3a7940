"""A command and the plan in, a motion out, or the reason why not: what the command means in the planned scene."""

from __future__ import annotations

from puppet.tasks.bringing import HeldThing, hand_candidates, place_on_thing
from puppet.tasks.gesture import Gesture, Gestures
from puppet.tasks.gesture_file import load_gestures, read_gestures
from puppet.tasks.gesture_things import hand_problem, no_goal, one_hand, suited_things
from puppet.tasks.grip import GRIP_TABLE, lifted
from puppet.tasks.head import spot_place
from puppet.tasks.interpretation import interpret
from puppet.tasks.journeys import Journeys, TravelError
from puppet.tasks.locking import describe_goal, lock_refusal
from puppet.tasks.miss import Miss, worse
from puppet.tasks.motion import (
    Aimed,
    AtAngles,
    AtBalance,
    AtDrag,
    AtGesture,
    AtHeadTurn,
    AtHere,
    AtLook,
    AtObject,
    AtPin,
    AtPoint,
    AtRest,
    AtSpace,
    AtStance,
    AtUnpin,
    BodyAt,
    Change,
    Goal,
    Motion,
    Moved,
    Primitives,
    Stacked,
    WholeBody,
    conflicting,
    leaving,
)
from puppet.tasks.outcome import Outcome, PosedJoint
from puppet.tasks.plan import (
    DEFAULT_PRIMITIVES,
    MET,
    HandPlan,
    Held,
    Plan,
    at_transform,
    goal_seen,
    placed_in_world,
    seen_by_body,
    wanted_transform,
    with_possible_grip,
)
from puppet.tasks.travelling import travel_problem
from puppet.tasks.whole_body import whole_body_flaw

__all__ = [
    "DEFAULT_PRIMITIVES",
    "GRIP_TABLE",
    "MET",
    "Aimed",
    "AtAngles",
    "AtBalance",
    "AtDrag",
    "AtGesture",
    "AtHeadTurn",
    "AtHere",
    "AtLook",
    "AtObject",
    "AtPin",
    "AtPoint",
    "AtRest",
    "AtSpace",
    "AtStance",
    "AtUnpin",
    "BodyAt",
    "Change",
    "Gesture",
    "Gestures",
    "Goal",
    "HandPlan",
    "Held",
    "HeldThing",
    "Journeys",
    "Miss",
    "Motion",
    "Moved",
    "Outcome",
    "Plan",
    "PosedJoint",
    "Primitives",
    "Stacked",
    "TravelError",
    "WholeBody",
    "at_transform",
    "conflicting",
    "describe_goal",
    "goal_seen",
    "hand_candidates",
    "hand_problem",
    "interpret",
    "leaving",
    "lifted",
    "load_gestures",
    "lock_refusal",
    "no_goal",
    "one_hand",
    "place_on_thing",
    "placed_in_world",
    "read_gestures",
    "seen_by_body",
    "spot_place",
    "suited_things",
    "travel_problem",
    "wanted_transform",
    "whole_body_flaw",
    "with_possible_grip",
    "worse",
]
