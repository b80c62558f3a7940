"""Reading BVH: files as other programs write them, mistakes with their place, and nothing but PuppetError."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puppet import PuppetError
from puppet.bvh import BvhClip, format_bvh, read_bvh, write_bvh
from puppet.bvh.reader import parse_bvh
from tests.other_readers import READERS

FILES = Path(__file__).parent / "data" / "bvh"
# Positions in the second frame, worked out by hand: every rotation is by a quarter turn.
DIALECTS: dict[str, dict[str, tuple[float, float, float]]] = {
    "biovision": {"Hips": (1, 11, 1), "Chest": (-4, 11, 1), "Neck": (-4, 11, 3), "Jaw": (-3, 11, 3)},
    "blender": {"Hips": (1, 2, 3), "Spine": (1, 0, 3), "Head": (1, 0, 4)},
    "cgspeed": {"Hips": (9, 17, -30), "LHipJoint": (9, 17, -30), "LeftUpLeg": (9, 15.5, -31.5)},
    "lafan": {"Hips": (-41, 92, -39), "LeftUpLeg": (-31, 92.1, -39), "LeftLeg": (-31, 92.1, -82.5)},
    "motionbuilder": {
        "mixamorig:Hips": (10, 100, 20), "mixamorig:Spine": (-2, 100, 20), "mixamorig:LeftArm": (-7, 100, 20),
    },
    "poser": {"hip": (1, 1, 1), "Left Collar": (1, 1, -1), "Left Forearm": (-3, 1, -1), "head": (1, 4, 1)},
    "rokoko": {"Hips": (0, 90, 0), "Spine": (10, 90, 0), "Neck": (10, 90, 20)},
    "xsens": {"Hips": (0, 95, 5), "Chest": (0, 107.5, 5), "RightHip": (0, 95, 13), "RightKnee": (-40, 95, 13)},
}  # fmt: skip
FRAME_TIMES = {"biovision": 0.04, "blender": 0.041667, "cgspeed": 0.0083333, "rokoko": 0.01, "xsens": 0.004167}
# What a reader cannot know, whoever writes it: both have positions on the root only, and three rotations a joint.
UNREAD = {
    ("pybvh", "motionbuilder"), ("pybvh", "biovision"), ("bvhtoolbox", "motionbuilder"), ("bvhtoolbox", "biovision"),
}  # fmt: skip
SMALL = """\
HIERARCHY
ROOT hips
{
  OFFSET 0 1 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  End Site
  {
    OFFSET 0 1 0
  }
}
MOTION
Frames: 2
Frame Time: 0.1
0 0 0
90 0 0
"""


def test_every_dialect_is_tested() -> None:
    assert {path.stem for path in FILES.glob("*.bvh")} == set(DIALECTS)


@pytest.mark.parametrize("name", sorted(DIALECTS))
def test_files_of_other_programs_give_the_positions_worked_out_by_hand(name: str, tmp_path: Path) -> None:
    clip = read_bvh(FILES / f"{name}.bvh")
    assert len(clip) == 2
    assert clip.joint_names == tuple(DIALECTS[name])
    assert np.allclose(clip.joint_positions[1], list(DIALECTS[name].values()), atol=1e-9)
    assert clip.frame_time == FRAME_TIMES.get(name, 0.033333)
    again = tmp_path / "again.bvh"
    write_bvh(clip, again)
    rewritten = read_bvh(again)
    assert rewritten.frame_time == clip.frame_time
    assert np.allclose(rewritten.joint_positions, clip.joint_positions, atol=1e-6)
    assert [joint.ends for joint in rewritten.joints] == [joint.ends for joint in clip.joints]
    assert format_bvh(rewritten) == format_bvh(clip)
    for reader in READERS:
        if (reader, name) not in UNREAD:
            found = READERS[reader](again)
            for joint, ours in zip(rewritten.joint_names, np.moveaxis(clip.joint_positions, 1, 0), strict=True):
                assert np.allclose(found[joint], ours, atol=1e-4), (reader, joint)


def test_a_clip_can_be_drawn() -> None:
    clip = read_bvh(FILES / "xsens.bvh")
    bones = clip.bones(1)
    assert bones.shape == (5, 2, 3)  # three bones, two ends
    assert np.allclose(bones[0], [(0, 95, 5), (0, 107.5, 5)])
    assert np.allclose(bones[3], [(0, 107.5, 5), (7.5, 107.5, 5)])  # the chest is bent forward, and turned to +x
    assert clip.parents == (-1, 0, 0, 2)
    assert clip.fps == pytest.approx(240, rel=1e-3)
    assert not clip.joint_positions.flags.writeable
    assert clip.joint_rotations.shape == (2, 4, 3, 3)


def test_a_frame_turns_the_end(tmp_path: Path) -> None:
    clip = parse_bvh(SMALL)
    assert np.allclose(clip.bones(0), [[(0, 1, 0), (0, 2, 0)]])
    assert np.allclose(clip.bones(1), [[(0, 1, 0), (-1, 1, 0)]])


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.replace("\n", "\n\n \t\n"),
        lambda text: text.replace("  ", "\t"),
        lambda text: text.rstrip(),
        lambda text: text.lower().replace("site", "Site"),
        lambda text: text.upper(),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("Frames: 2", "Frames:2"),
        lambda text: text.replace("Frames: 2", "Frames : 2"),
        lambda text: text.replace("Frames: 2", "FRAMES 2"),
        lambda text: text.replace("Frames: 2", "Frames: 1"),  # as some programs count
        lambda text: text.replace("Frames: 2", "Frames:\t\t2   "),
        lambda text: text.replace("Frame Time: ", "Frame time\t:"),
        lambda text: text.replace("Frame Time:", "FrameTime"),
        lambda text: text.replace("Frames: 2\nFrame Time: 0.1\n", "Frame Time: 0.1\nFrames: 2\n"),
        lambda text: text.replace("0 0 0\n90", "0 0\n0 90"),
        lambda text: text.replace("90 0 0", "9.0e+1 -0 +0."),
        lambda text: text.replace("ROOT hips\n{", "ROOT hips {"),
        lambda text: text.replace("End Site\n  {", "End Site tip {"),
        lambda text: text.replace("End Site", "EndSite"),
        lambda text: text.replace("  OFFSET 0 1 0\n  CH", "  OFFSET 0\n 1 0 CH"),
        lambda text: " ".join(text.split()),
    ],
)
def test_what_is_said_in_another_way_means_the_same(change, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "changed.bvh"
    path.write_bytes(change(SMALL).encode())
    clip = read_bvh(path)
    assert clip.frame_time == 0.1
    assert clip.joint_names[0].lower() == "hips"
    assert np.allclose(clip.bones(1), [[(0, 1, 0), (-1, 1, 0)]])


def test_names_in_any_coding_and_twice(tmp_path: Path) -> None:
    two = SMALL.replace("  End Site", "  JOINT Hüfte links\n  {\n    OFFSET 1 0 0\n    CHANNELS 0\n  }\n"
                                      "  JOINT Hüfte links\n  {\n    OFFSET 2 0 0\n  }\n  End Site")  # fmt: skip
    for coding in ("utf-8", "latin-1", "utf-16"):
        path = tmp_path / f"{coding}.bvh"
        path.write_bytes(two.encode(coding))
        clip = read_bvh(path)
        assert clip.joint_names == ("hips", "Hüfte links", "Hüfte links")
        write_bvh(clip, path)
        assert read_bvh(path).joint_names == ("hips", "Hüfte_links", "Hüfte_links_2")


@pytest.mark.parametrize(
    ("old", "new", "place", "told"),
    [
        ("HIERARCHY", "HIERACHY", "1:1", "no BVH file"),
        ("ROOT", "JOINT", "2:1", "expected ROOT"),
        ("ROOT hips", "ROOT", "2:1", "needs a name"),
        ("OFFSET 0 1 0\n  CH", "OFFSET 0 1\n  CH", "5:3", "expected a number after OFFSET, found 'CHANNELS'"),
        ("OFFSET 0 1 0\n  CH", "OFFSET 0 one 0\n  CH", "4:12", "'one'"),
        ("OFFSET 0 1 0\n  CH", "CH", "2:1", "no OFFSET"),
        ("CHANNELS 3", "CHANNELS 4", "5:12", "says 4, but 3 follow"),
        ("CHANNELS 3", "CHANNELS", "5:12", "the number of channels"),
        ("Xrotation", "Xrotatoin", "5:12", "but 1 follow"),
        ("Xrotation", "Wrotation", "5:24", "did you mean"),
        ("CHANNELS 3", "CHANELS 3", "5:3", "did you mean 'CHANNELS'"),
        ("End Site\n  {", "End Site\n  ", "8:5", "expected {"),
        ("}\nMOTION", "MOTION", "10:1", "found 'MOTION'"),
        ("MOTION", "", "12:1", "expected MOTION"),
        ("Frames: 2", "Frames: two", "12:9", "expected a number after Frames"),
        ("Frames: 2", "Frames: 2.5", "12:9", "a whole number"),
        ("Frames: 2", "Frames: -1", "12:9", "a whole number"),
        ("Frames: 2", "Frames: 3", "12:1", "3 frames of 3 numbers are promised here, but 2 frames follow"),
        ("Frames: 2", "Frames: 999999999", "12:1", "but 2 frames follow"),
        ("Frames: 2\n", "", "13:1", "expected 'Frames:'"),
        ("Frame Time: 0.1\n", "", "13:1", "expected 'Frame Time:'"),
        ("0.1", "0", "13:13", "above 0"),
        ("0.1", "1e-9", "13:13", "from 0.0001"),  # what takes a second would have to be done in so many frames
        ("0.1", "nan", "13:13", "expected a number"),
        ("90 0 0", "90 0", "15:1", "this frame has 2 numbers; the skeleton has 3 channels"),
        ("90 0 0", "90 0,5 0", "15:4", "'0,5'"),
        ("90 0 0", "90 nan 0", "15:4", "'nan'"),
        ("90 0 0", "90 1_0 0", "15:4", "'1_0'"),
        ("90 0 0", "90 1e300 0", "15:4", "beyond all measure"),
        ("CHANNELS 3 Zrotation Xrotation Yrotation", "CHANNELS 0", "11:1", "no joint has a channel"),
    ],
)
def test_mistakes_are_told_with_their_place(old: str, new: str, place: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.bvh"
    assert old in SMALL
    path.write_text(SMALL.replace(old, new, 1) if "Frame" not in old else SMALL.replace(old, new))
    with pytest.raises(PuppetError) as error:
        read_bvh(path)
    message = str(error.value)
    assert message.startswith(f"{path}:{place}: "), message
    assert told in message
    where, line, caret = message.split("\n")[-3:]
    del where
    assert caret.strip() == "^"
    assert len(caret) <= len(line) + 1


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(PuppetError, match="cannot read"):
        read_bvh(tmp_path / "none.bvh")
    with pytest.raises(PuppetError, match="cannot read"):
        read_bvh(tmp_path)
    (tmp_path / "empty.bvh").touch()
    with pytest.raises(PuppetError, match="the end of the file"):
        read_bvh(tmp_path / "empty.bvh")


def test_depth_costs_nothing() -> None:
    depth = 5000
    joints = "".join(f"JOINT j{n} {{ OFFSET 0 1 0 CHANNELS 1 Xrotation\n" for n in range(depth))
    text = f"HIERARCHY ROOT r {{ OFFSET 0 0 0 {joints} {'}' * depth} }} MOTION Frames: 1 Frame Time: 1 {'0 ' * depth}"
    clip = parse_bvh(text)
    assert clip.joint_positions[0, -1, 1] == depth
    assert len(parse_bvh(format_bvh(clip)).joints) == depth + 1


TEXTS = [path.read_text(encoding="utf-8") for path in sorted(FILES.glob("*.bvh"))]
WORDS = [
    "{", "}", "ROOT", "JOINT", "End Site", "OFFSET", "CHANNELS", "MOTION", "Frames:", "Frame Time:", "-1", "1e99",
    "nan", "Xrotation", "\n", "\x00", "é", "\u0663", "1_0", "9" * 400, "\u2028", "\x1c",
]  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_a_mangled_file_is_read_or_refused_in_words(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([SMALL, *TEXTS]))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 40)))
        match data.draw(st.integers(0, 4)):
            case 0:
                text = text[:start]
            case 1:
                text = text[:start] + text[end:]
            case 2:
                text = text[:start] + text[start:end] * 2 + text[end:]
            case 3:
                text = text[:start] + f" {data.draw(st.sampled_from(WORDS))} " + text[end:]
            case _:
                text = text[:start] + data.draw(st.text(max_size=5)) + text[end:]
    try:
        clip = parse_bvh(text)
    except PuppetError as error:
        message = str(error)
    else:
        message = ""
        assert np.isfinite(clip.joint_positions).all()
        again = parse_bvh(format_bvh(clip))
        assert np.allclose(again.joint_positions, clip.joint_positions, rtol=1e-6, atol=1e-6 * _size(clip))
    assert not message or message.startswith("<text>:")


def _size(clip: BvhClip) -> float:
    return 1.0 + float(np.abs(clip.joint_positions).max(initial=0.0))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_refused_in_words(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.bvh"
    path.write_bytes(content)
    with pytest.raises(PuppetError):
        read_bvh(path)


@pytest.mark.parametrize("path", sorted((Path(__file__).parent / "data" / "bvh").glob("*.bvh")), ids=lambda p: p.stem)
def test_any_dialect_is_converted_to_a_tidy_file(path: Path, tmp_path: Path) -> None:
    from puppet.tools import convert_file

    convert_file(path, tmp_path / "tidy.bvh")
    tidy = read_bvh(tmp_path / "tidy.bvh")
    theirs = read_bvh(path)
    assert tidy.joint_positions == pytest.approx(theirs.joint_positions, abs=1e-6)
    text = (tmp_path / "tidy.bvh").read_bytes()
    assert b"\r" not in text
    assert text.endswith(b"\n")
