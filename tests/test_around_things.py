"""What lies on the floor, posts and low bars: one walks around them, or jumps over."""

from __future__ import annotations

import math

import pytest

from puppet.files import strict_yaml
from puppet.scene import distance, read_environment
from tests.rooms import BODY, told
from tests.test_locomotion import MILLIMETRE, contacts, slide

ON_THE_FLOOR = (
    "floor: 0\nstart: {place: [0, -1]}\nspaces: {a: [0.05, 0, 0], b: [0.6, 0, 0.3], c: [-0.6, 0, 0.9]}\n"
    "objects: {crate: {width: 0.08, space: a}, key: {width: 0.02, space: b}, box: {width: 0.05, space: c}}\n"
    "bars: {bar: {place: [0, 0.6], height: 1.3, length: 0.6}, rail: {place: [-1, 0], height: 0.5, length: 0.8}}\n"
)


def test_nobody_walks_through_what_lies_on_the_floor_or_through_posts_and_low_bars() -> None:
    """Ways led straight through them: feet went into the things, which was told, and through posts, which was not."""
    room = read_environment(strict_yaml.parse(ON_THE_FLOOR, "x.yaml"), BODY.hands)
    stage, frames = told("walk to (0.05, 1.1)", "walk to (-1, 0.7)", "walk to (-1, -0.7)", "walk to (1, 0.5)",
                         environment=room)  # fmt: skip
    assert [(entry.status, entry.reason) for entry in stage.entries] == [("done", "")] * 4
    feet = contacts(frames).reshape(-1, 3)
    for name, wall in room.obstacles:
        assert min(distance(wall, x, z) for x, _, z in feet[::2]) > 0.0, name
    assert slide(frames) < MILLIMETRE


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("walk to (0.1, 0.05)", "'crate' stands at (0.1, 0.05); "),
        ("walk to (0.22, 0)", "'crate' leaves no room to stand at (0.22, 0); "),
        ("jump to (0.1, 0.35), height 0.1", "'crate' is in the way; walk to (0.1, 0.35) goes around it"),
    ],
)
def test_who_would_stand_on_a_thing_or_jump_through_it_is_told(line: str, reason: str) -> None:
    room = read_environment(strict_yaml.parse(ON_THE_FLOOR.replace("[0, -1]", "[0.05, -0.4]"), "x.yaml"), BODY.hands)
    stage, _ = told(line, environment=room)
    assert stage.entries[0].status == "rejected"
    assert stage.entries[0].reason.startswith(reason)


def test_one_jumps_over_a_thing_that_is_low_enough() -> None:
    room = read_environment(strict_yaml.parse(ON_THE_FLOOR.replace("[0, -1]", "[0.6, -0.1]"), "x.yaml"), BODY.hands)
    stage, frames = told("jump to (0.6, 0.7), height 0.3", environment=room)
    assert [(entry.status, entry.reason) for entry in stage.entries] == [("done", "")]
    over = [y for x, y, z in contacts(frames).reshape(-1, 3) if math.hypot(x - 0.6, z - 0.3) < 0.03]
    assert min(over) > 0.04


def test_feet_swing_around_a_thing_beside_them() -> None:
    """A foot that turned and set out went through it."""
    text = "floor: 0\nstart: {place: [0, 0]}\nspaces: {a: [0.2, 0, 0.05]}\nobjects: {box: {width: 0.05, space: a}}\n"
    room = read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands)
    stage, frames = told("turn by 90", "walk to (0.5, -0.3)", environment=room)
    assert [(entry.status, entry.reason) for entry in stage.entries] == [("done", "")] * 2
    assert min(distance(room.obstacles[0][1], x, z) for x, _, z in contacts(frames).reshape(-1, 3)) > 0.0


def test_who_stands_before_a_thing_has_room_to_turn_beside_others() -> None:
    """One stood 0.13 beside another thing, and trod into it on leaving."""
    text = (
        "floor: 0\nstart: {place: [1.2, -0.1], turn: 270}\nspaces: {a: [0, 0, -0.88], b: [-0.12, 0, -0.94]}\n"
        "objects: {box: {width: 0.065, space: a}, key: {width: 0.02, space: b}}\n"
    )
    room = read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands)
    stage, _ = told("walk to key", environment=room)
    assert [(entry.status, entry.reason) for entry in stage.entries] == [("done", "")]
    assert distance(dict(room.obstacles)["box"], *stage.scene.body_at.place) > 0.2
