"""Goal postures from which, and to which, hands go straight; wrists on the way; and what a report sees of all that."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np
import pytest

from benchmarks.motion.measuring import carry_out
from benchmarks.motion.promises import broken_clearances
from benchmarks.motion.reaches import Reach, lean_angles, reaches
from benchmarks.motion.scenes import make_case
from puppet.body import Body
from puppet.motion import body_solids
from puppet.motion.arm_frames import _as_seen
from puppet.motion.solids import _outside
from puppet.performance import Performance
from puppet.stage.gesture_postures import turned_over
from puppet.types import Floats

SEATED = Body.load("seated")


@lru_cache(maxsize=8)
def performed(category: str, number: int) -> Performance:
    case = make_case(category, number)
    return carry_out(case, Body.load(case.body))[0]


def reach(category: str, number: int, place: int) -> Reach:
    return reaches(performed(category, number))[place]


def longer(found: Reach) -> float:
    """How much longer the path of a wrist is than the straight line."""
    assert found.stroke is not None
    return float(found.stroke.figures["ratio"])


@pytest.mark.parametrize(("number", "lean"), [(0, 1.0), (5, 30.0)])
def test_the_trunk_turns_where_the_shoulder_would_be_turned_over(number: int, lean: float) -> None:
    """With the trunk ahead the hand went up to twice as far as it was away."""
    performance, first = performed("gestures", number), reach("gestures", number, 0)
    limb, end = SEATED.limb(first.task.hand), performance.angles[first.task.end]
    turns = [dof for dof in SEATED.dofs_of(limb.trunk) if SEATED.dof_names[dof].endswith(".y")]
    assert np.abs(np.degrees(end[turns])).max() > 2.0
    assert lean_angles(performance)[first.task.end] < lean
    assert not turned_over(SEATED, first.task.hand, end, performance.angles[0])
    assert longer(first) < 1.2


def test_a_hand_is_turned_otherwise_where_it_gets_there_straighter() -> None:
    """As it is aimed at first, the hand would go up and round the thing: 1.7 times the line."""
    assert reach("shelves", 12, 0).task.status == "done"
    assert longer(reach("shelves", 12, 0)) < 1.2


WRIST = SEATED.limb("left").joints[-1]


def bent(angles: Floats) -> float:
    """By how many radians the left wrist is bent too far at most in some frames (frames, 3)."""
    rows = np.tile(SEATED.rest, (len(angles), 1))
    rows[:, SEATED.rotation_dofs[WRIST]] = angles
    return max(SEATED.discomfort(WRIST, row) for row in rows)


def test_a_wrist_between_two_easy_bends_is_bent_easily() -> None:
    """Angles that went evenly would bend it by up to 12 degrees more than is easy between such ends."""
    rng, share = np.random.default_rng(14), np.linspace(0.1, 1.0, 10)[:, None]
    dofs = list(SEATED.rotation_dofs[WRIST])
    low, high = SEATED.arrays.limits[dofs, 0], SEATED.arrays.limits[dofs, 1]
    easy = [angles for angles in rng.uniform(0.7 * low, 0.7 * high, (900, 3)) if bent(angles[None]) == 0.0]
    worst = 0.0
    for first, last in pairwise(easy):
        even = first + share * (last - first)
        found = _as_seen(SEATED, WRIST, even, first, last, share[:, 0])
        assert np.allclose(found[-1], last, atol=1e-6)
        assert np.all((found > low - 1e-6) & (found < high + 1e-6))
        if not np.array_equal(found, even):
            assert bent(found) < 1e-6
            worst = max(worst, bent(even))
    assert worst > 0.2


@pytest.mark.parametrize("hand", ["left", "right"])
def test_a_report_sees_hands_at_their_full_size(hand: str) -> None:
    """Corners of palms stuck out by 2 mm of what was looked at, and fingers by 1.6."""
    joint = SEATED.limb(hand).joints[-1]
    points: list[Floats] = []
    for shape in SEATED.joints[joint].shapes:
        if shape.kind == "box":
            corners = 0.5 * np.array(shape.sizes) * (np.array(list(np.ndindex(3, 3, 3))) - 1.0)
            points += [shape.points[0] + at for at in corners if np.count_nonzero(at) >= 2]  # and middles of edges
        else:
            ends = zip(shape.points, shape.sizes, strict=True)
            points += [at + way * size * np.array([0.0, 1.0, 0.0]) for at, size in ends for way in (-1.0, 1.0)]
    solids = body_solids(SEATED, True)
    own = solids.table[solids.joints == joint]
    assert _outside(own, np.array(points)).min(axis=0).max() < 2e-4  # 0.35 mm


@pytest.mark.parametrize(("category", "number"), [("holding", 10), ("shelves", 10)])
def test_what_is_done_is_clear_by_the_shapes_of_the_body(category: str, number: int) -> None:
    """A hand ended 6 mm in the thing that it had left, which stood beside the one it took; one glided 3 mm deep over
    the table."""
    assert broken_clearances(performed(category, number)) == []
