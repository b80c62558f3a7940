"""Two postures, a curve and obstacles in, the frames between them out: trajectories, detours, what hands carry."""

from __future__ import annotations

from puppet.motion.carrying import Carrying, Staged, Tracking, hold
from puppet.motion.curves import CURVE_FUNCTIONS, progress
from puppet.motion.detours import ARC, ArmMove, clear_paths
from puppet.motion.path_following import follow
from puppet.motion.trajectory import Trajectory, clamp, plan_trajectory

__all__ = [
    "ARC",
    "CURVE_FUNCTIONS",
    "ArmMove",
    "Carrying",
    "Staged",
    "Tracking",
    "Trajectory",
    "clamp",
    "clear_paths",
    "follow",
    "hold",
    "plan_trajectory",
    "progress",
]
