"""No joint's velocity steps where a task begins or ends, and none twitches on the way."""

from __future__ import annotations

import numpy as np
import pytest

import puppet
from benchmarks.motion.measuring import carry_out
from benchmarks.motion.promises import broken_seams
from benchmarks.motion.reaches import reaches
from benchmarks.motion.reaches import velocity_steps as judged_steps
from benchmarks.motion.scenes import make_case
from benchmarks.motion.tasks import tasks_of
from puppet.body import Body, joint_transforms
from puppet.motion import gentle_frames, progress
from puppet.motion.smoothing import steadied, velocity_steps
from puppet.types import Floats

PERSON, SEATED = Body.load("person"), Body.load("seated")


def swung(body: Body, joint: int, count: int) -> Floats:
    """Postures (count, dofs) in which a joint goes there by a smooth curve and twitches once."""
    found = np.zeros((count, body.dofs))
    share = np.linspace(0.0, 1.0, count)
    found[:, list(body.rotation_dofs[joint])] = 0.2 * (10.0 * share**3 - 15.0 * share**4 + 6.0 * share**5)[:, None]
    found[count // 2, list(body.rotation_dofs[joint])] += 0.05
    return found


@pytest.mark.parametrize("body", [PERSON, SEATED], ids=["person", "seated"])
@pytest.mark.parametrize("name", ["left_shoulder", "left_hand"])
def test_a_twitch_is_smoothed_and_both_ends_stay(body: Body, name: str) -> None:
    joint = body.joint_names.index(name)
    postures = swung(body, joint, 25)
    before = postures[0]
    found = steadied(body, [joint], before, postures, 30.0)
    np.testing.assert_array_equal(found[[0, -1]], postures[[0, -1]])
    worlds = [joint_transforms(body, np.stack([before, *rows])) for rows in (postures, found)]
    rough, smooth = (velocity_steps(body, [joint], world).max() for world in worlds)
    assert smooth < 0.5 * rough
    assert np.abs(found - postures).max() < 0.07


def test_a_shoulder_at_the_edge_of_its_range_is_smoothed_inside_it() -> None:
    joint = PERSON.joint_names.index("right_shoulder")
    postures = swung(PERSON, joint, 25)
    postures[:, PERSON.rotation_dofs[joint][0]] += 2.0 + 1e-4 * np.sin(np.arange(25))
    for posture in postures:
        PERSON.put_into_range(joint, posture)
    for weight in (1e-3, 0.1, 30.0):
        found = steadied(PERSON, [joint], postures[0], postures, weight)
        assert max(PERSON.limit_excess(posture) for posture in found) < 1e-9


def test_what_leaves_in_motion_goes_on_with_its_velocity() -> None:
    joint = SEATED.joint_names.index("left_shoulder")
    dof = SEATED.rotation_dofs[joint][0]
    postures = np.zeros((20, SEATED.dofs))
    before = postures[0].copy()
    before[dof] = -0.05  # it would stop at once
    steps = [velocity_steps(SEATED, [joint], joint_transforms(SEATED, np.stack([before, *rows])))[0] for rows in
             (postures, steadied(SEATED, [joint], before, postures, 500.0))]  # fmt: skip
    assert steps[0] == pytest.approx(0.05)
    assert steps[1] < 0.02


@pytest.mark.parametrize("name", ["both 1", "empty 9", "both 6", "holding 2", "gestures 4"])
def test_no_velocity_steps_at_a_seam(name: str) -> None:
    category, number = name.split()
    case = make_case(category, int(number))
    performance, _ = carry_out(case, Body.load(case.body))
    assert broken_seams(performance) == []


def test_joints_that_turn_far_take_longer_so_that_they_set_out_gently() -> None:
    joint = PERSON.joint_names.index("left_shoulder")
    start, goal = np.zeros(PERSON.dofs), np.zeros(PERSON.dofs)
    goal[PERSON.rotation_dofs[joint][0]] = 1.2
    assert gentle_frames(PERSON, [joint], start, start, 30.0) == 0
    frames = gentle_frames(PERSON, [joint], start, goal, 30.0)
    course = start + progress("smooth", frames)[:, None] * (goal - start)
    steps = velocity_steps(PERSON, [joint], joint_transforms(PERSON, np.stack([start, start, *course])))
    assert np.degrees(steps[[0, 1, -2, -1]].max()) * 30.0 < 60.0
    assert gentle_frames(PERSON, [joint], start, goal, 60.0) > frames


def test_frames_in_which_leaps_are_bridged_stay_near_the_path() -> None:
    performance, _ = carry_out(make_case("gestures", 5), SEATED)
    first = reaches(performance)[0]
    assert first.stroke is not None
    assert first.stroke.ratio < 1.6  # it was 2.06: the hand went up to the face on its way


def test_no_shoulder_twitches_near_the_edge_of_its_range() -> None:
    performance, _ = carry_out(make_case("empty", 9), PERSON)
    shoulder = PERSON.joint_names.index("right_shoulder")
    assert judged_steps(performance)[:, shoulder].max() < 150.0  # 461 degrees a second


@pytest.mark.parametrize("overlap", ["partial", "full"])
def test_hands_that_share_the_trunk_take_as_long_as_the_slower_one_needs(overlap: str) -> None:
    script = f'environment "blocks.yaml"\nbody person\nset overlap {overlap}\n'
    near, far = "reach space 3 with right", "reach red with left"
    alone = [puppet.run(script + line) for line in (near, far)]
    needed = max(task.end - task.start for performance in alone for task in tasks_of(performance))
    for lines in ((near, far), (far, near)):
        performance = puppet.run(script + "\n".join(lines))
        took = [task.end - task.start for task in tasks_of(performance)]
        assert max(took) >= needed - 7  # nobody waits for the eyes alone


@pytest.mark.parametrize(("name", "hand"), [("things 0", "left"), ("empty 8", "left")])
def test_no_shoulder_is_turned_over_where_the_hand_can_be_turned_otherwise(name: str, hand: str) -> None:
    category, number = name.split()
    performance, _ = carry_out(make_case(category, int(number)), SEATED)
    first = tasks_of(performance)[0]
    assert first.hand == hand
    middle = SEATED.rotation_dofs[SEATED.limb(hand).joints[0]][1]
    assert np.abs(performance.angles[first.start : first.end + 1, middle]).max() < 0.5 * np.pi
    [reach] = [reach for reach in reaches(performance) if reach.task.number == first.number]
    assert reach.stroke is not None
    assert reach.stroke.ratio < 1.35


@pytest.mark.parametrize("number", [15, 19])
def test_who_reaches_far_with_both_hands_leans_and_keeps_the_elbows_bent(number: int) -> None:
    """A straight arm bends by much for a short way of its hand: its elbow stopped from 90 degrees/s in a frame."""
    performance, _ = carry_out(make_case("both", number), PERSON)
    assert not broken_seams(performance)
    for task in tasks_of(performance):
        shoulder, elbow, wrist = performance.joint_positions[task.end, list(PERSON.limb(task.hand).joints)]
        whole = np.linalg.norm(elbow - shoulder) + np.linalg.norm(wrist - elbow)
        assert np.linalg.norm(wrist - shoulder) < 0.99 * whole


@pytest.mark.parametrize(("thing", "hand"), [("red", "left"), ("yellow", "right")])
def test_an_arm_whose_hand_stays_on_the_table_keeps_time_with_the_trunk(thing: str, hand: str) -> None:
    """Its elbow was swung round in the time that its hand needs to go nowhere: up and down again."""
    performance = puppet.run(f'environment "blocks"\nbody person\nreach {thing} with {hand}\n')
    idle = PERSON.limb("left" if hand == "right" else "right").joints
    heights = performance.joint_positions[:, idle[1], 1]
    assert heights.max() < max(heights[0], heights[-1]) + 0.003
    assert judged_steps(performance)[:, list(idle)].max() < 60.0


@pytest.mark.parametrize(
    ("body", "first", "at", "then"),
    [
        ("seated", "reach green with right", 5, "wave with right"),
        ("person", "reach red with right", 6, "reach yellow with right"),
    ],
)
def test_a_head_that_is_interrupted_turns_on_without_a_jerk(body: str, first: str, at: int, then: str) -> None:
    """It stopped at the edge of its range in a frame, or was turned round by what came then."""
    performance = puppet.run(f'environment "blocks"\nbody {body}\n{first}\nat {at}\ninterrupt {then}\n')
    gaze = performance.body.gaze
    assert gaze is not None
    assert judged_steps(performance)[at - 1 :, gaze.joint].max() < 85.0
