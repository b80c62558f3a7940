"""The task language: scripts are read, judged against their scene, and give commands. The parser loads late."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from puppet.language.expand import commands
from puppet.language.format import format_command, format_script
from puppet.language.judge import MAX_COMMANDS, check
from puppet.language.mistake import Mistake, ScriptError
from puppet.language.reader import read_script
from puppet.language.single import read_command
from puppet.language.tree import Script

if TYPE_CHECKING:
    from puppet.body import Body
    from puppet.scene import Scene



def check_file(
    path: str | Path,
    environment: str | Path | Scene | None = None,
    gestures: Iterable[str | Path] = (),
    body: Body | None = None,
) -> tuple[Mistake, ...]:
    """All mistakes of a file, whatever kind it is: see `puppet.check`."""
    from puppet import check as files  # it knows every kind of file, this package knows one

    return files.check_file(path, environment, gestures, body)


__all__ = [
    "MAX_COMMANDS",
    "Mistake",
    "Script",
    "ScriptError",
    "check",
    "check_file",
    "commands",
    "format_command",
    "format_script",
    "read_command",
    "read_script",
]
