"""One line of the language: a statement, or the mistake in its form told in words. Only here is the parser known."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from puppet.language import tree
from puppet.language.flaws import Flaw, strange, unexpected
from puppet.language.tree import Atom, Span, Statement, TaskOption, Value, VectorNode

if TYPE_CHECKING:
    from lark import Token

GRAMMAR = Path(__file__).with_name("grammar.lark")
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_\-]*")


def parse_line(text: str, number: int) -> Statement | Flaw | None:
    """The statement in a line; None where there is none."""
    from lark import UnexpectedCharacters, UnexpectedToken

    parser, builder = _tools()
    try:
        found = parser.parse(text)
    except UnexpectedToken as error:
        column = None if error.token.type == "$END" else error.token.column
        return unexpected(text, number, column, {str(name) for name in error.accepts or ()})
    except UnexpectedCharacters as error:
        return strange(text, Span(number, error.column, 1))
    word = _WORD.search(text)
    place = Span(number, word.start() + 1, len(word.group())) if word else Span(number, 1, 1)
    statement: Statement | None = builder(place).transform(found)
    return statement


@cache
def _tools() -> tuple[Any, Any]:
    """The parser, and the class that builds the tree: both made once, when the first line is read."""
    from lark import Lark

    return Lark(GRAMMAR.read_text(encoding="utf-8"), parser="lalr"), _builder_class()


# ---- the tree


def _builder_class() -> Any:
    """Makes data out of what the parser found. It judges nothing: an error in here would come out wrapped."""
    from lark import Transformer

    class Builder(Transformer):  # type: ignore[type-arg]
        def __init__(self, place: Span) -> None:
            super().__init__()
            self.place = place  # of the line's first word

        def atom(self, token: Token, kind: str) -> Atom:
            text = str(token)
            place = Span(self.place.line, token.column or 1, len(text))
            return Atom(text[1:-1] if kind == "string" else text, kind, place)

        def start(self, found: list[Any]) -> Statement | None:
            return found[0] if found else None

        def word(self, found: list[Token]) -> Atom:
            return self.atom(found[0], "word")

        def number(self, found: list[Token]) -> Atom:
            return self.atom(found[0], "number")

        def string(self, found: list[Token]) -> Atom:
            return self.atom(found[0], "string")

        def vector(self, found: list[Any]) -> VectorNode:
            begin, end = found[0].column, found[-1].column
            return VectorNode(tuple(found[1:-1]), Span(self.place.line, begin, end + 1 - begin))

        def hand(self, found: list[Atom]) -> Atom:
            return found[0]

        def option(self, found: list[Any]) -> TaskOption:
            return TaskOption(found[0], found[1])

        def options(self, found: list[TaskOption]) -> tuple[TaskOption, ...]:
            return tuple(found)

        def environment(self, found: list[Atom]) -> Statement:
            return tree.EnvironmentStatement(self.place, found[0])

        def fps(self, found: list[Value]) -> Statement:
            return tree.FpsStatement(self.place, found[0])

        def setting(self, found: list[Any]) -> Statement:
            return tree.SetStatement(self.place, found[0], found[1])

        def reach_object(self, found: list[Any]) -> Statement:
            return tree.ReachStatement(self.place, found[1], found[2], "object", found[0])

        def reach_space(self, found: list[Any]) -> Statement:
            return tree.ReachStatement(self.place, found[1], found[2], "space", found[0])

        def reach_hand(self, found: list[Any]) -> Statement:
            return tree.ReachStatement(self.place, found[1], found[2], "hand", found[0])

        def slide(self, found: list[Any]) -> Statement:
            turn = found[2] if len(found) == 4 else None
            return tree.SlideStatement(self.place, found[0], found[-1], found[1], turn)

        def perform(self, found: list[Any]) -> Statement:
            return tree.PerformStatement(self.place, found[-2], found[-1], tuple(found[:-2]), True)

        def gesture(self, found: list[Any]) -> Statement:
            return tree.PerformStatement(self.place, found[-2], found[-1], tuple(found[:-2]), False)

        def pose(self, found: list[Any]) -> Statement:
            return tree.PoseStatement(self.place, found[0], found[1], found[2])

        def lock(self, found: list[Atom]) -> Statement:
            return tree.LockStatement(self.place, found[0])

        def unlock(self, found: list[Atom]) -> Statement:
            return tree.UnlockStatement(self.place, found[0])

        def freeze(self, found: list[Any]) -> Statement:
            return tree.FreezeStatement(self.place)

        def interrupt(self, found: list[Any]) -> Statement:
            return tree.InterruptStatement(self.place, found[0])

        def at(self, found: list[Value]) -> Statement:
            return tree.AtStatement(self.place, found[0])

        def wait(self, found: list[Value]) -> Statement:
            return tree.WaitStatement(self.place, found[0])

        def wait_until_done(self, found: list[Any]) -> Statement:
            return tree.WaitStatement(self.place, None)

        def record_start(self, found: list[Any]) -> Statement:
            return tree.RecordStatement(self.place, True)

        def record_stop(self, found: list[Any]) -> Statement:
            return tree.RecordStatement(self.place, False)

        def define(self, found: list[Atom]) -> Statement:
            return tree.DefineStatement(self.place, found[0], tuple(found[1:]))

        def repeat(self, found: list[Value]) -> Statement:
            return tree.RepeatStatement(self.place, found[0])

        def end(self, found: list[Any]) -> Statement:
            return tree.EndStatement(self.place)

        def call(self, found: list[Any]) -> Statement:
            return tree.CallStatement(self.place, found[0], tuple(found[1:]))

    return Builder
