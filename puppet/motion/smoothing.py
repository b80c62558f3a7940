"""Frames of joints without twitches: the nearest ones whose acceleration changes little.

    cost = sum over frames of (angle - what it was)^2 + weight (third difference)^2,

with the frames before the first and after the last as they are: joints leave with the velocity that they have, and come
to rest. Ball joints by their rotations.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from puppet.body import Body, local_rotations
from puppet.geometry import rotation_vectors, rotations_about
from puppet.kernels.loader import kernels
from puppet.motion.ball_angles import angles_like
from puppet.motion.trajectory import clamp
from puppet.types import Floats

_THIRD = np.array([-1.0, 3.0, -3.0, 1.0])
_AROUND = 3  # frames that stay as they are, on each side
_UNCHANGED = 1e-4  # radians: what would be turned by less stays, inside its range as it was


def steadied(body: Body, joints: Iterable[int], before: Floats, postures: Floats, weight: float) -> Floats:
    """Postures (frames + 1, dofs), the present first, with smoother angles of some joints; the first and the last stay.
    before (dofs,): a frame ago."""
    found, last = postures.copy(), len(postures) - 1
    whole = np.concatenate([2.0 * before[None] - postures[:1], before[None], postures, postures[-1:], postures[-1:]])
    own = sorted(joints)
    for joint in own:
        if len(body.rotation_dofs[joint]) < 3:
            places = list(body.rotation_dofs[joint])
            found[1:last, places] = _nearest(whole[:, places], weight)
            continue
        places = list(body.rotation_dofs[joint])
        turns = local_rotations(body, joint, whole)
        middle = turns[len(turns) // 2]
        was = rotation_vectors(middle.T @ turns)
        vectors = _nearest(was, weight)
        rotations = middle @ rotations_about(vectors)
        found[1:last, places] = angles_like(body, joint, rotations, postures[1:last, places])
        if body.joints[joint].range is not None:
            same = 1 + np.flatnonzero(np.abs(vectors - was[_AROUND:-_AROUND]).max(axis=1) <= _UNCHANGED)[:, None]
            found[same, places] = postures[same, places]
    dofs = body.dofs_of([joint for joint in own if body.joints[joint].range is None])
    inside = found[1:last, dofs]
    clamp(body, dofs, inside)
    found[1:last, dofs] = inside
    return found


def velocity_steps(body: Body, joints: Iterable[int], world: Floats) -> Floats:
    """By how much the velocity of any of some joints changes at each posture but the first, radians, and to rest in the
    end: (frames - 1,). world (frames, joints, 12): where the joints are."""
    own = np.array(sorted(joints), dtype=np.int64)
    if not len(own):
        return np.zeros(len(world) - 1)
    found = np.empty(len(world) - 1)
    kernels().velocity_changes(body.model.joints, world, own, found)
    return found


def _nearest(rows: Floats, weight: float) -> Floats:
    """The rows between those that stay, (frames, n), nearest to what they are with little change of acceleration."""
    return np.asarray(_solution(len(rows), weight) @ rows)


@lru_cache(maxsize=64)
def _solution(count: int, weight: float) -> Floats:
    """What rows between those that stay are, as sums of all rows, (count - 2 * _AROUND, count)."""
    third = np.zeros((count - _AROUND, count))
    for n, share in enumerate(_THIRD):
        third[np.arange(len(third)), np.arange(len(third)) + n] = share
    bending = weight * third.T @ third
    free = slice(_AROUND, count - _AROUND)
    wanted = -bending[free]
    wanted[:, free] = np.eye(count - 2 * _AROUND)
    return np.asarray(np.linalg.solve(bending[free, free] + np.eye(count - 2 * _AROUND), wanted))
