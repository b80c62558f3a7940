"""How firmly the dynamics filter does what it does: the numbers behind its settings."""

from __future__ import annotations

import numpy as np

from puppet.kernels.dynamics_model import (
    ASTRAY,
    BALANCE,
    BEYOND,
    JOINTS,
    KEEP_UPRIGHT,
    LIFT,
    LIMB,
    SOFT_ALONG,
    SOFT_BALANCE,
    SOFT_LIMB,
    SOFT_SPIN,
    SOFT_UPRIGHT,
    SOFT_UPWARDS,
    SUNK,
    SWING,
)
from puppet.types import Floats

GAINS = {
    # feedback: natural frequencies a second, each critically damped
    JOINTS: 16.0, LIMB: 25.0, BALANCE: 6.0, KEEP_UPRIGHT: 10.0,
    # how soft rows are, as a part of what they are worth by themselves
    SOFT_LIMB: 0.02, SOFT_BALANCE: 0.01, SOFT_UPRIGHT: 0.2,
    SOFT_UPWARDS: 1e-4, SOFT_ALONG: 0.05, SOFT_SPIN: 1e-4,
    # steps: seconds in the air; lengths of a body that is 1 tall
    SWING: 0.24, LIFT: 0.035, BEYOND: 0.0,
    # when the balance is lost, lengths
    SUNK: 0.15, ASTRAY: 0.3,
}  # fmt: skip


def filter_settings(step: float, gravity: float, friction: float, height: float) -> Floats:
    """The table of settings that the kernels read; step: seconds of a substep."""
    return np.array([step, gravity, friction, height, *(GAINS[column] for column in sorted(GAINS))])
