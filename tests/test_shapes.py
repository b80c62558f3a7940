"""Meshes: closed enough to draw, seen from outside, where and as large as the things are."""

from __future__ import annotations

import numpy as np
import pytest

from puppet import Body, Table
from puppet.body import FIXED, joint_transforms
from puppet.files import shipped
from puppet.render.mesh import Mesh, ball, box, capsule, hull_of_balls, revolved, tube
from puppet.render.shapes import body_meshes, floor_height, object_mesh, table_mesh
from puppet.scene import SHAPES, Object, Space


def assert_sound(mesh: Mesh) -> None:
    assert mesh.vertices.dtype == mesh.normals.dtype == np.float32
    assert mesh.triangles.dtype == np.uint32
    assert mesh.vertices.shape == mesh.normals.shape
    assert len(mesh.triangles)
    assert mesh.triangles.max() < len(mesh.vertices)
    assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1.0, atol=1e-5)
    a, b, c = (mesh.vertices[mesh.triangles[:, k]].astype(float) for k in range(3))
    face = np.cross(b - a, c - a)
    normal = mesh.normals[mesh.triangles].sum(axis=1)
    assert (np.einsum("ij,ij->i", face, normal) > 0.0).all(), "a triangle faces inwards"
    assert not mesh.vertices.flags.writeable


def volume(mesh: Mesh) -> float:
    a, b, c = (mesh.vertices[mesh.triangles[:, k]].astype(float) for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def test_solids_have_the_volume_that_they_should() -> None:
    assert volume(box((1, 2, 3), (1, 2, 3), bevel=0.0)) == pytest.approx(6.0)
    assert volume(ball((1, 0, 0), (1, 2, 3), segments=96)) == pytest.approx(4 / 3 * np.pi * 6, rel=0.01)
    two_balls = capsule([(0, 1, 0), (2, 1, 0)], (0.5, 0.5), segments=96)
    assert volume(two_balls) == pytest.approx(np.pi * 0.25 * 2 + 4 / 3 * np.pi * 0.125, rel=0.01)
    cylinder = revolved([[(0, 0), (1, 0)], [(1, 0), (1, 2)], [(1, 2), (0, 2)]], segments=96)
    assert volume(cylinder) == pytest.approx(2 * np.pi, rel=0.01)
    assert volume(tube([(0, 0, 0), (0, 0, 1), (0, 0, 2)], 1.0, (1, 0, 0), segments=96)) == pytest.approx(
        2 * np.pi, rel=0.01
    )


def test_a_capsule_touches_both_of_its_balls() -> None:
    mesh = capsule([(0, 0, 0), (3, 0, 0)], (1.0, 0.4))
    assert_sound(mesh)
    assert mesh.vertices[:, 0].min() == pytest.approx(-1.0)
    assert mesh.vertices[:, 0].max() == pytest.approx(3.4)
    to_axis = np.linalg.norm(mesh.vertices[:, 1:], axis=1)
    assert to_axis.max() <= 1.0 + 1e-6
    assert_sound(capsule([(0, 0, 0), (0.1, 0, 0)], (1.0, 0.4)))  # one ball in the other


def test_a_hull_reaches_as_far_as_its_balls_in_every_direction() -> None:
    centres = np.array([(0, 0, 0), (3, 0, 0), (0, 2, 0.5), (1, 1, 0)])
    radii = np.array([1.0, 0.4, 0.6, 0.2])
    mesh = hull_of_balls(centres, radii)
    assert_sound(mesh)
    ways = np.random.default_rng(1).normal(size=(200, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    reach = (ways @ centres.T + radii).max(axis=1)
    assert (mesh.vertices @ ways.T).max(axis=0) == pytest.approx(reach, rel=0.02)
    assert volume(hull_of_balls(centres[:2], radii[:2], segments=96)) == pytest.approx(
        volume(capsule(centres[:2], (1.0, 0.4), segments=96)), rel=0.01
    )
    assert volume(hull_of_balls([(1, 2, 3)], [0.5], segments=96)) == pytest.approx(4 / 3 * np.pi * 0.125, rel=0.01)


@pytest.mark.parametrize("name", shipped.names("bodies"))
def test_every_body_that_comes_along_is_drawn_and_stands_on_the_floor(name: str) -> None:
    body = Body.load(name.removesuffix(".yaml"))
    transforms = joint_transforms(body, body.rest)
    lowest = np.inf
    for part in body_meshes(body):
        assert_sound(part.mesh)
        if part.joint == FIXED:
            lowest = min(lowest, float(part.mesh.vertices[:, 1].min()))
        else:
            rotation = transforms[part.joint, 3:].reshape(3, 3)
            lowest = min(lowest, float((part.mesh.vertices @ rotation[1] + transforms[part.joint, 1]).min()))
    if body.name != "links":  # which turns and flies in the air
        assert lowest == pytest.approx(floor_height(body), abs=0.002)


@pytest.mark.parametrize("shape", SHAPES)
def test_an_object_fits_its_cube_and_stands_on_its_bottom(shape: str) -> None:
    parts = object_mesh(Object("thing", 0.04, "gold", shape))
    for mesh, color in parts:
        assert_sound(mesh)
        assert np.abs(mesh.vertices).max() <= 0.04 + 1e-6
        assert all(0.0 <= part <= 1.0 for part in color)
    everything = np.concatenate([mesh.vertices for mesh, _ in parts])
    assert everything[:, 1].min() == pytest.approx(-0.04)
    assert everything[:, 1].max() == pytest.approx(0.04, abs=1e-6)
    assert everything[:, 0].max() == pytest.approx(-everything[:, 0].min(), abs=1e-6)  # the same for both hands
    assert (1.0, 215 / 255, 0.0) in {color for _, color in parts}


def test_the_body_is_drawn_at_its_joints(body: Body) -> None:
    parts = body_meshes(body)
    for part in parts:
        assert_sound(part.mesh)
    assert {part.joint for part in parts} == {FIXED, *range(len(body.joints))}
    hand = body.joint("left_hand")
    tip = body.arrays.tips[hand]
    reach = max(float(part.mesh.vertices[:, 0].max()) for part in parts if part.joint == hand)
    assert reach == pytest.approx(tip[0], abs=0.01)  # the longest finger ends at the tip


def test_the_table_is_under_its_spaces() -> None:
    spaces = [Space("far", (1.2, 0.6, 0.9)), Space("shelf", (0.1, 0.75, 0.4)), Space("left", (9, 0.6, 9), dynamic=True)]
    parts = table_mesh(Table(0.6, 0.2), spaces)
    for mesh, _ in parts:
        assert_sound(mesh)
    board, stand = (mesh.vertices for mesh, _ in parts)
    assert board[:, 1].max() == pytest.approx(0.6)
    assert board[:, 2].min() == pytest.approx(0.2)
    assert 1.2 < board[:, 0].max() < 9
    assert 0.9 < board[:, 2].max() < 9
    assert stand[:, 1].max() == pytest.approx(0.75)
    assert stand[:, 1].min() == pytest.approx(0.6)
