"""Feet in edited motion: what stood stays, and all others go back to their paths."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from puppet import Clip
from puppet.bvh import BvhClip
from puppet.clip.contacts import GroundContact, point_paths
from puppet.clip.follow import limb_shares
from puppet.clip.frame_tasks import FrameTasks
from puppet.clip.planted import plan_foot
from puppet.clip.recording import serving_joints
from puppet.geometry import Transforms, rotation_vectors, rotations_about
from tests import walks
from tests.walks import DODGE, MILLIMETRE, walking


def test_planted_feet_stay_planted_and_others_on_their_paths() -> None:
    clip, edited = walking(), walking().edit(DODGE)
    for contact in clip.contacts:
        if clip.joint_names[contact.joint].endswith("foot"):
            path = point_paths(edited.joint_transforms, contact.joint, np.array(contact.at))
            still = path[contact.first : contact.last + 1]
            assert np.linalg.norm(still - still[0], axis=1).max() < MILLIMETRE
    for name in ("left_foot", "right_foot"):
        j = clip.body.joint(name)
        assert np.abs(edited.joint_positions[:, j] - clip.joint_positions[:, j]).max() < MILLIMETRE  # in the air
    taken = edited.report["contacts"]
    assert {"part": "left_foot", "point": "heel", "first": 60, "last": 93} in taken
    assert edited.report["slide_after"] < 1e-5


def test_feet_that_slide_as_recorded_stand_still_where_edited() -> None:
    values = np.array(walking().bvh.values)
    values[:, 0] += 1.5 * np.sin(np.arange(len(values)) / 12.0)  # the whole person sways, feet and all
    clip = Clip.of(BvhClip.of(walking().bvh.joints, walking().bvh.frame_time, values))
    edited = clip.edit("at 38\ndrag left hand by (0, 0.1, 0.1), speed 20")
    assert edited.report["slide_before"] > 5e-3  # metres
    assert edited.report["slide_after"] < 1e-4
    first, last = edited.report["spans"][0]["first"], edited.report["spans"][0]["last"]
    assert np.array_equal(edited.bvh.values[: first + 1], clip.bvh.values[: first + 1])
    assert np.array_equal(edited.bvh.values[last + 1 :], clip.bvh.values[last + 1 :])
    step = np.abs(np.diff(edited.joint_positions, axis=0)).max(axis=(1, 2))
    assert step[first : last + 1].max() < 1.5 * np.abs(np.diff(clip.joint_positions, axis=0)).max() + 0.02


def test_a_foot_stands_as_long_as_the_other_one_is_led_back() -> None:
    """It slid by up to 3 mm where a clip ends soon after an edit: its own tasks had ended."""
    bvh = walks.clip("clap", frames=115)
    values, slid = np.array(bvh.values), 3.0 * np.clip((np.arange(115) - 40) / 75.0, 0.0, 1.0)
    for part, sign in (("rightUpperLeg", 1.0), ("rightFoot", -1.0)):
        values[:, bvh.starts[walks.PARTS.index(part)]] += sign * slid
    edited = Clip.of(BvhClip.of(bvh.joints, bvh.frame_time, values)).edit("at 20\ndrag pelvis by (0.05, -0.05, 0.1)\n")
    assert edited.report["slide_before"] > 0.02
    assert edited.report["slide_after"] < 1e-4


@pytest.mark.parametrize("wait", [4, 12, 24])
def test_an_edit_that_begins_while_feet_are_led_back_after_another_one_does_not_leap(wait: int) -> None:
    """It set out from the recording, as if nothing were left of the first: a leap of up to a tenth of the body."""
    bvh = walks.clip("clap", frames=160)
    values, slid = np.array(bvh.values), 3.0 * np.clip((np.arange(160) - 40) / 75.0, 0.0, 1.0)
    for part, sign in (("rightUpperLeg", 1.0), ("rightFoot", -1.0)):
        values[:, bvh.starts[walks.PARTS.index(part)]] += sign * slid
    clip = Clip.of(walks.shaken(BvhClip.of(bvh.joints, bvh.frame_time, values), 0.05))
    first, second = "drag head by (0.05, -0.08, 0), speed 20", "drag left hand by (0, 0.1, 0), speed 20"
    edited = clip.edit(f"at 20\n{first}\nat {60 + wait}\n{second}\n")
    (span,) = edited.report["spans"]
    assert span["jerk_after"] < 1.1 * max(span["jerk_before"], span["jerk_asked"])
    assert edited.report["slide_after"] < 1e-4


def test_a_leg_alone_makes_up_for_the_noise_of_its_foot() -> None:
    """Also where a joint that never moves stands between pelvis and leg, as in recordings of CMU."""
    source = walking().bvh
    joints, rows = [], []
    for j, joint in enumerate(source.joints):
        columns = source.values[:, source.starts[j] : source.starts[j] + len(joint.channels)]
        if joint.name.endswith("UpLeg"):
            joints.append(replace(joint, name=f"{joint.name}Base", ends=()))
            rows.append(np.zeros((len(source), 3)))
            joint = replace(joint, parent=len(joints) - 1, offset=(0.0, 0.0, 0.0))
        elif joint.parent >= 0:
            names = [other.name for other in joints]
            joint = replace(joint, parent=names.index(source.joints[joint.parent].name))
        joints.append(joint)
        rows.append(columns)
    clip = Clip.of(BvhClip.of(joints, source.frame_time, np.hstack(rows)))
    tasks = FrameTasks()
    for name in ("left_foot", "right_foot"):
        tasks.position(np.array([1]), clip.body.joint(name), np.zeros(3), np.zeros((1, 3)))
    shares = limb_shares(clip.body, tasks, serving_joints(clip.body, clip.angles), 0.05)
    of = {name: set(shares[clip.body.dofs_of([clip.body.joint(name)])]) for name in clip.joint_names}
    assert of["left_knee"] == of["right_hip"] == {1.0}
    assert of["pelvis"] == of["chest"] == of["left_hand"] == {0.05}


def test_a_heel_that_lifts_while_the_ball_stands_may() -> None:
    """And comes down again: the ball does not move all the while, the foot lies still at both ends, and turns between
    as it was recorded."""
    tilt = 0.6 * np.sin(np.clip((np.arange(100) - 30.0) / 40.0, 0.0, 1.0) * np.pi) ** 2
    turned = rotations_about(np.outer(tilt, (1.0, 0.0, 0.0)))
    ball = np.array([0.0, -0.04, 0.07])
    slid = np.outer(np.arange(100) * 1e-4, (1.0, 0.0, 0.0))
    recorded = Transforms(slid + ball - turned @ ball, turned)
    places = {"heel": (0.0, -0.04, -0.04), "ball": (0.0, -0.04, 0.07)}
    spans = (("ball", 0, 99), ("heel", 0, 30), ("heel", 70, 99))
    contacts = [GroundContact(0, point, places[point], first, last) for point, first, last in spans]
    for first in (-1, 50):
        path = plan_foot(recorded, contacts, first, 99, 60.0)
        stands = path.transforms.positions + path.transforms.rotations @ ball
        assert np.abs(stands[max(first, 0) :] - stands[max(first, 0)]).max() < 1e-12
        assert np.abs(path.transforms.rotations[50] - turned[50]).max() < 1e-9
        assert np.abs(np.diff(path.transforms.positions[max(first, 0) :], axis=0)).max() < 0.01
        assert {(entry.point, entry.last) for entry in path.still} >= {("ball", 99), ("heel", 99)}


def test_stances_near_each_other_do_not_disturb_each_other() -> None:
    generator = np.random.default_rng(2)
    places = np.cumsum(generator.normal(size=(60, 3)) * 1e-3, axis=0)
    recorded = Transforms(places, np.repeat(np.eye(3)[None], 60, axis=0))
    points, spans = (("heel", -0.05), ("ball", 0.05)), ((5, 25), (28, 50))
    contacts = [GroundContact(0, point, (0.0, 0.0, ahead), *span) for point, ahead in points for span in spans]
    path = plan_foot(recorded, contacts, -1, 59, 60.0)
    for first, last in spans:
        assert np.abs(path.transforms.positions[first : last + 1] - path.transforms.positions[first]).max() < 1e-12


def test_planted_feet_come_before_what_is_dragged() -> None:
    """A crouch that ankles do not allow is not gone through with: feet slid by up to 5 cm."""
    clip = walking()
    edited = clip.edit("at 20\ndrag pelvis by (0, -0.3, 0)\n")
    assert edited.report["slide_after"] < 1e-3
    missed = np.array(edited.report["residuals"]["pelvis"]["missed"])
    assert missed.max() > 0.02  # it is told


def test_a_dragged_foot_returns_to_where_it_stands() -> None:
    """A recording whose feet slide: it was put back in one frame."""
    values = np.array(walks.clip("stand").values)
    values[:, 0] += 1.5 * np.sin(np.arange(len(values)) / 12.0)
    clip = Clip.of(walks.shaken(BvhClip.of(walks.clip("stand").joints, 1.0 / walks.FPS, values), 0.05))
    edited = clip.edit("at 20\ndrag right foot by (0, 0.1, 0)\n")
    foot = clip.body.joint("right_foot")
    (span,) = edited.report["spans"]
    lifted = edited.joint_positions[:, foot, 1] - clip.joint_positions[:, foot, 1]
    assert lifted.max() == pytest.approx(0.1, abs=2e-3)
    assert span["jerk_after"] < 1.1 * span["jerk_before"]


def test_who_hangs_takes_the_feet_along() -> None:
    """Feet that do not stand for a second stayed on their paths in the air, whatever was dragged."""
    jump = walks.clip("jump")
    values = np.repeat(jump.values[:1], 300, axis=0)
    values[:, 1] += 60.0 * np.clip((np.arange(300) - 100.0) / 30.0, 0.0, 1.0)
    clip = Clip.of(BvhClip.of(jump.joints, jump.frame_time, values))
    assert max(contact.last for contact in clip.contacts) < 120
    edited = clip.edit("at 220\ndrag pelvis by (0, 0.1, 0), speed 20\n")
    for name in ("left_foot", "right_foot"):
        foot = clip.body.joint(name)
        assert edited.joint_positions[240, foot, 1] - clip.joint_positions[240, foot, 1] > 0.09


def test_a_foot_that_comes_down_as_an_edit_begins_is_not_put_there_in_a_frame() -> None:
    """One that slides as recorded: it leapt to where it stands, and turned to how it lies."""
    slid = np.outer(np.arange(100) * 5e-4, (1.0, 0.0, 0.0))
    turned = rotations_about(np.outer(np.arange(100) * 2e-3, (0.0, 1.0, 0.0)))
    recorded = Transforms(slid, turned)
    places = {"heel": (0.0, -0.04, -0.04), "ball": (0.0, -0.04, 0.07)}
    for heel, ball, first in ((31, 31, 30), (31, 33, 30), (20, 31, 30), (30, 31, 10)):
        contacts = [GroundContact(0, "heel", places["heel"], heel, 90),
                    GroundContact(0, "ball", places["ball"], ball, 90)]  # fmt: skip
        path = plan_foot(recorded, contacts, first, 99, 60.0).transforms
        moved = np.diff(path.positions - recorded.positions, axis=0)[:60]
        turns = np.diff(path.rotations - recorded.rotations, axis=0)[:60]
        assert np.abs(moved).max() < 5e-3, (heel, ball, first)
        assert np.abs(turns).max() < 2e-2, (heel, ball, first)


def test_a_foot_takes_the_longer_back_to_its_path_the_farther_it_is() -> None:
    """It took the same 0.12 s after a stance in which it turns by half a radian."""
    recorded = Transforms(np.zeros((140, 3)), rotations_about(np.outer(np.arange(140) * 8e-3, (0.0, 1.0, 0.0))))
    stands = [GroundContact(0, "heel", (0.0, -0.04, -0.04), 5, 80), GroundContact(0, "ball", (0.0, -0.04, 0.07), 5, 70)]
    for beyond in ([], [GroundContact(0, "ball", (0.0, -0.04, 0.07), 105, 139)]):
        path = plan_foot(recorded, [*stands, *beyond], 10, 60, 60.0)
        away = rotation_vectors(path.transforms.rotations @ recorded.rotations.transpose(0, 2, 1))[:105]
        assert np.linalg.norm(away[70]) > 0.4
        assert np.abs(np.diff(away, axis=0)).max() < 0.06  # a frame
        assert np.abs(np.diff(away, n=2, axis=0)).max() < 0.01
        assert np.abs(away[104]).max() < 1e-6
        assert path.still[0].last == 80


def test_a_foot_that_was_pinned_returns_to_its_path_while_something_else_is_dragged() -> None:
    """It was let go first, and was back in one frame."""
    foot = walking().body.joint("left_foot")
    script = "at 10\ndrag pelvis by (0.08, -0.1, 0), speed 50\nat 20\npin left foot to here\nat 45\nunpin left foot\n"
    edited = walking().edit(script)
    away = edited.joint_positions[:, foot] - walking().joint_positions[:, foot]
    assert np.linalg.norm(np.diff(away, n=2, axis=0), axis=1).max() < 10.0 * MILLIMETRE
    script = "at 20\ndrag left hand by (0.1, 0.05, 0.1)\nat 30\npin right foot to here\nat 50\nunpin right foot\n"
    (span,) = walking().edit(script).report["spans"]
    assert span["jerk_after"] < 1.1 * span["jerk_before"]


def test_feet_are_planned_around_an_edit_as_in_the_whole_clip(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that an edit of a long clip takes no longer than one of a short one."""
    clip = Clip.of(walks.clip(frames=600))
    foot = clip.body.joint("left_foot")
    own = clip.joint_transforms[:, foot]
    recorded = Transforms(own[:, :3], own[:, 3:].reshape(-1, 3, 3))
    contacts = [contact for contact in clip.contacts if contact.joint == foot]
    for first, last in ((100, 130), (275, 300), (400, 470)):
        path = plan_foot(recorded, contacts, first, last, clip.fps)
        with monkeypatch.context() as patch:
            patch.setattr("puppet.clip.planted._AROUND", 1e3)
            whole = plan_foot(recorded, contacts, first, last, clip.fps)
        assert path.end == whole.end
        frames = slice(first, whole.end + 1)
        assert np.allclose(path.transforms.positions[frames], whole.transforms.positions[frames], atol=1e-12)
        assert np.allclose(path.transforms.rotations[frames], whole.transforms.rotations[frames], atol=1e-12)
        assert np.allclose(path.pivots[frames], whole.pivots[frames], atol=1e-12)
