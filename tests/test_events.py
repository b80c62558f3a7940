"""What happens on stage, as the report tells it; who holds what; lines as they were carried out."""

from __future__ import annotations

import numpy as np
import pytest

import puppet

SCRIPT = """\
environment "coffee.yaml"
define fetch(thing, who)
    take thing with who, grip side
end
fetch(cup, left)
put cup on "blue cup"
look at lamp
turn on lamp with right
reach pot with left, grip side
lock left
slide left by (0, 0.05, 0)
unlock left
"""


@pytest.fixture(scope="module")
def performance() -> puppet.Performance:
    return puppet.run(SCRIPT)


def test_events_are_in_order_with_their_lines(performance: puppet.Performance) -> None:
    events = performance.report["events"]
    assert [event["frame"] for event in events] == sorted(event["frame"] for event in events)
    hands = [(e["kind"], e["part"], e["thing"], e["line"]) for e in events if e["kind"] != "look"]
    assert hands == [
        ("reach", "left_hand", "cup", 3), ("contact", "left_hand", "cup", 3), ("grasp", "left_hand", "cup", 3),
        ("reach", "left_hand", "cup", 6), ("stack", "left_hand", "cup", 6), ("release", "left_hand", "cup", 6),
        ("contact", "right_hand", "lamp", 8), ("reach", "left_hand", "pot", 9), ("contact", "left_hand", "pot", 9),
        ("grasp", "left_hand", "pot", 10), ("reach", "left_hand", None, 11), ("release", "left_hand", "pot", 12),
    ]  # fmt: skip
    assert [(e["part"], e["thing"], e["line"]) for e in events if e["kind"] == "look"] == [("head", "lamp", 7)]


def test_things_are_where_the_events_say(performance: puppet.Performance) -> None:
    names = performance.object_names
    for event in performance.report["events"]:
        if event["thing"] is None:
            continue
        thing = performance.object_positions[event["frame"], names.index(event["thing"])]
        reach = 0.005 if event["kind"] in ("stack", "look") else 0.1
        assert np.linalg.norm(thing - event["place"]) < reach


def test_who_holds_what_agrees_with_grasps_and_releases(performance: puppet.Performance) -> None:
    held = performance.held_by
    assert len(held) == len(performance.angles)
    for event in performance.report["events"]:
        now = held[event["frame"]]
        if event["kind"] == "grasp":
            assert now[event["thing"]] == event["part"]
            assert event["thing"] not in held[event["frame"] - 1]
        if event["kind"] == "release":
            assert event["thing"] not in now
            assert held[event["frame"] - 1][event["thing"]] == event["part"]


def test_what_is_held_moves_with_its_hand(performance: puppet.Performance) -> None:
    hand = performance.joint_positions[:, performance.joint_names.index("left_hand")]
    for name in ("cup", "pot"):
        frames = [n for n, held in enumerate(performance.held_by) if held.get(name) == "left_hand"]
        thing = performance.object_positions[frames, performance.object_names.index(name)]
        distances = np.linalg.norm(thing - hand[frames], axis=1)
        assert np.ptp(distances) < 0.01


def test_tasks_have_their_target_and_their_line_as_it_was_carried_out(performance: puppet.Performance) -> None:
    tasks = performance.report["tasks"]
    assert [task["target"] for task in tasks[:5]] == ["cup", "blue cup", "lamp", "lamp", "pot"]
    assert (tasks[0]["command"], tasks[0]["expanded"], tasks[0]["line"], tasks[0]["call"]) == (
        "take thing with who, grip side", "take cup with left, grip side", 3, 5,
    )  # fmt: skip


def test_locks_have_the_frames_at_which_they_took_effect(performance: puppet.Performance) -> None:
    by_kind = {task["kind"]: task for task in performance.report["tasks"]}
    assert by_kind["lock"]["start"] == by_kind["lock"]["end"] == by_kind["reach"]["end"]
    assert by_kind["unlock"]["start"] == by_kind["slide"]["end"]


def test_a_freeze_lets_go_of_what_was_never_reached() -> None:
    stage = puppet.Stage("coffee.yaml", draft=True)
    stage.give("take cup with left")
    stage.step()
    stage.give("freeze")
    stage.run_until_idle()
    assert stage.events == ()
    assert stage.frame.holding == {}


def test_a_look_ahead_is_at_a_point_before_the_eyes() -> None:
    performance = puppet.run('environment "coffee.yaml"\nlook at pot\nlook ahead', draft=True)
    at, ahead = performance.report["events"]
    assert (at["thing"], ahead["thing"]) == ("pot", None)
    assert ahead["place"][2] > 0.9
    assert abs(ahead["place"][0]) < 0.01


def test_furniture_is_looked_at_pinned_to_and_walked_to() -> None:
    lines = ("look at chair", "point at shelf with left", "walk to (0.5, -0.9)", "turn to bar", "pin right hand to bar")
    performance = puppet.run("\n".join(('environment "hall.yaml"', *lines)), draft=True)
    tasks = performance.report["tasks"]
    assert [task["target"] for task in tasks] == ["chair", "shelf", [0.5, 0.0, -0.9], "bar", "bar"]
    assert all(task["status"] in ("done", "adjusted") for task in tasks)
    look = next(event for event in performance.report["events"] if event["kind"] == "look")
    assert look["place"] == [0.0, 0.262, -0.09]


def test_who_holds_what_agrees_with_the_events_in_every_frame() -> None:
    take = "take cup with left, grip side"
    lines = (take, "wait until done", "release left", "wait 3", take)
    performance = puppet.run("\n".join(('environment "coffee.yaml"', *lines, "give cup to right")))
    changes = [event for event in performance.report["events"] if event["kind"] in ("grasp", "release")]
    assert len(changes) == 5
    held: dict[str, str] = {}
    for frame, seen in enumerate(performance.held_by):
        for event in changes:
            if event["frame"] == frame and event["kind"] == "grasp":
                held[event["thing"]] = event["part"]
            elif event["frame"] == frame and held.get(event["thing"]) == event["part"]:
                del held[event["thing"]]
        assert dict(seen) == held
