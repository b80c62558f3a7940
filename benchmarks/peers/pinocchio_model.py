"""A skeleton as a pinocchio model, for the peers that are built on pinocchio."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from benchmarks.peers.skeleton import Skeleton

JOINT_TYPES = (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)


def pinocchio_model(skeleton: Skeleton, scale: float = 1.0) -> tuple[pin.Model, dict[str, int]]:
    """The model, its configuration being the skeleton's angles in their order, and the frame of each limb's tip.

    `scale` stretches all lengths: a way to weigh positions against orientations that costs nothing in the loop.
    """
    model = pin.Model()
    joints: list[int] = []
    free = np.array([np.inf])
    for i, hinge in enumerate(skeleton.hinges):
        parent = joints[hinge.parent] if hinge.parent >= 0 else 0
        placement = pin.SE3(hinge.rotation, scale * hinge.translation)
        low, high = skeleton.lowest[i : i + 1], skeleton.highest[i : i + 1]
        joints.append(model.addJoint(parent, JOINT_TYPES[hinge.axis](), placement, hinge.name, free, free, low, high))
    if [model.joints[joint].idx_q for joint in joints] != list(range(len(joints))):
        raise RuntimeError("pinocchio ordered the joints in its own way")
    frames = {}
    for name, (hinge_index, translation, rotation) in skeleton.tips.items():
        tip = pin.Frame(name, joints[hinge_index], pin.SE3(rotation, scale * translation), pin.FrameType.OP_FRAME)
        frames[name] = model.addFrame(tip)
    return model, frames
