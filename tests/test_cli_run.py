"""`puppet run`: exit status, what is said, what is written."""

from __future__ import annotations

import inspect
import io
import json
import sys
import types
from pathlib import Path

import pytest

from puppet import export
from puppet.cli import main, options, outputs
from puppet.errors import PuppetError
from puppet.files import shipped
from puppet.files.atomic_write import write_atomically
from puppet.performance import Performance

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


def test_all_done(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "reach.puppet", "-o", "a.json"]) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines()[0] == "reach.puppet: 6 frames, 0.2 s at 30 frames a second; 1 done"
    assert told.err.splitlines()[1].startswith("wrote a.json (")
    report = json.loads((folder / "a.json").read_text())
    assert [task["line"] for task in report["tasks"]] == [2]


def test_what_did_not_go_as_told_is_told_with_its_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "far.yaml").write_text(
        "table: {height: 0.6, front: 0.2}\nspaces: {1: [0.1, 0, 2.0]}\nobjects: {moon: {width: 0.03, space: 1}}\n"
    )
    (folder / "far.puppet").write_text('environment "far.yaml"\n\nreach moon with left, speed 5\nunlock right\n')
    assert main(["run", "far.puppet"]) == 3
    lines = capsys.readouterr().err.splitlines()
    assert lines[1] == "far.puppet:3: missed: reach moon with left, speed 5"
    assert lines[2].startswith("    ")
    assert len(lines) <= 5


def test_a_task_in_a_definition_is_told_with_its_call(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "own.puppet").write_text(
        'environment "blocks.yaml"\ndefine twice(thing)\n    reach thing with left, speed 5\n    lock left\n'
        "    reach thing with left, speed 5\nend\ntwice(yellow)\n"
    )
    assert main(["run", "own.puppet"]) == 3
    lines = capsys.readouterr().err.splitlines()
    assert lines[1] == "own.puppet:5: rejected: reach thing with left, speed 5 (called in line 7)"
    assert lines[2].startswith("    Stack yellow on yellow: ")


def test_a_mistake_in_the_script(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.puppet").write_text('environment "blocks.yaml"\nreach yellow wiht left\n')
    assert main(["run", "bad.puppet", "-o", "a.json"]) == 1
    told = capsys.readouterr().err
    assert "bad.puppet:2:14" in told
    assert "'with'" in told
    assert not (folder / "a.json").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "commands:"),
        (["rum"], "unknown command 'rum'; did you mean 'run'?"),
        (["run"], "a script is missing"),
        (["run", "-o", "a.json"], "a script is missing"),
        (["run", "reach", "-o"], "expected at least one argument"),
        (["run", "reach", "-o", "a.jsn"], "no writer for '.jsn'; did you mean '.json'?"),
        (["run", "reach", "-o", "a"], "no writer for ''"),
        (["run", "reach", "-o", "a.json", "./a.json"], "to be written twice"),
        (["run", "reach", "-o", "a.json", "--report", "a.json"], "to be written twice"),
        (["run", "reach", "b"], "'b' is too much here"),
        (["run", "reach", "--drft"], "unknown option '--drft'; did you mean '--draft'?"),
        (["run", "reach", "--scale", "2"], "--scale: nothing is written; it is for .bvh, .glb"),
        (["run", "reach", "-o", "a.json", "--camera", "top"], "--camera: the outputs here (.json) do not use it"),
        (["run", "reach", "--scale", "0"], "expected a number from 1e-06 to 1e+06, found '0'"),
        (["run", "reach", "--size", "big"], "such as 960x540; found 'big'"),
        (["run", "reach", "--frames", "1-"], "such as 0,30,60-90:10; found '1-'"),
        (["run", "reach", "--camera", "frnt"], "unknown camera 'frnt'; did you mean 'front'?"),
        (["run", "reach", "--up", "x"], "expected y or z, found 'x'"),
        (["explain"], "a script is missing"),
        (["explain", "reach", "-o", "a.pgn"], "did you mean '.png'?"),
        (["list", "script"], "invalid choice: 'script'"),
        (["--versoin"], "did you mean '--version'?"),
    ],
)
def test_wrong_usage(folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    assert main(words) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert said in told.err
    assert "Traceback" not in told.err
    assert [path.name for path in folder.iterdir()] == ["reach.puppet"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "raech.puppet"], "did you mean 'reach.puppet'?"),
        (
            ["run", "raech"],
            "no script 'raech', neither here nor among those that come with puppet; did you mean 'reach'?",
        ),
        (["run", "."], "no script '.'"),
        (["run", ""], "no script ''"),
        (["run", "a\0b"], "no script 'a"),
        (["run", "reach", "-e", "blokcs"], "did you mean 'blocks'?"),
        (["run", "reach", "--gestures", "none.yaml"], "no file 'none.yaml' among the gestures"),
        (["run", "reach", "--body", "siting"], "no file 'siting' among the bodies"),
        (["run", "reach", "-o", "nowhere/a.json"], "there is no folder 'nowhere'"),
        (["run", "reach", "--report", "nowhere/a.json"], "there is no folder 'nowhere'"),
        (["explain", "reach", "-o", "nowhere/a.svg"], "there is no folder 'nowhere'"),
    ],
)
def test_files_that_are_not_there(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(words) == 1
    told = capsys.readouterr()
    assert said in told.err
    assert told.out == ""
    assert "frames" not in told.err  # found before anything was carried out


def test_outputs_may_stand_anywhere(folder: Path) -> None:
    assert main(["run", "-q", "-o", "a.json", "b.json", "reach.puppet"]) == 0
    assert main(["run", "-o", "c.json", "-q", "reach.puppet", "-o", "d.json"]) == 0
    contents = {(folder / f"{name}.json").exists() for name in "abcd"}
    assert contents == {True}


def test_quiet_is_silent(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "reach.puppet", "--quiet", "-o", "a.json"]) == 0
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "")


def test_report_goes_where_it_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "reach.puppet", "--report", "told.txt"]) == 0
    from_file = json.loads((folder / "told.txt").read_text())
    assert main(["run", "reach.puppet", "--report", "-", "-q"]) == 0
    from_pipe = json.loads(capsys.readouterr().out)
    assert from_file["tasks"] == from_pipe["tasks"]


def test_environment_gestures_and_body(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "own.yaml").write_text(
        "bow: {critical: left arm, postures: {low: {left_forearm: {y: -90}}}, sequence: [low]}\n"
    )
    body = shipped.folder("bodies") / "seated.yaml"
    (folder / "bow.puppet").write_text("bow with left, speed 4\n")
    words = ["run", "bow.puppet", "-e", "blocks", "--gestures", "own.yaml", "--body", str(body), "--draft"]
    assert main(words) == 0
    assert "bow.puppet: 5 frames" in capsys.readouterr().err


def test_a_shipped_script_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "01_first_reach", "-o", "a.json"]) == 0


def test_standard_input(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(REACH.replace("\n", "\r\n").encode())))
    assert main(["run", "-"]) == 0
    assert "6 frames" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(b"\xff\xfe")))
    assert main(["run", "-"]) == 1
    assert "not a text in UTF-8" in capsys.readouterr().err


def test_tracks_and_spaces_through_a_pipe_are_what_they_are_in_a_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for kind, name in (("tracks", "balance.tracks.yaml"), ("spaces", "chain.space.yaml")):
        text = (shipped.folder(kind) / name).read_bytes()
        (folder / name).write_bytes(text)
        for words in (["check"], ["run", "-q", "-o", "{}.bvh"]):
            written = []
            for given in (name, "-"):
                monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(text)))
                target = f"{len(written)}"
                assert main([words[0], given, *(word.format(target) for word in words[1:])]) == 0
                path = folder / f"{target}.bvh"
                written.append(path.read_bytes() if path.exists() else capsys.readouterr().err)
            assert written[0] == written[1]


def test_what_does_not_fit_in_tracks_is_told_of_standard_input(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = b"{at: 0, place: [0, 0.6, 0]}", b"{at: 9, place: [0, 0.6, 1], by: projectile, height: 0.8}"
    text = b"centre_of_mass:\r\n  - %b\r\n  - %b\n" % keys
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(text)))
    assert main(["check", "-"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("tracks:3:")
    assert "hint" in told.out
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(text)))
    assert main(["check", "-", "--fix"]) == 2
    assert "give the name of a file" in capsys.readouterr().err


def test_unicode_and_spaces_in_paths(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = folder / "f\u00fcr \u732b \N{GRINNING FACE}"
    place.mkdir()
    (place / "t\u00fcr.puppet").write_text(REACH, encoding="utf-8")
    assert main(["run", str(place / "t\u00fcr.puppet"), "-o", str(place / "\u732b.json")]) == 0
    assert (place / "\u732b.json").is_file()
    assert "\u732b.json" in capsys.readouterr().err


# ---- several outputs


def _fails(performance: Performance, path: Path) -> None:
    raise PuppetError(f"cannot write '{path}': the disk is full")


def _takes(
    performance: Performance, path: Path, *, scale: float = 1.0, progress: export.Progress | None = None
) -> None:
    if progress is not None:
        progress(0.5)
    write_atomically(path, f"{scale:g}")


@pytest.fixture
def more_writers(monkeypatch: pytest.MonkeyPatch) -> None:
    for ending, write in {".full": _fails, ".opt": _takes}.items():
        module = types.ModuleType(f"puppet.export.test{ending[1:]}")
        module.write = write  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(export.WRITERS, ending, module.__name__)


@pytest.mark.usefixtures("more_writers")
def test_when_one_output_fails_the_others_are_written_and_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "-q", "reach.puppet", "-o", "a.json", "b.full", "c.json"]) == 1
    told = capsys.readouterr().err
    assert "wrote a.json" in told
    assert "wrote c.json" in told
    assert "cannot write 'b.full': the disk is full" in told
    assert sorted(path.name for path in folder.iterdir()) == ["a.json", "c.json", "reach.puppet"]


@pytest.mark.usefixtures("more_writers")
def test_options_reach_the_writers_that_take_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "-q", "reach.puppet", "-o", "a.json", "b.opt", "--scale", "2.5"]) == 0
    assert (folder / "b.opt").read_text() == "2.5"


@pytest.mark.usefixtures("more_writers")
def test_a_mistake_of_ours_is_no_traceback(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(performance: Performance, path: Path) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(sys.modules[export.WRITERS[".full"]], "write", breaks)
    assert main(["run", "-q", "reach.puppet", "-o", "b.full"]) == 70
    assert "a mistake in puppet itself: ZeroDivisionError: oh" in capsys.readouterr().err
    monkeypatch.setenv("PUPPET_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        main(["run", "-q", "reach.puppet", "-o", "b.full"])


def test_every_option_of_a_writer_is_an_option_of_the_command_line() -> None:
    known = {option.name for option in options.OPTIONS} | {outputs.PROGRESS}
    for ending in export.WRITERS:
        write = export.writer_for(f"a{ending}")
        assert outputs.options_of(write) <= known
        kinds = [entry.kind for entry in inspect.signature(write).parameters.values()]
        assert inspect.Parameter.VAR_KEYWORD not in kinds  # or an option would be swallowed


@pytest.mark.parametrize("option", options.OPTIONS, ids=lambda option: option.name)
def test_the_help_of_an_option_names_the_files_that_use_it(option: options.WriterOption) -> None:
    users = {ending for ending in export.WRITERS if option.name in outputs.options_of(export.writer_for(f"a{ending}"))}
    assert users == set(option.endings) & set(export.WRITERS)


def test_cameras_are_those_that_there_are() -> None:
    camera = pytest.importorskip("puppet.render.camera")
    assert set(options.CAMERA_NAMES) == set(camera.PRESETS)
