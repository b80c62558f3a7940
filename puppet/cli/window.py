"""The arguments of those subcommands that open a window."""

from __future__ import annotations

import argparse
import re

from puppet.cli import status

SIZE = "1280x720"
SMALLEST, LARGEST = (320, 240), (7680, 4320)


def add_window(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", metavar="WxH", default=SIZE, help=f"the window's size ({SIZE})")
    parser.add_argument("--scale", metavar="NUMBER", type=float, help="pixels to a point; by the screen's size")
    parser.add_argument("--stats", action="store_true", help="at the end, say how long each stage of a frame took")


def opened(arguments: argparse.Namespace) -> tuple[tuple[int, int], float | None]:
    """Size in points, and scale."""
    found = re.fullmatch(r"(\d{1,5})x(\d{1,5})", arguments.size)
    size = (int(found[1]), int(found[2])) if found else (0, 0)
    if not (SMALLEST[0] <= size[0] <= LARGEST[0] and SMALLEST[1] <= size[1] <= LARGEST[1]):
        least, most = ("x".join(map(str, pair)) for pair in (SMALLEST, LARGEST))
        raise status.UsageError(f"--size: expected WIDTHxHEIGHT from {least} to {most}, found '{arguments.size}'")
    scale = arguments.scale
    if scale is not None and not 0.5 <= scale <= 4.0:
        raise status.UsageError(f"--scale: expected a number from 0.5 to 4, found {scale:g}")
    return size, scale
