"""Clips for tests, as other programs would write them: skeletons by the names of each, and a person who walks with feet
that stand still to the last digit, jumps, or claps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache

import numpy as np

from puppet import Clip
from puppet.bvh import BvhClip, ClipJoint
from puppet.types import Floats

PARTS = (
    "hips", "spine", "chest", "neck", "head",
    "leftShoulder", "leftUpperArm", "leftLowerArm", "leftHand",
    "rightShoulder", "rightUpperArm", "rightLowerArm", "rightHand",
    "leftUpperLeg", "leftLowerLeg", "leftFoot", "leftToes",
    "rightUpperLeg", "rightLowerLeg", "rightFoot", "rightToes",
)  # fmt: skip
PARENTS: dict[str, str | None] = {
    "hips": None, "spine": "hips", "chest": "spine", "neck": "chest", "head": "neck",
}  # fmt: skip
for _side in ("left", "right"):
    for _part, _above in (
        ("Shoulder", "chest"), ("UpperArm", "Shoulder"), ("LowerArm", "UpperArm"), ("Hand", "LowerArm"),
        ("UpperLeg", "hips"), ("LowerLeg", "UpperLeg"), ("Foot", "LowerLeg"), ("Toes", "Foot"),
    ):  # fmt: skip
        PARENTS[f"{_side}{_part}"] = _above if _above in ("chest", "hips") else f"{_side}{_above}"
# Offsets of the left side in centimetres; x to the left, y up, z ahead.
OFFSETS = {
    "hips": (0, 0, 0), "spine": (0, 10, 0), "chest": (0, 20, 0), "neck": (0, 25, 0), "head": (0, 8, 0),
    "Shoulder": (3, 20, 0), "UpperArm": (15, 0, 0), "LowerArm": (28, 0, 0), "Hand": (25, 0, 0),
    "UpperLeg": (9, -3, 0), "LowerLeg": (0, -43, 0), "Foot": (0, -42, 0), "Toes": (0, -5, 13),
}  # fmt: skip
ENDS = {"head": (0, 17, 0), "Hand": (17, 0, 0), "Toes": (0, 0, 7)}
THIGH, SHIN, ANKLE, HIP_DROP = 43.0, 42.0, 7.0, 3.0
FPS = 60.0
MILLIMETRE = 1e-3 / 1.75  # in body heights
DODGE = "at 40\ndrag head by (0.1, -0.2, 0), speed 12\n"
SIDES = ("Left", "Right")


def _sided(**words: str) -> dict[str, str]:
    """Names of both sides: `{S}` is Left or Right, `{s}` L or R, `{l}` left or right, `{c}` l or r."""
    found = {}
    for side in SIDES:
        marks = {"S": side, "s": side[0], "l": side.lower(), "c": side[0].lower()}
        for part, word in words.items():
            found[f"{side.lower()}{part}"] = word.format(**marks)
    return found


NAMES: Mapping[str, Mapping[str, str]] = {
    "cmu": {"hips": "Hips", "spine": "LowerBack", "chest": "Spine1", "neck": "Neck", "head": "Head", **_sided(
        Shoulder="{S}Shoulder", UpperArm="{S}Arm", LowerArm="{S}ForeArm", Hand="{S}Hand", UpperLeg="{S}UpLeg",
        LowerLeg="{S}Leg", Foot="{S}Foot", Toes="{S}ToeBase")},
    "mixamo": {"hips": "mixamorig:Hips", "spine": "mixamorig:Spine", "chest": "mixamorig:Spine2",
        "neck": "mixamorig:Neck", "head": "mixamorig:Head", **_sided(
        Shoulder="mixamorig:{S}Shoulder", UpperArm="mixamorig:{S}Arm", LowerArm="mixamorig:{S}ForeArm",
        Hand="mixamorig:{S}Hand", UpperLeg="mixamorig:{S}UpLeg", LowerLeg="mixamorig:{S}Leg",
        Foot="mixamorig:{S}Foot", Toes="mixamorig:{S}ToeBase")},
    "unity": {"hips": "Hips", "spine": "Spine", "chest": "Chest", "neck": "Neck", "head": "Head", **_sided(
        Shoulder="{S}Shoulder", UpperArm="{S}UpperArm", LowerArm="{S}LowerArm", Hand="{S}Hand",
        UpperLeg="{S}UpperLeg", LowerLeg="{S}LowerLeg", Foot="{S}Foot", Toes="{S}Toes")},
    "vrm": {"hips": "J_Bip_C_Hips", "spine": "J_Bip_C_Spine", "chest": "J_Bip_C_UpperChest", "neck": "J_Bip_C_Neck",
        "head": "J_Bip_C_Head", **_sided(
        Shoulder="J_Bip_{s}_Shoulder", UpperArm="J_Bip_{s}_UpperArm", LowerArm="J_Bip_{s}_LowerArm",
        Hand="J_Bip_{s}_Hand", UpperLeg="J_Bip_{s}_UpperLeg", LowerLeg="J_Bip_{s}_LowerLeg", Foot="J_Bip_{s}_Foot",
        Toes="J_Bip_{s}_ToeBase")},
    "rokoko": {"hips": "Hips", "spine": "Spine", "chest": "Spine4", "neck": "Neck", "head": "Head", **_sided(
        Shoulder="{S}Shoulder", UpperArm="{S}Arm", LowerArm="{S}ForeArm", Hand="{S}Hand", UpperLeg="{S}Thigh",
        LowerLeg="{S}Shin", Foot="{S}Foot", Toes="{S}Toe")},
    "biovision": {"hips": "Hips", "spine": "Abdomen", "chest": "Chest", "neck": "Neck", "head": "Head", **_sided(
        Shoulder="{S}Collar", UpperArm="{S}Shoulder", LowerArm="{S}Elbow", Hand="{S}Wrist", UpperLeg="{S}Hip",
        LowerLeg="{S}Knee", Foot="{S}Ankle", Toes="{S}Toe")},
    "rigify": {"hips": "DEF-pelvis", "spine": "DEF-spine.001", "chest": "DEF-spine.003", "neck": "DEF-neck",
        "head": "DEF-head", **_sided(
        Shoulder="DEF-shoulder.{s}", UpperArm="DEF-upper_arm.{s}", LowerArm="DEF-forearm.{s}", Hand="DEF-hand.{s}",
        UpperLeg="DEF-thigh.{s}", LowerLeg="DEF-shin.{s}", Foot="DEF-foot.{s}", Toes="DEF-toe.{s}")},
    "rigify_spine": {"hips": "DEF-spine", "spine": "DEF-spine.001", "chest": "DEF-spine.003", "neck": "DEF-spine.004",
        "head": "DEF-spine.006", **_sided(
        Shoulder="DEF-shoulder.{s}", UpperArm="DEF-upper_arm.{s}", LowerArm="DEF-forearm.{s}", Hand="DEF-hand.{s}",
        UpperLeg="DEF-thigh.{s}", LowerLeg="DEF-shin.{s}", Foot="DEF-foot.{s}", Toes="DEF-toe.{s}")},
    "poser": {"hips": "hip", "spine": "abdomen", "chest": "chest", "neck": "neck", "head": "head", **_sided(
        Shoulder="{c}Collar", UpperArm="{c}Shldr", LowerArm="{c}ForeArm", Hand="{c}Hand", UpperLeg="{c}Thigh",
        LowerLeg="{c}Shin", Foot="{c}Foot", Toes="{c}Toe")},
    "smpl": {"hips": "pelvis", "spine": "spine1", "chest": "spine3", "neck": "neck", "head": "head", **_sided(
        Shoulder="{l}_collar", UpperArm="{l}_shoulder", LowerArm="{l}_elbow", Hand="{l}_wrist", UpperLeg="{l}_hip",
        LowerLeg="{l}_knee", Foot="{l}_ankle", Toes="{l}_foot")},
    "nobody": {part: f"bone_{n}" for n, part in enumerate(PARTS)},
}  # fmt: skip


def skeleton(names: Mapping[str, str], scale: float = 1.0, parts: tuple[str, ...] = PARTS) -> list[ClipJoint]:
    """A T-pose of those parts, in centimetres times a scale."""
    found = []
    for part in parts:
        parent = PARENTS[part]
        side = -1.0 if part.startswith("right") else 1.0
        word = part.removeprefix("left").removeprefix("right")
        x, y, z = (scale * value for value in OFFSETS[word])
        a, b, c = ENDS.get(word, (0, 0, 0))
        ends = ((side * scale * a, scale * b, scale * c),) if word in ENDS else ()
        channels: tuple[str, ...] = ("Zrotation", "Xrotation", "Yrotation")
        if parent is None:
            channels = ("Xposition", "Yposition", "Zposition", *channels)
        above = -1 if parent is None else parts.index(parent)
        found.append(ClipJoint(names[part], above, (side * x, y, z), channels, ends))
    return found


def motion(kind: str = "walk", frames: int = 120, scale: float = 1.0, parts: tuple[str, ...] = PARTS) -> Floats:
    """Channel values (frames, channels): a walk with steps of 30 cm, a jump, or a clap."""
    values = np.zeros((frames, 3 + 3 * len(parts)))
    column = {part: 3 + 3 * n for n, part in enumerate(parts)}  # Z, X, Y
    for f in range(frames):
        time = f / FPS
        ankles, pelvis = _jump(time, frames / FPS) if kind == "jump" else _walk(time, 1.0 if kind == "walk" else 0.0)
        values[f, :3] = [scale * value for value in pelvis]
        for side, (y, z) in zip(SIDES, ankles, strict=True):
            hip, knee = _leg(pelvis[1] - HIP_DROP - y, z - pelvis[2])
            for word, angle in (("UpperLeg", hip), ("LowerLeg", knee), ("Foot", -hip - knee)):
                if f"{side.lower()}{word}" in column:
                    values[f, column[f"{side.lower()}{word}"] + 1] = math.degrees(angle)
        for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
            if f"{side.lower()}UpperArm" not in column:
                continue
            if kind == "clap":  # arms ahead, palms together in the middle
                share = 0.5 - 0.5 * math.cos(2.0 * math.pi * time)
                values[f, column[f"{side.lower()}UpperArm"] + 2] = -sign * (60.0 + 20.0 * share)
                values[f, column[f"{side.lower()}LowerArm"] + 2] = -sign * 48.0 * share
            else:
                values[f, column[f"{side.lower()}UpperArm"]] = -75.0 * sign
                values[f, column[f"{side.lower()}LowerArm"] + 2] = -sign * (20.0 + 8.0 * math.sin(2.0 * math.pi * time))
    return values


def _walk(time: float, moving: float) -> tuple[list[tuple[float, float]], tuple[float, float, float]]:
    """Heights and ways ahead of both ankles, and the pelvis; a step takes half a second."""
    speed, period = 30.0 * moving / 0.5, 1.0
    ankles = []
    for phase in (0.0, 0.5):
        cycle, within = divmod(time / period + phase, 1.0)
        stand = speed * (cycle - phase) * period + 0.25 * speed * period
        if within < 0.55 or not moving:
            ankles.append((ANKLE, stand))
        else:
            share = (within - 0.55) / 0.45
            smooth = share**3 * (10.0 + share * (6.0 * share - 15.0))
            ankles.append((ANKLE + 12.0 * math.sin(math.pi * share) ** 2, stand + smooth * speed * period))
    return ankles, (0.0, 87.0 + HIP_DROP + 1.0 * math.cos(4.0 * math.pi * time) * moving, speed * time)


def _jump(time: float, whole: float) -> tuple[list[tuple[float, float]], tuple[float, float, float]]:
    """Standing, crouching, 0.4 s of flight with gravity, standing."""
    start, flight = 0.4 * whole, 0.4
    stand, up = 87.0 + HIP_DROP, 0.5 * 981.0 * flight
    if time < start:
        share = time / start
        depth = 14.0 * math.sin(math.pi * share) ** 2
        return [(ANKLE, 0.0)] * 2, (0.0, stand - depth, 0.0)
    inside = min(time - start, flight)
    height = up * inside - 0.5 * 981.0 * inside * inside
    return [(ANKLE + height, 0.0)] * 2, (0.0, stand + height, 0.0)


def _leg(down: float, ahead: float) -> tuple[float, float]:
    """Angles about x of hip and knee that bring the ankle so far down and ahead."""
    length = min(math.hypot(down, ahead), THIGH + SHIN - 1e-6)
    bend = math.acos((THIGH**2 + SHIN**2 - length**2) / (2.0 * THIGH * SHIN))
    at_hip = math.acos((THIGH**2 + length**2 - SHIN**2) / (2.0 * THIGH * length))
    return -math.atan2(ahead, down) - at_hip, math.pi - bend


def clip(
    kind: str = "walk", names: str = "mixamo", frames: int = 120, scale: float = 1.0, up: str = "y",
    parts: tuple[str, ...] = PARTS,
) -> BvhClip:  # fmt: skip
    """A clip of our own as another program writes it."""
    found = BvhClip.of(skeleton(NAMES[names], scale, parts), 1.0 / FPS, motion(kind, frames, scale, parts))
    return turned_up(found) if up == "z" else found


@cache
def walking() -> Clip:
    """Somebody who walks, as a clip."""
    return Clip.of(clip())


def shaken(clip: BvhClip, degrees: float, seed: int = 0) -> BvhClip:
    """The same with noise, as a recording has it: of all angles, and a fifth of it in centimetres of the pelvis."""
    noise = np.random.default_rng(seed).normal(size=clip.values.shape) * degrees
    noise[:, :3] *= 0.2
    return BvhClip.of(clip.joints, clip.frame_time, clip.values + noise)


def turned_up(clip: BvhClip) -> BvhClip:
    """The same with z up: (x, y, z) becomes (x, -z, y)."""
    joints = []
    for joint in clip.joints:
        x, y, z = joint.offset
        rename = {"X": "X", "Y": "Z", "Z": "Y"}
        channels = tuple(rename[name[0]] + name[1:] for name in joint.channels)
        ends = tuple((a, -c, b) for a, b, c in joint.ends)
        joints.append(ClipJoint(joint.name, joint.parent, (x, -z, y), channels, ends))
    values = np.array(clip.values)
    column = 0
    for joint in clip.joints:
        for name in joint.channels:
            if name[0] == "Z":
                values[:, column] *= -1.0
            column += 1
    return BvhClip.of(joints, clip.frame_time, values)
