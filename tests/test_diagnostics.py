"""Mistakes for other programs: JSON and SARIF; and times that lie before others."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from puppet.cli import main
from puppet.tools import check_file
from puppet.tools.diagnostics import as_sarif

ROOT = Path(__file__).parent.parent
SCRIPT = 'environment "blocks.yaml"\nreach yelow with left\nset speed 0\nReach red with left\nwait 3 / 0\n'


def check(path: Path, form: str) -> tuple[int, Any]:
    command = [sys.executable, "-m", "puppet", "check", str(path), "--format", form]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout)


def test_json_has_file_range_code_message_and_replacement(tmp_path: Path) -> None:
    path = tmp_path / "play.puppet"
    path.write_text(SCRIPT, encoding="utf-8")
    status, found = check(path, "json")
    assert status == 1
    assert [(entry["code"], entry["range"]["start"]["line"], entry["replacement"]) for entry in found] == [
        ("unknown-name", 2, "yellow"), ("out-of-range", 3, None), ("syntax", 4, "reach"), ("no-number", 5, None),
    ]  # fmt: skip
    lines = SCRIPT.splitlines()
    for entry in found:
        assert entry["file"] == str(path)
        start, end = entry["range"]["start"], entry["range"]["end"]
        if entry["replacement"] is not None:  # put in its place, it is right
            line = lines[start["line"] - 1]
            lines[start["line"] - 1] = line[: start["column"] - 1] + entry["replacement"] + line[end["column"] - 1 :]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert [mistake.line for mistake in check_file(path)] == [3, 5]


def test_sarif_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "play.puppet"
    path.write_text(SCRIPT, encoding="utf-8")
    status, log = check(path, "sarif")
    assert (status, log["version"]) == (1, "2.1.0")
    [run] = log["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert [result["ruleId"] in rules for result in run["results"]] == [True] * 4
    regions = [result["locations"][0]["physicalLocation"]["region"] for result in run["results"]]
    assert [(region["startLine"], region["startColumn"]) for region in regions] == [(2, 7), (3, 11), (4, 1), (5, 10)]
    [change] = run["results"][0]["fixes"][0]["artifactChanges"][0]["replacements"]
    assert change["insertedContent"] == {"text": "yellow"}


# What SARIF 2.1.0 (OASIS, 2020) allows of an object, and what it wants: no others are allowed by its schema.
SARIF: dict[str, tuple[str, str]] = {
    "log": ("version runs $schema", "version runs"),
    "run": ("tool columnKind results", "tool"),
    "tool": ("driver", "driver"),
    "driver": ("name version rules", "name"),
    "rule": ("id", "id"),
    "result": ("ruleId level message locations fixes", "message"),
    "message": ("text", "text"),
    "location": ("physicalLocation", ""),
    "physicalLocation": ("artifactLocation region", "artifactLocation"),
    "artifactLocation": ("uri", ""),
    "region": ("startLine startColumn endLine endColumn", "startLine"),
    "fix": ("artifactChanges", "artifactChanges"),
    "artifactChange": ("artifactLocation replacements", "artifactLocation replacements"),
    "replacement": ("deletedRegion insertedContent", "deletedRegion"),
    "insertedContent": ("text", ""),
}
ITEMS = {
    "runs": "run", "rules": "rule", "results": "result", "locations": "location", "fixes": "fix",
    "artifactChanges": "artifactChange", "replacements": "replacement", "deletedRegion": "region",
}  # fmt: skip


def assert_sarif(kind: str, found: dict[str, Any]) -> None:
    allowed, wanted = (words.split() for words in SARIF[kind])
    assert set(wanted) <= set(found) <= set(allowed), (kind, found)
    for name, value in found.items():
        if name in ("startLine", "startColumn", "endLine", "endColumn"):
            assert type(value) is int
            assert value >= 1
        elif name == "uri":
            assert re.fullmatch(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/\-]|%[0-9A-F]{2})+", value)
        elif isinstance(value, dict):
            assert_sarif(ITEMS.get(name, name), value)
        elif isinstance(value, list):
            assert value or name in ("rules", "results")
            assert len({json.dumps(item, sort_keys=True) for item in value}) == len(value)
            for item in value:
                assert_sarif(ITEMS[name], item)
        else:
            assert isinstance(value, str)
    if kind == "result":
        assert found["level"] in ("none", "note", "warning", "error")
    if kind == "run":
        assert found["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")


def test_sarif_is_what_the_standard_says(tmp_path: Path) -> None:
    path = tmp_path / "a b\u00fc#%.puppet"
    path.write_text(f"{SCRIPT}at 20\nat 10\nput red on red\n", encoding="utf-8")
    for file in (path, Path("nowhere.puppet")):
        log = json.loads(as_sarif(check_file(file)))
        assert_sarif("log", log)
        assert log["runs"][0]["results"]
    assert_sarif("log", json.loads(as_sarif(())))


def test_times_are_judged_beside_other_mistakes(tmp_path: Path) -> None:
    path = tmp_path / "play.puppet"
    path.write_text(f"{SCRIPT}let a = 30\nat a\nwait b\nat 29\n", encoding="utf-8")
    assert [mistake.line for mistake in check_file(path)] == [2, 3, 4, 5, 8, 9]


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_a_file_without_mistakes_is_an_empty_list_and_ends_well(form: str) -> None:
    status, found = check(ROOT / "scripts" / "01_first_reach.puppet", form)
    assert status == 0
    assert (found if form == "json" else found["runs"][0]["results"]) == []


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("at 92\nlock left\nat 50\nlock left", [4]),
        ("at 50\nwait 20\nat 60\nlock left", [4]),
        ("at 50\nwait 20\nat 70\nlock left", []),
        ("repeat 2\nat 50\nwait 1\nend", [3]),
        ("at 3s\nwait until done\nat 90\nlock left", []),
    ],
)
def test_time_goes_forward(text: str, lines: list[int], tmp_path: Path) -> None:
    path = tmp_path / "play.puppet"
    path.write_text(f'environment "blocks.yaml"\n{text}\n', encoding="utf-8")
    found = check_file(path)
    assert [mistake.line for mistake in found] == lines
    assert all("time goes forward" in mistake.message for mistake in found)


def test_hints_about_tracks_are_notes_with_the_frame_that_fits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.tracks.yaml"
    flight = "{at: 30, place: [0, 0.56, 0.5], by: projectile, height: 0.8}"
    path.write_text(f"centre_of_mass:\n  - {{at: 0, place: [0, 0.56, 0]}}\n  - {flight}\n", encoding="utf-8")
    assert main(["check", str(path), "--format", "json"]) == 0
    [hint] = json.loads(capsys.readouterr().out)
    assert (hint["code"], hint["replacement"]) == ("hint", "18")
    assert hint["range"] == {"start": {"line": 3, "column": 10}, "end": {"line": 3, "column": 12}}
    assert main(["check", str(path), "--format", "sarif"]) == 0
    log = json.loads(capsys.readouterr().out)
    assert_sarif("log", log)
    assert [result["level"] for result in log["runs"][0]["results"]] == ["note"]
