"""How paths are bent until they are clear: what counts as much as what. Nothing here is compiled."""

from __future__ import annotations

LACK_UNIT, BEND_UNIT, SWING_UNIT, OVER_UNIT, SHORT_UNIT = 0.003, 0.1, 0.6, 0.01, 0.002
BENDS = 6  # numbers for the bends of a path; one more for the swing of the elbow
DESCENT_ROUNDS = 4  # of least squares
ENOUGH_CLEAR = 0.5  # a cost that is no longer made less
HARDLY_LESS = 0.98  # times a cost: a step that makes it no less is the last
DAMPINGS = (0.01, 0.3, 10.0)
SHORTFALL = 3e-3  # of a clearance that may be missing
DEEP = 7e-4
OFF_COURSE = 1e-5  # a wrist that is farther from its course is off it
# Columns of kinds of numbers: what counts as much as 1 of another, the step by which a slope is measured, and how far
# one goes at most.
KIND_UNIT, KIND_STEP, KIND_FARTHEST = 0, 1, 2
