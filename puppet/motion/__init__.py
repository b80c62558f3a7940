"""Two postures, a timing curve and obstacles in, the frames between them out: trajectories, detours, carrying."""

from __future__ import annotations

from puppet.motion.carrying import Carrying, StagedScene, Tracking, grip_change
from puppet.motion.curves import CURVE_FUNCTIONS, progress
from puppet.motion.detours import CARRY_ARC, ArmMove, clear_paths
from puppet.motion.path_following import follow
from puppet.motion.trajectory import Trajectory, clamp, plan_trajectory

__all__ = [
    "CARRY_ARC",
    "CURVE_FUNCTIONS",
    "ArmMove",
    "Carrying",
    "StagedScene",
    "Tracking",
    "Trajectory",
    "clamp",
    "clear_paths",
    "follow",
    "grip_change",
    "plan_trajectory",
    "progress",
]
