"""A body's points of contact in, and a reference motion; out comes which of them touch what, and when.

What can be touched are level surfaces: the ground, a seat, a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from puppet.body import Body
from puppet.kernels.dynamics_model import DOES, LEVEL, NORMAL, PLAN_COLUMNS, POINT_COLUMNS, TOUCHES
from puppet.types import Flags, Floats

LOW = 0.012  # of the body's height: a point that is no farther from a surface touches it,
SLOW = 0.15  # if it moves no faster, in heights a second
FINE = 0.02  # points of one segment that are nearer to each other than this part of the height say the same
PER_SEGMENT = 4  # points that a body falls on


@dataclass(frozen=True)
class Surface:
    """A level surface: all of it, or where x and z lie between bounds."""

    level: float
    x: tuple[float, float] = (-np.inf, np.inf)
    z: tuple[float, float] = (-np.inf, np.inf)


GROUND = Surface(0.0)


def contact_names(body: Body) -> tuple[str, ...]:
    """As left_foot.heel_inside."""
    return tuple(f"{joint.name}.{name}" for joint in body.joints for name in joint.contacts)


def contact_table(body: Body) -> Floats:
    """The points as the kernels read them, (points, POINT_COLUMNS)."""
    rows = [(j, *at, 0.0) for j, joint in enumerate(body.joints) for at in joint.contacts.values()]
    return np.array(rows, dtype=np.float64).reshape(len(rows), POINT_COLUMNS)


def point_places(points: Floats, transforms: Floats) -> Floats:
    """Where points are in the world, (frames, points, 3), for the joints' transforms (frames, joints, 12)."""
    joints = points[:, 0].astype(int)
    rotations = transforms[:, joints, 3:].reshape(len(transforms), len(joints), 3, 3)
    found = transforms[:, joints, :3] + np.einsum("npab,pb->npa", rotations, points[:, 1:4])
    found[:, :, 1] -= points[:, 4]
    return np.asarray(found)


def contact_plan(body: Body, places: Floats, fps: float, surfaces: Sequence[Surface] = (GROUND,)) -> Floats:
    """What each point does from one frame to the next, (frames - 1, points, PLAN_COLUMNS): it touches a surface if it
    is near it in both and hardly moves between them."""
    frames, points = places.shape[:2]
    plan = np.zeros((frames - 1, points, PLAN_COLUMNS))
    plan[:, :, NORMAL : NORMAL + 3] = 0.0, 1.0, 0.0
    slow = np.linalg.norm(places[1:] - places[:-1], axis=2) * fps < SLOW * body.height
    for surface in surfaces:
        touches = _touching(places, surface, LOW * body.height)
        both = touches[1:] & touches[:-1] & slow
        plan[:, :, DOES] = np.where(both, TOUCHES, plan[:, :, DOES])
        plan[:, :, LEVEL] = np.where(both, surface.level, plan[:, :, LEVEL])
    return plan


def ground_plan(frames: int, points: int) -> Floats:
    """All points may touch the ground, always."""
    plan = np.zeros((frames - 1, points, PLAN_COLUMNS))
    plan[:, :, DOES] = TOUCHES
    plan[:, :, NORMAL + 1] = 1.0
    return plan


def _touching(places: Floats, surface: Surface, low: float) -> Flags:
    x, y, z = places[:, :, 0], places[:, :, 1], places[:, :, 2]
    inside = (x >= surface.x[0]) & (x <= surface.x[1]) & (z >= surface.z[0]) & (z <= surface.z[1])
    above = y - surface.level
    near = (above < low) & ((above > -low) | (surface == GROUND))  # nothing is below the ground
    return np.asarray(inside & near, dtype=np.bool_)


def falling_points(body: Body) -> Floats:
    """Balls that a body falls on, as rows of the same table: a few of each segment, as far apart as they can be."""
    rows: list[tuple[float, ...]] = []
    for j, joint in enumerate(body.joints):
        balls: list[tuple[float, ...]] = []
        for shape in joint.shapes if joint.mass > 0.0 else ():
            if shape.kind in ("capsule", "hull"):
                balls += [(*at, radius) for at, radius in zip(shape.points, shape.sizes, strict=True)]
            else:
                balls += [(*at, min(shape.sizes) * (0.5 if shape.kind == "box" else 1.0)) for at in shape.points]
        chosen: list[tuple[float, ...]] = []
        while balls and len(chosen) < PER_SEGMENT:
            apart = [min((float(np.linalg.norm(np.subtract(b, c)[:3])) for c in chosen), default=b[3]) for b in balls]
            best = int(np.argmax(apart))
            if chosen and apart[best] < FINE * body.height:
                break
            chosen.append(balls.pop(best))
        rows += [(j, *ball) for ball in chosen]
    return np.array(rows, dtype=np.float64).reshape(len(rows), POINT_COLUMNS)
