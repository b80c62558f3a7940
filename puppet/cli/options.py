"""The options of all writers. Each writer takes some of them: see `puppet.cli.outputs`."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from puppet.errors import did_you_mean


@dataclass(frozen=True)
class WriterOption:
    """An option that some writers take as a keyword-only parameter of the same name.

    `endings` is for the help, which must not load the writers; a test compares it with what they take.
    """

    name: str
    endings: tuple[str, ...]
    help: str
    read: Callable[[str], Any] | None = None  # None: a flag
    metavar: str = ""

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")


def _number(low: float, high: float) -> Callable[[str], float]:
    def read(word: str) -> float:
        try:
            value = float(word)
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"expected a number from {low:g} to {high:g}, found '{word}'")
        return value

    return read


def _columns(word: str) -> int:
    if not word.isdecimal() or not 1 <= int(word) <= 1000:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to 1000, found '{word}'")
    return int(word)


def _up(word: str) -> str:
    if word not in ("y", "z"):
        raise argparse.ArgumentTypeError(f"expected y or z, found '{word}'")
    return word


def _camera(word: str) -> str:
    if word not in CAMERA_NAMES:
        raise argparse.ArgumentTypeError(f"unknown camera '{word}'; {did_you_mean(word, CAMERA_NAMES)}")
    return word


def _size(word: str) -> str:
    if not re.fullmatch(r"\d{1,5}[x\u00d7]\d{1,5}", word):
        raise argparse.ArgumentTypeError(f"expected width x height in pixels, such as 960x540; found '{word}'")
    return word


def _frames(word: str) -> str:
    span = r"\s*\d{1,9}(-\d{1,9}(:\d{1,9})?)?\s*"
    if not re.fullmatch(f"{span}(,{span})*", word):
        raise argparse.ArgumentTypeError(f"expected numbers and spans, such as 0,30,60-90:10; found '{word}'")
    return word


CAMERA_NAMES = ("front", "side", "three-quarter", "top")  # as in `puppet.render.camera`, which loads numpy
_SKELETONS = (".bvh", ".glb")
_FILMS = (".gif", ".mp4")
_PICTURES = (".gif", ".mp4", ".png")
OPTIONS = (
    WriterOption("scale", _SKELETONS, "length of one unit; the puppet is about 1 tall", _number(1e-6, 1e6), "NUMBER"),
    WriterOption("up", (".bvh",), "the file's vertical axis: y or z", _up, "AXIS"),
    WriterOption("t_pose", (".bvh",), "begin with the zero posture, the rest pose of the skeleton"),
    WriterOption("objects", (".bvh",), "write the motion of the objects too, to NAME.objects.bvh"),
    WriterOption("camera", _PICTURES, f"where it is seen from: {', '.join(CAMERA_NAMES)}", _camera, "NAME"),
    WriterOption("size", _PICTURES, "of each picture, in pixels: 960x540", _size, "WxH"),
    WriterOption("fps", _FILMS, "pictures a second; the speed stays", _number(1e-3, 1000), "NUMBER"),
    WriterOption("frames", (".png",), "which ones, such as 0,30,60-90:10; else the ends of tasks", _frames, "LIST"),
    WriterOption("columns", (".png",), "pictures side by side", _columns, "NUMBER"),
    WriterOption("labels", _PICTURES, "write the names of objects and spaces into the picture"),
    WriterOption("arrows", _PICTURES, "draw the contact forces of a motion with physics"),
)


def add_writer_options(parser: argparse.ArgumentParser, options: Sequence[WriterOption] = OPTIONS) -> None:
    group = parser.add_argument_group("options for some kinds of files")
    for option in options:
        words = f"{', '.join(option.endings)}: {option.help}"
        if option.read is None:
            group.add_argument(option.flag, help=words, action="store_true", default=None)
        else:
            group.add_argument(option.flag, help=words, type=option.read, metavar=option.metavar)
