"""What is held besides parts: centre of mass, inertia, momentum, and functions of one's own."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from puppet import AngularMomentum, Body, CentreOfMass, Figure, Function, Inertia
from tests import figures
from tests.test_figure import missed, standing


def distance(p: Any, q: Any) -> Any:
    return np.linalg.norm(p - q)


@pytest.mark.parametrize("axes", ["x", "y", "z", "xy", "xz", "yz", "xyz"])
def test_the_centre_of_mass_stays_on_any_of_its_axes(axes: str) -> None:
    """PHYSIK: held on some axes while a hand is dragged, and free on the others."""
    figure = standing()
    before = figure.centre_of_mass
    figure.hold("balance", CentreOfMass(**{axis: before["xyz".index(axis)] for axis in axes}))
    frames = figure.drag("right_hand", by=(-0.15, 0.25, 0.3), steps=40)
    m = figures.masses(figure.body)
    for angles in frames:
        centre = m @ figures.place(figure.body, angles).centres
        for axis in axes:
            assert centre["xyz".index(axis)] == pytest.approx(before["xyz".index(axis)], abs=2e-4)
    figure.settle()
    assert missed(figure) < 1e-6
    if len(axes) < 3:
        free = [n for n, axis in enumerate("xyz") if axis not in axes]
        assert np.abs(figure.centre_of_mass - before)[free].max() > 1e-4


def test_the_centre_of_mass_goes_where_it_is_sent() -> None:
    figure = standing()
    figure.hold("balance", CentreOfMass(x=0.03, z=0.02))
    figure.settle()
    assert np.allclose(figure.centre_of_mass[[0, 2]], (0.03, 0.02), atol=1e-8)
    assert missed(figure) < 1e-8


def test_an_arm_reaches_far_and_the_body_stays_over_its_feet() -> None:
    """Balance: without it, the same reach takes the centre of mass beyond the toes' side of the feet."""
    reach = (-0.1, 0.15, 0.35)
    found = []
    for balanced in (False, True):
        figure = standing()
        if balanced:
            figure.hold("balance", CentreOfMass(x=0.0, z=figure.centre_of_mass[2]))
        start = figure.centre_of_mass
        figure.drag("right_hand", by=reach, steps=60)
        found.append(float(np.linalg.norm((figure.centre_of_mass - start)[[0, 2]])))
        assert missed(figure) < 1e-3
    assert found[1] < 1e-4
    assert found[0] > 10.0 * found[1]
    assert found[0] > 0.01


@pytest.mark.parametrize("axis", ["x", "y", "z"])
@pytest.mark.parametrize("share", [0.9, 1.1])
def test_inertia_is_a_handle(axis: str, share: float) -> None:
    figure = Figure(Body.load("person"))
    n = "xyz".index(axis)
    target = share * figure.inertia[n, n]
    figure.hold("tuck", Inertia(target, axis=axis))
    for _ in range(150):
        figure.step()
    assert figure.inertia[n, n] == pytest.approx(target, rel=1e-4)
    assert figure.residuals["tuck"] < 1e-5
    assert figure.body.limit_excess(figure.angles) < 1e-6


def test_a_tuck_draws_the_limbs_in() -> None:
    figure = Figure(Body.load("person"))
    before = np.linalg.norm(figure.position("left_foot") - figure.position("head"))
    figure.pin("pelvis")  # else it would rather turn the whole body
    target = 0.6 * figure.inertia[0, 0]
    figure.hold("tuck", Inertia(target, axis="x"))
    for _ in range(300):
        figure.step()
    assert figure.inertia[0, 0] == pytest.approx(target, rel=1e-4)
    assert np.linalg.norm(figure.position("left_foot") - figure.position("head")) < 0.95 * before


def test_released_is_as_if_it_had_never_been_held() -> None:
    one, other = standing(), standing()
    one.hold("tuck", Inertia(0.03, axis="x"))
    one.hold("apart", Function(distance, 0.3, of=("left_hand", "right_hand")))
    one.release("tuck")
    one.release("apart")
    assert np.array_equal(one.drag("head", by=(0.0, -0.1, 0.2)), other.drag("head", by=(0.0, -0.1, 0.2)))


def test_angular_momentum_is_kept_while_limbs_move() -> None:
    """A falling cat: what turns one way is made good by what turns the other."""
    figure = Figure(Body.load("person"))
    figure.hold("spin", AngularMomentum())
    figure.hold("flight", CentreOfMass(*figure.centre_of_mass))
    before = figure.angles
    figure.drag("left_hand", by=(0.1, 0.3, 0.1), steps=60)
    last = figure.angles
    assert np.abs(last - before).max() > 0.1
    frames = figure.drag("left_hand", by=(0.05, 0.1, 0.05), steps=60)
    for a, b in itertools.pairwise(frames[20:31]):
        assert np.linalg.norm(momentum_between(figure.body, a, b)) < 2e-6


def momentum_between(body: Body, a: Any, b: Any) -> Any:
    from puppet.geometry.transform import rotation_vector

    one, two, m = figures.place(body, a), figures.place(body, b), figures.masses(body)
    middle = 0.5 * (one.centres + two.centres)
    arms = middle - m @ middle
    found = np.einsum("j,ja->a", m, np.cross(arms, two.centres - one.centres))
    for j, joint in enumerate(body.joints):
        own = one.rotations[j] @ np.diag(m[j] * np.square(joint.gyration)) @ one.rotations[j].T
        found += own @ rotation_vector(two.rotations[j] @ one.rotations[j].T)
    return found


# ---- functions


@pytest.mark.parametrize("target", [0.15, 0.6])
def test_hands_keep_their_distance(target: float) -> None:
    figure = standing()
    figure.hold("apart", Function(distance, target, of=("left_hand", "right_hand")))
    figure.settle()
    assert distance(figure.position("left_hand"), figure.position("right_hand")) == pytest.approx(target, abs=1e-7)
    figure.drag("right_hand", by=(0.0, 0.15, 0.1))
    assert distance(figure.position("left_hand"), figure.position("right_hand")) == pytest.approx(target, abs=1e-4)
    assert figure.residuals["apart"] < 1e-4


def test_a_midpoint_is_moved() -> None:
    figure = standing()
    goal = np.array([0.0, 0.7, 0.3])
    figure.hold("between", Function(lambda p, q: 0.5 * (p + q), goal, of=("left_hand", "right_hand")))
    figure.settle()
    middle = 0.5 * (figure.position("left_hand") + figure.position("right_hand"))
    assert np.allclose(middle, goal, atol=1e-7)


def test_an_angle_is_set() -> None:
    def angle(a: Any, b: Any, c: Any) -> Any:
        u, v = a - b, c - b
        return np.arccos(u @ v / np.linalg.norm(u) / np.linalg.norm(v))

    figure = standing()
    figure.hold("elbow", Function(angle, np.pi / 2, of=("right_shoulder", "right_forearm", "right_hand")))
    for _ in range(100):
        figure.step()
    places = [figure.position(part) for part in ("right_shoulder", "right_forearm", "right_hand")]
    assert angle(*places) == pytest.approx(np.pi / 2, abs=1e-4)


def test_slopes_are_those_of_the_chain_rule() -> None:
    figure = Figure(figures.load("person"), figures.random_posture(figures.load("person"), np.random.default_rng(4)))
    task = Function(lambda p, q: (p - q) @ (p - q), 0.1, of=("left_hand", "right_foot"))
    figure.hold("it", task)
    rows, errors, _ = figure._functions()
    body, angles = figure.body, figure.angles
    hand, foot = body.joint("left_hand"), body.joint("right_foot")
    for v in range(body.dofs):
        velocity = np.eye(body.dofs)[v]
        sides = []
        for time in (1e-5, -1e-5):
            placed = figures.place(body, angles, velocity, time)
            sides.append(task.value([placed.positions[hand], placed.positions[foot]])[0])
        assert rows[v, 0] == pytest.approx((sides[0] - sides[1]) / 2e-5, abs=1e-7)
    value = task.value([figure.position("left_hand"), figure.position("right_foot")])
    assert np.sign(errors[0]) == np.sign(0.1 - value)


def test_a_function_of_one_part_may_be_named_without_brackets() -> None:
    figure = standing()
    figure.hold("height", Function(lambda p: p[1], 0.75, of="right_hand"))
    figure.settle()
    assert figure.position("right_hand")[1] == pytest.approx(0.75, abs=1e-7)


# ---- priorities


def test_the_first_priority_wins() -> None:
    """A hand cannot be in two places: what is dragged, or of the first priority, has its way."""
    figure = standing()
    at = figure.position("right_hand")
    figure.pin("right_hand", orientation=False)
    figure.drag("right_hand", to=at + np.array([0.0, 0.1, 0.1]))
    figure.settle()
    assert np.allclose(figure.position("right_hand"), at + np.array([0.0, 0.1, 0.1]), atol=1e-5)
    assert figure.residuals["right_hand dragged"] < 1e-5
    assert figure.residuals["right_hand"] == pytest.approx(np.sqrt(0.02), abs=1e-4)


def test_a_hold_of_a_later_priority_gives_way() -> None:
    results = []
    for priority in (1, 3):
        figure = standing()
        centre = figure.centre_of_mass[2]
        figure.hold("balance", CentreOfMass(z=centre + 0.5), priority=priority)
        for _ in range(120):
            figure.step()
        feet = max(float(figure.residuals[foot]) for foot in ("left_foot", "right_foot"))
        results.append((feet, float(figure.residuals["balance"])))
    (feet_first, balance_first), (feet_last, balance_last) = results
    assert feet_last < feet_first
    assert balance_first < balance_last


def test_hard_tasks_that_contradict_leave_residuals() -> None:
    figure = standing()
    figure.hold("here", CentreOfMass(x=0.2))
    figure.hold("there", CentreOfMass(x=-0.2))
    for _ in range(60):
        figure.step()
    left = figure.residuals
    assert np.all(np.isfinite(figure.angles))
    assert left["here"] + left["there"] == pytest.approx(0.4, abs=1e-3)
