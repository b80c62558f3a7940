"""What tests of the dynamics filter share: reference motions, and MuJoCo as a judge of what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from puppet import Body, CentreOfMass, Figure, Performance, Scene, Table
from puppet.body import joint_transforms
from puppet.dynamics.contacts import contact_table, point_places
from puppet.dynamics.filter import Filtered, gravity_of
from puppet.types import Floats
from tests.test_figure_mujoco import Judge

FPS = 30.0
FRICTION = 0.8
MILLIMETRE = 1.0 / 1750.0  # of a body that is 1 tall and 1.75 m


@cache
def person() -> Body:
    return Body.load("person")


@cache
def standing() -> Figure:
    """On both feet, which are pinned, with the weight over them."""
    figure = Figure(person())
    figure.pin("left_foot")
    figure.pin("right_foot")
    figure.hold("weight", CentreOfMass(x=0.0, z=0.025))
    figure.settle()
    return figure


def a_standing_figure() -> Figure:
    figure = Figure(person(), standing().angles)
    figure.pin("left_foot")
    figure.pin("right_foot")
    return figure


def ease(frames: int) -> Floats:
    """From 0 to 1, without jerks."""
    u = np.linspace(0.0, 1.0, frames)
    return np.asarray(u**3 * (10.0 - 15.0 * u + 6.0 * u * u))


def stand(frames: int = 60) -> Floats:
    return np.tile(standing().angles, (frames, 1))


def crouch() -> Floats:
    figure = a_standing_figure()
    figure.hold("weight", CentreOfMass(x=0.0, z=0.025))
    down = figure.position("pelvis") - 0.08 * np.array([0.0, 1.0, 0.0]) * np.concatenate(
        [ease(25), ease(25)[::-1]]
    ).reshape(-1, 1)
    frames = figure.follow("pelvis", down)
    return np.concatenate([stand(1), frames, np.tile(frames[-1], (15, 1))])


def sway() -> Floats:
    """The centre of mass on a circle of 6 cm across."""
    figure, frames = a_standing_figure(), []
    radius = 30.0 * MILLIMETRE
    for n in range(90):
        turn, grown = np.pi * n / FPS, min(1.0, n / 30.0) * radius
        figure.hold("weight", CentreOfMass(x=grown * np.cos(turn), z=0.025 + grown * np.sin(turn)))
        figure.step()
        frames.append(figure.angles)
        figure.release("weight")
    return np.array(frames)


def raise_arm() -> Floats:
    figure = a_standing_figure()
    figure.hold("weight", CentreOfMass(x=0.0, z=0.025))
    start, goal = figure.position("right_hand"), figure.position("chest") + np.array([-0.1, 0.1, 0.3])
    frames = figure.follow("right_hand", start + ease(20)[:, None] * (goal - start))
    return np.concatenate([stand(1), frames, np.tile(frames[-1], (20, 1))])


def fly() -> tuple[Floats, slice]:
    """A figure that is thrown up and moves an arm and a leg; its frames in the air are those of the slice."""
    frames, angles = 14, []
    for n in range(frames):
        posture = standing().angles.copy()
        time = n / FPS
        posture[1] += 0.4 + 1.0 * time - 0.5 * gravity_of(person()) * time * time
        posture[person().dof("right_shoulder", "z")] -= 0.3 * np.sin(3.0 * time)
        posture[person().dof("left_knee", "x")] += 0.2 * (1.0 - np.cos(4.0 * time))
        angles.append(posture)
    return np.array(angles), slice(1, frames - 1)


def performance(angles: Floats, body: Body | None = None) -> Performance:
    """Frames as a performance, far from any table."""
    scene = Scene.build(Table(0.6, 5.0), {})
    return Performance(body or person(), scene, FPS, angles, {"tasks": []}, ((0, {}),))


@dataclass(frozen=True)
class Verdict:
    """What MuJoCo and plain geometry say of a motion."""

    force: Floats  # (frames,), what is left over at the root, of the weight
    moment: Floats  # (frames,), of weight x height
    centres: Floats  # (frames, 3), of mass
    pull: float  # the strongest force into the ground, of the weight
    outside: float  # how far a force is outside its cone, of the weight
    sink: float  # millimetres
    slide: float  # millimetres, of a point as long as it bears
    hover: float  # millimetres, of a point that bears


def off_gravity(body: Body, found: Filtered, verdict: Verdict, fps: float = FPS) -> Floats:
    """By how much of gravity the centre of mass is accelerated otherwise, (frames,); 0 where a force acts."""
    off = np.zeros(len(found.angles))
    rates = np.diff(verdict.centres, 2, axis=0) * fps * fps
    rates[:, 1] += gravity_of(body)
    off[1:-1] = np.linalg.norm(rates, axis=1) / gravity_of(body)
    return np.where(found.forces.any(axis=(1, 2)), 0.0, off)


def judge(body: Body, found: Filtered, pushes: Floats | None = None, fps: float = FPS) -> Verdict:
    """Inverse dynamics of the frames by MuJoCo, with the contact forces and pushes taken off."""
    import mujoco

    verdict, weight = Judge(body), gravity_of(body)
    verdict.model.opt.gravity[:] = 0.0, -weight, 0.0
    places = point_places(found.points, joint_transforms(body, found.angles))
    positions, centres = [], []
    for angles in found.angles:
        verdict.put(angles)
        positions.append(verdict.data.qpos.copy())
        centres.append(verdict.data.subtree_com[0].copy())
    left = np.zeros((len(positions), 6))
    after, before = np.zeros(verdict.model.nv), np.zeros(verdict.model.nv)
    for n in range(1, len(positions) - 1):
        mujoco.mj_differentiatePos(verdict.model, after, 1.0 / fps, positions[n], positions[n + 1])
        mujoco.mj_differentiatePos(verdict.model, before, 1.0 / fps, positions[n - 1], positions[n])
        verdict.data.qpos[:] = positions[n]
        verdict.data.qvel[:] = (after + before) / 2.0
        verdict.data.qacc[:] = (after - before) * fps
        mujoco.mj_inverse(verdict.model, verdict.data)
        residual = verdict.data.qfrc_inverse.copy()
        each = zip(found.points[:, 0], places[n], found.forces[n], strict=True)
        acting = [(int(j), place, force) for j, place, force in each]
        if pushes is not None:
            shared = 0.5 * (pushes[n - 1] + pushes[n])
            acting += [(j, verdict.data.xipos[verdict.bodies[j]], shared[j]) for j in range(len(body.joints))]
        for j, place, force in acting:
            if np.any(force):
                jacobian = np.zeros((3, verdict.model.nv))
                mujoco.mj_jac(verdict.model, verdict.data, jacobian, None, place, verdict.bodies[j])
                residual -= jacobian.T @ force
        left[n] = residual[:6]
    forces = found.forces / weight
    bears = np.linalg.norm(forces, axis=2) > 1e-6
    slide = 0.0
    for i in range(len(found.points)):
        begin = 0
        for n in range(len(bears) + 1):
            if n == len(bears) or not bears[n, i]:
                if n > begin:
                    path = places[begin:n, i][:, [0, 2]]
                    slide = max(slide, float(np.linalg.norm(path - path[0], axis=1).max()))
                begin = n + 1
    return Verdict(
        np.linalg.norm(left[:, :3], axis=1) / weight,
        np.linalg.norm(left[:, 3:], axis=1) / (weight * body.height),
        np.array(centres),
        float(max(0.0, -forces[:, :, 1].min())),
        float((np.linalg.norm(forces[:, :, [0, 2]], axis=2) - FRICTION * forces[:, :, 1]).max()),
        float(-places[:, : len(contact_table(body)), 1].min() / MILLIMETRE),
        slide / MILLIMETRE,
        float(np.where(bears, places[:, :, 1], 0.0).max() / MILLIMETRE),
    )
