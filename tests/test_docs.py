"""README and docs: all that stands there runs, links lead somewhere, pictures are made by the command above them."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from docs.pages import ROOT, Page, anchor, pages, read
from puppet.cli.parser import ParsedCommand, parse_arguments
from puppet.cli.terminal import Terminal
from tests.page_runner import PageRunner

PAGES = pages()
BY_PAGE = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
PICTURES = [(page, picture) for page in PAGES for picture in page.pictures]
BY_PICTURE = pytest.mark.parametrize(("page", "picture"), PICTURES, ids=lambda value: value.path.name)
LARGEST = {".gif": 3_000_000, ".png": 400_000}


@BY_PAGE
def test_all_code_runs(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    PageRunner(page, tmp_path, monkeypatch).run()


@BY_PAGE
def test_links_lead_somewhere(page: Page) -> None:
    for line, target in page.links:
        if re.match(r"https?://", target):
            continue
        path, _, heading = target.partition("#")
        found = (page.path.parent / path).resolve() if path else page.path
        assert found.exists(), f"{page.name}:{line}: {target}"
        if heading:
            assert heading in read(found).headings, f"{page.name}:{line}: {target}"


@BY_PAGE
def test_files_that_are_named_exist(page: Page) -> None:
    folders = r"puppet|docs|tests|benchmarks|scripts|environments|\.ci"
    named = re.findall(rf"`((?:{folders})/[\w./]*)`", page.path.read_text(encoding="utf-8"))
    missing = [name for name in named if not (ROOT / name).exists()]
    assert not missing


@BY_PAGE
def test_every_yaml_block_is_used(page: Page) -> None:
    others = "\n".join(block.text for block in page.blocks if block.kind != "yaml")
    for block in page.blocks:
        if block.kind == "yaml":
            assert block.name in others, f"{page.name}:{block.line}"


@BY_PICTURE
def test_pictures_are_there_and_small_enough(page: Page, picture) -> None:  # type: ignore[no-untyped-def]
    assert picture.path.is_file()
    assert picture.path.stat().st_size < LARGEST[picture.path.suffix]


@BY_PICTURE
def test_pictures_have_the_command_that_makes_them(page: Page, picture) -> None:  # type: ignore[no-untyped-def]
    assert picture.recipe is not None, f"{page.name}:{picture.line}: no comment with its command above it"
    program, *words = picture.recipe
    if program == "python":
        script = f"{words[1].replace('.', '/')}.py" if words[0] == "-m" else words[0]
        assert (ROOT / script).is_file()
        return
    assert program == "puppet"
    assert "-" not in words or picture.script is not None
    err = io.StringIO()
    assert isinstance(parse_arguments([*words, "-o", picture.path.name], Terminal(err)), ParsedCommand), err.getvalue()


def test_every_picture_is_shown() -> None:
    shown = {picture.path for _, picture in PICTURES}
    there = {path for ending in LARGEST for path in (ROOT / "docs").rglob(f"*{ending}")}
    assert there == shown


def test_every_page_is_in_the_table_of_contents() -> None:
    index = read(ROOT / "docs" / "index.md")
    listed = {target for _, target in index.links}
    assert {path.name for path in (ROOT / "docs").glob("*.md")} - {"index.md"} <= listed


def test_the_readme_has_what_a_stranger_wants() -> None:
    page = read(ROOT / "README.md")
    kinds = [block.kind for block in page.blocks]
    assert kinds.count("python") >= 3
    script = next(block for block in page.blocks if block.kind == "puppet")
    assert len(script.text.splitlines()) <= 8
    commands = [line for block in page.blocks if block.kind == "sh" for line in block.text.splitlines()]
    assert any("venv" in line and "puppet demo" in line for line in commands)
    assert any("venv" in line and "pytest" in line for line in commands)


# ---- the runner itself: what is wrong is found


def run(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = ROOT / "docs" / "not a page.md"  # never written: pages are named by their place in the project
    there = tmp_path / "page.md"
    there.write_text(text, encoding="utf-8")
    found = read(there)
    folder = tmp_path / "folder"
    folder.mkdir()
    page = Page(path, found.blocks, found.pictures, found.links, found.headings, found.indented)
    PageRunner(page, folder, monkeypatch).run()


WRONG = {
    "a kind that no test knows": "```ruby\nputs 1\n```\n",
    "no kind": "```\nputs 1\n```\n",
    "no fence": "Do this:\n\n    puppet run coffee\n",
    "Python that fails": "```python\nraise RuntimeError\n```\n",
    "a script with a mistake": '```puppet\nenvironment "blocks.yaml"\nreach yelow with left\n```\n',
    "a script whose task is refused": '```puppet\nenvironment "blocks.yaml"\nunlock left\n```\n',
    "an option that is not there": "```sh\npuppet list --colour\n```\n",
    "another exit status": "```sh exits 3\npuppet list\n```\n",
    "an unknown program": "```sh\ncurl x\n```\n",
    "extras that are not there": '```sh\npip install ".[tests]"\n```\n',
    "output that was not said": "```sh\npuppet list bodies\n```\n\n```output\nnothing\n```\n",
    "output with something between": "```python\nprint('a\\nb\\nc')\n```\n\n```output\na\nc\n```\n",
    "a command that says it is text": "```text\npuppet run coffee\n```\n",
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever a block raises
        run(WRONG[name], tmp_path, monkeypatch)


def test_what_is_right_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "```python\nprint('a\\nb\\nc')\n```\n\n```output\na\n...\nc\n```\n\n```sh\npuppet list bodies\n```\n"
    run(text, tmp_path, monkeypatch)


def test_headings_are_called_as_in_links() -> None:
    assert anchor("What it *is*, and `why`") == "what-it-is-and-why"
