"""The names of tasks and the relations between them: what is named twice, unknown, too late or in a circle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from puppet.errors import did_you_mean
from puppet.files.text_file import shorten
from puppet.language import tree
from puppet.language.calculation import ReportMistake
from puppet.language.tree import Atom, DefineStatement, RepeatStatement, Script, Statement


def check_task_names(script: Script, report: ReportMistake) -> None:
    """Reports every mistake in the names of tasks."""
    lines = list(_flat([*script.statements, *script.definitions.values()]))
    names: dict[str, tree.LabelledStatement] = {}
    for statement in lines:
        if isinstance(statement, tree.LabelledStatement):
            label = statement.label
            if label.text in names:
                first = names[label.text].label.place.line
                report(label.place, f"a task is called '{shorten(label.text)}' a second time", f"first in line {first}")
            else:
                names[label.text] = statement
    for statement in lines:
        for node in _relations(statement):
            _check_known(node.name, names, report)
        if isinstance(statement, tree.WaitForStatement):
            _check_known(statement.name, names, report)
    _check_waits(script.statements, names, report)
    _check_circles(names, report)


def _check_known(name: Atom, names: Iterable[str], report: ReportMistake) -> None:
    if name.text not in names:
        near = did_you_mean(name.text[:60], names)
        hint = "a task gets a name before a colon, as in: pouring: pour with right"
        if name.kind == "number":
            hint = f"for a time, write: wait {shorten(name.text)}"
        report(name.place, f"no task is called '{shorten(name.text)}'; {near}", hint)


def _check_waits(
    statements: tuple[Statement, ...], names: dict[str, tree.LabelledStatement], report: ReportMistake
) -> None:
    """Waiting for a task that is only told afterwards would take forever."""
    later = {id(s): n for n, s in enumerate(statements)}
    for number, statement in enumerate(statements):
        if isinstance(statement, tree.WaitForStatement):
            named = names.get(statement.name.text)
            if named is not None and later.get(id(named), -1) > number:
                message = f"'{shorten(statement.name.text)}' is only told in line {named.place.line}, after this"
                report(statement.name.place, message, "a relation may stand before the task that it names: , when ...")


def _check_circles(names: dict[str, tree.LabelledStatement], report: ReportMistake) -> None:
    waits = {name: [node.name for node in _relations(statement)] for name, statement in names.items()}
    done: set[str] = set()
    for start in names:
        way = [start]
        while way:
            if way[-1] in done or not waits.get(way[-1]):
                done.update(way)
                break
            target = waits[way[-1]][0]  # `when` decides when it begins
            if target.text in way:
                circle = way[way.index(target.text) :]
                words = ", which waits for ".join(f"'{shorten(name)}'" for name in (*circle[1:], target.text))
                report(target.place, f"'{shorten(circle[0])}' would wait for itself: it waits for {words}", "")
                done.update(way)
                break
            way.append(target.text)


def _relations(statement: Statement) -> Iterator[tree.RelationNode]:
    action = statement.action if isinstance(statement, tree.LabelledStatement) else statement
    action = action.task if isinstance(action, tree.InterruptStatement) else action
    for option in getattr(action, "options", ()):
        if isinstance(option, tree.RelationNode):
            yield option


def _flat(statements: Iterable[Statement]) -> Iterator[Statement]:
    for statement in statements:
        if isinstance(statement, (DefineStatement, RepeatStatement)):
            yield from _flat(statement.body)
        else:
            yield statement
