"""The last steps to the nearest posture for goals out of reach, compiled: Newton's method on the distances.

Coordinate descent gets near fast but creeps where axes pull against each other. Here all axes of a chain step together.
The slope of a tip p over an axis n through o is u = n x (p - o), and the bend of p over two axes, of which a is the
nearer to the root, is a x u_b: so the Hessian of the distances is at hand, exactly, and a stretched arm that points a
little beside its goal is turned there in two or three steps. Axes at a limit that are pushed outwards are held; a step
that gains nothing, or that ends in the table, is damped until it gains.
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.bounded import bounded_step
from puppet.kernels.ccd import axis_in_world, clear, room
from puppet.kernels.forward import clamp_joint, forward, tip_of
from puppet.kernels.jit import inner
from puppet.kernels.rotation import triple

LONGEST, DONE = 0.5, 1e-5  # radians
TRIES = 8
FIRST, LEAST = 1e-3, 1e-4  # damping: some of it always, to keep still what does not matter


@inner
def put_error(joints, frames, hand, goal, error):
    """From a tip to its goal, then the turn's axis times twice its sine; returns twice its cosine's lack.

    The sum of the products of columns is (5.23): unlike the angle it has no jump at half a turn.
    """
    x, y, z = tip_of(joints, frames, hand)
    error[0], error[1], error[2] = goal[0] - x, goal[1] - y, goal[2] - z
    lack = 3.0
    for n in range(3):
        error[3 + n] = 0.0
        i, k = (n + 1) % 3, (n + 2) % 3
        for column in range(3, 6):
            lack -= frames[hand, column + 3 * n] * goal[column + 3 * n]
            error[3 + n] += frames[hand, column + 3 * i] * goal[column + 3 * k]
            error[3 + n] -= frames[hand, column + 3 * k] * goal[column + 3 * i]
    return lack


@inner
def distances(joints, frames, hands, goals, oriented, weight, error):
    """What is to be made small: distances, and turns by their weight."""
    total = 0.0
    for h in range(hands.shape[0]):
        lack = put_error(joints, frames, hands[h], goals[h], error)
        total += math.sqrt(error[0] ** 2 + error[1] ** 2 + error[2] ** 2)
        if oriented[h]:
            total += weight * lack
    return total


@inner
def put_hessian(joints, frames, below, chain, hand, goal, turned, axes, error, normal):
    """Adds one hand's share to the lower half of the Hessian, and to the slope downwards in its last column."""
    count = axes.shape[0]
    put_error(joints, frames, hand, goal, error)
    px, py, pz = tip_of(joints, frames, hand)
    k = 1.0 / max(1e-9, math.sqrt(error[0] ** 2 + error[1] ** 2 + error[2] ** 2))
    for a in range(count):
        j = chain[a // 3]
        if below[j, hand] == 0:
            continue
        x, y, z = triple(axes, a, 0)
        ox, oy, oz = triple(frames, j, 0)
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
def descend_together(joints, dofs, below, chain, roots, hands, goals, oriented, table, weight, steps, frames, angles):
    """Steps of all axes of `chain` together, into angles and frames, which belong together and are clear of the table.

    weight: of the square of a small angle in radians against a distance.
    """
    count = 3 * chain.shape[0]
    axes, normal, matrix = np.empty((count, 6)), np.empty((count, count + 1)), np.empty((count, count))
    held, step, error, old = np.empty(count), np.empty(count), np.empty(6), angles.copy()
    q, low, high = np.empty(count), np.empty(count), np.empty(count)
    damping = FIRST
    cost = distances(joints, frames, hands, goals, oriented, weight, error)
    for _ in range(steps):
        for a in range(count):
            j = chain[a // 3]
            axes[a, 0], axes[a, 1], axes[a, 2] = axis_in_world(joints, frames, angles, j, a % 3)
            q[a] = angles[3 * j + a % 3]
            low[a], high[a] = room(dofs, angles, j, 3 * j + a % 3)
            for b in range(count + 1):
                normal[a, b] = 0.0
        for h in range(hands.shape[0]):
            turned = weight if oriented[h] else 0.0
            put_hessian(joints, frames, below, chain, hands[h], goals[h], turned, axes, error, normal)
        better = False
        largest = 0.0
        for d in range(angles.shape[0]):
            old[d] = angles[d]
        for _ in range(TRIES):
            largest = bounded_step(q, low, high, normal, damping, matrix, held, step)
            damping *= 8.0
            if largest < 0.0:
                continue
            size = min(1.0, LONGEST / max(largest, 1e-12))
            for d in range(count):
                angles[3 * chain[d // 3] + d % 3] += size * step[d]
            for j in chain:
                clamp_joint(dofs, angles, j)
            forward(joints, angles, frames)
            found = distances(joints, frames, hands, goals, oriented, weight, error)
            if found < cost and clear(joints, table, frames, below, roots):
                better = True
                break
            for d in range(angles.shape[0]):
                angles[d] = old[d]
        if not better:
            forward(joints, angles, frames)
            break
        gain = cost - found
        cost = found
        damping = max(LEAST, damping / 40.0)  # which the try has raised
        if largest < DONE or gain < 1e-7:
            break
