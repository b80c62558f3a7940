"""Pins, drags and balance in scripts, live, and on the stage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import puppet
from puppet.body import Body, joint_transforms
from puppet.command import Balance, Drag, Pin, Unpin, UseBody
from puppet.language import format_command, read_command, read_script
from puppet.shows import Live
from puppet.tools import check_file

PERSON = Body.load("person")
HEAD = 'environment "blocks.yaml"\nbody person\n'


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("pin left foot", Pin(part="left_foot")),
        ("pin left_foot", Pin(part="left_foot")),
        ("pin the right hand to (0.1, 0.9, 0.3), gain 0.5", Pin(part="right_hand", to=(0.1, 0.9, 0.3), gain=0.5)),
        ("pin right hand to yellow", Pin(part="right_hand", to="yellow")),
        ("unpin the pelvis", Unpin(part="pelvis")),
        ("drag head by (0, -0.1, 0.1)", Drag(part="head", by=(0.0, -0.1, 0.1))),
        ("drag left hand to (0.2, 0.9, 0.3), speed 40, curve smooth",
         Drag(part="left_hand", to=(0.2, 0.9, 0.3), speed=40, curve="smooth")),
        ("balance off", Balance(on=False)),
    ],
)  # fmt: skip
def test_words_and_commands_are_the_same_both_ways(text: str, command: object) -> None:
    read = read_command(text, body=PERSON)
    plain = type(read)(**{key: value for key, value in vars(read).items() if key != "source"})
    assert plain == command
    again = read_command(format_command(read), body=PERSON)
    assert type(again)(**{key: value for key, value in vars(again).items() if key != "source"}) == command


def test_the_script_names_its_body(tmp_path: Path) -> None:
    assert puppet.run(HEAD + "reach yellow with left\n").body is PERSON
    given = puppet.run(HEAD + "reach yellow with left\n", body=Body.load("seated"))
    assert given.body.name == "seated"
    assert read_script(HEAD).body == "person"
    commands = [UseBody(path="person"), Drag(part="head", by=(0.0, 0.0, 0.05), speed=5)]
    assert puppet.run(commands, environment="blocks").body is PERSON
    (tmp_path / "room.yaml").write_text("body: person\ntable: {height: 0.6, front: 0.2}\nspaces: {a: [0, 0, 0.2]}\n")
    (tmp_path / "a.puppet").write_text('environment "room.yaml"\ndrag head by (0, 0, 0.05)\n')
    assert check_file(tmp_path / "a.puppet") == ()
    assert puppet.run(tmp_path / "a.puppet").body is PERSON


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("pin left knie", "unknown part 'left knie'; did you mean 'left_knee'"),
        ("drag head", "expected"),
        ("drag head by (0, 1)", "three"),
        ("pin head, gain 2", "from 0 to 1"),
        ("pin head, speed 3", "gain"),
        ("balance maybe", "unknown value of balance"),
        ("body nobody", "second time"),
    ],
)
def test_mistakes_are_told_before_anything_runs(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "wrong.puppet"
    path.write_text(HEAD + line + "\n")
    (mistake,) = check_file(path)
    assert (mistake.line, message in mistake.message) == (3, True), mistake.message


def test_an_unknown_body_is_a_mistake_at_its_place(tmp_path: Path) -> None:
    path = tmp_path / "wrong.puppet"
    path.write_text('environment "blocks.yaml"\nbody persn\n')
    (mistake,) = check_file(path)
    assert (mistake.line, mistake.column) == (2, 6)
    assert "did you mean 'person" in mistake.message


def test_a_drag_moves_the_whole_body_and_leaves_what_is_pinned() -> None:
    lines = "drag left hand to (0.22, 0.9, 0.22), speed 25\nunpin pelvis\ndrag pelvis by (0, 0.05, 0.05)\n"
    performance = puppet.run(HEAD + lines)
    assert [task["status"] for task in performance.report["tasks"]] == ["done"] * 3
    first = performance.report["tasks"][0]
    assert (first["start"], first["end"]) == (0, 25)
    at = performance.joint_positions
    names = performance.joint_names
    for part in ("left_foot", "right_foot"):
        assert np.linalg.norm(at[:, names.index(part)] - at[0, names.index(part)], axis=1).max() < 2e-4
    assert at[25, names.index("left_hand")] == pytest.approx([0.22, 0.9, 0.22], abs=1e-4)
    assert np.abs(at[25, names.index("pelvis")] - at[0, names.index("pelvis")]).max() < 2e-4
    assert max(PERSON.limit_excess(angles) for angles in performance.angles) < 1e-6


def test_what_cannot_be_reached_is_missed_and_what_makes_no_sense_is_refused() -> None:
    stage = puppet.Stage("blocks", PERSON)
    far = stage.give("drag left hand to (2, 1, 2), speed 10")
    stage.run_until_idle()
    assert stage.entries[far.number].status == "missed"
    assert "out of reach by" in stage.entries[far.number].reason
    refused = {"pin pelvis": "pinned already", "unpin head": "not pinned", "drag pelvis by (0, 1, 0)": "is pinned"}
    for line, reason in refused.items():
        entry = stage.give(line)
        assert (entry.status, reason in entry.reason) == ("rejected", True), entry.reason


def test_a_pinned_part_waits_for_what_was_told_before() -> None:
    stage = puppet.Stage("blocks", PERSON)
    stage.give("reach yellow with left, speed 20")
    pin = stage.give("pin left hand")
    drag = stage.give("drag head by (0, -0.02, 0.03), speed 10")
    stage.run_until_idle()
    assert (stage.entries[pin.number].start, stage.entries[drag.number].start) == (20, 20)
    hand = PERSON.joint("left_hand")
    assert stage.entries[drag.number].status == "done"
    pinned = stage._state.pins["left_hand"].at.position
    assert joint_transforms(PERSON, stage.frame.angles)[hand, :3] == pytest.approx(pinned, abs=1e-4)


def test_a_live_take_with_drags_replays_to_the_same_motion(tmp_path: Path) -> None:
    live = Live("blocks", body=PERSON, take=tmp_path / "take.puppet")
    lines = ("drag head by (0, -0.03, 0.05), speed 8", "unpin pelvis", "balance off")
    for line in (*lines, "drag pelvis by (0, 0.03, 0.02), speed 8"):
        live.give(line)
        live.advance(0.2)
    while not live.stage.idle:
        live.advance(0.1)
    live.close()
    text = (tmp_path / "take.puppet").read_text()
    assert "\nbody person\n" in text
    assert "drag head by" in text
    again = puppet.run(tmp_path / "take.puppet")
    ours = live.performance()
    count = min(len(again.angles), len(ours.angles))
    assert count > 16
    assert (again.angles[:count] == ours.angles[:count]).all()
