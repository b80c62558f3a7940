"""Playing a motion: time is given, files are looked at, mistakes leave the last good motion."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest

import puppet
from puppet.shows import PLAYBACK_SPEEDS, LoadedMotion, Playback
from puppet.shows.playback import CHECK_INTERVAL

SCRIPT = 'environment "here.yaml"\nfps 30\nset speed 6\nreach cup with left\nlock left\nreach space 2 with left\n'
ENVIRONMENT = """
table: {height: 0.6, front: 0.2, skew: 0.0}
spaces:
  1: [0.1, 0.0, 0.1]
  2: [0.2, 0.0, 0.15]
objects:
  cup: {width: 0.03, space: 1, shape: cup}
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (tmp_path / "here.yaml").write_text(ENVIRONMENT, encoding="utf-8")
    path = tmp_path / "play.puppet"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


@pytest.fixture
def player(script: Path) -> Playback:
    player = Playback(script)
    assert player.accept(player.load())
    return player


def change(path: Path, text: str) -> None:
    """Writes a file so that its time differs, however coarse the clock of the disk is."""
    before = path.stat().st_mtime_ns
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(before + 10**9, before + 10**9))


def test_it_shows_what_the_script_gives(player: Playback, script: Path) -> None:
    wanted = puppet.run(script)
    assert (player.count, player.fps) == (len(wanted.angles), 30.0)
    for frame in range(player.count):
        player.seek(frame)
        assert player.frame == frame
        assert np.array_equal(player.joint_transforms, wanted.joint_transforms[frame])
        assert np.array_equal(player.object_transforms, wanted.object_transforms[frame])


def test_it_says_what_is_done(player: Playback) -> None:
    player.seek(2)
    assert player.message == "Reaching cup with left hand"
    player.seek(8)
    assert player.message == "Moving cup to space 2"
    player.seek(player.count)
    assert player.message == ""


@pytest.mark.parametrize("speed", PLAYBACK_SPEEDS)
@pytest.mark.parametrize("rate", [24.0, 60.0, 144.0, 1000.0])
def test_motion_is_as_fast_on_every_machine(player: Playback, speed: float, rate: float) -> None:
    player.speed = speed
    for _ in range(round(0.25 * rate / speed)):
        player.advance(1.0 / rate)
    assert abs(player.frame - 7.5) <= 1.0


def test_it_stops_at_its_end_and_begins_again(player: Playback) -> None:
    player.advance(10.0)
    assert (player.frame, player.playing) == (player.count - 1, False)
    assert player.advance(1.0) == player.count - 1
    player.play()
    assert (player.frame, player.playing) == (0, True)


def test_it_loops(player: Playback) -> None:
    player.loop = True
    player.advance(3 * player.duration + 2.5 / 30)
    assert (player.frame, player.playing) == (2, True)
    player.seek(0)
    player.step(-1)
    assert player.frame == player.count - 1
    player.step()
    assert player.frame == 0


def test_step_and_pause(player: Playback) -> None:
    player.step()
    assert (player.frame, player.playing) == (1, False)
    assert player.advance(1.0) == 1
    player.step(-1)
    player.step(-1)
    assert player.frame == 0
    player.step(1000)
    assert player.frame == player.count - 1
    player.toggle()
    assert player.playing


def test_speeds_are_those_and_time_goes_on(player: Playback) -> None:
    with pytest.raises(puppet.PuppetError, match="one of"):
        player.speed = 3.0
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(puppet.PuppetError, match="seconds"):
            player.advance(wrong)


def test_a_changed_script_is_loaded_again(player: Playback, script: Path) -> None:
    assert not player.reload_if_changed()
    player.advance(0.2)
    place = player.frame
    change(script, SCRIPT + "wait 30\nreach cup with right\n")
    assert not player.reload_if_changed(), "it looks at most every quarter of a second"
    player.advance(CHECK_INTERVAL)
    count = player.count
    assert player.reload_if_changed()
    assert player.count > count
    assert player.frame >= place, "the place in the motion stays"
    player.advance(CHECK_INTERVAL)
    assert not player.reload_if_changed()


def test_a_changed_environment_is_loaded_again(player: Playback, script: Path) -> None:
    before = player.object_transforms
    change(script.parent / "here.yaml", ENVIRONMENT.replace("[0.1, 0.0, 0.1]", "[0.12, 0.0, 0.1]"))
    player.advance(CHECK_INTERVAL)
    assert player.reload_if_changed()
    player.seek(0)
    assert player.object_transforms[0, 0] == pytest.approx(before[0, 0] + 0.02)


def test_mistakes_keep_the_last_good_motion(player: Playback, script: Path) -> None:
    player.advance(0.2)
    shown = player.joint_transforms
    change(script, SCRIPT + "reach cupp with left\nrich cup with left\n")
    player.advance(CHECK_INTERVAL)
    at = player.frame
    assert player.reload_if_changed()
    assert len(player.problems) == 2
    assert "play.puppet:7:" in player.problems[0]
    assert "did you mean 'cup'" in player.problems[0]
    assert player.frame == at
    player.seek(6)
    assert np.array_equal(player.joint_transforms, shown)
    change(script, SCRIPT)
    player.advance(CHECK_INTERVAL)
    assert player.reload_if_changed()
    assert player.problems == ()


def test_an_environment_that_is_missing_is_waited_for(tmp_path: Path) -> None:
    script = tmp_path / "play.puppet"
    script.write_text(SCRIPT, encoding="utf-8")
    player = Playback(script)
    assert not player.accept(player.load())
    assert "here.yaml" in player.problems[0]
    assert (player.count, player.frame, player.ready) == (0, 0, False)
    assert player.joint_transforms.shape == player.object_transforms.shape == (0, 12)
    player.advance(1.0)
    assert not player.reload_if_changed()
    (tmp_path / "here.yaml").write_text(ENVIRONMENT, encoding="utf-8")
    player.advance(1.0)
    assert player.reload_if_changed()
    assert player.ready
    assert player.problems == ()


def test_a_script_that_is_away_for_a_moment(player: Playback, script: Path) -> None:
    script.unlink()
    player.advance(1.0)
    assert not player.reload_if_changed()
    script.write_text(SCRIPT + "wait 5\n", encoding="utf-8")
    player.advance(1.0)
    assert player.reload_if_changed()


def test_nothing_recorded_is_a_problem(script: Path) -> None:
    script.write_text(SCRIPT + "record stop\n", encoding="utf-8")
    player = Playback(script)
    assert not player.accept(player.load())
    assert "record start" in player.problems[0]


def test_it_loads_in_another_thread(script: Path) -> None:
    player = Playback(script)
    found: list[LoadedMotion] = []
    worker = threading.Thread(target=lambda: found.append(player.load()))
    worker.start()
    player.advance(0.1)
    worker.join()
    assert player.accept(found[0])
    assert player.count == len(puppet.run(script).angles)


def test_a_bvh_file(script: Path, tmp_path: Path) -> None:
    performance = puppet.run(script)
    performance.save(tmp_path / "play.bvh")
    player = Playback(tmp_path / "play.bvh")
    assert player.accept(player.load())
    assert player.count == len(performance.angles)
    assert player.fps == pytest.approx(30.0)
    assert player.clip is not None
    assert player.performance is None
    player.seek(5)
    assert np.array_equal(player.joint_transforms, player.clip.joint_transforms[5])
    change(tmp_path / "play.bvh", "HIERARCHY\nROOT\n")
    player.advance(1.0)
    assert player.reload_if_changed()
    assert "play.bvh" in player.problems[0]
    assert player.count == len(performance.angles)
