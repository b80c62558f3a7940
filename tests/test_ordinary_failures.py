"""What goes wrong in the world outside is told as such: full disks, closed streams, odd names, folders of others."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import puppet
from puppet.cli import main, outputs
from puppet.cli.outputs import Output
from puppet.cli.terminal import Terminal
from puppet.command import PutThing, TakeThing
from puppet.errors import visible
from puppet.files import shipped
from puppet.render import context
from puppet.scene import Object, Scene, Table
from puppet.shows import Live
from puppet.tools import check_file, convert_file

SCRIPT = 'environment "blocks.yaml"\nset speed 10\nreach yellow with left\n'
LONG = "a" * 300
posix = pytest.mark.skipif(os.name != "posix", reason="names and permissions as POSIX has them")


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.puppet").write_text(SCRIPT)
    return tmp_path / "mine.puppet"


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", LONG), ("check", f"{LONG}.yaml"), ("run", LONG), ("explain", f"{LONG}.puppet"),
        ("run", "mine.puppet", "-o", f"{LONG}.bvh"), ("run", "mine.puppet", "--report", LONG),
        ("run", "mine.puppet", "-e", LONG), ("run", "mine.puppet", "--body", LONG),
        ("convert", "mine.puppet", f"{LONG}.keys"), ("explain", "mine.puppet", "-o", f"{LONG}.svg"),
        ("play", f"{LONG}.bvh"), ("perform", LONG),
        ("run", "mine.puppet", "-o", "no folder/a.bvh"), ("run", "mine.puppet", "-o", "mine.puppet/a.bvh"),
    ],
)  # fmt: skip
def test_names_that_no_file_can_have(
    script: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 1
    told = capsys.readouterr().err
    assert "a mistake in puppet itself" not in told
    assert LONG in told or "no folder" in told or "Not a directory" in told


@posix
def test_a_folder_that_may_not_be_entered(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stat = os.stat

    def locked(path: object, **options: object) -> os.stat_result:  # also for root, who may enter everything
        if "locked" in str(path):
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, **options)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(os, "stat", locked)
    for arguments in (
        ("check", "locked/a.puppet"), ("run", "locked/a.puppet"), ("run", "mine.puppet", "-o", "locked/a.bvh"),
        ("run", "mine.puppet", "-e", "locked/a.yaml"), ("play", "locked/a.bvh"),
        ("convert", "mine.puppet", "locked/a.keys"),
    ):  # fmt: skip
        assert main(arguments) == 1
        told = capsys.readouterr().err
        assert "Permission denied" in told, arguments
        assert "mistake in puppet" not in told


@posix
def test_a_name_that_is_no_utf8(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = os.fsdecode(b"odd\xff")
    script.rename(script.with_name(f"{odd}.puppet"))
    assert main(["run", f"{odd}.puppet", "-o", f"{odd}.bvh", "--report", f"{odd}.json"]) == 0
    assert (script.parent / f"{odd}.json").is_file()
    assert "odd\\udcff.bvh" in capsys.readouterr().err
    (script.parent / f"{odd}.puppet").write_text("reach\n")
    assert main(["check", f"{odd}.puppet"]) == 1
    assert "odd\\udcff.puppet:1:" in capsys.readouterr().out


def test_a_closed_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["run", "-"]) == 1
    assert "standard input is closed" in capsys.readouterr().err


@pytest.mark.parametrize(("make", "words"), [("mkdir", "it is a folder"), ("mkfifo", "it is no file")])
def test_what_is_no_file(
    make: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if not hasattr(os, make):
        pytest.skip("this system has no such files")
    monkeypatch.chdir(tmp_path)
    getattr(os, make)("thing.puppet")
    assert main(["run", "thing.puppet"]) == 1
    assert f"'thing.puppet' cannot be read: {words}" in capsys.readouterr().err


def test_a_folder_that_is_gone(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script.unlink()
    script.parent.rmdir()
    assert main(["run", "01_first_reach", "-o", "a.bvh"]) == 1
    assert "No such file or directory" in capsys.readouterr().err


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="EGL is Linux's")
def test_egl_without_a_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    context._choose()
    from OpenGL import EGL

    def fail(*_: object) -> None:
        raise OSError("no driver")

    for name in ("eglQueryString", "eglGetDisplay", "eglInitialize"):
        monkeypatch.setattr(EGL, name, fail)
        with pytest.raises(puppet.PuppetError, match="pictures cannot be drawn here: no EGL display"):
            context._open_egl()


def test_one_output_that_fails_costs_no_other(script: Path) -> None:
    def fail(error: Exception) -> object:
        def write(performance: object, path: Path) -> None:
            raise error

        return write

    performance, here = puppet.run(SCRIPT), script.parent
    good = Output(here / "good.bvh", lambda performance, path: path.write_text("written"))
    for error in (puppet.PuppetError("no"), OSError(28, "No space left on device"), RuntimeError("a mistake of ours")):
        bad = Output(here / "bad.bvh", fail(error))  # type: ignore[arg-type]
        good.path.unlink(missing_ok=True)
        try:
            written, failed = outputs.write_all(performance, [bad, good], Terminal(None), quiet=True)
            assert (written, len(failed)) == ([good.path], 1)
        except RuntimeError as raised:
            assert raised is error  # noqa: PT017
        assert good.path.read_text() == "written"


# ---- inputs stay


def test_an_input_is_never_overwritten(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = script.parent
    for name in ("blocks.yaml", "figure_7_1.env"):
        (folder / name).write_bytes((shipped.folder("environments") / name).read_bytes())
    (folder / "other").write_text(SCRIPT)
    os.link(script, folder / "same.json")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for arguments in (
        ("mine.puppet", "--report", "mine.puppet"), ("mine.puppet", "--report", "blocks.yaml"),
        ("mine.puppet", "--report", "same.json"), ("mine.puppet", "-o", "same.json"), ("other", "--report", "other"),
    ):  # fmt: skip
        assert main(["run", *arguments]) == 2
        assert "would be overwritten" in capsys.readouterr().err
    with pytest.raises(puppet.PuppetError, match="overwritten by its own conversion"):
        convert_file(script, folder / "mine.puppet")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    performance = puppet.run(SCRIPT)
    performance.save(folder / "walk.bvh")
    walk = (folder / "walk.bvh").read_bytes()
    assert main(["convert", "walk.bvh", "walk.bvh"]) == 1
    assert (folder / "walk.bvh").read_bytes() == walk


def test_an_input_of_any_name_is_never_overwritten(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = script.parent
    puppet.run(SCRIPT).save(folder / "walk.bvh")
    (folder / "scene.json").write_bytes((shipped.folder("environments") / "blocks.yaml").read_bytes())
    (folder / "body.json").write_bytes((shipped.folder("bodies") / "seated.yaml").read_bytes())
    (folder / "named.puppet").write_text(SCRIPT.replace("blocks.yaml", "scene.json"))
    (folder / "edits.puppet").write_text("at 2 drag head by (0, 0.01, 0)\n")
    os.link(folder / "walk.bvh", folder / "same.json")
    os.symlink("body.json", folder / "linked.json")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for arguments in (
        ("run", "named.puppet", "--report", "scene.json"),
        ("run", "mine.puppet", "--body", "body.json", "--report", "linked.json"),
        ("edit", "walk.bvh", "edits.puppet", "-o", "a.bvh", "--report", "same.json"),
        ("edit", "walk.bvh", "edits.puppet", "-o", "a.bvh", "--report", "edits.puppet"),
        ("retarget", "walk.bvh", "--to", "walk.bvh", "-o", "a.bvh", "--report", "walk.bvh"),
        ("retarget", "walk.bvh", "--body", "body.json", "-o", "a.bvh", "--report", "linked.json"),
    ):  # fmt: skip
        assert main([*arguments, "--quiet"]) in (1, 2)
        assert "would be overwritten" in capsys.readouterr().err
    (folder / "a.bvh").unlink(missing_ok=True)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.skipif(sys.platform != "linux", reason="where names of files are bytes")
def test_a_conversion_tells_what_a_script_cannot_name(tmp_path: Path) -> None:
    environment = (shipped.folder("environments") / "blocks.yaml").read_bytes()
    keys, odd = tmp_path / "a\nfreeze.keys", tmp_path / "\udcff.yaml"
    keys.write_text("A\n")
    for path in (odd, tmp_path / "good.yaml"):
        path.write_bytes(environment)
    with pytest.raises(puppet.PuppetError, match="UTF-8"):
        convert_file(keys, tmp_path / "b.puppet", odd)
    convert_file(keys, tmp_path / "\udcff.puppet", tmp_path / "good.yaml")
    (task,) = puppet.run(tmp_path / "\udcff.puppet", draft=True).report["tasks"]
    assert task["status"] == "done"
    with pytest.raises(puppet.PuppetError, match="UTF-8"):
        Live(odd, draft=True, take=tmp_path / "take.puppet")


def test_a_performance_is_recorded_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    told: list[str] = []

    def perform(environment: object, keys: object, record: Path | None, *_: object) -> dict[str, float]:
        if record is not None:
            record.write_text('environment "blocks.yaml"\nfps 30\n' + "".join(told))
        return {}

    monkeypatch.setattr("puppet.window.app.perform", perform)
    assert main(["perform", "blocks"]) == 0
    assert list(tmp_path.rglob("*.puppet")) == []  # nothing was told
    told.append("at 7\nreach yellow with left\n")
    for _ in range(2):
        assert main(["perform", "blocks"]) == 0
    takes = list(tmp_path.rglob("blocks-*.puppet"))
    assert len(takes) == 2
    said = capsys.readouterr().err
    assert all(f"puppet play {take}" in said for take in takes)
    assert check_file(takes[0]) == ()
    assert main(["perform", "blocks", "--no-record"]) == 0
    assert len(list(tmp_path.rglob("*.puppet"))) == 2


# ---- messages can be shown anywhere


@pytest.mark.parametrize("sign", ["\x1b[31m", "\u202e", "\u2066", "\x07", "\u200b", "\x85"])
def test_messages_show_escapes(sign: str, tmp_path: Path) -> None:
    told = []
    for ask in (
        lambda: puppet.run(f'environment "blocks.yaml"\nreach "a{sign}b" with left\n'),
        lambda: puppet.Body.load(f"a{sign}b"),
        lambda: puppet.Stage(f"a{sign}b"),
        lambda: puppet.run(f"a{sign}b.puppet"),
    ):
        with pytest.raises(puppet.PuppetError) as caught:
            ask()
        told.append(str(caught.value))
    (tmp_path / "a.yaml").write_text(f'table: "a{sign}b"\n', encoding="utf-8")
    told += map(str, check_file(tmp_path / "a.yaml"))
    entry = puppet.Stage("blocks").give(f'reach "a{sign}b" with left')
    told += [entry.reason, entry.interpretation]
    thing = Object(f"a{sign}b", 0.03)
    stage = puppet.Stage(Scene.build(Table(0.6, 0.2), {"1": (0.1, 0.65, 0.3), "2": (0.0, 0.65, 0.3)}, [(thing, "1")]))
    stage.give(TakeThing(hand="left", object=thing.name))
    stage.give(PutThing(object=thing.name, space="2"))
    stage.step()
    told += [words for entry in stage.entries for words in (entry.command, entry.expanded, entry.waited)]
    assert "waits for" in told[-1]
    for message in told:
        assert all(char.isprintable() or char in "\n\t" for char in message)
    assert any(visible(f"a{sign}b") in message for message in told)
