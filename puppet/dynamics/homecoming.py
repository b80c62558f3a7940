"""Two motions in, of which one has left the other; out comes how it goes back to it when physics is switched off."""

from __future__ import annotations

import math

import numpy as np

from puppet.body import Body, local_rotations
from puppet.dynamics.reference import ball_joints
from puppet.geometry import euler_angles, rotation_vectors, rotations_about
from puppet.types import Floats

_SHORTEST = 0.5  # seconds
_WAY, _TURN = 0.3, 1.5  # heights and radians a second: who has fallen takes longer


class Homecoming:
    """What a figure is away from its reference when physics ends shrinks to nothing, without a jolt."""

    def __init__(self, body: Body, fps: float, moved: Floats, reference: Floats) -> None:
        """moved, reference (2, dofs): the last two frames with physics, and what they would be without."""
        self._body, self._balls = body, ball_joints(body)
        away = moved - reference
        for j in self._balls:
            own, other = (local_rotations(body, j, angles) for angles in (reference, moved))
            away[:, body.rotation_dofs[j]] = rotation_vectors(own.transpose(0, 2, 1) @ other)
        root = len(body.translation_dofs)
        farthest = float(np.abs(away[1, :root]).max(initial=0.0)) / (_WAY * body.height)
        self.frames = math.ceil(fps * max(_SHORTEST, farthest, float(np.abs(away[1, root:]).max(initial=0.0)) / _TURN))
        self._away, self._speed = away[1], (away[1] - away[0]) * self.frames

    def at(self, frame: int, reference: Floats) -> Floats:
        """The posture (dofs,) so many frames after physics has ended, for the one without it."""
        if frame >= self.frames:
            return reference
        body, u = self._body, frame / self.frames
        left = self._away * (1.0 - u**3 * (10.0 - 15.0 * u + 6.0 * u * u))
        left += self._speed * u * (1.0 - u * u * (6.0 - 8.0 * u + 3.0 * u * u))
        found = reference + left
        for j in self._balls:
            dofs, order = list(body.rotation_dofs[j]), [rotation.axis for rotation in body.joints[j].rotations]
            turned = local_rotations(body, j, reference[None]) @ rotations_about(left[None, dofs])
            found[dofs] = np.radians(euler_angles(turned, order)[0])
        return np.asarray(found)
