"""Any BVH becomes a body and a clip: whichever program wrote it, in whatever units and axes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import puppet
from puppet import Body, Clip, PuppetError
from puppet.body import format_body
from puppet.bvh import BvhClip, ClipJoint, read_bvh, write_bvh
from puppet.clip.anatomy import BODY_NAMES
from puppet.clip.build import CMU_UNIT
from puppet.clip.contacts import find_contacts, point_paths
from puppet.clip.names import read_name
from puppet.clip.ranges import nearest_rotations, range_coordinates, range_excess
from tests import walks

FILES = sorted((Path(__file__).parent / "data" / "bvh").glob("*.bvh"))


@pytest.mark.parametrize("names", sorted(walks.NAMES))
def test_the_parts_of_a_person_are_found_by_the_names_of_each_program_and_without_any(names: str) -> None:
    clip = Clip.of(walks.clip("walk", names, 20))
    found = {part: clip.bvh.joint_names[clip.body.joint(name)] for name, part in clip.body.humanoid.items()}
    assert found == walks.NAMES[names]
    assert set(clip.body.humanoid) == set(BODY_NAMES.values())
    assert set(clip.body.limbs) == {"left", "right", "left foot", "right foot"}
    hand = clip.body.joint("left_hand")
    assert clip.body.joints[clip.body.joints[hand].parent].name == "left_forearm"
    told = " ".join(clip.notes)
    assert ("left_hand" in told) == (names == "nobody")


@pytest.mark.parametrize(("word", "side", "part"), [
    ("LThumb", "left", ""), ("RightHandIndex1", "right", ""), ("DEF-forearm.L.001", "left", "forearm"),
    ("mixamorig:HeadTop_End", "", ""), ("Bip01 L Thigh", "left", "thigh"), ("left_hip", "left", "thigh"),
    ("LHipJoint", "left", ""), ("CC_Base_R_Upperarm", "right", "upper_arm"),
])  # fmt: skip
def test_names_of_fingers_helpers_and_twist_bones_are_told_apart(word: str, side: str, part: str) -> None:
    found = read_name(word)
    assert found.side == side
    assert ("" if found.other or not found.parts else found.parts[0]) == part


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_body_is_where_the_file_says_and_turns_about_the_files_axes(path: Path) -> None:
    """Of every dialect, however small its skeleton: where bones keep their lengths."""
    bvh, clip = read_bvh(path), Clip.load(path)
    ours = clip.fit.axes.points(np.array(clip.joint_positions))
    if path.stem != "motionbuilder":  # its spine moves away from its hips
        assert np.abs(ours - bvh.joint_positions[:, list(clip.fit.joints)]).max() < 1e-9 * clip.fit.axes.scale
    for j, joint in zip(clip.fit.joints, clip.body.joints, strict=True):
        turns = [clip.fit.axes.our_rotation(name)[0] for name in bvh.joints[j].channels if name.endswith("rotation")]
        assert [rotation.axis for rotation in joint.rotations] == turns
    assert np.array_equal(clip.fit.values(bvh, clip.angles, np.arange(0)), bvh.values)
    written = clip.fit.values(bvh, clip.angles, np.arange(len(bvh)))
    assert np.abs(written - bvh.values).max() < 1e-9


@pytest.mark.parametrize(
    ("scale", "up", "unit"), [(0.01, "y", "metres"), (10.0, "z", "millimetres"), (1 / 2.54, "z", "inches")]
)
def test_units_and_up_axes_are_found_out_told_and_handled(scale: float, up: str, unit: str) -> None:
    plain, other = Clip.of(walks.clip(frames=20)), Clip.of(walks.clip(frames=20, scale=scale, up=up))
    assert other.fit.axes.up == up
    assert any(unit in note for note in other.notes)
    assert other.body.metres == pytest.approx(plain.body.metres, rel=1e-9)
    assert np.abs(other.joint_positions - plain.joint_positions).max() < 1e-9
    assert plain.body.height == 1.0
    assert plain.body.metres == pytest.approx(1.75, abs=0.03)


def test_masses_are_those_of_a_person_and_a_figure_stands_on_its_soles() -> None:
    body = Clip.of(walks.clip()).body
    assert sum(joint.mass for joint in body.joints) == pytest.approx(sum(j.mass for j in Body.load("person").joints))
    figure = puppet.Figure(body)
    assert figure.centre_of_mass[1] == pytest.approx(0.56, abs=0.03)
    soles = body.joints[body.joint("left_foot")].contacts.values()
    assert min(figure.position("left_foot", point)[1] for point in soles) == pytest.approx(0.0, abs=1e-9)


def test_contacts_are_the_frames_in_which_feet_stand() -> None:
    clip = Clip.of(walks.clip())
    heels = [c for c in clip.contacts if clip.joint_names[c.joint] == "left_foot" and c.point == "heel"]
    assert [(c.first, c.last) for c in heels] == [(0, 33), (60, 93)]
    assert find_contacts(clip.body, clip.joint_transforms[:1], clip.fps) == ()


def test_ranges_are_human_and_hold_all_that_was_recorded() -> None:
    clip = Clip.of(walks.clip())
    knee = clip.body.joints[clip.body.joint("left_knee")]
    assert knee.range is not None
    bent = np.zeros(clip.body.dofs)
    bent[clip.body.dof("left_knee", "x")] = -0.3  # the wrong way
    assert clip.body.limit_excess(bent) > 0.2
    assert range_excess(clip.body, clip.angles) == max(clip.body.limit_excess(angles) for angles in clip.angles) == 0.0
    generator = np.random.default_rng(3)
    angles = generator.uniform(-1.0, 1.0, (20, clip.body.dofs))
    for j, joint in enumerate(clip.body.joints):
        if joint.range is not None:
            turned = puppet.body.local_rotations(clip.body, j, angles)
            swings, twists = range_coordinates(joint.range, turned)
            for rotation, swing, twist in zip(turned, swings, twists, strict=True):
                expected = joint.range.coordinates(rotation)
                assert np.allclose(swing, expected[0], atol=1e-9)
                assert np.isclose(twist, expected[1], atol=1e-9)


def test_rotations_outside_a_range_are_moved_to_the_nearest_inside() -> None:
    body = Clip.of(walks.clip(frames=5)).body
    angles = np.random.default_rng(4).uniform(-1.5, 1.5, (30, body.dofs))
    for name in ("left_knee", "right_shoulder", "neck"):
        region = body.joints[body.joint(name)].range
        assert region is not None
        turned = puppet.body.local_rotations(body, body.joint(name), angles)
        assert np.allclose(nearest_rotations(region, turned), [region.nearest(one) for one in turned], atol=1e-12)


def test_a_body_is_written_read_corrected_and_used(tmp_path: Path) -> None:
    bvh = walks.clip(frames=30)
    clip = Clip.of(bvh)
    path = tmp_path / "body.yaml"
    path.write_text(format_body(clip.body, clip.notes), encoding="utf-8")
    again = Body.load(path)
    assert again.joint_names == clip.body.joint_names
    assert again.humanoid == clip.body.humanoid
    assert np.allclose(again.arrays.offsets, clip.body.arrays.offsets, atol=1e-9)
    assert max(again.limit_excess(angles) for angles in clip.angles[::10]) < 1e-6
    with_own = Clip.of(bvh, body=path)
    assert np.abs(with_own.joint_positions - clip.joint_positions).max() < 1e-8
    with pytest.raises(PuppetError, match="does not belong to the file"):
        Clip.of(bvh, body="person")
    path.write_text(path.read_text(encoding="utf-8").replace("left_hand: leftHand", "left_hand: leftPaw"), "utf-8")
    with pytest.raises(PuppetError, match="unknown part of a person 'leftPaw'; did you mean 'leftHand'"):
        Clip.of(bvh, body=path)
    longer = replace(again, joints=(*again.joints[:-1], replace(again.joints[-1], centre=(0.0, 0.0, 0.0))))
    with pytest.raises(PuppetError, match="is elsewhere"):
        Clip.of(bvh, body=longer)


@pytest.mark.parametrize("name", ["person", "seated"])
def test_bodies_that_come_along_survive_writing(name: str, tmp_path: Path) -> None:
    body = Body.load(name)
    path = tmp_path / "again.yaml"
    path.write_text(format_body(body), encoding="utf-8")
    again = Body.load(path)
    assert format_body(again) == format_body(body)
    assert np.allclose(again.rest, body.rest)
    assert again.gaze == body.gaze


def test_a_file_of_ours_is_recognised(tmp_path: Path) -> None:
    figure = puppet.Figure(Body.load("person"))
    frames = figure.drag("right_hand", by=(0.0, 0.2, 0.1), steps=5)
    from puppet.bvh import FileAxes
    from puppet.export.bvh import body_clip

    write_bvh(body_clip(figure.body, frames, 30.0, FileAxes(175.0, "z"), False), tmp_path / "ours.bvh")
    clip = Clip.load(tmp_path / "ours.bvh")
    assert clip.body is Body.load("person")
    assert np.abs(clip.angles - frames).max() < 1e-7


def test_a_joint_above_that_stands_still_is_left_alone() -> None:
    bvh = walks.clip(frames=10)
    above = puppet.bvh.ClipJoint("Reference", -1, (0.0, 0.0, 0.0), ("Xposition", "Yposition", "Zposition"), ())
    joints = [above, *(replace(joint, parent=joint.parent + 1) for joint in bvh.joints)]
    values = np.hstack([np.tile([3.0, 4.0, 5.0], (10, 1)), bvh.values])
    clip = Clip.of(BvhClip.of(joints, bvh.frame_time, values))
    assert clip.joint_names[0] == "pelvis"
    moved = clip.joint_positions - Clip.of(bvh).joint_positions
    assert np.allclose(moved * clip.fit.axes.scale, [3.0, 4.0, 5.0])
    assert np.abs(clip.fit.values(clip.bvh, clip.angles, np.arange(10)) - values).max() < 1e-9


def test_what_is_no_person_is_a_body_too() -> None:
    legless = tuple(part for part in walks.PARTS if "Leg" not in part and "Foot" not in part and "Toes" not in part)
    clip = Clip.of(walks.clip(parts=legless, frames=10))
    assert any("no legs" in note for note in clip.notes)
    assert set(clip.body.limbs) == {"left", "right"}
    assert clip.contacts == ()
    snake = [puppet.bvh.ClipJoint(f"s{n}", n - 1, (0.0, 0.0, 3.0), ("Xrotation", "Yrotation"), ()) for n in range(5)]
    snake[-1] = replace(snake[-1], ends=((0.0, 0.0, 2.0),))
    found = Clip.of(BvhClip.of(snake, 0.1, np.zeros((3, 10))))
    assert not found.body.free_root
    assert list(found.body.limbs) == ["s4"]
    edited = found.edit("drag s4 by (0.1, 0, 0), speed 2")
    assert edited.joint_positions[2, 4, 0] == pytest.approx(0.1, abs=1e-3)


def test_who_has_no_head_stands_as_well() -> None:
    """No soles were found, and so no contacts with the ground."""
    headless = tuple(part for part in walks.PARTS if part not in ("head", "neck"))
    clip = Clip.of(walks.clip(parts=headless, frames=60))
    assert "head" not in clip.body.humanoid.values()
    assert {clip.joint_names[contact.joint] for contact in clip.contacts} >= {"left_foot", "right_foot"}
    edited = clip.edit("at 20\ndrag left hand by (0, -0.1, 0.1), speed 10\n")
    assert edited.report["slide_after"] < 1e-3


def test_four_legs_are_no_person_and_people_without_legs_can_look() -> None:
    rows = [("a", -1, (0.0, 0.0, 0.0)), ("b", 0, (0.0, 0.0, 30.0)), ("c", 1, (0.0, 12.0, 12.0))]
    for above in (0, 1):
        for side in (8.0, -8.0):
            rows.append((f"leg{len(rows)}", above, (side, -5.0, 0.0)))
            rows += [(f"leg{len(rows) + n}", len(rows) + n - 1, (0.0, -20.0, 0.0)) for n in range(2)]
    joints = [puppet.bvh.ClipJoint(name, parent, offset, ("Zrotation", "Xrotation", "Yrotation"), ())
              for name, parent, offset in rows]  # fmt: skip
    dog = Clip.of(BvhClip.of(joints, 0.1, np.zeros((2, 3 * len(joints)))))
    assert not dog.body.humanoid
    assert all(joint.range is None for joint in dog.body.joints)
    legless = tuple(part for part in walks.PARTS if "Leg" not in part and "Foot" not in part and "Toes" not in part)
    looking = Clip.of(walks.clip(parts=legless, frames=30)).edit("look at (0.4, 1, 1), speed 8")
    assert max(looking.report["looks"][0]["missed"]) < 0.05


@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_a_person_without_names_may_have_z_up(scale: float) -> None:
    clip = Clip.of(walks.clip(names="nobody", frames=30, scale=scale, up="z"))
    assert clip.fit.axes.up == "z"
    assert {"head", "left_hand", "right_foot"} <= set(clip.joint_names)


@pytest.mark.parametrize("start", [0, 20, 40])
def test_sides_are_told_apart_without_names_though_legs_hang_on_joints_of_no_length(start: int) -> None:
    """As in CMU's recordings, in the midst of a step, and with the trunk bent over at first."""
    bvh = walks.clip(names="nobody")
    joints: list[ClipJoint] = []
    new: dict[int, int] = {}
    columns: list[int] = []
    for n, (part, joint) in enumerate(zip(walks.PARTS, bvh.joints, strict=True)):
        parent = -1 if joint.parent < 0 else new[joint.parent]
        if part.endswith("UpperLeg"):
            joints.append(ClipJoint(f"carrier_{n}", parent, (0.0, 0.0, 0.0), joint.channels, ()))
            parent = len(joints) - 1
            columns += [-1] * 3
        new[n] = len(joints)
        joints.append(replace(joint, parent=parent))
        columns += range(bvh.starts[n], bvh.starts[n] + len(joint.channels))
    values = np.concatenate([bvh.values, np.zeros((len(bvh), 1))], axis=1)[start:, columns]
    values[:5, 4] += 70.0  # the whole person
    clip = Clip.of(BvhClip.of(joints, bvh.frame_time, values))
    found = {part: clip.bvh.joint_names[clip.body.joint(name)] for name, part in clip.body.humanoid.items()}
    assert found == walks.NAMES["nobody"]


def test_a_recording_of_cmu_that_somebody_scaled_has_other_units() -> None:
    names = {**walks.NAMES["cmu"], "neck": "LHipJoint", "leftShoulder": "RHipJoint"}
    metres = [Clip.of(BvhClip.of(walks.skeleton(names, scale), 0.1, walks.motion(frames=3, scale=scale))).body.metres
              for scale in (0.01, 10.0, 0.01 / CMU_UNIT)]  # fmt: skip
    assert metres == pytest.approx([metres[0]] * 3)
    assert metres[0] == pytest.approx(1.75, abs=0.05)


def test_contacts_end_where_a_foot_moves() -> None:
    """Slow as it is: held there, it would have to catch up with its path."""
    bvh = walks.clip(frames=120)
    clip = Clip.of(BvhClip.of(bvh.joints, 1.0 / 120.0, bvh.values))  # half as fast
    foot = clip.body.joint("left_foot")
    for contact in clip.contacts:
        if contact.joint == foot:
            path = point_paths(clip.joint_transforms, foot, np.array(contact.at))[contact.first : contact.last + 1]
            assert np.abs(path - path[0]).max() < 1e-5


def test_a_saved_clip_is_the_file_to_the_bit_where_nothing_was_edited(tmp_path: Path) -> None:
    clip = Clip.of(walks.shaken(walks.clip(frames=60), 0.1))  # numbers of seventeen digits
    edited = clip.edit("at 20\ndrag head by (0.03, 0, 0), speed 5")
    edited.save(tmp_path / "edited.bvh")
    again = read_bvh(tmp_path / "edited.bvh")
    assert np.array_equal(again.values, edited.bvh.values)
    outside = np.r_[0:21, edited.report["spans"][0]["last"] + 1 : 60]
    assert np.array_equal(again.values[outside], clip.bvh.values[outside])
    assert "e" not in (tmp_path / "edited.bvh").read_text(encoding="utf-8").split("Frame Time:")[1]


def test_bad_files_say_what_is_wrong(tmp_path: Path) -> None:
    bvh = walks.clip(frames=2)
    twice = [replace(bvh.joints[0], channels=("Xrotation", "Xrotation")), *bvh.joints[1:]]
    with pytest.raises(PuppetError, match="turns twice about one axis"):
        Clip.of(BvhClip.of(twice, 0.1, np.zeros((1, 2 + 3 * 20))))
    write_bvh(BvhClip.of(bvh.joints, 0.1, np.zeros((0, 66))), tmp_path / "empty.bvh")
    with pytest.raises(PuppetError, match="no frames"):
        Clip.load(tmp_path / "empty.bvh")
    with pytest.raises(PuppetError, match="up axis"):
        Clip.of(bvh, up="x")
    with pytest.raises(PuppetError, match=r"no writer for '\.fbx'"):
        Clip.of(bvh).save(tmp_path / "x.fbx")


def test_a_clip_is_saved_in_the_forms_of_a_performance(tmp_path: Path) -> None:
    clip = Clip.of(walks.clip(frames=6))
    for ending in ("glb", "json", "bvh"):
        clip.save(tmp_path / f"walk.{ending}")
        assert (tmp_path / f"walk.{ending}").stat().st_size > 50
    assert np.array_equal(clip.performance.joint_transforms, clip.joint_transforms)
    assert clip.centre_of_mass.shape == (6, 3)
    with pytest.raises(PuppetError, match="without options"):
        clip.save(tmp_path / "walk.bvh", scale=2.0)
    with pytest.raises(PuppetError, match="only with physics"):
        clip.save(tmp_path / "walk.npz")


def test_options_that_a_file_does_not_have_are_told(tmp_path: Path) -> None:
    clip = Clip.of(walks.clip(frames=4))
    with pytest.raises(PuppetError, match=r"'\.png' files have no option 'sizes'; did you mean 'size'"):
        clip.save(tmp_path / "walk.png", sizes="96x54")
    with pytest.raises(PuppetError, match=r"'\.npz' files have no option 'fps'; they have none"):
        clip.save(tmp_path / "walk.npz", fps=30)
    assert not list(tmp_path.iterdir())
