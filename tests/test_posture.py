"""The posture generator's promises, over the benchmark's problems.

A goal is met or honestly missed, all limits hold, nothing is in the table, and the answer is the same every time and in
a mirror.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from benchmarks import batch
from benchmarks.judge import angle_between, hand_goals
from benchmarks.problems import CHAINS, TABLE, TUNING_SEED, Problem, grip_orientation, make_problems
from puppet import Body, HandGoal, Posture, Table, kinematics, solve_posture
from puppet.body import AXES, Floats
from puppet.posture import Memory, pose_limbs, score_posture

COUNT = 40
SETS = [(chain, kind) for chain in CHAINS for kind in "DABU"]
EXCESS = 1e-9  # radians outside a limit, depth in the table
FLIP = np.diag([-1.0, 1.0, 1.0])
BODY = Body.load()
Goals = Mapping[str, HandGoal]


@dataclass(frozen=True)
class Answer:
    number: int
    problem: Problem
    goals: Goals
    posture: Posture


def solve(problem: Problem, goals: Goals | None = None, **options: object) -> Posture:
    """The answer to a problem at the benchmark's table, or to the same problem with other goals."""
    goals = hand_goals(problem) if goals is None else goals
    return solve_posture(BODY, **goals, **{"torso": problem.torso, "table": TABLE, **options})  # type: ignore[arg-type]


@cache
def answers(chain: str, kind: str, count: int = COUNT) -> list[Answer]:
    problems = make_problems(BODY, kind, chain, count, TUNING_SEED)
    return [Answer(n, problem, hand_goals(problem), solve(problem)) for n, problem in enumerate(problems)]


@pytest.fixture(params=SETS, ids=lambda param: " ".join(param))
def answered(request: pytest.FixtureRequest) -> list[Answer]:
    return answers(*request.param)


@pytest.fixture(params=CHAINS)
def desk(request: pytest.FixtureRequest) -> list[Answer]:
    return answers(request.param, "D")


def where(answered: list[Answer], wrong: Callable[[Answer], object]) -> list[tuple[int, object]]:
    """Numbers of the problems where something is wrong, and what."""
    found = [(answer.number, wrong(answer)) for answer in answered]
    return [(number, what) for number, what in found if what is not None and what is not False]


def dofs_of(joints: Iterator[int] | tuple[int, ...] | list[int]) -> list[int]:
    return [3 * joint + place for joint in joints for place in range(3)]


def concerned_joints(problem: Problem) -> list[int]:
    """Joints that the goals concern, without the head, which looks."""
    limbs = [BODY.limbs[name] for name in problem.goals]
    return sorted({j for limb in limbs for j in (*limb.joints, *(limb.trunk if problem.torso else ()))})


def idle_joints(problem: Problem) -> list[int]:
    return [j for name, limb in BODY.limbs.items() if name not in problem.goals for j in limb.joints]


def true_errors(goals: Goals, angles: Floats) -> dict[str, tuple[float, float]]:
    """Distance and degrees of each hand from its goal, by the plain kinematics."""
    positions, rotations = kinematics.forward(BODY, angles)
    tips = kinematics.tip_positions(BODY, positions, rotations)
    errors = {}
    for name, goal in goals.items():
        hand = BODY.limbs[name].joints[-1]
        turned = 0.0 if goal.orientation is None else angle_between(rotations[hand], goal.orientation)
        errors[name] = (float(np.linalg.norm(tips[hand] - goal.position)), turned)
    return errors


def table_excess(angles: Floats, table: Table = TABLE) -> float:
    return kinematics.table_excess(BODY, table, *kinematics.forward(BODY, angles))


def dishonest(goals: Goals, posture: Posture) -> object:
    """What a posture says wrongly of itself, else None."""
    true = true_errors(goals, posture.angles)
    said = {name: (posture.hand_position_errors[name], posture.hand_orientation_errors[name]) for name in goals}
    distance, turned = (max(error[n] for error in true.values()) for n in range(2))
    same = all(np.allclose(true[name], said[name], rtol=0.0, atol=1e-9) for name in goals)
    same &= abs(posture.position_error - distance) < 1e-9 and abs(posture.orientation_error - turned) < 1e-9
    met = distance <= 0.001 * BODY.height and turned <= 1.0
    return None if same and posture.solved == met else (true, said, posture.solved)


def random_starts(count: int, seed: int) -> Floats:
    """Postures inside all limits and clear of the table, (count, dofs)."""
    drawn = batch.angles_in_limits(BODY, 10 * count, np.random.default_rng(seed))
    clear = batch.table_excess(BODY, TABLE, range(len(BODY.joints)), *batch.forward(BODY, drawn)) == 0.0
    return drawn[clear][:count]


def moved_apart(first: Posture, second: Posture, joints: list[int]) -> float:
    """How far the joint that moved most is from where it was."""
    return float(np.linalg.norm(first.joint_positions - second.joint_positions, axis=1)[joints].max())


# ---- honest, inside the limits, clear of the table


def test_the_errors_are_the_true_ones(answered: list[Answer]) -> None:
    assert where(answered, lambda answer: dishonest(answer.goals, answer.posture)) == []


def test_limits_hold(answered: list[Answer]) -> None:
    def wrong(answer: Answer) -> object:
        excess = BODY.limit_excess(answer.posture.angles)
        return excess if excess > EXCESS else None

    assert where(answered, wrong) == []


def test_nothing_is_in_the_table(answered: list[Answer]) -> None:
    def wrong(answer: Answer) -> object:
        excess = table_excess(answer.posture.angles)
        return excess if excess > EXCESS else None

    assert where(answered, wrong) == []


@pytest.mark.parametrize("kind", ["D", "A"])
def test_what_can_be_reached_is_reached(kind: str) -> None:
    missed = {chain: where(answers(chain, kind), lambda answer: not answer.posture.solved) for chain in CHAINS}
    assert sum(map(len, missed.values())) <= 0.01 * COUNT * len(CHAINS), missed


@pytest.mark.parametrize("chain", CHAINS)
def test_what_is_out_of_reach_is_missed(chain: str) -> None:
    assert where(answers(chain, "U"), lambda answer: answer.posture.solved) == []


@pytest.mark.parametrize("kind", ["D", "A"])
@pytest.mark.parametrize("chain", CHAINS)
def test_a_goal_without_orientation_is_met_as_well(chain: str, kind: str) -> None:
    def wrong(answer: Answer) -> object:
        goals = {name: HandGoal(goal.position) for name, goal in answer.goals.items()}
        posture = solve(answer.problem, goals)
        clear = table_excess(posture.angles) <= EXCESS and BODY.limit_excess(posture.angles) <= EXCESS
        fine = posture.solved and clear and posture.orientation_error == 0.0
        return None if fine and dishonest(goals, posture) is None else posture

    assert where(answers(chain, kind), wrong) == []


@pytest.mark.parametrize("kind", ["D", "A"])
@pytest.mark.parametrize("chain", CHAINS)
def test_goals_are_met_without_a_table_too(chain: str, kind: str) -> None:
    def wrong(answer: Answer) -> object:
        posture = solve(answer.problem, table=None)
        fine = posture.solved and BODY.limit_excess(posture.angles) <= EXCESS
        return None if fine and dishonest(answer.goals, posture) is None else posture

    assert len(where(answers(chain, kind), wrong)) <= 0.01 * COUNT


def rotations() -> st.SearchStrategy[Floats]:
    parts = st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1)
    return parts.map(lambda quaternion: Rotation.from_quat(quaternion).as_matrix())


a_goal = st.builds(
    HandGoal, st.tuples(st.floats(-1.2, 1.2), st.floats(0.0, 1.6), st.floats(-1.2, 1.2)), st.none() | rotations()
)
some_goals = st.dictionaries(st.sampled_from(["left", "right"]), a_goal, min_size=1)
# Tables such that a hanging arm is clear. No goal lies exactly in the plane of one's front, where rounding decides.
tables = st.none() | st.builds(
    lambda height, front: Table(height, front + 0.000137), st.floats(0.0, 0.7), st.floats(0.15, 0.6)
)


@settings(max_examples=80, deadline=None)
@given(some_goals, st.booleans(), tables, st.none() | st.integers(0, 1000))
def test_any_goal_gets_an_honest_posture(goals: Goals, torso: bool, table: Table | None, seed: int | None) -> None:
    start = None if seed is None else np.random.default_rng(seed).uniform(-4.0, 4.0, BODY.dofs)
    posture = solve_posture(BODY, **goals, torso=torso, table=table, start=start)  # type: ignore[arg-type]
    assert dishonest(goals, posture) is None
    assert BODY.limit_excess(posture.angles) <= EXCESS
    assert table is None or table_excess(posture.angles, table) <= EXCESS


# ---- the same, whatever should not matter


def mirrored_angles(angles: Floats) -> Floats:
    """The posture in a mirror: rotations about x stay, those about y and z flip, left and right are exchanged."""
    mirrored = np.empty_like(angles)
    for j, joint in enumerate(BODY.joints):
        side, _, rest = joint.name.partition("_")
        other = {"left": f"right_{rest}", "right": f"left_{rest}"}.get(side, joint.name)
        for place, rotation in enumerate(joint.rotations):
            sign = 1.0 if AXES[rotation.axis] == "x" else -1.0
            mirrored[BODY.dof(other, AXES[rotation.axis])] = sign * angles[3 * j + place]
    return mirrored


def mirrored_goals(goals: Goals) -> Goals:
    mirrored = {}
    for name, goal in goals.items():
        orientation = None if goal.orientation is None else FLIP @ goal.orientation @ FLIP
        mirrored["left" if name == "right" else "right"] = HandGoal(FLIP @ goal.position, orientation)
    return mirrored


def test_a_mirrored_posture_is_a_posture_in_a_mirror() -> None:
    angles = batch.angles_in_limits(BODY, 1, np.random.default_rng(8))[0]
    positions, _ = kinematics.forward(BODY, angles)
    mirrored, _ = kinematics.forward(BODY, mirrored_angles(angles))
    exchanged = [BODY.joint(name) for name in ("abdomen", "chest", "right_hand", "left_hand", "head")]
    here = [BODY.joint(name) for name in ("abdomen", "chest", "left_hand", "right_hand", "head")]
    assert np.abs(mirrored[exchanged] - positions[here] @ FLIP).max() < 1e-12


@pytest.mark.parametrize(("chain", "kind"), SETS)
def test_a_mirrored_problem_gets_the_mirrored_posture(chain: str, kind: str) -> None:
    """More problems of kind A: among them are arms that fold right up, where two bends of the elbow fit.

    Problems of kind B, at the edge of what can be met, take many steps, and those let the last bits grow.
    """
    most = 1e-3 if kind == "B" else 1e-6

    def wrong(answer: Answer) -> object:
        mirrored = solve(answer.problem, mirrored_goals(answer.goals))
        apart = np.abs(mirrored.angles - mirrored_angles(answer.posture.angles))
        return (BODY.dof_names[int(apart.argmax())], float(apart.max())) if apart.max() > most else None

    assert where(answers(chain, kind, 200 if kind == "A" else COUNT), wrong) == []


def test_the_same_call_gives_the_same_bits(answered: list[Answer]) -> None:
    def wrong(answer: Answer) -> object:
        first, again = answer.posture, solve(answer.problem)
        same = again.angles.tobytes() == first.angles.tobytes() and again.frames.tobytes() == first.frames.tobytes()
        return not same or again.score != first.score

    assert where(answered[::2], wrong) == []


def test_where_the_concerned_joints_start_does_not_matter(answered: list[Answer]) -> None:
    starts = random_starts(COUNT, 9)

    def wrong(answer: Answer) -> object:
        free = dofs_of([*concerned_joints(answer.problem), BODY.joint("head")])
        start = BODY.rest.copy()
        start[free] = starts[answer.number, free]
        return solve(answer.problem, start=start).angles.tobytes() != answer.posture.angles.tobytes()

    assert where(answered[::2], wrong) == []


def test_a_posture_may_be_the_start_of_the_next() -> None:
    first, second = answers("arm", "D")[:2]
    posture = solve(second.problem, start=first.posture)
    assert np.array_equal(posture.angles, solve(second.problem, start=first.posture.angles).angles)
    right = solve_posture(BODY, right=HandGoal([-0.2, 0.7, 0.3]), torso=False, table=TABLE, start=first.posture)
    left_arm = dofs_of(BODY.limbs["left"].joints)
    assert np.array_equal(right.angles[left_arm], first.posture.angles[left_arm])  # the left hand stays where it was


def test_idle_arms_keep_still_unless_the_table_is_in_the_way() -> None:
    starts, kept, cleared = random_starts(COUNT, 10), 0, 0
    for chain in ("arm", "arm+torso"):
        for kind in "DU":
            for answer, start in zip(answers(chain, kind), starts, strict=True):
                idle = dofs_of(idle_joints(answer.problem))
                posture = solve(answer.problem, start=start)
                unmoved = posture.angles.copy()
                unmoved[idle] = start[idle]
                if table_excess(unmoved) == 0.0:
                    kept += 1
                    assert np.array_equal(posture.angles, unmoved), (chain, kind, answer.number)
                else:
                    cleared += 1
                    assert table_excess(posture.angles) <= EXCESS, (chain, kind, answer.number)
                    assert BODY.limit_excess(posture.angles) <= EXCESS, (chain, kind, answer.number)
    assert kept > 3 * cleared > 0


def test_without_the_torso_it_stays_where_it_started() -> None:
    torso = dofs_of([BODY.joint("abdomen"), BODY.joint("chest")])
    for kind in "DU":
        for answer, start in zip(answers("arm", kind), random_starts(COUNT, 11), strict=True):
            posture = solve(answer.problem, start=start)
            assert np.array_equal(posture.angles[torso], start[torso])
            assert dishonest(answer.goals, posture) is None
    for answer in answers("both", "D")[::4]:
        posture = solve(answer.problem, torso=False)
        assert np.array_equal(posture.angles[torso], BODY.rest[torso])
        assert dishonest(answer.goals, posture) is None


def test_a_start_outside_the_limits_is_brought_inside() -> None:
    start = BODY.rest.copy()  # clamped, the bend allows less of a lean than it did before: (5.32)
    start[BODY.dof("abdomen", "x")], start[BODY.dof("abdomen", "z")] = math.radians(90), math.radians(30)
    posture = solve_posture(BODY, left=HandGoal([0.2, 0.7, 0.3]), torso=False, start=start)
    assert math.degrees(posture.angles[BODY.dof("abdomen", "x")]) == pytest.approx(45)
    assert math.degrees(posture.angles[BODY.dof("abdomen", "z")]) == pytest.approx(20)
    assert BODY.limit_excess(posture.angles) <= EXCESS


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
        turn = kinematics.axis_rotation(0, nod) @ kinematics.axis_rotation(1, shake)
        way = chest.T @ (target - posture.joint_positions[gaze.joint]) - turn @ gaze.eyes
        if np.linalg.norm(way) < 0.1:
            return False
        x, y, z = way / np.linalg.norm(way)
        nod, shake = math.atan2(-y, z), math.asin(x)
    margin = math.radians(5.0)
    axes = zip(head.rotations[::2], (nod, shake), strict=True)
    inside = [axis.lower + margin < angle < axis.upper - margin for axis, angle in axes]
    turn = kinematics.axis_rotation(0, nod) @ kinematics.axis_rotation(1, shake)
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
        tilt = kinematics.axis_rotation(0, math.radians(3.0))
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


# ---- what is asked for again


@pytest.mark.parametrize("kind", ["D", "B", "U"])
@pytest.mark.parametrize("chain", ["arm", "arm+torso", "both"])
def test_a_remembered_answer_is_the_same_from_any_start(chain: str, kind: str) -> None:
    """To the bit, with other joints and another trunk than when it was first asked for."""
    memory, starts = Memory(), random_starts(40, 4)

    def wrong(answer: Answer) -> object:
        task = (BODY, answer.goals, answer.problem.torso, TABLE)
        for start in (None, starts[answer.number % 40], starts[(answer.number + 1) % 40], None):
            fresh = pose_limbs(*task, start, "puppet", None, None)
            again = pose_limbs(*task, start, "puppet", None, memory)
            if again.angles.tobytes() != fresh.angles.tobytes() or again.score != fresh.score:
                return "another posture"
        return None

    assert where(answers(chain, kind, COUNT)[::4], wrong) == []
