"""The window in which a person performs: the same code as on a screen, with events posted and pixels read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import puppet
from puppet.body import AXES, Body
from puppet.command import PoseJoint
from puppet.shows import Live
from puppet.window.box import Box
from puppet.window.display import Display
from puppet.window.perform_screen import PerformScreen
from tests.windows import Hand, given, performing, place_of, window

Pair = tuple[Hand, PerformScreen]


# ---- keys


def test_every_key_of_the_table_does_what_it_does_without_a_window(pair: Pair) -> None:
    hand, screen = pair
    alone = Live("blocks", draft=True)
    for key in alone.keyboard.keymap.actions:
        hand.key(key)
        alone.press(key)
        alone.advance(0.0)
        assert (screen.live.slide_by, screen.live.slide_turn) == (alone.slide_by, alone.slide_turn), key
    assert screen.live.take.text == alone.take.text
    assert len(given(screen)) > 40


def test_a_task_begins_in_the_frame_after_its_key(pair: Pair) -> None:
    hand, screen = pair
    before = screen.live.frame.angles
    hand.key("A", seconds=1 / 60)  # the turn that hears the key moves the puppet
    assert not np.array_equal(screen.live.frame.angles, before)


def test_the_puppet_is_seen_to_move_and_its_task_is_told(pair: Pair) -> None:
    hand, screen = pair
    at = screen.view
    before = hand.look()
    hand.key("A")
    hand.wait(0.6)
    after = hand.look()
    free = at._free  # where no panel is
    part = np.s_[round(free.y) : round(free.bottom) - 60, round(free.x) : round(free.right)]
    changed = np.abs(after[part].astype(int) - before[part]).max(axis=2) > 30
    assert 0.005 < changed.mean() < 0.5
    assert screen.live.message == "Reaching blue with left hand"
    assert screen._message.words == "Reaching blue with left hand"


def test_what_cannot_be_done_is_told_long_enough_to_read(pair: Pair) -> None:
    hand, screen = pair
    hand.key("V")
    assert screen._words() == ("There is no object number 8; the scene has 4", True)
    hand.wait(2.0)
    assert screen._words()[1]
    hand.wait(4.0)
    assert screen._words() == ("", False)


def test_a_key_that_is_held_gives_its_task_once_and_a_slide_step_many_times(pair: Pair) -> None:
    hand, screen = pair
    for text, code in (("A", ord("a")), ("0", ord("0"))):
        for _ in range(3):
            hand._post("KEYDOWN", key=code, unicode=text, mod=0)
        hand._post("KEYUP", key=code, mod=0)
        hand.turn()
    assert len(given(screen)) == 1
    assert screen.live.slide_by == (pytest.approx(0.15), 0.0, 0.0)


def test_third_level_of_a_keyboard_types_and_control_does_not(pair: Pair) -> None:
    import pygame

    hand, screen = pair
    hand._post("KEYDOWN", key=ord("q"), unicode="@", mod=pygame.KMOD_LCTRL | pygame.KMOD_RALT)  # AltGr+Q in Germany
    hand.turn()
    assert screen.live.primitives.speed == 30
    assert len(given(screen)) == 1
    hand._post("KEYDOWN", key=ord("5"), unicode="5", mod=pygame.KMOD_LCTRL)
    hand.turn()
    assert len(given(screen)) == 1


def test_pause_step_and_slow_motion(pair: Pair) -> None:
    hand, screen = pair
    live = screen.live
    hand.key(name="space", text=" ")
    assert live.paused
    hand.key("A")
    hand.wait(0.5)
    assert live.frame.number == 0
    hand.key(name="right")
    assert live.frame.number == 1
    hand.key(name="space", text=" ")
    hand.key(name="down")
    hand.key(name="down")
    assert live.tempo == 0.25
    start = live.frame.number
    hand.wait(2.0)
    assert live.frame.number - start == pytest.approx(15, abs=1)
    hand.press("toolbar", "tempo 1")
    assert live.tempo == 1.0


def test_undo_and_redo(pair: Pair) -> None:
    hand, screen = pair
    hand.key("A")
    hand.wait(0.5)
    reached = screen.live.frame.angles
    hand.key(name="z", text="\x1a", control=True)
    assert screen.live.frame.number == 0
    assert not given(screen)
    hand.key(name="y", text="\x19", control=True)
    assert np.array_equal(screen.live.frame.angles, reached)
    hand.press("toolbar", "undo")
    hand.key(name="z", text="\x1a", control=True, shift=True)
    assert len(given(screen)) == 1


def test_help_and_statistics_open_and_close(pair: Pair) -> None:
    hand, screen = pair
    plain = hand.look()
    hand.key(name="f1")
    helped = hand.look()
    assert (np.abs(helped.astype(int) - plain).max(axis=2) > 8).mean() > 0.5
    hand.key(name="escape", text="\x1b")
    assert np.array_equal(hand.look(), plain)
    hand.key("A")
    hand.wait(0.3)
    hand.key(name="f2")
    rows = screen._rows()
    assert rows[-1][0] == "Reach blue with left hand"
    assert screen.interface._placed[-2].panel.name == "statistics"
    hand.key(name="f2")
    hand.press("toolbar", "help")
    hand.click(5, 5)
    assert "help" not in {p.panel.name for p in screen.interface._placed}


# ---- panels


def test_buttons_set_what_keys_set(pair: Pair) -> None:
    hand, screen = pair
    live = screen.live
    for zone in ("grip side", "speed 80", "curve decelerate", "overlap full"):
        hand.press("primitives", zone)
    now = live.primitives
    assert (now.grip, now.speed, now.curve, now.overlap) == ("side", 80, "decelerate", "full")
    hand.press("primitives", "interrupt")
    assert live.interrupting
    hand.press("primitives", "overlap none")  # ends the interrupt mode, as its key does
    assert not live.interrupting
    hand.key("A")
    hand.press("primitives", "lock left")
    assert "left" in live.locks
    hand.press("primitives", "freeze")
    assert not live.queue
    live.press("A")
    hand.wait(3.0)
    hand.press("primitives", "lock left")
    hand.press("primitives", "lock left")
    assert "left" not in live.locks


def test_sliders_set_the_slide_and_buttons_slide(pair: Pair) -> None:
    hand, screen = pair
    groove = hand.zone("slide", "by y")
    hand.drag(groove.middle, (groove.right - 6.0, groove.middle[1] + 40.0))  # the pointer may leave it
    assert screen.live.slide_by == (0.0, 0.5, 0.0)
    hand.wheel(-3)
    groove = hand.zone("slide", "turn z")
    hand.click(groove.x + 6.0 + 0.75 * (groove.width - 12.0), groove.middle[1])
    assert screen.live.slide_angles[2] == pytest.approx(90.0, abs=5.0)
    hand.press("slide", "zero vector")
    assert screen.live.slide_by == (0.0, 0.0, 0.0)
    hand.press("slide", "slide right")
    assert screen.live.queue[0].hand == "right"


def test_a_joint_follows_its_slider_at_once_and_is_posed_when_it_is_let_go(pair: Pair) -> None:
    hand, screen = pair
    hand.press("tabs", "Pose")
    for joint in ("left_shoulder", "left_forearm"):  # not a neighbour
        hand.press("joint", f"joint {joint}")
        assert screen._joint.joint == joint
    groove = hand.zone("joint", "angle y")
    end = (groove.x + 6.0 + 0.2 * (groove.width - 12.0), groove.middle[1])
    hand.move(*groove.middle)
    hand.down(*groove.middle)
    hand.move(*end)
    assert screen._joint.preview is not None
    assert not np.allclose(screen._joint.preview, screen.live.joint_transforms)
    assert not given(screen)
    hand.up(*end)
    assert screen._joint.preview is None
    (command,) = given(screen)
    assert isinstance(command, PoseJoint)
    low, high = np.degrees(screen.live.body.arrays.limits[screen.live.body.dof("left_forearm", "y")][:2])
    assert command.angles[1] == pytest.approx(low + 0.2 * (high - low), abs=1.0)
    hand.wait(2.0)
    reached = np.degrees(screen.live.frame.angles[screen.live.body.dof("left_forearm", "y")])
    assert reached == pytest.approx(command.angles[1], abs=0.5)


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (800, 500), (640, 400)])
@pytest.mark.parametrize("environment", ["blocks", "coffee"])
def test_panels_fit_into_the_window_and_leave_the_puppet_in_view(
    display: Display, size: tuple[int, int], environment: str
) -> None:
    with performing(display, Live(environment, draft=True)) as (hand, screen):
        for key in "AGqwert":
            hand.key(key)
        placed = screen.panels(size)
        boxes = [p.box for p in placed if p.panel.solid]
        assert len(boxes) >= 5
        for n, box in enumerate(boxes):
            assert box.x >= 0
            assert box.y >= 0
            assert box.right <= size[0]
            assert box.bottom <= size[1]
            assert not any(_overlap(box, other) for other in boxes[n + 1 :])
        free = screen.view._free
        assert free.width >= 0.35 * size[0]
        seen = screen.view.project(screen.live.joint_transforms[:, :3])
        assert all(free.inset(-2.0).contains(x, y) for x, y, _ in seen)


def test_a_screen_with_small_pixels_shows_the_same_with_more_of_them() -> None:
    with window((800, 500), 2.0) as display, performing(display, Live("blocks", draft=True)) as (hand, screen):
        assert display.size == (1600, 1000)
        assert hand.look().shape == (1000, 1600, 3)
        hand.press("primitives", "grip side")
        assert screen.live.primitives.grip == "side"
        before = hand.zone("primitives", "grip top")
        hand.key(name="-", text="-", control=True)
        assert display.scale == 1.75
        assert hand.zone("primitives", "grip top").x == before.x
        assert display.points[0] > 900


def test_only_what_has_changed_is_drawn(pair: Pair) -> None:
    hand, screen = pair
    hand.wait(8.0)
    assert not hand.turn()
    assert screen.interface.redrawn == 0
    hand.press("primitives", "curve linear")
    drawn = hand.loop.drawn
    hand.wait(10.0)
    for _ in range(5):
        hand.turn(1 / 60)
    assert hand.loop.drawn <= drawn + 1


def _overlap(a: Box, b: Box) -> bool:
    return a.x < b.right and b.x < a.right and a.y < b.bottom and b.y < a.bottom


def test_axes_that_a_joint_does_not_turn_about_are_fixed() -> None:
    """The person's knee is a hinge, its clavicle turns about two axes, its shoulder about three."""
    body = Body.load("person")
    live = Live("blocks", body=body, draft=True)
    with window((1400, 1000)) as display, performing(display, live) as (hand, screen):
        for joint in body.joints:
            screen._joint.choose(joint.name)
            hand.turn()
            axes = {AXES[rotation.axis] for rotation in joint.rotations if rotation.upper > rotation.lower}
            assert {zone.name for zone in screen._joint.zones if zone.name.startswith("angle ")} == {
                f"angle {axis}" for axis in axes
            }
        screen._joint.choose("left_knee")
        hand.turn()
        groove = hand.zone("joint", "angle x")
        hand.drag(groove.middle, (groove.x + 0.75 * groove.width, groove.middle[1]))
        command = given(screen)[-1]
        assert isinstance(command, PoseJoint)
        assert command.joint == "left_knee"
        assert command.angles[0] > 0.0
        assert command.angles[1:] == (0.0, 0.0)
        assert not screen.live.problem


def typed(hand: Hand, text: str) -> None:
    for sign in text:
        hand.key(*(("", "space") if sign == " " else (sign,)))


def test_a_typed_line_gives_any_command_and_the_take_replays_it(tmp_path: Path) -> None:
    take = tmp_path / "take.puppet"
    live = Live("coffee", draft=True, take=take)
    frames = [live.frame.angles]
    with window() as display, performing(display, live) as (hand, screen):
        before = hand.look()
        hand.key(name="return")
        assert screen.line.open
        typed(hand, "tak")
        hand.key(name="tab")
        assert screen.line.text == "take "
        assert {"cup", '"blue cup"', "nearest"} <= set(screen.line.choices)
        typed(hand, "cpu with either hand, grip side")
        hand.key(name="return")
        assert screen.line.open
        assert "did you mean 'cup'?" in screen.line.problem
        assert (hand.look() != before).any()
        for _ in range(len("pu with either hand, grip side")):
            hand.key(name="backspace")
        typed(hand, "up with either hand, grip side")
        hand.key(name="return")
        assert not screen.line.open
        for line in ("sip: drink from cup with left", "nod, when sip ends", "look at lamp, when sip starts + 5"):
            hand.key(name="return")
            typed(hand, line)
            hand.key(name="return")
        assert [entry.status for entry in screen.live.stage.entries] == ["running", *["waiting"] * 3]
        hand.key(name="return")
        hand.key(name="up")
        assert screen.line.text == "look at lamp, when sip starts + 5"
        hand.key(name="escape")
        assert not screen.line.open
        for _ in range(200):
            screen.advance(1 / 30)
            frames.append(screen.live.frame.angles)
        last = screen.live.frame.number
    again = puppet.run(take, draft=True)
    seen = np.array(frames)[-1]
    assert again.angles[last].tobytes() == seen.tobytes()
    assert [task["kind"] for task in again.report["tasks"]] == ["take", "perform", "nod", "look"]


def test_a_click_lets_the_puppet_look_and_point() -> None:
    live = Live("coffee", draft=True)
    with window((1200, 800)) as display, performing(display, live) as (hand, screen):
        for zone in ("look", "point right"):
            hand.click(*place_of(screen, "lamp"))
            hand.press("chooser", zone)
        assert [type(command).__name__ for command in given(screen)] == ["LookAt", "PointAt"]
