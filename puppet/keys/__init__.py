"""Key strokes in, commands out, by a key map; and back."""

from __future__ import annotations

from puppet.keys.key_map import (
    DEFAULT_KEY_MAP,
    Action,
    ChangeSlide,
    GiveCommand,
    ReachNumber,
    ResetSlide,
    SlideHand,
    ToggleLock,
    load_key_map,
    read_key_map,
)
from puppet.keys.key_script import check_keys, key_commands, read_keys
from puppet.keys.key_writer import format_keys
from puppet.keys.keyboard import KEY_PRIMITIVES, Keyboard

__all__ = [
    "DEFAULT_KEY_MAP",
    "KEY_PRIMITIVES",
    "Action",
    "ChangeSlide",
    "GiveCommand",
    "Keyboard",
    "ReachNumber",
    "ResetSlide",
    "SlideHand",
    "ToggleLock",
    "check_keys",
    "format_keys",
    "key_commands",
    "load_key_map",
    "read_key_map",
    "read_keys",
]
