"""Rotations and rigid transforms: angles, matrices and quaternions in, the same in another form out."""

from __future__ import annotations

from puppet.geometry.rotations import axis_rotation, axis_rotations, continuous_angles, euler_angles, quaternions
from puppet.geometry.transform import (
    MIRROR,
    Transform,
    Transforms,
    interpolate,
    interpolate_rows,
    rotation_about,
    rotation_between,
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
    "euler_angles",
    "interpolate",
    "interpolate_rows",
    "quaternions",
    "rotation_about",
    "rotation_between",
    "rotation_vectors",
    "rotations_about",
]
