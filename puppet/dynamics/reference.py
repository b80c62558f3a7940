"""A motion in frames in, the same at any rate out, with the velocities and accelerations of the solver's coordinates.

Angles and the root's place follow cubic splines through all frames; ball joints follow splines of their quaternions.
Velocities and accelerations of a ball joint are angular, about its own axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puppet.body import Body, local_rotations
from puppet.geometry import quaternions
from puppet.kernels.figure_model import BALL
from puppet.solver import figure_model
from puppet.types import Floats


@dataclass(frozen=True)
class MotionCurve:
    """A motion at many moments, h seconds apart."""

    postures: Floats  # (n, dofs); those of ball joints say nothing
    locals: Floats  # (n, joints, 9), each joint's rotation from its parent
    speeds: Floats  # (n, dofs)
    rates: Floats  # (n, dofs), accelerations


def ball_joints(body: Body) -> list[int]:
    """The joints that the solver turns by angular velocities."""
    model, _ = figure_model(body)
    return [j for j in range(len(body.joints)) if model.joints[j, BALL] == 1]


def sample(body: Body, angles: Floats, fps: float, substeps: int) -> MotionCurve:
    """A motion (frames, dofs) at each of its substeps but those of the last frame."""
    frames = len(angles)
    times = np.arange(-1, (frames - 1) * substeps + 1) / substeps  # one more at either end, for differences
    h = 1.0 / (fps * substeps)
    postures = spline(angles, times)
    speeds = (postures[2:] - postures[:-2]) / (2.0 * h)
    rates = (postures[2:] - 2.0 * postures[1:-1] + postures[:-2]) / (h * h)
    turns = {j: spline(_quaternions(body, j, angles), times) for j in ball_joints(body)}
    for j, turn in turns.items():
        turn /= np.linalg.norm(turn, axis=1, keepdims=True)
        _put_ball(body, j, turn, h, speeds, rates)
    return MotionCurve(postures[1:-1].copy(), _locals(body, postures[1:-1], turns), speeds, rates)


def differences(body: Body, angles: Floats, fps: float) -> MotionCurve:
    """A motion's own frames with the differences between them: the first and the last have their neighbours'."""
    dt = 1.0 / fps
    speeds, rates = np.zeros_like(angles), np.zeros_like(angles)
    turns = {j: _quaternions(body, j, angles) for j in ball_joints(body)}
    if len(angles) > 2:
        speeds[1:-1] = (angles[2:] - angles[:-2]) / (2.0 * dt)
        rates[1:-1] = (angles[2:] - 2.0 * angles[1:-1] + angles[:-2]) / (dt * dt)
        for j, turn in turns.items():
            _put_ball(body, j, turn, dt, speeds[1:-1], rates[1:-1])
        speeds[0], speeds[-1], rates[0], rates[-1] = speeds[1], speeds[-2], rates[1], rates[-2]
    inner = {j: np.concatenate([turn[:1], turn, turn[-1:]]) for j, turn in turns.items()}
    return MotionCurve(angles.copy(), _locals(body, angles, inner), speeds, rates)


def _put_ball(body: Body, j: int, turn: Floats, h: float, speeds: Floats, rates: Floats) -> None:
    """Angular velocity and acceleration of a ball joint about its own axes, from its quaternions (n + 2, 4)."""
    steps = turns_between(turn[:-1], turn[1:])
    dofs = body.rotation_dofs[j]
    speeds[:, dofs] = (steps[1:] + steps[:-1]) / (2.0 * h)
    rates[:, dofs] = (steps[1:] - steps[:-1]) / (h * h)


def _quaternions(body: Body, j: int, angles: Floats) -> Floats:
    """A joint's rotation from its parent in each frame, (frames, 4) as w, x, y, z, without jumps of the sign."""
    found = quaternions(local_rotations(body, j, angles))[:, [3, 0, 1, 2]]
    signs = np.where(np.einsum("na,na->n", found[1:], found[:-1]) < 0.0, -1.0, 1.0)
    found[1:] *= np.cumprod(signs)[:, None]
    return np.asarray(found)


def _locals(body: Body, postures: Floats, turns: dict[int, Floats]) -> Floats:
    found = np.empty((len(postures), len(body.joints), 9))
    for j in range(len(body.joints)):
        if j in turns:
            found[:, j] = matrices(turns[j][1:-1]).reshape(-1, 9)
        else:
            found[:, j] = local_rotations(body, j, postures).reshape(-1, 9)
    return found


def matrices(turns: Floats) -> Floats:
    """Rotation matrices (n, 3, 3) of quaternions (n, 4) of length 1."""
    w, x, y, z = turns.T
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.ascontiguousarray(np.array(rows).transpose(2, 0, 1))


def turns_between(before: Floats, after: Floats) -> Floats:
    """Rotation vectors (n, 3) that lead from quaternions to others, in the coordinates of either."""
    a, b = before[:, :1], before[:, 1:]
    w, v = after[:, :1], after[:, 1:]
    scalar = a * w + (b * v).sum(axis=1, keepdims=True)
    vector = a * v - w * b - np.cross(b, v)
    vector = np.where(scalar < 0.0, -vector, vector)
    length = np.linalg.norm(vector, axis=1, keepdims=True)
    angle = 2.0 * np.arctan2(length, np.abs(scalar))
    return np.asarray(vector * np.where(length < 1e-12, 2.0, angle / np.maximum(length, 1e-300)))


def spline(values: Floats, times: Floats) -> Floats:
    """The natural cubic spline through values (frames, n), at times in frames; its last pieces go on beyond."""
    frames = len(values)
    if frames < 3:
        ends = np.concatenate([values, values[-1:]])[:2]
        return np.asarray(ends[0] + times[:, None] * (ends[1] - ends[0]))
    bends = np.zeros_like(values)  # second derivatives
    right = 6.0 * (values[2:] - 2.0 * values[1:-1] + values[:-2])
    ratio = np.zeros(frames)
    for n in range(1, frames - 1):
        ratio[n] = 1.0 / (4.0 - ratio[n - 1])
        bends[n] = (right[n - 1] - bends[n - 1]) * ratio[n]
    for n in range(frames - 2, 0, -1):
        bends[n] -= ratio[n] * bends[n + 1]
    piece = np.clip(np.floor(times).astype(int), 0, frames - 2)
    b = (times - piece)[:, None]
    a = 1.0 - b
    return np.asarray(
        a * values[piece] + b * values[piece + 1]
        + ((a**3 - a) * bends[piece] + (b**3 - b) * bends[piece + 1]) / 6.0
    )  # fmt: skip


def matrix_angles(rotations: Floats) -> Floats:
    """The angles (n,) in radians of rotations (n, 3, 3)."""
    turns = quaternions(rotations)
    return np.asarray(2.0 * np.arctan2(np.linalg.norm(turns[:, :3], axis=1), np.abs(turns[:, 3])))
