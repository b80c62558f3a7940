"""Paths of hands: straight where they slide, staying where they hold or rest, and as clear of things as was asked."""

from __future__ import annotations

import numpy as np
import pytest

from puppet import Stage
from puppet.body import Body
from puppet.scene import load_environment

BODY = Body.load("seated")
BLOCKS = load_environment("environments/blocks.yaml")


def tips(stage: Stage, hand: str, *lines: str) -> np.ndarray:
    for line in lines:
        assert stage.give(line).status != "rejected", line
    found = [stage.hands[hand].position]
    while not stage.idle:
        stage.step()
        found.append(stage.hands[hand].position)
    return np.array(found)


@pytest.mark.parametrize("by", [(0.05, 0.1, 0.0), (-0.08, 0.12, 0.05), (0.0, 0.1, 0.1)])
def test_a_hand_slides_straight(by: tuple[float, float, float]) -> None:
    stage = Stage(BLOCKS, BODY)
    tips(stage, "left", "slide left by (0, 0.1, 0.05)")
    path = tips(stage, "left", f"slide left by {by}")
    line = path[-1] - path[0]
    off = np.cross(path - path[0], line / np.linalg.norm(line))
    assert np.linalg.norm(off, axis=1).max() < 3e-3


def test_a_hand_that_turns_in_place_stays_there() -> None:
    stage = Stage(BLOCKS, BODY)
    tips(stage, "left", "slide left by (0, 0.1, 0.05)")
    path = tips(stage, "left", "slide left by (0, 0, 0) turn (0, -110, 0)")
    assert np.linalg.norm(path - path[0], axis=1).max() < 3e-3


def test_a_resting_hand_stays_while_the_trunk_leans() -> None:
    path = tips(Stage(BLOCKS, BODY), "right", "reach space 6 with left")
    assert np.linalg.norm(path - path[0], axis=1).max() < 5e-3


@pytest.mark.parametrize("line", ["reach red with left", "reach space 1 with left", "reach green with left, grip side"])
def test_a_locked_hand_stays_at_its_thing_while_the_other_works(line: str) -> None:
    stage = Stage(BLOCKS, BODY)
    tips(stage, "right", "reach blue with right", "lock right")
    path = tips(stage, "right", line)
    assert np.linalg.norm(path - path[0], axis=1).max() < 5e-3


def test_more_clearance_is_kept_when_asked_for() -> None:
    """Half way, the hand is farther from the things that it does not reach for."""
    distances = []
    for clearance in (0.0, 0.05):
        stage = Stage(BLOCKS, BODY)
        stage.give(f"set clearance {clearance}")
        path = tips(stage, "left", "reach green with left")
        middle = path[len(path) // 3 : 2 * len(path) // 3]
        others = [np.array(BLOCKS.centre(thing.name)) for thing in BLOCKS.objects if thing.name != "green"]
        distances.append(min(np.linalg.norm(middle - centre, axis=1).min() for centre in others))
    assert distances[1] > distances[0] + 0.005


def test_what_is_carried_stays_level() -> None:
    stage = Stage(BLOCKS, BODY)
    tips(stage, "left", "reach yellow with left", "lock left")
    stage.give("reach space 1 with left")
    tilts = []
    while not stage.idle:
        rotation = stage.step().objects["yellow"].rotation
        tilts.append(np.degrees(np.arccos(min(1.0, rotation[1, 1]))))
    assert max(tilts) < 10.0
