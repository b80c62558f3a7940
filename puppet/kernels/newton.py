"""The last steps to the posture nearest to goals out of reach: a damped Newton method on the distances.

Coordinate descent gets near fast but creeps where axes pull against each other; here all axes of a chain step together.
With e = g - p from a hand's tip to its goal, u_a = n_a x (p - o_a) the velocity of the tip when axis n_a through o_a
turns, and a the one of two axes that is nearer to the root, the cost and its derivatives are

    f       = sum |e| + w (3 - trace(G^T R)),
    -df/da  = u_a . e / |e|  +  w n_a . t,
    H_ab    = (u_a . u_b - e . (n_a x u_b)) / |e|  +  2 w n_a . n_b,

where t is twice the sine of the turn to the goal times its axis. The first term of H is the Hessian of |e|^2 / 2
divided by |e|; that of |e| itself would have the further term -(u_a . e)(u_b . e) / |e|^3, which is never positive and
is left out. The second term is exact where the orientation is met. A stretched arm that points beside its goal is
turned there in two or three steps. The step solves (H + mu I) dq = -df/dq inside the limits, see
puppet.kernels.bounded_step; mu rises until the step gains and ends clear of the table.
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.bounded_step import bounded_step
from puppet.kernels.ccd import is_clear, limits_of_axis
from puppet.kernels.forward_kinematics import axis_from_parent, clamp_joint, forward, tip_of
from puppet.kernels.jit import inner
from puppet.kernels.rotation import triple

_LONGEST, SMALLEST_STEP = 0.5, 1e-5  # radians
_TRIES = 8
FIRST_DAMPING, LEAST_DAMPING = 1e-3, 1e-4  # damping: some of it always, to keep still what does not matter


@inner
def put_goal_error(joints, transforms, hand, goal, error):
    """e and t of one hand, into error (6,); returns 3 - trace(G^T R), the cost of its orientation (5.23).

    Unlike the angle that has no jump at half a turn; for a small angle a it is a^2.
    """
    x, y, z = tip_of(joints, transforms, hand)
    error[0], error[1], error[2] = goal[0] - x, goal[1] - y, goal[2] - z
    turn_cost = 3.0
    for n in range(3):
        error[3 + n] = 0.0
        i, k = (n + 1) % 3, (n + 2) % 3
        for column in range(3, 6):
            turn_cost -= transforms[hand, column + 3 * n] * goal[column + 3 * n]
            error[3 + n] += transforms[hand, column + 3 * i] * goal[column + 3 * k]
            error[3 + n] -= transforms[hand, column + 3 * k] * goal[column + 3 * i]
    return turn_cost


@inner
def distance_cost(joints, transforms, hands, goals, oriented, weight, error):
    """f, for all hands."""
    cost = 0.0
    for h in range(hands.shape[0]):
        turn_cost = put_goal_error(joints, transforms, hands[h], goals[h], error)
        cost += math.sqrt(error[0] ** 2 + error[1] ** 2 + error[2] ** 2)
        if oriented[h]:
            cost += weight * turn_cost
    return cost


@inner
def add_gradient_and_hessian(joints, transforms, below, chain, hand, goal, turned, axes, error, normal):
    """Adds one hand's part to the lower half of H, and to -df/dq in the last column of normal."""
    count = axes.shape[0]
    put_goal_error(joints, transforms, hand, goal, error)
    px, py, pz = tip_of(joints, transforms, hand)
    k = 1.0 / max(1e-9, math.sqrt(error[0] ** 2 + error[1] ** 2 + error[2] ** 2))
    for a in range(count):
        j = chain[a // 3]
        if below[j, hand] == 0:
            continue
        x, y, z = triple(axes, a, 0)
        ox, oy, oz = triple(transforms, j, 0)
        ox, oy, oz = px - ox, py - oy, pz - oz
        ux, uy, uz = y * oz - z * oy, z * ox - x * oz, x * oy - y * ox
        axes[a, 3], axes[a, 4], axes[a, 5] = ux, uy, uz
        normal[a, count] += k * (ux * error[0] + uy * error[1] + uz * error[2])
        normal[a, count] += turned * (x * error[3] + y * error[4] + z * error[5])
        # error x axis, once for all nearer axes: error . (b x u) = b . (u x error)
        vx, vy, vz = uy * error[2] - uz * error[1], uz * error[0] - ux * error[2], ux * error[1] - uy * error[0]
        for b in range(a + 1):
            if below[chain[b // 3], hand] == 0:
                continue
            bx, by, bz = triple(axes, b, 0)
            value = ux * axes[b, 3] + uy * axes[b, 4] + uz * axes[b, 5] - (bx * vx + by * vy + bz * vz)
            normal[a, b] += k * value + 2.0 * turned * (x * bx + y * by + z * bz)


@inner
def newton_descent(joints, dofs, below, chain, roots, hands, goals, oriented, table, weight, steps, transforms, angles):
    """Steps of all axes of `chain` together. angles and transforms hold the start, clear of the table, and take the
    end.

    weight: w above, of the square of a small angle in radians against a distance.
    """
    count = 3 * chain.shape[0]
    axes, normal, matrix = np.empty((count, 6)), np.empty((count, count + 1)), np.empty((count, count))
    held, step, error, old = np.empty(count), np.empty(count), np.empty(6), angles.copy()
    q, low, high = np.empty(count), np.empty(count), np.empty(count)
    damping = FIRST_DAMPING
    cost = distance_cost(joints, transforms, hands, goals, oriented, weight, error)
    for _ in range(steps):
        for a in range(count):
            j = chain[a // 3]
            axes[a, 0], axes[a, 1], axes[a, 2] = axis_from_parent(joints, transforms, angles, j, a % 3)
            q[a] = angles[3 * j + a % 3]
            low[a], high[a] = limits_of_axis(dofs, angles, j, 3 * j + a % 3)
            for b in range(count + 1):
                normal[a, b] = 0.0
        for h in range(hands.shape[0]):
            turned = weight if oriented[h] else 0.0
            add_gradient_and_hessian(joints, transforms, below, chain, hands[h], goals[h], turned, axes, error, normal)
        better = False
        largest = 0.0
        for d in range(angles.shape[0]):
            old[d] = angles[d]
        for _ in range(_TRIES):
            largest = bounded_step(q, low, high, normal, damping, matrix, held, step)
            damping *= 8.0
            if largest < 0.0:
                continue
            size = min(1.0, _LONGEST / max(largest, 1e-12))
            for d in range(count):
                angles[3 * chain[d // 3] + d % 3] += size * step[d]
            for j in chain:
                clamp_joint(dofs, angles, j)
            forward(joints, angles, transforms)
            found = distance_cost(joints, transforms, hands, goals, oriented, weight, error)
            if found < cost and is_clear(joints, table, transforms, below, roots):
                better = True
                break
            for d in range(angles.shape[0]):
                angles[d] = old[d]
        if not better:
            forward(joints, angles, transforms)
            break
        gain = cost - found
        cost = found
        damping = max(LEAST_DAMPING, damping / 40.0)  # which the try has raised
        if largest < SMALLEST_STEP or gain < 1e-7:
            break
