"""A script, a live puppeteer or a recorded motion in, a performance out."""

from __future__ import annotations

from puppet.shows.carry_out import run
from puppet.shows.frame_clock import TEMPOS
from puppet.shows.live import Live
from puppet.shows.messages import Messages
from puppet.shows.playback import PLAYBACK_SPEEDS, LoadedMotion, Playback, TrackKey

__all__ = [
    "PLAYBACK_SPEEDS",
    "TEMPOS",
    "Live",
    "LoadedMotion",
    "Messages",
    "Playback",
    "TrackKey",
    "run",
]
