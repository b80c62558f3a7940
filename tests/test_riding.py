"""Hands that hold something in the air while the body bends for another one: they go along, and what they hold is
upright; what stands somewhere, they stay with."""

from __future__ import annotations

import math

import numpy as np
import pytest

from puppet.body import hand_transforms, joint_transforms
from puppet.files import strict_yaml
from puppet.scene import Scene, read_environment
from puppet.stage import Stage
from tests.rooms import BODY


def _room(key: str, shape: str = "cup", width: float = 0.025) -> Scene:
    text = (
        "floor: 0\nstart: {place: [0, -0.5]}\ntables: {table: {place: [0, 0.3], size: [0.5, 0.3], height: 0.42}}\n"
        f"spaces: {{here: [-0.08, 0, 0.08], there: [0.12, 0, 0.08], below: {key}}}\n"
        f"objects: {{cup: {{width: {width}, space: here, shape: {shape}}}, key: {{width: 0.02, space: below}}}}\n"
    )
    return read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands)


def _shown(room: Scene, *lines: str) -> Stage:
    stage = Stage(room, BODY)
    for line in lines:
        stage.give(line)
    return stage


@pytest.mark.parametrize(
    ("shape", "holds", "reaches", "place"),
    [("cup", "left", "right", "0.6, 0, -0.5"), ("pot", "right", "left", "-0.7, 0, -0.3"),
     ("jar", "left", "right", "0, 0, -0.9")],
)
def test_what_a_hand_holds_goes_down_with_its_shoulder(shape: str, holds: str, reaches: str, place: str) -> None:
    room = _room(f"{{on: floor, at: [{place}]}}", shape, 0.03)
    stage = _shown(room, "walk to table", f"take cup with {holds}", "walk to key", f"reach key with {reaches}")
    shoulder, head = BODY.limb(holds).joints[0], BODY.joint("head")
    begins, below, off, near, tilt = 0.0, 0.0, 0.0, 1.0, 0.0
    while not stage.idle:
        frame = stage.step()
        cup, rows = frame.objects["cup"], joint_transforms(BODY, frame.angles)
        tilt = max(tilt, math.acos(min(1.0, cup.rotation[1, 1])))
        below = float(rows[shoulder, 1] - cup.position[1])
        near = min(near, float(np.linalg.norm(cup.position - rows[head, :3])))
        if stage.entries[3].start is None:
            begins = below
        off = max(off, abs(below - begins))  # on the way, too
    assert [entry.status for entry in stage.entries] == ["done"] * 4
    assert rows[shoulder, 1] < 0.6  # it has gone down indeed
    assert off < 0.09
    assert near > 0.18
    assert tilt < math.radians(2.0)


def test_what_lies_in_a_palm_goes_along() -> None:
    room = _room("{on: floor, at: [0.5, 0, -0.6]}")
    stage = _shown(
        room, "walk to table", "take cup with right", "reach (0.15, 0.6, 0.1) with left",
        "slide left by (0, 0.03, 0) turn bottom", "put cup on space left", "walk to key", "reach key with right",
    )  # fmt: skip
    while not stage.idle:
        frame = stage.step()
    assert stage.entries[-1].status == "done"
    assert stage.scene.bottom("left") == "cup"
    rows = joint_transforms(BODY, frame.angles)
    assert frame.objects["cup"].position[1] < rows[BODY.limb("left").joints[0], 1]
    assert frame.objects["cup"].rotation[1, 1] > 0.998


def test_a_thing_that_stands_stays_where_it_is_and_its_hand_with_it() -> None:
    room = _room("{on: floor, at: [0.6, 0, -0.5]}")
    stage = _shown(room, "walk to table", "take cup with left", "reach (-0.35, 0.15, -0.05) with right")
    while not stage.idle:
        frame = stage.step()
    assert stage.scene.stands("cup")
    cup = frame.objects["cup"].position
    assert cup == pytest.approx(room.centre("cup"), abs=1e-9)
    assert stage.frame.holding.get("left") == "cup"
    assert np.linalg.norm(hand_transforms(BODY, frame.angles)["left"].position - cup) < 0.05


def test_a_thing_in_the_air_stays_there_while_its_shoulder_hardly_moves() -> None:
    room = _room("{on: table, at: [0.15, 0, 0.05]}")
    stage = _shown(room, "walk to table", "take cup with left", "slide left by (-0.02, 0.15, -0.04)")
    while not stage.idle:
        frame = stage.step()
    cup = frame.objects["cup"].position
    stage.give("reach (0.25, 0.6, 0.1) with right")
    while not stage.idle:
        frame = stage.step()
    assert stage.entries[-1].status == "done"
    assert frame.objects["cup"].position == pytest.approx(cup, abs=2e-3)


def test_a_hand_that_has_gone_along_is_where_later_tasks_take_it_to_be() -> None:
    room = _room("{on: floor, at: [0.6, 0, -0.5]}")
    stage = _shown(room, "walk to table", "take cup with left", "walk to key", "reach key with right")
    while not stage.idle:
        frame = stage.step()
    before = hand_transforms(BODY, frame.angles)["left"].position
    stage.give("slide left by (0, 0.1, 0)")
    while not stage.idle:
        frame = stage.step()
    after = hand_transforms(BODY, frame.angles)["left"].position
    assert after - before == pytest.approx([0.0, 0.1, 0.0], abs=2e-3)
    for line in ("walk to table", "put cup on space there"):
        stage.give(line)
    while not stage.idle:
        stage.step()
    assert [entry.status for entry in stage.entries] == ["done"] * 7


@pytest.mark.parametrize("width", [0.026, 0.045])
def test_what_both_hands_hold_goes_down_into_a_crouch_before_the_trunk(width: float) -> None:
    """It went along with the chest's joint, and the trunk leaned into the forearms by 0.04."""
    text = (
        "floor: 0\nstart: {place: [0, 0]}\nspaces: {s: {on: floor, at: [-0.7, 0, -0.97]}}\n"
        f"objects: {{box: {{width: {width}, space: s}}}}\n"
    )
    room = read_environment(strict_yaml.parse(text, "x.yaml"), BODY.hands)
    stage = _shown(room, "walk to box", "take box with both hands", "crouch", "turn by 98")
    while not stage.idle:
        stage.step()
    assert [(entry.status, entry.reason) for entry in stage.entries] == [("done", "")] * 5
    assert stage.frame.holding == {"left": "box", "right": "box"}


@pytest.mark.parametrize(("at", "hands"), [((0.15, 0.05), ("left", "right")), ((-0.17, 0.1), ("right", "left"))])
def test_a_hand_in_the_air_is_not_swung_up_by_a_trunk_that_bows_a_little(
    at: tuple[float, float], hands: tuple[str, str]
) -> None:
    room = _room(f"{{on: table, at: [{at[0]}, 0, {at[1]}]}}", "jar", 0.033)
    stage = _shown(room, "walk to table", f"take cup with {hands[0]}", "walk to (0, -0.6)", "walk to key")
    while not stage.idle:
        stage.step()
    stage.give(f"take key with {hands[1]}")
    heights: list[float] = []
    while not stage.idle:
        heights.append(float(stage.step().objects["cup"].position[1]))
    assert stage.entries[-1].status == "done"
    assert max(heights) < heights[0] + 0.08  # it was swung up by 0.2
