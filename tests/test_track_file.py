"""Files of tracks: what they mean, every mistake with its place, hints, and the fix that changes nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puppet
from puppet import PuppetError
from puppet.cli import main
from puppet.tools import check_file
from puppet.tracks import fixed_text, hints_of, read_tracks
from puppet.tracks.course import course_of
from puppet.tracks.schedule import master_gains, pin_gains, sampled_poses

JUMP = (Path(__file__).parent / "data" / "tracks" / "jump.tracks.yaml").read_text(encoding="utf-8")
SHORT = """\
body: person
pose: [{at: 0, pose: rest}, {at: 20, pose: rest}]
centre_of_mass:
  - {at: 0, place: [0, 0.56, 0]}
  - {at: 20, place: [0, 0.56, 0.5], by: projectile}
"""


def replaced(old: str, new: str, text: str = SHORT) -> str:
    assert old in text
    return text.replace(old, new)


def test_what_a_file_says() -> None:
    tracks = read_tracks(JUMP, "jump.tracks.yaml")
    assert tracks.frames == 61
    assert tracks.gravity == pytest.approx(9.81 / 1.75)
    assert [key.by for key in tracks.mass] == ["", "hermite", "hermite", "projectile", "hermite"]
    assert {pin.part for pin in tracks.pins} == {"left_foot", "right_foot"}
    poses = sampled_poses(tracks)
    hip = tracks.body.dof("left_hip", "x")
    assert np.degrees(poses[[0, 12, 32], hip]) == pytest.approx([-5.0, -80.0, -100.0])
    assert np.array_equal(poses[60], tracks.body.rest)
    gains = pin_gains(tracks.pins[0], 61) * master_gains(tracks)
    assert gains[[0, 19, 20, 33, 34, 44, 60]] == pytest.approx([1.0, 1.0, 0.0, 0.0, 0.05, 1.0, 1.0])


def test_the_course_is_smooth_where_its_templates_meet() -> None:
    course = course_of(read_tracks(JUMP, "jump.tracks.yaml"))
    assert course is not None
    for before, after in zip(course.legs, course.legs[1:], strict=False):
        end = before.curve.duration
        assert np.allclose(before.curve.position(end), after.curve.position(0.0), atol=1e-12)
        assert np.allclose(before.curve.velocity(end), after.curve.velocity(0.0), atol=1e-12)


def test_a_take_off_velocity_finds_the_landing() -> None:
    text = replaced("[0, 0.56, 0]}", "[0, 0.56, 0], velocity: [0.1, 2, 1]}").replace("place: [0, 0.56, 0.5], ", "")
    course = course_of(read_tracks(text, "x"))
    assert course is not None
    time = 20 / 30
    end = course.positions(21, 30.0)[20]
    assert end == pytest.approx([0.1 * time, 0.56 + 2.0 * time - 0.5 * 9.81 / 1.75 * time**2, time])


def test_a_pendulum_goes_on_with_the_velocity_of_what_comes_before() -> None:
    text = SHORT + "  - {at: 40, by: pendulum, pivot: [0, 1.1, 0.5]}\n"
    course = course_of(read_tracks(text, "x"))
    assert course is not None
    flight, swing = (leg.curve for leg in course.legs)
    rod = np.array([0.0, -1.0, 0.0])
    arriving = flight.velocity(flight.duration)
    assert np.allclose(swing.velocity(0.0), arriving - (arriving @ rod) * rod)
    assert np.allclose(np.linalg.norm(course.positions(41, 30.0)[20:] - [0, 1.1, 0.5], axis=1), 0.54)


LATER = "centre_of_mass:"
MISTAKES = [
    ("body: person", "body: persom", "1:7: .*no file 'persom'.*'person'"),
    ("pose: [", "posse: [", r"2:1: .*unknown key 'posse'; did you mean 'pose'\?"),
    ("pose: rest}]", "pose: ret}]", r"2:44: .*unknown pose 'ret'; .*'rest'"),
    ("{at: 20, pose", "{at: -2, pose", "2:34: .*expected a number from 0"),
    ("{at: 20, pose", "{at: 0, pose", "2:34: .*keys out of order: expected a frame after 0, found 0"),
    ("{at: 20, pose", "{at: 1.5, pose", "2:34: .*expected a whole number"),
    ("by: projectile", "by: projectil", r"5:41: .*unknown template 'projectil'; did you mean 'projectile'\?"),
    ("by: projectile", "by: pendulum", "5:5: .*a pendulum needs its 'pivot'"),
    ("by: projectile", "by: pendulum, pivot: [0, 9, 0]", "5:10: this pendulum is 8.44 long, longer than the body"),
    ("by: projectile", "by: pendulum, pivot: [0, 0.57, 0]", "5:10: this pendulum is 0.01 long, shorter"),
    ("by: projectile", "by: pendulum, pivot: [0, 1, 0]", "5:10: this pendulum is 0.44 long, shorter than its 'place'"),
    ("by: projectile", "by: pendulum, pivot: [0, 0.6, 0.6]", "5:10: this pendulum is 0.601 long, longer than its"),
    ("by: projectile", "by: pendulum, pivot: [0, 1.5, 0]", "5:10: this pendulum is 0.94 long, longer .* to 0.84 away"),
    ("[0, 0.56, 0]}", "[free, 0.56, 0]}", "5:10: a projectile needs all axes .*'free' at the first key"),
    ("20, place: [0, 0.56, 0.5], by: projectile", "90000, by: pendulum, pivot: [0, 1, 0]", "5:10: .*times in 3000 s"),
    ("by: projectile", "by: projectile, height: 0.5", "5:10: this projectile cannot reach: .*at least 0.56"),
    ("by: projectile", "by: hermite, height: 0.5", "5:50: .*'height' belongs to 'by: projectile'"),
    ("place: [0, 0.56, 0.5], ", "", "5:10: a projectile needs its 'place', or a 'velocity' at the key before"),
    ("place: [0, 0.56, 0]}", "by: hermite}", "4:10: the first key has none before it"),
    ("[0, 0.56, 0]}", "[0, 0.56]}", "4:20: .*expected 3 values, found 2"),
    ("[0, 0.56, 0.5]", "[0, free, 0.5]", "5:21: .*an axis can be 'free' with 'by: hermite' only"),
    (LATER, "pins: {lef_foot: [{at: 0}]}\n" + LATER, r"3:8: .*'lef_foot'.*did you mean 'left_foot'\?"),
    (LATER, "pins: {left_foot: [{at: 0, gain: 2}]}\n" + LATER, "3:34: .*from 0 to 1, found '2'"),
    (LATER, "pins: {left_foot: [{at: 3, off: true, gain: 1}]}\n" + LATER, "3:39: .*goes off has no 'gain'"),
    (LATER, "poses: {up: {left_knee: {x: 200}}}\n" + LATER, "3:29: .*from 0 to 145, found '200'"),
    (LATER, "poses: {up: {left_knee: {y: 2}}}\n" + LATER, "3:26: .*unknown key 'y'"),
    (LATER, "poses: {rest: {}}\n" + LATER, "3:9: .*'rest' is the body's own posture"),
    (LATER, "inertia: [{at: 3}]\n" + LATER, "3:11: .*at least one of x, y and z"),
    (LATER, "angular_momentum: [{from: 3, to: 2, x: 0}]\n" + LATER, "3:34: .*a frame after 3, found 2"),
    (LATER, "angular_momentum: [{from: 3, to: 9}]\n" + LATER, "3:20: .*'conserved: true', or has a value"),
]


@pytest.mark.parametrize(("old", "new", "message"), MISTAKES)
def test_mistakes_are_told_with_their_place(old: str, new: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.tracks.yaml"
    path.write_text(replaced(old, new), encoding="utf-8")
    mistakes = check_file(path)
    assert len(mistakes) == 1
    assert re.fullmatch(re.escape(f"{path}:") + message + ".*", str(mistakes[0]).splitlines()[0])
    with pytest.raises(PuppetError) as caught:
        puppet.run(path)
    assert re.match(re.escape(f"{path}:") + message, str(caught.value))


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "x.tracks.yaml"
    text = replaced("pose: rest}]", "pose: ret}]")
    path.write_text(replaced("projectile", "projectil", text), encoding="utf-8")
    assert len(check_file(path)) == 2


def test_a_hint_says_which_frame_would_fit() -> None:
    (hint,) = hints_of(read_tracks(JUMP, "jump.tracks.yaml"))
    assert (hint.at, hint.mark.line, hint.fix) == (44, 28, 38)
    assert "24 frames" in hint.message
    assert "17.7" in hint.message


def test_the_fix_moves_the_key_and_what_comes_after_it_and_nothing_else() -> None:
    fixed, followed = fixed_text(JUMP, "jump.tracks.yaml")
    assert len(followed) == 1
    assert not hints_of(read_tracks(fixed, "jump.tracks.yaml"))
    moved = re.sub(r"(at|to): 44", r"\1: 38", JUMP)
    assert fixed == re.sub(r"at: 60", "at: 54", moved)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.61, 1.6), st.integers(22, 90), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_the_fix_keeps_every_other_character(height: float, at: int, end: str, marked: bool) -> None:
    text = JUMP.replace("at: 34, ", "at: 21, ").replace("at: 32, pose", "at: 21, pose")
    text = text.replace("at: 60", f"at: {at + 16}").replace("height: 0.82", f"height: {height:.3f}")
    text = re.sub(r"(at|to): 44", rf"\1: {at}", text).replace("# III", "# III \u00fc").replace("\n", end)
    text = ("\ufeff" if marked else "") + text
    fixed, _ = fixed_text(text, "jump.tracks.yaml")
    times = r"(at|from|to): \d+"
    assert re.sub(times, "", fixed) == re.sub(times, "", text)
    assert not hints_of(read_tracks(fixed.removeprefix("\ufeff").replace("\r\n", "\n"), "x"))


def test_a_key_that_would_be_overtaken_stays_before_the_one_that_moves() -> None:
    text = JUMP.replace("at: 34, ", "at: 41, ")
    fixed, _ = fixed_text(text, "jump.tracks.yaml")
    assert "at: 37, place: [0.08, 0, 0.9], gain: 0.05" in fixed


def test_check_prints_hints_and_fixes_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "jump.tracks.yaml"
    path.write_bytes(JUMP.encode())
    assert main(["check", str(path)]) == 0
    assert f"{path}:28:10: hint: this flight lasts 24 frames" in capsys.readouterr().out
    assert path.read_bytes() == JUMP.encode()
    assert main(["check", str(path), "--fix"]) == 0
    assert "fixed: this flight" in capsys.readouterr().out
    assert main(["check", str(path)]) == 0
    assert capsys.readouterr().out == ""
    assert "at: 38, place: [0, 0.55, 0.85], by: projectile, height: 0.82}  # III" in path.read_text(encoding="utf-8")


def test_a_broken_file_is_no_reason_to_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.tracks.yaml"
    path.write_text(replaced("projectile", "projectil"), encoding="utf-8")
    assert main(["check", str(path), "--fix"]) == 1
    assert "unknown template" in capsys.readouterr().out
    assert "projectil}" in path.read_text(encoding="utf-8")


FLIGHT = """\
centre_of_mass:
  - {at: 0, place: [0, 0.56, 0]}
  - {TIME, place: [0, 0.56, 0.5], by: projectile, height: 0.8}
"""


@pytest.mark.parametrize(
    ("time", "fixed"),
    [
        ("at: &land 30", "at: &land 18"), ("at: !!int 30", "at: !!int 18"), ('"at": "30"', '"at": "18"'),
        ("at: +3.0e1", "at: 18"), ("at:\t30\t", "at:\t18\t"),
        ("? at\n   : 30 # \x85 # \u2028\n   ", "? at\n   : 18 # \x85 # \u2028\n   "),
    ],
)  # fmt: skip
def test_a_time_is_fixed_however_it_is_written(time: str, fixed: str) -> None:
    """Anchors and line ends that only YAML knows were in the way."""
    text = FLIGHT.replace("TIME", time)
    assert fixed_text(text, "x")[0] == FLIGHT.replace("TIME", fixed)


def test_a_fix_that_has_no_room_says_why() -> None:
    flight = FLIGHT.replace("TIME", "at: 30")
    spans = flight + "angular_momentum: [{from: 20, to: 30, x: 0}, {from: 30, to: 31, x: 1}]\n"
    assert "{from: 17, to: 18, x: 0}, {from: 18, to: 19" in fixed_text(spans, "x")[0]
    crowd = "pose: [" + ", ".join(f"{{at: {n}, pose: rest}}" for n in range(31)) + "]\n"
    with pytest.raises(PuppetError, match=r"^x:3:10: there is no room .*to frame 18: too many keys of 'pose'"):
        fixed_text(flight + crowd, "x")
    late = flight.replace("0.8}", "3}") + "pose: [{at: 99999, pose: rest}]\n"
    with pytest.raises(PuppetError, match=r"^x:3:10: .*'pose' goes beyond frame 100000"):
        fixed_text(late, "x")


@pytest.mark.parametrize("text", [SHORT, SHORT.replace("person", "seated")])
def test_a_body_without_metres_is_refused_whoever_names_it(text: str) -> None:
    body = puppet.Body.load("seated") if "person" in text else None
    with pytest.raises(PuppetError, match=r"^x:1:7: .*tracks need a body with metres, and 'seated' has none"):
        read_tracks(text, "x", body)
