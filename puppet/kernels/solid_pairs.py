"""Which solid things are near each other: pairs of solids of a body and of boxes, see puppet.kernels.solids.

Solids that follow one another in the table and hang on one joint are a group with a ball around them. A pair is
measured where the balls of two groups are near each other, then that of each solid and the other group's, then those of
two solids:

    |m_a - m_b| <= r_a + r_b + near.
"""

from __future__ import annotations

from puppet.kernels.jit import inlined, inner
from puppet.kernels.rotation import to_local, to_world, triple
from puppet.kernels.solid_model import (
    BALL_MIDDLE,
    BALL_RADIUS,
    ELLIPSOID,
    GROUP_BALL,
    GROUP_END,
    GROUP_MIDDLE,
    GROUP_RADIUS,
    GROUPS_APART,
    MOVES,
    NEAR,
    NEAR_GROUP,
    NEAR_SOLID,
    PAIR_FIRST,
    PLACED,
    SECOND,
    SOLID_JOINT,
    SOLID_KIND,
)
from puppet.kernels.solids import measure, outside_box, place_range, put_cubes


@inner
def place_groups(world, solids, places):
    """Where the balls around groups are, so that most solids need not be placed, nor looked at one by one."""
    start = 0
    while start < solids.shape[0]:
        j = int(solids[start, SOLID_JOINT])
        x, y, z = triple(solids, start, GROUP_BALL)
        if j >= 0:
            x, y, z = to_world(world, j, x, y, z)
            x, y, z = x + world[j, 0], y + world[j, 1], z + world[j, 2]
        places[start, GROUP_MIDDLE], places[start, GROUP_MIDDLE + 1], places[start, GROUP_MIDDLE + 2] = x, y, z
        places[start, PLACED] = 0.0
        start = int(solids[start, GROUP_END])


@inner
def place_group(world, solids, places, start):
    """Places the solids of a group, once."""
    if places[start, PLACED] == 0.0:
        place_range(world, solids, places, start, int(solids[start, GROUP_END]))
        places[start, PLACED] = 1.0


@inlined
def apart(places, a, cubes, halves, k):
    """At least how far the ball around solid a is from box k."""
    x, y, z = triple(places, a, BALL_MIDDLE)
    x, y, z = to_local(cubes, k, x - cubes[k, 0], y - cubes[k, 1], z - cubes[k, 2])
    return outside_box(halves[k, 0], halves[k, 1], halves[k, 2], x, y, z) - places[a, BALL_RADIUS]


@inlined
def group_apart(solids, places, start, cubes, halves, k):
    """At least how far a group is from box k."""
    x, y, z = triple(places, start, GROUP_MIDDLE)
    x, y, z = to_local(cubes, k, x - cubes[k, 0], y - cubes[k, 1], z - cubes[k, 2])
    return outside_box(halves[k, 0], halves[k, 1], halves[k, 2], x, y, z) - solids[start, GROUP_RADIUS]


@inlined
def balls_apart(places, a, b, near):
    """Whether the balls around two solids are farther apart than `near`."""
    x = places[a, BALL_MIDDLE] - places[b, BALL_MIDDLE]
    y = places[a, BALL_MIDDLE + 1] - places[b, BALL_MIDDLE + 1]
    z = places[a, BALL_MIDDLE + 2] - places[b, BALL_MIDDLE + 2]
    reach = places[a, BALL_RADIUS] + places[b, BALL_RADIUS] + near
    return x * x + y * y + z * z > reach * reach


@inlined
def meets_group(solids, places, start, a, at, reach):
    """Whether a ball with its middle at places[a, at:at + 3] and this radius meets the one around a group."""
    x, y, z = triple(places, start, GROUP_MIDDLE)
    x, y, z = places[a, at] - x, places[a, at + 1] - y, places[a, at + 2] - z
    reach += solids[start, GROUP_RADIUS]
    return x * x + y * y + z * z <= reach * reach


@inner
def mark_near_groups(world, solids, apart_from, places, first, near):
    """Notes which solids are near the group that begins at `first`, and places them: none of the group itself, nor of
    others that have nothing to do with it, and none of a group before it that is looked after too, for which they
    were. Returns how many groups they are of."""
    start = near_groups = 0
    while start < solids.shape[0]:
        end, count = int(solids[start, GROUP_END]), 0
        if (
            start != first
            and apart_from[first, start] != GROUPS_APART
            and (start > first or solids[start, MOVES] == 0.0)
            and meets_group(solids, places, start, first, GROUP_MIDDLE, solids[first, GROUP_RADIUS] + near)
        ):
            place_group(world, solids, places, first)
            place_group(world, solids, places, start)
            for b in range(start, end):
                if meets_group(solids, places, first, b, BALL_MIDDLE, places[b, BALL_RADIUS] + near):
                    places[start + count, NEAR_SOLID] = b
                    count += 1
        if count > 0:
            places[start, NEAR], places[near_groups, NEAR_GROUP] = count, start
            near_groups += 1
        start = end
    return near_groups


@inner
def mark_near_box(world, solids, places, cubes, halves, k, near):
    """Notes which groups are near a box, and places their solids."""
    start = 0
    while start < solids.shape[0]:
        close = group_apart(solids, places, start, cubes, halves, k) <= near
        places[start, NEAR] = 1.0 if close else 0.0
        if close:
            place_group(world, solids, places, start)
        start = int(solids[start, GROUP_END])


@inlined
def put_candidate(a, b, candidates, count):
    candidates[count, 0], candidates[count, 1] = a, b
    return count + 1


@inner
def candidates_of_group(world, solids, halves, apart_from, near, places, cubes, first, candidates, count):
    """The solids of one group, each with the solids and boxes whose balls are near."""
    size, until = solids.shape[0], int(solids[first, GROUP_END])
    near_groups = mark_near_groups(world, solids, apart_from, places, first, near)
    for a in range(first, until if near_groups > 0 else first):
        if solids[a, SOLID_KIND] == ELLIPSOID:
            continue  # only boxes are measured from those
        for g in range(near_groups):
            start = int(places[g, NEAR_GROUP])
            if meets_group(solids, places, start, a, BALL_MIDDLE, places[a, BALL_RADIUS] + near):
                for n in range(start, start + int(places[start, NEAR])):
                    b = int(places[n, NEAR_SOLID])
                    if apart_from[a, b] == 0 and not balls_apart(places, a, b, near):
                        count = put_candidate(a, b, candidates, count)
    for k in range(halves.shape[0]):
        if group_apart(solids, places, first, cubes, halves, k) > near:
            continue
        place_group(world, solids, places, first)
        for a in range(first, until):
            if apart_from[a, size + k] == 0 and apart(places, a, cubes, halves, k) <= near:
                count = put_candidate(a, size + k, candidates, count)
    return count


@inner
def candidates_of_box(world, solids, halves, carriers, apart_from, near, places, cubes, k, candidates, count):
    """A box that is carried with solids that are not looked after, and with other boxes."""
    size = solids.shape[0]
    mark_near_box(world, solids, places, cubes, halves, k, near)
    start = 0
    while start < size:
        end = int(solids[start, GROUP_END])
        if places[start, NEAR] == 1.0 and solids[start, MOVES] == 0.0:
            for b in range(start, end):
                if apart_from[size + k, b] == 0 and apart(places, b, cubes, halves, k) <= near:
                    count = put_candidate(size + k, b, candidates, count)
        start = end
    for b in range(halves.shape[0]):
        if apart_from[size + k, size + b] == 0 and (carriers[b] < 0 or b > k):
            count = put_candidate(size + k, size + b, candidates, count)
    return count


@inner
def most_candidates(solids, halves):
    """There is room for all pairs."""
    total = solids.shape[0] + halves.shape[0]
    return total * total


@inner
def find_candidates(world, solids, halves, boxes, carriers, apart_from, near, places, cubes, candidates):
    """All pairs that may be nearer than `near`, by the balls around them, of which the first is looked after, into
    candidates (most_candidates, 2); returns how many.

    apart_from (solids + boxes, solids + boxes): what is not 0 where two of them have nothing to do with each other; in
    the place of the first two of groups GROUPS_APART where nothing of the one has to do with anything of the other.
    """
    place_groups(world, solids, places)
    put_cubes(world, boxes, carriers, cubes)
    count = start = 0
    while start < solids.shape[0]:
        if solids[start, MOVES] == 1.0:
            count = candidates_of_group(
                world, solids, halves, apart_from, near, places, cubes, start, candidates, count
            )
        start = int(solids[start, GROUP_END])
    for k in range(halves.shape[0]):
        if carriers[k] >= 0:
            count = candidates_of_box(
                world, solids, halves, carriers, apart_from, near, places, cubes, k, candidates, count
            )
    return count


@inner
def find_pairs(world, solids, halves, boxes, carriers, apart_from, near, places, cubes, candidates, pairs):
    """All candidates that are nearer than `near`, into pairs; returns how many."""
    found = find_candidates(world, solids, halves, boxes, carriers, apart_from, near, places, cubes, candidates)
    count = 0
    for n in range(found):
        a, b = candidates[n, 0], candidates[n, 1]
        count = measure(world, solids, places, halves, cubes, carriers, a, b, near, pairs, count)
    return count


@inner
def measure_again(world, solids, halves, boxes, carriers, near, known, places, cubes, pairs):
    """The pairs among those known that are nearer than `near`, into pairs; returns how many."""
    place_range(world, solids, places, 0, solids.shape[0])
    put_cubes(world, boxes, carriers, cubes)
    count = 0
    for n in range(known.shape[0]):
        a, b = int(known[n, PAIR_FIRST]), int(known[n, SECOND])
        count = measure(world, solids, places, halves, cubes, carriers, a, b, near, pairs, count)
    return count
