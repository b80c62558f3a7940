"""Physics of a live performance: the stage's frames in, those that contact forces can cause out, pushes in between."""

from __future__ import annotations

from puppet.body import Body
from puppet.command import Push
from puppet.dynamics import LiveFilter
from puppet.scene import Scene
from puppet.types import Floats


class LivePhysics:
    """The filter from one moment on; what it shows is one frame late."""

    def __init__(self, body: Body, scene: Scene, fps: float, angles: Floats) -> None:
        self._filter = LiveFilter(body, fps, scene)
        self._pushes: list[tuple[Push, int]] = []  # with the frames that are left of each
        self.angles = angles
        self.step(angles)

    @property
    def fallen(self) -> bool:
        return self._filter.fallen

    @property
    def acting(self) -> tuple[Floats, Floats]:
        """Where forces act now, (points, 3), and how strongly, (points, 3), as parts of the weight."""
        return self._filter.acting

    def push(self, push: Push) -> None:
        self._pushes.append((push, push.frames))

    def step(self, angles: Floats) -> None:
        """The stage's next frame."""
        self.angles = self._filter.step(angles, [(push.part, push.by) for push, _ in self._pushes])
        self._pushes = [(push, left - 1) for push, left in self._pushes if left > 1]
