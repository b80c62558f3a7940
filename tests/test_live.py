"""A live performance: time is given, a key is answered in the next frame, everything can be taken back."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from engine_rules import BODY

import puppet
from puppet.command import Freeze, Reach, Wait
from puppet.errors import PuppetError
from puppet.keys import load_key_map
from puppet.shows import Live
from puppet.shows.frame_clock import MAX_CATCH_UP
from puppet.shows.messages import SECONDS, SECONDS_PER_LETTER


@pytest.fixture
def live() -> Live:
    return Live("blocks", body=BODY)


def run_until_idle(live: Live) -> None:
    while not live.stage.idle:
        live.step_once()


# ---- time


@pytest.mark.parametrize("rate", [24.0, 60.0, 75.0, 144.0])
@pytest.mark.parametrize("tempo", [1.0, 0.5, 0.25])
def test_motion_is_as_fast_on_every_machine(live: Live, rate: float, tempo: float) -> None:
    live.tempo = tempo
    stepped = sum(live.advance(1.0 / rate) for _ in range(round(2 * rate)))
    assert stepped == live.frame.number
    assert abs(stepped - 60 * tempo) <= 1


def test_uneven_frames_lose_nothing(live: Live) -> None:
    rng = random.Random(1)
    total = 0.0
    while total < 5.0:
        seconds = rng.uniform(0.0, 0.1)
        live.advance(seconds)
        total += seconds
    assert abs(live.frame.number - 30 * total) <= 1


def test_after_a_stall_the_puppet_does_not_race(live: Live) -> None:
    assert live.advance(60.0) == int(MAX_CATCH_UP * 30)
    assert live.advance(0.0) == 0
    assert live.advance(1 / 60) <= 1


@pytest.mark.parametrize("wrong", [-0.1, float("nan"), float("inf")])
def test_time_only_goes_on(live: Live, wrong: float) -> None:
    with pytest.raises(puppet.PuppetError, match="seconds"):
        live.advance(wrong)


def test_tempos_are_those(live: Live) -> None:
    with pytest.raises(puppet.PuppetError, match=r"one of 1, 0\.5, 0\.25"):
        live.tempo = 3.0


def test_pause_and_single_frames(live: Live) -> None:
    live.press("A")
    live.paused = True
    assert live.advance(1.0) == 0
    live.step_once()
    assert live.frame.number == 1
    assert live.advance(1.0) == 0
    live.press("l")  # heard while paused
    assert live.locks == {"left": "stay at blue"}
    live.paused = False
    assert live.advance(1 / 30) == 1


# ---- a key is answered in the next frame


@pytest.mark.parametrize("key", load_key_map().actions)
def test_every_key_of_the_table_is_answered_at_once(key: str) -> None:
    live = Live("blocks", body=BODY)
    live.advance(0.0301)  # almost a frame
    before = live.frame
    entries = live.press(key)
    assert live.message, "every key says something"
    stepped = live.advance(0.0001)
    if any(entry.kind in ("reach", "slide", "perform") and entry.status != "rejected" for entry in entries):
        assert stepped == 1
        assert live.queue[0].status == "running"
        if entries[-1].kind != "slide":  # by (0, 0, 0): it only turns
            assert not np.array_equal(live.frame.angles, before.angles)
    else:
        assert stepped == 0


def test_a_key_while_moving_waits_for_the_next_frame_at_most(live: Live) -> None:
    live.press("2")
    live.press("A")
    live.advance(0.0)
    live.press("y")
    assert live.advance(1 / 30 - 0.001) == 0
    assert live.advance(0.002) == 1
    assert [queued.status for queued in live.queue] == ["running", "running"]


def test_keys_and_lines_and_clicks_give_the_same() -> None:
    ends = []
    for how in ("key", "line", "command", "click"):
        live = Live("blocks", body=BODY)
        if how == "key":
            live.press("A")
        elif how == "line":
            live.give("reach the blue with the left hand")
        elif how == "command":
            live.give(Reach(hand="left", object="blue"))
        else:
            live.reach(object="blue", hand="left")
        run_until_idle(live)
        ends.append(live.frame.angles.tobytes())
    assert len(set(ends)) == 1


def test_a_click_takes_the_nearer_hand(live: Live) -> None:
    scene = live.scene
    for entry in scene.objects:
        live.reach(object=entry.name)
        side = scene.centre(entry.name)[0]
        if abs(side) > 0.05:
            assert live.stage.entries[-1].hand == ("left" if side > 0 else "right")
    live.reach(space="left")
    assert live.stage.entries[-1].hand == "right"
    with pytest.raises(puppet.PuppetError, match="one of the two"):
        live.reach()
    with pytest.raises(puppet.PuppetError, match="unknown object"):
        live.reach(object="blu")


def test_what_cannot_be_written_is_not_given(live: Live) -> None:
    for wrong, words in (
        ("reach blu with left", "did you mean 'blue'"),
        ("rich blue with left", "reach"),
        ("wait 5", "belongs in a script"),
        (Wait(frames=None), "belongs in a script"),
        (Reach(hand="left", object="nothing"), "nothing"),
    ):
        assert live.give(wrong) == ()
        assert live.problem
        assert words in live.message
    assert live.stage.entries == ()
    assert live.take.given == []


def test_the_keyboard_knows_what_lines_set(live: Live) -> None:
    live.give("set grip side")
    assert live.slide_turn == "side"
    live.press("4")
    assert live.interrupting
    live.press("3")
    assert (live.interrupting, live.primitives.overlap) == (False, "full")
    live.press("=")
    live.press(">")
    assert live.stage.entries[-1].kind == "slide"
    live.set_slide(by=(0.1, 0.0, 0.0), turn=(0.0, 45.0, 0.0))
    assert (live.slide_by, live.slide_angles) == ((0.1, 0.0, 0.0), (0.0, 45.0, 0.0))


def test_joints_are_posed_directly(live: Live) -> None:
    live.pose("head", (20.0, 0.0, 0.0))
    run_until_idle(live)
    place = live.body.dof("head", "x")
    assert np.degrees(live.frame.angles[place]) == pytest.approx(20.0)


# ---- what is said


def test_it_says_what_it_does(live: Live) -> None:
    for line in ("reach yellow with left", "lock left", "reach blue with left"):
        live.give(line)
    assert live.message == "Next: Stack yellow on blue"
    run_until_idle(live)
    assert live.message == "Stacking yellow on blue"


def test_refusals_say_why(live: Live) -> None:
    live.press("l")
    assert live.message == "Lock left hand: the left hand has done nothing yet that it could stay with"
    assert live.problem
    live.press("~")
    assert "has no meaning" in live.message
    live.press("V")
    assert "there is no object number 8" in live.message.lower()


def test_what_was_missed_is_said() -> None:
    live = Live("stack_far", body=BODY)
    for entry in live.scene.objects:
        live.give(Reach(hand="left", object=entry.name))
    run_until_idle(live)
    missed = [entry for entry in live.stage.entries if entry.status == "missed"]
    lines = " ".join(line.text for line in live.recent_messages if line.problem)
    assert all(entry.interpretation in lines for entry in missed)


def test_a_line_stays_long_enough_to_be_read(live: Live) -> None:
    live.press("l")
    text = live.message
    live.press("7")
    needed = SECONDS + SECONDS_PER_LETTER * len(text)
    live.advance(needed - 0.01)
    assert text in [line.text for line in live.recent_messages]
    assert live.message_age == pytest.approx(needed - 0.01)
    live.advance(0.02)
    assert live.recent_messages == ()
    assert live.message == ""


def test_once_a_line_was_read_the_message_is_what_the_puppet_does(live: Live) -> None:
    live.give("set speed 200")
    live.press("A")
    live.press("6")
    assert live.message == "Set grip to side"
    for _ in range(400):
        live.advance(0.01)
    assert live.message == "Reaching blue with left hand"


def test_the_queue_is_shown(live: Live) -> None:
    live.press("A")
    live.press("S")
    live.advance(0.0)
    assert [(q.words, q.hand, q.status) for q in live.queue] == [
        ("Reaching blue with left hand", "left", "running"),
        ("Reach green with left hand", "left", "waiting"),
    ]
    shares = []
    while len(live.queue) == 2:
        shares.append(live.queue[0].progress)
        live.step_once()
    assert shares == sorted(shares)
    assert shares[0] < 0.05
    assert shares[-1] > 0.95
    run_until_idle(live)
    assert live.queue == ()


def test_progress_of_tasks_of_several_movements_goes_on(live: Live) -> None:
    live.press("q")
    live.step_once()
    shares = []
    while live.queue:
        shares.append(live.queue[0].progress)
        live.step_once()
    assert shares == sorted(shares)
    assert max(np.diff(shares)) < 0.1
    assert shares[-1] > 0.95


def test_the_timeline_shows_who_had_what(live: Live) -> None:
    live.press("2")
    live.press("A")
    live.press("y")
    live.advance(0.0)
    shown = live.timeline()
    assert list(shown) == ["left arm", "right arm", "torso", "head"]
    assert [segment.words for segment in shown["left arm"]] == ["Reaching blue with left hand"]
    assert "Scratching head with right hand" in [segment.words for segment in shown["right arm"]]
    run_until_idle(live)
    for _ in range(60):
        live.step_once()
    assert live.timeline(1.0) == dict.fromkeys(shown, ())
    assert live.timeline(60.0)["left arm"][0].start == 0


def test_statistics_of_every_task() -> None:
    ticks = iter(range(10**9))
    live = Live("blocks", body=BODY, clock=lambda: next(ticks) / 1000)
    for key in "Als7w":
        live.press(key)
    run_until_idle(live)
    found = live.statistics
    assert [statistic.words for statistic in found] == [
        "Reach blue with left hand", "Move blue to space 2, on top of yellow", "Check watch with left hand",
    ]  # fmt: skip
    assert all(statistic.posture_milliseconds > 0 for statistic in found)
    assert all(statistic.position_error < 1e-3 for statistic in found)
    assert all(statistic.tries >= 1 for statistic in found)


def test_frames_are_those_of_the_performance(live: Live) -> None:
    for key in "Ald":
        live.press(key)
    joints, things = [live.joint_transforms], [live.object_transforms]
    while not live.stage.idle:
        live.step_once()
        joints.append(live.joint_transforms)
        things.append(live.object_transforms)
    performance = live.performance()
    assert np.array_equal(performance.joint_transforms, joints)
    assert np.array_equal(performance.object_transforms, things)
    assert performance.object_names == tuple(entry.name for entry in live.scene.objects)


def test_a_draft_is_one() -> None:
    live = Live("blocks", body=BODY, draft=True)
    assert live.draft
    assert live.stage.draft


# ---- undo and redo


def state(live: Live) -> object:
    return (
        live.frame.number, live.frame.angles.tobytes(), live.object_transforms.tobytes(), live.stage.entries,
        live.locks, live.primitives, live.interrupting, live.slide_by, live.slide_angles, live.take.text, live.queue,
    )  # fmt: skip


def test_undo_goes_back_to_before_the_command_and_redo_to_before_the_undo(tmp_path: Path) -> None:
    live = Live("blocks", body=BODY, take=tmp_path / "take.puppet")
    before, after = [], []
    for key in "2A=l7sG>y":
        commands = len(live.take.given)
        here = state(live)
        live.press(key)
        if len(live.take.given) > commands:
            before.append(here)
        for _ in range(9):
            live.step_once()
    while live.can_undo:
        after.append(state(live))
        assert live.undo()
        assert live.message.startswith("Taken back: ")
        assert state(live) == before.pop()
        assert (tmp_path / "take.puppet").read_text() == live.take.text
    assert before == []
    assert not live.undo()
    assert live.problem
    while live.can_redo:
        assert live.redo()
        assert live.message.startswith("Done again: ")
        assert state(live) == after.pop()
        assert (tmp_path / "take.puppet").read_text() == live.take.text
    assert after == []
    assert not live.redo()


def test_time_may_pass_between_undo_and_redo(live: Live) -> None:
    for key in "Asq":
        live.press(key)
        for _ in range(12):
            live.step_once()
    wanted = state(live)
    for _ in range(3):
        live.undo()
        for _ in range(17):
            live.step_once()
    for _ in range(3):
        live.redo()
    assert state(live) == wanted


def test_a_new_command_ends_redo(live: Live) -> None:
    live.press("A")
    live.undo()
    live.press("S")
    assert not live.can_redo
    live.undo()
    live.press("l")  # refused: nothing has changed
    assert live.can_redo


def test_what_was_refused_need_not_be_taken_back(live: Live) -> None:
    live.press("A")
    live.press("L")
    assert live.problem
    assert live.undo()
    assert live.message == "Taken back: Reach blue with left hand"
    assert live.take.given == []


def test_keys_that_give_two_commands_are_taken_back_whole(live: Live) -> None:
    live.press("4")
    assert len(live.press("2")) == 2
    live.undo()
    assert live.interrupting
    assert live.primitives.overlap == "none"


def test_freeze_can_be_taken_back(live: Live) -> None:
    live.press("A")
    for _ in range(10):
        live.step_once()
    live.freeze()
    assert live.stage.idle
    live.undo()
    assert live.queue
    live.give(Freeze())
    assert live.stage.idle


# ---- beginning and end


def test_an_environment_is_needed() -> None:
    with pytest.raises(puppet.PuppetError, match="needs an environment"):
        Live(body=BODY)
    with pytest.raises(puppet.PuppetError, match="no file 'blokcs'"):
        Live("blokcs", body=BODY)
    with pytest.raises(puppet.PuppetError, match="frames a second"):
        Live("blocks", body=BODY, fps=0)


def test_after_the_end_nothing_is_given(live: Live) -> None:
    live.press("A")
    live.close()
    live.close()
    assert live.advance(1.0) == 0
    with pytest.raises(puppet.PuppetError, match="over"):
        live.press("A")


def test_warming_up_leaves_no_trace(live: Live) -> None:
    fresh = puppet.Stage("environments/blocks.yaml", BODY)
    assert live.stage.entries == ()
    assert live.frame.number == 0
    assert live.stage.idle
    assert live.frame.angles.tobytes() == fresh.frame.angles.tobytes()
    assert live.stage.scene == fresh.scene


def test_physics_and_pushes_are_taken_back_and_done_again_like_all_commands() -> None:
    live = Live("hall")
    told = ["turn by 20", "physics on", "push chest by (0, 0, 60) for 3"]
    texts = [live.take.text]
    for line in told:
        live.give(line)
        texts.append(live.take.text)
        for _ in range(4):
            live.step_once()
    on = [False, False, True, True]
    for given in (2, 1, 0):
        assert live.undo()
        assert (live.take.text, live.physics) == (texts[given], on[given])
    for given in (1, 2, 3):
        assert live.redo()
        assert (live.take.text, live.physics) == (texts[given], on[given])
    live.close()
    written = live.take.text
    with pytest.raises(PuppetError, match="over"):
        live.give("physics off")
    assert live.take.text == written
