"""The body as the kernels read it: one table of joints, one of degrees of freedom.

Two plain arrays instead of a dozen keep the compiled calls cheap. The names below are their columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from puppet.body import Body, Floats, Ints

# Columns of joints, (joints, 13).
PARENT, ORDER, OFFSET, TIP, CLEAR_CENTRE, CLEAR_SEGMENT, CLEAR_TIP = 0, 1, 4, 7, 10, 11, 12
JOINT_COLUMNS = 13
# Columns of dofs, (dofs, 9); degree of freedom 3 * joint + place in the rotation order.
LOWER, UPPER, WIDE_LOWER, WIDE_UPPER, WIDENS_WITH, SCORED, WEIGHTS = 0, 1, 2, 3, 4, 5, 6
DOF_COLUMNS = 9
# A frame is a row of 12: position, then rotation row by row.


class Model(NamedTuple):
    joints: Floats  # (joints, JOINT_COLUMNS)
    dofs: Floats  # (dofs, DOF_COLUMNS)
    gaze: Floats  # (10,): looking joint or -1, eyes, forward, up in its frame
    below: Ints  # (joints, joints), 1 where the first joint carries the second, itself included


def build_model(body: Body) -> Model:
    arrays = body.arrays
    joints = np.empty((len(body.joints), JOINT_COLUMNS))
    joints[:, PARENT] = arrays.parents
    joints[:, ORDER : ORDER + 3] = arrays.orders
    joints[:, OFFSET : OFFSET + 3] = arrays.offsets
    joints[:, TIP : TIP + 3] = arrays.tips
    joints[:, CLEAR_CENTRE : CLEAR_TIP + 1] = arrays.clearances
    dofs = np.empty((body.dofs, DOF_COLUMNS))
    dofs[:, LOWER : WIDE_UPPER + 1] = arrays.limits
    dofs[:, WIDENS_WITH] = arrays.widens_with
    dofs[:, SCORED] = arrays.scored
    dofs[:, WEIGHTS : WEIGHTS + 3] = [r.weights for joint in body.joints for r in joint.rotations]
    gaze = np.zeros(10)
    gaze[0] = -1.0
    if body.gaze:
        gaze[:] = (body.gaze.joint, *body.gaze.eyes, *body.gaze.forward, *body.gaze.up)
    below = np.eye(len(body.joints), dtype=np.int64)
    for j, parent in enumerate(arrays.parents):
        if parent >= 0:
            below[:, j] |= below[:, parent]
    return Model(joints, dofs, gaze, below)
