"""A figure: parts are pinned, dragged, held and let go; what can be had is had exactly."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import puppet
from puppet import Body, Figure
from puppet.types import Floats
from tests import figures

MIRROR = np.diag([-1.0, 1.0, 1.0])
BY_BODY = pytest.mark.parametrize("name", figures.NAMES)


def person() -> Figure:
    return Figure(Body.load("person"))


def standing(*hands: str) -> Figure:
    """A person with both feet pinned, and these hands by their positions."""
    figure = person()
    for foot in ("left_foot", "right_foot"):
        figure.pin(foot)
    for hand in hands:
        figure.pin(hand, orientation=False)
    return figure


def missed(figure: Figure, *but: str) -> float:
    """The largest distance that is left, of all but some."""
    return max(float(left) for name, left in figure.residuals.items() if name not in but)


# ---- what there is


@BY_BODY
def test_a_figure_begins_at_rest(name: str) -> None:
    body = figures.load(name)
    figure = Figure(body)
    free = len(body.translation_dofs)
    assert figure.body is body
    assert np.array_equal(figure.angles[free:], body.rest[free:])
    assert figure.joint_positions.shape == (len(body.joints), 3)


def test_the_soles_are_on_the_floor() -> None:
    figure = person()
    heights = [
        figure.position(joint.name, point)[1] for joint in figure.body.joints for point in joint.contacts.values()
    ]
    assert min(heights) == pytest.approx(0.0, abs=1e-12)
    assert figure.position("head")[1] > 0.8


@BY_BODY
def test_a_figure_takes_any_posture(name: str) -> None:
    body = figures.load(name)
    angles = figures.random_posture(body, np.random.default_rng(2))
    assert np.array_equal(Figure(body, angles).angles, angles)
    assert np.array_equal(Figure(body, list(angles)).angles, angles)


def test_what_is_read_cannot_be_changed() -> None:
    figure = person()
    before = figure.joint_positions.copy()
    figure.joint_positions[:] = 0.0
    figure.rotation("head")[:] = 0.0
    figure.position("head")[:] = 0.0
    with pytest.raises(ValueError, match="read-only"):
        figure.angles[0] = 1.0
    assert np.array_equal(figure.joint_positions, before)
    assert np.allclose(figure.rotation("head") @ figure.rotation("head").T, np.eye(3))


def test_every_part_of_the_contract_is_there() -> None:
    for name in ("person", "seated"):
        body = Body.load(name)
        parents = {joint.name: body.joint_names[joint.parent] for joint in body.joints if joint.parent >= 0}
        for part in ("chest", "head", "left_hand", "right_hand"):
            assert part in body.joint_names
        for side in ("left", "right"):
            assert parents[f"{side}_hand"] == f"{side}_forearm"
            assert parents[f"{side}_forearm"] == f"{side}_shoulder"
    for part in ("pelvis", "neck", "left_foot", "right_foot"):
        assert part in Body.load("person").joint_names


def test_a_person_weighs_and_balances_like_one() -> None:
    figure = person()
    x, y, _ = figure.centre_of_mass
    assert abs(x) < 1e-12
    assert 0.5 < y < 0.62  # of the height: tables say 0.55 to 0.57
    assert np.allclose(figure.inertia, figure.inertia.T)
    assert np.all(np.linalg.eigvalsh(figure.inertia) > 0.0)
    assert figure.inertia[1, 1] < 0.2 * figure.inertia[0, 0]  # slender


# ---- dragging


def test_a_drag_gives_its_frames_and_keeps_the_last() -> None:
    figure = standing()
    frames = figure.drag("head", to=(0.0, 0.8, 0.3), steps=30)
    assert frames.shape == (30, figure.body.dofs)
    assert np.array_equal(frames[-1], figure.angles)
    assert np.allclose(figure.position("head"), (0.0, 0.8, 0.3), atol=1e-5)
    assert set(figure.residuals) == {"left_foot", "right_foot", "head"}
    assert missed(figure) < 3e-5


def test_a_drag_arrives_evenly() -> None:
    figure = standing()
    start, goal = figure.position("right_hand"), np.array([-0.2, 0.9, 0.3])
    frames = figure.drag("right_hand", to=goal, steps=20)
    for n, angles in enumerate(frames):
        hand = figures.place(figure.body, angles).positions[figure.body.joint("right_hand")]
        assert np.allclose(hand, start + (goal - start) * (n + 1) / 20, atol=1e-4)


@pytest.mark.parametrize("part", ["head", "pelvis", "right_hand", "chest", "left_shoulder", "left_forearm"])
def test_what_can_be_dragged_there_is_there_exactly(part: str) -> None:
    figure = standing()
    goal = figure.position(part) + np.array([0.02, -0.05, 0.04])
    figure.drag(part, to=goal, steps=30)
    figure.settle()
    assert np.allclose(figure.position(part), goal, atol=1e-8)
    assert missed(figure) < 1e-8


def test_a_point_of_a_part_is_dragged() -> None:
    figure, point = standing(), (-0.1, 0.0, 0.0)
    goal = figure.position("right_hand", point) + np.array([0.0, 0.1, 0.2])
    figure.drag("right_hand", to=goal, point=point)
    assert np.allclose(figure.position("right_hand", point), goal, atol=1e-5)


def test_a_drag_goes_by_a_vector_too() -> None:
    one, other = standing(), standing()
    one.drag("head", by=(0.0, -0.1, 0.1))
    other.drag("head", to=other.position("head") + np.array([0.0, -0.1, 0.1]))
    assert np.allclose(one.angles, other.angles, atol=1e-12)


def test_nothing_pinned_nothing_lost() -> None:
    """A figure that nothing holds follows what is dragged as far as one likes."""
    figure = person()
    figure.drag("right_hand", to=(2.0, 3.0, -4.0), steps=200)
    figure.settle()
    assert np.allclose(figure.position("right_hand"), (2.0, 3.0, -4.0), atol=1e-8)
    assert figure.body.limit_excess(figure.angles) < 1e-6


def test_an_arm_moves_sooner_than_the_body() -> None:
    figure = person()
    before = figure.joint_positions
    figure.drag("right_hand", by=(0.0, 0.05, 0.1))
    moved = np.linalg.norm(figure.joint_positions - before, axis=1)
    assert moved[figure.body.joint("right_hand")] > 10.0 * moved[figure.body.joint("pelvis")]


@BY_BODY
def test_any_body_is_dragged(name: str) -> None:
    figure = Figure(figures.load(name))
    goal = figure.position("left_hand") + np.array([-0.01, -0.02, 0.02])
    figure.drag("left_hand", to=goal)
    figure.settle()
    assert np.allclose(figure.position("left_hand"), goal, atol=1e-7)


# ---- pins


def test_a_pin_holds_position_and_orientation() -> None:
    figure = standing()
    before = figure.position("left_foot"), figure.rotation("left_foot")
    figure.drag("pelvis", by=(0.03, -0.08, 0.02))
    assert np.allclose(figure.position("left_foot"), before[0], atol=1e-6)
    assert np.allclose(figure.rotation("left_foot"), before[1], atol=1e-5)


def test_a_pin_without_orientation_lets_it_turn() -> None:
    figure = standing()
    figure.pin("right_hand", orientation=False)
    before = figure.position("right_hand"), figure.rotation("right_hand")
    figure.drag("chest", by=(0.0, -0.1, 0.1))
    assert np.allclose(figure.position("right_hand"), before[0], atol=1e-6)
    assert np.abs(figure.rotation("right_hand") - before[1]).max() > 1e-2


def test_a_point_of_a_part_is_pinned() -> None:
    figure, point = standing(), (0.0, -0.05, 0.0)
    figure.pin("right_hand", point=point, orientation=False)
    before = figure.position("right_hand", point)
    figure.drag("chest", by=(0.0, -0.1, 0.1))
    assert np.allclose(figure.position("right_hand", point), before, atol=1e-6)
    assert np.linalg.norm(figure.position("right_hand") - before) == pytest.approx(0.05, abs=1e-5)


def test_a_pin_brings_a_part_to_a_place() -> None:
    figure = standing()
    figure.pin("right_hand", orientation=False, to=(-0.2, 0.8, 0.3))
    figure.settle()
    assert np.allclose(figure.position("right_hand"), (-0.2, 0.8, 0.3), atol=1e-7)


def test_pins_are_named_in_their_order() -> None:
    figure = standing("right_hand")
    figure.hold("balance", puppet.CentreOfMass(x=0.0))
    assert figure.pins == ("left_foot", "right_foot", "right_hand")
    figure.unpin("left_foot")
    assert figure.pins == ("right_foot", "right_hand")


def test_unpinned_is_as_if_it_had_never_been_pinned() -> None:
    one, other = standing("right_hand"), standing()
    one.unpin("right_hand")
    assert np.array_equal(one.drag("head", by=(0.0, -0.1, 0.2)), other.drag("head", by=(0.0, -0.1, 0.2)))


def test_gains_let_pins_give_more_and_more() -> None:
    """From 0, as if it were not there, to 1, as firm as can be: the error falls all the way."""
    errors = []
    for gain in (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0):
        figure = standing()
        figure.pin("right_hand", orientation=False, gain=gain)
        at = figure.position("right_hand")
        figure.drag("chest", by=(0.1, -0.12, 0.15))
        figure.settle()
        errors.append(float(np.linalg.norm(figure.position("right_hand") - at)))
    assert all(more > less for more, less in itertools.pairwise(errors)), errors
    free = standing()
    at = free.position("right_hand")
    free.drag("chest", by=(0.1, -0.12, 0.15))
    free.settle()
    assert errors[0] == pytest.approx(np.linalg.norm(free.position("right_hand") - at), abs=1e-6)
    assert errors[-1] < 1e-7


def test_a_gain_changes_at_any_time() -> None:
    figure = standing()
    figure.pin("right_hand", orientation=False)
    at = figure.position("right_hand")
    figure.drag("chest", by=(0.1, -0.1, 0.1))
    figure.set_gain("right_hand", 0.0)
    figure.drag("head", by=(0.1, 0.0, 0.1))
    figure.settle()
    assert np.linalg.norm(figure.position("right_hand") - at) > 1e-3
    figure.let_go()
    figure.set_gain("right_hand", 1.0)
    figure.settle()
    assert np.allclose(figure.position("right_hand"), at, atol=1e-7)


def test_firmness_changes_smoothly() -> None:
    """No jump where a gain changes a little: constraining and deconstraining at will."""
    figure = standing()
    figure.pin("right_hand", orientation=False)
    figure.drag("chest", by=(0.1, -0.1, 0.1))
    frames = [figure.angles]
    for gain in np.linspace(1.0, 0.0, 60):
        figure.set_gain("right_hand", float(gain))
        figure.step()
        frames.append(figure.angles)
    assert figures.largest_turn(figure.body, np.array(frames)) < 0.1


# ---- reference


def test_what_nobody_asks_for_goes_back_to_the_reference() -> None:
    figure = standing()
    before = figure.angles
    figure.drag("right_hand", by=(-0.1, 0.3, 0.3))
    figure.let_go()
    figure.settle()
    assert np.allclose(figure.angles, before, atol=1e-5)


def test_another_posture_is_the_reference() -> None:
    figure = standing()
    wanted = figure.angles.copy()
    wanted[figure.body.dof("left_forearm", "y")] = -1.5
    figure.reference(wanted)
    figure.settle()
    assert figure.angles[figure.body.dof("left_forearm", "y")] == pytest.approx(-1.5, abs=1e-6)


def test_without_a_reference_nothing_goes_back() -> None:
    figure = standing()
    figure.reference(gain=0.0)
    figure.drag("right_hand", by=(-0.1, 0.3, 0.3))
    figure.let_go()
    before = figure.angles
    figure.settle()
    assert np.allclose(figure.angles, before, atol=1e-5)


def test_settling_ends_where_steps_end() -> None:
    """Also where a pin gives, and where tasks contradict each other: no jump when steps go on."""
    for gain in (1.0, 0.3):
        figure = standing("left_hand")
        figure.pin("right_hand", orientation=False, gain=gain)
        figure.drag("head", by=(0.0, -0.1, 0.2))
        figure.settle()
        before = figure.angles
        figure.step()
        assert np.abs(figure.angles - before).max() < 1e-6


def test_settled_figures_do_not_settle_further() -> None:
    figure = standing("left_hand")
    figure.drag("head", by=(0.0, -0.1, 0.2))
    assert figure.settle() > 1
    before = figure.angles
    assert figure.settle() <= 4
    assert np.allclose(figure.angles, before, atol=1e-7)


# ---- limited changes


def moved(figure: Figure, before: Floats) -> set[str]:
    names = figure.body.dof_names
    return {names[d].partition(".")[0] for d in np.flatnonzero(np.abs(figure.angles - before) > 1e-9)}


def test_only_the_arm() -> None:
    figure = standing()
    before = figure.angles
    figure.only("right_shoulder", "right_hand")
    figure.drag("right_hand", by=(-0.05, 0.2, 0.1))
    assert moved(figure, before) <= {"right_shoulder", "right_forearm", "right_hand"}
    assert missed(figure) < 1e-5


def test_all_joints_serve_again() -> None:
    one, other = standing(), standing()
    one.only("right_shoulder", "right_hand")
    one.only()
    assert np.array_equal(one.drag("head", by=(0.0, -0.1, 0.2)), other.drag("head", by=(0.0, -0.1, 0.2)))


# ---- truths about all drags


def mirrored_positions(figure: Figure) -> Floats:
    names = figure.body.joint_names
    swap = {"left": "right", "right": "left"}
    other = [
        names.index(name.replace(side, swap[side], 1)) if (side := name.partition("_")[0]) in swap else n
        for n, name in enumerate(names)
    ]
    return figure.joint_positions[other] @ MIRROR


@pytest.mark.parametrize(
    ("part", "by"),
    [("right_hand", (-0.1, 0.3, 0.3)), ("right_hand", (0.3, 0.1, 0.2)), ("right_shoulder", (0.1, -0.2, 0.1)),
     ("head", (0.2, -0.3, 0.4)), ("right_hand", (-0.6, 0.4, 0.5))],
)  # fmt: skip
def test_a_mirrored_drag_gives_the_mirrored_posture(part: str, by: tuple[float, float, float]) -> None:
    right, left = standing(), standing()
    right.drag(part, by=by)
    left.drag(part.replace("right", "left"), by=MIRROR @ by)
    assert np.allclose(left.joint_positions, mirrored_positions(right), atol=1e-6)


def test_the_same_drags_give_the_same_bytes() -> None:
    found = []
    for _ in range(2):
        figure = standing("left_hand")
        figure.hold("balance", puppet.CentreOfMass(x=0.0))
        frames = figure.drag("right_hand", by=(-0.4, 0.5, 0.6))
        figure.let_go()
        figure.settle()
        found.append(frames.tobytes() + figure.angles.tobytes())
    assert found[0] == found[1]


def test_two_figures_of_one_body_do_not_know_each_other() -> None:
    alone = standing().drag("head", by=(0.0, -0.1, 0.2))
    one, other = standing(), standing()
    frames = []
    goal = one.position("head") + np.array([0.0, -0.1, 0.2])
    start = one.position("head")
    for n in range(30):
        frames.append(one.drag("head", to=start + (n + 1) / 30 * (goal - start), steps=1)[0])
        other.drag("right_hand", by=(0.01, 0.0, 0.0), steps=1)
    assert np.array_equal(frames, alone)
