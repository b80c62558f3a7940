"""What every subcommand is given: the two streams of the process."""

from __future__ import annotations

from dataclasses import dataclass

from puppet.cli.terminal import Terminal


@dataclass(frozen=True)
class Context:
    """`out` takes what was asked for, `err` what is said about it."""

    out: Terminal
    err: Terminal
