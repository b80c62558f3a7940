"""Interpolation (Section 4.5): curves, exact ends, limits in every frame, velocity kept at hand-over."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puppet.body import Body, local_rotations
from puppet.command import CURVES
from puppet.errors import PuppetError
from puppet.geometry import euler_angles
from puppet.motion import CURVE_FUNCTIONS, plan_trajectory
from puppet.motion.curves import progress
from puppet.motion.steps import Pace
from puppet.scene import load_environment
from puppet.stage import Stage

BODY = Body.load("seated")
DOFS = np.arange(BODY.dofs)
BLOCKS = load_environment("environments/blocks.yaml")


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("frames", [1, 2, 7, 30])
def test_curves_go_from_0_to_1_inside(curve: str, frames: int) -> None:
    share = progress(curve, frames)
    assert len(share) == frames
    assert share[-1] == 1.0
    assert np.all((share >= 0.0) & (share <= 1.0))
    assert np.all(np.diff(share) >= 0.0)
    assert CURVE_FUNCTIONS[curve](np.zeros(1))[0] == 0.0


def test_curves_are_what_they_are_called() -> None:
    u = np.array([0.25])
    assert CURVE_FUNCTIONS["accelerate"](u) == pytest.approx(1 / 16)
    assert CURVE_FUNCTIONS["decelerate"](u) == pytest.approx(1 / 2)
    assert CURVE_FUNCTIONS["linear"](u) == pytest.approx(1 / 4)
    assert CURVE_FUNCTIONS["sine"](np.array([0.5])) == pytest.approx(0.5)
    assert CURVE_FUNCTIONS["smooth"](u) == pytest.approx(10 / 64 - 15 / 256 + 6 / 1024)
    with pytest.raises(PuppetError, match="did you mean 'sine'"):
        progress("sin", 3)


def random_angles(rng: np.random.Generator) -> np.ndarray:
    """A posture inside the limits, those that widen with the bend included."""
    limits = BODY.arrays.limits
    angles = rng.uniform(limits[:, 0], limits[:, 1])
    lower, upper = BODY.limits_at(angles)
    widening = BODY.arrays.widens_with >= 0
    return np.where(widening, rng.uniform(lower, upper), angles)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 60), st.sampled_from(sorted(CURVES)), st.floats(0, 0.5))
def test_limits_hold_in_every_frame_and_the_end_is_exact(seed: int, frames: int, curve: str, speed: float) -> None:
    rng = np.random.default_rng(seed)
    now, goal = random_angles(rng), random_angles(rng)
    velocity = speed * rng.uniform(-1, 1, BODY.dofs)
    trajectory = plan_trajectory(BODY, DOFS, 5, frames, curve, now, goal, velocity)
    assert trajectory.end == 5 + frames
    assert trajectory.at(5 + frames) == pytest.approx(goal, abs=1e-12)
    for angles in trajectory.angles:
        assert BODY.limit_excess(angles) < 1e-9


def test_at_rest_the_curve_is_followed_exactly() -> None:
    rng = np.random.default_rng(1)
    now, goal = random_angles(rng), random_angles(rng)
    keep = BODY.arrays.widens_with < 0
    trajectory = plan_trajectory(BODY, DOFS, 0, 20, "sine", now, goal, np.zeros(BODY.dofs))
    for n, share in enumerate(progress("sine", 20)):
        assert trajectory.angles[n, keep] == pytest.approx((now + share * (goal - now))[keep])  # (4.1)


@pytest.mark.parametrize("curve", CURVES)
def test_a_moving_joint_leaves_with_its_velocity(curve: str) -> None:
    dof = np.array([BODY.dof("left_shoulder", "y")])
    now, goal, velocity = np.array([-0.5]), np.array([-1.2]), np.array([0.03])
    angles = plan_trajectory(BODY, dof, 0, 40, curve, now, goal, velocity).angles[:, 0]
    steps = np.diff(np.concatenate([now - velocity, now, angles]))
    assert abs(steps[1] - steps[0]) < 0.25 * abs(velocity[0])  # the first step is nearly the last one before
    assert np.max(np.abs(np.diff(steps[:20]))) < 0.35 * abs(velocity[0])


def test_a_turn_is_not_taken_the_long_way_round() -> None:
    limits = BODY.arrays.limits.copy()
    assert np.all(limits[:, 1] - limits[:, 0] < 2 * math.pi)  # this body cannot: try one that can
    from puppet.motion.trajectory import _nearest_turn

    wide = np.array([10.0])
    assert _nearest_turn(np.array([3.0]), np.array([-3.0]), -wide, wide) == pytest.approx([2 * math.pi - 3.0])
    assert _nearest_turn(np.array([3.0]), np.array([-3.0]), np.array([-3.1]), np.array([3.1])) == pytest.approx([-3.0])


def jumps(stage: Stage, command: str, before: int) -> tuple[float, float]:
    """When a command is given after some frames: the largest change of any joint's step from the last one before to the
    first one after, and in the two frames after that; both as shares of the largest step."""
    angles = [stage.frame.angles]
    for _ in range(before):
        angles.append(stage.step().angles)
    stage.give(command)
    for _ in range(3):
        angles.append(stage.step().angles)
    steps = np.diff(np.array(angles), axis=0)
    changes = np.max(np.abs(np.diff(steps[-4:], axis=0)), axis=1)
    largest = np.max(np.abs(steps[-5:]))
    return float(changes[0] / largest), float(np.max(changes[1:]) / largest)


@pytest.mark.parametrize("before", [5, 11, 15, 22])
@pytest.mark.parametrize(
    "command",
    ["interrupt reach green with left", "interrupt scratch head with left", "interrupt reach blue with right"],
)
def test_an_interrupt_does_not_jerk(command: str, before: int) -> None:
    stage = Stage(BLOCKS, BODY)
    stage.give("reach yellow with left")
    velocity, acceleration = jumps(stage, command, before)
    assert velocity < (0.45 if "scratch" in command else 0.25)  # the head turns fast to what is looked at, and stops
    assert acceleration < 0.7


def test_partial_overlap_hands_over_smoothly() -> None:
    """At frame 30 the right arm, on its way since frame 0, is scheduled again with the torso."""
    stage = Stage(BLOCKS, BODY)
    stage.give("reach yellow with left, speed 30")
    for _ in range(15):
        stage.step()
    stage.give("reach red with right, speed 30, overlap partial")  # will be half way at frame 30
    angles = [stage.step().angles for _ in range(25)]
    steps = np.diff(np.array(angles), axis=0)
    change = np.max(np.abs(np.diff(steps, axis=0)), axis=1)
    assert np.max(change[12:18]) < 0.35 * np.max(np.abs(steps))


def test_freeze_stops_at_once() -> None:
    stage = Stage(BLOCKS, BODY)
    stage.give("reach yellow with left")
    for _ in range(12):
        stage.step()
    at = stage.frame.angles
    stage.give("freeze")
    assert stage.idle
    assert np.array_equal(stage.step().angles, at)


def test_a_ball_joint_stays_in_its_range_and_turns_evenly_on_the_way() -> None:
    """Angle by angle it would leave its range, and be put back into it elsewhere: half a turn in a frame."""
    person, frames = Body.load("person"), 40
    joint = person.joint("right_shoulder")
    dofs, region = np.array(person.rotation_dofs[joint]), person.joints[joint].range
    assert region is not None
    ends = np.tile(person.rest, (2, 1))
    ends[:, dofs] = np.radians([[-59.0, 25.0, -147.0], [82.0, 137.0, -310.0]])
    for end in ends:
        person.put_into_range(joint, end)
    now, goal = ends[:, dofs]
    for velocity in (np.zeros(3), np.array([0.02, -0.01, 0.03])):
        angles = plan_trajectory(person, dofs, 0, frames, "smooth", now, goal, velocity).angles
        postures = np.tile(person.rest, (frames + 2, 1))
        postures[:, dofs] = [now, *angles, goal]
        turns = local_rotations(person, joint, postures)
        assert max(region.excess(turn) for turn in turns[1:-1]) < 1e-6
        cosines = 0.5 * (np.einsum("nij,nij->n", turns[1:], turns[:-1]) - 1.0)
        steps = np.arccos(np.clip(cosines, -1.0, 1.0))
        assert steps[-1] < 1e-6  # the end is exact
        assert steps.max() < 0.25
        assert np.abs(np.diff([now, *angles], axis=0)).max() < 1.0  # and no angle turns by itself


def test_a_joint_that_is_fast_in_one_frame_alone_leaps() -> None:
    chest, frames = BODY.joint("chest"), 30
    references = np.tile(BODY.rest, (frames + 1, 1))
    references[:, BODY.dof("chest", "x")] += 0.4 * np.concatenate([[0.0], progress("smooth", frames)])
    pace = Pace(BODY, references, at_rest=True)
    assert pace.leap(references[1:]) == 0.0
    for late in (0, 15):  # from rest, and on the way
        snapped = references[1:].copy()
        snapped[late:, BODY.dof("chest", "y")] += 0.3  # no more than any joint may turn in a frame
        assert pace.leap(snapped) > 0.0
        assert pace.leap(pace.eased(snapped, frozenset({chest}))) == 0.0


def test_a_ball_joint_goes_from_end_to_end_of_its_range_through_its_inside() -> None:
    """The straight way may lead out of the one end and in again at the other: frames flipped in between."""
    body, random = Body.load("person"), np.random.default_rng(3)
    for name in ("left_shoulder", "right_shoulder", "left_hip"):
        joint = body.joint(name)
        region, dofs = body.joints[joint].range, np.array(body.rotation_dofs[joint])
        assert region is not None
        order = [rotation.axis for rotation in body.joints[joint].rotations]
        for _ in range(40):
            ends = []
            for bound in (0, 1):
                swing = random.dirichlet(np.full(len(region.corners), 0.3)) @ region.corners
                turn = region.rotation(swing, region.twist_bounds(swing)[bound])
                ends.append(np.radians(euler_angles(turn[None], order)[0]))
            found = plan_trajectory(body, dofs, 0, 40, "smooth", *ends, np.zeros(3)).angles
            postures = np.zeros((41, body.dofs))
            postures[:, dofs] = np.concatenate([ends[:1], found])
            turns = local_rotations(body, joint, postures)
            cosines = 0.5 * ((turns[1:] * turns[:-1]).sum(axis=(1, 2)) - 1.0)
            assert np.arccos(cosines.clip(-1.0, 1.0)).max() < 0.5
