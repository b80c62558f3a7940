"""The arguments for a script's inputs: environment, gestures, body."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from puppet.files import shipped

if TYPE_CHECKING:
    from puppet.body import Body


def add_input_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds all but the script itself, of which some subcommands take one and some several."""
    parser.add_argument("-e", "--environment", metavar="FILE", help="the scene, instead of the one the script names")
    parser.add_argument(
        "--gestures", metavar="FILE", action="append", default=[], help="YAML file of further general tasks; repeatable"
    )
    parser.add_argument("--body", metavar="FILE", help="YAML file of another body, or the name of one with puppet")


def environment_of(arguments: argparse.Namespace) -> Path | None:
    return shipped.find("environments", arguments.environment) if arguments.environment is not None else None


def gestures_of(arguments: argparse.Namespace) -> tuple[Path, ...]:
    return tuple(shipped.find("gestures", name) for name in arguments.gestures)


def body_of(arguments: argparse.Namespace) -> Body | None:
    from puppet.body import Body

    return Body.load(shipped.find("bodies", arguments.body)) if arguments.body is not None else None
