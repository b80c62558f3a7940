"""Flight: nothing turns a body in the air, so its angular momentum stays what it was at take-off.

What arms and legs do is kept, and the whole body turns along. Of all angular momenta, that one is found with which it
lands as it should: by Broyden's method for the angular momentum, and inside it by Newton's for the turn of each frame.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from puppet.body import (
    Body,
    angular_momenta,
    centres_of_mass,
    inertia_tensors,
    joint_transforms,
    local_rotations,
)
from puppet.geometry import continuous_angles, euler_angles, rotation_about, rotation_vectors
from puppet.types import Floats

_ROUNDS, _STEPS = 8, 5  # of both searches, at most
DIFFERENCE = 1e-4  # by which slopes are measured, radians a second
_LANDS = 1e-8  # radians by which it may be turned otherwise when it lands
_SAME = 1e-11  # radians of a frame's turn that count no more


def conserve_momentum(body: Body, before: Floats, postures: Floats, flies: NDArray[np.bool_]) -> Floats:
    """Postures (frames, dofs) after a first one, turned about their centre of mass in the frames that fly, so that the
    angular momentum is the same from take-off to landing; the centre of mass stays."""
    frames = np.flatnonzero(flies)
    if not len(frames) or frames[-1] + 1 >= len(postures):
        return postures
    first, last = int(frames[0]), int(frames[-1])
    taken_off = postures[first - 1] if first else before
    rows = np.concatenate([taken_off[None], postures[first : last + 2]])
    flight = _Flight(body, joint_transforms(body, rows))
    turns = flight.conserved()
    found = np.array(postures)
    found[first : last + 1] = _turned(body, postures[first : last + 1], flight.centres[1:-1], turns)
    return found


class _Flight:
    """The links of a body from take-off to landing, both included."""

    def __init__(self, body: Body, transforms: Floats) -> None:
        self._body, self.transforms = body, transforms
        self.centres = centres_of_mass(body, transforms)

    def conserved(self) -> Floats:
        """Turns (frames - 2, 3, 3) in the world for the frames between both ends."""
        momentum = angular_momenta(self._body, self.transforms, 1.0)[1:].mean(axis=0)
        turns, off = self._shot(momentum)
        slopes = np.stack(
            [(self._shot(momentum + DIFFERENCE * axis)[1] - off) / DIFFERENCE for axis in np.eye(3)], axis=1
        )
        for _ in range(_ROUNDS):
            if np.linalg.norm(off) < _LANDS:
                break
            by = -np.linalg.solve(slopes, off)
            momentum = momentum + by
            turns, off = self._shot(momentum)
            slopes = slopes + np.outer(off, by) / (by @ by)
        return turns

    def _shot(self, momentum: Floats) -> tuple[Floats, Floats]:
        """The turns of all frames but the ends with an angular momentum, and by how much the body lands turned."""
        turn, found = np.eye(3), []
        placed = self._placed(0, turn)
        for n in range(1, len(self.transforms)):
            for _ in range(_STEPS):
                now = self._placed(n, turn)
                lacks = momentum - angular_momenta(self._body, np.stack([placed, now]), 1.0)[1]
                by = np.linalg.solve(inertia_tensors(self._body, now[None])[0], lacks)
                turn = rotation_about(by) @ turn
                if np.abs(by).max() < _SAME:
                    break
            placed = self._placed(n, turn)
            found.append(turn)
        return np.array(found[:-1]), np.asarray(rotation_vectors(found[-1][None])[0])

    def _placed(self, n: int, turn: Floats) -> Floats:
        """The links (joints, 12) of a frame, turned about its centre of mass."""
        rows, centre = self.transforms[n], self.centres[n]
        found = np.empty_like(rows)
        found[:, :3] = centre + (rows[:, :3] - centre) @ turn.T
        found[:, 3:] = (turn @ rows[:, 3:].reshape(-1, 3, 3)).reshape(-1, 9)
        return np.asarray(found)


def _turned(body: Body, postures: Floats, centres: Floats, turns: Floats) -> Floats:
    """Postures turned about places of the world."""
    found = np.array(postures)
    moves, dofs, rest = list(body.translation_dofs), list(body.rotation_dofs[0]), np.array(body.joints[0].centre)
    away = postures[:, moves] + rest - centres
    found[:, moves] = centres + np.einsum("nab,nb->na", turns, away) - rest
    axes = [rotation.axis for rotation in body.joints[0].rotations]
    angles = np.radians(continuous_angles(euler_angles(turns @ local_rotations(body, 0, postures), axes)))
    angles += 2.0 * np.pi * np.round((postures[0, dofs] - angles[0]) / (2.0 * np.pi))
    found[:, dofs] = angles
    return found
