"""Limits of joints and clearances of solids as rows of a step, compiled: those that the velocities would pass."""

from __future__ import annotations

import math

from puppet.kernels.figure_kinematics import limits_now, widening_now
from puppet.kernels.figure_model import (
    ANGLE,
    BALL,
    BONE,
    BONE_SIGN,
    CORNER,
    CORNERS,
    COUNT,
    INNER_TWIST,
    JOINT_FIRST,
    PLANE,
)
from puppet.kernels.figure_range import (
    plane_excess,
    quaternion_of,
    seen_from_frames,
    swing_and_twist,
    twist_bounds,
)
from puppet.kernels.jit import inner

_SAME = 1e-10
RANGE_COLUMNS = 17
LIMIT_SOFT, CLEARANCE_SOFT = 1e-12, 0.02  # how much the rows of limits and clearances give


@inner
def put_range_jacobians(joints, links, corners, mobility, local, ranges):
    """For each joint with a range, in a row: the Jacobian of its coordinates a1, a2 and twist by its three angular
    velocities, row by row; a1 and a2; then upper - twist with its gradient by a1 and a2, and the same of twist - lower.

    The joint's quaternion q moves with 1/2 q w, and so does q as its range sees it. With f = twist / 2, f = atan2(s, c)
    of its parts along the bone and w, and the swing is the rest of it, turned back by f.
    """
    for j in range(joints.shape[0]):
        if joints[j, CORNERS] > 0 and mobility[joints[j, JOINT_FIRST]] > 0.0:
            put_range_jacobian(joints, links, corners, local, ranges, j)


@inner
def put_range_jacobian(joints, links, corners, local, ranges, j):
    """The row of one joint."""
    bone, sign = int(links[j, BONE]), links[j, BONE_SIGN]
    w, x, y, z = quaternion_of(local, j, 0.0)
    d, a, b, c = seen_from_frames(links, j, w, x, y, z)
    side = -1.0 if d < 0.0 else 1.0
    d, a, b, c = side * d, side * a, side * b, side * c
    a1, a2, twist = swing_and_twist(bone, sign, d, a, b, c)
    along = a if bone == 0 else (b if bone == 1 else c)
    length = d * d + along * along
    scale = 1.0 / math.sqrt(length) if length > 1e-24 else 0.0
    cosine, sine = (d * scale, along * scale) if scale > 0.0 else (1.0, 0.0)
    turned = -1.0 if bone == 1 else 1.0  # z, x is the plane across y
    h = 0.5 * side
    for k in range(3):
        ew, ex, ey, ez = seen_from_frames(
            links,
            j,
            -h * (x if k == 0 else (y if k == 1 else z)),
            h * (w if k == 0 else (-z if k == 1 else y)),
            h * (z if k == 0 else (w if k == 1 else -x)),
            h * (-y if k == 0 else (x if k == 1 else w)),
        )
        if bone == 0:
            e, e1, e2 = ex, ey, ez
        elif bone == 1:
            e, e1, e2 = ey, ex, ez
        else:
            e, e1, e2 = ez, ex, ey
        half = scale * (cosine * e - sine * ew)  # of the twist, about the axis itself
        ranges[j, k] = cosine * e1 - turned * (sine * e2 + a2 * half)
        ranges[j, 3 + k] = cosine * e2 + turned * (sine * e1 + a1 * half)
        ranges[j, 6 + k] = 2.0 * sign * half
    lower, l1, l2, upper, u1, u2 = twist_bounds(joints, links, corners, j, a1, a2)
    ranges[j, 9], ranges[j, 10] = a1, a2
    ranges[j, 11], ranges[j, 12], ranges[j, 13] = upper - twist, -u1, -u2
    ranges[j, 14], ranges[j, 15], ranges[j, 16] = twist - lower, l1, l2


@inner
def put_margins(joints, links, corners, local, margins):
    """margins (joints,): the turn in radians that certainly leaves a joint inside its range; -1 where none does.

    A turn by w moves the swing a by less than w/2 (1 + |a| / v) and the twist by less than w / v, v = sqrt(1 - a^2). Up
    to the nearest side of the region, and to the narrowest bounds of its twist, half of that is taken, since v changes
    on the way. sin d <= d spares the angles.
    """
    for j in range(joints.shape[0]):
        if joints[j, CORNERS] == 0:
            margins[j] = 1e30
            continue
        w, x, y, z = quaternion_of(local, j, 0.0)
        d, a, b, c = seen_from_frames(links, j, w, x, y, z)
        if links[j, BONE] == 0.0:
            along, e1, e2, turned = a, b, c, 1.0
        elif links[j, BONE] == 1.0:
            along, e1, e2, turned = b, a, c, -1.0
        else:
            along, e1, e2, turned = c, a, b, 1.0
        square = d * d + along * along
        margins[j] = -1.0
        if square < 1e-6:
            continue
        v = math.sqrt(square)
        cosine, sine = d / v, along / v
        if cosine < 0.0:
            cosine, sine = -cosine, -sine
            e1, e2 = -e1, -e2
        a1, a2 = cosine * e1 - turned * sine * e2, cosine * e2 + turned * sine * e1
        sine *= links[j, BONE_SIGN]
        space = 1e30
        for n in range(joints[j, CORNER], joints[j, CORNER] + joints[j, CORNERS]):
            space = min(space, -plane_excess(corners, n, a1, a2))
        space /= 0.5 * (1.0 + math.sqrt(1.0 - min(square, 1.0)) / v)
        below = cosine * links[j, INNER_TWIST + 1] - sine * links[j, INNER_TWIST]
        above = sine * links[j, INNER_TWIST + 2] - cosine * links[j, INNER_TWIST + 3]
        margin = 0.5 * min(space, 2.0 * v * min(below, above))
        if margin > 0.0:
            margins[j] = margin


@inner
def add_limits(joints, corners, velocities, mobility, angles, ranges, dq, jacobian, errors, active):
    """Puts a row for each limit that dq passes behind the others; returns how many rows there are then.

    The multiplier of such a row is negative where it holds back.
    """
    active = add_angle_limits(joints, velocities, mobility, angles, dq, jacobian, errors, active)
    for j in range(joints.shape[0]):
        if joints[j, CORNERS] > 0 and mobility[joints[j, JOINT_FIRST]] > 0.0:
            active = add_range(joints, corners, ranges, j, dq, jacobian, errors, active)
    return active


@inner
def add_ranges(joints, links, corners, mobility, local, margins, ranges, dq, jacobian, errors, active):
    """The same for ball joints alone, those that dq turns by more than their margins. Their rows of ranges are made
    then, and the margin is 0 from then on."""
    for j in range(joints.shape[0]):
        first = joints[j, JOINT_FIRST]
        if joints[j, CORNERS] == 0 or mobility[first] == 0.0:
            continue
        x, y, z = dq[first], dq[first + 1], dq[first + 2]
        margin = margins[j]
        if margin > 0.0 and x * x + y * y + z * z <= margin * margin:
            continue
        if margin != 0.0:
            put_range_jacobian(joints, links, corners, local, ranges, j)
            margins[j] = 0.0
        before = active
        active = add_range(joints, corners, ranges, j, dq, jacobian, errors, active)
        if active == before:
            active = add_next_bound(joints, links, corners, ranges, j, dq, jacobian, errors, active)
    return active


@inner
def add_angle_limits(joints, velocities, mobility, angles, dq, jacobian, errors, active):
    """The same for joints that are turned by angles."""
    room = jacobian.shape[1]
    for j in range(joints.shape[0]):
        if joints[j, BALL] == 1:
            continue
        for v in range(joints[j, JOINT_FIRST], joints[j, JOINT_FIRST] + joints[j, COUNT]):
            if mobility[v] == 0.0:
                continue
            lower, upper = limits_now(velocities, angles, v)
            other, lower_slope, upper_slope = widening_now(velocities, angles, v)
            now = angles[int(velocities[v, ANGLE])]
            side, slope = 0.0, 0.0
            if now + dq[v] > upper + upper_slope * dq[other] + _SAME:
                side, slope = 1.0, upper_slope
            elif now + dq[v] < lower + lower_slope * dq[other] - _SAME:
                side, slope = -1.0, lower_slope
            if side != 0.0 and active < room:
                clear_row(jacobian, active)
                jacobian[other, active] = -side * slope
                jacobian[v, active] = side
                errors[active] = side * ((upper if side > 0.0 else lower) - now)
                active += 1
    return active


@inner
def add_range(joints, corners, ranges, j, dq, jacobian, errors, active):
    """The same for a ball joint: sides of its region and bounds of its twist, linearised."""
    first, count = joints[j, JOINT_FIRST], joints[j, CORNERS]
    a1, a2, room = ranges[j, 9], ranges[j, 10], jacobian.shape[1]
    x, y, z = dq[first], dq[first + 1], dq[first + 2]
    d1 = ranges[j, 0] * x + ranges[j, 1] * y + ranges[j, 2] * z
    d2 = ranges[j, 3] * x + ranges[j, 4] * y + ranges[j, 5] * z
    d3 = ranges[j, 6] * x + ranges[j, 7] * y + ranges[j, 8] * z
    for n in range(count + 2):  # sides, then the upper and the lower bound: n . (a1, a2, twist) <= what is left
        if n < count:
            side = joints[j, CORNER] + n
            n1, n2, n3 = corners[side, PLANE], corners[side, PLANE + 1], 0.0
            left = corners[side, PLANE + 2] - n1 * a1 - n2 * a2
        else:
            at = 11 + 3 * (n - count)
            n3 = 1.0 if n == count else -1.0
            left, n1, n2 = ranges[j, at], ranges[j, at + 1], ranges[j, at + 2]
        if n1 * d1 + n2 * d2 + n3 * d3 > left + _SAME and active < room:
            clear_row(jacobian, active)
            for k in range(3):
                jacobian[first + k, active] = n1 * ranges[j, k] + n2 * ranges[j, 3 + k] + n3 * ranges[j, 6 + k]
            errors[active] = left
            active += 1
    return active


@inner
def add_next_bound(joints, links, corners, ranges, j, dq, jacobian, errors, active):
    """The same for the bounds of the twist where the swing goes to: they are those of a roof whose slope changes from
    one triangle of the region to the next. With the slope of one side alone, a joint that is drawn to the ridge would
    leap over it in every step."""
    first, room = joints[j, JOINT_FIRST], jacobian.shape[1]
    a1, a2 = ranges[j, 9], ranges[j, 10]
    x, y, z = dq[first], dq[first + 1], dq[first + 2]
    d1 = ranges[j, 0] * x + ranges[j, 1] * y + ranges[j, 2] * z
    d2 = ranges[j, 3] * x + ranges[j, 4] * y + ranges[j, 5] * z
    d3 = ranges[j, 6] * x + ranges[j, 7] * y + ranges[j, 8] * z
    _, _, _, upper, _, _ = twist_bounds(joints, links, corners, j, a1, a2)
    twist = upper - ranges[j, 11]
    lower, l1, l2, upper, u1, u2 = twist_bounds(joints, links, corners, j, a1 + d1, a2 + d2)
    for side in range(2):
        n3 = 1.0 if side == 0 else -1.0
        bound, n1, n2 = (upper, -u1, -u2) if side == 0 else (-lower, l1, l2)
        if n3 * (twist + d3) > bound + _SAME and (n1 != 0.0 or n2 != 0.0) and active < room:
            clear_row(jacobian, active)
            for k in range(3):
                jacobian[first + k, active] = n1 * ranges[j, k] + n2 * ranges[j, 3 + k] + n3 * ranges[j, 6 + k]
            errors[active] = max(0.0, bound + n1 * d1 + n2 * d2 - n3 * twist)
            active += 1
    return active


@inner
def add_clearances(approach, room_left, taken, dq, jacobian, errors, soft, active):
    """Puts a row for each pair of solids that dq brings too near behind the others; returns how many rows there are."""
    room = jacobian.shape[1]
    for n in range(room_left.shape[0]):
        if taken[n] == 1.0 or active == room:
            continue
        nearer = 0.0
        for v in range(dq.shape[0]):
            nearer += approach[v, n] * dq[v]
        if nearer > room_left[n] + _SAME:
            for v in range(dq.shape[0]):
                jacobian[v, active] = approach[v, n]
            errors[active], soft[active], taken[n] = room_left[n], CLEARANCE_SOFT, 1.0
            active += 1
    return active


@inner
def clear_row(jacobian, row):
    """J[row] = 0; the Jacobian is kept column by column."""
    for v in range(jacobian.shape[0]):
        jacobian[v, row] = 0.0
