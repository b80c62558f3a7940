"""The command line's words: which subcommand, with which arguments."""

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
from puppet.cli.terminal import Terminal, plain
from puppet.errors import did_you_mean

_DESCRIPTION = """\
Write what a puppet should do, get the motion.

    puppet demo                              the coffee scene
    puppet run coffee -o coffee.bvh          carry out a script that comes with puppet
    puppet check my.puppet                   every mistake in a script of your own
    puppet explain my.puppet                 who moves which part of the body, and when
    puppet play my.puppet                    watch it in the window, again whenever it is saved
    puppet perform                           puppeteer live, with keyboard and mouse
"""


class Subcommand(Protocol):
    """What a module of `puppet.cli.commands` offers."""

    SUMMARY: str
    DESCRIPTION: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def execute(self, arguments: argparse.Namespace, context: Context) -> int: ...


@dataclass(frozen=True)
class Parsed:
    """A command line that makes sense."""

    execute: Callable[[Context], int]


class _Parser(argparse.ArgumentParser):
    """An argument parser that keeps the line ends of descriptions, and that does not guess at cut-off options."""

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


def names() -> tuple[str, ...]:
    """The subcommands that there are."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(commands.__path__)))


def load(name: str) -> Subcommand:
    return cast(Subcommand, import_module(f"{commands.__name__}.{name}"))


def parse(argv: Sequence[str], err: Terminal) -> Parsed | int:
    """What a command line asks for; or the exit status, when everything is said."""
    known = names()
    if argv and argv[0] == "help":  # what many will try first
        argv = [*argv[1:2], "--help"]
    if argv and argv[0] in known:
        module = load(argv[0])
        parser = _Parser(f"puppet {argv[0]}", module.DESCRIPTION, status.EXPLAINED)
        module.add_arguments(parser)
        arguments = _read(parser, argv[1:], err)
        return arguments if isinstance(arguments, int) else Parsed(partial(module.execute, arguments))
    parser = _Parser("puppet", _DESCRIPTION, status.EXPLAINED)
    parser.usage = "puppet COMMAND ... (puppet COMMAND --help tells more)"
    parser.add_argument("--version", action="version", version=f"puppet {__version__}")
    group = parser.add_argument_group("commands")
    for name in known:
        group.add_argument(name, help=load(name).SUMMARY, nargs="?", metavar=name)
    if argv and not argv[0].startswith("-"):
        return _wrong(parser, f"unknown command '{argv[0]}'; {did_you_mean(argv[0], known)}", err)
    if not argv:
        err.say(parser.format_help().rstrip())
        return status.USAGE
    arguments = _read(parser, argv, err)
    return arguments if isinstance(arguments, int) else _wrong(parser, "a command is missing", err)


def _read(parser: _Parser, argv: Sequence[str], err: Terminal) -> argparse.Namespace | int:
    try:
        arguments, rest = parser.parse_known_args(argv)
    except argparse.ArgumentError as error:
        return _wrong(parser, str(error), err)
    except SystemExit:  # --help and --version have said what they had to say
        return status.DONE
    if not rest:
        return arguments
    word = rest[0].partition("=")[0]
    if not word.startswith("-"):
        return _wrong(parser, f"'{word}' is too much here", err)
    options = re.findall(r"(?<!\S)--[a-z][a-z-]*", parser.format_help())
    return _wrong(parser, f"unknown option '{word}'; {did_you_mean(word, options)}", err)


def _wrong(parser: _Parser, message: str, err: Terminal) -> int:
    err.say(parser.format_usage().rstrip())
    err.say(f"{err.paint(f'{parser.prog}:', 'bold')} {plain(message)}")
    return status.USAGE
