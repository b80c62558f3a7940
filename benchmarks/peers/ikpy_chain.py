"""ikpy: its own optimiser on one chain. It knows no tree: both arms are solved one after the other.

The first arm may move the torso, the second finds it where the first has put it.
"""

from __future__ import annotations

import math

import numpy as np
from ikpy.chain import Chain
from ikpy.link import OriginLink, URDFLink

from benchmarks.peers.peer import ChainModel, ChainSolver
from benchmarks.peers.skeleton import Clamp, Skeleton
from benchmarks.peers.stopping import ORIENTATION_STOP, POSITION_STOP
from benchmarks.problems import Goal, Problem
from puppet.types import Floats

ROUNDS = 3  # the first with the narrowest limits, the next with those that the bend found before allows
EVALUATIONS = 100
PROGRESS = 1e-6
AXES = np.eye(3)


class IkpyChain(ChainSolver):
    name = "ikpy"
    limits_use = "bounds, widened between rounds"
    slow = True

    def make_model(self, skeleton: Skeleton) -> ChainModel:
        return _Model(skeleton)


class _Model(ChainModel):
    def __init__(self, skeleton: Skeleton):
        super().__init__(skeleton)
        self.arms: list[_Arm] = []
        moved: set[int] = set()
        for name in skeleton.tips:
            self.arms.append(_Arm(skeleton, name, moved))
            moved |= set(self.arms[-1].hinges)

    def solve(self, problem: Problem, start: Floats) -> Floats:
        angles = start[self.skeleton.dofs]
        for arm in self.arms:
            arm.solve(problem.goals[arm.name], angles, self.clamp)
        return angles


class _Arm:
    """One limb from the world to its tip, as ikpy sees it."""

    def __init__(self, skeleton: Skeleton, name: str, fixed: set[int]):
        self.name = name
        hinge, translation, rotation = skeleton.tips[name]
        self.hinges: list[int] = []
        while hinge >= 0:
            self.hinges.insert(0, hinge)
            hinge = skeleton.hinges[hinge].parent
        links = [OriginLink()]
        for i in self.hinges:
            at = skeleton.hinges[i]
            links.append(
                URDFLink(
                    at.name,
                    origin_translation=at.translation,
                    origin_orientation=_roll_pitch_yaw(at.rotation),
                    rotation=AXES[at.axis],
                    bounds=(float(skeleton.lowest[i]), float(skeleton.highest[i])),
                )
            )
        tip_turn = _roll_pitch_yaw(rotation)
        links.append(URDFLink("tip", translation, tip_turn, joint_type="fixed"))
        active = [False, *(i not in fixed for i in self.hinges), False]
        self.chain = Chain(links, active_links_mask=active, name=name)
        self.low, self.high = skeleton.lowest.copy(), skeleton.highest.copy()

    def solve(self, goal: Goal, angles: Floats, clamp: Clamp) -> None:
        """Change this arm's angles in those of the whole skeleton (hinges,)."""
        target = np.eye(4)
        target[:3, :3], target[:3, 3] = goal.orientation, goal.position
        bends = np.zeros_like(angles)
        for _ in range(ROUNDS):
            clamp.narrow(bends, self.low, self.high)
            for link, i in zip(self.chain.links[1:-1], self.hinges, strict=True):
                link.bounds = (float(self.low[i]), float(self.high[i]))
            first = np.concatenate(([0.0], np.clip(angles, self.low, self.high)[self.hinges], [0.0]))
            found = self.chain.inverse_kinematics_frame(
                target,
                initial_position=first,
                orientation_mode="all",
                optimizer_budget=EVALUATIONS,
                tol=PROGRESS,
            )
            angles[self.hinges] = found[1:-1]
            clamp(angles)
            reached = self.chain.forward_kinematics(np.concatenate(([0.0], angles[self.hinges], [0.0])))
            if _arrived(reached, target) or not clamp.widening:
                return
            bends = angles


def _arrived(reached: Floats, target: Floats) -> bool:
    near = np.linalg.norm(reached[:3, 3] - target[:3, 3]) < POSITION_STOP
    # the rotation between two frames by the distance of their matrices
    turn = 2.0 * math.asin(min(1.0, float(np.linalg.norm(reached[:3, :3] - target[:3, :3])) / math.sqrt(8.0)))
    return bool(near) and turn < ORIENTATION_STOP


def _roll_pitch_yaw(rotation: Floats) -> list[float]:
    """Angles about x, y, z with R = Rz Ry Rx, as URDF writes them."""
    pitch = float(np.arctan2(-rotation[2, 0], np.hypot(rotation[0, 0], rotation[1, 0])))
    return [
        float(np.arctan2(rotation[2, 1], rotation[2, 2])),
        pitch,
        float(np.arctan2(rotation[1, 0], rotation[0, 0])),
    ]
