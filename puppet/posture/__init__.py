"""Goals for hands in, a natural posture that meets them out: closed-form arms, cyclic coordinate descent."""

from __future__ import annotations

from puppet.posture.answer import ORIENTATION_TOLERANCE, POSITION_TOLERANCE, Posture, in_place, is_met
from puppet.posture.goal import HandGoal
from puppet.posture.posture import Memory, is_beyond, pose_limbs, solve_posture

__all__ = [
    "ORIENTATION_TOLERANCE",
    "POSITION_TOLERANCE",
    "HandGoal",
    "Memory",
    "Posture",
    "in_place",
    "is_beyond",
    "is_met",
    "pose_limbs",
    "solve_posture",
]
