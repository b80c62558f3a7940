"""The whole program on a real (X11) screen without a monitor: keys typed by another program, pixels of the screen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import puppet

ROOT = Path(__file__).parent.parent
LONG = 240.0  # seconds: kernels may have to be compiled first


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a program on a screen of its own."""
    missing = [name for name in ("Xvfb", "xdotool") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)} (apt-get install xvfb xdotool)")
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "800x600x24", "-fbdir", str(tmp_path)],
        pass_fds=(write,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    with os.fdopen(read) as file:
        number = file.readline().strip()
    try:
        if not number:
            pytest.skip("Xvfb does not start here")
        environment = {**os.environ, "DISPLAY": f":{number}", "PYTHONPATH": str(ROOT), "SDL_VIDEODRIVER": "x11"}
        environment.pop("WAYLAND_DISPLAY", None)
        yield environment
    finally:
        server.terminate()
        server.wait(30)


def wait_for(done: Callable[[], bool], program: subprocess.Popen[str]) -> None:
    end = time.monotonic() + LONG
    while not done():
        assert program.poll() is None, program.communicate()
        assert time.monotonic() < end
        time.sleep(0.1)


def test_keys_typed_on_a_screen_move_the_puppet_and_are_in_the_take(screen: dict[str, str], tmp_path: Path) -> None:
    take, frames = tmp_path / "take.puppet", tmp_path / "Xvfb_screen0"
    program = subprocess.Popen(
        [sys.executable, "-m", "puppet", "perform", "blocks", "--draft", "--record", str(take), "--size", "640x480",
         "--stats"],
        env=screen, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip

    def typed(*keys: str) -> None:
        subprocess.run(["xdotool", "key", "--delay", "60", *keys], env=screen, check=True, timeout=60)

    def told(words: str) -> Callable[[], bool]:
        return lambda: take.is_file() and words in take.read_text()

    def puppet_is_there() -> bool:
        return len(np.unique(seen()[::4, ::4].reshape(-1, 4), axis=0)) > 300  # shaded, not a plain ground

    def seen() -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        raw = np.fromfile(frames, dtype=np.uint8)[-800 * 600 * 4 :]
        return raw.reshape(600, 800, 4)

    try:
        wait_for(lambda: frames.is_file() and puppet_is_there(), program)
        before = seen()
        typed("2", "shift+a")
        wait_for(told("reach blue with left"), program)
        time.sleep(1.0)
        typed("shift+1", "y")
        wait_for(told("scratch head with right"), program)
        wait_for(lambda: bool((np.abs(seen().astype(int) - before).max(axis=2) > 30).mean() > 0.01), program)
        typed("ctrl+q")
        out, err = program.communicate(timeout=60)
    finally:
        program.kill()
    assert program.returncode == 0, err
    assert "draw" in out  # the time of each stage
    text = take.read_text()
    assert "set overlap partial" in text
    assert "set speed 20" in text
    motion = puppet.run(take, draft=True)
    assert np.abs(motion.angles[-1] - motion.angles[0]).max() > 0.1
