"""How far joints go, and how much they turn, from frame to frame, in space; and what they may."""

from __future__ import annotations

import math

import numpy as np

from puppet.body import Body, joint_transforms
from puppet.types import Floats, Ints

# A joint may go and turn so many times farther in a frame than by its own curve; in any case so many body heights and
# radians.
_FASTER, _FAR, _WIDE = 1.5, 0.06, 0.4
FARTHEST, WIDEST = 0.09, 0.55  # body heights and radians that a joint goes and turns in a frame where time is free
_ABRUPT, _ABRUPT_TURN = 0.04, 0.25  # body heights and radians that no joint goes and turns in a frame from rest
_PEAK = 1.875  # the largest speed of a smooth curve, beside its mean
_SAMPLES = 9


def steps(world: Floats) -> tuple[Floats, Floats]:
    """How far each joint goes, and how much it turns, from frame to frame, (frames - 1, joints) each; world: (frames,
    joints, 12)."""
    ways = np.linalg.norm(np.diff(world[:, :, :3], axis=0), axis=2)
    cosines = 0.5 * ((world[1:, :, 3:] * world[:-1, :, 3:]).sum(axis=2) - 1.0)
    return ways, np.arccos(np.clip(cosines, -1.0, 1.0))


def leap(body: Body, world: Floats, plain: Floats) -> float:
    """By how much a joint goes or turns farther in a frame than it may, as a share of what it may; 0 where none does.
    plain: the same frames where each joint turns by its own curve."""
    ways, turns = steps(plain)
    far = np.maximum(_FASTER * ways.max(axis=0), _FAR * body.height)
    wide = np.maximum(_FASTER * turns.max(axis=0), _WIDE)
    ways, turns = steps(world)
    return max(0.0, float((ways / far).max()) - 1.0, float((turns / wide).max()) - 1.0)


def abrupt(body: Body, postures: Floats) -> Ints:
    """The places among postures (frames, dofs) that begin at rest after which a joint leaps to the next one."""
    ways, turns = steps(joint_transforms(body, postures))
    return np.flatnonzero((ways.max(axis=1) > _ABRUPT * body.height) | (turns.max(axis=1) > _ABRUPT_TURN))


def least_frames(body: Body, start: Floats, goal: Floats) -> int:
    """The frames that joints take at least, each by a smooth curve, so that none leaps from one posture to another."""
    shares = np.linspace(0.0, 1.0, _SAMPLES)[:, None]
    ways, turns = steps(joint_transforms(body, start + shares * (goal - start)))
    speed = max(float(ways.max()) / (FARTHEST * body.height), float(turns.max()) / WIDEST)
    return math.ceil(_PEAK * (_SAMPLES - 1) * speed)
