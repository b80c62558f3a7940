"""YAML read strictly: every mistake is reported with its line, its path in the file and what was expected."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from puppet.errors import FileError, WholeFileError, did_you_mean
from puppet.files.text_file import MAX_MISTAKES, read_text, shorten

MAX_DEPTH = 50
MAX_EVENTS = 30_000  # keys, values, and brackets: ten times as many as the largest body has
_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_ \-]{0,98}[A-Za-z0-9_\-])?\Z")
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Node:
    """A node of a YAML file: its value, its position, and the checks that a reader needs."""

    def __init__(self, source: str, path: str, node: yaml.Node, key: yaml.Node | None = None) -> None:
        self._source = source
        self._node = node
        self._key = key
        self.path = path

    @property
    def key(self) -> Node:
        """The node of this value's key, for mistakes in the key itself, which is often on the line above."""
        return self if self._key is None else Node(self._source, self.path, self._key)

    @property
    def line(self) -> int:
        return int(self._node.start_mark.line) + 1

    @property
    def column(self) -> int:
        return int(self._node.start_mark.column) + 1

    def error(self, message: str) -> FileError:
        where = f"{self.path}: " if self.path else ""
        return FileError(f"{self._source}:{self.line}:{self.column}: {where}{message}")

    def found(self) -> str:
        """The value as a message names it."""
        if isinstance(self._node, yaml.ScalarNode):
            return "nothing" if self._node.value == "" else f"'{shorten(self._node.value)}'"
        return "a list" if isinstance(self._node, yaml.SequenceNode) else "a mapping"

    @property
    def is_mapping(self) -> bool:
        return isinstance(self._node, yaml.MappingNode)

    @property
    def is_list(self) -> bool:
        return isinstance(self._node, yaml.SequenceNode)

    def items(self) -> Iterator[tuple[str, Node]]:
        """The entries of a mapping, in the file's order; a repeated key is an error."""
        if not isinstance(self._node, yaml.MappingNode):
            raise self.error(f"expected a mapping, found {self.found()}")
        seen: set[str] = set()
        for key_node, value_node in self._node.value:
            key = Node(self._source, self.path, key_node)
            if not isinstance(key_node, yaml.ScalarNode):
                raise key.error(f"expected a plain word as key, found {key.found()}")
            if key_node.value in seen:
                raise key.error(f"'{shorten(key_node.value)}' stands here twice")
            seen.add(key_node.value)
            step = shorten(key_node.value)
            yield key_node.value, Node(self._source, f"{self.path}.{step}" if self.path else step, value_node, key_node)

    def named_items(self) -> Iterator[tuple[str, Node]]:
        """The entries of a mapping whose keys are names that the file's author chose."""
        for _, node in self.items():
            yield node.key.name(), node

    def fields(self, required: Collection[str] = (), optional: Collection[str] = ()) -> dict[str, Node]:
        """The entries of a mapping whose keys are fixed in advance."""
        entries: dict[str, Node] = {}
        mistakes = Mistakes()
        for key, node in self.items():
            if key not in required and key not in optional:
                near = did_you_mean(key[:60], [*required, *optional])
                mistakes.add(node.key.error(f"unknown key '{shorten(key)}'; {near}"))
            entries[key] = node
        mistakes.raise_any()  # a misspelt key is also a missing one: reporting both would be noise
        for key in required:
            if key not in entries:
                mistakes.add(self.error(f"'{key}' is missing"))
        mistakes.raise_any()
        return entries

    def sequence(self, length: int | None = None) -> list[Node]:
        if not isinstance(self._node, yaml.SequenceNode):
            raise self.error(f"expected a list, found {self.found()}")
        nodes = [Node(self._source, f"{self.path}[{i}]", child) for i, child in enumerate(self._node.value)]
        if length is not None and len(nodes) != length:
            raise self.error(f"expected {length} values, found {len(nodes)}")
        return nodes

    def text(self) -> str:
        if not isinstance(self._node, yaml.ScalarNode) or self._node.value == "":
            raise self.error(f"expected a word, found {self.found()}")
        return str(self._node.value)

    def name(self) -> str:
        """A name that can be written in a script: letters, digits, spaces, dashes and underscores."""
        word = self.text()
        if not is_name(word):
            raise self.error(f"'{shorten(word)}' is no name: use up to 100 letters, digits, '_', '-' and inner spaces")
        return word

    def choice(self, known: Collection[str], what: str = "word") -> str:
        word = self.text()
        words = tuple(known) if isinstance(known, str) else known  # `in` would find any part of a str
        if word not in words:
            raise self.error(f"unknown {what} '{shorten(word)}'; {did_you_mean(word, known)}")
        return word

    def number(self, at_least: float = -math.inf, at_most: float = math.inf) -> float:
        try:
            value = float(self._node.value) if isinstance(self._node, yaml.ScalarNode) else math.nan
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise self.error(f"expected a number, found {self.found()}")
        if not at_least <= value <= at_most:
            limits = f"from {at_least:g} to {at_most:g}"
            if at_most == math.inf:
                limits = f"of at least {at_least:g}"
            elif at_least == -math.inf:
                limits = f"of at most {at_most:g}"
            raise self.error(f"expected a number {limits}, found {self.found()}")
        return value

    def integer(self, at_least: int, at_most: int) -> int:
        value = self.number(at_least, at_most)
        if value != int(value):
            raise self.error(f"expected a whole number, found {self.found()}")
        return int(value)

    def flag(self) -> bool:
        return self.choice(("true", "false"), "truth value") == "true"

    def vector(self, length: int = 3, at_least: float = -math.inf, at_most: float = math.inf) -> tuple[float, ...]:
        return tuple(node.number(at_least, at_most) for node in self.sequence(length))


class Mistakes:
    """Collects the mistakes of a file, so that all are reported and not only the first."""

    def __init__(self) -> None:
        self._errors: list[FileError] = []

    def add(self, error: FileError) -> None:
        """One more; when there are too many, all are raised, and the rest of the file is not looked at."""
        if len(self._errors) >= MAX_MISTAKES:
            raise error
        self._errors += error.errors if isinstance(error, WholeFileError) else [error]
        if len(self._errors) >= MAX_MISTAKES:
            self.raise_any()

    @contextmanager
    def collect(self) -> Iterator[None]:
        """A block whose FileError is collected instead of raised."""
        try:
            yield
        except FileError as error:
            self.add(error)

    def raise_any(self) -> None:
        """Raises the collected mistakes, if there are any."""
        if len(self._errors) == 1:
            raise self._errors[0]
        if self._errors:
            raise WholeFileError(self._errors[:MAX_MISTAKES])


def parse(text: str, source: str) -> Node:
    """The root of a YAML text; `source` names it in messages."""
    try:
        _check_size(text, source)
        root = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        where = _where(source, error.problem_mark or error.context_mark)
        raise FileError(f"{where}: not valid YAML: {_reason(error)}") from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # the last two: characters that do not exist
        raise FileError(f"{source}:1:1: not valid YAML: {shorten(' '.join(str(error).split()))}") from None
    if root is None:
        raise FileError(f"{source}:1:1: the file is empty")
    return Node(source, "", root)


def _check_size(text: str, source: str) -> None:
    """Refuses before the tree is built what would take long to read, and deep nesting: the builder recurses in C and
    would crash the process."""
    depth = 0
    for number, event in enumerate(yaml.parse(text, Loader=_Loader)):
        if number > MAX_EVENTS:
            raise FileError(f"{_where(source, event.start_mark)}: the file has more than {MAX_EVENTS} entries")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise FileError(f"{_where(source, event.start_mark)}: nested more than {MAX_DEPTH} levels deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _reason(error: yaml.MarkedYAMLError) -> str:
    context, begin = error.context or "", error.context_mark
    if context.startswith("while") and begin and error.problem_mark and begin.line != error.problem_mark.line:
        context += f" that begins in line {begin.line + 1}"  # an open bracket is noticed far below it
    return ", ".join(part for part in (context, error.problem) if part)


def _where(source: str, mark: Any) -> str:
    return f"{source}:{mark.line + 1}:{mark.column + 1}" if mark else f"{source}:1:1"


def read(path: str | Path) -> Node:
    """The root of a YAML file."""
    return parse(read_text(path), str(path))


def is_name(word: str) -> bool:
    """Whether a word can be a name in a file and in a script."""
    return bool(_NAME.match(word))
