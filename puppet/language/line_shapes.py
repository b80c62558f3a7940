"""Lines whose parts were parsed before are not parsed again: their statement is put together from earlier ones with
other names and numbers. The parts are the line itself, each option behind it, and values in brackets. The shape of a
part is its keywords and signs, and the kinds of all other tokens. Lines that differ in their digits alone have their
tokens in the same places, so that these are looked for once."""

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
_MOST, _LONGEST = 10_000, 60  # shapes that are kept, and their tokens: more take longer to learn than to parse
_MOST_LINES, _LONGEST_LINE = 2_000, 200  # whose tokens' places are kept, and their characters
_SPECIAL = KEYWORDS | {"random", "nearest"}  # words that the grammar knows
_LINE, _OPTION, _GROUP = "line", "option", "group"  # kinds of parts
_DIGITS = str.maketrans("123456789", "000000000")  # no keyword has one
_NOT_SEEN: list[_Part] = []

# A token: its column, the one behind it, how it is shown in a shape; values in brackets are one, with the part in them.
_Token = tuple[int, int, str, "_Part | None"]


class _Part(NamedTuple):
    shape: tuple[str, ...]
    tokens: list[_Token]
    groups: list[_Part]  # values in brackets


# A piece of the tree from a line's text, the tokens of a part, its line and file, values in brackets, and options.
_Maker = Callable[[str, Sequence[_Token], int, int, tuple[Any, ...], Options], Any]


class LineShapes:
    """The shapes of the parts that were parsed so far."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, ...]] = set()  # of parts, once: those that come again are worth learning
        self._makers: dict[tuple[str, ...], _Maker | None] = {}
        self._places: dict[str, list[_Part] | None] = {}  # of parts and their tokens, by the line without its digits

    def statement(self, text: str, line: int, file: int) -> Statement | None:
        """The statement of a line, if the shapes of all its parts are known."""
        parts = self._parts(text)
        if parts is None:
            return None
        if len(parts) == 1:
            return self._make(text, parts[0], line, file)  # type: ignore[no-any-return]
        head, *options = parts
        found = [self._make(text, part, line, file) for part in options]
        if None in found:
            return None
        statement: Statement | None = self._make(text, head, line, file, tuple(found))
        return statement if len(_options(statement)) == len(found) else None  # some statements take no options

    def _parts(self, text: str) -> list[_Part] | None:
        key = text.translate(_DIGITS)
        found = self._places.get(key, _NOT_SEEN)
        if found is _NOT_SEEN:
            found = _parts(text)
            if len(self._places) >= _MOST_LINES:
                self._places.clear()
            if len(key) <= _LONGEST_LINE:
                self._places[key] = found
        return found

    def learn(self, text: str, statement: Statement) -> None:
        """Learns how the parts of a line follow from their tokens."""
        parts = self._parts(text)
        if parts is None:
            return
        options = _options(statement)
        nodes = (statement, *options)
        if len(nodes) == len(parts):
            for part, node in zip(parts, nodes, strict=True):
                self._learn(part, node)

    def _learn(self, part: _Part, node: Any) -> None:
        if len(self._makers) >= _MOST or len(part.shape) > _LONGEST:
            return
        if part.shape not in self._seen:
            if len(self._seen) < _MOST:
                self._seen.add(part.shape)
            return
        learning = _Learning(part)
        try:
            self._makers[part.shape] = learning.maker(node)
        except KeyError:  # its pieces are not whole tokens, as in 2 -1
            self._makers[part.shape] = None
        for group, inner in learning.groups:
            self._learn(group, inner)

    def _make(self, text: str, part: _Part, line: int, file: int, options: Options = ()) -> Any:
        """A piece of the tree; None where its shape is not known."""
        maker = self._makers.get(part.shape)
        if maker is None:
            return None
        groups = tuple([self._make(text, inside, line, file) for inside in part.groups])
        if None in groups:
            return None
        return maker(text, part.tokens, line, file, groups, options)


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
        word, column, behind = match[kind], match.start(kind) + 1, match.end() + 1
        if kind == _SIGN:
            if word == "," and not opened:
                found.append(_part(_OPTION if found else _LINE, tokens))
                tokens = []
                continue
            if word == "(":
                opened.append(len(tokens))
            tokens.append((column, behind, word, None))
            if word == ")" and opened:
                start = opened.pop()
                if not opened:
                    _fold(tokens, start, not found)
        elif kind == _WORD:
            tokens.append((column, behind, word if word in _SPECIAL else "w", None))
        else:
            tokens.append((column, behind, _SHOWN[kind], None))
    if not tokens:
        return None
    found.append(_part(_OPTION if found else _LINE, tokens))
    return found


def _part(kind: str, tokens: list[_Token]) -> _Part:
    groups = [inside for _, _, _, inside in tokens if inside is not None]
    return _Part((kind, *[shown for _, _, shown, _ in tokens]), tokens, groups)


def _fold(tokens: list[_Token], start: int, in_line: bool) -> None:
    """Makes one token of values in brackets, which are the last ones, unless they are given to something by name."""
    called = in_line and ((start == 1 and tokens[0][2] == "w") or (start == 2 and tokens[0][2] == "define"))
    group = tokens[start:]
    if called or (start and tokens[start - 1][2] == "random") or any(shown in _SPECIAL for _, _, shown, _ in group):
        return
    tokens[start:] = [(group[0][0], group[-1][1], "()", _part(_GROUP, group))]


class _Learning:
    """How a piece of the tree follows from the tokens of its part, as an expression: one that is compiled once takes
    a third of the time that a tree of functions takes."""

    def __init__(self, part: _Part) -> None:
        tokens = part.tokens
        self._starts = {column: n for n, (column, _, _, _) in enumerate(tokens)}
        self._ends = {behind: n for n, (_, behind, _, _) in enumerate(tokens)}
        grouped = [(column, inside) for column, _, _, inside in tokens if inside is not None]
        self._groups = {column: (n, inside) for n, (column, inside) in enumerate(grouped)}
        self._names: dict[str, Any] = {"Span": Span, "Atom": Atom, "new": tuple.__new__}  # faster than a call
        self.groups: list[tuple[_Part, VectorNode]] = []

    def maker(self, node: Any) -> _Maker:
        source = f"lambda text, tokens, line, file, groups, options: {self._expression(node)}"
        made: _Maker = eval(source, self._names)  # of names and numbers made here: no word of a script is in it
        return made

    def _expression(self, node: Any) -> str:
        if isinstance(node, VectorNode) and node.place.column in self._groups:
            number, part = self._groups[node.place.column]
            self.groups.append((part, node))
            return f"groups[{number}]"
        if isinstance(node, Span):
            first, last = self._starts[node.column], self._ends[node.column + node.length]
            begin = f"tokens[{first}][0]"
            return f"new(Span, (line, {begin}, tokens[{last}][1] - {begin}, file))"
        if isinstance(node, Atom):
            number = self._starts[node.place.column]
            if self._ends[node.place.column + node.place.length] != number:
                raise KeyError
            quote = node.kind == "string"
            text = f"text[tokens[{number}][0] - {0 if quote else 1} : tokens[{number}][1] - {2 if quote else 1}]"
            return f"new(Atom, ({text}, {self._name(node.kind)}, {self._expression(node.place)}))"
        if type(node) is tuple:
            return f"({''.join(f'{self._expression(item)}, ' for item in node)})"
        if is_dataclass(node) and not isinstance(node, type):
            given = {each.name: getattr(node, each.name) for each in fields(node)}
            parts = ["options" if name == "options" else self._expression(value) for name, value in given.items()]
            return f"{self._name(type(node))}({', '.join(parts)})"
        if isinstance(node, tuple):  # with names
            return f"new({self._name(type(node))}, ({''.join(f'{self._expression(item)}, ' for item in node)}))"
        return self._name(node)

    def _name(self, value: Any) -> str:
        """What a value is called in the expression."""
        name = f"v{len(self._names)}"
        self._names[name] = value
        return name
