"""Checks a script against its scene, its gestures and its body: finds every mistake before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass

from puppet.body import Body
from puppet.errors import did_you_mean
from puppet.files.text_file import MAX_MISTAKES, shorten
from puppet.files.uncollected import uncollected
from puppet.language import tree
from puppet.language.command_builder import NO_SOURCE, CommandBuilder
from puppet.language.mistake import Mistake
from puppet.language.named_values import NamedValues
from puppet.language.syntax_mistakes import VERBS, example_of
from puppet.language.task_names import check_task_names
from puppet.language.tree import Atom, CallStatement, DefineStatement, RepeatStatement, Script, Span, Statement
from puppet.language.value_reader import Scope
from puppet.language.vocabulary import Vocabulary
from puppet.scene import Scene

MAX_COMMANDS = 1_000_000
MAX_CALL_DEPTH = 50
MAX_VISITS = 30_000  # of statements in definitions: they call each other, and their number can explode
_WORDS_A_VISIT = 20  # looked up for a call: as long as a visit
_MAX_ROUNDS = 2_000  # of blocks with a counter that are looked at one by one; of the others the first and the last


@uncollected
def check_script(
    script: Script, scene: Scene | None, gestures: Iterable[str] | None, body: Body | None
) -> tuple[Mistake, ...]:
    """All mistakes of a script, syntax mistakes included, in the order of the file.

    Names that would come from an argument that is None are not checked.
    """
    return _Checker(script, scene, gestures, body).mistakes()


class _GiveUpError(Exception):
    """Stops the check: there are too many mistakes or commands."""


class _Checker:
    def __init__(self, script: Script, scene: Scene | None, gestures: Iterable[str] | None, body: Body | None) -> None:
        self._script = script
        counts = {name: len(definition.parameters) for name, definition in script.definitions.items()}
        self._vocabulary = Vocabulary.of(script.fps, scene, gestures, body, counts)
        self._builder = CommandBuilder(self._vocabulary, self._report)
        self._known = frozenset(script.definitions)
        self._found: dict[tuple[int, int, int, str], Mistake] = {}
        self._sizes: dict[object, int] = {}  # commands of a definition, by its arguments
        self._visits = self._rounds = 0
        self._follow = True  # whether to check the bodies of calls
        self._calls = {name: _calls(definition) for name, definition in script.definitions.items()}
        self._depth = self._depths()  # of the definitions without recursion
        self._words = self._all_words()  # in each definition, those of what it calls included
        self._numbers: dict[object, int] = {}  # of values that are named outside
        self._last_outside: dict[str, tuple[NamedValues, int]] = {}

    def mistakes(self) -> tuple[Mistake, ...]:
        with suppress(_GiveUpError):
            self._check_all()
        found = [*self._script.mistakes, *self._found.values()]
        order = {file.name: n for n, file in enumerate(self._script.files)}
        return tuple(sorted(found, key=lambda m: (order.get(m.file, 0), m.line, m.column)))

    def _check_all(self) -> None:
        definitions = self._script.definitions.values()
        self._follow = False
        named = {s.name.text: None for s in self._script.statements if isinstance(s, tree.LetStatement)}
        outside = Scope(outer=NamedValues().extended(named))
        for definition in definitions:
            unknown = outside.inside(definition.name.text, {p.text: None for p in definition.parameters})
            self._count_commands(definition.body, unknown)
        self._follow = True
        if self._script.name:  # a single command is given to a stage that knows the names
            check_task_names(self._script, self._report)
        self._check_recursion()
        self._count_commands(self._script.statements, Scope())

    def _count_commands(self, statements: tuple[Statement, ...], scope: Scope) -> int:
        """Checks statements; returns how many commands they give."""
        total = 0
        for statement in statements:
            self._visits += statements is not self._script.statements
            if self._visits > MAX_VISITS:
                self._report(statement.place, "the definitions of this script call each other too often", "")
                raise _GiveUpError
            before = total
            if isinstance(statement, RepeatStatement):
                total += self._repeat(statement, scope)
            elif isinstance(statement, tree.LetStatement):
                value = self._builder.value(statement.value, scope)
                scope = scope.with_value(statement.name.text, value, statements is self._script.statements)
            elif isinstance(statement, tree.SeedStatement):
                self._builder.seed(statement, scope)
            elif isinstance(statement, CallStatement):
                total += self._call(statement, scope)
            else:
                self._builder.command(statement, scope, NO_SOURCE)
                total += 1
            if before <= MAX_COMMANDS < total:
                self._report(statement.place, f"this gives more than a million commands ({total:,})", "")
                raise _GiveUpError
        return total

    def _repeat(self, statement: RepeatStatement, scope: Scope) -> int:
        count = self._builder.count(statement, scope) or 1
        if statement.variable is None:
            return self._count_commands(statement.body, scope) * count
        name, place = statement.variable.text, statement.variable.place
        rounds = range(1, count + 1) if self._rounds + count <= _MAX_ROUNDS else (1, count)
        self._rounds += len(rounds)
        total = inside = 0
        mistakes = len(self._found)
        for number in rounds:
            if len(self._found) > mistakes:
                break  # the next rounds would tell the same
            inside = self._count_commands(statement.body, scope.with_value(name, Atom(str(number), "number", place)))
            total += inside
        return total + inside * (count - len(rounds))

    def _call(self, call: CallStatement, scope: Scope) -> int:
        definitions = self._script.definitions
        name = call.name.text
        definition = definitions.get(name)
        if definition is None:
            near = did_you_mean(name[:60], self._known)
            known = name in VERBS or name in (self._vocabulary.gestures or ())
            hint = f"a command has no brackets, as in: {example_of(name)}" if known else ""
            self._report(call.name.place, f"'{shorten(name)}' is not defined; {near}", hint)
            return 1
        wanted, given = len(definition.parameters), len(call.arguments)
        if wanted != given:
            shape = f"{name}({', '.join(parameter.text for parameter in definition.parameters)})"
            message = f"'{name}' takes {_values(wanted)}, found {given}"
            self._report(call.name.place, message, f"it is defined in line {definition.place.line}: {shape}")
            return 1
        if not self._follow or name not in self._depth:
            for argument in call.arguments:
                self._builder.value(argument, scope)
            return 1
        values = [self._builder.value(argument, scope) for argument in call.arguments]
        key = (name, self._outside(name, scope.outer), tuple(_content(value) for value in values))
        if key not in self._sizes:
            mistakes = len(self._found)
            names = [parameter.text for parameter in definition.parameters]
            inner = scope.inside(name, dict(zip(names, values, strict=True)))
            size = self._count_commands(definition.body, inner)
            if len(self._found) > mistakes:
                return size  # another call with these values is checked too: its mistakes are elsewhere
            self._sizes[key] = size
        return self._sizes[key]

    def _outside(self, name: str, outer: NamedValues) -> int:
        """A number for the values that a definition finds named outside of it: the same for the same ones."""
        last, number = self._last_outside.get(name, (None, 0))
        if last is outer:
            return number
        words = self._words[name]
        self._visits += len(words) // _WORDS_A_VISIT
        found = tuple((word, _content(outer[word])) for word in words if word in outer)
        number = self._numbers.setdefault(found, len(self._numbers))
        self._last_outside[name] = outer, number
        return number

    def _depths(self) -> dict[str, int]:
        """The depth of calls in each definition, without those that are recursive or nested too deep."""
        depths: dict[str, int] = {}
        callers: dict[str, list[str]] = {name: [] for name in self._calls}
        open_calls: dict[str, int] = {}  # of definitions whose depths are not known yet
        for name, calls in self._calls.items():
            called = {call.name.text for call in calls} & self._calls.keys()
            open_calls[name] = len(called)
            for inner in called:
                callers[inner].append(name)
        known = [name for name, count in open_calls.items() if not count]
        for depth in range(1, MAX_CALL_DEPTH + 1):
            if not known:
                break
            depths.update(dict.fromkeys(known, depth))
            reached = [caller for name in known for caller in callers[name]]
            for caller in reached:
                open_calls[caller] -= 1
            known = [caller for caller in dict.fromkeys(reached) if not open_calls[caller]]
        return depths

    def _all_words(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for name in self._depth:  # what is called comes before what calls it
            words = dict.fromkeys(_words(self._script.definitions[name].body))
            for call in self._calls[name]:
                words |= dict.fromkeys(found.get(call.name.text, ()))
            found[name] = tuple(words)
        return found

    def _check_recursion(self) -> None:
        """Reports definitions that call themselves, directly or through others, or that are nested too deep."""
        done: set[str] = set(self._depth)
        told = False
        for start in [name for name in self._calls if name not in self._depth]:
            way: dict[str, None] = {}
            todo: list[tuple[str, CallStatement | None, bool]] = [(start, None, False)]
            while todo:
                name, call, leave = todo.pop()
                if leave:
                    done.add(way.popitem()[0])
                elif name in way:
                    assert call is not None
                    through = [*way][[*way].index(name) + 1 :]
                    words = f" through '{through[0]}'" if through else ""
                    self._report(call.name.place, f"'{name}' calls itself{words}: a script would never end", "")
                    told = True
                elif name not in done:
                    way[name] = None
                    todo.append((name, None, True))
                    todo += [(i.name.text, i, False) for i in reversed(self._calls[name]) if i.name.text in self._calls]
        if not told and len(done) > len(self._depth):
            name = min(done - self._depth.keys(), key=lambda n: self._script.definitions[n].place.line)
            message = f"the calls in '{name}' are nested more than {MAX_CALL_DEPTH} deep"
            self._report(self._script.definitions[name].name.place, message, "")

    def _report(self, place: Span, message: str, hint: str) -> None:
        mistake = self._script.mistake(place, message, hint)
        self._found.setdefault((place.file, place.line, place.column, message), mistake)
        if len(self._found) > MAX_MISTAKES:
            raise _GiveUpError


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


def _words(node: object) -> Iterator[str]:
    """All words in a piece of the tree that may stand for values."""
    if isinstance(node, Atom):
        if node.kind == "word":
            yield node.text
    elif isinstance(node, tuple):
        for item in node:
            yield from _words(item)
    elif is_dataclass(node):
        yield from _words(tuple(getattr(node, each.name) for each in fields(node)))


def _content(value: tree.Value | None) -> object:
    """A value without its location."""
    if isinstance(value, tree.VectorNode):
        return tuple(_content(item) for item in value.items)
    if isinstance(value, tree.Computed):
        return value.low, value.high, value.seconds
    return (value.text, value.kind) if isinstance(value, Atom) else None


def _values(count: int) -> str:
    return {0: "no values", 1: "one value"}.get(count, f"{count} values")
