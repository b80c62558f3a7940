"""Retargeting: the same motion on another body, with its contacts, its meetings, its ranges and its flights."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from puppet import Body, Clip, PuppetError
from puppet.bvh import BvhClip, write_bvh
from puppet.clip.contacts import GroundContact, point_paths, sole_points
from puppet.clip.frames import part_frames, parts_of
from puppet.clip.measure import jerk, palms
from puppet.clip.planted import plan_foot
from puppet.geometry import Transforms, rotation_vectors, rotations_about
from puppet.locomotion import mass_centres
from tests import walks

MILLIMETRE = 1e-3 / 1.75


@cache
def retargeted(kind: str) -> tuple[Clip, Clip]:
    clip = Clip.of(walks.clip(kind))
    return clip, clip.retarget("person")


def test_a_retargeted_walk_walks() -> None:
    """Feet stand on the ground where they stood, no joint leaves its range, and the person gets as far."""
    clip, found = retargeted("walk")
    assert found.body is Body.load("person")
    assert found.fps == clip.fps
    assert len(found) == len(clip)
    assert max(found.body.limit_excess(angles) for angles in found.angles) < 1e-9
    points = {(joint, name): at for joint, name, at in sole_points(found.body)}
    assert found.report["contacts"]
    for contact in found.report["contacts"]:
        joint = found.body.joint(contact["part"])
        path = point_paths(found.joint_transforms, joint, points[joint, contact["point"]])
        still = path[contact["first"] : contact["last"] + 1]
        assert np.linalg.norm(still - still[0], axis=1).max() < MILLIMETRE
        assert np.abs(still[:, 1]).max() < 5.0 * MILLIMETRE
    way = found.joint_positions[-1, 0, 2] - found.joint_positions[0, 0, 2]
    scaled = found.report["scale"] * (clip.joint_positions[-1, 0, 2] - clip.joint_positions[0, 0, 2])
    assert way == pytest.approx(scaled, abs=0.02)


def test_parts_are_turned_as_in_the_source() -> None:
    """In frames that mean the same in both: arms within a degree, where nothing is in their way."""
    clip, found = retargeted("walk")
    theirs, own = part_frames(clip.body), part_frames(found.body)
    for part in ("leftUpperArm", "rightLowerArm", "chest", "head", "leftUpperLeg"):
        a = clip.joint_transforms[:, parts_of(clip.body)[part], 3:].reshape(-1, 3, 3) @ theirs[part]
        b = found.joint_transforms[:, parts_of(found.body)[part], 3:].reshape(-1, 3, 3) @ own[part]
        cosine = (np.einsum("nij,nij->n", a, b) - 1.0) / 2.0
        assert np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))).max() < (12.0 if "Leg" in part else 5.0)


def test_hands_that_meet_still_meet() -> None:
    clip, found = retargeted("clap")
    palms = []
    for motion in (clip, found):
        sides = [motion.body.joint(f"{side}_hand") for side in ("left", "right")]
        places = [point_paths(motion.joint_transforms, j, 0.5 * motion.body.arrays.tips[j]) for j in sides]
        palms.append(np.linalg.norm(places[0] - places[1], axis=1) * 1.75)
    near = palms[0] < 0.06
    assert near.any()
    assert np.abs(palms[1] - palms[0])[near].max() < 0.02


def test_hands_that_come_near_each_other_are_not_seized() -> None:
    """They are taken hold of gradually: an elbow leapt when they had come near enough to have to do with each other.
    And with a knot every few frames the deviation is smooth, though ankles come to their limits."""
    walk = walks.clip("walk", frames=240)
    values, share = np.array(walk.values), 0.5 - 0.5 * np.cos(np.linspace(0.0, 2.0 * np.pi, 240))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for part, turn in (("UpperArm", 60.0 + 10.0 * share), ("LowerArm", 40.0 * share)):
            column = 3 + 3 * walks.PARTS.index(f"{side}{part}")
            values[:, column], values[:, column + 2] = 0.0, -sign * turn
    clip = Clip.of(BvhClip.of(walk.joints, walk.frame_time, values))
    apart = np.linalg.norm(np.subtract(*palms(clip.body, clip.joint_transforms)), axis=1)
    assert (apart.min() < 0.2, apart.max() > 0.5) == (True, True)
    found = clip.retarget("person")
    assert found.report["jerk_after"] < 1.25 * found.report["jerk_before"]  # 2.2 when they were seized


def test_hands_meet_where_they_met_though_forearms_are_shorter() -> None:
    """Legs and trunk are the same, so it is the same place: shorter forearms brought them 0.03 nearer to the face."""
    clip = Clip.of(walks.clip("clap"))
    bvh = walks.clip("clap", frames=2)
    hands = [walks.PARTS.index(f"{side}Hand") for side in ("left", "right")]
    joints = [replace(joint, offset=tuple(0.7 * x for x in joint.offset)) if n in hands else joint
              for n, joint in enumerate(bvh.joints)]  # fmt: skip
    found = clip.retarget(Clip.of(BvhClip.of(joints, bvh.frame_time, bvh.values)))
    apart, middles = [], []
    for motion in (clip, found):
        left, right = palms(motion.body, motion.joint_transforms)
        apart.append(np.linalg.norm(left - right, axis=1))
        middles.append(0.5 * (left + right))
    near = apart[0] < apart[0].min() + 0.01
    assert np.abs(apart[1] - apart[0])[near].max() < 0.02 / 1.75
    assert np.linalg.norm(middles[1] - middles[0], axis=1)[near].max() < 0.01


def test_who_is_in_the_air_falls_with_gravity() -> None:
    clip, found = retargeted("jump")
    (flight,) = found.report["flights"]
    first, last = flight["first"], flight["last"]
    assert (last - first) / clip.fps > 0.25
    heights = mass_centres(found.body, found.angles)[first : last + 1, 1] * (found.body.metres or 1.0)
    fall = -2.0 * np.polyfit(np.arange(len(heights)) / found.fps, heights, 2)[0]
    assert fall == pytest.approx(9.81, rel=0.02)
    step = np.abs(np.diff(found.joint_positions, axis=0)).max(axis=(1, 2))
    assert step.max() < 0.05


def test_there_and_back_on_another_programs_skeleton_in_its_units_and_axes() -> None:
    clip, ours = retargeted("walk")
    skeleton = Clip.of(walks.clip("clap", "vrm", 3, 0.01, "z"))
    back = ours.retarget(skeleton)
    assert back.bvh.joint_names == skeleton.bvh.joint_names
    assert back.bvh.fps == pytest.approx(clip.fps)
    again = Clip.of(back.bvh, up="z")
    assert np.abs(again.joint_positions - back.joint_positions).max() < 1e-6
    for name in ("left_foot", "right_hand", "head", "pelvis"):
        j, k = clip.body.joint(name), back.body.joint(name)
        moved = back.joint_positions[:, k] - back.joint_positions[:1, k]
        assert np.abs(moved - (clip.joint_positions[:, j] - clip.joint_positions[:1, j])).max() < 0.06


def test_the_same_body_gets_the_same_motion() -> None:
    clip = Clip.of(walks.clip())
    same = clip.retarget(clip)
    assert same.report["scale"] == pytest.approx(1.0)
    assert np.abs(same.joint_positions - clip.joint_positions).max() < 0.0015  # it is put onto the ground
    assert same.report["jerk_after"] == pytest.approx(same.report["jerk_before"], rel=1e-6)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("kind", ["walk", "jump"])
def test_a_noisy_recording_is_no_noisier_and_its_feet_stand(kind: str, seed: int) -> None:
    """Feet whose contacts are torn by noise stand all the same, and do not shake what they carry."""
    clip = Clip.of(walks.shaken(walks.clip(kind), 0.2, seed))
    found = clip.retarget("person")
    assert found.report["slide_after"] < 1e-3
    assert found.report["jerk_after"] < 1.05 * found.report["jerk_before"]
    for name in ("pelvis", "chest", "head", "left_hand", "right_hand"):
        own, theirs = (jerk(m.joint_transforms[:, [m.body.joint(name)]], m.fps) for m in (found, clip))
        assert own < 1.1 * found.report["scale"] * theirs


def test_forearms_point_as_in_the_source_though_an_elbow_bends_about_one_axis() -> None:
    """Elbows of other skeletons bend about other axes: upper arms are turned about themselves."""
    bvh = walks.clip("clap", frames=40)
    values = np.array(bvh.values)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        values[:, 3 + 3 * walks.PARTS.index(f"{side}LowerArm")] = sign * np.linspace(0.0, 30.0, 40)  # and up
    clip = Clip.of(BvhClip.of(bvh.joints, bvh.frame_time, values))
    found = clip.retarget("person")
    for side in ("left", "right"):
        names = f"{side}_forearm", f"{side}_hand"
        ends = [[m.joint_positions[:, m.body.joint(name)] for name in names] for m in (clip, found)]
        theirs, own = ((b - a) / np.linalg.norm(b - a, axis=1, keepdims=True) for a, b in ends)
        assert np.degrees(np.arccos(np.clip((theirs * own).sum(axis=1), -1.0, 1.0))).max() < 6.0


def test_hands_near_the_ground_are_as_near() -> None:
    """Who crouches, bends down and reaches for the ground does so with shorter arms, too."""
    bvh = walks.clip("stand", frames=60)
    values, column = np.array(bvh.values), {part: 3 + 3 * n for n, part in enumerate(walks.PARTS)}
    for f, low in enumerate(np.sin(np.linspace(0.0, np.pi, 60)) ** 2):
        values[f, 1] -= 45.0 * low
        hip, knee = walks._leg(values[f, 1] - walks.HIP_DROP - walks.ANKLE, 0.0)
        values[f, column["spine"] + 1] = 80.0 * low
        for side, sign in (("left", 1.0), ("right", -1.0)):
            for word, angle in (("UpperLeg", hip), ("LowerLeg", knee), ("Foot", -hip - knee)):
                values[f, column[f"{side}{word}"] + 1] = np.degrees(angle)
            arm = column[f"{side}UpperArm"]
            values[f, [arm, arm + 2]] = -75.0 * sign * (1.0 - low), -90.0 * sign * low  # from the sides to ahead
    clip = Clip.of(BvhClip.of(bvh.joints, bvh.frame_time, values))
    joints = [replace(joint, offset=(joint.offset[0] * (0.85 if "ForeArm" in joint.name else 1.0), *joint.offset[1:]))
              for joint in bvh.joints]  # fmt: skip
    skeleton = Clip.of(BvhClip.of(joints, bvh.frame_time, bvh.values[:1]))
    found = clip.retarget(skeleton)
    heights = [min(palms(m.body, m.joint_transforms)[0][:, 1]) for m in (clip, found)]
    assert heights[0] < 0.15
    assert heights[1] == pytest.approx(found.report["scale"] * heights[0], abs=0.03)


def test_a_skeleton_without_frames_is_enough(tmp_path: Path) -> None:
    bvh = walks.clip("walk", "unity", 2, 0.01, "z")
    write_bvh(BvhClip.of(bvh.joints, 1.0 / 30.0, np.zeros((0, bvh.values.shape[1]))), tmp_path / "unity.bvh")
    found = Clip.of(walks.clip(frames=20)).retarget(tmp_path / "unity.bvh")
    assert (len(found), found.fit.axes.up) == (20, "z")
    assert found.fps == pytest.approx(walks.FPS)


def test_nothing_shakes() -> None:
    for kind in ("walk", "clap"):
        clip, found = retargeted(kind)
        for name in ("head", "left_hand"):
            source = np.diff(clip.joint_positions[:, clip.body.joint(name)], n=2, axis=0)
            target = np.diff(found.joint_positions[:, found.body.joint(name)], n=2, axis=0)
            assert np.abs(target).max() < 2.0 * np.abs(source).max() + 3.5e-3  # ankles come to their limits in the walk


def test_bodies_with_nothing_in_common_are_refused_and_one_frame_is_enough() -> None:
    snake = [walks.ClipJoint(f"s{n}", n - 1, (0.0, 0.0, 3.0), ("Xrotation",), ()) for n in range(3)]
    with pytest.raises(PuppetError, match="too little in common"):
        Clip.of(BvhClip.of(snake, 0.1, np.zeros((3, 3)))).retarget("person")
    one = Clip.of(walks.clip(frames=1)).retarget("person")
    assert len(one) == 1
    legless = tuple(part for part in walks.PARTS if "Leg" not in part and "Foot" not in part and "Toes" not in part)
    assert len(Clip.of(walks.clip(parts=legless, frames=5)).retarget("person")) == 5


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_a_smooth_walk_is_retargeted_smoothly(fps: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Knees and ankles that came to their limits, feet that were held too long and feet in the air that cannot be
    turned so: 1.3 to 2.4 times the source's jerk."""
    monkeypatch.setattr(walks, "FPS", fps)
    found = Clip.of(walks.clip(frames=round(2.0 * fps))).retarget("person")
    assert found.report["jerk_after"] < 1.1 * found.report["jerk_before"]
    assert found.report["slide_after"] < 1e-3


def test_hands_that_are_near_for_less_than_a_knot_are_no_mistake() -> None:
    """At 24 frames a second knots are five frames apart, and a hand may be near the ground for three."""
    bvh = walks.clip(frames=30)
    values = np.array(bvh.values)
    values[11:14, 1] -= 55.0
    clip = Clip.of(BvhClip.of(bvh.joints, 1.0 / 24.0, values))
    assert len(clip.retarget("person")) == 30


def test_ankles_that_come_to_the_edge_of_their_ranges_do_not_stop_with_a_jolt() -> None:
    """Feet that are level in the air need more than a person's ankles can: on skeletons with human ranges, which the
    walk itself has not widened, 1.2 times the jerk."""
    found = Clip.of(walks.clip()).retarget(Clip.of(walks.clip("clap", "cmu", frames=10)))
    assert found.report["jerk_after"] < 1.1 * found.report["jerk_before"]
    assert found.report["outside_ranges"] < 1e-9


def test_a_clap_with_shorter_forearms_is_no_jerkier() -> None:
    clip, bvh = Clip.of(walks.clip("clap")), walks.clip("clap", frames=2)
    hands = [walks.PARTS.index(f"{side}Hand") for side in ("left", "right")]
    joints = [replace(joint, offset=tuple(0.7 * x for x in joint.offset)) if n in hands else joint
              for n, joint in enumerate(bvh.joints)]  # fmt: skip
    found = clip.retarget(Clip.of(BvhClip.of(joints, bvh.frame_time, bvh.values)))
    assert found.report["jerk_after"] < 1.1 * found.report["jerk_before"]


def test_a_frame_that_is_elsewhere_is_mended_and_told() -> None:
    """As in a recording of CMU: for one frame, the whole person is turned."""
    walk = walks.shaken(walks.clip(frames=80), 0.05)
    values = np.array(walk.values)
    values[50, 5] += 60.0
    found = Clip.of(BvhClip.of(walk.joints, walk.frame_time, values)).retarget("person")
    assert found.report["lone_frames"] == [50]
    assert found.report["jerk_after"] < 1.1 * found.report["jerk_before"]
    head = found.joint_positions[:, found.body.joint("head")]
    assert np.linalg.norm(head[50] - 0.5 * (head[49] + head[51])) < 0.005
    assert Clip.of(walk).retarget("person").report["lone_frames"] == []


def test_a_foot_that_taps_on_its_heel_keeps_the_turn_with_which_it_lies_flat() -> None:
    """Between two taps it was turned as recorded again, and so up and down in a few frames."""
    count, tilt = 60, 0.1  # it was recorded lying not quite flat
    lifted = np.clip(1.0 - np.abs(np.arange(count) - 30) / 6.0, 0.0, 1.0)
    turns = np.zeros((count, 3))
    turns[:, 0] = -tilt - 0.3 * lifted
    heel, ball = (0.0, -0.04, -0.04), (0.0, -0.04, 0.1)
    contacts = [GroundContact(0, "heel", heel, 0, count - 1)]
    contacts += [GroundContact(0, "ball", ball, first, last) for first, last in ((0, 24), (36, count - 1))]
    recorded = Transforms(np.zeros((count, 3)), rotations_about(turns))
    path = plan_foot(recorded, contacts, -1, count, 24.0, ground=0.0).transforms
    away = rotation_vectors(path.rotations @ recorded.rotations.transpose(0, 2, 1))[:, 0]
    assert np.abs(away[[10, 50]] - tilt).max() < 1e-9
    assert np.abs(away[20:41] - tilt).max() < 0.02


def test_a_wrist_that_is_recorded_half_a_turn_off_does_not_leap() -> None:
    """Forearm and hand leapt by 13 and 41 degrees in the frame in which half a turn to one side is one to the other."""
    bvh = walks.clip(frames=60)
    values = np.array(bvh.values)
    column = bvh.starts[walks.PARTS.index("leftHand")] + 1  # about the bone
    values[:, column] = np.linspace(120.0, 240.0, 60)
    source = Clip.of(BvhClip.of(bvh.joints, bvh.frame_time, values))
    clip = source.retarget(Clip.of(walks.clip(names="unity", frames=9)))
    for name in ("left_hand", "left_forearm"):
        turns = clip.joint_transforms[:, clip.body.joint(name), 3:].reshape(-1, 3, 3)
        steps = rotation_vectors(turns[1:] @ turns[:-1].transpose(0, 2, 1))
        assert np.degrees(np.linalg.norm(steps, axis=1)).max() < 5.0, name
    assert clip.report["outside_ranges"] < 1e-9


@pytest.mark.parametrize(("bones", "longer"), [(("LowerLeg", "Foot"), 0.7), (("LowerArm", "Hand"), 1.8)])
def test_a_body_of_other_proportions_is_no_jerkier_than_these_make_it(bones: tuple[str, ...], longer: float) -> None:
    """Long arms go farther with the same turns: that is told beside what the source has."""
    bvh = walks.clip(frames=2)
    joints = [replace(joint, offset=tuple(longer * x for x in joint.offset)) if part.endswith(bones) else joint
              for part, joint in zip(walks.PARTS, bvh.joints, strict=True)]  # fmt: skip
    shaken = Clip.of(walks.shaken(walks.clip(), 0.1))
    report = shaken.retarget(Clip.of(BvhClip.of(joints, bvh.frame_time, bvh.values))).report
    assert report["jerk_turned"] > 1.1 * report["jerk_before"]
    assert report["jerk_after"] < 1.1 * report["jerk_turned"]
