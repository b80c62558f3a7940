"""The outline and the name of what is under the pointer, and the choice of a hand to reach for it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial

from puppet.body import Body
from puppet.window.box import ACCENT, EDGE, INK, PAD, PAPER, QUIET, SMALL, TEXT, Box, columns, hand_color
from puppet.window.paint import Paint
from puppet.window.panel import Panel

_MARGIN = 3.0


class Outline(Panel):
    """A line around a thing."""

    name = "outline"
    solid = False

    def __init__(self) -> None:
        super().__init__()
        self._points: list[tuple[float, float]] = []

    def place(self, points: list[tuple[float, float]]) -> Box:
        """Around a polygon in the window."""
        x, y = (min(p[n] for p in points) - _MARGIN for n in (0, 1))
        right, bottom = (max(p[n] for p in points) + _MARGIN for n in (0, 1))
        x, y = round(x), round(y)
        self._points = [(p[0] - x, p[1] - y) for p in points]
        return Box(x, y, right - x, bottom - y)

    def key(self) -> Hashable:
        return tuple((round(x, 1), round(y, 1)) for x, y in self._points)

    def draw(self, paint: Paint, box: Box) -> None:
        points = self._points
        paint.polygon(points, (*ACCENT[:3], 40))
        for (x, y), (u, v) in zip(points, [*points[1:], points[0]], strict=True):
            paint.line((x, y), (u, v), 1.8, ACCENT)


class Tip(Panel):
    """A few words beside the pointer."""

    name = "tip"
    solid = False

    def __init__(self) -> None:
        super().__init__()
        self.words = ""

    def place(self, paint: Paint, x: float, y: float, window: Box) -> Box:
        box = Box(x + 14.0, y + 14.0, paint.width(self.words) + 16.0, 22.0)
        return box.within(window.inset(4.0))

    def key(self) -> Hashable:
        return self.words

    def draw(self, paint: Paint, box: Box) -> None:
        paint.fill(box, INK, 6.0)
        paint.text(self.words, box, PAPER, TEXT, "middle")


class HandChooser(Panel):
    """Asks what to do about a target, and with which hand: reach, reach and hold on, point at it, look at it."""

    name = "chooser"

    def __init__(
        self, title: str, body: Body, hands: tuple[str, ...], hold: bool, choose: Callable[[str, str], None]
    ) -> None:
        """`hands`: those of the body that can reach. `hold`: whether to ask about holding on. `choose` gets what to do,
        one of reach, hold, point and look, and the hand."""
        super().__init__()
        self._title, self._body, self._hands, self._hold, self._choose = title, body, hands, hold, choose

    def place(self, paint: Paint, x: float, y: float, window: Box) -> Box:
        least = max(190.0, 95.0 * len(self._hands))
        width = max(least, paint.width(self._title) + 30.0)
        most = max(320.0, least)
        return Box(x - 0.5 * width, y + 12.0, min(width, most), self.height(width)).within(window.inset(6.0))

    def key(self) -> Hashable:
        return self._title, self._hands, self._hold

    def height(self, width: float) -> float:
        return 2 * PAD + 18.0 + 32.0 * (2 + self._hold)

    def draw(self, paint: Paint, box: Box) -> None:
        paint.fill(box, (*PAPER[:3], 250), 8.0)
        paint.frame(box, EDGE, 8.0)
        inner = box.inset(PAD)
        paint.text(self._title, Box(inner.x, inner.y - 2.0, inner.width, 18.0), INK, TEXT)
        rows = ("reach", "hold") if self._hold else ("reach",)
        for n, what in enumerate(rows):
            row = Box(inner.x, inner.y + 22.0 + n * 32.0, inner.width, 26.0)
            for part, hand in zip(columns(row, len(self._hands)), self._hands, strict=True):
                name, text = (f"hold {hand}", f"{hand}, and hold") if n else (hand, self._body.limb(hand).words)
                act = partial(self._choose, what, hand)
                self.button(paint, name, part, text, act, not n, SMALL, hand_color(self._body.hands, hand))
        row = Box(inner.x, inner.y + 22.0 + len(rows) * 32.0, inner.width, 26.0)
        look, *parts = columns(row, len(self._hands) + 1)
        self.button(paint, "look", look, "look at it", partial(self._choose, "look", ""), size=SMALL)
        for part, hand in zip(parts, self._hands, strict=True):
            act = partial(self._choose, "point", hand)
            self.button(paint, f"point {hand}", part, f"point, {hand}", act, size=SMALL)
        if not self._hands:
            paint.text("no hand is free for it", inner.moved(0.0, 12.0), QUIET, SMALL)
