"""Reading YAML strictly: what is right is read, what is wrong is told with its place."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puppet.errors import FileError, PuppetError, did_you_mean
from puppet.files import strict_yaml
from puppet.files.strict_yaml import Node, parse
from puppet.files.text_file import MAX_FILE_BYTES, read_text

SAMPLE = """\
name: thing one
count: 3
on: true
at: [1, 2.5, -3e-2]
parts:
  first: {size: 1}
  second: {size: 2}
"""


def test_reads_what_is_there() -> None:
    fields = parse(SAMPLE, "s").fields(("name", "count", "on", "at", "parts"))
    assert fields["name"].name() == "thing one"
    assert fields["count"].integer(0, 5) == 3
    assert fields["on"].flag() is True
    assert fields["at"].vector() == (1.0, 2.5, -0.03)
    assert fields["at"].is_list
    assert fields["parts"].is_mapping
    assert [key for key, _ in fields["parts"].items()] == ["first", "second"]


def test_places_and_paths() -> None:
    parts = parse(SAMPLE, "s").fields((), ("name", "count", "on", "at", "parts"))["parts"]
    second = dict(parts.items())["second"]
    size = second.fields(("size",))["size"]
    assert (second.path, second.line, second.column) == ("parts.second", 7, 11)
    assert (size.path, size.line, size.column) == ("parts.second.size", 7, 18)
    assert (second.key.path, second.key.line, second.key.column) == ("parts.second", 7, 3)


def test_an_unknown_key_is_told_at_the_key_and_not_at_its_value() -> None:
    with pytest.raises(FileError, match=r"^s:2:1: prats: unknown key 'prats'; did you mean 'parts'\?$"):
        parse("name: x\nprats:\n  a: 1\n", "s").fields(("name",), ("parts",))


def value(text: str) -> Node:
    return parse(f"v: {text}", "s").fields(("v",))["v"]


@pytest.mark.parametrize(
    ("text", "ask", "message"),
    [
        ("x", lambda v: v.number(), "s:1:4: v: expected a number, found 'x'"),
        (".nan", lambda v: v.number(), "s:1:4: v: expected a number, found '.nan'"),
        ("nan", lambda v: v.number(), "s:1:4: v: expected a number, found 'nan'"),
        ("1e999", lambda v: v.number(), "s:1:4: v: expected a number, found '1e999'"),
        ("0x10", lambda v: v.number(), "s:1:4: v: expected a number, found '0x10'"),
        ("", lambda v: v.number(), "v: expected a number, found nothing"),
        ("[1]", lambda v: v.number(), "s:1:4: v: expected a number, found a list"),
        ("1.5", lambda v: v.number(0, 1), "s:1:4: v: expected a number from 0 to 1, found '1.5'"),
        ("1.0000000001", lambda v: v.number(0, 1), "v: expected a number from 0 to 1, found '1.0000000001'"),
        ("-1", lambda v: v.number(at_least=0), "s:1:4: v: expected a number of at least 0, found '-1'"),
        ("7", lambda v: v.number(at_most=5), "s:1:4: v: expected a number of at most 5, found '7'"),
        ("2.5", lambda v: v.integer(0, 9), "s:1:4: v: expected a whole number, found '2.5'"),
        ("yes", lambda v: v.flag(), "s:1:4: v: unknown truth value 'yes'; known: 'false', 'true'"),
        ("True", lambda v: v.flag(), "s:1:4: v: unknown truth value 'True'; did you mean 'true'?"),
        ("[1, 2]", lambda v: v.vector(), "s:1:4: v: expected 3 values, found 2"),
        ("[1, a, 3]", lambda v: v.vector(), "s:1:8: v[1]: expected a number, found 'a'"),
        ("5", lambda v: v.vector(), "s:1:4: v: expected a list, found '5'"),
        ("{a: 1}", lambda v: v.sequence(), "s:1:4: v: expected a list, found a mapping"),
        ("[]", lambda v: v.text(), "s:1:4: v: expected a word, found a list"),
        ('""', lambda v: v.text(), "s:1:4: v: expected a word, found nothing"),
        ("a.b", lambda v: v.name(), "s:1:4: v: 'a.b' is no name: use up to 100 letters"),
        ('"a "', lambda v: v.name(), "s:1:4: v: 'a ' is no name"),
        ("x" * 101, lambda v: v.name(), "is no name: use up to 100 letters"),
        ("lift", lambda v: v.choice(("left", "right"), "hand"), "v: unknown hand 'lift'; did you mean 'left'?"),
        ("ab", lambda v: v.choice("abc", "letter"), "s:1:4: v: unknown letter 'ab'; "),
        ("[1]", lambda v: list(v.items()), "s:1:4: v: expected a mapping, found a list"),
        ("{a: 1, a: 2}", lambda v: list(v.items()), "s:1:11: v: 'a' stands here twice"),
        ("{? [1] : 2}", lambda v: list(v.items()), "s:1:7: v: expected a plain word as key, found a list"),
        ("{a+b: 2}", lambda v: list(v.named_items()), "s:1:5: v.a+b: 'a+b' is no name"),
        ("{a: 1}", lambda v: v.fields(("b",), ("a",)), "s:1:4: v: 'b' is missing"),
        ('"a\\nb\\e[31m"', lambda v: v.number(), "s:1:4: v: expected a number, found 'a b\\x1b[31m'"),
        ("y" * 500, lambda v: v.number(), "expected a number, found '" + "y" * 57 + "...'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(text: str, ask: object, message: str) -> None:
    assert callable(ask)
    with pytest.raises(FileError) as caught:
        ask(value(text))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "s:1:1: the file is empty"),
        ("# nothing\n", "s:1:1: the file is empty"),
        ("a: 1\n---\nb: 2", "s:2:1: not valid YAML: expected a single document in the stream, but found another"),
        ("a: [1, 2", "s:2:1: not valid YAML: while parsing a flow sequence that begins in line 1, did not find"),
        ("a: [1, 2}", "s:1:9: not valid YAML: while parsing a flow sequence, did not find expected"),
        ("a: *b", "s:1:4: not valid YAML: found undefined alias"),
        ("a:\n\tb: 1", "s:2:1: not valid YAML: "),
        ("a: \x07", "s:1:1: not valid YAML: "),
        ("a: \ud800", "s:1:1: not valid YAML: "),
        ('a: "\\U00110000"', "s:1:7: not valid YAML: "),
        ("\n" + "[" * 51, "s:2:51: nested more than 50 levels deep"),
    ],
)
def test_what_is_no_yaml_is_told_with_its_place(text: str, message: str) -> None:
    with pytest.raises(FileError) as caught:
        parse(text, "s")
    assert str(caught.value).startswith(message)


def test_a_list_that_holds_itself_is_no_trap() -> None:
    node = value("&a [1, *a]")
    assert [child.found() for child in node.sequence()] == ["'1'", "a list"]


def test_deep_nesting_does_not_end_the_process() -> None:
    # In a process of its own: before it was refused, this was a crash in C that no `except` can catch.
    code = "from puppet.files.strict_yaml import parse\ntry: parse('[' * 300_000, 's')\nexcept Exception as e: print(e)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "s:1:51: nested more than 50 levels deep\n")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    latin = tmp_path / "latin.yaml"
    latin.write_bytes("name: käse".encode("latin-1"))
    with pytest.raises(FileError, match=r"latin.yaml:1:1: not a text file in UTF-8 \(byte 7\)"):
        strict_yaml.read(latin)
    large = tmp_path / "large.yaml"
    large.write_bytes(b" " * (MAX_FILE_BYTES + 1))
    with pytest.raises(FileError, match="larger than 2 MB"):
        strict_yaml.read(large)
    with pytest.raises(FileError, match=r"none.yaml: cannot be read: No such file"):
        strict_yaml.read(tmp_path / "none.yaml")
    with pytest.raises(FileError, match="cannot be read: "):
        strict_yaml.read(tmp_path)
    for strange in ("a\0b", "x" * 5000):
        with pytest.raises(FileError, match="cannot be read: "):
            strict_yaml.read(strange)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device here")
def test_a_file_without_end_is_refused() -> None:
    with pytest.raises(FileError, match="larger than 2 MB"):
        strict_yaml.read("/dev/zero")


def test_a_byte_order_mark_and_windows_line_ends_are_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "windows.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n")
    assert read_text(path) == "a: 1\nb: 2\n"
    assert strict_yaml.read(path).fields(("a", "b"))["b"].line == 2


def test_did_you_mean() -> None:
    assert did_you_mean("yelow", ["yellow", "blue"]) == "did you mean 'yellow'?"
    assert did_you_mean("zzz", ["b", "a"]) == "known: 'a', 'b'"
    assert did_you_mean("zzz", []) == "none is known here"
    assert did_you_mean("zzz", [f"n{i:02}" for i in range(13)]).endswith("'n11', ...")


LETTERS = list("ab:1-[]{},&*!|>'\"#%@?\\ \n\t\0\ud800é")


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.sampled_from(LETTERS), max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(PuppetError):
        node = parse(text, "s")
        for read in (node.items, node.named_items):
            with contextlib.suppress(PuppetError):
                list(read())
        for ask in (node.sequence, node.vector, node.name, node.number, node.flag):
            with contextlib.suppress(PuppetError):
                ask()
