"""The page with every word is current, its scripts are right, and every word has its picture."""

from __future__ import annotations

import pytest

from docs import make_words
from puppet.language.syntax_mistakes import VERBS
from puppet.tasks import load_gestures
from puppet.tools import check_text


def test_the_page_is_current() -> None:
    assert make_words.TARGET.read_text(encoding="utf-8") == make_words.build(), "run: python docs/make_words.py"


def test_every_word_and_every_gesture_has_a_section_and_a_picture() -> None:
    assert {*VERBS, *load_gestures(make_words.Body.load())} <= set(make_words.WORDS)
    assert all(make_words.picture_of(word).is_file() for word in make_words.WORDS)


@pytest.mark.parametrize("word", make_words.WORDS)
def test_its_script_is_right(word: str) -> None:
    _, script, _ = make_words.WORDS[word]
    assert check_text(script) == ()
    assert any(line.split()[0].rstrip(":") == word.split()[0] or f" {word} " in line for line in script.splitlines())
