"""The pointer in the performing window; what goes wrong there, and how it ends."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import numpy as np
import pytest

import puppet
from puppet.command import Reach
from puppet.shows import Live
from puppet.window.display import Display
from puppet.window.event import Wheel
from puppet.window.layout import lay_out
from puppet.window.perform_screen import PerformScreen, PreparedLive
from puppet.window.view import CAMERAS
from tests.windows import SIZE, Hand, given, performing, place_of

Pair = tuple[Hand, PerformScreen]


def test_a_take_begins_with_its_first_command(pair: Pair) -> None:
    hand, screen = pair
    hand.wait(2.0)
    assert screen.live.frame.number == 0
    screen.live.give("reach yellow with left, speed 5")
    hand.wait(1.0)
    assert screen.live.frame.number > 20


# ---- pointer


def test_what_is_under_the_pointer_is_named_and_a_click_reaches_for_it(pair: Pair) -> None:
    hand, screen = pair
    x, y = place_of(screen, "yellow")
    hand.move(x, y)
    assert screen.aiming.target is not None
    assert screen.aiming.target.name == "yellow"
    assert {"outline", "tip"} <= {p.panel.name for p in screen.interface._placed}
    hand.click(x, y)
    hand.press("chooser", "right")
    (command,) = given(screen)
    assert command == Reach(hand="right", object="yellow", source=command.source)  # type: ignore[attr-defined]
    hand.click(*place_of(screen, "green"))
    assert screen.aiming.asking
    hand.key(name="escape", text="\x1b")
    assert not screen.aiming.asking
    hand.click(*place_of(screen, "green"))
    hand.press("chooser", "hold left")
    assert "left" in screen.live.locks
    assert len(given(screen)) == 3
    screen.live.undo()  # one click, one undo
    assert "left" not in screen.live.locks
    assert len(given(screen)) == 1


def test_a_place_can_be_clicked(pair: Pair) -> None:
    hand, screen = pair
    x, y, _ = screen.view.project(np.array(screen.live.scene.space("6").position))
    hand.click(float(x), float(y))
    hand.press("chooser", "left")
    (command,) = given(screen)
    assert isinstance(command, Reach)
    assert command.space == "6"


def test_the_camera_turns_moves_and_comes_nearer(pair: Pair) -> None:
    hand, screen = pair
    view = screen.view
    free = view._free.middle
    corner = (free[0] - 60.0, view._free.y + 20.0)
    first = view.camera
    hand.drag(corner, (corner[0] + 60.0, corner[1] + 20.0))
    turned = view.camera
    assert turned.azimuth != first.azimuth
    assert turned.elevation > first.elevation
    hand.drag(corner, (corner[0] + 50.0, corner[1]), button=3)
    moved = view.camera
    assert moved.target != turned.target
    assert moved.azimuth == turned.azimuth
    hand._pygame.mouse.set_pos((round(free[0]), round(free[1])))
    screen.take(Wheel(*free, 2.0))
    assert view.camera.distance < moved.distance
    for key, name in zip(("f5", "f6", "f7", "f8"), CAMERAS, strict=True):
        hand.key(name=key)
        assert view._name == name
    hand.key(name="home")
    assert view.camera == first
    assert not given(screen)


# ---- what goes wrong, and the end


def test_a_mistake_of_the_program_does_not_end_the_performance(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    hand, screen = pair

    def breaks(key: str) -> None:
        raise ZeroDivisionError("nothing")

    with monkeypatch.context() as patch:
        patch.setattr(screen.live, "press", breaks)
        hand.key("A")
    assert "ZeroDivisionError" in screen._words()[0]
    hand.key("A")
    assert len(given(screen)) == 1


def test_saving_writes_the_motion_and_never_over_another(
    pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    hand, screen = pair
    hand.key("A")
    hand.wait(0.5)
    for _ in range(2):
        hand.key(name="s", text="\x13", control=True)
        assert screen._saving is not None
        screen._saving.result()
        hand.turn()
        assert screen._words()[0].startswith("Saved")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"take.bvh", "take.json", "take.puppet", "take-2.bvh", "take-2.json", "take-2.puppet"}
    again = puppet.run(tmp_path / "take.puppet", draft=True)
    assert np.array_equal(again.angles[screen.live.frame.number], screen.live.frame.angles)


def test_a_take_is_whole_when_the_window_closes(display: Display, tmp_path: Path) -> None:
    take = tmp_path / "take.puppet"
    with performing(display, Live("blocks", draft=True, take=take)) as (hand, screen):
        hand.key(":")
        hand.key("A")
        hand.wait(1.5)
        assert "reach blue with left" in take.read_text()
        assert screen._toolbar._marks()[0][0] == "DRAFT"
        assert screen._toolbar._marks()[1][0] == "REC"
        hand.close()
        assert screen.closing
        angles = screen.live.frame.angles
    assert np.array_equal(puppet.run(take, draft=True).angles[-1], angles)


def test_a_posture_that_takes_long_does_not_hold_up_the_drawing(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    hand, screen = pair
    screen.pace.patience = 0.01
    go_on, advance = threading.Event(), screen.live.advance

    def slow(seconds: float) -> int:
        assert go_on.wait(60)
        return advance(seconds)

    with monkeypatch.context() as patch:
        patch.setattr(screen.live, "advance", slow)
        hand.key("A", seconds=1 / 60)
        assert screen.pace.busy
        before = screen.view.camera
        screen.take(Wheel(*screen.view._free.middle, 3.0))  # the camera answers meanwhile,
        assert hand.turn(1 / 60)
        assert screen.view.camera != before
        hand.key("G")  # what would change the performance waits, in order
        hand.press("primitives", "grip side")
        assert len(given(screen)) == 1
        go_on.set()
        screen.pace.patience = 60.0
        while screen.pace.busy:
            hand.turn(1 / 60)
    hand.turn(1 / 60)
    assert [type(command).__name__ for command in given(screen)] == ["Reach", "Reach", "SetPrimitive"]
    assert screen.live.frame.number > 0


def test_closing_waits_for_what_is_under_way(display: Display, tmp_path: Path) -> None:
    take = tmp_path / "take.puppet"
    with performing(display, Live("blocks", draft=True, take=take)) as (hand, screen):
        screen.pace.patience = 0.0
        hand.key("A", seconds=1 / 30)
    assert screen.live.closed
    assert not screen.pace.busy


def test_a_second_take_goes_over_the_first(display: Display, tmp_path: Path) -> None:
    first, both = tmp_path / "first.puppet", tmp_path / "both.puppet"
    first.write_text('environment "blocks.yaml"\nset overlap partial\nreach yellow with left\n')
    with performing(display, Live(under=first, take=both, draft=True)) as (hand, _):
        hand.key("G")
        hand.wait(0.5)
    text = both.read_text()
    assert "reach yellow with left" in text
    assert "reach blue with right" in text


def test_a_show_loads_all_kernels_without_a_trace() -> None:
    live = Live("blocks", draft=True)
    before = live.frame
    PreparedLive.of(live, "test")
    assert live.frame.number == before.number
    assert np.array_equal(live.frame.angles, before.angles)
    assert not live.stage.entries


def test_low_windows_have_no_strip() -> None:
    assert lay_out((800, 300), 38.0, 80.0).bottom is None
    assert lay_out(SIZE, 38.0, 80.0).bottom is not None


def test_a_monkey_does_not_break_it(pair: Pair, caplog: pytest.LogCaptureFixture) -> None:
    """Keys, clicks, drags and wheels at random, time passing: no mistake of the program, and the take replays."""
    hand, screen = pair
    chance = random.Random(20011)
    screen.draw = lambda size: False  # type: ignore[method-assign]
    keys = [key for key in screen.live.keyboard.keymap.actions if key not in ":;"]  # all of it is recorded
    names = ["space", "right", "down", "up", "f1", "f2", "f3", "f4", "f6", "home", "escape"]
    for _ in range(400):
        x, y = chance.uniform(0, SIZE[0]), chance.uniform(0, SIZE[1])
        match chance.randrange(6):
            case 0 | 1:
                hand.key(chance.choice(keys), seconds=1 / 30)
            case 2:
                hand.key(name=chance.choice(names), seconds=1 / 30)
            case 3:
                hand.click(x, y)
            case 4:
                hand.drag((x, y), (chance.uniform(0, SIZE[0]), chance.uniform(0, SIZE[1])), chance.choice((1, 3)))
            case 5:
                hand.key(name=chance.choice("zy"), control=True, seconds=chance.uniform(0.0, 0.3))
    assert "mistake of the program" not in caplog.text
    screen.pace.finish()
    again = screen.live.performance()
    assert np.array_equal(again.angles[screen.live.frame.number], screen.live.frame.angles)
