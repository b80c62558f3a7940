"""Editing motion in motion: what is pinned and planted stays, what is dragged goes, and all else is as it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from puppet import Clip, PuppetError
from puppet.language import ScriptError
from tests import walks
from tests.walks import DODGE, MILLIMETRE, walking


def test_a_dragged_head_dodges_and_all_else_stays_as_it_was() -> None:
    clip = walking()
    edited = clip.edit(DODGE)
    head = clip.body.joint("head")
    assert np.allclose(edited.joint_positions[52, head] - clip.joint_positions[52, head], (0.1, -0.2, 0.0), atol=1e-4)
    changed = np.flatnonzero((edited.bvh.values != clip.bvh.values).any(axis=1))
    (span,) = edited.report["spans"]
    assert (span["first"], span["last"]) == (40, 64)
    assert changed[0] == 41
    assert changed[-1] <= 64
    assert np.array_equal(edited.angles[:41], clip.angles[:41])
    assert np.array_equal(edited.angles[65:], clip.angles[65:])
    assert max(edited.body.limit_excess(angles) for angles in edited.angles[41:65]) < 1e-9
    assert edited.body is clip.body


@pytest.mark.parametrize(("pin", "stays"), [("pin right hand", False), ("pin right hand to here", True)])
def test_pins_move_along_recorded_paths_or_stay(pin: str, stays: bool) -> None:
    clip = walking()
    edited = clip.edit(f"at 40\n{pin}\ndrag head by (0, -0.1, 0.05), speed 10\nat 55\nunpin right hand\n")
    hand = clip.body.joint("right_hand")
    wanted = clip.joint_positions[[40] * 14, hand] if stays else clip.joint_positions[41:55, hand]
    assert np.linalg.norm(edited.joint_positions[41:55, hand] - wanted, axis=1).max() < MILLIMETRE
    missed = edited.report["residuals"]["right_hand"]["missed"]
    assert max(missed) < MILLIMETRE
    assert np.array_equal(edited.angles[100:], clip.angles[100:])


def test_a_gain_lets_a_pin_give() -> None:
    clip, hand = walking(), walking().body.joint("right_hand")
    apart = []
    for gain in (1.0, 0.3, 0.0):
        edited = clip.edit(f"at 40\npin right hand, gain {gain}\ndrag pelvis by (0.15, 0, 0), speed 10\n")
        apart.append(float(np.linalg.norm(edited.joint_positions[50, hand] - clip.joint_positions[50, hand])))
    assert apart[0] < MILLIMETRE < apart[1] < apart[2]


def test_unpin_ends_a_drag_and_frees_a_foot() -> None:
    clip = walking()
    held = clip.edit("at 30\ndrag left hand by (0, 0.2, 0), speed 8\nat 60\nunpin left hand\n")
    hand = clip.body.joint("left_hand")
    lifted = held.joint_positions[38:61, hand, 1] - clip.joint_positions[38:61, hand, 1]
    assert np.allclose(lifted, 0.2, atol=1e-4)
    assert held.report["spans"][0]["last"] == 68
    free = clip.edit("at 40\nunpin left foot\ndrag pelvis by (0, 0.1, 0), speed 10\n")
    foot = clip.body.joint("left_foot")
    assert free.joint_positions[50, foot, 1] - clip.joint_positions[50, foot, 1] > 0.03


def test_a_head_looks_at_a_place_until_it_looks_ahead() -> None:
    clip, goal = walking(), np.array((0.6, 1.1, 1.6))
    edited = clip.edit("at 20\nlook at (0.6, 1.1, 1.6), speed 15\nat 70\nlook ahead, speed 10\n")
    gaze = clip.body.gaze
    assert gaze is not None
    heads = edited.joint_transforms[35:70, gaze.joint]
    turns = heads[:, 3:].reshape(-1, 3, 3)
    way = goal - heads[:, :3] - turns @ np.array(gaze.eyes)
    cosine = np.einsum("na,na->n", turns @ np.array(gaze.forward), way) / np.linalg.norm(way, axis=1)
    assert np.degrees(np.arccos(np.minimum(cosine, 1.0))).max() < 1.0
    assert edited.report["spans"][0]["share"] > 0.9  # 0 where a foot stands to the last digit and misses one
    assert np.array_equal(edited.angles[:21], clip.angles[:21])
    assert np.array_equal(edited.angles[90:], clip.angles[90:])


def test_what_is_behind_is_not_looked_at_by_force() -> None:
    clip = walking()
    edited = clip.edit("at 20\nlook at (0.1, 0.9, -3), speed 15\nat 70\nlook ahead, speed 10\n")
    (span,) = edited.report["spans"]
    assert span["jerk_after"] < 1.1 * span["jerk_before"]
    (look,) = edited.report["looks"]
    assert look["frames"] == list(range(35, 71))
    assert min(look["missed"]) > 2.0  # radians: it is told


def test_places_seconds_speeds_and_waits_are_read() -> None:
    clip = walking()
    edited = clip.edit("at 0.5s\nset speed 10\npin left hand to (0.3, 0.6, 0.9)\nwait 40\nunpin left hand\n")
    hand = clip.body.joint("left_hand")
    assert np.allclose(edited.joint_positions[50, hand], (0.3, 0.6, 0.9), atol=1e-3)
    script = "at 10\ndrag head by (0.05, 0, 0), speed 5\nwait until done\nat 60\ndrag head by (-0.05, 0, 0), speed 5"
    two = clip.edit(script)
    assert [(span["first"], span["last"]) for span in two.report["spans"]] == [(10, 20), (60, 70)]
    assert np.array_equal(two.angles[21:60], clip.angles[21:60])


def test_edits_are_the_same_every_time_and_other_skeletons_give_the_same_motion() -> None:
    one, two = walking().edit(DODGE), Clip.of(walks.clip()).edit(DODGE)
    assert np.array_equal(one.bvh.values, two.bvh.values)
    other = Clip.of(walks.clip(names="biovision", scale=0.01, up="z")).edit(DODGE)
    assert np.abs(other.joint_positions - one.joint_positions).max() < 1e-6


@pytest.mark.parametrize(("script", "message"), [
    ("at 40\npin left hand\nat 30\nunpin left hand", r"script:3:1: frame 30 lies before what was told"),
    ("at 120\ndrag head by (0, 0, 0.1)", r"script:1:1: frame 120 is outside the clip, which has 120 frames, 0 to 119"),
    ("wait 500\npin head", r"script:2:1: it would be given at frame 500"),
    ("drag haed by (0, 0, 0.1)", r"unknown part 'haed'; did you mean 'head'"),
    ("drag head to lamp", r"no thing 'lamp' in a clip"),
    ("unpin left hand", r"'left_hand' is neither pinned nor dragged"),
    ("look at lamp", r"look at a place, \(x, y, z\), or at a hand"),
    ("look ahead", r"nothing is looked at here"),
    ("freeze", r"no meaning in an edit"),
    ("fps 25\npin head", r"the clip has 60 frames a second"),
])  # fmt: skip
def test_mistakes_are_told_with_their_place(script: str, message: str) -> None:
    with pytest.raises(ScriptError, match=message):
        walking().edit(script)


def test_a_drag_without_a_speed_takes_as_long_as_people_do() -> None:
    """It took 0.4 s however long its way."""
    head = walking().joint_positions[10, walking().body.joint("head")]
    places = ("by (0, -0.03, 0)", "by (0, -0.3, 0)", "to ({}, {}, {})".format(*(head - (0.0, 0.3, 0.0)).tolist()))
    near, far, there = (walking().edit(f"at 10\ndrag head {place}").report["spans"][0]["last"] - 10 for place in places)
    assert near / walking().fps == pytest.approx(2.0 * 0.4, abs=0.2)
    assert far / walking().fps == pytest.approx(2.0 * 0.9, abs=0.2)
    assert abs(there - far) <= 2


def test_a_clip_of_one_frame_and_an_empty_script_change_nothing(tmp_path: Path) -> None:
    one = Clip.of(walks.clip(frames=1))
    assert np.array_equal(one.edit("drag head by (0, -0.1, 0)").angles, one.angles)
    assert np.array_equal(walking().edit("").bvh.values, walking().bvh.values)
    path = tmp_path / "nothing.puppet"
    with pytest.raises(PuppetError, match="nothing"):
        walking().edit(path)


def test_a_pin_goes_to_its_place_and_back_in_peoples_time() -> None:
    clip = walking()
    hand = clip.body.joint("left_hand")
    place = clip.joint_positions[60, hand] + (0.08, 0.1, 0.02)
    script = f"at 30\npin left hand to ({', '.join(f'{value:.4f}' for value in place)})\nat 80\nunpin left hand\n"
    slow, quick = clip.edit(script), clip.edit("set speed 10\n" + script)
    assert slow.report["spans"][0]["last"] > quick.report["spans"][0]["last"] == 90
    (own,) = slow.report["spans"]
    assert own["jerk_after"] < 1.1 * own["jerk_before"]
    for edited in (slow, quick):
        assert np.allclose(edited.joint_positions[78:80, hand], place, atol=1e-3)


def test_what_is_pinned_here_comes_to_rest_before() -> None:
    """A hand that swings stopped at once."""
    clip, hand = walking(), walking().body.joint("left_hand")
    edited = clip.edit("at 50\npin left hand to here\nat 70\nunpin left hand\n")
    (span,) = edited.report["spans"]
    assert span["first"] < 50
    assert span["jerk_after"] < 1.1 * span["jerk_before"]
    held = edited.joint_positions[50:71, hand]
    assert np.linalg.norm(held - clip.joint_positions[50, hand], axis=1).max() < MILLIMETRE
    speed = np.linalg.norm(np.diff(edited.joint_positions[:51, hand], axis=0), axis=1)
    assert speed[-1] < 0.2 * np.linalg.norm(np.diff(clip.joint_positions[49:51, hand], axis=0))


def test_what_is_pinned_here_from_the_first_frame_on_goes_back_there() -> None:
    clip, hand = walking(), walking().body.joint("left_hand")
    edited = clip.edit("pin left hand to here\nat 80\nunpin left hand\n")
    assert np.linalg.norm(edited.joint_positions[70, hand] - clip.joint_positions[0, hand]) < MILLIMETRE
    assert np.abs(edited.joint_positions[1, hand] - clip.joint_positions[1, hand]).max() < MILLIMETRE  # not at once


def test_a_span_is_as_if_no_others_were_edited() -> None:
    """What had been pinned, dragged or looked at before was held on its path by all later edits."""
    clip, later = walking(), "at 90\ndrag pelvis by (0.06, -0.04, 0), speed 10\n"
    alone = clip.edit(later)
    for before in ("pin right hand\nat 30\nunpin right hand\n", "drag right hand by (0, 0.02, 0), speed 6\n",
                   "look at (0.5, 1, 3), speed 6\nat 20\nlook ahead, speed 6\n"):  # fmt: skip
        both = clip.edit(f"at 10\n{before}{later}")
        assert np.array_equal(both.angles[80:], alone.angles[80:])
