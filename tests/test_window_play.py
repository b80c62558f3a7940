"""The window in which a motion is watched: bar, keys, cameras, and files that change on disk."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from puppet.window.display import Display
from puppet.window.panels.transport import lanes_of
from puppet.window.play_screen import PlayScreen
from tests.windows import Hand, playing

ROOT = Path(__file__).parent.parent
CLIP = ROOT / "tests" / "data" / "bvh" / "blender.bvh"
GOOD = 'environment "blocks.yaml"\nset speed 20\nreach yellow with left\nreach red with right\n'


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "story.puppet"
    path.write_text(GOOD)
    return path


def until(hand: Hand, done: object, seconds: float = 60.0) -> None:
    """Turns until something is so; loading is another thread's work."""
    end = time.monotonic() + seconds
    while not done():  # type: ignore[operator]
        assert time.monotonic() < end
        hand.turn(0.3)
        time.sleep(0.01)


def names(screen: PlayScreen) -> set[str]:
    return {p.panel.name for p in screen.interface._placed}


def test_a_script_plays_with_its_tasks_told(display: Display, script: Path) -> None:
    with playing(display, script) as (hand, screen):
        player = screen.playback
        assert player.count == 41
        hand.wait(0.4)
        assert player.frame == 12
        assert screen._message.words == "Reaching yellow with left hand"
        middle = hand.look()
        hand.wait(0.7)
        assert screen._message.words == "Reaching red with right hand"
        assert (np.abs(hand.look().astype(int) - middle).max(axis=2) > 30).mean() > 0.01
        hand.wait(2.0)
        assert not player.playing
        assert player.frame == 40


def test_the_bar_is_dragged(display: Display, script: Path) -> None:
    with playing(display, script) as (hand, screen):
        bar = hand.zone("transport", "scrub")
        y = bar.bottom - 10.0
        hand.move(bar.x + 6.0, y)
        hand.down(bar.x + 6.0, y)
        hand.move(bar.middle[0], y + 100.0)
        assert screen.playback.frame == 20
        assert not screen.playback.playing  # while it is held
        hand.up(bar.middle[0], y + 100.0)
        assert screen.playback.playing
        hand.click(bar.right - 6.0, y)
        assert screen.playback.frame == 40


def test_keys(display: Display, script: Path) -> None:
    with playing(display, script) as (hand, screen):
        player = screen.playback
        hand.key(name="space", text=" ")
        assert not player.playing
        hand.key(name="right")
        hand.key(name="right", shift=True)
        hand.key(name="left")
        assert player.frame == 10
        hand.key(name="end")
        assert player.frame == 40
        hand.key(name="home")
        assert player.frame == 0
        hand.key("l")
        assert player.loop
        hand.key(name="down")
        assert player.speed == 0.5
        first = screen.view.camera if screen.view else None
        for key in "123":
            hand.key(key)
            assert screen.view is not None
            assert screen.view.camera != first
            first = screen.view.camera
        hand.key(name="f1")
        assert "help" in names(screen)
        hand.key(name="f2")
        hand.key(name="escape", text="\x1b")
        assert "help" not in names(screen)
        hand.key(name="escape", text="\x1b")
        assert "statistics" not in names(screen)
        assert not screen.closing
        hand.key(name="escape", text="\x1b")
        assert screen.closing


def test_buttons(display: Display, script: Path) -> None:
    with playing(display, script) as (hand, screen):
        player = screen.playback
        hand.press("transport", "pause")
        hand.press("transport", "last")
        hand.press("transport", "back")
        assert player.frame == 39
        hand.press("transport", "loop")
        hand.press("transport", "speed 2")
        hand.press("transport", "pause")
        assert (player.playing, player.loop, player.speed) == (True, True, 2.0)
        hand.wait(0.5)
        assert player.frame < 39
        hand.press("transport", "top")
        assert screen.view is not None
        assert screen.view.camera.elevation == pytest.approx(np.pi / 2)


def test_a_saved_file_is_played_anew_and_mistakes_keep_the_last_motion(display: Display, script: Path) -> None:
    with playing(display, script) as (hand, screen):
        player = screen.playback
        script.write_text(GOOD + "reach yelow with left\n")
        until(hand, lambda: player.problems)
        assert "mistakes" in names(screen)
        assert player.count == 41
        assert hand.look().std() > 20
        script.write_text(GOOD + "reach green with left\n")
        until(hand, lambda: player.count == 61)
        hand.turn()
        assert "mistakes" not in names(screen)
        assert [len(lane.spans) for lane in lanes_of(player)] == [2, 1]


def test_a_file_with_mistakes_from_the_start_plays_once_it_is_good(display: Display, script: Path) -> None:
    script.write_text("reach yelow with left\n")
    with playing(display, script) as (hand, screen):
        assert "mistakes" in names(screen)
        for key in (" ", "l", "1", "4", "0"):
            hand.key(key, name="space" if key == " " else "")
        for name in ("right", "left", "end", "home", "up", "f2"):
            hand.key(name=name)
        hand.look()
        script.write_text(GOOD)
        until(hand, lambda: screen.playback.ready)
        hand.turn()
        assert names(screen) >= {"transport"}
        assert hand.look().std() > 20


def test_a_bvh_file_plays(display: Display) -> None:
    with playing(display, CLIP) as (hand, screen):
        assert screen.playback.clip is not None
        screen.playback.pause()
        screen.playback.seek(0)
        first = hand.look()
        screen.playback.seek(screen.playback.count - 1)
        hand.turn()
        assert (np.abs(hand.look().astype(int) - first).max(axis=2) > 30).mean() > 0.003
        assert screen._message.words == ""
        hand.key(name="f2")
        assert screen._rows() == ()


def test_only_recorded_frames_have_tasks_over_them(display: Display, script: Path) -> None:
    script.write_text(GOOD + "at 10\nrecord start\nat 30\nrecord stop\n")
    with playing(display, script) as (_, screen):
        count = screen.playback.count
        assert count < 41
        spans = [span for lane in lanes_of(screen.playback) for span in lane.spans]
        assert spans
        assert all(0 <= start < end < count for start, end in spans)


def test_tracks_play_with_the_course_of_the_centre_of_mass(display: Display) -> None:
    with playing(display, ROOT / "tracks" / "jump.tracks.yaml") as (hand, screen):
        assert screen.playback.count == 75
        rows = {lane.hand: lane.spans for lane in lanes_of(screen.playback)}
        assert rows["centre of mass"] == ((0, 20), (20, 27), (27, 45), (45, 51), (51, 74))
        hand.wait(1.2)
        assert "Flying to" in screen._message.words
        picture = hand.look().astype(int)
        reddish = (picture[:, :, 0] > 150) & (picture[:, :, 1] < 110) & (picture[:, :, 2] < 90)
        assert reddish.sum() > 20  # the course and its keys
