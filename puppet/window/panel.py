"""A panel: something drawn in a box, and the zones in it that react to the pointer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from puppet.window.box import (
    ACCENT,
    EDGE,
    FAINT,
    HOVER,
    INK,
    ON_ACCENT,
    PAPER,
    QUIET,
    ROUND,
    SMALL,
    TEXT,
    Box,
    Rgba,
)  # fmt: skip
from puppet.window.paint import Paint

Act = Callable[[float, float], None]  # with the pointer's place, from the panel's upper left corner


@dataclass(frozen=True)
class Zone:
    """A part of a panel that reacts to the pointer."""

    name: str
    box: Box
    press: Act | None = None
    drag: Act | None = None  # while the button is held, wherever the pointer goes
    release: Act | None = None
    wheel: Callable[[float], None] | None = None


class Panel(ABC):
    """Base class of all panels. Drawn again only when `key` changes. Coordinates are relative to its own corner."""

    name = "panel"
    solid = True  # the pointer does not reach what is under it

    def __init__(self) -> None:
        self.zones: list[Zone] = []
        self.hovered = ""  # the zone under the pointer

    @abstractmethod
    def key(self) -> Hashable:
        """A value that changes whenever the panel would look different."""

    def height(self, width: float) -> float:
        """The height that it needs; 0 where it takes any."""
        return 0.0

    @abstractmethod
    def draw(self, paint: Paint, box: Box) -> None:
        """Draws into the box, whose corner is (0, 0), and adds its zones."""

    # ---- parts of panels

    def sheet(self, paint: Paint, box: Box, color: Rgba = PAPER) -> None:
        paint.fill(box, color, ROUND)
        paint.frame(box, EDGE, ROUND)

    def heading(self, paint: Paint, text: str, box: Box) -> None:
        paint.text(text, box, QUIET, SMALL)

    def button(
        self, paint: Paint, name: str, box: Box, text: str, press: Callable[[], None], on: bool = False,
        size: float = TEXT, color: Rgba = ACCENT, dim: bool = False,
    ) -> None:  # fmt: skip
        """A button with a text; `on`: what it stands for is in force."""
        hover = name == self.hovered
        paint.fill(box, color if on else HOVER if hover else FAINT, 5.0)
        ink = ON_ACCENT if on else QUIET if dim else INK
        while size > 8.0 and paint.width(text, size) > box.width - 4.0:
            size -= 0.5
        paint.text(text, box.inset(1.0), ink, size, "middle")
        self.zones.append(Zone(name, box, press=lambda x, y: press()))

    def slider(
        self, paint: Paint, name: str, box: Box, value: float, low: float, high: float,
        change: Callable[[float], None], step: float = 0.0, color: Rgba = ACCENT, middle: float | None = None,
        finish: Callable[[], None] | None = None,
    ) -> None:  # fmt: skip
        """A knob in a groove. `step`: what values snap to; `middle`: from where the groove is filled."""
        groove = Box(box.x + 6.0, box.y + 0.5 * box.height - 2.0, box.width - 12.0, 4.0)
        paint.fill(groove, FAINT, 2.0)
        span = (high - low) or 1.0

        def place(of: float) -> float:
            return groove.x + min(max((of - low) / span, 0.0), 1.0) * groove.width

        start, end = sorted((place(low if middle is None else middle), place(value)))
        paint.fill(Box(start, groove.y, end - start, groove.height), color, 2.0)
        if middle is not None and low < middle < high:
            paint.fill(Box(place(middle) - 0.5, groove.y - 2.0, 1.0, groove.height + 4.0), QUIET)
        radius = 6.5 if name == self.hovered else 5.5
        paint.disc(place(value), groove.y + 2.0, radius, color)
        paint.disc(place(value), groove.y + 2.0, radius - 2.0, ON_ACCENT)

        def set_to(x: float, y: float) -> None:
            found = low + min(max((x - groove.x) / (groove.width or 1.0), 0.0), 1.0) * span
            found = round(found / step) * step if step else found
            change(min(max(found, low), high))

        def turn(steps: float) -> None:
            change(min(max(value + steps * (step or 0.01 * span), low), high))
            if finish is not None:
                finish()

        let_go = None if finish is None else (lambda x, y: finish())
        self.zones.append(Zone(name, box, press=set_to, drag=set_to, release=let_go, wheel=turn))
