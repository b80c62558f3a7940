"""A body's joints and degrees of freedom in the tables that the compiled kernels read."""

from __future__ import annotations

import numpy as np

from puppet.body.body import Body
from puppet.kernels.model import (
    CLEAR_CENTRE,
    CLEAR_TIP,
    DOF_COLUMNS,
    JOINT_COLUMNS,
    LOWER,
    OFFSET,
    ORDER,
    PARENT,
    SCORED,
    TIP,
    WEIGHTS,
    WIDE_UPPER,
    WIDENS_WITH,
    KernelModel,
)


def build_model(body: Body) -> KernelModel:
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
    return KernelModel(joints, dofs, gaze, below)
