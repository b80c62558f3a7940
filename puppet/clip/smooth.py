"""Smooths how found frames deviate from their references, so that joints that come to their limits do not jerk."""

from __future__ import annotations

import math

import numpy as np

from puppet.body import Body, local_rotations
from puppet.geometry import euler_angles, rotation_vectors, rotations_about
from puppet.types import Floats

SMOOTH, SMOOTHINGS = 0.02, 2  # seconds over which the deviation from a recorded motion is smoothed, and how often


def smoothed(body: Body, references: Floats, found: Floats, width: float, padded: bool = True) -> Floats:
    """Postures (frames, dofs) whose deviation from the references is that of the found ones, smoothed by a normal
    distribution of `width` frames; padded: there is none before the first and after the last frame, else it is the same
    there as in these."""
    result = found.copy()
    result[:, body.translation_dofs] = references[:, body.translation_dofs] + _smooth(
        found[:, body.translation_dofs] - references[:, body.translation_dofs], width, padded
    )
    for j, joint in enumerate(body.joints):
        dofs = list(body.rotation_dofs[j])
        if not dofs or np.array_equal(found[:, dofs], references[:, dofs]):
            continue
        if len(dofs) < 3:
            result[:, dofs] = references[:, dofs] + _smooth(found[:, dofs] - references[:, dofs], width, padded)
            continue
        own = local_rotations(body, j, references)
        turns = rotation_vectors(own.transpose(0, 2, 1) @ local_rotations(body, j, found))
        turned = own @ rotations_about(_smooth(turns, width, padded))
        order = [rotation.axis for rotation in joint.rotations]
        result[:, dofs] = nearest_angles(np.radians(euler_angles(turned, order)), found[:, dofs])
    return result


def nearest_angles(angles: Floats, to: Floats) -> Floats:
    """Euler angles (frames, 3) of the same orientations, in radians, nearest to others: there are two triples, each up
    to whole turns."""
    best = _by_turns(angles, to)
    other = _by_turns(angles * (1.0, -1.0, 1.0) + math.pi, to)
    nearer = np.abs(other - to).sum(axis=1) < np.abs(best - to).sum(axis=1)
    return np.where(nearer[:, None], other, best)


def _by_turns(angles: Floats, to: Floats) -> Floats:
    return np.asarray(angles + 2.0 * math.pi * np.round((to - angles) / (2.0 * math.pi)))


def _smooth(values: Floats, width: float, padded: bool) -> Floats:
    """(frames, n), as if there were zeros before and after, or else the first and the last values."""
    if not values.size:
        return values
    half = math.ceil(3.0 * width)
    kernel = np.exp(-0.5 * (np.arange(-half, half + 1) / width) ** 2)
    kernel /= kernel.sum()
    longer = np.pad(values, ((half, half), (0, 0)), mode="constant" if padded else "edge")
    return np.stack([np.convolve(column, kernel, "valid") for column in longer.T], axis=1).reshape(values.shape)
