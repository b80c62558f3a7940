"""Cyclic coordinate descent (CCD) over any tree of ball joints with any number of end effectors.

It serves goals that closed-form arms cannot meet, and limbs that are not arms. The objective is the sum over the end
effectors, tip p, rotation R, goal g and G, of

    (p - o) . (g - o)  +  w trace(G^T R),

the two objectives of the thesis, (5.18) and (5.23), added up. Turned by t about an axis through o it is a cos(t) + b
sin(t) + c: so t = atan2(b, a) is the best angle, for position and orientation together and for all effectors that the
axis carries, and the sum never gets worse. Axes go from distal to proximal, also inside a ball joint. Limits bound each
step; a step that ends in the table is halved until it does not.
"""

from __future__ import annotations

import math

from puppet.kernels.forward_kinematics import axis_from_parent, bounds, tip_of
from puppet.kernels.jit import inner
from puppet.kernels.model import LOWER, UPPER, WIDE_LOWER, WIDE_UPPER, WIDENS_WITH
from puppet.kernels.rotation import angle_between, triple
from puppet.kernels.table_clearance import table_excess_below

HALVINGS = 5


@inner
def column_of(transforms, j, column):
    """Column 1, 2 or 3 of the rotation in transform j."""
    return transforms[j, 2 + column], transforms[j, 5 + column], transforms[j, 8 + column]


@inner
def rotate_carried(transforms, below, j, nx, ny, nz, angle):
    """Turns the transforms of all joints that joint j carries about a world axis through its centre."""
    c, s = math.cos(angle), math.sin(angle)
    ox, oy, oz = triple(transforms, j, 0)
    for k in range(j, transforms.shape[0]):
        if below[j, k] == 0:
            continue
        for column in range(4):  # the position, then the three columns of the rotation
            if column == 0:
                x, y, z = triple(transforms, k, 0)
                x, y, z = x - ox, y - oy, z - oz
            else:
                x, y, z = column_of(transforms, k, column)
            along = (1.0 - c) * (nx * x + ny * y + nz * z)
            tx = c * x + s * (ny * z - nz * y) + along * nx
            ty = c * y + s * (nz * x - nx * z) + along * ny
            tz = c * z + s * (nx * y - ny * x) + along * nz
            if column == 0:
                transforms[k, 0], transforms[k, 1], transforms[k, 2] = ox + tx, oy + ty, oz + tz
            else:
                transforms[k, 2 + column], transforms[k, 5 + column], transforms[k, 8 + column] = tx, ty, tz


@inner
def limits_of_axis(dofs, angles, j, d):
    """The limits for turning axis d of joint j alone: its own, and those that keep inside what its bend has widened."""
    lower, upper = bounds(dofs, angles, d)
    for e in range(3 * j, 3 * j + 3):
        if int(dofs[e, WIDENS_WITH]) == d:
            share = 0.0
            if angles[e] > dofs[e, UPPER]:
                share = (angles[e] - dofs[e, UPPER]) / (dofs[e, WIDE_UPPER] - dofs[e, UPPER])
            elif angles[e] < dofs[e, LOWER]:
                share = (angles[e] - dofs[e, LOWER]) / (dofs[e, WIDE_LOWER] - dofs[e, LOWER])
            if share > 0.0:
                least = min(abs(angles[d]), share * 0.5 * math.pi)
                if angles[d] >= 0.0:
                    lower = max(lower, least)
                else:
                    upper = min(upper, -least)
    return lower, upper


@inner
def best_rotation(joints, transforms, below, hands, goals, oriented, weight, j, nx, ny, nz):
    """The angle about a world axis through joint j that makes the objective greatest."""
    ox, oy, oz = triple(transforms, j, 0)
    a = b = 0.0
    for h in range(hands.shape[0]):
        k = hands[h]
        if below[j, k] == 0:
            continue
        for column in range(4 if oriented[h] else 1):
            if column == 0:
                x, y, z = tip_of(joints, transforms, k)
                x, y, z = x - ox, y - oy, z - oz
                u, v, w = triple(goals, h, 0)
                u, v, w = u - ox, v - oy, w - oz
                share = 1.0
            else:
                x, y, z = column_of(transforms, k, column)
                u, v, w = column_of(goals, h, column)
                share = weight
            a += share * (x * u + y * v + z * w - (nx * x + ny * y + nz * z) * (nx * u + ny * v + nz * w))
            b += share * (nx * (y * w - z * v) + ny * (z * u - x * w) + nz * (x * v - y * u))
    if a * a + b * b < 1e-24:
        return 0.0
    return math.atan2(b, a)


@inner
def goal_errors(joints, transforms, hands, goals, oriented):
    """The greatest distance of a tip from its goal, and the greatest angle of a hand from its goal, radians.

    What is not finite is infinitely far away: nan would pass for the least of all distances.
    """
    distance = angle = 0.0
    for h in range(hands.shape[0]):
        x, y, z = tip_of(joints, transforms, hands[h])
        u, v, w = triple(goals, h, 0)
        x, y, z = x - u, y - v, z - w
        distance = max(distance, math.sqrt(x * x + y * y + z * z))
        if oriented[h]:
            angle = max(angle, angle_between(transforms, hands[h], goals[h]))
        if not math.isfinite(x + y + z):
            distance = math.inf
    return distance, angle


@inner
def coordinate_descent(joints, dofs, below, chain, hands, goals, oriented, table, weight, sweeps, transforms, angles):
    """Sweeps over the joints of `chain`, distal ones first, until nothing moves; returns how many sweeps it took."""
    for sweep in range(sweeps):
        moved = 0.0
        for n in range(chain.shape[0] - 1, -1, -1):
            j = chain[n]
            for place in range(2, -1, -1):
                d = 3 * j + place
                lower, upper = limits_of_axis(dofs, angles, j, d)
                if upper - lower < 1e-12:
                    continue
                nx, ny, nz = axis_from_parent(joints, transforms, angles, j, place)
                turn = best_rotation(joints, transforms, below, hands, goals, oriented, weight, j, nx, ny, nz)
                turn = min(max(angles[d] + turn, lower), upper) - angles[d]
                if abs(turn) < 1e-12:
                    continue
                rotate_carried(transforms, below, j, nx, ny, nz, turn)
                for n_half in range(HALVINGS):
                    if table_excess_below(joints, table, transforms, below, j) <= 0.0:
                        break
                    back = 0.5 * turn if n_half < HALVINGS - 1 else turn
                    rotate_carried(transforms, below, j, nx, ny, nz, -back)
                    turn -= back
                angles[d] = min(max(angles[d] + turn, lower), upper)
                moved = max(moved, abs(turn))
        if moved < 1e-5:
            return sweep
    return sweeps


@inner
def miss_cost(joints, transforms, hands, goals, oriented, tolerance):
    """One number to compare misses by: 1000 times the distances beyond half the tolerance, plus the angles."""
    distances = angles = 0.0
    for h in range(hands.shape[0]):
        distance, angle = goal_errors(joints, transforms, hands[h : h + 1], goals[h : h + 1], oriented[h : h + 1])
        distances += max(0.0, distance - 0.5 * tolerance)
        angles += angle
    return 1e3 * distances + angles


@inner
def is_clear(joints, table, transforms, below, roots):
    """Whether everything that the roots carry is clear of the table."""
    worst = 0.0
    for root in roots:
        worst = max(worst, table_excess_below(joints, table, transforms, below, root))
    return worst <= 0.0
