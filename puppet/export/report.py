"""The report as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from puppet.performance import Performance
from puppet.writing import write_whole


def write(performance: Performance, path: Path) -> None:
    write_whole(path, json.dumps(performance.report, indent=2) + "\n")
