"""Parses one line to a statement or a syntax mistake. Only this module knows the parser library."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from puppet.files import user_folders
from puppet.language import tree
from puppet.language.line_shapes import LineShapes
from puppet.language.syntax_mistakes import SyntaxMistake, unexpected_character, unexpected_token, with_idiom
from puppet.language.tree import Atom, Calculation, Span, Statement, TaskOption, Value, VectorNode

if TYPE_CHECKING:
    from lark import Token

GRAMMAR = Path(__file__).with_name("grammar.lark")
_MAX_STEPS = 100  # calculations and brackets in a line
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_\-]*")
_WORDS = re.compile(r"\w+|[^\w\s]")
_NO_VALUES = re.compile(r'"[^"]*"|#.*')  # names in quotes and comments
_SHAPES = LineShapes()
_ONE_AT_A_TIME = Lock()  # the builder is told the place of each line


def parse_line(text: str, number: int, file: int = 0) -> Statement | SyntaxMistake | None:
    """The statement in a line; None where there is none. `file`: which of the script's files it stands in."""
    return parse_like_others(text, number, file) or parse_alone(text, number, file)


def parse_like_others(text: str, number: int, file: int) -> Statement | None:
    """The statement in a line that is like others that were parsed before, but for names and numbers."""
    return _SHAPES.statement(text, number, file)


def parse_alone(text: str, number: int, file: int) -> Statement | SyntaxMistake | None:
    """The statement in a line, whatever was parsed before."""
    from lark import UnexpectedCharacters, UnexpectedToken

    word = _WORD.search(text)
    first = Span(number, word.start() + 1, len(word.group()), file) if word else Span(number, 1, 1, file)
    parser, builder = _parser_and_builder()
    too_many = SyntaxMistake(first, f"the line has more than {_MAX_STEPS} calculations and brackets")
    if calculations_in(text) > 2 * _MAX_STEPS:  # without parsing them
        return too_many
    try:
        with _ONE_AT_A_TIME:
            builder.place, builder.steps = first, 0
            statement: Statement | None = parser.parse(text)
            if builder.steps > _MAX_STEPS:
                return too_many
            if statement is not None:
                _SHAPES.learn(text, statement)
    except UnexpectedToken as error:
        column = None if error.token.type == "$END" else error.token.column
        accepted = {str(name).removeprefix("_") for name in error.accepts or ()}
        return with_idiom(unexpected_token(text, Span(number, 1, 1, file), column, accepted), text)
    except UnexpectedCharacters as error:
        return with_idiom(unexpected_character(text, Span(number, error.column, 1, file)), text)
    return statement


def calculations_in(text: str) -> int:
    """How many calculations and brackets there are in a line, as far as its signs tell."""
    if '"' in text or "#" in text:
        text = _NO_VALUES.sub("", text)
    count = text.count
    return count("(") + count("+") + count("*") + count("/") + count(" - ")


def words_in(text: str) -> int:
    """How many words and signs there are in a line."""
    return len(_WORDS.findall(text))


def accepted_next(beginning: str) -> frozenset[str] | None:
    """The names of the terminals that may follow the beginning of a line; None where it is wrong already."""
    from lark import UnexpectedInput

    parser, builder = _parser_and_builder()
    try:
        with _ONE_AT_A_TIME:
            builder.place = Span(1, 1, 1)
            state = parser.parse_interactive(beginning)
            state.exhaust_lexer()
            return frozenset(str(name).removeprefix("_") for name in state.accepts())
    except UnexpectedInput:
        return None


@cache
def _parser_and_builder() -> tuple[Any, Any]:
    """The parser and what builds the tree while it parses, both made when the first line is read.

    The tables that lark works out from the grammar are kept in the user's cache, for as long as grammar and lark stay.
    """
    from lark import Lark

    folder = user_folders.cache_folder()
    kept = folder is not None and user_folders.make_private(folder)  # whoever can write there can have code run here
    builder = _builder_class()()
    grammar = GRAMMAR.read_text(encoding="utf-8")
    return (
        Lark(
            grammar,
            parser="lalr",
            transformer=builder,
            cache=str(folder / "grammar.lark") if folder and kept else False,
        ),
        builder,
    )


# ---- the tree


def _builder_class() -> Any:
    """The class that builds statements from the parse tree. It checks nothing: lark would wrap its errors."""
    from lark import Transformer

    class Builder(Transformer):  # type: ignore[type-arg]
        place = Span(1, 1, 1)  # of the line's first word
        steps = 0  # calculations and brackets in the line

        def atom(self, token: Token, kind: str) -> Atom:
            text = str(token)
            place = Span(self.place.line, token.column or 1, len(text), self.place.file)
            return Atom(text[1:-1] if kind == "string" else text, kind, place)

        def start(self, children: list[Any]) -> Statement | None:
            return children[0] if children else None

        def word(self, children: list[Token]) -> Atom:
            return self.atom(children[0], "word")

        def number(self, children: list[Token]) -> Atom:
            return self.atom(children[0], "number")

        def string(self, children: list[Token]) -> Atom:
            return self.atom(children[0], "string")

        def vector(self, children: list[Any]) -> VectorNode:
            self.steps += 1
            return VectorNode(tuple(children[1:-1]), self.between(children[0].column, children[-1].column))

        def between(self, begin: int, end: int) -> Span:
            return Span(self.place.line, begin, end + 1 - begin, self.place.file)

        def calculation(self, children: list[Any]) -> Calculation:
            self.steps += 1
            left, sign, right = children
            place = self.between(left.place.column, right.place.column + right.place.length - 1)
            return Calculation(str(sign), (left, right), place)

        def positive(self, children: list[Any]) -> Atom:
            """A number with its sign."""
            sign, value = children
            place = self.between(sign.column, value.place.column + value.place.length - 1)
            return Atom(f"{sign}{value.text}", "number", place)

        def negation(self, children: list[Any]) -> Atom | Calculation:
            self.steps += 1
            sign, value = children
            if isinstance(value, Atom) and value.kind == "number" and value.place.column == sign.column + 1:
                return self.positive(children)
            place = self.between(sign.column, value.place.column + value.place.length - 1)
            return Calculation("-", (value,), place)

        def random(self, children: list[Any]) -> Calculation:
            self.steps += 1
            place = self.between(children[0].column, children[-1].column)
            return Calculation("random", (children[2], children[3]), place)

        def hand(self, children: list[Atom]) -> Atom:
            return children[0]

        def option(self, children: list[Any]) -> TaskOption:
            return TaskOption(children[0], children[1])

        def options(self, children: list[Any]) -> tree.Options:
            return tuple(children)

        def edge(self, children: list[Token]) -> str:
            return str(children[0])

        def when(self, children: list[Any]) -> tree.RelationNode:
            return tree.RelationNode("when", children[0], children[1])

        def when_shifted(self, children: list[Any]) -> tree.RelationNode:
            return tree.RelationNode("when", children[0], children[1], str(children[2]), children[3])

        def until(self, children: list[Any]) -> tree.RelationNode:
            return tree.RelationNode("until", children[0], children[1])

        def plain_word(self, children: list[Token]) -> Atom:
            return self.atom(children[0], "word")

        def spot_name(self, children: list[Any]) -> tree.SpotNode:
            return tree.SpotNode("name", children[0], children[0].place)

        def spot_hand(self, children: list[Any]) -> tree.SpotNode:
            return tree.SpotNode("hand", children[0], children[0].place)

        def spot_space(self, children: list[Any]) -> tree.SpotNode:
            return tree.SpotNode("space", children[0], children[0].place)

        def spot_point(self, children: list[Any]) -> tree.SpotNode:
            return tree.SpotNode("point", children[0], children[0].place)

        def labelled(self, children: list[Any]) -> Statement:
            return tree.LabelledStatement(self.place, children[0], children[1])

        def environment(self, children: list[Atom]) -> Statement:
            return tree.EnvironmentStatement(self.place, children[0])

        def fps(self, children: list[Value]) -> Statement:
            return tree.FpsStatement(self.place, children[0])

        def setting(self, children: list[Any]) -> Statement:
            return tree.SetStatement(self.place, children[0], children[1])

        def reach_object(self, children: list[Any]) -> Statement:
            return tree.ReachStatement(self.place, children[1], children[2], "object", children[0])

        def reach_space(self, children: list[Any]) -> Statement:
            return tree.ReachStatement(self.place, children[1], children[2], "space", children[0])

        def reach_hand(self, children: list[Any]) -> Statement:
            return tree.ReachStatement(self.place, children[1], children[2], "hand", children[0])

        def reach_point(self, children: list[Any]) -> Statement:
            return tree.ReachStatement(self.place, children[1], children[2], "point", children[0])

        def reach_nearest(self, children: list[Any]) -> Statement:
            return tree.ReachStatement(self.place, children[1], children[2], "kind", children[0])

        def take(self, children: list[Any]) -> Statement:
            return tree.TakeStatement(self.place, children[1], children[2], "object", children[0])

        def take_nearest(self, children: list[Any]) -> Statement:
            return tree.TakeStatement(self.place, children[1], children[2], "kind", children[0])

        def put_on_object(self, children: list[Any]) -> Statement:
            return tree.PutStatement(self.place, children[0], children[2], "object", children[1])

        def put_on_space(self, children: list[Any]) -> Statement:
            return tree.PutStatement(self.place, children[0], children[2], "space", children[1])

        def put_on_hand(self, children: list[Any]) -> Statement:
            return tree.PutStatement(self.place, children[0], children[2], "hand", children[1])

        def give(self, children: list[Any]) -> Statement:
            return tree.GiveStatement(self.place, children[1], children[2], children[0])

        def release(self, children: list[Any]) -> Statement:
            return tree.ReleaseStatement(self.place, children[0])

        def point_at(self, children: list[Any]) -> Statement:
            return tree.PointStatement(self.place, children[1], children[2], children[0])

        def look_at(self, children: list[Any]) -> Statement:
            return tree.LookStatement(self.place, children[0], None, children[1])

        def look_ahead(self, children: list[Any]) -> Statement:
            return tree.LookStatement(self.place, None, children[0], children[1])

        def nod(self, children: list[Any]) -> Statement:
            return tree.HeadStatement(self.place, "nod", None, children[0])

        def shake_head(self, children: list[Any]) -> Statement:
            return tree.HeadStatement(self.place, "shake", children[0], children[1])

        def wait_for(self, children: list[Any]) -> Statement:
            return tree.WaitForStatement(self.place, children[0])

        def slide(self, children: list[Any]) -> Statement:
            turn = children[2] if len(children) == 4 else None
            return tree.SlideStatement(self.place, children[0], children[-1], children[1], turn)

        def perform(self, children: list[Any]) -> Statement:
            return tree.PerformStatement(self.place, children[-2], children[-1], tuple(children[:-2]), True)

        def gesture(self, children: list[Any]) -> Statement:
            return tree.PerformStatement(self.place, children[-2], children[-1], tuple(children[:-2]), False)

        def pose(self, children: list[Any]) -> Statement:
            return tree.PoseStatement(self.place, children[0], children[1], children[2])

        def body(self, children: list[Atom]) -> Statement:
            return tree.BodyStatement(self.place, children[0])

        def part(self, children: list[Atom]) -> tuple[Atom, ...]:
            return tuple(children)

        def hand_word(self, children: list[Token]) -> Atom:
            return self.atom(children[0], "word")

        def pin(self, children: list[Any]) -> Statement:
            return tree.PinStatement(self.place, children[0], children[1] if len(children) == 3 else None, children[-1])

        def unpin(self, children: list[Any]) -> Statement:
            return tree.UnpinStatement(self.place, children[0])

        def drag_to(self, children: list[Any]) -> Statement:
            return tree.DragStatement(self.place, children[0], children[1], None, children[2])

        def drag_by(self, children: list[Any]) -> Statement:
            return tree.DragStatement(self.place, children[0], None, children[1], children[2])

        def turn_word(self, children: list[Token]) -> Atom:
            return self.atom(children[0], "word")

        def walk_to(self, children: list[Any]) -> Statement:
            return tree.TravelStatement(self.place, "walk", children[0], children[1])

        def turn_by(self, children: list[Any]) -> Statement:
            return tree.TravelStatement(self.place, "turn", None, children[1], by=children[0])

        def turn_to(self, children: list[Any]) -> Statement:
            return tree.TravelStatement(self.place, "turn", children[0], children[1])

        def step_to(self, children: list[Any]) -> Statement:
            return tree.TravelStatement(self.place, "step", children[1], children[2], foot=children[0])

        def sit_down(self, children: list[Any]) -> Statement:
            return tree.TravelStatement(self.place, "sit", None, children[0])

        def stand_up(self, children: list[Any]) -> Statement:
            return tree.TravelStatement(self.place, "stand", None, children[0])

        def crouch(self, children: list[Any]) -> Statement:
            return tree.TravelStatement(self.place, "crouch", None, children[0])

        def jump_to(self, children: list[Any]) -> Statement:
            return tree.TravelStatement(self.place, "jump", children[0], children[1])

        def swing_from(self, children: list[Any]) -> Statement:
            return tree.TravelStatement(self.place, "swing", children[0], children[1])

        def balance(self, children: list[Atom]) -> Statement:
            return tree.BalanceStatement(self.place, children[0])

        def push(self, children: list[Any]) -> Statement:
            return tree.PushStatement(self.place, children[0], children[1], children[2])

        def physics(self, children: list[Atom]) -> Statement:
            return tree.PhysicsStatement(self.place, children[0])

        def lock(self, children: list[Atom]) -> Statement:
            return tree.LockStatement(self.place, children[0])

        def unlock(self, children: list[Atom]) -> Statement:
            return tree.UnlockStatement(self.place, children[0])

        def freeze(self, children: list[Any]) -> Statement:
            return tree.FreezeStatement(self.place)

        def interrupt(self, children: list[Any]) -> Statement:
            return tree.InterruptStatement(self.place, children[0])

        def at(self, children: list[Value]) -> Statement:
            return tree.AtStatement(self.place, children[0])

        def wait(self, children: list[Value]) -> Statement:
            return tree.WaitStatement(self.place, children[0])

        def wait_until_done(self, children: list[Any]) -> Statement:
            return tree.WaitStatement(self.place, None)

        def record_start(self, children: list[Any]) -> Statement:
            return tree.RecordStatement(self.place, True)

        def record_stop(self, children: list[Any]) -> Statement:
            return tree.RecordStatement(self.place, False)

        def define(self, children: list[Atom]) -> Statement:
            return tree.DefineStatement(self.place, children[0], tuple(children[1:]))

        def repeat(self, children: list[Value]) -> Statement:
            return tree.RepeatStatement(self.place, children[0])

        def repeat_as(self, children: list[Any]) -> Statement:
            return tree.RepeatStatement(self.place, children[0], variable=children[1])

        def let(self, children: list[Any]) -> Statement:
            return tree.LetStatement(self.place, children[0], children[2])

        def seed(self, children: list[Value]) -> Statement:
            return tree.SeedStatement(self.place, children[0])

        def import_words(self, children: list[Atom]) -> Statement:
            return tree.ImportStatement(self.place, children[0])

        def end(self, children: list[Any]) -> Statement:
            return tree.EndStatement(self.place)

        def call(self, children: list[Any]) -> Statement:
            return tree.CallStatement(self.place, children[0], tuple(children[1:]))

    return Builder
