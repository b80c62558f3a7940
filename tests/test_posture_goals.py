"""How a posture follows its goal, near by and far away; where the head looks; and what a posture is worth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from benchmarks.problems import CHAINS, TABLE, Problem, grip_orientation
from puppet import HandGoal, Posture, solve_posture
from puppet.body import AXES, Body, kinematics
from puppet.geometry import axis_rotation
from puppet.posture import is_beyond
from puppet.posture.posture import score_posture
from puppet.types import Floats
from tests.postures import (
    BODY,
    COUNT,
    EXCESS,
    SETS,
    Answer,
    Goals,
    answers,
    concerned_joints,
    dishonest,
    dofs_of,
    moved_apart,
    solve,
    table_excess,
    true_errors,
    where,
)


@pytest.fixture(params=SETS, ids=lambda param: " ".join(param))
def answered(request: pytest.FixtureRequest) -> list[Answer]:
    return answers(*request.param)


@pytest.fixture(params=CHAINS)
def desk(request: pytest.FixtureRequest) -> list[Answer]:
    return answers(request.param, "D")


# ---- nearly the same goal, nearly the same posture


def test_a_millimetre_does_not_throw_the_elbow() -> None:
    rng, thrown, count = np.random.default_rng(12), [], 0
    for chain in CHAINS:
        for answer in answers(chain, "D"):
            shift = rng.normal(size=3)
            shift *= 0.001 / np.linalg.norm(shift)
            goals = {name: HandGoal(goal.position + shift, goal.orientation) for name, goal in answer.goals.items()}
            elbows = [BODY.limbs[name].joints[-2] for name in goals]
            apart = moved_apart(solve(answer.problem, goals), answer.posture, elbows)
            count += 1
            thrown += [(chain, answer.number, apart)] if apart >= 0.05 else []
    assert len(thrown) <= 0.05 * count, thrown


def ray(problem: Problem, own_side: bool, oriented: bool, stretches: Floats) -> Iterator[Goals]:
    """The problem's goals, farther and farther away from the root of their chain; own_side: not across the body."""
    for stretch in stretches:
        goals = {}
        for name, goal in problem.goals.items():
            limb = BODY.limbs[name]
            root = np.array(BODY.joints[limb.trunk[0] if problem.torso else limb.joints[0]].centre)
            way = goal.position - root
            if own_side:
                way[0] = abs(way[0]) if name == "left" else -abs(way[0])
            goals[name] = HandGoal(root + stretch * way, goal.orientation if oriented else None)
        yield goals


@pytest.mark.parametrize("oriented", [False, True], ids=["place", "place and grip"])
@pytest.mark.parametrize("chain", CHAINS)
def test_the_farther_the_goal_the_farther_the_miss(chain: str, oriented: bool) -> None:
    for answer in answers(chain, "U")[:12]:
        goals = ray(answer.problem, False, oriented, np.linspace(1.0, 3.0, 7))
        misses = [solve(answer.problem, at).position_error for at in goals]
        assert np.all(np.diff(misses) > 0.0), (answer.number, misses)


@pytest.mark.parametrize("oriented", [False, True], ids=["place", "place and grip"])
@pytest.mark.parametrize("chain", CHAINS)
def test_an_arm_that_points_at_a_far_goal_does_not_shake(chain: str, oriented: bool) -> None:
    """On the hand's own side. Across the body several postures are as near as each other."""
    shaking = []
    for answer in answers(chain, "U")[:12]:
        joints = concerned_joints(answer.problem)
        goals = ray(answer.problem, True, oriented, 1.1 ** np.arange(12))
        postures = [solve(answer.problem, at) for at in goals]
        moves = [moved_apart(a, b, joints) for a, b in pairwise(postures)]
        if max(moves) > 0.05 or max(moves[-3:]) > 0.02:
            shaking.append((answer.number, np.round(moves, 3).tolist()))
    assert shaking == []


@pytest.mark.parametrize("oriented", [False, True], ids=["place", "place and grip"])
@pytest.mark.parametrize("chain", ["arm", "arm+torso"])
def test_the_nearest_posture_is_nearer_than_those_for_other_goals(chain: str, oriented: bool) -> None:
    worse = []
    for answer in answers(chain, "U"):
        goals = list(ray(answer.problem, False, oriented, np.linspace(1.0, 2.0, 4)))
        postures = [solve(answer.problem, at) for at in goals]
        for at, posture in zip(goals, postures, strict=True):
            nearest = min(true_errors(at, other.angles)["left"][0] for other in postures)
            if posture.position_error > nearest + 0.005:
                worse.append((answer.number, at["left"].position.round(3).tolist(), posture.position_error, nearest))
    assert len({number for number, *_ in worse}) <= 0.05 * COUNT, worse


def turns_nearer(answer: Answer, rng: np.random.Generator) -> float:
    """By how much the sum of a posture's misses falls, at most, when its joints are turned a little, inside the limits
    and clear of the table: one by one, and together in many ways."""
    dofs = np.array(dofs_of(concerned_joints(answer.problem)))
    angles = answer.posture.angles
    best = 0.0
    before = sum(distance for distance, _ in true_errors(answer.goals, angles).values())
    ways = [*np.eye(len(dofs)), *-np.eye(len(dofs)), *rng.normal(size=(60, len(dofs)))]
    for way in ways:
        trial = angles.copy()
        trial[dofs] += 2e-3 * way / np.abs(way).max()
        for _ in range(2):
            trial = np.clip(trial, *BODY.limits_at(trial))
        if table_excess(trial) <= 0.0:
            after = sum(distance for distance, _ in true_errors(answer.goals, trial).values())
            best = max(best, before - after)
    return best


@pytest.mark.parametrize("chain", CHAINS)
def test_no_small_turn_brings_a_hand_nearer_to_what_is_out_of_reach(chain: str) -> None:
    rng = np.random.default_rng(3)
    gains = [turns_nearer(answer, rng) for answer in answers(chain, "U")]
    assert np.quantile(gains, 0.9) < 5e-5
    assert max(gains) < 3e-4


# ---- the head


def gaze_error(posture: Posture, target: Floats) -> float:
    """Degrees between where the eyes face and the way from them to the target."""
    gaze = BODY.gaze
    assert gaze is not None
    turn = posture.joint_rotations[gaze.joint]
    way, forward = target - posture.joint_positions[gaze.joint] - turn @ gaze.eyes, turn @ gaze.forward
    return math.degrees(math.atan2(float(np.linalg.norm(np.cross(way, forward))), float(way @ forward)))


def can_look_at(posture: Posture, target: Floats) -> bool:
    """Whether the head could face the target with its tilt (z) left at zero, 5 degrees inside its limits."""
    gaze = BODY.gaze
    assert gaze is not None
    head = BODY.joints[gaze.joint]
    assert [AXES[r.axis] for r in head.rotations] == ["x", "z", "y"]
    chest = posture.joint_rotations[head.parent]
    nod = shake = 0.0
    for _ in range(50):  # the eyes move with the head
        turn = axis_rotation(0, nod) @ axis_rotation(1, shake)
        way = chest.T @ (target - posture.joint_positions[gaze.joint]) - turn @ gaze.eyes
        if np.linalg.norm(way) < 0.1:
            return False
        x, y, z = way / np.linalg.norm(way)
        nod, shake = math.atan2(-y, z), math.asin(x)
    margin = math.radians(5.0)
    axes = zip(head.rotations[::2], (nod, shake), strict=True)
    inside = [axis.lower + margin < angle < axis.upper - margin for axis, angle in axes]
    turn = axis_rotation(0, nod) @ axis_rotation(1, shake)
    way = chest.T @ (target - posture.joint_positions[gaze.joint]) - turn @ gaze.eyes
    return all(inside) and float(np.linalg.norm(np.cross(way, turn[:, 2]))) < 1e-6 and float(way @ turn[:, 2]) > 0.0


def test_the_head_looks_at_what_the_hands_do(answered: list[Answer]) -> None:
    looked = 0

    def wrong(answer: Answer) -> object:
        nonlocal looked
        middle = np.mean([goal.position for goal in answer.goals.values()], axis=0)
        if not can_look_at(answer.posture, middle):
            return None
        looked += 1
        error = gaze_error(answer.posture, middle)
        return error if error > 1.0 else None

    assert where(answered, wrong) == []
    assert looked > 0


def test_the_head_looks_where_it_is_told() -> None:
    rng, looked = np.random.default_rng(13), 0
    goal = HandGoal([0.2, 0.7, 0.3], grip_orientation("left", "top"))
    for torso in (False, True):
        plain = solve_posture(BODY, left=goal, torso=torso, table=TABLE)
        for target in rng.uniform([-0.8, 0.3, 0.2], [0.8, 1.4, 1.5], (60, 3)):
            posture = solve_posture(BODY, left=goal, torso=torso, table=TABLE, gaze=target)
            body_below = slice(0, dofs_of([BODY.joint("head")])[0])
            assert np.array_equal(posture.angles[body_below], plain.angles[body_below])  # only the head looks
            assert BODY.limit_excess(posture.angles) <= EXCESS
            if can_look_at(posture, target):
                looked += 1
                assert gaze_error(posture, target) <= 1.0, target
    assert looked > 40


# ---- the printed method and the estimate


@pytest.mark.parametrize("chain", CHAINS)
def test_the_printed_method_is_honest_and_inside_the_limits(chain: str) -> None:
    for answer in (*answers(chain, "D")[:2], answers(chain, "U")[0]):
        posture = solve(answer.problem, solver="thesis")
        assert dishonest(answer.goals, posture) is None
        assert BODY.limit_excess(posture.angles) <= EXCESS


def test_the_estimate_is_honest_and_inside_the_limits(answered: list[Answer]) -> None:
    for answer in answered:
        posture = solve(answer.problem, solver="estimate")
        assert dishonest(answer.goals, posture) is None
        assert BODY.limit_excess(posture.angles) <= EXCESS


# ---- the score


def test_a_posture_knows_its_score(answered: list[Answer]) -> None:
    def wrong(answer: Answer) -> object:
        score = score_posture(BODY, answer.goals, answer.problem.torso, answer.posture.angles)
        return None if score == pytest.approx(answer.posture.score, rel=1e-9) else (score, answer.posture.score)

    assert where(answered, wrong) == []


def test_a_missed_goal_scores_worse(desk: list[Answer]) -> None:
    for answer in desk[::4]:
        torso, angles = answer.problem.torso, answer.posture.angles
        up = np.array([0.0, 0.003, 0.0])
        shifted = {name: HandGoal(goal.position + up, goal.orientation) for name, goal in answer.goals.items()}
        assert score_posture(BODY, shifted, torso, angles) > answer.posture.score + 100.0
        tilt = axis_rotation(0, math.radians(3.0))
        turned = {name: HandGoal(goal.position, goal.orientation @ tilt) for name, goal in answer.goals.items()}
        assert score_posture(BODY, turned, torso, angles) > answer.posture.score + 10.0


def swivelled(angles: Floats, name: str, turn: float) -> Floats:
    """The posture with an arm turned about the line from its shoulder to its tip, whatever its limits say."""
    limb = BODY.limbs[name]
    shoulder, hand = limb.joints[0], limb.joints[-1]
    positions, rotations = kinematics.forward(BODY, angles)
    line = kinematics.tip_positions(BODY, positions, rotations)[hand] - positions[shoulder]
    turned = Rotation.from_rotvec(turn * line / np.linalg.norm(line)).as_matrix() @ rotations[shoulder]
    order = "".join(AXES[r.axis] for r in BODY.joints[shoulder].rotations).upper()
    swivelled = angles.copy()
    local = rotations[BODY.joints[shoulder].parent].T @ turned
    swivelled[3 * shoulder : 3 * shoulder + 3] = Rotation.from_matrix(local).as_euler(order)
    return swivelled


def test_a_raised_elbow_scores_worse() -> None:
    raised = 0
    elbow, wrist = BODY.limbs["left"].joints[-2:]
    for chain in ("arm", "arm+torso"):
        for answer in answers(chain, "D"):
            goals = {"left": HandGoal(answer.goals["left"].position)}
            posture = solve(answer.problem, goals)
            for turn in np.linspace(0.0, 2.0 * math.pi, 13)[1:-1]:
                angles = swivelled(posture.angles, "left", turn)
                positions, _ = kinematics.forward(BODY, angles)
                assert true_errors(goals, angles)["left"][0] < 0.001  # still there
                if positions[elbow, 1] > positions[wrist, 1] + 0.05:
                    raised += 1
                    assert score_posture(BODY, goals, answer.problem.torso, angles) > posture.score
    assert raised > 50


@pytest.mark.parametrize("name", ["seated", "person"])
def test_an_arm_that_is_told_to_be_too_short_never_meets_its_goal(name: str) -> None:
    """Nor is it stretched less than it is told that it would have to be."""
    body, rng = Body.load(name), np.random.default_rng(3)
    joints = body.limb("left").joints
    length = float(np.linalg.norm(body.arrays.offsets[list(joints[1:])], axis=1).sum())
    first = kinematics.forward(body, body.rest)[0][joints[0]]
    short = met = 0
    for _ in range(60):
        way = rng.normal(size=3)
        place = first + rng.uniform(0.4, 1.5) * length * way / np.linalg.norm(way)
        free = solve_posture(body, left=HandGoal(place), torso=False, start=body.rest)
        goal = HandGoal(place, free.hand_orientations["left"])
        posture = solve_posture(body, left=goal, torso=False, start=body.rest)
        beyond = is_beyond(body, "left", goal, body.rest)
        assert not (beyond and posture.solved)
        short += beyond
        if posture.solved:
            met += 1
            stretch = float(np.linalg.norm(posture.joint_positions[joints[-1]] - first)) / length
            assert not is_beyond(body, "left", goal, body.rest, stretch)
    assert short >= 5
    assert met >= 5
