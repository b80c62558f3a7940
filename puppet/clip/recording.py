"""A recorded motion that is edited, and its joints that edits may move."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from puppet.body import Body
from puppet.clip.contacts import GroundContact
from puppet.clip.follow import with_joints_above
from puppet.geometry import Transforms
from puppet.types import Floats

_FEET = ("leftFoot", "rightFoot")


@dataclass(frozen=True, eq=False)
class Recording:
    """The frames of a clip. cautious: its body with narrower ranges, in which all of them are inside."""

    body: Body
    cautious: Body
    angles: Floats  # (frames, dofs)
    transforms: Floats  # of the joints, (frames, joints, 12)
    fps: float
    contacts: tuple[GroundContact, ...]

    def __len__(self) -> int:
        return len(self.angles)

    def path(self, joint: int) -> Transforms:
        """Where a joint is recorded, in all frames."""
        own = self.transforms[:, joint]
        return Transforms(own[:, :3], own[:, 3:].reshape(-1, 3, 3))

    def lifting(self, frames: int, since: int) -> Recording:
        """The same with feet that come down so many frames later, and lift as much earlier; those that stand in a
        frame, and before, stand later than that."""
        shorter = (
            replace(own, first=(since if own.first < since < own.last else own.first) + frames, last=own.last - frames)
            for own in self.contacts
        )
        return replace(self, contacts=tuple(own for own in shorter if own.last > own.first))

    @cached_property
    def serving(self) -> tuple[int, ...]:
        return serving_joints(self.body, self.angles)

    @cached_property
    def feet(self) -> tuple[int, ...]:
        """The joints of the feet."""
        joints = {part: self.body.joint(name) for name, part in self.body.humanoid.items()}
        return tuple(joints[foot] for foot in _FEET if foot in joints)


def serving_joints(body: Body, angles: Floats) -> tuple[int, ...]:
    """The joints that an edit may move: of a person those from the root to head, hands and toes, without those that
    have no part in a person and do not move in the clip; of anything else all."""
    joints = {part: body.joint(name) for name, part in body.humanoid.items()}
    ends = [joints[part] for part in ("head", "leftHand", "rightHand", "leftToes", "rightToes", "leftFoot", "rightFoot")
            if part in joints]  # fmt: skip
    if "hips" not in joints or not ends:
        return tuple(range(len(body.joints)))
    named = set(joints.values())
    return tuple(
        j
        for j in sorted(with_joints_above(body, ends))
        if j in named or j == 0 or np.ptp(angles[:, body.rotation_dofs[j]], axis=0).max(initial=0.0) > 1e-6
    )
