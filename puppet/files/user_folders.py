"""Folders of the user's own, where the system wants them: for what can be made anew, and for what must not be lost."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path


def cache_folder() -> Path | None:
    """Where what can be made anew is kept: compiled kernels, tables of the parser; None for a user without a home."""
    return _folder("XDG_CACHE_HOME", ".cache", "Library/Caches", "cache")


def data_folder() -> Path | None:
    """Where recorded performances are kept; None for a user without a home."""
    return _folder("XDG_DATA_HOME", ".local/share", "Library/Application Support", "data")


def _folder(variable: str, elsewhere: str, on_mac: str, on_windows: str) -> Path | None:
    given = os.environ.get(variable, "")
    if os.path.isabs(given):  # the specification of these variables: relative paths are ignored
        return Path(given, "puppet")
    if os.name == "nt" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"], "puppet", on_windows)
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        return None
    return Path(home, on_mac if sys.platform == "darwin" else elsewhere, "puppet")


def make_private(folder: Path) -> bool:
    """Makes a folder into which only this user can write, where it is missing; returns whether there is one.

    A folder that somebody else has made, or that others can write into, is none.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        return is_private(folder) and os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        return False


def is_private(folder: Path) -> bool:
    """Whether a folder is this user's and nobody else can write into it."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    if not hasattr(os, "geteuid"):
        return stat.S_ISDIR(found.st_mode)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022
