"""Mistakes for other programs: as JSON, and as SARIF 2.1.0, which editors and code hosts read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from puppet import __version__
from puppet.language import Mistake

FORMATS = ("text", "json", "sarif")
# What a mistake is about, by its message: the first that fits.
_CODES = (
    ("unknown-name", r"unknown |no task is called|is not defined|there is no thing of the kind|no file '"),
    ("named-twice", r"a second time|stands here twice"),
    ("circle", r"calls itself|in a circle|would wait for itself"),
    ("no-number", r"which is no number|expected a number|expected whole frames|as a whole number|divide"),
    ("out-of-range", r"expected .+ from .+ to .+ found|expected \d+ to \d+ frames|too large|larger than|more than"),
    ("not-for-this", r"has no meaning for|is for gestures|only a task"),
    ("block", r"never closed|closes nothing|nothing between|inside another block|cannot stand in a block|nested"),
    ("order", r"lies before|is only told in line"),
    (
        "impossible",
        r"hand holds |hand itself|needs .+ (?:hand|none )|is done with the hand|there is nothing|cannot stand on itself"
        r"|has no legs|environment names them",
    ),
    ("syntax", r"expected |does not belong here|neither a number nor a name|no closing|lower case"),
)
_OTHER = "mistake"
_REPLACEMENT = re.compile(r"(?:did you mean|is written in lower case:) '([^']+)'")


def mistake_code(mistake: Mistake) -> str:
    """What kind of mistake it is, in a word or two."""
    return next((code for code, words in _CODES if re.search(words, mistake.message)), _OTHER)


def replacement(mistake: Mistake) -> str | None:
    """What should stand there instead, if that is known."""
    found = _REPLACEMENT.search(f"{mistake.message}\n{mistake.hint}")
    return found[1] if found else None


def as_json(mistakes: Iterable[Mistake]) -> str:
    """A list of mistakes: file, range (lines and columns from 1, the end not included), code, message, replacement."""
    return json.dumps([_entry(mistake) for mistake in mistakes], indent=2, ensure_ascii=False) + "\n"


def as_sarif(mistakes: Iterable[Mistake]) -> str:
    """A SARIF log with one run."""
    found = list(mistakes)
    codes = sorted({mistake_code(mistake) for mistake in found})
    driver = {"name": "puppet", "version": __version__, "rules": [{"id": code} for code in codes]}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": [_result(m) for m in found]}
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _entry(mistake: Mistake) -> dict[str, Any]:
    line = max(mistake.line, 1)
    return {
        "file": mistake.file,
        "range": {
            "start": {"line": line, "column": mistake.column},
            "end": {"line": line, "column": mistake.column + mistake.length},
        },
        "code": mistake_code(mistake),
        "message": mistake.message,
        "hint": mistake.hint,
        "replacement": replacement(mistake),
    }


def _result(mistake: Mistake) -> dict[str, Any]:
    entry = _entry(mistake)
    start, end = entry["range"]["start"], entry["range"]["end"]
    region = {
        "startLine": start["line"], "startColumn": start["column"], "endLine": end["line"], "endColumn": end["column"],
    }  # fmt: skip
    path = PurePath(mistake.file)
    artifact = {"uri": path.as_uri() if path.is_absolute() else quote(path.as_posix())}
    words = f"{mistake.message}; {mistake.hint}" if mistake.hint else mistake.message
    result: dict[str, Any] = {
        "ruleId": entry["code"],
        "level": "error",
        "message": {"text": words},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
    }
    if entry["replacement"] is not None:
        change = {"deletedRegion": region, "insertedContent": {"text": entry["replacement"]}}
        result["fixes"] = [{"artifactChanges": [{"artifactLocation": artifact, "replacements": [change]}]}]
    return result
