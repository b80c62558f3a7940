"""Objects on stage: with the hand that carries them, without a jump, flat and exactly in place afterwards."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from puppet.body import Body
from puppet.geometry import Transform, interpolate
from puppet.geometry.transform import rotation_about, rotation_vector
from puppet.scene import load_environment
from puppet.stage import Stage

BODY = Body.load("seated")
BLOCKS = load_environment("environments/blocks.yaml")


def frames(stage: Stage, *lines: str) -> list[tuple[dict[str, Transform], dict[str, Transform]]]:
    """Objects and hands, frame by frame, until all is done."""
    for line in lines:
        assert stage.give(line).status != "rejected", line
    seen = [(dict(stage.frame.objects), dict(stage.hands))]
    while not stage.idle:
        frame = stage.step()
        seen.append((dict(frame.objects), dict(stage.hands)))
    return seen


CARRIES = {
    "move": ("reach yellow with left", "lock left", "reach space 1 with left"),
    "stack": ("reach blue with right", "lock right", "reach yellow with right"),
    "slide": ("reach green with left, grip side", "lock left", "slide left by (-0.05, 0.05, 0.02)"),
    "a stack": ("reach blue with right", "lock right", "reach yellow with right", "unlock right",
                "reach yellow with left, grip side", "lock left", "reach space 1 with left, grip side"),
    "fast": ("reach yellow with left, speed 3", "lock left", "reach space 1 with left, speed 2"),
    "drink": ("reach yellow with left, grip side", "lock left", "drink with left",
              "reach space 1 with left, grip side"),
    "partly begun": ("reach yellow with left", "lock left", "reach blue with right, speed 20",
                     "reach space 1 with left, overlap partial, speed 40"),
}  # fmt: skip


@pytest.mark.parametrize("name", CARRIES)
def test_an_object_moves_no_more_than_the_hand_that_carries_it(name: str) -> None:
    seen = frames(Stage(BLOCKS, BODY), *CARRIES[name])
    for (objects, hands), (next_objects, next_hands) in itertools.pairwise(seen):
        for thing, pose in next_objects.items():
            moved = pose.distance(objects[thing])
            if moved < 1e-9:
                continue
            carried = max(
                hands[h].distance(next_hands[h])
                + hands[h].angle(next_hands[h]) * max(hands[h].distance(objects[thing]), next_hands[h].distance(pose))
                for h in hands
            )
            assert moved <= carried + 1e-6


@pytest.mark.parametrize("name", CARRIES)
def test_things_stand_flat_and_exactly_in_place_afterwards(name: str) -> None:
    stage = Stage(BLOCKS, BODY)
    seen = frames(stage, *CARRIES[name])
    for thing, pose in seen[-1][0].items():
        assert np.array_equal(pose.position, np.array(stage.scene.centre(thing)))
        assert np.array_equal(pose.rotation[1], [0.0, 1.0, 0.0])  # it may be turned about the vertical
        assert np.array_equal(pose.rotation[:, 1], [0.0, 1.0, 0.0])
    assert stage.scene == stage.planned


def test_a_hand_that_turns_its_grip_keeps_hold() -> None:
    """Table 7.3: taken from the top, put down by the side. The hand goes over to the other grip while the block stands,
    never in the air."""
    seen = frames(Stage(BLOCKS, BODY), "reach yellow with left, grip top", "lock left",
                  "reach blue with left, grip side, speed 60")  # fmt: skip
    grips = []
    for (before, _), (objects, hands) in itertools.pairwise(seen):
        if objects["yellow"].distance(before["yellow"]) > 1e-9:
            assert hands["left"].distance(objects["yellow"]) < 0.03 * np.sqrt(3) + 1e-6
            grips.append(objects["yellow"].relative(hands["left"]))
    assert len(grips) > 20
    assert all(grip.angle(grips[0]) < np.radians(1.0) for grip in grips)


BOTH = ("reach blue with left, grip side", "reach blue with right, grip side, overlap full", "lock left", "lock right")


@pytest.mark.parametrize(
    "line",
    ["reach space 1 with right, grip side", "reach space 1 with left, grip side", "slide left by (0.05, 0.1, 0.03)",
     "slide right by (0.04, 0.03, 0.05)", "reach space 6 with left, grip side", "reach yellow with right, grip side"],
)  # fmt: skip
def test_a_locked_second_hand_stays_on_the_object_in_every_frame(line: str) -> None:
    stage = Stage(BLOCKS, BODY)
    objects, hands = frames(stage, *BOTH)[-1]
    held = {hand: objects["blue"].relative(hands[hand]) for hand in ("left", "right")}
    seen = frames(stage, line)
    done = stage.entries[-1].status == "done"
    for objects, hands in seen:
        for hand, first in held.items():
            now = objects["blue"].relative(hands[hand])
            assert now.distance(first) < (1e-3 / 1.75 if done else 0.005)
            assert np.degrees(now.angle(first)) < (1.0 if done else 5.0)


def test_the_second_hand_on_a_stack_goes_along() -> None:
    """Table 7.5, the last task: the right hand stays on the blue block, which stands on the yellow one."""
    stage = Stage(BLOCKS, BODY)
    frames(stage, "reach yellow with left, grip top", "reach blue with right, grip top, overlap full", "lock left",
           "lock right", "reach yellow with right, grip top")  # fmt: skip
    for objects, hands in frames(stage, "reach space 1 with left, grip top"):
        point = objects["blue"].position + objects["blue"].rotation @ (0.0, 0.035, 0.0)
        assert np.linalg.norm(hands["right"].position - point) < 0.005


def test_drinking_tilts_what_the_hand_holds() -> None:
    stage = Stage(BLOCKS, BODY)
    seen = frames(stage, "reach yellow with left, grip side", "lock left", "drink with left")
    level = [float(objects["yellow"].rotation[1, 1]) for objects, _ in seen]
    assert min(level) < 0.8
    assert level[-1] > 0.99
    for objects, hands in seen[30:]:
        assert hands["left"].distance(objects["yellow"]) == pytest.approx(0.03, abs=1e-6)


def test_poses() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        a = Transform.of(rng.normal(size=3), rotation_about(rng.normal(size=3)))
        b = Transform.of(rng.normal(size=3), rotation_about(rng.normal(size=3)))
        assert a.compose(a.relative(b)).position == pytest.approx(b.position)
        assert a.compose(a.relative(b)).rotation == pytest.approx(b.rotation)
        assert interpolate(a, b, 0.0).rotation == pytest.approx(a.rotation)
        half = interpolate(a, b, 0.5)
        assert half.angle(a) == pytest.approx(half.angle(b))
    half_turn = np.diag([-1.0, 1.0, -1.0])
    assert rotation_about(rotation_vector(half_turn)) == pytest.approx(half_turn)


@pytest.mark.parametrize(
    "lines",
    [
        ("reach space 6 with left", 45, "freeze"),
        ("slide left by (0, 0.1, 0) turn (0, -90, 40)", 80, "unlock right"),
        ("drink with left", 200, "unlock right"),
    ],
)
def test_a_hand_keeps_hold_of_what_is_tilted_or_half_way_while_the_other_works(lines: tuple[str, int, str]) -> None:
    line, count, then = lines
    stage = Stage(BLOCKS, BODY)
    for word in ("reach yellow with left, grip side", "lock left", line):
        assert stage.give(word).status != "rejected"
    for _ in range(count):
        stage.step()
    stage.give(then)
    stage.give("wave with right")
    seen = frames(stage)
    gap = seen[0][1]["left"].relative(seen[0][0]["yellow"])
    end = seen[-1][1]["left"].relative(seen[-1][0]["yellow"])
    assert end.distance(gap) < 2e-3
    assert end.angle(gap) < 0.03


@pytest.mark.parametrize("name", ["move", "stack", "a stack"])
def test_things_are_lifted_over_the_table_and_put_down_at_the_end(name: str) -> None:
    seen = frames(Stage(BLOCKS, BODY), *CARRIES[name])
    heights = [min(p.position[1] - BLOCKS.object(n).width for n, p in objects.items()) for objects, _ in seen]
    assert min(heights) > BLOCKS.table.height - 2e-3
    lifted = [n for n in ("yellow", "blue") if seen[0][0][n].distance(seen[-1][0][n]) > 0.01]
    for thing in lifted:
        path = [objects[thing].position[1] for objects, _ in seen]
        assert max(path) > max(path[0], path[-1]) + 0.005


def test_a_thing_is_not_laid_into_a_hand_that_has_gone_elsewhere() -> None:
    stage = Stage(BLOCKS, BODY)
    stage.give("set overlap full")
    lines = ("take yellow with left", "scratch head with right, speed 38", "reach right space with left, speed 29")
    objects, hands = frames(stage, *lines)[-1]
    assert stage.entries[-1].status == "missed"
    assert "the right hand is not there any more" in stage.entries[-1].reason
    assert stage.frame.holding == {"left": "yellow"}
    assert hands["left"].distance(objects["yellow"]) < 0.08


def test_what_does_not_get_to_its_place_does_not_leap_there() -> None:
    stage = Stage(load_environment("environments/two_hands.yaml"), BODY)
    reach = "reach (0.183, 0.740, 0.140) with right, overlap partial"
    grasp = ("reach blue with right, speed 26, grip side", "lock right")
    seen = frames(stage, "take yellow with left, speed 25", *grasp, reach)
    assert stage.entries[-1].status == "missed"
    blue = [objects["blue"] for objects, _ in seen]
    assert max(before.angle(after) for before, after in itertools.pairwise(blue)) < 0.4
    assert max(before.distance(after) for before, after in itertools.pairwise(blue)) < 0.06
