"""Files are written whole or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from puppet.errors import PuppetError
from puppet.files.atomic_write import atomic_path, write_atomically

ROOT = Path(__file__).parent.parent
as_root = hasattr(os, "geteuid") and os.geteuid() == 0
NO_RIGHTS = pytest.mark.skipif(as_root or sys.platform == "win32", reason="every folder can be written to here")


def test_text_is_written_as_it_is(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a.txt", "gr\u00fcn\n\u2713\n")
    assert (tmp_path / "a.txt").read_bytes() == "gr\u00fcn\n\u2713\n".encode()
    write_atomically(tmp_path / "a.txt", b"\x00\r\n")
    assert (tmp_path / "a.txt").read_bytes() == b"\x00\r\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_the_draft_has_the_ending_of_the_file(tmp_path: Path) -> None:
    with atomic_path(tmp_path / "movie.mp4") as draft:
        assert draft.suffix == ".mp4"  # some programs look at it
        assert draft.parent == tmp_path  # or it could not be moved in one go
        draft.write_bytes(b"1")
    assert (tmp_path / "movie.mp4").read_bytes() == b"1"


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_nothing_is_left_when_writing_fails(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fail() -> None:
        with atomic_path(path) as draft:
            draft.write_text("half")
            raise error

    with pytest.raises(error):
        fail()
    assert path.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_an_error_of_the_system_is_told_as_ours(tmp_path: Path) -> None:
    with pytest.raises(PuppetError, match=r"cannot write .*nowhere.*: No such file"):
        write_atomically(tmp_path / "nowhere" / "a.txt", "")
    (tmp_path / "folder").mkdir()
    with pytest.raises(PuppetError, match=r"cannot write .*folder"):
        write_atomically(tmp_path / "folder", "")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@NO_RIGHTS
def test_a_folder_without_rights(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(PuppetError, match=r"cannot write .*: Permission denied"):
        write_atomically(tmp_path / "a.txt", "")
    tmp_path.chmod(0o700)


@pytest.mark.skipif(sys.platform == "win32", reason="rights are kept otherwise there")
def test_a_file_has_the_rights_that_any_new_file_has(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "a.txt", "")
    finally:
        os.umask(before)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be killed like that there")
def test_a_killed_process_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    code = (
        "import sys, time; from puppet.files.atomic_write import atomic_path\n"
        "with atomic_path(sys.argv[1]) as draft: draft.write_text('half'); print('ready', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    process.stdout.close()
    assert path.read_text() == "old"


def test_two_writers_at_once_give_one_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with atomic_path(path) as first, atomic_path(path) as second:
        assert first != second
        first.write_text("first" * 1000)
        second.write_text("second" * 1000)
        time.sleep(0)
    assert path.read_text() == "first" * 1000  # the block that ends last


def test_a_file_keeps_its_rights_and_a_link_stays_a_link(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    if sys.platform != "win32":
        path.chmod(0o600)
        link = tmp_path / "link.txt"
        link.symlink_to(path)
        write_atomically(link, "new")
        assert link.is_symlink()
        assert path.stat().st_mode & 0o777 == 0o600
    else:
        write_atomically(path, "new")
    assert path.read_text() == "new"


@NO_RIGHTS
def test_a_file_that_is_read_only_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o400)
    with pytest.raises(PuppetError, match="it is read-only"):
        write_atomically(path, "new")
    assert path.read_text() == "old"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such devices there")
def test_devices_and_pipes_are_written_to_and_never_replaced(tmp_path: Path) -> None:
    import stat
    import threading

    write_atomically("/dev/null", "nothing")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, "through")
    reader.join(10)
    assert read == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [entry.name for entry in tmp_path.iterdir()] == ["pipe"]


def test_the_longest_names_can_be_written(tmp_path: Path) -> None:
    for name in ("a" * 250 + ".txt", "\u732b" * 80 + ".txt"):
        write_atomically(tmp_path / name, "x")
        assert (tmp_path / name).read_text() == "x"


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    for name in ("a\0b.txt", "a" * 300 + ".txt"):
        with pytest.raises(PuppetError, match="cannot write"):
            write_atomically(tmp_path / name, "x")
    assert list(tmp_path.iterdir()) == []
