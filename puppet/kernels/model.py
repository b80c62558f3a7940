"""The body as the kernels read it: one table of joints, one of degrees of freedom.

Two plain arrays instead of a dozen keep the compiled calls cheap. The names below are their columns.
"""

from __future__ import annotations

from typing import NamedTuple

from puppet.types import Floats, Ints

# Columns of joints, (joints, 13).
PARENT, ORDER, OFFSET, TIP, CLEAR_CENTRE, CLEAR_SEGMENT, CLEAR_TIP = 0, 1, 4, 7, 10, 11, 12
JOINT_COLUMNS = 13
# Columns of dofs, (dofs, 9); degree of freedom 3 * joint + place in the rotation order.
LOWER, UPPER, WIDE_LOWER, WIDE_UPPER, WIDENS_WITH, SCORED, WEIGHTS = 0, 1, 2, 3, 4, 5, 6
DOF_COLUMNS = 9
# A frame is a row of 12: position, then rotation row by row.


class KernelModel(NamedTuple):
    joints: Floats  # (joints, JOINT_COLUMNS)
    dofs: Floats  # (dofs, DOF_COLUMNS)
    gaze: Floats  # (10,): looking joint or -1, eyes, forward, up in its frame
    below: Ints  # (joints, joints), 1 where the first joint carries the second, itself included
