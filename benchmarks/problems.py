"""The problems: goals for the hands, drawn over the reachable space with a seed, the same for every solver.

Kinds: D "desk", up to .25 above the table, a posture with the elbow below the wrist exists; A anywhere above the
table's height, a clear posture with the grip's orientation exists; B the position is reachable, the grip is drawn
afterwards, so that some have no solution; U out of reach.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks import batch
from puppet.body import Body, Limb
from puppet.geometry import axis_rotation
from puppet.scene import Table
from puppet.types import Floats, Ints

TUNING_SEED = 1
HELD_OUT_SEED = 20260101  # nothing is tuned on it
KINDS = ("D", "A", "B", "U")
CHAINS: Mapping[str, tuple[tuple[str, ...], bool]] = {  # limbs, torso
    "arm": (("left",), False),
    "arm+torso": (("left",), True),
    "both": (("left", "right"), True),
}
TABLE = Table(0.6, 0.2, 0.0)
DESK_LOW, DESK_HIGH = 0.005, 0.25  # of the tip above the table
CLEARANCE_MARGIN = 1e-4  # known postures keep off the boundary of what is allowed
GRIP_TWISTS = {"side": -90.0, "top": 0.0, "bottom": -180.0}
FAR_NEAREST, FAR_FARTHEST = 1.05, 3.0  # of U, in lengths of the stretched chain
CELL = 0.08  # edge of the cells in which goals are evened out
POOL = 8  # candidates for each problem taken
TORSOS, ARMS = 1024, 8  # draws at once: torso postures, arm postures for each


@dataclass(frozen=True, eq=False)
class Goal:
    """Where a hand's tip shall be, and how the hand is turned in the world."""

    position: Floats  # (3,)
    orientation: Floats  # (3, 3)


@dataclass(frozen=True, eq=False)
class Problem:
    """One posture to find. `known` is a posture (dofs,) that solves it, where one is known."""

    kind: str
    chain: str
    goals: Mapping[str, Goal]  # by limb
    torso: bool
    known: Floats | None


def grip_orientation(limb: str, grip: str) -> Floats:
    """The hand's rotation in the world for a grip; the right hand's is the mirror image of the left hand's."""
    quarter = -0.5 * math.pi if limb == "left" else 0.5 * math.pi
    return axis_rotation(1, quarter) @ axis_rotation(0, math.radians(GRIP_TWISTS[grip]))


def make_problems(
    body: Body, kind: str, chain: str, count: int, seed: int, *, table: Table = TABLE, orientation: str = "grip"
) -> list[Problem]:
    """`count` problems of a kind for a chain. orientation: "grip", or "free" for D and A: that of a random posture."""
    free = orientation == "free"
    if kind not in KINDS or chain not in CHAINS or orientation not in ("grip", "free") or (free and kind not in "DA"):
        raise ValueError(f"no problems of kind {kind!r}, chain {chain!r}, orientation {orientation!r}")
    rng = np.random.default_rng([seed, KINDS.index(kind), list(CHAINS).index(chain), int(free)])
    if kind == "U":
        return [_out_of_reach(body, chain, table, rng) for _ in range(count)]
    drawing = _Drawing(body, kind, chain, table, rng, free)
    known, orientations = drawing.pool(POOL * count)
    positions, rotations = batch.forward(body, known)
    limbs, torso = CHAINS[chain]
    hands = [body.limbs[name].joints[-1] for name in limbs]
    tips = np.stack([batch.tip_positions(body, hand, positions, rotations) for hand in hands], axis=1)
    problems = []
    for i in _even_choice(tips, count, rng):
        goals = {name: Goal(tips[i, h], orientations[i, h]) for h, name in enumerate(limbs)}
        problems.append(Problem(kind, chain, goals, torso, known[i] if kind != "B" else None))
    return problems


class _Drawing:
    """Random postures that are inside the limits, clear of the table and what their kind of problem asks for."""

    def __init__(self, body: Body, kind: str, chain: str, table: Table, rng: np.random.Generator, free: bool):
        self.body, self.kind, self.table, self.rng = body, kind, table, rng
        names, self.torso = CHAINS[chain]
        self.limbs = [body.limbs[name] for name in names]
        self.grips = np.array([[grip_orientation(name, grip) for grip in GRIP_TWISTS] for name in names])
        self.free = free

    def pool(self, count: int) -> tuple[Floats, Floats]:
        """Postures (count, dofs) and the orientations of their goals (count, limbs, 3, 3)."""
        draws, found = [], 0
        while found < count:
            draws.append(self._draw())
            found += len(draws[-1][0])
        postures, orientations = (np.concatenate(parts)[:count] for parts in zip(*draws, strict=True))
        return postures, orientations

    def _draw(self) -> tuple[Floats, Floats]:
        """At most one posture for each torso drawn: every limb takes the first of its arm postures that will do."""
        body, size = self.body, TORSOS * ARMS
        drawn = batch.angles_in_limits(body, size, self.rng)
        angles = np.tile(body.rest, (size, 1))
        if self.torso:
            trunk = _dofs(self.limbs[0].trunk)
            angles[:, trunk] = np.repeat(drawn[::ARMS, trunk], ARMS, axis=0)
        positions, rotations = batch.forward(body, angles)
        postures, orientations = angles[::ARMS].copy(), np.empty((TORSOS, len(self.limbs), 3, 3))
        complete = np.ones(TORSOS, dtype=bool)
        for h, limb in enumerate(self.limbs):
            dofs = _dofs(limb.joints)
            angles[:, dofs] = drawn[:, dofs]
            wanted = self.grips[h, self.rng.integers(0, self.grips.shape[1], size)]
            self._place_limb(limb, wanted, angles, positions, rotations)
            suits = self._suits(limb, angles, positions, rotations).reshape(TORSOS, ARMS)
            rows = np.arange(TORSOS) * ARMS + np.argmax(suits, axis=1)
            complete &= suits.any(axis=1)
            postures[:, dofs] = angles[rows][:, dofs]
            orientations[:, h] = rotations[rows, limb.joints[-1]] if self.free else wanted[rows]
        whole = batch.forward(body, postures)
        complete &= batch.table_excess(body, self.table, range(len(body.joints)), *whole, CLEARANCE_MARGIN) == 0.0
        return postures[complete], orientations[complete]

    def _place_limb(self, limb: Limb, wanted: Floats, angles: Floats, positions: Floats, rotations: Floats) -> None:
        """Frames of a limb's joints; unless the posture's own orientation counts, the hand is turned as wanted."""
        body, hand = self.body, limb.joints[-1]
        for joint in limb.joints:
            if joint == hand and not self.free and self.kind != "B":
                local = np.swapaxes(rotations[:, body.joints[hand].parent], 1, 2) @ wanted
                first, second, third = body.joints[hand].rotations
                angles[:, _dofs((hand,))] = batch.euler_angles(local, (first.axis, second.axis, third.axis))
            batch.place_joint(body, joint, angles, positions, rotations)

    def _suits(self, limb: Limb, angles: Floats, positions: Floats, rotations: Floats) -> NDArray[np.bool_]:
        """Which postures of a limb are allowed and have their goal where this kind of problem wants it."""
        body, table, hand = self.body, self.table, limb.joints[-1]
        tips = batch.tip_positions(body, hand, positions, rotations)
        lower, upper = batch.limits_at(body, angles)
        inside = ((angles >= lower) & (angles <= upper))[:, _dofs(limb.joints)].all(axis=1)
        suits = inside & (tips[:, 1] > table.height)
        if self.kind == "D":
            above = tips[:, 1] - table.height
            suits &= (above >= DESK_LOW) & (above <= DESK_HIGH) & (tips[:, 2] > table.front)
            suits &= positions[:, limb.joints[-2], 1] < positions[:, hand, 1]  # elbow below wrist
        clear = batch.table_excess(body, table, limb.joints, positions, rotations, CLEARANCE_MARGIN) == 0.0
        return np.asarray(suits & clear)


def _dofs(joints: tuple[int, ...]) -> list[int]:
    return [3 * joint + place for joint in joints for place in range(3)]


def _even_choice(tips: Floats, count: int, rng: np.random.Generator) -> Ints:
    """Indices of `count` candidates, chosen so that crowded cells of space do not outweigh empty ones."""
    weights = np.ones(len(tips))
    for h in range(tips.shape[1]):
        cells = np.floor(tips[:, h] / CELL).astype(np.int64)
        _, inverse, sizes = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
        weights /= sizes[inverse.ravel()]
    return rng.choice(len(tips), count, replace=False, p=weights / weights.sum())


def _out_of_reach(body: Body, chain: str, table: Table, rng: np.random.Generator) -> Problem:
    """Goals farther from the chain's root than its stretched length, above the table's height, in any direction."""
    limbs, torso = CHAINS[chain]
    goals = {}
    for name in limbs:
        limb = body.limbs[name]
        joints = (*limb.trunk, *limb.joints) if torso else limb.joints
        root = np.array(body.joints[joints[0]].centre)
        spans = [*body.arrays.offsets[list(joints[1:])], body.arrays.tips[joints[-1]]]
        length = sum(float(np.linalg.norm(span)) for span in spans)
        while True:
            direction = rng.normal(size=3)
            distance = length * rng.uniform(FAR_NEAREST, FAR_FARTHEST)
            position = root + distance * direction / np.linalg.norm(direction)
            if position[1] > table.height + DESK_LOW:
                break
        goals[name] = Goal(position, grip_orientation(name, str(rng.choice(list(GRIP_TWISTS)))))
    return Problem("U", chain, goals, torso, None)
