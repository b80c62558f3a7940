"""A limb that follows a way frame by frame, compiled.

In every frame the limb's angles q minimise, inside their limits,

    |tip - target|^2 / p^2  +  |turn to the target|^2 / o^2  +  |q - reference|^2 / r^2,    p << o << r.

Where the target can be met it is met; where limits are in the way the orientation gives way before the place does; and
what the target leaves free stays with the reference, a posture of the same frame. Every part is smooth, so a smooth way
gives smooth angles. Gauss-Newton steps, from the frame before or from the reference; an axis that would leave its
limits is held.
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.jit import inner
from puppet.kernels.model import LOWER, OFFSET, ORDER, TIP, UPPER
from puppet.kernels.rotation import along, out_of, triple, turn_frame

ITERATIONS = 12
HALVINGS = 4
LONGEST_STEP = 0.4  # radians
DONE = 1e-8


@inner
def place_limb(joints, limb, base, q, frames, axes):
    """Frames of the limb's joints (n, 12), its tip at frames[-1], and each axis with a point on it, (dofs, 6)."""
    parent = frames.shape[0] - 1  # the last row serves as the frame that the next joint hangs on
    for n in range(12):
        frames[parent, n] = base[n]
    for k in range(limb.shape[0]):
        j = limb[k]
        x, y, z = triple(joints, j, OFFSET)
        x, y, z = out_of(frames, parent, x, y, z)
        for n in range(12):
            frames[k, n] = frames[parent, n]
        frames[k, 0] += x
        frames[k, 1] += y
        frames[k, 2] += z
        for place in range(3):
            axis = int(joints[j, ORDER + place])
            d = 3 * k + place
            for n in range(3):
                axes[d, n] = frames[k, 3 + 3 * n + axis]
                axes[d, 3 + n] = frames[k, n]
            turn_frame(frames, k, axis, q[d])
        for n in range(12):
            frames[parent, n] = frames[k, n]
    j = limb[limb.shape[0] - 1]
    x, y, z = triple(joints, j, TIP)
    for n in range(3):
        frames[parent, n] += along(frames, limb.shape[0] - 1, float(n), x, y, z)


@inner
def gaps(tip, target, error):
    """From the tip to its target: a vector, then axis times angle, (6,)."""
    for n in range(3):
        error[n] = target[n] - tip[n]
    # The turn R = target tip^T; its antisymmetric part gives the axis, its trace the angle.
    trace = x = y = z = 0.0
    for a in range(3):
        for b in range(3):
            value = 0.0
            for k in range(3):
                value += target[3 + 3 * a + k] * tip[3 + 3 * b + k]
            if a == b:
                trace += value
            elif (a, b) == (2, 1):
                x += value
            elif (a, b) == (1, 2):
                x -= value
            elif (a, b) == (0, 2):
                y += value
            elif (a, b) == (2, 0):
                y -= value
            elif (a, b) == (1, 0):
                z += value
            else:
                z -= value
    sine = math.sqrt(x * x + y * y + z * z)
    angle = math.atan2(sine, trace - 1.0)
    factor = angle / sine if sine > 1e-12 else 0.5
    error[3], error[4], error[5] = factor * x, factor * y, factor * z


@inner
def cost_of(error, q, reference, sizes):
    cost = 0.0
    for n in range(6):
        size = sizes[0] if n < 3 else sizes[1]
        cost += (error[n] / size) ** 2
    for d in range(q.shape[0]):
        cost += ((q[d] - reference[d]) / sizes[2]) ** 2
    return cost


@inner
def newton_step(dofs, limb, axes, tip, error, q, reference, sizes, matrix, held, step):
    """The Gauss-Newton step inside the limits; returns its largest part."""
    count = q.shape[0]
    for d in range(count):
        row = 3 * limb[d // 3] + d % 3
        held[d] = 1.0 if dofs[row, UPPER] <= dofs[row, LOWER] else 0.0
    weights = (1.0 / sizes[0] ** 2, 1.0 / sizes[1] ** 2, 1.0 / sizes[2] ** 2)
    for _ in range(count):
        for a in range(count):
            ax, ay, az = triple(axes, a, 0)
            rx, ry, rz = tip[0] - axes[a, 3], tip[1] - axes[a, 4], tip[2] - axes[a, 5]
            ux, uy, uz = ay * rz - az * ry, az * rx - ax * rz, ax * ry - ay * rx
            step[a] = (
                weights[0] * (ux * error[0] + uy * error[1] + uz * error[2])
                + weights[1] * (ax * error[3] + ay * error[4] + az * error[5])
                + weights[2] * (reference[a] - q[a])
            )
            for b in range(a + 1):
                bx, by, bz = triple(axes, b, 0)
                sx, sy, sz = tip[0] - axes[b, 3], tip[1] - axes[b, 4], tip[2] - axes[b, 5]
                vx, vy, vz = by * sz - bz * sy, bz * sx - bx * sz, bx * sy - by * sx
                value = weights[0] * (ux * vx + uy * vy + uz * vz) + weights[1] * (ax * bx + ay * by + az * bz)
                if held[a] + held[b] > 0.0:
                    value = 0.0
                if a == b:
                    value = 1.0 if held[a] > 0.0 else value + weights[2]
                matrix[a, b] = value
            if held[a] > 0.0:
                step[a] = 0.0
        solve_symmetric(matrix, step)
        again = False
        for d in range(count):
            row = 3 * limb[d // 3] + d % 3
            low, high = dofs[row, LOWER], dofs[row, UPPER]
            if held[d] == 0.0 and ((q[d] <= low and step[d] < 0.0) or (q[d] >= high and step[d] > 0.0)):
                held[d] = 1.0
                again = True
        if not again:
            break
    largest = 0.0
    for d in range(count):
        largest = max(largest, abs(step[d]))
    return largest


@inner
def solve_symmetric(matrix, x):
    """x = matrix^-1 x for a positive definite matrix of which the lower half is given (Cholesky, in place)."""
    count = x.shape[0]
    for a in range(count):
        for b in range(a + 1):
            value = matrix[a, b]
            for k in range(b):
                value -= matrix[a, k] * matrix[b, k]
            if a == b:
                matrix[a, a] = math.sqrt(max(value, 1e-18))
            else:
                matrix[a, b] = value / matrix[b, b]
    for a in range(count):
        for k in range(a):
            x[a] -= matrix[a, k] * x[k]
        x[a] /= matrix[a, a]
    for back in range(count):
        a = count - 1 - back
        for k in range(a + 1, count):
            x[a] -= matrix[k, a] * x[k]
        x[a] /= matrix[a, a]


@inner
def clipped(dofs, limb, d, angle):
    row = 3 * limb[d // 3] + d % 3
    return min(max(angle, dofs[row, LOWER]), dofs[row, UPPER])


@inner
def follow_way(joints, dofs, limb, bases, targets, references, sizes, anew, angles, errors):
    """Angles (frames, dofs of the limb) along targets (frames, 12). `anew`: each frame begins at its own reference.

    bases: (frames, 12), what the limb hangs on. sizes: p, o and r. errors: (frames, 2), how far off tip and
    orientation are.
    """
    count = references.shape[1]
    frames, axes = np.empty((limb.shape[0] + 1, 12)), np.empty((count, 6))
    matrix, held, step = np.empty((count, count)), np.empty(count), np.empty(count)
    q, trial, error = np.empty(count), np.empty(count), np.empty(6)
    tip = frames.shape[0] - 1
    for f in range(targets.shape[0]):
        for d in range(count):
            before = 0.0 if f == 0 or anew else angles[f - 1, d] - references[f - 1, d]
            q[d] = clipped(dofs, limb, d, references[f, d] + before)
        place_limb(joints, limb, bases[f], q, frames, axes)
        gaps(frames[tip], targets[f], error)
        cost = cost_of(error, q, references[f], sizes)
        for _ in range(ITERATIONS):
            largest = newton_step(dofs, limb, axes, frames[tip], error, q, references[f], sizes, matrix, held, step)
            if largest < DONE:
                break
            size = min(1.0, LONGEST_STEP / largest)
            better = False
            for _ in range(HALVINGS):
                for d in range(count):
                    trial[d] = clipped(dofs, limb, d, q[d] + size * step[d])
                place_limb(joints, limb, bases[f], trial, frames, axes)
                gaps(frames[tip], targets[f], error)
                found = cost_of(error, trial, references[f], sizes)
                if found < cost:
                    better = True
                    break
                size *= 0.5
            if not better:
                break
            gain = cost - found
            cost = found
            for d in range(count):
                q[d] = trial[d]
            if gain < 1e-9 * cost:
                break
        place_limb(joints, limb, bases[f], q, frames, axes)
        gaps(frames[tip], targets[f], error)
        errors[f, 0] = math.sqrt(error[0] ** 2 + error[1] ** 2 + error[2] ** 2)
        errors[f, 1] = math.sqrt(error[3] ** 2 + error[4] ** 2 + error[5] ** 2)
        for d in range(count):
            angles[f, d] = q[d]
