"""Forward kinematics, limits and table clearance: the compiled, the plain and another library's agree."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from scipy.spatial.transform import Rotation

from puppet import HandGoal, Table, solve_posture
from puppet.body import AXES, Body, kinematics
from puppet.kernels import table_clearance
from puppet.kernels.forward_kinematics import bounds
from puppet.kernels.loader import kernels
from puppet.scene import point_excess, segment_excess, table_excess
from puppet.types import Floats

TABLE = Table(0.6, 0.2, 0.0)
EDGE = np.array([0.0, TABLE.height, TABLE.front])  # a point on the table's front edge
EXACT = 1e-12
OF_ANY_ORDER = ["".join(order) for order in permutations(AXES)]


def tree_text() -> str:
    """A body of nine joints in four branches, with every rotation order and bones in odd directions."""
    parents = [None, 0, 1, 1, 3, 4, 0, 6, 3]
    spots = np.random.default_rng(7).uniform(-0.5, 0.5, (len(parents), 3)).round(3)
    lines = ["name: tree", "height: 1.3", "joints:"]
    for j, parent in enumerate(parents):
        lines += [f"  joint{j}:", f"    centre: {spots[j].tolist()}"]
        lines += [f"    parent: joint{parent}"] if parent is not None else []
        lines += ["    rotations:"]
        order = OF_ANY_ORDER[j % len(OF_ANY_ORDER)]
        lines += [f"      - {{axis: {axis}, limits: [-170, 175], weights: [1, 1, 1]}}" for axis in order]
        lines += [f"    tip: {[0.01 * j, 0.1, -0.02]}", "    clearance: {centre: 0.03, segment: 0.02, tip: 0.01}"]
    lines += ["limbs:", "  twig: {trunk: [joint0, joint1, joint3], joints: [joint4, joint5]}"]
    lines += ["  branch: {joints: [joint6, joint7]}"]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Body:
    path = tmp_path_factory.mktemp("bodies") / "tree.yaml"
    path.write_text(tree_text(), encoding="utf-8")
    return Body.load(path)


@pytest.fixture(params=["seated", "tree"])
def any_body(request: pytest.FixtureRequest, body: Body, tree: Body) -> Body:
    return body if request.param == "seated" else tree


def scipy_forward(body: Body, angles: Floats) -> tuple[Floats, Floats]:
    """Positions and rotations by scipy's intrinsic Euler angles, from the joints as the file gives them."""
    positions, rotations = np.empty((len(body.joints), 3)), np.empty((len(body.joints), 3, 3))
    for j, joint in enumerate(body.joints):
        order = "".join(AXES[r.axis] for r in joint.rotations).upper()
        local = Rotation.from_euler(order, angles[3 * j : 3 * j + 3]).as_matrix()
        if joint.parent < 0:
            positions[j], rotations[j] = joint.centre, local
        else:
            offset = np.subtract(joint.centre, body.joints[joint.parent].centre)
            positions[j] = positions[joint.parent] + rotations[joint.parent] @ offset
            rotations[j] = rotations[joint.parent] @ local
    return positions, rotations


def compiled_forward(body: Body, angles: Floats) -> tuple[Floats, Floats]:
    """Positions (n, joints, 3) and rotations (n, joints, 3, 3) by the compiled kernel, for angles (n, dofs)."""
    transforms = np.empty((len(angles), len(body.joints), 12))
    kernels().forward(body.model.joints, angles, transforms)
    return transforms[:, :, :3], transforms[:, :, 3:].reshape(len(angles), -1, 3, 3)


# ---- forward kinematics


def test_the_made_up_body_uses_every_order(tree: Body) -> None:
    assert {tuple(r.axis for r in joint.rotations) for joint in tree.joints} == set(permutations(range(3)))
    assert len(tree.arrays.parents) - len(set(tree.arrays.parents.tolist()) - {-1}) == 4  # leaves


def test_compiled_and_plain_and_scipy_put_all_joints_in_the_same_place(any_body: Body) -> None:
    angles = np.random.default_rng(1).uniform(-math.pi, math.pi, (200, any_body.dofs))
    angles[0] = 0.0
    angles[1, ::2] = 0.0
    compiled = compiled_forward(any_body, angles)
    for n, posture in enumerate(angles):
        positions, rotations = kinematics.forward(any_body, posture)
        other_positions, other_rotations = scipy_forward(any_body, posture)
        assert np.abs(positions - other_positions).max() < EXACT
        assert np.abs(rotations - other_rotations).max() < EXACT
        assert np.abs(compiled[0][n] - other_positions).max() < EXACT
        assert np.abs(compiled[1][n] - other_rotations).max() < EXACT


def test_a_zero_posture_is_the_one_in_the_file(any_body: Body) -> None:
    positions, rotations = kinematics.forward(any_body, np.zeros(any_body.dofs))
    assert np.abs(positions - [joint.centre for joint in any_body.joints]).max() < EXACT
    assert np.array_equal(rotations, np.tile(np.eye(3), (len(any_body.joints), 1, 1)))


def test_the_transforms_of_a_posture_are_those_of_its_angles(any_body: Body) -> None:
    goal = HandGoal([0.25, 0.7, 0.3])
    for name in any_body.limbs:
        posture = solve_posture(any_body, **{name: goal})
        positions, rotations = scipy_forward(any_body, posture.angles)
        assert np.abs(posture.joint_positions - positions).max() < EXACT
        assert np.abs(posture.joint_rotations - rotations).max() < EXACT
        hand = any_body.limbs[name].joints[-1]
        tip = positions[hand] + rotations[hand] @ any_body.joints[hand].tip
        assert np.abs(posture.hand_positions[name] - tip).max() < EXACT
        assert np.abs(posture.hand_orientations[name] - rotations[hand]).max() < EXACT


# ---- limits


@pytest.mark.parametrize("joint", ["abdomen", "chest"])
@pytest.mark.parametrize(("bend", "limit"), [(0, 10), (22.5, 15), (45, 20), (90, 30), (120, 30), (-4.5, 11)])
def test_the_torso_leans_farther_the_more_it_bends(body: Body, joint: str, bend: float, limit: float) -> None:
    angles = np.zeros(body.dofs)  # (5.32), (5.33): from its own limits towards those of y, over a quarter turn
    angles[body.dof(joint, "x")] = math.radians(bend)
    lower, upper = body.limits_at(angles)
    z = body.dof(joint, "z")
    assert math.degrees(upper[z]) == pytest.approx(limit)
    assert math.degrees(lower[z]) == pytest.approx(-limit)
    angles[z] = math.radians(limit + 1.0)
    excess = max(math.radians(1.0), math.radians(max(bend - 45.0, 0.0)))
    assert body.limit_excess(angles) == pytest.approx(excess)


def test_compiled_limits_are_the_plain_ones(any_body: Body) -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        angles = rng.uniform(-math.pi, math.pi, any_body.dofs)
        lower, upper = any_body.limits_at(angles)
        compiled = np.array([bounds.py_func(any_body.model.dofs, angles, d) for d in range(any_body.dofs)])
        assert np.abs(compiled - np.stack((lower, upper), axis=1)).max() < EXACT


# ---- the table


@njit
def bars_excess(height, front, starts, ends, radii, excess):  # type: ignore[no-untyped-def]
    for n in range(len(radii)):
        excess[n] = table_clearance.segment_excess(
            height, front, starts[n, 1], starts[n, 2], ends[n, 1], ends[n, 2], radii[n]
        )


@njit
def bodies_excess(joints, table, transforms, below, excess):  # type: ignore[no-untyped-def]
    for n in range(len(transforms)):
        excess[n] = table_clearance.table_excess_below(joints, table, transforms[n], below, 0)


def both_segment_excesses(table: Table, start: Floats, end: Floats, radius: float) -> tuple[float, float]:
    bar = start[1], start[2], end[1], end[2], radius
    compiled = table_clearance.segment_excess.py_func(table.height, table.front, *bar)
    return compiled, segment_excess(table, start, end, radius)


near_table = st.floats(-0.6, 0.6).map(lambda value: round(value, 6))
points = st.tuples(near_table, near_table.map(lambda y: y + TABLE.height), near_table.map(lambda z: z + TABLE.front))


@settings(max_examples=300, deadline=None)
@given(points, st.floats(0.0, 0.1))
def test_compiled_points_are_as_deep_as_plain_ones(point: tuple[float, float, float], need: float) -> None:
    compiled = table_clearance.point_excess.py_func(TABLE.height, TABLE.front, point[1], point[2], need)
    assert compiled == pytest.approx(point_excess(TABLE, np.array(point), need), abs=EXACT)
    assert table_clearance.point_excess.py_func(TABLE.height, TABLE.front, point[1], point[2], -1.0) == 0.0


@settings(max_examples=300, deadline=None)
@given(points, points, st.floats(0.0, 0.1))
def test_compiled_bars_are_as_deep_as_plain_ones(
    start: tuple[float, float, float], end: tuple[float, float, float], radius: float
) -> None:
    compiled, plain = both_segment_excesses(TABLE, np.array(start), np.array(end), radius)
    assert compiled == pytest.approx(plain, abs=EXACT)
    backwards, _ = both_segment_excesses(TABLE, np.array(end), np.array(start), radius)
    assert backwards == pytest.approx(compiled, abs=EXACT)


def test_bars_compiled_to_machine_code_are_as_deep_as_plain_ones() -> None:
    rng = np.random.default_rng(3)
    starts, ends = rng.uniform(-0.5, 0.5, (2, 4000, 3)) + EDGE
    radii, excess = rng.uniform(0.0, 0.1, 4000), np.empty(4000)
    bars_excess(TABLE.height, TABLE.front, starts, ends, radii, excess)
    plain = [segment_excess(TABLE, *bar) for bar in zip(starts, ends, radii, strict=True)]
    assert np.abs(excess - plain).max() < EXACT
    assert 0.2 < np.mean(excess > 0.0) < 0.8  # both answers are there to be compared


def test_a_bar_is_in_the_table_where_a_point_of_it_is() -> None:
    """Told by points along the bar: inside the wood, or nearer to its edge than the radius (5.27)."""
    rng = np.random.default_rng(4)
    share = np.linspace(0.0, 1.0, 2001)[:, None]
    for _ in range(300):
        start, end = rng.uniform(-0.4, 0.4, (2, 3)) + EDGE
        radius = rng.uniform(0.0, 0.1)
        y, z = (start + share * (end - start) - EDGE).T[1:]
        _, excess = both_segment_excesses(TABLE, start, end, radius)
        if np.any((y < -1e-3) & (z > 1e-3)):
            assert excess >= radius
        elif not np.any((y < 1e-3) & (z > -1e-3)):
            assert excess == pytest.approx(max(0.0, radius - np.hypot(y, z).min()), abs=1e-3)


def test_a_forearm_through_the_table_behind_its_edge_is_seen() -> None:
    elbow, wrist = np.array([0.2, 0.5, 0.1]), np.array([0.2, 0.7, 0.6])  # from below the table through its top
    assert point_excess(TABLE, elbow, 0.02) == point_excess(TABLE, wrist, 0.015) == 0.0
    compiled, plain = both_segment_excesses(TABLE, elbow, wrist, 0.02)
    across = abs((elbow[1] - 0.6) * (wrist[2] - 0.2) - (wrist[1] - 0.6) * (elbow[2] - 0.2)) / math.hypot(0.2, 0.5)
    assert compiled == plain == pytest.approx(0.02 + across)  # the way back out over the edge
    over = np.array([0.2, 0.75, 0.1])
    assert both_segment_excesses(TABLE, over, wrist, 0.02) == (0.0, 0.0)


@pytest.mark.parametrize("table", [TABLE, Table(0.75, -0.1), Table(0.3, 0.3)], ids=str)
def test_compiled_bodies_are_as_deep_as_plain_ones(any_body: Body, table: Table) -> None:
    angles = np.random.default_rng(5).uniform(-math.pi, math.pi, (150, any_body.dofs))
    transforms, excess = np.empty((150, len(any_body.joints), 12)), np.empty(150)
    kernels().forward(any_body.model.joints, angles, transforms)
    bodies_excess(any_body.model.joints, table.row, transforms, any_body.model.below, excess)
    plain = [table_excess(any_body, table, *kinematics.forward(any_body, posture)) for posture in angles]
    assert np.abs(excess - plain).max() < EXACT


def test_no_part_is_deeper_than_the_whole(body: Body) -> None:
    for posture in np.random.default_rng(6).uniform(-1.5, 1.5, (50, body.dofs)):
        positions, rotations = kinematics.forward(body, posture)
        tips = kinematics.tip_positions(body, positions, rotations)
        whole = table_excess(body, TABLE, positions, rotations)
        for j, joint in enumerate(body.joints):
            if joint.clearance.tip is not None:
                assert point_excess(TABLE, tips[j], joint.clearance.tip) <= whole
            if joint.clearance.segment is not None:
                assert segment_excess(TABLE, positions[j], tips[j], joint.clearance.segment) <= whole


def test_joints_of_a_posture_that_does_not_change_are_placed_once() -> None:
    """And those of one that may change each time."""
    body = Body.load("person")
    angles = body.rest.copy()
    first = kinematics.joint_transforms(body, angles)
    angles[body.dof("chest", "y")] += 0.3
    assert not np.array_equal(kinematics.joint_transforms(body, angles), first)
    angles.flags.writeable = False
    kept = kinematics.joint_transforms(body, angles)
    assert kinematics.joint_transforms(body, angles) is kept
    assert not kept.flags.writeable
    assert np.array_equal(kinematics.joint_transforms(body, angles[None])[0], kept)


@pytest.mark.parametrize("hand", ["left", "right"])
@pytest.mark.parametrize("twist", [0.0, 90.0, -150.0])
def test_a_wrist_is_bent_as_its_hand_sees_it_however_the_forearm_is_twisted(hand: str, twist: float) -> None:
    """A hand that was twisted by a right angle was thought to be bent where it went 70 degrees to the side."""
    body = Body.load("seated")
    wrist = body.limb(hand).joints[-1]
    outwards = 1.0 if hand == "left" else -1.0
    axes = [rotation.axis for rotation in body.joints[wrist].rotations]
    for sideways, bent, expected in ((-50.0, 0.0, 30.0), (35.0, 50.0, 0.0), (0.0, -75.0, 5.0), (45.0, 0.0, 5.0)):
        turns = {"x": twist, "y": outwards * sideways, "z": outwards * bent}
        seen = Rotation.from_euler("XYZ", [turns[axis] for axis in "xyz"], degrees=True)
        angles = body.rest.copy()
        order = "".join(AXES[axis] for axis in axes).upper()
        angles[list(body.rotation_dofs[wrist])] = seen.as_euler(order)
        assert np.degrees(body.discomfort(wrist, angles)) == pytest.approx(expected, abs=1e-6)
