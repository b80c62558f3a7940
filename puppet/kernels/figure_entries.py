"""The whole-body solver's kernels that Python calls."""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.figure_features import put_sums, put_task, rows_of
from puppet.kernels.figure_kinematics import place_figure, put_ball_angles
from puppet.kernels.figure_model import ANGLE, BALL, COUNT, FIRST
from puppet.kernels.figure_range import quaternion_of
from puppet.kernels.figure_step import figure_step
from puppet.kernels.jit import entry, inner


@entry
def place(joints, links, velocities, free, angles, local, world, axes, sums):
    """world, axes and sums of a posture: see figure_kinematics and figure_features."""
    place_figure(joints, links, velocities, free, angles, local, world, axes)
    put_sums(joints, links, world, sums)


@entry
def task_rows(joints, links, velocities, chains, free, world, axes, sums, tasks, jacobian, errors, lengths):
    """Jacobian (rows, velocities), errors (rows,) and lengths (tasks,) of tasks, one after the other."""
    row = 0
    for t in range(tasks.shape[0]):
        lengths[t] = put_task(
            joints, links, velocities, chains, free, world, axes, sums, tasks, t, jacobian, errors, row
        )
        row += rows_of(tasks, t)


@entry
def advance(
    joints, links, corners, velocities, chains, free, tasks, given, given_errors, given_soft, reference_angles,
    reference_local, gains, mobility, largest, steps, still, angles, local, world, axes, sums, lengths,
):  # fmt: skip
    """Up to `steps` steps towards tasks and reference posture; returns how many, and the largest velocity of the last.

    gains (velocities,): which part of the way to the reference posture each step goes. It ends early when no velocity
    is larger than `still`.
    """
    towards = np.empty(velocities.shape[0])
    most, done = 0.0, 0
    for _ in range(steps):
        put_towards(joints, velocities, reference_angles, reference_local, gains, mobility, angles, local, towards)
        most = figure_step(
            joints, links, corners, velocities, chains, free, tasks, given, given_errors, given_soft, towards, mobility,
            largest, angles, local, world, axes, sums, lengths,
        )  # fmt: skip
        done += 1
        if most <= still:
            break
    put_ball_angles(joints, velocities, local, angles)
    return done, most


@inner
def put_towards(joints, velocities, reference_angles, reference_local, gains, mobility, angles, local, towards):
    """r: the way to the reference posture, each joint's part of it."""
    for v in range(velocities.shape[0]):
        towards[v] = 0.0
    for j in range(joints.shape[0]):
        first, count = joints[j, FIRST], joints[j, COUNT]
        if count == 0 or gains[first] == 0.0 or mobility[first] == 0.0:
            continue
        if joints[j, BALL] == 0:
            for v in range(first, first + count):
                at = int(velocities[v, ANGLE])
                towards[v] = gains[v] * (reference_angles[at] - angles[at])
            continue
        a, b, c, d = quaternion_of(local, j, 0)
        w, x, y, z = quaternion_of(reference_local, j, 0)
        # conjugate of the present one * the reference
        qw = a * w + b * x + c * y + d * z
        qx = a * x - b * w - c * z + d * y
        qy = a * y - c * w - d * x + b * z
        qz = a * z - d * w - b * y + c * x
        if qw < 0.0:
            qw, qx, qy, qz = -qw, -qx, -qy, -qz
        s = math.sqrt(qx * qx + qy * qy + qz * qz)
        k = gains[first] * (2.0 if s < 1e-12 else 2.0 * math.atan2(s, qw) / s)
        towards[first], towards[first + 1], towards[first + 2] = k * qx, k * qy, k * qz
