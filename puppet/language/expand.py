"""The commands of a script, one after the other: blocks and calls are expanded lazily."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, repeat

from puppet.body import Body
from puppet.command import Command, Source
from puppet.language.checker import check_script
from puppet.language.command_builder import CommandBuilder, Scope
from puppet.language.mistake import ScriptError
from puppet.language.tree import CallStatement, RepeatStatement, Script, Span, Statement
from puppet.language.vocabulary import Vocabulary
from puppet.scene import Scene

_MAX_KEPT = 1000  # commands of a repeated block that are kept rather than built again


def script_commands(
    script: Script, scene: Scene | None = None, gestures: Iterable[str] | None = None, body: Body | None = None
) -> Iterator[Command]:
    """The commands of a script. If it has mistakes, a ScriptError lists all of them."""
    if isinstance(gestures, Iterator):
        gestures = tuple(gestures)  # it is read twice
    mistakes = check_script(script, scene, gestures, body)
    if mistakes:
        raise ScriptError(mistakes)
    builder = CommandBuilder(Vocabulary.of(script.fps, scene, gestures, body), _silent)
    return _expand(script, builder, script.statements, Scope(), 0)


def _expand(
    script: Script, builder: CommandBuilder, statements: tuple[Statement, ...], scope: Scope, call: int
) -> Iterator[Command]:
    for statement in statements:
        if isinstance(statement, RepeatStatement):
            count = builder.count(statement, scope) or 1
            inside = _expand(script, builder, statement.body, scope, call)
            first = [command for command, _ in zip(inside, range(_MAX_KEPT), strict=False)]
            if len(first) < _MAX_KEPT:
                yield from chain.from_iterable(repeat(first, count))
                continue
            for _ in range(count):
                yield from _expand(script, builder, statement.body, scope, call)
        elif isinstance(statement, CallStatement):
            definition = script.definitions[statement.name.text]
            names = [parameter.text for parameter in definition.parameters]
            values = {name: scope.find(value) for name, value in zip(names, statement.arguments, strict=True)}
            inner = Scope(values, definition.name.text)
            yield from _expand(script, builder, definition.body, inner, call or statement.place.line)
        else:
            place = statement.place
            source = Source(place.line, place.column, script.name, script.words(place.line), call)
            command = builder.command(statement, scope, source)
            assert command is not None, f"line {place.line} was checked before"
            yield command


def _silent(place: Span, message: str, hint: str) -> None:
    """Nothing is reported here: the script was checked before."""
