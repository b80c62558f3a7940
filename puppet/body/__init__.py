"""A body's YAML file in, a figure as data out: joints, limits, limbs; and where its parts are in a posture."""

from __future__ import annotations

from puppet.body.arm import is_arm
from puppet.body.body import AXES, Body, BodyArrays, Clearance, Gaze, Joint, Limb, Place, Rotation, Shape
from puppet.body.body_file import read_body, read_shapes
from puppet.body.body_frames import BodyFrames
from puppet.body.body_writer import format_body
from puppet.body.joint_range import JointRange
from puppet.body.kernel_model import body_angles, kernel_angles, kernel_axes, kernel_dofs, kernel_limits
from puppet.body.kinematics import (
    forward,
    hand_transforms,
    joint_rotations,
    joint_transforms,
    local_rotations,
    tip_path,
    tip_positions,
    tip_transforms,
)
from puppet.body.measures import EARTH_GRAVITY, METRES
from puppet.body.momentum import angular_momenta, centres_of_mass, inertia_tensors
from puppet.body.shapes import FIXED, shapes_by_joint

__all__ = [
    "AXES",
    "EARTH_GRAVITY",
    "FIXED",
    "METRES",
    "Body",
    "BodyArrays",
    "BodyFrames",
    "Clearance",
    "Gaze",
    "Joint",
    "JointRange",
    "Limb",
    "Place",
    "Rotation",
    "Shape",
    "angular_momenta",
    "body_angles",
    "centres_of_mass",
    "format_body",
    "forward",
    "hand_transforms",
    "inertia_tensors",
    "is_arm",
    "joint_rotations",
    "joint_transforms",
    "kernel_angles",
    "kernel_axes",
    "kernel_dofs",
    "kernel_limits",
    "local_rotations",
    "read_body",
    "read_shapes",
    "shapes_by_joint",
    "tip_path",
    "tip_positions",
    "tip_transforms",
]
