"""Parses the command line: which subcommand, with which arguments."""

from __future__ import annotations

import argparse
import pkgutil
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import NoReturn, Protocol, cast

from puppet import __version__
from puppet.cli import commands, status
from puppet.cli.context import Context
from puppet.cli.terminal import Terminal
from puppet.errors import did_you_mean, visible

_DESCRIPTION = """\
Write what a puppet should do, get the motion.

    puppet demo                              the cafe scene
    puppet run coffee -o coffee.bvh          carry out a script that comes with puppet
    puppet check my.puppet                   every mistake in a script of your own
    puppet explain my.puppet                 who moves which part of the body, and when
    puppet play my.puppet                    watch it in the window, again whenever it is saved
    puppet perform                           puppeteer live, with keyboard and mouse
    puppet edit walk.bvh dodge.puppet -o dodged.bvh      change a recorded motion
    puppet retarget walk.bvh --body person -o ours.bvh   carry it over to another body
"""


class Subcommand(Protocol):
    """The interface of a module of `puppet.cli.commands`."""

    SUMMARY: str
    DESCRIPTION: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def execute(self, arguments: argparse.Namespace, context: Context) -> int: ...


@dataclass(frozen=True)
class ParsedCommand:
    """A valid command line, ready to execute."""

    execute: Callable[[Context], int]


class _Parser(argparse.ArgumentParser):
    """An argument parser that keeps the line breaks of descriptions and accepts no abbreviated options."""

    def __init__(self, prog: str, description: str, epilog: str = "") -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            formatter_class=partial(argparse.RawDescriptionHelpFormatter, max_help_position=28, width=100),
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        raise argparse.ArgumentError(None, message)


def subcommand_names() -> tuple[str, ...]:
    """The names of all subcommands."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(commands.__path__)))


def load_subcommand(name: str) -> Subcommand:
    return cast(Subcommand, import_module(f"{commands.__name__}.{name}"))


def parse_arguments(argv: Sequence[str], err: Terminal) -> ParsedCommand | int:
    """The command to execute, or an exit status where there is none: help, version, a wrong command line."""
    known = subcommand_names()
    if argv and argv[0] == "help":  # many try this first
        argv = [*argv[1:2], "--help"]
    if argv and argv[0] in known:
        module = load_subcommand(argv[0])
        parser = _Parser(f"puppet {argv[0]}", module.DESCRIPTION, status.EXIT_STATUS_HELP)
        module.add_arguments(parser)
        arguments = _parse_with(parser, argv[1:], err)
        return arguments if isinstance(arguments, int) else ParsedCommand(partial(module.execute, arguments))
    parser = _Parser("puppet", _DESCRIPTION, status.EXIT_STATUS_HELP)
    parser.usage = "puppet COMMAND ... (puppet COMMAND --help tells more)"
    parser.add_argument("--version", action="version", version=f"puppet {__version__}")
    group = parser.add_argument_group("commands")
    for name in known:
        group.add_argument(name, help=load_subcommand(name).SUMMARY, nargs="?", metavar=name)
    if argv and not argv[0].startswith("-"):
        return _usage_error(parser, f"unknown command '{argv[0]}'; {did_you_mean(argv[0], known)}", err)
    if not argv:
        err.say(parser.format_help().rstrip())
        return status.USAGE
    arguments = _parse_with(parser, argv, err)
    return arguments if isinstance(arguments, int) else _usage_error(parser, "a command is missing", err)


def _parse_with(parser: _Parser, argv: Sequence[str], err: Terminal) -> argparse.Namespace | int:
    try:
        arguments, rest = parser.parse_known_args(argv)
    except argparse.ArgumentError as error:
        return _usage_error(parser, str(error), err)
    except SystemExit:  # --help and --version exit
        return status.ALL_DONE
    if not rest:
        return arguments
    word = rest[0].partition("=")[0]
    if not word.startswith("-"):
        return _usage_error(parser, f"'{word}' is too much here", err)
    options = re.findall(r"(?<!\S)--[a-z][a-z-]*", parser.format_help())
    return _usage_error(parser, f"unknown option '{word}'; {did_you_mean(word, options)}", err)


def _usage_error(parser: _Parser, message: str, err: Terminal) -> int:
    err.say(parser.format_usage().rstrip())
    err.say(f"{err.paint(f'{parser.prog}:', 'bold')} {visible(message)}")
    return status.USAGE
