"""The command line in a process of its own, for tests of what a shell sees."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent


def environment(**more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **more}


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "puppet", *map(str, words)]


def puppet(*words: object, cwd: Path, text: str | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    """Runs `puppet WORDS` to its end."""
    options: dict[str, Any] = {"input": text} if text is not None else {"stdin": subprocess.DEVNULL}
    return subprocess.run(
        command(*words), cwd=cwd, env=environment(**more), capture_output=True, encoding="utf-8", timeout=300, **options
    )
