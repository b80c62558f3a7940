"""Mistakes and hints for other programs: as JSON, and as SARIF 2.1.0, which editors and code hosts read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from puppet import __version__
from puppet.language import Mistake
from puppet.tracks import Hint

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
_OTHER, _HINT = "mistake", "hint"
_REPLACEMENT = re.compile(r"(?:did you mean|is written in lower case:) '([^']+)'")


def mistake_code(mistake: Mistake) -> str:
    """What kind of mistake it is, in a word or two."""
    return next((code for code, words in _CODES if re.search(words, mistake.message)), _OTHER)


def replacement(mistake: Mistake) -> str | None:
    """What should stand there instead, if that is known."""
    found = _REPLACEMENT.search(f"{mistake.message}\n{mistake.hint}")
    return found[1] if found else None


def as_json(mistakes: Iterable[Mistake], hints: Iterable[Hint] = ()) -> str:
    """A list of mistakes: file, range (lines and columns from 1, the end not included), code, message, replacement. A
    hint about tracks has the code `hint`."""
    found = [*map(_entry, mistakes), *map(_hint_entry, hints)]
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def as_sarif(mistakes: Iterable[Mistake], hints: Iterable[Hint] = ()) -> str:
    """A SARIF log with one run; hints are notes."""
    found = [*map(_entry, mistakes), *map(_hint_entry, hints)]
    codes = sorted({entry["code"] for entry in found})
    driver = {"name": "puppet", "version": __version__, "rules": [{"id": code} for code in codes]}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": [*map(_result, found)]}
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


def _hint_entry(hint: Hint) -> dict[str, Any]:
    """The place is that of the frame that would fit."""
    line, column = hint.mark.line, hint.mark.column
    return {
        "file": hint.mark.file,
        "range": {
            "start": {"line": line, "column": column}, "end": {"line": line, "column": column + len(str(hint.at))},
        },
        "code": _HINT,
        "message": hint.message,
        "hint": "",
        "replacement": None if hint.fix is None else str(hint.fix),
    }  # fmt: skip


def _result(entry: dict[str, Any]) -> dict[str, Any]:
    start, end = entry["range"]["start"], entry["range"]["end"]
    region = {
        "startLine": start["line"], "startColumn": start["column"], "endLine": end["line"], "endColumn": end["column"],
    }  # fmt: skip
    path = PurePath(entry["file"])
    artifact = {"uri": path.as_uri() if path.is_absolute() else quote(path.as_posix())}
    words = f"{entry['message']}; {entry['hint']}" if entry["hint"] else entry["message"]
    result: dict[str, Any] = {
        "ruleId": entry["code"],
        "level": "note" if entry["code"] == _HINT else "error",
        "message": {"text": words},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
    }
    if entry["replacement"] is not None:
        change = {"deletedRegion": region, "insertedContent": {"text": entry["replacement"]}}
        result["fixes"] = [{"artifactChanges": [{"artifactLocation": artifact, "replacements": [change]}]}]
    return result
