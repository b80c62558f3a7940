"""What is carried goes around thighs, tables and what is in the other hand; arms that hang, around high tables."""

from __future__ import annotations

import math

import pytest

from puppet.body import joint_transforms
from puppet.files import strict_yaml
from puppet.scene import Scene, read_environment
from puppet.stage.low_elbow import elevation
from tests.rooms import BODY, told
from tests.test_locomotion import MILLIMETRE, slide


def room(text: str) -> Scene:
    return read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands)


STOOL = (
    "floor: 0\nstart: {{place: [0, 0], turn: {turn}}}\nspaces: {{a: {{on: floor, at: [0.4, 0, 0.5]}}}}\n"
    "objects: {{box: {{width: {width}, space: a}}}}\nseats: {{stool: {{place: [-0.8, 0.2], height: {seat}}}}}\n"
)


@pytest.mark.parametrize(("hand", "width", "seat"), [("right", 0.03, 0.27), ("left", 0.04, 0.22), ("right", 0.05, 0.3)])
def test_who_sits_down_and_stands_up_with_something_in_a_hand_keeps_it_out_of_the_thighs(
    hand: str, width: float, seat: float
) -> None:
    lines = ("walk to box", f"take box with {hand}", "sit down", "stand up")
    stage, frames = told(*lines, environment=room(STOOL.format(turn=0, width=width, seat=seat)))
    assert [(entry.status, entry.reason) for entry in stage.entries] == [("done", "")] * 4
    assert slide(frames) < MILLIMETRE


TABLE = (
    "floor: 0\nstart: {{place: [0, {place}], turn: {turn}}}\nspaces: {{}}\n"
    "tables: {{table: {{place: [0, 0.2], size: [0.8, 0.4], height: {height}}}}}\n"
)


@pytest.mark.parametrize(
    ("height", "place", "turn", "lines"),
    [
        (0.62, -0.14, 180, ("turn by 90", "turn by 180")),
        (0.5, -0.12, 90, ("turn by 180", "walk to (0, -0.9)")),
        (0.55, -0.12, 270, ("turn by 90", "turn by -90")),
        (0.62, -0.12, 45, ("turn by -90", "walk to (-0.8, -0.5)")),
    ],
)
def test_who_stands_near_a_high_table_keeps_hands_out_of_it(
    height: float, place: float, turn: int, lines: tuple[str, ...]
) -> None:
    stage, _ = told(*lines, environment=room(TABLE.format(height=height, place=place, turn=turn)))
    assert [entry.depth < 0.002 for entry in stage.entries] == [True, True]


def test_who_has_taken_something_from_the_floor_carries_it_with_the_elbow_low() -> None:
    """The hand was led to where it is carried, and the elbow stayed at the height of the shoulder."""
    text = (
        "floor: 0\nstart: {place: [0, 0], turn: 230}\nspaces: {a: {on: floor, at: [-0.5, 0, -1.29]}}\n"
        "objects: {mug: {width: 0.05, space: a, shape: cup}}\n"
    )
    stage, frames = told("walk to mug", "take mug with left", "walk to (0, 0)", environment=room(text))
    assert [(entry.status, entry.reason) for entry in stage.entries] == [("done", "")] * 3
    assert max(BODY.limit_excess(angles) for angles in frames) < 1e-9
    sets_out = stage.entries[2].start
    assert sets_out is not None
    for angles in frames[sets_out + 30 :]:
        assert elevation(BODY, "left", joint_transforms(BODY, angles)) < math.radians(-35.0)
