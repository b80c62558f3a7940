"""Paths of hands: around things, straight where they slide, carry or stay; and the limb that follows a path."""

from __future__ import annotations

import numpy as np
import pytest
from puppet.motion.obstacles import Obstacles, Things, Verdict
from scipy.optimize import least_squares

from puppet import Stage
from puppet.body import Body, joint_transforms, tip_transforms
from puppet.geometry import Transform
from puppet.geometry.transform import rotation_about, rotation_vector
from puppet.motion import follow, grip_change
from puppet.scene import Table, load_environment

BODY = Body.load()
BLOCKS = load_environment("environments/blocks.yaml")
LIMB = np.array(BODY.limb("left").joints)
DOFS = np.array([3 * j + n for j in LIMB for n in range(3)])
PARENT = BODY.joints[LIMB[0]].parent
LOWER, UPPER = BODY.arrays.limits[DOFS, 0], BODY.arrays.limits[DOFS, 1]


def tip(angles: np.ndarray) -> Transform:
    return tip_transforms(BODY, joint_transforms(BODY, angles))["left"]


def followed(start: np.ndarray, targets: list[Transform], sizes: tuple[float, ...], anew: bool = False) -> np.ndarray:
    """The arm's angles, the trunk being that of `start`, and the reference always the arm's first angles."""
    rows = np.array([np.concatenate([pose.position, pose.rotation.ravel()]) for pose in targets])
    base, references = (np.tile(row, (len(rows), 1)) for row in (joint_transforms(BODY, start)[PARENT], start[DOFS]))
    return follow(BODY, "left", base, rows, references, np.array([[*sizes, float(anew)]]))[0]


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
    place, turn = here.position + rng.normal(0.0, 0.02, 3), rotation_about(rng.normal(0.0, 0.2, 3))
    target = Transform.of(place, turn @ here.rotation)
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
    target = Transform.of(here.position + np.array([0.0, 0.05, 0.02]), back)
    arm = followed(start, [target], (1e-5, 1e-2, 3.0))[0]
    found = tip(with_arm(start, arm))
    assert found.distance(target) < 1e-3
    assert found.angle(target) > 0.1


# ---- distances


ARM = np.zeros((3, len(DOFS)))  # three frames of an arm that hangs down, or is raised in the second
ARM[1, 0] = -1.0


def things(*cubes: tuple[float, tuple[float, float, float]], turn: float = 0.0, frames: int = len(ARM)) -> Things:
    """Cubes that stand still: half sizes and centres, all turned about the vertical."""
    rotation = rotation_about(np.array([0.0, turn, 0.0])).ravel()
    rows = np.array([[*centre, *rotation] for _, centre in cubes]).reshape(-1, 12)
    names = tuple("abcdefgh"[: len(cubes)])
    return Things(names, np.array([half for half, _ in cubes]), np.tile(rows, (frames, 1, 1)))


UNDER = Table(-9.0, 9.0)  # out of the way


def judged(
    arm: np.ndarray, others: Things, carried: Things, wanted: float = -np.inf, table: Table = UNDER
) -> Verdict:
    bases = np.tile(joint_transforms(BODY, np.zeros(BODY.dofs))[PARENT], (len(arm), 1))
    return Obstacles(BODY, "left", bases, table, others, carried).judge(arm, np.full(len(arm), wanted))


def slow_gaps(arm: np.ndarray, others: Things, carried: Things, table: Table) -> np.ndarray:
    """The readable twin: (frames, gaps), with the same points on the same lines."""
    found = []
    for frame, angles in enumerate(arm):
        frames = joint_transforms(BODY, with_arm(np.zeros(BODY.dofs), angles))
        hand = tip_transforms(BODY, frames)["left"]
        elbow, wrist = frames[LIMB[-2], :3], frames[LIMB[-1], :3]
        lines = [np.linspace(wrist, hand.position, 9), np.linspace(elbow, wrist, 9)]
        row = [min(max(y - table.height, table.front - z) for _, y, z in line) for line in lines]
        cubes = [Transform.of(r[:3], r[3:]) for r in others.rows[frame]]
        for cube, half in zip(cubes, others.half_widths, strict=True):
            for line in lines:
                local = np.abs((line - cube.position) @ cube.rotation) - half
                outside = np.linalg.norm(np.maximum(local, 0.0), axis=1)
                row.append((outside + np.minimum(local.max(axis=1), 0.0)).min())
        if carried.names:
            own = [hand.compose(Transform.of(r[:3], r[3:])) for r in carried.rows[frame]]
            sizes = [np.abs(pose.rotation).sum(axis=1) * h for pose, h in zip(own, carried.half_widths, strict=True)]
            row.append(min(
                max(p.position[1] - s[1] - table.height, table.front - p.position[2] - s[2])
                for p, s in zip(own, sizes, strict=True)
            ))  # fmt: skip
            for cube, half in zip(cubes, others.half_widths, strict=True):
                size = np.abs(cube.rotation).sum(axis=1) * half
                row.append(min(
                    (np.abs(p.position - cube.position) - s - size).max() for p, s in zip(own, sizes, strict=True)
                ))  # fmt: skip
        found.append(row)
    return np.array(found)


@pytest.mark.parametrize("seed", range(30))
def test_a_path_is_judged_as_by_its_readable_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    arm = rng.uniform(LOWER, UPPER, (7, len(DOFS)))
    reach = tip(with_arm(np.zeros(BODY.dofs), arm[3])).position
    cubes = [(rng.uniform(0.01, 0.1), tuple(reach + rng.normal(0.0, 0.1, 3))) for _ in range(seed % 4)]
    held = [(0.03, (0.0, 0.0, 0.03)), (0.02, (0.01, 0.05, 0.03))][: seed % 3]
    others, carried = things(*cubes, turn=0.1 * seed, frames=7), things(*held, turn=0.05 * seed, frames=7)
    table, wanted = Table(0.5, 0.1), 0.02
    gaps = slow_gaps(arm, others, carried, table)
    weights = np.ones(gaps.shape[1])
    weights[1 : 2 + 2 * len(cubes) : 2] = 0.2  # forearms
    into = np.maximum(np.minimum(-1e-3, np.minimum(gaps[0], gaps[-1]) - 1e-4) - gaps, 0.0)
    near = np.maximum(wanted - gaps, into)
    verdict = judged(arm, others, carried, wanted, table)
    assert verdict.penetration == pytest.approx((into * weights).max(), abs=1e-12)
    assert verdict.shortfall == pytest.approx((near * weights).max(), abs=1e-12)
    assert verdict.hand_shortfall == pytest.approx(near[:, weights == 1.0].max(), abs=1e-12)
    assert verdict.early == bool((near[:3] > 0.0).any())
    assert verdict.late == bool((near[3:] > 0.0).any())
    assert verdict.step == pytest.approx(np.abs(np.diff(arm, axis=0)).max())


def test_a_hand_that_goes_through_a_thing_is_in_it() -> None:
    """The hand swings forwards through a cube, and is nowhere near it when it begins and when it ends."""
    middle = tip(with_arm(np.zeros(BODY.dofs), ARM[1])).position
    cube = things((0.05, tuple(middle)))
    verdict = judged(ARM, cube, things())
    assert verdict.penetration == pytest.approx(0.05 - 1e-3)  # its tip is in the very middle; that deep they only touch
    assert judged(ARM[[0, 2, 0]], cube, things()).penetration == 0.0


def test_what_is_carried_collides_and_tilts() -> None:
    hand = tip(with_arm(np.zeros(BODY.dofs), ARM[1]))
    held = things((0.02, (0.0, 0.0, 0.06)))
    beyond = hand.compose(Transform.of((0.0, 0.0, 0.06))).position
    assert judged(ARM, things((0.01, tuple(beyond))), held).penetration > 0.02
    assert judged(ARM, things((0.01, tuple(beyond))), things()).penetration == 0.0
    assert judged(ARM, things(), held).tilt > 10.0
    assert judged(ARM, things(), things()).tilt == 0.0


def test_a_hand_goes_round_the_edges_of_what_it_holds() -> None:
    """From the top to the side: always on the surface, not through the corner."""
    path = grip_change(Transform.of((0.0, 0.03, 0.0)), Transform.of((0.03, 0.0, 0.0)), np.linspace(0.05, 1.0, 20))
    assert np.abs(path.positions).max(axis=1) == pytest.approx(np.full(21, 0.03))


# ---- paths


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
    path = tips(stage, "left", f"slide left by {by}")
    line = path[-1] - path[0]
    off = np.cross(path - path[0], line / np.linalg.norm(line))
    assert np.linalg.norm(off, axis=1).max() < 3e-3


def test_a_hand_that_turns_in_place_stays_there() -> None:
    stage = Stage(BLOCKS, BODY)
    tips(stage, "left", "slide left by (0, 0.1, 0.05)")
    path = tips(stage, "left", "slide left by (0, 0, 0) turn (0, -110, 0)")
    assert np.linalg.norm(path - path[0], axis=1).max() < 3e-3


def test_a_resting_hand_stays_while_the_trunk_leans() -> None:
    path = tips(Stage(BLOCKS, BODY), "right", "reach space 6 with left")
    assert np.linalg.norm(path - path[0], axis=1).max() < 5e-3


@pytest.mark.parametrize("line", ["reach red with left", "reach space 1 with left", "reach green with left, grip side"])
def test_a_locked_hand_stays_at_its_thing_while_the_other_works(line: str) -> None:
    stage = Stage(BLOCKS, BODY)
    tips(stage, "right", "reach blue with right", "lock right")
    path = tips(stage, "right", line)
    assert np.linalg.norm(path - path[0], axis=1).max() < 5e-3


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
