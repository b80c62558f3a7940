"""A skeleton as a MuJoCo model."""

from __future__ import annotations

import mujoco
import numpy as np

from benchmarks.peers.skeleton import Skeleton
from puppet.types import Floats

AXES = ("1 0 0", "0 1 0", "0 0 1")
INERTIA = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'  # MuJoCo wants one; nothing here depends on it


def mujoco_model(skeleton: Skeleton) -> mujoco.MjModel:
    """The model: its qpos is the skeleton's angles in their order, a site at each limb's tip bears the limb's name."""
    children: dict[int, list[int]] = {}
    for i, hinge in enumerate(skeleton.hinges):
        children.setdefault(hinge.parent, []).append(i)
    text = "".join(_body(skeleton, children, i) for i in children[-1])
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian" autolimits="true"/><worldbody>{text}</worldbody></mujoco>'
    )
    if [model.joint(i).name for i in range(model.njnt)] != [hinge.name for hinge in skeleton.hinges]:
        raise RuntimeError("MuJoCo ordered the joints in its own way")
    return model


def _body(skeleton: Skeleton, children: dict[int, list[int]], first: int) -> str:
    """A hinge and all that hangs on it; hinges that follow it in the same place are joints of the same body."""
    joints, last = _joint(skeleton, first), first
    while len(below := children.get(last, [])) == 1 and not _tips(skeleton, last) and _same_place(skeleton, below[0]):
        last = below[0]
        joints += _joint(skeleton, last)
    inner = "".join(_body(skeleton, children, i) for i in children.get(last, []))
    hinge = skeleton.hinges[first]
    placement = _placement(hinge.translation, hinge.rotation)
    return f"<body {placement}>{INERTIA}{joints}{_tips(skeleton, last)}{inner}</body>"


def _joint(skeleton: Skeleton, i: int) -> str:
    hinge = skeleton.hinges[i]
    limits = f"{float(skeleton.lowest[i])!r} {float(skeleton.highest[i])!r}"
    return f'<joint name="{hinge.name}" type="hinge" axis="{AXES[hinge.axis]}" range="{limits}"/>'


def _tips(skeleton: Skeleton, i: int) -> str:
    return "".join(
        f'<site name="{name}" {_placement(translation, rotation)}/>'
        for name, (hinge, translation, rotation) in skeleton.tips.items()
        if hinge == i
    )


def _same_place(skeleton: Skeleton, i: int) -> bool:
    hinge = skeleton.hinges[i]
    return not np.any(hinge.translation) and np.array_equal(hinge.rotation, np.eye(3))


def _placement(translation: Floats, rotation: Floats) -> str:
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, rotation.ravel())
    return f'pos="{_numbers(translation)}" quat="{_numbers(quaternion)}"'


def _numbers(values: Floats) -> str:
    return " ".join(repr(float(value)) for value in values)
