"""What a hand, its forearm and what it carries can run into on their way, for many frames at once."""

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
    """Cubes at many times."""

    names: tuple[str, ...]
    halves: Floats  # (things,)
    rows: Floats  # (frames, things, 12): centre and rotation

    def only(self, names: frozenset[str]) -> Things:
        places = [n for n, name in enumerate(self.names) if name in names]
        left = tuple(self.names[n] for n in places)
        return Things(left, self.halves[places], np.ascontiguousarray(self.rows[:, places]))

    def without(self, names: frozenset[str]) -> Things:
        return self.only(frozenset(self.names) - names)

    def way_of(self, name: str) -> Transforms:
        rows = self.rows[:, self.names.index(name)]
        return Transforms(rows[:, :3], rows[:, 3:].reshape(-1, 3, 3))


@dataclass(frozen=True)
class Verdict:
    """What is wrong with a way: how deep it goes into things, what is missing of its clearance, and how it moves."""

    deep: float  # with a forearm counting less, as in `short`
    short: float
    shortest: float  # of hand and things
    early: bool  # whether anything is missing in its first half
    late: bool
    tilt: float  # of what is carried, degrees
    step: float  # of an angle, at most


class Obstacles:
    """The table and some things, as they will be in the frames of a limb's way."""

    def __init__(self, body: Body, hand: str, bases: Floats, table: Table, things: Things, carried: Things) -> None:
        """bases: (frames, 12), what the limb hangs on. `carried`: things in the hand's frame."""
        self._body, self._limb = body, body.limb(hand).joints
        self._bases, self._table, self._things, self._carried = bases, table.row, things, carried

    def judge(self, angles: Floats, wanted: Floats) -> Verdict:
        """A limb's way, (frames, dofs of the limb), by the clearance that is wanted in each frame."""
        verdict = np.empty(7)
        things, carried = self._things, self._carried
        kernels().judge(
            self._body.model.joints, np.array(self._limb), self._bases, kernel_angles(self._body, angles, self._limb),
            self._table, things.halves, things.rows, carried.halves, carried.rows, wanted, verdict,
        )  # fmt: skip
        deep, short, shortest, early, late, upright, step = verdict.tolist()
        tilt = math.degrees(math.acos(max(-1.0, min(1.0, upright))))
        return Verdict(deep, short, shortest, early > 0.0, late > 0.0, tilt, step)
