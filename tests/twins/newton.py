"""The distances that Newton's method makes small, for any posture of any limbs.

    f(q) = sum over hands of |p - g| + w (3 - trace(G^T R)),

p and R the tip and the hand's rotation, g and G those of the goal. For a small angle a the last term is w a^2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from puppet.body import Body, forward, tip_positions
from puppet.types import Floats


def distances(body: Body, hands: Sequence[int], goals: Floats, angles: Floats) -> Floats:
    """|p - g| of each hand."""
    positions, rotations = forward(body, angles)
    tips = tip_positions(body, positions, rotations)
    return np.array([np.linalg.norm(tips[j] - goal[:3]) for j, goal in zip(hands, goals, strict=True)])


def turns(body: Body, hands: Sequence[int], goals: Floats, angles: Floats) -> Floats:
    """3 - trace(G^T R) of each hand."""
    _, rotations = forward(body, angles)
    return np.array([3.0 - np.sum(goal[3:].reshape(3, 3) * rotations[j]) for j, goal in zip(hands, goals, strict=True)])
