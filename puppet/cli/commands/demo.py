"""`puppet demo`: the cafe scene, played or written to files."""

from __future__ import annotations

import argparse
import os
import sys

from puppet.cli import outputs
from puppet.cli.context import Context
from puppet.cli.options import add_writer_options
from puppet.cli.parser import ParsedCommand, parse_arguments, subcommand_names
from puppet.cli.run_script import run_script, write_outputs
from puppet.cli.script import find_shipped
from puppet.errors import PuppetError, visible
from puppet.kernels.loader import ANYWHERE, prepare

SUMMARY = "the cafe scene: played in the window, or written to files"
DESCRIPTION = """\
Carry out the cafe scene that comes with puppet: a person walks in, sits down, pours coffee and drinks it, carries the
cup to another table and jumps for joy. With a screen it is played in the window; without one, or where the window
cannot open, the motion and a sheet of pictures are written into the current folder.

    puppet demo                              watch it
    puppet demo -o cafe.bvh                  the motion, for Blender and other programs
    puppet demo -o cafe.mp4                  a movie; without a graphics card that takes minutes
    puppet run cafe --report -               the same script, step by step
"""
_SCRIPT = "cafe.puppet"
FILES = ("cafe.bvh", "cafe.png")  # no movie: drawing one takes long on a machine without a screen


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", metavar="OUT", nargs="+", action="extend", default=[], help="files to write instead"
    )
    add_writer_options(parser)


def execute(arguments: argparse.Namespace, context: Context) -> int:
    planned = outputs.plan_outputs(arguments.output or FILES, arguments)
    prepare(*ANYWHERE)  # what is not compiled yet is begun with before the rest of puppet is loaded
    if not arguments.output and has_screen() and "play" in subcommand_names():
        try:
            return _play(context)
        except PuppetError as error:
            context.err.say(f"the window does not open ({visible(str(error))}); files are written instead")
    return write_outputs(run_script(find_shipped(_SCRIPT), context.err), planned, context.err)


def has_screen() -> bool:
    """Whether a window could open. Only X11 and Wayland tell beforehand."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _play(context: Context) -> int:
    found = parse_arguments(["play", str(find_shipped(_SCRIPT).source)], context.err)
    return found.execute(context) if isinstance(found, ParsedCommand) else found
