"""Text in, commands out: scripts are read, checked against their scene, and expanded. And back: `format`."""

from __future__ import annotations

from puppet.language.checker import MAX_COMMANDS, check_script
from puppet.language.completion import completed, completions
from puppet.language.expand import checked_commands, readable_commands, script_commands
from puppet.language.format import format_command, format_script
from puppet.language.mistake import Mistake, ScriptError
from puppet.language.reader import read_script
from puppet.language.single_command import read_command
from puppet.language.tree import Script
from puppet.language.vocabulary import Vocabulary

__all__ = [
    "MAX_COMMANDS",
    "Mistake",
    "Script",
    "ScriptError",
    "Vocabulary",
    "check_script",
    "checked_commands",
    "completed",
    "completions",
    "format_command",
    "format_script",
    "read_command",
    "read_script",
    "readable_commands",
    "script_commands",
]
