"""The commands of a script, one after the other: blocks and calls are expanded lazily."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, repeat

from puppet.body import Body
from puppet.command import Command, Source
from puppet.language.calculation import drawing
from puppet.language.checker import check_script
from puppet.language.command_builder import CommandBuilder
from puppet.language.mistake import ScriptError
from puppet.language.task_names import TaskBlocks
from puppet.language.tree import (
    Atom,
    CallStatement,
    DefineStatement,
    LetStatement,
    RepeatStatement,
    Script,
    SeedStatement,
    Span,
    Statement,
)
from puppet.language.value_reader import Scope
from puppet.language.vocabulary import Vocabulary
from puppet.scene import Scene

DEFAULT_SEED = 0  # of a script that says nothing about it
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
    return checked_commands(script, scene, gestures, body)


def checked_commands(
    script: Script, scene: Scene | None = None, gestures: Iterable[str] | None = None, body: Body | None = None,
    most: float = math.inf,
) -> Iterator[Command]:  # fmt: skip
    """The commands of a script that was found to have no mistakes; most: how many statements are gone through."""
    vocabulary = Vocabulary.of(script.fps, scene, gestures, body)
    builder = CommandBuilder(vocabulary, partial(_refuse, script), drawing(DEFAULT_SEED))
    blocks = TaskBlocks(script)
    return _Expander(script, builder, blocks, most).commands(script.statements, blocks.script, 0)


def readable_commands(
    script: Script, scene: Scene | None = None, gestures: Iterable[str] | None = None, body: Body | None = None
) -> Iterator[Command | None]:
    """The commands of a script that may have mistakes; None for a line that has one, for a block and for a call."""
    builder, scope = CommandBuilder(Vocabulary.of(script.fps, scene, gestures, body), lambda *mistake: None), Scope()
    broken = sorted((m.line for m in script.mistakes if m.file == script.name), reverse=True)
    for statement in script.statements:
        place, file = statement.place, script.files[statement.place.file]
        if broken and place.file == 0 and broken[-1] < place.line:
            yield None
            broken = [line for line in broken if line > place.line]
        if isinstance(statement, LetStatement):
            scope = scope.with_value(statement.name.text, builder.value(statement.value, scope), True)
        elif isinstance(statement, (RepeatStatement, CallStatement)):
            yield None
        elif not isinstance(statement, (DefineStatement, SeedStatement)):
            yield builder.command(statement, scope, Source(place.line, place.column, file.name))


@dataclass(eq=False)
class _Expander:
    script: Script
    builder: CommandBuilder
    blocks: TaskBlocks
    left: float  # statements that may still be gone through

    def commands(self, statements: tuple[Statement, ...], scope: Scope, call: int) -> Iterator[Command]:
        """The commands of statements; `call`: the line of the call that they come from, if any."""
        script, builder = self.script, self.builder
        for statement in statements:
            if self.left <= 0:
                return
            self.left -= 1
            if isinstance(statement, RepeatStatement):
                yield from self._repeat(statement, scope, call)
            elif isinstance(statement, CallStatement):
                definition = script.definitions[statement.name.text]
                names = [parameter.text for parameter in definition.parameters]
                values = [builder.value(argument, scope) for argument in statement.arguments]
                inner = scope.inside(definition.name.text, dict(zip(names, values, strict=True)))
                inner = self.blocks.entered(inner, definition.body)
                yield from self.commands(definition.body, inner, call or statement.place.line)
            elif isinstance(statement, LetStatement):
                value = builder.value(statement.value, scope)
                scope = scope.with_value(statement.name.text, value, statements is script.statements)
            elif isinstance(statement, SeedStatement):
                builder.seed(statement, scope)
            else:
                place = statement.place
                file = script.files[place.file]
                source = Source(place.line, place.column, file.name, file.words(place.line), call)
                command = builder.command(statement, scope, source)
                assert command is not None, f"line {place.line} was checked before"
                yield command

    def _repeat(self, statement: RepeatStatement, scope: Scope, call: int) -> Iterator[Command]:
        count = self.builder.count(statement, scope) or 1
        if statement.variable is not None:
            name, place = statement.variable.text, statement.variable.place
            for number in range(1, count + 1):
                if self.left <= 0:
                    return
                inner = scope.with_value(name, Atom(str(number), "number", place))
                yield from self.commands(statement.body, self.blocks.entered(inner, statement.body), call)
            return
        if not self.script.draws and not self.blocks.has_names(statement.body):
            inside = self.commands(statement.body, scope, call)
            first = [command for command, _ in zip(inside, range(_MAX_KEPT), strict=False)]
            if len(first) < _MAX_KEPT:
                yield from chain.from_iterable(repeat(first, count))
                return
        for _ in range(count):
            if self.left <= 0:
                return
            yield from self.commands(statement.body, self.blocks.entered(scope, statement.body), call)


def _refuse(script: Script, place: Span, message: str, hint: str) -> None:
    """Mistakes are found before, but not in every round and not for every random number."""
    raise ScriptError([script.mistake(place, message, hint)])
