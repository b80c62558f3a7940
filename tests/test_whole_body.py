"""Pins, drags and balance in scripts, live, and on the stage."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import puppet
from puppet.body import Body, joint_transforms
from puppet.command import Balance, Drag, Pin, Unpin, UseBody
from puppet.geometry import Transform, distance_outside
from puppet.language import format_command, read_command, read_script
from puppet.motion import progress, seen_leaps
from puppet.scene import load_environment
from puppet.shows import Live
from puppet.stage import PinnedPart, Stage, mass_centre, support
from puppet.stage.dragging import drag_frames
from puppet.tasks import AtDrag
from puppet.tools import check_file
from puppet.types import Floats

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
        ("drag head by (0, 0, 0.1), point (0, 0.1, 0.02), speed 1",
         Drag(part="head", by=(0.0, 0.0, 0.1), point=(0.0, 0.1, 0.02), speed=1)),
        ("pin left foot to (0.1, 0, 0), turn (0, 30, -5), gain 0",
         Pin(part="left_foot", to=(0.1, 0.0, 0.0), turn=(0.0, 30.0, -5.0), gain=0.0)),
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
        ("pin head, turn (1, 2)", "three angles"),
        ("drag head to (a, 1, 2)", "no number"),
        ("drag head to (1, 2)", "three coordinates"),
        ("drag head by (0, 0, 1), point 3", "three coordinates"),
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
    assert [task["status"] for task in performance.report["tasks"]] == ["done", "done", "adjusted"]
    assert "the right hand goes" in performance.report["tasks"][2]["reason"]  # into the table
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


NAN = float("nan")
WRONG = {
    "unknown part": (Drag(part="heat", by=(0.0, 0.0, 0.1)), "did you mean 'head'"),
    "no part": (Drag(part=5, by=(0.0, 0.0, 0.1)), "5"),  # type: ignore[arg-type]
    "a word for a number": (Drag(part="head", to=("a", 1, 2)), "'a'"),  # type: ignore[arg-type]
    "one number": (Drag(part="head", to=5), "5"),  # type: ignore[arg-type]
    "two numbers": (Drag(part="head", by=(0.0, 1.0)), "(0.0, 1.0)"),  # type: ignore[arg-type]
    "not a number": (Drag(part="head", to=(NAN, 0.0, 0.0)), "nan"),
    "too far": (Drag(part="head", to=(1e5, 0.0, 0.0)), "100000"),
    "nowhere": (Drag(part="head"), "one of the two"),
    "to an unknown thing": (Drag(part="head", to="nothing"), "'nothing'"),
    "by a wrong point": (Drag(part="head", by=(0.0, 0.0, 0.1), point=(0.0, "x", 0.0)), "'x'"),  # type: ignore[arg-type]
    "in no time": (Drag(part="head", by=(0.0, 0.0, 0.1), speed=0), "not 0"),
    "by an unknown curve": (Drag(part="head", by=(0.0, 0.0, 0.1), curve="smoth"), "did you mean 'smooth'"),
    "pinned twice": (Pin(part="pelvis"), "pinned already"),
    "a gain that is a word": (Pin(part="head", gain="firm"), "'firm'"),  # type: ignore[arg-type]
    "a gain above 1": (Pin(part="head", gain=1.5), "1.5"),
    "pinned to a word": (Pin(part="head", to="cuppa"), "'cuppa'"),
    "turned by one angle": (Pin(part="head", turn=(1.0,)), "(1.0,)"),  # type: ignore[arg-type]
    "unpinned what was not": (Unpin(part="head"), "not pinned"),
    "maybe in balance": (Balance(on="maybe"), "'maybe'"),  # type: ignore[arg-type]
}


OF_WRONG_TYPES = {
    "no part", "a word for a number", "one number", "two numbers", "by a wrong point", "a gain that is a word",
    "turned by one angle", "maybe in balance",
}  # fmt: skip


@pytest.fixture(scope="module")
def live() -> Live:
    return Live("blocks", body=PERSON)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_command_is_refused_with_its_reason_and_nothing_changes(name: str, live: Live) -> None:
    command, message = WRONG[name]
    pins, text, angles = live.pins, live.take.text, live.frame.angles
    if name in OF_WRONG_TYPES:
        before = len(live.stage.entries)
        for give in (live.stage.give, live.give):
            with pytest.raises(puppet.PuppetError, match=re.escape(message)):
                give(command)
        assert len(live.stage.entries) == before
    else:
        entry = live.stage.give(command)  # as a program gives it
        live.stage.undo()
        assert (entry.status, message in entry.reason) == ("rejected", True), entry.reason
        live.give(command)  # as a window gives it
        live.advance(1 / 30)
        assert live.problem
        assert message in live.message
    assert live.pins == pins
    assert np.array_equal(live.frame.angles, angles)
    assert "rejected" in {entry.status for entry in live.stage.entries} or live.take.text == text


def test_pins_that_cannot_hold_are_reported_with_what_is_left() -> None:
    pins = "pin left hand to (1, 1, 0)\npin right hand to (-1, 1, 0)\n"
    performance = puppet.run(f"{HEAD}{pins}drag head by (0, 0.01, 0)\n")
    task = performance.report["tasks"][-1]
    assert task["status"] in ("adjusted", "missed")
    ends = {"left": (1.0, 1.0, 0.0), "right": (-1.0, 1.0, 0.0)}
    at = {side: performance.joint_positions[-1, performance.joint_names.index(f"{side}_hand")] for side in ends}
    off = {side: float(np.linalg.norm(at[side] - place)) for side, place in ends.items()}
    worst = max(off, key=lambda side: off[side])
    assert f"the {worst} hand is {off[worst]:.3f} off its pin, and" in task["reason"]
    assert np.all(np.isfinite(performance.angles))


def test_drags_of_the_same_point_go_on_and_come_back_to_where_the_first_began() -> None:
    stage = puppet.Stage("blocks", PERSON)
    first = stage.frame.angles
    start = tuple(puppet.Figure(PERSON, first).position("left_hand").tolist())
    stage.give(Drag(part="left_hand", to=(0.3, 0.9, 0.2), speed=20))
    stage.give(Drag(part="left_hand", to=start, speed=20))
    stage.give(Drag(part="left_hand", to=start, speed=60))
    stage.run_until_idle()
    assert stage.frame.angles == pytest.approx(first, abs=1e-3)
    at = [PERSON.joint(name) for name in ("left_foot", "pelvis")]
    now, then = (joint_transforms(PERSON, angles)[at] for angles in (stage.frame.angles, first))
    assert now == pytest.approx(then, abs=1e-4)
    entries = [entry for entry in stage.entries if entry.kind == "drag"]
    assert [bool(entry.segments) for entry in entries] == [False, False, True]  # one bar in a timeline
    assert {segment[1] for segment in entries[-1].segments} == {0}


def test_a_pull_is_a_drag_in_each_frame_until_the_body_is_at_rest() -> None:
    live = Live("blocks", body=PERSON)
    point = (0.05, 0.0, 0.0)
    place = puppet.Figure(PERSON, live.frame.angles).position("left_hand", point) + np.array([0.05, 0.15, 0.0])
    live.pull("left_hand", point, place)
    for _ in range(120):
        live.step_once()
    count = len(live.take.given)
    live.step_once()
    assert len(live.take.given) == count < 110  # it has come to rest, although it is held
    assert puppet.Figure(PERSON, live.frame.angles).position("left_hand", point) == pytest.approx(place, abs=1e-4)
    assert {entry.status for entry in live.stage.entries} <= {"done", "adjusted"}
    live.let_go()
    live.pull("left_hoof", point, place)
    live.step_once()
    assert live.pulled is None
    assert "left_foot" in live.message or "left_hip" in live.message
    assert live.undo()
    assert not live.take.given
    with pytest.raises(puppet.PuppetError, match="not pinned"):
        live.set_gain("head", 0.5)


@pytest.mark.parametrize("by", [(0.0, 0.0, 0.6), (0.0, -0.2, 0.9), (0.3, 0.2, 0.3)])
def test_a_long_reach_in_balance_does_not_lift_the_feet(by: tuple[float, float, float]) -> None:
    """Balance comes after pins: it gives way before the feet do."""
    figure = puppet.Figure(PERSON)
    feet = ("left_foot", "right_foot")
    pins = {foot: PinnedPart(Transform.of(figure.position(foot), figure.rotation(foot))) for foot in feet}
    goal = AtDrag("right_hand", None, by)
    frames, missed, off = drag_frames(PERSON, figure.angles, figure.angles, pins, True, goal, 60, "smooth")
    rows = joint_transforms(PERSON, frames)[:, [PERSON.joint(foot) for foot in feet]]
    for n, foot in enumerate(feet):
        assert np.linalg.norm(rows[:, n, :3] - pins[foot].at.position, axis=1).max() < 5e-4
        assert off[foot] < 1e-5
    assert missed < 1e-4
    free, _, _ = drag_frames(PERSON, figure.angles, figure.angles, pins, False, goal, 60, "smooth")
    over = [_off_the_feet(angles, feet) for angles in (frames[-1], free[-1])]
    assert over[0] < max(0.0, over[1])  # and it is nearer to balance than without, or in balance


def _off_the_feet(angles: Floats, feet: tuple[str, ...]) -> float:
    joints = joint_transforms(PERSON, angles)
    centre = mass_centre(PERSON, joints)
    assert centre is not None
    return distance_outside(support(PERSON, joints, feet)[:, [0, 2]], centre[[0, 2]])


def test_no_part_goes_farther_in_a_frame_than_the_curve_of_a_drag_takes_it() -> None:
    """Fast drags to far places, in the time that they really take: a tenth of the height, or a fifth more than what is
    dragged."""
    random, height = np.random.default_rng(1), PERSON.height
    stage = Stage("hall", PERSON, draft=True)
    start, late = stage.frame.angles, 0
    for _ in range(40):
        part, by = PERSON.joint_names[random.integers(len(PERSON.joints))], random.normal(size=3)
        by *= random.uniform(0.4, 1.2) / np.linalg.norm(by)
        frames, curve = int(random.integers(7, 16)), str(random.choice(["smooth", "accelerate", "linear"]))
        goal = AtDrag(part, to=None, by=tuple(by.tolist()))
        found, _, _ = drag_frames(PERSON, start, start, stage.pins, True, goal, frames, curve)
        ways = np.diff(progress(curve, len(found)), prepend=0.0) * np.linalg.norm(by)
        places = np.array([joint_transforms(PERSON, angles)[:, :3] for angles in (start, *found)])
        steps = np.linalg.norm(np.diff(places, axis=0), axis=2).max(axis=1)
        assert (steps <= 1.001 * np.maximum(0.1 * height, 1.2 * ways)).all(), (part, by, frames, curve)
        late += len(found) > frames
    assert late > 10


def test_feet_that_were_dragged_off_the_floor_come_down_without_a_leap() -> None:
    person = Body.load("person")
    stage = Stage(load_environment("environments/cafe.yaml", person.hands), person)
    feet, seen = [person.joint(name) for name in ("left_toes", "right_toes")], []
    for line in ("drag left eye to (-0.114, 0.670, 0.388)", "reach left space with left, speed 24"):
        stage.give(line)
        while not stage.idle:
            stage.step()
            seen.append(joint_transforms(person, stage.frame.angles)[feet, :3])
    assert np.linalg.norm(np.diff(seen, axis=0), axis=2).max() < 0.08


def test_a_trunk_that_catches_up_in_a_drag_does_not_stop_at_once() -> None:
    """The head went 1, 43, 61, 56 and 7 thousandths of the height in five frames."""
    script = 'environment "toys.yaml"\nbody seated\ndrag right forearm to (0.147, 0.700, 0.186), speed 31\n'
    performance = puppet.run(script)
    assert not len(seen_leaps(performance.body, performance.angles[0], performance.angles))
