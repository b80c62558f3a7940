"""General tasks as data: each looks as it is called, for both hands, and users add their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import puppet
from puppet.body import Body, forward, tip_positions
from puppet.errors import FileError
from puppet.scene import load_environment
from puppet.stage import Stage
from puppet.tasks import load_gestures

BODY = Body.load()
BLOCKS = load_environment("environments/blocks.yaml")
NAMES = ("check watch", "drink", "pour", "scratch head", "turn on lamp", "wave")


def test_the_built_in_gestures_are_all_there() -> None:
    assert set(NAMES) <= set(load_gestures(BODY))


@pytest.mark.parametrize("name", NAMES)
def test_left_and_right_are_mirror_images(name: str) -> None:
    swap = {"left": "right", "right": "left"}
    order = [BODY.joint("_".join(swap.get(part, part) for part in name.split("_"))) for name in BODY.joint_names]
    ends = {}
    for hand in ("left", "right"):
        stage = Stage(BLOCKS, BODY)
        stage.give(f"{name} with {hand}, speed 8")
        stage.run_until_idle()
        assert stage.entries[0].status == "done"
        ends[hand] = forward(BODY, stage.frame.angles)[0]
    assert ends["left"] == pytest.approx(ends["right"][order] * (-1.0, 1.0, 1.0), abs=1e-6)


def poses(name: str) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Joint positions, rotations and tips at the end of each movement, with the left hand."""
    gesture = load_gestures(BODY)[name]
    found = []
    for step in gesture.steps:
        angles = np.zeros(BODY.dofs)
        for dof, angle in gesture.angles(BODY, "left", step).angles:
            angles[dof] = angle
        positions, rotations = forward(BODY, angles)
        found.append((positions, rotations, tip_positions(BODY, positions, rotations)))
    return found


HEAD, HAND = BODY.joint("head"), BODY.joint("left_hand")


def test_scratch_head_has_the_fingers_on_the_head_and_moves_them() -> None:
    tips = []
    for positions, rotations, ends in poses("scratch head"):
        middle = positions[HEAD] + rotations[HEAD] @ (0, 0.068, 0.012)
        assert 0.045 < np.linalg.norm(ends[HAND] - middle) < 0.085
        assert ends[HAND][1] > middle[1]
        tips.append(ends[HAND])
    assert np.ptp(tips, axis=0).max() > 0.01
    assert len(tips) == 7


def test_check_watch_has_the_wrist_before_the_eyes_that_look_at_it() -> None:
    positions, rotations, _ = poses("check watch")[-1]
    eyes = positions[HEAD] + rotations[HEAD] @ (0, 0.0755, 0.06)
    to_wrist = positions[HAND] - eyes
    assert to_wrist[2] > 0.1
    assert rotations[HEAD] @ (0, 0, 1) @ to_wrist / np.linalg.norm(to_wrist) > 0.97
    back_of_hand = rotations[HAND] @ (0, 1, 0)
    assert back_of_hand @ -to_wrist / np.linalg.norm(to_wrist) > 0.7  # the watch faces the eyes


def test_drink_has_the_cup_at_the_mouth_and_tips_it() -> None:
    up, tilted, again, lowered = poses("drink")
    for positions, rotations, ends in (up, tilted, again):
        mouth = positions[HEAD] + rotations[HEAD] @ (0, 0.036, 0.066)
        cup = ends[HAND] + rotations[HAND] @ (0, -0.03, 0)  # held by the side: its centre on the palm's side of the tip
        assert np.linalg.norm(cup - mouth) < 0.06
    assert up[1][HAND][1, 2] > 0.99  # the cup's axis, on the thumb's side, is upright
    assert 0.3 < tilted[1][HAND][1, 2] < 0.8
    assert tilted[1][HEAD][1, 2] > 0.2  # the head leans back
    assert lowered[1][HAND][1, 2] > 0.99
    assert lowered[2][HAND][1] < up[2][HAND][1] - 0.05


def test_pour_tips_the_pot_over_the_table_and_back() -> None:
    up, tilted, again = poses("pour")
    assert up[1][HAND][1, 2] > 0.99
    assert tilted[1][HAND][1, 2] < 0.5  # by more than 60 degrees
    assert tilted[1][HAND][1, 0] < -0.8  # forwards: the hand points down, and with it the spout
    assert again[1][HAND][1, 2] > 0.99
    assert all(ends[HAND][2] > 0.2 and ends[HAND][1] > 0.75 for _, _, ends in (up, tilted, again))


def test_turn_on_lamp_presses_something_before_the_puppet() -> None:
    over, pressed, again = (ends[HAND] for _, _, ends in poses("turn on lamp"))
    assert over[1] - pressed[1] > 0.03
    assert over[2] > 0.2
    assert again == pytest.approx(over)


def test_wave_shows_the_palm_beside_the_head() -> None:
    tips = []
    for _, rotations, ends in poses("wave"):
        assert (rotations[HAND] @ (0, -1, 0))[2] > 0.8
        assert ends[HAND][1] > 0.95
        tips.append(ends[HAND][0])
    assert np.ptp(tips) > 0.1


OWN = """
point up:
  words: Point up
  critical: left arm
  looks: false
  postures:
    up: {left_shoulder: {z: 60}, left_forearm: {y: -20}}
    down: {left_shoulder: {z: 40}}
  sequence:
    - up
    - {postures: [down, up], pace: 0.5, cycles: 2}
"""


def test_users_add_their_own(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(OWN)
    performance = puppet.run("point up with right, speed 10\n", BLOCKS, gestures=[tmp_path / "own.yaml"])
    task = performance.report["tasks"][0]
    assert task["interpretation"] == "Point up with right hand"
    assert task["end"] == 10 + 4 * 5


@pytest.mark.parametrize(
    ("wrong", "right", "message"),
    [
        ("left_shoulder: {z: 60}", "left_sholder: {z: 60}", "unknown joint 'left_sholder'"),
        ("{z: 60}", "{z: 600}", "expected a number from -80 to 90"),
        ("- up\n", "- upp\n", "did you mean 'up'"),
        ("critical: left arm", "critical: left leg", "unknown group"),
        ("cycles: 2", "cycles: 100000", "at most|from 1 to"),
        ("words:", "wordz:", "did you mean 'words'"),
    ],
)
def test_mistakes_in_gesture_files(tmp_path: Path, wrong: str, right: str, message: str) -> None:
    (tmp_path / "own.yaml").write_text(OWN.replace(wrong, right, 1))
    with pytest.raises(FileError, match=message):
        load_gestures(BODY, [tmp_path / "own.yaml"])
