"""What is drawn about a part of the body under the pointer: marks, an outline, and a tip: what a click does."""

from __future__ import annotations

from collections.abc import Sequence

from puppet.geometry import hull
from puppet.types import Floats
from puppet.window.box import Box
from puppet.window.interface import PlacedPanel
from puppet.window.paint import Paint
from puppet.window.panels.marks import MarksPanel, ViewMark
from puppet.window.panels.target import Outline, Tip
from puppet.window.view import View


class PartPanels:
    def __init__(self, view: View) -> None:
        self._view = view
        self._marks, self._outline, self._tip = MarksPanel(), Outline(), Tip()

    def place(self, window: Box, marks: Sequence[ViewMark], surface: Floats | None) -> list[PlacedPanel]:
        """The marks, and an outline around `surface`: points (n, 3) of the part in the world."""
        found = []
        box = self._marks.place(marks, window)
        if box is not None:
            found.append(PlacedPanel(self._marks, box))
        if surface is not None:
            shape = hull(self._view.places(surface))
            box = self._outline.place(shape) if len(shape) > 2 else None
            if box is not None and box.width < window.width and box.height < window.height:
                found.append(PlacedPanel(self._outline, box))
        return found

    def tip(self, paint: Paint, window: Box, pointer: tuple[float, float], words: str) -> PlacedPanel:
        self._tip.words = words
        return PlacedPanel(self._tip, self._tip.place(paint, *pointer, window))
