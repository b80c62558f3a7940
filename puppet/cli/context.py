"""The context of every subcommand: the two output streams of the process."""

from __future__ import annotations

from dataclasses import dataclass

from puppet.cli.terminal import Terminal


@dataclass(frozen=True)
class Context:
    """`out` is for results, `err` for messages."""

    out: Terminal
    err: Terminal
