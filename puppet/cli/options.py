"""The options of all writers. Which file uses which is the writers' affair: see `puppet.cli.outputs`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Option:
    """An option that some writer takes as a keyword-only parameter of the same name."""

    name: str
    help: str
    read: Callable[[str], Any] | None = None  # None: a flag
    metavar: str = ""

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")


OPTIONS: tuple[Option, ...] = ()


def add_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("options of single kinds of files")
    for option in OPTIONS:
        if option.read is None:
            group.add_argument(option.flag, help=option.help, action="store_true", default=None)
        else:
            group.add_argument(option.flag, help=option.help, type=option.read, metavar=option.metavar)
