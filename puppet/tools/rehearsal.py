"""A rehearsal: what hands are locked when each command of a script is given, which only carrying it out can tell."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from puppet.body import Body
from puppet.command import At, Command, Lock, SetFps, Unlock, UseBody, UseEnvironment, Wait
from puppet.scene import Scene

if TYPE_CHECKING:
    from puppet.stage import Stage


class Rehearsal:
    """Carries commands out as they go by, from the first lock on that is given: before it no hand is locked."""

    def __init__(self, scene: Scene, body: Body) -> None:
        self._scene, self._body = scene, body
        self._stage: Stage | None = None
        self._before: list[Command] = []
        self._locks = False  # whether any command so far has to do with locks

    def after(self, commands: Iterable[Command]) -> Iterator[Command]:
        """The same commands; each is carried out once the next one is asked for."""
        for command in commands:
            yield command
            self._before.append(command)
            self._locks = self._locks or isinstance(command, (Lock, Unlock))

    def locked(self) -> Collection[str]:
        """The hands that are locked now."""
        if not self._locks:
            return ()
        from puppet.stage import Stage  # most scripts need none

        self._stage = self._stage or Stage(self._scene, self._body)
        for command in self._before:
            self._carry_out(self._stage, command)
        self._before = []
        return self._stage.locks

    def _carry_out(self, stage: Stage, command: Command) -> None:
        if isinstance(command, At):
            while stage.frame.number < command.frame:
                stage.step()
        elif isinstance(command, Wait):
            if command.frames is None:
                stage.run_until_idle()
            for _ in range(command.frames or 0):
                stage.step()
        elif not isinstance(command, (SetFps, UseBody, UseEnvironment)):
            stage.give(command)
