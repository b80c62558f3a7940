"""The pins of the body with a slider for the gain of each, balance, and where the centre of mass is."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial

from puppet.command import Balance, Unpin
from puppet.geometry import distance_outside
from puppet.shows import Live
from puppet.window.box import INK, PAD, QUIET, SMALL, TEXT, WARN, Box, columns
from puppet.window.paint import Paint
from puppet.window.panel import Panel

_STEP = 0.05  # of a gain
MOST_PINS = 8  # that are listed
_ROW, _HEAD = 22.0, 18.0


class PinsPanel(Panel):
    """While a slider is held it shows the gain; when it is released the command is given."""

    name = "pins"

    def __init__(self, live: Live, do: Callable[[str], None], ranges: Callable[[], bool]) -> None:
        """`do` carries out an action by its name; `ranges`: whether all joint ranges are drawn."""
        super().__init__()
        self._live, self._do, self._ranges = live, do, ranges
        self._wanted: dict[str, float] = {}  # while a slider is held

    def key(self) -> Hashable:
        gains = tuple((part, self._gain(part)) for part in self._live.pins)
        return gains, self._live.balance, self._ranges(), self._weight()

    def height(self, width: float) -> float:
        return 2 * PAD + 2 * _HEAD + max(1, min(len(self._live.pins), MOST_PINS)) * _ROW + 40.0

    def draw(self, paint: Paint, box: Box) -> None:
        self.sheet(paint, box)
        inner = box.inset(PAD)
        self.heading(paint, "Pins and their gains", Box(inner.x, inner.y - 2.0, inner.width, 16.0))
        y = inner.y + _HEAD
        pins = [*self._live.pins]
        if not pins:
            paint.text("none: click a part to pin it", Box(inner.x, y, inner.width, _ROW), QUIET, SMALL)
        for n, part in enumerate(pins[-MOST_PINS:]):
            self._pin(paint, Box(inner.x, y + n * _ROW, inner.width, _ROW), part)
        y += max(1, min(len(pins), MOST_PINS)) * _ROW
        left, right = columns(Box(inner.x, y + 6.0, inner.width, 24.0), 2)
        on = self._live.balance
        self.button(paint, "balance", left, "balance", partial(self._balance, not on), on, SMALL)
        self.button(paint, "ranges", right, "all ranges", partial(self._do, "ranges"), self._ranges(), SMALL)
        words, warns = self._weight()
        paint.text(words, Box(inner.x, y + 36.0, inner.width, 16.0), WARN if warns else QUIET, SMALL)

    def _pin(self, paint: Paint, row: Box, part: str) -> None:
        name = 0.42 * row.width
        paint.text(part.replace("_", " "), Box(row.x, row.y, name, row.height), INK, SMALL)
        gain = self._gain(part)
        groove = Box(row.x + name, row.y, row.width - name - 50.0, row.height)
        self.slider(
            paint, f"gain {part}", groove, gain, 0.0, 1.0, partial(self._want, part), _STEP,
            finish=partial(self._give, part),
        )  # fmt: skip
        paint.text(f"{gain:.2f}", Box(row.right - 50.0, row.y, 28.0, row.height), INK, SMALL, "right")
        cross = Box(row.right - 18.0, row.y + 3.0, 18.0, 16.0)
        self.button(paint, f"unpin {part}", cross, "x", partial(self._unpin, part), size=TEXT - 3.0)

    def _gain(self, part: str) -> float:
        return self._wanted.get(part, self._live.pins[part].gain)

    def _want(self, part: str, gain: float) -> None:
        self._wanted[part] = gain

    def _give(self, part: str) -> None:
        gain = self._wanted.pop(part, None)
        if gain is not None and part in self._live.pins:
            self._live.set_gain(part, round(gain, 2))

    def _unpin(self, part: str) -> None:
        self._live.give(Unpin(part=part))

    def _balance(self, on: bool) -> None:
        self._live.give(Balance(on=on))

    def _weight(self) -> tuple[str, bool]:
        """Where the centre of mass is, and whether that is a problem for a body that stands."""
        centre, corners = self._live.mass_centre, self._live.support
        if centre is None:
            return "this body has no masses", False
        if not self._live.on_its_feet or len(corners) < 3:
            return "it does not stand on pinned feet", False
        off = distance_outside(corners[:, [0, 2]], centre[[0, 2]])
        return ("the centre of mass is over the feet", False) if off <= 0.0 else (f"it is {off:.2f} off the feet", True)
