"""Distances between solid things, negative where one is inside the other.

A body is a table of solids (n, 11) in the coordinates of its joints: cones with round ends, which are capsules whose
two ends have radii of their own, and ellipsoids. Everything else is a box: cubes (boxes, 12) are their transforms,
halves (boxes, 3) half their edges. A box that is carried moves with a joint.

The distance of a segment from a convex solid is convex along the segment, so that a search by the golden section finds
the nearest point:

    d = min over t of  distance(p + t (q - p)) - (r0 + t (r1 - r0)).
"""

from __future__ import annotations

import math

from puppet.kernels.jit import inlined, inner
from puppet.kernels.rotation import to_local, to_world, triple
from puppet.kernels.solid_model import (
    BALL_MIDDLE,
    BALL_RADIUS,
    DISTANCE,
    ELLIPSOID,
    FIRST_JOINT,
    PAIR_FIRST,
    PAIR_NORMAL,
    PAIR_POINT,
    R0,
    R1,
    SECOND,
    SECOND_JOINT,
    SOLID_JOINT,
    SOLID_KIND,
    P,
    Q,
)

GOLDEN = 0.6180339887498949
SEARCHES = 11  # steps of the golden section: the nearest point of a segment up to a hundredth of its length


@inner
def place_range(world, solids, places, start, end):
    """Where the solids from start to end are: see the columns of places."""
    for n in range(start, end):
        j = int(solids[n, SOLID_JOINT])
        for side in range(2):
            x, y, z = triple(solids, n, P + 3 * side)
            if solids[n, SOLID_KIND] == ELLIPSOID and side == 1:
                x, y, z = triple(solids, n, P)
            if j >= 0:
                x, y, z = to_world(world, j, x, y, z)
                x, y, z = x + world[j, 0], y + world[j, 1], z + world[j, 2]
            places[n, 3 * side], places[n, 3 * side + 1], places[n, 3 * side + 2] = x, y, z
        length = 0.0
        for k in range(3):
            places[n, BALL_MIDDLE + k] = 0.5 * (places[n, k] + places[n, 3 + k])
            length += (places[n, 3 + k] - places[n, k]) ** 2
        if solids[n, SOLID_KIND] == ELLIPSOID:
            places[n, BALL_RADIUS] = max(solids[n, Q], solids[n, Q + 1], solids[n, Q + 2])
        else:
            places[n, BALL_RADIUS] = 0.5 * math.sqrt(length) + max(solids[n, R0], solids[n, R1])


@inlined
def outside_box(hx, hy, hz, x, y, z):
    """Signed distance of a point from a box around the origin."""
    x, y, z = abs(x) - hx, abs(y) - hy, abs(z) - hz
    deep = max(x, y, z)
    x, y, z = max(x, 0.0), max(y, 0.0), max(z, 0.0)
    return math.sqrt(x * x + y * y + z * z) + min(deep, 0.0)


@inlined
def outside_ellipsoid(a, b, c, x, y, z):
    """Signed distance of a point from an ellipsoid around the origin, to first order near its surface."""
    u = math.sqrt((x / a) ** 2 + (y / b) ** 2 + (z / c) ** 2)
    v = math.sqrt((x / (a * a)) ** 2 + (y / (b * b)) ** 2 + (z / (c * c)) ** 2)
    return u * (u - 1.0) / v if v > 1e-12 else -min(a, b, c)


@inlined
def outside_solid(kind, a, b, c, x, y, z):
    """Signed distance of a point from a box or an ellipsoid around the origin."""
    return outside_ellipsoid(a, b, c, x, y, z) if kind == ELLIPSOID else outside_box(a, b, c, x, y, z)


@inner
def nearest_on_segment(kind, a, b, c, px, py, pz, qx, qy, qz, r0, r1, near):
    """t of the point of a cone that is nearest to a box or an ellipsoid, in whose coordinates all is; the distance, or
    any that is more than `near` where that is."""
    dx, dy, dz, dr = qx - px, qy - py, qz - pz, r1 - r0
    low, high = 0.0, 1.0
    s, t = 1.0 - GOLDEN, GOLDEN
    fs = outside_solid(kind, a, b, c, px + s * dx, py + s * dy, pz + s * dz) - r0 - s * dr
    ft = outside_solid(kind, a, b, c, px + t * dx, py + t * dy, pz + t * dz) - r0 - t * dr
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    steepest = length + abs(dr) if kind != ELLIPSOID else math.inf  # distances from ellipsoids are not exact
    if length > 1e-6:
        for _ in range(SEARCHES):
            if min(fs, ft) - (1.0 - GOLDEN) * (high - low) * steepest > near:
                return s, fs  # no point between is so near
            if fs <= ft:
                high, t, ft = t, s, fs
                s = high - GOLDEN * (high - low)
                fs = outside_solid(kind, a, b, c, px + s * dx, py + s * dy, pz + s * dz) - r0 - s * dr
            else:
                low, s, fs = s, t, ft
                t = low + GOLDEN * (high - low)
                ft = outside_solid(kind, a, b, c, px + t * dx, py + t * dy, pz + t * dz) - r0 - t * dr
    if fs > ft:
        s, fs = t, ft
    for end in range(2):
        t = float(end)
        ft = outside_solid(kind, a, b, c, px + t * dx, py + t * dy, pz + t * dz) - r0 - t * dr
        if ft < fs:
            s, fs = t, ft
    return s, fs


@inner
def outwards(kind, a, b, c, x, y, z):
    """The direction in which a point leaves a box or an ellipsoid around the origin fastest."""
    if kind == ELLIPSOID:
        x, y, z = x / (a * a), y / (b * b), z / (c * c)
    else:
        u, v, w = abs(x) - a, abs(y) - b, abs(z) - c
        if max(u, v, w) <= 0.0:
            if u >= v and u >= w:
                return (1.0 if x >= 0.0 else -1.0), 0.0, 0.0
            if v >= w:
                return 0.0, (1.0 if y >= 0.0 else -1.0), 0.0
            return 0.0, 0.0, (1.0 if z >= 0.0 else -1.0)
        x = max(u, 0.0) * (1.0 if x >= 0.0 else -1.0)
        y = max(v, 0.0) * (1.0 if y >= 0.0 else -1.0)
        z = max(w, 0.0) * (1.0 if z >= 0.0 else -1.0)
    size = math.sqrt(x * x + y * y + z * z)
    return (x / size, y / size, z / size) if size > 1e-12 else (0.0, 1.0, 0.0)


@inlined
def put_pair(pairs, count, first, second, distance, x, y, z, nx, ny, nz, first_joint, second_joint):
    """Notes a pair; where there is no room left, in place of the one that is farthest apart. Returns the new count."""
    at = count
    if count == pairs.shape[0]:
        at = 0
        for n in range(1, count):
            if pairs[n, DISTANCE] > pairs[at, DISTANCE]:
                at = n
        if pairs[at, DISTANCE] <= distance:
            return count
    pairs[at, PAIR_FIRST], pairs[at, SECOND], pairs[at, DISTANCE] = first, second, distance
    pairs[at, PAIR_POINT], pairs[at, PAIR_POINT + 1], pairs[at, PAIR_POINT + 2] = x, y, z
    pairs[at, PAIR_NORMAL], pairs[at, PAIR_NORMAL + 1], pairs[at, PAIR_NORMAL + 2] = nx, ny, nz
    pairs[at, FIRST_JOINT], pairs[at, SECOND_JOINT] = first_joint, second_joint
    return min(count + 1, pairs.shape[0])


@inlined
def gap(h, p, q):
    """How far the span from p to q is from the one from -h to h, along one axis."""
    return max(min(p, q) - h, -max(p, q) - h, 0.0)


@inlined
def spans_apart(places, a, b, k):
    """How far apart the axes of two cones are along coordinate k."""
    p, q, u, v = places[a, k], places[a, 3 + k], places[b, k], places[b, 3 + k]
    return max(min(p, q) - max(u, v), min(u, v) - max(p, q), 0.0)


@inlined
def cone_and_cone(solids, places, a, b, near, pairs, count):
    """The distance of two cones: that of their axes, less the radii there."""
    x, y, z = spans_apart(places, a, b, 0), spans_apart(places, a, b, 1), spans_apart(places, a, b, 2)
    reach = near + max(solids[a, R0], solids[a, R1]) + max(solids[b, R0], solids[b, R1])
    if x * x + y * y + z * z > reach * reach:
        return count  # the boxes around their axes are too far already
    px, py, pz = triple(places, a, 0)
    ux, uy, uz = places[a, 3] - px, places[a, 4] - py, places[a, 5] - pz
    qx, qy, qz = triple(places, b, 0)
    vx, vy, vz = places[b, 3] - qx, places[b, 4] - qy, places[b, 5] - qz
    wx, wy, wz = px - qx, py - qy, pz - qz
    uu, vv, uv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, ux * vx + uy * vy + uz * vz
    uw, vw = ux * wx + uy * wy + uz * wz, vx * wx + vy * wy + vz * wz
    square = uu * vv - uv * uv
    s = min(1.0, max(0.0, (uv * vw - vv * uw) / square)) if square > 1e-12 * uu * vv and uu > 1e-12 else 0.0
    t = min(1.0, max(0.0, (uv * s + vw) / vv)) if vv > 1e-12 else 0.0
    s = min(1.0, max(0.0, (uv * t - uw) / uu)) if uu > 1e-12 else 0.0
    px, py, pz = px + s * ux, py + s * uy, pz + s * uz
    x, y, z = px - qx - t * vx, py - qy - t * vy, pz - qz - t * vz
    size = math.sqrt(x * x + y * y + z * z)
    thick = solids[a, R0] + s * (solids[a, R1] - solids[a, R0]) + solids[b, R0] + t * (solids[b, R1] - solids[b, R0])
    distance = size - thick
    if distance > near:
        return count
    if size < 1e-9:
        x, y, z, size = 0.0, 1.0, 0.0, 1.0
    return put_pair(
        pairs, count, float(a), float(b), distance, px, py, pz, x / size, y / size, z / size,
        solids[a, SOLID_JOINT], solids[b, SOLID_JOINT],
    )  # fmt: skip


@inlined
def cone_and_round(world, solids, places, a, b, near, pairs, count):
    """The distance of cone a from ellipsoid b."""
    j = int(solids[b, SOLID_JOINT])
    cx, cy, cz = triple(places, b, 0)
    px, py, pz = to_local(world, j, places[a, 0] - cx, places[a, 1] - cy, places[a, 2] - cz)
    qx, qy, qz = to_local(world, j, places[a, 3] - cx, places[a, 4] - cy, places[a, 5] - cz)
    ra, rb, rc = triple(solids, b, Q)
    t, distance = nearest_on_segment(ELLIPSOID, ra, rb, rc, px, py, pz, qx, qy, qz, solids[a, R0], solids[a, R1], near)
    if distance > near:
        return count
    x, y, z = outwards(ELLIPSOID, ra, rb, rc, px + t * (qx - px), py + t * (qy - py), pz + t * (qz - pz))
    if j >= 0:
        x, y, z = to_world(world, j, x, y, z)
    return put_pair(
        pairs, count, float(a), float(b), distance, places[a, 0] + t * (places[a, 3] - places[a, 0]),
        places[a, 1] + t * (places[a, 4] - places[a, 1]), places[a, 2] + t * (places[a, 5] - places[a, 2]), x, y, z,
        solids[a, SOLID_JOINT], solids[b, SOLID_JOINT],
    )  # fmt: skip


@inlined
def cone_and_box(solids, places, a, cubes, halves, k, joint, sign, near, pairs, count):
    """The distance of cone a from box k. sign: 1.0 where the cone is the first of the pair, -1.0 where the box is.
    joint: what moves the box."""
    cx, cy, cz = triple(cubes, k, 0)
    px, py, pz = to_local(cubes, k, places[a, 0] - cx, places[a, 1] - cy, places[a, 2] - cz)
    qx, qy, qz = to_local(cubes, k, places[a, 3] - cx, places[a, 4] - cy, places[a, 5] - cz)
    ha, hb, hc = triple(halves, k, 0)
    u, v, w = gap(ha, px, qx), gap(hb, py, qy), gap(hc, pz, qz)
    reach = near + max(solids[a, R0], solids[a, R1])
    if u * u + v * v + w * w > reach * reach:
        return count  # the box around its axis is too far already
    t, distance = nearest_on_segment(0.0, ha, hb, hc, px, py, pz, qx, qy, qz, solids[a, R0], solids[a, R1], near)
    if distance > near:
        return count
    x, y, z = outwards(0.0, ha, hb, hc, px + t * (qx - px), py + t * (qy - py), pz + t * (qz - pz))
    x, y, z = to_world(cubes, k, x, y, z)
    px = places[a, 0] + t * (places[a, 3] - places[a, 0])
    py = places[a, 1] + t * (places[a, 4] - places[a, 1])
    pz = places[a, 2] + t * (places[a, 5] - places[a, 2])
    box = float(solids.shape[0] + k)
    if sign > 0.0:
        return put_pair(pairs, count, float(a), box, distance, px, py, pz, x, y, z, solids[a, SOLID_JOINT], joint)
    return put_pair(pairs, count, box, float(a), distance, px, py, pz, -x, -y, -z, joint, solids[a, SOLID_JOINT])


@inlined
def round_and_box(world, solids, places, a, cubes, halves, k, joint, sign, near, pairs, count):
    """The distance of ellipsoid a from box k, taken at the point of the box that is nearest to its centre."""
    j = int(solids[a, SOLID_JOINT])
    cx, cy, cz = triple(places, a, 0)
    x, y, z = to_local(cubes, k, cx - cubes[k, 0], cy - cubes[k, 1], cz - cubes[k, 2])
    x = min(max(x, -halves[k, 0]), halves[k, 0])
    y = min(max(y, -halves[k, 1]), halves[k, 1])
    z = min(max(z, -halves[k, 2]), halves[k, 2])
    x, y, z = to_world(cubes, k, x, y, z)
    px, py, pz = x + cubes[k, 0], y + cubes[k, 1], z + cubes[k, 2]
    x, y, z = to_local(world, j, px - cx, py - cy, pz - cz)
    ra, rb, rc = triple(solids, a, Q)
    distance = outside_ellipsoid(ra, rb, rc, x, y, z)
    if distance > near:
        return count
    x, y, z = outwards(ELLIPSOID, ra, rb, rc, x, y, z)
    if j >= 0:
        x, y, z = to_world(world, j, x, y, z)
    box = float(solids.shape[0] + k)
    if sign > 0.0:
        return put_pair(pairs, count, float(a), box, distance, px, py, pz, -x, -y, -z, solids[a, SOLID_JOINT], joint)
    return put_pair(pairs, count, box, float(a), distance, px, py, pz, x, y, z, joint, solids[a, SOLID_JOINT])


@inlined
def box_and_box(solids, cubes, halves, a, b, joint, other, near, pairs, count):
    """The distance of two boxes along the axis of either that parts them most."""
    best, side, nx, ny, nz = -math.inf, 1.0, 0.0, 1.0, 0.0
    for n in range(6):
        c, k = (a, n) if n < 3 else (b, n - 3)
        x, y, z = cubes[c, 3 + k], cubes[c, 6 + k], cubes[c, 9 + k]
        apart = (cubes[a, 0] - cubes[b, 0]) * x + (cubes[a, 1] - cubes[b, 1]) * y + (cubes[a, 2] - cubes[b, 2]) * z
        extent = 0.0
        for m in range(3):
            extent += halves[a, m] * abs(cubes[a, 3 + m] * x + cubes[a, 6 + m] * y + cubes[a, 9 + m] * z)
            extent += halves[b, m] * abs(cubes[b, 3 + m] * x + cubes[b, 6 + m] * y + cubes[b, 9 + m] * z)
        if abs(apart) - extent > best:
            best, side = abs(apart) - extent, 1.0 if apart >= 0.0 else -1.0
            nx, ny, nz = side * x, side * y, side * z
    if best > near:
        return count
    first, second = float(solids.shape[0] + a), float(solids.shape[0] + b)
    x, y, z = triple(cubes, a, 0)
    return put_pair(pairs, count, first, second, best, x, y, z, nx, ny, nz, joint, other)


@inner
def put_cubes(world, boxes, carriers, cubes):
    """World transforms of all boxes: those that are carried are given in the coordinates of a joint."""
    for k in range(boxes.shape[0]):
        j = carriers[k]
        if j < 0:
            for n in range(12):
                cubes[k, n] = boxes[k, n]
            continue
        for column in range(4):  # the centre, then the columns of the rotation
            at, step = (0, 1) if column == 0 else (2 + column, 3)
            x, y, z = to_world(world, j, boxes[k, at], boxes[k, at + step], boxes[k, at + 2 * step])
            if column == 0:
                x, y, z = x + world[j, 0], y + world[j, 1], z + world[j, 2]
            cubes[k, at], cubes[k, at + step], cubes[k, at + 2 * step] = x, y, z


@inlined
def at_least(solids, places, halves, cubes, a, b):
    """A number that the distance of two cones, or of a cone and a box, is no less than, by the boxes around the axes of
    cones; -inf where these meet, and for other pairs."""
    size = solids.shape[0]
    if a < size and b < size:
        if solids[a, SOLID_KIND] == ELLIPSOID or solids[b, SOLID_KIND] == ELLIPSOID:
            return -math.inf
        x, y, z = spans_apart(places, a, b, 0), spans_apart(places, a, b, 1), spans_apart(places, a, b, 2)
        thick = max(solids[a, R0], solids[a, R1]) + max(solids[b, R0], solids[b, R1])
        return math.sqrt(x * x + y * y + z * z) - thick
    n, k = (a, b - size) if a < size else (b, a - size)
    if n >= size or solids[n, SOLID_KIND] == ELLIPSOID:
        return -math.inf
    cx, cy, cz = triple(cubes, k, 0)
    px, py, pz = to_local(cubes, k, places[n, 0] - cx, places[n, 1] - cy, places[n, 2] - cz)
    qx, qy, qz = to_local(cubes, k, places[n, 3] - cx, places[n, 4] - cy, places[n, 5] - cz)
    u, v, w = gap(halves[k, 0], px, qx), gap(halves[k, 1], py, qy), gap(halves[k, 2], pz, qz)
    away = math.sqrt(u * u + v * v + w * w)
    return away - max(solids[n, R0], solids[n, R1]) if away > 0.0 else -math.inf


@inlined
def measure(world, solids, places, halves, cubes, carriers, a, b, near, pairs, count):
    """Notes a pair of solids or boxes if it is nearer than `near`; returns how many pairs are noted then."""
    size = solids.shape[0]
    if a >= size:
        joint = float(carriers[a - size])
        if b >= size:
            return box_and_box(
                solids, cubes, halves, a - size, b - size, joint, float(carriers[b - size]), near, pairs, count
            )
        if solids[b, SOLID_KIND] == ELLIPSOID:
            return round_and_box(world, solids, places, b, cubes, halves, a - size, joint, -1.0, near, pairs, count)
        return cone_and_box(solids, places, b, cubes, halves, a - size, joint, -1.0, near, pairs, count)
    if b >= size:
        joint = float(carriers[b - size])
        if solids[a, SOLID_KIND] == ELLIPSOID:
            return round_and_box(world, solids, places, a, cubes, halves, b - size, joint, 1.0, near, pairs, count)
        return cone_and_box(solids, places, a, cubes, halves, b - size, joint, 1.0, near, pairs, count)
    if solids[b, SOLID_KIND] == ELLIPSOID:
        return cone_and_round(world, solids, places, a, b, near, pairs, count)
    return cone_and_cone(solids, places, a, b, near, pairs, count)
