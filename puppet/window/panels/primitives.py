"""The motion primitives in force, which the next task will take."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial

import numpy as np

from puppet.command import CURVES, GRIPS, OVERLAPS, Command, Lock, SetInterrupt, SetPrimitive, Unlock
from puppet.keys import GiveCommand
from puppet.motion import CURVE_FUNCTIONS
from puppet.shows import Live
from puppet.window.box import INK, ON_ACCENT, PAD, QUIET, SMALL, TEXT, WARN, Box, columns, hand_color
from puppet.window.paint import Paint
from puppet.window.panel import Panel

SPEED_CHOICES = (20, 30, 40, 50, 80)  # frames, as in the key map
_ROW, _LABEL, _LINE = 26.0, 56.0, 16.0


class PrimitivesPanel(Panel):
    name = "primitives"

    def __init__(self, live: Live) -> None:
        super().__init__()
        self._live = live

    def key(self) -> Hashable:
        live = self._live
        return live.primitives, live.interrupting, tuple(sorted(live.locks.items()))

    def height(self, width: float) -> float:
        return 2 * PAD + 6 * _ROW - 2.0 + _LINE * len(self._live.locks)

    def draw(self, paint: Paint, box: Box) -> None:
        self.sheet(paint, box)
        live, now = self._live, self._live.primitives
        rows = [Box(PAD, PAD + n * _ROW, box.width - 2 * PAD, _ROW - 4.0) for n in range(6)]
        fields = []
        speed = "Speed" if now.speed in SPEED_CHOICES else f"Speed {now.speed}"
        curve = self.hovered.removeprefix("curve ") if self.hovered.startswith("curve ") else "Curve"  # names its icon
        for row, text in zip(rows, ("Grip", speed, curve, "Overlap", "Queue", "Locks"), strict=True):
            size = TEXT if len(text) < 8 else SMALL
            paint.text(text, Box(row.x, row.y, _LABEL, row.height), QUIET, size)
            fields.append(Box(row.x + _LABEL, row.y, row.width - _LABEL, row.height))
        self._choices(paint, "grip", fields[0], GRIPS, now.grip)
        self._choices(paint, "speed", fields[1], SPEED_CHOICES, now.speed)
        for part, name in zip(columns(fields[2], len(CURVES)), CURVES, strict=True):
            self._choice(paint, "curve", part, name, now.curve == name, "")
            on = now.curve == name
            paint.once((name, part, on), part, partial(_draw_curve, name, part.inset(5.0), on))
        self._choices(paint, "overlap", fields[3], OVERLAPS, now.overlap)
        halves = columns(fields[4], 2)
        on = live.interrupting
        self.button(paint, "interrupt", halves[0], "interrupt", partial(self._interrupt, not on), on, SMALL, WARN)
        self.button(paint, "freeze", halves[1], "freeze", live.freeze, size=SMALL)
        locks, hands = live.locks, live.body.hands
        for part, hand in zip(columns(fields[5], len(hands)), hands, strict=True):
            color = hand_color(hands, hand)
            self.button(paint, f"lock {hand}", part, hand, partial(self._lock, hand), hand in locks, SMALL, color)
        for n, (hand, words) in enumerate(sorted(locks.items())):
            line = Box(PAD, rows[5].bottom + 3.0 + n * _LINE, box.width - 2 * PAD, _LINE)
            paint.text(f"{live.body.limb(hand).words}: {words}", line, hand_color(hands, hand), SMALL)

    def _choices(self, paint: Paint, name: str, box: Box, values: Sequence[str | int], now: object) -> None:
        for part, value in zip(columns(box, len(values)), values, strict=True):
            self._choice(paint, name, part, value, value == now, str(value))

    def _choice(self, paint: Paint, name: str, box: Box, value: str | int, on: bool, text: str) -> None:
        command = SetPrimitive(name=name, value=value)
        self.button(paint, f"{name} {value}", box, text, partial(give_by_key, self._live, command), on, SMALL)

    def _interrupt(self, on: bool) -> None:
        give_by_key(self._live, SetInterrupt(on=on))

    def _lock(self, hand: str) -> None:
        self._live.give(Unlock(hand=hand) if hand in self._live.locks else Lock(hand=hand))


def give_by_key(live: Live, command: Command) -> None:
    """Gives a command by its key if it has one, since a key can give several commands."""
    keys = live.keyboard.keymap.keys_for(GiveCommand(command))
    if keys:
        live.press(keys[0])
    else:
        live.give(command)


def _draw_curve(name: str, box: Box, on: bool, paint: Paint) -> None:
    """Draws a small graph of a curve: progress over time."""
    u = np.linspace(0.0, 1.0, 13)
    line = [(box.x + 0.15 * box.width + 0.7 * box.width * x, box.bottom - box.height * y)
            for x, y in zip(u, CURVE_FUNCTIONS[name](u), strict=True)]  # fmt: skip
    color = ON_ACCENT if on else INK
    above = [(x - 0.35, y - 0.7) for x, y in line]
    below = [(x + 0.35, y + 0.7) for x, y in reversed(line)]
    paint.polygon([*above, *below], color)
