"""What joints do from frame to frame, by kernels, beside plain numpy; and rotations as angles that go on."""

from __future__ import annotations

import numpy as np
import pytest

from puppet import Body
from puppet.body import joint_transforms, local_rotations
from puppet.geometry import rotation_vectors
from puppet.motion import Pace
from puppet.motion.ball_angles import angles_like, following_angles
from puppet.motion.smoothing import velocity_steps

BODIES = {name: Body.load(name) for name in ("person", "seated")}


def wandering(body: Body, seed: int, frames: int = 24) -> np.ndarray:
    """Postures that wander about the resting one, with a leap in their midst."""
    rng = np.random.default_rng(seed)
    found = body.rest + np.cumsum(0.02 * rng.normal(size=(frames, body.dofs)), axis=0)
    found[frames // 2 :] += 0.3 * rng.normal(size=body.dofs)
    return found


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("seed", range(4))
def test_velocities_change_by_what_rotations_say(name: str, seed: int) -> None:
    body = BODIES[name]
    postures = wandering(body, seed)
    joints = [body.joint(joint) for joint in ("left_shoulder", "left_forearm", "left_hand", "chest")]
    largest = np.zeros(len(postures) - 1)
    for joint in joints:
        turns = local_rotations(body, joint, postures)
        velocity = rotation_vectors(turns[:-1].swapaxes(1, 2) @ turns[1:])
        largest = np.maximum(largest, np.linalg.norm(np.diff(velocity, axis=0, append=0.0), axis=1))
    assert velocity_steps(body, joints, joint_transforms(body, postures)) == pytest.approx(largest, abs=1e-9)


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("at_rest", [False, True])
def test_leaps_are_found_where_they_are(name: str, at_rest: bool) -> None:
    body = BODIES[name]
    calm = np.linspace(body.rest, body.rest + 0.2, 25)
    pace = Pace(body, calm, at_rest)
    assert pace.leap(calm[1:]) == 0.0
    leaping = calm.copy()
    leaping[12:, body.dofs_of([body.joint("left_shoulder")])] += 0.9
    excess = pace.excess(leaping[1:])
    assert int(excess.argmax()) == 11
    assert np.flatnonzero(excess > 0.0).tolist() == [11]
    elsewhere = [body.joint("right_shoulder"), body.joint("right_hand")]
    assert (pace.excess(leaping[1:], elsewhere) <= 0.0).all()


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("seed", range(4))
def test_angles_go_on_from_those_before(name: str, seed: int) -> None:
    body, joint = BODIES[name], BODIES[name].joint("left_shoulder")
    own = list(body.rotation_dofs[joint])
    postures = wandering(body, seed)
    turns = local_rotations(body, joint, postures)
    found = following_angles(body, joint, turns[1:], postures[0, own])
    like = angles_like(body, joint, turns[1:], postures[1:, own] + 2.0 * np.pi)
    again = postures[1:].copy()
    region = body.joints[joint].range
    for angles in (found, like):
        again[:, own] = angles
        for turn, wanted in zip(local_rotations(body, joint, again), turns[1:], strict=True):
            assert turn == pytest.approx(wanted if region is None else region.nearest(wanted), abs=1e-6)
    assert np.abs(np.diff(found, axis=0)).max() < np.pi
    assert np.abs(like - postures[1:, own] - 2.0 * np.pi).max() < np.pi
