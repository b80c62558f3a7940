"""The arguments of the subcommands that open a window."""

from __future__ import annotations

import argparse
import re

from puppet.cli import status
from puppet.window import DEFAULT_SIZE

_DEFAULT_SIZE = "x".join(map(str, DEFAULT_SIZE))
MIN_SIZE, MAX_SIZE = (320, 240), (7680, 4320)


def add_window_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", metavar="WxH", default=_DEFAULT_SIZE, help=f"the window's size ({_DEFAULT_SIZE})")
    parser.add_argument("--scale", metavar="NUMBER", type=float, help="pixels to a point; by the screen's size")
    parser.add_argument("--stats", action="store_true", help="at the end, say how long each stage of a frame took")


def window_size_and_scale(arguments: argparse.Namespace) -> tuple[tuple[int, int], float | None]:
    """The window's size in points, and its scale."""
    found = re.fullmatch(r"(\d{1,5})x(\d{1,5})", arguments.size)
    size = (int(found[1]), int(found[2])) if found else (0, 0)
    if not (MIN_SIZE[0] <= size[0] <= MAX_SIZE[0] and MIN_SIZE[1] <= size[1] <= MAX_SIZE[1]):
        least, most = ("x".join(map(str, pair)) for pair in (MIN_SIZE, MAX_SIZE))
        raise status.UsageError(f"--size: expected WIDTHxHEIGHT from {least} to {most}, found '{arguments.size}'")
    scale = arguments.scale
    if scale is not None and not 0.5 <= scale <= 4.0:
        raise status.UsageError(f"--scale: expected a number from 0.5 to 4, found {scale:g}")
    return size, scale
