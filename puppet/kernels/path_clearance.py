"""How far a hand, its forearm and what it carries stay from the table and from other things along a path.

A hand is the segment from wrist to tip, a forearm that from elbow to wrist, each taken at POINTS points. Things are
cubes: transforms (things, 12) of their centres, and half their width. A clearance is the distance between two of these,
negative where one is inside the other. A carried cube is compared with others by its extents along the world's axes.
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.forward_kinematics import place_limb
from puppet.kernels.jit import inner
from puppet.kernels.rotation import to_local, to_world, triple

POINTS = 9  # looked at along a line
TOUCH = 1e-3  # things this deep in each other touch
FOREARM = 0.2  # how much a forearm in a thing matters beside a hand in it


@inner
def distance_to_cube(cubes, n, half, x, y, z):
    """Signed distance of a point from cube n."""
    cx, cy, cz = triple(cubes, n, 0)
    x, y, z = to_local(cubes, n, x - cx, y - cy, z - cz)
    x, y, z = abs(x) - half, abs(y) - half, abs(z) - half
    deep = max(x, y, z)
    x, y, z = max(x, 0.0), max(y, 0.0), max(z, 0.0)
    return math.sqrt(x * x + y * y + z * z) + min(deep, 0.0)


@inner
def extent(cubes, n, half, axis):
    """Half the extent of a turned cube along an axis of the world."""
    at = 3 + 3 * axis
    return half * (abs(cubes[n, at]) + abs(cubes[n, at + 1]) + abs(cubes[n, at + 2]))


@inner
def segment_clearances(transforms, start, end, height, front, halves, things, found, at):
    """Clearances of the segment between the origins of two transforms, from the table and from each thing, into every
    second place of found from `at` on."""
    count = things.shape[0]
    for n in range(count + 1):
        found[at + 2 * n] = math.inf
    for k in range(POINTS):
        share = k / (POINTS - 1.0)
        x = transforms[start, 0] + share * (transforms[end, 0] - transforms[start, 0])
        y = transforms[start, 1] + share * (transforms[end, 1] - transforms[start, 1])
        z = transforms[start, 2] + share * (transforms[end, 2] - transforms[start, 2])
        found[at] = min(found[at], max(y - height, front - z))
        for n in range(count):
            place = at + 2 + 2 * n
            found[place] = min(found[place], distance_to_cube(things, n, halves[n], x, y, z))


@inner
def place_carried(transforms, hand, in_hand, cubes):
    """World transforms of cubes that are given in the hand's coordinates."""
    for n in range(in_hand.shape[0]):
        for column in range(4):  # the centre, then the columns of the rotation
            at, step = (0, 1) if column == 0 else (2 + column, 3)
            x, y, z = in_hand[n, at], in_hand[n, at + step], in_hand[n, at + 2 * step]
            x, y, z = to_world(transforms, hand, x, y, z)
            if column == 0:
                x, y, z = x + transforms[hand, 0], y + transforms[hand, 1], z + transforms[hand, 2]
            cubes[n, at], cubes[n, at + step], cubes[n, at + 2 * step] = x, y, z


@inner
def carried_clearances(cubes, own, height, front, halves, things, found, at):
    """Clearances of all that is carried, from the table and from each other thing, by the axis that parts them most."""
    count = things.shape[0]
    for n in range(count + 1):
        found[at + n] = math.inf
    for k in range(cubes.shape[0]):
        low = cubes[k, 1] - extent(cubes, k, own[k], 1) - height
        far = front - cubes[k, 2] - extent(cubes, k, own[k], 2)
        found[at] = min(found[at], max(low, far))
        for n in range(count):
            clearance = -math.inf
            for axis in range(3):
                apart = abs(cubes[k, axis] - things[n, axis])
                clearance = max(clearance, apart - extent(cubes, k, own[k], axis) - extent(things, n, halves[n], axis))
            found[at + 1 + n] = min(found[at + 1 + n], clearance)


@inner
def path_clearances(joints, limb, bases, angles, table, halves, things, own, in_hand, found):
    """Clearances (frames, n) of a limb with angles (frames, dofs of the limb); returns the least cosine of the tilt of
    the first thing that is carried.

    The columns: hand and forearm in turns, from the table, then from each thing; then what is carried, if anything is,
    from the table and from each thing. things: (frames, things, 12). own, in_hand: half widths and transforms, in the
    hand's coordinates, of what is carried.
    """
    count = limb.shape[0]
    transforms, axes = np.empty((count + 1, 12)), np.empty((3 * count, 6))
    cubes = np.empty((in_hand.shape[1], 12))
    upright = 1.0
    for f in range(angles.shape[0]):
        place_limb(joints, limb, bases[f], angles[f], transforms, axes)
        segment_clearances(transforms, count - 1, count, table[0], table[1], halves, things[f], found[f], 0)
        segment_clearances(transforms, max(count - 2, 0), count - 1, table[0], table[1], halves, things[f], found[f], 1)
        if cubes.shape[0] > 0:
            place_carried(transforms, count, in_hand[f], cubes)
            upright = min(upright, cubes[0, 7])
            carried_clearances(cubes, own, table[0], table[1], halves, things[f], found[f], 2 + 2 * things.shape[1])
    return upright


@inner
def judge_path(joints, limb, bases, angles, table, halves, things, own, in_hand, wanted, verdict):
    """What is wrong with a path, into verdict (7,). wanted: (frames,), the clearance; the rest as in path_clearances.

    The verdict: how deep anything is in anything at most; what is lacking of the clearance at most, both with a forearm
    counting less; what is lacking without the forearm; whether anything is lacking in the first half of the path, and
    in the second; the least cosine of the tilt of what is carried; the greatest step of an angle.
    """
    count, bare = angles.shape[0], 2 + 2 * things.shape[1]
    clearances = np.empty((count, bare if own.shape[0] == 0 else bare + 1 + things.shape[1]))
    for n in range(verdict.shape[0]):
        verdict[n] = 0.0
    verdict[5] = path_clearances(joints, limb, bases, angles, table, halves, things, own, in_hand, clearances)
    verdict[6] = largest_step(angles)
    for c in range(clearances.shape[1]):
        forearm = c < bare and c % 2 == 1
        weight = FOREARM if forearm else 1.0
        allowed = min(
            -TOUCH, clearances[0, c] - 1e-4, clearances[count - 1, c] - 1e-4
        )  # as deep as where it begins or ends
        for f in range(count):
            inside = max(allowed - clearances[f, c], 0.0)
            near = max(wanted[f] - clearances[f, c], inside)
            verdict[0], verdict[1] = max(verdict[0], weight * inside), max(verdict[1], weight * near)
            verdict[2] = verdict[2] if forearm else max(verdict[2], near)
            half = 3 if f < count // 2 else 4
            verdict[half] = max(verdict[half], 1.0 if near > 0.0 else 0.0)


@inner
def largest_step(angles):
    """The greatest change of an angle from one frame to the next."""
    largest = 0.0
    for f in range(1, angles.shape[0]):
        for d in range(angles.shape[1]):
            largest = max(largest, abs(angles[f, d] - angles[f - 1, d]))
    return largest
