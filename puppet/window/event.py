"""Events of a window as classes of our own: the rest of the window never sees the library's events.

Places are in points from the upper left corner: pixels divided by the interface's scale.
"""

from __future__ import annotations

from dataclasses import dataclass

LEFT, MIDDLE, RIGHT = "left", "middle", "right"


@dataclass(frozen=True)
class Key:
    """A key was pressed. `text`: the character that it types, "" where it types none."""

    name: str  # a, f1, escape, space, left, ...
    text: str = ""
    control: bool = False  # or a Mac's command key
    shift: bool = False
    again: bool = False  # a repeat while the key is held


@dataclass(frozen=True)
class Move:
    x: float
    y: float


@dataclass(frozen=True)
class Press:
    x: float
    y: float
    button: str = LEFT
    shift: bool = False


@dataclass(frozen=True)
class Release:
    x: float
    y: float
    button: str = LEFT


@dataclass(frozen=True)
class Wheel:
    x: float
    y: float
    steps: float  # positive: away from the person


@dataclass(frozen=True)
class Leave:
    """The pointer has left the window."""


@dataclass(frozen=True)
class Resize:
    """The window has a new size, in pixels."""

    width: int
    height: int


@dataclass(frozen=True)
class Close:
    """The window was asked to close."""


Event = Key | Move | Press | Release | Wheel | Leave | Resize | Close
