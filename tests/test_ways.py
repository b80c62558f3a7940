"""Ways of hands: round things, straight where they slide, carry or stay; and the limb that follows a way."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares

from puppet import Stage
from puppet.body import Body
from puppet.compiled import kernels
from puppet.environment import load_environment
from puppet.obstacles import Things, points_to_table, points_to_things, things_to_table, things_to_things
from puppet.pose import Pose, rotation_about, rotation_vector
from puppet.posing import joint_frames, tip_poses
from puppet.staging import hold
from puppet.table import Table

BODY = Body.load()
BLOCKS = load_environment("environments/blocks.yaml")
LIMB = np.array(BODY.limb("left").joints)
DOFS = np.array([3 * j + n for j in LIMB for n in range(3)])
PARENT = BODY.joints[LIMB[0]].parent
LOWER, UPPER = BODY.arrays.limits[DOFS, 0], BODY.arrays.limits[DOFS, 1]


def tip(angles: np.ndarray) -> Pose:
    return tip_poses(BODY, joint_frames(BODY, angles))["left"]


def followed(start: np.ndarray, targets: list[Pose], sizes: tuple[float, ...], anew: bool = False) -> np.ndarray:
    """The arm's angles, the trunk being that of `start`, and the reference always the arm's first angles."""
    count = len(targets)
    base = np.tile(joint_frames(BODY, start)[PARENT], (count, 1))
    rows = np.array([np.concatenate([pose.position, pose.rotation.ravel()]) for pose in targets])
    angles, errors = np.empty((count, len(DOFS))), np.empty((count, 2))
    model = BODY.model
    references = np.tile(start[DOFS], (count, 1))
    kernels().follow(model.joints, model.dofs, LIMB, base, rows, references, np.array(sizes), anew, angles, errors)
    return angles


def with_arm(start: np.ndarray, arm: np.ndarray) -> np.ndarray:
    angles = start.copy()
    angles[DOFS] = arm
    return angles


@pytest.mark.parametrize("seed", range(40))
def test_what_is_near_is_met_exactly(seed: int) -> None:
    rng = np.random.default_rng(seed)
    start = rng.uniform(0.7 * BODY.arrays.limits[:, 0], 0.7 * BODY.arrays.limits[:, 1])
    goal = with_arm(start, np.clip(start[DOFS] + rng.normal(0.0, 0.05, len(DOFS)), LOWER, UPPER))
    arm = followed(start, [tip(goal)], (1e-5, 1e-2, 3.0))[0]
    found = tip(with_arm(start, arm))
    assert found.distance(tip(goal)) < 1e-6
    assert found.angle(tip(goal)) < 2e-3
    assert np.all(arm >= LOWER)
    assert np.all(arm <= UPPER)


@pytest.mark.parametrize("seed", range(20))
def test_no_general_solver_finds_a_better_arm_near_by(seed: int) -> None:
    """The slow twin: bounded least squares from SciPy on the same sum, from the same start."""
    rng = np.random.default_rng(100 + seed)
    start = rng.uniform(0.6 * BODY.arrays.limits[:, 0], 0.6 * BODY.arrays.limits[:, 1])
    here = tip(start)
    target = Pose.of(here.position + rng.normal(0.0, 0.02, 3), rotation_about(rng.normal(0.0, 0.2, 3)) @ here.rotation)
    sizes = (1e-2, 1e-1, 1.0)

    def parts(arm: np.ndarray) -> np.ndarray:
        found = tip(with_arm(start, arm))
        turn = rotation_vector(target.rotation @ found.rotation.T)
        return np.concatenate(
            [(target.position - found.position) / sizes[0], turn / sizes[1], (arm - start[DOFS]) / sizes[2]]
        )

    arm = followed(start, [target], sizes)[0]
    free = UPPER > LOWER
    first = start[DOFS][free]

    def of_free(values: np.ndarray) -> np.ndarray:
        whole = start[DOFS].copy()
        whole[free] = values
        return parts(whole)

    twin = least_squares(of_free, first, bounds=(LOWER[free], UPPER[free]), xtol=1e-12, ftol=1e-12, gtol=1e-12)
    assert float(np.sum(parts(arm) ** 2)) <= 2.0 * twin.cost * 1.02 + 1e-6


def test_where_limits_are_in_the_way_the_place_is_kept_and_the_orientation_is_not() -> None:
    stage = Stage(BLOCKS, BODY)
    start = np.array(stage.frame.angles)
    here = tip(start)
    back = rotation_about(np.array([0.0, 2.5, 0.0])) @ here.rotation  # the hand points at the puppet
    target = Pose.of(here.position + np.array([0.0, 0.05, 0.02]), back)
    arm = followed(start, [target], (1e-5, 1e-2, 3.0))[0]
    found = tip(with_arm(start, arm))
    assert found.distance(target) < 1e-3
    assert found.angle(target) > 0.1


# ---- distances


def cube(name: str, half: float, centre: tuple[float, float, float], turn: float = 0.0) -> Things:
    rotation = rotation_about(np.array([0.0, turn, 0.0]))
    return Things((name,), np.array([half]), np.array([[centre]], dtype=float), rotation[None, None])


@pytest.mark.parametrize(
    ("point", "gap"),
    [((0.0, 0.0, 0.0), -0.1), ((0.15, 0.0, 0.0), 0.05), ((0.1, 0.1, 0.0), 0.0), ((0.13, 0.14, 0.0), 0.05)],
)
def test_points_to_things(point: tuple[float, float, float], gap: float) -> None:
    points = np.array(point)[None, None, None]
    assert points_to_things(points, cube("a", 0.1, (0.0, 0.0, 0.0)))[0, 0, 0] == pytest.approx(gap, abs=1e-12)


def test_a_turned_cube_is_turned() -> None:
    points = np.array([0.12, 0.0, 0.0])[None, None, None]
    turned = points_to_things(points, cube("a", 0.1, (0.0, 0.0, 0.0), np.pi / 4))[0, 0, 0]
    assert turned < 0.0 < points_to_things(points, cube("a", 0.1, (0.0, 0.0, 0.0)))[0, 0, 0]


def test_things_to_things_and_to_the_table() -> None:
    on_top = things_to_things(cube("a", 0.1, (0.0, 0.3, 0.0)), cube("b", 0.2, (0.05, 0.0, 0.0)))
    assert on_top[0, 0] == pytest.approx(0.0)
    table = Table(0.5, 0.2)
    assert things_to_table(cube("a", 0.1, (0.0, 0.6, 0.4)), table)[0] == pytest.approx(0.0)
    assert things_to_table(cube("a", 0.1, (0.0, 0.55, 0.4)), table)[0] == pytest.approx(-0.05)
    assert things_to_table(cube("a", 0.1, (0.0, 0.3, 0.0)), table)[0] == pytest.approx(0.1)  # before its edge
    assert points_to_table(np.array([[[[0.0, 0.45, 0.3]]]]), table)[0, 0] == pytest.approx(-0.05)


def test_a_hand_goes_round_the_edges_of_what_it_holds() -> None:
    """From the top to the side: on the surface all the way, not through the corner."""
    ways = hold(Pose.of((0.0, 0.03, 0.0)), Pose.of((0.03, 0.0, 0.0)), np.linspace(0.05, 1.0, 20))
    assert np.abs(ways.positions).max(axis=1) == pytest.approx(np.full(21, 0.03))


# ---- ways


def tips(stage: Stage, hand: str, *lines: str) -> np.ndarray:
    for line in lines:
        assert stage.give(line).status != "rejected", line
    found = [stage.hands[hand].position]
    while not stage.idle:
        stage.step()
        found.append(stage.hands[hand].position)
    return np.array(found)


@pytest.mark.parametrize("by", [(0.05, 0.1, 0.0), (-0.08, 0.12, 0.05), (0.0, 0.1, 0.1)])
def test_a_hand_slides_straight(by: tuple[float, float, float]) -> None:
    stage = Stage(BLOCKS, BODY)
    tips(stage, "left", "slide left by (0, 0.1, 0.05)")
    way = tips(stage, "left", f"slide left by {by}")
    line = way[-1] - way[0]
    off = np.cross(way - way[0], line / np.linalg.norm(line))
    assert np.linalg.norm(off, axis=1).max() < 3e-3


def test_a_hand_that_turns_in_place_stays_there() -> None:
    stage = Stage(BLOCKS, BODY)
    tips(stage, "left", "slide left by (0, 0.1, 0.05)")
    way = tips(stage, "left", "slide left by (0, 0, 0) turn (0, -110, 0)")
    assert np.linalg.norm(way - way[0], axis=1).max() < 3e-3


def test_a_resting_hand_stays_while_the_trunk_leans() -> None:
    way = tips(Stage(BLOCKS, BODY), "right", "reach space 6 with left")
    assert np.linalg.norm(way - way[0], axis=1).max() < 5e-3


@pytest.mark.parametrize("line", ["reach red with left", "reach space 1 with left", "reach green with left, grip side"])
def test_a_locked_hand_stays_at_its_thing_while_the_other_works(line: str) -> None:
    stage = Stage(BLOCKS, BODY)
    tips(stage, "right", "reach blue with right", "lock right")
    way = tips(stage, "right", line)
    assert np.linalg.norm(way - way[0], axis=1).max() < 5e-3


def test_more_clearance_is_kept_when_asked_for() -> None:
    heights = []
    for clearance in (0.0, 0.05):
        stage = Stage(BLOCKS, BODY)
        stage.give(f"set clearance {clearance}")
        heights.append(tips(stage, "left", "reach green with left")[:, 1].max())
    assert heights[1] > heights[0] + 0.01


def test_what_is_carried_stays_level() -> None:
    stage = Stage(BLOCKS, BODY)
    tips(stage, "left", "reach yellow with left", "lock left")
    stage.give("reach space 1 with left")
    tilts = []
    while not stage.idle:
        rotation = stage.step().objects["yellow"].rotation
        tilts.append(np.degrees(np.arccos(min(1.0, rotation[1, 1]))))
    assert max(tilts) < 10.0
