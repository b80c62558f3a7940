"""Lines of a shape that was parsed before are not parsed again: their statement is the earlier one with other names and
numbers. A shape is a line's keywords and signs, and the kinds of all other tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from puppet.language.syntax_mistakes import KEYWORDS
from puppet.language.tree import Atom, Span, Statement

_Token = tuple[int, str]  # column, text
_Maker = Callable[[Sequence[_Token], int, int], Any]  # tokens, line, file: a piece of the tree
_TOKEN = re.compile(r'[ \t\f]*("[^"]*"|[\w.+\-]+|[(),=*/:]|#)')
_NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?s?\Z", re.ASCII)
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_\-]*\Z")
_MOST = 10_000  # shapes that are kept
_SPECIAL = KEYWORDS | {"random", "nearest"}  # words that the grammar knows


class LineShapes:
    """The shapes of the lines that were parsed so far."""

    def __init__(self) -> None:
        self._makers: dict[tuple[str, ...], _Maker | None] = {}

    def statement(self, text: str, line: int, file: int) -> tuple[Statement | None, tuple[str, ...] | None]:
        """The statement of a line whose shape is known, else the shape to be learnt, if it can be."""
        tokens = _tokens(text)
        if not tokens:
            return None, None
        shape = _shape(tokens)
        maker = self._makers.get(shape) if shape is not None else None
        if maker is not None:
            statement: Statement = maker(tokens, line, file)
            return statement, None
        return None, None if shape is None or shape in self._makers else shape

    def learn(self, shape: tuple[str, ...], text: str, statement: Statement) -> None:
        """Learns how the statement of a line follows from its tokens."""
        tokens = _tokens(text)
        if tokens and len(self._makers) < _MOST:
            starts = {column: n for n, (column, _) in enumerate(tokens)}
            ends = {column + len(token): n for n, (column, token) in enumerate(tokens)}
            try:
                self._makers[shape] = _maker(statement, starts, ends)
            except KeyError:  # its parts are not whole tokens, as in 2 -1
                self._makers[shape] = None


def _tokens(text: str) -> list[_Token] | None:
    """The tokens of a line without its comment; None where it has others."""
    found: list[_Token] = []
    at, end = 0, len(text)
    while match := _TOKEN.match(text, at):
        if match.group(1) == "#":
            return found
        found.append((match.start(1) + 1, match.group(1)))
        at = match.end()
    return found if text[at:end].strip(" \t\f") == "" else None


def _shape(tokens: Sequence[_Token]) -> tuple[str, ...] | None:
    found = []
    for _, token in tokens:
        if token in _SPECIAL or token in "(),=*/:+-":
            found.append(token)
        elif token[0] == '"':
            found.append('"')
        elif _NUMBER.match(token):
            found.append("0")
        elif token[0] in "+-" and _NUMBER.match(token, 1):
            found.append("-0")
        elif _WORD.match(token):
            found.append("w")
        else:
            return None
    return tuple(found)


def _maker(node: Any, starts: dict[int, int], ends: dict[int, int]) -> _Maker:
    if isinstance(node, Span):
        first, last = starts[node.column], ends[node.column + node.length]
        if first == last:
            return lambda tokens, line, file: Span(line, tokens[first][0], len(tokens[first][1]), file)
        return lambda tokens, line, file: Span(
            line, tokens[first][0], tokens[last][0] + len(tokens[last][1]) - tokens[first][0], file
        )
    if isinstance(node, Atom):
        number, kind = starts[node.place.column], node.kind
        if ends[node.place.column + node.place.length] != number:
            raise KeyError

        def atom(tokens: Sequence[_Token], line: int, file: int) -> Atom:
            column, text = tokens[number]
            return Atom(text[1:-1] if kind == "string" else text, kind, Span(line, column, len(text), file))

        return atom
    if isinstance(node, tuple):
        items = [_maker(item, starts, ends) for item in node]
        return lambda tokens, line, file: tuple([item(tokens, line, file) for item in items])
    if is_dataclass(node) and not isinstance(node, type):
        kind_of = type(node)
        parts = [_maker(getattr(node, each.name), starts, ends) for each in fields(node)]
        return lambda tokens, line, file: kind_of(*[part(tokens, line, file) for part in parts])
    return lambda tokens, line, file: node
