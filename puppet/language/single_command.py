"""Reads one command from one line, as given to a stage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from puppet.body import Body
from puppet.command import DEFAULT_FPS, Command, Source
from puppet.language.expand import script_commands
from puppet.language.mistake import Mistake, ScriptError
from puppet.language.reader import read_script
from puppet.language.tree import CallStatement, ImportStatement, LetStatement, RepeatStatement, SeedStatement
from puppet.scene import Scene

_NO_COMMANDS = (RepeatStatement, CallStatement, LetStatement, SeedStatement, ImportStatement)


def read_command(
    line: str,
    gestures: Iterable[str] | None = None,
    scene: Scene | None = None,
    body: Body | None = None,
    fps: float = DEFAULT_FPS,
) -> Command:
    """The command in a line; a ScriptError if it has mistakes. Without a scene its names are not checked."""
    text = line.strip()
    script = read_script(text, "")
    if fps != DEFAULT_FPS:
        script = replace(script, fps=fps)
    found = script_commands(script, scene, gestures, body)
    blocks = [statement for statement in script.statements if isinstance(statement, _NO_COMMANDS)]
    if len(script.lines) > 1 or blocks or script.definitions or len(script.statements) != 1:
        message = "expected one command, found nothing" if not script.statements else "expected one command in one line"
        raise ScriptError([Mistake("", 1, 1, 1, script.line(1), message)])
    return replace(next(iter(found)), source=Source(0, 1, "", script.words(1)))
