"""`puppet perform`: a live performance in the window, with keyboard and mouse."""

from __future__ import annotations

import argparse
import shlex
import time
from pathlib import Path

from puppet.cli import status
from puppet.cli.context import Context
from puppet.cli.inputs import body_of, gestures_of
from puppet.cli.script import find_script
from puppet.cli.window import add_window_arguments, window_size_and_scale
from puppet.errors import PuppetError
from puppet.files import shipped, user_folders
from puppet.files.text_file import read_text

SUMMARY = "puppeteer live from keyboard and mouse, and record it"
DESCRIPTION = """\
Puppeteer live in the window. Click a thing or a place to reach for it; F1 shows what every key does.

    puppet perform                                the blocks that come with puppet
    puppet perform coffee                         another scene (puppet list)
    puppet perform --record take.puppet           every command goes to this script, safe at once; without it, to one
                                                  that is named by scene and time (its name is told at the end)
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
    parser.add_argument(
        "--record",
        metavar="TAKE",
        help="the script that every command is written to; without it, one that is named by"
        " scene and time, in the user's data folder",
    )
    parser.add_argument("--no-record", action="store_true", help="write no take")
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
    if arguments.no_record and arguments.record is not None:
        raise status.UsageError("--record and --no-record contradict each other")
    record = None if arguments.record is None else Path(arguments.record)
    if record is None and not arguments.no_record:
        record = take_in_data_folder(Path(name or arguments.over or "blocks").stem)
        if record is None:
            context.err.say("no folder for takes can be written: this performance is not recorded (see --record)")
    if record is not None and record.suffix != ".puppet":
        raise PuppetError(f"--record: a take is a script and ends with .puppet, '{record.name}' does not")
    gestures, body = gestures_of(arguments), body_of(arguments)

    from puppet.window.app import perform

    size, scale = window_size_and_scale(arguments)
    try:
        times = perform(environment, keys, record, over, arguments.draft, fps, gestures, body, size, scale)
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(_take_told(record, arguments.record is None) or "nothing was recorded") from stop
    told = _take_told(record, arguments.record is None)
    if told:
        context.err.say(told)
    if arguments.stats:
        context.out.say(", ".join(f"{name} {value:.2f} ms" for name, value in times.items()))
    return status.ALL_DONE


def _take_told(record: Path | None, named_by_us: bool) -> str:
    """Which file has the take, and how it is played; "" where there is none. One in which nothing was told, whose name
    nobody asked for, is taken away."""
    if record is not None and named_by_us and is_empty_take(record):
        record.unlink(missing_ok=True)
        return ""
    return "" if record is None else f"the take is {record}: puppet play {shlex.quote(str(record))}"


def take_in_data_folder(scene: str) -> Path | None:
    """A new file for a take, named by scene and time; None where nothing can be written."""
    folder = user_folders.data_folder()
    if folder is None or not user_folders.make_private(folder) or not user_folders.make_private(folder / "takes"):
        return None
    stem, number = f"{scene}-{time.strftime('%Y-%m-%d-%H%M%S')}", 1
    found = folder / "takes" / f"{stem}.puppet"
    while found.exists():
        number += 1
        found = folder / "takes" / f"{stem}-{number}.puppet"
    return found


def is_empty_take(take: Path) -> bool:
    """Whether nothing was told in a take: it only says where it is and how long it lasts."""
    try:
        words = [line.split()[0] for line in read_text(take).splitlines() if line.strip()]
    except PuppetError:
        return False
    return all(word in ("environment", "body", "fps", "at") or word.startswith("#") for word in words)
