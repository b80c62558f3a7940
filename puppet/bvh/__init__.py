"""BVH files of any program in, clips out; and back."""

from __future__ import annotations

from puppet.bvh.axes import UP_AXES, FileAxes
from puppet.bvh.clip import BvhClip, ClipJoint
from puppet.bvh.reader import read_bvh
from puppet.bvh.writer import format_bvh, write_bvh

__all__ = [
    "UP_AXES",
    "BvhClip",
    "ClipJoint",
    "FileAxes",
    "format_bvh",
    "read_bvh",
    "write_bvh",
]
