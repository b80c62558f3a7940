"""Two hands that begin together have room for their arms, and a hand that waits for its trunk is at what it touches."""

from __future__ import annotations

import pytest

import puppet
from benchmarks.motion.measuring import carry_out
from benchmarks.motion.promises import broken_clearances, broken_holds
from benchmarks.motion.scenes import make_case
from puppet.body import Body
from puppet.performance import Performance


def statuses(performance: Performance) -> list[str]:
    return [task["status"] for task in performance.report["tasks"] if task["kind"] == "reach"]


def test_crossed_hands_are_turned_so_that_one_arm_passes_over_the_other() -> None:
    """Each aimed at by itself, both arms would end 0.003 in each other."""
    script = 'environment "blocks"\nbody person\nset overlap full\nreach red with left\nreach blue with right\n'
    performance = puppet.run(script)
    assert statuses(performance) == ["done", "done"]
    assert broken_clearances(performance) == []


def test_hands_that_do_not_get_there_together_are_turned_otherwise() -> None:
    """Aimed at by itself the left one would miss its thing, with the trunk that the right one needs as well."""
    performance, _ = carry_out(make_case("crossing", 1), Body.load("person"))
    assert "missed" not in statuses(performance)[:2]
    assert broken_clearances(performance) == []


def test_one_hand_lets_the_other_go_first_where_both_are_in_each_others_way() -> None:
    performance, _ = carry_out(make_case("crossing", 9), Body.load("person"))
    first, second = [task for task in performance.report["tasks"] if task["kind"] == "reach"][:2]
    assert [first["status"], second["status"]] == ["done", "done"]
    assert first["start"] == second["start"] == 0
    assert abs(first["end"] - second["end"]) > 10  # one has gone most of its way when the other sets out
    assert broken_clearances(performance) == []


@pytest.mark.parametrize("body", ["person", "seated"])
@pytest.mark.parametrize(("first", "second"), [("yellow", "red"), ("green", "blue"), ("blue", "red")])
def test_a_hand_at_its_goal_that_waits_for_its_trunk_is_in_nothing(body: str, first: str, second: str) -> None:
    """It was told to be 0.005 to 0.009 in what it takes hold of."""
    lines = f"reach {first} with left\nreach {second} with right\n"
    performance = puppet.run(f'environment "blocks"\nbody {body}\nset overlap partial\n{lines}')
    assert statuses(performance) == ["done", "done"]
    assert broken_clearances(performance) == []


def test_a_hand_that_was_turned_otherwise_holds_what_it_is_locked_to() -> None:
    lines = "lock left\nlock right\nset overlap none\nreach space 6 with left\nslide right by (0, 0.05, 0)\n"
    script = 'environment "blocks"\nbody person\nset overlap full\nreach red with left\nreach blue with right\n'
    performance = puppet.run(script + lines)
    assert broken_holds(performance) == []


def test_hands_that_later_slide_from_where_they_were_planned_to_be_stay_as_they_were_aimed() -> None:
    script = 'environment "blocks"\nbody person\nset overlap full\nreach red with left\nreach blue with right\n'
    slides = "slide left by (0, 0.03, 0)\nslide right by (0, 0.03, 0)\n"
    body = Body.load("person")
    hands = [body.limb(hand).joints[-1] for hand in ("left", "right")]
    turns = []
    for performance in (puppet.run(script), puppet.run(script + slides)):
        end = performance.report["tasks"][0]["end"]
        turns.append(performance.joint_transforms[end, hands, 3:])
    assert abs(turns[0] - turns[1]).max() > 0.05
