"""How near a body comes to anything in the frames of paths.

The same frames are looked at again and again, with arms that are a little elsewhere. So the pairs of solids that are
near each other are kept for each frame, with some slack besides, and with their distances: as long as nothing has moved
by more than half of that since they were measured, no other pair can be near, and of these only those that may be by
now,

    distance then - how far the one may have moved - how far the other may have,

are measured again. Where nothing of what is looked at will be looked at again there is no slack, and nothing is kept.
"""

from __future__ import annotations

import math

import numpy as np

from puppet.kernels.jit import inlined, inner
from puppet.kernels.rotation import to_world, triple
from puppet.kernels.solid_model import (
    CANDIDATE_COLUMNS,
    DEPTH_SLOPE,
    DISTANCE,
    DISTANCE_THEN,
    ELLIPSOID,
    GROUP_BALL,
    GROUP_END,
    GROUP_RADIUS,
    LEFT_BEHIND,
    MARGIN,
    PAIR_COLUMNS,
    PAIR_FIRST,
    PAIR_SLACK,
    PLACE_COLUMNS,
    PLACED,
    REACHED,
    SECOND,
    SLOPE,
    SOLID_JOINT,
    SOLID_KIND,
)
from puppet.kernels.solid_pairs import find_candidates, most_candidates
from puppet.kernels.solids import at_least, measure, place_range, put_cubes


@inlined
def moved_at_most(transforms, old, j, x, y, z, radius):
    """At most how far a point of joint j within a radius of x, y, z is from where it was with old transforms."""
    u, v, w = to_world(transforms, j, x, y, z)
    a, b, c = to_world(old, j, x, y, z)
    u, v, w = u - a + transforms[j, 0] - old[j, 0], v - b + transforms[j, 1] - old[j, 1], w - c
    w += transforms[j, 2] - old[j, 2]
    turned = 0.0
    for n in range(3, 12):
        turned += (transforms[j, n] - old[j, n]) ** 2
    return math.sqrt(u * u + v * v + w * w) + math.sqrt(0.5 * turned) * radius


@inner
def put_moved(transforms, old, solids, halves, boxes, carriers, moved):
    """At most how far each solid and each carried box is from where it was with old transforms, into moved (solids +
    boxes,); returns the largest. Distances from ellipsoids are not exact: those count twice."""
    size = solids.shape[0]
    most, start = 0.0, 0
    while start < size:
        j, end, far = int(solids[start, SOLID_JOINT]), int(solids[start, GROUP_END]), 0.0
        if j >= 0:
            x, y, z = triple(solids, start, GROUP_BALL)
            far = moved_at_most(transforms, old, j, x, y, z, solids[start, GROUP_RADIUS])
            most = max(most, far)
        for n in range(start, end):
            moved[n] = 2.0 * far if solids[n, SOLID_KIND] == ELLIPSOID else far
        start = end
    for k in range(halves.shape[0]):
        moved[size + k] = 0.0
        if carriers[k] >= 0:
            a, b, c = triple(halves, k, 0)
            x, y, z = triple(boxes, k, 0)
            far = moved_at_most(transforms, old, carriers[k], x, y, z, math.sqrt(a * a + b * b + c * c))
            most, moved[size + k] = max(most, far), far
    return most


@inlined
def place_solid(world, solids, places, n):
    """Places one solid, once."""
    if places[n, PLACED] == 0.0:
        place_range(world, solids, places, n, n + 1)
        places[n, PLACED] = 1.0


@inner
def spread_placed(solids, places):
    """Notes for each solid what is noted for its group: whether it is placed."""
    start = 0
    while start < solids.shape[0]:
        end = int(solids[start, GROUP_END])
        for n in range(start + 1, end):
            places[n, PLACED] = places[start, PLACED]
        start = end


@inlined
def place_pair(world, solids, places, a, b):
    """Places two solids, once; boxes are placed already."""
    size = solids.shape[0]
    if a < size:
        place_solid(world, solids, places, a)
    if b < size:
        place_solid(world, solids, places, b)


@inner
def measure_pair(world, solids, places, halves, cubes, carriers, a, b, near, pairs):
    """Whether two solids or boxes are nearer than `near`, and then their distance, in pairs[0]; places the solids."""
    place_pair(world, solids, places, a, b)
    return measure(world, solids, places, halves, cubes, carriers, a, b, near, pairs, 0) == 1


@inner
def put_candidates(
    world, solids, halves, carriers, left_behind, reached, margins, near, slack, found, count, places, cubes, pairs,
    candidates,
):  # fmt: skip
    """The pairs (count, 2) that may be nearer than their margin and a slack, with what is to be known of them: see the
    columns of candidates. Returns how many. Cones are measured later, where that is needed: until then their distance
    is one that they are no nearer than."""
    kept = 0
    spread_placed(solids, places)
    for n in range(count):
        a, b = found[n, 0], found[n, 1]
        far = at_least(solids, places, halves, cubes, a, b)
        if far > margins[a, b] + slack:
            continue
        if far == -math.inf:
            if not measure_pair(world, solids, places, halves, cubes, carriers, a, b, near + slack, pairs):
                continue
            far = pairs[0, DISTANCE]
        candidates[kept, PAIR_FIRST], candidates[kept, SECOND], candidates[kept, MARGIN] = a, b, margins[a, b]
        candidates[kept, LEFT_BEHIND], candidates[kept, REACHED] = left_behind[a, b], reached[a, b]
        candidates[kept, DISTANCE_THEN] = far
        kept += 1
    return kept


@inner
def put_transforms(transforms, other):
    """Copies transforms (joints, 12)."""
    for j in range(transforms.shape[0]):
        for n in range(12):
            other[j, n] = transforms[j, n]


@inner
def judge_frame(
    transforms, solids, halves, boxes, carriers, parts, owners, gone, to_go, candidates, count, moved, anew, places,
    cubes, pairs, lacks,
):  # fmt: skip
    """How much clearance is missing for each part of an arm, (parts + 1,), and the largest depth.

        clearance = min(margin, at the start + SLOPE * way gone, at the end + SLOPE * way to go)

    What is as deep at both ends counts for no depth; at one of them, for less and less with the way there. parts,
    owners (solids + boxes,): the part of an arm, and the path, that each belongs to. anew: up to which distance pairs
    are measured where the candidates were found in this very frame, and then noted; else -inf.
    """
    depth = 0.0
    for n in range(lacks.shape[0]):
        lacks[n] = 0.0
    if anew == -math.inf:  # else all is placed
        put_cubes(transforms, boxes, carriers, cubes)
        for n in range(solids.shape[0]):
            places[n, PLACED] = 0.0
    for n in range(count):
        a, b = int(candidates[n, PAIR_FIRST]), int(candidates[n, SECOND])
        far = candidates[n, DISTANCE_THEN] - moved[a] - moved[b]
        if far > candidates[n, MARGIN]:
            continue
        own, other = owners[a], owners[b]
        behind, ahead = max(gone[own], gone[other]), max(to_go[own], to_go[other])
        wanted = min(candidates[n, MARGIN], candidates[n, LEFT_BEHIND] + SLOPE * behind)
        wanted = min(wanted, candidates[n, REACHED] + SLOPE * ahead)
        if far > wanted:
            continue
        if not measure_pair(transforms, solids, places, halves, cubes, carriers, a, b, max(wanted, anew), pairs):
            candidates[n, DISTANCE_THEN] = max(candidates[n, DISTANCE_THEN], anew)
            continue
        if anew > wanted:
            candidates[n, DISTANCE_THEN] = pairs[0, DISTANCE]
        lacking = wanted - pairs[0, DISTANCE]
        if lacking <= 0.0:
            continue
        first, last = candidates[n, LEFT_BEHIND], candidates[n, REACHED]
        if first >= 0.0 or last >= 0.0:
            first, last = first + DEPTH_SLOPE * behind, last + DEPTH_SLOPE * ahead
        depth = max(depth, min(first, last, 0.0) - pairs[0, DISTANCE])
        lacks[parts[a]] = max(lacks[parts[a]], lacking)
        if parts[b] != parts[a]:
            lacks[parts[b]] = max(lacks[parts[b]], lacking)
    return depth


@inner
def judge_each(
    all_transforms, solids, halves, boxes, carriers, apart_from, parts, owners, leaving, arriving, left_behind, reached,
    margins, near, slack, looked_at, rows, numbers, counts, known, known_transforms, moved, places, cubes, pairs, found,
    all_candidates, missing, depths,
):  # fmt: skip
    """As judge_frames, with room to work in."""
    for f in range(all_transforms.shape[0]):
        if not looked_at[f]:
            depths[f] = 0.0
            for k in range(missing.shape[1]):
                missing[f, k] = 0.0
            continue
        row, n, now = rows[f], numbers[rows[f]], all_transforms[f]
        count, candidates, anew = counts[n], known[n], -math.inf
        if (
            count < 0
            or 2.0 * put_moved(now, known_transforms[n], solids, halves, boxes[row], carriers, moved) > PAIR_SLACK
        ):
            count = find_candidates(
                now, solids, halves, boxes[row], carriers, apart_from, near + slack, places, cubes, found
            )
            kept = slack > 0.0 and count <= known.shape[1]
            if not kept:
                candidates = all_candidates  # there may be more than there is room for
            count = put_candidates(
                now, solids, halves, carriers, left_behind, reached, margins, near, slack, found, count, places, cubes,
                pairs, candidates,
            )  # fmt: skip
            if kept:
                counts[n] = count
                put_transforms(now, known_transforms[n])
            anew = near + slack
            for k in range(moved.shape[0]):
                moved[k] = 0.0
        depths[f] = judge_frame(
            now, solids, halves, boxes[row], carriers, parts, owners, leaving[row], arriving[row], candidates, count,
            moved, anew, places, cubes, pairs, missing[f],
        )  # fmt: skip


@inner
def judge_frames(
    all_transforms, solids, halves, boxes, carriers, apart_from, parts, owners, leaving, arriving, left_behind, reached,
    margins, near, slack, looked_at, rows, numbers, counts, candidates_by_frame, known_transforms, missing, depths,
):  # fmt: skip
    """missing (frames, parts + 1) and depths (frames,), see judge_frame. near: the largest margin.

    looked_at (frames,): whether that is measured at all; elsewhere it is nothing. rows (frames,): which of boxes,
    leaving, arriving and numbers belongs to each; numbers (rows,): which of counts, candidates_by_frame and
    known_transforms, where candidates are kept. counts are -1 where none are. slack: PAIR_SLACK, or 0.0 where none are
    to be kept. Returns the largest depth.
    """
    most = most_candidates(solids, halves)
    judge_each(
        all_transforms, solids, halves, boxes, carriers, apart_from, parts, owners, leaving, arriving, left_behind,
        reached, margins, near, slack, looked_at, rows, numbers, counts, candidates_by_frame, known_transforms,
        np.zeros(solids.shape[0] + halves.shape[0]),
        np.empty((solids.shape[0], PLACE_COLUMNS)), np.empty((halves.shape[0], 12)), np.empty((1, PAIR_COLUMNS)),
        np.empty((most, 2), dtype=np.int64), np.empty((most, CANDIDATE_COLUMNS)), missing, depths,
    )  # fmt: skip
    deepest = 0.0
    for f in range(depths.shape[0]):
        deepest = max(deepest, depths[f])
    return deepest
