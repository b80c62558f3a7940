"""Mistakes as a person reads them: place and mark in colour, and how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from puppet.cli.terminal import Terminal, plain
from puppet.errors import FileError, PuppetError

if TYPE_CHECKING:
    from puppet.language import Mistake


def painted(mistake: Mistake, terminal: Terminal) -> str:
    """A mistake as it tells itself."""
    first, *rest = plain(str(mistake)).split("\n")
    where = plain(mistake.where)
    lines = [terminal.paint(where, "bold") + terminal.paint(first.removeprefix(where), "red")]
    lines += [terminal.paint(line, "green") if line.strip(" \t^") == "" else line for line in rest]
    return "\n".join(lines)


def counted(count: int) -> str:
    return "1 mistake" if count == 1 else f"{count} mistakes"


def error_lines(error: PuppetError, terminal: Terminal) -> list[str]:
    """An error that ends a command. What begins with its place in a file needs no name before it."""
    mistakes = getattr(error, "mistakes", ())
    if mistakes:
        return [*(painted(mistake, terminal) for mistake in mistakes), counted(len(mistakes))]
    if isinstance(error, FileError):
        return [plain(str(error))]
    return [f"{terminal.paint('puppet:', 'bold', 'red')} {plain(str(error))}"]
