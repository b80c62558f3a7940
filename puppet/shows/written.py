"""Commands of a live performance as they read in its take, so that a replay gets exactly the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from puppet.body import Body
from puppet.command import (
    Balance,
    Command,
    Drag,
    Freeze,
    Lock,
    Movement,
    Pin,
    Push,
    Record,
    ReleaseHand,
    SetInterrupt,
    SetPhysics,
    SetPrimitive,
    Unlock,
    Unpin,
)
from puppet.errors import PuppetError, did_you_mean
from puppet.language import format_command, read_command
from puppet.scene import Scene
from puppet.tasks import Gestures, whole_body_flaw

# What a live performance takes; the other commands are about time, which passes anyway.
_LIVE_COMMANDS = (
    Movement, Pin, Unpin, Balance, Lock, Unlock, ReleaseHand, Freeze, SetPrimitive, SetInterrupt, Record, SetPhysics,
    Push,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Written:
    """The words that a take has for commands."""

    gestures: Gestures
    scene: Scene
    body: Body
    fps: float

    def read(self, text: str) -> Command:
        """A command in the language."""
        return read_command(text, self.gestures, self.scene, self.body, self.fps)

    def again(self, command: Command) -> Command:
        """The command as it reads in the take; PuppetError, where a live performance has none such."""
        if not isinstance(command, _LIVE_COMMANDS):
            raise PuppetError(f"'{format_command(command)}' belongs in a script: live, time passes by itself")
        problem = whole_body_flaw(command) if isinstance(command, (Pin, Unpin, Drag, Balance)) else ""
        if problem:
            raise PuppetError(problem)
        return self.read(format_command(command))


def name_problem(commands: Iterable[Command], told: Iterable[Command]) -> str:
    """Why a take could not be read again with commands after those that were told: a task's name twice, or one that is
    not known; "" where it could."""
    names = {command.label for command in told if isinstance(command, Movement) and command.label is not None}
    for command in commands:
        if not isinstance(command, Movement):
            continue
        if command.label in names:
            return f"a task is called '{command.label}' already; give this one another name"
        for relation in (command.when, command.until):
            if relation is not None and relation.name not in names:
                return f"no task is called '{relation.name}'; {did_you_mean(relation.name, names)}"
        names |= {command.label} if command.label is not None else set()
    return ""
