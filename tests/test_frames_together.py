"""What is judged for many frames at once, or by plain numbers, is what each frame gives alone."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.motion.scenes import make_case
from puppet.body import Body, joint_transforms
from puppet.geometry import euler_angles, rotations_about, unwrapped
from puppet.kernels.solid_model import DISTANCE, GROUPS_APART, MOVES, PAIR_FIRST, SECOND
from puppet.motion.solids import MOST_PAIRS, body_solids, group_starts, least_distances, near_pairs, part_groups
from puppet.shows import run
from puppet.stage import depths
from puppet.types import Floats, Ints

NEAR = 0.03


@pytest.mark.parametrize(("category", "number"), [("carrying", 21), ("gestures", 21)])
def test_depths_of_frames_that_are_judged_together_are_those_of_each(
    category: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, told = make_case(category, number), []
    for at_once in (1, 7, 60):
        monkeypatch.setattr(depths, "_AT_ONCE", at_once)
        report = run(case.script, environment=case.scene, body=Body.load(case.body)).report
        told.append([(task["status"], task["reason"], task["depth"], task["depth_frame"]) for task in report["tasks"]])
    assert told[0] == told[1] == told[2]


def random_postures(body: Body) -> Floats:
    rng = np.random.default_rng(3)
    return body.rest + rng.normal(0.0, 0.4, (12, body.dofs)) * (np.arange(body.dofs) >= len(body.translation_dofs))


def pairs_of(body: Body, apart: Ints, near: float = NEAR) -> tuple[Floats, Ints]:
    table = np.array(body_solids(body, True).table)
    table[:, MOVES] = body_solids(body, True).hand_of >= 0
    none = np.zeros((0, 3)), np.zeros((1, 0, 12)), np.zeros(0, dtype=np.int64)
    return near_pairs(joint_transforms(body, random_postures(body)), table, *none, apart, near)


@pytest.mark.parametrize("name", ["seated", "person"])
def test_pairs_of_frames_are_found_whether_groups_are_parted_or_not(name: str) -> None:
    """And they are those of each frame by itself."""
    body = Body.load(name)
    plain = body_solids(body, True).apart_from.copy()
    parted = plain.copy()
    part_groups(body_solids(body, True).table, parted)
    starts = group_starts(body_solids(body, True).table)
    assert (parted[np.ix_(starts, starts)] == GROUPS_APART).any()
    (pairs, counts), (others, other_counts) = pairs_of(body, plain), pairs_of(body, parted)
    assert len(pairs) > 20
    np.testing.assert_array_equal(counts, other_counts)
    np.testing.assert_array_equal(pairs[:, [PAIR_FIRST, SECOND, DISTANCE]], others[:, [PAIR_FIRST, SECOND, DISTANCE]])
    ends = np.cumsum(counts)
    least = [pairs[end - count : end, DISTANCE].min(initial=NEAR) for end, count in zip(ends, counts, strict=True)]
    np.testing.assert_array_equal(least_distances(pairs, counts, NEAR), least)


def test_every_frame_has_room_for_its_nearest_pairs() -> None:
    """Where all frames together had more pairs than there was room for, the last of them wrote beyond its end."""
    body = Body.load("person")
    own = body_solids(body, True)
    pairs, counts = pairs_of(body, own.apart_from.copy(), near=2.0)
    assert counts.tolist() == [MOST_PAIRS] * len(counts)
    for n, world in enumerate(joint_transforms(body, random_postures(body))):
        table = np.array(own.table)
        table[:, MOVES] = own.hand_of >= 0
        none = np.zeros((0, 3)), np.zeros((1, 0, 12)), np.zeros(0, dtype=np.int64)
        alone, _ = near_pairs(world[None], table, *none, own.apart_from.copy(), 0.02)
        kept = pairs[n * MOST_PAIRS : (n + 1) * MOST_PAIRS, DISTANCE]
        nearest = np.sort(alone[:, DISTANCE])[:MOST_PAIRS]
        assert np.sort(kept)[: len(nearest)] == pytest.approx(nearest)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 0, 2)])
def test_angles_of_one_rotation_are_those_among_many(order: tuple[int, int, int]) -> None:
    quarter = np.array([[0.5 * np.pi * (axis == order[1]) for axis in range(3)]])  # no third angle
    turns = rotations_about(np.concatenate([np.random.default_rng(1).normal(0.0, 1.5, (60, 3)), quarter]))
    alone = np.concatenate([euler_angles(turn[None], order) for turn in turns])
    np.testing.assert_allclose(alone, euler_angles(turns, order), atol=1e-9)


def test_angles_are_unwrapped_as_by_numpy() -> None:
    rng = np.random.default_rng(2)
    for spread in (0.1, 2.0, 9.0):
        angles = rng.normal(0.0, spread, (20, 3))
        np.testing.assert_allclose(unwrapped(angles), np.unwrap(angles, axis=0), atol=1e-12)


def test_ranges_judge_rotation_vectors_as_rotations() -> None:
    vectors = np.random.default_rng(4).normal(0.0, 0.8, (40, 3))
    for joint in Body.load("person").joints:
        if joint.range is not None:
            found = [joint.range.excess_about(vector) for vector in vectors]
            assert found == pytest.approx([joint.range.excess(turn) for turn in rotations_about(vectors)], abs=1e-9)
