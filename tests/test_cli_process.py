"""What a shell sees of the command line: signals, pipes, colours, what is loaded, how long it takes."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli_process import ROOT, command, environment, puppet

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and terminals are others there")
REACH = 'environment "blocks.yaml"\nreach yellow with left, speed 5\n'
ENDLESS = 'environment "blocks.yaml"\nreach yellow with left, speed 5\nat 999000\nreach blue with right\n'
ENDLESS_RUN = """\
import sys
from puppet.cli import main
from puppet.stage import Stage

step = Stage.step

def told(stage):
    frame = step(stage)
    if frame.number == 100:
        print("stepping", flush=True)
    return frame

Stage.step = told
sys.exit(main(sys.argv[1:]))
"""
SLOW_WRITER = """\
import sys, time, types
from puppet import export
from puppet.cli import main
from puppet.files.atomic_write import atomic_path

def write(performance, path):
    with atomic_path(path) as draft:
        draft.write_text("half")
        print("writing", flush=True)
        time.sleep(60)

module = types.ModuleType("slow")
module.write = write
sys.modules["slow"] = module
export.WRITERS[".slow"] = "slow"
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "reach.puppet").write_text(REACH)
    (tmp_path / "endless.puppet").write_text(ENDLESS)
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".puppet")


@posix
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_in_the_middle_of_a_run(folder: Path, number: signal.Signals, code: int) -> None:
    (folder / "a.json").write_text("old")
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS_RUN, "run", "endless.puppet", "-o", "a.json", "b.json"],
        cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "stepping\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == code
    assert out == ""
    assert err.splitlines()[-1:] == ["puppet: stopped; no file was written"]
    assert "Traceback" not in err
    assert names(folder) == ["a.json"]
    assert (folder / "a.json").read_text() == "old"


@posix
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_while_the_second_file_is_written(folder: Path, number: signal.Signals, code: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_WRITER, "run", "-q", "reach.puppet", "-o", "a.json", "b.slow"],
        cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == code
    assert err == "puppet: stopped; written: a.json\n"
    assert names(folder) == ["a.json"]


@posix
def test_killed_while_a_file_is_written(folder: Path) -> None:
    (folder / "b.slow").write_text("old")
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_WRITER, "run", "-q", "reach.puppet", "-o", "b.slow"],
        cwd=folder, env=environment(), stdout=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    process.kill()
    process.communicate(timeout=30)
    assert (folder / "b.slow").read_text() == "old"


@posix
@pytest.mark.parametrize("words", ["explain reach.puppet", "--help", "list"])
def test_a_reader_that_goes_away_is_no_error(folder: Path, words: str) -> None:
    process = subprocess.Popen(
        command(*words.split()), cwd=folder, env=environment(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) in (141, 0)  # 0: argparse itself does not mind
    assert err == b""


@posix
def test_the_work_is_done_when_nobody_listens_to_remarks(folder: Path) -> None:
    process = subprocess.Popen(
        command("run", "reach.puppet", "-o", "a.json"), cwd=folder, env=environment(), stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    process.stderr.close()
    assert process.wait(60) == 0
    assert names(folder) == ["a.json"]


@posix
def test_files_are_written_before_a_report_that_nobody_reads(folder: Path) -> None:
    process = subprocess.Popen(
        command("run", "reach.puppet", "-q", "-o", "a.json", "--report", "-"), cwd=folder, env=environment(),
        stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(60) == 141
    assert names(folder) == ["a.json"]


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="every folder can be written to here")
def test_a_read_only_folder_is_found_before_anything_is_carried_out(folder: Path) -> None:
    place = folder / "place"
    place.mkdir(0o500)
    done = puppet("run", "reach.puppet", "-o", "place/a.json", cwd=folder)
    assert done.returncode == 1
    assert done.stderr == f"puppet: cannot write '{Path('place/a.json')}': its folder is read-only\n"


def test_in_a_pipe_nothing_is_coloured_and_no_bar_is_drawn(folder: Path) -> None:
    done = puppet("run", "reach.puppet", "-o", "a.json", cwd=folder)
    assert done.returncode == 0
    assert done.stdout == ""
    assert "\x1b" not in done.stderr
    assert "\r" not in done.stderr
    shown = puppet("explain", "reach.puppet", cwd=folder)
    assert "\x1b" not in shown.stdout
    assert shown.stderr == ""


def test_colours_can_be_had_and_refused(folder: Path) -> None:
    assert "\x1b[" in puppet("explain", "reach.puppet", cwd=folder, FORCE_COLOR="1").stdout
    assert "\x1b[" not in puppet("explain", "reach.puppet", cwd=folder, FORCE_COLOR="1", NO_COLOR="1").stdout


def test_a_stream_that_knows_no_box_gets_plain_signs(folder: Path) -> None:
    done = puppet("explain", "reach.puppet", cwd=folder, PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "[" in done.stdout


def test_an_unprintable_name_fails_as_a_name(folder: Path) -> None:
    done = puppet("run", "\u732b.puppet", cwd=folder, PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.returncode == 1
    assert "no script" in done.stderr
    assert "Traceback" not in done.stderr


def test_signs_that_a_terminal_would_obey_are_not_passed_on(folder: Path) -> None:
    done = puppet("run", "\x1b[31mred", cwd=folder)
    assert done.returncode == 1
    assert "\x1b" not in done.stderr


@posix
def test_without_streams(folder: Path) -> None:
    words = " ".join(f"'{word}'" for word in command("run", "reach.puppet", "-o", "a.json"))
    done = subprocess.run(["sh", "-c", f"{words} <&- >&- 2>&-"], cwd=folder, env=environment(), check=False)
    assert done.returncode == 0
    assert names(folder) == ["a.json"]


@posix
def test_on_a_terminal_there_is_a_bar_that_goes_away(folder: Path) -> None:
    import pty

    (folder / "long.puppet").write_text(
        'environment "blocks.yaml"\n' + "reach space 2 with left, speed 300\nreach space 4 with left, speed 300\n" * 4
    )
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command("run", "long.puppet"), cwd=folder, env=environment(TERM="xterm"), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            more = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        seen += more
    os.close(ours)
    assert process.wait(60) == 0
    shown = seen.decode()
    assert "carrying out long.puppet" in shown
    assert "█" in shown
    parts = [int(word.rstrip("%")) for word in shown.split() if word.endswith("%")]
    assert parts == sorted(parts)
    last = shown.rpartition("\r\x1b[K")[2]
    assert "long.puppet" in last.splitlines()[0]
    assert "%" not in last


# ---- what is loaded, and how long it takes


HEAVY = ("numba", "llvmlite", "scipy", "pygame", "OpenGL", "PIL")


def loaded(folder: Path, *words: str) -> set[str]:
    """The modules that a command line has loaded at its end."""
    code = (
        "import sys; from puppet.cli import main; code = main(sys.argv[1:]); "
        "print(*sorted(name.partition('.')[0] for name in sys.modules), file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=folder, env=environment(), capture_output=True, encoding="utf-8",
        timeout=60, check=True,
    )  # fmt: skip
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("words", ["--help", "--version", "run --help", "explain --help", "list scripts"])
def test_help_needs_nothing_heavy(folder: Path, words: str) -> None:
    assert loaded(folder, *words.split()).isdisjoint({*HEAVY, "numpy", "lark"})


def test_check_needs_nothing_heavy(folder: Path) -> None:
    assert loaded(folder, "check", "reach.puppet").isdisjoint(HEAVY)


def test_a_run_that_draws_nothing_loads_no_graphics(folder: Path) -> None:
    assert loaded(folder, "run", "reach.puppet", "-o", "a.json").isdisjoint({"pygame", "OpenGL", "PIL"})


def seconds(folder: Path, *words: str) -> float:
    """Processor time of a Python process."""
    before = os.times()
    # whatever this process may be told: an installed package has its compiled modules
    compiled = environment(PYTHONDONTWRITEBYTECODE="", PYTHONPYCACHEPREFIX=str(folder / "compiled"))
    subprocess.run([sys.executable, *words], cwd=folder, env=compiled, capture_output=True, timeout=60, check=True)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


@posix
@pytest.mark.parametrize("words", ["--help", "run --help", "--version", "list scripts", "check reach.puppet"])
def test_an_answer_comes_at_once(folder: Path, words: str) -> None:
    # half a second; on a machine that has much else to do, three times what others' modules take alone just then
    pairs = ((seconds(folder, "-c", "import numpy, yaml, lark"), seconds(folder, "-m", "puppet", *words.split()))
             for _ in range(4))  # fmt: skip
    assert any(own < max(0.5, 3 * others) for others, own in pairs)


def test_it_is_found_as_a_module_and_as_a_program(folder: Path) -> None:
    assert puppet("--version", cwd=folder).stdout.startswith("puppet ")
    assert 'puppet = "puppet.cli:main"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
