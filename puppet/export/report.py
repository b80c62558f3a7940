"""The report as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from puppet.files.atomic_write import write_atomically
from puppet.performance import Performance


def write(performance: Performance, path: Path) -> None:
    write_atomically(path, json.dumps(performance.report, indent=2) + "\n")
