"""Ranges of ball joints: the compiled kernels and their readable twin agree, and what comes out is inside."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from numba import njit

from puppet import Body, PuppetError
from puppet.body import read_body
from puppet.body.body_file import BUILT_IN
from puppet.body.joint_range import JointRange, RangePoint, matrix, quaternion
from puppet.files.strict_yaml import parse
from puppet.kernels import figure_range
from puppet.solver.model import figure_model
from puppet.types import Floats
from tests import figures

PERSON = (BUILT_IN / "person.yaml").read_text(encoding="utf-8")
RANGED = [joint.name for joint in Body.load("person").joints if joint.range is not None]
BY_JOINT = pytest.mark.parametrize("name", RANGED)
MIRROR = np.diag([-1.0, 1.0, 1.0])


def range_of(name: str) -> JointRange:
    body = Body.load("person")
    found = body.joints[body.joint(name)].range
    assert found is not None
    return found


def random_rotations(count: int, seed: int = 5) -> Floats:
    found = np.random.default_rng(seed).normal(size=(count, 4))
    return np.array([matrix(q / np.linalg.norm(q)) for q in found])


@cache
def compiled() -> Any:
    """Swing, twist and bounds of rotations (n, 9), which are then projected; (n, 6)."""
    quaternion_of, swing_and_twist = figure_range.quaternion_of, figure_range.swing_and_twist
    twist_bounds, project = figure_range.twist_bounds, figure_range.project_into_range

    @njit
    def run(joints, links, corners, j, local, found):  # type: ignore[no-untyped-def]
        for n in range(local.shape[0]):
            w, x, y, z = quaternion_of(local, n, 0.0)
            a1, a2, twist = swing_and_twist(int(links[j, 16]), links[j, 17], w, x, y, z)
            lower, _, _, upper, _, _ = twist_bounds(joints, links, corners, j, a1, a2)
            found[n, 0], found[n, 1], found[n, 2], found[n, 3], found[n, 4] = a1, a2, twist, lower, upper
            one = np.zeros((joints.shape[0], 9))
            one[j] = local[n]
            found[n, 5] = project(joints, links, corners, one, j)
            local[n] = one[j]

    return run


def by_kernels(name: str, rotations: Floats) -> tuple[Floats, Floats]:
    body = Body.load("person")
    model, _ = figure_model(body)
    local, found = rotations.reshape(-1, 9).copy(), np.empty((len(rotations), 6))
    compiled()(model.joints, model.links, model.corners, body.joint(name), local, found)
    return found, local.reshape(-1, 3, 3)


@BY_JOINT
def test_kernels_and_twin_agree(name: str) -> None:
    region, rotations = range_of(name), random_rotations(300)
    found, _ = by_kernels(name, rotations)
    for rotation, (a1, a2, twist, lower, upper, away) in zip(rotations, found, strict=True):
        swing, expected = region.coordinates(rotation)
        assert np.allclose((a1, a2), swing, atol=1e-12)
        assert twist == pytest.approx(expected, abs=1e-11)
        assert (lower, upper) == pytest.approx(region.twist_bounds(swing), abs=1e-11)
        assert (away > 1e-12) == (region.excess(rotation) > 1e-12)


@BY_JOINT
def test_projection_lands_inside_and_leaves_what_is_inside(name: str) -> None:
    region, rotations = range_of(name), random_rotations(300, seed=6)
    found, projected = by_kernels(name, rotations)
    for before, after, away in zip(rotations, projected, found[:, 5], strict=True):
        assert region.excess(after) < 1e-9
        assert np.allclose(after @ after.T, np.eye(3), atol=1e-12)
        if away == 0.0:
            assert np.array_equal(before, after)


@BY_JOINT
def test_projection_goes_to_the_nearest_direction(name: str) -> None:
    region, rotations = range_of(name), random_rotations(60, seed=8)
    _, projected = by_kernels(name, rotations)
    corners = region.corners
    along = np.linspace(0.0, 1.0, 400)[:, None, None]
    boundary = (corners + along * (np.roll(corners, -1, axis=0) - corners)).reshape(-1, 2)
    for before, after in zip(rotations, projected, strict=True):
        swing, twist = region.coordinates(before)
        there, twisted = region.coordinates(after)
        if (region.half_planes[:, :2] @ swing > region.half_planes[:, 2]).any():
            nearest = np.linalg.norm(boundary - swing, axis=1).min()
            assert np.linalg.norm(there - swing) <= nearest + 1e-6
        else:
            assert np.allclose(there, swing, atol=1e-9)
        lower, upper = region.twist_bounds(there)
        assert twisted == pytest.approx(min(max(twist, lower), upper), abs=1e-6)


@BY_JOINT
def test_coordinates_and_rotation_are_inverse(name: str) -> None:
    region = range_of(name)
    for rotation in random_rotations(100, seed=9):
        assert np.allclose(region.rotation(*region.coordinates(rotation)), rotation, atol=1e-9)


def test_quaternion_and_matrix_are_inverse() -> None:
    for rotation in random_rotations(200):
        assert np.allclose(matrix(quaternion(rotation)), rotation, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in RANGED if name.startswith("left")])
def test_the_right_range_mirrors_the_left(name: str) -> None:
    left, right = range_of(name), range_of(name.replace("left", "right"))
    for rotation in random_rotations(300, seed=10):
        mirrored = MIRROR @ rotation @ MIRROR
        assert left.excess(rotation) == pytest.approx(right.excess(mirrored), abs=1e-9)


@pytest.mark.parametrize("name", [name for name in RANGED if not name.startswith(("left", "right"))])
def test_ranges_of_the_trunk_are_their_own_mirror_image(name: str) -> None:
    region = range_of(name)
    for rotation in random_rotations(300, seed=10):
        assert region.excess(rotation) == pytest.approx(region.excess(MIRROR @ rotation @ MIRROR), abs=1e-9)


def test_limits_of_angles_mirror_too() -> None:
    body = Body.load("person")
    for dof, name in enumerate(body.dof_names):
        joint, axis = name.split(".")
        if joint.startswith("left") and body.joints[body.joint(joint)].range is None:
            other = body.dof(joint.replace("left", "right"), axis)
            lower, upper = body.arrays.limits[dof, :2]
            mirrored = (lower, upper) if axis == "x" else (-upper, -lower)  # mirrored at the plane x = 0
            assert body.arrays.limits[other, :2] == pytest.approx(mirrored)


def test_rest_and_zero_are_inside() -> None:
    body = Body.load("person")
    assert body.limit_excess(body.rest) == 0.0
    assert body.limit_excess(np.zeros(body.dofs)) == 0.0


def test_excess_grows_with_the_angle() -> None:
    body = Body.load("person")
    angles = np.zeros(body.dofs)
    found = []
    for degrees in (20.0, 28.0, 40.0, 60.0):
        angles[body.dof("neck", "x")] = math.radians(degrees)
        found.append(body.limit_excess(angles))
    assert found[0] == 0.0
    assert found[1] < 1e-9
    assert 0.1 < found[2] < 0.3 < found[3]


def test_random_postures_of_the_tests_are_inside() -> None:
    random = np.random.default_rng(1)
    for name in figures.NAMES:
        body = figures.load(name)
        assert body.limit_excess(figures.random_posture(body, random)) < 1e-9


# ---- broken ranges


NECK = PERSON[PERSON.index("  neck:\n") : PERSON.index("  head:\n")]


def broken(old: str, new: str) -> str:
    assert old in NECK
    return PERSON.replace(NECK, NECK.replace(old, new, 1))


MISTAKES = {
    "a bone that is no axis": (("bone: +y", "bone: up"), "up"),
    "no bone": (("      bone: +y\n", ""), "bone"),
    "an axis along the bone": (("{at: {x: 28, z: 0}", "{at: {x: 28, y: 0}"), "y"),
    "half a turn": (("{at: {x: 28, z: 0}", "{at: {x: 170, z: 90}"), "half a turn"),
    "bounds the wrong way round": (("at: {x: 28, z: 0}, twist: [-38, 38]", "at: {x: 28, z: 0}, twist: [38, -38]"),
                                   "the lower bound is above the upper one"),
    "a bound that is no number": (("at: {x: 28, z: 0}, twist: [-38, 38]", "at: {x: 28, z: 0}, twist: [a, 38]"), "a"),
    "a corner that dents": (("{at: {x: 28, z: 0}", "{at: {x: 5, z: 0}"), "not convex"),
    "a corner twice": (("{at: {x: 20.16, z: 15.84}", "{at: {x: 28, z: 0}"), "the same"),
    "a centre outside": (("centre: {at: {x: 0, z: 0}", "centre: {at: {x: 60, z: 0}"), "centre is not inside"),
    "zero outside the twist": (("centre: {at: {x: 0, z: 0}, twist: [-38, 38]}",
                                "centre: {at: {x: 0, z: 0}, twist: [5, 38]}"), "zero posture is outside"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_broken_range_is_told_with_its_place(name: str) -> None:
    (old, new), reason = MISTAKES[name]
    with pytest.raises(PuppetError) as error:
        read_body(parse(broken(old, new), "person.yaml"))
    assert "neck" in str(error.value)
    assert reason in str(error.value)
    assert re.search(r"person.yaml:\d+", str(error.value))


def test_two_corners_are_no_region() -> None:
    corner = RangePoint((0.1, 0.0), (-1.0, 1.0))
    assert "three corners" in JointRange(1, 1.0, RangePoint((0.0, 0.0), (-1.0, 1.0)), (corner, corner)).flaw()


def test_the_order_of_the_corners_may_go_either_way() -> None:
    region = range_of("left_hip")
    other = JointRange(region.axis, region.sign, region.centre, region.edge[::-1])
    assert other.flaw() == ""
    for rotation in random_rotations(100):
        assert other.excess(rotation) == pytest.approx(region.excess(rotation), abs=1e-12)
