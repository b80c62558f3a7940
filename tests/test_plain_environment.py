"""The plain form of environments (Figure 7.1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from puppet.errors import FileError
from puppet.scene import SceneError, format_env, load_environment, read_env

ROOT = Path(__file__).parent.parent
FIGURE = (ROOT / "environments" / "figure_7_1.env").read_text(encoding="utf-8")


def test_the_figure_is_the_same_scene_as_its_yaml() -> None:
    plain, yaml = read_env(FIGURE, "f.env"), load_environment(ROOT / "environments" / "thesis.yaml")
    assert plain.stacks == yaml.stacks
    assert plain.table == yaml.table
    assert [(o.name, o.width) for o in plain.objects] == [(o.name, o.width) for o in yaml.objects]


@pytest.mark.parametrize("path", sorted((ROOT / "environments").glob("*.yaml")), ids=lambda path: path.stem)
def test_what_is_written_reads_back_the_same(path: Path) -> None:
    scene = load_environment(path)
    if any(" " in space.name for space in scene.spaces if space.name):
        with pytest.raises(SceneError, match="cannot be written in the plain form"):
            format_env(scene)
        return
    text = format_env(scene)
    again = read_env(text, "again.env")
    assert [s.objects for s in again.stacks] == [s.objects for s in scene.stacks]
    for one, two in zip(again.spaces, scene.spaces, strict=True):
        assert one.name == two.name
        assert one.position == pytest.approx(two.position, abs=1e-12)


def test_blanks_comments_marks_and_line_ends_do_not_matter() -> None:
    text = "\ufeff# my table\n\n 0.6\t0.2 0.0\n\n  1-  0.1 0 0.2   \nA - 0.04 1 # a block"
    scene = read_env(text, "x.env")
    assert scene.base("A") == pytest.approx((0.1, 0.6, 0.4))


BROKEN = {
    "": ["x.env:1:1: the file is empty"],
    "0.6 0.2 0.0 0.1": ["x.env:1:1: expected the table's height, front and skew, found 4 numbers"],
    "0.6 b 0.0": ["x.env:1:5: expected a number, found 'b'"],
    "0.6 0.2 0\n1 0.1 0 0": ["x.env:2:1: expected a name, '-' and numbers"],
    "0.6 0.2 0\n1- 0.1 0": ["x.env:2:8: unknown space '0' of '1'; none is known here"],
    "0.6 0.2 0\n1- 0.1 0 0\n1- 0 0 0": ["x.env:3:1: the space '1' stands here twice"],
    "0.6 0.2 0\n1- 0.1 x 0": ["x.env:2:8: expected a number, found 'x'"],
    "0.6 0.2 0\nleft- 0 0 0": ["x.env:2:1: 'left' is the space of the left hand"],
    "0.6 0.2 0\n1- 0 0 0\nA- -1 1": ["x.env:3:4: expected a number from 1e-06 to 1e+06, found '-1'"],
    "0.6 0.2 0\n1- 0 0 0\nA- 0.1 2\nA- 0.1 1": [
        "x.env:4:1: the object 'A' stands here twice", "x.env:3:8: unknown space '2' of 'A'; known: '1'",
    ],
    "0.6 0.2 0\n1- 1 2 3 4 5": ["x.env:2:4: expected three numbers for a space"],
    "0.6 0.2 0\n1- nan 0 0": ["x.env:2:4: expected a number, found 'nan'"],
}  # fmt: skip


@pytest.mark.parametrize("text", BROKEN)
def test_mistakes_are_told_with_their_places(text: str) -> None:
    with pytest.raises(FileError) as error:
        read_env(text, "x.env")
    lines = str(error.value).splitlines()
    assert len(lines) == len(BROKEN[text])
    for line, begin in zip(lines, BROKEN[text], strict=True):
        assert line.startswith(begin)
