"""The beginning of a line in, the words that may come next out: for whoever types commands live."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from puppet.command import AUTO, BOTH, EITHER
from puppet.language.parser import accepted_next
from puppet.language.syntax_mistakes import KEYWORDS, VERBS
from puppet.language.vocabulary import CHOICES, PRIMITIVE_NAMES, PRIMITIVES_OF, Vocabulary

_TOKEN = re.compile(r'"[^"]*"|[\w.\-]+|\S')
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_\-]*\Z")
_ALONE = ("environment", "body", "fps", "define", "repeat", "end", "let", "seed", "import", "at", "wait", "physics")
_NAMES = {"WORD", "STRING"}
_PARTS = ("pin", "unpin", "drag", "push", "pose")


def completions(line: str, words: Vocabulary, tasks: Iterable[str] = ()) -> tuple[str, ...]:
    """What the last word of a line may become, in order; after a blank, what may come next. `tasks`: their names."""
    before, last = _split(line)
    tokens = _TOKEN.findall(before)
    label = tokens[:2][1:] == [":"]
    body = tokens[2:] if label else tokens
    body = body[1:] if body[:1] == ["interrupt"] else body
    found: list[str] = []
    if not body:
        found += [verb for verb in VERBS if verb not in _ALONE]
        found += sorted(words.gestures or ())
    else:
        accepted = accepted_next(before)
        if accepted is None:
            return ()
        if _NAMES & accepted:
            found += _gesture_words(body, words) or sorted(_names(body, words, tasks))
        if not found or not (body[-1] in CHOICES or (_NAMES & accepted and "STARTS" in accepted)):
            found += sorted(word for name in accepted if (word := name.lower()) in KEYWORDS)
        elif body[0] == "turn" and len(body) == 1:
            found += ["by", "to"]
    wanted = last.strip('"').lower()
    found = [word for word in dict.fromkeys(found) if word.strip('"').lower().startswith(wanted)]
    return tuple(word for word in found if word.strip('"').lower() != wanted or last != word)


def completed(line: str, word: str) -> str:
    """A line with its last word replaced by a completion, and a blank behind it."""
    return f"{_split(line)[0]}{word} "


def _split(line: str) -> tuple[str, str]:
    """A line up to its last word, and that; a name in quotes is one."""
    start = line.rfind('"') if line.count('"') % 2 else max(line.rfind(sign) for sign in " ,(:\t") + 1
    return line[:start], line[start:]


def _quoted(names: Collection[str] | None) -> frozenset[str]:
    return frozenset(name if _PLAIN.match(name) and name not in KEYWORDS else f'"{name}"' for name in names or ())


def _names(tokens: list[str], words: Vocabulary, tasks: Iterable[str]) -> Collection[str]:
    """The names that may follow tokens that have a verb."""
    verb, last = tokens[0], tokens[-1]
    last = tokens[-2] if last == "the" and len(tokens) > 1 else last
    things, spaces = _quoted(words.objects), _quoted(words.spaces)
    if last == ",":
        return PRIMITIVES_OF.get(verb, PRIMITIVES_OF["gesture"])
    if last in CHOICES:
        return CHOICES[last]
    if last in ("when", "until", "for") and verb != "push":
        return tuple(tasks)
    if last in ("with", "lock", "unlock", "release", "slide") or (verb, last) == ("give", "to"):
        return (*words.hands, *_choices(verb, last))
    if "," in tokens:
        return (AUTO,) if last == "speed" else ()
    fixed = {
        "set": (*PRIMITIVE_NAMES, "interrupt"), "interrupt": ("on", "off"), "speed": (AUTO,), "balance": ("on", "off"),
        "look": ("ahead",), "shake": ("head",), "nearest": _quoted(words.kinds), "space": spaces,
        "step": ("left", "right"),
    }  # fmt: skip
    if last in fixed:
        return fixed[last]
    if verb in _PARTS and last in _PARTS:
        return tuple(joint.replace("_", " ") if verb != "pose" else joint for joint in words.joints or ())
    if verb in ("walk", "turn", "jump"):
        return _quoted(words.places)
    if verb == "swing":
        return _quoted(words.bars)
    if last == "at":
        return _quoted(words.places) | spaces
    if verb in ("pin", "drag") and last == "to":
        return _quoted(words.places)
    return things if last in ("reach", "take", "put", "give", "on", "to") else ()


def _gesture_words(tokens: list[str], words: Vocabulary) -> list[str]:
    """What may follow the words of a gesture: the rest of its name, or the things that it is about."""
    if "with" in tokens or "," in tokens or (tokens[0] in VERBS and tokens[0] not in ("perform", "turn")):
        return []
    said = " ".join(tokens[1:] if tokens[0] == "perform" else tokens)
    gestures = sorted(words.gestures or ())
    found = [name.removeprefix(said).strip() for name in gestures if name.startswith(f"{said} ".lstrip())]
    head = max((name for name in gestures if f"{said} ".startswith(f"{name} ")), key=len, default=None)
    if head is None:
        return found
    ways, rest = words.thing_words.get(head, ()), _TOKEN.findall(said.removeprefix(head))
    if rest and rest[-1] in ways:
        return sorted(_quoted(words.objects))
    left = [way for way in ways if way not in rest and (way or not rest)]
    things = sorted(_quoted(words.objects)) if "" in left else []
    return [*found, *things, *(way for way in left if way), "with"]


def _choices(verb: str, last: str) -> tuple[str, ...]:
    if last == "release":
        return (BOTH,)
    if last != "with" or verb == "slide":
        return ()
    return (EITHER, BOTH) if verb in ("reach", "take") else (EITHER,)
