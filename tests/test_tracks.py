"""The tracks that come with puppet: their physics, frame by frame, and what stays when they are edited."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import puppet
from puppet import Figure, Performance
from puppet.body import angular_momenta, centres_of_mass, joint_transforms
from puppet.bvh import read_bvh
from puppet.cli import main
from puppet.files import shipped
from puppet.tracks import Tracks, hints_of, load_tracks, read_tracks
from puppet.tracks.course import course_of
from puppet.tracks.run_tracks import run_tracks
from puppet.tracks.templates import Pendulum, Projectile
from puppet.types import Floats
from tests import figures

FOLDER = Path(__file__).parent.parent / "tracks"
NAMES = sorted(path.name for path in FOLDER.iterdir())
BY_NAME = pytest.mark.parametrize("name", NAMES)
HALF_A_MILLIMETRE = 0.0005 / 1.75


@cache
def performance(name: str) -> Performance:
    return puppet.run(FOLDER / name)


def tracks_of(name: str) -> Tracks:
    return load_tracks(FOLDER / name)


def inertia(name: str, axis: int = 0) -> Floats:
    found = performance(name)
    return np.array([Figure(found.body, angles).inertia[axis, axis] for angles in found.angles])


@BY_NAME
def test_every_file_is_found_by_its_name_and_says_what_it_is(name: str) -> None:
    assert shipped.find("tracks", shipped.stem(name)).resolve() == FOLDER / name
    assert (FOLDER / name).read_text(encoding="utf-8").startswith("# ")


@BY_NAME
def test_the_centre_of_mass_is_on_its_course_and_all_joints_in_their_ranges(name: str) -> None:
    found, tracks = performance(name), tracks_of(name)
    assert len(found.angles) == tracks.frames
    assert np.all(np.isfinite(found.angles))
    assert max(found.body.limit_excess(angles) for angles in found.angles) < 1e-9
    course = course_of(tracks)
    if course is not None:
        wanted = tracks.body.height * course.positions(tracks.frames, tracks.fps)
        first, last = course.span
        missed = np.abs(found.centre_of_mass - wanted)[first : last + 1, list(np.flatnonzero(course.axes))]
        assert missed.max() < 1e-12
    assert found.report["hints"] == []


@BY_NAME
def test_flights_fall_with_gravity_and_swings_keep_length_and_energy(name: str) -> None:
    found, tracks = performance(name), tracks_of(name)
    course = course_of(tracks)
    for leg in course.legs if course is not None else ():
        places = found.centre_of_mass[leg.first : leg.last + 1] / tracks.body.height
        if isinstance(leg.curve, Projectile):
            falls = np.diff(places, n=2, axis=0) * tracks.fps**2
            assert np.allclose(falls, [0.0, -tracks.gravity, 0.0], atol=1e-8)
        if isinstance(leg.curve, Pendulum):
            arms = places - leg.curve.pivot
            assert np.ptp(np.linalg.norm(arms, axis=1)) < 1e-8
            speeds = np.linalg.norm(leg.curve.velocity(np.arange(len(places)) / tracks.fps), axis=1)
            assert np.ptp(tracks.gravity * arms[:, 1] + 0.5 * speeds**2) < 1e-6


@BY_NAME
def test_angular_momentum_is_what_the_file_says(name: str) -> None:
    found, tracks = performance(name), tracks_of(name)
    for span in tracks.momentum:
        own = found.angular_momentum[max(span.first, 1) : span.last + 1]
        if span.conserved:
            assert np.ptp(own, axis=0).max() < 1e-6
        for axis, value in span.values.items():
            assert np.allclose(own[:, "xyz".index(axis)], value, atol=1e-6)


@BY_NAME
def test_firm_pins_hold_and_no_joint_jumps(name: str) -> None:
    found, tracks = performance(name), tracks_of(name)
    for part, pin in found.report["pins"].items():
        assert pin["miss"] < 0.005, part
    ways = np.abs(np.diff(found.joint_positions, n=2, axis=0)).max() * (tracks.fps / 30.0) ** 2
    assert ways < 0.25 * tracks.body.height


@pytest.mark.parametrize("name", ["jump", "long_jump", "slam_dunk", "jump_and_slide"])
def test_feet_do_not_slide_before_the_take_off(name: str) -> None:
    found, tracks = performance(f"{name}.tracks.yaml"), tracks_of(f"{name}.tracks.yaml")
    off = next(key.at for key in tracks.pins[0].keys if key.off)
    for part in ("left_toes", "right_toes"):  # a heel is lifted over them
        places = found.joint_positions[: off - 1, found.body.joint(part)]
        assert np.linalg.norm(places - places[0], axis=1).max() < 0.001 / 1.75


def test_a_sole_that_is_turned_alone_lifts_its_heel_over_its_toes(tmp_path: Path) -> None:
    path = tmp_path / "x.tracks.yaml"
    path.write_text(
        "pins:\n  left_foot: [{at: 0}, {at: 20, turn: [40, 0, 0]}]\n"
        "  right_foot: [{at: 0}, {at: 20, turn: [40, 0, 0]}]\n"
        "centre_of_mass: [{at: 0, place: [0, free, 0.02]}, {at: 20, place: [0, free, 0.06]}]\n",
        encoding="utf-8",
    )
    found = puppet.run(path)
    toes, foot = (found.joint_transforms[-1, found.body.joint(f"left_{part}")] for part in ("toes", "foot"))
    moved = toes[:3] - found.joint_positions[0, found.body.joint("left_toes")]
    assert np.linalg.norm(moved) < HALF_A_MILLIMETRE
    assert np.degrees(np.arcsin(-foot[3:].reshape(3, 3)[1, 2])) == pytest.approx(40.0, abs=3.0)
    assert np.degrees(np.arcsin(-toes[3:].reshape(3, 3)[1, 2])) == pytest.approx(0.0, abs=6.0)


def test_a_pose_that_is_edited_in_flight_leaves_the_centre_of_mass_where_it_was(tmp_path: Path) -> None:
    text = (FOLDER / "long_jump.tracks.yaml").read_text(encoding="utf-8")
    path = tmp_path / "edited.tracks.yaml"
    hang = "left_knee: {x: 75}, right_knee: {x: 75},\n"
    assert hang in text
    path.write_text(text.replace(hang, "left_knee: {x: 30}, right_knee: {x: 100},\n"), encoding="utf-8")
    edited, before = puppet.run(path), performance("long_jump.tracks.yaml")
    assert np.abs(edited.angles - before.angles).max() > 0.3
    assert np.abs(edited.centre_of_mass - before.centre_of_mass).max() < 1e-12


def test_the_long_jump_lands_ahead_and_the_dunk_at_its_height() -> None:
    jump, dunk = performance("long_jump.tracks.yaml"), performance("slam_dunk.tracks.yaml")
    foot = jump.body.joint("left_foot")
    assert jump.joint_positions[-1, foot, 2] - jump.joint_positions[0, foot, 2] > 1.2
    assert dunk.centre_of_mass[:, 1].max() == pytest.approx(1.14, abs=0.005)
    hand = Figure(dunk.body, dunk.angles[41])
    assert hand.position("right_hand", dunk.body.joints[dunk.body.joint("right_hand")].contacts["palm"])[1] > 1.743


def test_the_monkey_bar_has_seven_swings_a_flight_and_hands_on_its_bars() -> None:
    name = "monkey_bar.tracks.yaml"
    found, tracks = performance(name), tracks_of(name)
    assert [key.by for key in tracks.mass].count("pendulum") == 7
    assert [key.by for key in tracks.mass].count("projectile") == 1
    course = course_of(tracks)
    assert course is not None
    swings = [leg for leg in course.legs if isinstance(leg.curve, Pendulum)]
    for n, swing in enumerate(swings):
        middle = (swing.first + swing.last) // 2
        side = "left" if n % 2 == 0 else "right"
        figure = Figure(found.body, found.angles[middle])
        palm = figure.position(f"{side}_hand", found.body.joints[found.body.joint(f"{side}_hand")].contacts["palm"])
        assert isinstance(swing.curve, Pendulum)
        assert np.abs((palm - swing.curve.pivot)[1:]).max() < 0.003


def test_the_diver_turns_over_by_inertia_alone() -> None:
    name = "dive.tracks.yaml"
    found = performance(name)
    own = inertia(name)
    assert own[33] == pytest.approx(0.026, abs=1e-6)
    assert own[50] == pytest.approx(0.068, abs=1e-6)
    head, feet = found.body.joint("head"), found.body.joint("left_foot")
    assert found.joint_positions[-1, head, 1] < found.joint_positions[-1, feet, 1] - 0.2


@pytest.mark.parametrize("name", ["spin.tracks.yaml", "spin_person.tracks.yaml"])
def test_figure_1_13_inertia_times_angular_velocity_stays(name: str) -> None:
    found, own = performance(name), inertia(name)
    tracks = tracks_of(name)
    keys = np.array([key.at for key in tracks.inertia])
    assert np.allclose(own[keys], [key.values["x"] for key in tracks.inertia], atol=1e-8)
    momentum = found.angular_momentum[1:, 0]
    assert np.ptp(momentum) < 1e-6 * abs(momentum[0])
    turns = np.unwrap(found.angles[:, found.body.dof(found.body.joint_names[0], "x")])
    assert abs(turns[-1] - turns[0]) > 2.0 * np.pi


def test_cyclic_motions_come_back() -> None:
    for name in ("links_trot", "spin"):
        own = inertia(f"{name}.tracks.yaml")
        period = {"links_trot": 40, "spin": 60}[name]
        assert np.allclose(own[:-period], own[period:], atol=1e-7)
    swing = performance("links_swing.tracks.yaml").centre_of_mass
    assert swing[:, 2].min() < -0.2 < 0.2 < swing[:, 2].max()
    heights = performance("links_bounce.tracks.yaml").centre_of_mass[:, 1]
    tops = (heights[1:-1] > heights[:-2]) & (heights[1:-1] >= heights[2:]) & (heights[1:-1] > 0.6)
    assert np.count_nonzero(tops) == 3


def test_balance_keeps_the_centre_of_mass_over_the_feet() -> None:
    found = performance("balance.tracks.yaml")
    assert np.abs(found.centre_of_mass[:, [0, 2]] - [0.0, 0.02]).max() < 1e-12
    assert np.ptp(found.centre_of_mass[:, 1]) > 0.05
    hand = found.body.joint("right_hand")
    assert found.joint_positions[125, hand, 1] < 0.2


def test_the_face_hugger_spreads_evenly_and_crouches_unevenly() -> None:
    name = "face_hugger.tracks.yaml"
    found, own = performance(name), inertia(name, 1)
    assert own[30] > 1.3 * own[0]
    assert own[100] == pytest.approx(0.032, abs=1e-5)
    body = found.body
    knees = [(body.joint(f"left_knee_{n}"), body.joint(f"right_knee_{n}")) for n in range(1, 5)]
    assert found.joint_positions[30, [left for left, _ in knees], 0].min() > 0.0
    assert found.joint_positions[30, [right for _, right in knees], 0].max() < 0.0


# ---- what a performance says of its mass


def test_centre_of_mass_and_angular_momentum_of_any_performance_with_masses() -> None:
    body, random = figures.load("person"), np.random.default_rng(5)
    start, way = figures.random_posture(body, random), random.normal(size=body.dofs)
    fps = 10_000.0
    angles = start + np.linspace(-1.0, 1.0, 3)[:, None] * way / fps
    transforms = joint_transforms(body, angles)
    figure = Figure(body, start)
    assert np.allclose(centres_of_mass(body, transforms)[1], figure.centre_of_mass, atol=1e-12)
    before, after = (Figure(body, posture) for posture in angles[[0, 2]])
    moved, turned = np.zeros(3), np.zeros(3)
    for joint in body.joints:  # sum of m d x v + R I R^T w, by differences
        arm = figure.position(joint.name, joint.mass_centre) - figure.centre_of_mass
        first, last = (posture.position(joint.name, joint.mass_centre) for posture in (before, after))
        speed = 0.5 * fps * (last - first)
        moved += joint.mass * np.cross(arm, speed)
        spin = 0.5 * fps * (after.rotation(joint.name) - before.rotation(joint.name)) @ figure.rotation(joint.name).T
        rotation = figure.rotation(joint.name)
        own = rotation @ np.diag(np.square(joint.gyration)) @ rotation.T
        turned += joint.mass * own @ np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
    total = sum(joint.mass for joint in body.joints)
    found = angular_momenta(body, transforms, fps)
    assert np.allclose(found[1:].mean(axis=0), (moved + turned) / total, atol=1e-4)


# ---- on the command line


def test_the_same_file_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.bvh", "b.bvh"):
        assert main(["run", "long_jump", "-o", str(tmp_path / name), "-q"]) == 0
    assert (tmp_path / "a.bvh").read_bytes() == (tmp_path / "b.bvh").read_bytes()
    clip = read_bvh(tmp_path / "a.bvh")
    own = performance("long_jump.tracks.yaml").joint_positions
    assert np.allclose(clip.joint_positions[:, :4], own[:, :4], atol=1e-5)


def test_explain_shows_each_track_as_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "jump"]) == 0
    told = capsys.readouterr().out
    for word in ("centre of mass", "left foot", "angular momentum", "conserved", "Fly to"):
        assert word in told


def test_a_part_is_pinned_where_it_is_at_that_frame(tmp_path: Path) -> None:
    path = tmp_path / "x.tracks.yaml"
    path.write_text(
        "pose: [{at: 0, pose: rest}]\npins:\n  left_foot: [{at: 0}]\n  right_foot: [{at: 0}]\n"
        "  left_hand: [{at: 12}, {at: 40}]\n"
        "centre_of_mass: [{at: 0, place: [0, 0.55, 0.01]}, {at: 40, place: [0, 0.47, 0.03]}]\n",
        encoding="utf-8",
    )
    found = puppet.run(path)
    palm = found.body.joints[found.body.joint("left_hand")].contacts["palm"]
    places = np.array([Figure(found.body, angles).position("left_hand", palm) for angles in found.angles])
    assert np.linalg.norm(places[12:] - places[12], axis=1).max() < HALF_A_MILLIMETRE
    assert np.linalg.norm(places[12] - places[0]) > 0.01


def test_an_inertia_that_the_body_cannot_have_gets_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "jump.tracks.yaml"
    text = (FOLDER / "jump.tracks.yaml").read_text()
    path.write_text(text.replace("x: 0.04}", "x: 0.001}"))
    [hint] = puppet.run(path).report["hints"]
    assert (hint["at"], hint["fix"]) == (36, None)
    assert "cannot have the inertia x 0.001 here: 0.009" in hint["message"]


def test_a_corner_of_the_course_gets_a_hint() -> None:
    text = (
        "centre_of_mass:\n- {at: 0, place: [0, 0.6, 0]}\n- {at: 15, place: [0, 0.6, 0.5], by: projectile}\n"
        "- {at: 45, place: [0, 0.6, 0.6], by: projectile}\n"
    )
    [hint] = hints_of(read_tracks(text, "x"))
    assert hint.mark.line == 3
    assert "the velocity jumps here" in hint.message


@BY_NAME
def test_what_ships_is_done_as_it_is_told(name: str) -> None:
    """A hand missed the rim of the slam dunk by 0.024, the links what they bounce on by 0.032, and both were `done`."""
    tasks = performance(name).report["tasks"]
    assert [(task["interpretation"], task["reason"]) for task in tasks if task["status"] != "done"] == []


def test_what_a_body_does_not_get_to_is_told(tmp_path: Path) -> None:
    path = tmp_path / "far.tracks.yaml"
    path.write_text(
        "body: person\npins:\n  left_foot:\n    - {at: 0}\ncentre_of_mass:\n  - {at: 0, place: [0, 0.56, 0.02]}\n"
        "  - {at: 10, place: [0, 0.9, 0.02]}\ninertia:\n  - {at: 10, x: 5}\n"
    )
    tasks = {task["command"]: task for task in puppet.run(path).report["tasks"]}
    assert tasks["pin left foot, gain 1"]["status"] == "adjusted"
    missed = tasks["pin left foot, gain 1"]["reason"]
    assert re.match(r"the left foot misses it by 0\.\d+ at frame 10: a place as much nearer would work", missed)
    assert "cannot have the inertia x 5 here" in tasks["inertia x 5"]["reason"]
    assert tasks["by hermite"]["status"] == "done"
    feet = "left_foot: [{at: 0}], right_foot: [{at: 0}]"
    still = run_text(tmp_path, f"pins: {{left_hand: [{{at: 0, place: [3, 3, 3]}}], {feet}}}\n")
    assert {task["command"]: task["status"] for task in still.report["tasks"]}["pin left hand, gain 1"] == "adjusted"


def run_text(folder: Path, text: str) -> Performance:
    path = folder / "x.tracks.yaml"
    path.write_text(text)
    return puppet.run(path)


def test_a_file_of_poses_alone_goes_from_pose_to_pose(tmp_path: Path) -> None:
    text = "poses: {up: {left_forearm: {y: -90}}}\npose: [{at: 0, pose: rest}, {at: 9, pose: up}]\n"
    found = run_text(tmp_path, text)
    assert np.degrees(found.angles[-1, found.body.dof("left_forearm", "y")]) == pytest.approx(-90.0, abs=1.0)


def test_tracks_without_keys_are_none(tmp_path: Path) -> None:
    empty = "pins: {gain: [], left_foot: []}\ncentre_of_mass: []\ninertia: []\nangular_momentum: []\nposes: {}\n"
    found = run_text(tmp_path, empty + "pose: [{at: 0, pose: rest}, {at: 3, pose: rest}]\n")
    assert [task["command"] for task in found.report["tasks"]] == ["pose rest"]


def test_a_momentum_or_a_place_of_the_mass_that_cannot_be_had_is_told(tmp_path: Path) -> None:
    spinning = run_text(tmp_path, "angular_momentum: [{from: 3, to: 9, z: 100}]\n")
    [hint] = spinning.report["hints"]
    assert (hint["at"], hint["line"]) == (3, 1)
    assert re.match(r"the body cannot have the angular momentum z 100: in frame \d+ it has -?0", hint["message"])
    assert spinning.report["tasks"][0]["status"] == "adjusted"
    bolted = run_text(tmp_path, "body: arm\ncentre_of_mass: [{at: 4, place: [0, 0.5, 0.9]}]\n")
    [task] = bolted.report["tasks"]
    assert re.search(r"does not reach so far: its centre of mass is 0\.\d+ away at frame 4", task["reason"])


def test_angular_momentum_is_kept_where_a_pin_comes_in_at_once(tmp_path: Path) -> None:
    pins = "pins: {left_toes: [{at: 9, place: [0.87, 1.0, 0.49]}]}\n"
    found = run_text(tmp_path, pins + "angular_momentum: [{from: 1, to: 15, x: 0.2}]\n")
    assert np.abs(found.angular_momentum[2:16, 0] - 0.2).max() < 1e-6
    assert [hint["message"] for hint in found.report["hints"]] == []


def test_a_jump_turns_the_same_at_another_frame_rate(tmp_path: Path) -> None:
    """At 60 frames a second arms were flung at 5000 degrees/s, as a narrow valley of the search was not seen."""
    text = (FOLDER / "jump.tracks.yaml").read_text().replace("fps: 30", "fps: 60")
    twice = run_text(tmp_path, re.sub(r"(at|from|to): (\d+)", lambda time: f"{time[1]}: {2 * int(time[2])}", text))
    once = performance("jump.tracks.yaml")
    assert np.abs(twice.angular_momentum[80] - once.angular_momentum[40]).max() < 0.01
    assert np.abs(twice.joint_positions[::2] - once.joint_positions)[32:].max() < 0.1 * once.body.height


@pytest.mark.parametrize("name", ["balance.tracks.yaml", "jump_and_slide.tracks.yaml", "slam_dunk.tracks.yaml"])
def test_heels_are_lifted_but_do_not_go_into_the_floor(name: str) -> None:
    """Those of the balancing person were 0.07 deep, where a hand goes to the floor."""
    found = performance(name)
    for side in ("left", "right"):
        joint = found.body.joint(f"{side}_foot")
        places, turns = np.split(found.joint_transforms[:, joint], [3], axis=1)
        heel = np.array(found.body.joints[joint].contacts["heel_inside"])
        assert (places + turns.reshape(-1, 3, 3) @ heel)[:, 1].min() > -HALF_A_MILLIMETRE


@pytest.mark.parametrize("name", ["jump", "long_jump", "slam_dunk"])
def test_feet_that_let_go_in_the_air_do_so_where_the_flight_begins(name: str) -> None:
    """At four times the frames a foot was held for three of them while the mass flew: arms were flung up by 36 m/s."""
    text = (FOLDER / f"{name}.tracks.yaml").read_text(encoding="utf-8")
    text = re.sub(r"\b(at|from|to): (\d+)", lambda found: f"{found[1]}: {4 * int(found[2])}", text)
    text = re.sub("^fps: .*$", "fps: 120", text, flags=re.MULTILINE)
    tracks = read_tracks(text, f"{name}.tracks.yaml")
    course = course_of(tracks)
    assert course is not None
    begins = next(leg.first for leg in course.legs if leg.by == "projectile")
    found = run_tracks(text, f"{name}.tracks.yaml")
    hands = [found.body.joint(f"{side}_hand") for side in ("left", "right")]
    places = joint_transforms(found.body, found.angles[begins - 40 : begins + 20])[:, hands, :3]
    speeds = np.linalg.norm(np.diff(places, axis=0), axis=2) * 120.0 * found.body.metres_a_unit
    assert speeds.max() < 24.0
