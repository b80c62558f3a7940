"""All panels of a window: draws those that changed, and passes pointer events to the one under the pointer."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from puppet.window.box import Box
from puppet.window.event import LEFT, Event, Leave, Move, Press, Release, Wheel
from puppet.window.overlay import Overlay
from puppet.window.paint import Paint
from puppet.window.panel import Panel, Zone


@dataclass(frozen=True)
class PlacedPanel:
    """A panel and its box in the window."""

    panel: Panel
    box: Box


class Interface:
    """The panels of a window, the topmost last."""

    def __init__(self, scale: float) -> None:
        self.paint = Paint(scale)
        self._overlay = Overlay()
        self._drawn: dict[str, Hashable] = {}
        self._placed: tuple[PlacedPanel, ...] = ()
        self._held: tuple[PlacedPanel, Zone] | None = None  # a zone whose button is down
        self._pointer: tuple[float, float] | None = None
        self.redrawn = 0  # panels drawn anew by the last `show`

    def rescale(self, scale: float) -> None:
        if scale != self.paint.scale:
            self.paint = Paint(scale)
            self._drawn.clear()

    def show(self, placed: Sequence[PlacedPanel]) -> bool:
        """Shows these panels and no others; returns whether anything has changed."""
        gone = {p.panel.name for p in self._placed} - {p.panel.name for p in placed}
        for name in gone:
            self._overlay.drop(name)
            self._drawn.pop(name, None)
        moved = [(p.panel.name, p.box) for p in placed] != [(p.panel.name, p.box) for p in self._placed]
        self._placed = tuple(placed)
        self._hover()
        self.redrawn = 0
        for p in self._placed:
            key = (p.box.width, p.box.height, p.panel.hovered, p.panel.key())
            if self._drawn.get(p.panel.name) != key:
                self._drawn[p.panel.name] = key
                p.panel.zones = []
                self.paint.begin(p.box.width, p.box.height)
                p.panel.draw(self.paint, Box(0.0, 0.0, p.box.width, p.box.height))
                self._overlay.put(p.panel.name, self.paint.surface)
                self.redrawn += 1
        return bool(self.redrawn or moved)

    def draw(self, size: tuple[int, int]) -> None:
        """Blends the panels over the picture; `size` of the window in pixels."""
        pixels = self.paint.pixels
        self._overlay.draw([(p.panel.name, pixels(p.box.x), pixels(p.box.y)) for p in self._placed], size)

    def handle(self, event: Event) -> bool:
        """Whether a panel took the event."""
        match event:
            case Move(x, y):
                self._pointer = (x, y)
                if self._held is not None:
                    self._do(self._held, "drag", x, y)
                    return True
            case Leave():
                self._pointer = None
            case Press(x, y):
                self._pointer = (x, y)
                placed = self._panel_at(x, y)
                zone = self._zone_at(placed, x, y) if placed else None
                if placed and zone and event.button == LEFT:
                    self._held = (placed, zone)
                    self._do(self._held, "press", x, y)
                return placed is not None
            case Release(x, y):
                held, self._held = self._held, None
                if held is not None:
                    self._do(held, "release", x, y)
                    return True
            case Wheel(x, y):
                placed = self._panel_at(x, y)
                zone = self._zone_at(placed, x, y) if placed else None
                if zone and zone.wheel:
                    zone.wheel(event.steps)
                return placed is not None
        return False

    def over(self, x: float, y: float) -> bool:
        """Whether a panel covers the point."""
        return self._panel_at(x, y) is not None

    @property
    def busy(self) -> bool:
        """Whether a zone is held."""
        return self._held is not None

    @property
    def pointing(self) -> bool:
        """Whether something under the pointer can be pressed."""
        return any(p.panel.hovered for p in self._placed)

    def zone(self, panel: str, name: str) -> Box:
        """The box of a zone in the window, for tests and for pictures of the window."""
        for p in self._placed:
            for zone in p.panel.zones:
                if p.panel.name == panel and zone.name == name:
                    return zone.box.moved(p.box.x, p.box.y)
        raise KeyError(f"{panel}: {name}")

    def close(self) -> None:
        self._overlay.close()

    # ---- inside

    def _panel_at(self, x: float, y: float) -> PlacedPanel | None:
        return next((p for p in reversed(self._placed) if p.panel.solid and p.box.contains(x, y)), None)

    def _zone_at(self, placed: PlacedPanel, x: float, y: float) -> Zone | None:
        x, y = x - placed.box.x, y - placed.box.y
        return next((zone for zone in reversed(placed.panel.zones) if zone.box.contains(x, y)), None)

    def _hover(self) -> None:
        """Marks the zone under the pointer as hovered, or the one that is held."""
        over = self._panel_at(*self._pointer) if self._pointer and self._held is None else None
        for p in self._placed:
            zone = self._zone_at(p, *self._pointer) if p is over and self._pointer else None
            p.panel.hovered = zone.name if zone else ""
        if self._held is not None:
            self._held[0].panel.hovered = self._held[1].name

    def _do(self, held: tuple[PlacedPanel, Zone], what: str, x: float, y: float) -> None:
        placed, zone = held
        act = {"press": zone.press, "drag": zone.drag, "release": zone.release}[what]
        if act is not None:
            act(x - placed.box.x, y - placed.box.y)
