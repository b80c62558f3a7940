"""Forward kinematics and joint limits, compiled; puppet.kinematics and puppet.body hold the readable twins."""

from __future__ import annotations

from puppet.kernels.jit import inner
from puppet.kernels.model import LOWER, OFFSET, ORDER, PARENT, TIP, UPPER, WIDE_LOWER, WIDE_UPPER, WIDENS_WITH
from puppet.kernels.rotation import turn_frame


@inner
def place_joint(joints, angles, j, frames):
    """World frame of joint j, whose parent is placed already."""
    parent = int(joints[j, PARENT])
    x, y, z = joints[j, OFFSET], joints[j, OFFSET + 1], joints[j, OFFSET + 2]
    if parent < 0:
        frames[j, 0], frames[j, 1], frames[j, 2] = x, y, z
        for n in range(9):
            frames[j, 3 + n] = 1.0 if n % 4 == 0 else 0.0
    else:
        for n in range(3):
            r0, r1, r2 = frames[parent, 3 + 3 * n], frames[parent, 4 + 3 * n], frames[parent, 5 + 3 * n]
            frames[j, n] = frames[parent, n] + r0 * x + r1 * y + r2 * z
            frames[j, 3 + 3 * n], frames[j, 4 + 3 * n], frames[j, 5 + 3 * n] = r0, r1, r2
    for place in range(3):
        angle = angles[3 * j + place]
        if angle != 0.0:
            turn_frame(frames, j, int(joints[j, ORDER + place]), angle)


@inner
def forward(joints, angles, frames):
    """World frames (joints, 12) of all joints; parents stand before their children."""
    for j in range(joints.shape[0]):
        place_joint(joints, angles, j, frames)


@inner
def tip_of(joints, frames, j):
    """World position of the end of joint j's segment."""
    x, y, z = joints[j, TIP], joints[j, TIP + 1], joints[j, TIP + 2]
    f = frames
    return (
        f[j, 0] + f[j, 3] * x + f[j, 4] * y + f[j, 5] * z,
        f[j, 1] + f[j, 6] * x + f[j, 7] * y + f[j, 8] * z,
        f[j, 2] + f[j, 9] * x + f[j, 10] * y + f[j, 11] * z,
    )


@inner
def bounds(dofs, angles, d):
    """Limits of a degree of freedom in this posture; some widen with another's bend (thesis (5.32), (5.33))."""
    lower, upper = dofs[d, LOWER], dofs[d, UPPER]
    other = int(dofs[d, WIDENS_WITH])
    if other >= 0:
        share = min(1.0, abs(angles[other]) * 0.6366197723675814)  # 2 / pi
        lower += share * (dofs[d, WIDE_LOWER] - lower)
        upper += share * (dofs[d, WIDE_UPPER] - upper)
    return lower, upper


@inner
def clamp_joint(dofs, angles, j):
    """Brings a joint's angles inside their limits, those that widen others first."""
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
