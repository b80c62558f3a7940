"""The task language: scripts are read, judged against their scene, and give commands. The parser loads late."""

from __future__ import annotations

from puppet.language.expand import commands
from puppet.language.format import format_command, format_script
from puppet.language.judge import MAX_COMMANDS, check
from puppet.language.mistake import Mistake, ScriptError
from puppet.language.reader import read_script
from puppet.language.single import read_command
from puppet.language.tree import Script

__all__ = [
    "MAX_COMMANDS",
    "Mistake",
    "Script",
    "ScriptError",
    "check",
    "commands",
    "format_command",
    "format_script",
    "read_command",
    "read_script",
]
