"""What tests of the whole-body solver share: bodies, random postures, and a readable twin of the kernels' features."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from puppet import Body, Figure
from puppet.body import local_rotations
from puppet.geometry.transform import rotation_about, rotation_vector
from puppet.kernels.figure_model import TASK_COLUMNS
from puppet.kernels.loader import kernels
from puppet.types import Floats

DATA = Path(__file__).parent / "data" / "bodies"
NAMES = ("person", "seated", "all orders", "free orders", "person on a stool")


@cache
def load(name: str) -> Body:
    """Five bodies: two that come along, one of all rotation orders, and each of these with the other kind of root."""
    if name in ("person", "seated"):
        return Body.load(name)
    if name == "person on a stool":
        person = Body.load("person")
        return replace(person, name=name, free_root=False, rest=person.rest[3:])
    body = Body.load(DATA / "all_orders.yaml")
    joints = tuple(
        replace(joint, mass=1.0 + n, mass_centre=(0.01 * n, 0.03, -0.02), gyration=(0.05, 0.045, 0.04 + 0.001 * n))
        for n, joint in enumerate(body.joints)
    )
    free = name == "free orders"
    return replace(body, joints=joints, free_root=free, rest=np.concatenate([np.zeros(3 * free), body.rest]))


def random_posture(body: Body, random: np.random.Generator) -> Floats:
    """A posture inside all limits and ranges; a free root is anywhere near."""
    lower, upper = body.arrays.limits[:, 0], body.arrays.limits[:, 1]
    angles = random.uniform(lower, upper)
    angles[body.translation_dofs] = random.uniform(-0.5, 0.5, len(body.translation_dofs))
    for joint, dofs in zip(body.joints, body.rotation_dofs, strict=True):
        if joint.range is not None:
            angles[dofs] = 0.0
            while True:
                found = random.uniform(-2.2, 2.2, 3)
                angles[dofs] = found
                if joint.range.excess(local_rotations(body, body.joint(joint.name), angles[None])[0]) == 0.0:
                    break
    if body.free_root:
        angles[3:6] = random.uniform(-1.4, 1.4, 3)
    return angles


def is_ball(body: Body, j: int) -> bool:
    """Whether the solver moves a joint by angular velocities instead of by its angles."""
    free = j == 0 and body.free_root and len(body.joints[j].rotations) == 3
    return body.joints[j].is_ball or free


class Placed(NamedTuple):
    """Where a posture has all segments."""

    positions: Floats  # (joints, 3)
    rotations: Floats  # (joints, 3, 3)
    centres: Floats  # (joints, 3), of mass


def place(body: Body, angles: Floats, velocities: Floats | None = None, time: float = 0.0) -> Placed:
    """The posture that velocities lead to in some time: p = p_parent + R_parent offset, R = R_parent L."""
    moved = angles.copy()
    velocities = np.zeros(body.dofs) if velocities is None else velocities
    turned = [j for j in range(len(body.joints)) if is_ball(body, j)]
    moved += time * velocities
    for j in turned:
        moved[body.rotation_dofs[j]] = angles[body.rotation_dofs[j]]
    count = len(body.joints)
    positions, rotations = np.empty((count, 3)), np.empty((count, 3, 3))
    for j, joint in enumerate(body.joints):
        local = local_rotations(body, j, moved[None])[0]
        if j in turned:
            local = local @ rotation_about(time * velocities[body.rotation_dofs[j]])
        if joint.parent < 0:
            positions[j], rotations[j] = body.arrays.offsets[j], local
            positions[j, : len(body.translation_dofs)] += moved[body.translation_dofs]
        else:
            above = rotations[joint.parent]
            positions[j] = positions[joint.parent] + above @ body.arrays.offsets[j]
            rotations[j] = above @ local
    centres = positions + np.einsum("jab,jb->ja", rotations, [joint.mass_centre for joint in body.joints])
    return Placed(positions, rotations, centres)


def masses(body: Body) -> Floats:
    """(joints,), with the whole body's 1."""
    found = np.array([joint.mass for joint in body.joints])
    return found / found.sum()


def inertia(body: Body, placed: Placed) -> Floats:
    """(3, 3), about the centre of mass."""
    m = masses(body)
    arms = placed.centres - m @ placed.centres
    own = np.array([np.diag(np.square(joint.gyration)) for joint in body.joints]) * m[:, None, None]
    found = np.einsum("j,ja,jb->ab", m, arms, arms)
    turned = np.einsum("jab,jbc,jdc->ad", placed.rotations, own, placed.rotations)
    return np.asarray(np.trace(found) * np.eye(3) - found + turned)


def angular_momentum(body: Body, angles: Floats, velocities: Floats, step: float = 1e-5) -> Floats:
    """About the centre of mass, for a body of mass 1: sum of m d x v + I w, from two postures a moment apart."""
    here = place(body, angles)
    before, after = (place(body, angles, velocities, time) for time in (-step, step))
    m = masses(body)
    arms = here.centres - m @ here.centres
    found = np.einsum("j,ja->a", m, np.cross(arms, (after.centres - before.centres) / (2.0 * step)))
    for j, joint in enumerate(body.joints):
        w = rotation_vector(after.rotations[j] @ before.rotations[j].T) / (2.0 * step)
        own = here.rotations[j] @ np.diag(m[j] * np.square(joint.gyration)) @ here.rotations[j].T
        found += own @ w
    return np.asarray(found)


def jacobian(figure: Figure, *rows: Floats) -> Floats:
    """The kernels' Jacobian of rows of their table of tasks."""
    model, table = figure._model, np.array(rows)
    assert table.shape[1] == TASK_COLUMNS
    found = np.zeros((figure.body.dofs, 3 * len(rows)))
    kernels().figure_rows(
        model.joints, model.links, model.velocities, model.chains, figure._free, figure._world, figure._axes,
        figure._sums, table, found, np.empty(3 * len(rows)), np.empty(len(rows)),
    )  # fmt: skip
    return found.T


def turns(body: Body, before: Floats, after: Floats) -> Floats:
    """By how many radians each joint turned between two postures, (joints,)."""
    found = []
    for j in range(len(body.joints)):
        one, other = local_rotations(body, j, np.stack([before, after]))
        found.append(np.linalg.norm(rotation_vector(other @ one.T)))
    return np.array(found)


def largest_turn(body: Body, frames: Floats) -> float:
    """The largest turn of any joint but a free root between two frames (n, dofs) in turn."""
    first = int(body.free_root)
    return max(float(turns(body, a, b)[first:].max()) for a, b in itertools.pairwise(frames))
