"""Nonsense of every kind: it ends in mistakes that are told, never in a traceback or in waiting."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from puppet.body import Body, read_body
from puppet.errors import PuppetError
from puppet.files.strict_yaml import parse
from puppet.keys import Keyboard, check_keys, key_commands, load_key_map, read_key_map, read_keys
from puppet.language import MAX_COMMANDS, ScriptError, check_script, read_command, read_script, script_commands
from puppet.scene import load_environment, read_env, read_environment
from puppet.tasks import load_gestures, read_gestures
from puppet.tools import check_file

ROOT = Path(__file__).parent.parent
BODY = Body.load("seated")
SCENE = load_environment(ROOT / "environments" / "coffee.yaml")
GESTURES = load_gestures(BODY)
KEYMAP = load_key_map(gestures=GESTURES)
SCRIPTS = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "scripts").glob("*.puppet"))]
YAML = [
    path.read_text(encoding="utf-8")
    for folder in ("environments", "puppet/bodies", "puppet/gestures", "puppet/keys")
    for path in sorted((ROOT / folder).glob("*.yaml"))
]
FIGURE = (ROOT / "environments" / "figure_7_1.env").read_text(encoding="utf-8")
WORDS = """
environment fps set reach slide perform pose lock unlock freeze interrupt at wait record define repeat end the hand
space with by turn until done start stop on off grip speed curve overlap clearance side top bottom sine full none
left right cup pot jar lid lamp guest head wave scratch drink pour a b c x go lift 0 1 2 3 -1 1.5 1.5s 30 1e9 1e999
1000000 0.05 ( ) , (0,0,0) (1,2) "" " # ; = . - -- [ {
"""
TOKENS = [*WORDS.split(), '"blue cup"', '"pot place"', "\u00e9", "\x00", "\t", "\u2028", "\n", "\n", "\n"]
kinds = st.integers(0, 4)
QUICK = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])

tokens = st.lists(st.sampled_from(TOKENS), max_size=60).map(" ".join)
line = st.lists(st.sampled_from(TOKENS[:-3]), min_size=1, max_size=9).map(" ".join)
lines = st.lists(line, max_size=15).map("\n".join)
junk = st.text(max_size=300) | st.binary(max_size=300).map(lambda data: data.decode("latin-1"))


@st.composite
def mutated(draw: st.DrawFn, texts: list[str]) -> str:
    """A good file, cut, with pieces taken out, doubled, or put in from elsewhere."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(0, 5))):
        begin = draw(st.integers(0, len(text)))
        end = min(len(text), begin + draw(st.integers(0, 40)))
        piece = draw(st.sampled_from(["", text[begin:end] * 2]) | st.sampled_from(TOKENS) | st.text(max_size=5))
        text = text[:begin] + piece + text[end:]
    return text[: draw(st.integers(0, len(text)))] if draw(st.booleans()) else text


def try_script(text: str) -> None:
    script = read_script(text, "fuzz.puppet")
    mistakes = check_script(script, SCENE, GESTURES, BODY)
    assert set(script.mistakes) <= set(mistakes)
    for mistake in mistakes:
        assert 1 <= mistake.line <= len(script.lines) + 1
        assert mistake.column >= 1
        assert mistake.message
        assert str(mistake).count("\n") <= 3
    if mistakes:
        with pytest.raises(ScriptError):
            script_commands(script, SCENE, GESTURES, BODY)
    else:
        count = sum(1 for _ in script_commands(script, SCENE, GESTURES, BODY))
        assert count <= MAX_COMMANDS


@QUICK
@given(junk)
def test_random_text(text: str) -> None:
    try_script(text)


@QUICK
@given(tokens | lines)
def test_random_words(text: str) -> None:
    try_script(text)


@QUICK
@given(mutated(SCRIPTS))
def test_mutated_scripts(text: str) -> None:
    try_script(text)


@QUICK
@given(junk | tokens)
def test_random_lines_for_a_stage(text: str) -> None:
    with suppress(PuppetError):
        read_command(text, GESTURES, SCENE, BODY)


@QUICK
@given(mutated([*YAML, FIGURE]) | junk)
def test_mutated_files_of_every_kind(text: str) -> None:
    try_files(text)


def try_files(text: str) -> None:
    readers = (
        lambda: read_env(text, "f"),
        lambda: read_environment(parse(text, "f")),
        lambda: read_body(parse(text, "f")),
        lambda: read_gestures(BODY, parse(text, "f")),
        lambda: read_key_map(parse(text, "f"), GESTURES),
    )
    for read in readers:
        with suppress(PuppetError):
            read()


@QUICK
@given(st.text("".join(KEYMAP.actions) + "\n\n0123456789 \u00e9", max_size=200) | junk)
def test_random_key_strokes(text: str) -> None:
    script = read_keys(text, "fuzz.keys")
    board = Keyboard.for_scene(KEYMAP, SCENE)
    for mistake in check_keys(script, board):
        assert str(mistake).startswith("fuzz.keys:")
    list(key_commands(script, Keyboard.for_scene(KEYMAP, SCENE)))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=400) | mutated([*SCRIPTS, *YAML]).map(lambda text: text.encode(errors="replace")), kinds)
def test_files_of_random_bytes(data: bytes, kind: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("fuzz" + (".puppet", ".keys", ".env", ".yaml", ".txt")[kind])
        path.write_bytes(data)
        for mistake in check_file(path, body=BODY):
            assert str(mistake)
