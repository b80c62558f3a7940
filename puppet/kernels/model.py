"""What the kernels and the rest of the package both know: the tables of a body, and the constants of a solution.

A body is one table of joints and one of degrees of freedom: two plain arrays instead of a dozen keep the compiled calls
cheap. A transform is a row of 12: position, then rotation row by row.
"""

from __future__ import annotations

from typing import NamedTuple

from puppet.types import Floats, Ints

# Columns of joints, (joints, 13).
PARENT, ORDER, OFFSET, TIP, CLEAR_CENTRE, CLEAR_SEGMENT, CLEAR_TIP = 0, 1, 4, 7, 10, 11, 12
JOINT_COLUMNS = 13
# Columns of dofs, (dofs, 10); degree of freedom 3 * joint + place in the rotation order. PER_RANGE: 1 / range, where
# that is what the axis widens to if it has no width else; 0 for a stiff axis, which is no variable.
LOWER, UPPER, WIDE_LOWER, WIDE_UPPER, WIDENS_WITH, SCORED, WEIGHTS, PER_RANGE = 0, 1, 2, 3, 4, 5, 6, 9
DOF_COLUMNS = 10
STIFF_RANGE = 1e-6  # radians: an axis with no more room than this does not turn

# A goal is met up to these.
POSITION_TOLERANCE = 1e-3  # in body heights
ORIENTATION_TOLERANCE = 1.0  # degrees
# What an arm violates is measured in radians; distances are converted, see puppet.kernels.closed_form_arm.
VIOLATION_TOLERANCE = 1e-9  # violations up to this are none
HARD_PRICE = 1e3  # of a violation: more than any score
# How an arm is searched for: all swivels, after setting the state up; all swivels; those near the present one.
LOAD_AND_SEARCH, SEARCH, REFINE = -1.0, 0.0, 1.0


class KernelModel(NamedTuple):
    joints: Floats  # (joints, JOINT_COLUMNS)
    dofs: Floats  # (dofs, DOF_COLUMNS)
    gaze: Floats  # (10,): looking joint or -1; its eyes, forward and up in its own coordinates
    below: Ints  # (joints, joints), 1 where the first joint carries the second, itself included
