"""A reference motion in, one that contact forces can really cause out: the dynamics filter of Nakamura and Yamane.

Frame by frame and in substeps, see puppet.kernels.dynamics_filter. Contact forces and torques are then found from the
frames that came out, by inverse dynamics, so that they belong to what anyone can measure in the motion.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from puppet.body import EARTH_GRAVITY, Body, joint_transforms
from puppet.dynamics.contacts import (
    GROUND,
    Surface,
    contact_plan,
    contact_table,
    falling_points,
    ground_plan,
    point_places,
)
from puppet.dynamics.reference import differences, sample
from puppet.errors import PuppetError
from puppet.kernels.dynamics_model import STATE_COLUMNS
from puppet.kernels.loader import kernels
from puppet.solver import figure_model
from puppet.types import Floats, Ints

SUBSTEP = 1.0 / 240.0  # seconds, at most
STIFFNESS = 0.02  # what it costs to move any joint otherwise than wanted, beside the inertia that it carries


@dataclass(frozen=True)
class Filtered:
    """What comes out of the filter, in the body's lengths and for a body of mass 1."""

    angles: Floats  # (frames, dofs)
    points: Floats  # (points, POINT_COLUMNS): those of contact, then, if it fell, those that it fell on
    forces: Floats  # (frames, points, 3)
    torques: Floats  # (frames, dofs): what is left over at a free root, then those of the joints
    fell: int | None  # the frame in which it has lost its balance


def check_body(body: Body) -> None:
    """Physics needs to know how large and heavy a body is, and that it stands on something."""
    missing = [
        what
        for what, there in (
            ("a free root ('root: free')", body.free_root),
            ("masses", any(joint.mass > 0.0 for joint in body.joints)),
            ("its height in metres ('metres')", body.metres is not None),
            ("its mass ('kilograms')", body.kilograms is not None),
            ("points of contact ('contacts')", any(joint.contacts for joint in body.joints)),
        )
        if not there
    ]
    if missing:
        raise PuppetError(
            f"the body '{body.name}' cannot be moved by physics: it has no {', no '.join(missing)}; "
            "'person' has all of it"
        )


def gravity_of(body: Body) -> float:
    """In the body's lengths a second squared."""
    return EARTH_GRAVITY * body.height / (body.metres or 1.0)


def newtons(body: Body) -> float:
    """One unit of force, mass 1 times the body's length a second squared, in newtons."""
    return (body.kilograms or 1.0) * (body.metres or 1.0) / body.height


def filter_angles(
    body: Body, angles: Floats, fps: float, friction: float, pushes: Floats | None = None,
    surfaces: Sequence[Surface] = (GROUND,),
) -> Filtered:  # fmt: skip
    """The filter itself. pushes (frames, joints, 3): forces on mass centres of segments, from each frame to the next;
    surfaces: what can be touched, the ground at 0."""
    check_body(body)
    frames = len(angles)
    points = contact_table(body)
    if pushes is None:
        pushes = np.zeros((frames, len(body.joints), 3))
    if frames < 2:
        nothing = np.zeros((frames, len(points), 3))
        return Filtered(angles.copy(), points, nothing, np.zeros_like(angles), None)
    substeps = max(1, math.ceil(1.0 / (fps * SUBSTEP) - 1e-9))
    curve = sample(body, angles, fps, substeps)
    plan = contact_plan(body, point_places(points, joint_transforms(body, angles)), fps, surfaces)
    model, mobility = figure_model(body)
    mobility = mobility / (1.0 + STIFFNESS * mobility)
    settings = np.array([1.0 / (fps * substeps), gravity_of(body), friction, body.height])
    state = np.zeros((len(points), STATE_COLUMNS))
    moved, bearing = np.empty((frames - 1, body.dofs)), np.zeros((frames - 1, len(points)))
    now, local, speeds = angles[0].copy(), curve.locals[0].copy(), curve.speeds[0].copy()
    lost = int(kernels().dynamics_filter(
        model.joints, model.links, model.corners, model.velocities, model.chains, 1, mobility, points, plan,
        curve.postures, curve.locals, curve.speeds, curve.rates, np.zeros((len(curve.postures), 9)), pushes,
        ends_of(body), upper_of(body), settings, now, local, speeds, state, moved, bearing,
        np.zeros((frames - 1, len(points), 3)),
    ))  # fmt: skip
    if lost < frames - 1:
        points, plan, bearing = _with_falling(body, points, plan, bearing)
        kernels().dynamics_fall(
            model.joints, model.links, model.corners, model.velocities, model.chains, 1, mobility, points, pushes, lost,
            substeps, settings, now, local, speeds, moved, bearing,
        )  # fmt: skip
    found = np.concatenate([angles[:1], moved])
    return explain(body, found, fps, friction, points, plan, bearing, pushes, lost + 1 if lost < frames - 1 else None)


def _with_falling(body: Body, points: Floats, plan: Floats, bearing: Floats) -> tuple[Floats, Floats, Floats]:
    """The same with the points that a body falls on; from now on all of them may touch the ground."""
    more = falling_points(body)
    everything = np.concatenate([points, more])
    ground = ground_plan(len(plan) + 1, len(everything))
    ground[:, : len(points)] = np.where(plan[:, :, :1] > 0.0, plan, ground[:, : len(points)])
    return everything, ground, np.concatenate([bearing, np.zeros((len(plan), len(more)))], axis=1)


def explain(
    body: Body, angles: Floats, fps: float, friction: float, points: Floats, plan: Floats, bearing: Floats,
    pushes: Floats, fell: int | None = None,
) -> Filtered:  # fmt: skip
    """Contact forces and torques of a motion, by inverse dynamics of its frames.

    A frame's accelerations are those of both its neighbours' sides: what bears on either side may bear in it.
    """
    model, _ = figure_model(body)
    curve = differences(body, angles, fps)
    either = np.concatenate([bearing[:1], np.maximum(bearing[1:], bearing[:-1]), bearing[-1:]])
    both = np.concatenate([plan[:1], plan])
    both[1:-1] = np.where(bearing[:-1, :, None] > 0.0, plan[:-1], plan[1:])
    shared = pushes.copy()
    shared[1:-1] = 0.5 * (pushes[:-2] + pushes[1:-1])
    forces, torques = np.zeros((len(angles), len(points), 3)), np.zeros_like(angles)
    kernels().dynamics_explain(
        model.joints, model.links, model.velocities, 1, points, both, curve.postures, curve.locals, curve.speeds,
        curve.rates, shared, either, np.array([1.0 / fps, gravity_of(body), friction, body.height]), forces, torques,
    )  # fmt: skip
    return Filtered(angles, points, forces, torques, fell)


def ends_of(body: Body) -> Ints:
    """The joints whose places are kept in the air: the last ones of legs."""
    return np.array([limb.joints[-1] for limb in body.limbs.values() if limb.kind == "leg"], dtype=np.int64)


def upper_of(body: Body) -> int:
    """The part of the upper body that is kept in place: what arms hang on, else the root."""
    return next((limb.trunk[-1] for limb in body.limbs.values() if limb.trunk), 0)
