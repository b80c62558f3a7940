"""A body with three arms runs a script, is explained, drawn, and played live: nothing assumes two hands."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import puppet
from puppet.body import Body
from puppet.cli import main
from puppet.files import shipped
from puppet.performance import Performance
from puppet.shows import Live
from puppet.tasks import lifted, wanted_transform
from puppet.timeline.source import timeline_of
from puppet.timeline.svg import svg
from puppet.timeline.text import draw
from puppet.window.box import HAND_COLORS, NO_HAND_COLOR, hand_color
from tests.windows import given, performing, place_of, window

SCRIPT = """environment "blocks.yaml"
reach yellow with left, overlap partial
reach blue with right, overlap partial
reach green with middle, overlap partial
wait until done
lock middle
slide middle by (0, 0.1, 0)
unlock middle
wave with middle
"""
KEYS = """keys:
  A: reach object number 1 with middle
  w: wave with middle
  ">": slide middle
  l: toggle lock middle
  G: reach object number 2 with right
"""
SVG = "{http://www.w3.org/2000/svg}"


def write_body(folder: Path) -> Path:
    """The seated puppet with a copy of its left arm on the middle of the chest."""
    text = (shipped.folder("bodies") / "seated.yaml").read_text(encoding="utf-8")
    found = re.search(r"  left_shoulder:\n.*?(?=  right_shoulder:\n)", text, re.S)
    assert found
    arm = found.group().replace("left_", "middle_")
    for x in (0.063, 0.305, 0.412):
        arm = arm.replace(f"centre: [{x}, ", f"centre: [{x - 0.063:.3f}, ")
    joints = "[middle_shoulder, middle_forearm, middle_hand]"
    limb = f"  middle: {{rest: stay, trunk: [abdomen, chest], joints: {joints}}}\n"
    for before, added in (
        ("name: seated", "name: three armed"),
        ("  head:\n    parent", f"{arm}  head:\n    parent"),
        ("\n# The critical", f"{limb}\n# The critical"),
        ("\n# The joint that looks", f"  middle arm: {joints}\n\n# The joint that looks"),
        ("rest:\n  left_shoulder", "rest:\n  middle_shoulder: {z: -40, y: -60}\n  left_shoulder"),
    ):
        assert text.count(before) == 1
        text = text.replace(before, added)
    path = folder / "three_armed.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def body(tmp_path_factory: pytest.TempPathFactory) -> Body:
    return Body.load(write_body(tmp_path_factory.mktemp("body")))


@pytest.fixture(scope="module")
def performance(body: Body) -> Performance:
    return puppet.run(SCRIPT, body=body)


def test_three_hands_work_at_once(performance: Performance, body: Body) -> None:
    assert body.hands == ("left", "right", "middle")
    tasks = performance.report["tasks"]
    assert [task["hand"] for task in tasks[:3]] == ["left", "right", "middle"]
    assert [task["start"] for task in tasks[:3]] == [0, 0, 0]
    assert {task["status"] for task in tasks} <= {"done", "adjusted", "missed"}
    assert max(body.limit_excess(angles) for angles in performance.angles) < 1e-9


def test_each_hand_is_where_the_report_says(body: Body) -> None:
    stage = puppet.Stage("blocks", body)
    for line in SCRIPT.split("\n")[1:4]:
        stage.give(line)
    stage.run_until_idle()
    for hand, (goal, task) in stage.snapshot().state.finished.items():
        limb = body.limb(hand)
        wanted = wanted_transform(stage.scene, body, limb, goal)
        assert wanted is not None
        off = stage.hands[hand].distance(lifted(body, stage.scene.table, limb, wanted))
        assert off == pytest.approx(stage.entries[task].position_error, abs=1e-6)


def test_a_gesture_moves_the_arm_that_it_is_given_to(body: Body) -> None:
    stage, left = puppet.Stage("blocks", body), puppet.Stage("blocks", body)
    before = stage.frame.angles
    for one, hand in ((stage, "middle"), (left, "left")):
        one.give(f"wave with {hand}")
        one.run_until_idle()
    middle_dofs, left_dofs = (body.dofs_of(body.limb(hand).joints) for hand in ("middle", "left"))
    assert stage.frame.angles[middle_dofs] == pytest.approx(left.frame.angles[left_dofs])
    assert stage.frame.angles[left_dofs] == pytest.approx(before[left_dofs], abs=0.05)


def test_a_gesture_for_a_limb_with_other_joints_is_refused(tmp_path: Path) -> None:
    path = write_body(tmp_path)
    text = path.read_text(encoding="utf-8")
    limb = "trunk: [abdomen, chest], joints: [middle_shoulder, middle_forearm, middle_hand]"
    assert text.count(limb) == 1
    text = text.replace(limb, "joints: [middle_forearm, middle_hand]")
    path.write_text(text, encoding="utf-8")
    own = tmp_path / "own.yaml"
    own.write_text("point: {critical: left arm, postures: {up: {left_shoulder: {z: 60}}}, sequence: [up]}\n")
    stage = puppet.Stage("blocks", Body.load(path), gestures=[own])
    entry = stage.give("perform point with middle")
    assert entry.status == "rejected"
    assert "the middle hand cannot do that" in entry.reason
    stage.give("wave with middle")  # its goals are places, for every limb
    stage.run_until_idle()
    assert stage.entries[-1].status in ("done", "missed")


def test_the_timeline_has_a_row_and_a_colour_for_each_hand(performance: Performance) -> None:
    timeline = timeline_of(performance, "three")
    assert {"left arm", "right arm", "middle arm"} <= {row.name for row in timeline.rows}
    text = draw(timeline, 100)
    assert "middle arm" in text
    assert "reach green with middle" in text
    root = ElementTree.fromstring(svg(timeline))
    words = [element.text for element in root.iter(f"{SVG}text")]
    for legend in ("tasks of the left hand", "of the right hand", "of the middle hand"):
        assert legend in words
    assert "of no hand" not in words
    key = {element.get("fill") for element in root.iter(f"{SVG}rect") if element.get("width") == "18"}
    assert len(key - {"#ffffff"}) == 3


def test_it_is_explained_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "three.puppet"
    script.write_text(SCRIPT.replace("wave with middle\n", ""), encoding="utf-8")
    main(["explain", str(script), "--body", str(write_body(tmp_path))])
    assert "middle arm" in capsys.readouterr().out


def test_it_is_played_live_by_a_key_map_of_its_own(body: Body, tmp_path: Path) -> None:
    keys = tmp_path / "three.yaml"
    keys.write_text(KEYS, encoding="utf-8")
    live = Live("blocks", body=body, keymap=keys, draft=True)
    assert {"left arm", "right arm", "middle arm", "torso", "head"} == set(live.timeline())
    (entry,) = live.press("A")
    assert (entry.hand, entry.status) == ("middle", "waiting")
    for _ in range(40):
        live.advance(1 / 30)
    live.press("l")
    assert set(live.locks) == {"middle"}
    for key in "l>wG":
        assert live.press(key), live.message
    with pytest.raises(puppet.PuppetError, match="known: left, right"):
        Live("blocks", keymap=keys, draft=True)


def test_hands_have_colours_by_their_place(body: Body) -> None:
    assert [hand_color(body.hands, hand) for hand in body.hands] == list(HAND_COLORS[:3])
    many = [str(n) for n in range(len(HAND_COLORS) + 1)]
    assert hand_color(many, many[-1]) == HAND_COLORS[0]
    assert hand_color(body.hands, "") == NO_HAND_COLOR


def test_it_is_performed_in_the_window(body: Body) -> None:
    with window() as display, performing(display, Live("blocks", body=body, draft=True)) as (hand, screen):
        hand.press("primitives", "lock middle")
        hand.press("slide", "slide middle")
        hand.click(*place_of(screen, "yellow"))
        hand.press("chooser", "middle")
        assert [getattr(command, "hand", None) for command in given(screen)][-1] == "middle"
        hand.wait(0.3)
        hand.key(name="f1")  # help, with a colour for each hand
        assert np.ptp(hand.look()) > 0
