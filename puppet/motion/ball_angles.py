"""Rotations of ball joints as angles that go on from those before them."""

from __future__ import annotations

import numpy as np

from puppet.body import Body
from puppet.kernels.loader import kernels
from puppet.solver import figure_model
from puppet.types import Floats

_TURN = 2.0 * np.pi


def following_angles(body: Body, joint: int, rotations: Floats, before: Floats) -> Floats:
    """The angles (frames, 3) of a ball joint with these rotations (frames, 3, 3), inside its range if it has one: each
    time those that are nearest to the frame before, of which `before` (3,) is the first."""
    return _angles(body, joint, rotations, before, np.zeros((len(rotations), 3)), 1)


def angles_like(body: Body, joint: int, rotations: Floats, like: Floats) -> Floats:
    """The same, nearest to other angles (frames, 3)."""
    return _angles(body, joint, rotations, np.zeros(3), like, 0)


def nearest_turns(angles: Floats, old: Floats) -> Floats:
    """Three angles (..., 3) plus whole turns, or the other three of the same rotation, whichever are nearer to old
    ones."""
    both = np.stack([angles, angles * (1.0, -1.0, 1.0) + np.pi])
    both += _TURN * np.round((old - both) / _TURN)
    far = np.abs(both - old).sum(axis=-1, keepdims=True)
    return np.asarray(np.where(far[1] < far[0], both[1], both[0]))


def _angles(body: Body, joint: int, rotations: Floats, before: Floats, like: Floats, follows: int) -> Floats:
    model, _ = figure_model(body)
    own = slice(3 * joint, 3 * joint + 3)  # of all angles, as kernels have them
    old, found = np.zeros(3 * len(body.joints)), np.zeros((len(rotations), 3 * len(body.joints)))
    old[own], found[:, own] = before, like
    rows = np.ascontiguousarray(rotations).reshape(-1, 9)
    kernels().ball_angles(
        body.model.joints, body.model.dofs, model.joints, model.links, model.corners, joint, rows, follows, old, found
    )
    return found[:, own]
