"""Screens: what a window shows and how it reacts. The loop drives one screen at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from puppet.render.camera import Camera
from puppet.render.model import DrawnModel
from puppet.render.renderer import Renderer
from puppet.types import Floats
from puppet.window.box import Box
from puppet.window.event import Close, Event, Key, Resize
from puppet.window.interface import Interface, PlacedPanel

SCALES = (0.75, 0.9, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)


class Picture:
    """A picture of a model, drawn again only when it would look different."""

    def __init__(self, model: DrawnModel, size: tuple[int, int]) -> None:
        self._renderer = Renderer(model, size)
        self._last: tuple[Floats, Camera, bool, tuple[int, int]] | None = None

    def draw(self, transforms: Floats, camera: Camera, labels: bool, size: tuple[int, int]) -> bool:
        """Draws if anything has changed; returns whether it did."""
        last = self._last
        if last is not None and last[1:] == (camera, labels, size) and np.array_equal(last[0], transforms):
            return False
        self._renderer.resize(size)
        self._renderer.draw(transforms, camera, labels)
        self._last = (np.array(transforms), camera, labels, size)
        return True

    def show(self) -> None:
        self._renderer.show()

    def close(self) -> None:
        self._renderer.close()


class Screen(ABC):
    """Base class of all screens. `scale` is pixels to a point."""

    def __init__(self, scale: float) -> None:
        self.interface = Interface(scale)
        self.scale = scale
        self.closing = False

    # ---- what a screen implements

    def next(self) -> Screen | None:
        """The screen that follows this one, when it is time."""
        return None

    @property
    def left_over(self) -> Sequence[Event]:
        """Events for the next screen to handle."""
        return ()

    @abstractmethod
    def handle(self, event: Event) -> None:
        """Handles an event that is not about the window itself."""

    @abstractmethod
    def advance(self, seconds: float) -> None:
        """Lets time pass."""

    @abstractmethod
    def show_error(self, text: str) -> None:
        """Shows an error."""

    @property
    def pointer(self) -> str:
        """The pointer's shape: arrow, hand or move."""
        return "hand" if self.interface.pointing else "arrow"

    @abstractmethod
    def panels(self, size: tuple[float, float]) -> Sequence[PlacedPanel]:
        """The panels over the picture, the topmost last; `size` of the window in points."""

    def draw(self, size: tuple[int, int]) -> bool:
        """Draws the picture off screen; `size` in pixels. Returns whether it has changed."""
        return False

    @abstractmethod
    def show(self) -> None:
        """Copies the picture into the window."""

    def close(self) -> None:
        """Frees what the graphics card holds."""
        self.interface.close()

    # ---- the same for all

    def take(self, event: Event) -> None:
        """Takes any event: closes, changes the scale, or calls `handle`."""
        if event == Close() or (isinstance(event, Key) and event.control and event.name == "q"):
            self.closing = True
        elif isinstance(event, Key) and event.control and event.name in ("=", "+", "-", "0", "[+]", "[-]"):
            self.rescale({"-": -1, "[-]": -1, "0": 0}.get(event.name, 1))
        elif not isinstance(event, Resize):
            self.handle(event)

    def rescale(self, steps: int) -> None:
        """Makes the interface larger or smaller by steps of SCALES; 0: a scale of 1."""
        scale = 1.0
        if steps:
            nearest = min(range(len(SCALES)), key=lambda n: abs(SCALES[n] - self.scale))
            scale = SCALES[min(max(nearest + steps, 0), len(SCALES) - 1)]
        self.scale = scale
        self.interface.rescale(scale)


def window_box(size: tuple[float, float]) -> Box:
    return Box(0.0, 0.0, *size)
