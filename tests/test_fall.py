"""A limp figure falls: MuJoCo measures its energy, which never grows."""

from __future__ import annotations

import numpy as np
import pytest

import puppet
from puppet.dynamics.contacts import contact_table, falling_points
from puppet.dynamics.filter import STIFFNESS, filter_angles, gravity_of
from puppet.kernels.dynamics_model import PLAN_COLUMNS
from puppet.kernels.loader import kernels
from puppet.solver import Figure, figure_model
from tests.dynamics import FRICTION, person
from tests.test_figure_mujoco import Judge

mujoco = pytest.importorskip("mujoco")
RATE, SECONDS = 240, 1.2


@pytest.mark.parametrize(("tilt", "up"), [(-0.3, 0.1), (0.05, 0.3)], ids=["back", "dropped"])
def test_energy_never_appears_from_nowhere(tilt: float, up: float) -> None:
    """Kinetic and potential energy of a figure that falls over, hits the ground and comes to rest."""
    body = person()
    model, mobility = figure_model(body)
    angles = np.array(Figure(body).angles)
    angles[1] += up
    angles[body.dof("pelvis", "x")] += tilt
    figure = Figure(body, angles)
    now, local, speeds = angles.copy(), figure._local.copy(), np.zeros(body.dofs)
    points = np.concatenate([contact_table(body), falling_points(body)])
    frames = round(SECONDS * RATE)
    postures, bearing = np.zeros((frames, body.dofs)), np.zeros((frames, len(points)))
    settings = np.array([1.0 / RATE, gravity_of(body), FRICTION, body.height])
    pushes = np.zeros((frames, len(body.joints), 3))
    ground = np.zeros((1, len(points), PLAN_COLUMNS))
    way = np.zeros(body.dofs), np.zeros((len(points), 1 + PLAN_COLUMNS)), np.zeros((len(body.joints), 3))
    judge = Judge(body)
    judge.model.opt.gravity[:] = 0.0, -gravity_of(body), 0.0
    judge.model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    energies = []
    for n in range(frames):
        kernels().dynamics_fall(
            model.joints, model.links, model.corners, model.velocities, model.chains, 1,
            mobility / (1.0 + STIFFNESS * mobility), points, ground, pushes, n, 0, 1, settings, now, local, speeds,
            *way, postures[: n + 1], bearing,
        )  # fmt: skip
        judge.put(postures[n], speeds)
        mujoco.mj_energyPos(judge.model, judge.data)
        mujoco.mj_energyVel(judge.model, judge.data)
        energies.append(float(judge.data.energy.sum()))
    found = np.array(energies)
    lowest = np.minimum.accumulate(found)
    fallen = gravity_of(body) * 0.5  # what it has to lose, about half its height
    assert (found - lowest).max() < 1e-6 * fallen
    assert found[-1] < found[0] - 0.5 * fallen


def test_joints_beyond_their_ranges_give_no_energy_as_they_are_led_back() -> None:
    """Four links hit the ground with joints 0.02 radians too far: leading them back at once gave the energy of a fall
    from 0.003 of their height within a frame."""
    links = puppet.run("links_bounce.tracks.yaml")
    found = filter_angles(links.body, links.angles[:60], 60.0, FRICTION)
    assert found.fell is not None
    assert links.body.limit_excess(found.angles[found.fell]) > 0.01
    judge = Judge(links.body)
    judge.model.opt.gravity[:] = 0.0, -gravity_of(links.body), 0.0
    judge.model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    positions, energies = [], []
    for angles in found.angles:
        judge.put(angles)
        positions.append(judge.data.qpos.copy())
    for n in range(found.fell + 1, len(positions) - 1):
        judge.data.qpos[:] = positions[n]
        mujoco.mj_differentiatePos(judge.model, judge.data.qvel, 2.0 / 60.0, positions[n - 1], positions[n + 1])
        mujoco.mj_forward(judge.model, judge.data)
        energies.append(float(judge.data.energy.sum()))
    assert np.diff(energies).max() < 1e-4 * gravity_of(links.body)


@pytest.mark.parametrize("by", ["(-22, -58, 109)", "(0, 0, 3)", "(10000, 0, 0)"])
def test_a_push_of_a_thousand_times_the_weight_gives_numbers(by: str) -> None:
    """Joints turned by more than half a turn in a substep, and nothing was finite."""
    script = f'body inchworm\nenvironment "two_hands"\nphysics on\nwait 7\npush "segment_8" by {by} for 3\nwait 30\n'
    assert np.isfinite(puppet.run(script).angles).all()
