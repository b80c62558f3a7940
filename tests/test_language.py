"""The task language: every statement, blocks, words of one's own, and what is written back."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import puppet
from puppet.body import Body
from puppet.command import (
    CURVES,
    GRIPS,
    MAX_FRAME,
    MAX_SPEED,
    OVERLAPS,
    At,
    Command,
    Freeze,
    Lock,
    Perform,
    PoseJoint,
    Reach,
    Record,
    SetFps,
    SetInterrupt,
    SetPrimitive,
    Slide,
    Source,
    Unlock,
    UseEnvironment,
    Wait,
)
from puppet.files.strict_yaml import parse
from puppet.language import ScriptError, check_script, format_command, read_command, read_script, script_commands
from puppet.scene import load_environment, read_environment
from puppet.tasks import load_gestures

ROOT = Path(__file__).parent.parent
GESTURES = (
    "scratch head", "check watch", "drink", "pour", "turn on lamp", "wave", "high 5", "reach out", "touch the nose",
)  # fmt: skip

LINES = {
    'environment "blocks.yaml"': UseEnvironment(path="blocks.yaml"),
    "environment blocks": UseEnvironment(path="blocks"),
    "fps 25": SetFps(fps=25.0),
    "set grip top": SetPrimitive(name="grip", value="top"),
    "set speed 30": SetPrimitive(name="speed", value=30),
    "set speed 1.5s": SetPrimitive(name="speed", value=45),
    "set speed .5s": SetPrimitive(name="speed", value=15),
    "set curve smooth": SetPrimitive(name="curve", value="smooth"),
    "set overlap partial": SetPrimitive(name="overlap", value="partial"),
    "set clearance 0.05": SetPrimitive(name="clearance", value=0.05),
    "set interrupt on": SetInterrupt(on=True),
    "set interrupt off": SetInterrupt(on=False),
    "reach yellow with left": Reach(hand="left", object="yellow"),
    "reach the cup with the left hand": Reach(hand="left", object="cup"),
    'reach "big cup" with left': Reach(hand="left", object="big cup"),
    'reach "space" with left': Reach(hand="left", object="space"),
    'reach "with" with left': Reach(hand="left", object="with"),
    'reach the "the" with left': Reach(hand="left", object="the"),
    'reach "#1" with left': Reach(hand="left", object="#1"),
    "reach 7 with left": Reach(hand="left", object="7"),
    "reach A with left": Reach(hand="left", object="A"),
    "reach left-cup with left": Reach(hand="left", object="left-cup"),
    "reach space 1 with right, grip side, speed 60, curve accelerate": Reach(
        hand="right", space="1", grip="side", speed=60, curve="accelerate"
    ),
    "reach the space shelf with the right": Reach(hand="right", space="shelf"),
    'reach space "low shelf" with right': Reach(hand="right", space="low shelf"),
    "reach cup with left, clearance 0.05, overlap full": Reach(
        hand="left", object="cup", clearance=0.05, overlap="full"
    ),
    "reach left space with right": Reach(hand="right", space="left"),
    "reach the right space with the left hand": Reach(hand="left", space="right"),
    "slide left by (0.05, 0, -0.1)": Slide(hand="left", by=(0.05, 0.0, -0.1)),
    "slide the left hand by (+.5,-0,1e-1)": Slide(hand="left", by=(0.5, 0.0, 0.1)),
    "slide left by (0, 0.08, 0.05) turn bottom  # palm up": Slide(hand="left", by=(0.0, 0.08, 0.05), turn="bottom"),
    "slide right by (0, 0.1, 0) turn (0, 45, 0), speed 5": Slide(
        hand="right", by=(0.0, 0.1, 0.0), turn=(0.0, 45.0, 0.0), speed=5
    ),
    "scratch head with left": Perform(hand="left", gesture="scratch head"),
    "turn on lamp with left": Perform(hand="left", gesture="turn on lamp"),
    "turn on the lamp with the left hand": Perform(hand="left", gesture="turn on lamp"),
    "scratch the head with left": Perform(hand="left", gesture="scratch head"),
    "touch the nose with left": Perform(hand="left", gesture="touch the nose"),
    "touch nose with left": Perform(hand="left", gesture="touch the nose"),
    "perform the wave with left": Perform(hand="left", gesture="wave"),
    "reach the left hand space with the right hand": Reach(hand="right", space="left"),
    "high 5 with left": Perform(hand="left", gesture="high 5"),
    "perform wave with right, speed 20": Perform(hand="right", gesture="wave", speed=20),
    "perform scratch head with right": Perform(hand="right", gesture="scratch head"),
    'perform "reach out" with right': Perform(hand="right", gesture="reach out"),
    "perform reach out with right": Perform(hand="right", gesture="reach out"),
    "pose left_forearm at (0, 0, 90), speed 10": PoseJoint(joint="left_forearm", angles=(0.0, 0.0, 90.0), speed=10),
    "pose the head at (10, 0, 0)": PoseJoint(joint="head", angles=(10.0, 0.0, 0.0)),
    "lock left": Lock(hand="left"),
    "unlock the right hand": Unlock(hand="right"),
    "freeze": Freeze(),
    "interrupt scratch head with left": Perform(hand="left", gesture="scratch head", interrupt=True),
    "interrupt reach cup with left, speed 9": Reach(hand="left", object="cup", speed=9, interrupt=True),
    "at 92": At(frame=92),
    "at 3.5s": At(frame=105),
    "at 0": At(frame=0),
    "wait 20": Wait(frames=20),
    "wait 0.5s": Wait(frames=15),
    "wait until done": Wait(frames=None),
    "record start": Record(on=True),
    "record stop": Record(on=False),
    "\t reach   yellow\twith left \t": Reach(hand="left", object="yellow"),
}


def bare(command: Command) -> Command:
    return type(command)(**{**vars(command), "source": Source()})


def words(line: str) -> str:
    """A line without its comment."""
    return line.partition("  #")[0].strip()


def told(text: str) -> list[Command]:
    return [bare(command) for command in script_commands(read_script(text), None, GESTURES)]


@pytest.mark.parametrize("line", LINES)
def test_statements(line: str) -> None:
    command = read_command(line, GESTURES)
    assert command.source == Source(0, 1, "", words(line))
    assert bare(command) == LINES[line]


@pytest.mark.parametrize("line", [line for line in LINES if not line.startswith(("environment", "fps"))])
def test_a_statement_in_a_script_knows_its_place(line: str) -> None:
    script = read_script(f"# a title\r\n\n  {line}\r\n", "play.puppet")
    assert script.mistakes == ()
    [command] = script_commands(script, None, GESTURES)
    column = 3 + len(line) - len(line.lstrip())
    assert command.source == Source(3, column, "play.puppet", words(line))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("begin", ["", "\ufeff"])
def test_line_ends_marks_and_missing_ends_of_files_do_not_matter(begin: str, end: str) -> None:
    text = f"{begin}# title{end}lock left{end}{end}\tunlock left # done"
    assert told(text) == [Lock(hand="left"), Unlock(hand="left")]


def test_an_empty_script_says_nothing() -> None:
    for text in ("", "\n", "# only a comment", "   \n\t\n"):
        assert told(text) == []


# ---- blocks and words of one's own


def test_a_repeat_repeats() -> None:
    once = [Lock(hand="left"), Unlock(hand="left")]
    assert told("repeat 3\nlock left\nunlock left\nend\nfreeze") == [*once, *once, *once, Freeze()]


def test_repeats_can_be_nested() -> None:
    assert len(told("repeat 3\nrepeat 4\nfreeze\nend\nlock left\nend")) == 15


def test_a_definition_gives_nothing_until_it_is_called() -> None:
    assert told("define rest()\nfreeze\nend") == []
    assert told("define rest()\nfreeze\nend\nrest()\nrest()") == [Freeze()] * 2


def test_a_definition_may_be_used_before_it_is_written() -> None:
    assert told("go(cup)\ndefine go(thing)\nreach thing with left\nend") == [Reach(hand="left", object="cup")]


def test_parameters_stand_for_every_kind_of_value() -> None:
    text = """
define all(thing, place, side, other, way, time, count, offset, x, gesture, bend)
    reach thing with side, grip way, speed time
    reach space place with the side hand
    reach side space with other
    slide side by offset turn way
    slide side by (x, 0, x) turn bend
    perform gesture with other, curve bend_free
    lock side
    wait time
    repeat count
        freeze
    end
end
all("big cup", 1, left, right, side, 0.5s, 2, (1, 2, 3), 0.5, wave, (0, 45, 0))
"""
    assert told(text.replace(", curve bend_free", "")) == [
        Reach(hand="left", object="big cup", grip="side", speed=15),
        Reach(hand="left", space="1"),
        Reach(hand="right", space="left"),
        Slide(hand="left", by=(1.0, 2.0, 3.0), turn="side"),
        Slide(hand="left", by=(0.5, 0.0, 0.5), turn=(0.0, 45.0, 0.0)),
        Perform(hand="right", gesture="wave"),
        Lock(hand="left"),
        Wait(frames=15),
        Freeze(),
        Freeze(),
    ]


def test_a_parameter_hides_a_name_and_a_quoted_name_is_never_a_parameter() -> None:
    text = 'define go(cup)\nreach cup with left\nreach "cup" with left\nend\ngo(jar)'
    assert told(text) == [Reach(hand="left", object="jar"), Reach(hand="left", object="cup")]


def test_a_parameter_is_known_in_its_own_definition_only() -> None:
    text = "define inner(a)\nreach thing with a\nend\ndefine outer(thing)\ninner(left)\nreach thing with left\nend\n"
    text += "outer(cup)"
    assert told(text) == [Reach(hand="left", object="thing"), Reach(hand="left", object="cup")]


def test_values_are_handed_on_through_calls() -> None:
    text = "define a(x, y)\nb(y, x)\nend\ndefine b(h, t)\nreach t with h\nend\na(cup, left)"
    assert told(text) == [Reach(hand="left", object="cup")]


def test_a_command_out_of_a_definition_knows_its_line_and_its_call() -> None:
    script = read_script("define a()\n  b()\nend\ndefine b()\n  freeze\nend\n\na()", "x.puppet")
    [command] = script_commands(script)
    assert command.source == Source(5, 3, "x.puppet", "freeze", 8)


def test_a_million_commands_are_given_one_by_one() -> None:
    script = read_script("repeat 1000\nrepeat 500\nlock left\nunlock left\nend\nend")
    assert sum(1 for _ in script_commands(script)) == 1_000_000
    first = list(itertools.islice(script_commands(script), 3))
    assert [bare(command) for command in first] == [Lock(hand="left"), Unlock(hand="left"), Lock(hand="left")]


def test_one_more_than_a_million_is_a_mistake() -> None:
    [mistake] = check_script(read_script("repeat 1000000\nfreeze\nend\nfreeze"), None, None, None)
    assert "more than a million commands" in mistake.message
    assert mistake.line == 4


def test_calls_that_double_do_not_keep_anyone_waiting() -> None:
    lines = ["define d0()", "freeze", "end"]
    for level in range(1, 45):
        lines += [f"define d{level}()", f"d{level - 1}()", f"d{level - 1}()", "end"]
    [mistake] = check_script(read_script("\n".join([*lines, "d44()"])), None, None, None)
    assert "more than a million commands" in mistake.message


def test_fps_holds_for_the_whole_script() -> None:
    script = read_script("wait 2s\nfps 10\nwait 2s")
    assert script.fps == 10.0
    assert [command.frames for command in script_commands(script) if isinstance(command, Wait)] == [20, 20]


def test_a_script_tells_its_environment() -> None:
    assert read_script('environment "a b.yaml"').environment == "a b.yaml"
    assert read_script("freeze").environment is None


# ---- the example of the language's description

EXAMPLE = """
environment "blocks.yaml"        # beside the script, else in environments/; optional where -e gives one
fps 30

# motion primitives: the defaults that each later task copies when it is given
set grip top                     # side | top | bottom
set speed 30                     # frames; 1.5s for seconds
set curve sine                   # sine | accelerate | decelerate | linear | smooth (minimum jerk)
set overlap none                 # none | partial | full
reach yellow with left
reach space 1 with right, grip side, speed 60, curve accelerate      # for this task alone
reach left space with right
slide left by (0.05, 0, -0.1)
slide left by (0, 0.08, 0.05) turn bottom          # palm up: a grip's orientation
slide right by (0, 0.1, 0) turn (0, 45, 0)         # degrees about x, y, z from the zero posture, R = Rz Ry Rx,
                                                   # written for the left hand and mirrored for the right
scratch head with left
check watch with left
drink with right
pour with right
turn on lamp with left
perform wave with right, speed 20
lock left
unlock left
freeze                           # drop everything, stop now
interrupt scratch head with left # drop everything, do this instead
set interrupt on                 # every later task interrupts, until: set interrupt off
set interrupt off
at 92                            # what follows is given at frame 92
at 3.5s
wait 20                          # given 20 frames later
wait until done                  # given when the queue is empty
record start                     # what is written to the output; without these, everything
record stop
define unscrew(thing, holder, turner)
    reach thing with holder
    lock holder
    reach thing with turner, grip top
    repeat 3
        slide turner by (0, 0, 0) turn (0, 90, 0)
        slide turner by (0, 0, 0) turn (0, 0, 0)
    end
end
unscrew(jar, left, right)
"""


def test_the_example_of_the_description_is_read_and_carried_out() -> None:
    scene = read_environment(
        parse(
            "table: {height: 0.6, front: 0.2}\nspaces: {1: [0.02, 0, 0.07], 2: [0.14, 0, 0.06], 3: [-0.1, 0, 0.1]}\n"
            "objects: {yellow: {width: 0.03, space: 2}, jar: {width: 0.03, space: 3}}",
            "scene",
        )
    )
    body = puppet.Body.load("seated")
    script = read_script(EXAMPLE)
    assert check_script(script, scene, GESTURES, body) == ()
    assert len(list(script_commands(script, scene, GESTURES, body))) == 39
    report = puppet.run(EXAMPLE, environment=scene).report
    assert [task["call"] for task in report["tasks"]][-1] > 0


# ---- written back

names = st.one_of(
    st.sampled_from(["cup", "space", "with", "the", "hand", "1", "left", "A", "end", "1.5s", "1e5", "on", "x-y", "_"]),
    st.text(st.characters(blacklist_characters='"\n\r', blacklist_categories=("Cs", "Cc")), min_size=1, max_size=12),
)
numbers = st.floats(-99.9, 99.9, allow_nan=False)
vectors = st.tuples(numbers, numbers, numbers)
speeds = st.none() | st.integers(1, MAX_SPEED)
primitives = {
    "speed": speeds,
    "curve": st.none() | st.sampled_from(tuple(CURVES)),
    "overlap": st.none() | st.sampled_from(OVERLAPS),
    "clearance": st.none() | st.floats(0.0, 0.5),
    "interrupt": st.booleans(),
}
hands = st.sampled_from(("left", "right"))
frames = st.integers(0, MAX_FRAME)
any_command = st.one_of(
    st.builds(Reach, hand=hands, object=names, grip=st.none() | st.sampled_from(GRIPS), **primitives),
    st.builds(Reach, hand=hands, space=names, grip=st.none() | st.sampled_from(GRIPS), **primitives),
    st.builds(Slide, hand=hands, by=vectors, turn=st.none() | st.sampled_from(GRIPS) | vectors, **primitives),
    st.builds(Perform, hand=hands, gesture=names | st.sampled_from(GESTURES), **primitives),
    st.builds(PoseJoint, joint=names, angles=vectors, speed=speeds, curve=primitives["curve"]),
    st.builds(Lock, hand=hands),
    st.builds(Unlock, hand=hands),
    st.builds(Freeze),
    st.builds(SetPrimitive, name=st.just("speed"), value=st.integers(1, MAX_SPEED)),
    st.builds(SetPrimitive, name=st.just("grip"), value=st.sampled_from(GRIPS)),
    st.builds(SetPrimitive, name=st.just("clearance"), value=st.floats(0.0, 0.5)),
    st.builds(SetInterrupt, on=st.booleans()),
    st.builds(SetFps, fps=st.floats(0.001, 1e5)),
    st.builds(UseEnvironment, path=names.filter(str.strip)),
    st.builds(At, frame=frames),
    st.builds(Wait, frames=st.none() | frames),
    st.builds(Record, on=st.booleans()),
)


@settings(max_examples=400, deadline=None)
@given(any_command)
def test_a_command_that_is_written_reads_back_as_the_same(command: Command) -> None:
    line = format_command(command)
    assert "\n" not in line
    assert bare(read_command(line)) == command


THINGS = {
    "pour pot into cup with right": ("pour", ("", "pot"), ("into", "cup")),
    "pour the pot into the cup with the right hand": ("pour", ("", "pot"), ("into", "cup")),
    'pour into "blue cup" with left, speed 20': ("pour", ("into", "blue cup")),
    "perform pour pot with left": ("pour", ("", "pot")),
    "drink from cup with left": ("drink", ("from", "cup")),
    "turn on lamp with right": ("turn on lamp",),
    "turn on the lamp lamp with right": ("turn on lamp", ("", "lamp")),
}


@pytest.mark.parametrize("line", THINGS)
def test_gestures_name_their_things(line: str) -> None:
    body = Body.load("seated")
    scene, gestures = load_environment(ROOT / "environments" / "coffee.yaml"), load_gestures(body)
    command = read_command(line, gestures, scene, body)
    name, *things = THINGS[line]
    assert isinstance(command, Perform)
    assert (command.gesture, command.things) == (name, tuple(things))
    assert bare(read_command(format_command(command), gestures, scene, body)) == bare(command)


def test_a_parameter_stands_for_a_thing_of_a_gesture() -> None:
    body = Body.load("seated")
    scene, gestures = load_environment(ROOT / "environments" / "coffee.yaml"), load_gestures(body)
    text = 'define fill(vessel, what, who)\npour vessel into what with who\nend\nfill(pot, "blue cup", left)\n'
    (command,) = script_commands(read_script(text), scene, gestures, body)
    assert bare(command) == Perform(hand="left", gesture="pour", things=(("", "pot"), ("into", "blue cup")))


def test_commands_are_written_as_a_person_would() -> None:
    assert format_command(Perform(hand="left", gesture="scratch head")) == "scratch head with left"
    assert format_command(Reach(hand="left", object="big cup", speed=9)) == 'reach "big cup" with left, speed 9'
    assert format_command(Slide(hand="left", by=(0.0, 0.05, 1.0), turn="top")) == "slide left by (0, 0.05, 1) turn top"


def test_what_has_no_meaning_for_a_task_is_not_written() -> None:
    assert format_command(Slide(hand="left", grip="side")) == "slide left by (0, 0, 0)"


@pytest.mark.parametrize("name", ['a"b', "a\nb", ""])
def test_a_name_that_cannot_be_written_is_an_error(name: str) -> None:
    with pytest.raises(puppet.PuppetError, match="cannot be written"):
        format_command(Reach(hand="left", object=name))


# ---- the doors


def test_run_tells_all_mistakes_at_once() -> None:
    with pytest.raises(ScriptError) as error:
        puppet.run('environment "blocks.yaml"\nreach yelow with left\nlock lefft\nend')
    assert [mistake.line for mistake in error.value.mistakes] == [2, 3, 4]
    for words in ("script:2:7: unknown object 'yelow'; did you mean 'yellow'?", "script:3:6:", "script:4:1:"):
        assert words in str(error.value)


def test_a_stage_hears_lines_and_refuses_bad_ones() -> None:
    stage = puppet.Stage("environments/blocks.yaml")
    assert stage.give("reach the yellow with the left hand").status == "waiting"
    for line in ("reech yellow with left", "lock left\nlock right", "repeat 2", "", "# nothing", "define a()", "go()"):
        with pytest.raises(puppet.PuppetError):
            stage.give(line)


def test_the_parser_is_loaded_when_a_script_is_read_and_not_before() -> None:
    loaded = "print('lark' in sys.modules, 'numba' in sys.modules)"
    code = f"import sys, puppet, puppet.language, puppet.keys, puppet.tools; {loaded}"
    code += f"; puppet.tools.check_file('scripts/coffee.puppet'); {loaded}"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True", "False"]


def test_a_script_without_end_is_refused_while_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["puppet.shows.carry_out"], "MAX_FRAME", 500)
    with pytest.raises(puppet.PuppetError, match="more than 500 frames"):
        puppet.run('environment "blocks.yaml"\nrepeat 100\nwave with left\nend')
