"""What other people's BVH readers make of a file: the world positions of its joints, frame by frame."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from puppet.types import Floats

Positions = dict[str, Floats]  # by joint name, (frames, 3)


def with_bvhio(path: Path) -> Positions:
    import bvhio

    root = bvhio.readAsHierarchy(str(path))
    last = root.getKeyframeRange()[1]
    found: dict[str, list[list[float]]] = {joint.Name: [] for joint, _, _ in root.layout()}
    for frame in range(last + 1):
        root.loadPose(frame)
        for joint, _, _ in root.layout():
            found[joint.Name].append(list(joint.PositionWorld))
    return {name: np.array(rows) for name, rows in found.items()}


def with_pybvh(path: Path) -> Positions:
    import pybvh

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its guess at the up axis
        clip = pybvh.read_bvh_file(path)
        positions = clip.joint_positions()
    return {name: positions[:, k] for k, name in enumerate(clip.joint_names)}


def with_bvhtoolbox(path: Path) -> Positions:
    """Its transforms of each joint, put together as its own converters do: a joint stands at its parent's offset."""
    from bvhtoolbox import BvhTree, get_affines

    tree = BvhTree(path.read_text())
    worlds: dict[str, Floats] = {}
    for name in tree.get_joints_names():
        order = "".join(channel[0] for channel in tree.joint_channels(name) if channel.endswith("rotation")).lower()
        local = get_affines(tree, name, axes="r" + order)  # (frames, 4, 4)
        parent = tree.joint_parent(name)
        if parent is not None:
            local[:, :3, 3] = tree.joint_offset(name)
            local = worlds[parent.name] @ local
        worlds[name] = local
    return {name: world[:, :3, 3] for name, world in worlds.items()}


READERS = {"bvhio": with_bvhio, "pybvh": with_pybvh, "bvhtoolbox": with_bvhtoolbox}
