"""A body's points of contact in, and a reference motion; out comes which of them touch the ground, and when."""

from __future__ import annotations

import numpy as np

from puppet.body import Body
from puppet.kernels.dynamics_model import DOES, LEVEL, NORMAL, PLAN_COLUMNS, POINT_COLUMNS, TOUCHES
from puppet.types import Floats

LOW = 0.012  # of the body's height: a point that is no higher touches the ground,
SLOW = 0.25  # if it moves no faster, in heights a second


def contact_names(body: Body) -> tuple[str, ...]:
    """As left_foot.heel_inside."""
    return tuple(f"{joint.name}.{name}" for joint in body.joints for name in joint.contacts)


def contact_table(body: Body) -> Floats:
    """The points as the kernels read them, (points, POINT_COLUMNS)."""
    rows = [(j, *at) for j, joint in enumerate(body.joints) for at in joint.contacts.values()]
    return np.array(rows, dtype=np.float64).reshape(len(rows), POINT_COLUMNS)


def contact_places(body: Body, transforms: Floats) -> Floats:
    """Where all points are in the world, (frames, points, 3), for the joints' transforms (frames, joints, 12)."""
    table = contact_table(body)
    joints = table[:, 0].astype(int)
    rotations = transforms[:, joints, 3:].reshape(len(transforms), len(joints), 3, 3)
    return np.asarray(transforms[:, joints, :3] + np.einsum("npab,pb->npa", rotations, table[:, 1:]))


def touching(body: Body, places: Floats, fps: float) -> Floats:
    """Which points touch the ground in each frame of a reference, (frames, points) of bool."""
    speeds = np.zeros(places.shape[:2])
    if len(places) > 1:
        speeds = np.linalg.norm(np.gradient(places, 1.0 / fps, axis=0), axis=2)
    return np.asarray((places[:, :, 1] < LOW * body.height) & (speeds < SLOW * body.height))


def ground_plan(touches: Floats) -> Floats:
    """What each point does from one frame to the next: it touches the ground if it does in both."""
    frames, points = touches.shape
    plan = np.zeros((frames - 1, points, PLAN_COLUMNS))
    plan[:, :, DOES] = np.where(touches[1:] & touches[:-1], TOUCHES, 0.0)
    plan[:, :, NORMAL : NORMAL + 3] = 0.0, 1.0, 0.0
    plan[:, :, LEVEL] = 0.0
    return plan
