"""Who goes on somewhere else does not come to rest first, and turns with as few steps as people do."""

from __future__ import annotations

import math

import numpy as np
import pytest

import puppet
from puppet.body import joint_transforms
from puppet.locomotion import plan_footsteps
from puppet.motion import seen_leaps
from puppet.scene import Stance
from puppet.stage import Stage
from puppet.types import Floats
from tests.rooms import BODY, told
from tests.test_locomotion import LEGS, MILLIMETRE, slide

STILL = 5e-4  # body heights a frame


def longest_stand(frames: Floats) -> int:
    """In how many frames both feet stand at most, one after the other."""
    feet = joint_transforms(BODY, frames)[:, [foot.joint for foot in LEGS.feet], :3]
    still = np.linalg.norm(np.diff(feet, axis=0), axis=2).max(axis=1) < STILL
    longest = count = 0
    for stands in still:
        count = count + 1 if stands else 0
        longest = max(longest, count)
    return longest


def test_who_goes_on_somewhere_else_does_not_come_to_rest_first() -> None:
    lines = ("turn by 90", "walk to (-1, 0)", "turn by -140", "walk to (0.3, -1.2)")
    stage, frames = told(*lines)
    assert [entry.status for entry in stage.entries] == ["done"] * 4
    first, last = stage.entries[0].end, stage.entries[-1].start
    assert first is not None
    assert last is not None
    assert longest_stand(frames[first - 12 : last + 12]) < 9
    assert slide(frames) < MILLIMETRE
    joints = joint_transforms(BODY, frames)[:, :, :3]
    assert np.linalg.norm(np.diff(joints, n=2, axis=0), axis=2).max() < 0.055  # no more than in a single walk


def test_who_stands_up_walks_on_and_crouches_without_a_rest() -> None:
    stage, frames = told("sit down", "stand up", "walk to (0.3, -1.2)", "crouch", "stand up")
    assert [entry.status for entry in stage.entries] == ["done"] * 5
    assert slide(frames) < MILLIMETRE
    walk = stage.entries[2]
    assert walk.start is not None
    assert longest_stand(frames[walk.start : walk.end]) < 9


def test_a_journey_that_was_told_how_long_it_takes_takes_as_long() -> None:
    stage, _ = told("turn by 90, speed 70", "walk to (-1, 0)")
    turn, walk = stage.entries
    assert turn.end == walk.start == 70


@pytest.mark.parametrize(("degrees", "steps"), [(60, 2), (90, 3), (120, 3), (140, 3), (180, 4)])
def test_a_turn_takes_few_steps(degrees: float, steps: int) -> None:
    """A foot leaves room for where the other one treads next, and nobody has to correct that afterwards."""
    for side in (-1.0, 1.0):
        found = plan_footsteps(LEGS, Stance((0.0, 0.0)), [], side * math.radians(degrees))
        assert len(found) == steps


def test_turning_by_140_degrees_takes_two_seconds() -> None:
    stage, frames = told("turn by 140")
    assert len(frames) < 66
    assert slide(frames) < MILLIMETRE
    assert stage.entries[0].status == "done"


def test_an_arm_that_has_far_to_go_is_not_hurried_by_a_journey_that_flows() -> None:
    """Who had looked at a watch and set out had the hand leap by 0.13 where the turn went over into the walk."""
    script = 'environment "thesis"\nbody person\nperform "check watch" with left, speed 25, overlap partial\n'
    found = puppet.run(script + 'wait until done\nwalk to "A"\n')
    assert not len(seen_leaps(found.body, found.angles[0], found.angles))


def test_who_stands_up_instead_of_being_dragged_does_not_go_on_being_dragged() -> None:
    """The rest of the drag was taken for a journey that comes to rest, and the body was elsewhere a frame later."""
    stage = Stage("cafe.yaml", BODY)
    stage.give("crouch")
    stage.run_until_idle()
    frames = []
    for line, count in (("drag abdomen to (0.1, 0.4, 0.3), speed 33", 13), ("interrupt stand up", 100)):
        stage.give(line)
        frames += [stage.step().angles for _ in range(count)]
    assert [entry.status for entry in stage.entries] == ["done", "cancelled", "done"]
    joints = joint_transforms(BODY, np.array(frames))[:, :, :3]
    assert np.linalg.norm(np.diff(joints, axis=0), axis=2).max() < 0.15  # it was 1.3
