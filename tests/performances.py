"""The performances of the scripts that come with puppet, each carried out once for all tests of a process."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import puppet
from puppet.performance import Performance

FOLDER = Path(__file__).parent.parent / "scripts"


def performance(script: str, environment: str | None = None) -> Performance:
    """Of a script by its file's name; one of key strokes is performed with the thesis's blocks."""
    return _performance(script, "figure_7_1.env" if script.endswith(".keys") else environment)


@cache
def _performance(script: str, environment: str | None) -> Performance:
    return puppet.run(FOLDER / script, environment=environment)
