"""Rows of what accelerations are asked for, compiled: points and turns of links, centre of mass, momentum.

Each row is J a + (J-dot v) = target, with J over all velocities. Rows of contacts stand first, those of the whole
body's momentum last.
"""

from __future__ import annotations

from puppet.kernels.dynamics_motion import momentum_of
from puppet.kernels.figure_features import cross
from puppet.kernels.jit import inner
from puppet.kernels.rotation import triple


@inner
def put_point_row(chains, free, axes, rows, row, j, px, py, pz, dx, dy, dz):
    """A point of a link in the world, along a direction d."""
    for v in range(rows.shape[1]):
        rows[row, v] = 0.0
    for k in range(chains[j, 0]):
        v = chains[j, 1 + k]
        x, y, z = triple(axes, v, 0)
        if free == 0 or v >= 3:
            x, y, z = cross(x, y, z, px - axes[v, 3], py - axes[v, 4], pz - axes[v, 5])
        rows[row, v] = dx * x + dy * y + dz * z


@inner
def put_turn_row(chains, free, axes, rows, row, j, axis):
    """The turn of a link about a world axis, a number from 0 to 2."""
    for v in range(rows.shape[1]):
        rows[row, v] = 0.0
    for k in range(chains[j, 0]):
        v = chains[j, 1 + k]
        if free == 0 or v >= 3:
            rows[row, v] = axes[v, axis]


@inner
def put_momentum_rows(velocities, free, axes, sums, rows, row):
    """The six rows of the whole body's momentum, linear and angular about its mass centre."""
    for v in range(rows.shape[1]):
        px, py, pz, hx, hy, hz = momentum_of(velocities, free, axes, sums, v)
        rows[row, v] = px
        rows[row + 1, v] = py
        rows[row + 2, v] = pz
        rows[row + 3, v] = hx
        rows[row + 4, v] = hy
        rows[row + 5, v] = hz
