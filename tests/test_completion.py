"""What may come next in a line that is typed."""

from __future__ import annotations

import pytest

from puppet.body import Body
from puppet.language import Vocabulary, completed, completions
from puppet.scene import load_environment
from puppet.tasks import load_gestures

BODY = Body.load()
WORDS = Vocabulary.of(30.0, load_environment("environments/coffee.yaml"), load_gestures(BODY), BODY)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("ta", ("take",)), ("take bl", ('"blue cup"',)), ("take cup ", ("with",)), ("put cup ", ("on",)),
        ("take cup with left, grip ", ("bottom", "side", "top")), ("nod, when ", ("pouring",)),
        ("nod, when pouring ", ("ends", "starts")), ("pour pot ", ("into", "with")), ("drink ", ("from", "with")),
        ("look a", ("ahead", "at")), ("give cup to ", ("left", "right", "the")), ("foo, ", ()),
    ],
)  # fmt: skip
def test_the_words_that_may_come_next(line: str, found: tuple[str, ...]) -> None:
    assert completions(line, WORDS, ["pouring"]) == found


def test_a_name_of_several_words_is_completed_in_quotes() -> None:
    assert completed('take "bl', completions('take "bl', WORDS)[0]) == 'take "blue cup" '
