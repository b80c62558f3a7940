"""Tracks in the window: keys are dragged in space and in time, the file keeps its comments, pins show their tension."""

from __future__ import annotations

import difflib
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from puppet import PuppetError
from puppet.files.atomic_write import write_atomically
from puppet.shows import Playback
from puppet.tracks import Mark, load_tracks, moved_in_space, moved_in_time
from puppet.window.display import Display
from puppet.window.panels.transport import lanes_of
from puppet.window.track_keys import SLACK, TIGHT, tension_color
from tests.test_window_play import until
from tests.windows import playing

ROOT = Path(__file__).parent.parent
SHIPPED = ROOT / "tracks" / "jump.tracks.yaml"


@pytest.fixture
def jump(tmp_path: Path) -> Path:
    return Path(shutil.copy(SHIPPED, tmp_path / "jump.tracks.yaml"))


def changed_lines(path: Path) -> list[str]:
    """The lines of a copy that the shipped file does not have."""
    pairs = difflib.ndiff(SHIPPED.read_text().splitlines(), path.read_text().splitlines())
    return [line[2:] for line in pairs if line.startswith("+ ")]


def test_a_key_is_dragged_in_space_and_the_file_keeps_its_comments(display: Display, jump: Path) -> None:
    with playing(display, jump) as (hand, screen):
        screen.playback.pause()
        key = next(key for key in screen.playback.track_keys if key.track == "centre of mass" and key.at == 20)
        assert key.place is not None
        assert screen.view is not None
        height = screen.playback.performance.body.height  # type: ignore[union-attr]
        x, y, _ = screen.view.project(height * np.array(key.place))
        before = screen.playback.performance
        hand.drag((x, y), (x, y + 40.0))
        [line] = changed_lines(jump)
        assert line.endswith("# velocities by the neighbours unless given")
        moved = next(key for key in load_tracks(jump).mass if key.at == 20)
        assert moved.place is not None
        assert moved.place[1] < key.place[1] - 0.02
        until(hand, lambda: screen.playback.performance is not before)
        assert screen.playback.performance is not None
        low = screen.playback.performance.centre_of_mass[20, 1]
        assert low == pytest.approx(height * moved.place[1], abs=1e-4)
        hand.key("z", control=True)
        assert changed_lines(jump) == []


def test_a_key_is_dragged_along_its_track(display: Display, jump: Path) -> None:
    with playing(display, jump) as (hand, screen):
        key = next(key for key in screen.playback.track_keys if key.track == "pose" and key.at == 17)
        x, y = hand.zone("transport", f"key {key.number}").middle
        bar = hand.zone("transport", "scrub")
        hand.move(x, y)
        assert screen._transport._about_key() == "pose: key at 17"
        hand.drag((x, y), (x - 4.0 * (bar.width - 12.0) / (screen.playback.count - 1), y))
        assert changed_lines(jump) == ["  - {at: 13, pose: crouch, curve: smooth}"]
        hand.drag((x, y), (x + 500.0, y))  # no farther than the next key
        assert changed_lines(jump) == ["  - {at: 23, pose: crouch, curve: smooth}"]


def test_pins_are_coloured_by_their_tension_and_what_does_not_fit_is_told(display: Display, jump: Path) -> None:
    far = jump.read_text().replace("place: [0.08, 0, 0.85], gain: 1", "place: [0.9, 0.6, 1.7], gain: 1")
    write_atomically(jump, far.replace("height: 0.827", "height: 1.1"))
    with playing(display, jump) as (hand, screen):
        assert re.match(r"Line \d+: this flight lasts 18 frames, .* frame \d+ would fit", screen._message.words)
        screen.playback.pause()
        screen.playback.seek(2)
        hand.turn()
        assert screen.playback.performance is not None
        pins = screen.playback.performance.pins
        assert pins["left_foot"].misses[2] < 1e-3
        assert pins["left_foot"].misses[40] > 0.05
        colors = []
        for frame in (2, 40):
            screen.playback.seek(frame)
            assert screen.view is not None
            marks = list(screen._keys._pins(screen.view))
            colors.append(marks[0].color[:3])
        assert np.abs(np.subtract(colors, [SLACK, TIGHT])).max() < 12
    assert tension_color(0.0)[:3] == SLACK


def test_a_file_that_comes_with_puppet_is_not_changed(display: Display) -> None:
    text = SHIPPED.read_text()
    with playing(display, SHIPPED) as (hand, screen):
        key = next(key for key in screen.playback.track_keys if key.track == "pose" and key.at == 17)
        screen._keys.retime(key, 9)
        hand.turn()
        assert "comes with puppet" in screen._message.words
    assert SHIPPED.read_text() == text


def test_places_are_written_as_they_stood() -> None:
    text = "pins:\n  hand: [{at: 3, place: [ 0,1 , free], gain: 1}]   # note\n"
    mark = Mark("x", 2, 15)
    assert moved_in_space(text, "x", mark, (0.25, -0.0, 3.0)) == text.replace("0,1 ,", "0.25,0 ,")
    block = "centre_of_mass:\n  - at: 0\n    place:\n      - 0.50  # aside\n      - &high 1\n      - '0'\n"
    moved = block.replace("&high 1", "&high 1.5").replace("'0'", "'-2.0001'")
    assert moved_in_space(block, "x", Mark("x", 2, 9), (0.5, 1.5, -2.00014)) == moved
    two = "pose: [{at: 0, pose: rest}, {at: 9, pose: rest}]\n"
    assert moved_in_time(two, "x", Mark("x", 1, 34), 0) == two.replace("at: 9", "at: 1")
    with pytest.raises(PuppetError, match="there is no key here any more"):
        moved_in_time(two, "x", Mark("x", 1, 35), 0)


def test_a_span_is_moved_up_to_the_next_one() -> None:
    spans = "angular_momentum: [{from: 3, to: 9, x: 0}, {from: 12, to: 20, x: 0}]\n"
    assert moved_in_time(spans, "x", Mark("x", 1, 34), 99) == spans.replace("to: 9", "to: 12")
    assert moved_in_time(spans, "x", Mark("x", 1, 27), 99) == spans.replace("from: 3", "from: 8")


def test_what_is_changed_elsewhere_is_not_undone(jump: Path) -> None:
    playback = Playback(jump)
    playback.accept(playback.load())
    first = jump.read_text()
    key = next(key for key in playback.track_keys if key.track == "pose" and key.at == 17)
    playback.move_key(key, at=13)
    moved = jump.read_text()
    assert playback.undo_key()
    assert jump.read_text() == first
    assert playback.redo_key()
    assert jump.read_text() == moved
    jump.write_text(moved + "# written in an editor\n")
    with pytest.raises(PuppetError, match="changed elsewhere"):
        playback.undo_key()
    assert jump.read_text() == moved + "# written in an editor\n"
    assert not playback.undo_key()


def test_every_time_of_a_file_is_a_key_on_its_lane(jump: Path) -> None:
    playback = Playback(jump)
    playback.accept(playback.load())
    on_lanes = [key for lane in lanes_of(playback) for key in lane.keys]
    assert sorted(key.number for key in on_lanes) == [key.number for key in playback.track_keys]
    assert len(on_lanes) == len(load_tracks(jump).times)
