"""What cannot be had: nothing explodes, nothing shakes, ranges hold, and all comes back when the conflict ends."""

from __future__ import annotations

import numpy as np
import pytest

from puppet import Figure
from puppet.types import Floats
from tests import figures
from tests.test_figure import standing

HANDS = ("left_hand", "right_hand")
CONFLICTS = {
    "head far forward": ("head", (0.0, -0.1, 0.63), HANDS),
    "pelvis up": ("pelvis", (0.0, 1.0, 0.0), HANDS),
    "pelvis into the floor": ("pelvis", (0.0, -0.5, 0.0), HANDS),
    "shoulder up": ("left_shoulder", (0.0, 0.5, 0.5), HANDS),
    "head away": ("head", (0.0, -0.3, 0.9), ()),
    "hand away": ("right_hand", (-0.6, 0.6, 0.3), ()),
    "hand far away": ("right_hand", (-2.0, 0.0, 0.0), ("left_hand",)),
}
BY_CONFLICT = pytest.mark.parametrize("name", CONFLICTS)


def conflict(name: str, steps: int = 30, more: int = 0) -> tuple[Figure, Floats]:
    part, by, hands = CONFLICTS[name]
    figure = standing(*hands)
    goal = figure.position(part) + by
    frames = figure.drag(part, to=goal, steps=steps)
    if more:
        frames = np.concatenate([frames, figure.drag(part, to=goal, steps=more)])
    return figure, frames


@BY_CONFLICT
def test_nothing_explodes_and_ranges_hold(name: str) -> None:
    figure, frames = conflict(name, more=30)
    assert np.all(np.isfinite(frames))
    for angles in frames:
        assert figure.body.limit_excess(angles) < 1e-6
    assert figures.largest_turn(figure.body, frames) < 0.2
    assert np.abs(figure.joint_positions).max() < 4.0


@BY_CONFLICT
def test_what_is_dragged_has_its_way(name: str) -> None:
    figure, _ = conflict(name, more=90)
    assert figure.residuals[CONFLICTS[name][0]] < 1e-5


@BY_CONFLICT
def test_all_comes_back_when_the_conflict_ends(name: str) -> None:
    part, _, hands = CONFLICTS[name]
    before = {pin: standing(*hands).position(pin) for pin in ("left_foot", "right_foot", *hands)}
    figure, _ = conflict(name, more=30)
    figure.let_go()
    figure.settle()
    for pin, place in before.items():
        assert np.linalg.norm(figure.position(pin) - place) < 1e-6
        assert figure.residuals[pin].angle < 1e-5
    assert part not in figure.residuals


STRETCHED = {
    "seated": ("seated", "left_hand", (0.1, 0.3, 0.5)),
    "seated to the side": ("seated", "right_hand", (-1.0, 0.0, 0.5)),
    "all orders, a little": ("all orders", "left_hand", (0.01, 0.02, 0.02)),
    "all orders, far": ("all orders", "left_hand", (0.3, 0.3, 0.2)),
    "person on a stool": ("person on a stool", "right_hand", (-1.0, 0.0, 1.0)),
    "a hand straight up": ("person on a stool", "left_hand", (0.0, 1.0, 0.0)),
    "a hand up and aside": ("person on a stool", "left_hand", (0.3, 1.0, 0.3)),
    "a head straight up": ("person on a stool", "head", (0.0, 0.3, 0.0)),
    "a seated head straight up": ("seated", "head", (0.0, 0.3, 0.0)),
}


@pytest.mark.parametrize("beyond", [-0.001, 0.0001, 0.001, 0.003, 0.01])
@pytest.mark.parametrize(
    ("part", "root", "way", "reach"),
    [("left_hand", "left_shoulder", (0.6, 0.2, 1.0), 0.487), ("head", "chest", (0.0, 1.0, 0.1), 0.2071)],
)
def test_nothing_shakes_where_its_reach_just_ends(
    part: str, root: str, way: tuple[float, float, float], reach: float, beyond: float
) -> None:
    figure = Figure(figures.load("person on a stool"))
    goal = figure.position(root) + (reach + beyond) * np.array(way) / np.linalg.norm(way)
    figure.drag(part, to=goal)
    frames = figure.follow(part, np.tile(goal, (200, 1)))  # the place stays
    assert figures.largest_turn(figure.body, frames[-20:]) < 4e-3  # a slow approach
    assert np.abs(np.diff(frames[-30:], 2, axis=0)).max() < 5e-4


@pytest.mark.parametrize(
    ("name", "pins", "part", "root", "way"),
    [  # a twist whose bound has its ridge there, twice; sides of a range that one step could pass at once, twice; at a
        # corner of the range of the hip; a bound of the twist on its edge; limits that widen with a bend
        ("person", ("left_foot", "right_foot", "pelvis"), "right_hand", "right_hand", (0.5657, 0.0, -0.5657)),
        ("person", ("left_foot", "right_foot", "pelvis"), "right_hand", "right_hand", (0.4619, -0.4619, 0.4619)),
        ("person", ("pelvis",), "head", "head", (0.0866, -0.0866, -0.0866)),
        ("person", ("pelvis",), "head", "head", (-0.2121, -0.2121, 0.0)),
        ("person", ("pelvis",), "left_foot", "left_hip", (0.3014, -0.1467, 0.0775)),
        ("person", ("pelvis",), "left_foot", "left_hip", (-0.5702, -0.2832, 0.1362)),
        ("seated", (), "left_hand", "left_shoulder", (0.3239, 0.1285, 0.2128)),
        ("seated", (), "left_hand", "left_shoulder", (0.427, -0.2079, 0.1099)),
    ],
)
def test_nothing_shakes_at_the_edges_of_ranges(
    name: str, pins: tuple[str, ...], part: str, root: str, way: tuple[float, float, float]
) -> None:
    figure = Figure(figures.load(name))
    for pin in pins:
        figure.pin(pin)
    goal = figure.position(root) + way
    figure.drag(part, to=goal)
    frames = figure.follow(part, np.tile(goal, (200, 1)))  # the place stays
    turns = np.diff(frames[-60:], axis=0)
    assert np.abs(np.diff(turns, axis=0)).max() < 2e-3


@pytest.mark.parametrize("name", STRETCHED)
def test_nothing_shakes_at_full_stretch(name: str) -> None:
    body, part, by = STRETCHED[name]
    figure = Figure(figures.load(body))
    goal = figure.position(part) + by
    figure.drag(part, to=goal)
    frames = figure.drag(part, to=goal, steps=150)
    assert figures.largest_turn(figure.body, frames[-10:]) < 5e-3  # a slow approach, no jitter
    turned = np.diff(frames[-30:], 2, axis=0)
    assert np.abs(turned).max() < 2e-3
    for angles in frames:
        assert figure.body.limit_excess(angles) < 1e-6


@pytest.mark.parametrize("name", STRETCHED)
def test_what_is_out_of_reach_is_come_near_to(name: str) -> None:
    """Straight towards the goal: no other posture of a thousand near ones is nearer."""
    body, part, by = STRETCHED[name]
    figure = Figure(figures.load(body))
    goal = figure.position(part) + by
    figure.drag(part, to=goal)
    figure.settle()
    left, random = float(figure.residuals[part]), np.random.default_rng(12)
    index = figure.body.joint(part)
    for _ in range(300):
        lower, upper = figure.body.limits_at(figure.angles)
        near = np.clip(figure.angles + random.normal(scale=0.02, size=figure.body.dofs), lower, upper)
        if figure.body.limit_excess(near) == 0.0:
            there = figures.place(figure.body, near).positions[index]
            assert np.linalg.norm(there - goal) > left - 2e-3


def test_a_conflict_that_is_settled_stays() -> None:
    figure, _ = conflict("head away")
    figure.settle()
    before = figure.angles
    figure.step()
    assert np.abs(figure.angles - before).max() < 1e-4


def test_a_jump_of_the_mouse_does_not_harm() -> None:
    figure = standing("left_hand")
    frames = [figure.angles]
    for goal in ((3.0, 3.0, 3.0), (-3.0, 0.0, 1.0), (0.0, 0.5, 0.3)):
        for _ in range(40):
            figure.drag("right_hand", to=goal, steps=1)
            frames.append(figure.angles)
            assert figure.body.limit_excess(figure.angles) < 1e-6
    assert np.all(np.isfinite(frames))
    assert figures.largest_turn(figure.body, np.array(frames)) < 0.2
    figure.let_go()
    figure.settle()
    assert max(figure.residuals.values()) < 1e-6


def test_a_start_outside_the_ranges_comes_in() -> None:
    body = figures.load("person")
    angles = body.rest.copy()
    angles[body.dof("left_knee", "x")] = -0.5
    angles[body.dof("neck", "x")] = 1.5
    figure = Figure(body, angles)
    figure.step()
    assert body.limit_excess(figure.angles) < 1e-6
