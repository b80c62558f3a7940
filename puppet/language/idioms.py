"""How people say things that the language says in another way: a wrong line in, the line that says it here out."""

from __future__ import annotations

import re
from collections.abc import Mapping

from puppet.language.idiom_table import IDIOMS, OTHER_WORDS, TWO_COMMANDS

# Words that no name of a thing has in the middle of a sentence, and pieces of the patterns.
_NOT_IN_NAMES = """with on onto upon in into to towards toward at from of off out by for up down left right and or then
when while until after before over under above below during using next again back away slowly quickly"""
_NAME = rf'(?:"[^"]+"|(?!(?:{"|".join(_NOT_IN_NAMES.split())})\b)[\w\-]+)'
_PIECES: Mapping[str, str] = {
    "thing": rf"(?:the |an? |my |your |his |her )?(?P<{{name}}>{_NAME}(?: {_NAME})*?)",
    "hand": r"(?:the |my |your |his |her )?(?P<{name}>left|right)(?: hand| arm)?",
    "hands": r"(?:the |my |your )?(?P<{name}>left|right|either|both)(?: hands?| arms?)?",
    "n": r"(?P<{name}>\d+(?:\.\d+)?|\.\d+)",
    "point": r"(?P<{name}>\([^()]+\))",
    "way": r"(?P<{name}>up|down|left|right|forwards?|back|backwards?)",
    "any": r"(?P<{name}>.+?)",
    "task": r"(?:the )?(?P<{name}>\w+)",
}
_WAYS = {
    "left": ("(1, 1, 1)", "(0.1, 0, 0)"),
    "right": ("(-1, 1, 1)", "(-0.1, 0, 0)"),
    "up": ("(0, 2, 1)", "(0, 0.1, 0)"),
    "down": ("(0, 0, 0.6)", "(0, -0.1, 0)"),
    "forward": ("(0, 1, 2)", "(0, 0, 0.1)"),
    "back": ("(0, 1, -2)", "(0, 0, -0.1)"),
}  # a point to look or point at, and a distance to slide by
_LENGTHS = {"cm": 0.01, "mm": 0.001}  # of units that people write
_ACTION_WORDS = """reach slide take put give point look nod shake wave pour drink turn check scratch wait walk sit stand
jump step crouch swing release lock unlock pose perform drag freeze"""
_ACTIONS = frozenset(_ACTION_WORDS.split())
_COUNTS = {"twice": "2", "two": "2", "thrice": "3", "three": "3"}
_NO_WORD = """smile laugh cry blink wink frown clap shrug say speak talk sing type print eat bite throw toss kick dance
open close lean cross stretch breathe yawn cough salute bow hug kiss punch climb crawl swim write draw read fold clean
wipe cut stir knock lie make swap exchange camera light sound play"""
NO_WORD = frozenset(_NO_WORD.split())
_LONGEST = 200  # characters of a line that are looked at


def _compiled() -> list[tuple[re.Pattern[str], str]]:
    def piece(match: re.Match[str]) -> str:
        name = match[1]
        kind = name.rstrip("23")
        return _PIECES["thing" if kind == "place" else kind].replace("{name}", name)

    return [(re.compile(re.sub(r"\{([a-z]+[23]?)\}", piece, pattern)), words) for pattern, words in IDIOMS]


_PATTERNS: list[tuple[re.Pattern[str], str]] = []


def said_here(line: str) -> str:
    """What to write instead of a line; "" where that is not known."""
    text = " ".join(line.split("#")[0].lower().replace(";", " and ").split())
    label, _, rest = text.partition(": ")
    text = rest if rest and label.isidentifier() else text
    if not text or len(text) > _LONGEST or text.count(" and ") > 4:
        return ""
    if not _PATTERNS:
        _PATTERNS.extend(_compiled())
    for pattern, words in _PATTERNS:
        match = pattern.fullmatch(text)
        if match:
            if words == TWO_COMMANDS:
                return _two_commands(match)
            if words == OTHER_WORDS:
                rest = f"{match['any']}{match['any2'] or ''}"
                return said_here(rest) or f"write: {rest}"
            said = _filled(words, match)
            return "" if said.removeprefix("write: ") == text else said
    return ""


def _two_commands(match: re.Match[str]) -> str:
    """Both halves of a line as lines of their own; "" where the second one is no command."""
    first, second = match["any"], match["any2"]
    taken = re.fullmatch(rf"\w+(?: up)? (?:the )?({_NAME}).*", first)
    if taken:
        second = re.sub(r"\b(?:it|them)\b", taken[1], second)
    lines = []
    for half in (first, second):
        said = said_here(half)
        if said.startswith("write: "):
            half = said.removeprefix("write: ")
        elif half.split()[0] not in _ACTIONS:
            return ""
        lines.append(half)
    return f"{TWO_COMMANDS}: {' / '.join(lines)}"


def _filled(words: str, match: re.Match[str]) -> str:
    found = {name: _shown(name, text) for name, text in match.groupdict().items() if text}
    if "way" in found:
        way = match["way"].removesuffix("s")
        looked_at, slid = _WAYS[way if way == "forward" else way.removesuffix("ward")]
        found["way"] = slid.replace("0.1", _distance(match)) if "slide" in words else looked_at
    found["first"] = match.string.split(" with")[0].removesuffix(" left").removesuffix(" right")

    def fill(slot: re.Match[str]) -> str:
        name, _, otherwise = slot[1].partition("|")
        return found.get(name, otherwise)

    return re.sub(r"\{([^}]+)\}", fill, words)


def _distance(match: re.Match[str]) -> str:
    """A distance that a line names, in the units of scripts."""
    number = match.groupdict().get("n")
    if number is None:
        return "0.1"
    unit = re.search(rf"{re.escape(number)} ?(cm|mm)\b", match.string)
    return f"{float(number) * (_LENGTHS[unit[1]] if unit else 1.0):g}"


def _shown(name: str, text: str) -> str:
    """A piece of a line as it is written here: names of several words in quotes."""
    text = text.strip()
    if name.startswith(("thing", "place")):
        if text.startswith("space ") or '"' in text:
            return text
        return f'"{text}"' if " " in text else text
    if name == "hands":
        return {"either": "either hand", "both": "both hands"}.get(text, text)
    return _COUNTS.get(text, text.removesuffix(" times"))
