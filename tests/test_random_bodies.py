"""Bodies with any lengths, limits and limbs, stiff joints among them: every answer is finite, inside the limits, honest
about its miss, and the same every time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.figure_random import random_drag
from benchmarks.random_bodies import random_body
from puppet import Body, HandGoal, Posture, PuppetError, Table, solve_posture
from puppet.body import kernel_dofs, kinematics
from puppet.errors import GoalError
from puppet.files import shipped
from puppet.geometry import axis_rotation
from puppet.kernels.loader import kernels
from puppet.posture import Memory, pose_limbs
from puppet.posture.chain import find_chain
from puppet.types import Floats
from tests.plain_kernels import plain

TABLE = Table(0.6, 0.2, 0.0)
MOST_POSTURES = 5000  # that are tried for any goals of any body: the effort has a bound


def corset(folder: Path) -> Body:
    """The body of docs/bodies.md whose trunk turns and leans but does not bend."""
    text = (shipped.folder("bodies") / "seated.yaml").read_text(encoding="utf-8")
    (folder / "corset.yaml").write_text(text.replace("limits: [-7, 45]", "limits: [0, 0]"), encoding="utf-8")
    return Body.load(folder / "corset.yaml")


def tip_of(body: Body, limb: str, angles: Floats) -> tuple[Floats, Floats]:
    """Place and rotation of a limb's end, by the plain kinematics."""
    positions, rotations = kinematics.forward(body, angles)
    hand = body.limbs[limb].joints[-1]
    return kinematics.tip_positions(body, positions, rotations)[hand], rotations[hand]


def random_goal(body: Body, limb: str, random: np.random.Generator) -> HandGoal:
    """Half of them where some posture inside the limits has the hand, half anywhere near the table."""
    if random.random() < 0.5:
        place, turn = tip_of(body, limb, random.uniform(*body.limits_at(np.zeros(body.dofs))))
    else:
        place, turn = random.uniform([-0.5, 0.5, 0.1], [0.5, 1.1, 0.7]), np.linalg.qr(random.normal(size=(3, 3)))[0]
        turn *= np.sign(np.linalg.det(turn))
    return HandGoal(place, turn if random.random() < 0.7 else None)


def check(body: Body, goals: dict[str, HandGoal], posture: Posture) -> None:
    assert np.isfinite(posture.angles).all()
    assert body.limit_excess(posture.angles) < 1e-9
    missed = max(np.linalg.norm(tip_of(body, limb, posture.angles)[0] - goal.position) for limb, goal in goals.items())
    assert abs(posture.position_error - missed) < 1e-9
    assert not posture.solved or missed <= 0.001 * body.height
    assert posture.iterations <= MOST_POSTURES


@pytest.mark.parametrize("first", range(0, 24, 12))
def test_a_random_body_answers_any_goal(first: int) -> None:
    for seed in range(first, first + 12):
        body, random = random_body(seed), np.random.default_rng(seed)
        for _ in range(2):
            limbs = [limb for limb in body.limbs if random.random() < 0.6] or list(body.limbs)
            goals = {limb: random_goal(body, limb, random) for limb in limbs}
            table = TABLE if random.random() < 0.6 else None
            try:
                posture = solve_posture(body, table=table, **goals)
            except GoalError:  # the table leaves the body no room
                continue
            check(body, goals, posture)
            again = solve_posture(body, table=table, **goals)
            assert (again.angles == posture.angles).all()


def test_a_start_outside_the_ranges_gives_a_posture_inside_them() -> None:
    person = Body.load("person")
    for seed in range(6):
        random = np.random.default_rng(seed)
        goals = {"left": HandGoal(random.uniform([-0.2, 0.5, 0.1], [0.4, 0.9, 0.5]))}
        check(person, goals, solve_posture(person, start=person.rest + random.normal(0.0, 1.0, person.dofs), **goals))


def test_an_idle_arm_that_is_moved_out_of_the_table_stays_in_its_range() -> None:
    person, moved = Body.load("person"), 0
    idle = list(person.rotation_dofs[person.joint("right_shoulder")])
    for seed in range(40):
        random = np.random.default_rng(seed)
        goals = {"left": HandGoal(random.uniform([0.0, 0.65, 0.2], [0.4, 0.9, 0.4]))}
        start = person.rest.copy()
        start[idle] += random.uniform(-1.5, 1.5, 3)
        person.put_into_range(person.joint("right_shoulder"), start)
        posture = solve_posture(person, start=start, table=TABLE, **goals)
        check(person, goals, posture)
        moved += bool((posture.angles[idle] != start[idle]).any())
    assert moved > 3


def test_a_goal_has_the_same_answer_whatever_other_joints_do_and_whatever_was_asked_before() -> None:
    person, memory = Body.load("person"), Memory()
    goals = {"left": HandGoal((0.15, 0.62, 0.3), axis_rotation(1, 0.3))}
    other = person.rest.copy()
    other[list(person.rotation_dofs[person.joint("right_shoulder")])] += (0.9, -1.4, 1.2)  # outside its range
    arm = person.dofs_of(person.limb("left").joints)
    found = [
        pose_limbs(person, goals, False, TABLE, start, "puppet", None, kept).angles[arm].tobytes()
        for start, kept in ((person.rest, Memory()), (other, Memory()), (other, memory), (person.rest, memory))
    ]
    assert len(set(found)) == 1
    assert person.limit_excess(other) > 0.1


def test_a_random_body_is_dragged() -> None:
    for seed in range(15):
        body = random_body(seed)
        frames = random_drag(body, seed, steps=4)
        assert np.isfinite(frames).all()
        assert max(body.limit_excess(frame) for frame in frames) < 1e-9


def test_a_stiff_trunk_is_solved_and_stays_stiff(tmp_path: Path) -> None:
    body, random = corset(tmp_path), np.random.default_rng(1)
    stiff = [body.dof("abdomen", "x"), body.dof("chest", "x")]
    met = 0
    for _ in range(60):
        goals = {"left": random_goal(body, "left", random)}
        posture = solve_posture(body, table=TABLE if random.random() < 0.5 else None, **goals)
        check(body, goals, posture)
        assert (posture.angles[stiff] == 0.0).all()
        met += posture.solved
    assert met > 15
    # out of the arm's reach until the trunk turns and leans
    reach = solve_posture(body, left=HandGoal((-0.35, 0.8, 0.25), None))
    assert reach.solved
    assert not solve_posture(body, left=HandGoal((-0.35, 0.8, 0.25), None), torso=False).solved


def test_what_is_not_finite_is_no_solution(body: Body) -> None:
    posture = solve_posture(body, left=HandGoal((0.2, 0.8, 0.3)))
    assert posture.solved
    model, chain, goal = body.model, find_chain(body, ("left",), True), HandGoal(posture.hand_positions["left"])
    idle = kernel_dofs(body.limbs["right"].joints)[0]
    for flaw in (0.0, np.nan, np.inf):  # in a joint that no goal concerns
        broken, transforms, results = posture.kernel_angles.copy(), posture.transforms.copy(), np.empty(3)
        broken[idle] += flaw
        kernels().finish(
            model.joints, model.dofs, model.gaze, model.below, chain.limb_joints, chain.hands, chain.trunk,
            chain.idle_roots, goal.row[None], np.array([False]), np.array([-1e30, 0.0]), body.height,
            np.full(3, np.nan), broken.copy(), transforms, broken, results, np.empty(6),
        )  # fmt: skip
        assert Posture(body, ("left",), np.zeros(0), broken, transforms, results, 1).solved == (flaw == 0.0)
    errors = plain("ccd").goal_errors
    transforms, goals = posture.transforms.copy(), np.zeros((1, 12))
    transforms[:, 1] = np.nan
    assert errors(body.model.joints, transforms, np.array([4]), goals, np.array([False]))[0] == np.inf


@pytest.mark.parametrize("seed", [1])
def test_no_workspace_is_read_before_it_is_written(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernels uncompiled, on memory full of nan and full of threes: the answers are the same to the bit."""
    body, empty, answers = random_body(seed), np.empty, set()
    entries = plain("entries")

    for flaw in (np.nan, 3.0):

        def filled(*args: object, **options: object) -> Floats:
            found = empty(*args, **options)  # type: ignore[call-overload]
            if found.dtype.kind == "f":
                found.fill(flaw)  # noqa: B023
            return found  # type: ignore[no-any-return]

        with monkeypatch.context() as patch:
            patch.setattr(np, "empty", filled)
            patch.setattr("puppet.posture.posture.kernels", lambda: entries)
            patch.setattr("puppet.posture.trunk.kernels", lambda: entries)
            goals = {limb: HandGoal((0.1, 0.8, 0.25), np.eye(3)) for limb in body.limbs}
            try:
                answers.add(solve_posture(body, table=TABLE, **goals).angles.tobytes())
            except PuppetError as error:
                answers.add(str(error).encode())
    assert len(answers) == 1
