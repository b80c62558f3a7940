"""The arm in closed form: all postures of shoulder, elbow and wrist that put a hand at its goal.

With S the shoulder, P the rotation of what carries it, u the upper arm, l the forearm (each in its own coordinates) and
w the direction from S to where the wrist has to be, at the distance d:

    |u + R(bend) R(twist) l| = d                    gives the elbow's bend,
    R(swivel) = turn(w, swivel) shortest(v, w)      the shoulder's rotation, v the arm's direction before it,
    E = S + P R(swivel) u                           the elbow,
    W = S + P R(swivel) (u + R(bend) R(twist) l)    the wrist, whatever the swivel is,
    (P R(swivel) R(bend) R(twist))^T G              the rotation that is left for the wrist, G that of the goal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from puppet.body import AXES, Body, kernel_axes
from puppet.geometry import axis_rotation
from puppet.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Arm:
    shoulder: Floats  # (3, 3), its rotation in what carries it
    elbow: Floats  # (3,), where it is in the world
    wrist: Floats  # (3,)
    hand: Floats  # (3, 3), the rotation of the hand in the forearm
    bend: float


def turn(axis: Floats, angle: float) -> Floats:
    return np.asarray(Rotation.from_rotvec(angle * np.asarray(axis)).as_matrix())


def kernel_orders(body: Body) -> Ints:
    """The axes of each joint's three angles, (joints, 3)."""
    return kernel_axes(body, np.arange(len(body.joints))).reshape(-1, 3)


def shortest(v: Floats, w: Floats) -> Floats:
    """The rotation by the least angle that takes unit vector v to w."""
    across = np.cross(v, w)
    angle = math.atan2(np.linalg.norm(across), v @ w)
    return turn(across / np.linalg.norm(across), angle)


def arm(body: Body, limb: tuple[int, ...], base: Floats, goal: Floats, twist: float, swivel: float) -> Arm:
    """The arm of one twist and one swivel. base, goal: transforms (12,) of what carries the arm and of the goal."""
    shoulder, hinge, hand = limb
    orders, offsets, tips = kernel_orders(body), body.arrays.offsets, body.arrays.tips
    P, G = base[3:].reshape(3, 3), goal[3:].reshape(3, 3)
    S = base[:3] + P @ offsets[shoulder]
    W = goal[:3] - G @ tips[hand]
    u, l = offsets[hinge], axis_rotation(orders[hinge, 2], twist) @ offsets[hand]  # noqa: E741
    d = float(np.linalg.norm(W - S))

    def arm_at(bend: float) -> Floats:
        return np.asarray(u + axis_rotation(orders[hinge, 0], bend) @ l)

    rotation = body.joints[hinge].rotations[0]
    bend = brentq(lambda bend: np.linalg.norm(arm_at(bend)) - d, rotation.lower, rotation.upper, xtol=1e-14)
    v, w = arm_at(bend) / np.linalg.norm(arm_at(bend)), P.T @ (W - S) / d
    R = turn(w, swivel) @ shortest(v, w)
    forearm = R @ axis_rotation(orders[hinge, 0], bend) @ axis_rotation(orders[hinge, 2], twist)
    return Arm(R, S + P @ R @ u, S + P @ R @ arm_at(bend), (P @ forearm).T @ G, bend)


def joint_angles(body: Body, j: int, rotation: Floats) -> list[Floats]:
    """Both sets of angles about the axes of joint j that make up a rotation, each between -pi and pi."""
    order = "".join(AXES[axis] for axis in kernel_orders(body)[j]).upper()
    first = Rotation.from_matrix(rotation).as_euler(order)
    second = np.array([first[0] + math.pi, math.pi - first[1], first[2] + math.pi])
    return [first, (second + math.pi) % (2.0 * math.pi) - math.pi]
