"""Editing a recorded motion in the window: parts are pinned and dragged, edits undone, clip and script saved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from puppet import Clip
from puppet.bvh import ClipJoint, write_bvh
from puppet.clip import EditSession
from puppet.window.body_picking import BodyHit
from puppet.window.clip_posing import hit_of_hand
from puppet.window.play_screen import PlayScreen
from tests import walks
from tests.windows import Hand, playing, window

Pair = tuple[Hand, PlayScreen]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    path = tmp_path_factory.mktemp("clip") / "walk.bvh"
    write_bvh(walks.clip(frames=80), path)
    with window((960, 560)) as display, playing(display, path) as pair:
        yield pair


@pytest.fixture
def walk(opened: Pair) -> Iterator[tuple[Hand, PlayScreen, EditSession]]:
    """The window as it was when it was opened, paused in frame 40, seen from the side."""
    hand, screen = opened
    assert screen.playback.editing is not None
    hand.key("2")
    screen.playback.pause()
    screen.playback.seek(40)
    hand.turn()
    yield hand, screen, screen.playback.editing
    while screen.playback.editing.undo():
        pass


def seen(screen: PlayScreen, part: str, along: float = 0.5) -> tuple[float, float]:
    """A place of a part in the window, on its bone."""
    assert screen.playback.clip is not None
    assert screen.view is not None
    body = screen.playback.clip.body
    j = body.joint(part)
    joint = screen.playback.joint_transforms[j]
    x, y, _ = screen.view.project(joint[:3] + along * joint[3:].reshape(3, 3) @ body.arrays.tips[j])
    return float(round(x)), float(round(y))


def test_a_part_is_dragged_in_a_frame_and_the_clip_is_edited_around_it(
    walk: tuple[Hand, PlayScreen, EditSession]
) -> None:
    hand, screen, session = walk
    x, y = seen(screen, "head")
    hand.move(x, y)
    assert screen.pointer == "hand"
    hand.down(x, y)
    hand.move(x, y + 20.0)
    hand.move(x, y + 40.0)
    shown = np.array(screen.playback.joint_transforms)
    assert screen.playback.frame == 40  # time stands still while a part is held
    assert not session.given
    hand.up(x, y + 40.0)
    assert session.text.startswith("at 16\ndrag head by (")
    assert session.text.endswith(", speed 24\n")
    body = session.recorded.body
    moved = session.edited.joint_positions[40] - session.recorded.joint_positions[40]
    assert moved[body.joint("head"), 1] < -0.03
    assert np.abs(shown[:, :3] - session.edited.joint_positions[40]).max() < 0.03  # what was shown meanwhile
    assert np.array_equal(session.edited.angles[:17], session.recorded.angles[:17])
    assert np.abs(moved[[body.joint("left_foot"), body.joint("right_foot")]]).max() < 0.004
    assert [lane.spans[0][0] for lane in screen._transport.lanes] == [16]
    hand.key(name="z", control=True)
    assert session.edited is session.recorded
    hand.key(name="y", control=True)
    assert session.given


def test_a_click_pins_a_part_to_its_path_and_a_right_click_where_it_is(
    walk: tuple[Hand, PlayScreen, EditSession]
) -> None:
    hand, screen, session = walk
    hand.click(*seen(screen, "left_hand"))
    assert session.pinned(40) == {"left_hand": False}
    assert "Pinned left hand" in screen._message.words
    hand.click(*seen(screen, "left_hand"))
    assert session.given == ()
    place = seen(screen, "left_hand")
    hand.move(*place)
    hand.down(*place, button=3)
    hand.up(*place, button=3)
    assert session.text == "at 40\npin left_hand to here\n"
    hand.key(name="right", shift=True)
    hand.click(*seen(screen, "left_hand"))
    assert session.text == "at 40\npin left_hand to here\nat 50\nunpin left_hand\n"
    j = session.recorded.body.joint("left_hand")
    held = session.edited.joint_positions[41:50, j] - session.recorded.joint_positions[40, j]
    assert np.abs(held).max() < 1e-3
    hand.look()


def test_the_edited_clip_and_the_script_of_its_edits_are_saved_and_say_the_same(
    walk: tuple[Hand, PlayScreen, EditSession]
) -> None:
    hand, screen, session = walk
    hand.key(name="s", control=True)
    assert "no edit yet" in screen._message.words
    x, y = seen(screen, "chest", 0.3)
    hand.drag((x, y), (x + 25.0, y))
    hand.key(name="s", control=True)
    assert "Saved" in screen._message.words
    source: Path = screen.playback.source
    saved = Clip.load(source.with_name("walk-edited.bvh"))
    script = source.with_name("walk-edited.puppet")
    again = Clip.load(source).edit(script)
    assert np.array_equal(again.bvh.values, saved.bvh.values)
    assert np.abs(saved.bvh.values - session.recorded.bvh.values).max() > 0.1
    hand.key(name="s", control=True)
    assert source.with_name("walk-edited-2.bvh").is_file()


def test_while_the_motion_plays_the_pointer_looks_around_and_escape_lets_go(
    walk: tuple[Hand, PlayScreen, EditSession]
) -> None:
    hand, screen, session = walk
    x, y = seen(screen, "head")
    hand.move(x, y)
    hand.down(x, y)
    hand.move(x + 30.0, y)
    hand.key(name="escape", text="\x1b")
    hand.up(x + 30.0, y)
    assert not session.given
    assert not screen.closing
    screen.playback.play()
    hand.move(x, y)
    assert screen.posing is not None
    assert screen.posing.hit is None


def test_a_finger_is_held_by_its_hand() -> None:
    bvh = walks.clip(frames=3)
    hand = next(n for n, joint in enumerate(bvh.joints) if joint.name.endswith("LeftHand"))
    turns = tuple(name for name in bvh.joints[hand].channels if "rotation" in name)
    thumb = ClipJoint("LThumb", hand, bvh.joints[hand].offset, turns, ())
    values = np.hstack([bvh.values, np.full((3, len(turns)), 20.0)])
    clip = Clip.of(replace(bvh, joints=(*bvh.joints, thumb), values=values))
    joints, body = clip.joint_transforms[1], clip.body
    finger = BodyHit(body.joint("LThumb"), 1.0, np.array([0.01, 0.02, 0.0]))
    held = hit_of_hand(body, joints, finger)
    assert body.humanoid[body.joint_names[held.joint]] == "leftHand"
    places = [joints[hit.joint, :3] + joints[hit.joint, 3:].reshape(3, 3) @ hit.point for hit in (finger, held)]
    np.testing.assert_allclose(*places, atol=1e-12)
    head = BodyHit(body.joint("head"), 1.0, np.zeros(3))
    assert hit_of_hand(body, joints, head) is head
