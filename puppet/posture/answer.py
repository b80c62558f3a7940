"""An answer of the posture generator: angles, where they put everything, and how far each hand is from its goal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from puppet.arguments import public_class, short
from puppet.body import Body, body_angles
from puppet.errors import PuppetError
from puppet.kernels.model import ORIENTATION_TOLERANCE as ORIENTATION_TOLERANCE  # exported by the folder
from puppet.kernels.model import POSITION_TOLERANCE as POSITION_TOLERANCE
from puppet.types import Floats


def in_place(body: Body, distance: float) -> bool:
    """Whether a hand that is this far from its goal is there."""
    return distance <= POSITION_TOLERANCE * body.height


def is_met(body: Body, distance: float, degrees: float) -> bool:
    """Whether a hand that is this far and turned by this much from its goal meets it: the one rule for that."""
    return in_place(body, distance) and degrees <= ORIENTATION_TOLERANCE


def _check_shapes(body: Body, limbs: tuple[str, ...], *arrays: Floats) -> None:
    joints, shapes = len(body.joints), tuple(getattr(array, "shape", None) for array in arrays)
    known = isinstance(limbs, tuple) and limbs != () and all(limb in body.limbs for limb in limbs)
    numbers = (3 * joints,), (joints, 12), (2 * len(limbs) + 1,)
    if not known or shapes[1:] != numbers or (body.free_root and shapes[0] != (3,)):
        raise PuppetError(f"a posture of '{body.name}' has arrays (3,) and {numbers}, not {shapes} of {short(limbs)}")


@public_class
class Posture:
    """An answer of the posture generator. Errors are measured on the answer itself, whatever the solver believed."""

    body: Body
    angles: Floats  # (dofs,), radians, in the body's order
    kernel_angles: Floats  # the same as the kernels have them
    transforms: Floats  # (joints, 12): position and rotation of each joint in the world, row by row
    score: float  # (5.36) to (5.38) with an orientation term: less is more natural; nan for limbs that are no arms

    def __init__(
        self, body: Body, limbs: tuple[str, ...], root: Floats, angles: Floats, transforms: Floats, results: Floats,
        iterations: int,
    ) -> None:  # fmt: skip
        """root: where a free root is moved to; angles: as the kernels have them; results: position and orientation
        error (radians) of each limb in turn, then the score."""
        _check_shapes(body, limbs, root, angles, transforms, results)
        self._fill(body, limbs, root, angles, transforms, results, iterations)

    @classmethod
    def _found(cls, *parts: Any) -> Posture:
        """One that the generator has found: its parts are as they shall be."""
        found = cls.__new__(cls)
        found._fill(*parts)
        return found

    def _fill(
        self, body: Body, limbs: tuple[str, ...], root: Floats, angles: Floats, transforms: Floats, results: Floats,
        iterations: int,
    ) -> None:  # fmt: skip
        own = body_angles(body, angles)
        self.kernel_angles, self.angles = angles, np.concatenate([root, own]) if body.free_root else own
        self.angles.setflags(write=False)
        transforms.setflags(write=False)
        self.body, self.transforms, self._iterations = body, transforms, iterations
        self._limbs = limbs
        *self._errors, self.score = results.tolist()

    @property
    def iterations(self) -> int:
        """How many postures were tried for it."""
        return self._iterations

    @property
    def hand_position_errors(self) -> Mapping[str, float]:
        """Distance of each hand's tip from its goal, by the limb's name."""
        return dict(zip(self._limbs, self._errors[0::2], strict=True))

    @property
    def hand_orientation_errors(self) -> Mapping[str, float]:
        """Angle in degrees of each hand from its goal; 0 where no orientation was asked for."""
        return dict(zip(self._limbs, map(math.degrees, self._errors[1::2]), strict=True))

    @property
    def position_error(self) -> float:
        """Distance of the worst hand's tip from its goal."""
        return float(max(self._errors[0::2]))

    @property
    def orientation_error(self) -> float:
        """Angle in degrees of the worst hand from its goal."""
        return math.degrees(max(self._errors[1::2]))

    @property
    def solved(self) -> bool:
        """Whether every hand is within 0.1 % of the body's height and 1 degree of its goal."""
        errors = self._errors
        return is_met(self.body, max(errors[0::2]), math.degrees(max(errors[1::2])))

    @property
    def rank(self) -> tuple[int, int, float, float]:
        """To compare postures by: hands not at their goals, hands turned wrongly, how far they miss, the score."""
        distances, angles = self._errors[0::2], self._errors[1::2]
        away = sum(not in_place(self.body, distance) for distance in distances)
        turned = sum(angle > math.radians(ORIENTATION_TOLERANCE) for angle in angles)
        return away, turned, sum(distances) / self.body.height + 0.01 * sum(angles), self.score

    @property
    def joint_positions(self) -> Floats:
        """World positions of the joints' centres, (joints, 3)."""
        return self.transforms[:, :3]

    @property
    def joint_rotations(self) -> Floats:
        """World rotations of the joints, (joints, 3, 3)."""
        return self.transforms[:, 3:].reshape(-1, 3, 3)

    @property
    def hand_positions(self) -> Mapping[str, Floats]:
        """World positions of the limbs' tips, (3,) each, by the limb's name."""
        tips = self.joint_positions + np.einsum("jab,jb->ja", self.joint_rotations, self.body.arrays.tips)
        return {name: tips[limb.joints[-1]] for name, limb in self.body.limbs.items()}

    @property
    def hand_orientations(self) -> Mapping[str, Floats]:
        """World rotations of the limbs' last segments, (3, 3) each, by the limb's name."""
        return {name: self.joint_rotations[limb.joints[-1]] for name, limb in self.body.limbs.items()}

    def __repr__(self) -> str:
        state = "solved" if self.solved else "missed"
        return f"<Posture of {', '.join(self._limbs)}: {state} by {self.position_error:.2g}, score {self.score:.3g}>"
