"""A body's points of contact in, and a reference motion; out comes which of them touch the ground, and when."""

from __future__ import annotations

import numpy as np

from puppet.body import Body
from puppet.kernels.dynamics_model import DOES, LEVEL, NORMAL, PLAN_COLUMNS, POINT_COLUMNS, TOUCHES
from puppet.types import Floats

LOW = 0.012  # of the body's height: a point that is no higher touches the ground,
FINE = 0.02  # points of one segment that are nearer to each other say the same
SLOW = 0.25  # if it moves no faster, in heights a second


def contact_names(body: Body) -> tuple[str, ...]:
    """As left_foot.heel_inside."""
    return tuple(f"{joint.name}.{name}" for joint in body.joints for name in joint.contacts)


def contact_table(body: Body) -> Floats:
    """The points as the kernels read them, (points, POINT_COLUMNS)."""
    rows = [(j, *at, 0.0) for j, joint in enumerate(body.joints) for at in joint.contacts.values()]
    return np.array(rows, dtype=np.float64).reshape(len(rows), POINT_COLUMNS)


def contact_places(body: Body, transforms: Floats) -> Floats:
    """Where all points are in the world, (frames, points, 3), for the joints' transforms (frames, joints, 12)."""
    table = contact_table(body)
    joints = table[:, 0].astype(int)
    rotations = transforms[:, joints, 3:].reshape(len(transforms), len(joints), 3, 3)
    return np.asarray(transforms[:, joints, :3] + np.einsum("npab,pb->npa", rotations, table[:, 1:4]))


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


def falling_points(body: Body) -> Floats:
    """Balls that a body falls on, as rows of the same table: up to four of each segment, as far apart as they can be."""
    rows: list[tuple[float, ...]] = []
    for j, joint in enumerate(body.joints):
        if joint.mass == 0.0 or joint.contacts:
            continue
        balls: list[tuple[float, ...]] = []
        for shape in joint.shapes:
            if shape.kind in ("capsule", "hull"):
                balls += [(*at, radius) for at, radius in zip(shape.points, shape.sizes, strict=True)]
            else:
                balls += [(*at, min(shape.sizes) * (0.5 if shape.kind == "box" else 1.0)) for at in shape.points]
        chosen: list[tuple[float, ...]] = []
        while balls and len(chosen) < 4:
            apart = [min((float(np.linalg.norm(np.subtract(b, c)[:3])) for c in chosen), default=b[3]) for b in balls]
            best = int(np.argmax(apart))
            if chosen and apart[best] < FINE * body.height:
                break
            chosen.append(balls.pop(best))
        rows += [(j, *ball) for ball in chosen]
    return np.array(rows, dtype=np.float64).reshape(len(rows), POINT_COLUMNS)
