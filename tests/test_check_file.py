"""Checking files of every kind: all mistakes, each in its place, and never an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from puppet.body import Body
from puppet.language import Mistake
from puppet.stage import Stage
from puppet.tools import check_file

ROOT = Path(__file__).parent.parent
SCENE = "table: {height: 0.6, front: 0.2}\nspaces: {1: [0, 0, 0.1]}\nobjects: {cup: {width: 0.03, space: 1}}\n"
GESTURE = "bow:\n  critical: left arm\n  postures: {down: {head: {x: 20}}}\n  sequence: [down]\n"

# Name of the file, its text, and every mistake in it: (line, column, words).
BROKEN: list[tuple[str, str, list[tuple[int, int, str]]]] = [
    ("a.puppet", "reach cup with left", [(1, 1, "the script names no environment")]),
    ("a.puppet", 'environment "scne.yaml"', [(1, 13, "no file 'scne.yaml' among the environments")]),
    ("a.puppet", "\nenvironment scene\nreach cop with left", [(3, 7, "unknown object 'cop'; did you mean 'cup'?")]),
    ("a.puppet", f'environment "{"x" * 300}"', [(1, 13, "no file 'xxx")]),
    ("a.puppet", "environment scene\nbow with left", [(2, 1, "unknown command 'bow'")]),
    (
        "a.puppet",
        "environment cafe\nswing from table",
        [(2, 12, "unknown bar 'table'; none is known here")],
    ),
    ("a.yaml", "tabel: {}\nspaces: {}", [(1, 1, "unknown key 'tabel'; did you mean 'table'?")]),
    ("a.yaml", SCENE.replace("cup:", "cup cup?:"), [(3, 11, "is no name")]),
    (
        "a.yaml",
        "table: {height: high, front: 0.2}\nspaces: {1: [0, 0], 2: [0, 0, 0]}\n"
        "objects: {cup: {width: 0, space: 3, color: blu}, pot: {with: 1, space: 1}}\n",
        [
            (1, 17, "table.height: expected a number, found 'high'"),
            (2, 13, "spaces.1: expected 3 values, found 2"),
            (3, 24, "objects.cup.width: expected a number"),
            (3, 34, "objects.cup.space: unknown space '3'; known: '1', '2'"),
            (3, 44, "objects.cup.color: unknown color 'blu'; did you mean 'blue'?"),
            (3, 56, "objects.pot.with: unknown key 'with'; did you mean 'width'?"),
        ],
    ),
    ("a.yaml", "table: ]", [(1, 8, "not valid YAML")]),
    ("a.yaml", "", [(1, 1, "the file is empty")]),
    ("a.yaml", "just a word", [(1, 1, "expected a mapping, found 'just a word'")]),
    ("a.yaml", "flowers: {rose: red}", [(1, 1, "cannot tell what this file is")]),
    ("a.yaml", "keys: {a: freze, bb: freeze}", [(1, 11, "did you mean 'freeze'?"), (1, 18, "a key is one character")]),
    ("a.yaml", GESTURE.replace("down]", "up]"), [(4, 14, "bow.sequence[0]: unknown posture 'up'; known: 'down'")]),
    ("a.yaml", GESTURE.replace("head", "hed"), [(3, 21, "unknown joint 'hed'")]),
    ("a.yaml", "name: x\nheight: 1\nlimbs: {}", [(1, 1, "'joints' is missing")]),
    ("a.env", "0.6 0.2 0\n1- 0.1 0\n", [(2, 8, "unknown space '0' of '1'")]),
    ("a.env", "0.6 b 0\n1- 0 x 0\n", [(1, 5, "expected a number, found 'b'"), (2, 6, "expected a number, found 'x'")]),
    ("a.keys", "q~\nx", [(1, 2, "the key '~' has no meaning"), (2, 1, "expected a frame"), (2, 1, "no keys follow")]),
]


def write(folder: Path, name: str, text: str) -> Path:
    (folder / "scene.yaml").write_text(SCENE, encoding="utf-8")
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize(("name", "text", "expected"), BROKEN)
def test_every_mistake_of_a_file_is_found(
    name: str, text: str, expected: list[tuple[int, int, str]], tmp_path: Path
) -> None:
    path = write(tmp_path, name, text)
    found = check_file(path)
    assert [(mistake.line, mistake.column) for mistake in found] == [entry[:2] for entry in expected]
    for mistake, (line, column, words) in zip(found, expected, strict=True):
        assert words in mistake.message
        assert str(mistake).startswith(f"{path}:{line}:{column}: ")
        assert mistake.text == (text.split("\n")[line - 1] if text else "")


@pytest.mark.parametrize(
    ("name", "text"), [("a.yaml", SCENE), ("b.yaml", GESTURE), ("c.keys", "qA\n10\ny"), ("d.yml", SCENE)]
)
def test_a_file_without_mistakes_has_none(name: str, text: str, tmp_path: Path) -> None:
    assert check_file(write(tmp_path, name, text)) == ()


def test_the_mistakes_of_the_environment_are_told_too(tmp_path: Path) -> None:
    path = write(tmp_path, "a.puppet", "environment broken\nlock lefft")
    (tmp_path / "broken.yaml").write_text(SCENE.replace("space: 1", "space: 2"), encoding="utf-8")
    script, scene = check_file(path)
    assert str(script).startswith(f"{path}:2:6: unknown hand 'lefft'")
    assert str(scene).startswith(f"{tmp_path / 'broken.yaml'}:3:37: objects.cup.space: unknown space '2'")
    assert "^" in str(scene)


def test_another_environment_and_further_gestures_can_be_given(tmp_path: Path) -> None:
    path = write(tmp_path, "a.puppet", "reach cup with left\nbow with right")
    (tmp_path / "bow.yaml").write_text(GESTURE, encoding="utf-8")
    assert [mistake.line for mistake in check_file(path, environment=tmp_path / "scene.yaml")] == [2]
    assert check_file(path, environment=tmp_path / "scene.yaml", gestures=[tmp_path / "bow.yaml"]) == ()
    assert [m.line for m in check_file(path, environment="blocks", gestures=[tmp_path / "bow.yaml"])] == [1]


def test_key_strokes_are_checked_against_a_given_environment(tmp_path: Path) -> None:
    path = write(tmp_path, "a.keys", "AS")
    assert check_file(path) == ()
    [mistake] = check_file(path, environment=tmp_path / "scene.yaml")
    assert "there is no object number 2; the scene has 1" in mistake.message


@pytest.mark.parametrize("ending", [".puppet", ".keys", ".yaml", ".env", ""])
def test_a_file_that_is_not_there_or_not_text_is_a_mistake(ending: str, tmp_path: Path) -> None:
    [mistake] = check_file(tmp_path / f"none{ending}")
    assert "cannot be read: No such file" in str(mistake)
    path = tmp_path / f"bytes{ending}"
    path.write_bytes(b"\xff\xfe\x00reach")
    [mistake] = check_file(path)
    assert "not a text file in UTF-8" in str(mistake)
    [mistake] = check_file(tmp_path)
    assert isinstance(mistake, Mistake)


def test_a_broken_file_of_gestures_is_told_as_such(tmp_path: Path) -> None:
    path = write(tmp_path, "a.puppet", "environment scene\nlock left")
    (tmp_path / "bad.yaml").write_text("bow: 3", encoding="utf-8")
    [mistake] = check_file(path, gestures=[tmp_path / "bad.yaml"])
    assert str(mistake).startswith(f"{tmp_path / 'bad.yaml'}:1:6: ")


def test_a_recorded_motion_is_checked_as_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "mine.bvh"
    bones = "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n"
    bones += "End Site\n{\nOFFSET 0 1 0\n}\n}\n"
    path.write_text(bones + "MOTION\nFrames: 1\nFrame Time: 0.03\n0 0 0\n")
    assert check_file(path) == ()
    path.write_text(bones + "MOTION\nFrames: 2\nFrame Time: 0.03\n0 0 0\n")
    [mistake] = check_file(path)
    assert mistake.line == 12
    assert "2 frames of 3 numbers are promised here, but 1 frame" in mistake.message


def test_a_walk_or_a_jump_into_a_table_is_found_before_anything_runs(tmp_path: Path) -> None:
    path = tmp_path / "a.puppet"
    path.write_text('environment "hall.yaml"\nwalk to (0, 0.45)\njump to (0, 0.45)\nwalk to (-0.7, -0.5)\n')
    found = check_file(path)
    assert [mistake.line for mistake in found] == [2, 3]
    assert all("'table' stands at (0, 0.45); " in m.message and "would be free" in m.message for m in found)


def test_journeys_are_followed_from_place_to_place_before_anything_runs(tmp_path: Path) -> None:
    """Those that depend on where the body is by then were found by carrying them out."""
    path = tmp_path / "a.puppet"
    path.write_text(
        'environment "hall.yaml"\nwalk to (-0.7, -0.5)\nstep left to (0.4, -0.5)\nwalk to table\njump to (0, 1)\n'
        "sit down\nstep right to (-0.3, -0.5)\ntake box with left\nstep left to (1.2, -0.5)\nwalk to (0, 0.4)\n"
    )
    found = {mistake.line: mistake.message for mistake in check_file(path)}
    assert sorted(found) == [3, 5, 7, 10]  # one may have stepped to take what is on the floor
    assert "from the other foot" in found[3]
    assert "walk to (0.4, -0.5) gets there" in found[3]
    assert found[5].startswith("'table' is in the way; walk to (0, 1)")
    stage = Stage("hall.yaml", Body.load("person"))
    entries = [stage.give(line) for line in path.read_text().splitlines()[1:]]
    reasons = {n: entry.reason for n, entry in enumerate(entries, 2)}
    assert {line: reasons[line] for line in (3, 5, 7)} == {line: found[line] for line in (3, 5, 7)}
