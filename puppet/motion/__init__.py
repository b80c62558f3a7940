"""Two postures, paths of hands and what is solid in, the frames between them out: paths, planning, carrying, timing."""

from __future__ import annotations

from puppet.motion.arm_room import ArmRoom
from puppet.motion.ball_angles import nearest_turns
from puppet.motion.carried_room import CarriedRoom
from puppet.motion.carrying import Carrying, StagedScene
from puppet.motion.cheapest import around, cheapest
from puppet.motion.curves import CURVE_FUNCTIONS, progress
from puppet.motion.depth import DEPTH_TOLERANCE, Depth, DepthJudge, Pairs, contact_depths
from puppet.motion.gaze_course import GazeCourse, eyes_on, look, seen_after, settle, turning_frames
from puppet.motion.goal_clearance import cleared_posture, posture_depth, trunk_depth
from puppet.motion.hand_path import CARRY_ARC, EVEN, USUAL_SIZE, HandPath, manner, natural_frames
from puppet.motion.planning import plan
from puppet.motion.problem import Found, HandCourse, Problem
from puppet.motion.solids import SceneBoxes, body_solids, scene_boxes, with_boards
from puppet.motion.steps import (
    ROOMS,
    Pace,
    abrupt,
    fastest,
    gentle_frames,
    least_frames,
    seen_leaps,
    without_seen_leaps,
)
from puppet.motion.surroundings import CONTACT_DEPTH
from puppet.motion.trajectory import Trajectory, into_limits, plan_trajectory

__all__ = [
    "CARRY_ARC",
    "CONTACT_DEPTH",
    "CURVE_FUNCTIONS",
    "DEPTH_TOLERANCE",
    "EVEN",
    "ROOMS",
    "USUAL_SIZE",
    "ArmRoom",
    "CarriedRoom",
    "Carrying",
    "Depth",
    "DepthJudge",
    "Found",
    "GazeCourse",
    "HandCourse",
    "HandPath",
    "Pace",
    "Pairs",
    "Problem",
    "SceneBoxes",
    "StagedScene",
    "Trajectory",
    "abrupt",
    "around",
    "body_solids",
    "cheapest",
    "cleared_posture",
    "contact_depths",
    "eyes_on",
    "fastest",
    "gentle_frames",
    "into_limits",
    "least_frames",
    "look",
    "manner",
    "natural_frames",
    "nearest_turns",
    "plan",
    "plan_trajectory",
    "posture_depth",
    "progress",
    "scene_boxes",
    "seen_after",
    "seen_leaps",
    "settle",
    "trunk_depth",
    "turning_frames",
    "with_boards",
    "without_seen_leaps",
]
