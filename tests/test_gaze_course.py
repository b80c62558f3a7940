"""Eyes and head go first, gently enough, and are on the goal before the hand is."""

from __future__ import annotations

import numpy as np
import pytest

import puppet
from benchmarks.motion.reaches import gaze_angles
from benchmarks.motion.tasks import tasks_of

STEP = 60.0  # degrees a second from frame to frame


@pytest.mark.parametrize("thing", ["red", "blue", "yellow", "green"])
@pytest.mark.parametrize("hand", ["left", "right"])
def test_eyes_and_head_are_on_the_goal_first(thing: str, hand: str) -> None:
    performance = puppet.run(f'environment "blocks.yaml"\nbody person\nreach {thing} with {hand}')
    [task] = tasks_of(performance)
    gaze = gaze_angles(performance, task, task.goal(performance))
    assert gaze[int(np.ceil(0.3 * (task.end - task.start)))] < 10.0
    assert gaze[-1] < 10.0
    body = performance.body
    assert body.gaze is not None
    dofs = [dof for joint in (body.gaze.joint, *body.eyes) for dof in body.rotation_dofs[joint]]
    steps = np.abs(np.diff(np.degrees(performance.angles[:, dofs]), n=2, axis=0)) * performance.fps
    assert steps.max() < 1.1 * STEP


@pytest.mark.parametrize(("thing", "hand", "grip"), [("red", "left", "side"), ("green", "right", "side")])
def test_the_thing_is_looked_at_and_not_the_hand(thing: str, hand: str, grip: str) -> None:
    performance = puppet.run(f'environment "blocks.yaml"\nreach {thing} with {hand}, grip {grip}')
    [task] = tasks_of(performance)
    assert gaze_angles(performance, task, task.goal(performance))[-1] < 1.0


@pytest.mark.parametrize("fps", [24, 60])
def test_a_head_turns_alike_at_other_frame_rates(fps: int) -> None:
    performance = puppet.run(f'environment "blocks.yaml"\nbody person\nfps {fps}\nreach red with left')
    [task] = tasks_of(performance)
    gaze = gaze_angles(performance, task, task.goal(performance))
    assert gaze[int(np.ceil(0.3 * (task.end - task.start)))] < 10.0


def test_a_head_that_has_little_time_is_there_in_the_end() -> None:
    performance = puppet.run('environment "blocks.yaml"\nbody person\nreach red with left, speed 8')
    [task] = tasks_of(performance)
    assert task.end == 8
    assert gaze_angles(performance, task, task.goal(performance))[-1] < 10.0
