"""Motions that run and wait in, the joints that each of them gets out (Appendix A)."""

from __future__ import annotations

from puppet.schedule.ownership import NO_JOINTS, Anatomy, Demand, Joints, group_positions, group_trajectories
from puppet.schedule.queue import Queue

__all__ = [
    "NO_JOINTS",
    "Anatomy",
    "Demand",
    "Joints",
    "Queue",
    "group_positions",
    "group_trajectories",
]
