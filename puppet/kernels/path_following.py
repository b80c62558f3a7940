"""A limb whose tip follows a path, frame by frame and without a jerk.

In every frame the limb's angles q minimise, inside their limits,

    |tip - target|^2 / p^2  +  |turn to the target|^2 / o^2  +  |q - reference|^2 / r^2,    p << o << r.

A target that can be met is met. Where limits do not allow that, the orientation yields before the position. What the
target leaves free stays near the reference, a posture for the same frame. All terms are smooth, so a smooth path gives
smooth angles. Gauss-Newton steps, from the previous frame or from the reference:

    (J^T W J + I / r^2) dq = J^T W e + (reference - q) / r^2,    W = diag(1 / p^2, 1 / o^2),

with e (6,) the error and J (6, dofs) its Jacobian, inside the limits by puppet.kernels.bounded_step.

The scales p, o and r are the first of several that give a path without a jerk. Where none do, the best path is smoothed
over more and more frames and solved again.
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.bounded_step import bounded_step
from puppet.kernels.forward_kinematics import place_limb
from puppet.kernels.jit import inner
from puppet.kernels.model import LOWER, UPPER
from puppet.kernels.path_clearance import largest_step, segment_clearances
from puppet.kernels.rotation import triple

ITERATIONS = 12
HALVINGS = 4
LONGEST_STEP = 0.4  # radians
DONE = 1e-4  # no step comes after one as small as this
ON_PATH = 2e-3  # a hand this near is on its path
HOPELESS = 10.0  # a path that is this bad is not made better by smoothing
DEEP = 4.0  # how much a hand in the thing that it stays on matters beside a jerk


@inner
def put_pose_error(tip, target, error):
    """e: from the tip to its target, then the axis of the turn to it times its angle, (6,)."""
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
def cost_of(error, q, reference, scale):
    """What is minimised, see above."""
    cost = 0.0
    for n in range(6):
        size = scale[0] if n < 3 else scale[1]
        cost += (error[n] / size) ** 2
    for d in range(q.shape[0]):
        cost += ((q[d] - reference[d]) / scale[2]) ** 2
    return cost


@inner
def put_normal_equations(axes, tip, error, q, reference, scale, normal):
    """The lower half of J^T W J + I / r^2, and the right side in the last column of normal (n, n + 1)."""
    count = q.shape[0]
    place, turn, stay = 1.0 / scale[0] ** 2, 1.0 / scale[1] ** 2, 1.0 / scale[2] ** 2
    for a in range(count):
        x, y, z = triple(axes, a, 0)
        rx, ry, rz = tip[0] - axes[a, 3], tip[1] - axes[a, 4], tip[2] - axes[a, 5]
        axes[a, 3], axes[a, 4], axes[a, 5] = y * rz - z * ry, z * rx - x * rz, x * ry - y * rx  # how the tip moves
        for b in range(a + 1):
            value = turn * (x * axes[b, 0] + y * axes[b, 1] + z * axes[b, 2])
            for n in range(3, 6):
                value += place * axes[a, n] * axes[b, n]
            normal[a, b] = value
        normal[a, a] += stay
        value = stay * (reference[a] - q[a])
        for n in range(3):
            value += place * axes[a, 3 + n] * error[n] + turn * axes[a, n] * error[3 + n]
        normal[a, count] = value


@inner
def follow_targets(joints, dofs, limb, bases, targets, references, scale, ends, angles):
    """Angles (frames, dofs of the limb) for targets (frames, 12); `ends` frames at both ends keep the angles that they
    have.

    bases: (frames, 12), transforms of what carries the limb. scale: p, o and r, then 1 where each frame begins at its
    own reference, 0 where it goes on from the previous frame. Returns the greatest distance of the tip from its target.
    """
    count = references.shape[1]
    transforms, axes = np.empty((limb.shape[0] + 1, 12)), np.empty((count, 6))
    normal, matrix = np.empty((count, count + 1)), np.empty((count, count))
    held, step, low, high = np.empty(count), np.empty(count), np.empty(count), np.empty(count)
    q, trial, error = np.empty(count), np.empty(count), np.empty(6)
    tip = transforms.shape[0] - 1
    off = 0.0
    for d in range(count):
        row = 3 * limb[d // 3] + d % 3
        low[d], high[d] = dofs[row, LOWER], dofs[row, UPPER]
    for f in range(ends, targets.shape[0] - ends):
        for d in range(count):
            before = 0.0 if f == 0 or scale[3] == 1.0 else angles[f - 1, d] - references[f - 1, d]
            q[d] = min(max(references[f, d] + before, low[d]), high[d])
        place_limb(joints, limb, bases[f], q, transforms, axes)
        put_pose_error(transforms[tip], targets[f], error)
        cost = cost_of(error, q, references[f], scale)
        away = error[0] ** 2 + error[1] ** 2 + error[2] ** 2
        for _ in range(ITERATIONS):
            put_normal_equations(axes, transforms[tip], error, q, references[f], scale, normal)
            largest = bounded_step(q, low, high, normal, 0.0, matrix, held, step)
            size = min(1.0, LONGEST_STEP / max(largest, 1e-12))
            better = False
            for _ in range(HALVINGS):
                for d in range(count):
                    trial[d] = min(max(q[d] + size * step[d], low[d]), high[d])
                place_limb(joints, limb, bases[f], trial, transforms, axes)
                put_pose_error(transforms[tip], targets[f], error)
                found = cost_of(error, trial, references[f], scale)
                if found < cost:
                    better = True
                    break
                size *= 0.5
            if not better:
                break
            gain = cost - found
            cost = found
            away = error[0] ** 2 + error[1] ** 2 + error[2] ** 2
            for d in range(count):
                q[d] = trial[d]
            if largest < DONE or gain < 1e-9 * cost:
                break
        off = max(off, away)
        for d in range(count):
            angles[f, d] = q[d]
    return math.sqrt(off)


@inner
def smooth(angles, width, found):
    """Each frame the mean of those up to `width` before and after it; fewer near the ends, which stay."""
    last = angles.shape[0] - 1
    for f in range(last + 1):
        wide = min(width, f, last - f)
        for d in range(angles.shape[1]):
            value = 0.0
            for k in range(f - wide, f + wide + 1):
                value += angles[k, d]
            found[f, d] = value / (2 * wide + 1)


@inner
def depth(joints, limb, bases, angles, halves, things):
    """How deep the hand gets into the thing that it stays on, the first of things (frames, things, 12), if there is
    one."""
    if things.shape[1] == 0:
        return 0.0
    count = limb.shape[0]
    transforms, axes, clearances = (
        np.empty((count + 1, 12)),
        np.empty((3 * count, 6)),
        np.empty(2 + 2 * things.shape[1]),
    )
    deepest = 0.0
    for f in range(angles.shape[0]):
        place_limb(joints, limb, bases[f], angles[f], transforms, axes)
        segment_clearances(transforms, count - 1, count, -math.inf, 0.0, halves, things[f], clearances, 0)
        deepest = max(deepest, -clearances[2])
    return deepest


@inner
def follow_path(joints, dofs, limb, bases, targets, references, scales, smoothing, calm, ends, halves, things, angles):
    """The best angles, see above; returns how bad they are, 0 where nothing is wrong.

    scales: (n, 4), rows as follow_targets takes them. smoothing: (n,) widths. calm: the greatest step of an angle from
    frame to frame that is no jerk. ends: how many frames at both ends stay. halves, things: what the hand stays on.
    """
    trial, smoothed = angles.copy(), references.copy()
    least, last = math.inf, scales.shape[0] - 1
    for n in range(scales.shape[0] + smoothing.shape[0]):
        if n > last:
            if least >= HOPELESS:
                break
            smooth(trial, smoothing[n - last - 1], smoothed)
        off = follow_targets(joints, dofs, limb, bases, targets, smoothed, scales[min(n, last)], ends, trial)
        cost = 1000.0 * max(0.0, off - ON_PATH) + max(0.0, largest_step(trial) - calm)
        cost += DEEP * max(0.0, depth(joints, limb, bases, trial, halves, things) - ON_PATH)
        if cost < least:
            least = cost
            for f in range(angles.shape[0]):
                for d in range(angles.shape[1]):
                    angles[f, d] = trial[f, d]
        if cost <= 0.0:
            break
    return least
