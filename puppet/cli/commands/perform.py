"""`puppet perform`: a live performance in the window, with keyboard and mouse."""

from __future__ import annotations

import argparse
from pathlib import Path

from puppet.cli import status
from puppet.cli.context import Context
from puppet.cli.inputs import body_of, gestures_of
from puppet.cli.script import find_script
from puppet.cli.window import add_window_arguments, window_size_and_scale
from puppet.errors import PuppetError
from puppet.files import shipped

SUMMARY = "puppeteer live from keyboard and mouse, and record it"
DESCRIPTION = """\
Puppeteer live in the window. Click a thing or a place to reach for it; F1 shows what every key does.

    puppet perform                                the blocks that come with puppet
    puppet perform coffee                         another scene (puppet list)
    puppet perform --record take.puppet           every command goes to a script, safe at once
    puppet perform --over take.puppet --record both.puppet
                                                  that take again, with more on top of it, as one script
    puppet run take.puppet -o take.bvh            the same motion again
"""
MAX_SCREEN_FPS = 240.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "puppet perform [ENVIRONMENT] [--record TAKE] [--over TAKE] [option ...]"
    parser.add_argument(
        "environment", metavar="ENVIRONMENT", nargs="?", help="a file, or a scene that comes with puppet"
    )
    parser.add_argument("--record", metavar="TAKE", help="the script that every command is written to")
    parser.add_argument("--over", metavar="TAKE", help="an earlier take that is carried out meanwhile")
    parser.add_argument("--keys", metavar="FILE", default="thesis", help="the key map: YAML, or the name of one")
    parser.add_argument("--draft", action="store_true", help="estimated postures: faster, not exact")
    parser.add_argument("--fps", metavar="NUMBER", type=float, help="frames a second: 30, or the earlier take's")
    parser.add_argument(
        "--gestures", metavar="FILE", action="append", default=[], help="YAML file of further general tasks; repeatable"
    )
    parser.add_argument("--body", metavar="FILE", help="YAML file of another body, or the name of one with puppet")
    add_window_arguments(parser)


def execute(arguments: argparse.Namespace, context: Context) -> int:
    # All that can be checked before the window opens is checked here.
    name, fps = arguments.environment, arguments.fps
    environment = None if name is None else shipped.find("environments", name)
    over = None if arguments.over is None else Path(find_script(arguments.over).source)
    keys = shipped.find("keys", arguments.keys)
    if fps is not None and not 1.0 <= fps <= MAX_SCREEN_FPS:
        raise status.UsageError(f"--fps: expected a number from 1 to {MAX_SCREEN_FPS:g}, found {fps:g}")
    record = None if arguments.record is None else Path(arguments.record)
    if record is not None and record.suffix != ".puppet":
        raise PuppetError(f"--record: a take is a script and ends with .puppet, '{record.name}' does not")
    gestures, body = gestures_of(arguments), body_of(arguments)

    from puppet.window.app import perform

    size, scale = window_size_and_scale(arguments)
    try:
        times = perform(environment, keys, record, over, arguments.draft, fps, gestures, body, size, scale)
    except KeyboardInterrupt as stop:
        told = "nothing was recorded" if record is None else f"the take is {record}"
        raise KeyboardInterrupt(told) from stop
    if record is not None:
        context.err.say(f"the take is {record}: puppet run {record} -o {record.stem}.bvh")
    if arguments.stats:
        context.out.say(", ".join(f"{name} {value:.2f} ms" for name, value in times.items()))
    return status.DONE
