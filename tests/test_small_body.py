"""Bodies that nobody thought of: limbs that are no arms, and arms of other makes, are solved as honestly."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks import batch
from benchmarks.judge import angle_between
from puppet import Body, HandGoal, Posture, PuppetError, Table, solve_posture
from puppet.body import kinematics
from puppet.posture.chain import find_chain
from puppet.scene import table_excess
from puppet.types import Floats

CRANE = """\
name: crane
height: 1.0
joints:
  base:
    centre: [0.1, 0.2, 0]
    rotations:
      - {axis: y, limits: [-120, 120], weights: [1, 1, 1]}
      - {axis: x, limits: [-20, 30], weights: [1, 1, 1]}
      - {axis: z, limits: [0, 0], weights: [0, 0, 0]}
  boom:
    parent: base
    centre: [0.1, 0.5, 0.02]
    rotations:
      - {axis: x, limits: [-60, 100], weights: [1, 1, 1]}
      - {axis: z, limits: [-50, 40], weights: [1, 1, 1]}
      - {axis: y, limits: [-30, 30], weights: [1, 1, 1]}
    clearance: {segment: 0.02}
  jib:
    parent: boom
    centre: [0.12, 0.8, 0]
    rotations:
      - {axis: z, limits: [-80, 80], weights: [1, 1, 1]}
      - {axis: x, limits: [-10, 130], weights: [1, 1, 1]}
      - {axis: y, limits: [-90, 90], weights: [1, 1, 1]}
    clearance: {centre: 0.02, segment: 0.02}
  hook:
    parent: jib
    centre: [0.12, 1.05, 0.03]
    rotations:
      - {axis: y, limits: [-100, 100], weights: [1, 1, 1]}
      - {axis: z, limits: [-70, 70], weights: [1, 1, 1]}
      - {axis: x, limits: [-90, 90], weights: [1, 1, 1]}
    tip: [0, 0.12, 0.02]
    clearance: {centre: 0.01, tip: 0.005}
limbs:
  arm: {joints: [base, boom, jib, hook]}
"""
ARM = """\
name: other arm
height: 1.0
joints:
  chest:
    centre: [0, 0.5, 0]
    rotations:
      - {axis: y, limits: [-30, 30], weights: [1, 1, 1]}
      - {axis: x, limits: [-20, 40], weights: [1, 1, 1]}
      - {axis: z, limits: [-15, 15], weights: [1, 1, 1]}
  shoulder:
    parent: chest
    centre: [0.1, 0.8, 0]
    rotations:
      - {axis: FIRST, limits: [-100, 120], weights: [1, 1, 1], scored: true}
      - {axis: SECOND, limits: [-40, 110], weights: [1, 1, 1], scored: true}
      - {axis: THIRD, limits: [-80, 80], weights: [1, 1, 1]}
  elbow:
    parent: shoulder
    centre: [0.1, 0.55, 0.01]
    rotations:
      - {axis: HINGE, limits: [-140, 0], weights: [1, 1, 1]}
      - {axis: STIFF, limits: [0, 0], weights: [0, 0, 0]}
      - {axis: TWIST, limits: [-80, 80], weights: [1, 1, 1]WIDENS}
  hand:
    parent: elbow
    centre: [0.1, 0.33, 0]
    rotations:
      - {axis: x, limits: [-70, 70], weights: [1, 1, 1]}
      - {axis: z, limits: [-40, 40], weights: [1, 1, 1]}
      - {axis: y, limits: [-90, 90], weights: [1, 1, 1]}
    tip: [0, -0.1, 0]
limbs:
  left: {trunk: [chest], joints: [shoulder, elbow, hand]}
"""
COUNT = 100
TABLE = Table(0.5, 0.15)


def load(text: str, folder: Path) -> Body:
    path = folder / "body.yaml"
    path.write_text(text, encoding="utf-8")
    return Body.load(path)


@pytest.fixture
def crane(tmp_path: Path) -> Body:
    return load(CRANE, tmp_path)


def reachable(body: Body, limb: str, count: int = COUNT, seed: int = 5) -> tuple[Floats, Floats, Floats]:
    """Where the tip is (n, 3) and how it is turned (n, 3, 3) in postures (n, dofs) drawn over all limits."""
    known = batch.angles_in_limits(body, count, np.random.default_rng(seed))
    positions, rotations = batch.forward(body, known)
    hand = body.limbs[limb].joints[-1]
    return batch.tip_positions(body, hand, positions, rotations), rotations[:, hand], known


def check(posture: Posture, limb: str, goal: HandGoal) -> None:
    """Inside all limits, and no better than it says."""
    body = posture.body
    assert body.limit_excess(posture.angles) <= 1e-9
    positions, rotations = kinematics.forward(body, posture.angles)
    hand = body.limbs[limb].joints[-1]
    tip = kinematics.tip_positions(body, positions, rotations)[hand]
    assert posture.position_error == pytest.approx(float(np.linalg.norm(tip - goal.position)), abs=1e-9)
    turned = 0.0 if goal.orientation is None else angle_between(rotations[hand], goal.orientation)
    assert posture.orientation_error == pytest.approx(turned, abs=1e-9)
    assert posture.solved == (posture.position_error <= 0.001 and posture.orientation_error <= 1.0)


# ---- a limb of four joints


def test_the_crane_is_no_arm(crane: Body) -> None:
    assert not find_chain(crane, ("arm",), True).arms
    for solver in ("thesis", "estimate"):
        with pytest.raises(PuppetError, match=f"solver '{solver}' knows arms only, and 'crane' has other limbs"):
            solve_posture(crane, arm=HandGoal([0.1, 1.0, 0.3]), solver=solver)


@pytest.mark.parametrize("oriented", [False, True], ids=["place", "place and turn"])
def test_what_the_crane_can_reach_it_reaches(crane: Body, oriented: bool) -> None:
    missed = []
    for n, (position, orientation, _) in enumerate(zip(*reachable(crane, "arm"), strict=True)):
        goal = HandGoal(position, orientation if oriented else None)
        posture = solve_posture(crane, arm=goal)
        check(posture, "arm", goal)
        if not posture.solved:
            missed.append((n, posture.position_error, posture.orientation_error))
    assert len(missed) <= 0.05 * COUNT, missed


@pytest.mark.parametrize("oriented", [False, True], ids=["place", "place and turn"])
def test_the_crane_works_over_a_table(crane: Body, oriented: bool) -> None:
    positions, orientations, known = reachable(crane, "arm")
    clear = batch.table_excess(crane, TABLE, range(4), *batch.forward(crane, known), 1e-4) == 0.0
    missed = []
    for n in np.flatnonzero(clear):
        goal = HandGoal(positions[n], orientations[n] if oriented else None)
        posture = solve_posture(crane, arm=goal, table=TABLE)
        check(posture, "arm", goal)
        assert table_excess(crane, TABLE, *kinematics.forward(crane, posture.angles)) <= 1e-9
        if not posture.solved:
            missed.append((int(n), posture.position_error, posture.orientation_error))
    assert np.count_nonzero(clear) > 0.5 * COUNT
    assert len(missed) <= 0.05 * np.count_nonzero(clear), missed


def test_what_the_crane_cannot_reach_it_misses_honestly(crane: Body) -> None:
    foot, length = np.array(crane.joints[0].centre), 0.3 + 0.3 + 0.26 + 0.13  # stretched out, a little more than it is
    for direction in np.random.default_rng(6).normal(size=(25, 3)):
        direction /= np.linalg.norm(direction)
        before = 0.0
        for distance in (1.2, 1.6, 2.5):
            goal = HandGoal(foot + distance * direction)
            posture = solve_posture(crane, arm=goal)
            check(posture, "arm", goal)
            assert not posture.solved
            assert posture.position_error >= distance - length
            assert posture.position_error > before
            before = posture.position_error


def test_a_limb_may_have_any_name(crane: Body, tmp_path: Path) -> None:
    text = CRANE.replace("arm:", "left:")
    assert solve_posture(load(text, tmp_path), left=HandGoal([0.3, 0.8, 0.3])).solved
    with pytest.raises(PuppetError, match="the body 'crane' has no limb 'left'; known: 'arm'"):
        solve_posture(crane, left=HandGoal([0.3, 0.8, 0.3]))


def test_the_same_call_gives_the_same_bits_from_anywhere(crane: Body) -> None:
    goal = HandGoal([0.4, 0.7, 0.3], np.eye(3))
    first = solve_posture(crane, arm=goal)
    for start in (None, np.zeros(12), reachable(crane, "arm", 1)[2][0]):
        assert solve_posture(crane, arm=goal, start=start).angles.tobytes() == first.angles.tobytes()


def test_joints_beside_the_limb_keep_still(tmp_path: Path) -> None:
    short = load(CRANE.replace("joints: [base, boom, jib, hook]", "trunk: [base], joints: [boom, jib, hook]"), tmp_path)
    start = np.zeros(12)
    start[:2] = 0.5, 0.2
    moved = solve_posture(short, arm=HandGoal([0.4, 0.8, 0.3]), start=start)
    kept = solve_posture(short, arm=HandGoal([0.4, 0.8, 0.3]), start=start, torso=False)
    assert not np.array_equal(moved.angles[:3], start[:3])
    assert np.array_equal(kept.angles[:3], start[:3])


# ---- arms that are made otherwise than the puppet's


def arm_text(shoulder: str, elbow: str, widens: str = "") -> str:
    """An arm that hangs down in the zero posture, with these rotation orders; the elbow's second axis is stiff."""
    words = ("FIRST", "SECOND", "THIRD", "HINGE", "STIFF", "TWIST", "WIDENS")
    axes = dict(zip(words, (*shoulder, *elbow, widens), strict=True))
    return re.sub("|".join(words), lambda match: axes[match.group()], ARM)


@pytest.mark.parametrize("oriented", [False, True], ids=["place", "place and turn"])
@pytest.mark.parametrize("elbow", ["xzy", "zxy", "xyz", "yzx"])
@pytest.mark.parametrize("shoulder", ["xzy", "zxy", "yzx", "xyz"])
def test_an_arm_with_any_rotation_orders(shoulder: str, elbow: str, oriented: bool, tmp_path: Path) -> None:
    body = load(arm_text(shoulder, elbow), tmp_path)
    missed = []
    for n, (position, orientation, _) in enumerate(zip(*reachable(body, "left", 40), strict=True)):
        goal = HandGoal(position, orientation if oriented else None)
        posture = solve_posture(body, left=goal)
        check(posture, "left", goal)
        if not posture.solved:
            missed.append((n, posture.position_error, posture.orientation_error))
    assert len(missed) <= 0.05 * 40, missed


def test_limits_that_narrow_with_a_bend_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PuppetError, match="the limits of z lie inside those of y: that would not widen them"):
        load(arm_text("xzy", "xzy", ", widens: {with: x, towards: z}"), tmp_path)
