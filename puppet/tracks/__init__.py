"""A file of tracks in (poses, pins and physics over time), a performance out."""

from __future__ import annotations

from puppet.tracks.editing import moved_in_space, moved_in_time
from puppet.tracks.fixing import fix_file, fixed_text, hints_of
from puppet.tracks.run_tracks import run_tracks
from puppet.tracks.track_file import TRACKS_ENDING, load_tracks, read_tracks
from puppet.tracks.tracks import Hint, Mark, Tracks

__all__ = [
    "TRACKS_ENDING",
    "Hint",
    "Mark",
    "Tracks",
    "fix_file",
    "fixed_text",
    "hints_of",
    "load_tracks",
    "moved_in_space",
    "moved_in_time",
    "read_tracks",
    "run_tracks",
]
