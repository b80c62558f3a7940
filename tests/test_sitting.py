"""Sitting down and standing up: low seats, and arms between the table and the sides."""

from __future__ import annotations

import numpy as np
import pytest

import puppet
from puppet.body import hand_transforms, joint_transforms
from puppet.files import strict_yaml
from puppet.scene import read_environment
from puppet.types import Floats
from tests.rooms import at_a_table, told
from tests.test_locomotion import BODY, MILLIMETRE, contacts, slide

ELBOWS = [BODY.dof_names.index(f"{side}_forearm.y") for side in ("left", "right")]


def elbow_steps(frames: Floats) -> float:
    """By how many degrees a frame the velocity of an elbow changes at most from one frame to the next."""
    return float(np.degrees(np.abs(np.diff(frames[:, ELBOWS], 2, axis=0))).max())


@pytest.mark.parametrize("height", [0.14, 0.16, 0.18])
def test_who_sits_down_on_a_low_seat_keeps_both_feet_on_the_floor(height: float) -> None:
    """Hips and ankles came to the ends of their ranges: a foot went 6 mm into the floor, or slid."""
    stage, frames = told("sit down", "stand up", environment=at_a_table(0.32, 0.38, height))
    assert [(entry.status, entry.reason) for entry in stage.entries] == [("done", "")] * 2
    assert slide(frames) < MILLIMETRE
    assert contacts(frames)[:, :, 1].min() > -0.1 * MILLIMETRE


@pytest.mark.parametrize(
    ("room", "table", "seat"), [(0.32, 0.38, 0.25), (0.3, 0.36, 0.22), (0.4, 0.4, 0.25), (0.35, 0.42, 0.28)]
)
def test_arms_go_to_the_table_and_back_without_being_stretched(room: float, table: float, seat: float) -> None:
    """An arm was stretched while its hand waited at the table's height, and then bent by 30 degrees a frame."""
    stage, frames = told("sit down", "stand up", environment=at_a_table(room, table, seat))
    assert [entry.status for entry in stage.entries] == ["done"] * 2
    assert elbow_steps(frames) < 10.0


def test_who_leaves_a_seat_goes_to_the_side_that_leads_on() -> None:
    """The nearer side was taken, between two chairs where nobody gets through, and the walk was rejected."""
    text = (
        "floor: 0\nstart: {place: [-1.3, 0.3], turn: 32}\nspaces: {}\n"
        "tables:\n  table: {place: [0, 0.45], size: [1.6, 0.44], height: 0.405}\n"
        "  other: {place: [0.467, -1.6], size: [0.6, 0.4], height: 0.487}\n"
        "seats: {a: {place: [0, -0.107], height: 0.29}, b: {place: [0.5, -0.2], height: 0.26, turn: -66.5}}\n"
    )
    room = read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands)
    stage, frames = told("sit down", "walk to other", environment=room)
    assert [entry.status for entry in stage.entries] == ["done"] * 2
    assert slide(frames) < MILLIMETRE


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_hands_of_who_sits_beside_the_middle_of_a_table_lie_before_them(side: float) -> None:
    """They lay at the middle of the table, with an arm across the trunk."""
    text = (
        "floor: 0\nstart: {place: [0, -0.6]}\nspaces: {}\n"
        "tables: {table: {place: [0, 0.45], size: [1.6, 0.44], height: 0.4}}\n"
        f"seats: {{chair: {{place: [{0.5 * side}, -0.05], height: 0.25}}}}\n"
    )
    stage, frames = told("sit down", environment=read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands))
    assert [(entry.status, entry.reason) for entry in stage.entries] == [("done", "")]
    hands = hand_transforms(BODY, frames[-1])
    apart = [float(hands[hand].position[0]) - 0.5 * side for hand in ("left", "right")]
    assert apart == pytest.approx([0.12, -0.12], abs=0.01)


def test_who_crouches_between_a_seat_and_a_table_comes_out_first() -> None:
    """Hands went 0.2 into the table."""
    stage, frames = told("sit down", "stand up", "crouch", environment=at_a_table(0.33, 0.38, 0.25))
    assert [(entry.status, entry.reason) for entry in stage.entries] == [("done", "")] * 3
    assert slide(frames) < MILLIMETRE


@pytest.mark.parametrize("gesture", ["check watch with left", "wave with left", "scratch head with left"])
@pytest.mark.parametrize("room", ["coffee.yaml", "thesis.yaml"])
def test_who_gets_up_lets_a_raised_arm_down_without_a_detour(room: str, gesture: str) -> None:
    """A hand before the chest was led back through the body, and went up over the head and behind it."""
    performance = puppet.run(f'environment "{room}"\nbody person\nperform {gesture}\nstand up')
    gets_up = performance.report["tasks"][-1]
    body, start, end = performance.body, gets_up["start"], gets_up["end"]
    assert gets_up["status"] == "done", gets_up["reason"]
    frames = performance.angles[start : end + 1]
    world = joint_transforms(body, frames)
    chest = world[:, body.joint_names.index("chest")]
    turns = chest[:, 3:].reshape(-1, 3, 3)
    for joint in body.limb("left").joints[1:]:
        seen = np.einsum("nba,nb->na", turns, world[:, joint, :3] - chest[:, :3])
        way = np.linalg.norm(np.diff(seen, axis=0), axis=1).sum()
        assert way < 1.6 * np.linalg.norm(seen[-1] - seen[0]) + 0.05, body.joint_names[joint]


@pytest.mark.parametrize(("gap", "turn", "aside"), [(0.18, 56, 0.06), (0.24, -24, -0.02), (0.17, 21, 0.1)])
def test_who_sits_down_on_a_chair_that_is_turned_to_a_table_keeps_the_hips_out_of_it(
    gap: float, turn: float, aside: float
) -> None:
    text = (
        "floor: 0\nstart: {place: [0.4, -1], turn: 30}\nspaces: {}\n"
        "tables: {table: {place: [0, 0.6], size: [0.8, 0.5], height: 0.4}}\n"
        f"seats: {{chair: {{place: [{aside}, {0.35 - gap:g}], turn: {turn}, height: 0.25}}}}\n"
    )
    room = read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands)
    stage, frames = told("sit down", "stand up", "walk to (0.5, -1.2)", environment=room)
    assert [(entry.status, entry.reason) for entry in stage.entries] == [("done", "")] * 3
    assert slide(frames) < MILLIMETRE


@pytest.mark.parametrize(("far", "room", "table", "verb"), [(0.36, 0.38, 0.492, "take"), (0.3, 0.29, 0.4, "reach")])
def test_who_has_leaned_over_the_table_gets_up_without_leaning_farther(
    far: float, room: float, table: float, verb: str
) -> None:
    """The lean with which one gets up came on top of that: the head went into the table."""
    text = (
        f"floor: 0\nstart: {{place: [-1.1, -0.6], turn: 60}}\nspaces: {{far: [-0.1, 0, {far}]}}\n"
        "objects: {cup: {width: 0.02, space: far, shape: cup}}\n"
        f"tables: {{table: {{place: [0, 0.45], size: [0.8, 0.44], height: {table}}}}}\n"
        f"seats: {{chair: {{place: [0, {0.23 - room:g}], height: 0.225}}}}\n"
    )
    scene = read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands)
    stage, frames = told("sit down", f"{verb} cup with right", "stand up", environment=scene)
    assert "head" not in stage.entries[-1].depth_words
    begins = stage.entries[-1].start
    assert begins is not None
    heads = joint_transforms(BODY, frames[begins:])[:, BODY.joint("head"), 1]
    assert heads.min() > heads[0] - 0.01


def test_who_was_turned_on_the_seat_sits_again_before_standing_up() -> None:
    """The course began from there, and feet leapt by 0.11 in a frame."""
    stage, frames = told("sit down", "pose pelvis at (-45, -45, -30), speed 30", "walk to (-1, 0.2)")
    assert all(entry.status in ("done", "adjusted") for entry in stage.entries)
    joints = joint_transforms(BODY, frames)[:, :, :3]
    assert np.linalg.norm(np.diff(joints, axis=0), axis=2).max() < 0.08
