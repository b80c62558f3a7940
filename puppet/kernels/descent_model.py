"""How paths are bent until they are clear: what counts as much as what, and the columns of ways. Nothing here is
compiled."""

from __future__ import annotations

LACK, BEND, SWING, OVER, SHORT = 0.003, 0.1, 0.6, 0.01, 0.002
BENDS = 6  # numbers for the bends of a path; one more for the swing of the elbow
ROUNDS = 4  # of least squares
ENOUGH = 0.5  # a cost that is no longer made less
HARDLY_LESS = 0.98  # times a cost: a step that makes it no less is the last
DAMPINGS = (0.01, 0.3, 10.0)
SHORTFALL = 3e-3  # of a clearance that may be missing
DEEP = 7e-4  # solids this deep in each other: nothing to speak of
OFF = 1e-5  # a wrist that is nearer to its course is on it
# Of a way in which numbers are changed: what counts as much as another, the step by which its slope is measured, how
# far one goes at most, and the hand that is moved.
UNIT, STEP, LARGEST, WHOSE = 0, 1, 2, 3
