"""Appendix A as a table of cases, and the rules of Section 4.4 as timelines."""

from __future__ import annotations

import numpy as np
import pytest

from puppet.body import Body
from puppet.scene import load_environment
from puppet.schedule import Anatomy, Demand, Queue, group_positions, group_trajectories
from puppet.stage import Stage

BODY = Body.load("seated")
ANATOMY = Anatomy.of(BODY)
BLOCKS = load_environment("environments/blocks.yaml")
J = frozenset
ALL = J(range(9))
TORSO, LEFT, RIGHT, HEAD = J({0, 1}), J({2, 3, 4}), J({5, 6, 7}), J({8})
NONE: frozenset[int] = J()

# critical of the first, of the second, its overlap | positions first, second | trajectories first, second
CASES = [
    # no overlap: the second waits, whatever it needs
    (LEFT | TORSO, RIGHT | TORSO, "none", ALL, NONE, ALL, NONE),
    (LEFT, RIGHT, "none", ALL, NONE, ALL, NONE),
    # the same arm: nothing can be blended
    (LEFT | TORSO, LEFT | TORSO, "partial", ALL, NONE, ALL, NONE),
    (LEFT | TORSO, LEFT | TORSO, "full", ALL, NONE, ALL, NONE),
    (RIGHT | HEAD, RIGHT | TORSO, "partial", ALL, NONE, ALL, NONE),
    (RIGHT | HEAD, RIGHT, "full", ALL, NONE, ALL, NONE),
    # no conflict: each by its own speed, what is left over by the first (Table 4.1)
    (LEFT | TORSO, RIGHT, "partial", LEFT | TORSO | HEAD, RIGHT, LEFT | TORSO | HEAD, RIGHT),
    (LEFT | TORSO, RIGHT, "full", LEFT | TORSO | HEAD, RIGHT, LEFT | TORSO | HEAD, RIGHT),
    (LEFT | TORSO, RIGHT | HEAD, "partial", LEFT | TORSO, RIGHT | HEAD, LEFT | TORSO, RIGHT | HEAD),
    (LEFT, RIGHT | TORSO, "partial", LEFT | HEAD, RIGHT | TORSO, LEFT | HEAD, RIGHT | TORSO),
    (LEFT, RIGHT, "full", LEFT | TORSO | HEAD, RIGHT, LEFT | TORSO | HEAD, RIGHT),
    # torso in conflict: partial gives it to the first, full shares it; one speed for all
    (LEFT | TORSO, RIGHT | TORSO, "partial", LEFT | TORSO | HEAD, RIGHT, ALL, NONE),
    (LEFT | TORSO, RIGHT | TORSO, "full", LEFT | TORSO | HEAD, RIGHT | TORSO, ALL, NONE),
    (RIGHT | TORSO, LEFT | TORSO, "full", RIGHT | TORSO | HEAD, LEFT | TORSO, ALL, NONE),
    # the head cannot be shared
    (LEFT | HEAD, RIGHT | HEAD, "partial", LEFT | HEAD | TORSO, RIGHT, ALL, NONE),
    (LEFT | HEAD, RIGHT | HEAD, "full", LEFT | HEAD | TORSO, RIGHT, ALL, NONE),
    # only half of the torso in common is not "exactly abdomen and chest"
    (LEFT | J({1}), RIGHT | TORSO, "full", LEFT | J({1}) | HEAD, RIGHT | J({0}), ALL, NONE),
    (LEFT | TORSO | HEAD, RIGHT | TORSO | HEAD, "full", LEFT | TORSO | HEAD, RIGHT, ALL, NONE),
]


def test_the_body_gives_the_anatomy() -> None:
    assert Anatomy(ALL, (LEFT, RIGHT), TORSO) == ANATOMY


@pytest.mark.parametrize(("first", "second", "overlap", "p0", "p1", "t0", "t1"), CASES)
def test_appendix_a(first, second, overlap, p0, p1, t0, t1) -> None:  # type: ignore[no-untyped-def]
    demands = [Demand(first, "full"), Demand(second, overlap)]  # the first one's own parameter has no say
    assert group_positions(ANATOMY, demands) == (p0, p1)
    assert group_trajectories(ANATOMY, demands) == (t0, t1)


@pytest.mark.parametrize("overlap", ["none", "partial", "full"])
def test_one_motion_gets_everything(overlap: str) -> None:
    assert group_positions(ANATOMY, [Demand(LEFT, overlap)]) == (ALL,)
    assert group_trajectories(ANATOMY, [Demand(LEFT, overlap)]) == (ALL,)
    assert group_positions(ANATOMY, []) == ()


def test_it_is_not_wired_to_two() -> None:
    demands = [Demand(LEFT), Demand(RIGHT, "partial"), Demand(HEAD, "partial")]
    assert group_positions(ANATOMY, demands) == (LEFT | TORSO, RIGHT, HEAD)
    assert group_trajectories(ANATOMY, demands) == (LEFT | TORSO, RIGHT, HEAD)
    waits = [Demand(LEFT), Demand(RIGHT, "none"), Demand(HEAD, "partial")]
    assert group_positions(ANATOMY, waits) == (ALL, NONE, NONE)


def test_the_queue_is_a_value() -> None:
    queue = Queue()
    for n in range(5):
        queue = queue.push(n)
    kept = queue
    taken = []
    while queue.size:
        assert queue.first == (len(taken) if len(taken) < 5 else 99)
        item, queue = queue.pop()
        taken.append(item)
        queue = queue.push(99) if item == 2 else queue
    assert taken == [0, 1, 2, 3, 4, 99]
    assert kept.size == 5
    assert kept.first == 0


# ---- Section 4.4, as timelines


def timeline(*lines: str) -> tuple[Stage, list[tuple[int | None, int | None]]]:
    stage = Stage(BLOCKS, BODY)
    for line in lines:
        assert stage.give(line).status != "rejected"
    stage.run_until_idle()
    return stage, [(e.start, e.end) for e in stage.entries if e.kind in ("reach", "slide", "perform")]


TIMELINES = {
    "no overlap: one after the other, frames exact": (
        ("reach yellow with left, speed 30", "reach blue with right, speed 60"), [(0, 30), (30, 90)]),
    "full overlap: one torso, the first task's speed": (
        ("reach yellow with left, speed 30", "reach blue with right, speed 60, overlap full"), [(0, 30), (0, 30)]),
    "partial overlap with a conflict: begins with the first, done in its own time after it": (
        ("reach yellow with left, speed 30", "reach blue with right, speed 20, overlap partial"), [(0, 30), (0, 50)]),
    "no conflict: each in its own time; the second may end first": (
        ("reach yellow with left, speed 40", "perform check watch with right, speed 25, overlap partial"),
        [(0, 40), (0, 25)]),
    "no conflict: the first may end first": (
        ("reach yellow with left, speed 10", "perform check watch with right, speed 25, overlap full"),
        [(0, 10), (0, 25)]),
    "the next may start on the freed limb, and nothing is started again": (
        ("reach yellow with left, speed 40", "check watch with right, speed 25, overlap full",
         "wave with right, speed 10, overlap partial"), [(0, 40), (0, 25), (25, 55)]),
    "the next waits where it may not overlap": (
        ("reach yellow with left, speed 40", "check watch with right, speed 25, overlap full",
         "check watch with right, speed 10, overlap none"), [(0, 40), (0, 25), (40, 50)]),
    "first come, first served: a third that could start waits behind a second that cannot": (
        ("reach yellow with left, speed 20", "reach green with left, speed 20, overlap full",
         "check watch with right, speed 5, overlap full"), [(0, 20), (20, 40), (20, 25)]),
    "a task of several movements is one task": (
        ("scratch head with left, speed 20", "reach blue with right, speed 30, overlap full"), [(0, 50), (0, 30)]),
    "two tasks that move the same thing do not overlap": (
        ("reach yellow with left, speed 10", "lock left", "reach space 1 with left, speed 10",
         "reach yellow with right, overlap full, speed 10, grip side", "lock right",
         "slide right by (0, 0.1, 0), overlap full, speed 10"), [(0, 10), (10, 20), (10, 20), (20, 30)]),
}  # fmt: skip


@pytest.mark.parametrize("name", TIMELINES)
def test_timelines(name: str) -> None:
    lines, expected = TIMELINES[name]
    assert timeline(*lines)[1] == expected


@pytest.mark.parametrize("speeds", [(40, 25), (10, 25)])
def test_the_finished_hand_keeps_its_posture_whichever_ends_first(speeds: tuple[int, int]) -> None:
    stage = Stage(BLOCKS, BODY)
    stage.give(f"scratch head with left, speed {speeds[0]}")
    stage.give(f"reach blue with right, speed {speeds[1]}, overlap partial")
    ends: dict[str, np.ndarray] = {}
    arms = {hand: [3 * j + n for j in BODY.limb(hand).joints for n in range(3)] for hand in ("left", "right")}
    while not stage.idle:
        frame = stage.step()
        for entry in stage.entries:
            if entry.end == frame.number:
                ends[entry.hand] = frame.angles[arms[entry.hand]]
    for hand, angles in ends.items():
        assert stage.frame.angles[arms[hand]] == pytest.approx(angles, abs=1e-12)


def test_the_finished_hand_stays_at_its_goal_while_a_partly_begun_task_takes_the_torso() -> None:
    stage, times = timeline(
        "set speed 30", "reach yellow with left, grip top", "reach blue with right, grip top, overlap partial"
    )
    assert times == [(0, 30), (0, 60)]
    goal = np.array(BLOCKS.centre("yellow")) + np.array([0, 0.03, 0])
    assert stage.hands["left"].position == pytest.approx(goal, abs=1e-6)


def test_more_than_two_at_a_time_do_not_break_anything() -> None:
    stage = Stage(BLOCKS, BODY, at_a_time=3)
    for line in ("wave with left", "wave with right, overlap full", "reach yellow with left, overlap full"):
        stage.give(line)
    stage.run_until_idle()
    assert [e.status for e in stage.entries] == ["done"] * 3
