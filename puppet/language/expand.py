"""The commands of a script, one after the other: blocks are unrolled and calls carried out as they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, repeat

from puppet.body import Body
from puppet.command import Command, Source
from puppet.language.judge import check
from puppet.language.meaning import Meaning, Scope
from puppet.language.mistake import ScriptError
from puppet.language.tree import CallStatement, RepeatStatement, Script, Span, Statement
from puppet.language.vocabulary import Vocabulary
from puppet.scene import Scene

_KEPT = 1000  # commands of a repeated block that are kept rather than made again


def commands(
    script: Script, scene: Scene | None = None, gestures: Iterable[str] | None = None, body: Body | None = None
) -> Iterator[Command]:
    """What a script asks for. A script with mistakes gives a ScriptError that tells all of them, and no commands."""
    gestures = None if gestures is None else tuple(gestures)
    mistakes = check(script, scene, gestures, body)
    if mistakes:
        raise ScriptError(mistakes)
    meaning = Meaning(Vocabulary.of(script.fps, scene, gestures, body), _silent)
    return _expand(script, meaning, script.statements, Scope(), 0)


def _expand(
    script: Script, meaning: Meaning, statements: tuple[Statement, ...], scope: Scope, call: int
) -> Iterator[Command]:
    for statement in statements:
        if isinstance(statement, RepeatStatement):
            count = meaning.count(statement, scope) or 1
            inside = _expand(script, meaning, statement.body, scope, call)
            first = [command for command, _ in zip(inside, range(_KEPT), strict=False)]
            if len(first) < _KEPT:
                yield from chain.from_iterable(repeat(first, count))
                continue
            for _ in range(count):
                yield from _expand(script, meaning, statement.body, scope, call)
        elif isinstance(statement, CallStatement):
            definition = script.definitions[statement.name.text]
            names = [parameter.text for parameter in definition.parameters]
            values = {name: scope.find(value) for name, value in zip(names, statement.arguments, strict=True)}
            inner = Scope(values, definition.name.text)
            yield from _expand(script, meaning, definition.body, inner, call or statement.place.line)
        else:
            place = statement.place
            source = Source(place.line, place.column, script.name, script.words(place.line), call)
            command = meaning.command(statement, scope, source)
            assert command is not None, f"line {place.line} was judged to be right"
            yield command


def _silent(place: Span, message: str, hint: str) -> None:
    """There is nothing to tell: the script was judged before."""
