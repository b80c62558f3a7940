"""A script, a live puppeteer or a recorded motion in, a performance out: runs, takes, live play, playback."""

from __future__ import annotations

from puppet.shows.carry_out import run
from puppet.shows.live import TEMPOS, Live
from puppet.shows.messages import Speech
from puppet.shows.open_script import open_script
from puppet.shows.playback import SPEEDS, Loaded, Playback

__all__ = [
    "SPEEDS",
    "TEMPOS",
    "Live",
    "Loaded",
    "Playback",
    "Speech",
    "open_script",
    "run",
]
