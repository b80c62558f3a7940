"""Physics of a live performance, switched on and off, and what is pushed meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from puppet.body import Body
from puppet.command import Push, SetPhysics
from puppet.errors import PuppetError
from puppet.scene import Scene
from puppet.shows.messages import Message
from puppet.types import Floats

if TYPE_CHECKING:
    from puppet.shows.live_physics import LivePhysics


class PhysicsSwitch:
    """Off at first. What is shown is the stage's posture, unless physics is on or the figure is on its way back."""

    def __init__(self, body: Body, scene: Scene, fps: float) -> None:
        self._body, self._scene, self._fps = body, scene, fps
        self._physics: LivePhysics | None = None

    @property
    def on(self) -> bool:
        return self._physics is not None and self._physics.on

    @property
    def acting(self) -> tuple[Floats, Floats] | None:
        """Where forces act now, (points, 3), and how strongly, (points, 3), as parts of the weight; None: off."""
        return None if self._physics is None else self._physics.acting

    def shown(self, angles: Floats) -> Floats:
        """What is shown while the stage has a posture."""
        return angles if self._physics is None else self._physics.angles

    def problem(self, command: SetPhysics | Push, angles: Floats) -> str:
        """Why a command can have no effect while the stage has a posture; "" where it can."""
        if isinstance(command, Push):
            return "" if self.on else "Nothing is pushed without physics: it is off"
        if command.on and self._physics is None:
            try:
                self._new(angles)
            except PuppetError as error:
                return str(error)
        return ""

    def give(self, command: SetPhysics | Push, angles: Floats) -> Message:
        """Carries out a command; returns what it did, or why it has no effect."""
        problem = self.problem(command, angles)
        if problem:
            return Message(problem, problem=True)
        if isinstance(command, Push):
            assert self._physics is not None
            self._physics.push(command)
            return Message(f"Pushed: {command.part}")
        if self._physics is None:
            self._physics = self._new(angles) if command.on else None
        elif not command.on:
            self._physics.switch_off()
        elif not self._physics.on:
            self._physics.switch_on()
        return Message(f"Physics {'on' if command.on else 'off'}")

    def restart(self, on: bool, angles: Floats) -> None:
        """As it was when the stage had that posture: forces begin anew."""
        self._physics = self._new(angles) if on else None

    def step(self, angles: Floats) -> bool:
        """The stage's next frame; whether the figure has fallen in it."""
        if self._physics is None:
            return False
        stood = not self._physics.fallen
        self._physics.step(angles)
        falls = stood and self._physics.fallen
        if self._physics.over:
            self._physics = None
        return falls

    def _new(self, angles: Floats) -> LivePhysics:
        from puppet.shows.live_physics import LivePhysics  # only those who ask for physics load it

        return LivePhysics(self._body, self._scene, self._fps, angles)
