"""A motion in, the nearest one that contact forces can cause out: the dynamics filter, its forces and its report."""

from __future__ import annotations

from puppet.dynamics.filtered import FilteredPerformance, PushAt, filter_motion, found_performance

__all__ = ["FilteredPerformance", "PushAt", "filter_motion", "found_performance"]
