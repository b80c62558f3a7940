"""Physics of a live performance: the stage's frames in, those that contact forces can cause out, pushes in between."""

from __future__ import annotations

import numpy as np

from puppet.body import Body
from puppet.command import Push
from puppet.dynamics import Homecoming, LiveFilter
from puppet.scene import Scene
from puppet.types import Floats


class LivePhysics:
    """The filter from one moment on; what it shows is one frame late. When it is switched off, the figure goes back to
    where the stage has it."""

    def __init__(self, body: Body, scene: Scene, fps: float, angles: Floats) -> None:
        self._body, self._scene, self._fps = body, scene, fps
        self._filter: LiveFilter | None = None
        self._home: Homecoming | None = None
        self._since_home = 0  # frames
        self._pushes: list[tuple[Push, int]] = []  # with the frames that are left of each
        self._given, self._shown = [angles] * 3, [angles] * 2  # the last frames; what is shown is late
        self.switch_on()
        self.step(angles)

    @property
    def angles(self) -> Floats:
        """What is shown."""
        return self._shown[-1]

    @property
    def on(self) -> bool:
        return self._filter is not None

    @property
    def over(self) -> bool:
        """Whether it is off, and the figure is where the stage has it."""
        return self._filter is None and self._home is None

    @property
    def fallen(self) -> bool:
        return self._filter is not None and self._filter.fallen

    @property
    def acting(self) -> tuple[Floats, Floats] | None:
        """Where forces act now, (points, 3), and how strongly, (points, 3), as parts of the weight; None: off."""
        return None if self._filter is None else self._filter.acting

    def switch_on(self) -> None:
        """From now on; who is on the way back begins there."""
        self._filter = LiveFilter(self._body, self._fps, self._scene)

    def switch_off(self) -> None:
        self._home, self._since_home = None, 0
        if self._filter is not None:
            self._home = Homecoming(self._body, self._fps, np.array(self._shown), np.array(self._given[:2]))
        self._filter, self._pushes = None, []

    def push(self, push: Push) -> None:
        self._pushes.append((push, push.frames))

    def step(self, angles: Floats) -> None:
        """The stage's next frame."""
        if self._home is not None:
            self._since_home += 1
            angles = self._home.at(self._since_home, np.array(angles))
            if self._since_home >= self._home.frames:
                self._home = None
        self._given = [*self._given[1:], angles]
        shown = angles
        if self._filter is not None:
            shown = self._filter.step(angles, [(push.part, push.by) for push, _ in self._pushes])
            self._pushes = [(push, left - 1) for push, left in self._pushes if left > 1]
        self._shown = [self._shown[1], shown]
