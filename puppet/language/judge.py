"""Judges a script against its scene, its gestures and its body: every mistake, before anything runs."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from puppet.body import Body
from puppet.command import Source
from puppet.errors import did_you_mean
from puppet.files.text_file import MAX_MISTAKES, shorten
from puppet.language import tree
from puppet.language.meaning import Meaning, Scope
from puppet.language.mistake import Mistake
from puppet.language.tree import CallStatement, DefineStatement, RepeatStatement, Script, Span, Statement
from puppet.language.vocabulary import Vocabulary
from puppet.scene import Scene

MAX_COMMANDS = 1_000_000
MAX_CALL_DEPTH = 50
MAX_VISITS = 200_000  # statements looked at: definitions that call each other could keep us busy for ever
_NOWHERE = Source()


def check(
    script: Script, scene: Scene | None, gestures: Iterable[str] | None, body: Body | None
) -> tuple[Mistake, ...]:
    """All mistakes of a script, those in its form included, in the order of the file.

    What is None is not known: nothing is said about names that would come from it.
    """
    return _Judge(script, scene, gestures, body).mistakes()


class _TooMuchError(Exception):
    """There is no sense in looking further."""


class _Judge:
    def __init__(
        self, script: Script, scene: Scene | None, gestures: Iterable[str] | None, body: Body | None
    ) -> None:
        self._script = script
        counts = {name: len(definition.parameters) for name, definition in script.definitions.items()}
        self._meaning = Meaning(Vocabulary.of(script.fps, scene, gestures, body, counts), self._tell)
        self._found: dict[tuple[int, int, str], Mistake] = {}
        self._sizes: dict[object, int] = {}  # commands of a definition called with certain values
        self._visits = 0
        self._follow = True  # whether calls are looked into
        self._calls = {name: _calls(definition) for name, definition in script.definitions.items()}
        self._depth = self._depths()  # of the definitions that end

    def mistakes(self) -> tuple[Mistake, ...]:
        with suppress(_TooMuchError):
            self._judge()
        found = [*self._script.mistakes, *self._found.values()]
        return tuple(sorted(found, key=lambda mistake: (mistake.line, mistake.column)))

    def _judge(self) -> None:
        definitions = self._script.definitions.values()
        self._follow = False
        for definition in definitions:
            unknown = Scope({parameter.text: None for parameter in definition.parameters}, definition.name.text)
            self._walk(definition.body, unknown)
        self._follow = True
        self._circles()
        self._walk(self._script.statements, Scope())

    def _walk(self, statements: tuple[Statement, ...], scope: Scope) -> int:
        """The number of commands that statements give."""
        total = 0
        for statement in statements:
            self._visits += 1
            if self._visits > MAX_VISITS:
                self._tell(statement.place, "the definitions of this script call each other too often", "")
                raise _TooMuchError
            before = total
            if isinstance(statement, RepeatStatement):
                inside = self._walk(statement.body, scope)
                total += inside * (self._meaning.count(statement, scope) or 1)
            elif isinstance(statement, CallStatement):
                total += self._call(statement, scope)
            else:
                self._meaning.command(statement, scope, _NOWHERE)
                total += 1
            if before <= MAX_COMMANDS < total:
                self._tell(statement.place, f"this gives more than a million commands ({total:,})", "")
                raise _TooMuchError
        return total

    def _call(self, call: CallStatement, scope: Scope) -> int:
        definitions = self._script.definitions
        name = call.name.text
        definition = definitions.get(name)
        if definition is None:
            near = did_you_mean(name[:60], definitions)
            self._tell(call.name.place, f"'{shorten(name)}' is not defined; {near}", "")
            return 1
        wanted, given = len(definition.parameters), len(call.arguments)
        if wanted != given:
            shape = f"{name}({', '.join(parameter.text for parameter in definition.parameters)})"
            message = f"'{name}' takes {_values(wanted)}, found {given}"
            self._tell(call.name.place, message, f"it is defined in line {definition.place.line}: {shape}")
            return 1
        if not self._follow or name not in self._depth:
            return 1
        values = [scope.find(argument) for argument in call.arguments]
        key = (name, tuple(_content(value) for value in values))
        if key not in self._sizes:
            mistakes = len(self._found)
            names = [parameter.text for parameter in definition.parameters]
            size = self._walk(definition.body, Scope(dict(zip(names, values, strict=True)), name))
            if len(self._found) > mistakes:
                return size  # the next call with such values is looked at too: its mistakes stand elsewhere
            self._sizes[key] = size
        return self._sizes[key]

    def _depths(self) -> dict[str, int]:
        """How deep the calls in a definition go, for those that come to an end and are not nested too deep."""
        depths: dict[str, int] = {}
        inner = {name: {c.name.text for c in calls} & set(self._calls) for name, calls in self._calls.items()}
        for depth in range(1, MAX_CALL_DEPTH + 1):
            new = [name for name, names in inner.items() if name not in depths and names <= depths.keys()]
            depths.update(dict.fromkeys(new, depth))
        return depths

    def _circles(self) -> None:
        """Tells of definitions that call themselves, at once or through others, or too deep to follow."""
        done: set[str] = set(self._depth)
        told = False
        for start in [name for name in self._calls if name not in self._depth]:
            way: list[str] = []
            todo: list[tuple[str, CallStatement | None, bool]] = [(start, None, False)]
            while todo:
                name, call, leave = todo.pop()
                if leave:
                    done.add(way.pop())
                elif name in way:
                    assert call is not None
                    through = way[way.index(name) + 1 :]
                    words = f" through '{through[0]}'" if through else ""
                    self._tell(call.name.place, f"'{name}' calls itself{words}: a script would never end", "")
                    told = True
                elif name not in done:
                    way.append(name)
                    todo.append((name, None, True))
                    todo += [(i.name.text, i, False) for i in reversed(self._calls[name]) if i.name.text in self._calls]
        if not told and len(done) > len(self._depth):
            name = min(done - self._depth.keys(), key=lambda n: self._script.definitions[n].place.line)
            message = f"the calls in '{name}' are nested more than {MAX_CALL_DEPTH} deep"
            self._tell(self._script.definitions[name].name.place, message, "")

    def _tell(self, place: Span, message: str, hint: str) -> None:
        script = self._script
        mistake = Mistake(
            script.name, place.line, place.column, place.length, script.line(place.line), message, hint
        )  # fmt: skip
        self._found.setdefault((place.line, place.column, message), mistake)
        if len(self._found) > MAX_MISTAKES:
            raise _TooMuchError


def _calls(definition: DefineStatement) -> list[CallStatement]:
    """The calls in a definition, those in its blocks included."""
    found: list[CallStatement] = []
    todo = list(reversed(definition.body))
    while todo:
        statement = todo.pop()
        if isinstance(statement, CallStatement):
            found.append(statement)
        elif isinstance(statement, RepeatStatement):
            todo += reversed(statement.body)
    return found


def _content(value: tree.Value | None) -> object:
    """A value without its place."""
    if isinstance(value, tree.VectorNode):
        return tuple(_content(item) for item in value.items)
    return None if value is None else (value.text, value.kind)


def _values(count: int) -> str:
    return {0: "no values", 1: "one value"}.get(count, f"{count} values")
