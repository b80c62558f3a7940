"""What is carried out: a script, a file of tracks or of an animation space; told by a name, or by the text itself."""

from __future__ import annotations

import re
from pathlib import Path

from puppet.files.shipped import ENDINGS

SCRIPT, TRACKS, SPACE = "script", "tracks", "spaces"
# Lines that stand in such a file and in no script: keys at the margin, behind them nothing, or a YAML list or mapping.
_KEYS = {
    TRACKS: ("pose", "poses", "pins", "centre_of_mass", "inertia", "angular_momentum"),
    SPACE: ("loops", "drive", "crawl"),
}
_LINES = {
    kind: re.compile(rf"^(?:{'|'.join(keys)}):[ \t]*(?:[\[{{#].*)?\r?$", re.MULTILINE) for kind, keys in _KEYS.items()
}


def named(script: str | Path) -> bool:
    """Whether this is the name of a file, and not a text."""
    return isinstance(script, Path) or "\n" not in script


def kind_of(script: str | Path) -> str:
    """Of a file by its name, of a text by its lines."""
    if named(script):
        name = str(script).strip()
        return next((kind for kind in (TRACKS, SPACE) if name.endswith(ENDINGS[kind][0])), SCRIPT)
    return next((kind for kind in (TRACKS, SPACE) if _LINES[kind].search(str(script))), SCRIPT)
