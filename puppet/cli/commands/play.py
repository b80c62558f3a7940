"""`puppet play`: plays a script's motion or a BVH file in the window."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from puppet.cli import status
from puppet.cli.context import Context
from puppet.cli.inputs import add_input_arguments, body_of, environment_of, gestures_of
from puppet.cli.script import STDIN, find_script
from puppet.cli.window import add_window_arguments, window_size_and_scale
from puppet.errors import PuppetError
from puppet.files import shipped

SUMMARY = "watch a script's motion or a BVH file in the window"
DESCRIPTION = """\
Watch a motion: play, pause, step, drag the bar, loop, look from anywhere. When the file is saved anew, it is carried
out again; mistakes are shown, and the last good motion stays.

    puppet play my.puppet                         beside an editor: write, save, watch
    puppet play coffee                            a script that comes with puppet (puppet list)
    puppet play walk.bvh --loop                   a motion from another program
    puppet play jump.tracks.yaml                  keyframes with physics (puppet list tracks): drag the keys

A BVH file is a clip that can be edited. Pause it and drag a part of the body, click it to pin it to its recorded path,
or right click it to pin it where it is. Ctrl+S saves the edited clip and the script of the edits (see puppet edit).
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "puppet play SCRIPT|FILE.bvh [-e FILE] [option ...]"
    parser.add_argument("script", metavar="SCRIPT", help="a script, one that comes with puppet, or a BVH file")
    add_input_arguments(parser)
    parser.add_argument("--draft", action="store_true", help="estimated postures: faster, not exact")
    parser.add_argument("--loop", action="store_true", help="again and again")
    add_window_arguments(parser)


def execute(arguments: argparse.Namespace, context: Context) -> int:
    source = Path(arguments.script)
    if arguments.script == STDIN:
        raise status.UsageError("a file is played, so that it can be loaded again; a pipe cannot: see puppet run")
    if source.suffix.lower() == ".bvh":
        if not os.path.isfile(source):
            shipped.check_readable(source)
            raise PuppetError(f"no file '{arguments.script}'")
    else:
        source = Path(find_script(arguments.script).source)
    environment, gestures, body = environment_of(arguments), gestures_of(arguments), body_of(arguments)

    from puppet.window.app import play

    size, scale = window_size_and_scale(arguments)
    times = play(source, environment, arguments.draft, arguments.loop, gestures, body, size, scale)
    if arguments.stats:
        context.out.say(", ".join(f"{name} {value:.2f} ms" for name, value in times.items()))
    return status.ALL_DONE
