"""Numbers that are named, computed and drawn; rounds that are counted; definitions from other files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import puppet
from puppet.body import Body
from puppet.command import Command, Reach, SetPrimitive, Slide, Wait
from puppet.errors import PuppetError
from puppet.language import ScriptError, check_script, read_command, read_script, script_commands
from puppet.scene import load_environment
from puppet.tasks import load_gestures
from puppet.tools import check_file

ROOT = Path(__file__).parent.parent
BODY = Body.load("seated")
SCENE = load_environment(ROOT / "environments" / "blocks.yaml")
GESTURES = load_gestures(BODY)


def commands(text: str) -> list[Command]:
    return list(script_commands(read_script(text), SCENE, GESTURES, BODY))


def frames(text: str) -> list[int | None]:
    return [command.frames for command in commands(text) if isinstance(command, Wait)]


def mistakes(text: str) -> list[tuple[int, int, str]]:
    found = check_script(read_script(text), SCENE, GESTURES, BODY)
    return [(mistake.line, mistake.column, f"{mistake.message} {mistake.hint}") for mistake in found]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 * 3", 6), ("2 + 3 * 4", 14), ("(2 + 3) * 4", 20), ("20 - 5 - 5", 10), ("20 -5", 15), ("100 / 5 / 2", 10),
        ("- (2 - 12)", 10), ("2 * 0.5s", 30), ("1s / 2", 15), ("1s + 0.5s", 45), ("2s / 0.5s", 4), ("7 / 2", 4),
        ("((3))", 3), ("10*2", 20), ("random(5, 5)", 5), ("+3", 3), ("4 * +3", 12),
    ],
)  # fmt: skip
def test_arithmetic(text: str, value: int) -> None:
    assert frames(f"wait {text}") == [value]


sums = st.recursive(
    st.integers(1, 99).map(str), lambda parts: st.builds("({} {} {})".format, parts, st.sampled_from("+-*"), parts)
)


@given(sums)
def test_arithmetic_is_that_of_python(text: str) -> None:
    expected = eval(text)
    if 0 <= expected <= 1_000_000:
        assert frames(f"let x = {text}\nwait x") == [expected]


def test_names_hold_to_the_end_of_their_block_and_in_later_calls() -> None:
    text = "let n = 3\nrepeat 2\nlet n = n + 1\nwait n\nend\nwait n\ndefine pause()\nwait n\nend\nlet n = 7\npause()"
    assert frames(text) == [4, 4, 3, 7]


def test_a_name_stands_for_whatever_a_parameter_can() -> None:
    text = "let thing = yellow\nlet way = (0, 0.1, 0)\nreach thing with left\nslide left by way"
    reach, slide = commands(text)
    assert isinstance(reach, Reach)
    assert isinstance(slide, Slide)
    assert (reach.object, slide.by) == ("yellow", (0.0, 0.1, 0.0))


def test_rounds_are_counted() -> None:
    found = commands("repeat 3 as n\nreach space n with left, speed 10 * n\nend")
    assert [(c.space, c.speed) for c in found if isinstance(c, Reach)] == [("1", 10), ("2", 20), ("3", 30)]
    assert frames("repeat 2 as a\nrepeat 2 as b\nwait 10 * a + b\nend\nend") == [11, 12, 21, 22]


def test_the_same_seed_draws_the_same() -> None:
    text = "seed {}\nrepeat 20\nset speed random(20, 40)\nend"
    drawn = [[c.value for c in commands(text.format(seed)) if isinstance(c, SetPrimitive)] for seed in (7, 7, 8)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(isinstance(value, int) and 20 <= value <= 40 for value in drawn[0])
    assert len(set(drawn[0])) > 5
    assert drawn[0][:4] == [26, 23, 33, 21]  # on every platform
    assert frames("wait random(0, 1000)") == frames("seed 0\nwait random(0, 1000)")


def test_a_random_script_gives_the_same_bytes_twice() -> None:
    text = 'environment "blocks.yaml"\nseed 3\nslide left by (0, random(0.02, 0.06), 0), speed 10'
    first, second = (puppet.run(text, draft=True).angles for _ in range(2))
    assert first.tobytes() == second.tobytes()


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("wait 3 / 0", 1, 10, "this divides by zero"),
        ("let a = 2\nwait 3 / (a - 2)", 2, 10, "this divides by zero"),
        ("repeat 4 as n\nwait 8 / (4 - n)\nend", 2, 10, "this divides by zero"),
        ("wait 1 / random(-1, 1)", 1, 10, "this may divide by zero"),
        ("let v = (1, 2, 3)\nwait v", 2, 6, "expected a number of frames, found values in brackets"),
        ("let v = (1, 2, 3)\nwait 2 * v", 2, 10, "expected a number, but 'v' is values in brackets"),
        ("slide left by (0, (1, 2, 3), 0)", 1, 19, "expected a number, found values in brackets"),
        ("wait 2 * (1, 2)", 1, 10, "expected a number, found values in brackets"),
        ("wait 1s + 2", 1, 6, "a time and a number cannot be added"),
        ("wait 2 * yellow", 1, 10, "nothing is called 'yellow' here"),
        ("let up = 1\nwait 2 * upp", 2, 10, "did you mean 'up'?"),
        ("wait 20-10", 1, 6, "a minus sign has blanks around it: 20 - 10"),
        ("wait random(9, 3)", 1, 6, "expected the smaller number first"),
        ("set speed random(0, 5)", 1, 11, "expected 1 to 100000 frames, found '0 to 5'"),
        ("let s = random(0, 5)\nset speed s", 2, 11, "expected 1 to 100000 frames"),
        ("wait 10 * 1e300 * 1e300", 1, 6, "the result is too large"),
        ("seed 1.5", 1, 6, "expected a seed as a whole number"),
        ("seed -1", 1, 6, "expected a seed from 0"),
        ("let wait = 3", 1, 5, "'wait' is a word of the language"),
        ("let 3 = 3", 1, 5, "begins with a digit"),
        ("let x 3", 1, 7, "expected '=', found '3'"),
        ("repeat 9 as n\nreach space n with left\nend", 2, 13, "unknown space '7'"),
        ("repeat 2 as n\nend", 1, 1, "there is nothing between"),
        ("define d(x)\nwait 2 * x\nend\nd(yellow)", 2, 10, "'x' is 'yellow'"),
        ("wait 3 +", 1, 9, "expected a value"),
        ('import "words.puppet"', 1, 8, "no file here that could be imported"),
        ("set speed = 3", 1, 11, "without a sign"),
    ],
)
def test_mistakes_are_told_at_their_place(text: str, line: int, column: int, words: str) -> None:
    [(found_line, found_column, found_words)] = mistakes(text)
    assert (found_line, found_column) == (line, column)
    assert words in found_words


def test_a_round_that_was_not_looked_at_is_refused_at_its_place() -> None:
    text = "repeat 9000 as n\nwait 1000 / (n - 4000) * (n - 4000)\nend"
    with pytest.raises(ScriptError, match="script:2:13: this divides by zero"):
        commands(text)


@pytest.mark.parametrize("line", ["let x = 3", "seed 7", 'import "words.puppet"', "repeat 3 as n"])
def test_what_belongs_in_a_script_is_no_command_for_a_stage(line: str) -> None:
    with pytest.raises(PuppetError):
        read_command(line, GESTURES, SCENE, BODY)


# ---- other files


def written(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.puppet").write_text(text, encoding="utf-8")
    return folder / "main.puppet"


def test_definitions_are_imported_and_nothing_else(tmp_path: Path) -> None:
    words = 'import "more.puppet"\nenvironment "toys.yaml"\nfreeze\ndefine up(side)\nhop(side, 0.1)\nend\nfreeze\n'
    more = "define hop(side, height)\nslide side by (0, height, 0), speed 5\nend\n"
    text = 'environment "blocks.yaml"\nimport "words.puppet"\nup(left)\n'
    main = written(tmp_path, main=text, words=words, more=more)
    assert check_file(main) == ()
    tasks = puppet.run(main, draft=True).report["tasks"]
    assert [(task["kind"], Path(task["file"]).name, task["line"], task["call"]) for task in tasks] == [
        ("slide", "more.puppet", 2, 3)
    ]


def test_a_mistake_in_an_imported_file_is_told_there(tmp_path: Path) -> None:
    words = "define up(side)\n  slide side by (0, 1\n  reach nothing with side\nend\n"
    main = written(tmp_path, main='environment "blocks.yaml"\nimport "words.puppet"\nup(left)\n', words=words)
    found = [(Path(mistake.file).name, mistake.line, mistake.column) for mistake in check_file(main)]
    assert found == [("words.puppet", 2, 22), ("words.puppet", 3, 9)]
    assert [mistake.text for mistake in check_file(main)] == words.splitlines()[1:3]


def test_an_argument_is_told_where_it_is_given(tmp_path: Path) -> None:
    main = written(
        tmp_path, main='environment "blocks.yaml"\nimport "words.puppet"\ntake(nothing)\n',
        words="define take(thing)\nreach thing with left\nend\n",
    )  # fmt: skip
    [mistake] = check_file(main)
    assert (Path(mistake.file).name, mistake.line, mistake.column) == ("main.puppet", 3, 6)


def test_imports_in_a_circle_are_told_at_their_place(tmp_path: Path) -> None:
    main = written(
        tmp_path, main='environment "blocks.yaml"\nimport "a.puppet"\na()\n',
        a='import "b.puppet"\ndefine a()\nfreeze\nend\n', b='define b()\nfreeze\nend\nimport "a.puppet"\n',
    )  # fmt: skip
    [mistake] = check_file(main)
    assert (Path(mistake.file).name, mistake.line, mistake.column) == ("b.puppet", 4, 8)
    assert "in a circle: this imports 'b.puppet', which imports 'a.puppet'" in mistake.message


def test_a_file_may_be_imported_on_two_ways_but_a_word_has_one_meaning(tmp_path: Path) -> None:
    word, head = "define w()\nfreeze\nend\n", 'environment "blocks.yaml"\n'
    files = {"a": f'import "w.puppet"\n{word.replace("w()", "a()")}', "w": word, "other": word}
    main = written(tmp_path, main=f'{head}import "a.puppet"\nimport "w.puppet"\nw()\na()', **files)
    assert check_file(main) == ()
    main = written(tmp_path, main=f'{head}import "w.puppet"\nimport "other.puppet"\nw()', **files)
    [mistake] = check_file(main)
    assert (mistake.line, "defines 'w' a second time" in mistake.message) == (3, True)
    main = written(tmp_path, main=f'{head}import "nowhere.puppet"\n', **files)
    [mistake] = check_file(main)
    assert (mistake.line, mistake.column, "no file 'nowhere.puppet'" in mistake.message) == (2, 8, True)
