"""Syntax mistakes in words: what was expected in a line, what was found, the nearest right word."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from puppet.errors import did_you_mean
from puppet.files.text_file import shorten
from puppet.language.idioms import NO_WORD, said_here
from puppet.language.meanings import MEANINGS, meant_word
from puppet.language.tree import Span

NEW_VERBS = (
    "let", "seed", "import", "take", "put", "give", "release", "point", "look", "nod", "shake",
)  # a definition may be called so, since it is called with brackets  # fmt: skip
BEHIND_VERBS = ("from", "up", "down")  # words of the language behind some verbs alone: anything may be called so
VERBS = (
    "environment", "body", "fps", "set", "reach", "slide", "perform", "pose", "pin", "unpin", "drag", "balance", "push",
    "physics", "walk", "turn", "step", "sit", "stand", "crouch", "jump", "swing", "lock", "unlock", "freeze",
    "interrupt", "at", "wait", "record", "define", "repeat", "end", *NEW_VERBS,
)  # fmt: skip
_TASKS = (
    "reach", "slide", "perform", "take", "put", "give", "point", "look", "nod", "shake", "pose", "drag",
    "walk", "turn", "step", "sit", "stand", "crouch", "jump", "swing",
)  # fmt: skip
KEYWORDS = frozenset((
    *VERBS, "the", "hand", "hands", "space", "with", "by", "to", *BEHIND_VERBS, "until", "done", "start", "stop", "as",
    "on", "for", "when", "starts", "ends", "nearest",
))  # fmt: skip
_OPTIONAL = ("the", "hand", "hands", "space", "when", "until")  # wherever they are allowed they may be left out
_IN_GESTURES = ("on", "to", "at", "by", "for", "as", "starts", "ends")  # words of the language that gestures may have
# What must follow a word, where that depends on the word alone.
_EXPECTED_AFTER = {
    "environment": "the name of a file",
    "body": "the name of a body, or of a file",
    "fps": "a number of frames a second",
    "set": "a motion primitive",
    "reach": "an object or a space",
    "space": "the name of a space",
    "slide": "a hand",
    "by": "three numbers (x, y, z)",
    "turn": "a grip or three angles (x, y, z)",
    "perform": "a gesture",
    "pose": "a joint",
    "pin": "a part of the body",
    "unpin": "a part of the body",
    "drag": "a part of the body",
    "balance": "on or off",
    "push": "a part of the body",
    "physics": "on or off",
    "walk": "'to' and a place (x, z) or a thing",
    "step": "a foot",
    "sit": "'down'",
    "stand": "'up'",
    "jump": "'to' and a place (x, z)",
    "swing": "'from' and a bar",
    "from": "a bar",
    "to": "a place (x, y, z), a thing or a hand",
    "take": "a thing",
    "put": "a thing",
    "give": "a thing",
    "release": "a hand",
    "nearest": "a kind of things",
    "on": "a thing or a space",
    "look": "'at' and what is looked at, or 'ahead'",
    "shake": "'head'",
    "for": "the name of a task",
    "when": "the name of a task",
    "with": "a hand",
    "lock": "a hand",
    "unlock": "a hand",
    "interrupt": "a task",
    "at": "a frame or a time",
    "wait": "a number of frames, a time, or 'until done', or 'for' and the name of a task",
    "define": "a name and its parameters",
    "repeat": "a number",
    "the": "a name",
    "let": "a name of your own",
    "seed": "a whole number",
    "import": "the name of a file",
    "as": "a name for the number of the round",
}
# Examples for hints.
_EXAMPLES = {
    "environment": 'environment "blocks.yaml"',
    "fps": "fps 30",
    "set": "set grip top",
    "reach": "reach cup with left, or: reach space 1 with left",
    "slide": "slide left by (0.05, 0, -0.1) turn bottom",
    "perform": "perform wave with right",
    "pose": "pose head at (10, 0, 0), speed 20",
    "body": "body person",
    "pin": "pin left foot, or: pin right hand to (0.2, 0.9, 0.3), gain 0.5",
    "unpin": "unpin left foot",
    "drag": "drag head by (0, -0.1, 0.1), or: drag right hand to (0.2, 0.9, 0.3), speed 40",
    "balance": "balance on",
    "push": "push chest by (60, 0, 0) for 6",
    "physics": "physics on",
    "walk": "walk to (0.4, 1.2), or: walk to table",
    "turn": "turn by 90, or: turn to window",
    "step": "step left to (0.1, 0.3)",
    "sit": "sit down",
    "stand": "stand up",
    "crouch": "crouch",
    "jump": "jump to (0, 0.8), height 0.3",
    "swing": "swing from bar, turns 3",
    "lock": "lock left",
    "unlock": "unlock left",
    "freeze": "freeze",
    "interrupt": "interrupt scratch head with left",
    "at": "at 92, or: at 3.5s",
    "wait": "wait 20, or: wait until done, or: wait for pouring",
    "record": "record start, or: record stop",
    "define": "define lift(thing, side)",
    "repeat": "repeat 3, or: repeat 3 as n",
    "let": "let up = 0.08",
    "seed": "seed 7",
    "take": "take cup with left, grip side",
    "put": "put cup on saucer, or: put cup on space 2",
    "give": "give cup to right",
    "release": "release left",
    "point": "point at lamp with right",
    "look": "look at lamp, or: look ahead",
    "nod": "nod, or: nod, when pouring ends",
    "shake": "shake head",
    "import": 'import "words.puppet"',
    "end": "end",
}
_TOKEN = re.compile(r'\s*("[^"]*"|[+\-.]*[A-Za-z0-9_][A-Za-z0-9_.+\-]*|\S)')
_NAMES = {"WORD", "NUMBER", "STRING"}


@dataclass(frozen=True)
class SyntaxMistake:
    """A mistake in the syntax of a line."""

    place: Span
    message: str
    hint: str = ""


def unexpected_token(text: str, at: Span, column: int | None, accepted: Collection[str]) -> SyntaxMistake:
    """A token of the line `at` that is none of the `accepted` terminals; without a column: the line ends too early."""
    pieces = _pieces(text)
    if column is None:
        column = pieces[-1][0] + len(pieces[-1][1]) if pieces else 1
        found = ""
    else:
        found = next((piece for start, piece in pieces if start == column), text[column - 1])
    signs = next(((start, piece) for start, piece in pieces if start < column < start + len(piece)), None)
    if signs is not None and signs[1][:1] in "+-." and found in "+-.":
        place = at._replace(column=signs[0], length=len(signs[1]))
        return SyntaxMistake(place, f"'{shorten(signs[1])}' is neither a number nor a name")
    before = [piece for start, piece in pieces if start < column]
    named = pieces[2] if before[1:2] == [":"] and len(pieces) > 2 else None
    if named is not None and named[1] in VERBS and named[1] not in _TASKS:
        place, message = at._replace(column=named[0], length=len(named[1])), f"only a task has a name, not '{named[1]}'"
        return SyntaxMistake(place, message, "as in: pouring: pour with right")
    misspelt = _misspelt(before, pieces, at)
    if misspelt:
        return misspelt
    if before[:1] == ["interrupt"] and before[1:] and before[1] in VERBS and before[1] not in _TASKS:
        return SyntaxMistake(
            at._replace(column=pieces[1][0], length=len(before[1])), f"only a task can interrupt, not '{before[1]}'",
            f"as in: {_EXAMPLES['interrupt']}",
        )  # fmt: skip
    words = sorted((name.lower() for name in accepted if name.lower() in KEYWORDS), reverse=True)
    if "STARTS" in accepted and "TO" in accepted:
        words = [word for word in words if word not in _IN_GESTURES]
    place = at._replace(column=column, length=max(1, len(found)))
    if found.lower() in words:
        return SyntaxMistake(place, f"'{found}' is written in lower case: '{found.lower()}'")
    shown = f"'{shorten(found)}'" if found else "the end of the line"
    message = f"expected {_expected(before, accepted, words)}, found {shown}"
    needed = [word for word in words if word not in _OPTIONAL]
    near = did_you_mean(found[:60].lower(), needed) if found and needed else ""
    if near.startswith("did you mean"):
        message += f"; {near}"
    return SyntaxMistake(place, message, _advice(before, found, accepted))


def with_idiom(mistake: SyntaxMistake, text: str) -> SyntaxMistake:
    """A mistake with the line that says the same in this language, where that is known."""
    said = said_here(text)
    if not said:
        return mistake
    message = mistake.message
    if message.startswith("unknown command") and text.split()[0].lower() not in MEANINGS and "'?" in message:
        message = message.partition(";")[0]  # the nearest word by its letters is not what is meant
    return SyntaxMistake(mistake.place, message, said)


def example_of(word: str) -> str:
    """A line that begins with a command or a gesture."""
    return _EXAMPLES.get(word, f"{word} with left")


def misspelt_verb(word: str, more: Collection[str] = ()) -> str:
    """A message about a first word that is nearly a command; empty where it is not."""
    if word in VERBS:
        return ""
    if word.lower() in VERBS:
        return f"'{shorten(word)}' is written in lower case: '{word.lower()}'"
    meant = meant_word(word)
    if meant:
        return f"unknown command '{shorten(word)}'; {meant}"
    if word.lower() in NO_WORD:
        own = "a gesture of your own is a YAML file, given with --gestures"
        return f"unknown command '{shorten(word)}'; there is no word for that; {own}"
    near = did_you_mean(word[:60].lower(), (*VERBS, *more))
    return f"unknown command '{shorten(word)}'; {near}" if near.startswith("did you mean") else ""


def unexpected_character(text: str, place: Span) -> SyntaxMistake:
    """A character that begins no token."""
    char = text[place.column - 1]
    rest = place._replace(length=len(text) - place.column + 1)
    if char == '"':
        return SyntaxMistake(rest, "this name has no closing '\"'")
    if char in "+-.":
        word = re.compile(r"\S[\w.+\-]*").match(text, place.column - 1)
        shown = word.group() if word else char
        files = ("environment", "import", "body")
        hint = "the name of a file is written in quotes" if text.split()[0] in files else ""
        where = place._replace(length=len(shown))
        return SyntaxMistake(where, f"'{shorten(shown)}' is neither a number nor a name", hint)
    hint = ""
    if char == ";":
        hint = "every command has a line of its own"
    elif char in "'`\u2018\u2019\u201c\u201d\u00ab\u00bb":
        hint = 'names are quoted with "'
    elif char in "{}[]":
        hint = "only round brackets are used: (x, y, z)"
    elif char.isalpha():
        hint = "a plain name has the letters a to z, digits, '_' and '-'; any other is quoted with \""
    shown = f"'{char}'" if char.isprintable() else f"the character U+{ord(char):04X}"
    return SyntaxMistake(place, f"{shown} does not belong here", hint)


def _pieces(text: str) -> list[tuple[int, str]]:
    """The columns and texts of the tokens of a line, without its comment."""
    found, at = [], 0
    while match := _TOKEN.match(text, at):
        if match.group(1) == "#":
            break
        found.append((match.start(1) + 1, match.group(1)))
        at = match.end()
    return found


def _misspelt(before: list[str], pieces: list[tuple[int, str]], at: Span) -> SyntaxMistake | None:
    """A misspelt command, if that is why the line is wrong."""
    if not before or before[0] in VERBS or before[1:2] == ["("]:
        return None
    message = misspelt_verb(before[0])
    if not message:
        return None
    meant = next((word for word in _EXAMPLES if f"did you mean '{word}'?" in message), "")
    hint = f"as in: {_EXAMPLES[meant]}" if meant and before[0].lower() in MEANINGS else ""
    return SyntaxMistake(at._replace(column=pieces[0][0], length=len(before[0])), message, hint)


def _expected(before: list[str], accepted: Collection[str], words: list[str]) -> str:
    if not before:
        return "a command"
    verb, last = before[0], before[-1]
    names = bool(_NAMES & set(accepted))
    inside = before.count("(") > before.count(")")
    if last in _EXPECTED_AFTER and (names or last in ("interrupt", "let")):
        return _EXPECTED_AFTER[last]
    if last == "," and names and not inside:
        return "a motion primitive"
    needed = [word for word in words if word not in _OPTIONAL]
    parts = [f"'{word}'" for word in needed or words if needed or "$END" not in accepted]
    if inside and names:
        parts.append("the name of a parameter" if verb == "define" else "a value")
    elif names and "LPAR" in accepted and not (verb == "define" or len(before) == 1):
        parts.append("a value")
    parts += ["'('"] if "LPAR" in accepted and "a value" not in parts else []
    parts += ["')'"] if "RPAR" in accepted else []
    parts += ["','"] if "COMMA" in accepted else []
    parts += ["'='"] if "EQUALS" in accepted else []
    parts += ["the end of the line"] if "$END" in accepted else []
    return " or ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _advice(before: list[str], found: str, accepted: Collection[str]) -> str:
    verb = before[0] if before else ""
    if found == "=":
        return "a value stands behind its name without a sign; a value of your own: let up = 0.08"
    if before and before[-1] == "space" and found == "with":
        return 'an object that is called space is written in quotes: "space"'
    if found in KEYWORDS and "STRING" in accepted:
        return f'a name that is a word of the language is written in quotes: "{found}"'
    if verb == "reach" and "WITH" in accepted and "with" not in before and found[:1].isalnum():
        return f'a name of several words is written in quotes: "{shorten(f"{before[-1]} {found}")}"'
    if verb == "define" and "LPAR" in accepted:
        return "a definition has brackets, even empty ones: define greet()"
    if before and verb not in VERBS and "WITH" in accepted:
        return "a gesture is told with its hand: wave with left; a word of your own has brackets: greet()"
    return f"as in: {_EXAMPLES[verb]}" if verb in _EXAMPLES else ""
