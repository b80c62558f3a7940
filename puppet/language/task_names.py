"""The names of tasks and the relations between them: what is named twice, unknown, too late or in a circle; and which
task a name means in a round of a block or a call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import count

from puppet.command import ENDS, STARTS
from puppet.errors import did_you_mean
from puppet.files.text_file import shorten
from puppet.language import tree
from puppet.language.calculation import ReportMistake
from puppet.language.tree import Atom, CallStatement, DefineStatement, RepeatStatement, Script, Statement
from puppet.language.value_reader import Scope, TaskBlock

_Moment = tuple[str, str]  # a task's name, and whether it starts or ends
_Labelled = dict[str, tree.LabelledStatement]
_Waits = dict[_Moment, list[tuple[_Moment, Atom | None]]]  # what a moment comes after, and the name that says so
_AT_ONCE = 4096  # tasks of which it is asked together what comes after them: each is a bit
_SHOWN = 8  # tasks of a circle that a message names


def check_task_names(script: Script, report: ReportMistake) -> None:
    """Reports every mistake in the names of tasks."""
    bodies = [script.statements, *(definition.body for definition in script.definitions.values())]
    named = [_labelled(body, report) for body in bodies]
    known = frozenset().union(*named)
    meant = _parameters_that_name_tasks(script.definitions)
    parameters = [frozenset[str](), *(frozenset(p.text for p in d.parameters) for d in script.definitions.values())]
    for body, own in zip(bodies, parameters, strict=True):
        for statement in _flat(body):
            for name in _names_in(statement, meant):
                if name.text not in known and name.text not in own:
                    _tell_unknown(name, known, report)
    _check_waits(script, report)
    counts = Counter(name for labelled in named for name in labelled)
    alone = {name: line for labelled in named for name, line in labelled.items() if counts[name] == 1}
    for labelled in (*named, alone) if len(named) > 1 else named:
        _check_circles({name: line for name, line in labelled.items() if any(_relations(line))}, report)


# ---- which task a name means


class TaskBlocks:
    """Numbers the rounds of blocks and the calls of a script in which tasks have names."""

    def __init__(self, script: Script) -> None:
        self._definitions = script.definitions
        self._known: dict[int, tuple[frozenset[str], frozenset[str]]] = {}
        self._numbers = count()
        self.script = self.entered(Scope(), script.statements)  # the scope of the script itself

    def entered(self, scope: Scope, body: tuple[Statement, ...]) -> Scope:
        """The scope in which a body is carried out once: a name means the task of this round, where it has one."""
        own, reached = self._names(body)
        block = TaskBlock(next(self._numbers), own, reached) if reached else None
        return scope if block is None else scope.with_block(block)

    def has_names(self, body: tuple[Statement, ...]) -> bool:
        return bool(self._names(body)[1])

    def _names(self, body: tuple[Statement, ...]) -> tuple[frozenset[str], frozenset[str]]:
        """The names of tasks in a body itself, and those with the ones in what it calls."""
        if id(body) not in self._known:
            lines = list(_flat(body))
            own = frozenset(line.label.text for line in lines if isinstance(line, tree.LabelledStatement))
            called = {line.name.text for line in lines if isinstance(line, CallStatement)}
            inner = (self._names(self._definitions[name].body)[1] for name in sorted(called))
            self._known[id(body)] = own, own.union(*inner)
        return self._known[id(body)]


# ---- mistakes


def _labelled(body: tuple[Statement, ...], report: ReportMistake) -> _Labelled:
    """The named tasks of a script or of a definition."""
    found: _Labelled = {}
    for statement in _flat(body):
        if isinstance(statement, tree.LabelledStatement):
            label = statement.label
            if label.text in found:
                first = found[label.text].label.place.line
                report(label.place, f"a task is called '{shorten(label.text)}' a second time", f"first in line {first}")
            else:
                found[label.text] = statement
    return found


def _names_in(statement: Statement, meant: Mapping[str, frozenset[int]]) -> Iterator[Atom]:
    """The names of tasks that a statement uses, those that it gives to a definition included."""
    if isinstance(statement, tree.WaitForStatement):
        yield statement.name
    if isinstance(statement, CallStatement):
        for place, argument in enumerate(statement.arguments):
            if place in meant.get(statement.name.text, ()) and isinstance(argument, Atom):
                yield argument
    for node in _relations(statement):
        yield node.name


def _parameters_that_name_tasks(definitions: Mapping[str, DefineStatement]) -> Mapping[str, frozenset[int]]:
    """The places of the parameters that stand for tasks, by definition."""
    found: dict[str, frozenset[int]] = dict.fromkeys(definitions, frozenset())
    callers: dict[str, set[str]] = {name: set() for name in definitions}
    for name, definition in definitions.items():
        for line in _flat(definition.body):
            if isinstance(line, CallStatement) and line.name.text in callers:
                callers[line.name.text].add(name)
    todo = list(definitions)
    while todo:
        name = todo.pop()
        definition = definitions[name]
        used = {atom.text for line in _flat(definition.body) for atom in _names_in(line, found)}
        places = frozenset(n for n, p in enumerate(definition.parameters) if p.text in used)
        if places != found[name]:
            found[name] = places
            todo += sorted(callers[name])
    return found


def _tell_unknown(name: Atom, names: Iterable[str], report: ReportMistake) -> None:
    near = did_you_mean(name.text[:60], names)
    hint = "a task gets a name before a colon, as in: pouring: pour with right"
    if name.kind == "number":
        hint = f"for a time, write: wait {shorten(name.text)}"
    report(name.place, f"no task is called '{shorten(name.text)}'; {near}", hint)


def _check_waits(script: Script, report: ReportMistake) -> None:
    """Waiting for a task that is only told afterwards would take forever."""
    told: set[str] = set()
    later = {s.label.text: s for s in reversed(list(_flat(script.statements))) if isinstance(s, tree.LabelledStatement)}
    for statement in _with_calls(script.statements, script.definitions):
        if isinstance(statement, tree.LabelledStatement):
            told.add(statement.label.text)
        if isinstance(statement, tree.WaitForStatement):
            name = statement.name
            if name.text in later and name.text not in told:
                line = later[name.text].place.line
                message = f"'{shorten(name.text)}' is only told in line {line}, after this"
                report(name.place, message, "a relation may stand before the task that it names: , when ...")


def _check_circles(named: _Labelled, report: ReportMistake) -> None:
    """Reports tasks that begin or end only after themselves."""
    waits = _waits(named)
    order = _in_order(waits, report)
    if order is not None:
        _in_order(_begun_together(named, waits, order), report)


def _in_order(waits: _Waits, report: ReportMistake) -> list[_Moment] | None:
    """The moments, each behind those that it comes after; None where there are circles, which are reported."""
    done: dict[_Moment, None] = {}
    circles = False
    for start in waits:
        todo: list[tuple[_Moment, Atom | None, bool]] = [(start, None, False)]
        way: dict[_Moment, Atom | None] = {}  # each with the name that led there
        while todo:
            at, atom, leave = todo.pop()
            if leave:
                done[at] = None
                del way[at]
            elif at in way:
                circle = list(way.items())[list(way).index(at) :]
                _tell_circle([*(name for (name, _), _ in circle), at[0]], [*(by for _, by in circle[1:]), atom], report)
                done.update(dict.fromkeys(way))
                circles = True
                break
            elif at not in done:
                way[at] = atom
                todo.append((at, None, True))
                todo += [(to, by, False) for to, by in reversed(waits.get(at, []))]
    return None if circles else list(done)


def _waits(named: _Labelled) -> _Waits:
    """The moments that each moment comes after, and the name that says so."""
    found: _Waits = {}
    for name, statement in named.items():
        start, end = found.setdefault((name, STARTS), []), found.setdefault((name, ENDS), [])
        end.append(((name, STARTS), None))
        for node in _relations(statement):
            (start if node.kind == "when" else end).append(((node.name.text, node.edge), node.name))
    return found


def _begun_together(named: _Labelled, waits: _Waits, order: list[_Moment]) -> _Waits:
    """The same, and that what goes on until another task ends begins with it, unless that one waits for it."""
    found, asking = dict(waits), []
    for name, statement in named.items():
        nodes = {node.kind: node for node in _relations(statement)}
        if "until" in nodes and "when" not in nodes and nodes["until"].edge == ENDS:
            asking.append(((name, STARTS), nodes["until"].name))
    for first in range(0, len(asking), _AT_ONCE):
        together = asking[first : first + _AT_ONCE]
        bits = {moment: 1 << n for n, (moment, _) in enumerate(together)}
        after: dict[_Moment, int] = {}  # which of these each moment comes after, or is
        for at in order:
            known = bits.get(at, 0)
            for to, _ in waits.get(at, ()):
                known |= after[to]
            after[at] = known
        for moment, other in together:
            if not after.get((other.text, STARTS), 0) & bits[moment]:
                found[moment] = [*waits[moment], ((other.text, STARTS), other)]
    return found


def _tell_circle(circle: list[str], said: list[Atom | None], report: ReportMistake) -> None:
    """Reports tasks that wait for each other, at the last of the names that say so."""
    names = [name for n, name in enumerate(circle) if n == 0 or name != circle[n - 1]]
    place = [atom for atom in said if atom is not None][-1].place
    words = ", which waits for ".join(f"'{shorten(name)}'" for name in names[1 : _SHOWN + 1] or names)
    words += f", and so on through {len(names) - 1} tasks" if len(names) > _SHOWN + 1 else ""
    report(place, f"'{shorten(names[0])}' would wait for itself: it waits for {words}", "")


def _relations(statement: Statement) -> Iterator[tree.RelationNode]:
    action = statement.action if isinstance(statement, tree.LabelledStatement) else statement
    for option in getattr(action, "options", ()):
        if isinstance(option, tree.RelationNode):
            yield option


def _flat(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Statements, those in repeated blocks included."""
    for statement in statements:
        if isinstance(statement, RepeatStatement):
            yield from _flat(statement.body)
        elif isinstance(statement, tree.InterruptStatement):
            yield statement.task
        elif not isinstance(statement, DefineStatement):
            yield statement


def _with_calls(statements: Iterable[Statement], definitions: Mapping[str, DefineStatement]) -> Iterator[Statement]:
    """Statements in the order in which they are first told, each definition once, behind its first call."""
    called: set[str] = set()
    open_bodies = [_flat(statements)]  # of calls in calls, which may be very many
    while open_bodies:
        statement = next(open_bodies[-1], None)
        if statement is None:
            open_bodies.pop()
            continue
        yield statement
        name = statement.name.text if isinstance(statement, CallStatement) else ""
        if name in definitions and name not in called:
            called.add(name)
            open_bodies.append(_flat(definitions[name].body))
