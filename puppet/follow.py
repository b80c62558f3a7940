"""An arm that follows a moving thing frame by frame: the nearest posture to a guess, so that no joint ever flips."""

from __future__ import annotations

import math

import numpy as np

from puppet.body import Body, Floats
from puppet.kinematics import axis_rotation
from puppet.pose import Pose, rotation_vector

ITERATIONS = 12
DAMPING = 1e-3
TURN_WEIGHTS = (0.1, 0.01, 0.001)  # a radian of the hand counts as much as this distance; less where that is too much
LONGEST_STEP = 0.3  # radians an iteration
DONE = 1e-5


def follow(body: Body, hand: str, base: Pose, pose: Pose, angles: Floats, guess: Floats, enough: float) -> float:
    """Moves one limb in place so that its tip is at `pose`, starting from `guess`; returns how far it is off.

    `base`: the frame that the limb's first joint hangs on; `guess`: (dofs of the limb,). Damped least squares on all
    axes that can move. Where limits are in the way the hand's orientation is given up, little by little, until the
    tip is near enough. The posture generator is the place for goals far away; this one stays where it is.
    """
    distance = math.inf
    for weight in TURN_WEIGHTS:
        distance = _approach(body, hand, base, pose, angles, guess, weight)
        if distance <= enough:
            break
    return distance


def _approach(
    body: Body, hand: str, base: Pose, pose: Pose, angles: Floats, guess: Floats, turn_weight: float
) -> float:
    joints = body.limb(hand).joints
    dofs = np.array([3 * j + place for j in joints for place in range(3)])
    limits = body.arrays.limits[dofs]
    lower, upper = limits[:, 0], limits[:, 1]
    q = np.clip(guess, lower, upper)
    best, error = q, math.inf
    for _ in range(ITERATIONS):
        tip, axes, centres = _place(body, joints, base, q)
        turn = rotation_vector(pose.rotation @ tip.rotation.T)
        gap = pose.position - tip.position
        off = math.hypot(float(np.linalg.norm(gap)), turn_weight * float(np.linalg.norm(turn)))
        if off < error:
            best, error = q, off
        if off < DONE:
            break
        jacobian = np.concatenate([np.cross(axes, tip.position - centres), turn_weight * axes], axis=1).T
        want = np.concatenate([gap, turn_weight * turn])
        free = upper > lower
        for _ in range(3):  # an axis that would leave its limits stays, and the others do its part
            j = jacobian[:, free]
            step = np.zeros(len(q))
            step[free] = j.T @ np.linalg.solve(j @ j.T + DAMPING**2 * np.eye(6), want)
            stuck = free & (((q <= lower) & (step < 0.0)) | ((q >= upper) & (step > 0.0)))
            if not stuck.any():
                break
            free = free & ~stuck
        longest = float(np.max(np.abs(step)))
        q = np.clip(q + step * min(1.0, LONGEST_STEP / max(longest, 1e-12)), lower, upper)
    angles[dofs] = best
    tip, _, _ = _place(body, joints, base, best)
    return tip.distance(pose)


def _place(body: Body, joints: tuple[int, ...], base: Pose, q: Floats) -> tuple[Pose, Floats, Floats]:
    """The tip, and for each degree of freedom its axis and a point on it, (dofs, 3) each, in the world."""
    arrays = body.arrays
    axes, centres = np.empty((len(q), 3)), np.empty((len(q), 3))
    position, rotation = base.position, base.rotation
    for n, joint in enumerate(joints):
        position = position + rotation @ arrays.offsets[joint]
        for place in range(3):
            axis = int(arrays.orders[joint, place])
            axes[3 * n + place] = rotation[:, axis]
            centres[3 * n + place] = position
            rotation = rotation @ axis_rotation(axis, float(q[3 * n + place]))
    return Pose(position + rotation @ arrays.tips[joints[-1]], rotation), axes, centres
