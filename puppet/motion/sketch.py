"""A first idea of a hand's path around boxes: the hand, and what it carries, taken as points that move rigidly.

Of paths that are displaced upwards, backwards or outwards by more and more, the one of least cost is taken:

    cost = length + LACK * mean over the path of the clearance that is missing.
"""

from __future__ import annotations

import numpy as np

from puppet.motion.hand_path import HandPath, bases
from puppet.motion.surroundings import CONTACT
from puppet.types import Floats

SAMPLES = 15
SLOPE = 0.5  # how much clearance a path gains with the way from its ends, as in puppet.kernels.arm_course
LACK = 25.0
HAND_POINTS = 5
HEIGHTS = (0.0, 0.015, 0.03, 0.05, 0.075, 0.105, 0.14, 0.18, 0.24)
ASIDE = ((0.0, 0.6, -0.8), (0.8, 0.6, 0.0))  # backwards; outwards, of a left hand
LENGTHS = (0.06, 0.12, 0.2)


def sketch_bends(
    path: HandPath, points: Floats, radii: Floats, halves: Floats, cubes: Floats, touched: Floats, clearance: float,
    outwards: float,
) -> Floats:  # fmt: skip
    """The bends (2, 3) of the best of these paths, to be added to the path's own.

    points (n, 3), radii (n,): in the coordinates of the wrist. cubes (boxes, 12), halves (boxes, 3): what stands in the
    way. touched (n, boxes): where a point may touch a box at the end.
    """
    shares = np.linspace(0.0, 1.0, SAMPLES)
    wrist = path.at(shares)
    one, two = bases(path.parameters(shares))
    places = wrist.positions[:, None] + np.einsum("sab,nb->sna", wrist.rotations, points)  # (samples, n, 3)
    heights = [np.array([0.0, h, 0.0]) for h in HEIGHTS]
    candidates = [np.stack([v, v]) for v in heights]
    candidates += [np.stack([v, 0.35 * v]) for v in heights[2:]] + [np.stack([0.35 * v, v]) for v in heights[2:]]
    for x, y, z in ASIDE:
        for length in LENGTHS:
            v = length * np.array([outwards * x, y, z])
            candidates.append(np.stack([v, v]))
    bends = np.array(candidates)  # (c, 2, 3)
    moved = one[:, None] * bends[:, None, 0] + two[:, None] * bends[:, None, 1]  # (c, samples, 3)
    at = places[None] + moved[:, :, None]  # (c, samples, n, 3)
    length = np.linalg.norm(np.diff(wrist.positions[None] + moved, axis=1), axis=2).sum(axis=1)
    centres, turns = cubes[:, :3], cubes[:, 3:].reshape(-1, 3, 3)
    lack = np.zeros(at.shape[:2])
    gone, to_go = shares * path.length, (1.0 - shares) * path.length
    for k in range(len(cubes)):
        local = np.abs((at - centres[k]) @ turns[k]) - halves[k]
        apart = np.linalg.norm(np.maximum(local, 0.0), axis=3) + np.minimum(local.max(axis=3), 0.0) - radii
        end = apart[:1, -1:]
        last = np.where(touched[:, k] & (end < CONTACT), end - CONTACT, np.maximum(end, 0.0))
        first = apart[:1, :1]
        wanted = np.minimum(clearance, np.minimum(first + SLOPE * gone[:, None], last + SLOPE * to_go[:, None]))
        lack = np.maximum(lack, (wanted - apart).max(axis=2))
    cost = length + LACK * np.maximum(lack, 0.0).mean(axis=1) * path.length**0.5 * 2.0
    return np.asarray(bends[int(np.argmin(cost))])


def wrist_points(tip: Floats) -> tuple[Floats, Floats]:
    """Points along a hand from its wrist to its tip, and how thick it is there."""
    shares = np.array([0.0, 0.3, 0.6, 0.85, 1.0])
    return shares[:, None] * tip, np.array([0.016, 0.016, 0.012, 0.009, 0.007])
