"""Mistakes for a terminal: place and mark in colour, and how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from puppet.cli.terminal import Terminal
from puppet.errors import FileError, PuppetError, visible

if TYPE_CHECKING:
    from puppet.language import Mistake


def colored_mistake(mistake: Mistake, terminal: Terminal) -> str:
    """The text of a mistake, in colour."""
    first, *rest = visible(str(mistake)).split("\n")
    where = visible(mistake.where)
    lines = [terminal.paint(where, "bold") + terminal.paint(first.removeprefix(where), "red")]
    lines += [terminal.paint(line, "green") if line.strip(" \t^") == "" else line for line in rest]
    return "\n".join(lines)


def mistake_count(count: int) -> str:
    return "1 mistake" if count == 1 else f"{count} mistakes"


def error_lines(error: PuppetError, terminal: Terminal) -> list[str]:
    """The lines for an error that ends a command, with the program's name if they do not begin with a file's."""
    mistakes = getattr(error, "mistakes", ())
    if mistakes:
        return [*(colored_mistake(mistake, terminal) for mistake in mistakes), mistake_count(len(mistakes))]
    if isinstance(error, FileError):
        return [visible(str(error))]
    return [f"{terminal.paint('puppet:', 'bold', 'red')} {visible(str(error))}"]
