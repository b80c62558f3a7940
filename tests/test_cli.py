"""The other commands: explain, list, demo, help, check and convert."""

from __future__ import annotations

import argparse
import io
import json
import signal
import sys
import types
from pathlib import Path

import pytest

import puppet
from puppet.cli import main, parser
from puppet.cli.commands import demo
from puppet.cli.summary import size_words
from puppet.errors import PuppetError
from puppet.files import shipped

REACH = 'environment "blocks.yaml"\nreach yellow with left, speed 5\n'
SWAP = """\
environment "blocks.yaml"
set speed 5
reach yellow with left
lock left
reach blue with left
reach blue with left
unlock left
at 2
reach blue with right
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reach.puppet").write_text(REACH, encoding="utf-8")
    return tmp_path


# ---- explain, list, demo, help


def test_explain_on_the_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "swap.puppet").write_text(SWAP)
    code = main(["explain", "swap.puppet"])
    told = capsys.readouterr()
    assert code == (3 if "rejected" in told.out else 0)
    assert told.err == ""
    assert "left arm" in told.out
    assert "(line 9)" in told.out
    assert "waited" in told.out


def test_explain_as_pictures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "reach.puppet", "-o", "a.svg", "b.PNG"]) == 0
    assert (folder / "a.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert (folder / "b.PNG").read_bytes().startswith(b"\x89PNG")
    told = capsys.readouterr()
    assert told.out == ""
    assert "wrote a.svg" in told.err


def test_list_names_everything_that_comes_along(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    told = capsys.readouterr().out
    for kind in ("scripts", "environments", "bodies"):
        for name in shipped.names(kind):
            assert f"  {name}" in told
    assert "scratch head" in told
    assert main(["list", "scripts", "--folder"]) == 0
    assert Path(capsys.readouterr().out.strip()) == shipped.folder("scripts")
    assert main(["list", "environments"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in told] == list(shipped.names("environments"))


def test_demo_writes_what_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cafe.puppet").write_text("this is not the one that comes with puppet\n")
    assert main(["demo", "-o", "a.json"]) == 0
    report = json.loads((tmp_path / "a.json").read_text())
    assert report["frames"] > 600
    assert {task["status"] for task in report["tasks"]} <= {"done", "adjusted"}


def test_demo_plays_in_the_window_where_there_is_a_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    played = []

    def play(arguments: argparse.Namespace, context: object) -> int:
        played.append(Path(arguments.script))
        if len(played) > 1:
            raise PuppetError("no screen after all")
        return 0

    window = types.ModuleType("puppet.cli.commands.play")
    window.SUMMARY, window.DESCRIPTION, window.execute = "play", "play", play  # type: ignore[attr-defined]
    window.add_arguments = lambda parser: parser.add_argument("script")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, window.__name__, window)
    monkeypatch.setattr(parser, "subcommand_names", lambda: ("demo", "play"))
    monkeypatch.setattr(demo, "subcommand_names", lambda: ("demo", "play"))
    monkeypatch.setattr(demo, "has_screen", lambda: True)
    monkeypatch.setattr(demo, "FILES", ("cafe.json",))
    assert main(["demo"]) == 0
    assert played == [shipped.folder("scripts") / "cafe.puppet"]
    assert list(tmp_path.iterdir()) == []
    assert main(["demo"]) == 0
    assert "the window does not open (no screen after all); files are written instead" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["cafe.json"]


def test_demo_without_a_screen_writes_motion_and_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("puppet.export.bvh")
    pytest.importorskip("puppet.export.picture")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "has_screen", lambda: False)
    code = main(["demo"])
    told = capsys.readouterr().err
    assert (tmp_path / "cafe.bvh").is_file()
    assert (code, (tmp_path / "cafe.png").exists()) == (0, True) or "OpenGL" in told


@pytest.mark.parametrize("name", parser.subcommand_names())
def test_help_teaches_with_examples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    told = capsys.readouterr().out
    assert told.count(f"puppet {name}") >= 3  # usage and examples
    assert "exit status" in told
    module = parser.load_subcommand(name)
    assert len(module.SUMMARY) < 80
    assert main(["--help"]) == 0
    assert module.SUMMARY in capsys.readouterr().out


def test_help_is_a_command_too(capsys: pytest.CaptureFixture[str]) -> None:
    for words, same in ((["help"], ["--help"]), (["help", "run"], ["run", "--help"])):
        assert main(words) == 0
        told = capsys.readouterr().out
        assert main(same) == 0
        assert capsys.readouterr().out == told
    assert main(["help", "rum"]) == 2


def test_the_process_gets_its_signals_back(capsys: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGTERM)
    assert main(["--version"]) == 0
    assert signal.getsignal(signal.SIGTERM) == before


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"puppet {puppet.__version__}\n"


@pytest.mark.parametrize(("size", "words"), [(0, "0 bytes"), (999, "999 bytes"), (1500, "2 kB"), (2_340_000, "2.3 MB")])
def test_sizes(size: int, words: str) -> None:
    assert size_words(size) == words


def test_the_package_has_its_names_whatever_was_loaded_first() -> None:
    from puppet.shows import run

    assert puppet.run is run
    assert callable(puppet.run)
    for name in puppet.__all__:
        assert getattr(puppet, name).__module__.startswith("puppet.")
        assert name in dir(puppet)
    with pytest.raises(AttributeError, match="no attribute 'Puppeteer'"):
        puppet.Puppeteer  # noqa: B018


# ---- check and convert


BROKEN = 'environment "blocks.yaml"\nreach yelow with left\nslide left bye (1, 2, 3)\nrepeat 3\n'


def test_check_tells_every_mistake(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.puppet").write_text(BROKEN)
    assert main(["check", "bad.puppet", "reach.puppet"]) == 1
    told = capsys.readouterr()
    places = [line for line in told.out.splitlines() if line.startswith("bad.puppet:")]
    assert [place.split(":")[1] for place in places] == ["2", "3", "4"]
    assert places[0].startswith("bad.puppet:2:7: unknown object 'yelow'; did you mean 'yellow'?")
    assert "          ^^^^^" in told.out.splitlines()
    assert told.err == "3 mistakes in 1 of 2 files\n"


def test_check_of_what_is_right(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "reach.puppet", "01_first_reach", str(shipped.folder("environments") / "blocks.yaml")]) == 0
    assert capsys.readouterr() == ("", "no mistakes in 3 files\n")
    assert main(["check", "reach.puppet", "-q"]) == 0
    assert capsys.readouterr() == ("", "")


def test_check_in_another_scene(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "empty.yaml").write_text("table: {height: 0.6, front: 0.2}\nspaces: {1: [0, 0, 0.1]}\n")
    assert main(["check", "reach.puppet", "-e", "empty.yaml"]) == 1
    assert "reach.puppet:2:7: unknown object 'yellow'" in capsys.readouterr().out
    (folder / "broken.yaml").write_text("tabel: 1\n")
    assert main(["check", "broken.yaml"]) == 1
    assert "broken.yaml:1:1" in capsys.readouterr().out


def test_check_of_standard_input(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for text, code, count in ((BROKEN, 1, 3), (REACH, 0, 0)):
        monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(text.encode())))
        assert main(["check", "-"]) == code
        told = capsys.readouterr()
        assert told.out.count("script:") == count


def test_run_tells_the_mistakes_as_check_does(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.puppet").write_text(BROKEN)
    main(["check", "bad.puppet"])
    checked = capsys.readouterr()
    for words in (["run", "bad.puppet"], ["explain", "bad.puppet"]):
        assert main(words) == 1
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err == checked.out + checked.err


def test_check_of_a_missing_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "reech.puppet"]) == 1
    assert "no script 'reech.puppet'" in capsys.readouterr().err
    assert main(["check"]) == 2


def test_convert_there_and_back(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "blocks.yaml", "blocks.env"]) == 0
    assert "wrote blocks.env" in capsys.readouterr().err
    assert main(["convert", "blocks.env", "again.yaml", "-q"]) == 0
    assert main(["convert", "again.yaml", "again.env", "-q"]) == 0
    assert (folder / "blocks.env").read_bytes() == (folder / "again.env").read_bytes()
    assert main(["convert", "blocks.yaml", "-"]) == 0
    told = capsys.readouterr()
    assert told.out == (folder / "blocks.env").read_text(encoding="utf-8")
    (folder / "short.puppet").write_text('environment "blocks.yaml"\nreach yellow with left\nlock left\n')
    capsys.readouterr()
    assert main(["convert", "short.puppet", "short.keys"]) == 0
    assert "tasks that do not say it have speed 30 and curve sine now" in capsys.readouterr().err
    (folder / "waits.puppet").write_text('environment "blocks.yaml"\nfreeze\nwait 20\n')
    assert main(["convert", "waits.puppet", "waits.keys"]) == 0
    assert "the time at the end is left out" in capsys.readouterr().err
    assert main(["convert", "short.keys", "long.puppet", "-e", "blocks"]) == 0
    assert main(["check", "long.puppet"]) == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["convert"], 2, "required"),
        (["convert", "reach.puppet"], 2, "required"),
        (["convert", "reach.txt", "a.keys"], 2, "no form ends like that"),
        (["convert", "reach.puppet", "a.yaml"], 2, "from .puppet there is .keys"),
        (["convert", "reech.puppet", "a.keys"], 1, "no file 'reech.puppet'"),
        (["convert", "reach.puppet", "nowhere/a.keys"], 1, "there is no folder 'nowhere'"),
        (["convert", "short.keys", "a.puppet"], 1, "-e ENVIRONMENT"),
    ],
)
def test_what_cannot_be_converted(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: int, said: str
) -> None:
    (folder / "short.keys").write_text("1\n")
    assert main(words) == code
    assert said in capsys.readouterr().err
    assert sorted(path.name for path in folder.iterdir()) == ["reach.puppet", "short.keys"]
