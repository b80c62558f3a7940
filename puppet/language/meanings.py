"""What people mean by words that are not in the language: the word that says it here."""

from __future__ import annotations

from collections.abc import Mapping

_WORDS: Mapping[str, str] = {
    "take": "grab grasp grip pick hold get fetch catch seize",
    "put": "place lay leave deposit stack store",
    "give": "pass handover offer",
    "release": "drop free ungrasp loose let",
    "reach": "touch approach goto move",
    "look": "watch see gaze face stare glance regard",
    "point": "show indicate aim",
    "nod": "agree",
    "shake": "deny disagree",
    "slide": "pull shift",
    "pose": "rotate bend tilt",
    "freeze": "stop halt abort cancel",
    "wait": "pause sleep delay rest",
    "repeat": "loop for times while",
    "define": "def function macro proc",
    "let": "var const assign",
    "import": "include use load require",
    "set": "option config",
    "perform": "do play gesture act",
    "record": "capture film",
    "environment": "scene world",
    "walk": "run go stroll march",
    "crouch": "kneel squat duck",
    "jump": "hop leap",
    "drink": "sip slurp gulp taste",
    "pour": "fill",
    "wave": "greet",
}
MEANINGS: Mapping[str, str] = {word: meant for meant, words in _WORDS.items() for word in words.split()}


def meant_word(word: str) -> str:
    """A sentence about the word of the language that means this; "" where none is known."""
    word = word.lower()
    if word in MEANINGS:
        return f"did you mean '{MEANINGS[word]}'?"
    return ""
