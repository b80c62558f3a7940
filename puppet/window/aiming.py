"""Pointing at the stage: what is under the pointer is outlined and named; a click asks what to do."""

from __future__ import annotations

import math

from puppet.command import LookAt, PointAt, Spot
from puppet.geometry import hull
from puppet.shows import Live
from puppet.window.box import Box
from puppet.window.interface import PlacedPanel
from puppet.window.paint import Paint
from puppet.window.panels.target import HandChooser, Outline, Tip
from puppet.window.picking import Pick, outline, pick
from puppet.window.view import View


class Aiming:
    def __init__(self, live: Live, view: View) -> None:
        self._live, self._view = live, view
        self._pointer: tuple[float, float] | None = None
        self.target: Pick | None = None  # under the pointer, or asked about
        self._outline, self._tip = Outline(), Tip()
        self._chooser: HandChooser | None = None
        self._asked_at = (0.0, 0.0)
        self.hands = True  # whether hands can be aimed at

    @property
    def asking(self) -> bool:
        return self._chooser is not None

    def point(self, place: tuple[float, float] | None, nearest: float = math.inf) -> None:
        """Sets the position of the pointer; None: it is not over the stage. `nearest`: what is farther is hidden."""
        self._pointer = place
        if not self.asking:
            found = self._under(place) if place else None
            self.target = found if found is not None and found.distance <= nearest else None

    def click(self) -> None:
        """Asks which hand to reach with, or stops asking."""
        if self.asking:
            self.cancel()
        elif self.target is not None and self._pointer is not None:
            target, self._asked_at = self.target, self._pointer
            body, act = self._live.body, self._choose
            hands = tuple(hand for hand in body.hands if (target.kind, target.name) != ("hand", hand))
            self._chooser = HandChooser(f"Reach {target.words} with", body, hands, target.kind == "object", act)

    def cancel(self) -> None:
        self._chooser = None
        self.target = None

    def _choose(self, what: str, hand: str) -> None:
        target = self.target
        self.cancel()
        if target is None:
            return
        spot = Spot("name" if target.kind == "object" else target.kind, target.name)
        if what == "look":
            self._live.give(LookAt(spot=spot))
        elif what == "point":
            self._live.give(PointAt(spot=spot, hand=hand))
        elif target.kind == "object":
            self._live.reach(object=target.name, hand=hand, hold=what == "hold")
        else:
            self._live.reach(space=target.name, hand=hand)

    def panels(self, paint: Paint, window: Box) -> list[PlacedPanel]:
        if self.target is None:
            return []
        live, found = self._live, []
        points = outline(self.target, live.scene, live.frame.objects, live.stage.hands)
        seen = self._view.project(points)
        if (seen[:, 2] > 0.0).all():
            shape = hull([(round(float(x), 1), round(float(y), 1)) for x, y, _ in seen])
            box = self._outline.place(shape) if len(shape) > 2 else None
            if box and box.width < window.width and box.height < window.height:
                found.append(PlacedPanel(self._outline, box))
        if self._chooser is not None:
            found.append(PlacedPanel(self._chooser, self._chooser.place(paint, *self._asked_at, window)))
        elif self._pointer is not None:
            self._tip.words = self.target.words
            found.append(PlacedPanel(self._tip, self._tip.place(paint, *self._pointer, window)))
        return found

    def _under(self, place: tuple[float, float]) -> Pick | None:
        live = self._live
        hands = live.stage.hands if self.hands else {}
        return pick(*self._view.ray(*place), live.scene, live.frame.objects, hands)
