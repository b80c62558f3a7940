"""Rotations, transforms, areas, polynomials: angles, matrices and points in, the same in another form out."""

from __future__ import annotations

from puppet.geometry.interpolation import hermite, minimum_jerk
from puppet.geometry.plane import distance_outside, hull, nearest_on_edge
from puppet.geometry.rotations import (
    axis_rotation,
    axis_rotations,
    continuous_angles,
    euler_angles,
    quaternions,
    unwrapped,
)
from puppet.geometry.transform import (
    MIRROR,
    Transform,
    Transforms,
    interpolate,
    interpolate_rows,
    length,
    rotation_about,
    rotation_between,
    rotation_vector,
    rotation_vectors,
    rotations_about,
)

__all__ = [
    "MIRROR",
    "Transform",
    "Transforms",
    "axis_rotation",
    "axis_rotations",
    "continuous_angles",
    "distance_outside",
    "euler_angles",
    "hermite",
    "hull",
    "interpolate",
    "interpolate_rows",
    "length",
    "minimum_jerk",
    "nearest_on_edge",
    "quaternions",
    "rotation_about",
    "rotation_between",
    "rotation_vector",
    "rotation_vectors",
    "rotations_about",
    "unwrapped",
]
