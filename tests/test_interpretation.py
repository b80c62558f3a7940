"""Chapter 6, a test a table row and one for each case of Section 6.5."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from puppet.body import Body
from puppet.command import Reach, Slide
from puppet.geometry import MIRROR, axis_rotation
from puppet.scene import Object, Scene, Table, load_environment
from puppet.stage import Stage
from puppet.tasks import AtObject, AtPoint, AtRest, AtSpace, Motion, grip

BLOCKS = load_environment("environments/blocks.yaml")
BODY = Body.load()
LIMBS = BODY.limbs


@pytest.fixture
def stage() -> Stage:
    return Stage(BLOCKS)


def told(stage: Stage, *lines: str) -> Motion:
    """The motion of the last line."""
    for line in lines:
        entry = stage.give(line)
    assert entry.status in ("waiting", "done"), entry
    motion = stage._state.queue.back[0]
    assert isinstance(motion, Motion)
    return motion


def rejected(stage: Stage, line: str) -> str:
    before = stage.snapshot().state
    entry = stage.give(line)
    after = stage.snapshot().state
    assert entry.status == "rejected"
    assert entry.reason
    assert after.plan is before.plan
    assert after.queue is before.queue
    return entry.reason


PALM = np.array([0.0, -1.0, 0.0])  # where it faces, in a hand's coordinates
FACES = {"side": 0.0, "top": -1.0, "bottom": 1.0}  # how much of that is up


def assert_at(stage: Stage, hand: str, thing: str, taken: str, within: float = 2e-3) -> None:
    """A hand is at a thing by a grip, turned about the vertical as it may be: its palm is on the thing's surface."""
    at, palm = stage.hands[hand], stage.hands[hand].rotation @ PALM
    assert palm[1] == pytest.approx(FACES[taken], abs=5e-2)
    assert at.position + stage.scene.object(thing).width * palm == pytest.approx(stage.scene.centre(thing), abs=within)
    if taken == "side":
        outwards = 1.0 if hand == "left" else -1.0
        assert outwards * palm[0] < -0.5


def at_last(motion: Motion) -> Motion:
    """The last movement of a task."""
    while motion.couple is not None:
        motion = motion.couple
    return motion


# ---- Tables 6.1 and 6.2

TURNS = {"side": -90.0, "top": 0.0, "bottom": -180.0}
SIDES = {"side": (1, 0, 0), "top": (0, 1, 0), "bottom": (0, -1, 0)}


@pytest.mark.parametrize("taken", TURNS)
@pytest.mark.parametrize("hand", ["left", "right"])
def test_table_6_1_object_grips(hand: str, taken: str) -> None:
    scene = Scene.build(Table(0.6, 0.2), {"shelf": (0.1, 0.8, 0.3)}, [(Object("cup", 0.03), "shelf")])
    pose = grip.transform_at_object(scene, LIMBS[hand], "cup", taken)
    left = axis_rotation(1, math.radians(-90)) @ axis_rotation(0, math.radians(TURNS[taken]))
    sign = -1.0 if hand == "right" else 1.0
    offset = 0.03 * np.array(SIDES[taken]) * (sign, 1.0, 1.0)
    assert pose.position == pytest.approx(np.array([0.1, 0.83, 0.3]) + offset)
    assert pose.rotation == pytest.approx(left if hand == "left" else MIRROR @ left @ MIRROR)


@pytest.mark.parametrize("taken", TURNS)
@pytest.mark.parametrize("hand", ["left", "right"])
def test_table_6_2_space_grips(hand: str, taken: str) -> None:
    pose = grip.transform_at_space(BLOCKS, LIMBS[hand], "shelf", taken)
    assert pose.position == pytest.approx(BLOCKS.space("shelf").position)
    assert pose.rotation == pytest.approx(grip.grip_rotation(LIMBS[hand], taken))


def test_the_right_hand_mirrors_the_left_and_the_palm_faces_the_object() -> None:
    palm = PALM
    assert grip.grip_rotation(LIMBS["left"], "side") @ palm == pytest.approx([-1, 0, 0])
    assert grip.grip_rotation(LIMBS["right"], "side") @ palm == pytest.approx([1, 0, 0])
    for hand in ("left", "right"):
        assert grip.grip_rotation(LIMBS[hand], "top") @ palm == pytest.approx([0, -1, 0])
        assert grip.grip_rotation(LIMBS[hand], "bottom") @ palm == pytest.approx([0, 1, 0])


def test_reached_things_are_reached(stage: Stage) -> None:
    for line in ("reach yellow with left, grip top", "reach space 1 with right, grip top"):
        told(stage, line)
    stage.run_until_idle()
    # lifted off the table by as much of the hand as is below its middle
    assert stage.hands["right"].position == pytest.approx([0.02, 0.6184, 0.27], abs=1e-3)
    assert [entry.status for entry in stage.entries] == ["done", "done"]


def test_slide_goes_from_where_the_hand_is_and_keeps_or_takes_an_orientation(stage: Stage) -> None:
    reach = told(stage, "reach yellow with left, grip top")
    assert isinstance(reach.goal, AtObject)
    motion = told(stage, "slide left by (0, 0.1, 0.02)")
    assert isinstance(motion.goal, AtPoint)
    assert motion.goal.position == pytest.approx((0.14, 0.76, 0.28))
    kept = grip.turned(LIMBS["left"], reach.goal.yaw) @ grip.grip_rotation(LIMBS["left"], "top")
    assert motion.goal.rotation == pytest.approx(kept.ravel())
    motion = told(stage, "slide right by (0, 0.1, 0) turn bottom")
    assert isinstance(motion.goal, AtPoint)
    assert motion.goal.rotation == pytest.approx(grip.grip_rotation(LIMBS["right"], "bottom").ravel())
    motion = told(stage, "slide left by (0, 0.1, 0) turn (10, 20, 30)")
    x, y, z = (math.radians(angle) for angle in (10, 20, 30))
    expected = axis_rotation(2, z) @ axis_rotation(1, y) @ axis_rotation(0, x)
    assert isinstance(motion.goal, AtPoint)
    assert motion.goal.rotation == pytest.approx(expected.ravel())


# ---- Tables 6.3 to 6.5: secondary goals


def test_table_6_3_a_lock_overrides_the_default(stage: Stage) -> None:
    motion = told(stage, "reach space 3 with right", "lock right", "reach yellow with left")
    assert motion.goal == AtObject("yellow", "top")
    assert motion.others == {"right": AtSpace("3", "top")}


def test_table_6_4_the_default_is_the_table(stage: Stage) -> None:
    assert told(stage, "reach yellow with left").others == {"right": AtRest()}


def test_table_6_5_a_hand_s_own_lock_is_ignored_for_its_task(stage: Stage) -> None:
    motion = told(stage, "reach space 3 with right", "lock right", "reach yellow with right")
    assert motion.goal == AtObject("yellow", "top")
    assert motion.others == {"left": AtRest()}
    assert stage.locks == {"right": AtSpace("3", "top")}


def test_locks_keep_their_level(stage: Stage) -> None:
    told(stage, "slide left by (0, 0.1, 0)", "lock left", "check watch with right")
    stage.give("lock right")
    assert type(stage.locks["left"]).__name__ == "AtPoint"
    assert type(stage.locks["right"]).__name__ == "AtGesture"
    stage.give("unlock left")
    assert told(stage, "wave with right").others == {"left": AtRest()}


# ---- Tables 6.6 to 6.10: objects


def test_table_6_6_moving(stage: Stage) -> None:
    motion = told(stage, "reach blue with right", "lock right", "reach space 6 with right")
    assert motion.interpretation == "Move blue to space 6"
    assert motion.others == {"left": AtRest()}
    stage.run_until_idle()
    assert stage.scene.stack_on("6") == ("blue",)
    assert stage.frame.objects["blue"].position == pytest.approx(stage.scene.centre("blue"), abs=0)


def test_table_6_7_stacking(stage: Stage) -> None:
    motion = told(stage, "reach blue with right", "lock right", "reach yellow with right")
    assert motion.interpretation == "Stack blue on yellow"
    assert motion.goal == AtObject("blue", "top")
    stage.run_until_idle()
    assert stage.scene.stack_on("2") == ("yellow", "blue")


@pytest.mark.parametrize("case", [1, 2, 3])
def test_table_6_8_ways_to_the_same_stack(stage: Stage, case: int) -> None:
    goals = {
        1: ["space 1", "space 1", "space 1"],
        2: ["space 1", "yellow", "yellow"],
        3: ["space 1", "space 1", "blue"],
    }
    for name, hand, goal in zip(["yellow", "blue", "green"], ["left", "right", "left"], goals[case], strict=True):
        for line in (f"reach {name} with {hand}", f"lock {hand}", f"reach {goal} with {hand}", f"unlock {hand}"):
            assert stage.give(line).status != "rejected"
    stage.run_until_idle()
    assert stage.scene.stack_on("1") == ("yellow", "blue", "green")
    assert all(entry.status in ("done", "adjusted") for entry in stage.entries)


def test_table_6_9_sliding_an_object(stage: Stage) -> None:
    motion = told(stage, "reach blue with right", "lock right", "slide right by (0.05, 0.02, 0.03)")
    assert motion.interpretation == "Slide blue"
    stage.run_until_idle()
    assert stage.scene.space_of("blue").name is None
    assert stage.frame.objects["blue"].position == pytest.approx([-0.09, 0.655, 0.29])
    assert stage.frame.objects["blue"].rotation == pytest.approx(np.eye(3))


def test_table_6_10_both_hands_on_one_object(stage: Stage) -> None:
    motion = told(
        stage, "reach blue with left, grip side", "reach blue with right, grip side, overlap full", "lock left",
        "lock right", "reach space 1 with right, grip side",
    )  # fmt: skip
    assert motion.interpretation == "Move blue to space 1"
    assert motion.others == {"left": AtObject("blue", "side")}
    stage.run_until_idle()
    assert_at(stage, "left", "blue", "side")
    assert_at(stage, "right", "blue", "side")


def test_figure_6_7_a_slide_sets_the_hand_s_space_and_a_thing_lies_in_the_palm(stage: Stage) -> None:
    told(stage, "slide left by (-0.02, 0.15, 0.02) turn bottom")
    told(stage, "reach blue with right, grip side", "lock right", "reach left space with right, grip side")
    stage.run_until_idle()
    assert stage.scene.stack_on("left") == ("blue",)
    goal = stage.hands["left"].position + np.array([0, 0.035, 0])
    assert stage.frame.objects["blue"].position == pytest.approx(goal, abs=2e-3)
    stage.give("unlock right")
    told(stage, "slide left by (0, 0.03, 0)")
    stage.run_until_idle()
    assert stage.scene.stack_on("left") == ("blue",)
    goal = stage.hands["left"].position + np.array([0, 0.035, 0])
    assert stage.frame.objects["blue"].position == pytest.approx(goal, abs=2e-3)
    assert "lies in the left hand" in rejected(stage, "reach yellow with left")
    assert told(stage, "wave with right").others["left"] != AtRest()  # it holds still


def test_reach_for_the_other_hand_s_space(stage: Stage) -> None:
    told(stage, "slide left by (-0.05, 0.1, 0.02)", "lock left", "reach left space with right, grip top")
    stage.run_until_idle()
    assert stage.hands["right"].position == pytest.approx(stage.hands["left"].position, abs=2e-3)


def test_a_stack_moves_with_the_hand_on_its_lowest_object(stage: Stage) -> None:
    """Table 7.5: the blue block on the yellow one, then both are moved by the yellow one."""
    stage.give("set overlap full")
    told(stage, "reach yellow with left, grip top", "reach blue with right, grip top")
    for line in ("lock left", "lock right", "set overlap none"):
        stage.give(line)
    motion = told(stage, "reach yellow with right, grip top")
    assert motion.others == {"left": AtObject("yellow", "side")}  # Figure 7.8: the left hand makes room
    assert "swap" in rejected(stage, "reach blue with left, grip top")
    motion = told(stage, "reach space 1 with left, grip top")
    assert motion.interpretation == "Move yellow to space 1"
    assert motion.carried == {"yellow", "blue"}
    assert motion.others == {"right": AtObject("blue", "top")}
    stage.run_until_idle()
    assert stage.scene.stack_on("1") == ("yellow", "blue")
    goal = np.array(stage.scene.centre("blue")) + np.array([0, 0.035, 0])
    assert stage.hands["right"].position == pytest.approx(goal, abs=2e-3)


# ---- Section 6.5


def test_a_hand_at_an_occupied_space_goes_to_the_side_of_the_lowest_object(stage: Stage) -> None:
    told(stage, "reach blue with right", "lock right", "reach yellow with right", "unlock right")
    told(stage, "reach space 2 with left, grip top")
    stage.run_until_idle()
    assert stage.entries[-1].status == "adjusted"
    assert_at(stage, "left", "yellow", "side", within=1e-6)


@pytest.mark.parametrize(("thing", "asked"), [("yellow", "top"), ("yellow", "bottom"), ("blue", "bottom")])
def test_no_hand_between_stacked_things(stage: Stage, thing: str, asked: str) -> None:
    told(stage, "reach blue with right", "lock right", "reach yellow with right", "unlock right")
    motion = told(stage, f"reach {thing} with left, grip {asked}")
    assert motion.goal == AtObject(thing, "side")
    assert stage.entries[-1].reason


def test_a_bottom_grip_on_the_table_turns_to_the_side_also_when_putting_down(stage: Stage) -> None:
    assert told(stage, "reach red with right, grip bottom").goal == AtObject("red", "side")
    stage.give("lock right")
    motion = told(stage, "reach space shelf with right, grip bottom")
    assert motion.goal == AtObject("red", "side")  # as it is held on the way
    assert at_last(motion).goal == AtObject("red", "bottom")
    motion = told(stage, "reach blue with right, grip bottom")
    assert motion.goal == at_last(motion).goal == AtObject("red", "side")


def test_a_hand_locked_at_a_space_makes_room_for_what_comes_there(stage: Stage) -> None:
    told(stage, "reach space 1 with left", "lock left", "reach blue with right", "lock right")
    told(stage, "reach space 1 with right")
    stage.run_until_idle()
    assert_at(stage, "left", "blue", "side")


def test_what_is_nonsense_or_true_already_is_ignored_with_a_reason(stage: Stage) -> None:
    stage.give("reach blue with right")
    stage.give("lock right")
    assert "itself" in rejected(stage, "reach blue with right")
    assert "already" in rejected(stage, "reach space 3 with right")
    told(stage, "reach yellow with right")
    assert "already" in rejected(stage, "reach yellow with right")
    assert "already" in rejected(stage, "reach space 2 with right")
    assert "itself" in rejected(stage, "reach right space with right")


def test_unknown_names_say_what_was_meant(stage: Stage) -> None:
    assert "did you mean 'yellow'?" in rejected(stage, "reach yelow with left")
    assert "unknown space" in rejected(stage, "reach space 77 with left")


# ---- locks that cannot be, and things out of reach


def test_a_lock_needs_something_to_stay_with(stage: Stage) -> None:
    assert "nothing yet" in stage.give("lock left").reason
    assert "not locked" in stage.give("unlock left").reason


def test_out_of_reach_stretches_says_so_and_cannot_be_locked() -> None:
    stage = Stage("environments/thesis.yaml")
    stage.give("reach D with right, grip side")
    lock = stage.give("lock right")
    assert lock.status == "rejected"
    assert "out of reach" in lock.reason
    stage.run_until_idle()
    task = stage.entries[0]
    assert task.status == "missed"
    assert task.position_error > 0.1
    assert "out of reach" in task.reason


def test_a_thing_carried_out_of_reach_stays_in_the_hand() -> None:
    stage = Stage("environments/thesis.yaml")
    for line in ("reach B with left, grip side", "lock left", "reach space 6 with left, grip side"):
        assert stage.give(line).status != "rejected"
    stage.run_until_idle()
    assert stage.entries[-1].status == "missed"
    hand, thing = stage.hands["left"], stage.frame.objects["B"]
    assert hand.distance(thing) < 0.04 + 5e-3
    assert stage.scene.space_of("B").name is None


def test_a_held_object_that_the_hand_left_is_fetched_first(stage: Stage) -> None:
    """A lock names the last task; if the hand has gone to rest since, it goes back before it carries."""
    for line in ("reach yellow with left", "wave with right", "lock left", "reach space 1 with left"):
        stage.give(line)
    watch = [dict(stage.frame.objects)]
    while not stage.idle:
        watch.append(dict(stage.step().objects))
    assert stage.scene.stack_on("1") == ("yellow",)
    steps = [a["yellow"].distance(b["yellow"]) for a, b in itertools.pairwise(watch)]
    assert max(steps) < 0.03


def test_primitives_are_copied_when_the_task_is_given(stage: Stage) -> None:
    stage.give("set speed 12")
    first = told(stage, "reach yellow with left")
    stage.give("set speed 50")
    stage.give("set curve linear")
    second = told(stage, "reach blue with right, overlap partial")
    assert (first.speed, first.curve, first.overlap) == (12, "smooth", "none")
    assert (second.speed, second.curve, second.overlap) == (50, "linear", "partial")
    stage.run_until_idle()
    assert (stage.entries[1].start, stage.entries[1].end) == (0, 12)


def test_commands_are_judged_not_crashed_on(stage: Stage) -> None:
    for command in (
        Reach(hand="middle", object="yellow"),
        Reach(hand="left"),
        Reach(hand="left", object="yellow", speed=0),
        Reach(hand="left", object="yellow", curve="wobbly"),
        Slide(hand="left", by=(math.nan, 0.0, 0.0)),
        Slide(hand="left", turn="sideways"),
        Slide(hand="left", turn=(math.inf, 0.0, 0.0)),
    ):
        assert stage.give(command).status == "rejected"


def test_a_resting_hand_lies_near_the_edge_and_not_in_what_stands_there(stage: Stage) -> None:
    empty = Scene.build(Table(0.6, 0.2), {})
    for hand, side in (("left", 1.0), ("right", -1.0)):
        assert grip.transform_at_rest(empty, LIMBS[hand]).position == pytest.approx([0.12 * side, 0.612, 0.25])
        at = grip.transform_at_rest(BLOCKS, LIMBS[hand])
        tip = grip.lifted(BODY, BLOCKS.table, LIMBS[hand], at).position  # by its own thickness
        assert tip == pytest.approx(stage.hands[hand].position)
        for entry in BLOCKS.objects:
            away = np.abs(tip - BLOCKS.centre(entry.name))
            assert away[0] >= entry.width + 0.025 or tip[2] <= BLOCKS.centre(entry.name)[2] - entry.width
