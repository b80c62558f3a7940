"""What the solver's kernels say about features and their slopes: against plain formulas and finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from puppet import Figure
from puppet.geometry.transform import rotation_vector
from puppet.kernels.figure_model import MASS_CENTRE, MOMENT, MOMENTUM, ORIENTATION, POSITION
from puppet.solver.task import task_row
from puppet.types import Floats
from tests import figures

STEP = 1e-5
BY_BODY = pytest.mark.parametrize("name", figures.NAMES)


def postures(name: str, count: int = 2) -> list[tuple[Figure, Floats]]:
    body, random = figures.load(name), np.random.default_rng(7)
    found = [figures.random_posture(body, random) for _ in range(count)]
    return [(Figure(body, angles), angles) for angles in found]


def slopes(body, angles: Floats, value) -> Floats:  # type: ignore[no-untyped-def]
    """d value / d velocities by central differences, (values, velocities)."""
    columns = []
    for v in np.eye(body.dofs):
        sides = [figures.place(body, angles, v, time) for time in (STEP, -STEP)]
        columns.append((np.atleast_1d(value(sides[0])) - np.atleast_1d(value(sides[1]))) / (2.0 * STEP))
    return np.array(columns).T


@BY_BODY
def test_places_are_those_of_the_readable_twin(name: str) -> None:
    for figure, angles in postures(name):
        placed = figures.place(figure.body, angles)
        assert np.allclose(figure.joint_positions, placed.positions, atol=1e-13)
        for j, part in enumerate(figure.body.joint_names):
            assert np.allclose(figure.rotation(part), placed.rotations[j], atol=1e-13)
        m = figures.masses(figure.body)
        assert np.allclose(figure.centre_of_mass, m @ placed.centres, atol=1e-13)
        inertia = figures.inertia(figure.body, placed) / figure.body.height**2
        assert np.allclose(figure.inertia, inertia, atol=1e-13)


@BY_BODY
def test_a_point_moves_as_its_jacobian_says(name: str) -> None:
    at = np.array([0.03, -0.08, 0.05])
    for figure, angles in postures(name):
        for j in (0, len(figure.body.joints) // 2, len(figure.body.joints) - 1):
            expected = slopes(figure.body, angles, lambda p, j=j: p.positions[j] + p.rotations[j] @ at)
            assert np.allclose(figures.jacobian(figure, task_row(POSITION, j, at)), expected, atol=1e-8)


@BY_BODY
def test_an_orientation_turns_as_its_jacobian_says(name: str) -> None:
    for figure, angles in postures(name):
        for j in (0, len(figure.body.joints) // 2, len(figure.body.joints) - 1):
            here = figures.place(figure.body, angles).rotations[j]
            expected = slopes(figure.body, angles, lambda p, j=j, r=here: rotation_vector(p.rotations[j] @ r.T))
            assert np.allclose(figures.jacobian(figure, task_row(ORIENTATION, j)), expected, atol=1e-8)


@BY_BODY
def test_the_centre_of_mass_moves_as_its_jacobian_says(name: str) -> None:
    for figure, angles in postures(name):
        m = figures.masses(figure.body)
        expected = slopes(figure.body, angles, lambda p, m=m: m @ p.centres)
        assert np.allclose(figures.jacobian(figure, task_row(MASS_CENTRE, 0)), expected, atol=1e-8)


@BY_BODY
@pytest.mark.parametrize("axis", range(3))
def test_inertia_changes_as_its_jacobian_says(name: str, axis: int) -> None:
    for figure, angles in postures(name, 2):
        body = figure.body
        expected = slopes(body, angles, lambda p, b=body: figures.inertia(b, p)[axis, axis])
        assert np.allclose(figures.jacobian(figure, task_row(MOMENT, 0, np.eye(3)[axis]))[:1], expected, atol=1e-8)


@BY_BODY
def test_angular_momentum_is_what_its_jacobian_says(name: str) -> None:
    random = np.random.default_rng(11)
    for figure, angles in postures(name):
        matrix = figures.jacobian(figure, task_row(MOMENTUM, 0))
        for _ in range(4):
            velocities = random.normal(size=figure.body.dofs)
            expected = figures.angular_momentum(figure.body, angles, velocities)
            assert np.allclose(matrix @ velocities, expected, atol=1e-7)


def test_axes_that_do_not_count_have_no_rows() -> None:
    figure, _ = postures("person", 1)[0]
    whole = figures.jacobian(figure, task_row(MASS_CENTRE, 0))
    part = figures.jacobian(figure, task_row(MASS_CENTRE, 0, counts=(1.0, 0.0, 1.0)))
    assert np.array_equal(part[:2], whole[[0, 2]])
    assert not part[2].any()
