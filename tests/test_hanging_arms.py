"""The arm of a body that stands of which nothing is asked hangs, while the other hand reaches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import puppet
from benchmarks.motion.scenes import make_case
from puppet.performance import Performance
from puppet.stage.hand_postures import HandPostures

ENVIRONMENT = """
floor: 0.0
body: person
start: {place: [0.0, 0.0], turn: %d}
tables:
  far table: {place: [3.0, 3.0], size: [0.5, 0.5], height: 0.4}
spaces: {}
objects: {}
"""
SCRIPT = """
reach (%s) with %s
reach (%s) with %s
"""
GOALS = (  # of a left hand, as a body sees them that stands at the middle and looks ahead
    ((0.3, 0.9, 0.2), (0.1, 0.7, 0.3)),
    ((-0.1, 0.75, 0.3), (0.25, 0.6, 0.2)),
    ((0.05, 0.55, 0.35), (0.2, 1.0, 0.2)),
)


def _performed(tmp_path: object, goals: tuple[tuple[float, ...], ...], hand: str, turn: int) -> Performance:
    path = f"{tmp_path}/room.yaml"
    with open(path, "w") as file:
        file.write(ENVIRONMENT % turn)
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    side = 1.0 if hand == "left" else -1.0
    places = [(c * side * x + s * z, y, c * z - s * side * x) for x, y, z in goals]
    lines = [word for place in places for word in (", ".join(f"{number:.4f}" for number in place), hand)]
    return puppet.run(SCRIPT % tuple(lines), environment=path)


@pytest.mark.parametrize("turn", [0, 130])
@pytest.mark.parametrize("hand", ["left", "right"])
@pytest.mark.parametrize("goals", GOALS)
def test_an_arm_that_hangs_goes_on_hanging(
    tmp_path: object, goals: tuple[tuple[float, ...], ...], hand: str, turn: int
) -> None:
    performance = _performed(tmp_path, goals, hand, turn)
    assert [task["status"] for task in performance.report["tasks"]] == ["done", "done"]
    body, other = performance.body, "right" if hand == "left" else "left"
    shoulder, forearm, wrist = body.limb(other).joints
    below = performance.angles[:, body.dofs_of([forearm, wrist])]
    assert np.degrees(np.abs(below - below[0]).max()) < 4.0  # neither elbow nor wrist does anything
    places = performance.joint_positions
    arms = places[:, wrist] - places[:, shoulder]
    tilts = np.degrees(np.arccos(-arms[:, 1] / np.linalg.norm(arms, axis=1)))
    assert np.abs(tilts - tilts[0]).max() < 6.0  # it hangs down, however the trunk leans


def test_a_hand_that_is_somewhere_stays_there(tmp_path: object) -> None:
    script = "reach (0.2, 0.7, 0.25) with left\nreach (-0.2, 0.7, 0.25) with right\n"
    path = f"{tmp_path}/room.yaml"
    with open(path, "w") as file:
        file.write(ENVIRONMENT % 0)
    performance = puppet.run(script, environment=path)
    first, second = performance.report["tasks"]
    body = performance.body
    wrist = body.limb("left").joints[-1]
    way = performance.joint_positions[second["start"] : second["end"] + 1, wrist]
    assert first["status"] == second["status"] == "done"
    assert np.linalg.norm(way - way[0], axis=1).max() < 2e-3


def test_the_trunk_is_not_asked_where_an_upright_posture_reaches_a_point(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which takes several times as long."""
    solve, helps = HandPostures.solve, []

    def noted(self: HandPostures, poses: Any, torso: bool, *rest: Any, **named: Any) -> Any:
        helps.append(torso)
        return solve(self, poses, torso, *rest, **named)

    monkeypatch.setattr(HandPostures, "solve", noted)
    case = make_case("air", 3)
    found = puppet.run(case.script, environment=case.scene, body=case.body)
    assert {task["status"] for task in found.report["tasks"]} == {"done"}
    assert len(helps) > 8
    assert not any(helps)


def test_a_point_is_reached_in_the_same_way_wherever_one_faces(tmp_path: object) -> None:
    ways = []
    for turn in (0, 90, 200):
        performance = _performed(tmp_path, GOALS[1], "left", turn)
        hand = performance.joint_positions[:, performance.body.limb("left").joints[-1]]
        ways.append((len(hand), float(np.linalg.norm(np.diff(hand, axis=0), axis=1).sum())))
    assert len({frames for frames, _ in ways}) == 1
    assert max(way for _, way in ways) - min(way for _, way in ways) < 2e-3
