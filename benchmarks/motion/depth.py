"""How deep two hulls of balls are in one another, for many pairs at once.

The depth is the largest overlap of two balls, one of each hull. With d a vector of length at most 1,
    -depth = max over d of  min over i (d a_i - r_i) + min over j (-d b_j - s_j),
where a stretched ball has sqrt(r^2 + |stretch d|^2) in place of r. That is concave in d: the ellipsoid method finds it,
and each d that was tried is a proof that the depth is not larger.
Negative depths are distances. Where the hulls' cores cross, the depth is that of the thickest balls there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from puppet.types import Floats, Ints

TOLERANCE = 5e-5
ROUNDS = 400
COMPRESS = 8  # rounds after which what is finished is put aside
_AXES = np.concatenate([np.eye(3), -np.eye(3)])


@dataclass(frozen=True, eq=False)
class Hulls:
    """Many hulls of as many balls each, in the world."""

    centres: Floats  # (hulls, balls, 3)
    radii: Floats  # (hulls, balls)
    stretch: Floats  # (hulls, 3, 3)

    def __len__(self) -> int:
        return len(self.centres)

    def taken(self, places: Ints) -> Hulls:
        return Hulls(self.centres[places], self.radii[places], self.stretch[places])

    def farthest(self, ways: Floats) -> tuple[Floats, Floats]:
        """The support along ways (hulls, 3), and its slope (hulls, 3)."""
        n = np.arange(len(self))
        stretched = np.einsum("nab,nb->na", self.stretch, ways)
        along = np.einsum("nia,na->ni", self.centres, ways)
        radii = np.sqrt(self.radii**2 + np.einsum("na,na->n", stretched, stretched)[:, None])
        i = (along + radii).argmax(axis=1)
        slope = np.einsum("nab,na->nb", self.stretch, stretched) / np.maximum(radii[n, i], 1e-12)[:, None]
        return along[n, i] + radii[n, i], self.centres[n, i] + slope


def depths(a: Hulls, b: Hulls, clear: float = np.inf) -> Floats:
    """How deep (pairs,) each of some hulls is in the other.

    A pair that is proved to be less deep than -`clear` is not looked at further: its number is only known to be less.
    """
    count = len(a)
    best = np.full(count, -np.inf)
    between = a.centres.mean(axis=1) - b.centres.mean(axis=1)
    between /= np.maximum(np.linalg.norm(between, axis=1, keepdims=True), 1e-12)
    for way in (between, *(np.broadcast_to(axis, (count, 3)) for axis in _AXES)):
        best = np.maximum(best, _proof(way, a, b)[0])
    places = np.flatnonzero(best <= clear)
    x, P = np.zeros((len(places), 3)), np.tile(np.eye(3), (len(places), 1, 1))
    done = np.zeros(len(places), dtype=bool)
    a, b = a.taken(places), b.taken(places)
    for turn in range(ROUNDS):
        if turn % COMPRESS == 0:
            kept = ~done & (best[places] <= clear)
            places, x, P, done, a, b = places[kept], x[kept], P[kept], done[kept], a.taken(kept), b.taken(kept)
            if not len(places):
                break
        size = np.linalg.norm(x, axis=1)
        outside = size > 1.0
        value, slope = _proof(x, a, b)
        best[places] = np.maximum(best[places], np.where(outside, -np.inf, value))
        cut = np.where(outside[:, None], x / np.maximum(size, 1e-12)[:, None], -slope)
        Pc = np.einsum("nab,nb->na", P, cut)
        spread = np.sqrt(np.maximum(np.einsum("na,na->n", cut, Pc), 1e-30))
        done |= ~outside & (value + spread <= best[places] + TOLERANCE)
        alpha = np.clip(np.where(outside, size - 1.0, best[places] - value) / spread, 0.0, 0.999)
        step = Pc / spread[:, None]
        x = x - ((1.0 + 3.0 * alpha) / 4.0)[:, None] * step
        share = (1.0 + 3.0 * alpha) / (2.0 * (1.0 + alpha))
        shrunk = P - share[:, None, None] * step[:, :, None] * step[:, None, :]
        P = (9.0 / 8.0 * (1.0 - alpha**2))[:, None, None] * shrunk
    return -best


def _proof(ways: Floats, a: Hulls, b: Hulls) -> tuple[Floats, Floats]:
    """The distance that ways (pairs, 3) prove, (pairs,), and its slope (pairs, 3)."""
    far_a, slope_a = a.farthest(-ways)
    far_b, slope_b = b.farthest(ways)
    return -far_a - far_b, slope_a - slope_b
