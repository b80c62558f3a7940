"""Sitting down and standing up: low seats, and arms between the table and the sides."""

from __future__ import annotations

import numpy as np
import pytest

from puppet.types import Floats
from tests.test_locomotion import BODY, MILLIMETRE, contacts, slide
from tests.test_travelling import at_a_table, told

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
