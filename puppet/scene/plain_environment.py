"""The plain form of an environment (Figure 7.1): one line for the table, for each space, for each object."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from puppet.body import Body
from puppet.errors import FileError, did_you_mean
from puppet.files.strict_yaml import Mistakes, is_name
from puppet.scene.scene import Object, Position, Scene, SceneError
from puppet.scene.table import Table

PLAIN_BODY = "seated"  # the form is that of the thesis, and so is the puppet
MAX_COORDINATE = 1e6
MIN_WIDTH = 1e-6
_MAX_LINES, _MAX_LINE = 10_000, 2_000  # of a file, and characters of a line
_ENTRY = re.compile(r"\s*(?P<name>[^\s\-][^\-]*?)\s*-\s+(?P<rest>.*)\Z")
_LABEL = re.compile(r"\s+[A-Za-z][A-Za-z ]*\Z")  # the words behind the numbers in the figure


def read_env(text: str, source: str, hands: Iterable[str] | None = None) -> Scene:
    """A scene from the plain form; `source` names it in messages.

        0.6 0.2 0.0       the table: height, front, skew
        1- 0.1 0.0 0.2    a space, from the middle of the table's front edge: skew, height, front
        A- 0.04 1         an object: its width, the space it stands on

    Words behind the numbers and empty lines mean nothing; `#` starts a comment.
    """
    return _PlainReader(source, Body.load().hands if hands is None else tuple(hands)).read(text)


def format_env(scene: Scene) -> str:
    """The plain form of an initial scene, without what `lost_in_env` names. Refused where more than that would be lost:
    the plain form has one table without an end, and nothing else in the room."""
    table = scene.table
    room = [name for name in ("tables", "seats", "bars", "stance") if getattr(scene, name)]
    room += ["body"] if scene.body not in (None, PLAIN_BODY) else []
    if room or table.size is not None or scene.open:
        what = room[0] if room else "size of the table" if table.size is not None else "room"
        raise SceneError(f"the {what} of this environment cannot be written in the plain form, which has only a table")
    lines = [f"{table.height!r} {table.front!r} {table.skew!r}", ""]
    objects = []
    for stack in scene.stacks:
        space = stack.space
        if not space.dynamic and space.name is not None:
            edge = (table.skew, table.height, table.front)
            offsets = (repr(round(at - origin, 12) + 0.0) for at, origin in zip(space.position, edge, strict=True))
            lines.append(f"{_writable(space.name)}- {' '.join(offsets)}")
        elif stack.objects:
            raise SceneError(f"'{stack.objects[0]}' stands on no fixed space; an environment file cannot say that")
        objects += [f"{_writable(name)}- {scene.object(name).width!r} {space.name}" for name in stack.objects]
    return "\n".join([*lines, "", *objects]) + "\n"


def lost_in_env(scene: Scene) -> list[str]:
    """What the plain form of a scene leaves out, because it has no words for it."""
    default = Object("thing", 1.0)
    kinds = {"color": "colors", "shape": "shapes", "kind": "kinds"}
    lost = [words for name, words in kinds.items()
            if any(getattr(entry, name) != getattr(default, name) for entry in scene.objects)]  # fmt: skip
    lost += ["the height of the floor"] if scene.floor is not None else []
    return lost + ([f"that any body but '{PLAIN_BODY}' performs there"] if scene.body is None else [])


def _writable(name: str) -> str:
    if not is_name(name) or "-" in name or " " in name:
        raise SceneError(f"'{name}' cannot be written in the plain form: a name has letters, digits and '_'")
    return name


class _PlainReader:
    """Reads one text; mistakes are collected and reported together."""

    def __init__(self, source: str, hands: tuple[str, ...]) -> None:
        self._source, self._hands = source, hands
        self._mistakes = Mistakes()
        self._table: Table | None = None
        self._spaces: dict[str, Position] = {}
        self._objects: dict[str, Object] = {}
        self._on: list[tuple[str, str, int, int]] = []  # object, space, line, column of the space

    def read(self, text: str) -> Scene:
        for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
            if number > _MAX_LINES:
                self._wrong(number, 1, f"the file has more than {_MAX_LINES} lines")
                break
            content = line.partition("#")[0].rstrip()
            if not content:
                continue
            if len(content) > _MAX_LINE:
                self._wrong(number, _MAX_LINE, f"the line has more than {_MAX_LINE} characters")
                continue
            entry = _ENTRY.match(content)
            if self._table is None:
                self._table = self._read_table(number, content)
            elif entry is None:
                self._wrong(number, 1, "expected a name, '-' and numbers, as in: 1- 0.1 0.0 0.2")
            else:
                self._read_entry(number, content, entry)
        if self._table is None:
            self._wrong(1, 1, "the file is empty")
        placed = []
        for name, space, number, column in self._on:
            if space in self._spaces:
                placed.append((self._objects[name], space))
            else:
                near = did_you_mean(space[:60], self._spaces)
                self._wrong(number, column, f"unknown space '{space[:60]}' of '{name}'; {near}")
        self._mistakes.raise_any()
        assert self._table is not None
        return Scene.build(self._table, self._spaces, placed, self._hands)

    def _read_table(self, number: int, content: str) -> Table:
        values = self._values(content)
        numbers = [self._number(number, at, word) for at, word in values]
        if len(numbers) not in (2, 3):
            self._wrong(number, 1, f"expected the table's height, front and skew, found {len(numbers)} numbers")
            return Table(0.0, 0.0)
        height, front, *skew = numbers
        return Table(height, front, skew[0] if skew else 0.0)

    def _read_entry(self, number: int, content: str, entry: re.Match[str]) -> None:
        name = entry["name"]
        values = [(at + entry.start("rest"), word) for at, word in self._values(entry["rest"])]
        if not is_name(name):
            self._wrong(number, entry.start("name") + 1, f"'{name[:60]}' is no name")
        elif len(values) == 3:
            self._read_space(number, entry.start("name") + 1, name, values)
        elif len(values) == 2:
            self._read_object(number, entry.start("name") + 1, name, values)
        else:
            wanted = "three numbers for a space, or the width and the space of an object"
            self._wrong(number, entry.start("rest") + 1, f"expected {wanted}, found {len(values)} values")

    def _read_space(self, number: int, column: int, name: str, values: list[tuple[int, str]]) -> None:
        if name in self._spaces:
            self._wrong(number, column, f"the space '{name}' stands here twice")
        if name in self._hands:
            self._wrong(number, column, f"'{name}' is the space of the {name} hand; this one needs another name")
        skew, height, front = (self._number(number, at, word) for at, word in values)
        table = self._table or Table(0.0, 0.0)
        self._spaces[name] = (table.skew + skew, table.height + height, table.front + front)

    def _read_object(self, number: int, column: int, name: str, values: list[tuple[int, str]]) -> None:
        if name in self._objects:
            self._wrong(number, column, f"the object '{name}' stands here twice")
            return
        (at, word), (space_at, space) = values
        width = self._number(number, at, word, MIN_WIDTH)
        self._objects[name] = Object(name, width)
        self._on.append((name, space, number, space_at + 1))

    def _values(self, content: str) -> list[tuple[int, str]]:
        """Words and where they begin, without labels."""
        bare = _LABEL.sub("", content) if len(content.split()) > 2 else content
        return [(match.start(), match.group()) for match in re.finditer(r"\S+", bare)]

    def _number(self, number: int, at: int, word: str, least: float = -MAX_COORDINATE) -> float:
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not least <= value <= MAX_COORDINATE:
            limits = f" from {least:g} to {MAX_COORDINATE:g}" if math.isfinite(value) else ""
            self._wrong(number, at + 1, f"expected a number{limits}, found '{word[:60]}'")
            return 1.0
        return value

    def _wrong(self, line: int, column: int, message: str) -> None:
        self._mistakes.add(FileError(f"{self._source}:{line}:{column}: {message}"))
