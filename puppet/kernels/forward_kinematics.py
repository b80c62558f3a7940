"""Forward kinematics and joint limits; puppet.body.kinematics and Body.limits_at are the readable twins.

With o the offset of a joint from its parent, in the parent's coordinates, and i, m, k its axes in their order,

    position = parent's position + parent's rotation o,    rotation = parent's rotation Ri(p) Rm(q) Rk(r).
"""

from __future__ import annotations

from puppet.kernels.jit import inner
from puppet.kernels.model import LOWER, OFFSET, ORDER, PARENT, TIP, UPPER, WIDE_LOWER, WIDE_UPPER, WIDENS_WITH
from puppet.kernels.rotation import to_world, triple, turn_transform, turn_vector, world_component


@inner
def place_joint(joints, angles, j, transforms):
    """The world transform of joint j, whose parent is placed already."""
    parent = int(joints[j, PARENT])
    if parent < 0:
        for n in range(12):
            transforms[j, n] = joints[j, OFFSET + n] if n < 3 else (1.0 if n % 4 == 3 else 0.0)
    else:
        x, y, z = triple(joints, j, OFFSET)
        for n in range(12):
            transforms[j, n] = transforms[parent, n]
        for n in range(3):
            transforms[j, n] += world_component(transforms, parent, float(n), x, y, z)
    for place in range(3):
        angle = angles[3 * j + place]
        if angle != 0.0:
            turn_transform(transforms, j, int(joints[j, ORDER + place]), angle)


@inner
def forward(joints, angles, transforms):
    """World transforms (joints, 12) of all joints; parents stand before their children."""
    for j in range(joints.shape[0]):
        place_joint(joints, angles, j, transforms)


@inner
def place_limb(joints, limb, base, q, transforms, axes):
    """World transforms of the limb's joints (n + 1, 12), the last one of its tip, and its axes (3 n, 6), each a
    direction and a point. base: (12,), transform of what carries the limb."""
    parent = transforms.shape[0] - 1  # the last row is the transform that the next joint hangs on
    for n in range(12):
        transforms[parent, n] = base[n]
    for k in range(limb.shape[0]):
        j = limb[k]
        x, y, z = triple(joints, j, OFFSET)
        x, y, z = to_world(transforms, parent, x, y, z)
        for n in range(12):
            transforms[k, n] = transforms[parent, n]
        transforms[k, 0] += x
        transforms[k, 1] += y
        transforms[k, 2] += z
        for place in range(3):
            axis = int(joints[j, ORDER + place])
            d = 3 * k + place
            for n in range(3):
                axes[d, n] = transforms[k, 3 + 3 * n + axis]
                axes[d, 3 + n] = transforms[k, n]
            turn_transform(transforms, k, axis, q[d])
        for n in range(12):
            transforms[parent, n] = transforms[k, n]
    j = limb[limb.shape[0] - 1]
    x, y, z = triple(joints, j, TIP)
    for n in range(3):
        transforms[parent, n] += world_component(transforms, limb.shape[0] - 1, float(n), x, y, z)


@inner
def tip_of(joints, transforms, j):
    """World position of the end of joint j's segment."""
    ox, oy, oz = triple(transforms, j, 0)
    x, y, z = triple(joints, j, TIP)
    x, y, z = to_world(transforms, j, x, y, z)
    return ox + x, oy + y, oz + z


@inner
def axis_from_parent(joints, transforms, angles, j, place):
    """World direction of axis `place` of joint j, from its parent's transform and the angles before it."""
    axis = int(joints[j, ORDER + place])
    x, y, z = 1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0
    for before in range(place - 1, -1, -1):
        x, y, z = turn_vector(int(joints[j, ORDER + before]), angles[3 * j + before], x, y, z)
    p = int(joints[j, PARENT])
    if p < 0:
        return x, y, z
    return to_world(transforms, p, x, y, z)


@inner
def axis_from_joint(joints, transforms, angles, j, place):
    """The same from the joint's own transform and the angles after it."""
    axis = int(joints[j, ORDER + place])
    x, y, z = 1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0
    for later in range(place + 1, 3):
        x, y, z = turn_vector(int(joints[j, ORDER + later]), -angles[3 * j + later], x, y, z)
    return to_world(transforms, j, x, y, z)


@inner
def order_of(joints, j):
    """The axes of joint j, the most proximal first."""
    i, m, k = triple(joints, j, ORDER)
    return int(i), int(m), int(k)


@inner
def bounds(dofs, angles, d):
    """Limits of a degree of freedom in this posture: some widen with another angle (5.32), (5.33)."""
    lower, upper = dofs[d, LOWER], dofs[d, UPPER]
    other = int(dofs[d, WIDENS_WITH])
    if other >= 0:
        share = min(1.0, abs(angles[other]) * 0.6366197723675814)  # 2 / pi
        lower += share * (dofs[d, WIDE_LOWER] - lower)
        upper += share * (dofs[d, WIDE_UPPER] - upper)
    return lower, upper


@inner
def clamp_joint(dofs, angles, j):
    """Brings a joint's angles inside their limits, those that widen other limits first."""
    for late in range(2):
        for d in range(3 * j, 3 * j + 3):
            if (dofs[d, WIDENS_WITH] >= 0.0) == (late == 1):
                lower, upper = bounds(dofs, angles, d)
                angles[d] = min(max(angles[d], lower), upper)


@inner
def copy(source, target):
    """target[:] = source, without the error messages that numba would compile for it."""
    for n in range(source.shape[0]):
        target[n] = source[n]
