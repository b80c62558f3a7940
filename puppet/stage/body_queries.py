"""What the interface must know of a body (see `puppet.tasks.outcome.Hands`), answered by its posture generator."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from puppet.body import Body, hand_transforms
from puppet.errors import PuppetError, did_you_mean
from puppet.geometry import Transform
from puppet.motion import clamp
from puppet.schedule import Joints
from puppet.stage.goal_postures import GoalPostures
from puppet.tasks import AtAngles, Gesture, grip
from puppet.types import Vector


class BodyQueries:
    """What the interface must know of the body."""

    def __init__(self, body: Body, poser: GoalPostures, gestures: Mapping[str, Gesture]) -> None:
        self._body, self._poser, self.gestures = body, poser, gestures
        self.names = tuple(body.limbs)

    def critical(self, hand: str) -> Joints:
        limb = self._body.limb(hand)
        return frozenset(limb.joints) | frozenset(limb.trunk)

    def gesture_joints(self, hand: str, gesture: Gesture) -> Joints:
        return gesture.critical_joints(self._body, hand)

    def gesture_angles(self, hand: str, gesture: Gesture) -> tuple[AtAngles, ...]:
        return tuple(gesture.angles(self._body, hand, step) for step in gesture.steps)

    def reach(self, hand: str, pose: Transform) -> tuple[Transform, float]:
        return self._poser.reach(hand, pose)

    def pose_of(self, hand: str, angles: AtAngles) -> Transform:
        posture = np.zeros(self._body.dofs)
        for dof, angle in angles.angles:
            posture[dof] = angle
        return hand_transforms(self._body, posture)[hand]

    def posed(self, joint: str, degrees: Vector) -> tuple[AtAngles, tuple[str, ...], tuple[str, ...]]:
        body = self._body
        if joint not in body.joint_names:
            raise PuppetError(f"unknown joint '{joint}'; {did_you_mean(joint, body.joint_names)}")
        index = body.joint_names.index(joint)
        angles = np.zeros(body.dofs)
        dofs = range(3 * index, 3 * index + 3)
        for dof in dofs:
            angles[dof] = np.radians(degrees[int(body.arrays.orders[index, dof % 3])])
        clamp(body, np.arange(body.dofs), angles[None])
        moved = tuple(name for name, limb in body.limbs.items() if index in limb.joints)
        riding = tuple(name for name, limb in body.limbs.items() if index in limb.trunk)
        return AtAngles(tuple((dof, float(angles[dof])) for dof in dofs)), moved, riding

    def clear(self, hand: str, pose: Transform) -> Transform:
        return grip.lifted(self._body, self._poser.table, hand, pose)
