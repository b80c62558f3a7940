"""The view of the scene: a camera that the pointer orbits, pans and zooms."""

from __future__ import annotations

import math
from dataclasses import replace

from puppet.render.camera import FIELD_OF_VIEW, PRESETS, Camera, preset
from puppet.types import Floats
from puppet.window.box import Box
from puppet.window.event import LEFT, Event, Move, Press, Release, Wheel

CAMERAS = tuple(PRESETS)
CLICK = 4.0  # points that the pointer may move between down and up
_TURN = 0.0075  # radians a point
_NEARER = 1.12  # a step of the wheel


class View:
    """A camera for the part of the window that no panel covers. All coordinates in points."""

    def __init__(self, points: Floats, camera: str = "three-quarter") -> None:
        """`points` (n, 3): what is to be seen."""
        self._points = points
        self._name = camera
        self._camera: Camera | None = None  # None: the preset, fitted to the window
        self._size: tuple[float, float] = (1.0, 1.0)
        self._free = Box(0.0, 0.0, 1.0, 1.0)
        self._held: tuple[str, float, float, bool] | None = None  # button, last position, whether it pans
        self._from: tuple[float, float] = (0.0, 0.0)
        self._last: tuple[object, Camera] | None = None  # what the preset was fitted to, and how

    def place(self, size: tuple[float, float], free: Box) -> None:
        """Sets the window's size and the part of it that no panel covers."""
        before = self._share
        self._size, self._free = size, free
        if self._camera is not None and self._share != before:  # the puppet keeps its share of the free part
            self._camera = self._camera.zoom(self._share / before)

    @property
    def camera(self) -> Camera:
        """For a picture of the whole window."""
        found = self._camera or self._fitted()
        width, height = self._size
        x, y = self._free.middle
        return replace(found, shift=(2.0 * x / width - 1.0, 1.0 - 2.0 * y / height))

    def look(self, points: Floats) -> None:
        """Sets other points to show."""
        self._points, self._last = points, None

    def choose(self, camera: str) -> None:
        self._name, self._camera = camera, None

    def reset(self) -> None:
        self._camera = None

    def ray(self, x: float, y: float) -> tuple[Floats, Floats]:
        return self.camera.ray((x, y), self._pixels)

    def project(self, points: Floats) -> Floats:
        """Points of the world in the window, (..., 3): x, y, and the distance in front of the eye."""
        return self.camera.project(points, self._pixels)

    def places(self, points: Floats) -> tuple[tuple[float, float], ...]:
        """Points of the world (n, 3) in the window; none where one of them is behind the eye."""
        if len(points) == 0:
            return ()
        seen = self.project(points)
        return tuple((float(x), float(y)) for x, y, _ in seen) if (seen[:, 2] > 0.0).all() else ()

    @property
    def dragging(self) -> bool:
        return self._held is not None

    def handle(self, event: Event) -> bool:
        """Orbits, pans and zooms. True for a click: a button was released without a drag."""
        match event:
            case Press(x, y):
                self._held = (event.button, x, y, event.button != LEFT or event.shift)
                self._from = (x, y)
            case Move(x, y) if self._held is not None:
                button, last_x, last_y, moves = self._held
                if math.dist(self._from, (x, y)) < CLICK and (last_x, last_y) == self._from:
                    return False
                camera = self._camera or self._fitted()
                if moves:
                    self._camera = camera.pan((x - last_x, y - last_y), self._pixels)
                else:
                    self._camera = camera.orbit(-_TURN * (x - last_x), _TURN * (y - last_y))
                self._held = (button, x, y, moves)
            case Release(x, y):
                held, self._held = self._held, None
                return held is not None and held[0] == LEFT and (held[1], held[2]) == self._from
            case Wheel():
                self._camera = (self._camera or self._fitted()).zoom(_NEARER**event.steps)
        return False

    @property
    def _share(self) -> float:
        """How much of the window's height is free."""
        return max(self._free.height, 1.0) / max(self._size[1], 1.0)

    @property
    def _pixels(self) -> tuple[int, int]:
        return max(1, round(self._size[0])), max(1, round(self._size[1]))

    def _fitted(self) -> Camera:
        """The preset, as near as the free part allows: through that part one sees a narrower field of view."""
        free = self._free
        asked = (self._name, self._size, free)
        if self._last is not None and self._last[0] == asked:
            return self._last[1]
        narrow = 2.0 * math.atan(self._share * math.tan(0.5 * FIELD_OF_VIEW))
        chosen = replace(preset(self._name, self._points, 1.0), field_of_view=narrow)
        framed = chosen.framing(self._points, max(free.width, 1.0) / max(free.height, 1.0), 0.04)
        self._last = asked, replace(framed, field_of_view=FIELD_OF_VIEW)
        return self._last[1]
