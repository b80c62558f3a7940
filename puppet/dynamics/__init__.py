"""A motion in, the nearest one that contact forces can cause out: the dynamics filter, its forces and its report."""

from __future__ import annotations

from puppet.dynamics.contacts import with_flat_soles
from puppet.dynamics.filtered import (
    FilteredPerformance,
    Forces,
    HoldAt,
    PushAt,
    filter_motion,
    filter_recording,
    found_performance,
)
from puppet.dynamics.homecoming import Homecoming
from puppet.dynamics.live import LiveFilter

__all__ = [
    "FilteredPerformance",
    "Forces",
    "HoldAt",
    "Homecoming",
    "LiveFilter",
    "PushAt",
    "filter_motion",
    "filter_recording",
    "found_performance",
    "with_flat_soles",
]
