"""A body in the tables that the compiled kernels read, and its angles in their order.

To the kernels every joint is a ball joint: three angles for each, in the order of its rotations. A hinge or a universal
joint has stiff axes there whose angles are always zero. Where the root stands is no angle: kernels leave the root in
its place, and whoever calls them moves the world by as much as the root is moved.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from puppet.body.body import Body, Joint, Rotation
from puppet.kernels.model import (
    CLEAR_CENTRE,
    CLEAR_TIP,
    DOF_COLUMNS,
    JOINT_COLUMNS,
    LOWER,
    OFFSET,
    ORDER,
    PARENT,
    PER_RANGE,
    SCORED,
    STIFF_RANGE,
    TIP,
    UPPER,
    WEIGHTS,
    WIDE_UPPER,
    WIDENS_WITH,
    KernelModel,
)
from puppet.types import Floats, Ints

_PLACES: tuple[tuple[int, ...], ...] = ((), (0,), (0, 2), (0, 1, 2))  # of a joint's rotations among its three angles


def build_model(body: Body) -> KernelModel:
    arrays = body.arrays
    rotations = [_ball(joint) for joint in body.joints]
    joints = np.empty((len(body.joints), JOINT_COLUMNS))
    joints[:, PARENT] = arrays.parents
    joints[:, ORDER : ORDER + 3] = [[r.axis for r in three] for three in rotations]
    joints[:, OFFSET : OFFSET + 3] = arrays.offsets
    joints[:, TIP : TIP + 3] = arrays.tips
    joints[:, CLEAR_CENTRE : CLEAR_TIP + 1] = arrays.clearances
    dofs = np.empty((3 * len(body.joints), DOF_COLUMNS))
    for j, three in enumerate(rotations):
        region = body.joints[j].range
        if region is not None:  # the kernels know boxes only
            box = region.euler_box([r.axis for r in three])
            three = [replace(r, lower=low, upper=high) for r, (low, high) in zip(three, box, strict=True)]
        place_of = {r.axis: place for place, r in enumerate(three)}
        for place, r in enumerate(three):
            wide = three[place_of[r.widens[1]]] if r.widens else r
            row = dofs[3 * j + place]
            row[LOWER : WIDE_UPPER + 1] = (r.lower, r.upper, wide.lower, wide.upper)
            row[WIDENS_WITH] = 3 * j + place_of[r.widens[0]] if r.widens else -1
            row[SCORED] = r.scored
            row[WEIGHTS : WEIGHTS + 3] = r.weights
            width = next((w for w in (r.upper - r.lower, wide.upper - wide.lower) if w >= STIFF_RANGE), math.inf)
            row[PER_RANGE] = 1.0 / width
    gaze = np.zeros(10)
    gaze[0] = -1.0
    if body.gaze:
        gaze[:] = (body.gaze.joint, *body.gaze.eyes, *body.gaze.forward, *body.gaze.up)
    below = np.eye(len(body.joints), dtype=np.int64)
    for j, parent in enumerate(arrays.parents):
        if parent >= 0:
            below[:, j] |= below[:, parent]
    return KernelModel(joints, dofs, gaze, below)


def _ball(joint: Joint) -> list[Rotation]:
    """A joint's rotations as those of a ball joint, with stiff ones for those that it lacks."""
    found: list[Rotation | None] = [None, None, None]
    for place, rotation in zip(_PLACES[len(joint.rotations)], joint.rotations, strict=True):
        found[place] = rotation
    lacking = iter(axis for axis in range(3) if all(r.axis != axis for r in joint.rotations))
    return [r or Rotation(next(lacking), 0.0, 0.0, (0.0, 0.0, 0.0)) for r in found]


def kernel_dofs(joints: Iterable[int]) -> Ints:
    """Where the three angles of each of these joints stand in the kernels' array of all joints."""
    return np.array([3 * joint + place for joint in joints for place in range(3)], dtype=np.int64)


def kernel_axes(body: Body, joints: Ints) -> Ints:
    """The axes that the three angles of each of these joints turn about, (3 * joints,)."""
    return body.model.joints[joints, ORDER : ORDER + 3].astype(np.int64).ravel()


def kernel_limits(body: Body, dofs: Ints) -> tuple[Floats, Floats]:
    """Lower and upper limits of some places in the kernels' array, (dofs,) each, none of them widened."""
    return body.model.dofs[dofs, LOWER], body.model.dofs[dofs, UPPER]


def kernel_places(body: Body, joints: Sequence[int] | None = None) -> Ints:
    """Where the angles of all joints, or of some, stand in the kernels' array of these joints, (3 * joints,)."""
    counts = [len(body.joints[j].rotations) for j in (range(len(body.joints)) if joints is None else joints)]
    return np.array([3 * n + k for n, count in enumerate(counts) for k in _PLACES[count]], dtype=np.int64)


def kernel_angles(body: Body, angles: Floats, joints: Sequence[int] | None = None) -> Floats:
    """Angles (..., dofs) of a posture, or of some joints alone, as the kernels have them: (..., 3 * joints), a copy."""
    if joints is None and body.kernel_ordered:
        return angles.copy()
    places = body.kernel_places if joints is None else kernel_places(body, joints)
    count = 3 * len(body.joints if joints is None else joints)
    own = angles[..., len(body.translation_dofs) :] if joints is None else angles
    if len(places) == count:
        return np.array(own)
    found = np.zeros((*angles.shape[:-1], count))
    found[..., places] = own
    return found


def body_angles(body: Body, angles: Floats, joints: Sequence[int] | None = None) -> Floats:
    """The way back: angles (..., 3 * joints) of the kernels as the body has them, without the root's place."""
    if joints is None and body.kernel_ordered:
        return angles
    places = body.kernel_places if joints is None else kernel_places(body, joints)
    return np.ascontiguousarray(angles if len(places) == angles.shape[-1] else angles[..., places])
