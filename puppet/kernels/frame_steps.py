"""What joints do from frame to frame: how far they go and turn, and by how much their velocities change."""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.arm_course import put_ball
from puppet.kernels.figure_range import project_into_range
from puppet.kernels.jit import inner
from puppet.kernels.model import PARENT

_FAR, _WIDE, _LEAST_FAR, _LEAST_WIDE = range(4)  # rows of paces: see puppet.motion.steps.Pace


@inner
def put_steps(all_transforms, ways, turns):
    """How far each joint goes, and how much it turns, from frame to frame, (frames - 1, joints) each."""
    for f in range(ways.shape[0]):
        for j in range(ways.shape[1]):
            square, cosine = 0.0, -1.0
            for n in range(3):
                square += (all_transforms[f + 1, j, n] - all_transforms[f, j, n]) ** 2
            for n in range(3, 12):
                cosine += all_transforms[f + 1, j, n] * all_transforms[f, j, n]
            ways[f, j] = math.sqrt(square)
            turns[f, j] = math.acos(min(1.0, max(-1.0, 0.5 * cosine)))


@inner
def snap(steps, f, j, least, snaps, before):
    """A step as a share of what those two frames before and after it allow."""
    near = steps[f - 2, j] if f >= 2 else before
    if f + 2 < steps.shape[0]:
        near = max(near, steps[f + 2, j])
    return steps[f, j] / max(least, snaps * near)


@inner
def put_excess(all_transforms, paces, own, snaps, rests, excess):
    """By how much one of some joints goes or turns farther than it may in each frame: see puppet.motion.steps.Pace."""
    shape = (all_transforms.shape[0] - 1, all_transforms.shape[1])
    ways, turns = np.empty(shape), np.empty(shape)
    put_steps(all_transforms, ways, turns)
    before = 0.0 if rests == 1 else math.inf
    for f in range(shape[0]):
        worst = 0.0
        for n in range(own.shape[0]):
            j = own[n]
            worst = max(worst, ways[f, j] / paces[_FAR, j], turns[f, j] / paces[_WIDE, j])
            worst = max(worst, snap(ways, f, j, paces[_LEAST_FAR, j], snaps, before))
            worst = max(worst, snap(turns, f, j, paces[_LEAST_WIDE, j], snaps, before))
        excess[f] = worst - 1.0


@inner
def put_tip_steps(all_transforms, tips, ways):
    """How far the end of each segment goes from frame to frame, (frames - 1, joints); tips (joints, 3)."""
    for f in range(ways.shape[0]):
        for j in range(ways.shape[1]):
            square = 0.0
            for n in range(3):
                step = all_transforms[f + 1, j, n] - all_transforms[f, j, n]
                for k in range(3):
                    step += (all_transforms[f + 1, j, 3 + 3 * n + k] - all_transforms[f, j, 3 + 3 * n + k]) * tips[j, k]
                square += step * step
            ways[f, j] = math.sqrt(square)


@inner
def leaps(steps, f, j, most, least, snaps):
    """Whether a step is larger than any may be, or so large and abrupt: beside those two frames before and after."""
    near = max(steps[max(f - 2, 0), j], steps[f + 2, j] if f + 2 < steps.shape[0] else 0.0)
    return steps[f, j] > min(most, max(least, snaps * near))


@inner
def put_visible_leaps(all_transforms, tips, own, bounds, snaps, seen):
    """Notes before which frames, from the third on, one of some joints, or the end of its segment, leaps for all to
    see: 1 in seen (frames - 2,). bounds: how far and how much a joint goes and turns at most, and where it does so
    abruptly."""
    shape = (all_transforms.shape[0] - 1, all_transforms.shape[1])
    ways, turns, tip_ways = np.empty(shape), np.empty(shape), np.empty(shape)
    put_steps(all_transforms, ways, turns)
    put_tip_steps(all_transforms, tips, tip_ways)
    for f in range(1, shape[0]):
        seen[f - 1] = 0
        for n in range(own.shape[0]):
            j = own[n]
            if (
                leaps(ways, f, j, bounds[0], bounds[1], snaps)
                or leaps(tip_ways, f, j, bounds[0], bounds[1], snaps)
                or leaps(turns, f, j, bounds[2], bounds[3], snaps)
            ):
                seen[f - 1] = 1


@inner
def put_turn_of(all_transforms, f, j, parent, turn):
    """The rotation of a joint in its parent's coordinates, into turn (9,)."""
    for a in range(3):
        for b in range(3):
            total = all_transforms[f, j, 3 + 3 * a + b]
            if parent >= 0:
                total = 0.0
                for n in range(3):
                    total += all_transforms[f, parent, 3 + 3 * n + a] * all_transforms[f, j, 3 + 3 * n + b]
            turn[3 * a + b] = total


@inner
def vector_between(one, other):
    """The rotation vector of one^T other, two rotations (9,) row by row."""
    x = y = z = 0.0
    cosine = -1.0
    for n in range(3):
        x += one[3 * n + 2] * other[3 * n + 1] - one[3 * n + 1] * other[3 * n + 2]
        y += one[3 * n] * other[3 * n + 2] - one[3 * n + 2] * other[3 * n]
        z += one[3 * n + 1] * other[3 * n] - one[3 * n] * other[3 * n + 1]
        cosine += one[3 * n] * other[3 * n] + one[3 * n + 1] * other[3 * n + 1] + one[3 * n + 2] * other[3 * n + 2]
    sine = math.sqrt(x * x + y * y + z * z)
    if sine <= 1e-9:
        return (0.5 * x, 0.5 * y, 0.5 * z) if cosine >= 0.0 else (math.pi, 0.0, 0.0)  # half a turn, about any axis
    size = math.atan2(sine, cosine) / sine
    return size * x, size * y, size * z


@inner
def put_changes(joints, all_transforms, own, changes):
    """The largest change of the velocity of some joints at each frame but the first, radians, and to rest in the end:
    (frames - 1,)."""
    frames = all_transforms.shape[0]
    one, other = np.empty(9), np.empty(9)
    for f in range(frames - 1):
        changes[f] = 0.0
    for n in range(own.shape[0]):
        j, parent = own[n], int(joints[own[n], PARENT])
        put_turn_of(all_transforms, 0, j, parent, one)
        u = v = w = 0.0
        for f in range(frames):
            x = y = z = 0.0
            if f + 1 < frames:
                put_turn_of(all_transforms, f + 1, j, parent, other)
                x, y, z = vector_between(one, other)
                one, other = other, one
            if f > 0:
                changes[f - 1] = max(changes[f - 1], math.sqrt((x - u) ** 2 + (y - v) ** 2 + (z - w) ** 2))
            u, v, w = x, y, z


@inner
def put_angles(joints, dofs, tree, links, corners, joint, rotations, follows, old, postures, local):
    """The angles of a ball joint with these rotations (frames, 9), inside its range if it has one, into postures
    (frames, angles): those nearest to what stands there, or (follows = 1) to the frame before, that before all of them
    being old, which is overwritten."""
    for f in range(rotations.shape[0]):
        for n in range(9):
            local[joint, n] = rotations[f, n]
        project_into_range(tree, links, corners, local, joint)
        for d in range(3 * joint, 3 * joint + 3):
            if follows == 0:
                old[d] = postures[f, d]
            elif f > 0:
                old[d] = postures[f - 1, d]
        put_ball(joints, dofs, joint, 0.0, local, joint, old, postures[f])


@inner
def follow_aims(aims, drifts, first, velocity, rates, followed):
    """What follows moving aims (frames, n) from a first place on, into followed: see puppet.motion.gaze_course. drifts
    (frames, n): how far each aim has moved; velocity (n,) is that of the place, which it changes; rates (frames,): by
    how much that may change."""
    for f in range(aims.shape[0]):
        at, rate = first if f == 0 else followed[f - 1], rates[f]
        square = 0.0
        for k in range(aims.shape[1]):
            off = aims[f, k] - at[k] - drifts[f, k]
            square += off * off
        far = math.sqrt(square)
        share = min(math.sqrt(2.0 * rate * far + 0.25 * rate * rate) - 0.5 * rate, far) / max(far, 1e-12)
        square = 0.0
        for k in range(aims.shape[1]):
            off = aims[f, k] - at[k] - drifts[f, k]
            change = drifts[f, k] + off * share - velocity[k]
            square += change * change
        part = min(1.0, rate / max(math.sqrt(square), 1e-12))
        for k in range(aims.shape[1]):
            off = aims[f, k] - at[k] - drifts[f, k]
            velocity[k] += (drifts[f, k] + off * share - velocity[k]) * part
            followed[f, k] = at[k] + velocity[k]
