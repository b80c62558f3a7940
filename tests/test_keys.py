"""Key maps, the keyboard, key-stroke scripts, and the way to the language and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puppet
from puppet.command import (
    At,
    Command,
    Freeze,
    Lock,
    Perform,
    PoseJoint,
    Reach,
    Record,
    SetInterrupt,
    SetPrimitive,
    Slide,
    Source,
    Unlock,
)
from puppet.errors import FileError
from puppet.files.strict_yaml import parse
from puppet.keys import Keyboard, check_keys, format_keys, key_commands, load_key_map, read_key_map, read_keys
from puppet.keys.key_map import KeyMap
from puppet.language import ScriptError, format_script, read_script, script_commands
from puppet.scene import load_environment
from puppet.tasks import load_gestures
from puppet.tools import convert, convert_file

ROOT = Path(__file__).parent.parent
GESTURES = tuple(load_gestures(puppet.Body.load("seated")))
KEYMAP = load_key_map(gestures=GESTURES)
NUMBERS = tuple("12345678")
OBJECTS = tuple("ABCDEFGH")


def keyboard() -> Keyboard:
    return Keyboard(KEYMAP, OBJECTS, NUMBERS)


def played(keys: str) -> list[Command]:
    board = keyboard()
    return [command for key in keys for command in board.press(key)]


def bare(command: Command) -> Command:
    return type(command)(**{**vars(command), "source": Source()})


# ---- Table 7.1


def test_the_table_is_there_as_a_whole() -> None:
    printed = "ASDFZXCVasdfzxcvGHJKBNM<ghjkbnm,>?./:;qywueirotp12345678" + "0)-_=+[{}]\\|9(lL!@#$%^&*"
    assert set(KEYMAP.actions) == set(printed)


@pytest.mark.parametrize(("keys", "hand"), [("ASDFZXCV", "left"), ("GHJKBNM<", "right")])
def test_objects(keys: str, hand: str) -> None:
    assert played(keys) == [Reach(hand=hand, object=name) for name in OBJECTS]


@pytest.mark.parametrize(("keys", "hand"), [("asdfzxcv", "left"), ("ghjkbnm,", "right")])
def test_spaces(keys: str, hand: str) -> None:
    assert played(keys) == [Reach(hand=hand, space=name) for name in NUMBERS]


@pytest.mark.parametrize(
    ("keys", "gesture"),
    [("qy", "scratch head"), ("wu", "check watch"), ("ei", "drink"), ("ro", "pour"), ("tp", "turn on lamp")],
)
def test_general_tasks(keys: str, gesture: str) -> None:
    assert played(keys) == [Perform(hand="left", gesture=gesture), Perform(hand="right", gesture=gesture)]


def test_the_spaces_of_hands_are_reached_with_the_other_hand() -> None:
    assert played("./") == [Reach(hand="right", space="left"), Reach(hand="left", space="right")]


@pytest.mark.parametrize(
    ("keys", "name", "values"),
    [
        ("123", "overlap", ("none", "partial", "full")),
        ("678", "grip", ("side", "top", "bottom")),
        ("!@#$%", "speed", (20, 30, 40, 50, 80)),
        ("^&*", "curve", ("sine", "accelerate", "decelerate")),
    ],
)
def test_primitives(keys: str, name: str, values: tuple[str | int, ...]) -> None:
    assert played(keys) == [SetPrimitive(name=name, value=value) for value in values]


def test_recording_and_freezing() -> None:
    assert played(":;5") == [Record(on=True), Record(on=False), Freeze()]


def test_the_slide_vector() -> None:
    assert played("000)>") == [Slide(hand="left", by=(0.1, 0.0, 0.0), turn="top")]
    assert played("--_===+?") == [Slide(hand="right", by=(0.0, 0.05, 0.1), turn="top")]
    assert played("0-=9>") == [Slide(hand="left", by=(0.0, 0.0, 0.0), turn="top")]


def test_the_slide_orientation() -> None:
    assert played("([>") == [Slide(hand="left", turn=(45.0, 0.0, 0.0))]
    assert played("({>") == [Slide(hand="left", turn=(-45.0, 0.0, 0.0))]
    assert played("(}}>") == [Slide(hand="left", turn=(0.0, 90.0, 0.0))]
    assert played("(]>") == [Slide(hand="left", turn=(0.0, -45.0, 0.0))]
    assert played("(\\>") == [Slide(hand="left", turn=(0.0, 0.0, 45.0))]
    assert played("(|>") == [Slide(hand="left", turn=(0.0, 0.0, -45.0))]


def test_a_grip_sets_the_slide_orientation() -> None:
    assert played("8>")[1] == Slide(hand="left", turn="bottom")
    assert played("6[>")[1] == Slide(hand="left", turn=(-45.0, -90.0, 0.0))  # from the left hand's (0, -90, -90) in zyx
    assert played("(]]{{>") == [Slide(hand="left", turn="side")]


def test_eight_steps_of_an_eighth_turn_come_back() -> None:
    assert played("([[[[[[[[>") == [Slide(hand="left", turn=(0.0, 0.0, 0.0))]


def test_locks_toggle() -> None:
    assert played("lLlL") == [Lock(hand="left"), Lock(hand="right"), Unlock(hand="left"), Unlock(hand="right")]
    board = keyboard()
    assert board.press("l", locked={"left"}) == (Unlock(hand="left"),)  # who runs a stage knows better
    assert board.press("l", locked=()) == (Lock(hand="left"),)


def test_interrupt_mode_ends_with_the_next_scheduling_parameter() -> None:
    assert played("43") == [
        SetInterrupt(on=True), SetInterrupt(on=False), SetPrimitive(name="overlap", value="full"),
    ]  # fmt: skip
    assert played("33")[1:] == [SetPrimitive(name="overlap", value="full")]


def test_the_keyboard_tells_what_it_did_and_what_is_set() -> None:
    board = keyboard()
    board.press("0")
    assert (board.message, board.slide_by) == ("Slide vector (0.05, 0, 0)", (0.05, 0.0, 0.0))
    board.press("6")
    assert (board.message, board.slide_turn, board.primitives.grip) == ("Set grip side", "side", "side")
    board.press("q")
    assert board.message == "Scratch head with left"
    assert board.press("~") == ()
    assert board.problem == board.message == "the key '~' has no meaning"
    assert Keyboard(KEYMAP, ["A"], []).press("S") == ()
    board.press(":")
    assert (board.problem, board.recording) == ("", True)


def test_a_joint_is_chosen_and_posed() -> None:
    board = keyboard()
    assert board.pose_joint((1.0, 2.0, 3.0)) == ()
    assert board.problem
    board.select_joint("head")
    assert board.pose_joint((1.0, 2.0, 3.0)) == (PoseJoint(joint="head", angles=(1.0, 2.0, 3.0)),)


def test_numbers_mean_spaces_by_name_first() -> None:
    board = Keyboard(KEYMAP, [], ["shelf", "3", "1"])
    assert board.press("a") == (Reach(hand="left", space="1"),)
    assert board.press("s") == (Reach(hand="left", space="3"),)  # no space is called 2: the second one
    assert board.press("f") == ()
    assert "there is no space number 4; the scene has 3" in board.problem


def test_a_live_performance_is_written_and_carried_out_again_to_the_same_motion() -> None:
    scene = load_environment(ROOT / "environments" / "blocks.yaml")
    stage, board = puppet.Stage(scene), Keyboard.for_scene(KEYMAP, scene)
    given: list[tuple[int, Command]] = []
    angles = [stage.frame.angles]
    for frame, keys in ((0, "3!AH"), (5, "lL"), (40, "0->9?q"), (70, "4J1"), (75, "5"), (90, "6Kl%e")):
        while stage.frame.number < frame:
            angles.append(stage.step().angles)
        for key in keys:
            for command in board.press(key, stage.locks):
                stage.give(command)
                given.append((frame, command))
    while not stage.idle:
        angles.append(stage.step().angles)
    text = format_script(given, "blocks.yaml", title="A take")
    assert text.splitlines()[:4] == ["# A take", 'environment "blocks.yaml"', "set overlap full", "set speed 20"]
    again = puppet.run(text)
    assert np.array_equal(again.angles, np.array(angles))
    assert [task["interpretation"] for task in again.report["tasks"]] == [
        entry.interpretation for entry in stage.entries if entry.kind not in ("setprimitive", "setinterrupt")
    ]


# ---- maps of one's own


def test_a_key_can_give_any_command() -> None:
    keymap = read_key_map(parse('keys:\n  a: "reach cup with left, grip side, speed 9"\n  "+": wait 5', "map.yaml"))
    board = Keyboard(keymap, [], [])
    assert board.press("a") == (Reach(hand="left", object="cup", grip="side", speed=9),)


BROKEN_MAPS = {
    "keys: {ab: freeze}": "map.yaml:1:8: keys.ab: a key is one character",
    "keys: {a: freze}": "map.yaml:1:11: keys.a: unknown command 'freze'; did you mean 'freeze'?",
    "keys: {a: juggle with left}": "keys.a: unknown command 'juggle'",
    "keys: {a: slide vector w by 1}": "map.yaml:1:11: keys.a:",
    "keys: {a: slide vector x by 1e9}": "keys.a:",
    "keys: {a: slide middle}": "unknown hand 'middle'",
    "keys: {a: reach object number 0 with left}": "expected a number from 1 to 1000, found 0",
    "keys: [a]": "expected a mapping, found a list",
    "kees: {}": "unknown key 'kees'; did you mean 'keys'?",
    "keys: {a: freeze, a: freeze}": "'a' stands here twice",
    "keys: {a: }": "expected a word, found nothing",
    "keys: {a: lock lefft}": "unknown hand 'lefft'; did you mean 'left'?",
}


@pytest.mark.parametrize("text", BROKEN_MAPS)
def test_a_broken_map_is_told_with_its_place(text: str) -> None:
    with pytest.raises(FileError) as error:
        read_key_map(parse(text, "map.yaml"), GESTURES)
    assert BROKEN_MAPS[text] in str(error.value)
    assert str(error.value).startswith("map.yaml:1:")


def test_all_mistakes_of_a_map_are_told() -> None:
    with pytest.raises(FileError) as error:
        read_key_map(parse("keys:\n  a: freze\n  b: slide middle\n  cc: freeze\n", "map.yaml"))
    places = [line.split(": ")[0] for line in str(error.value).splitlines()]
    assert places == ["map.yaml:2:6", "map.yaml:3:6", "map.yaml:4:3"]


# ---- scripts


FIGURE_7_3 = ":nq\n92\n6) ) ) == __G3DL\n110\n?r\n"


def test_the_script_of_figure_7_3() -> None:
    script = read_keys(FIGURE_7_3, "figure.keys")
    assert script.mistakes == ()
    scene = load_environment(ROOT / "environments" / "figure_7_1.env")
    found = list(key_commands(script, Keyboard.for_scene(KEYMAP, scene)))
    assert [bare(command) for command in found] == [
        SetPrimitive(name="speed", value=30),  # with which keys begin
        SetPrimitive(name="curve", value="sine"),
        Record(on=True),
        Reach(hand="right", space="6"),
        Perform(hand="left", gesture="scratch head"),
        At(frame=92),
        SetPrimitive(name="grip", value="side"),
        Reach(hand="right", object="A"),
        SetPrimitive(name="overlap", value="full"),
        Reach(hand="left", object="C"),
        Lock(hand="right"),
        At(frame=110),
        Slide(hand="right", by=(-0.15, -0.1, 0.1), turn="side"),
        Perform(hand="left", gesture="pour"),
    ]
    assert found[3].source == Source(1, 2, "figure.keys", ":nq")
    assert found[7].source == Source(3, 13, "figure.keys", "6) ) ) == __G3DL")


def test_the_script_of_figure_7_3_runs() -> None:
    performance = puppet.run(str(ROOT / "scripts" / "figure_7_3.keys"), environment="figure_7_1.env")
    tasks = [task for task in performance.report["tasks"] if task["kind"] in ("reach", "slide", "perform")]
    assert len(tasks) == 6  # "six tasks", Section 7.1.1
    assert performance.report["locks"] == {"right": "object A, side grip"}
    script = convert(ROOT / "scripts" / "figure_7_3.keys", ".puppet", "thesis.yaml")
    same = puppet.run(script, environment="thesis.yaml")
    assert performance.angles.tobytes() == same.angles.tobytes()


def test_a_lock_key_asks_what_is_locked_when_it_is_pressed(tmp_path: Path) -> None:
    path = tmp_path / "lock.keys"
    path.write_text("lal\n", encoding="utf-8")  # the first lock is refused: the hand has done nothing yet
    report = puppet.run(path, environment="thesis.yaml").report
    assert [task["status"] for task in report["tasks"]] == ["rejected", "adjusted", "done"]


BROKEN_KEYS = {
    "q\nx\nq": [(2, 1, "expected a frame from 0 to 1000000, found 'x'")],
    "q\n\nq": [(2, 1, "found an empty line")],
    "q\n-3\nq": [(2, 1, "found '-3'")],
    "q\n 1.5\nq": [(2, 2, "found '1.5'")],
    "q\n9999999\nq": [(2, 1, "found '9999999'")],
    "q\n50\nq\n40\nq": [(4, 1, "frame 40 comes before frame 50")],
    "q\n50": [(2, 1, "no keys follow this frame")],
    "q~q": [(1, 2, "the key '~' has no meaning")],
    "q\u00e9": [(1, 2, "the key '\u00e9' has no meaning")],
    "Z": [(1, 1, "there is no object number 5; the scene has 4")],
    " ~\nx\n~": [(1, 2, "no meaning"), (2, 1, "expected a frame"), (3, 1, "no meaning")],
}


@pytest.mark.parametrize("text", BROKEN_KEYS)
def test_a_broken_key_script_is_told_with_its_place(text: str) -> None:
    board = Keyboard.for_scene(KEYMAP, load_environment(ROOT / "environments" / "figure_7_1.env"))
    found = check_keys(read_keys(text, "play.keys"), board)
    assert [(mistake.line, mistake.column) for mistake in found] == [entry[:2] for entry in BROKEN_KEYS[text]]
    for mistake, (line, column, words) in zip(found, BROKEN_KEYS[text], strict=True):
        assert words in str(mistake)
        assert str(mistake).startswith(f"play.keys:{line}:{column}: ")


def test_the_first_line_may_be_empty() -> None:
    assert [s.frame for s in read_keys("\n92\nq\n\n\n").strokes] == [92]
    assert read_keys("").mistakes == read_keys("\n92\nq").mistakes == ()


# ---- there and back

WRITTEN = {
    "reach A with left": "A",
    "reach B with right, grip side, speed 50": "6$H7@",
    "slide left by (0.1, 0, -0.05) turn side": "00+{{>",
    "slide left by (0.1, 0, -0.05) turn (0, 45, 0)": "00+}}}>",
    "set grip side\nslide left by (0, 0, 0) turn (0, 0, 0)": "6[[}}>",
    "lock left\nlock left\nunlock left": "llll",
    "wait 20\nfreeze\nat 50\nwait 5\nfreeze": "\n20\n5\n55\n5",
    "interrupt drink with left": "4e1",
    "set interrupt on\nset interrupt off": "41",
    "set interrupt on\nreach A with left, overlap full": "43A14",
    "repeat 3\nscratch head with right\nend": "yyy",
    "drink with left\nwait 20": "e",
    'environment "thesis.yaml"\nrecord start\nrecord stop': ":;",
}


@pytest.mark.parametrize("text", WRITTEN)
def test_a_script_becomes_keys(text: str) -> None:
    commands = script_commands(read_script(text), None, GESTURES)
    assert format_keys(commands, keyboard()) == WRITTEN[text] + "\n"


NO_KEYS = {
    "reach A with left, speed 33": "no key sets speed to 33",
    "reach pear with left": "no key means: reach pear with left",
    "wave with left": "no key means: wave with left",
    "slide left by (0.07, 0, 0) turn top": "the slide vector (0.07, 0, 0) cannot be had in the steps that keys make",
    "slide left by (0, 0, 0) turn (0, 10, 0)": "the slide turn (0, 10, 0)",
    "slide left by (0.05, 0, 0)": "no key slides a hand that keeps its orientation",
    "wait until done": "no key waits until all is done",
    "fps 25": "played at 30 frames a second",
    "unlock left": "the left hand is not locked here",
    "pose head at (0, 0, 0)": "no key means: pose head at (0, 0, 0)",
    "set clearance 0.1": "no key sets clearance to 0.1",
    "reach A with left, clearance 0.1": "no key sets a clearance",
    "set curve smooth": "no key sets curve to smooth",
    "set speed auto": "no key sets speed to auto",
    "reach A with left, speed auto": "no key sets speed to auto",
}


@pytest.mark.parametrize("text", NO_KEYS)
def test_what_has_no_key_is_told_with_its_line(text: str) -> None:
    with pytest.raises(ScriptError) as error:
        format_keys(script_commands(read_script(f"\n{text}", "play.puppet"), None, GESTURES), keyboard())
    assert str(error.value).startswith("play.puppet:2:1: ")
    assert NO_KEYS[text] in str(error.value)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.text(sorted(KEYMAP.actions), max_size=12), st.integers(1, 50)), max_size=5))
def test_keys_become_a_script_and_its_keys_mean_the_same(parts: list[tuple[str, int]]) -> None:
    frame, lines = 0, [""]
    for keys, wait in parts:
        frame += wait
        lines += [str(frame), keys + "q"]
    first = list(key_commands(read_keys("\n".join(lines)), keyboard()))
    again = format_keys(first, keyboard())
    second = list(key_commands(read_keys(again), keyboard()))
    assert essence(second) == essence(first)


def essence(commands: list[Command]) -> list[object]:
    """The tasks with all that is set for them: how it was set, and what was set for nothing, does not matter."""
    found: list[object] = []
    state: dict[str, object] = {"grip": "top", "speed": 30, "curve": "sine", "overlap": "none", "interrupt": False}
    for command in map(bare, commands):
        if isinstance(command, SetPrimitive):
            state[command.name] = command.value
        elif isinstance(command, SetInterrupt):
            state["interrupt"] = command.on
        else:
            found.append((command, tuple(sorted(state.items()))))
    return found


def test_files_are_converted_by_their_endings(tmp_path: Path) -> None:
    figure = ROOT / "scripts" / "figure_7_3.keys"
    convert_file(figure, tmp_path / "a.puppet", "figure_7_1.env")
    convert_file(tmp_path / "a.puppet", tmp_path / "a.keys")
    assert (tmp_path / "a.keys").read_text(encoding="utf-8") == ":nq\n92\n6G3DL\n110\n)))__==?r\n"
    convert_file(ROOT / "environments" / "figure_7_1.env", tmp_path / "a.yaml")
    convert_file(tmp_path / "a.yaml", tmp_path / "a.env")
    scenes = [load_environment(path) for path in (ROOT / "environments" / "figure_7_1.env", tmp_path / "a.env")]
    assert scenes[0] == scenes[1] == load_environment(tmp_path / "a.yaml")


@pytest.mark.parametrize(
    ("source", "ending", "words"),
    [
        ("figure_7_3.keys", ".bvh", "cannot convert '.keys' to '.bvh'"),
        ("figure_7_3.keys", ".puppet", "say which environment"),
        ("01_first_reach.puppet", ".puppet", "cannot convert"),
    ],
)
def test_a_conversion_that_is_not_there_is_an_error(source: str, ending: str, words: str) -> None:
    with pytest.raises(puppet.PuppetError, match=words.replace("(", r"\(")):
        convert(ROOT / "scripts" / source, ending)


def test_a_map_gives_its_keys_for_an_action() -> None:
    assert isinstance(KEYMAP, KeyMap)
    assert KEYMAP.keys_for(KEYMAP.actions["q"]) == ("q",)


@pytest.mark.parametrize("strokes", ["lAl", "lLAlL", "Al\n60\nl\n90\nAl", "l58l\n40\n8"])
def test_converted_key_strokes_mean_the_same(strokes: str, tmp_path: Path) -> None:
    """A key that toggles a lock does what the hand allows: only carrying it out tells which."""
    keys, script, back = (tmp_path / name for name in ("a.keys", "a.puppet", "b.keys"))
    keys.write_text(strokes + "\n", encoding="utf-8")
    convert_file(keys, script, "blocks")
    wanted = [(task["interpretation"], task["status"]) for task in puppet.run(keys, "blocks").report["tasks"]]
    assert [(task["interpretation"], task["status"]) for task in puppet.run(script).report["tasks"]] == wanted
    convert_file(script, back)
    assert [(t["interpretation"], t["status"]) for t in puppet.run(back, "blocks").report["tasks"]] == wanted


def test_a_script_that_interrupts_does_so_as_keys_whatever_overlap_it_sets(tmp_path: Path) -> None:
    script, keys = tmp_path / "a.puppet", tmp_path / "a.keys"
    script.write_text(
        'environment "blocks.yaml"\nset speed 20\nset curve sine\nset interrupt on\nset overlap full\n'
        "reach yellow with left\nat 5\nreach blue with left\n"
    )
    convert_file(script, keys)
    wanted = puppet.run(script)
    assert [task["status"] for task in wanted.report["tasks"]] == ["cancelled", "done"]
    assert np.array_equal(puppet.run(keys, "blocks").angles, wanted.angles)


def test_a_converted_script_names_the_environment_that_was_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not another one of the same name, and not by the folder in which somebody happens to be."""
    room = tmp_path / "rooms" / "blocks.yaml"
    room.parent.mkdir()
    shipped = (ROOT / "environments" / "blocks.yaml").read_text(encoding="utf-8")
    room.write_text(shipped.replace("[0.14, 0.0, 0.06]", "[0.1, 0.0, 0.1]"), encoding="utf-8")
    keys, script = tmp_path / "a.keys", tmp_path / "scripts" / "a.puppet"
    script.parent.mkdir()
    keys.write_text("A1l\n", encoding="utf-8")
    monkeypatch.chdir(room.parent)
    convert_file(keys, script, "blocks.yaml")
    wanted = puppet.run(keys, room).angles
    monkeypatch.chdir(tmp_path)
    assert np.array_equal(puppet.run(script).angles, wanted)
    assert not np.array_equal(puppet.run(keys, "blocks").angles, wanted)
