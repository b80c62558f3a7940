"""The figures of the papers: Yamane and Nakamura (2003), 6 to 8; PHYSIK, 1-14."""

from __future__ import annotations

import numpy as np
import pytest

from puppet import Body, Figure
from puppet.types import Floats
from tests import figures
from tests.test_figure import missed, moved, standing

HANDS = ("left_hand", "right_hand")


def feet(figure: Figure) -> Floats:
    return np.array([figure.position(foot) for foot in ("left_foot", "right_foot")])


@pytest.mark.parametrize(
    ("part", "by"),
    [("pelvis", (0.0, -0.1, 0.0)), ("head", (0.05, -0.12, 0.12)), ("left_shoulder", (0.05, -0.1, 0.1))],
)
def test_figure_6_one_drag_with_hands_and_feet_pinned(part: str, by: tuple[float, float, float]) -> None:
    figure = standing(*HANDS)
    before = figure.joint_positions
    frames = figure.drag(part, by=by)
    assert missed(figure) < 1e-4
    figure.settle()
    assert missed(figure) < 1e-7
    assert max(left.angle for left in figure.residuals.values()) < 1e-6
    assert figures.largest_turn(figure.body, frames) < 0.2
    whole = np.linalg.norm(figure.joint_positions - before, axis=1)
    assert whole[figure.body.joint("left_knee")] > 1e-3  # the whole body takes part
    assert whole[figure.body.joint("left_forearm")] > 1e-3


def test_figure_7_the_neck_reaches_its_range_and_the_chest_takes_over() -> None:
    figure = standing()
    body = figure.body
    start = figure.position("head")
    necks, bends = [], []
    neck, head = (body.joints[body.joint(name)].range for name in ("neck", "head"))
    assert neck is not None
    assert head is not None
    for n in range(1, 61):
        figure.drag("head", to=start + np.array([0.0, -0.35, 0.4]) * n / 60, steps=1)
        assert body.limit_excess(figure.angles) < 1e-6
        placed = figures.place(body, figure.angles)
        local = placed.rotations[body.joint("chest")].T @ placed.rotations[body.joint("neck")]
        swing, _ = neck.coordinates(local)
        necks.append(float((neck.half_planes[:, :2] @ swing - neck.half_planes[:, 2]).max()))
        bends.append(float(figure.rotation("chest")[1, 2]))
    assert missed(figure) < 1e-4
    assert necks[0] < -0.05
    assert max(necks) > -1e-6  # it arrives at its boundary and stays there,
    first = int(np.argmax(np.array(necks) > -1e-6))
    assert abs(bends[-1]) > abs(bends[first]) + 0.1  # while the upper body bends on
    assert max(necks) < 1e-9


def test_figure_8_the_right_hand_picks_something_up() -> None:
    """Five pins, toes, heels and the left hand, and a drag of four seconds to the floor."""
    figure = Figure(Body.load("person"))
    figure.pin("left_hand", orientation=False)
    for side in ("left", "right"):
        figure.pin(f"{side}_foot", point=(0.0, -0.039, -0.035))
        figure.pin(f"{side}_toes", orientation=False)
    before = {pin: figure.position(pin) for pin in figure.pins}
    frames = figure.drag("right_hand", to=(-0.12, 0.02, 0.15), steps=120)
    assert figure.position("right_hand")[1] == pytest.approx(0.02, abs=1e-5)
    for pin, place in before.items():
        assert np.linalg.norm(figure.position(pin) - place) < 1e-4
    for angles in frames:
        assert figure.body.limit_excess(angles) < 1e-6
    assert figures.largest_turn(figure.body, frames) < 0.1
    assert figure.position("pelvis")[1] < 0.5
    assert figure.angles[figure.body.dof("left_knee", "x")] > 0.3


# ---- PHYSIK, Figure 1-14: limited changes


def test_figure_1_14_b_the_hand_takes_the_whole_body_along() -> None:
    figure = standing()
    before, angles = feet(figure), figure.angles
    figure.drag("right_hand", by=(-0.3, 0.2, 0.3))
    assert {"left_hip", "right_hip", "abdomen", "right_shoulder"} <= moved(figure, angles)
    assert np.allclose(feet(figure), before, atol=1e-5)


def test_figure_1_14_c_only_the_lower_part() -> None:
    figure = standing()
    figure.unpin("left_foot")
    angles = figure.angles
    figure.only("abdomen", "left_foot")
    figure.drag("left_foot", by=(0.05, 0.1, 0.1))
    assert moved(figure, angles) <= {
        "pelvis", *(f"{side}_{part}" for side in ("left", "right") for part in ("hip", "knee", "foot", "toes"))
    }  # fmt: skip
    assert missed(figure) < 1e-4


def test_figure_1_14_d_only_the_upper_part() -> None:
    figure = standing()
    angles, before = figure.angles, feet(figure)
    figure.only("pelvis", "right_hand")
    figure.drag("right_hand", by=(-0.3, 0.2, 0.3))  # too far for the upper body alone
    assert not moved(figure, angles) & {"pelvis", "left_hip", "right_hip", "left_knee", "right_knee"}
    assert "abdomen" in moved(figure, angles)
    assert np.allclose(feet(figure), before, atol=1e-12)
    assert np.array_equal(figure.angles[:3], angles[:3])


def test_figure_1_14_e_only_the_right_leg() -> None:
    figure = standing()
    figure.unpin("right_foot")
    angles = figure.angles
    figure.only("right_hip", "right_foot")
    figure.drag("right_foot", by=(-0.1, 0.1, 0.1))
    assert moved(figure, angles) <= {"right_hip", "right_knee", "right_foot", "right_toes"}
    assert missed(figure) < 1e-5


def test_figure_1_14_f_all_but_the_right_leg() -> None:
    """The leg is left out, and its pin still holds."""
    figure = standing()
    angles, before = figure.angles, feet(figure)
    figure.only("right_hip", "right_hand")
    figure.drag("right_hand", by=(-0.1, 0.2, 0.2))
    assert not moved(figure, angles) & {"right_hip", "right_knee", "right_foot", "right_toes"}
    assert np.allclose(feet(figure), before, atol=1e-6)
    assert missed(figure) < 1e-5
