"""MuJoCo, an independent judge of dynamics: the same mass matrix and the same forces for the same motion."""

from __future__ import annotations

import numpy as np
import pytest

from puppet import Figure
from puppet.kernels.loader import kernels
from puppet.types import Floats
from tests import figures
from tests.test_figure_mujoco import BY_BODY, Judge

mujoco = pytest.importorskip("mujoco")
GRAVITY = 5.6


def mass_matrix(figure: Figure) -> Floats:
    found = np.empty((figure.body.dofs, figure.body.dofs))
    model = figure._model
    kernels().dynamics_mass(model.velocities, model.chains, figure._free, figure._axes, figure._sums, found)
    return found


def efforts(figure: Figure, speeds: Floats, accelerations: Floats, loads: Floats) -> Floats:
    found = np.empty(figure.body.dofs)
    model = figure._model
    kernels().dynamics_inverse(
        model.joints, model.links, model.velocities, figure._free, figure._world, figure._axes, speeds, accelerations,
        GRAVITY, loads, found,
    )  # fmt: skip
    return found


@BY_BODY
def test_mujoco_has_the_same_mass_matrix_and_the_same_forces(name: str) -> None:
    body, random = figures.load(name), np.random.default_rng(5)
    judge = Judge(body)
    judge.model.opt.gravity[:] = 0.0, -GRAVITY, 0.0
    for _ in range(5):
        angles = figures.random_posture(body, random)
        speeds, accelerations = random.normal(size=body.dofs), random.normal(size=body.dofs)
        figure = Figure(body, angles)
        judge.put(angles, speeds)
        full = np.zeros((judge.model.nv, judge.model.nv))
        for column, unit in zip(full, np.eye(judge.model.nv), strict=True):
            mujoco.mj_mulM(judge.model, judge.data, column, unit)
        here = np.ix_(judge.velocities, judge.velocities)
        assert np.allclose(mass_matrix(figure), full[here], atol=1e-9)
        outside = random.normal(size=(len(body.joints), 6))
        judge.data.qacc[judge.velocities] = accelerations
        mujoco.mj_inverse(judge.model, judge.data)
        expected = judge.data.qfrc_inverse[judge.velocities].copy()
        for j in range(len(body.joints)):
            moves, turns = judge.jacobian(j, figure.joint_positions[j])
            expected -= moves.T @ outside[j, :3] + turns.T @ outside[j, 3:]
        found = efforts(figure, speeds, accelerations, -outside)
        assert np.allclose(found, expected, atol=1e-8)
