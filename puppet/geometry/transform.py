"""Rigid transforms: a position and an orientation, in the world or relative to something else."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from puppet.types import Floats, Ints

MIRROR = np.diag([-1.0, 1.0, 1.0])  # swaps left and right


@dataclass(frozen=True, eq=False)
class Transform:
    """A rigid transform, which takes a point p to `rotation @ p + position`. Both arrays are read-only."""

    position: Floats  # (3,)
    rotation: Floats  # (3, 3)

    @staticmethod
    def of(position: ArrayLike, rotation: ArrayLike | None = None) -> Transform:
        """A transform with copies of these arrays."""
        p = np.array(position, dtype=np.float64)
        r = np.eye(3) if rotation is None else np.array(rotation, dtype=np.float64).reshape(3, 3)
        p.flags.writeable = r.flags.writeable = False
        return Transform(p, r)

    def compose(self, inner: Transform) -> Transform:
        """This transform after `inner`: from coordinates relative to this to those that this is given in."""
        return Transform(self.rotation @ inner.position + self.position, self.rotation @ inner.rotation)

    def relative(self, thing: Transform) -> Transform:
        """`thing` relative to this transform: the inverse of `compose`."""
        back = self.rotation.T
        return Transform(back @ (thing.position - self.position), back @ thing.rotation)

    def moved(self, by: ArrayLike) -> Transform:
        return Transform(self.position + np.asarray(by, dtype=np.float64), self.rotation)

    def distance(self, other: Transform) -> float:
        return length(self.position - other.position)

    def angle(self, other: Transform) -> float:
        """The angle in radians between the two orientations."""
        return length(rotation_vector(self.rotation.T @ other.rotation))


def length(vector: Floats) -> float:
    """Of a vector (n,): as np.linalg.norm, which is slow for so few numbers."""
    return math.sqrt(float(vector.dot(vector)))


def interpolate(start: Transform, goal: Transform, share: float) -> Transform:
    """Between two transforms: linear in position, at a constant rate about one axis in orientation."""
    if share >= 1.0:
        return goal
    turn = rotation_vector(start.rotation.T @ goal.rotation)
    position = start.position + share * (goal.position - start.position)
    return Transform(position, start.rotation @ rotation_about(share * turn))


def rotation_vector(rotation: Floats) -> Floats:
    """Axis times angle of a rotation matrix."""
    twice_sine = np.array(
        [rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]]
    )
    sine, cosine = length(twice_sine), float(rotation[0, 0] + rotation[1, 1] + rotation[2, 2]) - 1.0
    angle = math.atan2(sine, cosine)
    if sine > 1e-9:
        return np.asarray(twice_sine * (angle / sine))
    if cosine > 0.0:
        return 0.5 * twice_sine
    axis = np.sqrt(np.maximum(np.diag(rotation) + 1.0, 0.0) / 2.0)  # half a turn: the signs follow from the largest
    k = int(np.argmax(axis))
    axis = np.array([axis[n] if n == k else math.copysign(axis[n], rotation[k, n] + rotation[n, k]) for n in range(3)])
    return np.asarray(axis * (math.pi / np.linalg.norm(axis)))


def rotation_about(vector: Floats) -> Floats:
    """The rotation matrix of an axis times an angle (Rodrigues)."""
    angle = length(vector)
    if angle < 1e-12:
        return np.eye(3)
    x, y, z = vector / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross)


def rotation_between(start: Floats, goal: Floats) -> Floats:
    """The least rotation that turns one direction into another; none where one of them has no length."""
    a, b = length(start), length(goal)
    if min(a, b) < 1e-12:
        return np.eye(3)
    axis = np.cross(start / a, goal / b)
    sine, cosine = float(np.linalg.norm(axis)), float(start @ goal) / (a * b)
    if sine < 1e-9:
        if cosine > 0.0:
            return np.eye(3)
        other = np.cross(start / a, np.eye(3)[int(np.argmin(np.abs(start)))])
        return rotation_about(math.pi * other / np.linalg.norm(other))
    return rotation_about(axis * (math.atan2(sine, cosine) / sine))


# ---- many at once


@dataclass(frozen=True, eq=False)
class Transforms:
    """Many transforms, one for each row."""

    positions: Floats  # (n, 3)
    rotations: Floats  # (n, 3, 3)

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, n: int) -> Transform:
        return Transform(self.positions[n], self.rotations[n])

    @staticmethod
    def repeated(transform: Transform, count: int) -> Transforms:
        return Transforms(np.tile(transform.position, (count, 1)), np.tile(transform.rotation, (count, 1, 1)))

    def compose(self, inner: Transforms) -> Transforms:
        """Row by row as `Transform.compose`."""
        turned = np.einsum("nij,nj->ni", self.rotations, inner.positions)
        return Transforms(turned + self.positions, self.rotations @ inner.rotations)

    def inverse(self) -> Transforms:
        """The inverse of each row."""
        back = self.rotations.transpose(0, 2, 1)
        return Transforms(-np.einsum("nij,nj->ni", back, self.positions), back)

    def at(self, places: Floats) -> Transforms:
        """Interpolated between rows; whole numbers are rows."""
        low = np.minimum(places.astype(int), len(self) - 2)
        return interpolate_rows(self.taken(low), self.taken(low + 1), places - low)

    def taken(self, places: Ints) -> Transforms:
        return Transforms(self.positions[places], self.rotations[places])

    @property
    def rows(self) -> Floats:
        """Position and rotation row by row, (n, 12)."""
        return np.concatenate([self.positions, self.rotations.reshape(-1, 9)], axis=1)


_UNIT = np.eye(3)


def interpolate_rows(start: Transforms, goal: Transforms, shares: Floats) -> Transforms:
    """Row by row as `interpolate`."""
    positions = start.positions + shares[:, None] * (goal.positions - start.positions)
    turns = rotation_vectors(start.rotations.transpose(0, 2, 1) @ goal.rotations)
    return Transforms(positions, start.rotations @ rotations_about(shares[:, None] * turns))


def rotation_vectors(rotations: Floats) -> Floats:
    """Row by row as `rotation_vector`, (n, 3)."""
    twice = np.empty((len(rotations), 3))
    for k, (row, column) in enumerate(((2, 1), (0, 2), (1, 0))):
        np.subtract(rotations[:, row, column], rotations[:, column, row], out=twice[:, k])
    sine = np.sqrt((twice * twice).sum(axis=1))
    cosine = rotations[:, 0, 0] + rotations[:, 1, 1] + rotations[:, 2, 2] - 1.0
    small = sine <= 1e-9
    found = twice * np.where(small, 0.5, np.arctan2(sine, cosine) / np.where(small, 1.0, sine))[:, None]
    for n in np.flatnonzero(small & (cosine < 0.0)):
        found[n] = rotation_vector(rotations[n])
    return np.asarray(found)


def rotations_about(vectors: Floats) -> Floats:
    """Row by row as `rotation_about`, (n, 3, 3)."""
    squares = vectors * vectors
    angles = np.sqrt(squares[:, 0] + squares[:, 1] + squares[:, 2])
    axes = vectors / np.where(angles < 1e-12, 1.0, angles)[:, None]
    cross = np.zeros((len(vectors), 3, 3))
    for k, (row, column) in enumerate(((2, 1), (0, 2), (1, 0))):
        cross[:, row, column] = axes[:, k]
        cross[:, column, row] = -axes[:, k]
    sine, cosine = np.sin(angles)[:, None, None], np.cos(angles)[:, None, None]
    return np.asarray(_UNIT + sine * cross + (1.0 - cosine) * (cross @ cross))
