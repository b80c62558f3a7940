"""Lines whose parts were parsed before are not parsed again: their statement is put together from earlier ones with
other names and numbers. The parts are the line itself, each option behind it, and values in brackets. The shape of a
part is its keywords and signs, and the kinds of all other tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

from puppet.language.syntax_mistakes import KEYWORDS
from puppet.language.tree import Atom, Options, Span, Statement, VectorNode

_SIGNLESS = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?s?"
_END = r"(?![\w.+\-])"
_TOKEN = re.compile(
    rf"""[ \t\f]*(?:("[^"]*")|({_SIGNLESS}){_END}|([+-]{_SIGNLESS}){_END}|([A-Za-z0-9_][A-Za-z0-9_\-]*){_END}"""
    rf"""|([(),=*/:]|[+-]{_END})|(\#)|([^ \t\f]))""",
    re.ASCII,
)
_STRING, _NUMBER, _SIGNED, _WORD, _SIGN, _COMMENT = range(1, 7)  # its groups; the last one is what nothing knows
_SHOWN = {_STRING: '"', _NUMBER: "0", _SIGNED: "-0"}
_MOST = 10_000  # shapes that are kept
_SPECIAL = KEYWORDS | {"random", "nearest"}  # words that the grammar knows
_LINE, _OPTION, _GROUP = "line", "option", "group"  # kinds of parts


class _Token(NamedTuple):
    column: int
    text: str
    shown: str  # in a shape
    group: _Part | None = None  # values in brackets: a token for the part in them


class _Part(NamedTuple):
    shape: tuple[str, ...]
    tokens: list[_Token]


class _Place(NamedTuple):
    """Where a part stands, and what stands in its open places."""

    line: int
    file: int
    groups: tuple[Any, ...]
    options: Options = ()


_Maker = Callable[[Sequence[_Token], _Place], Any]  # a piece of the tree from tokens


class LineShapes:
    """The shapes of the parts that were parsed so far."""

    def __init__(self) -> None:
        self._makers: dict[tuple[str, ...], _Maker | None] = {}

    def statement(self, text: str, line: int, file: int) -> Statement | None:
        """The statement of a line, if the shapes of all its parts are known."""
        parts = _parts(text)
        if parts is None:
            return None
        head, *options = parts
        found = [self._make(part, line, file) for part in options]
        if any(option is None for option in found):
            return None
        statement: Statement | None = self._make(head, line, file, tuple(found))
        return statement if len(_options(statement)) == len(found) else None  # some statements take no options

    def learn(self, text: str, statement: Statement) -> None:
        """Learns how the parts of a line follow from their tokens."""
        parts = _parts(text)
        if parts is None:
            return
        options = _options(statement)
        nodes = (statement, *options)
        if len(nodes) == len(parts):
            for part, node in zip(parts, nodes, strict=True):
                self._learn(part, node)

    def _learn(self, part: _Part, node: Any) -> None:
        if len(self._makers) >= _MOST:
            return
        learning = _Learning(part)
        try:
            self._makers[part.shape] = learning.maker(node)
        except KeyError:  # its pieces are not whole tokens, as in 2 -1
            self._makers[part.shape] = None
        for group, inner in learning.groups:
            self._learn(group, inner)

    def _make(self, part: _Part, line: int, file: int, options: Options = ()) -> Any:
        """A piece of the tree; None where its shape is not known."""
        maker = self._makers.get(part.shape)
        if maker is None:
            return None
        groups = tuple([self._make(token.group, line, file) for token in part.tokens if token.group is not None])
        if None in groups:
            return None
        return maker(part.tokens, _Place(line, file, groups, options))


def _options(statement: Any) -> Options:
    while inner := getattr(statement, "action", None) or getattr(statement, "task", None):
        statement = inner
    found: Options = getattr(statement, "options", ())
    return found


def _parts(text: str) -> list[_Part] | None:
    """The line without its options, and these; None where there is nothing, or what the grammar does not know."""
    found: list[_Part] = []
    tokens: list[_Token] = []
    opened: list[int] = []  # brackets that are open: their places among the tokens
    for match in _TOKEN.finditer(text):
        kind = match.lastindex
        assert kind is not None
        if kind == _COMMENT:
            break
        if kind > _COMMENT:
            return None
        word, column = match[kind], match.start(kind) + 1
        if kind == _SIGN:
            if word == "," and not opened:
                found.append(_part(_OPTION if found else _LINE, tokens))
                tokens = []
                continue
            if word == "(":
                opened.append(len(tokens))
            tokens.append(_Token(column, word, word))
            if word == ")" and opened:
                start = opened.pop()
                if not opened:
                    _fold(tokens, start, text, not found)
        elif kind == _WORD:
            tokens.append(_Token(column, word, word if word in _SPECIAL else "w"))
        else:
            tokens.append(_Token(column, word, _SHOWN[kind]))
    if not tokens:
        return None
    found.append(_part(_OPTION if found else _LINE, tokens))
    return found


def _part(kind: str, tokens: list[_Token]) -> _Part:
    return _Part((kind, *[token.shown for token in tokens]), tokens)


def _fold(tokens: list[_Token], start: int, text: str, in_line: bool) -> None:
    """Makes one token of values in brackets, which are the last ones, unless they are given to something by name."""
    called = in_line and ((start == 1 and tokens[0].shown == "w") or (start == 2 and tokens[0].text == "define"))
    group = tokens[start:]
    if called or (start and tokens[start - 1].text == "random") or any(t.shown in _SPECIAL for t in group):
        return
    words = text[group[0].column - 1 : group[-1].column]
    tokens[start:] = [_Token(group[0].column, words, "()", _part(_GROUP, group))]


class _Learning:
    """How a piece of the tree follows from the tokens of its part."""

    def __init__(self, part: _Part) -> None:
        tokens = part.tokens
        self._starts = {token.column: n for n, token in enumerate(tokens)}
        self._ends = {token.column + len(token.text): n for n, token in enumerate(tokens)}
        grouped = [token for token in tokens if token.group is not None]
        self._groups = {token.column: (n, token.group) for n, token in enumerate(grouped)}
        self.groups: list[tuple[_Part, VectorNode]] = []

    def maker(self, node: Any) -> _Maker:
        if isinstance(node, VectorNode) and node.place.column in self._groups:
            number, part = self._groups[node.place.column]
            assert part is not None
            self.groups.append((part, node))
            return lambda tokens, at: at.groups[number]
        if isinstance(node, Span):
            first, last = self._starts[node.column], self._ends[node.column + node.length]
            return lambda tokens, at: _span(tokens[first], tokens[last], at)
        if isinstance(node, Atom):
            number, kind = self._starts[node.place.column], node.kind
            if self._ends[node.place.column + node.place.length] != number:
                raise KeyError
            return lambda tokens, at: _atom(tokens[number], kind, at)
        if isinstance(node, tuple):
            items = [self.maker(item) for item in node]
            return lambda tokens, at: tuple([item(tokens, at) for item in items])
        if is_dataclass(node) and not isinstance(node, type):
            kind_of = type(node)
            parts = [_given_options if each.name == "options" else self.maker(getattr(node, each.name))
                     for each in fields(node)]  # fmt: skip
            return lambda tokens, at: kind_of(*[part(tokens, at) for part in parts])
        return lambda tokens, at: node


def _given_options(tokens: Sequence[_Token], at: _Place) -> Options:
    return at.options


def _span(first: _Token, last: _Token, at: _Place) -> Span:
    return Span(at.line, first.column, last.column + len(last.text) - first.column, at.file)


def _atom(token: _Token, kind: str, at: _Place) -> Atom:
    text = token.text
    return Atom(text[1:-1] if kind == "string" else text, kind, Span(at.line, token.column, len(text), at.file))
