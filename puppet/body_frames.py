"""What a performance and a clip share: a body and its postures, frame by frame."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from pathlib import Path
from typing import Any

from puppet.body import Body, angular_momenta, centres_of_mass
from puppet.body import joint_transforms as forward_all
from puppet.types import Floats


class BodyFrames(ABC):
    """Lengths in body heights, y up, angles in radians. All arrays are read-only."""

    angles: Floats  # (frames, dofs)

    @property
    @abstractmethod
    def _of_body(self) -> tuple[Body, float]:
        """The body, and frames a second."""

    @property
    def joint_names(self) -> tuple[str, ...]:
        return self._of_body[0].joint_names

    @cached_property
    def joint_transforms(self) -> Floats:
        """Position and rotation of each joint in the world, row by row, (frames, joints, 12)."""
        found = forward_all(self._of_body[0], self.angles)
        found.flags.writeable = False
        return found

    @property
    def joint_positions(self) -> Floats:
        """(frames, joints, 3), world."""
        return self.joint_transforms[:, :, :3]

    @cached_property
    def centre_of_mass(self) -> Floats:
        """(frames, 3), world; of a body with masses."""
        found = centres_of_mass(self._of_body[0], self.joint_transforms)
        found.flags.writeable = False
        return found

    @cached_property
    def angular_momentum(self) -> Floats:
        """(frames, 3), about the centre of mass, for body mass 1 and height 1, in radians a second: that of the way to
        each frame from the one before."""
        body, fps = self._of_body
        found = angular_momenta(body, self.joint_transforms, fps)
        found.flags.writeable = False
        return found

    @abstractmethod
    def save(self, path: str | Path, **options: Any) -> None:
        """Writes the frames in the form that the file's ending asks for: whole or not at all. `options` are those of
        the writer: see `puppet.export`."""
