"""What the interface must know of a body (see `puppet.tasks.outcome.Hands`), answered by its posture generator."""

from __future__ import annotations

import itertools

import numpy as np

from puppet.body import Body, Limb, hand_transforms, joint_transforms
from puppet.geometry import Transform
from puppet.motion import into_limits
from puppet.scene import Scene
from puppet.schedule import Joints
from puppet.stage.stances import Stances
from puppet.tasks import (
    Aimed,
    AtAngles,
    AtGesture,
    Gesture,
    Gestures,
    HeldThing,
    Miss,
    PosedJoint,
    worse,
)
from puppet.types import Floats, Vector

_SAME = 0.05  # degrees


class BodyQueries:
    """What the interface must know of the body."""

    def __init__(self, body: Body, stances: Stances, gestures: Gestures, scene: Scene) -> None:
        self._body, self._stances, self.gestures = body, stances, gestures
        self.names, self.parts = body.hands, body.joint_names
        self._goal_postures = stances.at(scene)
        self.home = stances.home(scene)  # the posture in which nothing is done
        self._stance = scene.stance

    def at(self, scene: Scene) -> BodyQueries:
        """The same for a body that is where it is in a scene."""
        if scene.stance == self._stance:
            return self
        return BodyQueries(self._body, self._stances, self.gestures, scene)

    @property
    def body(self) -> Body:
        return self._body

    def limb(self, hand: str) -> Limb:
        return self._body.limb(hand)

    def critical(self, hand: str) -> Joints:
        limb = self._body.limb(hand)
        return frozenset(limb.joints) | frozenset(limb.trunk)

    def gesture_joints(self, hand: str, gesture: Gesture) -> Joints:
        return gesture.critical_joints(self._body, hand)

    def gesture_goals(self, hand: str, gesture: Gesture, thing: str | None) -> tuple[AtAngles | AtGesture, ...]:
        return tuple(gesture.goal_of(self._body, hand, step, thing) for step in gesture.steps)

    def reach(self, hand: str, pose: Transform) -> tuple[Transform, Miss]:
        return self._goal_postures.reach(hand, pose)

    def reach_upright(self, hand: str, pose: Transform) -> tuple[Miss, float]:
        return self._goal_postures.reach_upright(hand, pose)

    def aim(self, hand: str, scene: Scene, goal: Aimed) -> tuple[Aimed, Transform, Miss]:
        return self._goal_postures.aim(hand, scene, goal)

    def perform(
        self, hand: str, goals: tuple[AtAngles | AtGesture, ...], scene: Scene, held: HeldThing | None
    ) -> tuple[Transform, Miss]:
        final, worst = hand_transforms(self._body, self.home)[hand], Miss()
        seen: dict[AtAngles | AtGesture, tuple[Transform, Miss]] = {}
        for goal in goals:
            if goal not in seen:
                seen[goal] = self._performed(hand, goal, scene, held, final)
            final, miss = seen[goal]
            worst = worse(worst, miss)
        return final, worst

    def _performed(
        self, hand: str, goal: AtAngles | AtGesture, scene: Scene, held: HeldThing | None, before: Transform
    ) -> tuple[Transform, Miss]:
        """Where one posture of a gesture takes a hand, in an upright body, and its miss."""
        angles = np.zeros(self._body.dofs) if isinstance(goal, AtAngles) else self.home.copy()
        for dof, angle in goal.angles:
            angles[dof] = angle
        if isinstance(goal, AtAngles):
            return hand_transforms(self._body, angles)[hand], Miss()
        found = self._goal_postures.perform(hand, goal, held, scene, angles, goal.bring.of_thing)
        if found is None:
            return before, Miss()
        return hand_transforms(self._body, found[0])[hand], found[1]

    def joint_of(self, dof: int) -> int:
        return int(self._body.arrays.joints_of[dof])

    def posed(self, joint: str, degrees: Vector) -> PosedJoint:
        body = self._body
        index = body.joint(joint)
        angles, reached = np.zeros(body.dofs), [0.0, 0.0, 0.0]
        rotations = list(zip(body.rotation_dofs[index], body.joints[index].rotations, strict=True))
        for dof, rotation in rotations:
            angles[dof] = np.radians(degrees[rotation.axis])
        into_limits(body, index, angles)
        for dof, rotation in rotations:
            reached[rotation.axis] = float(np.degrees(angles[dof]))
        goal = AtAngles(tuple((dof, float(angles[dof])) for dof, _ in rotations))
        moved = tuple(name for name, limb in body.limbs.items() if index in limb.joints)
        riding = tuple(name for name, limb in body.limbs.items() if index in limb.trunk)
        limited = any(abs(a - b) > _SAME for a, b in zip(reached, degrees, strict=True))
        return PosedJoint(index, goal, limited, moved, riding)

    @property
    def head(self) -> int | None:
        return self._body.gaze.joint if self._body.gaze is not None else None

    @property
    def eyes(self) -> tuple[int, ...]:
        return self._body.eyes

    def shoulder(self, hand: str) -> tuple[Floats, float]:
        limb, body = self._body.limb(hand), self._body
        rows = joint_transforms(body, self.home)
        joints = [rows[joint, :3] for joint in limb.joints]
        length = sum(float(np.linalg.norm(b - a)) for a, b in itertools.pairwise(joints))
        return joints[0], length + float(np.linalg.norm(body.arrays.tips[limb.joints[-1]]))

    def clear(self, hand: str, pose: Transform) -> Transform:
        return self._goal_postures.clear(hand, pose)
