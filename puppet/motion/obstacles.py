"""What a hand, its forearm and what it carries can collide with along a path, for all frames at once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from puppet.body import Body, kernel_angles
from puppet.geometry import Transforms
from puppet.kernels.loader import kernels
from puppet.scene import Table
from puppet.types import Floats


@dataclass(frozen=True, eq=False)
class Things:
    """Cubes in every frame."""

    names: tuple[str, ...]
    half_widths: Floats  # (things,)
    rows: Floats  # (frames, things, 12): centre and rotation

    def only(self, names: frozenset[str]) -> Things:
        places = [n for n, name in enumerate(self.names) if name in names]
        chosen = tuple(self.names[n] for n in places)
        return Things(chosen, self.half_widths[places], np.ascontiguousarray(self.rows[:, places]))

    def without(self, names: frozenset[str]) -> Things:
        return self.only(frozenset(self.names) - names)

    def path_of(self, name: str) -> Transforms:
        rows = self.rows[:, self.names.index(name)]
        return Transforms(rows[:, :3], rows[:, 3:].reshape(-1, 3, 3))


@dataclass(frozen=True)
class Verdict:
    """What is wrong with a path: how deep it penetrates things, what is missing of its clearance, how it moves."""

    penetration: float  # the largest; a forearm counts less, as in `shortfall`
    shortfall: float  # the largest amount by which the clearance is not kept
    hand_shortfall: float  # the same without the forearm
    early: bool  # whether any clearance is missing in the first half
    late: bool
    tilt: float  # of what is carried, degrees
    step: float  # the largest of an angle from one frame to the next, radians


class Obstacles:
    """The table and some things in the frames of a limb's path."""

    def __init__(self, body: Body, hand: str, bases: Floats, table: Table, things: Things, carried: Things) -> None:
        """bases: (frames, 12), transforms of the limb's parent. `carried`: things in the hand's coordinates."""
        self._body, self._limb = body, body.limb(hand).joints
        self._bases, self._table, self._things, self._carried = bases, table.row, things, carried

    def judge(self, angles: Floats, wanted: Floats) -> Verdict:
        """Checks a limb's path, (frames, dofs of the limb), against the clearance wanted in each frame."""
        verdict = np.empty(7)
        things, carried = self._things, self._carried
        kernels().judge(
            self._body.model.joints, np.array(self._limb), self._bases, kernel_angles(self._body, angles, self._limb),
            self._table, things.half_widths, things.rows, carried.half_widths, carried.rows, wanted, verdict,
        )  # fmt: skip
        penetration, shortfall, hand_shortfall, early, late, upright, step = verdict.tolist()
        tilt = math.degrees(math.acos(max(-1.0, min(1.0, upright))))
        return Verdict(penetration, shortfall, hand_shortfall, early > 0.0, late > 0.0, tilt, step)
