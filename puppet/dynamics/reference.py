"""A motion in frames in, the same at any rate out, with the velocities and accelerations of the solver's coordinates.

Angles and the root's place follow curves of the fifth degree from frame to frame, ball joints such curves of their
quaternions.
Velocities and accelerations of a ball joint are angular, about its own axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puppet.body import Body, local_rotations
from puppet.geometry import euler_angles, quaternions
from puppet.kernels.figure_model import BALL
from puppet.solver import figure_model
from puppet.types import Flags, Floats

_SMOOTH, _SPREAD = 1.0 / 30.0, 0.25  # seconds to each side over which a reference is smoothed, and jolts are spread


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


def sample(
    body: Body, angles: Floats, fps: float, substeps: int, before: bool = True, after: bool = True
) -> MotionCurve:
    """A motion (frames, dofs) at the substeps between its frames, which depend on one more frame to either side. At an
    end where there is none it goes on as it does there; else the last way there is left out."""
    shares = np.arange(substeps) / substeps
    postures, speeds, rates = (
        found * fps**n for n, found in enumerate(quintic(_extended(angles, before, after), shares))
    )
    turns = {}
    for j in ball_joints(body):
        ways = quintic(_extended(_quaternions(body, j, angles), before, after), shares)
        turn, first, second = (found * fps**n for n, found in enumerate(ways))
        turns[j] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
        _put_turning(body, j, turn, first, second, speeds, rates)
    return MotionCurve(postures, _locals(body, postures, turns), speeds, rates)


def smoothed(body: Body, angles: Floats, fps: float, seconds: float = _SMOOTH, shares: Floats | None = None) -> Floats:
    """A motion with many frames a second as means over some of them, so many seconds to each side: what trembles from
    frame to frame is no motion. shares (frames, 1): how much of the means is taken in each frame, from 0 to 1; else all
    of it."""
    width = round(seconds * fps)
    if width < 2 or len(angles) < 2:
        return angles
    window = np.hanning(2 * width + 1)[1:-1]
    share = np.ones((len(angles), 1)) if shares is None else shares
    found = angles + share * (_means(angles, window) - angles)
    for j in ball_joints(body):
        order = [rotation.axis for rotation in body.joints[j].rotations]
        turns = _quaternions(body, j, angles)
        turns = turns + share * (_means(turns, window) - turns)
        turns /= np.linalg.norm(turns, axis=1, keepdims=True)
        found[:, body.rotation_dofs[j]] = np.radians(euler_angles(matrices(turns), order))
    return found


def spread(body: Body, angles: Floats, fps: float, jolts: Flags) -> Floats:
    """A motion with jolts, frames (frames,) in which it is somewhere else of a sudden, that takes its time there."""
    width = max(1, round(_SPREAD * fps))
    near = np.convolve(jolts, np.ones(2 * width + 1))[width : width + len(jolts)] > 0.0
    fades = np.hanning(width + 2)[1:-1]
    shares = np.convolve(np.pad(near.astype(float), width, mode="edge"), fades / fades.sum(), mode="same")[width:-width]
    return smoothed(body, angles, fps, _SPREAD, shares[:, None])


def _means(values: Floats, window: Floats) -> Floats:
    """Weighted means of values (frames, n) around each frame; at the ends a motion goes on as it does there."""
    half = len(window) // 2
    steps = np.arange(half, 0, -1)[:, None]
    first, last = 2.0 * values[0] - values[np.minimum(steps[:, 0], len(values) - 1)], values[-1:] * 2.0
    last = last - values[np.maximum(len(values) - 1 - steps[::-1, 0], 0)]
    longer = np.concatenate([first, values, last])
    shares = window / window.sum()
    return np.asarray(sum(share * longer[k : k + len(values)] for k, share in enumerate(shares)))


def _extended(values: Floats, before: bool, after: bool) -> Floats:
    """One more frame at either end, where it goes on as it does there."""
    first = [2.0 * values[:1] - values[1:2]] if before else []
    last = [2.0 * values[-1:] - values[-2:-1]] if after else []
    return np.concatenate([*first, values, *last])


def quintic(values: Floats, shares: Floats) -> tuple[Floats, Floats, Floats]:
    """The curve through inner frames of values (frames, n) that has the velocities and accelerations of the differences
    between frames there, with its first and second derivatives, by frames: at some shares of each way."""
    speed = 0.5 * (values[2:] - values[:-2])
    rate = values[2:] - 2.0 * values[1:-1] + values[:-2]
    p, q = values[1:-2, None], values[2:-1, None]
    v, w, a, b = speed[:-1, None], speed[1:, None], rate[:-1, None], rate[1:, None]
    u = shares[None, :, None]
    way = q - p - v - 0.5 * a  # what is left at the end of the way, of place, velocity and acceleration
    turn, bend = w - v - a, b - a
    c, d, e = 10.0 * way - 4.0 * turn + 0.5 * bend, -15.0 * way + 7.0 * turn - bend, 6.0 * way - 3.0 * turn + 0.5 * bend
    place = p + u * (v + u * (0.5 * a + u * (c + u * (d + u * e))))
    first = v + u * (a + u * (3.0 * c + u * (4.0 * d + u * 5.0 * e)))
    second = a + u * (6.0 * c + u * (12.0 * d + u * 20.0 * e))
    size = values.shape[1]
    return place.reshape(-1, size), first.reshape(-1, size), second.reshape(-1, size)


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
    return MotionCurve(angles.copy(), _locals(body, angles, turns), speeds, rates)


def _put_ball(body: Body, j: int, turn: Floats, h: float, speeds: Floats, rates: Floats) -> None:
    """Angular velocity and acceleration of a ball joint about its own axes, from its quaternions (n + 2, 4)."""
    steps = turns_between(turn[:-1], turn[1:])
    dofs = body.rotation_dofs[j]
    speeds[:, dofs] = (steps[1:] + steps[:-1]) / (2.0 * h)
    rates[:, dofs] = (steps[1:] - steps[:-1]) / (h * h)


def _put_turning(
    body: Body, j: int, turn: Floats, first: Floats, second: Floats, speeds: Floats, rates: Floats
) -> None:
    """The same from quaternions of any length (n, 4) and their derivatives."""
    length = np.einsum("na,na->n", turn, turn)[:, None]
    growth = np.einsum("na,na->n", turn, first)[:, None] / length
    dofs = body.rotation_dofs[j]
    speeds[:, dofs] = 2.0 * _behind(turn, first) / length
    rates[:, dofs] = 2.0 * _behind(turn, second) / length - 2.0 * growth * speeds[:, dofs]


def _behind(turn: Floats, other: Floats) -> Floats:
    """The vector part of conjugate(turn) * other, (n, 3)."""
    a, b, w, v = turn[:, :1], turn[:, 1:], other[:, :1], other[:, 1:]
    return np.asarray(a * v - w * b - np.cross(b, v))


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
            found[:, j] = matrices(turns[j]).reshape(-1, 9)
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


def matrix_angles(rotations: Floats) -> Floats:
    """The angles (n,) in radians of rotations (n, 3, 3)."""
    turns = quaternions(rotations)
    return np.asarray(2.0 * np.arctan2(np.linalg.norm(turns[:, :3], axis=1), np.abs(turns[:, 3])))
