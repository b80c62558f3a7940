"""What the posture generator is asked: nonsense is refused with a reason, and nothing that is given or got changes."""

from __future__ import annotations

import contextlib
import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from puppet import Body, HandGoal, PuppetError, Table, solve_posture
from puppet.errors import GoalError
from puppet.geometry import axis_rotation

POSITION = [0.2, 0.7, 0.3]
GOAL = HandGoal(POSITION)
TURNED = axis_rotation(1, 0.3) @ axis_rotation(0, -1.1)

# ---- goals that make no sense


@pytest.mark.parametrize(
    ("position", "message"),
    [
        ([0.1, math.nan, 0.3], r"position must be finite, not \[0.1, nan, 0.3\]"),
        ([0.1, 0.2, math.inf], r"position must be finite, not \[0.1, 0.2, inf\]"),
        ([0.1, -math.inf, 0.2], "position must be finite"),
        ([0.0, 0.0, 1e4], "absurdly far away.*10000"),
        ([-2e300, 0.0, 0.0], "absurdly far away"),
        ([10**400, 0.0, 0.0], "position must be"),
        ([0.1, 0.2], r"three numbers, not an array of shape \(2,\)"),
        ([0.1, 0.2, 0.3, 0.4], r"three numbers, not an array of shape \(4,\)"),
        ([[0.1, 0.2, 0.3]], r"three numbers, not an array of shape \(1, 3\)"),
        (0.5, "three numbers"),
        ([], "three numbers"),
        (None, "three numbers"),
        ("left", "three numbers, not 'left'"),
        ([0.1, "high", 0.3], "three numbers, not .*high"),
        ([0.1, [0.2], 0.3], "three numbers"),
        ([1j, 0.0, 0.0], "three numbers"),
        ({"x": 1}, "three numbers, not {'x': 1}"),
        (["a rather long word" * 20], r"three numbers, not .{,80}\Z"),
    ],
)
def test_a_position_that_makes_no_sense(position: object, message: str) -> None:
    with pytest.raises(GoalError, match=message):
        HandGoal(position)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("orientation", "message"),
    [
        (np.full((3, 3), math.nan), "orientation must be finite"),
        (np.diag([1.0, 1.0, math.inf]), "orientation must be finite"),
        (np.eye(4), r"3 x 3 numbers, not of shape \(4, 4\)"),
        (np.eye(3)[:2], r"3 x 3 numbers, not of shape \(2, 3\)"),
        ([1.0, 0.0, 0.0, 0.0], r"3 x 3 numbers, not of shape \(4,\)"),  # a quaternion
        ([[1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], "3 x 3 numbers"),
        ("top", "3 x 3 numbers, not 'top'"),
        (np.zeros((3, 3)), "must be a rotation matrix"),
        (2.0 * np.eye(3), "must be a rotation matrix"),
        (np.ones((3, 3)), "must be a rotation matrix"),
        (np.eye(3) + 0.01 * np.eye(3, k=1), "must be a rotation matrix"),
        (np.diag([-1.0, 1.0, 1.0]), "mirrors"),
        (-np.eye(3), "mirrors"),
        ([[10**400, 0, 0], [0, 1, 0], [0, 0, 1]], "orientation must be"),
    ],
)
def test_an_orientation_that_makes_no_sense(orientation: object, message: str) -> None:
    with pytest.raises(GoalError, match=message):
        HandGoal(POSITION, orientation)  # type: ignore[arg-type]


def test_a_goal_error_is_a_puppet_error_and_a_value_error() -> None:
    with pytest.raises(PuppetError):
        HandGoal([math.nan] * 3)
    with pytest.raises(ValueError, match="finite"):
        HandGoal([math.nan] * 3)


numbers = st.floats() | st.integers() | st.none() | st.booleans() | st.text(max_size=3)
nested = st.recursive(numbers, lambda inner: st.lists(inner, max_size=4), max_leaves=12)


@settings(max_examples=200, deadline=None)
@given(nested, nested)
def test_whatever_is_given_for_a_goal_is_a_goal_or_a_goal_error(position: object, orientation: object) -> None:
    with contextlib.suppress(GoalError):
        assert np.all(np.isfinite(HandGoal(position, orientation).row))  # type: ignore[arg-type]


# ---- goals that make sense


@pytest.mark.parametrize("digits", [5, 6, 8, 16])
@settings(max_examples=30, deadline=None)
@given(vector=st.tuples(*[st.floats(-3.0, 3.0)] * 3))
def test_a_rotation_written_with_few_digits_is_taken_for_the_nearest(
    digits: int, vector: tuple[float, float, float]
) -> None:
    exact = Rotation.from_rotvec(vector).as_matrix()
    taken = HandGoal(POSITION, exact.round(digits)).orientation
    assert taken is not None
    assert np.abs(taken @ taken.T - np.eye(3)).max() < 1e-12
    assert np.linalg.det(taken) == pytest.approx(1.0)
    assert np.abs(taken - exact).max() < 2.0 * 10.0**-digits + 1e-15


def test_a_goal_takes_anything_that_is_like_an_array() -> None:
    for position in (tuple(POSITION), np.array(POSITION, dtype=np.float32), np.array(POSITION)[::-1][::-1]):
        assert HandGoal(position).position == pytest.approx(POSITION)  # type: ignore[arg-type]
    assert HandGoal([0, 1, 2], np.eye(3, dtype=int)).position.dtype == np.float64
    assert HandGoal(POSITION).orientation is None


def test_a_goal_copies_what_it_is_given() -> None:
    position, orientation = np.array(POSITION), TURNED.copy()
    goal = HandGoal(position, orientation)
    position[:], orientation[:] = 9.0, 9.0
    assert goal.position.tolist() == POSITION
    assert goal.orientation is not None
    assert np.array_equal(goal.orientation, TURNED)


def test_a_goal_does_not_change() -> None:
    goal = HandGoal(POSITION, TURNED)
    for name in ("position", "orientation", "row", "anything"):
        with pytest.raises(AttributeError):
            setattr(goal, name, np.zeros(3))
    for array in (goal.position, goal.orientation, goal.row):
        assert array is not None
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    solve_posture(Body.load("seated"), left=goal)
    assert goal.position.tolist() == POSITION


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda goal: pickle.loads(pickle.dumps(goal))])
def test_a_goal_can_be_copied_and_sent_elsewhere(again) -> None:  # type: ignore[no-untyped-def]
    other = again(HandGoal(POSITION, TURNED))
    assert other.position.tolist() == POSITION
    assert np.array_equal(other.orientation, TURNED)


def test_a_goal_shows_what_it_is() -> None:
    assert repr(GOAL) == "HandGoal([0.2, 0.7, 0.3], None)"
    again = eval(repr(HandGoal(POSITION, TURNED)), {"HandGoal": HandGoal})
    assert np.array_equal(again.row, HandGoal(POSITION, TURNED).row)


# ---- calls that make no sense


def test_no_goal_at_all(body: Body) -> None:
    for goals in ({}, {"left": None}, {"left": None, "right": None}):
        with pytest.raises(GoalError, match="no goal is given; give one of left, right"):
            solve_posture(body, **goals)


@pytest.mark.parametrize("goal", [POSITION, (POSITION, TURNED), "left", 0.5])
def test_a_goal_that_is_no_goal(body: Body, goal: object) -> None:
    with pytest.raises(PuppetError, match="HandGoal"):
        solve_posture(body, left=goal)  # type: ignore[arg-type]


def test_unknown_names(body: Body) -> None:
    with pytest.raises(PuppetError, match="no limb 'lefft'; did you mean 'left'"):
        solve_posture(body, lefft=GOAL)
    with pytest.raises(PuppetError, match="no limb 'tail'; known: 'left', 'right'"):
        solve_posture(body, left=GOAL, tail=GOAL)
    with pytest.raises(PuppetError, match="unknown solver 'tesis'; did you mean 'thesis'"):
        solve_posture(body, left=GOAL, solver="tesis")
    with pytest.raises(PuppetError, match="unknown solver 'magic'; known: 'estimate', 'puppet', 'thesis'"):
        solve_posture(body, left=GOAL, solver="magic")


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (np.zeros(26), r"27 angles, not .*\(26,\)"),
        (np.zeros((1, 27)), r"27 angles, not .*\(1, 27\)"),
        (0.0, "27 angles"),
        ([], "27 angles"),
        (np.full(27, math.nan), "finite"),
        ([math.inf] + 26 * [0.0], "finite"),
        ("rest", "27 angles"),
        ([None] * 27, "finite|27 angles"),
        ({"head": 0.1}, "27 angles"),
    ],
)
def test_a_start_that_makes_no_sense(body: Body, start: object, message: str) -> None:
    with pytest.raises(PuppetError, match=message):
        solve_posture(body, left=GOAL, start=start)  # type: ignore[arg-type]


@pytest.mark.parametrize("gaze", [[0.0, math.nan, 1.0], [0.0, 1.0], "there", [0.0, 0.0, 1e9]])
def test_a_gaze_that_makes_no_sense(body: Body, gaze: object) -> None:
    with pytest.raises(GoalError, match="the gaze"):
        solve_posture(body, left=GOAL, gaze=gaze)  # type: ignore[arg-type]


@pytest.mark.parametrize("table", [Table(2.0, -1.0), Table(0.9, -0.5), Table(1e6, -1e6)], ids=str)
@pytest.mark.parametrize("goals", [{"left": GOAL}, {"left": GOAL, "right": GOAL}], ids=["one hand", "both hands"])
def test_a_table_that_swallows_the_puppet(body: Body, table: Table, goals: dict[str, HandGoal]) -> None:
    for torso in (True, False):
        with pytest.raises(GoalError, match="the table leaves the body no room"):
            solve_posture(body, **goals, torso=torso, table=table)  # type: ignore[arg-type]


# ---- what is got does not change


def test_a_posture_is_read_only(body: Body) -> None:
    start = body.rest.copy()
    posture = solve_posture(body, left=GOAL, start=start)
    assert np.array_equal(start, body.rest)  # what was given is as it was
    for array in (posture.angles, posture.transforms, posture.joint_positions, posture.joint_rotations):
        assert not array.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    again = solve_posture(body, left=GOAL)
    assert not np.shares_memory(again.angles, posture.angles)
    assert posture.angles.shape == (27,)
    assert posture.joint_positions.shape == (9, 3)
    assert posture.joint_rotations.shape == (9, 3, 3)
    assert set(posture.hand_positions) == set(posture.hand_orientations) == {"left", "right"}
    assert set(posture.hand_position_errors) == set(posture.hand_orientation_errors) == {"left"}


def test_a_posture_shows_what_it_is(body: Body) -> None:
    assert repr(solve_posture(body, left=GOAL)).startswith("<Posture of left: solved by ")
    far = solve_posture(body, left=HandGoal([0.3, 0.8, 3.0]))
    assert repr(far).startswith("<Posture of left: missed by 2")
