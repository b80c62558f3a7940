"""Where the head looks: straight at a point and level, in closed form as far as the limits allow.

The eyes e look along f, in the head's coordinates, and the point is at the distance d from the neck. It has to be on
their line: |e + l f| = d gives l, and a = (e + l f) / d is turned onto the point's direction.
"""

from __future__ import annotations

import math

from puppet.kernels.forward_kinematics import bounds, order_of, place_joint
from puppet.kernels.jit import inner
from puppet.kernels.model import ORDER, PARENT
from puppet.kernels.rotation import parity, to_local, triple, turn_vector, wrap_into

TILTS = 9  # from level to straight up from the neck, where a limit is in the way
_SWEEPS = 12  # where limits leave no solution


@inner
def face(joints, dofs, j, fx, fy, fz, tx, ty, tz, angles):
    """Turns joint j so that vector f of its coordinates points along t of its parent's, if it can; returns whether it
    can.

    The middle angle stays as it is. With R = Ri(p) Rm(q) Rk(r), component i of Rm(q) Rk(r) f does not depend on p and
    has to equal t[i]: that gives r; then p turns the rest into place.
    """
    i, m, k = order_of(joints, j)
    f, t = (fx, fy, fz), (tx, ty, tz)
    d = 3 * j
    s = parity(i, m)
    cq, sq = math.cos(angles[d + 1]), s * math.sin(angles[d + 1])
    along, across, wanted = cq * f[i], -s * cq * f[m], t[i] - sq * f[k]
    size = math.hypot(along, across)
    if size < 1e-9 or abs(wanted) > size:
        return False
    spread, middle = math.acos(wanted / size), math.atan2(across, along)
    for which in range(2):
        r = wrap_into(middle + spread if which == 0 else middle - spread, -math.pi, math.pi)
        vx, vy, vz = turn_vector(k, r, fx, fy, fz)
        vx, vy, vz = turn_vector(m, angles[d + 1], vx, vy, vz)
        v = (vx, vy, vz)
        p = s * math.atan2(v[m] * t[k] - v[k] * t[m], v[m] * t[m] + v[k] * t[k])
        low_p, high_p = bounds(dofs, angles, d)
        low_r, high_r = bounds(dofs, angles, d + 2)
        if low_p <= p <= high_p and low_r <= r <= high_r:
            angles[d], angles[d + 2] = p, r
            return True
    return False


@inner
def face_by_coordinate_descent(joints, dofs, j, fx, fy, fz, tx, ty, tz, angles):
    """The same axis by axis, as near as the limits allow."""
    for step in range(3 * _SWEEPS):
        place = 2 - step % 3
        axis = int(joints[j, ORDER + place])
        vx, vy, vz, wx, wy, wz = fx, fy, fz, tx, ty, tz
        for n in range(2, place, -1):
            vx, vy, vz = turn_vector(int(joints[j, ORDER + n]), angles[3 * j + n], vx, vy, vz)
        for n in range(place):
            wx, wy, wz = turn_vector(int(joints[j, ORDER + n]), -angles[3 * j + n], wx, wy, wz)
        v, w = (vx, vy, vz), (wx, wy, wz)
        p, q = (axis + 1) % 3, (axis + 2) % 3
        a, b = v[p] * w[p] + v[q] * w[q], v[p] * w[q] - v[q] * w[p]
        if a * a + b * b > 1e-24:
            lower, upper = bounds(dofs, angles, 3 * j + place)
            angles[3 * j + place] = min(max(math.atan2(b, a), lower), upper)


@inner
def look_at(joints, dofs, gaze, x, y, z, transforms, angles, turn):
    """Turns the looking joint so that its eyes face the point (x, y, z), the head level; returns whether its limits
    allow it.

    Where they do not, the head is clamped, and turn takes the two vectors that tilt_head needs.
    """
    j = int(gaze[0])
    if j < 0:
        return True
    parent = int(joints[j, PARENT])
    i, m, k = order_of(joints, j)
    s = parity(i, m)
    for place in range(3):
        angles[3 * j + place] = 0.0
    place_joint(joints, angles, j, transforms)
    ox, oy, oz = triple(transforms, j, 0)
    dx, dy, dz = x - ox, y - oy, z - oz
    distance2, flat = dx * dx + dy * dy + dz * dz, math.hypot(dx, dz)
    ex, ey, ez, fx, fy, fz = gaze[1], gaze[2], gaze[3], gaze[4], gaze[5], gaze[6]
    before = ex * fx + ey * fy + ez * fz
    ahead = before * before - (ex * ex + ey * ey + ez * ez) + distance2
    if ahead < before * before or flat < 1e-6 * math.sqrt(distance2):  # too near, or straight above or below
        return True
    ahead = math.sqrt(ahead) - before
    distance = math.sqrt(distance2)
    ax, ay, az = (ex + ahead * fx) / distance, (ey + ahead * fy) / distance, (ez + ahead * fz) / distance
    # Side of the head, at a right angle to a: up x a; where a and the side have to point, in the parent's coordinates.
    sx, sy, sz = gaze[8] * az - gaze[9] * ay, gaze[9] * ax - gaze[7] * az, gaze[7] * ay - gaze[8] * ax
    size = math.sqrt(sx * sx + sy * sy + sz * sz)
    side = (sx / size, sy / size, sz / size)
    aim = (ax, ay, az)
    up = (ay * side[2] - az * side[1], az * side[0] - ax * side[2], ax * side[1] - ay * side[0])
    ta = to_local(transforms, parent, dx / distance, dy / distance, dz / distance)
    ts = to_local(transforms, parent, dz / flat, 0.0, -dx / flat)
    tu = (ta[1] * ts[2] - ta[2] * ts[1], ta[2] * ts[0] - ta[0] * ts[2], ta[0] * ts[1] - ta[1] * ts[0])
    # The rotation that takes the one to the other, and its angles; see closed_form_arm.put_angle_elements.
    ik = ts[i] * side[k] + tu[i] * up[k] + ta[i] * aim[k]
    mk = ts[m] * side[k] + tu[m] * up[k] + ta[m] * aim[k]
    kk = ts[k] * side[k] + tu[k] * up[k] + ta[k] * aim[k]
    im = ts[i] * side[m] + tu[i] * up[m] + ta[i] * aim[m]
    ii = ts[i] * side[i] + tu[i] * up[i] + ta[i] * aim[i]
    found = True
    for place in range(3):
        angle = math.atan2(-s * mk, kk)
        if place == 1:
            angle = math.asin(min(1.0, max(-1.0, s * ik)))
        elif place == 2:
            angle = math.atan2(-s * im, ii)
        lower, upper = bounds(dofs, angles, 3 * j + place)
        found = found and lower <= angle <= upper
        angles[3 * j + place] = min(max(angle, lower), upper)
    for n in range(3):
        turn[n], turn[3 + n] = aim[n], ta[n]
    place_joint(joints, angles, j, transforms)
    return found


@inner
def tilt_head(joints, dofs, gaze, turn, transforms, angles):
    """Where limits do not allow a level head: the least tilt at which the eyes face the point, else as near as
    possible."""
    j = int(gaze[0])
    ax, ay, az, tx, ty, tz = turn[0], turn[1], turn[2], turn[3], turn[4], turn[5]
    level = angles[3 * j + 1]
    found = False
    for n in range(TILTS):
        if not found:
            angles[3 * j + 1] = level * (1.0 - n / (TILTS - 1.0))
            found = face(joints, dofs, j, ax, ay, az, tx, ty, tz, angles)
    if not found:
        face_by_coordinate_descent(joints, dofs, j, ax, ay, az, tx, ty, tz, angles)
    place_joint(joints, angles, j, transforms)
