"""A body in the tables that the whole-body solver's kernels read."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from puppet.body import Body, local_rotations
from puppet.kernels.figure_model import (
    ANGLE,
    BALL,
    BONE,
    BONE_SIGN,
    CORNER,
    CORNER_COLUMNS,
    CORNERS,
    COUNT,
    FIGURE_JOINT_COLUMNS,
    INERTIA,
    INNER_TWIST,
    JOINT_AXES,
    JOINT_FIRST,
    JOINT_PARENT,
    LINK_COLUMNS,
    LINK_OFFSET,
    MASS,
    MOBILITY,
    OWN_FRAME,
    PARENT_FRAME,
    RANGE_CENTRE,
    RANGE_CENTRE_TWIST,
    VELOCITY_COLUMNS,
    VELOCITY_JOINT,
    VELOCITY_LOWER,
    VELOCITY_WIDENS_WITH,
    FigureModel,
)
from puppet.kernels.loader import kernels
from puppet.types import Floats

_FARTHEST = 1e6  # radians: no limit
_FLOOR = 2e-4  # of the metric, body mass 1 and height 1: what it costs to turn a joint that carries nothing


@lru_cache(maxsize=16)
def figure_tables(body: Body) -> FigureModel:
    """The tables of a body without its metric, which takes longer: made once."""
    return _build(body)


@lru_cache(maxsize=16)
def figure_model(body: Body) -> tuple[FigureModel, Floats]:
    """The tables of a body, and the inverse of its metric in its rest posture, (velocities,): made once."""
    model = _build(body)
    count = len(body.joints)
    world, axes, sums = np.empty((count, 12)), np.zeros((body.dofs, 6)), np.empty((count, 13))
    local = np.array([local_rotations(body, j, body.rest[None])[0].ravel() for j in range(count)])
    kernels().figure_place(
        model.joints, model.links, model.velocities, int(body.free_root), np.array(body.rest), local, world, axes, sums
    )
    found = _mobility(body, model, world, axes)
    model.velocities[:, MOBILITY] = found
    return model, found


def _build(body: Body) -> FigureModel:
    count, size = len(body.joints), body.dofs
    joints = np.zeros((count, FIGURE_JOINT_COLUMNS), dtype=np.int64)
    links = np.zeros((count, LINK_COLUMNS))
    velocities = np.zeros((size, VELOCITY_COLUMNS))
    chains = np.zeros((count, size + 1), dtype=np.int64)
    corners: list[Floats] = []
    masses = np.array([joint.mass for joint in body.joints])
    total = masses.sum() or 1.0
    for j, joint in enumerate(body.joints):
        dofs = body.rotation_dofs[j]
        ball = joint.is_ball or (j == 0 and body.free_root and len(dofs) == 3)
        joints[j, [JOINT_PARENT, COUNT, BALL, JOINT_FIRST]] = joint.parent, len(dofs), int(ball), dofs.start
        joints[j, JOINT_AXES : JOINT_AXES + len(dofs)] = [rotation.axis for rotation in joint.rotations]
        links[j, LINK_OFFSET:MASS] = body.arrays.offsets[j]
        mass = joint.mass / total
        links[j, MASS:INERTIA] = mass, *joint.mass_centre
        x, y, z = np.square(joint.gyration)
        links[j, INERTIA : INERTIA + 9] = (mass * np.diag([x, y, z])).ravel()
        if joint.range is not None:
            region = joint.range
            joints[j, [CORNER, CORNERS]] = len(corners), len(region.corners)
            links[j, [BONE, BONE_SIGN]] = region.axis, region.sign
            links[j, RANGE_CENTRE : RANGE_CENTRE + 2] = region.centre.point
            links[j, RANGE_CENTRE_TWIST : RANGE_CENTRE_TWIST + 2] = region.centre.twist
            lower, upper = 0.5 * max(region.twists[:, 0]), 0.5 * min(region.twists[:, 1])
            lower, upper = max(lower, 0.5 * region.centre.twist[0]), min(upper, 0.5 * region.centre.twist[1])
            links[j, INNER_TWIST : INNER_TWIST + 4] = np.cos(upper), np.sin(upper), np.cos(lower), np.sin(lower)
            links[j, PARENT_FRAME : PARENT_FRAME + 4], links[j, OWN_FRAME : OWN_FRAME + 4] = region.frames
            corners += list(np.hstack([region.half_planes, region.corners, region.twists]))
        above = chains[joint.parent, 1 : 1 + chains[joint.parent, 0]] if joint.parent >= 0 else ()
        chain = [*above, *body.dofs_of([j])]
        chains[j, 0], chains[j, 1 : 1 + len(chain)] = len(chain), chain
    velocities[:, VELOCITY_LOWER : VELOCITY_LOWER + 4] = body.arrays.limits
    if body.free_root:  # it turns as often as it likes, however many axes it has
        velocities[list(body.rotation_dofs[0]), VELOCITY_LOWER : VELOCITY_LOWER + 4] = (
            -_FARTHEST,
            _FARTHEST,
            -_FARTHEST,
            _FARTHEST,
        )
    velocities[:, VELOCITY_WIDENS_WITH] = body.arrays.widens_with
    velocities[:, VELOCITY_JOINT] = body.arrays.joints_of
    velocities[:, ANGLE] = np.arange(size)
    table = np.array(corners) if corners else np.zeros((0, CORNER_COLUMNS))
    return FigureModel(joints, links, table, velocities, chains)


def _mobility(body: Body, model: FigureModel, world: Floats, axes: Floats) -> Floats:
    """The inverse of the metric, (velocities,): 1 / (w . I w) with I the inertia about its axis of all that a velocity
    moves, so that a hand is moved by the arm sooner than by the whole body."""
    found = np.empty(body.dofs)
    below = body.model.below.astype(bool)
    rotations = world[:, 3:].reshape(-1, 3, 3)
    centres = world[:, :3] + np.einsum("jab,jb->ja", rotations, model.links[:, MASS + 1 : INERTIA])
    inertias = rotations @ model.links[:, INERTIA : INERTIA + 9].reshape(-1, 3, 3) @ rotations.transpose(0, 2, 1)
    for v in range(body.dofs):
        moved = below[int(model.velocities[v, VELOCITY_JOINT])]
        axis, origin = axes[v, :3], axes[v, 3:]
        if v in body.translation_dofs:
            found[v] = 1.0 / max(model.links[:, MASS].sum(), _FLOOR)
            continue
        arm = np.cross(axis, centres[moved] - origin)
        carried = float((model.links[moved, MASS] * (arm * arm).sum(axis=1)).sum())
        carried += float(np.einsum("a,jab,b->", axis, inertias[moved], axis))
        found[v] = 1.0 / (carried / body.height**2 + _FLOOR)
    return found
