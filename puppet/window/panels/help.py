"""Help: a keyboard with the action of each key (Figure 7.4), and the window's own shortcuts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

from puppet.command import Freeze, Perform, Reach, Record, SetInterrupt, SetPrimitive
from puppet.keys import Action, ChangeSlide, Keyboard, ReachNumber, ResetSlide, SlideHand, ToggleLock
from puppet.language import format_command
from puppet.window.box import (
    ACCENT,
    EDGE,
    INK,
    PAPER,
    QUIET,
    ROUND,
    SHADE,
    SMALL,
    Box,
    Rgba,
    columns,
    hand_color,
)  # fmt: skip
from puppet.window.paint import Paint
from puppet.window.panel import Panel, Zone

KEY_ROWS = (("1234567890-=", "!@#$%^&*()_+"), ("qwertyuiop[]\\", "QWERTYUIOP{}|"), ("asdfghjkl;'", 'ASDFGHJKL:"'),
        ("zxcvbnm,./", "ZXCVBNM<>?"))  # fmt: skip
KEY_INDENT = (0.0, 0.5, 0.75, 1.25)  # of a key
_QUEUE_COLOR: Rgba = (150, 74, 86, 255)
_PRIMITIVE_COLOR: Rgba = (92, 112, 66, 255)
_SLIDE_COLOR: Rgba = (134, 104, 44, 255)
LEGEND: tuple[tuple[str, Rgba], ...] = (
    ("queue and recording", _QUEUE_COLOR),
    ("how the next task is done", _PRIMITIVE_COLOR),
    ("slide vector and turn", _SLIDE_COLOR),
)


class HelpPanel(Panel):
    """Covers the window; a click or Esc closes it."""

    name = "help"

    def __init__(
        self, close: Callable[[], None], title: str, keyboard: Keyboard | None, keys: Sequence[tuple[str, str]],
        mouse: Sequence[tuple[str, str]], hands: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        """`hands`: the words for each hand that the keyboard may move."""
        super().__init__()
        self._hands = dict(hands or {})
        self._close, self._title, self._keyboard, self._keys, self._mouse = close, title, keyboard, keys, mouse

    def key(self) -> Hashable:
        return self._title

    def draw(self, paint: Paint, box: Box) -> None:
        paint.fill(box, SHADE)
        self.zones.append(Zone("", box, press=lambda x, y: self._close()))
        wide = min(box.width - 24.0, 1180.0)
        lists = -(-(len(self._keys) + len(self._mouse)) // (3 if wide > 700.0 else 2))
        unit = (wide - 32.0) / 13.6
        high = min(62.0, (box.height - 120.0 - 17.0 * lists) / 4.0)
        tall = 54.0 + (4 * high + 30.0 if self._keyboard else 0.0) + 17.0 * lists
        sheet = Box(0.5 * (box.width - wide), max(8.0, 0.5 * (box.height - tall)), wide, min(tall, box.height - 16.0))
        paint.fill(sheet, (*PAPER[:3], 252), ROUND)
        paint.frame(sheet, EDGE, ROUND)
        inner = sheet.inset(16.0)
        paint.text(self._title, Box(inner.x, inner.y - 6.0, inner.width, 22.0), INK, 15.0)
        paint.text("Esc closes", Box(inner.x, inner.y - 6.0, inner.width, 22.0), QUIET, SMALL, "right")
        y = inner.y + 22.0
        if self._keyboard is not None:
            y = self._draw_keyboard(paint, Box(inner.x, y, inner.width, 0.0), unit, high)
        self._draw_lists(paint, Box(inner.x, y, inner.width, inner.bottom - y), 3 if wide > 700.0 else 2)

    def _draw_keyboard(self, paint: Paint, box: Box, unit: float, high: float) -> float:
        assert self._keyboard is not None
        text = min(11.0, max(8.5, 0.13 * unit))
        y = box.y
        for (plain, shifted), indent in zip(KEY_ROWS, KEY_INDENT, strict=True):
            for n, (low, up) in enumerate(zip(plain, shifted, strict=True)):
                cap = Box(box.x + (n + indent) * unit, y, unit - 4.0, high - 4.0)
                self._cap(paint, cap, low, up, text)
            y += high
        others = [key for key in self._keyboard.keymap.actions if not any(key in a + b for a, b in KEY_ROWS)]
        if others:
            actions = self._keyboard.keymap.actions
            words = "   ".join(f"{key} {describe_action(self._keyboard, actions[key])}" for key in others)
            paint.text(words, Box(box.x, y, box.width, 18.0), INK, SMALL)
            y += 18.0
        legend = [*((words, hand_color([*self._hands], hand)) for hand, words in self._hands.items()), *LEGEND]
        parts = columns(Box(box.x, y + 2.0, box.width, 18.0), len(legend))
        for part, (words, color) in zip(parts, legend, strict=True):
            paint.disc(part.x + 5.0, part.y + 9.0, 4.5, color)
            paint.text(words, Box(part.x + 14.0, part.y, part.width - 14.0, 18.0), INK, SMALL)
        return y + 28.0

    def _cap(self, paint: Paint, cap: Box, low: str, up: str, text: float) -> None:
        assert self._keyboard is not None
        actions = self._keyboard.keymap.actions
        paint.fill(cap, (90, 74, 60, 20), 5.0)
        paint.frame(cap, EDGE, 5.0)
        half = 0.5 * (cap.height - 4.0)
        for n, key in enumerate((up, low)):
            row = Box(cap.x + 4.0, cap.y + 2.0 + n * half, cap.width - 6.0, half)
            action = actions.get(key)
            letter = text + 1.0
            paint.text(key, Box(row.x, row.y, letter + 3.0, half), INK if action else QUIET, letter)
            if action is None:
                continue
            words = Box(row.x + letter + 1.0, row.y, row.width - letter - 1.0, half)
            lines = paint.wrapped(describe_action(self._keyboard, action), words.width, text, 2)
            line = min(1.1 * text, half / len(lines))
            for k, part in enumerate(lines):
                y = words.middle[1] + (k - 0.5 * len(lines)) * line
                paint.text(part, Box(words.x, y, words.width, line), group_color([*self._hands], action), text)

    def _draw_lists(self, paint: Paint, box: Box, count: int) -> None:
        entries = [*self._keys, *self._mouse]
        each = -(-len(entries) // count)
        for n, part in enumerate(columns(box, count, 16.0)):
            for k, (key, words) in enumerate(entries[n * each : (n + 1) * each]):
                row = Box(part.x, part.y + 17.0 * k, part.width, 17.0)
                named = min(0.42 * part.width, 150.0)
                paint.text(key, Box(row.x, row.y, named - 6.0, 17.0), ACCENT, SMALL)
                paint.text(words, Box(row.x + named, row.y, part.width - named, 17.0), INK, SMALL)


def describe_action(keyboard: Keyboard, action: Action) -> str:
    """The action of a key in a word or two."""
    match action:
        case ReachNumber():
            name = keyboard.name_of(action.what, action.number)
            if name is None:
                return f"({action.what} {action.number})"
            return name if action.what == "object" else f"to {name}"
        case SlideHand():
            return "slide"
        case ToggleLock():
            return "lock"
        case ChangeSlide(what="vector"):
            return f"{'xyz'[action.axis]} {action.amount:+g}"
        case ChangeSlide():
            return f"{'xyz'[action.axis]} {action.amount:+.0f}°"
        case ResetSlide():
            return "vector 0" if action.what == "vector" else "turn 0"
    match action.command:
        case SetPrimitive(name=name, value=value):
            if name == "overlap":
                return "no overlap" if value == "none" else f"{value} overlap"
            return f"{value} frames" if name == "speed" else str(value)
        case SetInterrupt(on=on):
            return "interrupt" if on else "no interrupt"
        case Record(on=on):
            return "record" if on else "stop recording"
        case Freeze():
            return "freeze"
        case Perform(gesture=gesture):
            return gesture.replace("_", " ")
    if isinstance(action.command, Reach):
        return action.command.object or f"to {action.command.space} hand"
    return format_command(action.command)


def group_color(hands: Sequence[str], action: Action) -> Rgba:
    """The colour of an action: that of its hand, or of what it sets."""
    match action:
        case ReachNumber() | SlideHand() | ToggleLock():
            return hand_color(hands, action.hand)
        case ChangeSlide() | ResetSlide():
            return _SLIDE_COLOR
    command = action.command
    if isinstance(command, (SetInterrupt, Freeze, Record)) or getattr(command, "name", "") == "overlap":
        return _QUEUE_COLOR
    if isinstance(command, SetPrimitive):
        return _PRIMITIVE_COLOR
    return hand_color(hands, getattr(command, "hand", ""))
