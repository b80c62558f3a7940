"""The language reference is current, and what it shows is right."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from puppet.body import Body
from puppet.language import check_script, read_script
from puppet.tasks import load_gestures

ROOT = Path(__file__).parent.parent


def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_language", ROOT / "docs" / "make_language.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MAKER = maker()
EXAMPLES = [example for _, _, rows in MAKER.CHAPTERS for row in rows.values() for example, _ in row]


def test_the_reference_is_current() -> None:
    current = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    assert current == MAKER.build(), "run: python docs/make_language.py"


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_right(example: str) -> None:
    text = example
    if example.startswith(("define", "repeat")):
        text = f"{example}\nfreeze\nend"
    elif example == "end":
        text = "repeat 2\nfreeze\nend"
    elif re.match(r"\w+\(", example):
        text = f"define lift(thing, side)\nreach thing with side\nend\n{example}"
    if "pouring" in example and not example.startswith("pouring:"):
        text = f"pouring: drink with right\n{example}"
    body = Body.load("person" if "foot" in example or "pelvis" in example else None)
    script = read_script(text, find_import=lambda path, importing: (path, "define greet()\nfreeze\nend"))
    assert check_script(script, None, load_gestures(body), body) == ()


def test_the_grammar_is_read_whole() -> None:
    found = MAKER.statements((ROOT / "puppet" / "language" / "grammar.lark").read_text(encoding="utf-8"))
    assert {"environment", "reach_hand", "gesture", "wait_until_done", "call"} <= set(found)
    assert len(found) == len(set(found)) == 60
