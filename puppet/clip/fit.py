"""How a body and the skeleton of a BVH file belong together: angles of the one, channels of the other."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from puppet.body import Body
from puppet.bvh import BvhClip, FileAxes
from puppet.errors import PuppetError
from puppet.types import Floats, Ints

_SAME = 1e-4  # of a length, up to which a body's bone and a file's are the same
_DECIMALS, PLACE_DIGITS = 10, 12  # of degrees and of body heights, in files
_STILL = 1e-6  # degrees, up to which a channel does not move


@dataclass(frozen=True, eq=False)
class BvhFit:
    """A body whose joints are those of a file, all of them or those below one that stands still."""

    body: Body
    axes: FileAxes
    joints: tuple[int, ...]  # the file's joint for each of the body's

    def rotation_columns(self, bvh: BvhClip) -> tuple[Ints, Floats]:
        """The file's column of each of the body's angles, and the angle's sign there."""
        columns, signs = [], []
        for j, joint in zip(self.joints, self.body.joints, strict=True):
            channels = bvh.joints[j].channels
            for rotation in joint.rotations:
                name, sign = self.axes.rotation(rotation.axis)
                columns.append(bvh.starts[j] + channels.index(name))
                signs.append(sign)
        return np.array(columns, dtype=np.int64), np.array(signs)

    def angles(self, bvh: BvhClip) -> Floats:
        """The file's frames as postures of the body, (frames, dofs)."""
        columns, signs = self.rotation_columns(bvh)
        turned = np.radians(bvh.values[:, columns]) * signs
        if not self.body.free_root:
            return np.ascontiguousarray(turned)
        root = self.axes.our_points(np.array(bvh.joint_positions[:, self.joints[0]]))
        return np.concatenate([root - self.body.arrays.offsets[0], turned], axis=1)

    def values(self, bvh: BvhClip, angles: Floats, frames: Ints) -> Floats:
        """The file's values with some frames of the angles (frames, dofs) put into them, rounded, so that they are
        short as text; all others as they were."""
        found = np.array(bvh.values)
        columns, signs = self.rotation_columns(bvh)
        start = len(self.body.translation_dofs)
        found[np.ix_(frames, columns)] = np.round(np.degrees(angles[frames, start:]) * signs, _DECIMALS)
        if self.body.free_root:
            j = self.joints[0]
            parent = bvh.joints[j].parent
            above = bvh.joint_positions[frames, parent] if parent >= 0 else 0.0  # it is not turned
            place = self.axes.points(angles[frames, :3] + self.body.arrays.offsets[0]) - above
            place = np.round(place, PLACE_DIGITS - math.floor(math.log10(self.axes.scale)))
            for n, channel in enumerate(bvh.joints[j].channels):
                if channel.endswith("position"):
                    found[frames, bvh.starts[j] + n] = place[:, "XYZ".index(channel[0])]
        return found


def moving_root(bvh: BvhClip) -> int:
    """The joint that a body begins with: the root, or below it the first joint that moves, where those above it have a
    single child, are not turned and stand still. Of several roots the one that most joints hang on."""
    parents = bvh.parents
    sizes = np.ones(len(parents), dtype=int)
    for j in range(len(parents) - 1, -1, -1):
        if parents[j] >= 0:
            sizes[parents[j]] += sizes[j]
    root = max((j for j, parent in enumerate(parents) if parent < 0), key=lambda j: (sizes[j], -j))
    while True:
        children = [j for j, parent in enumerate(parents) if parent == root]
        joint = bvh.joints[root]
        own = bvh.values[:, bvh.starts[root] : bvh.starts[root] + len(joint.channels)]
        still = len(own) > 0 and bool(np.all(np.ptp(own, axis=0) <= _STILL))
        turned = [abs(own[0, n]) > _STILL for n, name in enumerate(joint.channels) if name.endswith("rotation")]
        if len(children) != 1 or not still or any(turned) or not position_channels(bvh, children[0]):
            return root
        root = children[0]


def position_channels(bvh: BvhClip, joint: int) -> int:
    """How many position channels a joint has."""
    return sum(channel.endswith("position") for channel in bvh.joints[joint].channels)


def joints_below(bvh: BvhClip, root: int) -> tuple[int, ...]:
    """A joint and all below it, in the order of the file."""
    inside = {root}
    for j, parent in enumerate(bvh.parents):
        if parent in inside:
            inside.add(j)
    return tuple(sorted(inside))


def file_offsets(bvh: BvhClip, joints: tuple[int, ...]) -> Floats:
    """Offsets from their parents in the file's units, (joints, 3): where a joint has position channels, these in the
    middle of the clip's frames."""
    found = np.array([bvh.joints[j].offset for j in joints], dtype=np.float64)
    for n, j in enumerate(joints):
        for k, channel in enumerate(bvh.joints[j].channels):
            if channel.endswith("position") and n > 0 and len(bvh):
                found[n, "XYZ".index(channel[0])] = float(np.median(bvh.values[:, bvh.starts[j] + k]))
    return found


def fit_body(bvh: BvhClip, body: Body, up: str, where: str) -> BvhFit:
    """A body that was made for a skeleton and the skeleton: the same joints in the same order, the same bones, and
    channels for all of the body's rotations."""
    joints = joints_below(bvh, moving_root(bvh))
    parents = [joints.index(bvh.parents[j]) if n else -1 for n, j in enumerate(joints)]
    if parents != [joint.parent for joint in body.joints]:
        raise PuppetError(
            f"the body '{body.name}' does not belong to {where}: it has {len(body.joints)} joints, and the file "
            f"{len(joints)}, or they hang together differently; puppet convert writes a body for the file"
        )
    offsets, ours = FileAxes(1.0, up).our_points(file_offsets(bvh, joints)), body.arrays.offsets
    lengths, own = np.linalg.norm(offsets[1:], axis=1), np.linalg.norm(ours[1:], axis=1)
    scale = float(lengths.sum() / own.sum()) if own.sum() > 0.0 else 1.0
    apart = np.linalg.norm(offsets[1:] / scale - ours[1:], axis=1)
    if len(apart) and apart.max() > _SAME * body.height:
        worst = int(apart.argmax()) + 1
        raise PuppetError(
            f"the body '{body.name}' does not belong to {where}: '{body.joints[worst].name}' is elsewhere in "
            f"'{bvh.joint_names[joints[worst]]}' of the file, by {apart.max():.3g} of its height"
        )
    fit = BvhFit(body, FileAxes(scale, up), joints)
    for j, joint in zip(joints, body.joints, strict=True):
        channels = bvh.joints[j].channels
        wanted = [fit.axes.rotation(rotation.axis)[0] for rotation in joint.rotations]
        turned = [name for name in channels if name.endswith("rotation")]
        spare = [bvh.starts[j] + channels.index(name) for name in turned if name not in wanted]
        if [name for name in turned if name in wanted] != wanted or (
            spare and np.abs(bvh.values[:, spare]).max(initial=0.0) > 1e-4
        ):
            raise PuppetError(
                f"the body '{body.name}' does not belong to {where}: '{joint.name}' turns about other axes than "
                f"'{bvh.joint_names[j]}'"
            )
    return fit
