"""The window's own keyboard shortcuts, in addition to the key map: their names and actions."""

from __future__ import annotations

from puppet.window.event import Key

PERFORM_KEYS = (
    ("Space", "pause and go on"),
    ("Right", "one frame, while paused"),
    ("Down, Up", "slower, faster"),
    ("Enter", "type a command; Tab completes it"),
    ("Ctrl+Z, Ctrl+Y", "undo, redo"),
    ("Ctrl+S", "save the motion"),
    ("F1", "this help"),
    ("F2", "statistics"),
    ("F3", "panels on and off"),
    ("F4", "names on and off"),
    ("F5 to F8", "look from the front, side, top, corner"),
    ("F9", "pose the body: pins and drags, on and off"),
    ("F10", "physics on and off"),
    ("F11", "contact forces on and off, with physics"),
    ("Home", "everything in view"),
    ("Ctrl++, Ctrl+-", "larger, smaller panels"),
    ("Ctrl+Q", "leave"),
)
PLAY_KEYS = (
    ("Space", "play and pause"),
    ("Left, Right", "one frame back, ahead"),
    ("Shift+Left, Shift+Right", "ten frames"),
    ("Home, End", "first, last frame"),
    ("Down, Up", "slower, faster"),
    ("L", "loop"),
    ("1 2 3 4", "look from the front, side, top, corner"),
    ("0", "everything in view"),
    ("N", "names on and off"),
    ("R", "read the file again"),
    ("Ctrl+Z, Ctrl+Y", "undo, redo an edit of a clip, or the move of a key of tracks"),
    ("Ctrl+S", "save the edited clip and the script of the edits"),
    ("F1", "this help"),
    ("F2", "statistics"),
    ("F3", "panels on and off"),
    ("F11", "contact forces on and off, of a motion with physics"),
    ("Ctrl++, Ctrl+-", "larger, smaller panels"),
    ("Ctrl+Q, Esc", "leave"),
)
MOUSE = (
    ("Drag", "look from elsewhere"),
    ("Right drag", "move the picture (or Shift and drag)"),
    ("Wheel", "nearer, farther"),
)
PLAY_MOUSE = (
    ("Drag a key of tracks", "move it, in the picture or along its track; the file is saved"),
    ("Drag the body", "move a part in this frame, of a clip that is paused"),
    ("Click the body", "pin a part to its recorded path, or let it go"),
    ("Right click the body", "pin a part where it is"),
    *MOUSE,
)
PERFORM_MOUSE = (
    ("Click a thing or place", "reach for it"),
    ("Click the body", "pin a part, or let it go (F9)"),
    ("Drag the body", "pull a part along (F9); with physics, push it"),
    *MOUSE,
)

# The action of each key while performing, and while playing.
PERFORM_ACTIONS = {
    "space": "pause", "right": "step", "down": "slower", "up": "faster", "f1": "help", "f2": "statistics",
    "f3": "panels", "f4": "names", "f5": "front", "f6": "side", "f7": "top", "f8": "three-quarter", "f9": "body",
    "f10": "physics", "f11": "forces",
    "home": "reset", "escape": "escape", "return": "line", "enter": "line",
}  # fmt: skip
CONTROL_ACTIONS = {"z": "undo", "y": "redo", "s": "save"}
PLAY_ACTIONS = {
    "space": "pause", "left": "back", "right": "step", "home": "first", "end": "last", "down": "slower", "up": "faster",
    "l": "loop", "1": "front", "2": "side", "3": "top", "4": "three-quarter", "0": "reset", "n": "names", "r": "reload",
    "f1": "help", "f2": "statistics", "f3": "panels", "f5": "front", "f6": "side", "f7": "top", "f8": "three-quarter",
    "f11": "forces", "escape": "escape",
}  # fmt: skip


def perform_action(key: Key) -> str:
    """The action of a key while performing; "" where it has none."""
    if key.control:
        return _editing_action(key)
    return "" if key.text else PERFORM_ACTIONS.get(key.name, "")


def play_action(key: Key) -> str:
    """The action of a key while a motion is played; "" where it has none."""
    if key.control:
        return _editing_action(key)
    return PLAY_ACTIONS.get(key.text.lower() or key.name, "")


def _editing_action(key: Key) -> str:
    return "redo" if key.name == "z" and key.shift else CONTROL_ACTIONS.get(key.name, "")
