"""Writes clips as BVH files that other programs read correctly."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np

from puppet.bvh.clip import BvhClip
from puppet.files.atomic_write import write_atomically
from puppet.types import Vector

_ANGLE_DECIMALS = 8
DEEPEST = 100  # from which level on lines are indented no more: the text of a long chain would be very long


def format_bvh(clip: BvhClip, exact: bool = False) -> str:
    """The text of a clip: joints depth first, unique names of one word, each bracket on a line of its own. exact: each
    value with as many digits as it takes to read the same one again; else with as many as programs need."""
    children: list[list[int]] = [[] for _ in clip.joints]
    for j, joint in enumerate(clip.joints):
        if joint.parent >= 0:
            children[joint.parent].append(j)
    names = _unique_words(clip.joint_names)
    digits = _decimals(clip)
    lines = ["HIERARCHY"]
    columns: list[int] = []  # of the values, in the order of the text
    open_ones = [(j, 0) for j, joint in reversed(list(enumerate(clip.joints))) if joint.parent < 0]
    while open_ones:
        j, depth = open_ones.pop()
        if j < 0:
            lines.append("\t" * min(depth, DEEPEST) + "}")
            continue
        joint, tab = clip.joints[j], "\t" * min(depth, DEEPEST)
        lines += [f"{tab}{'JOINT' if depth else 'ROOT'} {names[j]}", tab + "{"]
        lines.append(f"{tab}\t{_offset_line(joint.offset, digits)}")
        lines.append(f"{tab}\tCHANNELS {' '.join([str(len(joint.channels)), *joint.channels])}")
        for end in joint.ends:
            lines += [f"{tab}\tEnd Site", tab + "\t{", f"{tab}\t\t{_offset_line(end, digits)}", tab + "\t}"]
        columns += range(clip.starts[j], clip.starts[j] + len(joint.channels))
        open_ones.append((-1, depth))
        open_ones += [(child, depth + 1) for child in reversed(children[j])]
    lines += ["MOTION", f"Frames: {len(clip)}", f"Frame Time: {clip.frame_time!r}"]
    if exact:
        rows = (clip.values[:, np.array(columns)] + 0.0).tolist()
        return "\n".join([*lines, *(" ".join(map(_shortest, frame)) for frame in rows)]) + "\n"
    is_angle = np.array([name.endswith("rotation") for joint in clip.joints for name in joint.channels], dtype=bool)
    values = np.where(is_angle, np.round(clip.values, _ANGLE_DECIMALS), np.round(clip.values, digits)) + 0.0
    places = [_ANGLE_DECIMALS if is_angle[column] else digits for column in columns]
    row = " ".join(f"%.{count}f" for count in places)
    lines += [row % tuple(frame) for frame in values[:, np.array(columns)].tolist()]
    return "\n".join(lines) + "\n"


def _shortest(value: float) -> str:
    """The shortest text that is read as the same number, without an exponent."""
    text = repr(value)
    return text if "e" not in text else np.format_float_positional(value)


def write_bvh(clip: BvhClip, path: str | Path, exact: bool = False) -> None:
    """Writes a clip as a BVH file, atomically; exact: see format_bvh."""
    write_atomically(path, format_bvh(clip, exact))


def _decimals(clip: BvhClip) -> int:
    """The number of decimals for lengths: nine significant digits of the largest offset, in any unit."""
    lengths = [abs(x) for joint in clip.joints for point in (joint.offset, *joint.ends) for x in point]
    largest = max((x for x in lengths if x > 0.0), default=1.0)
    return min(max(8 - math.floor(math.log10(largest)), 6), 15)


def _offset_line(point: Vector, digits: int) -> str:
    return "OFFSET " + " ".join(f"{round(x, digits) + 0.0:.{digits}f}" for x in point)


def _unique_words(names: tuple[str, ...]) -> list[str]:
    """Names that all readers accept: one word each, no two the same."""
    found: list[str] = []
    used: set[str] = set()
    for name in names:
        word = re.sub(r"[\s{}]+", "_", name.strip()) or "joint"
        unique, count = word, 1
        while unique in used:
            count += 1
            unique = f"{word}_{count}"
        used.add(unique)
        found.append(unique)
    return found
