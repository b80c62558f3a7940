"""Shipped files are found by name from anywhere, after those beside the script."""

from __future__ import annotations

from pathlib import Path

import pytest

from puppet.errors import PuppetError
from puppet.files import shipped


@pytest.mark.parametrize("kind", [kind for kind in shipped.ENDINGS if shipped.folder(kind).is_dir()])
def test_every_shipped_file_is_found_by_name_with_and_without_its_ending(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = shipped.names(kind)
    assert names
    for name in names:
        assert shipped.find(kind, name) == shipped.folder(kind) / name
        assert shipped.find(kind, Path(name).stem).stem == Path(name).stem


def test_a_file_beside_the_script_comes_before_a_shipped_one(tmp_path: Path) -> None:
    found = shipped.find("environments", "blocks.yaml", tmp_path)
    assert found.resolve().parent == shipped.folder("environments")
    own = tmp_path / "environments" / "blocks.yaml"
    own.parent.mkdir()
    own.write_text("")
    assert shipped.find("environments", "blocks", tmp_path) == own
    nearer = tmp_path / "blocks.yaml"
    nearer.write_text("")
    assert shipped.find("environments", "blocks.yaml", tmp_path) == nearer


def test_scripts_and_environments_in_folders_side_by_side(tmp_path: Path) -> None:
    (tmp_path / "environments").mkdir()
    (tmp_path / "scripts").mkdir()
    own = tmp_path / "environments" / "mine.yaml"
    own.write_text("")
    assert shipped.find("environments", "mine", tmp_path / "scripts") == own


def test_a_path_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    own = tmp_path / "gr\u00fcner tisch.yaml"
    own.write_text("")
    assert shipped.find("environments", own) == own
    assert shipped.find("environments", "gr\u00fcner tisch.yaml").resolve() == own
    assert shipped.find("environments", "gr\u00fcner tisch").resolve() == own


def test_a_name_with_a_dot_keeps_it(tmp_path: Path) -> None:
    own = tmp_path / "v1.2.yaml"
    own.write_text("")
    assert shipped.find("environments", "v1.2", tmp_path) == own


def test_a_folder_of_that_name_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "blocks.yaml").mkdir()
    assert shipped.find("environments", "blocks.yaml", tmp_path).resolve().parent == shipped.folder("environments")


def test_an_unknown_name_gets_the_nearest_known_one() -> None:
    with pytest.raises(PuppetError, match=r"no file 'blosk' among the environments.*did you mean 'blocks'"):
        shipped.find("environments", "blosk")
    with pytest.raises(PuppetError, match=r"did you mean 'blocks.yaml'"):
        shipped.find("environments", "bloks.yaml")
