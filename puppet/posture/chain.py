"""Which joints a set of goals concerns, as the kernels want to know it. Made once for each combination of a body."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from puppet.body import Body, Limb, is_arm, kernel_axes, kernel_dofs, kernel_limits
from puppet.types import Floats, Ints

SPREAD, SPREAD_OF_ARMS, SPREAD_WITH_TRUNK = 20, 24, 8  # postures to approach from what cannot be met


@dataclass(frozen=True, eq=False)
class Chain:
    """The limbs that have goals, the trunk that may help them, and the limbs that have nothing to do."""

    limbs: tuple[Limb, ...]
    arms: bool  # whether the exact arm fits all the limbs
    limb_joints: Ints  # (limbs, 3) for arms, else (limbs, 0)
    hands: Ints  # (limbs,), the joints that carry the tips
    trunk: Ints  # joints of the trunk, empty where it may not move
    joints: Ints  # all joints that may move, parents first
    dofs: Ints  # their degrees of freedom
    above: Ints  # degrees of freedom of joints that carry the chain and may not move
    below: Ints  # (joints, joints), 1 where the first carries the second, among the chain's joints alone
    idle_roots: Ints  # first joints of the limbs that have nothing to do
    roots: Ints  # first joints of the limbs that have goals
    base: Floats  # (3,), where the chain begins in the zero posture
    lengths: Floats  # (limbs,), of trunk and limb stretched out in one line
    spread: Floats  # (n, dofs of the chain), postures spread evenly over the limits

    def within_reach(self, goals: Floats) -> list[str]:
        """Names of the limbs whose goals, rows of (limbs, 12), are not farther away than they are long."""
        distances = np.linalg.norm(goals[:, :3] - self.base, axis=1)
        return [limb.name for limb, near in zip(self.limbs, distances <= self.lengths, strict=True) if near]

    @cached_property
    def trunk_dofs(self) -> Ints:
        return kernel_dofs(self.trunk)


def find_chain(body: Body, names: tuple[str, ...], torso: bool) -> Chain:
    """The chain for goals of these limbs; the same object every time."""
    key = (names, torso)
    if key not in body.chains:
        body.chains[key] = _build(body, names, torso)
    chain: Chain = body.chains[key]
    return chain


def _build(body: Body, names: tuple[str, ...], torso: bool) -> Chain:
    limbs = tuple(body.limb(name) for name in names)
    trunks = {limb.trunk for limb in limbs} if torso else {()}
    arms = len(trunks) == 1 and all(is_arm(body, limb) for limb in limbs)
    trunk = sorted({j for joints in trunks for j in joints})
    joints = sorted({j for limb in limbs for j in limb.joints} | set(trunk))
    below = np.zeros_like(body.model.below)
    below[np.ix_(joints, joints)] = body.model.below[np.ix_(joints, joints)]
    carriers = [j for j in range(len(body.joints)) if j not in joints and body.model.below[j, joints].any()]
    idle = [limb.joints[0] for name, limb in body.limbs.items() if name not in names]
    dofs = kernel_dofs(joints)
    count = SPREAD if not arms else SPREAD_WITH_TRUNK if trunk else SPREAD_OF_ARMS
    return Chain(
        limbs=limbs,
        arms=arms,
        limb_joints=_indices([limb.joints for limb in limbs]) if arms else np.zeros((len(limbs), 0), dtype=np.int64),
        hands=_indices([limb.joints[-1] for limb in limbs]),
        trunk=_indices(trunk),
        joints=_indices(joints),
        dofs=dofs,
        above=kernel_dofs(carriers),
        below=below,
        idle_roots=_indices(idle),
        roots=_indices([limb.joints[0] for limb in limbs]),
        base=np.array(body.joints[joints[0]].centre),
        lengths=np.array([_length(body, [*trunk, *limb.joints]) for limb in limbs]),
        spread=_spread(body, limbs, trunk, count)[:, dofs],
    )


def _length(body: Body, joints: list[int]) -> float:
    """From the first joint's centre to the last one's tip, stretched out."""
    arrays = body.arrays
    return float(np.linalg.norm(arrays.offsets[joints[1:]], axis=1).sum() + np.linalg.norm(arrays.tips[joints[-1]]))


def _indices(values: object) -> Ints:
    return np.array(values, dtype=np.int64)


def _spread(body: Body, limbs: tuple[Limb, ...], trunk: list[int], count: int) -> Floats:
    """Postures, (count, dofs), evenly spread over the limits of some limbs and a trunk.

    Mirror images for limbs of the other side; a trunk between two limbs stays in the middle plane.
    """
    starts = np.zeros((count, len(body.model.dofs)))
    sides = {limb: -1.0 if body.joints[limb.joints[0]].centre[0] < 0.0 else 1.0 for limb in limbs}
    groups = [(limb.joints, side) for limb, side in sides.items()]
    groups.append((tuple(trunk), next(iter(sides.values())) if len(sides) == 1 else 0.0))
    longest = max(len(kernel_dofs(joints)) for joints, _ in groups) * len(groups)
    ratio = 2.0 ** (-1.0 / longest)  # the generalised golden ratio, near enough
    for joints, side in groups:
        axes = kernel_axes(body, _indices(joints))
        for place, (dof, axis) in enumerate(zip(kernel_dofs(joints), axes, strict=True)):
            lower, upper = kernel_limits(body, dof)
            power = place + (len(groups) - 1) * longest // len(groups) if joints == groups[-1][0] else place
            for n in range(count):
                share = (0.5 + (n + 1) * ratio ** (power + 1)) % 1.0
                if axis != 0 and side != 1.0:
                    share = 0.5 if side == 0.0 else 1.0 - share
                starts[n, dof] = lower + share * (upper - lower)
    return starts


def side_of(body: Body, chain: Chain, guess: Floats) -> float:
    """1 where a problem is as for a left hand, -1 where it is as for a right one: mirrored problems have other sides.

    Two hands are on the side to which the estimate turns the trunk.
    """
    turns = guess[chain.trunk_dofs[kernel_axes(body, chain.trunk) == 1]]
    if len(chain.hands) > 1 and len(turns) > 0 and turns[0] != 0.0:
        return 1.0 if turns[0] > 0.0 else -1.0
    return 1.0 if body.arrays.tips[chain.hands[0], 0] >= 0.0 else -1.0


def corners(body: Body, chain: Chain, guess: Floats) -> Floats:
    """Trunks at the corners of their limits, (12, trunk's dofs): where far goals take them. None without a trunk."""
    if len(chain.trunk) == 0:
        return np.empty((0, 0))
    axes = kernel_axes(body, chain.trunk)
    lower, upper = kernel_limits(body, chain.trunk_dofs)
    mirror = np.where(axes == 0, 1.0, side_of(body, chain, guess))
    order = np.repeat(np.arange(len(chain.trunk)), 3)  # of the joints, from the lowest
    bent = 0.5 * len(chain.trunk) * np.arange(3)[:, None] > order  # no joint, the lower ones, all
    shares = np.array([
        np.where(axes == 0, bends, np.where(axes == 1, turn, lean))
        for bends, turn, lean in itertools.product(bent, (0.0, 1.0), (0.0, 1.0))
    ])  # fmt: skip
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    return np.asarray(middle + mirror * (2.0 * shares - 1.0) * half)
