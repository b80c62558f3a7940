"""Edited motion flows: it is no jerkier than recorded, or than what is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from puppet import Clip
from puppet.body import joint_transforms
from puppet.bvh import BvhClip
from puppet.clip.deviation import DeviationSpline, Reference
from puppet.clip.script import Edit
from puppet.geometry import rotations_about
from tests import walks
from tests.walks import DODGE, MILLIMETRE, walking


def test_the_motion_flows() -> None:
    """Joints have no corners in their paths beyond what a quick dodge has."""
    clip, edited = walking(), walking().edit(DODGE)
    second = np.linalg.norm(np.diff(edited.joint_positions - clip.joint_positions, n=2, axis=0), axis=2)
    length = np.linalg.norm((0.1, -0.2, 0.0))
    fastest = length * 5.7735 / 12**2  # of a minimum jerk motion of that length and time
    assert second.max() < 3.0 * fastest


def test_a_pelvis_that_stays_keeps_still_what_hangs_on_it() -> None:
    """A recorded pelvis quivers, and legs and trunk the other way: held to the bit, it would shake them (1.6 times)."""
    bvh = walks.clip("clap", frames=100)
    values = np.array(bvh.values)
    noise = np.random.default_rng(5).normal(size=(100, 3)) * 0.3
    for part, sign in (("hips", 1.0), ("spine", -1.0), ("leftUpperLeg", -1.0), ("rightUpperLeg", -1.0)):
        start = bvh.starts[walks.PARTS.index(part)] + (3 if part == "hips" else 0)
        values[:, start : start + 3] += sign * noise
    clip = Clip.of(BvhClip.of(bvh.joints, bvh.frame_time, values))
    edited = clip.edit("at 40\npin pelvis to here\nat 70\nunpin pelvis\n")
    (span,) = edited.report["spans"]
    assert span["jerk_after"] < 1.1 * span["jerk_before"]
    assert max(edited.report["residuals"]["pelvis"]["missed"]) < 0.1 * MILLIMETRE


def test_a_pelvis_that_is_turned_turns_what_hangs_on_it_as_recorded() -> None:
    """Its quivers were left in what hangs on it, which quivers the other way, by as much as it was turned."""
    body, angles = walking().body, np.array(walking().angles)
    angles[:, list(body.rotation_dofs[0])] += np.random.default_rng(7).normal(size=(len(angles), 3)) * 0.3
    by = np.zeros(angles.shape)
    by[:, list(body.rotation_dofs[0])] = turn = np.array([0.4, 0.9, -0.3])
    recorded = Reference(body, angles)
    displaced = recorded.displaced(by)
    before, after = (joint_transforms(body, postures)[:, :, 3:].reshape(-1, 3, 3) for postures in (angles, displaced))
    assert np.allclose(after, rotations_about(turn[None]) @ before, atol=1e-9)
    assert np.allclose(recorded.deviations(displaced), by, atol=1e-9)


def test_a_noisy_recording_is_edited_without_more_noise() -> None:
    generator = np.random.default_rng(5)
    values = np.array(walking().bvh.values)
    values[:, 3:] += generator.normal(0.0, 0.15, values[:, 3:].shape)  # degrees
    clip = Clip.of(BvhClip.of(walking().bvh.joints, walking().bvh.frame_time, values))
    (span,) = clip.edit("at 40\ndrag head by (0.05, -0.08, 0), speed 24").report["spans"]
    assert span["jerk_after"] < 1.1 * span["jerk_before"]


def test_drags_that_end_together_and_what_cannot_be_had_do_not_shake() -> None:
    clip = Clip.of(walks.shaken(walks.clip(), 0.1))
    for script in (
        "at 30\ndrag head by (-0.1, -0.08, 0), speed 24\ndrag left hand by (0.05, 0.12, 0.05), speed 24\n",
        "at 30\npin right hand to (-0.3, 0.5, 0.1)\ndrag head by (0.1, 0, 0), speed 24\nat 80\nunpin right hand\n",
    ):
        edited = clip.edit(script)
        for span in edited.report["spans"]:
            assert span["jerk_after"] < 1.1 * span["jerk_before"]
        assert edited.report["slide_after"] < 1e-3


def test_a_smooth_walk_stays_smooth() -> None:
    """Feet in the air that ankles cannot turn as recorded shook the whole body."""
    for script in ("drag head by (0.05, -0.1, 0)", "drag left hand by (0, 0.15, 0.1)"):
        (span,) = walking().edit(f"at 40\n{script}\n").report["spans"]
        assert span["jerk_after"] < 1.1 * span["jerk_before"]


def test_the_jerk_that_an_edit_has_by_itself_is_told() -> None:
    (quick,) = walking().edit("at 40\ndrag head by (0.1, -0.1, 0), speed 6\n").report["spans"]
    (slow,) = walking().edit("at 40\ndrag head by (0.1, -0.1, 0), speed 36\n").report["spans"]
    assert quick["jerk_asked"] > 3.0 * quick["jerk_before"]
    assert slow["jerk_asked"] < 1.1 * slow["jerk_before"]


@pytest.mark.parametrize(
    "script",
    [
        "at 40\ndrag pelvis by (0, 0.08, 0)\n",
        "at 20\ndrag pelvis by (0.06, 0.07, -0.03)\n",
        "at 40\ndrag chest by (-0.1, 0.1, 0.15)\n",
        "at 30\npin head to (0.1, 1.1, 1.0)\nat 60\nunpin head\n",
        "at 30\ndrag chest by (-0.04, -0.03, -0.1)\nat 36\npin pelvis\nat 60\nunpin pelvis\n",
    ],
)
def test_what_is_out_of_reach_is_asked_for_so_softly_that_nothing_jerks(script: str) -> None:
    """Legs would be stretched, and snap, with feet that stay where they stand."""
    edited = walking().edit(script)
    (span,) = edited.report["spans"]
    assert span["jerk_after"] < 1.1 * span["jerk_before"]
    assert edited.report["slide_after"] < 1e-4


@pytest.mark.parametrize("part", ["pelvis", "chest"])
def test_a_told_drag_out_of_reach_has_no_more_jerk_than_it_asks_for(part: str) -> None:
    edited = walking().edit(f"at 40\ndrag {part} by (0, 0.1, 0), speed 10\n")
    (span,) = edited.report["spans"]
    assert span["jerk_before"] < span["jerk_after"] < 1.1 * span["jerk_asked"]


@cache
def walk_at_30() -> Clip:
    bvh = walking().bvh
    return Clip.of(BvhClip.of(bvh.joints, 2.0 * bvh.frame_time, bvh.values[::2]))


@pytest.mark.parametrize(
    ("clip", "frame", "drag"),
    [
        (walking, 20, "head by (-0.14, -0.073, 0.065), speed 8"),
        (walking, 49, "left hand by (0.153, 0.18, 0.044), speed 7"),
        (walking, 37, "head by (0.207, -0.153, -0.046), speed 9"),
        (walking, 37, "pelvis by (-0.014, -0.058, -0.2), speed 23"),
        (walk_at_30, 13, "pelvis by (-0.054, 0.033, 0.012), speed 5"),
        (walk_at_30, 21, "right hand by (0.043, -0.227, 0.14), speed 11"),
        (walk_at_30, 17, "right foot by (-0.018, -0.171, 0.161), speed 11"),
    ],
)
def test_a_told_drag_has_no_more_jerk_than_it_asks_for_and_arrives(
    clip: Callable[[], Clip], frame: int, drag: str
) -> None:
    """It was x 1.19 to 2.84: all but the part that was dragged leapt on its way, as joints straightened, or where a
    foot began to lie flat that could not be turned so."""
    script = f"at {frame}\ndrag {drag}\n"
    edited = clip().edit(script)
    (span,) = edited.report["spans"]
    assert span["jerk_after"] <= 1.1 * max(span["jerk_before"], span["jerk_asked"])
    (target,) = clip().editing(script).edits
    if target.part != "pelvis":  # the feet do not let it go so far
        joint, arrival = clip().body.joint(target.part), target.release
        way = edited.joint_positions[arrival, joint] - clip().joint_positions[arrival, joint]
        assert np.linalg.norm(way - np.array(target.by)) < 0.1 * np.linalg.norm(target.by)
    assert edited.report["slide_after"] < 1e-4


def test_a_pin_holds_while_other_parts_are_drawn_along_the_curve_of_a_drag() -> None:
    script = "at 40\npin right hand to here\ndrag head by (0, -0.1, 0.05), speed 10\nat 55\nunpin right hand\n"
    edited, hand = walking().edit(script), walking().body.joint("right_hand")
    (span,) = edited.report["spans"]
    assert span["jerk_after"] <= 1.1 * span["jerk_asked"]  # x 2.1 if they are not
    away = edited.joint_positions[40:55, hand] - walking().joint_positions[40, hand]
    assert np.linalg.norm(away, axis=1).max() < 0.1 * MILLIMETRE


def test_a_course_is_a_spline_through_its_ends_or_at_rest_there() -> None:
    controls, frames = np.array([[3.0], [1.0], [4.0], [1.0], [5.0], [9.0]]), np.arange(10, 61)
    free, fixed = (DeviationSpline(10, 60, 10.0, (at_rest, at_rest)).at(frames, controls)[:, 0] for at_rest in (0, 1))
    assert np.allclose(free[[0, -1]], [3.0, 9.0])
    assert free[20] == pytest.approx((1.0 + 4.0 * 4.0 + 1.0) / 6.0)
    assert np.array_equal(fixed[[0, -1]], [0.0, 0.0])
    assert np.abs(np.diff(fixed, n=3)).max() < 0.05


@pytest.mark.parametrize(
    "script",
    [
        "at 25\ndrag chest by (-0.039, -0.149, -0.026)\nat 37\npin right hand\nat 97\nunpin right hand\n",
        "at 32\ndrag chest by (-0.122, -0.003, -0.168)\n",
        "at 30\npin head to (0.017, 0.825, 0.233)\nat 75\nunpin head\n",
    ],
)
def test_edits_that_nobody_told_how_quick_to_be_take_longer_where_they_would_be_jerky(script: str) -> None:
    edited = walking().edit(script)
    (span,) = edited.report["spans"]
    assert span["jerk_after"] <= 1.1 * span["jerk_before"]


def test_told_edits_take_as_long_as_told() -> None:
    clip = walking()
    (span,) = clip.edit("at 32\ndrag chest by (-0.122, -0.003, -0.168), speed 20\n").report["spans"]
    assert (span["first"], span["last"]) == (32, 72)
    assert span["jerk_after"] > 1.1 * span["jerk_before"]


def test_a_longer_edit_still_arrives() -> None:
    edit = Edit("hand", "place", 20, 10, 34, to=(0.0, 0.0, 0.0), back=10)
    assert edit.longer(1.5, 0, 100) == replace(edit, frames=14, back=15)  # before it is let go
    drag = Edit("hand", "drag", 20, 10, 30)
    assert drag.longer(1.5, 0, 100) == replace(drag, frames=15, release=35)
    assert drag.longer(1.5, 0, 32) == replace(drag, frames=12, release=32)  # before the clip ends
    assert drag.longer(1.5, 0, 25) == drag
    stay = Edit("hand", "stay", 20, 10, 60, here=30)
    assert stay.longer(1.5, 17, 100) == replace(stay, start=17, frames=13)


def thinned(bvh: BvhClip, step: int) -> Clip:
    return Clip.of(BvhClip.of(bvh.joints, step * bvh.frame_time, bvh.values[::step]))


@pytest.mark.parametrize(
    ("kind", "step", "script"),
    [
        ("walk", 1, "at 30\ndrag left foot by (-0.268, -0.072, 0.068), speed 20\n"),
        ("stand", 1, "at 30\ndrag left foot by (-0.268, -0.072, 0.068), speed 20\n"),
        ("stand", 2, "at 11\ndrag pelvis by (-0.027, -0.058, 0.126), speed 5\n"),
        ("stand", 1, "at 1\npin chest\nat 18\ndrag head by (-0.185, 0.059, 0.041)\nat 54\nunpin chest\n"),
        ("walk", 1, "at 31\ndrag chest by (0.03, -0.24, 0)\nat 37\npin right hand to here\nat 57\nunpin right hand\n"),
    ],
)
def test_no_edit_is_jerkier_than_the_recording_or_its_own_curves(kind: str, step: int, script: str) -> None:
    """They were x 1.18 to 2.65. What is not had for that is told."""
    for span in thinned(walks.clip(kind), step).edit(script).report["spans"]:
        assert span["jerk_after"] <= 1.1 * max(span["jerk_before"], span["jerk_asked"])
        assert 0.0 < span["share"] <= 1.0


def test_feet_that_are_jerky_by_themselves_stand_for_less_time() -> None:
    """At a frame a second who walks seems to stand all the while: what stays there made any edit x 2.3."""
    bvh = walks.clip(frames=60)
    clip = Clip.of(BvhClip.of(bvh.joints, 1.0, bvh.values))
    (span,) = clip.edit("at 20\ndrag head by (0.05, -0.05, 0)").report["spans"]
    assert span["jerk_after"] <= 1.1 * max(span["jerk_before"], span["jerk_asked"])


def test_a_span_tells_how_much_of_what_is_asked_for_is_had() -> None:
    (whole,) = walking().edit("at 40\ndrag left hand by (0, 0.1, 0.05)\n").report["spans"]
    (beyond,) = walking().edit("at 40\ndrag left hand by (0, 0.9, 0), speed 30\n").report["spans"]
    assert whole["share"] > 0.99
    assert 0.1 < beyond["share"] < 0.6


def test_a_pin_that_takes_hold_amid_a_drag_takes_longer_where_it_would_be_jerky() -> None:
    """Else much of the drag would be given up for it: nobody said how quickly it takes hold."""
    edited = walking().edit("at 16\ndrag head by (0.0135, -0.0961, 0.0809), speed 24\nat 40\npin left hand\n")
    (span,) = edited.report["spans"]
    assert span["jerk_after"] <= 1.1 * max(span["jerk_before"], span["jerk_asked"])
    assert span["share"] > 0.95
    assert span["last"] == 64


@pytest.mark.parametrize("place", [(0.3, 0.6, 0.9), (0.26, 0.622, 0.412), (-0.05, 0.62, 0.55)])
def test_a_pin_to_a_place_arrives_in_time_without_a_leap(place: tuple[float, float, float]) -> None:
    """It was x 1.63 to 1.81: it sets out earlier than it was told where that helps."""
    clip, hand = walking(), walking().body.joint("left_hand")
    edited = clip.edit(f"at 30\nset speed 10\npin left hand to {place}\nat 70\nunpin left hand\n")
    (span,) = edited.report["spans"]
    assert span["jerk_after"] <= 1.1 * max(span["jerk_before"], span["jerk_asked"])
    assert 20 < span["first"] <= 30
    assert span["last"] == 80
    held = edited.joint_positions[50:71, hand]  # where the first one is within reach
    assert np.linalg.norm(held - np.array(place), axis=1).max() < 2.0 * MILLIMETRE


def test_a_told_edit_whose_own_curves_are_calm_has_a_tenth_more_jerk_at_most() -> None:
    """It had a tenth more than its own curves: x 1.15 in all."""
    clip = Clip.of(walks.shaken(walks.clip(), 0.02))
    (span,) = clip.edit("at 40\ndrag pelvis by (-0.015, 0.216, -0.129), speed 13\n").report["spans"]
    assert span["jerk_before"] < span["jerk_asked"] < 1.1 * span["jerk_before"]
    assert span["jerk_after"] <= 1.1 * span["jerk_before"]
    assert not span["calm_speeds"]


def test_the_mean_of_the_jerk_is_bound_as_well() -> None:
    """In a recording that leaps in places the root mean square hardly grows where all is shaken a little: x 1.11."""
    bvh = walks.shaken(walks.clip(), 0.01)
    values, noise = np.array(bvh.values), np.random.default_rng(3)
    for frame in range(10, len(values), 40):
        values[frame, 3:] += noise.normal(0.0, 1.0, values.shape[1] - 3)
    clip = Clip.of(BvhClip.of(bvh.joints, bvh.frame_time, values))
    drag = "at 33\ndrag left_foot by (-0.048, 0.04, -0.028)\n"
    edited = clip.edit(f"{drag}at 44\npin pelvis to here\nat 80\nunpin pelvis\n")
    before, after = (
        np.linalg.norm(np.diff(each.joint_positions, n=3, axis=0), axis=2).mean() for each in (clip, edited)
    )
    assert after <= 1.1 * before
    assert edited.report["spans"][0]["share"] > 0.6


def test_the_speed_that_is_told_for_what_is_too_quick_would_be_calm() -> None:
    clip = Clip.of(walks.shaken(walks.clip(), 0.1))
    draw = np.random.default_rng(12)
    for part in ("head", "left_hand", "right_hand", "pelvis", "chest") * 2:
        way, at = draw.normal(0.0, 0.08, 3).round(3), draw.integers(10, 40)
        script = f"at {at}\ndrag {part} by ({way[0]}, {way[1]}, {way[2]}), speed 4\n"
        (quick,) = clip.edit(script).report["spans"]
        assert quick["jerk_asked"] > 1.1 * quick["jerk_before"]
        speed = quick["calm_speeds"][part]
        (calm,) = clip.edit(script.replace("speed 4", f"speed {speed}")).report["spans"]
        assert calm["jerk_after"] <= 1.1 * calm["jerk_before"]
    (span,) = clip.edit(f"at {len(clip) - 8}\ndrag head by (0.1, -0.2, 0), speed 3\n").report["spans"]
    assert span["calm_speeds"] == {"head": None}  # there is no time
