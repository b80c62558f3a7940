"""A body for the skeleton of a BVH file: its joints, bones and rotation orders as they are, and what can be told of it:
parts, size, masses, soles and eyes. What was guessed is said in words."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from puppet.body import METRES, Body, Joint, Rotation, forward, joint_transforms
from puppet.bvh import BvhClip, FileAxes
from puppet.clip.anatomy import LEG, SIDES, UPRIGHT_TRUNK, HumanParts, find_anatomy
from puppet.clip.fit import BvhFit, file_offsets, joints_below, moving_root, position_channels
from puppet.clip.frames import UPRIGHT
from puppet.clip.furnish import ANKLE, as_vector, furnish, tell_parts
from puppet.clip.ranges import with_ranges
from puppet.errors import PuppetError
from puppet.types import Floats

HEAD_TOP, LEG_LENGTH = 0.1, 0.4918  # above the head's joint, and of a leg down to the ankle, in body heights (de Leva)
_SAMPLES = 60  # frames that are looked at
# Units by how long a person is in them: at least, metres of one.
UNITS = ((1000.0, 0.001, "millimetres"), (100.0, 0.01, "centimetres"), (45.0, 0.0254, "inches"), (1.0, 1.0, "metres"))
CMU_UNIT, CMU_NAMES = 0.0254 / 0.45, ("LHipJoint", "RHipJoint", "LowerBack")  # of CMU's recordings, metres
TALLEST = 2.5  # times the shortest person of a unit


@dataclass(frozen=True, eq=False)
class BuiltBody:
    """A body, how it belongs to its file, and what was found out and guessed, a sentence each."""

    fit: BvhFit
    notes: tuple[str, ...]


def build_body(bvh: BvhClip, name: str, up: str | None = None) -> BuiltBody:
    """A body for a file's skeleton; up: the file's vertical axis, y or z, or None to find out."""
    notes: list[str] = []
    joints = joints_below(bvh, moving_root(bvh))
    _check_channels(bvh, joints)
    left_out = len(bvh.joints) - len(joints)
    if left_out:
        notes.append(f"{left_out} joints of the file stand still, or belong to another root; they stay as they are")
    offsets = file_offsets(bvh, joints)
    _note_stretching(bvh, joints, offsets, notes)
    vertical = up or _up_axis(bvh, joints, notes)
    plain = FileAxes(1.0, vertical)
    parents = [joints.index(bvh.parents[j]) if n else -1 for n, j in enumerate(joints)]
    skeleton = _skeleton(bvh, joints, parents, plain, offsets)
    fit = BvhFit(skeleton, plain, joints)
    angles = fit.angles(bvh)
    angles = angles[np.unique(np.linspace(0, max(len(angles) - 1, 0), _SAMPLES).astype(int))] if len(angles) else angles
    names = [bvh.joint_names[j] for j in joints]
    anatomy = _anatomy(names, parents, skeleton, angles)
    rest, upright = _measuring_posture(skeleton, anatomy, angles)
    height = _height(skeleton, anatomy, rest)
    if height <= 0.0:
        raise PuppetError(f"{name}: all bones of this skeleton have no length")
    metres = _metres(height, anatomy, names, notes)
    scaled = _skeleton(bvh, joints, parents, FileAxes(height, vertical), offsets)
    rest[scaled.translation_dofs] /= height
    body = furnish(scaled, anatomy, names, rest, upright, name, metres)
    tell_parts(anatomy, names, notes)
    fit = BvhFit(body, FileAxes(height, vertical), joints)
    if anatomy.is_human:
        fit = replace(fit, body=with_ranges(body, fit.angles(bvh)))
        notes.append("joints have human ranges, widened to what the clip shows")
    return BuiltBody(fit, tuple(notes))


def _anatomy(names: list[str], parents: list[int], skeleton: Body, frames: Floats) -> HumanParts:
    """The parts of a skeleton; where no names tell them, as it is built in the posture in which it is a person that
    stands most upright: the zero posture, or one of the frames (frames, dofs)."""
    places = joint_transforms(skeleton, np.array([*frames[:1], np.zeros(skeleton.dofs), *frames[1:]]))[:, :, :3]
    first = find_anatomy(names, parents, places[0])
    if first.is_human and "leftFoot" not in first.guessed:
        return first
    found = [(own, find_anatomy(names, parents, own)) for own in (places if len(frames) else places[:1])]
    human = [(_uprightness(own, anatomy), anatomy) for own, anatomy in found if anatomy.is_human]
    return max(human, key=lambda entry: entry[0])[1] if human else first


# ---- the bare skeleton


def _check_channels(bvh: BvhClip, joints: tuple[int, ...]) -> None:
    for j in joints:
        turns = [channel for channel in bvh.joints[j].channels if channel.endswith("rotation")]
        if len(set(turns)) != len(turns):
            words = ", ".join(turns)
            raise PuppetError(f"'{bvh.joint_names[j]}' turns twice about one axis ({words}); a body's joint cannot")


def _note_stretching(bvh: BvhClip, joints: tuple[int, ...], offsets: Floats, notes: list[str]) -> None:
    """Bones that change their lengths."""
    longest = float(np.linalg.norm(offsets, axis=1).max(initial=0.0))
    for n, j in enumerate(joints[1:], 1):
        columns = [bvh.starts[j] + k for k, name in enumerate(bvh.joints[j].channels) if name.endswith("position")]
        if columns and len(bvh):
            spread = float(np.ptp(bvh.values[:, columns], axis=0).max())
            if spread > 0.01 * max(longest, 1e-12):
                notes.append(
                    f"'{bvh.joint_names[j]}' moves away from its parent by up to {spread:.3g}; the body has a bone of "
                    f"{np.linalg.norm(offsets[n]):.3g}"
                )


def _up_axis(bvh: BvhClip, joints: tuple[int, ...], notes: list[str]) -> str:
    """Which way a person stands in most frames: from the feet to the head; where no name tells of these, the way up in
    which the structure is that of a person."""
    anatomy = find_anatomy(bvh.joint_names, bvh.parents, np.zeros((len(bvh.joints), 3)))
    if not len(bvh):
        return "y"
    positions = bvh.joint_positions[np.unique(np.linspace(0, len(bvh) - 1, _SAMPLES).astype(int))]
    feet = [anatomy.parts[f"{side}Foot"] for side in SIDES if anatomy.has(f"{side}Foot")]
    if anatomy.has("head") and feet:
        way = (positions[:, anatomy.parts["head"]] - positions[:, feet].mean(axis=1)).mean(axis=0)
    elif anatomy.has("head", "hips"):
        way = (positions[:, anatomy.parts["head"]] - positions[:, anatomy.parts["hips"]]).mean(axis=0)
    else:
        human = {"y": 0, "z": 0}  # in how many frames
        for axis, points in ((axis, FileAxes(1.0, axis).our_points(frame)) for axis in human for frame in positions):
            found = find_anatomy(bvh.joint_names, bvh.parents, points)
            human[axis] += found.is_human and _uprightness(points, found) >= UPRIGHT_TRUNK
        if human["z"] > human["y"]:
            notes.append("z is taken for the vertical axis: that way up it is built like a person; --up says it")
            return "z"
        return "y"
    if abs(way[2]) > 2.0 * np.abs(way[:2]).max():
        notes.append("z is the vertical axis: that is the way from the feet to the head")
        return "z"
    if np.abs(way[[0, 2]]).max() > 0.7 * way[1]:
        notes.append("y is taken for the vertical axis, though the person leans much; --up says it")
    return "y"


def _skeleton(bvh: BvhClip, joints: tuple[int, ...], parents: list[int], axes: FileAxes, offsets: Floats) -> Body:
    """The joints alone, under the file's names."""
    ours = axes.our_points(offsets)
    ours[0] = 0.0
    centres = ours.copy()
    found: list[Joint] = []
    for n, (j, parent) in enumerate(zip(joints, parents, strict=True)):
        if parent >= 0:
            centres[n] += centres[parent]
        turns = [axes.our_rotation(name)[0] for name in bvh.joints[j].channels if name.endswith("rotation")]
        limit = math.pi if len(turns) == 3 else 2.0 * math.pi
        rotations = tuple(Rotation(axis, -limit, limit, (1.0, 1.0, 1.0)) for axis in turns)
        ends = [axes.our_points(np.array(end)) for end in bvh.joints[j].ends]
        tip = next((as_vector(end) for end in ends if np.linalg.norm(end) > 1e-9), None)
        found.append(Joint(f"j{n}", parent, as_vector(centres[n]), rotations, tip))
    free = position_channels(bvh, joints[0]) > 0
    return Body("skeleton", 1.0, tuple(found), {}, {}, None, np.zeros(0), {}, free_root=free)


# ---- size


def _measuring_posture(body: Body, anatomy: HumanParts, frames: Floats) -> tuple[Floats, bool]:
    """An upright posture, (dofs,): the zero posture where it is one, else the most upright of the frames. And whether
    it is upright at all."""
    zero = np.zeros(body.dofs)
    if _top(anatomy) is None:
        return (frames[0].copy() if len(frames) else zero), False
    candidates = [zero, *frames]
    scores = [_uprightness(found[:, :3], anatomy) for found in joint_transforms(body, np.array(candidates))]
    best = 0 if scores[0] >= UPRIGHT else int(np.argmax(scores))
    return candidates[best].copy(), scores[best] >= 0.5


def _uprightness(positions: Floats, anatomy: HumanParts) -> float:
    """The mean cosine between trunk and legs and the vertical."""
    parts = anatomy.parts
    ways = [positions[_top(anatomy)] - positions[parts["hips"]]]
    ways += [positions[parts[f"{side}UpperLeg"]] - positions[parts[f"{side}Foot"]] for side in SIDES
             if anatomy.has(f"{side}UpperLeg", f"{side}Foot")]  # fmt: skip
    return float(np.mean([way[1] / max(float(np.linalg.norm(way)), 1e-12) for way in ways]))


def _top(anatomy: HumanParts) -> int | None:
    """The highest joint that was found of a trunk; None where there is none."""
    parts = ("head", "neck", "chest") if anatomy.has("hips") else ()
    return next((anatomy.parts[part] for part in parts if anatomy.has(part)), None)


def _path_length(body: Body, above: int, below: int) -> float:
    total = 0.0
    while below != above and below >= 0:
        total += float(np.linalg.norm(body.arrays.offsets[below]))
        below = body.joints[below].parent
    return total


def _height(body: Body, anatomy: HumanParts, rest: Floats) -> float:
    """How tall it stands when stretched, in the file's units; of what is no person, how high it is."""
    positions, rotations = forward(body, rest)
    parts = anatomy.parts
    if anatomy.has("hips", "head", *(f"{side}{part}" for side in SIDES for part in LEG)):
        legs = [_path_length(body, parts[f"{side}UpperLeg"], parts[f"{side}Foot"]) for side in SIDES]
        drop = [float(np.linalg.norm(positions[parts["hips"]] - positions[parts[f"{side}UpperLeg"]]) ** 2
                - np.linalg.norm(positions[parts["leftUpperLeg"]] - positions[parts["rightUpperLeg"]]) ** 2 / 4.0)
                for side in SIDES]  # fmt: skip
        trunk = _path_length(body, parts["hips"], parts["head"])
        tip = body.joints[parts["head"]].tip
        total = float(np.mean(legs)) + math.sqrt(max(float(np.mean(drop)), 0.0)) + trunk
        top = float(np.linalg.norm(tip)) if tip is not None else 0.0
        by_legs = float(np.mean(legs)) / LEG_LENGTH
        if not 0.4 * HEAD_TOP * total < top < 2.0 * HEAD_TOP * total:
            return max(total / (1.0 - ANKLE - HEAD_TOP), by_legs)
        return max((total + top) / (1.0 - ANKLE), by_legs)  # recorded skeletons often end below the top of the head
    tips = [positions[j] + rotations[j] @ np.array(joint.tip) for j, joint in enumerate(body.joints) if joint.tip]
    points = np.array([*positions, *tips])
    extents = np.ptp(points, axis=0)
    size = float(extents[1]) if extents[1] > 0.3 * extents.max() else float(extents.max())
    return size if size > 1e-9 else 1.0


def _metres(height: float, anatomy: HumanParts, names: list[str], notes: list[str]) -> float:
    if not anatomy.is_human:
        notes.append(f"it is {height:.4g} of the file's units high; these are taken for its own")
        return METRES
    if set(CMU_NAMES) <= set(names) and 1.0 <= height * CMU_UNIT < TALLEST:  # else somebody has scaled it
        notes.append(f"it is {height:.4g} of CMU's units tall, {CMU_UNIT:.5f} m each")
        return height * CMU_UNIT
    for least, metres, words in UNITS:
        if least <= height < TALLEST * least:
            notes.append(f"it is {height:.4g} of the file's units tall, which are taken for {words}")
            return height * metres
    notes.append(f"it is {height:.4g} of the file's units tall; a person of {METRES} m is assumed")
    return METRES
