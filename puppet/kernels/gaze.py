"""Where the head looks, compiled: an orientation goal for one joint, met axis by axis in closed form."""

from __future__ import annotations

import math

from puppet.kernels.forward import bounds, place_joint
from puppet.kernels.jit import inner
from puppet.kernels.model import ORDER, PARENT
from puppet.kernels.rotation import into, out_of, triple, turn_vector

LEVEL_WEIGHT = 0.3  # how much a level head counts beside the direction of its eyes


@inner
def look_at(joints, dofs, gaze, x, y, z, frames, angles):
    """Turns the looking joint so that its eyes face the point (x, y, z), the head level where its limits allow it."""
    j = int(gaze[0])
    if j < 0:
        return
    p = int(joints[j, PARENT])
    fx, fy, fz = gaze[4], gaze[5], gaze[6]
    gx, gy, gz = gaze[7], gaze[8], gaze[9]
    lx, ly, lz = gy * fz - gz * fy, gz * fx - gx * fz, gx * fy - gy * fx  # up x forward in the head's own frame
    for place in range(3):
        angles[3 * j + place] = 0.0
    for _ in range(3):  # the eyes move with the head: aim, see where they went, aim again
        place_joint(joints, angles, j, frames)
        ex, ey, ez = out_of(frames, j, gaze[1], gaze[2], gaze[3])
        ox, oy, oz = triple(frames, j, 0)
        dx, dy, dz = x - ox - ex, y - oy - ey, z - oz - ez
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        side = math.hypot(dx, dz)
        if length < 1e-9:
            return
        dx, dy, dz = dx / length, dy / length, dz / length
        sx, sz = (dz * length / side, -dx * length / side) if side > 1e-6 * length else (0.0, 0.0)  # up x direction
        tx, ty, tz = into(frames, p, dx, dy, dz)  # both targets in the parent's frame
        ux, uy, uz = into(frames, p, sx, 0.0, sz)
        for step in range(9):
            place = 2 - step % 3
            axis = int(joints[j, ORDER + place])
            a = b = 0.0
            for which in range(2):
                if which == 0:
                    weight, vx, vy, vz, wx, wy, wz = 1.0, fx, fy, fz, tx, ty, tz
                else:
                    weight, vx, vy, vz, wx, wy, wz = LEVEL_WEIGHT, lx, ly, lz, ux, uy, uz
                for n in range(2, place, -1):
                    vx, vy, vz = turn_vector(int(joints[j, ORDER + n]), angles[3 * j + n], vx, vy, vz)
                for n in range(place):
                    wx, wy, wz = turn_vector(int(joints[j, ORDER + n]), -angles[3 * j + n], wx, wy, wz)
                if axis == 0:
                    a += weight * (vy * wy + vz * wz)
                    b += weight * (vy * wz - vz * wy)
                elif axis == 1:
                    a += weight * (vz * wz + vx * wx)
                    b += weight * (vz * wx - vx * wz)
                else:
                    a += weight * (vx * wx + vy * wy)
                    b += weight * (vx * wy - vy * wx)
            if a * a + b * b > 1e-24:
                lower, upper = bounds(dofs, angles, 3 * j + place)
                angles[3 * j + place] = min(max(math.atan2(b, a), lower), upper)
    place_joint(joints, angles, j, frames)
