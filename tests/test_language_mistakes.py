"""Broken scripts, each with what must be said about it and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from puppet.body import Body
from puppet.files.text_file import MAX_MISTAKES
from puppet.language import Mistake, check_script, read_script
from puppet.language.reader import CALCULATIONS_A_MEGABYTE, LINES_A_MEGABYTE, MAX_LINE, MAX_LINES
from puppet.scene import load_environment
from puppet.tasks import load_gestures
from puppet.tools import check_text

ROOT = Path(__file__).parent.parent
BODY = Body.load("seated")
SCENE = load_environment(ROOT / "environments" / "blocks.yaml")
GESTURES = load_gestures(BODY)

# Text: every mistake in it, as (line, column, words that the message or the hint must have).
BROKEN: dict[str, list[tuple[int, int, str]]] = {
    # names
    "reach yelow with left": [(1, 7, "unknown object 'yelow'; did you mean 'yellow'?")],
    "reach pear with left": [(1, 7, "unknown object 'pear'; known: 'blue', 'green', 'red', 'yellow'")],
    "reach Yellow with left": [(1, 7, "did you mean 'yellow'?")],
    "reach shelf with left": [(1, 7, "there is a space of that name: reach space shelf")],
    "reach space yellow with left": [(1, 13, "there is an object of that name: reach yellow")],
    "reach space shel with left": [(1, 13, "unknown space 'shel'; did you mean 'shelf'?")],
    "reach space 9 with left": [(1, 13, "unknown space '9'; known: '1', '2'")],
    "reach left with right": [(1, 7, "the space of a hand is written: reach left space")],
    "reach yellow space with left": [(1, 7, "unknown hand 'yellow'; known: 'left', 'right'")],
    "reach yellow with lefft": [(1, 19, "unknown hand 'lefft'; did you mean 'left'?")],
    "lock middle": [(1, 6, "unknown hand 'middle'; known: 'left', 'right'")],
    "perform dance with left": [(1, 9, "unknown gesture 'dance'; known: 'check watch', 'drink'")],
    "perform scratch hed with left": [(1, 9, "unknown gesture 'scratch hed'; did you mean 'scratch head'?")],
    "scratch hed with left": [(1, 1, "unknown command 'scratch hed'; did you mean 'scratch head'?")],
    "pose left_elbo at (0, 0, 0)": [(1, 6, "unknown joint 'left_elbo'")],
    "pose left_forearms at (0, 0, 0)": [(1, 6, "did you mean 'left_forearm'?")],
    'reach "yellow " with left': [(1, 7, "unknown object 'yellow '; did you mean 'yellow'?")],
    # commands
    "reech yellow with left": [(1, 1, "unknown command 'reech'; did you mean 'reach'?")],
    "reech space 1 with left, grip top": [(1, 1, "unknown command 'reech'; did you mean 'reach'?")],
    "Reach yellow with left": [(1, 1, "'Reach' is written in lower case: 'reach'")],
    "LOCK left": [(1, 1, "'LOCK' is written in lower case: 'lock'")],
    "reach yellow With left": [(1, 14, "'With' is written in lower case: 'with'")],
    "juggle with left": [(1, 1, "unknown command 'juggle'; known: 'check watch'")],
    "hop": [(1, 1, "unknown command 'hop'; did you mean 'jump'?")],
    "jump": [(1, 5, "expected 'to', found the end of the line")],
    "walk to (1, 2, 3)": [(1, 9, "expected a place x, z on the floor, found 3 numbers")],
    "sit up": [(1, 5, "expected 'down', found 'up'")],
    "hello": [(1, 6, "expected 'with' or '(', found the end of the line")],
    # words that say the same elsewhere
    "grab yellow with left": [(1, 1, "unknown command 'grab'; did you mean 'take'?")],
    "place yellow on red": [(1, 1, "did you mean 'put'?")],
    "drop yellow": [(1, 1, "did you mean 'release'?")],
    "relase left": [(1, 1, "did you mean 'release'?")],
    "watch red": [(1, 1, "did you mean 'look'?")],
    "stop": [(1, 1, "did you mean 'freeze'?")],
    "(1, 2, 3)": [(1, 1, "expected a command, found '('")],
    "unlok left": [(1, 1, "unknown command 'unlok'; did you mean 'unlock'?")],
    # form
    "reach": [(1, 6, "expected an object or a space, found the end of the line")],
    "reach yellow": [(1, 13, "expected 'with', found the end of the line")],
    "reach yellow wiht left": [(1, 14, "expected 'with', found 'wiht'; did you mean 'with'?")],
    "reach yellow with": [(1, 18, "expected a hand, found the end of the line")],
    "reach big cup with left": [(1, 11, 'a name of several words is written in quotes: "big cup"')],
    "reach space low shelf with left": [(1, 17, 'is written in quotes: "low shelf"')],
    "reach yellow with left and right": [(1, 24, "expected ',' or the end of the line, found 'and'\n")],
    "environment blocks.yaml": [(1, 19, "the name of a file is written in quotes")],
    "reach space with left": [(1, 13, "expected the name of a space, found 'with'")],
    "reach yellow with left,": [(1, 24, "expected a motion primitive, found the end of the line")],
    "reach yellow with left, grip": [(1, 29, "expected a value, found the end of the line")],
    "reach yellow with left grip side": [(1, 24, "expected ',' or the end of the line, found 'grip'")],
    "reach yellow with left; lock left": [(1, 23, "every command has a line of its own")],
    'reach "yellow with left': [(1, 7, "this name has no closing '\"'")],
    "reach 'yellow' with left": [(1, 7, 'names are quoted with "')],
    "reach \u201cyellow\u201d with left": [(1, 7, 'names are quoted with "')],
    "reach caf\u00e9 with left": [(1, 10, "'\u00e9' does not belong here")],
    "lock left right": [(1, 11, "expected the end of the line, found 'right'")],
    "freeze now": [(1, 8, "expected the end of the line, found 'now'")],
    "slide left (1, 2, 3)": [(1, 12, "expected 'by', found '('")],
    "slide left by": [(1, 14, "expected three numbers (x, y, z), found the end of the line")],
    "slide left by (1, 2": [(1, 20, "expected ')' or ',', found the end of the line")],
    "slide left by [1, 2, 3]": [(1, 15, "only round brackets are used: (x, y, z)")],
    "slide left by (1, 2, 3) turn": [(1, 29, "expected a grip or three angles (x, y, z)")],
    "interrupt lock left": [(1, 11, "only a task can interrupt, not 'lock'")],
    "interrupt": [(1, 10, "expected a task, found the end of the line")],
    "wait until dne": [(1, 12, "expected 'done', found 'dne'; did you mean 'done'?")],
    "wait": [(1, 5, "expected a number of frames, a time, or 'until done'")],
    "record begin": [(1, 8, "expected 'stop' or 'start', found 'begin'")],
    "record strat": [(1, 8, "did you mean 'start'?")],
    "at": [(1, 3, "expected a frame or a time, found the end of the line")],
    "set speed = 30": [(1, 11, "a value stands behind its name without a sign")],
    "reach yellow with left, speed --3": [(1, 31, "'--3' is neither a number nor a name")],
    "lock left\x00": [(1, 10, "the character U+0000 does not belong here")],
    "environment": [(1, 12, "expected the name of a file, found the end of the line")],
    # primitives
    "set gripp top": [(1, 5, "unknown motion primitive 'gripp'; did you mean 'grip'?")],
    "set grip tpo": [(1, 10, "unknown grip 'tpo'; did you mean 'top'?")],
    "set curve sinus": [(1, 11, "unknown curve 'sinus'; did you mean 'sine'?")],
    "set overlap half": [(1, 13, "unknown overlap 'half'; known: 'full', 'none', 'partial'")],
    "set interrupt yes": [(1, 15, "unknown value of interrupt 'yes'; known: 'off', 'on'")],
    "set grip (1, 2, 3)": [(1, 10, "expected a grip, found values in brackets")],
    "slide left by (0, 0, 0), grip top": [(1, 26, "'grip' has no meaning for a slide; it takes speed, curve")],
    "pour yellow into pear with left": [(1, 18, "unknown object 'pear'")],
    "pour yellow blue with left": [(1, 13, "expected 'into THING' behind 'pour', found 'blue'")],
    "drink yellow with left": [(1, 7, "expected 'from THING' behind 'drink', found 'yellow'")],
    "drink from with left": [(1, 7, "expected 'from THING' behind 'drink', found 'from'")],
    "wave yellow with left": [(1, 1, "unknown command 'wave yellow'; ")],
    "scratch head with left, grip top": [(1, 25, "'grip' has no meaning for a gesture")],
    "pose head at (0, 0, 0), overlap full": [(1, 25, "'overlap' has no meaning for a pose; it takes speed and curve")],
    "reach yellow with left, sped 30": [(1, 25, "unknown motion primitive 'sped'; did you mean 'speed'?")],
    "reach yellow with left, speed 3, speed 4": [(1, 34, "'speed' stands here twice")],
    "reach yellow with left, with right": [(1, 25, "expected a motion primitive, found 'with'")],
    # values
    "set speed 0": [(1, 11, "expected 1 to 100000 frames, found '0'")],
    "set speed 1.5": [(1, 11, "in seconds it would be: 1.5s")],
    "set speed fast": [(1, 11, "expected a number of frames or a time, found 'fast'")],
    "set speed 1e9": [(1, 11, "expected 1 to 100000 frames, found '1e9'")],
    "set speed -1s": [(1, 11, "expected 1 to 100000 frames, found '-1s'")],
    "set clearance 2": [(1, 15, "expected a clearance from 0 to 0.5, found 2")],
    "at -5": [(1, 4, "expected 0 to 1000000 frames, found '-5'")],
    "at 1e300": [(1, 4, "expected 0 to 1000000 frames")],
    "wait 1e999": [(1, 6, "expected 0 to 1000000 frames")],
    "fps 0": [(1, 5, "expected frames a second from 0.001 to 100000, found 0")],
    "fps fast": [(1, 5, "expected frames a second, found 'fast', which is no number")],
    "fps 25s": [(1, 5, "a time is not wanted here")],
    "slide left by (1, 2)": [(1, 15, "expected three distances, found 2")],
    "slide left by (1, b, 2)": [(1, 19, "expected a number, found 'b', which is no number")],
    "slide left by (1, 2s, 2)": [(1, 19, "expected a number, found '2s'")],
    "slide left by (0, 500, 0)": [(1, 19, "expected a number from -100 to 100, found 500")],
    "slide left by up": [(1, 15, "expected three distances in brackets, found 'up'")],
    "slide left by (0, 0, 0) turn around": [(1, 30, "unknown grip 'around'")],
    "slide left by (0, 0, 0) turn (0, 9999, 0)": [(1, 34, "expected a number from -3600 to 3600")],
    "pose head at up": [(1, 14, "expected three angles in brackets, found 'up'")],
    # blocks
    "repeat 3\nlock left": [(1, 1, "this 'repeat' is never closed")],
    "define a()\nlock left": [(1, 1, "this 'define' is never closed")],
    "end": [(1, 1, "this 'end' closes nothing")],
    "repeat 2\nlock left\nend\nend": [(4, 1, "this 'end' closes nothing")],
    "repeat 2\nend": [(1, 1, "there is nothing between this 'repeat' and its 'end'")],
    "repeat\nlock left\nend": [(1, 7, "expected a number, found the end of the line")],
    "repeat 0\nlock left\nend": [(1, 8, "expected a number of times from 1")],
    "repeat 2.5\nlock left\nend": [(1, 8, "as a whole number, found 2.5")],
    "repeat often\nlock left\nend": [(1, 8, "expected a number of times, found 'often'")],
    "repeat 1001\nrepeat 1000\nlock left\nend\nend": [(1, 1, "this gives more than a million commands (1,001,000)")],
    "define a\nlock left\nend": [(1, 9, "a definition has brackets, even empty ones")],
    "define a(x, x)\nreach x with left\nend": [(1, 13, "the parameter 'x' stands here twice")],
    "define reach(x)\nlock x\nend": [(1, 8, "'reach' is a word of the language")],
    "define 2x(x)\nlock x\nend": [(1, 8, "it begins with a digit")],
    "define a()\nlock left\nend\ndefine a()\nlock right\nend": [(4, 8, "'a' is defined a second time")],
    "define a()\ndefine b()\nlock left\nend\nlock left\nend": [(2, 1, "a definition cannot stand inside")],
    "define a()\nfps 30\nlock left\nend": [(2, 1, "'fps' holds for the whole script")],
    "fps 30\nfps 25": [(2, 1, "'fps' stands here a second time")],
    "b()": [(1, 1, "'b' is not defined; none is known here")],
    "define lift(x)\nlock x\nend\nlif(left)": [(4, 1, "'lif' is not defined; did you mean 'lift'?")],
    "define lift(x)\nlock x\nend\nlift": [(4, 5, "expected 'with' or '('")],
    "define lift(x)\nlock x\nend\nlift()": [(4, 1, "'lift' takes one value, found 0")],
    "define lift(x)\nlock x\nend\nlift(left, 3)": [(4, 1, "it is defined in line 1: lift(x)")],
    "define lift(x)\nlock x\nend\nlift(cup)": [(4, 6, "unknown hand 'cup'; known: 'left', 'right'")],
    "define go(t, n)\nreach t with left, speed n\nend\ngo(yelow, 0)": [
        (4, 4, "unknown object 'yelow'; did you mean 'yellow'?"),
        (4, 11, "it is 'n' of 'go' and used in line 2"),
    ],
    "define go(v)\nslide left by v\nend\ngo((1, 2))": [(4, 4, "expected three distances, found 2")],
    "define go(v)\nlock v\nend\ngo((1, 2, 3))": [(4, 4, "expected a name, found values in brackets")],
    "define never()\nlock lefft\nend": [(2, 6, "did you mean 'left'?")],
    "define a()\na()\nend\na()": [(2, 1, "'a' calls itself: a script would never end")],
    "define a()\nb()\nend\ndefine b()\na()\nend": [(5, 1, "'a' calls itself through 'b'")],
    # several at once
    "reech yellow with left\nset grip tpo\nlock left right\nend\nreach blu with left": [
        (1, 1, "did you mean 'reach'"), (2, 10, "did you mean 'top'"), (3, 11, "found 'right'"),
        (4, 1, "closes nothing"), (5, 7, "did you mean 'blue'"),
    ],
    "reach yelow with lefft, grip sid, speed 0": [
        (1, 7, "yellow"), (1, 18, "left"), (1, 30, "side"), (1, 41, "frames"),
    ],
}  # fmt: skip


def mistakes_in(text: str) -> tuple[Mistake, ...]:
    return check_script(read_script(text, "play.puppet"), SCENE, GESTURES, BODY)


def test_the_table_is_long_enough() -> None:
    assert len(BROKEN) >= 60


@pytest.mark.parametrize("text", BROKEN)
def test_every_mistake_is_told_with_its_place_and_in_words(text: str) -> None:
    found = mistakes_in(text)
    assert [(mistake.line, mistake.column) for mistake in found] == [(line, column) for line, column, _ in BROKEN[text]]
    for mistake, (line, column, words) in zip(found, BROKEN[text], strict=True):
        shown = str(mistake)
        assert words in shown
        assert shown.startswith(f"play.puppet:{line}:{column}: {mistake.message}")
        assert mistake.text == text.split("\n")[line - 1]
        assert shown.splitlines()[2].strip() == "^" * mistake.length


def test_options_are_refused_where_none_belong_whatever_was_read_before() -> None:
    for line in ("lock left, grip top", "freeze, speed 5", "interrupt a: lock left, speed 5"):
        found = mistakes_in(f"lock left\nfreeze\nreach red with left, grip top, speed 5\n{line}")
        assert [mistake.line for mistake in found] == [4]


def test_the_mark_stands_under_the_word_behind_tabs() -> None:
    [mistake] = mistakes_in("\t reach\tyelow with left")
    assert str(mistake).splitlines()[1:3] == ["    \t reach\tyelow with left", "    \t      \t^^^^^"]


def test_the_mark_counts_wide_letters_twice() -> None:
    found = mistakes_in('reach "\u676f" with lefft')
    assert str(found[-1]).splitlines()[2] == "    " + " " * 16 + "^^^^^"


def test_a_long_line_is_shown_in_part() -> None:
    text = "lock left" + " " * 900 + "right"
    [mistake] = mistakes_in(text)
    shown = str(mistake).splitlines()
    assert len(shown[1]) < 200
    assert shown[1][shown[2].index("^") :].startswith("right")


# ---- limits end in a mistake, not in waiting


def test_a_script_that_is_too_long_is_a_mistake() -> None:
    [mistake] = mistakes_in("\n" * LINES_A_MEGABYTE)
    assert f"more than {LINES_A_MEGABYTE} lines, the most that 1 MB may have" in mistake.message
    [mistake] = mistakes_in(("#" * 30 + "\n") * MAX_LINES)
    assert f"more than {MAX_LINES} lines" in mistake.message
    mistake = mistakes_in("wait 1 + 2 - 3 + 4 - 5 + 6\n" * (CALCULATIONS_A_MEGABYTE // 4))[-1]
    assert f"more than {CALCULATIONS_A_MEGABYTE} calculations and brackets, the most that 1 MB may" in mistake.message
    [mistake] = mistakes_in("#" * 10_000_001)
    assert "larger than 10 MB" in mistake.message
    [mistake] = mistakes_in("lock left" + " " * MAX_LINE)
    assert f"more than {MAX_LINE} characters" in mistake.message


def test_blocks_nested_too_deep_are_a_mistake() -> None:
    text = "\n".join(["repeat 1"] * 60 + ["freeze"] + ["end"] * 60)
    assert "nested more than 50 deep" in mistakes_in(text)[0].message


def test_calls_nested_too_deep_are_a_mistake() -> None:
    lines = ["define d0()", "freeze", "end"]
    for level in range(1, 80):
        lines += [f"define d{level}()", f"d{level - 1}()", "end"]
    [mistake] = mistakes_in("\n".join([*lines, "d79()"]))
    assert "nested more than 50 deep" in mistake.message


def test_there_is_an_end_to_the_mistakes_that_are_told() -> None:
    assert MAX_MISTAKES <= len(mistakes_in("lock lefft\n" * 3000)) <= MAX_MISTAKES + 1
    assert MAX_MISTAKES <= len(mistakes_in("lock\n" * 3000)) <= MAX_MISTAKES + 1


# ---- lines as people write them


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("pick up the cup with the left hand", "write: take cup with left"),
        ("take the blue cup with right", 'write: take "blue cup" with right'),
        ("put the cup down", "say where: put cup on space NAME"),
        ("put cup into left hand", "write: give cup to left"),
        ("move left hand to cup", "write: reach cup with left"),
        ("bring cup to mouth with left", "write: drink from cup with left"),
        ("lift left by 0.2", "write: slide left by (0, 0.2, 0)"),
        ("look to lamp", "write: look at lamp"),
        ("nod twice", "write: repeat 2 / nod / end"),
        ("nod after pouring", "write: nod, when pouring ends"),
        ("wave left", "write: wave with left"),
        ("turn lamp on with right", "write: turn on lamp with right"),
        ("wait 2 seconds", "write: wait 2s"),
        ("reach cup with left slowly", "write: reach cup with left, speed 60"),
        ("reach cup with left speed 20", "write: reach cup with left, speed 20"),
        ("take cup with left then nod", "every command has a line of its own: take cup with left / nod"),
        ("x = 3", "write: let x = 3"),
        ("turn around", "write: turn by 180"),
        ("smile", "there is no word for that"),
        ("raise left hand", "write: slide left by (0, 0.1, 0)"),
        ("sip from cup with left", "write: drink from cup with left"),
        ("with left take cup", "write: take cup with left"),
        ("lie down", "there is no word for that"),
        ("nod when pouring starts + 10", "write: nod, when pouring starts + 10"),
        ("nod, when pouring ends 10", "write: nod, when pouring ends + 10"),
        ("nod, when pouring ends - 0,5s", "a point parts a number: nod, when pouring ends - 0.5s"),
        ("body person.yaml", "the name of a file is written in quotes"),
    ],
)
def test_a_line_as_people_write_it_gets_the_line_that_says_it_here(line: str, words: str) -> None:
    [mistake] = mistakes_in(line)
    assert words in f"{mistake.message} {mistake.hint}"


def test_what_is_suggested_can_be_read() -> None:
    for line in (
        "grab pot with right",
        "hand cup to right",
        "look up",
        "point left",
        "wave",
        "drink",
        "turn 90",
        "go to (1, 1)",
    ):
        [mistake] = mistakes_in(line)
        assert mistake.hint.startswith(("write: ", "as in: "))
        again = mistakes_in(mistake.hint.removeprefix("write: ").removeprefix("as in: ").split(", or: ")[0])
        assert not any("expected" in each.message or "unknown command" in each.message for each in again), line


# Lines that people wrote before they had read the grammar, one after the other.
AS_PEOPLE_WRITE = """
pick the cup up | put the cup down on space 2 | hand the cup to the right hand | pass cup from left to right
give the cup from left hand to right hand | move left hand to (0.1, 0.7, 0.3) | move left hand up by 0.1
move left hand 10 cm to the left | raise left hand | lower the right arm | rotate left hand by 90 | wave at the lamp
wave hello with right hand | greet the lamp | point right hand at lamp | look at the lamp for 2 seconds | look left
look up | look away | turn the head to the lamp | nod twice | nod 3 times | shake head slowly | wait 2 seconds
wait for 20 frames | wait until pouring ends | pause 1s | after pouring nod | nod after pouring | nod when pouring ends
when pouring ends, nod | while pouring look at lamp | nod while pouring | take cup | take the nearest cup
take cup in left hand | take cup left | left hand takes the cup | take cup and saucer with both hands | drink
drink coffee | drink from the cup | pour coffee into the cup | pour coffee from pot into cup with right | fill the cup
turn lamp on with right | touch the cup with right | hold the cup for 30 frames with left | x = 3 | let x 3 | speed 20
speed = 20 | take cup with left slowly | take cup with left, slow | take cup with left at 2s | at 2s take cup with left
take cup with left in 30 frames | take cup with left over 2s | at frame 92 | at 00:03 | @ 30 | do nothing
reach for the cup with left | reach cup with left hand from above | grab cup with both hands | seize cup
set speed random 20 40 | repeat take cup with left | reach cup with left and right | reach cup with left or right
both hands wave | left and right reach cup | nearest cup | take the closest cup with left | take another cup with left
take my cup with left | put cup on the left hand | open left hand | close left hand | the character takes the cup
she looks at the lamp | he reaches for the cup | reach cup left hand | reach cup using left | take cup w/ left
bring the cup to the lips | tip the pot into the cup | look at the cup while pouring | look at cup during pouring
keep looking at the lamp | stop looking | wave until pouring ends with left | wave with left until pouring ends
wave 3 times with left | wave slowly with left | slowly wave with left | reach cup with left 2 seconds
reach cup with left, speed 2 seconds | reach cup with left speed=20 | reach cup with left, speed: 20
reach cup with left, smoothly | wait a moment | wait a second | nod 10 frames after pouring
nod 10 frames after pouring ends | nod 0.5s before pouring ends | nod, when pouring ends + 0.5 s
nod, 10 frames after pouring starts | nod, on pouring end | nod, when pouring is done | nod, when pouring begins
nod, once pouring ends | label stirring: nod | stirring = reach pot with left | seed = 7 | random seed 7
let up := 0.08 | const up = 0.08 | framerate 30 | fps = 30 | take cup and put it on saucer
take cup with left then put it on saucer | look at cup then look at lamp
"""


def suggested(line: str) -> list[str]:
    """The lines that are to be written instead."""
    found = check_text(f"{ROOM}{line}\n", TABLE)
    assert found, line
    before = ("write: ", "every command has a line of its own: ", "say which thing and which hand: ")
    hint = next((mistake.hint for mistake in found if mistake.hint.startswith(before)), "")
    assert hint, (line, str(found[0]))
    return hint.partition(": ")[2].split(" / ")


ROOM = "pouring: reach pot with left\n"
TABLE = ROOT / "tests" / "data" / "tea_table.yaml"


@pytest.mark.parametrize("lines", AS_PEOPLE_WRITE.strip().splitlines())
def test_what_is_suggested_is_right(lines: str) -> None:
    """Nothing is wrong with it but what only shows when it is carried out."""
    for line in lines.split(" | "):
        again = check_text(f"{ROOM}{chr(10).join(suggested(line))}\n", TABLE)
        assert not [mistake for mistake in again if "hand" not in mistake.message], (line, again)


@pytest.mark.parametrize("value", ["1 + " * 480 + "1", "(" * 900 + "1" + ")" * 900, "-(" * 600 + "1" + ")" * 600])
def test_a_calculation_without_end_is_a_mistake(value: str) -> None:
    (mistake,) = check_text(f'environment "blocks.yaml"\nwait {value}\n')
    assert mistake.line == 2
    assert mistake.message == "the line has more than 100 calculations and brackets"
