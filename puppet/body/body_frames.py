"""Postures of a body frame by frame: what performances and clips have in common."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from puppet.body.kinematics import joint_transforms as forward_all
from puppet.body.momentum import angular_momenta, centres_of_mass
from puppet.types import Floats

if TYPE_CHECKING:
    from puppet.body.body import Body


class BodyFrames:
    """Where the parts of a body are in each frame. All arrays are read-only."""

    if TYPE_CHECKING:  # each has them in its own way

        @property
        def body(self) -> Body: ...

        @property
        def fps(self) -> float: ...

        @property
        def angles(self) -> Floats: ...  # (frames, dofs), radians

    @property
    def joint_names(self) -> tuple[str, ...]:
        return self.body.joint_names

    @cached_property
    def joint_transforms(self) -> Floats:
        """Position and rotation of each joint in the world, row by row, (frames, joints, 12)."""
        return _read_only(forward_all(self.body, self.angles))

    @property
    def joint_positions(self) -> Floats:
        """(frames, joints, 3), world."""
        return self.joint_transforms[:, :, :3]

    @cached_property
    def centre_of_mass(self) -> Floats:
        """(frames, 3), world; of a body with masses."""
        return _read_only(centres_of_mass(self.body, self.joint_transforms))

    @cached_property
    def angular_momentum(self) -> Floats:
        """(frames, 3), about the centre of mass, for body mass 1 and height 1, in radians a second: that of the way to
        each frame from the one before."""
        return _read_only(angular_momenta(self.body, self.joint_transforms, self.fps))


def _read_only(values: Floats) -> Floats:
    values.flags.writeable = False
    return values
