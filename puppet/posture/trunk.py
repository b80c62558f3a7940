"""Trunk and arms together: the estimated trunk where the arms can do the rest, else a correction of it.

A correction is a damped least-squares solve of trunk and arms together, see puppet.kernels.trunk_and_arms. From the
estimated trunk it ends in nearly the same posture for nearly the same goal. Where the end is not good, corrections
from a fixed set of other trunks are made, and the least strained wins. The loops are compiled; here it is only decided
which of them to run, so that they can be compiled side by side.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from puppet.body import Body, kernel_axes, kernel_limits
from puppet.kernels.loader import kernels
from puppet.kernels.model import HARD_PRICE, REFINE, SEARCH, VIOLATION_TOLERANCE
from puppet.posture.chain import Chain, side_of
from puppet.types import Floats

RAISED_PRICE = 500.0  # price of a raised elbow
NATURAL_PRICE = 40.0  # of violations where arms are chosen to start from: rather natural than near
STRAINED = 5.0  # strains from here on are all the same
_EASY = 0.25  # strain of an arm that has no need of a rival
# Shares of the range by which bend, turn and lean of the trunk are off the estimate where a correction starts.
_SHIFTS = np.array(
    [[0.0, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, -0.25, 0.0], [0.0, 0.0, 0.35], [0.0, 0.0, -0.35], [0.3, 0.0, 0.0]]
)
_NEAR = len(_SHIFTS) + 1  # starts with hanging elbows: these, and upright; then the same with any elbows
OTHERS = 6  # and some spread over all trunks, until one will do
INVERSE_PLASTIC = 0.7548776662466927  # 1 / the plastic number: its powers fill a box evenly


def best_arms(
    body: Body, chain: Chain, goals: Floats, oriented: NDArray[np.bool_], desk: Floats, guess: Floats,
    transforms: Floats, angles: Floats,
) -> tuple[float, int]:  # fmt: skip
    """The best posture with exact arms, into angles, which hold the start, with its estimate into `guess`.

    Returns its violation, 0 where the goals are met and nothing is violated, and how many postures were tried.
    """
    compiled, model = kernels(), body.model
    trunk, arms = chain.trunk, len(chain.limb_joints)
    states = np.empty((arms, compiled.STATE_SIZE))
    violation, raised, near = compiled.estimate_and_arms(
        model.joints, model.dofs, model.gaze, chain.limb_joints, trunk, chain.joints, goals, oriented, desk,
        body.height, HARD_PRICE, transforms, states, guess, angles,
    )  # fmt: skip
    if violation <= VIOLATION_TOLERANCE and raised <= 0.0:
        return 0.0, 1
    best = _worth(violation, raised, STRAINED)
    met = violation <= VIOLATION_TOLERANCE
    if len(trunk) == 0 or not near:
        return _missed(best), 1
    problem = (model.joints, model.dofs, chain.limb_joints, trunk, goals, oriented, desk, guess)
    work = np.zeros(compiled.workspace_shape(arms, len(trunk)))
    old, kept = angles.copy(), angles.copy()
    tried = 1
    for start in range(2 * _NEAR + OTHERS):
        hanging = 1.0 if start < _NEAR else 0.0
        if best < RAISED_PRICE and ((start == 1 and best < _EASY * arms) or start == _NEAR or start >= 2 * _NEAR):
            break
        if start == _NEAR and met:
            break
        if start == 1:  # made late, because most corrections need none of them
            dofs, starts = chain.trunk_dofs, _starts(body, chain, guess)
        tried += 1
        if start > 0:
            angles[dofs] = starts[start if start < _NEAR else start - _NEAR]
            compiled.arms_for_trunk(*problem, SEARCH, NATURAL_PRICE, transforms, states, angles)
        strain = compiled.trunk_and_arms(*problem[:5], guess, hanging, transforms, states, work, old, angles)
        violation, raised, _ = compiled.arms_for_trunk(*problem, REFINE, HARD_PRICE, transforms, states, angles)
        if violation > VIOLATION_TOLERANCE and strain < min(best, STRAINED):
            violation, raised, _ = compiled.arms_for_trunk(*problem, SEARCH, HARD_PRICE, transforms, states, angles)
        value = _worth(violation, hanging * raised, min(strain, STRAINED))
        if value < best:
            best = value
            kept[:] = angles
    angles[:] = kept
    return _missed(best), tried


def _worth(violation: float, raised: float, strain: float) -> float:
    """One number to compare postures by: up to RAISED_PRICE they are flawless, up to HARD_PRICE an elbow is raised."""
    if violation > VIOLATION_TOLERANCE:
        return HARD_PRICE + HARD_PRICE * violation
    return strain + (RAISED_PRICE if raised > 0.0 else 0.0)


def _missed(value: float) -> float:
    """The violation that a posture of this worth has."""
    return 0.0 if value < HARD_PRICE else (value - HARD_PRICE) / HARD_PRICE


def _starts(body: Body, chain: Chain, guess: Floats) -> Floats:
    """Trunks to start from, (_NEAR + OTHERS, axes). Mirrored problems start from mirrored trunks."""
    dofs, axes = chain.trunk_dofs, kernel_axes(body, chain.trunk)
    lower, upper = kernel_limits(body, dofs)
    mirror = np.where(axes == 0, 1.0, side_of(body, chain, guess))
    starts = np.zeros((_NEAR + OTHERS, len(dofs)))
    starts[: _NEAR - 1] = guess[dofs] + mirror * _SHIFTS[:, axes] * (upper - lower)
    numbers = np.arange(1.0, OTHERS + 1.0)[:, None]
    shares = (numbers * INVERSE_PLASTIC ** np.arange(1.0, len(dofs) + 1.0)) % 1.0
    starts[_NEAR:] = mirror * (lower + shares * (upper - lower))
    return starts
