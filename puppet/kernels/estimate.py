"""The natural first guess of a posture (Section 5.7), with the constants of grown people.

Near goals: elevation and yaw of the upper arm from (5.28) and (5.29), and a trunk that moves little. Far goals: the arm
points at the goal, and the trunk bends more (5.30). Between the two the guess changes over smoothly, so that a goal
that moves across the border does not make the figure jump.
"""

from __future__ import annotations

import math

from puppet.kernels.forward_kinematics import clamp_joint, copy, forward, order_of, place_joint
from puppet.kernels.jit import inner
from puppet.kernels.model import LOWER, OFFSET, ORDER, PARENT, UPPER
from puppet.kernels.rotation import parity, to_local, triple

ADULT_CENTIMETRES = 175.0
_FAR = 0.5  # distance from the base of the head to the goal, in body heights
BLEND = 0.05  # half the width of the change-over
NEAR_DAMPING, FAR_DAMPING = 8.0, 3.0


@inner
def farness(distance):
    """0 for near goals, 1 for far ones: 3 t^2 - 2 t^3 with t = (distance - far + blend) / (2 blend), from 0 to 1."""
    t = min(1.0, max(0.0, (distance - _FAR + BLEND) / (2.0 * BLEND)))
    return t * t * (3.0 - 2.0 * t)


@inner
def neck_height(joints, gaze, limbs):
    """Where the base of the head is in the zero posture; the first limb's root where nothing looks."""
    j = int(gaze[0]) if gaze[0] >= 0.0 else limbs[0, 0]
    y = 0.0
    while j >= 0:
        y += joints[j, OFFSET + 1]
        j = int(joints[j, PARENT])
    return y


@inner
def estimate_trunk(joints, dofs, trunk, x, y, z, far, transforms, angles):
    """Bend, lean and turn of the trunk towards a point, divided by its damping (5.30)."""
    px, py, pz = triple(transforms, trunk[0], 0)
    px, py, pz = to_local(transforms, int(joints[trunk[0], PARENT]), x - px, y - py, z - pz)
    turn = math.atan2(px, pz)
    bend = math.atan2(math.hypot(px, pz), py)
    # In coordinates that are bent already, the sideways lean that brings the neck towards the point.
    lean = math.atan2(-px, math.cos(bend) * py + math.sin(bend) * pz)
    damping = 1.0 / ((1.0 - far) / NEAR_DAMPING + far / FAR_DAMPING)
    for j in trunk:
        for place in range(3):
            axis = int(joints[j, ORDER + place])
            wanted = bend if axis == 0 else (turn if axis == 1 else lean)
            angles[3 * j + place] = wanted / damping
        clamp_joint(dofs, angles, j)


@inner
def aim_ball_joint(joints, j, sign, x, y, z, angles):
    """First two angles of ball joint j so that sign times its third axis points along (x, y, z) in its
    parent: with d = sign (x, y, z), the first is atan2(-s d_m, d_k) and the second asin(s d_i)."""
    i, m, k = order_of(joints, j)
    s = parity(i, m)
    d = (sign * x, sign * y, sign * z)
    angles[3 * j] = math.atan2(-s * d[m], d[k])
    angles[3 * j + 1] = math.asin(min(1.0, max(-1.0, s * d[i])))


@inner
def estimate_limb(joints, dofs, limb, goal, far, height, transforms, angles):
    """Shoulder and elbow of one arm whose trunk is placed in transforms."""
    shoulder, hinge = limb[0], limb[1]
    parent = int(joints[shoulder, PARENT])
    axis = int(joints[shoulder, ORDER + 2])
    sign = 1.0 if joints[hinge, OFFSET + axis] >= 0.0 else -1.0
    outward = 1.0 if joints[shoulder, OFFSET] >= 0.0 else -1.0
    for j in limb:
        for place in range(3):
            angles[3 * j + place] = 0.0
    place_joint(joints, angles, shoulder, transforms)
    gx, gy, gz = goal[0], goal[1], goal[2]
    x, y, z = triple(transforms, shoulder, 0)
    x, y, z = to_local(transforms, parent, gx - x, gy - y, gz - z)
    distance = max(1e-9, math.sqrt(x * x + y * y + z * z))
    aim_ball_joint(joints, shoulder, sign, x / distance, y / distance, z / distance, angles)
    clamp_joint(dofs, angles, shoulder)
    far_first, far_second = angles[3 * shoulder], angles[3 * shoulder + 1]

    degree = math.pi / 180.0
    r = distance * ADULT_CENTIMETRES / height
    elevation = math.atan2(y, math.hypot(x, z)) / degree
    azimuth = math.atan2(outward * x, z) / degree
    raised = (-6.7 + 1.09 * r + 1.10 * elevation) * degree  # (5.28), from hanging straight down
    yaw = (67.7 - 0.68 * r + 1.00 * azimuth) * degree  # (5.29), from straight ahead outwards
    raised = min(max(raised, 0.0), math.pi)
    aim_ball_joint(
        joints, shoulder, sign,
        outward * math.sin(raised) * math.sin(yaw), -math.cos(raised), math.sin(raised) * math.cos(yaw),
        angles,
    )  # fmt: skip
    clamp_joint(dofs, angles, shoulder)

    # Twist of the upper arm and bend of the elbow lay the forearm on the line from the elbow to the goal.
    place_joint(joints, angles, shoulder, transforms)
    place_joint(joints, angles, hinge, transforms)
    x, y, z = triple(transforms, hinge, 0)
    x, y, z = gx - x, gy - y, gz - z
    length = math.sqrt(x * x + y * y + z * z)
    local = to_local(transforms, shoulder, x, y, z)
    if length > 1e-9:
        m = int(joints[hinge, ORDER])
        even = parity(m, axis)
        side = 1.0 if dofs[3 * hinge, LOWER] + dofs[3 * hinge, UPPER] >= 0.0 else -1.0  # the way the hinge bends
        angles[3 * hinge] = side * math.acos(min(1.0, max(-1.0, sign * local[axis] / length)))
        flip = sign * side
        angles[3 * shoulder + 2] = math.atan2(flip * local[m], flip * even * local[3 - m - axis])
    clamp_joint(dofs, angles, shoulder)
    clamp_joint(dofs, angles, hinge)
    angles[3 * shoulder] += far * (far_first - angles[3 * shoulder])
    angles[3 * shoulder + 1] += far * (far_second - angles[3 * shoulder + 1])
    angles[3 * shoulder + 2] *= 1.0 - far
    angles[3 * hinge] *= 1.0 - far


@inner
def estimate_posture(joints, dofs, gaze, limbs, trunk, goals, height, transforms, angles):
    """The guess for all arms that have goals and for the trunk that they share (none where trunk is empty)."""
    count = limbs.shape[0]
    x = y = z = 0.0
    for h in range(count):
        gx, gy, gz = triple(goals, h, 0)
        x, y, z = x + gx / count, y + gy / count, z + gz / count
    neck = neck_height(joints, gaze, limbs)
    if trunk.shape[0] > 0:
        far = farness(math.sqrt(x * x + (y - neck) ** 2 + z * z) / height)
        forward(joints, angles, transforms)
        estimate_trunk(joints, dofs, trunk, x, y, z, far, transforms, angles)
    forward(joints, angles, transforms)
    for h in range(count):
        x, y, z = triple(goals, h, 0)
        far = farness(math.sqrt(x * x + (y - neck) ** 2 + z * z) / height)
        estimate_limb(joints, dofs, limbs[h], goals[h], far, height, transforms, angles)


@inner
def put_estimate(joints, dofs, gaze, limbs, trunk, chain, goals, height, transforms, estimate, angles):
    """The guess into estimate, from the start in angles; angles take it for the joints of the chain alone."""
    copy(angles, estimate)
    estimate_posture(joints, dofs, gaze, limbs, trunk, goals, height, transforms, estimate)
    for j in chain:
        for d in range(3 * j, 3 * j + 3):
            angles[d] = estimate[d]
